"""Papers left out of all tasks: file, reason and remedy."""

from __future__ import annotations

import csv
import io
import shlex
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from vivavoce.corpus import Corpus
from vivavoce.corpus.fields import GATES
from vivavoce.corpus.ingestion.imports import File
from vivavoce.records import Paper
from vivavoce.rounds import Round
from vivavoce.rounds.family import EVERY_TASK
from vivavoce.sources import list_sources
from vivavoce.store import Row
from vivavoce.text.printing import guard_formula

UNREADABLE = "unreadable"
NO_ITEM = "no_item"
UNDATED = "undated"
SHOWN = 5
"""Papers listed on the terminal; the file lists all."""
_COLUMNS = ("file", "reason", "remedy")


def count_papers(
    corpus: Corpus,
    opened: Round,
    tasks: Sequence[str],
    files: Mapping[str, Sequence[File]],
) -> tuple[Row, list[Row]]:
    """Count the given and the used papers.

    Returns:
        The counts, and the papers left out with file, reason and remedy. They are followed by
        faulty rows of tables, which explain missing dates.
    """
    known = {paper.paper_id for paper in corpus.papers}
    used: set[str] = set()
    for family, task in opened.tasks():
        if task in tasks:
            rows = opened.items(family, task)
            used |= {str(name) for row in rows for name in (row.get("paper_id"), row["cluster"])}
            used |= {str(name) for row in rows for name in row.get("papers") or ()}
    used &= known
    reasons: dict[str, str] = {}
    for row in opened.leakage["excluded"]:
        if row["task"] in (EVERY_TASK, *tasks):
            reasons.setdefault(row["paper_id"], row["reason"])
    without = [
        (paper, paper.gates[0] if paper.gates else reasons.get(paper.paper_id, NO_ITEM))
        for paper in corpus.papers
        if paper.paper_id not in used
    ]
    sources = list_sources()
    faults = list(corpus.rows("faults")) if files else []
    unread = [row for row in faults if not sources[row["source"]].holds_many]
    counts = Counter(reason for _, reason in without)
    counts.update({UNREADABLE: len(unread)} if unread else {})
    papers = {
        "given": len(known) + len(unread),
        "used": len(used),
        "left_out": dict(sorted(counts.items())),
    }
    paths = {path.name: path for each in files.values() for _, path in each}
    rest = [row for row in faults if row not in unread]
    return papers, [
        *(_unread(row, paths) for row in unread),
        *(_left_out(paper, reason) for paper, reason in without),
        *({"file": row["where"], "reason": row["reason"], "remedy": None} for row in rest),
    ]


def _unread(fault: Row, paths: Mapping[str, Path]) -> Row:
    path = shlex.quote(str(paths.get(fault["where"], fault["where"])))
    remedies = {
        "scan": f"ocrmypdf {path} {path}",
        "locked": f"qpdf --decrypt --replace-input --password=PASSWORD {path}",
    }
    return {
        "file": fault["where"],
        "reason": fault["reason"],
        "remedy": remedies.get(fault["kind"]),
    }


def _left_out(paper: Paper, reason: str) -> Row:
    file = paper.source_file or paper.paper_id
    row = io.StringIO()
    csv.writer(row, lineterminator="").writerow([file, "YYYY-MM-DD"])
    is_undated = paper.gates == (UNDATED,) and paper.source_file
    return {
        "file": file,
        "reason": GATES.get(reason, reason.replace("_", " ")),
        "remedy": f"in dates.csv: {row.getvalue()}" if is_undated else None,
    }


def left_out_lines(rows: Sequence[Row], path: str) -> Iterator[str]:
    """Lines on the first papers left out, then the file with all."""
    for row in rows[:SHOWN]:
        remedy = f"; {row['remedy']}" if row["remedy"] else ""
        yield f"  {row['file']}: {row['reason']}{remedy}"
    if len(rows) > SHOWN:
        yield f"  {len(rows) - SHOWN:,} more: {path}"


def as_csv(rows: Sequence[Row]) -> str:
    """The rows as CSV; formulas are disarmed."""
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(_COLUMNS)
    for row in rows:
        table.writerow([guard_formula(row[name] or "") for name in _COLUMNS])
    return text.getvalue()
