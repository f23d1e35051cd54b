"""What Viva Voce does beside what its users would take instead: one command, one table.

    python -m benchmarks.peers [--only NAME ...] [--rounds N] [--smoke] [--json] [--pages]

Each job is done both ways in one process, in turn, after a round that is not counted and in which
the results have to be the same. A ratio is that of the medians of process CPU time, with the
lowest and highest ratio of a single round. What nothing else does has a limit in seconds, which
stands where a peer's time would. `--smoke` takes small work and half of each target;
`--pages` writes the table into the manual and its headlines into README.md, between their
marks. Ends with 1 when a target is missed or results differ.
"""

import argparse
import importlib
import json
import os
import platform
import sys
import tempfile
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from pathlib import Path

from benchmarks.peers.comparison import (
    Comparison,
    DifferenceError,
    Limited,
    Measured,
    measure,
    measure_limited,
)

TOPICS = (
    *("commands", "rouge", "bertscore", "retrieval", "networks", "pdf", "bootstrap"),
    *("harness", "waits"),
)
PEERS = (
    *("rouge-score", "rapidfuzz", "bert-score", "rank-bm25", "bm25s", "networkx", "rustworkx"),
    *("pypdf", "pdfplumber", "scipy", "inspect-ai"),
)
ROUNDS = 5
BEGIN, END = "<!-- begin: python -m benchmarks.peers -->", "<!-- end -->"
HEAD = "| job | instead of | ours s | theirs s | times as fast | single rounds | at least |"
ROOT = Path(__file__).resolve().parents[2]
MANUAL, FRONT = ROOT / "docs" / "performance.md", ROOT / "README.md"
HEADLINES = ("first board", "one more model", "nothing new", "viva exam", "PDF to sections")
"""Words of the jobs in README.md that users wait for; of several jobs the first."""


def main() -> int:
    """Measure and print."""
    arguments = _parse()
    rows: list[Measured] = []
    with tempfile.TemporaryDirectory() as scratch:
        for topic in arguments.only or TOPICS:
            folder = Path(scratch) / topic
            folder.mkdir()
            for job in _comparisons(topic, folder, smoke=arguments.smoke):
                try:
                    row = _measured(job, arguments.rounds, smoke=arguments.smoke)
                except DifferenceError as error:
                    sys.exit(str(error))
                rows.append(row)
                print(_line(row), file=sys.stderr, flush=True)
    if arguments.json:
        print(json.dumps({"machine": machine(), "rows": [row.fields() for row in rows]}, indent=1))
    else:
        print(markdown(rows))
    if arguments.pages:
        write_page(MANUAL, markdown(rows))
        write_page(FRONT, front(rows))
    return 0 if all(row.is_met for row in rows) else 1


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peers", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--only", nargs="+", choices=TOPICS, metavar="NAME", help=str(TOPICS))
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--smoke", action="store_true", help="small work, half of each target")
    parser.add_argument("--json", action="store_true", help="print one JSON document instead")
    parser.add_argument("--pages", action="store_true", help="write the tables of the pages")
    return parser.parse_args()


def _measured(job: Comparison | Limited, rounds: int, *, smoke: bool) -> Measured:
    known = measure_limited if isinstance(job, Limited) else measure
    return known(job, rounds, smoke=smoke)  # type: ignore[operator]


def _comparisons(topic: str, scratch: Path, *, smoke: bool) -> Iterator[Comparison | Limited]:
    try:
        module = importlib.import_module(f"benchmarks.peers.{topic}")
        yield from module.comparisons(scratch, smoke=smoke)
    except ImportError as error:
        print(f"{topic}: left out, because {error.name} is not installed.", file=sys.stderr)


def machine() -> dict[str, str | int | None]:
    """What the numbers depend on."""
    return {
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        **{name: _version(name) for name in PEERS},
    }


def _version(name: str) -> str | None:
    try:
        return version(name)
    except ModuleNotFoundError:
        return None


def markdown(rows: Sequence[Measured]) -> str:
    """The table, and what it was measured on."""
    rules = "|---|---|---:|---:|---:|---|---|"
    about = machine()
    peers = ", ".join(f"{name} {about[name]}" for name in PEERS if about[name])
    note = (
        f"Process CPU time, medians of {max((row.rounds for row in rows), default=0)} rounds in "
        f"turn; {about['cores']} cores, Python {about['python']}; {peers}."
    )
    return "\n".join([HEAD, rules, *map(_line, rows), "", note])


def front(rows: Sequence[Measured]) -> str:
    """The measured jobs that README.md shows, in its order."""
    found = ([row for row in rows if name in row.job] for name in HEADLINES)
    lines = [
        f"| {row.job} | {row.ours_seconds:.2g} | {row.peer}: {row.peer_seconds:.2g} |"
        for row in (jobs[0] for jobs in found if jobs)
    ]
    return "\n".join(["| job | CPU seconds | compared with |", "|---|---:|---|", *lines])


def _line(row: Measured) -> str:
    target = "" if row.target is None else f"{row.target:.3g}{'' if row.is_met else ' MISSED'}"
    spread = f"{row.lowest:.3g}–{row.highest:.3g}"
    seconds = f"{_seconds(row.ours_seconds)} | {_seconds(row.peer_seconds)}"
    return f"| {row.job} | {row.peer} | {seconds} | {row.ratio:.3g} | {spread} | {target} |"


def _seconds(value: float) -> str:
    return f"{value:.4f}" if value < 0.1 else f"{value:.2f}"


def write_page(path: Path, table: str) -> None:
    """Put the table into a page, between its marks; the rest of the page stays."""
    text = path.read_text("utf-8")
    before, found, rest = text.partition(BEGIN)
    _, closed, after = rest.partition(END)
    if not (found and closed):
        sys.exit(f"{path} lacks the lines {BEGIN} and {END}.")
    path.write_text(f"{before}{BEGIN}\n\n{table}\n\n{END}{after}", "utf-8")


if __name__ == "__main__":
    sys.exit(main())
