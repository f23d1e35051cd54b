"""Memory of the gold that the inputs of a paper give away, computed once for each text.

Splitting a paper and comparing its parts takes most of the time of a build. The outcome depends
on nothing but the paper's own text and the rule: not on other papers, the window, the seed or an
option. So it is kept below the corpus, by the hash of the text, and read back by the next build.

The round is the same without it. A file that is missing, was damaged or follows another rule is
made again; a folder that cannot be written to, or that another build writes to, stays as it is.
"""

from __future__ import annotations

import json
import unicodedata
from collections import defaultdict
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TypeAlias

from vivavoce.errors import DamagedError, VivaError
from vivavoce.metrics import text_statistics
from vivavoce.rounds import family
from vivavoce.store import canonical_json, hash_file, hash_of, lock, read_sealed, write_sealed
from vivavoce.tasks.writing.items import inputs, near_duplicates, papers
from vivavoce.tasks.writing.items.inputs import TASKS, PaperText, row_of_paper
from vivavoce.tasks.writing.items.papers import Exposure, expose
from vivavoce.text import normalise, shingles

FOLDER = Path("cache", "writing")
"""Folder of the memo of a corpus, below the corpus."""
MAX_ENTRIES = 1 << 14
"""Texts in one of the 16 files; where there are more, those not asked for go first."""
_MAX_BYTES = 1 << 25
"""A file that is longer was not written here."""
_RULE_MODULES = (inputs, papers, near_duplicates, shingles, family, text_statistics, normalise)
"""Modules that define the comparison."""

Exposures: TypeAlias = Mapping[str, Mapping[str, Exposure]]
"""By task and setting; of a task without gold no setting."""


class Memo:
    """Exposures of papers, made or remembered."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._kept: dict[str, Mapping[str, str]] = {}
        self._used: dict[str, dict[str, str]] = defaultdict(dict)
        self._found: dict[str, Exposures] = {}

    def exposures(self, paper: PaperText) -> Exposures:
        """Exposures of the inputs of a paper in each task."""
        if paper.paper_id not in self._found:
            key = key_of(paper)
            part = key[0]
            if part not in self._kept:
                self._kept[part] = self._read(part)
            entry = self._kept[part].get(key) or _as_entry(paper)
            self._used[part][key] = entry
            self._found[paper.paper_id] = _from_entry(entry)
        return self._found[paper.paper_id]

    def save(self) -> None:
        """Keep what was made, where that is possible."""
        new = [part for part, used in self._used.items() if used.keys() - self._kept[part].keys()]
        with suppress(VivaError, OSError):
            if new:
                self._write(new)

    def _write(self, parts: list[str]) -> None:
        with lock(self._folder):
            for part in sorted(parts):
                # Read again: another build may have written since.
                entries = {**self._used[part], **self._read(part)}
                within = dict(list(entries.items())[:MAX_ENTRIES])
                write_sealed(self._path(part), {"rule": rule(), "entries": within})

    def _read(self, part: str) -> Mapping[str, str]:
        """The entries of a file; none where it is not as this rule wrote it."""
        path = self._path(part)
        try:
            if path.stat().st_size > _MAX_BYTES:
                return {}
            content = read_sealed(path)
        except (OSError, ValueError, DamagedError):
            return {}
        entries: Mapping[str, str] = content["entries"] if content.get("rule") == rule() else {}
        return entries

    def _path(self, part: str) -> Path:
        return self._folder / f"{part}.json"


def key_of(paper: PaperText) -> str:
    """Hash of all that a paper shows; its id and its date are no part of that."""
    row = row_of_paper(paper)
    return hash_of([row["title"], row["abstract"], row["sections"]])


@cache
def rule() -> str:
    """Hash of the modules that make an entry: with another line of them nothing is remembered."""
    sources = [__file__, *(str(module.__file__) for module in _RULE_MODULES)]
    return hash_of([unicodedata.unidata_version, *(hash_file(Path(path)) for path in sources)])


def _as_entry(paper: PaperText) -> str:
    found = {task: expose(task, paper) for task in TASKS}
    return canonical_json(
        {
            task: {setting: [one.overlap, one.retold, one.leak] for setting, one in exposed.items()}
            for task, exposed in found.items()
        }
    )


def _from_entry(entry: str) -> Exposures:
    return {
        task: {
            setting: Exposure(overlap, (leak[0], leak[1]) if leak else None, retold)
            for setting, (overlap, retold, leak) in exposed.items()
        }
        for task, exposed in json.loads(entry).items()
    }
