"""The most that can be read out of some texts: which gold methods and scores literally stand there.

A method stands in a text when the letters and digits of its normalised name do, one after the
other, from the start of a word to the end of one. A score does when a number of the text equals it
in the printed scale: 93.5 and 93.50 are one, 0.935 is another. Of a method that is not there no
score is looked for, so that the share of scores is one of the methods found, as in `sp_matched`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from vivavoce.metrics.leaderboards import method_key
from vivavoce.store import Row

_WORD = re.compile(r"[^\W_]+")
_NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?|\.\d+", re.ASCII)
_DECIMAL_COMMA = re.compile(r"\d+,\d+", re.ASCII)
_MAX_NUMBER = 40
_SCALES = (1e3, 1e6, 1e9)


@dataclass(frozen=True, slots=True)
class Ceiling:
    """The most that an answer read out of some texts can reach."""

    mr: float
    sp: float | None
    """None where no method stands in the texts."""


def ceilings(entries: Sequence[Row], texts: Sequence[str]) -> list[Ceiling]:
    """The ceilings of the first 0, 1, 2 ... texts.

    Args:
        entries: The gold, with `method`, `score` and `score_text`.
        texts: What is shown, best first.
    """
    gold: dict[str, set[str]] = {}
    for entry in entries:
        gold.setdefault(method_key(entry["method"]), set()).update(_keys_of(entry))
    shown = [_Text(text) for text in texts]
    never = len(texts) + 1
    places = []
    for method, scores in gold.items():
        named = next((n for n, text in enumerate(shown, 1) if text.names(method)), never)
        scored = next((n for n, text in enumerate(shown, 1) if text.numbers & scores), never)
        places.append((named, scored))
    return [_ceiling(places, count) for count in range(len(texts) + 1)]


def _ceiling(places: Sequence[tuple[int, int]], count: int) -> Ceiling:
    named = [scored for name, scored in places if name <= count]
    mr = len(named) / len(places) if places else 0.0
    return Ceiling(mr, sum(scored <= count for scored in named) / len(named) if named else None)


class _Text:
    """A text whose names and numbers are looked up."""

    def __init__(self, text: str) -> None:
        plain = unicodedata.normalize("NFKC", text).casefold()
        pieces: list[str] = []
        length = 0
        self._starts: set[int] = set()
        self._ends: set[int] = set()
        for match in _WORD.finditer(plain):
            pieces.append(match.group())
            self._starts.add(length)
            length += len(match.group())
            self._ends.add(length)
        self._letters = "".join(pieces)
        self.numbers = set(_numbers(plain))

    def names(self, key: str) -> bool:
        """Check whether a method of this key stands in the text as whole words."""
        letters = "".join(_WORD.findall(key))
        place = self._letters.find(letters) if letters else -1
        while place >= 0:
            if place in self._starts and place + len(letters) in self._ends:
                return True
            place = self._letters.find(letters, place + 1)
        return False


def _keys_of(entry: Row) -> Iterator[str]:
    """The score as a number, and as printed: 33,000,000 may be `33M` there."""
    score: float = entry["score"]
    yield _key(score)
    if first := _NUMBER.search((entry["score_text"] or "")[:_MAX_NUMBER]):
        printed = float(first.group().replace(",", ""))
        if _key(score) in {_key(printed * scale) for scale in _SCALES}:
            yield _key(printed)


def _numbers(text: str) -> Iterator[str]:
    for match in _NUMBER.finditer(text):
        yield from _readings(match.group())
    for match in _DECIMAL_COMMA.finditer(text):
        yield from _readings(match.group().replace(",", "."))


def _readings(digits: str) -> Iterator[str]:
    if len(digits) <= _MAX_NUMBER:
        yield _key(float(digits.replace(",", "")))


def _key(value: float) -> str:
    """Ten digits without the sign, which prints in many ways."""
    return f"{abs(value):.10g}"
