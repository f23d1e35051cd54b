"""Numbers and roles of headings."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.records import SECTION_ROLES
from vivavoce.text.headings import is_heading_text, role_of_heading, split_heading


@pytest.mark.parametrize(
    ("heading", "label", "number", "text"),
    [
        ("Introduction", "1", "1", "Introduction"),
        ("3.2. Training", None, "3.2", "Training"),
        ("3.2.1  Early\nstopping", None, "3.2.1", "Early stopping"),
        ("IV. Results", None, "IV", "Results"),
        ("II-A Data", None, "II-A", "Data"),
        ("A Study of Attention", None, None, "A Study of Attention"),
        ("Appendix A Proofs", None, "A", "Proofs"),
        ("Appendix C", None, "C", "Appendix"),
        ("Section 2: Data", None, "2", "Data"),
        ("3D reconstruction", None, None, "3D reconstruction"),
        ("2016 in review", None, None, "2016 in review"),
        ("Results", "•", None, "Results"),
    ],
)
def test_a_heading_parts_into_number_and_text(
    heading: str, label: str | None, number: str | None, text: str
) -> None:
    assert split_heading(heading, label) == (number, text)


@pytest.mark.parametrize(
    "text",
    [
        "Model",
        "INTRODUCTION",
        "I N T R O D U C T I O N",
        "R ELATED W ORK",
        "“Why” questions",
        "Résumé des résultats",
        "方法与实验设置结果",
    ],
)
def test_words_can_head_a_section(text: str) -> None:
    assert is_heading_text(text)


@pytest.mark.parametrize(
    "text", ["28", "===", "Table 7.", "w 0 w 1 w 2 w 3", "I n t e n t", "• Output Answer"]
)
def test_debris_does_not_head_a_section(text: str) -> None:
    assert not is_heading_text(text)


ROLES = {
    "abstract": ["Abstract", "ABSTRACT."],
    "introduction": [
        "Introduction",
        "I N T R O D U C T I O N",
        "Introduction and Related Work",
        "INTRO- DUCTION",
    ],
    "related_work": [
        "Related Work",
        "2 R ELATED W ORK",
        "Background and Related Work",
        "State of the Art",
        "Related Work on Deep Recurrent Transitions",
        "Relation to Prior Work",
    ],
    "background": ["Background", "Notation", "Background: Memory Networks"],
    "method": ["Method", "The Proposed Method", "Our Joint Model", "METHOD AND DATA"],
    "experiments": [
        "Experiments",
        "Experiments and Results",
        "Implementation Details",
        "Experimental Setup Datasets",
    ],
    "results": ["Results", "Experimental Results", "Results and Discussion", "Error Analysis"],
    "discussion": ["Discussion", "Limitations"],
    "conclusion": [
        "Conclusion",
        "Conclusions and Future Work",
        "C ONCLUSION AND F UTURE W ORK",
        "Results, Discussion, and Conclusion",
        "Summary",
    ],
    "acknowledgements": ["Acknowledgements", "Acknowledgments and Disclosure of Funding"],
    "references": ["References", "Bibliography", "References and Notes"],
    "appendix": ["Appendix", "Appendix A: Proofs", "Supplemental Material"],
}


@pytest.mark.parametrize(
    ("heading", "role"), [(heading, role) for role, found in ROLES.items() for heading in found]
)
def test_a_heading_tells_its_role(heading: str, role: str) -> None:
    assert role_of_heading(heading) == role


@given(st.text(max_size=300))
def test_any_text_has_a_known_role_or_none(heading: str) -> None:
    assert role_of_heading(heading) in {None, *SECTION_ROLES}
    number, text = split_heading(heading)
    assert number is not None or text == " ".join(heading.split())


@given(st.sampled_from(sorted(ROLES)), st.data(), st.integers(1, 12))
def test_number_and_case_do_not_change_a_role(role: str, data: st.DataObject, number: int) -> None:
    heading = ROLES[role][0]
    changed = data.draw(st.sampled_from([heading.upper(), heading.lower(), heading.title()]))
    assert role_of_heading(f"{number}. {changed}") == role


def test_statements_about_data_and_code_are_no_experiments() -> None:
    assert role_of_heading("Data and code availability") is None
