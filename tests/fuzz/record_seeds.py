"""What fuzzing of answers and records starts from: the first byte of each seed chooses a reader."""

import json
from collections.abc import Iterator
from typing import Any

# For TABLE_PATHS

_ANSWERS = (
    "| Method | F1 |\n|---|---|\n| BERT (large) | 93.2 |\n| R-Net \\| b | **88.5** ± 0.2% |\n",
    'Sure:\n```csv\npaper,Task,Size\nP1,QA,1.5M\nP2,"a, b",2\n```\n',
    "<table><tr><th>Paper</th><th rowspan=3>F1</th></tr><tr><td colspan=2>P1<td>9</table>",
    "\\begin{tabular}{l|c}\nP & \\textbf{F1} \\\\ \\hline\n"
    "P1~\\cite{a} & {\\bf 9} \\\\\n\\end{tabular}",
    "┌──┬──┐\n│P1│QA│\n├──┼──┤\n│P2│x │\n└──┴──┘\n",
    '```json\n{"papers": ["P1"], "columns": ["Task"], '
    '"rows": [{"paper": "P1", "cells": {"Task": "QA"}}]}\n```',
    "| a" * 900 + "\n" + "|-" * 900,
    "<table>" * 900,
    "\\begin{tabular}{" * 600,
    "|" * 4_000 + "\n" + "\\|" * 2_000,
)
_LISTS = (
    "1. Deep Nets for Reading\n2. **Shallow Nets for Writing**\n3. 'SQuAD: 100,000+'",
    "['Deep Nets for Reading', \"Shallow Nets\", ...]",
    "Here you go: Deep Nets for Reading > Shallow Nets for Writing > nothing",
)
_PAPER_TABLES = (
    "Table 1: F1 on SQuAD.\nModel\tDev\tTest F1\nAlpha (One et al., 2017)\t70\t71.4\nOurs\t1\t2\n\n"
    "On SQuAD our BiDAF reaches an F1 of 77.3.\nAlpha 61.3 71.4 Beta 63.7 73.8 Gamma 1.2 3.4",
    "Table 2: Scores\nModel EM F1\nAlpha\n61.3 71.4\nBeta 63.7\n73.8\n",
    "Table\n" + "1.5\t" * 900 + "\n\n" + "1.5 " * 2_000,
)
_ROWS = (
    'id,title,authors,year,month\np1,"A, paper",A One;B Two,2017,May\n"p2\n",,,,\n',
    "a.pdf\tQA#SQuAD#F1#93.2$QA#SQuAD#EM#88\n",
    "# A survey\n\n## 1. Start\n\nAs [1, 2-4] and ([5](#r5)).\n\n"
    "## References\n\n[1] A. One. 2017.\n",
)


def made_tables() -> Iterator[bytes]:
    """Answers, lists, tables of a paper, and files with rows."""
    groups = (_ANSWERS, _LISTS, _PAPER_TABLES, *((row,) for row in _ROWS))
    for choice, texts in enumerate(groups):
        for text in texts:
            yield bytes([choice]) + text.encode()


# For JSON_PATHS

