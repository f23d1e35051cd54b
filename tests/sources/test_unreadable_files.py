"""Files and records that no source can read: one fault each with a reason, and the rest goes in."""

import gzip
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.servers.oai_replay import envelope, error_of
from tests.sources.reading import reader
from tests.sources.test_academiceval import RELATED, TITLE
from tests.sources.test_digestables import PAPER, TABLE, TEXT
from tests.sources.test_latex_input import tar
from tests.sources.test_snapshot import ROW
from tests.sources.test_unarxive import RECORD

from vivavoce.records import Document, Fault
from vivavoce.sources import get_source

ARTICLE, END = '<html><body><article class="ltx_document">', "</article></body></html>"
ABSTRACT = '<div class="ltx_abstract"><p class="ltx_p">Some words.</p></div>'
BOMB = (
    '<?xml version="1.0"?><!DOCTYPE TEI [<!ENTITY a "aaaaaaaaaa">'
    + "".join(f'<!ENTITY a{i} "{f"&a{i - 1};" * 10}">' for i in range(1, 10)).replace("a0;", "a;")
    + "]><TEI><teiHeader/><text><body><p>&a9;</p></body></text></TEI>"
)
LEAK = (
    '<!DOCTYPE TEI [<!ENTITY x SYSTEM "file:///etc/hostname">]>'
    "<TEI><text><body><p>&x;</p></body></text></TEI>"
)


def feed(declared: str) -> str:
    """A page of arXiv that declares what it should not."""
    return f"<!DOCTYPE feed {declared}><feed xmlns='http://www.w3.org/2005/Atom'>&x;</feed>"


