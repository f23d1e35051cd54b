"""A small file of every kind that the pages on papers have the reader bring."""

import json
import shutil
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from tests.servers.oai_replay import RECORD, envelope
from tests.servers.texts_replay import latexml_page
from tests.sources.pdf_pages import simple_paper
from tests.sources.test_deepscholar import files as write_deepscholar

ROOT = Path(__file__).resolve().parents[2]
WORDS = "this paper looks at many small models and says what each of them can do " * 8
TEI = f"""<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><fileDesc><titleStmt>
<title level="a" type="main">The Matter of Tides</title></titleStmt></fileDesc></teiHeader><text>
<body><div><head>Introduction</head><p>{WORDS}</p></div></body><back><div type="references">
<listBibl><biblStruct><analytic><title level="a">A cited work</title></analytic>
<idno type="arXiv">arXiv:2001.00009</idno></biblStruct></listBibl></div></back></text></TEI>"""
JATS = f"""<article article-type="research-article"><front><article-meta><title-group>
<article-title>Small Networks</article-title></title-group><abstract><p>Words.</p></abstract>
</article-meta></front><body><sec><title>Introduction</title><p>{WORDS}</p></sec></body></article>"""
S2ORC = {
    "paper_id": "7",
    "title": "Large Networks",
    "abstract": "Short.",
    "pdf_parse": {
        "body_text": [{"text": WORDS, "section": "Introduction", "sec_num": "1", "cite_spans": []}],
        "back_matter": [],
        "bib_entries": {},
        "ref_entries": {},
    },
}
LISTED = {
    "id": "1805.00001",
    "title": "Networks of Middling Size",
    "authors": "Ada First",
    "authors_parsed": [["First", "Ada", ""]],
    "categories": "cs.CL",
    "license": None,
    "abstract": "Short text.",
    "versions": [{"version": "v1", "created": "Thu, 3 May 2018 23:30:00 GMT"}],
    "update_date": "2018-05-04",
}
UNARXIVE = {
    "paper_id": "1805.00001",
    "metadata": LISTED,
    "body_text": [
        {"section": "Introduction", "sec_number": "1", "sec_type": "section", "text": WORDS}
    ],
    "bib_entries": {"a": {"bib_entry_raw": "A. One. First, 1999.", "ids": {}}},
    "ref_entries": {},
}
SURVEY = f"""# Small Models: A Survey

**Abstract** {WORDS}

## 1 Introduction

Models are small [1].

| Model | Size |
|---|---|
| First [1] | 7 |

## References

[1] A. One, "A first small model," in Conf, 2020.
"""
ATOM = """<feed xmlns:o="http://a9.com/-/spec/opensearch/1.1/" xmlns="http://www.w3.org/2005/Atom">
<o:itemsPerPage>1</o:itemsPerPage><o:totalResults>1</o:totalResults><o:startIndex>0</o:startIndex>
<entry><id>http://arxiv.org/abs/2001.00001v1</id><title>A Listed Paper</title>
<published>2020-01-31T00:00:00Z</published><summary>Some words.</summary></entry></feed>"""
ACL = """<?xml version='1.0' encoding='UTF-8'?><collection id="2020.acl">
<volume id="main" type="proceedings"><meta><booktitle>Proceedings</booktitle><month>July</month>
<year>2020</year></meta><paper id="1"><title>A Title</title><author><first>Ada</first>
<last>First</last></author><abstract>Words.</abstract></paper></volume></collection>"""
DIGESTABLES = {
    "tabid": "t1",
    "table": {"Size": {"11": ["small"], "22": ["1M"]}},
    "row_bib_map": [
        {
            "bib_hash_or_arxiv_id": f"f00ba{row}",
            "row": row,
            "corpus_id": number,
            "type": "ref",
            "title": f"Work {number}",
            "abstract": "Words.",
        }
        for row, number in enumerate((11, 22))
    ],
    "caption": "Models and their sizes",
    "in_text_ref": [],
    "arxiv_id": "2301.00001v2",
}
ACADEMICEVAL = {
    "url": "http://arxiv.org/abs/2406.00001v2",
    "title": "Paper number 1",
    "abstract": "What it is about.",
    "authors": "A One, B Two",
    "published": "2024-06-01",
    "updated": "2024-06-03",
    "primary_cat": "cs.LG",
    "cats": ["cs.LG"],
    "label": "Original Paper",
    "gt": "What it is about.",
    "main_content": WORDS,
}
POSTS = """<?xml version="1.0" encoding="utf-8"?><posts>
<row Id="5" PostTypeId="1" AcceptedAnswerId="7" CreationDate="2016-08-02T15:39:14.947"
 Body="&lt;p&gt;What is it?&lt;/p&gt;" Title="How does it work?" Tags="&lt;training&gt;" />
<row Id="7" PostTypeId="2" ParentId="5" CreationDate="2016-08-03T15:39:14.947"
 Body="&lt;p&gt;By the chain rule.&lt;/p&gt;" /></posts>"""
