"""Items of a round from hand-made and composed formulas, networks and reports, and the market.

The items are undated and do not come from the corpus. The market and the gold values are stored in
the round, so later versions do not change them.

Source: RD2Bench, section 2.1.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterable, Mapping
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import Field, ValidationInfo, field_validator

from vivavoce.corpus import Corpus
from vivavoce.errors import InputError, MissingExtra
from vivavoce.records import Document
from vivavoce.rounds.family import FamilyItems
from vivavoce.rounds.spec import Options, RoundSpec
from vivavoce.sources.fulltext.pdf.child import read_in_child
from vivavoce.store import Row, canonical_json, table_of_parquet
from vivavoce.tasks.implementation.items.architecture import (
    Architecture,
    build_case,
    list_architectures,
)
from vivavoce.tasks.implementation.items.architectures import import_geometric
from vivavoce.tasks.implementation.items.composed_formulas import compose
from vivavoce.tasks.implementation.items.composed_networks import compose_networks
from vivavoce.tasks.implementation.items.formula import Formula, list_formulas, texts
from vivavoce.tasks.implementation.items.market import TABLES, generate, to_parquet
from vivavoce.tasks.implementation.items.report import (
    Claim,
    Method,
    Report,
    claim_program,
    compute_claim,
    list_reports,
    methods_json,
)

if TYPE_CHECKING:
    import pandas as pd

FAMILY = "implementation"

_ITEMS: Mapping[str, Any] = {
    "formulas": list_formulas,
    "architectures": list_architectures,
    "reports": list_reports,
}
"""Listings of items, by the option that selects from them."""


class ImplementationOptions(Options):
    """The `[implementation]` table of a round spec: names of items, by default all."""

    items: str | None = None
    """Your own folder with `formulas/`, `architectures/`, `reports/` and `market/`."""
    composed: int = Field(default=0, ge=0)
    """Formulas composed from the round's seed, beside the fixed ones."""
    composed_architectures: int = Field(default=0, ge=0)
    """Architectures composed from the round's seed, besides the fixed ones."""
    formulas: tuple[str, ...] | None = Field(default=None, validate_default=True)
    architectures: tuple[str, ...] | None = Field(default=None, validate_default=True)
    reports: tuple[str, ...] | None = Field(default=None, validate_default=True)

    @field_validator("formulas", "architectures", "reports")
    @classmethod
    def _check_names(cls, names: tuple[str, ...] | None, info: ValidationInfo) -> tuple[str, ...]:
        known = _known(str(info.field_name), _folder(info.data.get("items")))
        unknown = [name for name in names or () if name not in known]
        if unknown:
            raise ValueError(f"there is no {unknown[0]!r}; available: {', '.join(known)}")
        return tuple(known) if names is None else tuple(sorted(set(names)))


OPTIONS = ImplementationOptions


def build(corpus: Corpus, spec: RoundSpec, options: ImplementationOptions) -> FamilyItems:
    """Make the items, and the market from the round's seed. A task without items is left out."""
    folder = _folder(options.items)
    frames = _market(spec.round.seed, folder)
    known, networks, described = (
        _known(kind, folder) for kind in ("formulas", "architectures", "reports")
    )
    fixed = ((known[name], known[name].values(frames)) for name in options.formulas or ())
    composed = compose(spec.round.seed, options.composed, frames) if options.composed else ()
    formulas: list[Row] = []
    gold_files: dict[str, bytes] = {}
    for number, (formula, values) in enumerate(chain(fixed, composed)):
        gold = f"values/{number:03d}.parquet"
        gold_files[gold] = _gold(values)
        formulas.append(formula_row(formula, gold))
    formulas.sort(key=lambda row: str(row["id"]))
    chosen = (networks[name] for name in options.architectures or ())
    more = compose_networks(spec.round.seed, options.composed_architectures)
    architectures, tensors = architecture_items(chain(chosen, more), spec.round.seed)
    reports = [described[name] for name in options.reports or ()]
    claims, claimed = reproduce_items(reports, known, frames)
    tasks = {
        "formula": formulas,
        "architecture": architectures,
        "extract_method": [report_row(report) for report in reports],
        "reproduce": claims,
    }
    tables = {f"market/{name}.parquet": to_parquet(f) for name, f in frames.items()}
    made = {task: items for task, items in tasks.items() if items}
    return FamilyItems(made, SCHEMAS, files=tables | gold_files | tensors | claimed)


def _known(kind: str, folder: Path | None) -> Mapping[str, Any]:
    """Items of a kind by name; a user's folder is read each time."""
    listing = _ITEMS[kind]
    known: Mapping[str, Any] = listing.__wrapped__(folder) if folder else listing()
    return known


