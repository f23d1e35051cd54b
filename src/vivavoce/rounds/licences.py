"""Licences of a round's papers, and the parts of the round that may be redistributed.

The latter are rows from which the texts of closed papers are removed, and files without such texts.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vivavoce.errors import InputError
from vivavoce.rounds.reading import MANIFEST, Round
from vivavoce.store import Row, hash_of, read_json, write_bytes, write_json, write_jsonl

if TYPE_CHECKING:
    import pyarrow as pa

    from vivavoce.corpus import Corpus


LICENCES = "licences.json"
"""File with the licence of each paper that has rows in a round; null if none is stated."""
_OWNERS = ("paper_id", "cluster", "work_id")
_FACTS = frozenset(
    "id paper_id cluster split kind published published_from category settings demand_source "
    "demos_random demos_coauthor pool evidence gold_papers hidden_papers".split()
)
"""Columns that hold no text from the paper; numbers are not text either."""
_TEXTS = frozenset({"abstract", "text", "sections", "tables"})
"""Fields inside a row that hold text from a cited work."""
_RESTRICTED = re.compile(r"non ?exclusive|\bnd\b|no ?deriv|all rights reserved|byn[cd]*nd")
_OPEN = re.compile(
    r"\bcc ?(?:0|zero)\b|\bcc ?by(?:nc|sa|\b)|public ?domain|"
    r"creativecommons\.org (?:licenses|licences) by\b|creative commons (?:attribution|by|zero)\b"
)


def is_open(licence: str | None) -> bool:
    """Check whether a licence lets anyone redistribute a text, including parts of it.

    Such licences are CC0, the public domain, and CC BY with or without NC and SA. ND is excluded,
    because items use parts of papers. If semicolons join several licences, all must be open.
    """
    parts = [part for part in (licence or "").casefold().split(";") if part.strip()]
    plain = [" ".join(re.split(r"[\s/_:,()-]+", part)).strip() for part in parts]
    return bool(plain) and all(_OPEN.search(p) and not _RESTRICTED.search(p) for p in plain)


def licences_of(corpus: Corpus, folder: Path) -> dict[str, str | None]:
    """The licence of every paper that owns rows in the tables of a folder."""
    import pyarrow.parquet as pq

    named: set[str] = set()
    for path in sorted(folder.rglob("*.parquet")):
        schema = pq.read_schema(path)
        columns = [one.name for one in schema if one.name in _OWNERS or _owners_of(one.type)]
        table = pq.read_table(path, columns=columns)
        for name in columns:
            named.update(_owners_in(table[name].combine_chunks()))
    return {p.paper_id: p.licence for p in corpus.papers if p.paper_id in named}


def _owners_of(kind: pa.DataType) -> list[str]:
    """The owner fields in the structs of a list column, by name."""
    import pyarrow as pa

    is_list = pa.types.is_list(kind) and pa.types.is_struct(kind.value_type)
    return [field.name for field in kind.value_type if field.name in _OWNERS] if is_list else []


def _owners_in(column: pa.Array) -> Iterator[str]:
    inner = _owners_of(column.type)
    parts = [column.flatten().field(name) for name in inner] if inner else [column]
    for part in parts:
        yield from part.drop_null().unique().to_pylist()


class OpenTexts:
    """Filter for a round's rows that keeps only texts of papers with an open licence."""

    def __init__(self, opened: Round) -> None:
        if LICENCES not in opened.manifest["files"]:
            raise InputError(
                f"Round {opened.id} lacks its papers' licences. Build it again from its "
                "corpus, or export it with --format ids."
            )
        self.licences: Mapping[str, str | None] = read_json(opened.folder / LICENCES)["papers"]
        self._open = {name for name, licence in self.licences.items() if is_open(licence)}
        self.withheld: Counter[str] = Counter()
        """Number of rows whose texts were withheld, by table."""

    def filter(self, path: str, table: pa.Table) -> pa.Table:
        """Remove closed texts from a table; rows keep their ids and facts, the columns stay."""
        import pyarrow as pa

        rows = [self._row(path, row) for row in table.to_pylist()]
        return pa.Table.from_pylist(rows, schema=table.schema)

    def _row(self, path: str, row: Row) -> Row:
        owner = row.get("paper_id")
        if owner is None and row.get("cluster") in self.licences:
            owner = row["cluster"]
        if owner is None or owner in self._open:
            kept = {name: self._inner(value) for name, value in row.items()}
        else:
            kept = {
                name: value if name in _FACTS or isinstance(value, bool | int | float) else None
                for name, value in row.items()
            }
        self.withheld[path] += kept != row
        return kept

    def _inner(self, value: Any) -> Any:
        """A value from which the texts of closed works are removed."""
        if isinstance(value, list):
            return [self._inner(element) for element in value]
        if not isinstance(value, dict):
            return value
        owners = [value[name] for name in _OWNERS if name in value]
        if owners and owners[0] not in self._open:
            return {n: None if n in _TEXTS else inner for n, inner in value.items()}
        return value

    def describe(self) -> Row:
        """Counts of papers by licence, and of rows with withheld texts by table."""
        by_licence = Counter(licence or "not stated" for licence in self.licences.values())
        return {
            "papers": len(self.licences),
            "open": len(self._open),
            "ids_only": len(self.licences) - len(self._open),
            "by_licence": {
                name: {"papers": n, "open": is_open(name)} for name, n in sorted(by_licence.items())
            },
            "rows_without_texts": {name: n for name, n in sorted(self.withheld.items()) if n},
        }


