"""The answers of published models, through the scorer: one by one they give the printed table."""

from __future__ import annotations

import gzip
import json
import math
from pathlib import Path
from typing import Any

import pytest
from tests.tasks.samples import score_of, values_of

from vivavoce.metrics.titles_list import count_faults, distinct_titles, find_titles
from vivavoce.tasks.engine import make_scorer
from vivavoce.tasks.ranking.items.boards import plain_title

SCORED, QUERIES = 101, 402
TABLE_9 = {
    # CIS, BEM, KTau, CP as printed: CIS over 402 queries though 101 were scored.
    "GPT4": (21.89, 0.08, 0.10, 51.93),
    "falcon_7b": (1.24, 0.20, -0.17, 1.65),
    "llama2_7b_chat": (16.17, 0.11, 0.02, 35.87),
    "vicuna_13b": (14.18, 0.09, 0.07, 34.66),
    "gemini": (18.91, 0.09, 0.06, 46.06),
}


def read(path: Path) -> list[dict[str, Any]]:
    """Rows of a file, packed or not."""
    content = path.read_bytes()
    text = (gzip.decompress(content) if path.suffix == ".gz" else content).decode()
    return [json.loads(line) for line in text.split("\n") if line]


def score(text: str | None, gold: list[str], scoring: str) -> dict[str, float]:
    scorer = make_scorer("ranking", "title_order")(scoring=scoring)
    return values_of(score_of(scorer, text or "", "\n".join(gold)))


def mean(values: list[float]) -> float:
    defined = [value for value in values if not math.isnan(value)]
    return math.fsum(defined) / len(defined)


@pytest.mark.data
@pytest.mark.parametrize("model", TABLE_9)
def test_legacy_values_of_single_answers_give_the_printed_row(data_dir: Path, model: str) -> None:
    folder = data_dir / "rplm"
    gold = {row["id"]: row["gold"] for row in read(folder / "gold.jsonl")[:SCORED]}
    texts = {row["id"]: row["text"] for row in read(folder / "responses" / f"{model}.jsonl.gz")}
    rows = [score(texts[name], titles, "legacy") for name, titles in gold.items()]
    cis, bem, ktau, cp = TABLE_9[model]
    assert 100 * sum(row["cis"] for row in rows) / QUERIES == pytest.approx(cis, abs=0.006)
    assert mean([row["bem_complete"] for row in rows]) == pytest.approx(bem, abs=0.006)
    assert mean([row["ktau"] for row in rows]) == pytest.approx(ktau, abs=0.006)
    assert 100 * mean([row["cp"] for row in rows]) == pytest.approx(cp, abs=0.006)


@pytest.mark.data
def test_the_published_lists_themselves_have_no_fault(data_dir: Path) -> None:
    for row in read(data_dir / "rplm" / "gold.jsonl"):
        titles = [plain_title(row["gold"][place]) for place in distinct_titles(row["gold"])]
        shown = "\n".join(sorted(titles))
        found = find_titles(shown, titles)
        assert found.missing == 0, row["id"]
        faults = count_faults(shown, titles, found)
        assert not any(faults.values()), row["id"]
