"""The round of the sample papers (`round=sample`), built on first use."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from platformdirs import user_cache_path

from vivavoce.corpus.schema import FORMAT
from vivavoce.rounds import Round, load_round
from vivavoce.store import hash_of
from vivavoce.tasks import build_round, list_families
from vivavoce.version import __version__

SAMPLE = "sample"
PAPERS = 60


def demo_spec(year: int | None = None) -> dict[str, Any]:
    """Spec of the sample round, or of a year of the demo, with the cards' demo options."""
    cards = list_families()
    taking = [name for name in cards if any(task.demo for task in cards[name].tasks.values())]
    window = {"start": "2023-07-01", "end": "2025-01-01"}
    head = {"id": "sample-2024", "window": window, "seed": 0, "families": taking}
    if year is not None:
        head["id"] = f"demo-{year}"
        head["window"] = {"start": f"{year}-01-01", "end": f"{year + 1}-01-01"}
    return {"round": head} | {name: cards[name].demo for name in taking if cards[name].demo}


def build_sample(out: Path, spec: Mapping[str, Any]) -> Round:
    """Build a round of the sample papers."""
    from vivavoce.corpus import ingest, load_corpus
    from vivavoce.networks import build_networks

    ingest("sample", Path(str(PAPERS)), out / "corpus")
    build_networks(load_corpus(out / "corpus"))
    return build_round(out / "corpus", spec, out / "round")


def open_round(name: Path | str) -> Round:
    """Open a round by its folder, or the sample round by name if there is no such folder.

    Raises:
        InputError: The folder has no round.
        DamagedError: The round was altered.
    """
    if str(name) != SAMPLE or Path(name).exists():
        return load_round(name)
    spec = demo_spec()
    # Other versions of the package or a task may make another round from the same papers.
    versions = [task.version for card in list_families().values() for task in card.tasks.values()]
    key = hash_of([__version__, FORMAT, PAPERS, spec, versions])[:12]
    folder = user_cache_path("vivavoce") / f"{SAMPLE}-{key}"
    if not folder.exists():
        _build_in(folder, spec)
    return load_round(folder / "round" / spec["round"]["id"])


def _build_in(folder: Path, spec: Mapping[str, Any]) -> None:
    """Build the round in a temporary folder and move it, unless another process was first."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    made = Path(tempfile.mkdtemp(dir=folder.parent, prefix=f".{SAMPLE}-"))
    try:
        build_sample(made, spec)
        try:
            made.rename(folder)
        except OSError:
            if not folder.is_dir():
                raise
    finally:
        shutil.rmtree(made, ignore_errors=True)
