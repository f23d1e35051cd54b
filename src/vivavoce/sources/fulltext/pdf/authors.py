"""Authors on the first page of a PDF: names between the title and the abstract."""

import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise, takewhile
from pathlib import Path

from vivavoce.records import Author
from vivavoce.sources.fulltext.pdf.fonts import Font
from vivavoce.sources.fulltext.pdf.lines import Word
from vivavoce.sources.fulltext.pdf.runs import Line, join_words

_CELL_GAP = 0.95
"""Multiple of the font size: a wider gap separates two authors side by side."""
_RAISED, _SAME_SIZE = 0.08, 0.6
"""Share of the font size by which marks are raised, and points by which sizes of names differ."""
_SAME_ROW, _NEXT_ROW = 0.3, 1.8
"""Multiples of the font size: distances of baselines in one row, and of lines in one block."""
_MAX_AUTHORS = 500
_DEGREES = frozenset("phd md msc bsc ms ma ba mph dphil dsc mba facs esq".split())
_ORCID = re.compile(r"\[?\d{4}(?:\s?[-−–]\s?\d{4}){2}\s?[-−–]\s?\d{3}[\dX]\]?")
_OTHER = re.compile(r"\d|:$|@")
"""Parts of dates, addresses and labels in the font of names."""
_SIGN = r"[^\w\s.,;:|·•、，'’´`¨¸˘ˇ˜ˆ˝¯˙˚&(){}\[\]@/‐–—~-]"
_MARKS = re.compile(
    rf"\[\d{{1,2}}\]|(?<!\d)\d{{1,2}}(?!\w)|\([\w.@-]{{1,15}}\)"
    rf"|[⁰¹²³⁴-⁹]+|(?<![^\W\d_]){_SIGN}|{_SIGN}(?![^\W\d_])"
)
"""Numbers and signs beside names; between two letters, a sign stands for another letter."""
_SEPARATORS = re.compile(
    r"\s*(?:[,|·•、，]|\s[/–—-]\s|\s(?:and|und|et|y|&)\s|^\s(?:and|(?:written\s|submitted\s|prepared\s)?by|&)\s)\s*",
    re.IGNORECASE,
)
_LABEL = re.compile(r"^\W*authors?(?:\(s\))?\s*[:：]", re.IGNORECASE)
_BRACKETED = re.compile(r"\([^()]{1,150}\)|\[[^\[\]]{3,150}\]")
"""An affiliation after a name, or a mark."""
_AND = re.compile(r"\s*[,;]\s*(?:and|und|et|y|&)\s", re.IGNORECASE)
_ACCENTS = re.compile(r"[´΄`¨˜ˆ˘ˇ˝¯˙˚]")
_TITLES = re.compile(r"^(?:(?:Dr|Prof|Professor|Mr|Mrs|Ms|Miss)(?:\.\s*|\s))+(?=[^\W\d_])")
_GLUED = re.compile(r"(?<=[^\W\d_A-Z])[A-Z]{2,}$")
"""The name of a link, such as `ID`, printed close behind a name."""
_INITIAL = r"(?:(?:[^\W\d_a-z]\.){1,3}[^\W\d_a-z]\.?|[^\W\d_a-z]\.?(?:[-‐][^\W\d_a-z]\.?)?)"
_CAPITAL = r"(?:[a-z]{1,2}['’])?[^\W\d_a-z](?:[^\W\d_]|['’´`¸ˇ˘¨˝‐-])*[^\W\d_]\.?"
_PARTICLE = (
    r"(?:van|von|de|den|der|des|du|da|dos|das|del|della|di|i|la|le|el|al|bin|ibn|ten|ter|zu|af)"
)
_NAME = re.compile(
    rf"(?!A\s)(?:{_INITIAL}|{_CAPITAL})(?:\s(?:{_PARTICLE}|{_INITIAL}|{_CAPITAL})){{0,4}}\s{_CAPITAL}"
    r"(?:\s(?:Jr|Sr|I{1,3}|IV)\.?)?"
    rf"|{_CAPITAL}(?:\s{_INITIAL}){{1,3}}"
)
_IDEOGRAPHS = re.compile(r"[\u4e00-\u9fff]{2,4}|[\uac00-\ud7af]{2,4}")
_CASELESS = re.compile(r"[^\W\d_]+(?:\s[^\W\d_]+){1,3}")
_ADDRESS = re.compile(r"\S+@\S+|https?://\S+|orcid\S*|\{[^}]*\}@\S+", re.IGNORECASE)
_BESIDE, _ALONE = 0.85, 0.65
"""Probabilities of names beside affiliations or addresses, and of names that stand alone."""


def read_authors(lines: Sequence[Line]) -> tuple[tuple[Author, ...], list[str]]:
    """The authors on lines between title and abstract, and texts in their font that name nobody."""
    rows = _rows(lines)
    found, unread = _names_in(rows)
    names = list(dict.fromkeys(found))[:_MAX_AUTHORS]
    names = [name.title() if name.isupper() and len(name) > 6 else name for name in names]
    texts = (text for row in rows for cell in row for _, text in cell.parts)
    confidence = _BESIDE if any(map(_holds_place, texts)) else _ALONE
    return tuple(Author(name, confidence=confidence) for name in names), unread


@dataclass(slots=True)
class _Cell:
    """Words of a line without a wide gap between them."""

    parts: list[tuple[Font, str]]
    """Texts set alike: marks, memberships and places are often set unlike names."""
    x0: float
    y: float

    def text(self, fonts: Sequence[Font]) -> str:
        """The text in any of these fonts."""
        own = (t for font, t in self.parts if any(_is_alike(other, font) for other in fonts))
        return " , ".join(own)


