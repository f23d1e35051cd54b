"""Authors on the first page of a PDF: names between the title and the abstract."""

import re
import tomllib
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise, takewhile
from pathlib import Path

from vivavoce.records import Author
from vivavoce.sources.fulltext.pdf.evidence import compact
from vivavoce.sources.fulltext.pdf.fonts import Font
from vivavoce.sources.fulltext.pdf.lines import Word
from vivavoce.sources.fulltext.pdf.runs import Line, join_words

_CELL_GAP = 0.95
"""Multiple of the font size: a wider gap separates two authors side by side."""
_RAISED = 0.87
_MAX_AUTHORS = 500
_DEGREES = frozenset("phd md msc bsc ms ma ba mph dphil dsc mba facs esq".split())
_ORCID = re.compile(r"\[?\d{4}(?:\s?[-−–]\s?\d{4}){2}\s?[-−–]\s?\d{3}[\dX]\]?")
_OTHER = re.compile(r"\d|:$")
"""Parts of dates, addresses and labels in the font of names."""
_MARKS = re.compile(r"\[\d{1,2}\]|[\d*∗†‡§¶‖#✉⋆♯♮♠♣◦•♢♦△⊥∥]+|\([\w.@-]{1,15}\)")
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
_GENERATION = re.compile(r"\s(?:Jr|Sr|I{1,3}|IV)\.?$")
_INITIAL = r"(?:(?:[^\W\d_a-z]\.){1,3}[^\W\d_a-z]\.?|[^\W\d_a-z]\.?(?:[-‐][^\W\d_a-z]\.?)?)"
_CAPITAL = r"(?:[a-z]{1,2}['’])?[^\W\d_a-z][\w'’´`¸ˇ˘¨˝‐-]*[^\W\d_]\.?"
_PARTICLE = (
    r"(?:van|von|de|den|der|des|du|da|dos|das|del|della|di|i|la|le|el|al|bin|ibn|ten|ter|zu|af)"
)
_NAME = re.compile(
    rf"(?:{_INITIAL}|{_CAPITAL})(?:\s(?:{_PARTICLE}|{_INITIAL}|{_CAPITAL})){{0,4}}\s{_CAPITAL}"
    rf"(?:{_GENERATION.pattern[:-1]})?|{_CAPITAL}(?:\s{_INITIAL}){{1,3}}"
)
_IDEOGRAPHS = re.compile(r"[\u4e00-\u9fff]{2,4}|[\uac00-\ud7af]{2,4}")
_CASELESS = re.compile(r"[^\W\d_]+(?:\s[^\W\d_]+){1,3}")
_ADDRESS = re.compile(r"\S+@\S+|https?://\S+|orcid\S*|\{[^}]*\}@\S+", re.IGNORECASE)
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
    has_places = has_addresses = False
    for text, own in _passages(lines):
        pieces = _pieces(text)
        good = [piece for piece in pieces if _is_name(piece)]
        is_address = any(map(_is_place, pieces)) or _ADDRESS.search(text) is not None
        has_places = has_places or is_address
        leading = list(takewhile(_is_name, pieces))
        if leading and any(map(_is_place, pieces[len(leading) :])):
            good = pieces = leading  # authors with the affiliation after their names
            is_address = False
        is_beside = is_address and font is not None and not has_addresses
        if not is_address and len(good) < len(pieces) and not _OTHER.search(text):
            unread.append((own, text))
        if not good or 2 * len(good) <= len(pieces) or is_beside:
            continue
        # Names in small capitals may have no larger letter.
        near = 0.26 * max(own.size, font.size) if font is not None and text.isupper() else 0.6
        if font is not None and (own.name != font.name or abs(own.size - font.size) > near):
            continue
        has_addresses = has_addresses or (font is None and is_address)
        font = font or own
        names += good
    names = [name.title() if name.isupper() and len(name) > 6 else name for name in names]
    return names, has_places, [text for own, text in unread if own is font]


