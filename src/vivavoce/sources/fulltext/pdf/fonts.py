"""Fonts of a PDF: their names, and whether they are bold, italic or small capitals."""

import ctypes
import re
from collections import defaultdict
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from io import BytesIO
from typing import Any

import pypdfium2.raw as pdfium

_BOLD = re.compile(
    r"bold|black|heavy|semibold|demi|medi(?!um)|cmbx|cmb\d|cmssbx|sfbx|sfsx|ecbx|ecsx|bx\d|[-.]b(?:i|it|o)?$"
    r"|-bd|t1-.*-b-|libertinet?b|biolinumt?b|\bbf\b",
    re.IGNORECASE,
)
_ITALIC = re.compile(r"ital|obli|slant|cmti|cmsl|sfti|ecti|[-.]i(?:t)?$|libertineti", re.IGNORECASE)
_SMALL_CAPS = re.compile(r"csc|smallcaps|small-?caps|(?<!cjk)[-.]sc\b|sccp", re.IGNORECASE)
_SUBSET = re.compile(r"[A-Z]{6}\+")
_JOINED = re.compile(r"/([a-z](?:_[a-z])+)(?:\.\w+)?")
"""A glyph's name made of those of its letters, such as `f_f_i` or `f_i.liga`."""


@dataclass(frozen=True, slots=True, eq=False)
class Font:
    """Typography of a run of characters; one object per kind within a document."""

    name: str
    size: float
    """Size in points, after all scaling."""
    bold: bool = False
    italic: bool = False
    small_caps: bool = False


class FontBook:
    """Fonts of one document, each looked up once."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._names: dict[int, tuple[str, bool]] = {}
        self._fonts: dict[tuple[int, float], Font] = {}
        self._alike: dict[tuple[str, float, bool], Font] = {}

    def font(self, handle: object, size: float) -> Font:
        """The font behind a handle, with the size rounded to tenths of a point."""
        key = (_address(handle), round(size, 1))
        if key not in self._fonts:
            name, forced = self._name(handle)
            font = Font(
                name=name,
                size=key[1],
                bold=forced or _BOLD.search(name) is not None,
                italic=_ITALIC.search(name) is not None,
                small_caps=_SMALL_CAPS.search(name) is not None,
            )
            self._fonts[key] = self._alike.setdefault((name, key[1], forced), font)
        return self._fonts[key]

    def letters(self, handle: object, code: int) -> str:
        """The letters of a ligature that PDFium does not know; empty if the file names none."""
        return self._joined[self._name(handle)[0]].get(code, "")

    @cached_property
    def _joined(self) -> dict[str, dict[int, str]]:
        """Letters by code, for each font by its name; none of a font whose encoding is damaged."""
        from pypdf import PdfReader
        from pypdf.errors import PyPdfError

        damage = (PyPdfError, AttributeError, LookupError, TypeError, ValueError)
        joined: dict[str, dict[int, str]] = defaultdict(dict)
        with suppress(*damage):
            for page in PdfReader(BytesIO(self._content)).pages:
                with suppress(*damage):
                    fonts: Any = page["/Resources"]["/Font"]  # type: ignore[index]
                    for key in fonts:
                        with suppress(*damage):
                            name = _SUBSET.sub("", fonts[key]["/BaseFont"][1:], count=1)
                            joined[name] |= _letters(fonts[key]["/Encoding"]["/Differences"])
        return joined

    def _name(self, handle: object) -> tuple[str, bool]:
        address = _address(handle)
        if address not in self._names:
            buffer = ctypes.create_string_buffer(256)
            size = pdfium.FPDFFont_GetBaseFontName(handle, buffer, len(buffer)) if address else 0
            name = buffer.value.decode("utf-8", "replace") if 0 < size <= len(buffer) else ""
            forced = bool(pdfium.FPDFFont_GetFlags(handle) & (1 << 18)) if address else False
            self._names[address] = (_SUBSET.sub("", name, count=1), forced)
        return self._names[address]


def _letters(differences: Iterable[Any]) -> dict[int, str]:
    """Letters by code, from an encoding's list of codes, each before the names that follow it."""
    letters, code = {}, 0
    for item in differences:
        if isinstance(item, int):
            code = item
            continue
        if match := _JOINED.fullmatch(item):
            letters[code] = match[1].replace("_", "")
        code += 1
    return letters


def _address(handle: object) -> int:
    return ctypes.cast(handle, ctypes.c_void_p).value or 0  # type: ignore[arg-type]
