"""Authors on the first page of a PDF: names between the title and the abstract."""

import re
import tomllib
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise, takewhile
from pathlib import Path
from typing import NamedTuple

from vivavoce.records import Author
from vivavoce.sources.fulltext.pdf.evidence import compact
from vivavoce.sources.fulltext.pdf.fonts import Font
from vivavoce.sources.fulltext.pdf.lines import Word
from vivavoce.sources.fulltext.pdf.runs import Line, join_words

_CELL_GAP = 0.95
"""Multiple of the font size: a wider gap separates two authors side by side."""
_RAISED = 0.87
_NEAR = 0.6
_MIN_LIST = 2
_MAX_AUTHORS = 500
_DEGREES = frozenset("phd md msc bsc ms ma ba mph dphil dsc mba facs esq".split())
_ORCID = re.compile(r"\[?\d{4}(?:\s?[-−–]\s?\d{4}){2}\s?[-−–]\s?\d{3}[\dX]\]?")
_OTHER = re.compile(r"\d|:$")
"""Parts of dates, addresses and labels in the font of names."""
_MARKS = re.compile(r"\[\d{1,2}\]|[\d*†‡§¶‖#•\u2190-\u2bff\ue000-\uf8ff]+|\([\w.@-]{1,15}\)")
_SEPARATORS = re.compile(
    r"\s*(?:[,;|·•、，]|\s[/–—-]\s|\s(?:and|und|et|y|&)\s|^\s(?:and|(?:written\s|submitted\s|prepared\s)?by|&)\s)\s*",
    re.IGNORECASE,
)
_LABEL = re.compile(r"^\W*authors?(?:\(s\))?\s*[:：]", re.IGNORECASE)
_BRACKETED = re.compile(r"\([^()]{1,150}\)|\[[^\[\]]{3,150}\]")
"""An affiliation after a name, or a mark."""
_AND = re.compile(r"\s*[,;]\s*(?:and|und|et|y|&)\s", re.IGNORECASE)
_CEDILLA = re.compile(r"([^\W\d_])\s?¸\s?")
_ACCENTS = re.compile(r"[´΄`¨˜ˆ˘ˇ˝¯˙˚]")
_MEMBER = re.compile(
    r",?\s*\(?(?:(?:Graduate )?Student |Senior |Life )?(?:Member|Fellow),? IEEE\)?", re.IGNORECASE
)
_INITIAL = r"(?:(?:[^\W\d_a-z]\.){1,3}[^\W\d_a-z]\.?|[^\W\d_a-z]\.?(?:[-‐][^\W\d_a-z]\.?)?)"
_CAPITAL = r"(?:[a-z]{1,2}['’])?[^\W\d_a-z][\w'’´`¸ˇ˘¨˝‐-]*[^\W\d_]\.?"
_PARTICLE = (
    r"(?:van|von|de|den|der|des|du|da|dos|das|del|della|di|i|la|le|el|al|bin|ibn|ten|ter|zu|af)"
)
_NAME = re.compile(
    rf"(?:{_INITIAL}|{_CAPITAL})(?:\s(?:{_PARTICLE}|{_INITIAL}|{_CAPITAL})){{0,4}}\s{_CAPITAL}"
    rf"|{_CAPITAL}(?:\s{_INITIAL}){{1,3}}"
)
_IDEOGRAPHS = re.compile(r"[\u4e00-\u9fff]{2,4}|[\uac00-\ud7af]{2,4}")
_CASELESS = re.compile(r"[^\W\d_]+(?:\s[^\W\d_]+){1,3}")
_ADDRESS = re.compile(r"[^\s(,]+@[^\s),]+|https?://\S+|orcid\S*|\{[^}]*\}@\S+", re.IGNORECASE)
_KNOWN, _BESIDE, _ALONE = 0.97, 0.85, 0.65
"""Probabilities of names that the PDF's metadata holds too, of names beside affiliations or
addresses, and of names that stand by themselves."""


