"""Formulas in one line: MathML, and raised or lowered text, of all sources with markup files.

A power follows `^`, an index `_`, a fraction has `/` inside; compound parts have brackets.
"""

import re
import unicodedata

from lxml import etree

from vivavoce.text.normalise import is_power

_WITHOUT_TEXT = frozenset({"annotation", "annotation-xml", "mphantom", "none"})
_FIRST_ONLY = frozenset({"semantics", "maction"})
_TOKENS = frozenset({"mi", "mn", "mo", "ms"})
_SIGNS = {
    **{"msup": "^", "msub": "_", "msubsup": "_^"},
    **{"mover": "^", "munder": "_", "munderover": "_^"},
}
"""Signs before the parts that are set above and below the first."""
_ACCENTS = {
    mark: accent
    for accent, marks in {"\u0304": "¯‾", "\u0302": "^ˆ", "\u0303": "~˜", "\u0307": "˙",
                          "\u0308": "¨", "\u20d7": "→⃗", "\u030c": "ˇ"}.items()
    for mark in marks
}  # fmt: skip
_ROOTS = {"2": "√", "3": "∛", "4": "∜"}
_INVISIBLE = str.maketrans({"\u2061": " ", "\u2062": "", "\u2063": "", "\u2064": " "})
_VALUE = re.compile(r"[+−–-]?(?:\d+(?:\.\d+)?|\w)")
_FORMULA = re.compile(r"[^\W\d_]|[+−–-]?\w{1,9}(?:\s?[+−–×·/.,-]\s?\w{1,9}){0,9}")
_OPEN_END = re.compile(r"[_^/√∛∜](?:\([^()]*\)|[+−-]?[^\s()+−=×·,;-]*)$")
"""A power, an index, a fraction or a root at the end of a text, which would go on."""
_WORD = re.compile(r"[^\W\d_]{2,}")


def print_mathml(element: etree._Element) -> str:
    """A formula in MathML as one line of text."""
    return " ".join(_print(element).split())


def _print(element: etree._Element) -> str:
    tag, parts = str(element.tag), list(element.iterchildren(etree.Element))
    if tag in _WITHOUT_TEXT:
        return ""
    if tag in _FIRST_ONLY:
        return _print(parts[0]) if parts else ""
    if tag == "mfrac" and len(parts) == 2:
        above, below = map(_group, parts)
        is_binomial = (element.get("linethickness") or "")[:1] == "0"
        return f"{above} choose {below}" if is_binomial else f"{above}/{below}"
    if tag == "mroot" and len(parts) == 2:
        index = _print(parts[1]).strip()
        return f"{_ROOTS.get(index) or f'√[{index}]'}{_group(parts[0])}"
    if tag == "msqrt":
        return f"√{_group(parts[0])}" if len(parts) == 1 else f"√({_row(parts)})"
    if tag == "mmultiscripts":
        return _print_around(parts)
    signs = _SIGNS.get(tag, "")
    if signs and len(parts) == len(signs) + 1:
        return _print_scripts(parts, signs, tag)
    if tag == "mfenced":
        inside = (element.get("separators") or ",")[:1].join(map(_print, parts))
        return f"{element.get('open', '(')}{inside}{element.get('close', ')')}"
    if tag in {"mtable", "mtr"}:
        return ("; " if tag == "mtable" else ", ").join(_print(part).strip() for part in parts)
    if tag == "mspace":
        return " "
    if parts:
        return _row(parts)
    text = "".join(map(str, element.itertext(etree.Element))).translate(_INVISIBLE)
    text = " ".join(text.split()) if text.strip() else text
    return f" {text} " if tag == "mtext" or (tag == "mo" and _WORD.fullmatch(text)) else text


def _row(parts: list[etree._Element]) -> str:
    """Parts in a row, with spaces where they would run together: `x^2 y`, `1 1/2`, `sin x`."""
    out = last = ""
    for text in filter(None, map(_print, parts)):
        is_apart = (
            out != ""
            and (text[0].isalnum() or text[0] in "√∛∜")
            and (
                _OPEN_END.search(out) is not None
                or (out[-1].isdigit() and text[0].isdigit())
                or (out[-1].isalnum() and any(map(_WORD.fullmatch, (last, text))))
            )
        )
        out += f" {text}" if is_apart else text
        last = text
    return out


def _print_scripts(parts: list[etree._Element], signs: str, tag: str) -> str:
    """A base with its index and power; a mark above a letter is its accent."""
    base = _group(parts[0]) if "mover" not in tag and "munder" not in tag else _print(parts[0])
    out = base.strip()
    for sign, part in zip(signs, parts[1:], strict=True):
        text = _print(part).strip()
        if tag in {"mover", "munder"} and not any(c.isalnum() or c == "∞" for c in text):
            mark = _ACCENTS.get(text, "") if sign == "^" else ""
            out = unicodedata.normalize("NFC", "".join(letter + mark for letter in out))
        elif text.strip("′″‴'") and text:
            out += f"{sign}{text if sign == '_' and text.isalnum() else _group(part)}"
        else:
            out += text
    return out


def _print_around(parts: list[etree._Element]) -> str:
    """A base with scripts behind it and, after a mark, before it: an index and a power in turn."""
    tags = [str(part.tag) for part in parts]
    middle = tags.index("mprescripts") if "mprescripts" in tags else len(parts)
    behind, before = (
        "".join(f"{'_^'[n % 2]}{_group(part)}" for n, part in enumerate(some) if _print(part))
        for some in (parts[1:middle], parts[middle + 1 :])
    )
    return f"{before} {_print(parts[0])}{behind}".strip() if parts else ""


def _group(element: etree._Element) -> str:
    """A part of a formula, in brackets if it is compound."""
    text = _print(element).strip()
    while len(inside := list(element.iterchildren(etree.Element))) == 1:
        element = inside[0]
    if element.tag in _TOKENS or _VALUE.fullmatch(text) or element.tag == "mfenced":
        return text
    is_wrapped = text[:1] == "(" and text.find(")") == len(text) - 1
    return text if is_wrapped or not text else f"({text})"


def print_script(element: etree._Element, sign: str) -> str | None:
    """Raised or lowered text with its sign if it would run into a number; None for others."""
    text = "".join(map(str, element.itertext(etree.Element))).strip()
    marked = mark_script(_text_before(element), text, sign)
    return marked if marked != text else None


def mark_script(before: str, text: str, sign: str) -> str:
    """Raised (`^`) or lowered (`_`) text behind other text: 10^6, Fe^3+, 2^(n+1), 101_2."""
    before = before.rstrip()
    is_number = before[-1:].isdigit() and _FORMULA.fullmatch(text) is not None
    is_script = (is_number and not _WORD.fullmatch(text)) or (
        sign == "^" and is_power(before, text)
    )
    if not is_script:
        return text
    is_bare = _VALUE.fullmatch(text) or is_power("a", text)
    return f"{sign}{text}" if is_bare else f"{sign}({text})"


def _text_before(element: etree._Element) -> str:
    """The text right before an element, also outside the elements that it opens."""
    around: etree._Element | None = element
    while around is not None:
        before, parent = around.getprevious(), around.getparent()
        if before is not None:
            return before.tail or "".join(map(str, before.itertext()))
        if parent is None or parent.text:
            return (parent.text if parent is not None else "") or ""
        around = parent
    return ""