def _passages(lines: Sequence[Line]) -> Iterator[tuple[str, Font]]:
    """Cells of lines without raised marks; lines that continue on the next are one passage."""
    cells = [(line, cell) for line in lines for cell in _cells(line)]
    cells = [(line, cell) for line, cell in cells if not _is_beside_place(line, cell, lines)]
    text, last, first = "", None, None
    for line, cell in cells:
        own = _without_marks(cell, line)
        if last is not None and _goes_on(text, own, last, line):
            text = f"{text} {own}"
        else:
            if first is not None and text:
                yield text, _font(first)
            text, first = own, cell
        last = line
    if first is not None and text:
        yield text, _font(first)


def _is_beside_place(line: Line, cell: Sequence[Word], lines: Sequence[Line]) -> bool:
    """Check whether a cell is in a row of affiliations, below the names of the authors."""
    row = [other for other in lines if abs(other.y - line.y) < 0.3 * line.size]
    others = [join_words(o) for one in row for o in _cells(one) if o[0] is not cell[0]]
    above = any(
        0 < line.y - before.y < 2 * line.size and (before.runs > 1 or len(row) > 1)
        for before in lines
    )
    return above and any(_is_place(piece) for text in others for piece in _pieces(text))


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
    height = max([line.y, *(word.y for word in words if word.font.size == size)])
    for word in words:
        is_small = word.font.size < _RAISED * size
        if is_small and (word.y < height - 0.08 * size or _MARKS.fullmatch(word.text)):
            kept.append(join_words(run))
            run = []
        else:
            run.append(word)
    kept.append(join_words(run))
    joined = ""
    for part in kept:
        plain = part.strip()
        needs_comma = joined and plain and plain[0] not in ",;" and joined[-1] not in ",;"
        joined += ("," if needs_comma and not plain.startswith(("and ", "&")) else "") + " " + plain
    return " ".join(joined.split()).strip(" ,;")


def _goes_on(text: str, own: str, last: Line, line: Line) -> bool:
    """Check whether a list of names continues on the next line."""
    size = max(word.font.size for word in line.words)
    is_alike = _font(line.words) == _font(last.words)
    if line is last or not is_alike or not 0 < line.y - last.y < 1.8 * size:
        return False
    is_open = text.endswith((",", " and", "&")) or len(_pieces(text)[-1:] or [""]) == 0
    first, final = _pieces(own)[:1], _pieces(text)[-1:]
    halves = bool(first and final) and " " not in first[0] and len(final[0].split()) <= 2
    return is_open or (halves and len(_pieces(text)) > 1)


def _font(words: Sequence[Word]) -> Font:
    """The font of the largest word, since marks may outnumber the letters of a line."""
    lettered = [word for word in words if sum(map(str.isalpha, word.text)) > 1] or words
    return max(lettered, key=lambda word: word.font.size).font


def _pieces(text: str) -> list[str]:
    # Old fonts set accents as separate characters: `C¸ elik`, `Nova´k`.
    joined = _CEDILLA.sub(lambda m: unicodedata.normalize("NFC", m[1] + "\u0327"), text)
    mended = _MEMBER.sub(",", _ACCENTS.sub("", joined))
    bare = _BRACKETED.sub(" ", _ORCID.sub(" ", _ADDRESS.sub(" ", _LABEL.sub("", mended))))
    parts = _SEPARATORS.split(f" {_AND.sub(', ', _MARKS.sub(' ', bare))} ")
    pieces = (" ".join(part.split()).strip(" .,:;-–~") for part in parts if part and part.strip())
    return [piece for piece in pieces if piece.replace(".", "").casefold() not in _DEGREES]


def _is_name(text: str) -> bool:
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
    return bool(words & _words()["no_names"]) or any(s in text for s in _words()["signs"])


@cache
def _words() -> dict[str, frozenset[str]]:
    tables = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
    return {name: frozenset(words) for name, words in tables.items()}
