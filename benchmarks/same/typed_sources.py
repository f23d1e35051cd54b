"""Small typed files, by kind and name, of the sources that the data folder has none of."""

import json
from typing import Any

ABOUT: dict[str, Any] = {
    "url": "http://arxiv.org/abs/2406.00001v2",
    "title": "Paper number 1",
    "abstract": "What paper 1\nis about.",
    "authors": "A One, B  Two",
    "published": "2024-06-01",
    "updated": "2024-06-03",
    "primary_cat": "cs.LG",
    "cats": ["cs.CL", "cs.LG"],
    "label": "Original Paper",
    "paper_cat": "Mamba",
}
ACL = """<?xml version='1.0' encoding='UTF-8'?>
<collection id="2020.acl"><volume id="main" ingest-date="2020-06-21" type="proceedings">
<meta><booktitle>Proceedings of the <fixed-case>M</fixed-case>eeting</booktitle>
<month>July</month><year>2020</year><venue>acl</venue></meta>
<paper id="1"><title>On <fixed-case>BERT</fixed-case>s</title>
<author id="ada-first-here"><first>Ada</first><last>First</last></author>
<author><first/><last>Mononym</last></author><pages>1-10</pages>
<abstract>We use <tex-math>x_1 &lt; y</tex-math> and <i>more <b>than</b></i> that.</abstract>
<doi>10.18653/v1/2020.ACL-main.1</doi><bibkey>first-2020</bibkey></paper>
<paper id="2" type="backmatter"><title>Index</title></paper></volume></collection>"""
HTML = """<html lang="en"><head><title>A Small Paper</title></head><body>
<article class="ltx_document"><h1 class="ltx_title ltx_title_document">A Small Paper</h1>
<div class="ltx_authors"><span class="ltx_creator ltx_role_author">
<span class="ltx_personname">Ada First</span></span></div>
<div class="ltx_abstract"><h6 class="ltx_title">Abstract</h6>
<p class="ltx_p">We do a thing.</p></div>
<section class="ltx_section" id="S1"><h2 class="ltx_title ltx_title_section">
<span class="ltx_tag">1 </span>Introduction</h2><div class="ltx_para"><p class="ltx_p">As others
<cite class="ltx_cite"><a href="#bib.bib1" class="ltx_ref">One (2020)</a></cite> did.</p></div>
</section>
<section class="ltx_bibliography" id="bib"><h2 class="ltx_title">References</h2>
<ul class="ltx_biblist"><li class="ltx_bibitem" id="bib.bib1">
<span class="ltx_bibblock">A. One. 2020.</span>
<span class="ltx_bibblock">Deep reading of papers.</span>
<span class="ltx_bibblock">arXiv:2001.00001.</span></li></ul></section></article></body></html>"""
OAI = """<?xml version="1.0" encoding="UTF-8"?>
<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/">
<responseDate>2024-06-30T00:00:00Z</responseDate>
<request verb="ListRecords">https://oai.example.org/oai</request>
<ListRecords><record><header><identifier>oai:arXiv.org:2406.00007</identifier>
<datestamp>2024-06-20</datestamp><setSpec>cs:cs:CL</setSpec></header><metadata>
<arXivRaw xmlns="http://arxiv.org/OAI/arXivRaw/"><id>2406.00007</id><submitter>One</submitter>
<version version="v1"><date>Mon, 3 Jun 2024 23:30:00 GMT</date><size>9kb</size></version>
<version version="v10"><date>Thu, 20 Jun 2024 08:00:00 GMT</date><size>9kb</size></version>
<title>A Title of
  Two Lines</title><authors>Ada First (Here, and There), Bo Second</authors>
<categories>cs.CL math.NA cs.CL</categories><doi>10.1000/ABC</doi>
<license>http://creativecommons.org/licenses/by/4.0/</license>
<abstract>  An abstract with $x &lt; y$.</abstract></arXivRaw></metadata></record>
<record><header status="deleted"><identifier>oai:arXiv.org:2406.00008</identifier>
<datestamp>2024-06-20</datestamp></header></record></ListRecords></OAI-PMH>"""


def _work(number: int, row: int, name: str) -> dict[str, Any]:
    return {
        "bib_hash_or_arxiv_id": name,
        "row": row,
        "corpus_id": number,
        "type": "ref",
        "title": f"Work {number}",
        "abstract": f"About {number}.",
    }


DIGEST = {
    "tabid": "t1",
    "table": {
        "Size": {"11": ["small"], "22": ["1M", "2M"]},
        "Data": {"11": [3], "22": [None]},
    },
    "row_bib_map": [_work(11, 1, "f00ba4"), _work(22, 0, "2005.14165")],
    "caption": "Models  and\ntheir sizes",
    "in_text_ref": ["See Table 1."],
    "arxiv_id": "2301.00001v2",
}
WORK = {"tabids": ["t1"], "corpus_id": 11, "title": "Work 11", "abstract": "About 11."}
SAMPLES = {
    "title.json": {**ABOUT, "gt": "Paper number 1", "main_content": "All of the paper."},
    "abstract.json": {**ABOUT, "gt": "What paper 1\nis about.", "main_content": "Without its end."},
    "related.json": [
        {**ABOUT, "gt": "Others did this.", "main_content": "All but that."},
        {**ABOUT, "url": "http://arxiv.org/abs/2406.00007v1", "label": "Related Work"},
    ],
    "broken.json": "no sample",
}
TYPED: dict[str, dict[str, str]] = {
    "academiceval": {name: json.dumps(sample) for name, sample in SAMPLES.items()},
    "acl": {"2020.acl.xml": ACL, "P19.xml": "<volume"},
    "digestables": {"tables.jsonl": json.dumps(DIGEST), "papers.jsonl": json.dumps(WORK)},
    "html": {"2401.00001v2.html": HTML, "empty.html": ""},
    "metadata": {
        "rows.csv": "title,authors,published,doi\nOne paper,Ada First,2024-05,10.1234/A\n,,,\n",
        "rows.jsonl": '{"id": "x1", "title": "Other", "authors": ["Bo"], "mood": "good"}\nno row\n',
    },
    "oai": {"page.oai.xml": OAI},
}
