"""Bytes of a feed made into safe XML text, with a count of what had to be replaced."""

from __future__ import annotations

import codecs
import re

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_DECLARED = re.compile(rb"""<\?xml[^>]{0,100}?encoding=["']([A-Za-z0-9._-]{1,40})["']""")
_DECLARATION = re.compile(r"\s*<\?xml[^>]{0,200}\?>")
_REPLACEMENT = "\ufffd"
# Characters that no XML document may hold, written out or as a reference.
_FORBIDDEN = re.compile(r"[\x01-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_REFERENCE = re.compile(r"&#(?:x0{0,8}([0-9A-Fa-f]{1,8})|0{0,8}([0-9]{1,9}));")
_ENCODINGS = frozenset({"utf-8", "utf-16", "iso8859-1", "iso8859-15", "cp1252", "ascii"})


def decode_feed(content: bytes) -> tuple[str, int]:
    """The text without its XML declaration, and how many characters were replaced.

    NUL characters are dropped and not counted.
    """
    text = _decode(content)
    found = text.count(_REPLACEMENT)
    text = _REFERENCE.sub(_safe_reference, text.replace("\x00", ""))
    text = _FORBIDDEN.sub(_REPLACEMENT, text)
    text = _DECLARATION.sub("", text, count=1) if text.lstrip().startswith("<?xml") else text
    own = content.count(_REPLACEMENT.encode()) if found else 0
    return text, max(0, text.count(_REPLACEMENT) - own)


def _decode(content: bytes) -> str:
    for mark, encoding in _BOMS:
        if content.startswith(mark):
            return content.decode(encoding, "replace").removeprefix("\ufeff")
    declared = _DECLARED.match(content.lstrip())
    encoding = "utf-8"
    if declared is not None:
        try:
            encoding = codecs.lookup(declared[1].decode("ascii")).name
        except LookupError:
            encoding = "utf-8"
    if encoding not in _ENCODINGS or encoding == "utf-16":
        encoding = "utf-8"
    return content.decode(encoding, "replace")


def _safe_reference(found: re.Match[str]) -> str:
    code = int(found[1], 16) if found[1] else int(found[2])
    if code == 0:
        return ""
    if code > 0x10FFFF or _FORBIDDEN.match(chr(code)):
        return _REPLACEMENT
    return found[0]
