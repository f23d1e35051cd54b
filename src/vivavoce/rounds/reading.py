"""A round opened for reading."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

from vivavoce.errors import DamagedError, InputError
from vivavoce.records import Window
from vivavoce.store import Row, hash_file, read_json, read_parquet, read_sealed

MANIFEST = "manifest.json"
UPDATE = "update.json"


class Round:
    """A frozen benchmark: items by family and task; `load_round` opens one.

    `folder` is where it lies, `manifest` what `manifest.json` in it says: window, seed, counts, and
    the hash of every file.
    """

    def __init__(self, folder: Path, manifest: Row) -> None:
        self.folder = folder
        self.manifest = manifest

    @property
    def id(self) -> str:
        """The round's name."""
        return str(self.manifest["id"])

    @property
    def window(self) -> Window:
        """The span of dates that its items come from."""
        return Window(*(date.fromisoformat(self.manifest["window"][n]) for n in ("start", "end")))

    @property
    def sha256(self) -> str:
        """Hash of the manifest, and through it of every file of the round."""
        return hash_file(self.folder / MANIFEST)

    @property
    def card(self) -> str:
        """The round's card, as Markdown."""
        return (self.folder / "card.md").read_text("utf-8")

    @property
    def leakage(self) -> dict[str, Any]:
        """Exclusions, with their reasons."""
        report: dict[str, Any] = read_json(self.folder / "leakage.json")
        return report

    @property
    def spec(self) -> dict[str, Any]:
        """The settings of the round's build, defaults filled in."""
        values: dict[str, Any] = read_json(self._checked("spec.json"))
        return values

    @property
    def update(self) -> dict[str, Any]:
        """The record of the update that made the round; empty for a round that was built."""
        values: dict[str, Any] = {}
        if UPDATE in self.manifest["files"]:
            values = read_json(self._checked(UPDATE))
        return values

    def tasks(self) -> list[tuple[str, str]]:
        """(family, task) of every task the round has items for."""
        counts = self.manifest["counts"]
        return [(family, task) for family in sorted(counts) for task in sorted(counts[family])]

    def items(self, family: str, task: str) -> list[Row]:
        """The items of a task.

        Raises:
            InputError: The round has no such task.
            DamagedError: The items are not those the manifest records.
        """
        name = f"{family}/{task}.parquet"
        if (family, task) not in self.tasks():
            known = ", ".join(f"{f}/{t}" for f, t in self.tasks())
            raise InputError(f"Round {self.id} has no items for {family}/{task}. It has: {known}.")
        return read_parquet(self._checked(name))

    def items_by_id(self, family: str, task: str) -> dict[str, Row]:
        """The items of a task by their ids; none where the round has no such task."""
        rows = self.items(family, task) if (family, task) in self.tasks() else ()
        return {str(row["id"]): row for row in rows}

    def rows(self, name: str) -> list[Row]:
        """The rows of a Parquet file by its path; none where the round has no such file."""
        return read_parquet(self._checked(name)) if name in self.manifest["files"] else []

    def read_file(self, family: str, name: str) -> bytes:
        """Files that items need beside their rows, such as a table of data.

        Raises:
            InputError: The round has no such file.
            DamagedError: It is not the one the manifest records.
        """
        if f"{family}/{name}" not in self.manifest["files"]:
            raise InputError(f"Round {self.id} has no file {family}/{name}.")
        return self._checked(f"{family}/{name}").read_bytes()

    def _checked(self, name: str) -> Path:
        path = self.folder / name
        if not path.exists() or hash_file(path) != self.manifest["files"][name]["sha256"]:
            raise DamagedError(
                f"{path} is missing or differs from the round's manifest. Fetch or build the "
                f"round again; viva round verify {self.folder} lists every difference."
            )
        return path


def load_round(folder: Path | str) -> Round:
    """Open the folder that holds a round's `manifest.json`.

    Raises:
        InputError: There is none, or it is that of something else.
        DamagedError: It is not as it was written.
    """
    folder = Path(folder)
    path = folder / MANIFEST
    if not path.exists():
        inside = sorted(found.parent.name for found in folder.glob(f"[!.]*/{MANIFEST}"))
        hint = f" Did you mean {folder / inside[0]}?" if inside else ""
        raise InputError(f"{folder} is not a round: it has no {MANIFEST}.{hint}")
    manifest = read_sealed(path, "If it is that of a round, fetch or build the round again.")
    if not {"id", "counts", "files"} <= manifest.keys():
        raise InputError(f"{path} is not the manifest of a round.")
    return Round(folder, manifest)


def check_files(folder: Path) -> list[str]:
    """Every way in which a round differs from its manifest, one line each; empty when sound."""
    try:
        manifest = load_round(folder).manifest
    except DamagedError as error:
        return [str(error)]
    problems = []
    for name, entry in sorted(manifest["files"].items()):
        path = folder / name
        if not path.exists():
            problems.append(f"{path} is missing")
        elif hash_file(path) != entry["sha256"]:
            problems.append(f"{path} differs from the manifest")
    known = {*manifest["files"], MANIFEST}
    found = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    problems += [f"{folder / name} is not in the manifest" for name in sorted(found - known)]
    return problems
