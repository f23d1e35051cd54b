"""Roles over the whole list of a paper's sections."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.corpus.fields import assign_roles
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