def read_authors(
    lines: Sequence[Line], margins: Sequence[Line], described: str
) -> tuple[tuple[Author, ...], list[str]]:
    """The authors in the order of the page, and the lines in their font that name nobody.

    `lines` are between title and abstract, and `margins` outside the text. `described` holds the
    authors that the PDF's metadata names, often wrongly.
    """
    author_names, has_places, unread = _names_in(lines)
    printed = compact(" ".join(line.text for line in (*lines, *margins)))
    known = [name for name in _pieces(described) if _is_name(name) and compact(name) in printed]
    if len(known) > len(author_names):
        author_names = known
    names = list(dict.fromkeys(author_names))[:_MAX_AUTHORS]
    sure = {compact(name) for name in known}
    usual = _BESIDE if has_places else _ALONE
    authors = tuple(Author(n, confidence=_KNOWN if compact(n) in sure else usual) for n in names)
    return authors, unread


def _names_in(lines: Sequence[Line]) -> tuple[list[str], bool, list[str]]:
    """Names in the font of the first ones, whether there are affiliations, and unread lines."""
    names: list[str] = []
    unread: list[tuple[Font, str]] = []
    font: Font | None = None
    has_places = False
    passages = _passages(lines)
    for passage in passages:
        text, own = passage.text, passage.font
        pieces = _pieces(text)
        good = [piece for piece in pieces if _is_name(piece)]
        is_address = any(map(_is_place, pieces)) or _ADDRESS.search(text) is not None
        has_places = has_places or is_address
        leading = list(takewhile(_is_name, pieces))
        if leading and any(map(_is_place, pieces[len(leading) :])):
            good = pieces = leading  # authors with the affiliation after their names
            is_address = False
        is_line_two = passage.is_below_name(passages)
        if is_line_two and len(passage.row(passages)) > 1:
            continue
        # Names may hold the words of places.
        is_odd = not names and all(map(_NAME.fullmatch, pieces)) if is_address else bool(pieces)
        if (good and is_line_two) or (
            len(good) < len(pieces) and is_odd and not _OTHER.search(text)
        ):
            unread.append((own, text))
        if not good or 2 * len(good) <= len(pieces):
            continue
        if font is not None and (own.name != font.name or abs(own.size - font.size) > _NEAR):
            continue
        font = font or own
        names += good
    names = [name.title() if name.isupper() and len(name) > 6 else name for name in names]
    return names, has_places, [text for own, text in unread if own is font]


class _Passage(NamedTuple):
    """A cell of a line with those that it continues on."""

    text: str
    words: Sequence[Word]
    y: float

    @property
    def font(self) -> Font:
        return _font(self.words)

    def row(self, passages: "Sequence[_Passage]") -> list[str]:
        """Texts on this line of the page."""
        return [one.text for one in passages if abs(one.y - self.y) < 0.3 * self.font.size]

    def is_below(self, other: "_Passage") -> bool:
        """Check whether both are set in one column, line below line."""
        middles = [one.words[0].x0 + one.words[-1].x1 for one in (self, other)]
        size = self.font.size
        is_aligned = abs(middles[0] - middles[1]) < size or (
            abs(self.words[0].x0 - other.words[0].x0) < 0.2 * size
        )
        return is_aligned and self.font is other.font and 0 < self.y - other.y < 1.6 * size

    def is_below_name(self, passages: "Sequence[_Passage]") -> bool:
        """Check whether this is a line below a name in a cell whose lines are not all names."""
        above = next((one for one in passages if self.is_below(one)), None)
        if above is None or not _is_name(self.text):
            return above is not None and (_is_name(above.text) or above.is_below_name(passages))
        below = [one.text for one in passages if one.is_below(self) and not _OTHER.search(one.text)]
        is_other = not all(map(_is_name, below)) or any(map(_is_place, self.row(passages)))
        return _is_name(above.text) and is_other


def _passages(lines: Sequence[Line]) -> list[_Passage]:
    """Cells of lines without raised marks; lines that continue on the next are one passage."""
    passages: list[_Passage] = []
    last: Line | None = None
    for line in lines:
        for cell in _cells(line):
            text = _without_marks(cell, line)
            if last is not None and _goes_on(passages[-1].text, text, last, line):
                passages[-1] = passages[-1]._replace(text=f"{passages[-1].text} {text}")
            else:
                passages.append(_Passage(text, cell, line.y))
            last = line
    return [passage for passage in passages if passage.text]


