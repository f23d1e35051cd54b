"""One process of fuzzing: `python -m tests.fuzz.fuzzing TARGET FINDINGS [libFuzzer's options]`.

A finding is written to the folder FINDINGS and the process goes on; each kind is written once, the
first input that shows it. Costs are measured with the instrumentation on, so that slow and large
inputs are only suspected here: `tests.fuzz.judging` judges them.
"""

from __future__ import annotations

import hashlib
import random
import sys
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["vivavoce"], enable_loader_override=False):
    from tests.fuzz.seeds import first_seeds
    from tests.fuzz.targets import TARGETS, read

    # Much is imported on first use, which has to be in here to be instrumented.
    for _content in first_seeds(sys.argv[1], has_choice=TARGETS[sys.argv[1]].has_choice):
        read(TARGETS[sys.argv[1]], _content)
from tests.fuzz.judging import CPU_SECONDS, MEMORY, judge
from tests.fuzz.mutators import MUTATORS

_MAX_SUSPECTS = 20
_OF_TREES = 0.7
"""How many mutations change the tree, where there is one."""


class Watch:
    """Runs a target's inputs and keeps what is a finding, or may be one."""

    def __init__(self, name: str, folder: Path) -> None:
        self.target = TARGETS[name]
        self.folder = folder
        self.seen: set[str] = set()
        self.suspects = 0
        self.slowest = CPU_SECONDS

    def run(self, content: bytes) -> None:
        """One input."""
        found = judge(self.target, content)
        if found.error and found.finding not in self.seen:
            self.seen.add(found.finding)
            self._keep("error", content, f"{found.error} at {found.place}")
        elif found.seconds > self.slowest or found.grown > MEMORY:
            self.slowest = max(self.slowest, 1.2 * found.seconds)
            self.suspects += 1
            if self.suspects <= _MAX_SUSPECTS:
                self._keep("suspect", content, f"{found.seconds:.1f} s, {found.grown >> 20} MiB")

    def _keep(self, kind: str, content: bytes, reason: str) -> None:
        name = f"{kind}-{hashlib.sha256(content).hexdigest()[:12]}"
        (self.folder / name).write_bytes(content)
        print(f"{self.target.name}: {name}: {reason}", file=sys.stderr, flush=True)


def mutate(name: str, content: bytes, largest: int, seed: int) -> bytes:
    """Another input made of one: as a tree where it is one, else as bytes."""
    target, random_ = TARGETS[name], random.Random(seed)
    mutator = MUTATORS.get(target.syntax)
    if mutator is not None and random_.random() < _OF_TREES:
        head = content[: int(target.has_choice)]
        changed = mutator(content[len(head) :], random_)
        if changed is not None and len(head) + len(changed) <= largest:
            return head + changed
    return bytes(atheris.Mutate(content, largest))


def main() -> None:
    """Fuzz until libFuzzer's own limits end it."""
    name, folder, *options = sys.argv[1:]
    watch = Watch(name, Path(folder))
    more = {}
    if TARGETS[name].syntax:
        more["custom_mutator"] = lambda content, largest, seed: mutate(name, content, largest, seed)
    atheris.Setup([sys.argv[0], *options], watch.run, **more)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
