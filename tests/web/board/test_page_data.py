"""Content of the pages of scores, as the data that their templates print."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.web.board.board_rows import make_board, make_row

from vivavoce.text.printing import figure, interval, share, visible
from vivavoce.web.board.entries import between, fact, missing, notes, rank_note, sureness
from vivavoce.web.board.model import BoardOf, Entry, Section, site_of
from vivavoce.web.board.overview import HEADS, Line, courses_of, lines_of


def board_of(*rows: dict, **more: Any) -> BoardOf:
    (board,) = site_of(make_board(*rows, **more)).boards
    return board


def section(*rows: dict, **more: Any) -> Section:
    return board_of(*rows, **more).section


def named(*rows: dict, **more: Any) -> dict[str, Entry]:
    """Contestants of the only board by name, in their order, the ceiling last."""
    found = section(*rows, **more)
    return {entry.name: entry for entry in (*found.entries, *found.ceilings)}


def lines(*rows: dict) -> dict[str, Line]:
    """Lines of the first page by contestant."""
    site = site_of(make_board(*rows))
    return {line.name: line for line in lines_of(site, site.boards)}


def facts_of(line: Line) -> dict[str, str]:
    return {head.label: head.of(line) for head in HEADS}


def test_rows_are_ordered_by_the_headline_metric_with_missing_last() -> None:
    rows = [make_row("c/none", None), make_row("b/low", 0.1, 3), make_row("a/high", 0.5, 1)]
    assert list(named(*rows)) == ["a/high", "b/low", "c/none"]


def test_a_board_may_name_the_headline_metric() -> None:
    rows = [
        make_row("a/one", 0.9, 1, metric="rouge1"),
        make_row("a/one", 0.2, 2, metric="rougeL"),
        make_row("b/two", 0.8, 2, metric="rouge1"),
        make_row("b/two", 0.3, 1, metric="rougeL"),
    ]
    assert list(named(*rows)) == ["a/one", "b/two"]
    assert list(named(*rows, headlines={"vivavoce/title": "rougeL"})) == ["b/two", "a/one"]


def test_faults_are_counted_and_a_value_of_valid_answers_is_noted() -> None:
    # 114/120 = 0.95 valid, so 6 are not; over those alone the mean is 0.4 / 0.95 = 0.421.
    row = make_row("a/one", 0.4, 1, valid=0.95, value_valid=0.4 / 0.95, missing=2)
    entry = named(row)["a/one"]
    assert (between(row), notes(row, row)) == ("0.380–0.420", ["0.421 if valid"])
    assert [text for _, text in entry.faults] == ["6 not valid", "2 missing"]


def test_a_metric_with_other_counts_than_the_headline_says_so() -> None:
    lead, other = make_row("a/one", 0.4, 1), make_row("a/one", 0.3, 1, metric="ktau", undefined=4)
    assert notes(other, lead) == ["4 undefined"]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (None, "not measured"),
        (make_row("a/one", None, undefined=120), "undefined for all 120 items"),
        (make_row("a/one", None, undefined=3), "no value"),
        (make_row("a/one", 0.4), ""),
    ],
)
def test_what_is_missing_is_a_word_and_never_zero(row: dict | None, reason: str) -> None:
    assert missing(row) == reason


def test_kinds_of_contestants_and_the_ceiling_apart() -> None:
    rows = [
        make_row("none/none", 1.0, 1, method="oracle"),
        make_row("a/one", 0.4, 2),
        make_row("none/none", 0.02, 3, method="null"),
        make_row("extractive/lead", 0.2, 4),
    ]
    assert {name: entry.kind for name, entry in named(*rows).items()} == {
        "a/one": "model",
        "extractive/lead": "baseline",
        "null": "floor",
        "oracle": "ceiling",
    }


@pytest.mark.parametrize(
    ("changes", "kind", "note"),
    [
        ({"rank": 1, "rank_interval": [1, 2]}, "model", "1–2"),
        ({"unranked": "why"}, "model", "not ranked: why"),
        ({"rank": 1}, "ceiling", "not ranked"),
    ],
)
def test_ranks_and_reasons_for_no_rank(changes: dict, kind: str, note: str) -> None:
    assert rank_note({**make_row("a/one", 0.4), **changes}, kind) == note


@pytest.mark.parametrize(
    ("value", "rivals", "ahead", "named"),
    [
        (0.35, (None, None), True, False),
        (0.37, (None, None), False, True),  # its interval overlaps
        # The paired difference on the same items knows more than the two intervals.
        (0.37, ([], [1, 1]), True, False),
        (0.35, (["b/two"], [1, 2]), False, True),
    ],
)
def test_how_sure_the_first_place_is(value: float, rivals: tuple, ahead: bool, named: bool) -> None:
    more = None if rivals[0] is None else [7] * len(rivals[0])
    first = make_row(
        "a/one", 0.4, 1, undecided_with=rivals[0], more_papers_needed=more, rank_interval=rivals[1]
    )
    said = sureness([first, make_row("b/two", value, 2)])
    assert ("b/two" in said, "Ahead" in said or "overlaps with no other" in said) == (named, ahead)


def test_a_better_one_without_a_rank_is_named_beside_the_best() -> None:
    found = board_of(make_row("a/one", 0.4, 1), make_row("z/other", 0.9, None))
    assert (found.best or {})["model"] == "a/one"
    assert (found.above or {})["model"] == "z/other"


def test_a_floor_never_leads() -> None:
    rows = [
        make_row("none", 0.5, 1, method="null", rank_interval=[1, 1]),
        make_row("a/one", 0.4, 2, rank_interval=[2, 2]),
        make_row("none", 0.3, 3, method="random", rank_interval=[3, 3]),
    ]
    assert (board_of(*rows).best or {})["model"] == "a/one"
    assert not any(cell and cell.may_lead for line in lines(*rows).values() for cell in line.cells)


def test_a_contestant_alone_is_not_called_the_best() -> None:
    alone = make_row("a/one", 0.0, 1, rank_interval=[1, 1])
    site = site_of(make_board(alone, make_row("b/unranked", 0.0)))
    ((_, _, shown),) = courses_of(site).rows
    assert "no other contestant" in str(shown)
    assert not any(cell and cell.may_lead for line in lines(alone).values() for cell in line.cells)


def test_the_matrix_has_price_valid_answers_and_who_may_be_best() -> None:
    rows = [
        make_row("a/one", 0.4, 1, rank_interval=[1, 1], cost=0.24),
        make_row("b/two", 0.3, 2, rank_interval=[2, 3], valid=0.9),
        make_row("none", 0.1, 3, method="null", rank_interval=[2, 3]),
    ]
    # $0.24 for 120 answers is 0.002 an answer. Surely better than both others, and than none.
    assert {
        name: (line.price, facts_of(line)["Valid"], line.cells[0].shade, line.cells[0].may_lead)
        for name, line in lines(*rows).items()
        if line.cells[0]
    } == {
        "a/one": (0.002, "100%", 4, True),
        "b/two": (None, "90%", 0, False),
        "null": (None, "100%", 0, False),
    }


def test_equal_contestants_may_all_lead_and_are_surely_better_than_nobody() -> None:
    rows = [
        make_row(f"a/m{number}", 0.3 + number / 100, 7 - number, rank_interval=[1, 6])
        for number in range(1, 7)
    ]
    cells = [cell for line in lines(*rows).values() for cell in line.cells if cell]
    assert {(cell.may_lead, cell.shade) for cell in cells} == {(True, 0)}


def test_trust_is_summed_over_the_tasks_of_a_contestant() -> None:
    exposure = {"cutoff": "2026-02", "items": {"clean": 90, "seen": 20, "near_cutoff": 10}}
    about = {"contamination": "mixed", "exposure": exposure}
    rows = [
        make_row("a/one", 0.4, 1, task=f"vivavoce/{task}", valid=valid, judge=judge, **about)
        for task, valid, judge in (("title", 1.0, None), ("abstract", 0.5, "a/judge"))
    ]
    line = lines(*rows)["a/one"]
    # 240 answers, 180 of them valid; 180 of 240 items clean; one judged task, by nobody checked.
    names = ("Valid", "Seen before", "Judge calibrated")
    assert [facts_of(line)[name] for name in names] == ["75%", "25%", "0 of 1"]
    assert line.cutoff == "2026-02"


def test_settings_of_all_are_named_once_and_differences_in_their_rows() -> None:
    same = [make_row("a/one", 0.4, 1), make_row("b/two", 0.3, 2)]
    shared = ("temperature 0", "max tokens 64", "prompt 9f2c41d0")
    assert section(*same).shared == shared
    warm = section(same[0], make_row("a/one", 0.3, 2, decoding="temperature=1"))
    assert [entry.details for entry in warm.entries] == [
        ("direct", "temperature 0", "max tokens 64"),
        ("direct", "temperature 1"),
    ]


def test_what_an_answer_used_is_a_mean_over_answers() -> None:
    # 120 items answered twice: 240 answers; 480,000 / 240 = 2,000 and 0.6 / 240 = 0.0025.
    used = {"tokens": 480_000, "cost": 0.6, "seconds": 360.0, "answers": 240}
    row = make_row("a/one", 0.4, 1, **used)
    shown = {column.name: fact(row, column) for column in section(row).facts}
    assert {name: shown[name] for name in ("n", "valid", "tokens", "cost", "seconds")} == {
        "n": "120",
        "valid": "100%",
        "tokens": "2,000",
        "cost": "0.0025",
        "seconds": "1.50",
    }


def test_figures_are_rounded_without_inventing_zeros_or_full_shares() -> None:
    assert [figure(x) for x in (0.0, 0.4125, 1.0, -0.25, 0.0002, -0.0002, 86.53)] == [
        "0.000",
        "0.412",  # half to even: 0.4125 is stored as 0.41249999…
        "1.000",
        "−0.250",
        "<0.001",
        ">−0.001",
        "86.5",
    ]
    assert interval((-0.1, 0.2)) == "−0.100 to 0.200"
    assert [share(x) for x in (1.0, 0.57, 0.9996, 0.0)] == ["100%", "57%", "99.9%", "0%"]


@given(st.text())
def test_visible_text_has_no_hidden_characters_and_encodes(text: str) -> None:
    shown = visible(text, limit=None)
    shown.encode("utf-8")
    assert shown.isprintable() or any(char.isspace() for char in shown)
    assert not set("\u202a\u202b\u202d\u202e\u2066\u2067\u200b\ufeff\x00\n") & set(shown)
