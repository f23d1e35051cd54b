"""Rounds given to others: as a Hugging Face folder, or as ids to rebuild them by.

An export's folder is written whole or not at all, and never over another one.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from vivavoce.errors import InputError, VivaError
from vivavoce.rounds.export.hugging_face import write as write_hugging_face
from vivavoce.rounds.export.ids import is_ids_export, rebuild_round
from vivavoce.rounds.export.ids import write as write_ids
from vivavoce.rounds.licences import TEXTS, Contents
from vivavoce.rounds.reading import Round, check_files
from vivavoce.store import hash_tree

if TYPE_CHECKING:
    from vivavoce.corpus import Corpus


__all__ = ["FORMATS", "TEXTS", "export_round", "is_ids_export", "rebuild_round"]


REVEALED = "revealed.json"

_Write = Callable[[Contents, Path, Mapping[str, str], "Corpus | None"], None]
FORMATS: Mapping[str, _Write] = {
    "hf": write_hugging_face,
    "ids": write_ids,
}
"""What writes each format, by name."""


def export_round(
    opened: Round,
    out: Path,
    form: str,
    papers: Mapping[str, str],
    corpus: Corpus | None = None,
    *,
    open_only: bool = False,
) -> Path:
    """Write a round into a folder of its own and return that.

    The same round gives the same bytes; what is there already is checked to be exactly that.

    Args:
        opened: The round.
        out: The folder to make.
        form: One of `FORMATS`.
        papers: The paper that each family comes from, for the citation.
        corpus: What the round was built from: an export of ids then lists its papers.
        open_only: Write texts only of papers whose licence lets everybody pass them on.

    Raises:
        InputError: There is no such format, the corpus is another one, or the round does not hold
            the licences of its papers.
        VivaError: The round is damaged or still sealed, or the folder holds something else.
    """
    if form not in FORMATS:
        raise InputError(f"There is no format {form!r}. There are: {', '.join(FORMATS)}.")
    if problems := check_files(opened.folder):
        raise VivaError(f"Round {opened.id} cannot be exported: {problems[0]}.")
    if corpus is not None and corpus.fingerprint != opened.manifest["corpus"]:
        raise InputError(
            f"{corpus.folder} is not the corpus that round {opened.id} was built from, or has "
            "changed since."
        )
    _refuse_sealed(opened)
    if open_only and form == "ids":
        raise InputError("An export of ids holds no texts: leave out --texts or choose hf.")
    contents = Contents(opened, open_only=open_only)
    draft = out.absolute().parent / f".{out.name}.draft"
    shutil.rmtree(draft, ignore_errors=True)
    try:
        FORMATS[form](contents, draft, papers, corpus)
        _settle(draft, out)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return out


def _refuse_sealed(opened: Round) -> None:
    reveal = opened.folder.absolute().parent / f"{opened.id}.{REVEALED}"
    if opened.spec["round"].get("sealed") and not reveal.exists():
        raise VivaError(
            f"Round {opened.id} is sealed: its items are shown one round later. "
            f"viva round seal {opened.folder} --reveal writes {reveal.name} beside it; export it "
            "then."
        )


def _settle(draft: Path, out: Path) -> None:
    if not out.exists() or (out.is_dir() and not any(out.iterdir())):
        if out.exists():
            out.rmdir()
        draft.rename(out)
    elif not out.is_dir() or hash_tree(out) != hash_tree(draft):
        raise VivaError(f"{out} holds something else. Name a new folder with --out.")
