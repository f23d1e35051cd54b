"""Roles over the whole list of a paper's sections."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from vivavoce.corpus.fields import assign_roles
from vivavoce.records import SECTION_ROLES, Section


def section(line: str, role: str | None = None) -> Section:
    """`2.1 Data` is a section of level 2 numbered 2.1; `- Data` is one of level 1, unnumbered."""
    number, _, heading = line.partition(" ")
    level = number.count(".") + 1 if number.strip("-") else len(number)
    return Section(0, level, heading or None, role, "Text.", number if number.strip("-") else None)


def roles(*lines: str) -> list[str | None]:
    return [found.role for found in assign_roles([section(line) for line in lines])]


def test_headings_tell_the_roles_of_a_plain_paper() -> None:
    paper = ["1 Introduction", "2 Related Work", "3 Method", "4 Experiments", "5 Conclusion"]
    expected = ["introduction", "related_work", "method", "experiments", "conclusion"]
    assert roles(*paper) == expected


def test_a_subsection_takes_the_role_of_the_section_around_it() -> None:
    found = roles("1 Related Work", "1.1 Graphs", "1.1.1 Trees", "2 Why", "2.1 Because")
    assert found == ["related_work", "related_work", "related_work", "other", "other"]


def test_a_subsection_with_its_own_role_keeps_it() -> None:
    found = roles("1 Introduction", "1.1 Related Work", "2 Experiments", "2.1 Results")
    assert found == ["introduction", "related_work", "experiments", "results"]


def test_everything_inside_the_conclusion_is_conclusion() -> None:
    assert roles("5 Conclusion", "5.1 Limitations", "5.2 Data", "5.2.1 More") == ["conclusion"] * 4


def test_the_role_given_by_the_source_stays() -> None:
    done = assign_roles([section("1 Introduction", "background"), section("2 Data", "appendix")])
    assert [found.role for found in done] == ["background", "appendix"]


def test_a_summary_inside_related_work_is_not_the_conclusion() -> None:
    found = roles("4 Related Work", "4.1 Summary", "5 Conclusion")
    assert found == ["related_work", "related_work", "conclusion"]


def test_the_only_conclusion_may_be_a_subsection() -> None:
    assert roles("5 Discussion", "5.1 Conclusion") == ["discussion", "conclusion"]


def test_after_an_appendix_heading_all_is_appendix_but_end_matter() -> None:
    found = roles("- Appendix", "- Results", "- Acknowledgements", "- Method", "- References")
    assert found == ["appendix", "appendix", "acknowledgements", "appendix", "references"]


def test_letters_after_the_last_number_start_the_appendix() -> None:
    found = roles("1 Introduction", "2 Discussion", "A Data", "A.1 Sources", "- Samples")
    assert found == ["introduction", "discussion", "appendix", "appendix", "appendix"]


def test_letters_after_an_unnumbered_conclusion_start_the_appendix() -> None:
    assert roles("- Introduction", "- Conclusion", "B Proofs")[-1] == "appendix"


def test_the_fifth_roman_section_is_no_appendix() -> None:
    paper = ["II Data", "III Method", "IV Conclusion", "V Acknowledgment"]
    assert roles(*paper)[-1] == "acknowledgements"
    assert roles("II Data", "III Conclusion", "V Ethics") == ["experiments", "conclusion", "other"]


def test_letters_between_numbers_are_parts_of_a_section() -> None:
    parts = [section("4 Experiments"), Section(0, 2, "Speed", None, "", "A"), section("5 Summary")]
    assert [found.role for found in assign_roles(parts)] == [
        "experiments",
        "experiments",
        "conclusion",
    ]


def test_numbers_that_start_over_after_the_conclusion_are_appendix() -> None:
    found = roles("1 Introduction", "2 Conclusion", "1 Data", "2 Results")
    assert found == ["introduction", "conclusion", "appendix", "appendix"]


def test_a_subsection_whose_section_was_lost_does_not_join_the_one_before() -> None:
    found = roles("1 Introduction", "2.1 Encoder", "2.2 Decoder")
    assert found == ["introduction", "other", "other"]


def test_a_table_header_after_the_conclusion_is_not_the_method() -> None:
    found = roles("1 Introduction", "2 Conclusion", "- Model", "- Limitations")
    assert found == ["introduction", "conclusion", "other", "discussion"]


def test_a_text_without_headings_is_other() -> None:
    assert roles("-") == ["other"]


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
