"""The published ranking numbers, cell by cell."""

from __future__ import annotations

import gzip
import json

import pytest

from vivavoce.errors import InputError
from vivavoce.metrics.ranking import (
    QUERIES,
    RankingRow,
    score_ranking_legacy,
    score_ranking_row_legacy,
)

# LEGOBench, Table 9: CIS, BEM, KTau, CP.
TABLE_9 = {
    "falcon_7b": (1.24, 0.20, -0.17, 1.65),
    "llama2_7b_chat": (16.17, 0.11, 0.02, 35.87),
    "vicuna_13b": (14.18, 0.09, 0.07, 34.66),
    "gemini": (18.91, 0.09, 0.06, 46.06),
    "GPT4": (21.89, 0.08, 0.10, 51.93),
}
GOLD = ["Alpha", "Beta", "Gamma"]


@pytest.mark.parametrize("model", TABLE_9)
def test_every_printed_cell_is_reproduced(data_dir, model):
    with (data_dir / "rplm" / "gold.jsonl").open(encoding="utf-8") as stream:
        golds = [json.loads(line)["gold"] for line in stream]
    path = data_dir / "rplm" / "responses" / f"{model}.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        texts = [json.loads(line)["text"] for line in stream]
    scores = score_ranking_legacy([RankingRow(*row) for row in zip(golds, texts, strict=True)])
    assert tuple(scores.cells().values()) == pytest.approx(TABLE_9[model], abs=0.006)


def test_a_title_counts_where_it_first_occurs_even_inside_other_text():
    # alphabet < gamma < beta: Alpha-Beta and Alpha-Gamma in order, Beta-Gamma not.
    score = score_ranking_row_legacy(GOLD, "An alphabet of gammas and BETAS, then beta and gamma")
    assert (score.is_complete, score.is_exact) == (True, False)
    assert score.concordant == 2 / 3
    assert score.ktau == 1 / 3


def test_the_stored_text_is_searched_as_it_is():
    assert score_ranking_row_legacy(["It's"], "It\\'s").is_complete is False
    assert score_ranking_row_legacy(["It's"], "It's").is_complete is True


def test_a_pair_with_a_missing_title_is_not_in_order():
    score = score_ranking_row_legacy(GOLD, "Alpha, Gamma")
    assert (score.is_complete, score.concordant, score.ktau) == (False, 1 / 3, None)


def test_one_title_has_no_pairs_and_no_tau():
    score = score_ranking_row_legacy(["Alpha"], "alpha")
    assert (score.is_complete, score.is_exact, score.concordant, score.ktau) == (
        *(True, True, 0.0, None),
    )


def test_the_share_is_of_101_rows_over_402():
    exact = RankingRow(GOLD, "Alpha Beta Gamma")
    empty = RankingRow(GOLD, None)
    # 4 complete among the first 101, the 301 after them are not looked at: CIS = 400/402.
    rows = [exact] * 3 + [empty] * 97 + [RankingRow(GOLD, "Gamma Beta Alpha")] + [exact] * 301
    scores = score_ranking_legacy(rows)
    assert scores.cells() == pytest.approx(
        {"cis": 400 / 402, "bem": None, "ktau": None, "cp": 300 / 101}
    )
    rows[3] = exact
    scores = score_ranking_legacy(rows)
    assert scores.cells() == pytest.approx(
        {"cis": 500 / 402, "bem": 4 / 5, "ktau": 3 / 5, "cp": 400 / 101}
    )


def test_the_mean_tau_leaves_single_titles_out():
    rows = [RankingRow(["Alpha"], "Alpha")] * 100 + [RankingRow(GOLD, "Gamma Beta Alpha")] * 302
    assert score_ranking_legacy(rows).ktau == -1.0
    only_single = [RankingRow(["Alpha"], "Alpha")] * QUERIES
    assert score_ranking_legacy(only_single).ktau is None


@pytest.mark.parametrize("count", [0, 101, 401, 403])
def test_another_number_of_queries_is_refused(count):
    with pytest.raises(InputError, match=f"402 queries, and there are {count}"):
        score_ranking_legacy([RankingRow(GOLD, "")] * count)
