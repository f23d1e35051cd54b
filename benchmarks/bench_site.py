"""How long the pages of a large leaderboard take, and those that one new log touches.

    python -m benchmarks.bench_site                      # from the repository's root
    python -m benchmarks.bench_site --models 20 --rounds 2 --logs viva-demo/logs

Rows are drawn with a seed: so many models on every task and setting in every round. First the
pages are made from them, then again unchanged, then with one more log on one board. The statistics
of one board, of all its logs and of one new one, are timed apart, and with `--logs` the reading of
real logs.
"""

import argparse
import random
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from operator import le
from pathlib import Path
from typing import Any

import numpy as np

from vivavoce.results.board.building import leaderboard
from vivavoce.results.board.groups import Board, make_group, place_of
from vivavoce.results.board.ranks import Contestant, add_ranks
from vivavoce.results.logs.records import Place
from vivavoce.statistics.estimates import Draws
from vivavoce.store import Row, hash_of
from vivavoce.tasks import list_families
from vivavoce.web.board.site import write_site

MAX_BYTES = 300_000
"""Of any page."""
MAX_SECONDS, MAX_SECONDS_UNCHANGED, MAX_SECONDS_FOR_ONE = 100.0, 2.0, 5.0
ITEMS = 120
TIES = 6


def task_settings(count: int) -> list[tuple[str, str, str, str, tuple[str, ...]]]:
    """(family, task, version, setting, metrics) of that many boards of a round."""
    found = [
        (family, task, about.version, setting, (*about.metrics, *about.diagnostics))
        for family, card in list_families().items()
        for task, about in card.tasks.items()
        for setting in about.settings
    ]
    if len(found) < count:
        found += [(f, t, v, f"{s}-again", m) for f, t, v, s, m in found]
    return found[:count]


def model_names(models: int) -> list[str]:
    """Names as long as real ones are."""
    return [f"maker-{i % 23}/model-{i}-large-instruct" for i in range(models)]


def make_board(models: int, settings: int, rounds: int, seed: int = 0) -> dict[str, Any]:
    """Rows as `viva board show --json` prints them."""
    names = model_names(models)
    ids = [f"2025-{month:02}" for month in range(1, rounds + 1)]
    boards = task_settings(settings)
    rows = [
        row
        for round_id in ids
        for board in boards
        for row in board_rows(round_id, *board, names, seed)
    ]
    return {
        "rows": rows,
        "rounds": [
            {
                "id": round_id,
                "window": [f"{round_id}-01", f"{round_id}-28"],
                "manifest": "ab" * 32,
                "counts": {task: ITEMS for _, task, _, _, _ in boards},
            }
            for round_id in ids
        ],
        "headlines": {task: metrics[0] for _, task, _, _, metrics in boards},
        "metrics": {task: list(metrics) for _, task, _, _, metrics in boards},
        "notes": [],
    }


def board_rows(
    round_id: str,
    family: str,
    task: str,
    version: str,
    setting: str,
    metrics: tuple[str, ...],
    names: list[str],
    seed: int,
) -> Iterator[Row]:
    """The rows of one board, ranked by each metric; a name more changes nobody's values."""
    drawn = random.Random(f"{seed} {round_id} {task} {setting}")
    used = {name: [drawn.randint(400, 9000) * ITEMS, drawn.random() * ITEMS] for name in names}
    for metric in metrics:
        drawn = random.Random(f"{seed} {round_id} {task} {setting} {metric}")
        values = {name: drawn.random() for name in names}
        order = sorted(names, key=lambda name: -values[name])
        for place, name in enumerate(order, start=1):
            value = values[name]
            near = [other for other in order[max(0, place - 4) : place + 3] if other != name]
            yield {
                "round": round_id,
                "task": task,
                "task_version": version,
                "setting": setting,
                "method": "direct",
                "model": name,
                "decoding": "temperature=0.0 max_tokens=1024 attempts=1",
                "prompt_hash": "9f2c41d07be3" * 5,
                "family": family,
                "judge": None,
                "judge_own_family": None,
                "judge_tokens": 0,
                "judge_cost": None,
                "metric": metric,
                "value": value,
                "value_valid": value,
                "ci": [value - 0.03, value + 0.03],
                "n": ITEMS,
                "missing": 0,
                "undefined": 0,
                "valid": 1.0 if place % 9 else 0.95,
                "faults": {} if place % 9 else {"malformed": 6},
                "partial": False,
                "rank": place,
                "rank_interval": [max(1, place - 3), min(len(order), place + 3)],
                "tied_with": [],
                "undecided_with": sorted(near[:TIES]),
                "more_papers_needed": [TIES] * len(near[:TIES]),
                "detectable": 0.031,
                "contamination": "clean",
                "exposure": {
                    "cutoff": "2024-06-30",
                    "source": "made up",
                    "margin_days": 30,
                    "items": {"clean": ITEMS, "possibly_seen": 0, "seen": 0, "unknown": 0},
                    "seen": None,
                    "clean": value,
                    "gap": None,
                    "ci": None,
                    "n_seen": 0,
                    "n_clean": ITEMS,
                },
                "tokens": used[name][0],
                "cost": used[name][1],
                "seconds": 3.5 * ITEMS,
                "answers": ITEMS,
                "runs": {"logs": 1, "removed": 0, "variants": 0},
                "headline": metric == metrics[0],
                "clusters": ITEMS,
                "trust": "not_recomputed",
                "trust_reason": "no round is named",
                **dict.fromkeys(("calibrated", "fit", "agent", "set_aside", "stopped")),
            }


