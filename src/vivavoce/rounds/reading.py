"""Reading and verification of a round, and its seal: a commitment now, a reveal one round later.

The commitment contains a salted hash for each item, and reveals only the number of items. Once ids
and salt are published, anyone can check that no item was exchanged in between. The salt is derived
from the manifest, which has the hashes of every file and of the spec with its seed. So the salt
cannot be guessed without the whole round, and need not be stored. A secret seed also hides it from
owners of the same corpus.
"""

import hashlib
import hmac
from datetime import date
from pathlib import Path
from typing import Any

from vivavoce.errors import DamagedError, InputError, VivaError
from vivavoce.records import Window
from vivavoce.store import (
    Row,
    canonical_json,
    hash_file,
    hash_of,
    is_intact,
    read_json,
    read_parquet,
    read_sealed,
    write_sealed,
)

MANIFEST = "manifest.json"
UPDATE = "update.json"


class Round:
    """A frozen benchmark: items by family and task; `load_round` opens a round.

    `folder` is the round's folder. `manifest` is the content of its `manifest.json`: window, seed,
    counts, and the hash of every file.
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
        """The window that contains the dates of the items."""
        return Window(*(date.fromisoformat(self.manifest["window"][n]) for n in ("start", "end")))

    @property
    def sha256(self) -> str:
        """Hash of the manifest, and through it of every file of the round."""
        return hash_file(self.folder / MANIFEST)

    @property
    def link(self) -> Row:
        """The entry for this round in the manifests of rounds that follow it."""
        return {"id": self.id, "manifest": self.sha256}

    @property
    def card(self) -> str:
        """The round's card, as Markdown."""
        return (self.folder / "card.md").read_text("utf-8")

    @property
    def leakage(self) -> dict[str, Any]:
        """The exclusions, with their reasons."""
        report: dict[str, Any] = read_json(self.folder / "leakage.json")
        return report

    @property
    def spec(self) -> dict[str, Any]:
        """The spec of the round, with defaults filled in."""
        values: dict[str, Any] = read_json(self._checked("spec.json"))
        return values

    @property
    def update(self) -> dict[str, Any]:
        """Report of the update that made the round; empty for a round without a parent."""
        values: dict[str, Any] = {}
        if UPDATE in self.manifest["files"]:
            values = read_json(self._checked(UPDATE))
        return values

    def tasks(self) -> list[tuple[str, str]]:
        """Every task of the round, as (family, task)."""
        counts = self.manifest["counts"]
        return [(family, task) for family in sorted(counts) for task in sorted(counts[family])]

    def items(self, family: str, task: str) -> list[Row]:
        """The items of a task.

        Raises:
            InputError: The round has no such task.
            DamagedError: The items differ from the manifest.
        """
        name = f"{family}/{task}.parquet"
        if (family, task) not in self.tasks():
            known = ", ".join(f"{f}/{t}" for f, t in self.tasks())
            raise InputError(f"Round {self.id} has no items for {family}/{task}. It has: {known}.")
        return read_parquet(self._checked(name))

    def items_by_id(self, family: str, task: str) -> dict[str, Row]:
        """Items of a task by id; empty if the round has no such task."""
        rows = self.items(family, task) if (family, task) in self.tasks() else ()
        return {str(row["id"]): row for row in rows}

    def rows(self, name: str) -> list[Row]:
        """Rows of the round's Parquet file `name`; empty if the round has no such file."""
        return read_parquet(self._checked(name)) if name in self.manifest["files"] else []

    def read_file(self, family: str, name: str) -> bytes:
        """Read a file that items need besides their rows, such as a data table.

        Raises:
            InputError: The round has no such file.
            DamagedError: The file differs from the manifest.
        """
        if f"{family}/{name}" not in self.manifest["files"]:
            raise InputError(f"Round {self.id} has no file {family}/{name}.")
        return self._checked(f"{family}/{name}").read_bytes()

    def _checked(self, name: str) -> Path:
        path = self.folder / name
        if not is_intact(path, self.manifest["files"][name]["sha256"]):
            raise DamagedError(
                f"{path} is missing or differs from the round's manifest. Fetch or build the "
                f"round again; viva round verify {self.folder} lists every difference."
            )
        return path


def load_round(folder: Path | str) -> Round:
    """Open the folder that holds a round's `manifest.json`.

    Raises:
        InputError: There is no manifest, or it is not the manifest of a round.
        DamagedError: The manifest has changed since it was written.
    """
    folder = Path(folder)
    path = folder / MANIFEST
    if not path.exists():
        inside = sorted(inner.parent.name for inner in folder.glob(f"[!.]*/{MANIFEST}"))
        hint = f" Did you mean {folder / inside[0]}?" if inside else ""
        raise InputError(f"{folder} is not a round: it has no {MANIFEST}.{hint}")
    manifest = read_sealed(path, "If it is that of a round, fetch or build the round again.")
    if not {"id", "counts", "files"} <= manifest.keys():
        raise InputError(f"{path} is not the manifest of a round.")
    return Round(folder, manifest)


