"""Words on the pages of a PDF, each with its font, size and place.

PDFium gives the text of a page and the place of every character. Asking for the place once per
word, and for the font once per text object, keeps this fast.
"""

import ctypes
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import NamedTuple

import pypdfium2.raw as pdfium

from vivavoce.sources.fulltext.pdf.fonts import Font, FontBook

_WORD = re.compile(r"[^\s\x02\ufffe]+[\x02\ufffe]?|[\x02\ufffe]")
_BROKEN_WORD = "\x02\ufffe"
"""Characters that PDFium puts in place of a hyphen at the end of a line."""
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ufffe\uffff]")
_LIGATURES = {
    **dict(zip(map(ord, "ﬀﬁﬂﬃﬄﬅﬆ"), "ff fi fl ffi ffl st st".split(), strict=True)),
    **{0xA0: " ", 0xAD: "-", 0x2010: "-", 0x2011: "-"},
}
_CODE = re.compile(r"[\x03-\x08\x0b\x0c\x0e-\x1f]")
_BARE_LIGATURE = re.compile(
    r"(?<=[A-Za-z])[\x0b\x0c\x0e\x0f\x1b-\x1f]|[\x0b\x0c\x0e\x0f\x1b-\x1f](?=[a-z])"
)
"""Codes of ligatures in TeX's fonts; bitmap fonts do not say which letters they stand for."""
_OF_LETTERS = dict(zip("ff fi fl ffi ffl".split(), "ﬀﬁﬂﬃﬄ", strict=True))
_OF_CODE = dict(zip("\x0b\x0c\x0e\x0f\x1b\x1c\x1d\x1e\x1f", "ﬀﬁﬃﬄﬀﬁﬂﬃﬄ", strict=True))
_SLANT = 0.1
"""Share of a quarter turn by which text may lean; a watermark across the page leans more."""
_ASKEW = -1
_SURROGATE = re.compile("[\ud800-\udfff]")
_COMBINING = "\u0301\u0300\u0302\u0303\u0308\u0304\u0306\u0307\u030c\u030a\u030b\u0327"
COMBINING = dict(zip("´`ˆ˜¨¯˘˙ˇ˚˝¸", _COMBINING, strict=True))
_ACCENTED = re.compile(rf"([{''.join(COMBINING)}])([A-Za-zıȷ])")
_CEDILLA = re.compile(r"([CcSsTt])¸")
"""A cedilla is drawn below its letter and may follow it in the text."""
_STROKE = "\u0335"
_BELOW_STROKE = re.compile(" ([Ll])")
_BEFORE_OTHER, _SAMPLE = re.compile(" (?=[A-KM-Za-km-z])"), 200
"""Spaces without a stroke, and the most that are looked at: in some files all are out of place."""
_STROKED = re.compile(rf"{_STROKE}([Ll])")
_SMALLEST = 1.5
"""Points: smaller text is meant for machines, not for readers."""
_MAX_WORDS = 60_000
"""Most words that are read from one page: a page that holds more is a drawing."""
_MAX_OBJECTS = 20_000
"""Most objects of a page that are searched for rules."""
_FEW_WORDS, _LARGE_IMAGE, _DRAWN = 20, 0.4, 500
"""A page is a picture if it has fewer words, and either an image that fills a larger share of it or
more objects, which draw its letters."""
_THICKEST_RULE, _MIN_RULE, _TOUCHING = 2.6, 6.0, 1.5
# The same function as in pypdfium2, but it gives the address of an object as a plain number.
_object_at = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int)(
    ctypes.cast(pdfium.FPDFText_GetTextObject, ctypes.c_void_p).value or 0
)


@dataclass(slots=True)
class Word:
    """A word, or the part of a word that is set in one font."""

    text: str
    x0: float
    x1: float
    y: float
    """Baseline, measured downwards from the top of the page."""
    font: Font
    glued: bool = False
    """True if there is no space before it."""


class Rule(NamedTuple):
    """A thin horizontal line, such as those between the rows of a table."""

    x0: float
    x1: float
    y: float