class StoredSite:
    """A site that is built from rows, to which logs may be added."""

    def __init__(self, folder: Path, models: int, settings: int, rounds: int) -> None:
        """Make up the rows of so many models on so many tasks and settings in each round."""
        board = make_board(models, settings, rounds)
        self.out = folder / "site"
        self.rows = len(board["rows"])
        self._groups: dict[Place, list[Row]] = {}
        for row in board["rows"]:
            self._groups.setdefault(place_of(row), []).append(row)
        self._board = {**board, "rows": []}
        self._names = model_names(models)

    def build(self) -> None:
        """Write the pages that are new or changed."""
        headlines, metrics = self._board["headlines"], self._board["metrics"]
        groups = [
            make_group(rows, headlines, metrics, hash_of([place, len(rows)]))
            for place, rows in self._groups.items()
        ]
        rounds = tuple(self._board["rounds"])
        write_site(Board(tuple(groups), rounds, headlines, metrics, ()), self.out)

    def add_log(self) -> None:
        """Put one more contestant on a board, where everybody may get another rank."""
        place = list(self._groups)[-1]
        family, metrics = next(
            (family, metrics)
            for family, task, _, setting, metrics in task_settings(10**6)
            if (task, setting) == (place[1], place[3])
        )
        self._names.append(f"maker-0/newcomer-{len(self._names)}")
        round_id, task, version, setting = place
        rows = list(board_rows(round_id, family, task, version, setting, metrics, self._names, 0))
        self._groups[place] = rows

    def rank(self) -> None:
        """Rank the contestants of one board by three metrics."""
        everybody = scored(self._names, ("rougeL", "rouge1", "rouge2"))
        add_ranks(everybody, Draws())


def scored(names: list[str], metrics: tuple[str, ...], seed: int = 0) -> list[Contestant]:
    """What the statistics of logs hold before anybody is ranked."""
    drawn = np.random.default_rng(seed)
    found = []
    for name in names:
        values = drawn.random((ITEMS, len(metrics)))
        row = {
            "method": "direct",
            "model": name,
            "decoding": "",
            "prompt_hash": "",
            "judge": None,
            "partial": False,
            "undefined": 0,
            "n": ITEMS,
        }
        items = [f"item-{i:03}" for i in range(ITEMS)]
        found.append(
            Contestant(
                {metric: dict(row) for metric in metrics},
                "writing",
                {item: item for item in items},
                dict(zip(items, values, strict=True)),
            )
        )
    return found


def time_reading(logs: Path) -> None:
    """Read real logs into an empty store, and once more."""
    with tempfile.TemporaryDirectory() as store:
        for what in ("reading logs and their statistics", "the same, nothing new"):
            timed(what, lambda: leaderboard(logs, store=Path(store)))


def timed(what: str, work: Callable[[], Any]) -> float:
    """Do it, print what it took, and return the CPU seconds."""
    cpu, wall = time.process_time(), time.perf_counter()
    work()
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    print(f"{what:52} {cpu:8.1f} s CPU {wall:8.1f} s", flush=True)
    return cpu


def main() -> int:
    """Measure; 1 where a promise is not kept."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--models", type=int, default=200)
    parser.add_argument("--settings", type=int, default=40, help="tasks times settings")
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--logs", type=Path, help="real logs, to time their reading")
    parser.add_argument("--out", type=Path, help="keep the site and its rows there")
    given = parser.parse_args()
    if given.logs:
        time_reading(given.logs)
    sizes = (given.models, given.settings, given.rounds)
    folder = given.out or Path(tempfile.mkdtemp())
    site = StoredSite(folder, *sizes)
    print("{} models x {} task-settings x {} rounds:".format(*sizes))
    print(f"{site.rows:,} rows")
    ranking = timed(f"statistics of one board, {given.models} logs, all pairs", site.rank)
    whole = timed("pages, from rows", site.build)
    unchanged = timed("pages, nothing new", site.build)
    site.add_log()
    one = timed("pages, one new log", site.build) + ranking
    print(f"one new log in all: {one:.1f} s CPU")
    pages = sorted(site.out.rglob("*.html"), key=lambda path: -path.stat().st_size)
    largest = pages[0].stat().st_size
    print(f"{len(pages):,} pages, the largest {largest:,} bytes ({pages[0].relative_to(site.out)})")
    if given.out is None:
        shutil.rmtree(folder)
    limits = (MAX_SECONDS, MAX_SECONDS_UNCHANGED, MAX_SECONDS_FOR_ONE, MAX_BYTES)
    found = (whole, unchanged, one, largest)
    return 0 if all(map(le, found, limits)) else 1


if __name__ == "__main__":
    sys.exit(main())
