"""Retrievers side by side: only logs that differ in nothing else are compared."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.results.audits.made_logs import write_log
from tests.statistics.one_metric import interval

from vivavoce.errors import VivaError
from vivavoce.results.audits.gains import compare_retrievers

SETTINGS = {"chunks": 12, "size": 512, "overlap": 64, "context": None}


def write_rag(folder: Path, retriever: str, values: dict[str, float], **changes: Any) -> None:
    params = {"retriever": retriever, **SETTINGS, **changes}
    write_log(folder, values, method="rag", params=params)


def headline(folder: Path) -> list[dict[str, Any]]:
    return [row for row in compare_retrievers(folder).rows if row["headline"]]


def test_each_retriever_has_a_mean_a_rank_and_its_gain_over_none(tmp_path: Path) -> None:
    write_log(tmp_path, {"a": 0.1, "b": 0.2, "c": 0.3})
    write_rag(tmp_path, "bm25", {"a": 0.2, "b": 0.3, "c": 0.4})
    write_rag(tmp_path, "contriever", {"a": 0.5, "b": 0.6, "c": 0.7})
    first, second = headline(tmp_path)
    assert [first["retriever"], second["retriever"]] == ["contriever", "bm25"]
    assert (first["value"], first["n"], first["rank"]) == (pytest.approx(0.6), 3, 1)
    assert first["ci"] == pytest.approx(list(interval([0.5, 0.6, 0.7], ["a", "b", "c"]) or ()))
    # ahead on all of three papers, which chance does once in four times
    assert (second["rank"], second["rank_interval"]) == (2, [1, 2])
    assert second["undecided_with"] == ["contriever"]
    assert second["without"]["gain"] == pytest.approx(0.1)
    assert (second["without"]["value"], second["without"]["n"]) == (pytest.approx(0.2), 3)
    assert second["settings"] == {"chunks": "12", "size": "512", "overlap": "64"}


def test_retrievers_that_cannot_be_told_apart_are_undecided(tmp_path: Path) -> None:
    write_rag(tmp_path, "bm25", {"a": 0.2, "b": 0.5, "c": 0.4})
    write_rag(tmp_path, "tfidf", {"a": 0.3, "b": 0.3, "c": 0.4})
    first, second = headline(tmp_path)
    assert (first["retriever"], first["undecided_with"]) == ("bm25", ["tfidf"])
    assert (second["undecided_with"], second["rank_interval"]) == (["bm25"], [1, 2])
    assert first["without"] == {"value": None, "gain": None, "ci": None, "n": 0}


def test_another_number_of_chunks_is_another_comparison(tmp_path: Path) -> None:
    write_rag(tmp_path, "bm25", {"a": 0.2, "b": 0.5})
    write_rag(tmp_path, "tfidf", {"a": 0.3, "b": 0.3}, chunks=6)
    assert [(row["settings"]["chunks"], row["rank"]) for row in headline(tmp_path)] == [
        ("12", 1),
        ("6", 1),
    ]


def test_logs_without_a_retriever_are_no_table(tmp_path: Path) -> None:
    write_log(tmp_path, {"a": 0.2})
    with pytest.raises(VivaError, match="no log of the method rag"):
        compare_retrievers(tmp_path)
