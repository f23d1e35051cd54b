"""Submissions checked each in a process of its own, with limits on time, memory and file size.

    python -m vivavoce.results.integrity.isolation FOLDER ROUND...

Whatever a submission does to that process, the others are judged.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from vivavoce.errors import VivaError
from vivavoce.store import Row

SECONDS = 3600
"""Of CPU time, and of waiting: what the logs of a whole exam take many times over."""
MEMORY = 8 << 30
"""Bytes that the process may take: a log of a thousand long prompts takes a tenth."""
FILE_SIZE = 1 << 30


def check_apart(folder: Path, rounds: Sequence[Path], seconds: int = SECONDS) -> Row:
    """Check a submission in a process of its own.

    Returns:
        `problems`, by check, and `runs`, as a submission's report has them.
    """
    command = [sys.executable, "-m", __name__, str(seconds), str(folder), *map(str, rounds)]
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as process:
        try:
            answer, _ = process.communicate(timeout=seconds + 60)
        except subprocess.TimeoutExpired:
            answer = b""
        finally:
            with suppress(ProcessLookupError):  # its programs may outlive it
                os.killpg(process.pid, signal.SIGKILL)
    if answer:
        result: Row = json.loads(answer)
        return result
    reason = f"has no result within {seconds} s and {MEMORY >> 30} GiB of memory"
    return {"problems": [f"its check {reason}."], "runs": {}}


def main(arguments: Sequence[str]) -> None:
    """Write the report on a submission to what is the standard output now, and nothing else."""
    from vivavoce.results.integrity.submission import check_submission

    seconds, (folder, *rounds) = int(arguments[0]), map(Path, arguments[1:])
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8", errors="backslashreplace")
    os.dup2(2, 1)  # what libraries print is no answer
    for name, limit in (
        (resource.RLIMIT_AS, MEMORY),
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_FSIZE, FILE_SIZE),
        (resource.RLIMIT_CORE, 0),
    ):
        with suppress(ValueError, OSError):  # macOS sets no bound to the memory of a process
            resource.setrlimit(name, (limit, limit))
    answer: dict[str, Any]
    try:
        answer = check_submission(folder, rounds).decision()
    except Exception as error:  # no submission, however odd, may end the intake of the others
        cause = str(error) if isinstance(error, VivaError) else repr(error)
        answer = {"problems": [f"it cannot be checked: {cause}"], "runs": {}}
    json.dump(answer, answers)
    answers.close()


if __name__ == "__main__":
    main(sys.argv[1:])