Content = bytes | str
FILES: dict[tuple[str, str], Sequence[tuple[Content, str]]] = {
    ("acl", "2020.acl.xml"): [
        ("", "the file is empty"),
        ("<collection><volume>", "not well-formed XML"),
        ("<TEI/>", "its root is <TEI>"),
    ],
    ("arxiv", "page.atom.xml"): [
        (feed('[<!ENTITY x SYSTEM "file:///etc/passwd">]'), "safety"),
        (feed('[<!ENTITY a "aaaa"><!ENTITY x "&a;&a;&a;&a;">]'), "safety"),
        (feed('[<!ENTITY % p SYSTEM "http://127.0.0.1:9/x"> %p;]'), "safety"),
        (feed('SYSTEM "http://127.0.0.1:9/feed.dtd"'), "safety"),
    ],
    ("oai", "a.oai.xml"): [
        (error_of("noRecordsMatch", "none"), "the repository reports noRecordsMatch: none"),
        (error_of("badResumptionToken", ""), "reports badResumptionToken: no reason given"),
        (envelope("<Identify/>"), "lists no records"),
        (envelope("<ListRecords><record>")[:-40], "not well-formed XML"),
        (b"", "the file is empty"),
        (b"Rate exceeded.", "says 'Rate exceeded.'"),
        (b"<html><body>Sorry</body></html>", "a web page"),
        (b'<!DOCTYPE x [<!ENTITY a "b">]><OAI-PMH>&a;</OAI-PMH>', "declares XML entities"),
    ],
    ("html", "bad.html"): [
        ("", "empty"),
        (b"\xff\xfe<\x00a\x00", "not UTF-8"),
        ("<!-- only this -->", "no HTML element"),
        ("<html><body><p>A blog.</p></body></html>", "not LaTeXML output"),
        ("<html><h1>No HTML for '2401.00001'</h1></html>", "there is no HTML of this paper"),
        ('<meta name="citation_arxiv_id" content="2401.00001">', "the abstract page"),
        ('<div class="ltx_page_content"></div>', "its conversion to HTML failed"),
        ('<div class="package-alerts ltx_document">failed: x</div>', "not LaTeXML output"),
        (
            f'<a class="ar5iv-button ar5iv-severity-fatal">Report</a>{ARTICLE}{ABSTRACT}{END}',
            "conversion of the paper to HTML failed",
        ),
        (
            f'{ARTICLE}<span class="ltx_ERROR">Conversion to HTML had a Fatal error</span>{END}',
            "conversion of the paper to HTML failed",
        ),
        (f"{ARTICLE}{ABSTRACT}<p>and th", "cut off"),
        (f"{ARTICLE}<h1 class='ltx_title_document'>T</h1>{END}", "no abstract, no text"),
        (f"{ARTICLE}{'<div>' * 100_000}{END}", "Excessive depth"),
        (f"{ARTICLE}{'<br>' * 1_000_001}{END}", "tags"),
    ],
    ("jats", "bad.nxml"): [
        ("", "empty"),
        ("<article><front>", "not well-formed"),
        ("<feed/>", "not JATS"),
        ("<article/>", "no title"),
    ],
    ("tei", "bad.tei.xml"): [
        ("", "empty"),
        ("%PDF-1.5 not XML", "not well-formed XML"),
        ("<TEI><teiHeader/><text>", "not well-formed XML"),
        ("<article><body/></article>", "not TEI: the root element is <article>"),
        ("<TEI><p>Straße</p></TEI>".encode("latin-1"), "not UTF-8"),
        (b"\x1f\x8b\x08\x00\x00", "not UTF-8"),
        (BOMB, "entities"),
        (LEAK, "entities"),
        (f"<TEI>{'<div>' * 5000}{'</div>' * 5000}</TEI>", "not well-formed XML"),
        ("<TEI><teiHeader/><text><body/></text></TEI>", "holds no title"),
    ],
    ("latex", "paper.gz"): [
        (gzip.compress(b"\\" * (9 << 20)), "unpacks to more"),
        (tar({"main.tex": b"\\" * 9000})[:60], "damaged"),
        (gzip.compress(b"%PDF-1.5 \\ \0"), "neither a tar archive nor LaTeX"),
        (tar({"a.png": b"x"}), "no LaTeX file"),
        (tar({"a.tex": b"x"}), "no file in the archive"),
        (b"PK\x03\x04 rubbish", "damaged"),
        (b"", "neither"),
    ],
    ("pdf", "other.pdf"): [
        (b"", "not a PDF: the file does not start with %PDF-"),
        (b"<html>not found</html>", "not a PDF: the file does not start with %PDF-"),
        (b"\x00" * 4096, "not a PDF: the file does not start with %PDF-"),
    ],
    ("s2orc", "bad.json"): [
        (b"", "not readable JSON"),
        (b"[" * 200_000, "not readable JSON"),
        (b"\xff\xfe{}", "not readable JSON"),
        (b"[]", "not a JSON object"),
        (b"{}", "no title"),
        (b'{"title": "A", "pdf_parse": {"body_text": [1]}}', "'body_text'"),
        (b'{"title": "A", "pdf_parse": {"bib_entries": []}}', "'bib_entries'"),
        (b'{"title": ["A"]}', "'title'"),
        (b'{"title": "A", "authors": [{"middle": [["x"]]}]}', "'middle'"),
        (gzip.compress(b'{"title": "A"}')[:-9], "cannot be read"),
        (gzip.compress(b" " * (20 << 20)), "larger than"),
    ],
    ("survey", "s.md"): [
        (b"", "no sections"),
        (b"# Only a title\n", "no sections"),
        (b"\xff\xfe# T\n\ntext", "not UTF-8"),
        (b"# H\n\n" * 5_001, "headings"),
    ],
    ("academiceval", "x.json"): [
        ("[]", "empty array"),
        ("3", "neither a JSON object nor an array"),
        ("{}", "neither a 'url' nor a 'title'"),
        ('{"title": "T", "cats": [1]}', "'cats'"),
        ('{"title": "T", "additional_info": {}}', "'additional_info'"),
        ('{"title": "T", "additional_info": [3]}', "an example is not"),
        ('{"title": "T", "additional_graph_info": {"node_feat": {"a": 1}}}', "'node_feat'"),
        ('[{"title": "T"}, 1]', "a candidate is not"),
    ],
    ("metadata", "a.csv"): [
        (b"", "is empty"),
        (b"name,stars\nT,5\n", "none of the columns id, title"),
        ("id,title\np1,T\n".encode("utf-16"), "not UTF-8"),
        (b"id,title,id\n1,2,3\n", "more than one column 'id'"),
        (b"\x89PNG\r\n\x1a\n", "not UTF-8"),
    ],
    ("metadata", "a.jsonl"): [(b"", "is empty"), (b"\x1f\x8bnot gzip", "cannot be read")],
    ("metadata", "a.parquet"): [(b"PAR1 and nothing else", "not readable Parquet")],
}


