"""Tables of real surveys: how many become items, and a baseline on them."""

import json
from pathlib import Path

import pytest
from inspect_ai import eval
from tests.tasks.samples import values_of
from tests.tasks.tables.table_rounds import round_of

import vivavoce._registry  # noqa: F401  (registers the providers)
from vivavoce.corpus import ingest, load_corpus
from vivavoce.tasks.lookup import find_task_maker
from vivavoce.tasks.tables.solvers import bm25_phrases


@pytest.mark.data
def test_real_tables_are_items_and_the_baseline_beats_chance(
    data_dir: Path, tmp_path: Path
) -> None:
    """A draw of as many papers as the baseline takes has the precision of the whole pool."""
    ingest("survey", data_dir / "tables" / "human_surveys", tmp_path / "corpus")
    corpus = load_corpus(tmp_path / "corpus")
    made = round_of(tmp_path, corpus=corpus, start="1990-01-01", end="2030-01-01", undated=True)
    assert len(made.items("tables", "table")) >= 20
    [log] = eval(
        find_task_maker("table")(str(made.folder)),
        model="none",
        solver=bm25_phrases(),
        log_dir=str(tmp_path / "logs"),
        display="none",
        limit=5,
    )
    assert log.status == "success", log.error
    assert log.samples is not None
    found = [values_of(one) for one in log.samples]
    assert all(one["success"] == 1.0 for one in found)
    gold = [len(json.loads(str(one.target))["papers"]) for one in log.samples]
    pool = [len(one.metadata["pool"]) for one in log.samples]
    chance = sum(g / p for g, p in zip(gold, pool, strict=True)) / len(found)
    assert sum(one["paper_p"] for one in found) / len(found) > chance + 0.05
