"""Scores of literature tables, by hand and by brute force, and faults of answers."""

import itertools
import random
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.metrics import harmonic_mean
from vivavoce.metrics.tables.cell_matching import cell_key
from vivavoce.metrics.tables.literature_tables import (
    ASPECTS,
    LiteratureTable,
    TableRow,
    count_faults,
    score_table,
)


def table(columns: str, *rows: str, papers: str = "") -> LiteratureTable:
    """Columns and rows written with `|`; a row begins with its paper."""
    split = [[cell.strip() for cell in row.split("|")] for row in rows]
    return LiteratureTable(
        papers=tuple(papers.split()) or tuple(dict.fromkeys(row[0] for row in split)),
        columns=tuple(name.strip() for name in columns.split("|") if name.strip()),
        rows=tuple(TableRow(row[0], tuple(cell or None for cell in row[1:])) for row in split),
    )


GOLD = table(
    "Task | Params | Year", "a | QA | 340M | 2019", "b | MT | 60M  | 2017", "c | QA | N/A  | 2018"
)
EMPTY = table("")
values_of = st.sampled_from(["QA", "MT", "1", "2", "N/A", ""])
tables = st.integers(1, 3).flatmap(
    lambda width: st.lists(
        st.tuples(st.sampled_from("abc"), st.lists(values_of, min_size=width, max_size=width)),
        max_size=6,
    ).map(
        lambda rows: LiteratureTable(
            papers=tuple(dict.fromkeys(paper for paper, _ in rows)),
            columns=("Task", "Params", "Year")[:width],
            rows=tuple(TableRow(paper, tuple(cells)) for paper, cells in rows),
        )
    )
)


def test_a_table_counted_by_hand() -> None:
    system = table(
        "Years | Venue | Parameters (M)",
        "d | 2020 | ACL | 7",
        "a | 2019 | ACL | 340",
        "b | 2018 | N/A | 60",
    )
    score = score_table(GOLD, system)
    counts = {name: (ratio.hits, ratio.asked) for name, ratio in score.ratios.items()}
    assert counts == {
        "paper_r": (2, 3),
        "paper_p": (2, 3),
        "schema_r": (2, 3),  # Years and Parameters; Task is missing
        "schema_p": (2, 3),
        "unary_r": (3, 8),  # kept: 340M, 2019, 60M; the N/A of c is not asked
        "unary_p": (3, 8),  # 9 cells, one N/A
        # Gold pairs: Task 3, Params 1 (c has none), Year 3. Kept: both values of Params.
        "pairwise_r": (1, 7),
        "pairwise_p": (1, 7),  # Years 3, Venue 1, Parameters 3
    }
    assert score.invented_papers == 1
    assert score.values()["avg"] == pytest.approx((2 / 3 + 3 / 8 + 1 / 7) / 3)
    assert list(score.values()) == [
        *(f"{aspect}_{part}" for aspect in ASPECTS for part in ("p", "r", "f1")),
        "avg",
    ]


def test_the_gold_table_itself_is_the_maximum() -> None:
    assert set(score_table(GOLD, GOLD).values().values()) == {1.0}


def test_an_empty_system_scores_zero_everywhere() -> None:
    assert set(score_table(GOLD, EMPTY).values().values()) == {0.0}


def test_papers_without_a_table_still_count_as_selected() -> None:
    values = score_table(GOLD, table("", papers="a b c")).values()
    assert (values["paper_f1"], values["avg"]) == (1.0, 0.0)


def test_an_aspect_without_questions_on_either_side_is_undefined() -> None:
    single = table("Task", "a | QA")
    values = score_table(single, single).values()
    assert (values["pairwise_p"], values["pairwise_r"], values["pairwise_f1"]) == (None, None, None)
    assert values["avg"] == 1.0


def test_a_value_where_the_gold_has_none_costs_precision_only() -> None:
    gold = table("Task | Year", "a | QA | N/A")
    values = score_table(gold, table("Task | Year", "a | QA | 2019")).values()
    assert (values["unary_r"], values["unary_p"]) == (1.0, 0.5)


def test_a_missing_value_costs_recall_only() -> None:
    gold = table("Task | Year", "a | QA | 2019")
    values = score_table(gold, table("Task | Year", "a | QA | -")).values()
    assert (values["unary_r"], values["unary_p"]) == (0.5, 1.0)


def test_rows_of_one_paper_are_matched_by_best_agreement() -> None:
    gold = table("Set | F1 | EM", "a | dev | 1 | 2", "a | test | 3 | 4")
    swapped = table("Set | F1 | EM", "a | test | 3 | 9", "a | dev | 1 | 2")
    # dev agrees in 3 cells and test in 2: 5 of 6. Taken in the order given it would be 0.
    assert score_table(gold, swapped).values()["unary_r"] == 5 / 6


def test_repeating_a_row_gains_nothing_and_costs_nothing() -> None:
    spam = LiteratureTable(GOLD.papers, GOLD.columns, GOLD.rows * 1000)
    assert set(score_table(GOLD, spam).values().values()) == {1.0}


def test_guessing_rows_of_one_paper_costs_precision() -> None:
    guesses = tuple(TableRow("a", ("QA", f"{number}M", "2019")) for number in range(1000))
    values = score_table(GOLD, LiteratureTable(("a",), GOLD.columns, guesses)).values()
    assert values["unary_r"] == 3 / 8
    assert values["unary_p"] == 3 / 3000


def test_columns_of_one_meaning_are_credited_once() -> None:
    system = table("Task | Tasks | Problem", "a | QA | QA | QA")
    values = score_table(table("Task", "a | QA"), system).values()
    assert (values["schema_r"], values["schema_p"], values["unary_p"]) == (1.0, 1 / 3, 1 / 3)