@pytest.mark.parametrize(
    ("kind", "name", "content", "reason"),
    [(*file, content, reason) for file, rows in FILES.items() for content, reason in rows],
)
def test_an_unreadable_file_is_one_fault(
    tmp_path: Path, kind: str, name: str, content: Content, reason: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    (fault,) = reader(kind)(path)
    assert isinstance(fault, Fault)
    assert fault.where.endswith(name)
    assert reason in fault.reason


@pytest.mark.parametrize("kind", ["acl", "arxiv", "html", "jats", "pdf", "s2orc", "survey", "tei"])
def test_a_file_that_is_gone_is_a_fault(tmp_path: Path, kind: str) -> None:
    (fault,) = reader(kind)(tmp_path / "gone")
    assert isinstance(fault, Fault)
    assert (fault.where, "No such file" in fault.reason) == ("gone", True)


def without(record: dict[str, Any], *names: str) -> dict[str, Any]:
    return {key: value for key, value in record.items() if key not in names}


RECORDS: dict[tuple[str, str], tuple[Any, Sequence[tuple[Any, str]]]] = {
    ("unarxive", "x.jsonl"): (
        RECORD,
        [
            (b"\xff", "not readable JSON"),
            ({}, "no title"),
            ({"metadata": []}, "'metadata'"),
            ({"metadata": {"title": {}}}, "'title'"),
            ({"metadata": {"title": "A", "authors_parsed": ["x"]}}, "'authors_parsed'"),
            ({"metadata": {"title": "A", "versions": [1]}}, "'versions'"),
            ({"body_text": [{"text": 1, "section": []}]}, "'section'"),
            ({"bib_entries": {"a": []}}, "'bib_entries'"),
            (
                {"ref_entries": {"a": {"type": "table", "caption": []}}},
                "'caption'",
            ),
        ],
    ),
    ("digestables", "tables.jsonl"): (
        TABLE,
        [
            (b'{"tabid"', "not readable JSON"),
            ({**TABLE, "row_bib_map": [1]}, "'row_bib_map' is not a list"),
            ({**TABLE, "table": {"a": [1]}}, "'a' is a list"),
            (without(TABLE, "tabid", "arxiv_id"), "neither an 'arxiv_id'"),
            ({**TABLE, "row_bib_map": [{"corpus_id": [1]}]}, "'corpus_id' is a list"),
            ({"scores": {}, "table": {}, "metadata": {}}, "predictions are not read"),
            ({"some": "thing"}, "neither a table"),
            ({**TEXT, "metadata": {}, "id": None}, "no corpus id"),
            ({"tabids": [], "corpus_id": -1}, "neither a 'corpus_id'"),
        ],
    ),
    ("snapshot", "a.snapshot.jsonl"): (
        ROW,
        [
            ({**ROW, "id": 2406.00007}, "id is of the type float instead of text"),
            ({**ROW, "id": "7"}, "its id '7' is not an arXiv id"),
            ({**ROW, "title": None}, "arXiv 2406.00007 has no title"),
            ({**ROW, "title": ["A"]}, "title is of the type list instead of text"),
            ({**ROW, "versions": "v1"}, "'versions' is a str, not a list"),
            ({**ROW, "authors_parsed": {"First": "Ada"}}, "'authors_parsed' is a dict, not a list"),
        ],
    ),
}


@pytest.mark.parametrize(
    ("kind", "name", "good", "bad", "reason"),
    [(*file, good, bad, reason) for file, (good, rows) in RECORDS.items() for bad, reason in rows],
)
def test_a_bad_record_is_a_fault_of_its_line_and_the_others_are_read(
    tmp_path: Path, kind: str, name: str, good: Any, bad: Any, reason: str
) -> None:
    lines = [line if isinstance(line, bytes) else json.dumps(line).encode() for line in (bad, good)]
    (tmp_path / name).write_bytes(b"\n".join(lines))
    fault, document = reader(kind)(tmp_path / name)
    assert isinstance(fault, Fault)
    assert fault.where.endswith(f"{name}:1")
    assert reason in fault.reason
    assert isinstance(document, Document)


FIRST_LINES = {
    "table": json.dumps(TABLE),
    "paper": json.dumps(PAPER),
    "sample": json.dumps(TITLE),
    "samples": json.dumps(RELATED),
    "page": "# Parsing\n\n| Model | F1 |\n| --- | --- |\n| Tree | 81.2 |\n",
    "survey": "# A\n\n## 7. Bibliography\n",
    "xml": '<?xml version="1.0"?><article article-type="x"><front/></article>',
}
TAKEN = {
    "acl": "2020.acl.xml 2022.findings_x.xml P19.xml",
    "snapshot": "arxiv-metadata-oai-snapshot.json arxiv_metadata_oai_sample.jsonl a.snapshot.jsonl",
    "metadata": "a.parquet a.jsonl a.JSONL.GZ a.ndjson a.csv a.csv.gz",
    "html": "a.HTM a.xhtml",
    "jats": "a.nxml xml:a.xml",
    "academiceval": "sample:title_short_2406.00001v2.json samples:related.json",
    "digestables": "table:tables.jsonl paper:papers.jsonl arXiv2Table_test.json",
    "survey": "survey:a.md survey:c.markdown",
    "nlp_progress": "page:parsing.md",
}
"""Names of files, each behind the kind of content that tells them where a name does not."""
LEFT = {
    "acl": "P19-1001.xml 2020.acl.tei.xml 2020.acl.oai.xml",
    "snapshot": "papers.jsonl arxiv-metadata.txt",
    "metadata": "a.pdf a.xml",
    "html": "a.xml html",
    "jats": "b.xml a.tei.xml",
    "academiceval": "paper.json sample:title.txt",
    "digestables": "papers.jsonl table:digestables_predictions.jsonl table:rows.jsonl",
    "survey": "page:b.md survey:README.md survey:a.txt",
    "nlp_progress": "prose.md page:README.md",
}


@pytest.mark.parametrize("kind", TAKEN)
def test_a_source_takes_files_by_name_and_first_lines(tmp_path: Path, kind: str) -> None:
    for names, is_taken in ((TAKEN[kind], True), (LEFT[kind], False)):
        for named in names.split():
            content, _, name = named.rpartition(":")
            (tmp_path / name).write_text(FIRST_LINES.get(content, "{}"), "utf-8")
            assert get_source(kind).matches(tmp_path / name) is is_taken, named
