"""Exports of ids: everything needed to rebuild a round, and hashes to check the result.

An export of ids has no text from papers, so it may be published even if the texts may not. Anyone
with the papers can rebuild the round to the same bytes, or learn which papers differ.
"""

import hashlib
import math
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from vivavoce.corpus import Corpus
from vivavoce.errors import DamagedError, InputError, StaleError, VivaError
from vivavoce.rounds.build import build_round, render
from vivavoce.rounds.family import Builder
from vivavoce.rounds.licences import Contents, without_details
from vivavoce.rounds.reading import MANIFEST, Round, load_round, write_commitment
from vivavoce.rounds.spec import parse_spec
from vivavoce.rounds.updating import update_round
from vivavoce.store import (
    Row,
    canonical_json,
    hash_file,
    hash_of,
    hash_tree,
    is_intact,
    lock,
    read_jsonl,
    read_sealed,
    write_json,
    write_jsonl,
    write_sealed,
    write_text,
)
from vivavoce.version import __version__

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
    """Position, ids and content hash of every row of every table."""
    contents = Contents(opened)
    for table in contents.tables():
        for place, row in enumerate(contents.read(table.path).to_pylist()):
            named = {n: row[n] for n in _IDENTIFIERS if isinstance(row.get(n), str)}
            yield {"file": table.path, "place": place, **named, "sha256": hash_of(_plain(row))}