def test_f1_is_the_harmonic_mean_of_precision_and_recall() -> None:
    half = score_table(GOLD, table("Task", "a | QA")).values()
    assert (half["schema_r"], half["schema_p"]) == (1 / 3, 1 / 1)
    assert half["schema_f1"] == pytest.approx(2 * 1 * (1 / 3) / (1 + 1 / 3))
    assert half["unary_r"] == 1 / 8


@given(tables, tables)
def test_all_pairs_are_what_brute_force_over_pairs_and_relations_counts(
    gold: LiteratureTable, system: LiteratureTable
) -> None:
    single = {row.paper: row for row in reversed(gold.rows)}
    other = {row.paper: row for row in reversed(system.rows)}
    gold = LiteratureTable(gold.papers, gold.columns, tuple(single.values()))
    system = LiteratureTable(system.papers, system.columns, tuple(other.values()))
    asked = kept = 0
    for column, (one, two) in itertools.product(
        range(len(gold.columns)), itertools.combinations(single, 2)
    ):
        here = [cell_key(single[paper].cells[column]) for paper in (one, two)]
        if not all(here):
            continue
        asked += 1
        cells = [other[paper].cells if paper in other else () for paper in (one, two)]
        there = [cell_key(row[column]) if column < len(row) else "" for row in cells]
        kept += here == there and relation(*here) == relation(*there)
    ratio = score_table(gold, system).ratios["pairwise_r"]
    assert (ratio.hits, ratio.asked) == (kept, asked)


def relation(one: str, two: str) -> str:
    if not (one.startswith("number") and two.startswith("number")):
        return "same" if one == two else "different"
    first, second = float(one.split()[1]), float(two.split()[1])
    return "<" if first < second else ">" if first > second else "="


@given(tables, tables, st.randoms(use_true_random=False))
def test_the_order_of_rows_columns_and_papers_costs_nothing(
    gold: LiteratureTable, system: LiteratureTable, chance: random.Random
) -> None:
    def shuffle(original: LiteratureTable) -> LiteratureTable:
        order = chance.sample(range(len(original.columns)), len(original.columns))
        rows = [
            TableRow(row.paper, tuple(row.cells[column] for column in order))
            for row in original.rows
        ]
        chance.shuffle(rows)
        return LiteratureTable(
            tuple(chance.sample(original.papers, len(original.papers))),
            tuple(original.columns[column] for column in order),
            tuple(rows),
        )

    for pairs in (None, 2):
        before = score_table(gold, system, pairs=pairs).values()
        assert score_table(shuffle(gold), shuffle(system), pairs=pairs).values() == before


@given(tables, tables)
def test_swapped_sides_swap_both_values(one: LiteratureTable, other: LiteratureTable) -> None:
    here, there = score_table(one, other).ratios, score_table(other, one).ratios
    # Pairwise is left out: rows of one paper may agree best in several ways.
    for name in ("paper", "schema", "unary"):
        assert (here[f"{name}_r"].hits, here[f"{name}_r"].asked) == (
            there[f"{name}_p"].hits,
            there[f"{name}_p"].asked,
        )


def test_sampled_pairs_are_seeded_and_estimate_all_pairs() -> None:
    rows = tuple(TableRow(f"p{number}", (f"{number}",)) for number in range(100))
    wrong = tuple(
        TableRow(row.paper, ("0.5",) if number % 2 else row.cells)
        for number, row in enumerate(rows)
    )
    papers = tuple(row.paper for row in rows)
    gold = LiteratureTable(papers, ("Size",), rows)
    system = LiteratureTable(papers, ("Size",), wrong)
    sampled = [score_table(gold, system, pairs=10, seed=seed) for seed in range(300)]
    assert sampled[0] == score_table(gold, system, pairs=10, seed=0)
    assert {score.ratios["pairwise_r"].asked for score in sampled} == {10}
    # 50 of 100 values are kept: 50 * 49 of 100 * 99 pairs, 0.2475; 3,000 draws, sd 0.008
    exact = score_table(gold, system).ratios["pairwise_r"].value
    assert exact == 50 * 49 / (100 * 99)
    assert fmean(score.values()["pairwise_r"] or 0.0 for score in sampled) == pytest.approx(
        exact, abs=0.035
    )


ASKED = LiteratureTable(("a", "b"), ("Size",), (TableRow("a", ("3",)), TableRow("b", ("4",))))


def test_papers_that_are_not_gold_and_empty_cells_are_counted() -> None:
    rows = (TableRow("a", ("3", None)), TableRow("c", (None, None)))
    answer = LiteratureTable(("a", "c", "d"), ("Size", "Year"), rows)
    # c and d are invented; of four cells one has a value.
    assert count_faults(ASKED, answer) == {"success": 1.0, "invented": 2.0, "empty_cells": 0.75}
    assert count_faults(ASKED, ASKED) == {"success": 1.0, "invented": 0.0, "empty_cells": 0.0}


def test_an_empty_table_is_a_table_and_no_answer_is_none() -> None:
    empty = LiteratureTable((), (), ())
    assert count_faults(ASKED, empty) == {"success": 1.0, "invented": 0.0, "empty_cells": None}
    assert count_faults(ASKED, None) == {"success": 0.0, "invented": 0.0, "empty_cells": None}


def test_the_harmonic_mean_of_nothing_is_nothing() -> None:
    assert harmonic_mean(0.5, 0.25) == 2 * 0.5 * 0.25 / 0.75
    assert harmonic_mean(0.0, 0.0) == 0.0
    assert harmonic_mean(None, 1.0) is None
