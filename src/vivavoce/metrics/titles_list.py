"""Wanted titles that a model's free answer lists, in its order.

The answer is cut into lists: numbered lines, bulleted lines, runs of plain lines, and the strings
of a JSON or Python list. A line names a title when both are equal after `normalise_title`. The
line's number is left off, as is a tail: ` - 93.4%`, ` (2019)`, or anything after a bold or quoted
title. Lines that name no title cost nothing.

Lists that name different titles are parts of one answer. A list that names titles again (a ranking
after a copy of the input) replaces the earlier ones, if it names more than half as many. A list
that only repeats the beginning (a model in a loop) does not.

Two more rules serve answers that are not a plain list. If no list names two titles, or the answer
is one line, the line that names most titles is used, as in `First A, then B`. If each title has a
number before or after it, and the numbers are 1 to n, they give the order.

Source: LEGOBench, section A.4.2, which leaves the parsing open; the rules are ours.

Faults are counted in each answer:

- `invented`: distinct items of its lists that are not a listed title;
- `repeated`: items that repeat an earlier item;
- `missing`: listed titles that it leaves out;
- `markup`: HTML tags;
- `chatter`: distinct lines with a letter that have no listed title and no list mark (number,
  bullet, bar, quotation mark or bracket). An invented title on a line without such a mark counts as
  both.

Average precision of retrieved items = (sum of P@k over the ranks k of relevant items) / (number of
relevant items), with P@k = (relevant items among the first k) / k. An item retrieved again takes up
a rank but is not a hit. Source: Manning, Raghavan and Schütze, "Introduction to Information
Retrieval", 2008, section 8.4.

Source: ours; LEGOBench, section A.4.2, names the faults without counting them.
"""

import re
import unicodedata
from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice

from vivavoce.metrics.answer_lists import (
    MAX_CHARACTERS,
    MAX_LINES,
    OTHER_TAG,
    LineList,
    number_of,
    read_lines,
    read_lists,
    split_inline,
    without_marker,
)
from vivavoce.text.normalise import normalise_title

_MAX_TAILS = 50
_BARE_NUMBER = re.compile(r"\s*+[0-9]{1,5}[.)]")
_TAIL = re.compile(r"\s[-–—:]+\s|[(\[\]|\t\"“”»`]|\*\*|__|:\s")
_MAX_NAMED_WORDS = 2_000
"""Maximum words of a line that are searched for titles."""
_RANK_BEHIND = re.compile(r"[|,:\t]\s*#?([0-9]{1,4})\s*\|?\s*$")


@dataclass(frozen=True, slots=True)
class FoundTitles:
    """Wanted titles that an answer lists, and faults of the list."""

    order: tuple[int, ...]
    """Indices of the wanted titles that it lists, each once, in the answer's order."""
    missing: int
    """Number of wanted titles that it does not list."""
    invented: int
    """Number of different lines of its lists that name no wanted title."""
    repeated: int
    """Number of lines of its lists that repeat an earlier line."""
    truncated: bool
    """True if the answer was longer than the part that is read."""


def title_key(title: str) -> str:
    """Key that two spellings of one title share; never empty for a text with a character."""
    return normalise_title(title) or unicodedata.normalize("NFKC", title).casefold().strip()


def distinct_titles(titles: Sequence[str]) -> list[int]:
    """Indices of the titles that differ from all earlier ones."""
    first: dict[str, int] = {}
    for position, title in enumerate(titles):
        first.setdefault(title_key(title), position)
    return list(first.values())


def find_titles(text: str | None, wanted: Sequence[str]) -> FoundTitles:
    """Find the wanted titles in an answer; None is an empty answer.

    Wanted titles that are equal after normalisation count as one, the first of them.
    """
    finder = _Finder(wanted)
    whole, truncated = read_lines(text or "")
    is_single = sum(bool(line.strip()) for line in whole) == 1
    lines = [part for line in whole for part in split_inline(line, is_single)]
    lists = read_lists(lines)
    placed, used = _merge([(titles, group) for group in lists if (titles := finder.find_in(group))])
    order = _in_order(placed)
    ranks = [_rank_of(lines[placed[title]]) for title in order]
    if sorted(rank or 0 for rank in ranks) == list(range(1, len(order) + 1)):
        order = [title for _, title in sorted(zip(ranks, order, strict=True))]
    if is_single or len(order) < 2:
        named = max(map(finder.names_in, reversed(whole)), key=len, default=[])
        order = named if len(named) > max(1, len(order)) else order
    listed = [group for group in lists if group.kind != "plain" or len(group.items) > 1]
    invented, repeated = finder.count_faults(used or listed)
    return FoundTitles(
        order=tuple(order),
        missing=len(finder.index) - len(order),
        invented=invented,
        repeated=repeated,
        truncated=truncated,
    )


