"""Citation markers in plain text: numbers in square brackets, and surnames with a year.

A marker crosses a line break only if it is clearly unfinished there, and never a blank line. Every
function takes linear time.
"""

import re
import unicodedata
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

_MAX_LIST = 40
_MAX_RANGE = 30
_NAME_WORD = re.compile(r"[^\W\d_]+(?:['’`´-][^\W\d_]+)*")
_NUMBER = r"[0-9]{1,3}"
_STEP = r"\s{0,2}[,;–—-]\s{0,2}"
_BRACKET = re.compile(rf"\[\s{{0,2}}({_NUMBER}(?:{_STEP}{_NUMBER}){{0,{_MAX_LIST}}})\s{{0,2}}\]")
_NUMBER_OR_STEP = re.compile(r"[0-9]+|[,;–—-]")
_DASHES = frozenset("–—-")
_BEFORE_NO_CITATION = re.compile(
    r"(?:[=∈×^_]\s?|(?<![\w-])[^\W\d_]|(?<![\w.-])[0-9][0-9.]*)$"  # =[1], x[1], 0.5[1]
)
# Words that show that the numbers after them bound or measure something.
_BEFORE_INTERVAL = re.compile(
    r"(?<![^\W_])(?:(?<!as )in|range|ranges|ranging|intervals?|between|scale|values?|sizes?|dims?"
    r"|dimensions?|kernels?|shape|bounds?)[\s:]{0,2}$",
    re.IGNORECASE,
)
_LOOK_BEHIND = 16

_WORD = r"[\w\u0300-\u036f]+"
# Accents that a PDF prints as separate characters are part of words, as are hyphens, apostrophes.
_JOINT = "['’`´¨ˇ˜ˆ¸‐‑-]"
_TOKEN = re.compile(rf"{_WORD}(?:{_JOINT}{_WORD})*[´`¨ˇ˜]?|\n[ \t]*\n|\n|[^\w\s]")
_YEAR = re.compile(r"((?:19|20)[0-9]{2})([A-Za-z]?)")
_LETTER = re.compile(r"[a-h]", re.IGNORECASE)
_INITIAL = re.compile(r"[^\W\d_]")
_MEMORY = 48
_MAX_NAMES = 8
_MAX_NAME = 40
_PARTICLES = frozenset(
    "af al da dal de del della den der des di do dos du el la las le lo ten ter van vom von zu "
    "zur".split()
)
_HYPHENS = frozenset("-‐‑")
# Placeholder for a year already read, so that no name is read across it.
_READ = "0"
_ALIKE = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "æ": "ae", "œ": "oe", "ı": "i", "þ": "th"}
)


@dataclass(frozen=True, slots=True)
class NumericMarker:
    """Numbers in square brackets, with ranges expanded."""

    start: int
    numbers: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class AuthorYearMarker:
    """Surnames with a year, as in `Author and Other (2015a)`."""

    start: int
    """Start of the year in the text."""
    names: tuple[str, ...]
    """Keys by `name_key`, in printed order; the first may be words of the text before the names."""
    has_others: bool
    """True if the names end in `et al.`"""
    is_pair: bool
    """True if `and` joins the last two names and no `et al.` follows: the two belong together."""
    year: int
    letter: str
    """Letter after the year, in lower case; empty if there is none."""

    @property
    def readings(self) -> Iterator[tuple[str, ...]]:
        """Possible lists of names, longest first, as words before the names may look like names."""
        last = len(self.names) - (2 if self.is_pair else 1)
        return (self.names[start:] for start in range(last + 1))


def name_key(name: str) -> str:
    """Normalise a surname for comparison: no case, accents, leading particles, spaces or marks."""
    words = unicodedata.normalize("NFKD", name[:_MAX_NAME]).casefold().split()
    while len(words) > 1 and words[0] in _PARTICLES:
        del words[0]
    plain = "".join(character for character in "".join(words) if character.isalpha())
    return plain.translate(_ALIKE)


def name_keys(text: str) -> set[str]:
    """Keys, by `name_key`, of all words in a text."""
    return {name_key(word) for word in _NAME_WORD.findall(text)} - {""}


def surname_keys(name: str) -> set[str]:
    """Keys of a whole name and of its last word: for `First Last`, markers show only `Last`."""
    words = name.split()
    return {name_key(name), name_key(words[-1])} - {""} if words else set()


