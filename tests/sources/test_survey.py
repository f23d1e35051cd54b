"""Surveys in Markdown: sections, tables, lists of references and what tables cite."""

from pathlib import Path

import pytest
from tests.sources.reading import reader, readers_of

from vivavoce.records import Document, Fault
from vivavoce.sources.leaderboards.survey import (
    MarkdownHeading,
    MarkdownTable,
    read_parts,
)
from vivavoce.sources.leaderboards.survey.entries import read_list

PROSE = "this survey looks at many small models and says what each of them can do " * 5
NUMBERED = f"""# Small Models: A Survey

Author One, Institute of A, Country B

**Abstract**—{PROSE}
and goes on after a break of the page.

Keywords: small, models

## 1 Introduction

Models are small [1], [2].

![](picture.jpg)
Fig. 1: A picture.

### 1.1 Scope.

We look at three.

**Table 1:** Models and their sizes [3].

<table><tr><td rowspan="2">Kind</td><td>Model</td><td>Size</td></tr><tr><td>First [1]</td>
<td>7&amp;lt;8</td></tr><tr><td>Others</td><td>[2, 3]</td><td>9</td></tr></table>

## 2 Conclusion

All are small.

## References

[1] A. One and B. Two, "A first small model," in Conf, 2020. 1, 2[2] C. Three. A second small model.
arXiv preprint arXiv:2001.00001, 2021. [3] One D, Two E. A third model: the largest. J 1, 2022.

Author One was born in Country B.
"""
NAMED = """# Named Models

## Abstract

Short as it is, a heading says that this is one.

# Introduction

Text (One et al., 2020).

| Model | Size |
|---|---|
| First (One et al., 2020) | 1 |
| Second (Four and Five, 2021b) | 2 |
| Nobody (Nine, 1999) | 3 |

Table 2. Sizes.

# References

Ann One, Ben Two, and Cid Three. 2020. A first model. In Conf, pages 1-9. Dan Four
and Eve Five. 2021a. Another model. arXiv preprint arXiv:2101.00001. Dan Four and Eve Five. 2021b.
One more model! In Conf.

Fay Six, Gus Seven, et al. A last model, May 2022. URL https://doi.org/10.1234/abc.
"""


read, survey = readers_of("survey", "s.md")


def test_the_first_page_gives_title_and_abstract(tmp_path: Path) -> None:
    found = survey(tmp_path, NUMBERED)
    assert found.title == "Small Models: A Survey"
    assert found.abstract == f"{PROSE.strip()} and goes on after a break of the page."
    named = survey(tmp_path, NAMED)
    assert named.abstract == "Short as it is, a heading says that this is one."
    unlabelled = NUMBERED.replace("**Abstract**—", "")
    assert survey(tmp_path, unlabelled).abstract == found.abstract


def test_sections_have_numbers_levels_and_no_pictures(tmp_path: Path) -> None:
    found = survey(tmp_path, NUMBERED).sections
    assert [(s.level, s.number, s.heading, s.text) for s in found] == [
        (1, "1", "Introduction", "Models are small [1], [2]."),
        (2, "1.1", "Scope", "We look at three."),
        (1, "2", "Conclusion", "All are small."),
    ]
    named = survey(tmp_path, NAMED).sections
    assert [(s.level, s.heading) for s in named] == [(1, "Introduction")]


def test_numbered_entries_are_parted_where_the_numbers_count_up(tmp_path: Path) -> None:
    first, second, third = survey(tmp_path, NUMBERED).references
    assert first.raw == 'A. One and B. Two, "A first small model," in Conf, 2020.'
    assert (first.title, first.year, first.first_author) == ("A first small model", 2020, "A. One")
    assert (second.title, second.year) == ("A second small model", 2021)
    assert second.arxiv_id == "2001.00001"
    assert (third.title, third.first_author) == ("A third model: the largest", "One")


def test_named_entries_are_parted_where_lists_of_names_start(tmp_path: Path) -> None:
    found = survey(tmp_path, NAMED).references
    assert [(r.first_author, r.year, r.title) for r in found] == [
        ("Ann One", 2020, "A first model"),
        ("Dan Four", 2021, "Another model"),
        ("Dan Four", 2021, "One more model!"),
        ("Fay Six", 2022, "A last model"),
    ]
    assert found[3].doi == "10.1234/abc"


def test_tables_have_cells_captions_and_citations(tmp_path: Path) -> None:
    (table,) = survey(tmp_path, NUMBERED).tables
    assert table.caption == "Table 1: Models and their sizes [3]."
    assert table.cells == (
        ("Kind", "Model", "Size"),
        ("Kind", "First [1]", "7<8"),  # the first cell spans two rows
        ("Others", "[2, 3]", "9"),
    )
    assert table.cited == (0, 1, 2)
    (named,) = survey(tmp_path, NAMED).tables
    assert named.caption == "Table 2. Sizes."
    assert named.cells[0] == ("Model", "Size")
    assert named.cited == (0, 2)