_SPAN = {"start": 3, "end": 6, "text": "[1]", "ref_id": "BIBREF0"}
_PARAGRAPH = {"text": "As [1] did.", "section": "Start", "sec_num": "1", "cite_spans": [_SPAN]}
_PARSE = {
    "body_text": [_PARAGRAPH],
    "bib_entries": {"BIBREF0": {"title": "A work", "year": 2017, "authors": [{"last": "One"}]}},
    "ref_entries": {"TABREF0": {"type": "table", "text": "F1", "html": "<table><tr><td>9"}},
}
_S2ORC = {"paper_id": "7", "title": "A paper", "pdf_parse": _PARSE, "authors": [{"last": "One"}]}
_UNARXIVE = {
    "paper_id": "1805.00001",
    "_source_hash": "0a",
    "metadata": {"title": "A paper", "versions": [{"version": "v1", "created": "3 May 2018"}]},
    "body_text": [
        {"section": "Start", "sec_number": "1", "sec_type": "section", "text": "{{cite:a}}"}
    ],
    "bib_entries": {"a": {"bib_entry_raw": "A. One. 2017.", "ids": {"arxiv_id": "1706.03762"}}},
    "ref_entries": {"t": {"type": "table", "caption": "As {{cite:a}}"}},
}
_WORK = {"bib_hash_or_arxiv_id": "f0", "row": 0, "corpus_id": 11, "type": "ref", "title": "W"}
_TABLE = {
    "tabid": "t1",
    "arxiv_id": "2301.00001v2",
    "table": {"Size": {"11": ["small"], "22": ["1M", 2]}},
    "row_bib_map": [_WORK, {**_WORK, "row": 1, "corpus_id": 22, "type": "ours"}],
    "caption": "Models",
    "in_text_ref": ["See Table 1."],
}
_SAMPLE = {
    "url": "http://arxiv.org/abs/2406.00001v2",
    "title": "A paper",
    "abstract": "Short.",
    "authors": "A One, B Two",
    "published": "2024-06-01",
    "primary_cat": "cs.LG",
    "cats": ["cs.LG"],
    "label": "Original Paper",
    "gt": "It starts.",
    "main_content": "All.",
}
_BENCHMARK = {
    "table_id": "t1",
    "table_query_id": 3,
    "table_references": [_WORK, {**_WORK, "row": 1, "corpus_id": 22}],
    "input_references_id": [11, 22],
    "table": _TABLE["table"],
    "table_caption": "Models",
}
_FULL_TEXT = {
    "metadata": {"corpusId": 11, "title": "W", "publication_date": {"year": 2017, "month": 5}},
    "content": {
        "grobid": {
            "contents": "Start\nOne. A work.",
            "annotations": {
                "section_header": [{"start": 0, "end": 5, "attributes": {"n": "1"}}],
                "paragraph": '[{"start": 6, "end": 10}]',
                "bib_entry": [{"start": 11, "end": 18}],
                "bib_title": [{"start": 11, "end": 17}],
            },
        }
    },
}
_PWC = {
    "task": "QA",
    "datasets": [
        {
            "dataset": "SQuAD",
            "sota": {
                "metrics": ["F1"],
                "rows": [
                    {"model_name": "BERT", "metrics": {"F1": "93.2"}, "paper_date": "2018-10"}
                ],
            },
        }
    ],
    "subtasks": [],
}
RECORDS: tuple[tuple[int, Any], ...] = (
    (
        0,
        {"methods": [{"name": "Momentum", "formula": "P_t", "symbols": ["P_t"], "inferred": True}]},
    ),
    (0, {"novelty": 1, "overall_winner": {"winner": "Answer 2"}}),
    (
        0,
        {
            "include": ["P1"],
            "drop": [],
            "rename": {"a": "b"},
            "rows": [{"paper": "P1", "cells": {}}],
        },
    ),
    (1, {"title": "A title"}),
    (2, {"a": [1, -0.0, 1e300, "é\u2028", {"b": None}]}),
    (
        3,
        {
            "papers": ["P1"],
            "table": {"columns": ["F1"], "rows": [{"paper": "P1", "cells": {"F1": 9}}]},
        },
    ),
    (4, _S2ORC),
    (5, _S2ORC),
    (5, {"paper_id": "7", "has_pdf_parse": True, "title": "A paper", "year": 2017}),
    (6, _UNARXIVE),
    (7, _TABLE),
    (8, {"tabids": ["t1"], "corpus_id": 11, "title": "W", "abstract": "About."}),
    (9, _FULL_TEXT),
    (10, _BENCHMARK),
    (10, [_BENCHMARK, _TABLE]),
    (11, _SAMPLE),
    (11, [_SAMPLE, {**_SAMPLE, "label": "Related Work"}]),
    (
        12,
        {"id": "p1", "title": "A", "authors": ["A One"], "author_ids": [None], "year": "2017-2018"},
    ),
    (13, [_PWC]),
    (14, {"task": "QA", "dataset": "SQuAD", "metric": "F1", "method": "BERT", "score": "93.2"}),
    (15, {"paper": "1412.6575", "task": "a", "dataset": "b", "metric": "c", "score": "49.00"}),
    (16, {"id": "0704.0001", "title": "A", "authors_parsed": [["One", "A", ""]], "versions": []}),
)


def made_json() -> Iterator[bytes]:
    """A record of each kind, and JSON that goes too far."""
    for choice, value in RECORDS:
        yield bytes([choice]) + json.dumps(value).encode()
    for text in ("[" * 9_000, '{"a":' * 1_500, "9" * 5_000, '{"a": NaN}', '{"a":1,"a":2}', "{}"):
        for choice in range(5):
            yield bytes([choice]) + text.encode()
    yield b"\x00```json\n{}\n```\n" * 90
    yield b'\x01Sure! Here is a title:\n\n**Title: "A paper"** (9 words)'