def numeric_mentions(
    text: str, ordinals: Mapping[int, int]
) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Positions and references of the numeric markers in which every number has a reference."""
    for marker in find_numeric_markers(text):
        meant = tuple(ordinals[number] for number in marker.numbers if number in ordinals)
        # A number without a reference shows that the brackets are not a citation.
        if len(meant) == len(marker.numbers):
            yield marker.start, meant


def find_numeric_markers(text: str) -> Iterator[NumericMarker]:
    """Find bracketed numbers in a text that may be citations, in order.

    Intervals, sizes and indices are left out. These are brackets with a zero or a repeated number,
    attached to a single letter or digit, after a word such as `range`, or in a line of numbers.
    """
    start = 0
    for line in text.split("\n"):
        if "[" in line:
            yield from _numeric_in_line(line, start)
        start += len(line) + 1


def _numeric_in_line(line: str, offset: int) -> Iterator[NumericMarker]:
    brackets = list(_BRACKET.finditer(line))
    around = _BRACKET.sub("", line)
    has_words = any(map(str.isalpha, around))
    if not has_words and around.strip(" ,;–—-"):
        return
    single: re.Match[str] | None = None
    for bracket in brackets:
        before = line[max(0, bracket.start() - _LOOK_BEHIND) : bracket.start()]
        numbers = _write_out(bracket[1])
        gap = line[single.end() : bracket.start()].strip() if single else ""
        if single and gap in _DASHES and len(numbers) == 1:  # [3]-[7]
            numbers = _write_out(f"{single[1]}-{bracket[1]}")[1:]
        elif _is_quantity(before, len(numbers), has_words):
            numbers = ()
        single = bracket if len(numbers) == 1 else None
        if numbers:
            yield NumericMarker(offset + bracket.start(), numbers)


def _is_quantity(before: str, count: int, has_words: bool) -> bool:
    """Check, from the text before them, whether brackets with `count` numbers measure something."""
    if _BEFORE_NO_CITATION.search(before):
        return True
    return count > 1 and (not has_words or _BEFORE_INTERVAL.search(before) is not None)


def _write_out(inside: str) -> tuple[int, ...]:
    """The numbers of `1, 3-5`; none if they cannot be a list of citations."""
    numbers: list[int] = []
    is_range = False
    for part in _NUMBER_OR_STEP.findall(inside):
        if not part.isdigit():
            is_range = part in _DASHES
            continue
        number = int(part)
        if is_range:
            if not numbers[-1] < number <= numbers[-1] + _MAX_RANGE:
                return ()
            numbers += range(numbers[-1] + 1, number)
        numbers.append(number)
    if 0 in numbers or len(set(numbers)) < len(numbers):
        return ()
    return tuple(numbers)


def find_author_year_markers(text: str) -> Iterator[AuthorYearMarker]:
    """Find years that follow capitalised words; a reference list shows which words are names."""
    recent: deque[str] = deque(maxlen=_MEMORY)
    last: AuthorYearMarker | None = None
    for match in _TOKEN.finditer(text):
        token, start = match[0], match.start()
        marker = None
        if last is not None and len(recent) > 1 and recent[-2] == _READ and recent[-1] in ",;":
            marker = _continue(last, token, start)
        if marker is None and (year := _YEAR.fullmatch(token)) is not None:
            marker = _read_back(recent, start, int(year[1]), year[2].lower())
        if marker is not None:
            last = marker
            yield marker
        recent.append(token if marker is None else _READ)


def _continue(marker: AuthorYearMarker, token: str, start: int) -> AuthorYearMarker | None:
    """The next marker with the same names: `2015; 2016` or `2015a, b`."""
    year = _YEAR.fullmatch(token)
    if year is not None:
        return replace(marker, start=start, year=int(year[1]), letter=year[2].lower())
    if marker.letter and _LETTER.fullmatch(token) and token.lower() > marker.letter:
        return replace(marker, start=start, letter=token.lower())
    return None


def _read_back(
    tokens: Iterable[str], start: int, year: int, letter: str
) -> AuthorYearMarker | None:
    """The marker that ends in a year, read leftwards from the year."""
    before = _BackwardReader(tokens)
    is_apart = before.skip("(", "[")
    is_apart = before.skip(",") or is_apart
    if before.has_crossed and not is_apart:
        return None  # one line ends in a word, and the year starts the next line
    has_others = before.skip_others()
    names, is_pair = before.take_names(has_others)
    if not names:
        return None
    return AuthorYearMarker(start, names, has_others, is_pair and not has_others, year, letter)


class _BackwardReader:
    """Reads the last tokens from right to left."""

    def __init__(self, tokens: Iterable[str]) -> None:
        self.tokens = list(tokens)
        self.has_crossed = False
        """True once a line break was crossed."""

    def peek(self, back: int = 1) -> str:
        return self.tokens[-back] if len(self.tokens) >= back else ""

    def skip(self, *wanted: str) -> bool:
        """Skip one of these tokens and a line break on either side; return whether it was there."""
        self._skip_break()
        if self.peek().casefold() not in wanted:
            return False
        self.tokens.pop()
        self._skip_break()
        return True

    def _skip_break(self) -> None:
        if self.peek() == "\n":
            self.tokens.pop()
            self.has_crossed = True

    def skip_others(self) -> bool:
        """Skip `et al.` or `and others`."""
        saved = list(self.tokens)
        self.skip(".")
        if self.skip("al"):
            self.skip(".")
            is_found = self.skip("et")
        else:
            is_found = self.skip("others", "colleagues") and self.skip("and", "&")
        if is_found:
            self.skip(",")
        else:
            self.tokens = saved
        return is_found

    def take_names(self, has_others: bool) -> tuple[tuple[str, ...], bool]:
        """Names in printed order, and True if `and` joins the last two."""
        names: list[str] = []
        is_pair = False
        while len(names) < _MAX_NAMES and (name := self._take_name()):
            names.append(name)
            if len(names) == 1 and self.skip("and", "&"):
                self.skip(",")
                is_pair = True
            elif not ((is_pair or has_others) and self.skip(",")):
                break
        return tuple(reversed(names)), is_pair and len(names) > 1

    def _take_name(self) -> str:
        word, length = self.peek(), 1
        if word.islower():  # `Au- thor`, hyphenated at the end of a line
            length = 4 if self.peek(2) == "\n" else 3
            word = self.peek(length) + word if self.peek(length - 1) in _HYPHENS else ""
        if not (
            1 < len(word) <= _MAX_NAME
            and any(map(str.isupper, word[:3]))
            and not any(map(str.isdigit, word))
            and "_" not in word
        ):
            return ""
        del self.tokens[-length:]
        while self.peek().casefold() in _PARTICLES:
            self.tokens.pop()
        while self.peek() == "." and _INITIAL.fullmatch(self.peek(2)):
            del self.tokens[-2:]
        return name_key(word.removesuffix("'s").removesuffix("’s"))
