"""Saved OAI-PMH answers.

Typed by hand after real answers of arXiv, the protocol
(https://www.openarchives.org/OAI/2.0/openarchivesprotocol.htm) and arXiv's schemas
(https://arxiv.org/OAI/arXiv.xsd, https://arxiv.org/OAI/arXivRaw.xsd).
"""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.servers.oai_replay import DELETED, RECORD, envelope
from tests.sources.reading import paper_in, readers_of

from vivavoce.corpus import ingest, load_corpus
from vivavoce.records import Author, Document, Fault
from vivavoce.sources.catalogues.oai import first_day, read_versions, split_authors
from vivavoce.store import write_bytes, write_sealed

HEADER = """<header><identifier>oai:arXiv.org:{id}</identifier><datestamp>2024-06-20</datestamp>
<setSpec>cs:cs:CL</setSpec><setSpec>math:math:NA</setSpec><setSpec>physics:hep-lat</setSpec>
</header>"""
RAW = """<arXivRaw xmlns="http://arxiv.org/OAI/arXivRaw/"><id>2406.00007</id>
<submitter>Ada First</submitter>
<version version="v1"><date>Mon, 3 Jun 2024 23:30:00 GMT</date><size>9kb</size></version>
<version version="v10"><date>Thu, 20 Jun 2024 08:00:00 GMT</date><size>9kb</size></version>
<version version="v2"><date>Tue, 4 Jun 2024 08:00:00 GMT</date>
<source_type>D</source_type></version>
<title>A Title of
  Two Lines</title><authors>Ada First (Here, and There), Bo Second</authors>
<categories>cs.CL math.NA cs.CL</categories><comments>9 pages</comments>
<journal-ref>A Journal 3 (2024) 1-9</journal-ref><doi>10.1000/ABC</doi>
<license>http://creativecommons.org/licenses/by/4.0/</license><abstract>  An
abstract with $x &lt; y$.
</abstract></arXivRaw>"""

SPLIT = """<arXiv xmlns="http://arxiv.org/OAI/arXiv/"><id>{id}</id><created>{created}</created>
<updated>2024-06-20</updated><authors>
<author><keyname>First</keyname><forenames>Ada B.</forenames><suffix>Jr</suffix>
<affiliation>Here</affiliation></author>
<author><keyname>The Example Collaboration</keyname></author>
<author><keyname>Zwei</keyname><forenames>J. -N.</forenames></author><author><keyname/></author>
</authors><title>A Title</title><categories>hep-lat hep-th</categories>
<license>http://arxiv.org/licenses/nonexclusive-distrib/1.0/</license>
<abstract>Words.</abstract></arXiv>"""


def record(metadata: str, arxiv_id: str = "2406.00007") -> str:
    return f"<record>{HEADER.format(id=arxiv_id)}<metadata>{metadata}</metadata></record>"


def answer(*records: str, verb: str = "ListRecords") -> bytes:
    return envelope(f"<{verb}>{''.join(records)}</{verb}>")


read, _ = readers_of("oai", "a.oai.xml")


def paper(folder: Path, record: str) -> Document:
    return paper_in("oai", "a.oai.xml", folder, answer(record))


def test_what_a_raw_record_says_of_a_paper(tmp_path: Path) -> None:
    assert paper(tmp_path, record(RAW)) == Document(
        kind="oai",
        key="arxiv:2406.00007",
        arxiv_id="2406.00007",
        version="v10",  # the tenth comes after the second
        doi="10.1000/abc",
        source_url="https://arxiv.org/abs/2406.00007v10",
        title="A Title of Two Lines",
        abstract="An abstract with $x < y$.",
        published="2024-06-03",
        categories=("cs.CL", "math.NA"),
        venue="A Journal 3 (2024) 1-9",
        licence="http://creativecommons.org/licenses/by/4.0/",
        authors=(Author("Ada First"), Author("Bo Second")),
    )


def test_what_a_record_with_split_names_says_of_a_paper(tmp_path: Path) -> None:
    metadata = SPLIT.format(id="hep-lat/9901007", created="1999-01-15")
    assert paper(tmp_path, record(metadata, "hep-lat/9901007")) == Document(
        kind="oai",
        key="arxiv:hep-lat/9901007",
        arxiv_id="hep-lat/9901007",
        source_url="https://arxiv.org/abs/hep-lat/9901007",
        title="A Title",
        abstract="Words.",
        published="1999-01-15",
        categories=("hep-lat", "hep-th"),
        licence="http://arxiv.org/licenses/nonexclusive-distrib/1.0/",
        authors=(
            Author("Ada B. First Jr"),
            Author("The Example Collaboration"),
            Author("J.-N. Zwei"),
        ),
    )


