"""Roles over the whole list of a paper's sections, and quality gates at their bounds."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.corpus.fields import GATES, assign_roles, failed_gates
from vivavoce.records import SECTION_ROLES, Section

INTRODUCTION, METHOD, CONCLUSION, OTHER = "introduction", "method", "conclusion", "other"


def section(line: str, role: str | None = None) -> Section:
    """`2.1 Data` is a section of level 2 numbered 2.1; `- Data` is one of level 1, unnumbered."""
    number, _, heading = line.partition(" ")
    level = number.count(".") + 1 if number.strip("-") else len(number)
    return Section(0, level, heading or None, role, "Text.", number if number.strip("-") else None)


@pytest.mark.parametrize(
    ("lines", "roles"),
    [
        # Headings tell the roles of a plain paper.
        (
            "1 Introduction, 2 Related Work, 3 Method, 4 Experiments, 5 Conclusion",
            [INTRODUCTION, "related_work", METHOD, "experiments", CONCLUSION],
        ),
        # A subsection takes the role of the section around it, unless it has its own.
        ("1 Related Work, 1.1 Graphs, 1.1.1 Trees", ["related_work"] * 3),
        ("2 Why, 2.1 Because", [OTHER] * 2),
        ("1 Introduction, 1.1 Related Work", [INTRODUCTION, "related_work"]),
        ("5 Conclusion, 5.1 Limitations, 5.2 Data, 5.2.1 More", [CONCLUSION] * 4),
        # A summary inside related work is not the conclusion, which may be a subsection.
        ("4 Related Work, 4.1 Summary, 5 Conclusion", ["related_work", "related_work", CONCLUSION]),
        ("5 Discussion, 5.1 Conclusion", ["discussion", CONCLUSION]),
        # After an appendix heading all is appendix but end matter.
        (
            "- Appendix, - Results, - Acknowledgements, - Method, - References",
            ["appendix", "appendix", "acknowledgements", "appendix", "references"],
        ),
        # The only Methods are methods behind an appendix too; a second one is part of it.
        (
            "- Introduction, - Appendix, - Methods, -- Subjects",
            [INTRODUCTION, "appendix", METHOD, METHOD],
        ),
        (
            "- Results, - Supplementary material, - STAR★Methods, -- Subjects",
            ["results", "appendix", METHOD, METHOD],
        ),
        ("- Method, - Appendix, - Methods", [METHOD, "appendix", "appendix"]),
        (
            "1 Introduction, 2 Results, A Proofs, - Results, - Methods, -- Subjects",
            [INTRODUCTION, "results", "appendix", "appendix", METHOD, METHOD],
        ),
        # So are methods lettered like the appendix around them.
        (
            "1 Introduction, A Proofs, B Online Methods, B.1 Traps, C Maps",
            [INTRODUCTION, "appendix", METHOD, METHOD, "appendix"],
        ),
        (
            "1 Introduction, 2 Method, A Proofs, B Methods",
            [INTRODUCTION, METHOD, "appendix", "appendix"],
        ),
        ("1 Introduction, A Proofs, B Model Design", [INTRODUCTION, "appendix", "appendix"]),
        # A summary before the rest of a paper is no conclusion, whatever follows.
        ("- Summary, - Background, - Summary", [OTHER, "background", CONCLUSION]),
        ("- Summary, - Eels in Ponds, - Herons", [OTHER] * 3),
        ("- Summary, - Acknowledgements", [CONCLUSION, "acknowledgements"]),
        # Letters after the last number, or after an unnumbered conclusion, start the appendix.
        (
            "1 Introduction, 2 Discussion, A Data, A.1 Sources, - Samples",
            [INTRODUCTION, "discussion", *["appendix"] * 3],
        ),
        ("- Introduction, - Conclusion, B Proofs", [INTRODUCTION, CONCLUSION, "appendix"]),
        # The fifth Roman section is no appendix.
        ("III Method, IV Conclusion, V Acknowledgment", [METHOD, CONCLUSION, "acknowledgements"]),
        ("II Data, III Conclusion, V Ethics", ["experiments", CONCLUSION, OTHER]),
        # Numbers that start over after the conclusion are appendix.
        (
            "1 Introduction, 2 Conclusion, 1 Data, 2 Results",
            [INTRODUCTION, CONCLUSION, "appendix", "appendix"],
        ),
        # A subsection whose section was lost does not join the one before.
        ("1 Introduction, 2.1 Encoder, 2.2 Decoder", [INTRODUCTION, OTHER, OTHER]),
        # The header of a table after the conclusion is not the method.
        (
            "1 Introduction, 2 Conclusion, - Model, - Limitations",
            [INTRODUCTION, CONCLUSION, OTHER, "discussion"],
        ),
        ("-", [OTHER]),
    ],
)
def test_roles_follow_headings_numbers_and_places(lines: str, roles: list[str]) -> None:
    assert [s.role for s in assign_roles([section(one) for one in lines.split(", ")])] == roles


def test_the_role_given_by_the_source_stays() -> None:
    done = assign_roles([section("1 Introduction", "background"), section("2 Data", "appendix")])
    assert [found.role for found in done] == ["background", "appendix"]


@given(
    st.lists(
        st.builds(
            Section,
            ordinal=st.just(0),
            level=st.integers(1, 4),
            heading=st.none()
            | st.sampled_from(["Introduction", "Model", "Conclusion", "Appendix"]),
            role=st.none() | st.sampled_from(SECTION_ROLES),
            text=st.just(""),
            number=st.none() | st.sampled_from(["1", "2", "2.1", "A", "A.1", "IV"]),
        ),
        max_size=12,
    )
)
def test_every_section_gets_one_known_role_and_nothing_else_changes(paper: list[Section]) -> None:
    done = assign_roles(paper)
    assert [s.role in SECTION_ROLES for s in done] == [True] * len(paper)
    assert [s.text + str(s.heading) for s in done] == [s.text + str(s.heading) for s in paper]
    assert all(b.role in (None, a.role) for a, b in zip(done, paper, strict=True))
    assert assign_roles(done) == done


def words(count: int) -> str:
    return " ".join(["word"] * count)


def gates(
    title: str | None = "Two words",
    abstract: str | None = words(40),
    published: str | None = "2020",
    texts: tuple[str, ...] = (words(200), words(200)),
) -> tuple[str, ...]:
    sections = [Section(n, 1, None, "other", text) for n, text in enumerate(texts)]
    return failed_gates(title, abstract, published, sections)


@pytest.mark.parametrize(
    ("changed", "failed"),
    [
        ({}, ()),
        # A title has 2 to 40 words.
        ({"title": None}, ("no_title",)),
        ({"title": ""}, ("no_title",)),
        ({"title": "Word"}, ("odd_title",)),
        ({"title": words(40)}, ()),
        ({"title": words(41)}, ("odd_title",)),
        # An abstract has 40 to 600 words.
        ({"abstract": None}, ("no_abstract",)),
        ({"abstract": words(39)}, ("short_abstract",)),
        ({"abstract": words(600)}, ()),
        ({"abstract": words(601)}, ("long_abstract",)),
        # The sections have 400 words together.
        ({"texts": ()}, ("no_text",)),
        ({"texts": (words(200), words(199))}, ("short_text",)),
    ],
)
def test_a_paper_passes_every_gate_or_says_which_not(
    changed: dict[str, Any], failed: tuple[str, ...]
) -> None:
    assert gates(**changed) == failed


def test_a_text_of_which_over_one_percent_cannot_be_decoded_is_garbled() -> None:
    text = words(400)  # 400 words of 4 letters and 399 spaces: 1,999 characters
    assert gates(texts=(text + "\ufffd" * 20,)) == ()  # 20 / 2,019 = 0.99 %
    assert gates(texts=(text + "\ufffd" * 21,)) == ("garbled_text",)  # 21 / 2,020 = 1.04 %
    assert gates(texts=(text.replace("word", "wört"),)) == ()


def test_the_undated_are_reported_and_reasons_stand_in_the_order_of_the_list() -> None:
    failed = gates(title=None, abstract=None, published=None, texts=())
    assert failed == ("no_title", "no_abstract", "no_text", "undated")
    assert set(failed) <= set(GATES)
