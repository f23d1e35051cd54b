"""Rounds: dated, leak-checked, frozen benchmarks built from a corpus."""

from vivavoce.rounds.build import build_round as build_round
from vivavoce.rounds.family import Builder as Builder
from vivavoce.rounds.family import Exclusion as Exclusion
from vivavoce.rounds.family import FamilyItems as FamilyItems
from vivavoce.rounds.family import Shown as Shown
from vivavoce.rounds.family import measure_settings as measure_settings
from vivavoce.rounds.family import round_stats as round_stats
from vivavoce.rounds.reading import Round as Round
from vivavoce.rounds.reading import load_round as load_round
from vivavoce.rounds.reading import verify_round as verify_round
from vivavoce.rounds.spec import Options as Options
from vivavoce.rounds.spec import RoundSpec as RoundSpec
from vivavoce.rounds.spec import parse_spec as parse_spec
from vivavoce.rounds.spec import read_spec as read_spec