def without_details(opened: Round) -> Iterator[Row]:
    """Excluded papers with reasons; details may quote a paper, so each row is only hashed."""
    for row in opened.leakage["excluded"]:
        kept = {name: value for name, value in row.items() if name != "detail"}
        yield {**kept, "sha256": hash_of(row)}


_LEAKAGE = "leakage.json"
_ABOUT = ("card.md", _LEAKAGE, "spec.json", LICENCES, MANIFEST)
"""Files that describe a round and are not part of its items."""
TEXTS = "texts.json"
"""File in an export that counts papers exported as text and as ids."""


@dataclass(frozen=True, slots=True)
class TableFile:
    """A table of a round: items of a task, or data that items need besides their rows."""

    path: str
    """Path relative to the round's folder."""
    name: str
    """The task, or the family and the file, such as `writing_papers`."""
    is_items: bool


class Contents:
    """Contents of a round for an export: with all texts, or only texts of open papers."""

    def __init__(self, opened: Round, *, open_only: bool = False) -> None:
        self.round = opened
        self._texts = OpenTexts(opened) if open_only else None

    def tables(self) -> list[TableFile]:
        """The tables of items, then the other tables in the families' folders."""
        tasks = {f"{family}/{task}.parquet": task for family, task in self.round.tasks()}
        families = set(self.round.manifest["families"])
        items, others = [], []
        for path in sorted(self.round.manifest["files"]):
            family, _, name = path.rpartition("/")
            if path in tasks:
                items.append(TableFile(path, tasks[path], is_items=True))
            elif family in families and name.endswith(".parquet"):
                stem = name.removesuffix(".parquet")
                others.append(TableFile(path, f"{family}_{stem}", is_items=False))
        return items + others

    def read(self, path: str) -> pa.Table:
        """Read a table of the round, without withheld texts."""
        import pyarrow.parquet as pq

        table = pq.read_table(self.round.folder / path)
        return self._texts.filter(path, table) if self._texts else table

    def write_others(self, folder: Path) -> None:
        """Copy all files that are not tables, except files with withheld texts."""
        tables = {table.path for table in self.tables()}
        is_partial = self._texts is not None and bool(self._texts.withheld.total())
        for name in sorted({*self.round.manifest["files"], *_ABOUT} - tables):
            if self._texts and name == _LEAKAGE:
                write_jsonl(folder / "left_out.jsonl", without_details(self.round))
            elif is_partial and "/" in name and name.endswith((".json", ".jsonl")):
                continue  # a family's other files may quote closed papers
            elif (self.round.folder / name).exists():
                write_bytes(folder / name, (self.round.folder / name).read_bytes())
        if self._texts:
            write_json(folder / TEXTS, self._texts.describe())

    def describe(self) -> Row | None:
        """Counts of texts and ids; None if all texts are exported."""
        return self._texts.describe() if self._texts else None
