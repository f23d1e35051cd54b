"""An export of ids turned back into the round, and what differs where it does not come out so."""

from __future__ import annotations

import shutil
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

from vivavoce import __version__
from vivavoce.corpus import Corpus
from vivavoce.errors import StaleError, VivaError
from vivavoce.rounds.build import build_round
from vivavoce.rounds.export.ids import (
    EXPORT,
    LEFT_OUT,
    PAPERS,
    ROWS,
    load_source,
    paper_digests,
    parent_of,
    row_hashes,
)
from vivavoce.rounds.family import Builder
from vivavoce.rounds.licences import without_details
from vivavoce.rounds.reading import Round, load_round
from vivavoce.rounds.sealing import write_commitment
from vivavoce.rounds.spec import parse_spec
from vivavoce.rounds.updating import update_round
from vivavoce.store import Row, hash_tree, lock, read_jsonl, write_json

_LISTED = 10
"""Papers that a message names; the file of differences names all."""


def is_ids_export(path: Path) -> bool:
    """True if a path is the folder of an export of ids."""
    return (path / EXPORT).is_file()


def rebuild_round(
    folder: Path, corpus: Corpus, builders: Mapping[str, Builder], out: Path
) -> Round:
    """Build a round from an export of ids and a corpus into `out`/ID, to identical bytes.

    Args:
        folder: The export.
        corpus: The papers.
        builders: Each family's builder, by name.
        out: The folder that holds rounds.

    Raises:
        InputError: The export is none.
        StaleError: The round that it follows from is not in `out`.
        VivaError: The round came out otherwise, or another one of its name is there. The message
            names papers that lack or differ; `ID.differences.json` in `out` names all of them.
    """
    source = load_source(folder)
    drafts = out / f".{source['round']}.rebuilt"
    with lock(out):
        parent = parent_of(source, out)
        found = _compare_papers(folder, source, corpus)
        shutil.rmtree(drafts, ignore_errors=True)
        try:
            built = _build(source, parent, corpus, builders, drafts)
            if built.sha256 != source["sha256"]:
                raise _refusal(source, out, {**found, **_compare_rounds(folder, source, built)})
            return _settle(built, out)
        except BuildFailed as error:
            raise _refusal(source, out, found, str(error)) from error
        finally:
            shutil.rmtree(drafts, ignore_errors=True)


class BuildFailed(VivaError):
    """No round at all could be built."""


def _build(
    source: Row,
    parent: Round | None,
    corpus: Corpus,
    builders: Mapping[str, Builder],
    drafts: Path,
) -> Round:
    options = {family: builder.OPTIONS for family, builder in builders.items()}
    spec = parse_spec(source["spec"], options, where=f"the spec of round {source['round']}")
    try:
        if parent is None:
            return build_round(corpus, spec, builders, drafts)
        until, name = spec.round.window.end, spec.round.id
        return update_round(corpus, parent, builders, drafts, until, name=name).round
    except StaleError:  # it says which step has to be done first
        raise
    except VivaError as error:
        raise BuildFailed(str(error)) from error


def _settle(built: Round, out: Path) -> Round:
    final = out / built.id
    if not final.exists():
        built.folder.rename(final)
    elif hash_tree(final) != hash_tree(built.folder):
        raise VivaError(f"{final} is another round of this name. Choose another folder with --out.")
    opened = load_round(final)
    if opened.spec["round"].get("sealed"):
        write_commitment(opened, out)
    return opened


def _compare_papers(folder: Path, source: Row, corpus: Corpus) -> dict[str, list[str]]:
    """Missing, changed and extra papers of the export's corpus; empty where it is the same.

    Without a list of papers in the export, only those of the items can be missing.
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


def _compare_rounds(folder: Path, source: Row, built: Round) -> dict[str, list[str]]:
    """Rows that differ, by the papers or items they are of, and papers left out otherwise."""
    changed: dict[str, set[str]] = defaultdict(set)
    promised = Counter(_row_key(row) for _, row in read_jsonl(folder / ROWS))
    promised.subtract(Counter(_row_key(row) for row in row_hashes(built)))
    for (path, name, _), count in promised.items():
        if count:
            changed[path].add(name)
    left_out = Counter(_exclusion_key(row) for _, row in read_jsonl(folder / LEFT_OUT))
    left_out.subtract(Counter(_exclusion_key(row) for row in without_details(built)))
    files = source["manifest"]["files"]
    return {
        "files": sorted(
            name
            for name in {*files, *built.manifest["files"]}
            if files.get(name) != built.manifest["files"].get(name)
        ),
        "rows": [f"{path}: {name}" for path in sorted(changed) for name in sorted(changed[path])],
        "left_out": sorted({paper for (paper, _), count in left_out.items() if count}),
    }


def _row_key(row: Row) -> tuple[str, str, str]:
    name = str(row.get("paper_id") or row.get("id") or f"row {row['place']}")
    return str(row["file"]), name, str(row["sha256"])


def _exclusion_key(row: Row) -> tuple[str, str]:
    return str(row["paper_id"]), str(row["sha256"])


def _refusal(
    source: Row, out: Path, found: Mapping[str, Sequence[str]], cause: str = ""
) -> VivaError:
    path = out / f"{source['round']}.differences.json"
    write_json(path, {"round": source["round"], **{name: list(v) for name, v in found.items()}})
    said = (
        _say("papers lack", found.get("lacking", ())),
        _say("papers have another text or other metadata", found.get("differing", ())),
        _say("papers are not in the export's corpus", found.get("surplus", ())),
        _say("files of the round differ", found.get("files", ())),
        _say("rows of the round differ", found.get("rows", ())),
        _say("papers were left out for other reasons", found.get("left_out", ())),
        ""
        if source["code"] == __version__
        else f"It was built by vivavoce {source['code']}, this is {__version__}.",
        cause,
    )
    return VivaError(
        f"Round {source['round']} came out otherwise than it was exported; nothing was kept.\n"
        + "\n".join(f"  {line}" for line in said if line)
        + f"\n{path} lists all of it."
    )


def _say(what: str, names: Sequence[str]) -> str:
    if not names:
        return ""
    more = f" and {len(names) - _LISTED:,} more" if len(names) > _LISTED else ""
    return f"{len(names):,} {what}: {', '.join(names[:_LISTED])}{more}"