def test_what_is_fenced_is_no_heading_and_captions_go_to_one_table() -> None:
    table = "<table><tr><td>a</td></tr></table>"
    parts = read_parts(f"# T\n```\n# no\n```\n{table}\n\nTable 1: One.\n\n{table}")
    assert parts == [
        MarkdownHeading(1, "T"),
        "``` # no ```",
        MarkdownTable((("a",),)),
        MarkdownTable((("a",),), "Table 1: One."),
    ]


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "content",
    [
        "## References\n\n" + "A. B. " * 200_000,
        "## References\n\n" + "Ann Bee, " * 100_000 + "2020. " * 1000,
        "## References\n\n" + "Li- Jia Li, Fei- Fei Li, " * 40_000,
        "## References\n\n" + "".join(f"{n}. Aa. " for n in range(1, 60_000)),
        "## References\n\n" + "[1] " * 200_000,
        "<table>" * 100_000,
        "<table><tr><td colspan=1000>" * 10_000,
        "Table 1\n\n" * 100_000,
        "![" * 200_000,
        "Abstract " * 100_000,
        "*" * 500_000,
        "| a " * 100_000 + "\n" + "| b " * 100_000,
    ],
)
def test_a_hostile_text_is_read_as_one_paper_or_a_fault(tmp_path: Path, content: str) -> None:
    (found,) = read(tmp_path, "# T\n\n## A\n\ntext\n\n" + content)
    assert isinstance(found, Document | Fault)


# Real files


def test_real_surveys_have_text_tables_and_references(data_dir: Path) -> None:
    paths = sorted((data_dir / "tables" / "human_surveys").glob("*.md"))
    assert paths
    found = [document for path in paths for document in reader("survey")(path)]
    documents = [document for document in found if isinstance(document, Document)]
    assert len(documents) == len(paths)
    for document in documents:
        assert document.title
        assert document.abstract
        assert len(document.abstract.split()) > 80
        assert sum(section.level == 1 for section in document.sections) >= 5
        assert len(document.references) > 50
        titled = sum(reference.title is not None for reference in document.references)
        assert titled > 0.95 * len(document.references)
        assert all(table.caption for table in document.tables)
    tables = [table for document in documents for table in document.tables]
    assert len(tables) == 54  # `<table` stands 54 times in the eight files
    assert sum(bool(table.cited) for table in tables) >= 40


# What converters and styles of other surveys do to the list

LISTED = (
    '[1] A. One, "A first model," 2020. [2] ——, "A second model," 2021. [3] B. Two and C. Three,\n'
    "Patterns of Models: Designing Them, ser. Models. Press, 2006."
)


def test_a_list_behind_the_appendix_belongs_to_its_empty_heading(tmp_path: Path) -> None:
    text = (
        "# Small Things\n\n## 1 Introduction\n\nText [1].\n\n## REFERENCES\n\n"
        "## APPENDIX A MORE\n\n"
        f"Based on [3].\n\n| Model | Size |\n|---|---|\n| Second [2] | 1 |\n\n{LISTED}\n"
    )
    found = survey(tmp_path, text)
    assert len(found.references) == 3
    assert [s.text for s in found.sections] == ["Text [1].", "Based on [3]."]
    assert [table.cited for table in found.tables] == [(1,)]


@pytest.mark.parametrize(
    ("printed", "doi"),
    [
        ("https://doi.org/10.1234/p18- 2003", "10.1234/p18-2003"),
        ("doi: 10.1234/s41591- 024- 03185- 2", "10.1234/s41591-024-03185-2"),
        ("doi: 10.1234/s42256- 023- 00657- x.", "10.1234/s42256-023-00657-x"),
        ("doi: 10.1234/s42256- in a journal", None),  # half of it is that of other works too
    ],
)
def test_identifiers_broken_behind_hyphens_are_joined(printed: str, doi: str | None) -> None:
    (found,) = read_list([f"Ann One. 2020. A first model. In Conf. {printed}"])
    assert found.reference.doi == doi


def test_names_may_end_in_a_colon_and_words_of_a_title_stand_in_quotation_marks() -> None:
    entries = [
        "[1] One, A., Two, B.C., et al.: Which model? a first one. In: Proceedings of X (2021)",
        '[2] Cid Three. 2020. Models for "minds" in general. CoRR, abs/2001.00001.',
        '[3] Dan Four. 2016. "Why a model?": Asking what they say. In Conf.',
    ]
    found = [entry.reference for entry in read_list(entries)]
    assert [(r.first_author, r.title, r.year) for r in found] == [
        ("One", "Which model? a first one", 2021),
        ("Cid Three", 'Models for "minds" in general', 2020),
        ("Dan Four", '"Why a model?": Asking what they say', 2016),
    ]
