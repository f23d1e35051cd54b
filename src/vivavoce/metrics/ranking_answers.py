"""Faults of an answer to a ranking query: items beside the papers asked for.

All are counts in one answer:

- `invented`: different items of its lists that are no listed title;
- `repeated`: items that say an earlier item again;
- `missing`: listed titles that it leaves out;
- `markup`: HTML tags, but for those of a thought;
- `chatter`: different lines with a letter that hold no listed title and bear no mark of a list
  (number, bullet, bar, quotation mark or bracket). An invented title on a line without such a mark
  is both.

Source: ours; LEGOBench, section A.4.2, names the faults without counting them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from vivavoce.metrics import Metric
from vivavoce.metrics.titles_list import MAX_CHARACTERS, MAX_LINES, FoundTitles, title_key

_SUMMARIES = {
    "invented": "items of an answer that are no title of the list",
    "repeated": "items of an answer that say an earlier one again",
    "missing": "titles of the list that an answer leaves out",
    "markup": "HTML tags in an answer",
    "chatter": "lines of an answer that are neither titles nor items of a list",
}
METRICS = tuple(
    Metric(name, summary, "ranking", 0.0, None, "ours", higher_is_better=False)
    for name, summary in _SUMMARIES.items()
)

_TAG = re.compile(r"</?[a-z][^<>\n]{0,200}>", re.IGNORECASE)
_ITEM_TAG = re.compile(r"<(?:li|td|th)\b[^<>\n]{0,200}>", re.IGNORECASE)
_THOUGHT_TAGS = frozenset({"<think>", "</think>"})
_MARK = re.compile(
    r"[\s>*_]{0,20}(?:[-+•‣▪◦●○–—·|\"'“‘\[{`~]|#?\(?[0-9]{1,5}\s?[.):|–-])|\s{0,20}\*\s"
)
_LETTER = re.compile(r"[^\W\d_]")


@dataclass(frozen=True, slots=True)
class AnswerFaults:
    """The counts of one answer."""

    invented: int
    repeated: int
    missing: int
    markup: int
    chatter: int

    def values(self) -> dict[str, float]:
        """Every count by name."""
        return {metric.name: float(getattr(self, metric.name)) for metric in METRICS}


def count_faults(text: str, titles: Sequence[str], found: FoundTitles) -> AnswerFaults:
    """Count what an answer holds beside the titles.

    Args:
        text: The answer.
        titles: The listed titles.
        found: What `find_titles` found of them in the answer.
    """
    text = text[:MAX_CHARACTERS]
    after_thought = text.rpartition("</think>")[2]
    keys = [f" {title_key(title)} " for title in titles]
    marked = _TAG.sub(" ", _ITEM_TAG.sub("\n- ", after_thought))
    lines = marked.splitlines()[:MAX_LINES]
    return AnswerFaults(
        invented=found.invented,
        repeated=found.repeated,
        missing=found.missing,
        markup=sum(tag.casefold() not in _THOUGHT_TAGS for tag in _TAG.findall(text)),
        chatter=sum(_is_chatter(line, keys) for line in dict.fromkeys(lines)),
    )


def _is_chatter(line: str, keys: Sequence[str]) -> bool:
    if _MARK.match(line) or not _LETTER.search(line):
        return False
    said = f" {title_key(line)} "
    return not any(key in said for key in keys)
