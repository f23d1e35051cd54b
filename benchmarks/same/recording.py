"""What one tree does: the scenario run in a working folder, and everything it left there."""

import hashlib
import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.same import evallogs, trees
from benchmarks.same.archive import Archive
from benchmarks.same.scenario import Group

WORKER = Path(__file__).with_name("worker.py")
LOG_NAME = re.compile(r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d[-+]\d\d-\d\d_([a-z0-9-]+)_\w{22}\.eval")
SECONDS = re.compile(r'("seconds": ?)[0-9.e+-]+')
SITE_KEY = re.compile(r'("key": ")[0-9a-f]{64}')
"""Hashes that site.json makes of the source code of the package."""
TEXTS = {".json", ".jsonl", ".md", ".html", ".csv", ".tex", ".svg", ".css", ".js", ".txt", ".toml"}


@dataclass(slots=True)
class Recording:
    """What a tree printed and wrote: names of things, each with the hash of its content."""

    things: dict[str, str] = field(default_factory=dict)
    contents: dict[str, bytes] = field(default_factory=dict)
    """Contents by hash, made equal as the package's docstring tells."""
    stages: dict[str, Archive] = field(default_factory=dict)
    """What a group left for those that need it."""

    def keep(self, name: str, content: bytes) -> None:
        """Keep a thing."""
        mark = hashlib.sha256(content).hexdigest()
        self.things[name] = mark
        self.contents[mark] = content


@dataclass(frozen=True, slots=True)
class Evener:
    """Makes equal what no two runs have in common."""

    paths: tuple[tuple[str, str], ...]
    day: str

    def text(self, content: str) -> str:
        """Replace paths, names of logs, seconds, and times of the day of the recording."""
        for path, shown in self.paths:
            content = content.replace(path, shown)
        content = LOG_NAME.sub(r"<log>_\1.eval", content)
        content = SECONDS.sub(r"\g<1>0", content)
        return re.sub(
            self.day + r"[T ]\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)?(?![\d:])", "<time>", content
        )

    def content(self, path: Path) -> bytes:
        """Give a file as it is compared."""
        if path.suffix == ".eval":
            return evallogs.read_samples(path, self.text).encode()
        raw = path.read_bytes()
        if path.suffix not in TEXTS:
            return raw
        try:
            text = self.text(raw.decode())
        except UnicodeDecodeError:
            return raw
        if path.name == "site.json":
            text = SITE_KEY.sub(r"\g<1><key>", text)
        return text.encode()


def record(
    tree: Path,
    groups: Sequence[Group],
    data: Path | None,
    stages: Mapping[str, Archive],
    say: Callable[[str], None],
) -> Recording:
    """Run groups of commands in a tree and keep what they print and write.

    Args:
        tree: A checkout of the project.
        groups: In the order of their needs.
        data: The folder of real papers, None where it is absent.
        stages: What groups left in the base, by name. The groups that need it start from it and not
            from what this tree made, so that their logs are the same to the byte.
        say: Told what is done, and how long it took.
    """
    found = Recording()
    with tempfile.TemporaryDirectory(prefix="same-") as made:
        work = Path(made).resolve() / "work"
        work.mkdir()
        variables = trees.environment(tree, trees.write_entry_points(tree, Path(made, "points")))
        package = trees.package_of(work, variables)
        if package != (tree / "src" / "vivavoce").resolve():
            raise SystemExit(f"{tree}: its package is not found, but {package}")
        paths = [(str(work), "<work>"), (str(tree.resolve()), "<tree>")]
        if data is not None:
            (work / "data").symlink_to(data.resolve())
            paths.append((str(data.resolve()), "<data>"))
        evener = Evener(tuple(paths), datetime.now(UTC).strftime("%Y-%m-%d"))
        run = {group.name for group in groups}
        for need in {need for group in groups for need in group.needs} - run:
            stages[need].unpack(work)
        for group in groups:
            started = time.monotonic()
            _run_group(group, work, variables, evener, found)
            if group.name in stages:
                for folder in group.left:
                    shutil.rmtree(work / folder, ignore_errors=True)
                stages[group.name].unpack(work)
            say(f"{tree.name}: {group.name} {time.monotonic() - started:.0f} s")
    return found


def _run_group(
    group: Group, work: Path, variables: dict[str, str], evener: Evener, found: Recording
) -> None:
    for name, text in group.inputs.items():
        path = work / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    if group.prepare is not None:
        group.prepare(work)
    for each in _call(group.calls, work, variables):
        said = f"exit {each['code']}\n{each['stdout']}\n--- stderr\n{each['stderr']}"
        name = f"{group.name}: viva {' '.join(each['words'])}"
        found.keep(name, evener.text(said).encode())
    for folder in group.kept:
        _keep(work, work / folder, group, evener, found)
    for folder, out in group.evened.items():
        evallogs.even_out(work / folder, work / out, work, evener.text)
    if group.left:
        found.stages[group.name] = Archive.pack(work, group.left)


def _call(calls: Sequence[list[str]], work: Path, variables: dict[str, str]) -> list[dict]:
    asked, answered = work.parent / "calls.json", work.parent / "printed.json"
    asked.write_text(json.dumps(calls), "utf-8")
    command = [sys.executable, str(WORKER), str(asked), str(answered)]
    done = subprocess.run(command, cwd=work, env=variables, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{work}: the commands could not be run\n{done.stderr[-3000:]}")
    if done.stderr.strip():
        print(done.stderr[-2000:], file=sys.stderr)
    return json.loads(answered.read_text("utf-8"))


def _keep(work: Path, folder: Path, group: Group, evener: Evener, found: Recording) -> None:
    """Keep the files of a folder, or a file; of folders in `named` only the names."""
    files = [folder] if folder.is_file() else sorted(folder.rglob("*"))
    listed: dict[str, list[str]] = {}
    for path in files:
        place = path.relative_to(work).as_posix()
        if not path.is_file() or any(part in group.passed_over for part in path.parts):
            continue
        within = next((each for each in group.named if place.startswith(each + "/")), None)
        if within is not None:
            if not any(place.endswith(end) for end in group.passed_over):
                listed.setdefault(within, []).append(place)
            continue
        if path.suffix == ".eval":
            folder_name = path.parent.relative_to(work).as_posix()
            place = f"{folder_name}/{evallogs.log_name(path, evener.text)}.eval"
        found.keep(f"{group.name}: {place}", evener.content(path))
    for within, names in listed.items():
        found.keep(f"{group.name}: names in {within}", "\n".join(names).encode())
