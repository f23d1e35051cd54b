"""Changes as models write them, answers on the way to a table, and what is wrong with either."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vivavoce.metrics.tables.literature_tables import TableRow
from vivavoce.tasks.tables.item import answer_text
from vivavoce.tasks.tables.replies import (
    MAX_ENTRIES,
    Cells,
    Digest,
    Operations,
    Outline,
    SinglePaper,
    Unsupported,
    UnusableReply,
    apply_operations,
    read_table,
)
from vivavoce.tasks.tables.working_table import WorkingTable

READERS: list[Callable[[str], Any]] = [
    *(kind.read for kind in (Operations, Outline, Cells, SinglePaper, Unsupported, Digest)),
    lambda answer: read_table(answer, {"P1": "Trees"}),
]


def table(**rows: dict[str, str | None]) -> WorkingTable:
    made = WorkingTable(["P1", "P2", "P3"])
    for paper, cells in rows.items():
        made.set_row(paper, cells)
    return made


def rows_of(made: WorkingTable) -> dict[str, dict[str, str]]:
    return {paper: made.cells(paper) for paper in made.papers}


def test_an_answer_is_read_part_by_part() -> None:
    answer = """P1 fits, as {it} says.
    {"include": ["P1", 2], "exclude": "P3", "add": ["F1"], "drop": [], "rename": {"A": "B"},
     "rows": {"P1": {"F1": 91.5, "B": ["x", "y"], "Open": true, "Year": null}}}"""
    assert Operations.read(answer) == Operations(
        include=("P1", "2"),
        exclude=("P3",),
        add=("F1",),
        rename={"A": "B"},
        rows={"P1": {"F1": "91.5", "B": "x, y", "Open": "yes", "Year": None}},
    )


def test_rows_may_be_a_list() -> None:
    answer = '{"rows": [{"paper": "P1", "cells": {"A": "x"}}, {"paper": 2}]}'
    assert Operations.read(answer).rows == {"P1": {"A": "x"}, "2": {}}


def test_an_empty_object_changes_nothing() -> None:
    assert Operations.read("Nothing to do.\n```json\n{}\n```") == Operations()
    assert apply_operations(Operations(), table())[0] is False


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        ("I would include P1.", "no JSON object"),
        ('{"include": {"P1": true}}', "include.0: Input should be a valid string"),
        ('{"rename": ["A", "B"]}', "rename: Input should be a valid dict"),
        ('{"rows": "P1"}', "rows: Input should be a valid dict"),
        ('{"rows": ["P1"]}', "rows.0: "),
        ('{"rows": {"P1": "x"}}', "rows.P1: Input should be a valid dict"),
        ('{"rows": {"P1": {"A": {"B": 1}}}}', "A cell of a table must be"),
        (json.dumps({"add": ["A"] * (MAX_ENTRIES + 1)}), "at most 200"),
        (
            json.dumps({"rows": {"P1": {str(n): n for n in range(MAX_ENTRIES + 1)}}}),
            "at most 200",
        ),
        ('{"rows": [' + '{"paper": 1},' * 999 + '{"paper": 2}]}', None),
        ("[" * 100_000, "no JSON object"),
        ('{"add": ["A"], "x": ' + "[" * 50 + "]" * 50 + "}", "no JSON object"),
    ],
)
def test_what_cannot_be_read_is_reported(answer: str, fault: str | None) -> None:
    if fault is None:  # rows of one paper are one row
        assert len(Operations.read(answer).rows) == 1
        return
    with pytest.raises(UnusableReply, match=fault):
        Operations.read(answer)


def test_changes_are_carried_out_in_one_order() -> None:
    made = table(P1={"Old": "1", "Gone": "2"}, P3={"Old": "3"})
    operations = Operations(
        include=("P2",),
        exclude=("P3",),
        add=("New",),
        drop=("Gone",),
        rename={"Old": "Name"},
        rows={"P1": {"New": "n"}, "P2": {"name": "4"}},
    )
    changed, faults = apply_operations(operations, made)
    assert changed
    assert faults == []
    assert made.columns == ("Name", "New")
    assert rows_of(made) == {"P1": {"Name": "1", "New": "n"}, "P2": {"Name": "4"}}


def test_a_faulty_change_is_left_out_and_the_others_are_made() -> None:
    made = table(P1={"A": "1"})
    operations = Operations(
        include=("P2", "P9"),
        exclude=("P2", "P8"),
        drop=("B",),
        rename={"C": "D"},
        rows={"P7": {"A": "7"}, "P3": {"": "x", "A": "3"}},
    )
    changed, faults = apply_operations(operations, made)
    assert changed
    assert faults == [
        'There is no paper "P8" in the pool.',
        'There is no column "B" in the table.',
        'There is no column "C" in the table.',
        "Paper P2 is excluded and included at once.",
        'There is no paper "P9" in the pool.',
        'There is no paper "P7" in the pool.',
        "A column needs a name.",
    ]
    assert rows_of(made) == {"P1": {"A": "1"}, "P3": {"A": "3"}}


def test_only_papers_that_were_shown_may_be_changed() -> None:
    made = table(P1={"A": "1"}, P2={"A": "2"})
    operations = Operations(
        include=("P3",), exclude=("P1",), rows={"P1": {"A": "x"}, "P2": {"A": "y"}}
    )
    _, faults = apply_operations(operations, made, {"P2"})
    assert rows_of(made) == {"P1": {"A": "1"}, "P2": {"A": "y"}}
    assert faults == [
        "Paper P1 was not shown.",
        "Paper P3 was not shown.",
        "Paper P1 was not shown.",
    ]


def test_faults_are_bounded() -> None:
    changed, faults = apply_operations(Operations(include=("P9",) * 100), table())
    assert len(faults) == 20
    assert not changed


def test_a_finished_table_is_what_the_task_asks_for() -> None:
    made = table(P2={"A": "1", "B": None})
    made.include("P1")
    answer = answer_text(made.as_table())
    assert json.loads(answer) == {
        "papers": ["P1", "P2"],
        "columns": ["A", "B"],
        "rows": [{"paper": "P1", "cells": {}}, {"paper": "P2", "cells": {"A": "1"}}],
    }
    assert read_table(answer, {"P1": "", "P2": "", "P3": ""}) == made.as_table()


def test_a_table_in_markdown_is_read_too_and_may_name_titles() -> None:
    found = read_table("Here:\n\n| Paper | F1 |\n|---|---|\n| Trees | 9 |\n", {"P1": "Trees"})
    assert found.rows == (TableRow("P1", ("9",)),)


def test_small_answers_are_read() -> None:
    outline = Outline.read('{"papers": ["P1", 2], "columns": "F1"}')
    assert (outline.papers, outline.columns) == (("P1", "2"), ("F1",))
    assert SinglePaper.read('{"include": true, "cells": {"F1": 9}}').cells == {"F1": "9"}
    assert SinglePaper.read('{"include": true}').cells == {}
    assert not SinglePaper.read('{"include": false, "cells": {"F1": 9}}').include
    assert Cells.read('{"cells": {"A": null}}').cells == {"A": None}
    assert Unsupported.read('{"unsupported": []}').unsupported == ()
    assert Digest.read('Thus: {"digest": " Trees. "}').digest == "Trees."


@pytest.mark.parametrize(
    ("read", "answer"),
    [
        (Outline.read, '{"papers": ["P1"]}'),
        (SinglePaper.read, '{"include": "yes"}'),
        (Cells.read, '{"cells": ["A"]}'),
        (Unsupported.read, '{"unsupported": {"A": 1}}'),
        (Digest.read, '{"digest": " "}'),
        *(
            (READERS[-1], answer)
            for answer in (
                '{"columns": {"F1": {"P1": "9"}}}',
                '{"rows": [["birds", "9"]]}',
                '{"rows": [{"cells": {}}]}',
                '[{"F1": "9"}]',
                "[1, 2",
                "No table.",
            )
        ),
    ],
)
def test_small_answers_of_another_form_are_reported(
    read: Callable[[str], Any], answer: str
) -> None:
    with pytest.raises(UnusableReply):
        read(answer)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from([*"AB", "paper", "cells", "rows", "columns", "papers", "P1"]),
            inner,
            max_size=3,
        )
    ),
    max_leaves=8,
)
_KEYS = "include exclude add drop rename rows papers columns cells unsupported digest".split()


@settings(deadline=None, max_examples=50)
@given(st.dictionaries(st.sampled_from(_KEYS), _JSON, max_size=4), st.sampled_from(READERS))
def test_no_answer_is_worse_than_a_fault(value: dict[str, Any], read: Callable[[str], Any]) -> None:
    try:
        found = read(json.dumps(value))
    except UnusableReply:
        return
    if isinstance(found, Operations):
        made = table()
        apply_operations(found, made)
        json.loads(answer_text(made.as_table()))


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
