"""The ACL Anthology's XML.

Typed by hand after real files of it, its published schema and its rules for ids
(https://github.com/acl-org/acl-anthology, data/xml, and its page on identifiers). Ids are checked
against those of a real table of its papers.
"""

from pathlib import Path

import pyarrow.parquet as pq
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from vivavoce.errors import InputError
from vivavoce.records import Author, Document, Fault
from vivavoce.sources import Piece, ReadOptions, get_source
from vivavoce.sources.catalogues.acl import build_id
from vivavoce.sources.catalogues.metadata import document_from

COLLECTION = """<?xml version='1.0' encoding='UTF-8'?>
<collection id="{collection}">
  <volume id="{volume}" ingest-date="2020-06-21" type="proceedings">
    <meta>
      <booktitle>Proceedings of the <fixed-case>M</fixed-case>eeting</booktitle>
      <editor><first>Ed</first><last>Itor</last></editor>
      <publisher>A Publisher</publisher><address>Online</address>
      <month>{month}</month><year>2020</year>{venues}
    </meta>
    <frontmatter><url hash="00000000">2020.acl-main.0</url><bibkey>a-2020</bibkey></frontmatter>
    {papers}
  </volume>
  <event id="acl-2020"><colocated><volume-id>2020.acl-demos</volume-id></colocated></event>
</collection>"""
PAPER = """<paper id="{number}">
  <title>{title}</title>
  <author id="ada-first-here"><first>Ada</first><last>First</last>
    <affiliation>Here</affiliation></author>
  <author><first>Bo</first><last>Second</last>
    <variant script="hani"><first>一</first><last>二</last></variant></author>
  <author><first/><last>Mononym</last></author>
  <editor><first>Not</first><last>Author</last></editor>
  <pages>1–10</pages>
  <abstract>We use <tex-math>x_1 &lt; y</tex-math> and
    <i>more <b>than</b></i> <fixed-case>BERT</fixed-case>, see <url>https://example.org</url>.
  </abstract>
  <url hash="11111111">2020.acl-main.{number}</url>
  <doi>10.18653/v1/2020.ACL-main.{number}</doi><bibkey>first-etal-2020</bibkey>{more}
</paper>"""


def paper_xml(number: str = "1", title: str = "A Title", more: str = "") -> str:
    return PAPER.format(number=number, title=title, more=more)


def collection(
    *papers: str,
    name: str = "2020.acl",
    volume: str = "main",
    month: str = "July",
    venues: str = "<venue>acl</venue>",
) -> str:
    return COLLECTION.format(
        collection=name, volume=volume, month=month, venues=venues, papers="".join(papers)
    )


def read(folder: Path, content: str, name: str = "2020.acl.xml") -> list[Document | Fault]:
    path = folder / name
    path.write_text(content, "utf-8")
    return list(get_source("acl").read(Piece(path), ReadOptions()))


def paper(folder: Path, content: str) -> Document:
    (found,) = read(folder, content)
    assert isinstance(found, Document), found
    return found


def test_what_the_xml_says_of_a_paper(tmp_path: Path) -> None:
    title = "On <fixed-case>BERT</fixed-case>s\n    and <tex-math>\\alpha</tex-math>"
    assert paper(tmp_path, collection(paper_xml("12", title))) == Document(
        kind="acl",
        key="acl:2020.acl-main.12",
        acl_id="2020.acl-main.12",
        doi="10.18653/v1/2020.acl-main.12",
        source_url="https://aclanthology.org/2020.acl-main.12",
        title="On BERTs and $\\alpha$",
        abstract="We use $x_1 < y$ and more than BERT, see https://example.org.",
        published="2020-07",
        venue="acl",
        authors=(Author("Ada First", "ada-first-here"), Author("Bo Second"), Author("Mononym")),
    )


@pytest.mark.parametrize(
    "parts",
    [("P19", "main", "1"), ("P19", "1", "1000"), ("2020.acl", "ma in", "1"), ("../x", "1", "1")],
)
def test_parts_that_make_no_id(parts: tuple[str, str, str]) -> None:
    with pytest.raises(InputError, match=r"no Anthology id|exceed four digits|not a number"):
        build_id(*parts)


@given(
    st.sampled_from(["P19", "W05", "C69", "D19", "J86"]), st.integers(1, 99), st.integers(1, 999)
)
def test_two_papers_never_share_an_old_id(letters: str, volume: int, number: int) -> None:
    assume(letters != "D19" or volume < 5 or volume >= 50)  # D19 has no volumes between
    try:
        full = build_id(letters, str(volume), str(number))
    except InputError:
        return
    digits = full.removeprefix(f"{letters}-")
    wide = letters[0] == "W" or letters == "C69" or (letters == "D19" and digits[0] >= "5")
    cut = 2 if wide else 1
    assert (int(digits[:cut]), int(digits[cut:])) == (volume, number)


def test_a_paper_is_dated_and_named_as_in_a_real_table_of_the_same_papers(
    data_dir: Path, tmp_path: Path
) -> None:
    columns = ["id", "title", "authors", "author_ids", "year", "month", "venues"]
    table = pq.read_table(data_dir / "acl" / "acl_upto2022.parquet", columns=columns)
    some = table.take(list(range(0, table.num_rows, 997)))
    for row in some.to_pylist():
        name, _, rest = row["id"].partition("-")
        if "." in rest:
            volume, _, number = rest.partition(".")
        else:
            wide = name[0] == "W" or name == "C69" or (name == "D19" and rest[0] >= "5")
            volume, number = (rest[:2], rest[2:]) if wide else (rest[0], rest[1:])
        venues = "".join(f"<venue>{venue}</venue>" for venue in row["venues"])
        content = collection(
            paper_xml(number), name=name, volume=volume, month=row["month"] or "", venues=venues
        )
        found = paper(tmp_path, content.replace("<year>2020<", f"<year>{row['year']}<"))
        other = document_from(row)
        assert found.key == other.key
        assert (found.acl_id, found.published) == (other.acl_id, other.published)
        assert found.venue == other.venue


def test_a_month_of_its_own_is_of_the_volumes_year(tmp_path: Path) -> None:
    alone = paper_xml(more="<month>May</month>")
    assert paper(tmp_path, collection(alone)).published == "2020-05"
    assert paper(tmp_path, collection(paper_xml(more="<month>?</month>"))).published == "2020-07"


def test_indexes_at_the_end_are_no_papers(tmp_path: Path) -> None:
    index = paper_xml("2").replace('id="2"', 'id="2" type="backmatter"')
    assert paper(tmp_path, collection(paper_xml("1"), index)).acl_id == "2020.acl-main.1"


def test_withdrawn_untitled_and_nameless_papers_are_faults(tmp_path: Path) -> None:
    papers = (
        paper_xml("1", more='<retracted date="2021-03-01">Data were made up.</retracted>'),
        paper_xml("2", more="<removed/>"),
        paper_xml("3", title=" "),
        paper_xml("x"),
        paper_xml("4"),
    )
    *faults, found = read(tmp_path, collection(*papers))
    assert isinstance(found, Document)
    assert faults == [
        Fault("2020.acl.xml: 2020.acl-main.1", "retracted 2021-03-01: Data were made up."),
        Fault("2020.acl.xml: 2020.acl-main.2", "removed: no reason given"),
        Fault("2020.acl.xml: 2020.acl-main.3", "the paper has no title"),
        Fault("2020.acl.xml: volume main, paper 4", "the paper's id 'x' is not a number"),
    ]
