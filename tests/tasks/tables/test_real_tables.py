"""Tables of real surveys: items, the bounds of a score, a baseline."""

import json
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import eval
from inspect_ai.log import EvalLog
from inspect_ai.solver import Solver
from tests.tasks.samples import values_of

import vivavoce._registry  # noqa: F401  (registers the providers)
from vivavoce.corpus import ingest, load_corpus
from vivavoce.rounds import Round, parse_spec
from vivavoce.rounds.build import build_round
from vivavoce.tasks.lookup import find_task_maker
from vivavoce.tasks.methods.direct import null, oracle
from vivavoce.tasks.tables import build as family
from vivavoce.tasks.tables.solvers import bm25_phrases


def round_of(corpus: Path, name: str, **options: Any) -> Round:
    values = {
        "id": name,
        "window": {"start": "1990-01-01", "end": "2030-01-01"},
        "families": ["tables"],
        "seed": 0,
    }
    spec = parse_spec({"round": values, "tables": options}, {"tables": family.OPTIONS})
    families: dict[str, Any] = {"tables": family}
    return build_round(load_corpus(corpus), spec, families, corpus.parent / "rounds")


def work(folder: Path, made: Round, solver: Solver, items: int) -> EvalLog:
    """A run of a solver that asks no model over the first tables of a round."""
    [log] = eval(
        find_task_maker("table")(str(made.folder)),
        model="none",
        solver=solver,
        log_dir=str(folder / "logs"),
        display="none",
        limit=items,
    )
    assert log.status == "success", log.error
    return log


@pytest.fixture(scope="module")
def surveys(data_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Round:
    """The tables of surveys, whose works are known by their titles."""
    folder = tmp_path_factory.mktemp("surveys")
    ingest("survey", data_dir / "tables" / "human_surveys", folder / "corpus")
    return round_of(folder / "corpus", "surveys", undated=True)


def test_every_real_table_that_passes_the_filters_is_an_item(surveys: Round) -> None:
    assert len(surveys.items("tables", "table")) >= 20


def test_the_gold_is_the_maximum_and_nothing_the_minimum(surveys: Round, tmp_path: Path) -> None:
    for solver, value in ((oracle(), 1.0), (null(), 0.0)):
        found = [values_of(one) for one in work(tmp_path, surveys, solver, 2).samples or ()]
        assert {one["avg"] for one in found} == {value}


def test_the_baseline_beats_chance(surveys: Round, tmp_path: Path) -> None:
    """A draw of as many papers as the baseline takes has the precision of the whole pool."""
    log = work(tmp_path, surveys, bm25_phrases(), 5)
    found = [values_of(one) for one in log.samples or ()]
    assert log.samples is not None
    assert all(one["success"] == 1.0 for one in found)
    gold = [len(json.loads(str(one.target))["papers"]) for one in log.samples]
    pool = [len(one.metadata["pool"]) for one in log.samples]
    chance = sum(g / p for g, p in zip(gold, pool, strict=True)) / len(found)
    assert sum(one["paper_p"] for one in found) / len(found) > chance + 0.05
