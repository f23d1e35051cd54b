"""Rounds: dated, leak-checked, frozen benchmarks built from a corpus."""

from vivavoce.rounds.build import build_round
from vivavoce.rounds.family import (
    Builder,
    Exclusion,
    FamilyItems,
    Shown,
    measure_settings,
    round_stats,
)
from vivavoce.rounds.reading import Round, load_round, verify_round
from vivavoce.rounds.spec import Options, RoundSpec, parse_spec, read_spec

__all__ = [
    "Builder",
    "Exclusion",
    "FamilyItems",
    "Options",
    "Round",
    "RoundSpec",
    "Shown",
    "build_round",
    "load_round",
    "measure_settings",
    "parse_spec",
    "read_spec",
    "round_stats",
    "verify_round",
]