SOTA_ROW = {
    "model_name": "Tree net",
    "paper_title": "Networks of Middling Size",
    "paper_url": "https://arxiv.org/abs/1805.00001",
    "paper_date": "2018-05-03",
    "metrics": {"Accuracy": "91.2%"},
}
PWC = [
    {
        "task": "Parsing",
        "categories": ["Language"],
        "subtasks": [],
        "datasets": [{"dataset": "Bank", "sota": {"metrics": ["Accuracy"], "rows": [SOTA_ROW]}}],
    }
]
NLP_PROGRESS = """# Parsing

### Bank

| Model | Accuracy | Paper / Source |
|---|---|---|
| Tree net (One, 2018) | 91.2 | [Networks of Middling Size](https://arxiv.org/abs/1805.00001) |
"""


def write_inputs(folder: Path) -> None:
    """Write them all, in folders as the page on ingesting everything has them."""
    dated = {"file": "2001.00003.tei.xml", "published": "2020-01-31"}
    texts = {
        "tei/2001.00003.tei.xml": TEI,
        "tei/index.jsonl": _lines(dated),
        "tei/8.json": json.dumps(S2ORC | {"paper_id": "8", "title": "Larger Networks"}),
        "fulltext/small.nxml": JATS,
        "fulltext/7.json": json.dumps(S2ORC),
        "fulltext/1805.jsonl": _lines(UNARXIVE),
        "html/2401.00001v1.html": latexml_page("2401.00001v1").decode(),
        "tables/human_surveys/survey.md": SURVEY,
        "arxiv_api/page.atom.xml": ATOM,
        "arxiv_api/arxiv-metadata-oai-snapshot.json": _lines(LISTED),
        "oai/000001-arXivRaw.oai.xml": envelope(
            "<ListRecords>"
            + RECORD.format(arxiv_id="2406.00001", day="2024-06-03", title="A Record")
            + "</ListRecords>"
        ).decode(),
        "acl/2020.acl.xml": ACL,
        "digestables/tables.jsonl": _lines(DIGESTABLES),
        "academiceval/sample.json": json.dumps(ACADEMICEVAL),
        "ai.stackexchange.com/Posts.xml": POSTS,
        "results/evaluation-tables.json": json.dumps(PWC),
        "results/parsing.md": NLP_PROGRESS,
        "results/resultsAnnotation.tsv": "1805.00001.pdf\tParsing#Bank#Accuracy#91.2\n",
    }
    write_deepscholar(folder / "deepscholar")
    for name, text in texts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    shutil.copytree(ROOT / "docs" / "how-to" / "papers-to-try", folder / "latex")
    (folder / "pdf").mkdir()
    simple_paper(folder / "pdf" / "made.pdf", ["1 Introduction", "2 Method"])
    rows = [{"id": "P18-1001", "title": "A Paper of Old", "year": "2018", "abstract": "Words."}]
    pq.write_table(pa.Table.from_pylist(rows), folder / "acl" / "acl_upto2022.parquet")


def _lines(*records: dict[str, Any]) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)
