"""What users wait for, as they type it: boards of real logs, and an exam of real papers."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from itertools import count, islice
from pathlib import Path

from benchmarks.peers.commands import READ
from benchmarks.peers.comparison import Comparison, Limited
from benchmarks.peers.harness import build_sample_round

MODELS = (
    *("scripted/large", "scripted/medium", "scripted/fast", "scripted/small"),
    *("extractive/lead", "extractive/centrality"),
)
TASKS = ("title", "abstract", "introduction", "related_work")
SETTINGS = ("base", "leave_one_out", "random", "coauthor", "mixed")
METHODS = ("direct", "rag", "null", "oracle")
ASKED = 10
"""Items of each log."""
ADDED = 8
"""Logs of further models, which come to a board one by one."""
VIVA = Path(sys.executable).with_name("viva")


def comparisons(scratch: Path, *, smoke: bool) -> Iterator[Comparison | Limited]:
    """The first board, the same with one more model and with nothing new, and an exam."""
    board = _Board(scratch, TASKS[: 1 if smoke else 4], SETTINGS[: 1 if smoke else 5])
    of = f"board of {len(list(board.logs.glob('*.eval')))} logs"
    yield Comparison(
        job=f"first {of}",
        peer="Inspect reading them",
        ours=board.build_first,
        theirs=lambda: _call(sys.executable, "-c", READ, board.logs),
        agree=lambda *_: True,  # a command that fails raises
    )
    yield Limited(f"{of}, one more model", 4.0, board.build, before=board.add_log)
    yield Limited(f"{of}, nothing new", 2.0, board.build)
    yield from _exam(scratch / "exam", 5 if smoke else 40)


class _Board:
    """A folder of logs and its board, with a cache of its own."""

    def __init__(self, scratch: Path, tasks: Sequence[str], settings: Sequence[str]) -> None:
        self.logs, self._further, self._site = (scratch / n for n in ("logs", "further", "site"))
        self._caches, self._cache = (scratch / f"cache-{number}" for number in count()), scratch
        opened = build_sample_round(scratch / "rounds", 200)
        asked = ["--round", opened.folder, "--subset", ASKED]
        named = {"--model": MODELS, "--setting": settings, "--method": METHODS}
        options = [word for name, values in named.items() for one in values for word in (name, one)]
        _call(VIVA, "run", *tasks, *asked, *options, "--logs", self.logs)
        answers = [scratch / f"model-{number}.jsonl" for number in range(ADDED)]
        rows = opened.items("writing", "title")
        for number, path in enumerate(answers):
            lines = [json.dumps({"id": row["id"], "text": f"Title {number}"}) for row in rows]
            path.write_text("\n".join(lines), "utf-8")
        models = [word for path in answers for word in ("--model", f"replay/{path}")]
        _call(VIVA, "run", "title", *asked, *models, "--logs", self._further)

    def build_first(self) -> None:
        """Make the board of logs that were never read."""
        shutil.rmtree(self._site, ignore_errors=True)
        self._cache = next(self._caches)
        self.build()

    def add_log(self) -> None:
        """Let one more model join."""
        path = next(self._further.glob("*.eval"))
        path.rename(self.logs / path.name)

    def build(self) -> None:
        """Make the board of the logs that there are."""
        _call(VIVA, "board", "build", self.logs, "--out", self._site, cache=self._cache)


def _exam(folder: Path, papers: int) -> Iterator[Limited]:
    """An exam of real papers; nothing where there are none at hand."""
    data = Path(os.environ.get("VIVAVOCE_DATA") or "../shared/data")
    files = list(islice((*sorted(data.glob("pdf/*.pdf")), *sorted(data.glob("tei/*.xml"))), papers))
    if not files:
        return
    folder.mkdir()
    for path in files:
        shutil.copy(path, folder)
    exams = (folder.with_name(f"exam-{number}") for number in count())

    def examine() -> None:
        models = ("--model", "extractive/lead", "--model", "extractive/centrality")
        _call(VIVA, "exam", folder, *models, "--yes", "--out", next(exams))

    yield Limited(f"viva exam, {len(files)} papers, two models", 60.0, examine, most_rounds=2)


def _call(*command: object, cache: Path | None = None) -> None:
    environment = os.environ | ({"XDG_CACHE_HOME": str(cache)} if cache else {})
    subprocess.run(list(map(str, command)), check=True, capture_output=True, env=environment)
