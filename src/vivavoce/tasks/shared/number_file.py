"""A single number that a program left, read without trusting the file."""

from __future__ import annotations

import json
import math

from inspect_ai.util import OutputLimitExceededError, sandbox

_LARGEST = 4_096
"""Bytes; a number in JSON needs a few dozen."""


async def read_number(name: str, key: str, *, timeout: int) -> float | None:
    """The number under a key of a small JSON file in the sample's sandbox.

    None when there is no such file, when it is larger than a few kilobytes or no JSON object, and
    when what stands there is not a finite number.

    Args:
        name: The file in the program's folder.
        key: Where the number stands.
        timeout: Seconds the reading may take.
    """
    # Without waiting: a pipe in the file's place would never end.
    once = ["count=1", f"bs={_LARGEST + 1}", "iflag=nonblock", "status=none"]
    command = ["/bin/dd", f"if={name}", *once]
    try:
        done = await sandbox().exec(command, timeout=timeout)
        if not done.success or len(done.stdout) > _LARGEST:
            return None
        value = json.loads(done.stdout)[key]
    except (OSError, TimeoutError, OutputLimitExceededError):
        return None
    except (ValueError, LookupError, TypeError, RecursionError):
        return None
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return _finite(value) if is_number else None


def _finite(value: float) -> float | None:
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None