def _folder(items: str | None) -> Path | None:
    """Check a user's folder of items; `ValueError` if it does not exist."""
    if items is None:
        return None
    if not Path(items).is_dir():
        raise ValueError(f"{items} is not a folder")
    return Path(items)


def _market(seed: int, folder: Path | None) -> dict[str, pd.DataFrame]:
    """The market of a seed; tables in a user's folder replace its own."""
    frames = generate(seed)
    for name in TABLES if folder else ():
        path = Path(folder or "") / "market" / f"{name}.parquet"
        if not path.is_file():
            continue
        columns = list(frames[name].columns)
        table = table_of_parquet(path.read_bytes()).to_pandas()
        if missing := sorted(set(columns) - set(table.columns)):
            raise InputError(f"{path} has no column {missing[0]}; it needs {', '.join(columns)}.")
        frames[name] = table[columns]
    return frames


_TYPES = {
    "claim": pa.float64(),
    "columns": pa.list_(pa.string()),
    "layers": pa.list_(pa.string()),
}
"""Types of columns that are not text."""
_KIND = ("id", "cluster", "category", "difficulty")
_TEXTS = ("description", "formulation", "variables")
_UNCHANGED = ("origin", "alias_of", "description", "formulation", "corners")
"""Parts of a formula that are stored as they are."""
_MAPPINGS = ("variables", "arguments", "inputs", "parameters")
"""Parts of an architecture that are stored as JSON, in its author's order."""


def _schema(*names: str) -> pa.Schema:
    return pa.schema([(name, _TYPES.get(name, pa.string())) for name in (*_KIND, *names)])


SCHEMAS: Mapping[str, pa.Schema] = {
    "formula": _schema(
        *("origin", "alias_of", *_TEXTS, "corners", "columns", "data", "reference"),
        *("naive", "values"),
    ),
    "architecture": _schema(
        *_TEXTS,
        *("constructor", "arguments", "inputs", "parameters", "layers", "reference"),
        "configuration",
        *("weights_file", "inputs_file", "gold_file", "unseen_inputs_file", "unseen_gold_file"),
    ),
    "extract_method": _schema("title", "text", "pdf_text", "methods", "answer"),
    "reproduce": _schema(
        "text", "data", "method", "columns", "claim", "reference", "naive", "values"
    ),
}
"""Columns of the items, by task.

JSON: `variables`, `data`, `arguments`, `inputs`, `parameters` and `settings`, for architectures in
the author's order; `method`, `methods` and the methods within `answer`. `text` is Markdown;
`pdf_text` is null without a PDF. `reference` and `naive` are programs; in `reproduce`, answers.
`corners` describes corner cases. `values` names a Parquet file of gold, `*_file` a safetensors
file.
"""

_VARIANT = re.compile(r"_\d+$")
_SIGNIFICANT = 12
"""Significant digits of gold values and claimed numbers; further ones depend on the processor."""


def cluster_of(name: str) -> str:
    """Cluster of a formula, shared by variants: `alpha053` for `alpha053_5`."""
    return _VARIANT.sub("", name)


def formula_row(formula: Formula, gold: str) -> Row:
    """Row of a formula; `gold` names the file of its values."""
    return {
        **_kind(formula, cluster_of(formula.name)),
        **{name: getattr(formula, name) for name in _UNCHANGED},
        "variables": canonical_json(formula.variables),
        "columns": list(formula.columns),
        "data": canonical_json(texts()),
        "reference": formula.program,
        "naive": formula.naive_program,
        "values": gold,
    }


def _kind(item: Formula | Architecture | Report, cluster: str) -> Row:
    """Columns of the items of all tasks."""
    return dict(zip(_KIND, (item.name, cluster, item.category, item.difficulty), strict=True))


def _gold(series: Any) -> bytes:
    """A reference's values as Parquet: datetime, instrument, value, in order."""
    frame = series.rename("value").sort_index().reset_index()
    values = [float(f"{value:.{_SIGNIFICANT}g}") for value in frame["value"].tolist()]
    table = pa.table(
        {
            "datetime": pa.array(frame["datetime"].dt.strftime("%Y-%m-%d").tolist(), pa.string()),
            "instrument": pa.array(frame["instrument"].astype(str).tolist(), pa.string()),
            "value": pa.array(values, pa.float64()),
        }
    )
    sink = io.BytesIO()
    pq.write_table(table, sink, compression="zstd")
    return sink.getvalue()


