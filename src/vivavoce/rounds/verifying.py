"""A round checked: its files, the link to its parent, and what was published of it sealed."""

from __future__ import annotations

from pathlib import Path

from vivavoce.errors import DamagedError, InputError
from vivavoce.rounds.reading import MANIFEST, Round, check_files, load_round
from vivavoce.rounds.sealing import check_seal


def verify_round(folder: Path) -> list[str]:
    """Every way in which a round is not sound, one line each; empty when it is.

    Looks at the files of the round; at its parent, where that lies beside it; and at what was
    published of it while it was sealed, where that does.
    """
    if problems := check_files(folder):
        return problems
    opened = load_round(folder)
    try:
        return [*_check_parent(opened), *check_seal(opened, folder.absolute().parent)]
    except DamagedError as error:
        return [str(error)]


def _check_parent(opened: Round) -> list[str]:
    link = opened.manifest.get("parent")
    if not link:
        return []
    folder = opened.folder.absolute().parent / str(link["id"])
    if not (folder / MANIFEST).exists():
        return []
    try:
        parent = load_round(folder)
    except InputError:
        return []  # something else has the parent's name
    if (parent.id, parent.sha256) == (link["id"], link["manifest"]):
        return []
    return [f"{folder} is not the round that {opened.folder} was made from"]
