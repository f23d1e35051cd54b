"""Equality of two cells: numbers with units, marks for yes and no, words.

A cell is reduced to a key, and cells match when their keys are equal. These differences cost
nothing: case, spaces, markup, `1,000` for `1k` or `1000`, `340M` for `340 million`, `5 min` for
`300 s`, `ten` for 10, a percent sign, and a tick for `yes`. Lookalike letters do differ.

In a cell of words, spelling, punctuation and the order of a list cost nothing:

- A hyphen or underscore before or after a letter is left out: `CIFAR-10`, `CIFAR10`, `cifar_10`.
  Between digits it stays: `10-20` is a range.
- Accents on Latin letters, quotation marks, a final stop and marks of footnotes are left out.
- Dots of abbreviations are left out (`U.S.`), and a short form in brackets stands for the words
  before it if it is made of their initials: `question answering (QA)` is `QA`.
- Parts between commas, semicolons, slashes, `&` and `and` are a list, whose order does not matter
  unless one of its items is a bare number: `80/20` is not `20/80`.
"""

import math
import re
import unicodedata

from vivavoce.text import read_data
from vivavoce.text.cell_text import plain_words
from vivavoce.text.normalise import PLAIN_MARKS

_PLUS_MINUS = re.compile(r"\+\s?/?\s?-")
_FOOTNOTES = re.compile(r"(?:[†‡§¶]{1,4}|\[\d{1,3}\])$")
_INITIALS = re.compile(r"(?<![^\W_])[^\W\d_](?:\.[^\W\d_])+\.?(?![^\W_])")
_JOINT = re.compile(r"(?<=[^\W\d_])[-_]+(?=[^\W_])|(?<=\d)[-_]+(?=[^\W\d_])|_+")
_SEPARATOR = re.compile(r"\s*[,;/&|]\s*(?:and\s+)?|\s+and\s+", re.IGNORECASE)
_THOUSANDS = re.compile(r"(?<=\d),(?=\d)")
_BARE_NUMBER = re.compile(r"[-+~<>≤≥]?[\d.]+%?")
_SHORT_FORM = re.compile(r"\(([^\W\d_]{2,8})\)$")
_MAX_ITEMS = 200


def words_key(words: str) -> str:
    """Key shared by cells with the same words; `words` has spaces and case, but no markup."""
    text = _plain(words)
    guarded = _THOUSANDS.sub("\ue000", text)  # a comma inside a number separates nothing
    parts = _SEPARATOR.split(guarded, maxsplit=_MAX_ITEMS)
    items = [key for item in parts if (key := _item_key(item.replace("\ue000", ",")))]
    if len(items) > 1 and not any(_BARE_NUMBER.fullmatch(item) for item in items):
        items.sort()
    return ",".join(items) or "".join(words.casefold().split())


def _plain(words: str) -> str:
    """Text without accents, quotation marks and footnotes; one kind of dash and of apostrophe."""
    text = unicodedata.normalize("NFKC", words).translate(PLAIN_MARKS).replace("×", "x").casefold()
    if not text.isascii():
        text = "".join(_without_accents(unicodedata.normalize("NFD", text)))
        text = unicodedata.normalize("NFC", text)
    text = _PLUS_MINUS.sub("±", text).replace("<=", "≤").replace(">=", "≥").strip()
    return _FOOTNOTES.sub("", text).rstrip() or text


def _without_accents(text: str) -> list[str]:
    """Drop the marks on Latin letters; on other letters, a mark makes a different letter."""
    kept: list[str] = []
    is_latin = False
    for letter in text:
        if unicodedata.combining(letter):
            if is_latin:
                continue
        else:
            is_latin = "a" <= letter <= "z"
        kept.append(letter)
    return kept


def _item_key(item: str) -> str:
    if match := _SHORT_FORM.search(item):
        before = item[: match.start()].replace("-", " ").split()
        if "".join(word[0] for word in before) == match[1]:  # `question answering (qa)`
            item = match[1]
    text = _INITIALS.sub(lambda match: match.group().replace(".", ""), item)
    return _JOINT.sub("", "".join(text.split())).strip("'").rstrip(".")


MAX_CELL = 2_000
"""Maximum number of characters compared per cell."""
_MAX_NUMBER = 200

_DATA = read_data(__file__, "cells.toml")
_ABSENT = frozenset(_DATA["absent"])
_YES = frozenset(_DATA["yes"])
_NO = frozenset(_DATA["no"])
_SCALES: dict[str, float] = _DATA["scales"]
_UNITS = {name: (base, factor) for base, factor, names in _DATA["units"] for name in names}
NUMBER_WORDS = {word: str(number) for number, word in enumerate(_DATA["numbers"])}
_DIGITS = r"(?:\d+(?:,\d+)*(?:\.\d+)?|\.\d+)(?:e[+-]?\d{1,3}(?![\da-z]))?"
_NUMBER = re.compile(rf"(?<![\w.])[+-]?{_DIGITS}", re.IGNORECASE)
_QUANTITY = re.compile(rf"([+-]?{_DIGITS})\s*([a-zµ%/°.]{{0,30}})", re.IGNORECASE)
_SCIENTIFIC = re.compile(rf"([+-]?)(?:({_DIGITS})[×x·])?10\^([+-]?\d{{1,3}})", re.IGNORECASE)
_POWER_OF_TEN = re.compile(r"(?<=10)[⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3}(?![⁰¹²³⁴⁵⁶⁷⁸⁹])")
_FOOTNOTE_MARKS = re.compile(r"(?<=[\d%])[†‡§¶]{1,4}$")
_SCALE_SUFFIX = re.compile(r"\s?(k|thousand|m|million|b|bn|billion)\b", re.IGNORECASE)
_POWER = re.compile(r"\s?[×x*·]\s?10\s?\^?\s?([+-]?\d{1,3})(?!\d)", re.IGNORECASE)
_ASIDE = re.compile(r"(?:±|\+/-|\+-)\s*[\d.,]+\s*%?|\([^()]*\)|\[[^\[\]]*\]")
_SPACED_THOUSANDS = re.compile(r"(?<=\d)[ ](?=\d{3}(?!\d))")
_SUPERSCRIPTS = re.compile(r"[⁰¹²³⁴⁵⁶⁷⁸⁹†‡§*#]+$")
_DASHES = str.maketrans("−–—‐‑‒", "------")


