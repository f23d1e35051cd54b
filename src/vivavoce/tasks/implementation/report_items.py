"""Reports as items of a round: their text, what a PDF reader makes of them, and their methods."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import pyarrow as pa

from vivavoce.records import Document
from vivavoce.sources.fulltext.pdf.child import read_in_child
from vivavoce.store import Row
from vivavoce.tasks.implementation.extraction import methods_json
from vivavoce.tasks.implementation.report import Method, Report

SCHEMA = pa.schema(
    [
        ("id", pa.string()),
        ("cluster", pa.string()),
        ("category", pa.string()),
        ("difficulty", pa.string()),
        ("title", pa.string()),
        ("text", pa.string()),
        ("pdf_text", pa.string()),
        ("methods", pa.string()),
        ("answer", pa.string()),
    ]
)
"""`text` is Markdown; `pdf_text` null without a PDF; `methods` and `answer` are JSON."""


def report_items(reports: Iterable[Report]) -> list[Row]:
    """The items, sorted by id; `InputError` for a PDF that cannot be read."""
    return sorted(map(report_row, reports), key=lambda row: str(row["id"]))


def report_row(report: Report) -> Row:
    """One report as a row of a round."""
    return {
        "id": report.name,
        "cluster": report.name,
        "category": report.category,
        "difficulty": report.difficulty,
        "title": report.title,
        "text": report.text,
        "pdf_text": pdf_text(report.pdf_path) if report.pdf_path else None,
        "methods": json.dumps([_method(method) for method in report.methods], ensure_ascii=False),
        "answer": f"```json\n{methods_json(report.methods)}\n```\n",
    }


def pdf_text(path: Path) -> str:
    """The text of a PDF as `viva ingest pdf` reads it; its headings as in Markdown."""
    found: Document = read_in_child(path)
    parts = [f"## Abstract\n\n{found.abstract}"] if found.abstract else []
    for section in found.sections:
        heading = f"{'#' * (section.level + 1)} {section.heading}" if section.heading else ""
        parts += [part for part in (heading, section.text) if part]
    return "\n\n".join(parts) + "\n"


def _method(method: Method) -> Row:
    return {
        "name": method.name,
        "description": method.description,
        "formula": method.formula,
        "variables": dict(method.variables),
        "aliases": list(method.aliases),
    }
