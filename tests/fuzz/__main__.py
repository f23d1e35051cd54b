"""Fuzz the readers of what comes from outside: `python -m tests.fuzz [TARGET ...] --seconds 600`.

Each target is fuzzed for so long, one after the other. A finding is an exception that is no
`VivaError`, a broken promise about what is read, over 2 s of CPU time or over 500 MiB of memory for
an input under 100 kB; each is judged again in a process of its own.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.fuzz.judging import Judgement, judge_alone
from tests.fuzz.seeds import SIZE, write_seeds
from tests.fuzz.targets import TARGETS

_ROOT = Path(__file__).resolve().parents[2]
MAIN = ("pdf", "pages", "tei", "tables", "json")
"""Fuzzed when no target is named."""
_STATUS = re.compile(r"^#(\d+)\s.*\bcov: ", re.M)
_OPTIONS = (
    f"-max_len={SIZE}",
    "-timeout=120",
    "-rss_limit_mb=4096",
    "-print_final_stats=1",
    "-report_slow_units=1000",
)
_LEAST_SECONDS = 5


def fuzz(name: str, seconds: float, folder: Path) -> list[tuple[Path, Judgement]]:
    """Fuzz one target and return its findings; its corpus, inputs and log are in `folder`."""
    corpus, seeds, found = folder / "corpus", folder / "seeds", folder / "found"
    for each in (corpus, found):
        each.mkdir(parents=True, exist_ok=True)
    words = folder / "words.dict"
    words.write_text("".join(_dictionary(TARGETS[name].words)), "ascii")
    count = write_seeds(name, seeds)
    executions, end = 0, time.monotonic() + seconds
    while (left := end - time.monotonic()) > _LEAST_SECONDS:
        command = [
            *(sys.executable, "-m", "tests.fuzz.fuzzing", name, str(found)),
            *(*_OPTIONS, f"-max_total_time={left:.0f}", f"-dict={words}"),
            *(f"-artifact_prefix={found}/", str(corpus), str(seeds)),
        ]
        done = subprocess.run(command, cwd=_ROOT, capture_output=True, check=False)
        log = done.stderr.decode("utf-8", "replace")
        with (folder / "log").open("a") as stream:
            stream.write(log)
        states = _STATUS.findall(log)
        if not states:
            sys.exit(f"{name}: the fuzzer did not start, see {folder / 'log'}")
        executions += int(states[-1])
    print(f"{name}: {count} seeds, {executions:,} inputs in {seconds:.0f} s", flush=True)
    return list(judge_all(name, found))


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
    has_findings = False
    for name in options.targets:
        for path, judgement in fuzz(name, options.seconds, folder.absolute() / name):
            has_findings = True
            print(f"{path}: {judgement.finding}: {judgement.error or judgement}", flush=True)
    return int(has_findings)


if __name__ == "__main__":
    sys.exit(main())