def _names_in(rows: Sequence[Sequence[_Cell]]) -> tuple[list[str], list[str]]:
    """Names in the font of the first ones, and texts in that font that are not read."""
    names: list[str] = []
    unread: list[str] = []
    fonts: list[Font] = []
    for row in rows:
        parts = [part for cell in row for part in cell.parts]
        named = [font for font, text in parts if _names_of(text)[0] and not _holds_place(text)]
        if not fonts:
            fonts = [font for font, text in parts if _names_of(text)[0]][:1]
        if any(_is_alike(font, fonts[0]) for font in named):
            # A list may go on in another print, as around a name in bold.
            fonts += [font for font, text in parts if font in named and text[0] in ",;&"][:1]
        texts = [cell.text(fonts) for cell in row]
        is_of_places = any(names and _holds_place(t) and not _names_of(t)[0] for t in texts)
        for text in texts:
            good, others = _names_of(text)
            if is_of_places:
                others += good
            else:
                names += good
            if not _OTHER.search(_MARKS.sub("", text)):
                unread += others
    return names, unread


def _rows(lines: Sequence[Line]) -> list[list[_Cell]]:
    """The cells of lines on one level; a name that a line breaks is whole in the lower cell."""
    rows: list[list[_Cell]] = []
    for line in sorted(lines, key=lambda line: line.y):
        if rows and line.y - rows[-1][0].y <= _SAME_ROW * line.size:
            rows[-1] += _cells(line)
        else:
            rows.append(list(_cells(line)))
    for row in rows:
        row.sort(key=lambda cell: cell.x0)
    for before, row in pairwise(rows):
        _join_broken(before[-1], row[0])
    return rows


def _join_broken(above: _Cell, cell: _Cell) -> None:
    (font, text), (own, rest) = above.parts[-1], cell.parts[0]
    text = _ACCENTS.sub("", text)
    pieces, following = _pieces(text), _pieces(rest)
    is_list = len(pieces) > 1 or len(above.parts) > 1
    is_near = cell.y - above.y < _NEXT_ROW * own.size and _is_alike(font, own)
    if not (pieces and following and is_near):
        return
    half, second = pieces[-1], following[0]
    is_half = not _is_name(half) and text.rstrip()[-1] not in ",;"
    is_broken = is_half or (" " not in second and half.count(" ") < 2)
    if is_broken and is_list and _is_name(f"{half} {second}"):
        start = max(text.rfind(half.split()[0]), 0)
        above.parts[-1] = font, text[:start]
        cell.parts[0] = own, f"{text[start:].strip()} {rest}"


def _cells(line: Line) -> Iterator[_Cell]:
    ends = [
        end
        for end, (before, word) in enumerate(pairwise(line.words), start=1)
        if word.x0 - before.x1 > _CELL_GAP * line.size and word.text[0] not in ",;"
    ]
    for start, end in pairwise([0, *ends, len(line.words)]):
        words = line.words[start:end]
        yield _Cell(_parts(words, line), words[0].x0, line.y)


def _parts(words: Sequence[Word], line: Line) -> list[tuple[Font, str]]:
    """The texts of words that are set alike; raised marks are parts, letters inside a word not."""
    groups = [[words[0]]]
    size = max(word.font.size for word in words)
    joined = [
        word.glued and before.text[-1].isalpha() and word.text[0].isalpha()
        for before, word in pairwise(words)
    ]
    for word, is_of_word, is_inside in zip(words[1:], joined, [*joined, False][1:], strict=True):
        is_raised = word.y < line.y - _RAISED * size
        if _is_alike(word.font, groups[-1][0].font) or (
            is_of_word and (is_inside or not is_raised)
        ):
            groups[-1].append(word)
        else:
            groups.append([word])
    return [(group[0].font, join_words(group)) for group in groups]


def _is_alike(font: Font, other: Font) -> bool:
    is_face = font.name == other.name or font.small_caps != other.small_caps
    return is_face and abs(font.size - other.size) <= _SAME_SIZE


def _names_of(text: str) -> tuple[list[str], list[str]]:
    """The names in a text, each before its affiliation, and pieces that are neither."""
    names: list[str] = []
    others: list[str] = []
    if text.rstrip().endswith(":"):  # the label of what follows
        return names, others
    for group in text.split(";"):
        pieces = _pieces(group)
        if any(map(_is_place, pieces)) and 2 * sum(map(_is_name, pieces)) <= len(pieces):
            pieces = list(takewhile(_is_name, pieces))
        names += filter(_is_name, pieces)
        others += (piece for piece in pieces if not _is_name(piece))
    return (names, others) if len(names) > len(others) else ([], others)


def _holds_place(text: str) -> bool:
    return any(map(_is_place, _pieces(text)))


def _pieces(text: str) -> list[str]:
    plain = _LABEL.sub("", _ACCENTS.sub("", text))  # old fonts set accents apart: `Nova´k`
    bare = _BRACKETED.sub(" ", _ORCID.sub(" ", _ADDRESS.sub(",", plain)))
    parts = _SEPARATORS.split(_AND.sub(" , ", f" {_MARKS.sub(' ', bare)} "))
    pieces = (" ".join(part.split()).strip(" .,:;-–~") for part in parts if part and part.strip())
    pieces = (_GLUED.sub("", _TITLES.sub("", piece)) for piece in pieces)
    return [piece for piece in pieces if piece.replace(".", "").casefold() not in _DEGREES]


def _is_name(text: str) -> bool:
    # `An` and `On` begin names in some languages; `an` and `on` do not.
    words = [word for word in text.split() if len(word) != 2 or not word.istitle()]
    words = [word.strip(".,").casefold() for word in words]
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
