"""The child process: reads one PDF a line of input and answers in one line of JSON.

A hostile file can make PDFium loop, eat memory or crash; here that ends this process only.
"""

from __future__ import annotations

import json
import os
import resource
import sys
from dataclasses import asdict
from pathlib import Path

from vivavoce.errors import InputError
from vivavoce.sources.fulltext.pdf.document import read_file

MEMORY = 2 << 30
"""Bytes of address space; PDFium reserves far more than it uses."""
CPU_SECONDS = 120
"""For one file."""
READY = "ready"


def main() -> None:
    """Answer until the input ends."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what libraries print must not be taken for an answer
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _say(answers, {"state": READY})
    for line in sys.stdin:
        request = json.loads(line)
        _limit_cpu(request["seconds"])
        _say(answers, _answer(Path(request["path"])))


def _say(stream: object, answer: dict[str, object]) -> None:
    print(json.dumps(answer), file=stream, flush=True)  # type: ignore[call-overload]


def _limit_cpu(seconds: int) -> None:
    """Let this process use so many more seconds; the kernel ends it beyond."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    limit = int(used.ru_utime + used.ru_stime) + seconds + 1
    resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.getrlimit(resource.RLIMIT_CPU)[1]))


def _answer(path: Path) -> dict[str, object]:
    try:
        return {"document": asdict(read_file(path))}
    except InputError as error:
        return {"reason": str(error)}
    except OSError as error:
        return {"reason": f"the file cannot be read: {error.strerror}"}
    except (MemoryError, RecursionError):
        return {"reason": f"it needs more than {MEMORY >> 30} GiB of memory"}
    except Exception as error:  # no file, however odd, may end the ingest of the others
        return {"reason": f"its pages are set in a way that cannot be read: {error!r}"}


if __name__ == "__main__":
    main()
