"""A round as ids: what to build it from, and hashes that tell whether it came out the same.

No text of a paper is in it, so it may be passed on where the texts may not. Whoever holds the
papers builds the round again to the same bytes, and learns which papers differ where it does not.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vivavoce.errors import DamagedError, InputError, StaleError
from vivavoce.rounds.export.contents import Contents
from vivavoce.rounds.licences import without_details
from vivavoce.rounds.reading import MANIFEST, Round, load_round
from vivavoce.rounds.texts import render
from vivavoce.store import (
    Row,
    canonical_json,
    hash_file,
    hash_of,
    read_sealed,
    write_jsonl,
    write_sealed,
    write_text,
)

if TYPE_CHECKING:
    from vivavoce.corpus import Corpus

EXPORT, ROWS, LEFT_OUT, PAPERS = "export.json", "rows.jsonl", "left_out.jsonl", "papers.jsonl"
FORMAT = 1
_IDENTIFIERS = ("id", "paper_id", "citing", "cited", "cluster")
_CORPUS_TABLES = ("papers", "authorships", "sections", "references", "tables", "results")


def write(contents: Contents, out: Path, papers: Mapping[str, str], corpus: Corpus | None) -> None:
    """Write ids, hashes, the spec and the manifest."""
    opened = contents.round
    write_jsonl(out / ROWS, row_hashes(opened))
    write_jsonl(out / LEFT_OUT, without_details(opened))
    names = [ROWS, LEFT_OUT]
    if corpus is not None:
        write_jsonl(out / PAPERS, corpus_papers(corpus))
        names.append(PAPERS)
    write_text(out / "README.md", render("ids.md", round=opened, has_papers=corpus is not None))
    write_sealed(
        out / EXPORT,
        {
            "format": FORMAT,
            "round": opened.id,
            "sha256": opened.sha256,
            "spec": opened.spec,
            "manifest": opened.manifest,
            "corpus": opened.manifest["corpus"],
            "code": opened.manifest["code"],
            "files": {name: {"sha256": hash_file(out / name)} for name in names},
        },
    )


def row_hashes(opened: Round) -> Iterator[Row]:
    """For every row of every table its place, its ids, and the hash of all it holds."""
    contents = Contents(opened)
    for table in contents.tables():
        for place, row in enumerate(contents.read(table.path).to_pylist()):
            named = {n: row[n] for n in _IDENTIFIERS if isinstance(row.get(n), str)}
            yield {"file": table.path, "place": place, **named, "sha256": hash_of(_plain(row))}


def _plain(value: Any) -> Any:
    """A value that has one JSON text: what is none of JSON's becomes a text."""
    if isinstance(value, dict):
        return {name: _plain(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_plain(inner) for inner in value]
    is_plain = value is None or isinstance(value, str | int)
    is_number = isinstance(value, float) and math.isfinite(value)
    return value if is_plain or is_number else repr(value)


def corpus_papers(corpus: Corpus) -> Iterator[Row]:
    """Every paper of a corpus with its identifiers and the hash of all that is known of it."""
    digests = paper_digests(corpus)
    for paper in corpus.papers:
        yield {
            "paper_id": paper.paper_id,
            "arxiv_id": paper.arxiv_id,
            "acl_id": paper.acl_id,
            "doi": paper.doi,
            "version": paper.version,
            "sha256": digests[paper.paper_id],
        }


def paper_digests(corpus: Corpus) -> dict[str, str]:
    """The hash of a paper's rows in all tables, by its id."""
    digests: dict[str, bytes] = {}
    for table in _CORPUS_TABLES:
        for row in corpus.rows(table):
            name = row.get("paper_id")
            if name is not None:
                line = f"{table}\n{canonical_json(row)}\n".encode("utf-8", "surrogatepass")
                digests[name] = hashlib.sha256(digests.get(name, b"") + line).digest()
    return {name: digest.hex() for name, digest in digests.items()}


def load_source(folder: Path) -> Row:
    """Content of an export of ids; `InputError` or `DamagedError` when it is none."""
    remedy = "Fetch the export again from whoever published it."
    if not (folder / EXPORT).exists():
        raise InputError(f"{folder} is not an export of ids: it has no {EXPORT}.")
    source = read_sealed(folder / EXPORT, remedy)
    if source.get("format") != FORMAT or not {"spec", "manifest", "files"} <= source.keys():
        raise InputError(f"{folder / EXPORT} is not of an export of ids that this version reads.")
    for name, entry in source["files"].items():
        path = folder / name
        if not path.exists() or hash_file(path) != entry["sha256"]:
            raise DamagedError(f"{path} is missing or differs from the export. {remedy}")
    return source


def parent_of(source: Row, out: Path) -> Round | None:
    """The round that an exported one follows from; it has to be there already.

    Raises:
        StaleError: It is not in `out`.
    """
    link = source["manifest"].get("parent")
    if not link:
        return None
    folder = out / str(link["id"])
    if not (folder / MANIFEST).exists() or load_round(folder).sha256 != link["manifest"]:
        raise StaleError(
            f"Round {source['round']} follows from {link['id']}, which is not in {out}. Build that "
            "one from its own export first."
        )
    return load_round(folder)