def test_a_day_after_the_month_of_the_id_is_not_the_first_version(tmp_path: Path) -> None:
    created = {"2024-06-03": "2024-06-03", "2024-05-31": "2024-05-31", "2024-07-01": "2024-06"}
    for day, published in created.items():
        metadata = SPLIT.format(id="2406.00007", created=day)
        assert paper(tmp_path, record(metadata)).published == published
    assert first_day("2406.00007", ["", "soon"]) is None


def test_odd_records_are_faults_and_the_rest_goes_in(tmp_path: Path) -> None:
    good = RECORD.format(arxiv_id="2406.00001", day="2024-06-01", title="Fine")
    gone = DELETED.format(arxiv_id="2406.00002", day="2024-06-01")
    untitled = RECORD.format(arxiv_id="2406.00003", day="2024-06-01", title=" ")
    odd = record("<marc><leader/></marc>", "2406.00004")
    bare = f"<record>{HEADER.format(id='2406.00005')}</record>"
    nameless = record(RAW.replace("<id>2406.00007", "<id>no id"), "x")
    first, deleted, *faults = read(tmp_path, answer(good, gone, untitled, odd, bare, nameless))
    assert isinstance(first, Document)
    assert isinstance(deleted, Document)
    assert (first.withdrawn, deleted.withdrawn, deleted.arxiv_id) == (None, "deleted", "2406.00002")
    assert faults == [
        Fault("a.oai.xml: oai:arXiv.org:2406.00003", "arXiv 2406.00003 has no title"),
        Fault(
            "a.oai.xml: oai:arXiv.org:2406.00004", "its format 'marc' is none of arXiv, arXivRaw"
        ),
        Fault("a.oai.xml: oai:arXiv.org:2406.00005", "the record has no metadata"),
        Fault("a.oai.xml: oai:arXiv.org:x", "its id 'no id' is not an arXiv id"),
    ]


def test_a_deleted_record_marks_the_paper_that_was_there_and_makes_none(tmp_path: Path) -> None:
    kept = RECORD.format(arxiv_id="2406.00001", day="2024-06-01", title="Fine")
    (tmp_path / "a.oai.xml").write_bytes(answer(kept))
    assert ingest("oai", tmp_path, tmp_path / "c").papers == 1
    gone = [DELETED.format(arxiv_id=f"2406.0000{n}", day="2024-07-01") for n in (1, 2)]
    (tmp_path / "b.oai.xml").write_bytes(answer(*gone))
    report = ingest("oai", tmp_path, tmp_path / "c")
    assert report.failed == (Fault("oai:arXiv.org:2406.00002", "deleted by the repository"),)
    (paper,) = load_corpus(tmp_path / "c").papers
    assert (paper.title, "withdrawn" in paper.gates) == ("Fine", True)


@pytest.mark.parametrize(
    ("comments", "abstract", "is_withdrawn"),
    [
        ("This paper has been withdrawn by the author due to an error", "A text.", True),
        ("Withdrawn: an error in Lemma 2", "A text.", True),
        ("12 pages. Paper withdrawn", "A text.", True),
        ("", "This submission has been withdrawn by arXiv administrators.", True),
        ("12 pages, 3 figures", "We study money that was withdrawn from banks.", False),
        ("An earlier version withdrawn from another journal", "A text.", False),
    ],
)
def test_withdrawn_papers_are_marked(
    tmp_path: Path, comments: str, abstract: str, is_withdrawn: bool
) -> None:
    raw = RAW.replace("9 pages", comments)
    start, end = raw.index("<abstract>"), raw.index("</abstract>")
    found = paper(tmp_path, record(f"{raw[:start]}<abstract>{abstract}{raw[end:]}"))
    assert found.withdrawn == ("withdrawn" if is_withdrawn else None)


def test_a_first_version_after_the_month_of_its_id_is_not_believed(tmp_path: Path) -> None:
    listed = RAW.replace("Mon, 3 Jun 2024", "Wed, 3 Jun 2099")
    assert paper(tmp_path, record(listed)).published == "2024-06"


