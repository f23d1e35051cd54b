"""Titles, authors, sections and identifiers that document classes and lists write in own ways."""

from pathlib import Path

import pytest
from tests.sources.test_latex import read

TEXT = r"\begin{abstract}Otters swim.\end{abstract}\section{One} They do."


@pytest.mark.parametrize(
    "written",
    [
        r"\Author[1]{Ana Maria}{Bell}\Author[2][d@x.org]{Carl}{Dorn}",
        r"\name[affiliation={1}]{Ana Maria}{Bell}\name[affiliation={2}]{Carl}{Dorn}",
        r"\name{Ana Maria Bell$^1$, Carl Dorn$^2$}",
        r"\author{Ana Maria Bell}{Uni, Norway}{a@x.org}{}{}\author{Carl Dorn}{Uni}{d@x.org}{}{}",
        r"\author{\name Ana Maria Bell \email a@x.org\\ \addr Uni \AND \name Carl Dorn\\ \addr U}",
        r"\icmlauthor{Ana Maria Bell}{uni}\icmlauthor{Carl Dorn}{uni}",
        r"\authors{Ana Maria Bell\aff{a}\thanks{A note.}, and Carl Dorn\aff{b}}",
        r"\author[1]{Ana Maria Bell}[type=editor]\author[2]{Carl Dorn}[orcid=0]",
    ],
)
def test_authors_of_classes_have_all_parts_of_their_names(tmp_path: Path, written: str) -> None:
    paper = read(tmp_path, rf"\title{{Otters}}{written}\maketitle {TEXT}")
    assert [author.name for author in paper.authors] == ["Ana Maria Bell", "Carl Dorn"]
    assert [section.text for section in paper.sections] == ["They do."]


def test_a_second_title_is_that_of_a_supplement(tmp_path: Path) -> None:
    first = r"\title{Otters}\author{Ana Bell}\date{May}\maketitle"
    second = r"\title{Supplement to Otters}\author{Ana Bell \and Eva Fox}\date{June}\maketitle"
    paper = read(tmp_path, rf"{first} {TEXT} {second} \section{{More}} Words.")
    assert (paper.title, [author.name for author in paper.authors]) == ("Otters", ["Ana Bell"])


def test_a_title_may_stand_across_both_columns(tmp_path: Path) -> None:
    front = r"\twocolumn[\icmltitle{Otters}\icmlauthor{Ana Bell}{uni}\icmlaffiliation{uni}{Uni}]"
    paper = read(tmp_path, rf"{front} {TEXT} \onecolumn\icmltitle{{Supplement}}\section{{More}}")
    assert (paper.title, [author.name for author in paper.authors]) == ("Otters", ["Ana Bell"])


def test_text_before_the_title_is_none_of_the_paper(tmp_path: Path) -> None:
    running = r"\runningtitle{Otters and what they do all day, in twelve words or more}"
    paper = read(tmp_path, rf"\title{{Otters}}{running}\maketitle {TEXT}")
    assert [section.heading for section in paper.sections] == ["One"]


def test_sections_may_be_commands_of_a_class(tmp_path: Path) -> None:
    body = "\\introduction\nRivers.\n\\section{Data} Logs.\n\\conclusions[Outlook]\nFloods."
    assert [(one.heading, one.text) for one in read(tmp_path, body).sections] == [
        ("Introduction", "Rivers."),
        ("Data", "Logs."),
        ("Outlook", "Floods."),
    ]


def test_special_characters_of_an_identifier_may_be_escaped(tmp_path: Path) -> None:
    bib = r"""@article{a, title={One}, author={A Bell}, doi={10.1007/3{\_}4}}
@article{b, title={Two}, author={B Dorn}, url={https://doi.org/10.1007/5\_6}}"""
    paper = read(tmp_path, r"\section{A} \cite{a,b}\bibliography{x}", x_bib=bib)
    assert [cited.doi for cited in paper.references] == ["10.1007/3_4", "10.1007/5_6"]
