"""What is written of a paper and what it is written from."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from vivavoce.records import Section
from vivavoce.tasks.writing.inputs import (
    SECTION_TASKS,
    PaperText,
    gold,
    gold_paragraphs,
    paper_from_row,
    row_of_paper,
    settings_of,
    slots,
)

LONG = "one two three four five six seven eight"


def sections(*rows: tuple[int, str, str, str]) -> tuple[Section, ...]:
    """Sections from (level, role, heading, text), numbered from 1."""
    return tuple(
        Section(n, level, heading or None, role, text, str(n + 1))
        for n, (level, role, heading, text) in enumerate(rows)
    )


WHOLE = sections(
    (1, "abstract", "Abstract", "In short."),
    (1, "introduction", "Introduction", "We begin.\n\nThen we go on."),
    (2, "introduction", "Outline", "The rest follows."),
    (2, "related_work", "Earlier Work", "Others did this."),
    (1, "method", "Method", "We do that."),
    (1, "conclusion", "Conclusion", "We end."),
    (1, "acknowledgements", "Thanks", "We thank."),
    (1, "references", "References", "A list."),
    (1, "appendix", "Proofs", "We prove."),
)
PAPER = PaperText("p", "2024-01-02", "The Title", "The abstract.", WHOLE)


def main_body(task: str, parts: tuple[Section, ...]) -> str:
    """Input of the setting `base` for a paper with these sections."""
    return slots(task, "base", replace(PAPER, sections=parts))["content"]


def other_sections(task: str, parts: tuple[Section, ...]) -> str:
    """Input of the setting `leave_one_out` for a paper with these sections."""
    return slots(task, "leave_one_out", replace(PAPER, sections=parts))["content"]


def test_a_section_of_another_number_is_no_subsection_where_a_heading_was_lost() -> None:
    # 2 has lost its heading, as it happens in a parse of a PDF: 2.1 follows 1.1 at once.
    parsed = tuple(
        Section(n, number.count(".") + 1, heading, role, text, number)
        for n, (number, heading, role, text) in enumerate(
            [
                ("1", "Introduction", "introduction", "We begin."),
                ("1.1", "Outline", "introduction", "The rest follows."),
                ("2.1", "Softmax", "other", "We do that."),
                ("3", "Related Work", "related_work", "Others did this."),
                ("10.1", "Lost", "other", "They did not."),
            ]
        )
    )
    assert gold("introduction", "T", "A", parsed) == "\n\n".join(
        ["We begin.", "1.1 Outline", "The rest follows."]
    )
    assert gold("related_work", "T", "A", parsed) == "Others did this."
    assert "2.1 Softmax\n\nWe do that." in main_body("introduction", parsed)


def test_a_section_comes_with_its_subsections_but_without_its_own_heading() -> None:
    assert gold("introduction", "T", "A", WHOLE) == "\n\n".join(
        ["We begin.", "Then we go on.", "3 Outline", "The rest follows.", "4 Earlier Work",
         "Others did this."]
    )  # fmt: skip
    assert gold("related_work", "T", "A", WHOLE) == "Others did this."
    assert gold("title", "T", "A", WHOLE) == "T"
    assert gold("abstract", "T", "A", WHOLE) == "A"


def test_two_sections_of_one_role_are_one_gold() -> None:
    two = sections(
        (1, "related_work", "Related Work", "First."),
        (1, "method", "Method", "We do."),
        (1, "related_work", "Further Work", "Second."),
    )
    assert gold("related_work", "T", "A", two) == "First.\n\nSecond."
    assert main_body("related_work", two) == "2 Method\n\nWe do."


def test_the_main_body_is_what_the_paper_says_between_its_ends() -> None:
    assert main_body("title", WHOLE).split("\n\n") == [
        "2 Introduction", "We begin.", "Then we go on.", "3 Outline", "The rest follows.",
        "4 Earlier Work", "Others did this.", "5 Method", "We do that.", "6 Conclusion", "We end.",
    ]  # fmt: skip
    assert "We end." not in main_body("abstract", WHOLE)
    assert main_body("introduction", WHOLE) == "5 Method\n\nWe do that.\n\n6 Conclusion\n\nWe end."
    assert "Others did this." not in main_body("related_work", WHOLE)
    assert "We begin." in main_body("related_work", WHOLE)


def test_leave_one_out_is_every_other_section_but_the_list_of_references() -> None:
    rest = other_sections("abstract", WHOLE)
    for text in ("We begin.", "We end.", "We thank.", "We prove."):
        assert text in rest
    assert "A list." not in rest
    assert "In short." not in rest
    assert "We prove." in other_sections("introduction", WHOLE)
    assert "We begin." not in other_sections("introduction", WHOLE)


def test_a_paragraph_of_the_gold_is_shown_nowhere_else_either() -> None:
    paper = sections(
        (1, "introduction", "Introduction", f"{LONG}.\n\nShort one."),
        (1, "method", "Method", f"{LONG.upper()}!\n\nAnother thing.\n\nSHORT ONE"),
        (1, "results", "Results", f"As said: {LONG}; so it is."),
        (1, "discussion", "Discussion", "A short one. It stays."),
    )
    # A paragraph of eight words is found inside others too; a shorter one only as a whole.
    assert main_body("introduction", paper).split("\n\n") == [
        "2 Method", "Another thing.", "4 Discussion", "A short one. It stays.",
    ]  # fmt: skip
    assert LONG in main_body("title", paper)


def test_a_heading_without_text_of_its_own_stays() -> None:
    paper = sections((1, "introduction", "Introduction", "Gold."), (1, "method", "Method", ""),
                     (2, "method", "Part", "Detail."))  # fmt: skip
    assert main_body("introduction", paper) == "2 Method\n\n3 Part\n\nDetail."


def test_a_paper_survives_its_row() -> None:
    assert paper_from_row(row_of_paper(PAPER)) == PAPER


PARAGRAPHS = st.lists(
    st.sampled_from([LONG, "a b", "c", f"{LONG} nine", "x y z", "Größe, ja", "it is so"]),
    min_size=1,
    max_size=3,
).map("\n\n".join)
ROLES = st.sampled_from(["introduction", "related_work", "method", "appendix", "conclusion"])


@given(st.lists(st.tuples(st.integers(1, 3), ROLES, PARAGRAPHS), min_size=1, max_size=6))
def test_no_paragraph_of_a_gold_section_is_in_its_input(rows: list[tuple[int, str, str]]) -> None:
    paper = PaperText(
        "p", "2024", "T", "A", sections(*((level, role, "", text) for level, role, text in rows))
    )
    for task in SECTION_TASKS:
        own = set(gold_paragraphs(task, paper.sections))
        for setting in settings_of(task):
            shown = slots(task, setting, paper).get("content", "")
            assert not own & set(shown.split("\n\n"))
            if LONG in own:
                assert LONG not in shown
