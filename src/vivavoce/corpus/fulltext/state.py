"""State of the folder of a full-text index: its files, and checks that they are unchanged.

`terms/` is what is searched, `papers/` lists the indexed papers, and `state.json` describes both,
with every file. An update writes into `next.json` what the index will hold, commits it with the
hash of that as its mark, and then `state.json` follows. So after a kill between the two the mark
tells that the index holds what `next.json` says.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from vivavoce.errors import DamagedError, StaleError
from vivavoce.retrieval.all_terms import TantivyIndex, TantivyWriter, committed_files
from vivavoce.store import Row, hash_file, hash_of, read_sealed, write_sealed

STATE, NEXT, LISTS, TERMS = "state.json", "next.json", "papers", "terms"


def begin(folder: Path, config: Row) -> None:
    """Make an empty index in place of whatever is there."""
    if folder.exists():
        shutil.rmtree(folder)
    content: Row = {"config": config, "inputs": None, "lists": []}
    content |= {"serial": 0, "next_number": 0, "papers": 0}
    TantivyWriter(folder / TERMS).commit(mark=hash_of(content))
    write_state(folder, content, {})


def read_state(folder: Path, config: Row, remedy: str) -> Row:
    """Recorded state of an index.

    Raises:
        DamagedError: The state was altered.
        StaleError: The index was made under another config; the message shows the difference.
    """
    state = read_sealed(folder / STATE, remedy)
    then = state["config"]
    if then != config:
        names = sorted(name for name in {*then, *config} if then.get(name) != config.get(name))
        changes = ", ".join(f"{name} {then.get(name)} -> {config.get(name)}" for name in names)
        raise StaleError(f"{folder} was made under other rules: {changes}. {remedy}")
    return state


def settle(folder: Path, state: Row, remedy: str) -> Row:
    """The state of an index that may have been killed between a commit and writing it down.

    Reads every file. `DamagedError` names one that is not as it was written.
    """
    problem = find_damage(folder, state["files"], deep=True)
    if problem is None:
        (folder / NEXT).unlink(missing_ok=True)
        return state
    damaged = DamagedError(f"{problem} {remedy}")
    meta = f"{TERMS}/meta.json"  # the one file that a commit replaces
    kept = {n: e for n, e in state["files"].items() if n != meta and (folder / n).exists()}
    if find_damage(folder, kept, deep=True):
        raise damaged
    try:
        content = read_sealed(folder / NEXT)
        mark = TantivyIndex(folder / TERMS, lambda numbers: []).mark
    except DamagedError as error:
        raise damaged from error
    lists = [folder / entry["name"] for entry in content["lists"]]
    if mark != hash_of(content) or not all(path.exists() for path in lists):
        raise damaged
    return write_state(folder, content, kept)


def commit(folder: Path, writer: TantivyWriter, content: Row) -> None:
    """Commit what was changed, so that a kill at any moment leaves the old or the new."""
    write_sealed(folder / NEXT, content)
    writer.commit(mark=hash_of(content))


def write_state(folder: Path, content: Row, before: Row) -> Row:
    """Write down what an index holds, with all its files; delete the lists that left it."""
    names = [f"{TERMS}/{name}" for name in committed_files(folder / TERMS)]
    listed = [entry["name"] for entry in content["lists"]]
    files = {name: _file_entry(folder / name, before.get(name)) for name in names + listed}
    state = {**content, "files": files}
    write_sealed(folder / STATE, state)
    (folder / NEXT).unlink(missing_ok=True)
    for path in sorted((folder / LISTS).glob("*.parquet")):
        if f"{LISTS}/{path.name}" not in listed:
            path.unlink()
    return state


def find_damage(folder: Path, files: Row, *, deep: bool) -> str | None:
    """Problem with a file of an index; None when all are as recorded.

    Unless `deep`, a file of the size and time recorded is not read.
    """
    for name, entry in files.items():
        path = folder / name
        if not path.exists():
            return f"{path} is missing."
        if not deep and _stamp(path).items() <= entry.items():
            continue
        if hash_file(path) != entry["sha256"]:
            return f"{path} differs from what was written."
    return None


def _file_entry(path: Path, before: Row | None) -> Row:
    stamp = _stamp(path)
    if before is not None and stamp.items() <= before.items():
        return before
    return {**stamp, "sha256": hash_file(path)}


def _stamp(path: Path) -> Row:
    stat = path.stat()
    return {"bytes": stat.st_size, "mtime_ns": stat.st_mtime_ns}