def check_files(folder: Path) -> list[str]:
    """List every difference between a round and its manifest, one line each; empty if sound."""
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
    present = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    problems += [f"{folder / name} is not in the manifest" for name in sorted(present - known)]
    return problems


FORMAT = 1
_SEALED, REVEALED = "sealed.json", "revealed.json"
_REMEDY = "Fetch it again from whoever published it."


def commitment_of(opened: Round) -> Row:
    """Make the commitment for a sealed round; it does not contain the items."""
    salt = _salt(opened)
    return {
        "format": FORMAT,
        "round": opened.id,
        "window": opened.manifest["window"],
        "manifest": _hashed(salt, "manifest", opened.sha256),
        "items": {
            # Sorted, so that the order reveals nothing.
            task: sorted(_hashed(salt, task, name) for name in ids)
            for task, ids in _ids(opened).items()
        },
    }


def reveal_of(opened: Round) -> Row:
    """Make the reveal of a round, for publication with the next round: item ids and salt."""
    return {
        "format": FORMAT,
        "round": opened.id,
        "salt": _salt(opened),
        "manifest": opened.sha256,
        "items": _ids(opened),
    }


def write_commitment(opened: Round, folder: Path) -> Path:
    """Write a round's commitment, `ID.sealed.json`; `VivaError` if a different one exists."""
    return _write_once(folder / f"{opened.id}.{_SEALED}", commitment_of(opened))


def write_reveal(opened: Round, folder: Path) -> Path:
    """Write a round's reveal, `ID.revealed.json`; `VivaError` if a different one exists."""
    return _write_once(folder / f"{opened.id}.{REVEALED}", reveal_of(opened))


def check_reveal(commitment: Path, reveal: Path) -> list[str]:
    """List every difference between a reveal and its commitment, one line each; empty if none.

    Raises:
        InputError: A file is not a commitment or reveal, or they are of different rounds.
        DamagedError: A file has changed since it was written.
    """
    promised, shown = _read(commitment, "window"), _read(reveal, "salt")
    if promised["round"] != shown["round"]:
        raise InputError(
            f"{reveal} reveals round {shown['round']}, but {commitment} is of {promised['round']}."
        )
    salt = str(shown["salt"])
    problems = []
    if promised["manifest"] != _hashed(salt, "manifest", str(shown["manifest"])):
        problems.append(f"{reveal}: salt or manifest is not the one of {commitment}")
    for task in sorted({*promised["items"], *shown["items"]}):
        hashes = set(promised["items"].get(task, ()))
        revealed = {_hashed(salt, task, name): name for name in shown["items"].get(task, ())}
        strangers = sorted(name for code, name in revealed.items() if code not in hashes)
        problems += [f"{reveal}: {task} {name} was not promised" for name in strangers]
        if missing := len(hashes - revealed.keys()):
            problems.append(f"{reveal}: promised items of {task} that are not there: {missing:,}")
    return problems


def _salt(opened: Round) -> str:
    return hash_of({"purpose": "salt of a sealed round", "manifest": opened.manifest})


def _hashed(salt: str, kind: str, text: str) -> str:
    message = canonical_json([kind, text]).encode("utf-8", "surrogatepass")
    return hmac.new(salt.encode("utf-8", "surrogatepass"), message, hashlib.sha256).hexdigest()


def _ids(opened: Round) -> dict[str, list[str]]:
    return {
        f"{family}/{task}": sorted(str(row["id"]) for row in opened.items(family, task))
        for family, task in opened.tasks()
    }


def _read(path: Path, key: str) -> Row:
    if not path.exists():
        raise InputError(f"{path} does not exist.")
    value = read_sealed(path, _REMEDY)
    items = value.get("items")
    lists = list(items.values()) if isinstance(items, dict) else [None]
    is_whole = {"round", "manifest", key} <= value.keys()
    are_texts = all(
        isinstance(names, list) and all(isinstance(name, str) for name in names) for names in lists
    )
    if not is_whole or not are_texts:
        what = "a commitment" if key == "window" else "the reveal of a round"
        raise InputError(f"{path} is not {what}.")
    return value


def _write_once(path: Path, value: Row) -> Path:
    if path.exists() and read_sealed(path, _REMEDY) != value:
        raise VivaError(
            f"{path} was published for other items. Give the new round another id, or remove the "
            "file if nobody has seen it."
        )
    write_sealed(path, value)
    return path


def verify_round(folder: Path) -> list[str]:
    """List every fault of a round, one line each; empty if it is sound.

    This checks the round's files, its parent if that lies beside the round, and the round's
    commitment and reveal if they exist.
    """
    if problems := check_files(folder):
        return problems
    opened = load_round(folder)
    try:
        problems = []
        for suffix, made in ((_SEALED, commitment_of), (REVEALED, reveal_of)):
            path = folder.absolute().parent / f"{opened.id}.{suffix}"
            if path.exists() and read_sealed(path, _REMEDY) != made(opened):
                problems.append(f"{path} is not of the round in {opened.folder}")
        return [*_check_parent(opened), *problems]
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
        return []  # the parent's name is used by something else
    if parent.link == link:
        return []
    return [f"{folder} is not the round that {opened.folder} was made from"]