def folded(text: str) -> str:
    """Words of a cell without markup, case and spaces; NFKC."""
    return fold_words(plain_words(text[:MAX_CELL]))


def fold_words(words: str) -> str:
    """Plain words without case and spaces; NFKC."""
    if words.isascii():
        return words.lower().replace(" ", "")
    words = unicodedata.normalize("NFKC", words).casefold()
    return "".join(unicodedata.normalize("NFKC", words).split())


def cell_key(cell: str | None, unit: str = "") -> str:
    """Key of a cell's content; empty for an absent value such as `N/A` or a dash.

    `unit` is the unit of its column: `Params (M)` makes `340` mean `340M`.
    """
    if cell is None:
        return ""
    cell = _POWER_OF_TEN.sub(r"^\g<0>", cell[:MAX_CELL])
    text = folded(cell) or "".join(cell.split())  # markup alone is still a value
    if text in _ABSENT:
        return ""
    if text in _YES:
        return "yes"
    if text in _NO:
        return "no"
    quantity = _FOOTNOTE_MARKS.sub("", NUMBER_WORDS.get(text, text))
    return _quantity_key(quantity, unit) or f"text {words_key(plain_words(cell)) or text}"


def _quantity_key(text: str, unit: str) -> str | None:
    """`number UNIT` for a cell that is one number, with or without a unit."""
    text = _written_out(text.translate(_DASHES)) if len(text) <= _MAX_NUMBER else ""
    match = _QUANTITY.fullmatch(text)
    number = _read_digits(match.group(1)) if match else None
    if match is None or number is None:
        return None
    name = match.group(2).strip(".") or unit
    factor = 1.0
    if name in _SCALES:
        name, factor = "", _SCALES[name]
    base, step = _UNITS.get(name, (name.removesuffix("s") or name, 1.0))
    value = number * factor * step
    # Ten digits are more than any table prints and fewer than rounding disturbs.
    return f"number {value + 0.0:.10g} {base}".strip() if math.isfinite(value) else None


def _written_out(text: str) -> str:
    """Write `1.2×10^6` as `1.2e6`, so that it is read like any other number."""
    match = _SCIENTIFIC.match(text)
    if match is None:
        return text
    digits = _read_digits(match.group(2) or "1")
    value = math.inf if digits is None else digits * float(f"1e{int(match.group(3))}")
    return f"{match.group(1)}{value!r}{text[match.end() :]}" if math.isfinite(value) else text


def is_unit(name: str) -> bool:
    """Check whether a word is a unit or scale that cells are converted from."""
    return name in _UNITS or name in _SCALES


def read_number(cell: str) -> float | None:
    """The one number of a printed score: `**88.5%** ± 0.2` -> 88.5.

    Text in brackets or after ± is an aside. None without a number or with several.
    """
    if len(cell) > _MAX_NUMBER:
        return None
    text = unicodedata.normalize("NFKC", _SUPERSCRIPTS.sub("", plain_words(cell)))
    text = _SPACED_THOUSANDS.sub("", text.translate(_DASHES))
    for candidate in (_ASIDE.sub(" ", text), text):
        numbers = list(_NUMBER.finditer(candidate))
        if not numbers:
            continue
        end, value = numbers[0].end(), _read_digits(numbers[0].group())
        power = _POWER.match(candidate, end)
        # Only a power of ten may follow the first number.
        if value is None or not all(power and one.start() < power.end() for one in numbers[1:]):
            return None
        if power:
            value *= float(f"1e{int(power.group(1))}")  # too large a power is infinite, no error
        elif scale := _SCALE_SUFFIX.match(candidate, end):
            value *= _SCALES[scale.group(1).lower()]
        return value if math.isfinite(value) else None
    return None


def _read_digits(digits: str) -> float | None:
    """Read `1,234.5` with thousands, `88,5` with a decimal comma; None for other commas."""
    whole, *groups = digits.split(",")
    if groups:
        last = groups[-1].lower().partition("e")[0].partition(".")[0]
        lengths = [len(group) for group in groups[:-1]] + [len(last)]
        if len(whole.lstrip("+-")) <= 3 and all(length == 3 for length in lengths):
            digits = digits.replace(",", "")
        elif len(groups) == 1 and "." not in digits:
            digits = digits.replace(",", ".")
        else:
            return None
    value = float(digits)
    return value if math.isfinite(value) else None
