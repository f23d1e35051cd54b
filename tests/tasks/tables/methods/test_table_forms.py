"""Tables as models give them: every form reads as the one that was asked for."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.tasks.tables.replies import UnusableReply, read_table

TITLES = {"P1": "Trees", "P2": "Roads"}
ASKED = {
    "papers": ["P1", "P2"],
    "columns": ["Data", "F1"],
    "rows": [
        {"paper": "P1", "cells": {"Data": "birds", "F1": "9"}},
        {"paper": "P2", "cells": {"Data": "maps", "F1": "8"}},
    ],
}
WHOLE = read_table(json.dumps(ASKED), TITLES)
LISTS = [["birds", "9"], ["maps", "8"]]
FLAT = [{"paper": "P1", "Data": "birds", "F1": "9"}, {"Paper": "P2", "Data": "maps", "F1": "8"}]
BY_PAPER = {"P1": {"Data": "birds", "F1": "9"}, "P2": {"Data": "maps", "F1": "8"}}


@pytest.mark.parametrize(
    "form",
    [
        ASKED | {"rows": LISTS},
        {"columns": ["Data", "F1"], "rows": [["P1", "birds", "9"], ["P2", "maps", "8"]]},
        {"columns": ["Paper", "Data", "F1"], "rows": [["P1", "birds", "9"], ["P2", "maps", "8"]]},
        {"rows": FLAT},
        FLAT,
        {"rows": BY_PAPER},
        BY_PAPER,
        {"table": ASKED},
        {"table": FLAT},
        {"papers": ["P1", "P2"], "table": {"columns": ["Data", "F1"], "rows": LISTS}},
        ASKED | {"rows": [{"paper": "P1", "cells": LISTS[0]}, {"paper": "P2", "cells": LISTS[1]}]},
        ASKED
        | {"rows": [{"id": "P1", "cells": BY_PAPER["P1"]}, {"label": "P2", **BY_PAPER["P2"]}]},
    ],
)
def test_a_form_reads_as_the_one_that_was_asked_for(form: object) -> None:
    assert read_table(json.dumps(form), TITLES) == WHOLE
    assert read_table(f"Here it is:\n```json\n{json.dumps(form, indent=1)}\n```\n", TITLES) == WHOLE


def test_commas_before_a_bracket_do_no_harm() -> None:
    text = json.dumps(ASKED).replace("}", ",}").replace("]", ",]").replace('"birds"', '"a,] b,}"')
    found = read_table(text, TITLES)
    assert [row.cells for row in found.rows] == [("a,] b,}", "9"), ("maps", "8")]


def test_an_answer_that_was_cut_counts_as_far_as_it_goes() -> None:
    text = json.dumps(ASKED)
    found = read_table(text[: text.index('"maps"') + 3], TITLES)
    assert found.columns == ("Data", "F1")
    # The value in the middle of which it was cut is none.
    assert [(row.paper, row.cells) for row in found.rows] == [
        ("P1", ("birds", "9")),
        ("P2", (None, None)),
    ]


@given(st.integers(0, len(json.dumps(ASKED))))
def test_wherever_an_answer_is_cut_nothing_is_made_up(place: int) -> None:
    try:
        found = read_table(json.dumps(ASKED)[:place], TITLES)
    except UnusableReply:
        return
    known = {(row.paper, cell) for row in WHOLE.rows for cell in row.cells}
    assert {(row.paper, cell) for row in found.rows for cell in row.cells if cell} <= known
    assert set(found.papers) <= set(WHOLE.papers)


@pytest.mark.parametrize(
    "answer",
    [
        '{"columns": {"F1": {"P1": "9"}}}',
        '{"rows": [["birds", "9"]]}',
        '{"rows": [{"F1": "9"}]}',
        '[{"F1": "9"}]',
        "[1, 2",
        "No table.",
    ],
)
def test_what_names_no_paper_is_no_table(answer: str) -> None:
    with pytest.raises(UnusableReply):
        read_table(answer, TITLES)
