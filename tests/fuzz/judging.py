"""The cost of one input, and whether it is a finding."""

import resource
import time
import traceback
from dataclasses import dataclass
from pathlib import Path

from tests.fuzz.targets import Target, read

CPU_SECONDS = 2.0
MEMORY = 500 << 20
"""Bytes that the process may grow by while it reads one input."""
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


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10


def _innermost(raised: Exception) -> str:
    frames = traceback.extract_tb(raised.__traceback__)
    own = [frame for frame in frames if f"/{_OWN}/" in frame.filename] or frames
    checks = [frame for frame in frames if "/fuzz/" in frame.filename]
    frame = checks[-1] if isinstance(raised, AssertionError) and checks else own[-1]
    return f"{Path(frame.filename).name}:{frame.lineno}"
