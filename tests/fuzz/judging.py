"""What one input costs and whether it is a finding, judged in a process of its own.

`python -m tests.fuzz.judging TARGET FILE` prints the judgement as JSON.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
import traceback
from dataclasses import asdict, dataclass
from pathlib import Path

from tests.fuzz.seeds import first_seeds
from tests.fuzz.targets import TARGETS, Target, read

CPU_SECONDS = 2.0
MEMORY = 500 << 20
"""Bytes that the process may grow by while it reads one input."""
_TIMEOUT = 300
_ROOT = Path(__file__).resolve().parents[2]
_OWN = "vivavoce"


@dataclass(frozen=True)
class Judgement:
    """What became of one input."""

    seconds: float
    """CPU time."""
    grown: int
    """Bytes that the peak of the process' memory rose by."""
    error: str = ""
    """The exception that no reader meant for a user."""
    place: str = ""
    """Where it was raised: the innermost line of the package, or of the check that failed."""

    @property
    def finding(self) -> str:
        """What is wrong, in short; empty for an input that is read well."""
        if self.error:
            return f"{self.error.partition(':')[0]} at {self.place}"
        if self.seconds > CPU_SECONDS:
            return "slow"
        return "large" if self.grown > MEMORY else ""


def judge(target: Target, content: bytes) -> Judgement:
    """Run a target on one input in this process."""
    peak, start = _peak(), time.process_time()
    error = place = ""
    try:
        read(target, content)
    except Exception as raised:  # whatever a reader lets through is what is sought
        error = f"{type(raised).__name__}: {str(raised)[:200]}"
        place = _innermost(raised)
    return Judgement(time.process_time() - start, _peak() - peak, error, place)


def judge_alone(name: str, path: Path) -> Judgement:
    """Run a target on a file in a fresh process; a process that dies is an error."""
    command = [sys.executable, "-m", "tests.fuzz.judging", name, str(path)]
    try:
        done = subprocess.run(
            command, cwd=_ROOT, capture_output=True, text=True, timeout=_TIMEOUT, check=False
        )
    except subprocess.TimeoutExpired:
        return Judgement(float(_TIMEOUT), 0, place="no answer")
    if done.returncode:
        return Judgement(0.0, 0, f"ended with {done.returncode}: {done.stderr[-200:]}", "process")
    return Judgement(**json.loads(done.stdout))


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10


def _innermost(raised: Exception) -> str:
    frames = traceback.extract_tb(raised.__traceback__)
    own = [frame for frame in frames if f"/{_OWN}/" in frame.filename] or frames
    checks = [frame for frame in frames if "/fuzz/" in frame.filename]
    frame = checks[-1] if isinstance(raised, AssertionError) and checks else own[-1]
    return f"{Path(frame.filename).name}:{frame.lineno}"


if __name__ == "__main__":
    target = TARGETS[sys.argv[1]]
    # What is imported on first use is no cost of an input.
    for content in first_seeds(target.name, has_choice=target.has_choice):
        read(target, content)
    print(json.dumps(asdict(judge(target, Path(sys.argv[2]).read_bytes()))))
