"""Two recordings side by side, and recordings in files."""

import difflib
import gzip
import io
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.same.archive import Archive
from benchmarks.same.recording import Recording

FORMAT = 1
MAX_LINES = 20
MAX_WIDTH = 300


@dataclass(frozen=True, slots=True)
class Difference:
    """Things of two recordings by what became of them."""

    same: tuple[str, ...]
    changed: tuple[str, ...]
    only_base: tuple[str, ...]
    only_here: tuple[str, ...]

    @property
    def is_none(self) -> bool:
        """Whether both did the same."""
        return not (self.changed or self.only_base or self.only_here)


def compare(base: Recording, here: Recording, groups: Sequence[str]) -> Difference:
    """Compare the things of some groups; a thing's name starts with that of its group."""
    ours, theirs = _of(here, groups), _of(base, groups)
    both = sorted(ours.keys() & theirs.keys())
    return Difference(
        same=tuple(name for name in both if ours[name] == theirs[name]),
        changed=tuple(name for name in both if ours[name] != theirs[name]),
        only_base=tuple(sorted(theirs.keys() - ours.keys())),
        only_here=tuple(sorted(ours.keys() - theirs.keys())),
    )


def lines_of(difference: Difference, *, all_things: bool) -> Iterator[str]:
    """Tell of each thing in one line; equal things only where all are asked for."""
    if all_things:
        yield from (f"same       {name}" for name in difference.same)
    yield from (f"DIFFERS    {name}" for name in difference.changed)
    yield from (f"ONLY BASE  {name}" for name in difference.only_base)
    yield from (f"ONLY HERE  {name}" for name in difference.only_here)
    counts = (difference.same, difference.changed, difference.only_base, difference.only_here)
    words = ("same", "differ", "only in the base", "only here")
    yield ", ".join(f"{len(things)} {word}" for things, word in zip(counts, words, strict=True))


def short_diff(name: str, base: Recording, here: Recording) -> str:
    """Show where a thing's two contents part, in a few lines."""
    sides = [
        _readable(name, each.contents[each.things[name]]).splitlines() for each in (base, here)
    ]
    parted = difflib.unified_diff(*sides, "base", "here", lineterm="", n=1)
    lines = [line[:MAX_WIDTH] for line, _ in zip(parted, range(MAX_LINES), strict=False)]
    return "\n".join(lines) or "the bytes differ, the text does not"


def failed_calls(recording: Recording) -> Iterator[str]:
    """Name the commands that did not end with 0: a recording should hold few, and meant ones."""
    for name, mark in recording.things.items():
        content = recording.contents[mark]
        if ": viva " in name and not content.startswith(b"exit 0\n"):
            yield f"{content[:6].decode()} {name}"


def write(recording: Recording, path: Path, about: str) -> None:
    """Write a recording: the names and hashes into a file, the contents into a folder beside it."""
    folder = _folder(path)
    folder.mkdir(parents=True, exist_ok=True)
    for mark, content in recording.contents.items():
        (folder / f"{mark}.gz").write_bytes(gzip.compress(content, 3, mtime=0))
    for name, stage in recording.stages.items():
        (folder / f"{name}.tar.gz").write_bytes(stage.content)
    told = {"format": FORMAT, "about": about, "stages": sorted(recording.stages)}
    path.write_text(json.dumps(told | {"things": recording.things}, indent=1) + "\n", "utf-8")


def read(path: Path) -> Recording:
    """Read a recording.

    Raises:
        SystemExit: The file is of another format.
    """
    told = json.loads(path.read_text("utf-8"))
    if told.get("format") != FORMAT:
        raise SystemExit(f"{path}: not a recording of format {FORMAT}")
    folder = _folder(path)
    contents = {
        mark: gzip.decompress((folder / f"{mark}.gz").read_bytes())
        for mark in set(told["things"].values())
    }
    stages = {name: Archive((folder / f"{name}.tar.gz").read_bytes()) for name in told["stages"]}
    return Recording(told["things"], contents, stages)


def _folder(path: Path) -> Path:
    return path.with_name(path.name + ".contents")


def _of(recording: Recording, groups: Sequence[str]) -> dict[str, str]:
    return {
        name: mark for name, mark in recording.things.items() if name.partition(": ")[0] in groups
    }


def _readable(name: str, content: bytes) -> str:
    if name.endswith(".parquet"):
        import pyarrow.parquet as pq

        table = pq.read_table(io.BytesIO(content))
        rows = (json.dumps(row, default=str, ensure_ascii=False) for row in table.to_pylist())
        return "\n".join([str(table.schema), *rows])
    return content.decode("utf-8", "replace")