@dataclass(slots=True)
class Page:
    """A page with its upright words, in the order of the file."""

    number: int
    width: float
    height: float
    words: list[Word]
    turned: str = ""
    """Text in other directions, such as the stamp of a preprint server up the page."""
    rules: list[Rule] = field(default_factory=list)
    """Horizontal rules, read only if the page may have a table."""
    unnamed: int = 0
    """Number of glyphs for which the file names no character."""
    is_picture: bool = False


class _Reader:
    """Reads the words of one page."""

    def __init__(self, text_page: object, box: tuple[float, float, float, float], fonts: FontBook):
        self.text_page = text_page
        self.handle = ctypes.cast(text_page, ctypes.c_void_p)  # type: ignore[arg-type]
        self.left, self.top = box[0], box[3]
        self.fonts = fonts
        self.known: dict[int, tuple[Font, int]] = {}
        self.unnamed = 0
        self.x, self.y = ctypes.c_double(), ctypes.c_double()
        self.box = [ctypes.c_double() for _ in range(4)]
        self.at_x, self.at_y = ctypes.byref(self.x), ctypes.byref(self.y)
        self.at_box = [ctypes.byref(side) for side in self.box]

    def text(self) -> str:
        count = pdfium.FPDFText_CountChars(self.text_page)
        if count <= 0:
            return ""
        buffer = (ctypes.c_ushort * (2 * count + 2))()
        written = pdfium.FPDFText_GetText(self.text_page, 0, count, buffer)
        # PDFium counts halves of surrogate pairs, so they stay apart here.
        text = "".join(map(chr, buffer[: max(written - 1, 0)]))
        sample = range(0, len(text), max(len(text) // 16, 1))
        is_whole = len(text) == count and all(
            text[index] in _BROKEN_WORD or self._unicode(index) == ord(text[index])
            for index in sample
        )
        if not is_whole:
            # The page holds marks without a character: ask for each one, which is slower.
            text = "".join(chr(self._unicode(index)) for index in range(count))
        return _BELOW_STROKE.sub(self._stroke_or_space, text)

    def _stroke_or_space(self, match: re.Match[str]) -> str:
        """Restore the stroke of `ł`, which TeX's old fonts set with the code of a space."""
        place, letter = match.start(), match[1]
        if pdfium.FPDFText_IsGenerated(self.text_page, place):
            # After a gap PDFium drops the stroke, but the space has its place, inside the letter.
            if letter == "l" or not self._is_inside(place):
                return match[0]
            others = islice(_BEFORE_OTHER.finditer(match.string), _SAMPLE)
            return match[0] if any(self._is_inside(one.start()) for one in others) else " Ł"
        middle = (self.end(place + 1, 0) + self.origin(place + 1)[0]) / 2
        return (_STROKE if self.end(place, 0) > middle else " ") + letter

    def _is_inside(self, place: int) -> bool:
        """Check whether a space has its place inside the letter behind it."""
        return self.origin(place)[0] > self.origin(place + 1)[0] + 0.2

    def _unicode(self, index: int) -> int:
        return min(int(pdfium.FPDFText_GetUnicode(self.text_page, index)), 0xFFFF)

    def object_at(self, index: int) -> int:
        """The address of the text object that a character belongs to."""
        return _object_at(self.handle, index) or 0

    def style(self, index: int, address: int) -> tuple[Font, int]:
        """The font of a character in a text object, and its rotation in quarter turns."""
        if address in self.known:
            return self.known[address]
        matrix = pdfium.FS_MATRIX()
        if not pdfium.FPDFText_GetMatrix(self.text_page, index, matrix):
            matrix.a = matrix.d = 1.0
        size = pdfium.FPDFText_GetFontSize(self.text_page, index)
        size *= math.hypot(matrix.c, matrix.d) or 1.0
        angle = math.atan2(matrix.b, matrix.a)
        quarters = angle / (math.pi / 2) if math.isfinite(angle) else 0.0
        turn = round(quarters) % 4
        if abs(quarters - round(quarters)) > _SLANT:
            turn = _ASKEW
        font = None
        if address:
            font = pdfium.FPDFTextObj_GetFont(ctypes.cast(address, pdfium.FPDF_PAGEOBJECT))
        self.known[address] = (self.fonts.font(font, min(size, 999.0)), turn)
        return self.known[address]

    def ligature(self, code: re.Match[str]) -> str:
        """The ligature of a code that PDFium does not know, if the file names its letters."""
        address = self.object_at(code.start())
        font = pdfium.FPDFTextObj_GetFont(ctypes.cast(address, pdfium.FPDF_PAGEOBJECT))
        return _OF_LETTERS.get(self.fonts.letters(font, ord(code[0])), code[0])

    def origin(self, index: int) -> tuple[float, float]:
        pdfium.FPDFText_GetCharOrigin(self.text_page, index, self.at_x, self.at_y)
        return self.x.value - self.left, self.top - self.y.value

    def end(self, index: int, turn: int) -> float:
        """End of a character across the page, or down from its top if the text runs up the page."""
        pdfium.FPDFText_GetCharBox(self.text_page, index, *self.at_box)
        return self.top - self.box[3].value if turn % 2 else self.box[1].value - self.left


def read_page(document: object, number: int, fonts: FontBook) -> Page | None:
    """Read a page, counted from 0; None if PDFium cannot load it."""
    page = pdfium.FPDF_LoadPage(document, number)
    if not page:
        return None
    try:
        box = _page_box(page)
        text_page = pdfium.FPDFText_LoadPage(page)
        if not text_page:
            return None
        try:
            reader = _Reader(text_page, box, fonts)
            words = list(_read_words(reader))
        finally:
            pdfium.FPDFText_ClosePage(text_page)
        has_table = any(word.text.casefold().startswith("tab") for word, _ in words)
        rules = _read_rules(page, box) if has_table else []
        least = _LARGE_IMAGE * (box[2] - box[0]) * (box[3] - box[1])
        is_picture = len(words) < _FEW_WORDS and (
            pdfium.FPDFPage_CountObjects(page) > _DRAWN
            or any(
                (right - left) * (bottom - top) > least
                for left, right, top, bottom in _boxes(page, pdfium.FPDF_PAGEOBJ_IMAGE, box)
            )
        )
    finally:
        pdfium.FPDF_ClosePage(page)
    return replace(
        _upright(number, box, words, rules), unnamed=reader.unnamed, is_picture=is_picture
    )


def _boxes(
    page: object, kind: int, box: tuple[float, float, float, float]
) -> Iterator[tuple[float, float, float, float]]:
    """Left, right, top and bottom of each object of a kind, from the page's upper left corner."""
    sides = [ctypes.c_float() for _ in range(4)]
    for number in range(min(pdfium.FPDFPage_CountObjects(page), _MAX_OBJECTS)):
        item = pdfium.FPDFPage_GetObject(page, number)
        is_wanted = pdfium.FPDFPageObj_GetType(item) == kind
        if is_wanted and pdfium.FPDFPageObj_GetBounds(item, *map(ctypes.byref, sides)):
            left, bottom, right, top = (side.value for side in sides)
            yield left - box[0], right - box[0], box[3] - top, box[3] - bottom


def _read_rules(page: object, box: tuple[float, float, float, float]) -> list[Rule]:
    """Horizontal rules of a page, drawn as lines or thin boxes; touching ones are joined."""
    rules = [
        Rule(left, right, round((top + bottom) / 2, 1))
        for left, right, top, bottom in _boxes(page, pdfium.FPDF_PAGEOBJ_PATH, box)
        if bottom - top <= _THICKEST_RULE and right - left >= _MIN_RULE
    ]
    joined: list[Rule] = []
    for rule in sorted(rules, key=lambda rule: (rule.y, rule.x0)):
        if joined and joined[-1].y == rule.y and rule.x0 - joined[-1].x1 < _TOUCHING:
            joined[-1] = joined[-1]._replace(x1=max(joined[-1].x1, rule.x1))
        else:
            joined.append(rule)
    return joined


def _page_box(page: object) -> tuple[float, float, float, float]:
    sides = [ctypes.c_float() for _ in range(4)]
    for ask in (pdfium.FPDFPage_GetCropBox, pdfium.FPDFPage_GetMediaBox):
        if ask(page, *(ctypes.byref(side) for side in sides)):
            left, bottom, right, top = (side.value for side in sides)
            if right > left and top > bottom:
                return left, bottom, right, top
    return 0.0, 0.0, pdfium.FPDF_GetPageWidthF(page), pdfium.FPDF_GetPageHeightF(page)


def _read_words(reader: _Reader) -> Iterator[tuple[Word, int]]:
    text = _CODE.sub(reader.ligature, reader.text())
    text = _BARE_LIGATURE.sub(lambda m: _OF_CODE[m[0]], text)
    reader.unnamed = len(_CONTROL.findall(text)) - sum(map(text.count, "\r\x02\ufffe"))
    words = list(islice(_WORD.finditer(text), _MAX_WORDS))
    objects = [reader.object_at(word.start()) for word in words]
    objects.append(-1)
    end_before = -1
    for place, word in enumerate(words):
        start, stop = word.start(), word.end()
        glued, end_before = start == end_before, stop
        address = objects[place]
        # Objects hold runs of characters: between two starts in one object there is no other.
        if address == objects[place + 1] or address == reader.object_at(stop - 1):
            yield _word(reader, word[0], start, stop - 1, reader.style(start, address), glued)
        else:
            yield from _split_word(reader, word[0], start, glued)


def _split_word(
    reader: _Reader, printed: str, start: int, glued: bool
) -> Iterator[tuple[Word, int]]:
    """The parts of a word that are set in different fonts."""
    places = range(start, start + len(printed))
    styles = [reader.style(place, reader.object_at(place)) for place in places]
    begin = 0
    for place in range(1, len(printed) + 1):
        if place == len(printed) or styles[place] != styles[begin]:
            part = printed[begin:place]
            is_glued = glued or begin > 0
            yield _word(reader, part, start + begin, start + place - 1, styles[begin], is_glued)
            begin = place


def _word(
    reader: _Reader, printed: str, first: int, last: int, style: tuple[Font, int], glued: bool
) -> tuple[Word, int]:
    font, turn = style
    x, y = reader.origin(first)
    end = reader.end(last, turn)
    if end < x and turn == 0:  # written from right to left
        x, end = reader.origin(last)[0], reader.end(first, turn)
    if printed[-1] in _BROKEN_WORD:
        printed = printed[:-1] + "-"
    return Word(_clean(printed), x, end, y, font, glued), turn


def _clean(printed: str) -> str:
    """A word in plain characters, without ligatures and with accents on their letters."""
    if printed.isascii() and printed.isprintable():
        return printed
    if _SURROGATE.search(printed) is not None:
        printed = printed.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    plain = _CONTROL.sub("", printed.translate(_LIGATURES))
    if "¸" in plain:
        plain = _CEDILLA.sub(lambda m: unicodedata.normalize("NFC", m[1] + COMBINING["¸"]), plain)
    plain = _STROKED.sub(lambda m: "ł" if m[1] == "l" else "Ł", plain)
    if _ACCENTED.search(plain) is not None:
        plain = _ACCENTED.sub(_accent, plain)
    return plain


def _accent(match: re.Match[str]) -> str:
    """Join a letter and the accent before it, as old fonts set them, into one character."""
    letter = {"ı": "i", "ȷ": "j"}.get(match[2], match[2])
    return unicodedata.normalize("NFC", letter + COMBINING[match[1]])


def _upright(
    number: int,
    box: tuple[float, float, float, float],
    words: list[tuple[Word, int]],
    rules: list[Rule],
) -> Page:
    """The page as a reader sees it: a page set mostly sideways is turned."""
    width, height = box[2] - box[0], box[3] - box[1]
    turns: Counter[int] = Counter()
    for word, turn in words:
        turns[turn] += len(word.text)
    main = 1 if turns[1] > 2 * turns[0] else 0
    upright, turned = [], []
    for word, turn in words:
        # A hostile matrix can make places and sizes NaN or infinite.
        is_placed = all(map(math.isfinite, (word.x0, word.x1, word.y, word.font.size)))
        if not word.text or not is_placed or word.font.size < _SMALLEST:
            continue
        if turn != main:
            turned.append(word.text)
            continue
        if main == 1:  # text that runs up the page: its x is the height above the foot
            up = height - word.y
            word.x0, word.x1, word.y = up, height - word.x1, word.x0
        upright.append(word)
    if main == 1:
        width, height, rules = height, width, []
    return Page(number, width, height, upright, " ".join(turned), rules)
