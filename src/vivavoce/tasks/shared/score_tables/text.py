"""Tables whose cells ended up in the running text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice

from vivavoce.tasks.shared.score_tables.blocks import line_blocks
from vivavoce.tasks.shared.score_tables.lines import Line, read_line, split_stream
from vivavoce.tasks.shared.score_tables.rows import Block

MAX_TEXT = 200_000
"""Characters of a text that are searched."""
_LONGEST_LABEL = 9
_FEWEST_ROWS = 3
_CAPTION = re.compile(r"\bTable\s?\d{1,2}\s?[:.]\s?[^\n]{0,240}")
_NEAR = 400
_MOST_RUNS = 50
_NAME = re.compile(r"[A-Z]|\w\d")
_DECIMAL = re.compile(r"\d\.\d")
_FEWEST_DECIMALS = 4


def blocks_in_text(text: str) -> list[tuple[str, Block]]:
    """(what stands around it, block) of each run of rows in a text."""
    if sum(1 for _ in islice(_DECIMAL.finditer(text), _FEWEST_DECIMALS)) < _FEWEST_DECIMALS:
        return []
    lines = split_stream(text[:MAX_TEXT])
    if len(lines) < _FEWEST_ROWS:
        return []
    parsed = [read_line(line[-1_000:]) for line in lines]
    captions = [(m.start(), m.group()) for m in _CAPTION.finditer(text[:MAX_TEXT])]
    found: list[tuple[str, Block]] = []
    start = 0
    while start < len(lines) and len(found) < _MOST_RUNS:
        end = _run_end(parsed, start)
        if end - start >= _FEWEST_ROWS:
            around = _around(text, lines[end - 1], captions)
            found += [(around, block) for block in line_blocks(lines[start:end])]
        start = max(end, start + 1)
    return found


def _run_end(parsed: Sequence[Line], start: int) -> int:
    """Where a run of rows with as many values as most ends; its first may hold a header."""
    width = len(parsed[start].values)
    if not width or not _has_decimals(parsed[start]):
        return start
    end = start + 1
    while end < len(parsed) and _is_row(parsed[end], width):
        end += 1
    needed = _FEWEST_ROWS if width > 1 else _FEWEST_ROWS + 1
    return end if end - start >= needed else start


def _is_row(line: Line, width: int) -> bool:
    return (
        abs(len(line.values) - width) <= (width > 2)
        and len(line.label.split()) <= _LONGEST_LABEL
        and _has_decimals(line)
        and (width > 1 or _NAME.search(line.label) is not None)
        and ". " not in line.label.replace("al. ", "")
    )


def _has_decimals(line: Line) -> bool:
    return any("." in value for value in line.values)


def _around(text: str, last: str, captions: Sequence[tuple[int, str]]) -> str:
    """The caption next to the end of a run."""
    place = text.find(last[-60:])
    near = [(abs(start - place), caption) for start, caption in captions]
    best = min(near, default=None)
    return best[1] if best is not None and best[0] <= _NEAR and place >= 0 else ""