def architecture_items(
    architectures: Iterable[Architecture], seed: int
) -> tuple[list[Row], dict[str, bytes]]:
    """Make the items, sorted by id, and their files by name.

    `MissingExtra` without torch-geometric, `InputError` for a wrong number of layers.
    """
    rows: list[Row] = []
    files: dict[str, bytes] = {}
    ordered = sorted(architectures, key=lambda architecture: architecture.name)
    try:
        if ordered:
            import_geometric()
    except MissingExtra as error:
        raise MissingExtra(
            "torch-geometric",
            "neural",
            "A round with architectures (`architectures = []` under [implementation] in the spec "
            "makes one without)",
        ) from error
    for number, architecture in enumerate(ordered):
        contents = build_case(architecture, seed)
        names = {part: f"architectures/{number:03d}/{part}.safetensors" for part in contents}
        files |= {names[part]: content for part, content in contents.items()}
        row = {
            **_kind(architecture, cluster_of(architecture.name)),
            "description": architecture.description,
            "formulation": architecture.formulation,
            **{
                name: json.dumps(dict(getattr(architecture, name)), ensure_ascii=False)
                for name in _MAPPINGS
            },
            "constructor": architecture.constructor,
            "layers": list(architecture.layers),
            "reference": architecture.reference,
            "configuration": architecture.settings(),
            **{f"{part}_file": name for part, name in names.items()},
        }
        rows.append(row)
    return rows, files


def report_row(report: Report) -> Row:
    """Row of a report; `InputError` if its PDF cannot be read."""
    methods = [_structured(method) for method in report.methods]
    return {
        **_kind(report, report.name),
        "title": report.title,
        "text": report.text,
        "pdf_text": pdf_text(report.pdf_path) if report.pdf_path else None,
        "methods": json.dumps(methods, ensure_ascii=False),
        "answer": f"```json\n{methods_json(report.methods)}\n```\n",
    }


def pdf_text(path: Path) -> str:
    """Text of a PDF as read by `viva ingest pdf`, with headings in Markdown."""
    document: Document = read_in_child(path)
    parts = [f"## Abstract\n\n{document.abstract}"] if document.abstract else []
    for section in document.sections:
        heading = f"{'#' * (section.level + 1)} {section.heading}" if section.heading else ""
        parts += [part for part in (heading, section.text) if part]
    return "\n\n".join(parts) + "\n"


def reproduce_items(
    reports: Iterable[Report], formulas: Mapping[str, Formula], frames: Mapping[str, Any]
) -> tuple[list[Row], dict[str, bytes]]:
    """Make the items, sorted by id, and the files of their gold values by name."""
    rows, files = [], {}
    for place, report in enumerate(reports):
        if report.claim is None:
            continue
        claim, about = report.claim, f"The claim of report {report.name}"
        if claim.formula not in formulas:
            raise InputError(f"{about} is about {claim.formula!r}, which is not a formula.")
        known = {f"{table}.{name}" for table, frame in frames.items() for name in frame.columns}
        if unknown := sorted(set(claim.columns) - known):
            raise InputError(f"{about} needs {unknown[0]!r}, which is not a column.")
        formula = formulas[claim.formula]
        gold = f"claims/{place:03d}.parquet"
        files[gold] = _gold(formula.values(frames))
        (method,) = (method for method in report.methods if method.name == claim.method)
        number = compute_claim(formula, claim.statistic, frames)
        naive = formula.naive_program
        row = {
            **_kind(report, cluster_of(claim.formula)),
            "text": report.text,
            "data": canonical_json(texts()),
            "method": canonical_json(_structured(method)),
            "columns": list(claim.columns),
            "claim": float(f"{number:.{_SIGNIFICANT}g}"),
            "reference": _answer(method, claim, formula.program),
            "naive": _answer(method, claim, naive) if naive else None,
            "values": gold,
        }
        rows.append(row)
    return sorted(rows, key=lambda row: str(row["id"])), files


def _answer(method: Method, claim: Claim, program: str) -> str:
    """An answer in the requested form, without aliases."""
    structured = {name: value for name, value in _structured(method).items() if name != "aliases"}
    parts = {"method": structured, "columns": list(claim.columns)}
    code = claim_program(program, claim.statistic)
    reply = json.dumps(parts, ensure_ascii=False, indent=1)
    return f"```json\n{reply}\n```\n\n```python\n{code}```\n"


def _structured(method: Method) -> Row:
    texts_of = {name: getattr(method, name) for name in ("name", "description", "formula")}
    return {**texts_of, "variables": dict(method.variables), "aliases": list(method.aliases)}
