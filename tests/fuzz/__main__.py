"""Fuzz the readers of what comes from outside: `python -m tests.fuzz [TARGET ...] --seconds 600`.

Each target is fuzzed for so long, one after the other. A finding is an exception that is no
`VivaError`, a broken promise about what is read, over 2 s of CPU time or over 500 MiB of memory for
an input under 100 kB; each is judged again in a process of its own. The last lines are a table.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.fuzz.judging import Judgement, judge_alone
from tests.fuzz.seeds import SIZE, write_seeds
from tests.fuzz.targets import TARGETS

_ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("VIVAVOCE_DATA", _ROOT.parent / "shared" / "data"))
MAIN = ("pdf", "pages", "tei", "tables", "json")
"""Fuzzed when no target is named."""
_STATUS = re.compile(r"^#(\d+)\s.*?\bcov: (\d+) ft: (\d+) corp: (\d+)/")
_OPTIONS = (
    f"-max_len={SIZE}",
    "-timeout=120",
    "-rss_limit_mb=4096",
    "-print_final_stats=1",
    "-report_slow_units=1000",
)
_LEAST_SECONDS = 5


@dataclass
class Tally:
    """What came of fuzzing one target."""

    name: str
    seeds: int
    executions: int = 0
    edges: int = 0
    features: int = 0
    inputs: int = 0
    """In the corpus that fuzzing found worth keeping, seeds included."""
    seconds: float = 0.0
    findings: list[tuple[Path, Judgement]] = field(default_factory=list)

    def row(self) -> str:
        """The line of the table."""
        speed = self.executions / self.seconds
        return (
            f"{self.name:<8}{self.seeds:>7}{self.executions:>12,}{speed:>9.0f}"
            f"{self.edges:>8}{self.features:>10}{self.inputs:>8}{len(self.findings):>10}"
        )


HEAD = f"{'target':<8}{'seeds':>7}{'executions':>12}{'a second':>9}{'edges':>8}{'features':>10}"
HEAD += f"{'corpus':>8}{'findings':>10}"


def fuzz(name: str, seconds: float, folder: Path) -> Tally:
    """Fuzz one target; its corpus, findings and log are in `folder`."""
    corpus, seeds, found = folder / "corpus", folder / "seeds", folder / "found"
    for each in (corpus, found):
        each.mkdir(parents=True, exist_ok=True)
    words = folder / "words.dict"
    words.write_text("".join(_dictionary(TARGETS[name].words)), "ascii")
    tally = Tally(name, write_seeds(name, seeds, DATA))
    start = time.monotonic()
    while (left := seconds - (time.monotonic() - start)) > _LEAST_SECONDS:
        command = [
            *(sys.executable, "-m", "tests.fuzz.fuzzing", name, str(found)),
            *(*_OPTIONS, f"-max_total_time={left:.0f}", f"-dict={words}"),
            *(f"-artifact_prefix={found}/", str(corpus), str(seeds)),
        ]
        with (folder / "log").open("a+b") as log:
            place = log.seek(0, os.SEEK_END)
            subprocess.run(command, cwd=_ROOT, stdout=log, stderr=log, check=False)
            log.seek(place)
            text = log.read().decode("utf-8", "replace")
        if not _count(text, tally):
            sys.exit(f"{name}: the fuzzer did not start, see {folder / 'log'}")
    tally.seconds = time.monotonic() - start
    tally.findings = list(judge_all(name, found))
    return tally


def _count(log: str, tally: Tally) -> bool:
    """Add what one process of fuzzing wrote; whether it ran at all."""
    states = [match for line in log.splitlines() if (match := _STATUS.match(line))]
    if not states:
        return False
    last = states[-1]
    tally.executions += int(last[1])
    tally.edges = max(tally.edges, int(last[2]))
    tally.features = max(tally.features, int(last[3]))
    tally.inputs = max(tally.inputs, int(last[4]))
    return True


def judge_all(name: str, folder: Path) -> Iterator[tuple[Path, Judgement]]:
    """The inputs of a folder that are findings; what libFuzzer calls slow is judged too."""
    for path in sorted(folder.iterdir()):
        judgement = judge_alone(name, path)
        if judgement.finding:
            yield path, judgement


def _dictionary(words: Sequence[str]) -> Iterator[str]:
    for word in words:
        content = word.encode("utf-8", "surrogateescape")
        yield '"' + "".join(f"\\x{byte:02x}" for byte in content) + '"\n'


def main(arguments: Sequence[str] | None = None) -> int:
    """Fuzz what is asked for; 1 when there is a finding."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("targets", nargs="*", default=list(MAIN), metavar="TARGET")
    parser.add_argument("--seconds", type=float, default=600, help="for each target")
    parser.add_argument("--keep", type=Path, help="folder for corpora, logs and findings")
    options = parser.parse_args(arguments)
    if unknown := [name for name in options.targets if name not in TARGETS]:
        parser.error(f"no target is called {unknown[0]}; there are {', '.join(TARGETS)}")
    folder = options.keep or Path(tempfile.mkdtemp(prefix="viva-fuzz-"))
    tallies = []
    for name in options.targets:
        tallies.append(fuzz(name, options.seconds, folder.absolute() / name))
        for path, judgement in tallies[-1].findings:
            print(f"{path}: {judgement.finding}: {judgement.error or judgement}", flush=True)
    print(HEAD, *(tally.row() for tally in tallies), sep="\n")
    return 1 if any(tally.findings for tally in tallies) else 0


if __name__ == "__main__":
    sys.exit(main())