def _plain(value: Any) -> Any:
    """Convert a value to canonical JSON types; anything else becomes its `repr`."""
    if isinstance(value, dict):
        return {name: _plain(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_plain(inner) for inner in value]
    is_plain = value is None or isinstance(value, str | int)
    is_number = isinstance(value, float) and math.isfinite(value)
    return value if is_plain or is_number else repr(value)


def corpus_papers(corpus: Corpus) -> Iterator[Row]:
    """Identifiers of every paper in a corpus, each with a hash of all the paper's rows."""
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
    """Hash of each paper's rows in all tables, by paper id."""
    digests: dict[str, bytes] = {}
    for table in _CORPUS_TABLES:
        for row in corpus.rows(table):
            name = row.get("paper_id")
            if name is not None:
                line = f"{table}\n{canonical_json(row)}\n".encode("utf-8", "surrogatepass")
                digests[name] = hashlib.sha256(digests.get(name, b"") + line).digest()
    return {name: digest.hex() for name, digest in digests.items()}


def load_source(folder: Path) -> Row:
    """Read an export of ids; `InputError` or `DamagedError` if it is not sound."""
    remedy = "Fetch the export again from whoever published it."
    if not (folder / EXPORT).exists():
        raise InputError(f"{folder} is not an export of ids: it has no {EXPORT}.")
    source = read_sealed(folder / EXPORT, remedy)
    if source.get("format") != FORMAT or not {"spec", "manifest", "files"} <= source.keys():
        raise InputError(f"{folder / EXPORT} is not an export of ids that this version can read.")
    for name, entry in source["files"].items():
        if not is_intact(folder / name, entry["sha256"]):
            raise DamagedError(f"{folder / name} is missing or differs from the export. {remedy}")
    return source


def parent_of(source: Row, out: Path) -> Round | None:
    """The parent of an exported round, if any; `StaleError` if the parent is not in `out`."""
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


_LISTED = 10
"""Maximum number of papers listed in a message; the file of differences lists all."""


def is_ids_export(path: Path) -> bool:
    """Check whether a path is the folder of an export of ids."""
    return (path / EXPORT).is_file()


def rebuild_round(
    folder: Path, corpus: Corpus, builders: Mapping[str, Builder], out: Path
) -> Round:
    """Rebuild a round from an export of ids and a corpus into `out`/ID, to identical bytes.

    Raises:
        InputError: The folder is not an export of ids.
        StaleError: The round's parent is not in `out`.
        VivaError: The rebuilt round differs, or another round has its name. The message lists
            missing and changed papers; `ID.differences.json` in `out` lists all of them.
    """
    source = load_source(folder)
    drafts = out / f".{source['round']}.rebuilt"
    with lock(out):
        parent = parent_of(source, out)
        differences = _compare_papers(folder, source, corpus)
        shutil.rmtree(drafts, ignore_errors=True)
        try:
            try:
                built = _build(source, parent, corpus, builders, drafts)
            except StaleError:  # its message names the missing step
                raise
            except VivaError as error:
                raise _refusal(source, out, differences, str(error)) from error
            if built.sha256 != source["sha256"]:
                old, new = source["manifest"]["files"], built.manifest["files"]
                changed = sorted(name for name in {*old, *new} if old.get(name) != new.get(name))
                raise _refusal(source, out, {**differences, "files": changed})
            final = out / built.id
            if not final.exists():
                built.folder.rename(final)
            elif hash_tree(final) != hash_tree(built.folder):
                raise VivaError(
                    f"{final} is another round of that name. Choose another folder with --out."
                )
            opened = load_round(final)
            if opened.spec["round"].get("sealed"):
                write_commitment(opened, out)
            return opened
        finally:
            shutil.rmtree(drafts, ignore_errors=True)


def _build(
    source: Row,
    parent: Round | None,
    corpus: Corpus,
    builders: Mapping[str, Builder],
    drafts: Path,
) -> Round:
    options = {family: builder.OPTIONS for family, builder in builders.items()}
    spec = parse_spec(source["spec"], options, where=f"the spec of round {source['round']}")
    if parent is None:
        return build_round(corpus, spec, builders, drafts)
    until, name = spec.round.window.end, spec.round.id
    return update_round(corpus, parent, builders, drafts, until, name=name).round


def _compare_papers(folder: Path, source: Row, corpus: Corpus) -> dict[str, list[str]]:
    """Missing, changed and extra papers relative to the export's corpus; empty for equal corpora.

    If the export lists no papers, only papers missing for items are found.
    """
    if corpus.fingerprint == source["corpus"]:
        return {}
    there = {paper.paper_id for paper in corpus.papers}
    if not (folder / PAPERS).exists():
        named = {str(row["paper_id"]) for _, row in read_jsonl(folder / ROWS) if "paper_id" in row}
        return {"lacking": sorted(named - there), "differing": [], "surplus": []}
    digests = paper_digests(corpus)
    wanted = {str(row["paper_id"]): row["sha256"] for _, row in read_jsonl(folder / PAPERS)}
    return {
        "lacking": sorted(wanted.keys() - there),
        "differing": sorted(n for n in wanted.keys() & there if wanted[n] != digests.get(n)),
        "surplus": sorted(there - wanted.keys()),
    }


def _refusal(
    source: Row, out: Path, faults: Mapping[str, Sequence[str]], cause: str = ""
) -> VivaError:
    path = out / f"{source['round']}.differences.json"
    write_json(path, {"round": source["round"], **{name: list(v) for name, v in faults.items()}})
    lines = (
        _say("papers are missing", faults.get("lacking", ())),
        _say("papers have another text or other metadata", faults.get("differing", ())),
        _say("papers are not in the export's corpus", faults.get("surplus", ())),
        _say("files of the round differ", faults.get("files", ())),
        ""
        if source["code"] == __version__
        else f"It was built by vivavoce {source['code']}, this is {__version__}.",
        cause,
    )
    return VivaError(
        f"Round {source['round']} differs from its export; nothing was kept.\n"
        + "\n".join(f"  {line}" for line in lines if line)
        + f"\n{path} lists every difference."
    )


def _say(what: str, names: Sequence[str]) -> str:
    if not names:
        return ""
    more = f" and {len(names) - _LISTED:,} more" if len(names) > _LISTED else ""
    return f"{len(names):,} {what}: {', '.join(names[:_LISTED])}{more}"
