"""Reader of NLP-TDMS annotations: a paper's score for a task, a dataset and a metric.

The annotation file has a line per paper: its file, then `task#dataset#metric#score` joined by `$`.
The scores are also read flat, one JSON line each, with paper, paper_url, task, dataset, metric and
score. No method is named: a score belongs to the paper itself.
"""

import re
from collections.abc import Iterable
from pathlib import Path

from vivavoce.errors import InputError
from vivavoce.records import Fault, Result
from vivavoce.sources import is_named
from vivavoce.sources.leaderboards.rows import (
    ResultRow,
    has_name,
    plain,
    read_fields,
    read_lines,
    read_text,
    results_source,
)

_NAME = re.compile(r"resultsannotation\.tsv|tdms[-_a-z0-9]*\.(?:tsv|jsonl)")
_LARGEST_FILE = 64 << 20
_FIELDS = 4
_PAPER_SUFFIX = ".pdf"


def _read(path: Path, name: str, faults: list[Fault]) -> Iterable[ResultRow]:
    lines = read_text(path, _LARGEST_FILE, "list of annotations").splitlines()
    read = _read_row if name.lower().endswith(".jsonl") else _read_paper
    return read_lines(lines, name, read, faults)


def _read_paper(line: str) -> list[ResultRow]:
    """Read a line of the annotation file."""
    paper, separator, annotated = line.partition("\t")
    if not separator:
        raise InputError("no tab between the paper and its scores")
    rows = []
    for entry in annotated.split("$"):
        fields = entry.split("#")
        # A missing score is left out together with the mark before it.
        task, dataset, metric, score = (*fields[:_FIELDS], *[""] * (_FIELDS - len(fields)))[
            :_FIELDS
        ]
        if len(fields) > _FIELDS or not (task and dataset and metric):
            raise InputError(f"{entry[:80]!r} is not of the form task#dataset#metric#score")
        if score.strip():
            rows.append(_row(paper.strip(), None, task, dataset, metric, score))
    return rows


def _read_row(line: str) -> list[ResultRow]:
    """Read a line of the flat form."""
    fields = read_fields(line)
    values = {name: plain(fields.get(name)) for name in ("task", "dataset", "metric", "score")}
    row = _row(plain(fields.get("paper")), plain(fields.get("paper_url")) or None, **values)
    if not has_name(row) and row.result.score_text:
        raise InputError("the row has no dataset or no metric")
    return [row] if row.result.score_text else []


def _row(
    paper: str, url: str | None, task: str, dataset: str, metric: str, score: str
) -> ResultRow:
    """Make the row of a score; an empty file name is dropped."""
    stem = paper.removesuffix(_PAPER_SUFFIX)
    named = plain(dataset), plain(task).replace("_", " "), plain(metric)
    result = Result(*named, method="", score=None, score_text=plain(score), paper_url=url)
    return ResultRow(result, file_name=f"{stem}{_PAPER_SUFFIX}" if stem else None)


SOURCE = results_source(
    "tdms",
    "NLP-TDMS annotations (resultsAnnotation.tsv, tdms*.jsonl): scores that papers report",
    is_named(_NAME),
    _read,
    best_first=False,
)