class _Finder:
    def __init__(self, wanted: Sequence[str]) -> None:
        self.index = {title_key(wanted[position]): position for position in distinct_titles(wanted)}
        self._word_counts = sorted({key.count(" ") + 1 for key in self.index})
        self.find = cache(self._find)

    def find_in(self, lines: LineList) -> dict[int, int]:
        """Map each wanted title to the first line of the list that names it."""
        places: dict[int, int] = {}
        for number, line in lines.items:
            title = self.find(line)
            if title is not None:
                places.setdefault(title, number)
        return places

    def names_in(self, line: str) -> list[int]:
        """Wanted titles that a line names anywhere, in order; the longer of overlapping ones."""
        words = title_key(line).split(" ")[:_MAX_NAMED_WORDS]
        titles: dict[int, None] = {}
        start = 0
        while start < len(words):
            for count in reversed(self._word_counts):
                title = self.index.get(" ".join(words[start : start + count]))
                if title is not None:
                    titles[title] = None
                    start += count - 1
                    break
            start += 1
        return list(titles)

    def count_faults(self, lists: Sequence[LineList]) -> tuple[int, int]:
        """Count the different lines that name no wanted title, and the repetitions of lines."""
        named = [self._name(line) for entries in lists for _, line in entries.items]
        different = set(named)
        invented = sum(isinstance(name, str) for name in different)
        return invented, len(named) - len(different)

    def _name(self, line: str) -> int | str:
        title = self.find(line)
        return title_key(without_marker(line)) if title is None else title

    def _find(self, line: str) -> int | None:
        """The wanted title that a line names."""
        # `3.3D Nets` may be number 3 or a title: both are tried.
        bare = _BARE_NUMBER.sub("", line, count=1)
        for text in dict.fromkeys((without_marker(line), line, bare)):
            key = title_key(text)
            if key in self.index:
                return self.index[key]
            words = key.split(" ")
            if any(" ".join(words[:count]) in self.index for count in self._word_counts):
                cuts = [match.start() for match in islice(_TAIL.finditer(text), _MAX_TAILS)]
                keys = (normalise_title(text[:cut]) for cut in reversed(cuts))
                return next((self.index[key] for key in keys if key in self.index), None)
        return self.index.get(title_key(line.partition(":")[2]))  # `Best: Tides`


def _merge(named: list[tuple[dict[int, int], LineList]]) -> tuple[dict[int, int], list[LineList]]:
    """Join lists into an answer: the line of each title, and the lists they come from."""
    answer: dict[int, int] = {}
    used: list[LineList] = []
    for where, lines in named:
        if answer.keys().isdisjoint(where):
            answer |= where
            used.append(lines)
        elif 2 * len(where) > len(answer) and _in_order(answer)[: len(where)] != _in_order(where):
            answer, used = dict(where), [lines]
    return answer, used


def _in_order(lines: dict[int, int]) -> list[int]:
    return sorted(lines, key=lines.__getitem__)


def _rank_of(line: str) -> int | None:
    """The number before or after a title in its line."""
    behind = _RANK_BEHIND.search(line)
    return int(behind[1]) if behind else number_of(line)


FAULTS = ("invented", "repeated", "missing", "markup", "chatter")

_ITEM_TAG = re.compile(r"<(?:li|td|th)\b[^<>\n]{0,200}>", re.IGNORECASE)
_MARK = re.compile(
    r"[\s>*_]{0,20}(?:[-+•‣▪◦●○–—·|\"'“‘\[{`~]|#?\(?[0-9]{1,5}\s?[.):|–-])|\s{0,20}\*\s"
)
_LETTER = re.compile(r"[^\W\d_]")


def count_faults(text: str, titles: Sequence[str], matched: FoundTitles) -> dict[str, float]:
    """Count the faults of an answer, given its matched titles: the values of `FAULTS`."""
    text = text[:MAX_CHARACTERS]
    keys = [f" {title_key(title)} " for title in titles]
    marked = OTHER_TAG.sub(" ", _ITEM_TAG.sub("\n- ", text))
    lines = marked.splitlines()[:MAX_LINES]
    tags = OTHER_TAG.findall(text)
    chatter = 0
    for line in dict.fromkeys(lines):
        if not _MARK.match(line) and _LETTER.search(line):
            words = f" {title_key(line)} "
            chatter += not any(key in words for key in keys)
    counts = (matched.invented, matched.repeated, matched.missing, len(tags), chatter)
    return dict(zip(FAULTS, map(float, counts), strict=True))


def average_precision(
    retrieved: Sequence[Hashable], relevant: Collection[Hashable]
) -> float | None:
    """Mean of the precision at each relevant item; one that is not retrieved adds 0."""
    unseen = set(relevant)
    wanted = len(unseen)
    precisions: list[float] = []
    for rank, item in enumerate(retrieved, start=1):
        if item in unseen:
            unseen.remove(item)
            precisions.append((len(precisions) + 1) / rank)
    return sum(precisions) / wanted if wanted else None