def _cells(line: Line) -> Iterator[list[Word]]:
    cell = [line.words[0]]
    for before, word in pairwise(line.words):
        if word.x0 - before.x1 > _CELL_GAP * line.size:
            yield cell
            cell = []
        cell.append(word)
    yield cell


def _without_marks(words: Sequence[Word], line: Line) -> str:
    """The text of words; a raised mark ends a name, since it separates names."""
    kept: list[str] = []
    run: list[Word] = []
    size = _font(words).size
    for word in words:
        is_small = word.font.size < _RAISED * size
        if is_small and (word.y < line.y - 0.08 * size or _MARKS.fullmatch(word.text)):
            kept.append(join_words(run))
            run = []
        else:
            run.append(word)
    kept.append(join_words(run))
    joined = ""
    for part in kept:
        plain = part.strip()
        needs_comma = joined and plain and plain[0] not in ",;" and joined[-1] not in ",;"
        joined += ("," if needs_comma else "") + " " + plain
    return " ".join(joined.split()).strip(" ,;")


def _goes_on(text: str, own: str, last: Line, line: Line) -> bool:
    """Check whether a list of names continues on the next line."""
    size = max(word.font.size for word in line.words)
    is_alike = _font(line.words) == _font(last.words)
    if line is last or not is_alike or not 0 < line.y - last.y < 1.8 * size:
        return False
    names, others = _pieces(text), _pieces(own)
    if text.endswith((",", " and", "&")) or len(names) < _MIN_LIST or not others:
        return text.endswith((",", " and", "&"))
    halves = names[-1], others[0]
    is_cut = all(map(_is_name, names[:-1])) and not all(map(_is_name, halves))
    return is_cut and _is_name(" ".join(halves))


def _font(words: Sequence[Word]) -> Font:
    """The font of the largest word, since marks may outnumber the letters of a line."""
    lettered = [word for word in words if sum(map(str.isalpha, word.text)) > 1] or words
    return max(lettered, key=lambda word: word.font.size).font


def _pieces(text: str) -> list[str]:
    # Old fonts set accents as separate characters: `C¸ elik`, `Nova´k`.
    joined = _CEDILLA.sub(lambda m: unicodedata.normalize("NFC", m[1] + "\u0327"), text)
    mended = _MEMBER.sub(",", _ACCENTS.sub("", joined))
    bare = _BRACKETED.sub(" ", _ORCID.sub(" ", _ADDRESS.sub(",", _LABEL.sub("", mended))))
    parts = _SEPARATORS.split(f" {_AND.sub(', ', _MARKS.sub(' ', bare))} ")
    pieces = (" ".join(part.split()).strip(" .,:;-–~") for part in parts if part and part.strip())
    return [piece for piece in pieces if piece.replace(".", "").casefold() not in _DEGREES]


def _is_name(text: str) -> bool:
    small = _words()["small"]
    if any((word.casefold() if text.isupper() else word) in small for word in text.split()):
        return False
    words = [word.strip(".,").casefold() for word in text.split()]
    words = [word for word in words if len(word) > 1]
    if any(word in _words()["no_names"] for word in words) or text.casefold() in _words()["places"]:
        return False
    if _IDEOGRAPHS.fullmatch(text):
        return not any(sign in text for sign in _words()["signs"])
    if text.lower() == text.upper():
        return _CASELESS.fullmatch(text) is not None
    return _NAME.fullmatch(text) is not None and len(text) <= 60


def _is_place(text: str) -> bool:
    words = {word.strip(".,()").casefold() for word in text.split() if len(word) > 2}
    return bool(words & (_words()["no_names"] | _words()["small"])) or any(
        s in text for s in _words()["signs"]
    )


@cache
def _words() -> dict[str, frozenset[str]]:
    tables = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
    return {name: frozenset(words) for name, words in tables.items()}