def test_an_unfinished_harvest_is_said_until_it_is_finished(tmp_path: Path) -> None:
    folder = tmp_path / "listing"
    for name in ("a.oai.xml", "b.oai.xml"):
        write_bytes(folder / name, answer(record(RAW)))
    state = {"next": 3, "lists": [{"base": "x", "open": {"token": "t"}}]}
    write_sealed(folder / "harvest.json", state)
    report = ingest("oai", folder, tmp_path / "c")
    (fault,) = report.failed
    assert fault.where == "listing/harvest.json"
    assert "unfinished" in fault.reason
    assert "viva fetch oai --out listing" in fault.reason
    write_sealed(folder / "harvest.json", {"next": 3, "lists": [{"base": "x", "open": None}]})
    assert ingest("oai", folder, tmp_path / "c").failed == ()


def test_characters_that_xml_does_not_have_cost_no_page(tmp_path: Path) -> None:
    content = answer(record(RAW)).replace(b"An\nabstract", b"An&#x1b;\x02\nabstract")
    found, fault = read(tmp_path, content)
    assert isinstance(found, Document)
    assert found.abstract == "An�� abstract with $x < y$."
    assert fault == Fault("a.oai.xml", "invalid characters replaced by U+FFFD: 2")


LINES = {
    "A. One": ["A. One"],
    "A. One and B. Two": ["A. One", "B. Two"],
    "A. One, B. Two, and C. Three": ["A. One", "B. Two", "C. Three"],
    "A.B. One, J.-P. Two": ["A. B. One", "J.-P. Two"],
    "A. One (X, Y and Z), B. Two (1 and (2)) ((1) X, (2) Y)": ["A. One", "B. Two"],
    "A. One, Jr., B. Two III": ["A. One Jr.", "B. Two III"],
    "A. One, et al.": ["A. One"],
    "The Big Collaboration: A. One, B. Two": ["The Big Collaboration", "A. One", "B. Two"],
    "A. One, for the Big Collaboration": ["A. One", "Big Collaboration"],
    "A. One on behalf of the Big Team": ["A. One", "Big Team"],
    "A. One (1) (on behalf of the Big Team) ((1) X)": ["A. One", "Big Team"],
    "A. One for Big Data Collaboration, B. Two": ["A. One", "Big Data Collaboration", "B. Two"],
    r"Fran\c{c}ois {\'E}l\"an, \L{}ukasz~Two": ["François Élän", "Łukasz Two"],
    "Anders Brand\n  Sand & Bo Two; C. Three": ["Anders Brand Sand", "Bo Two", "C. Three"],
    "": [],
    " , (x) and ": [],
}


@pytest.mark.parametrize("line", LINES)
def test_authors_of_a_line(line: str) -> None:
    assert list(split_authors(line)) == LINES[line]


@given(st.text(alphabet="aB .,;()&\\{}$'and\n", max_size=200))
def test_any_line_gives_names_in_one_line_with_letters(line: str) -> None:
    for name in split_authors(line):
        assert name == " ".join(name.split())
        assert any(map(str.isalpha, name))


def test_authors_of_real_lines_are_those_that_arxiv_itself_makes_out(data_dir: Path) -> None:
    sample = data_dir / "arxiv_api" / "arxiv_metadata_oai_sample.jsonl"
    rows = [json.loads(line) for line in sample.read_text("utf-8").splitlines()]
    for row in rows:
        parsed = [" ".join(f"{n[1]} {n[0]} {n[2]}".split()) for n in row["authors_parsed"]]
        assert list(split_authors(row["authors"])) == [p.replace(". -", ".-") for p in parsed]


def test_versions_that_are_none_are_passed_over() -> None:
    assert read_versions([]) == (None, None)
    assert read_versions([("v2", "Tue, 4 Jun 2024 08:00:00 GMT"), ("w1", "x")]) == (None, "v2")
    assert read_versions([("v1", "never"), ("v3", "")]) == (None, "v3")
    assert read_versions([("v1", "Mon, 3 Jun 2024 23:30:00 -0100")]) == ("2024-06-04", "v1")


@pytest.mark.parametrize(
    "line", ["(" * 100_000, ")(" * 50_000, "a and " * 20_000, "{" * 100_000, "for a " * 30_000]
)
def test_hostile_lines_of_authors_take_little_time(line: str) -> None:
    assert len(split_authors(line)) <= 20_000
