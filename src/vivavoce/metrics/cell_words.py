"""What a cell of words says: spelling, punctuation and the order of a list cost nothing.

- A hyphen or underscore before or after a letter is left out: `CIFAR-10`, `CIFAR10`, `cifar_10`.
  Between digits it stays: `10-20` is a range.
- Accents on Latin letters, quotation marks, a final stop and marks of footnotes are left out.
- Dots of abbreviations are left out (`U.S.`), and a short form in brackets that is made of the
  initials of the words before it stands for them: `question answering (QA)` is `QA`.
- What stands between commas, semicolons, slashes, `&` and `and` is a list, whose order does not
  matter unless one of its items is a bare number: `80/20` is not `20/80`.
"""

from __future__ import annotations

import re
import unicodedata

_MARKS = str.maketrans(
    {
        **dict.fromkeys("−–—‐‑‒", "-"),
        **dict.fromkeys("≈∼≃", "~"),
        "×": "x",
        **dict.fromkeys("‘’ʼ′`", "'"),
        **dict.fromkeys('"“”„«»', None),
    }
)
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
    """A key that cells of the same words share.

    Args:
        words: The cell without markup, but with its spaces and its case.
    """
    text = _plain(words)
    items = [_item_key(item) for item in _split(text)]
    items = [item for item in items if item]
    if len(items) > 1 and not any(_BARE_NUMBER.fullmatch(item) for item in items):
        items.sort()
    return ",".join(items) or "".join(words.casefold().split())


def _plain(words: str) -> str:
    """Without accents, quotation marks and footnotes; one kind of dash and of apostrophe."""
    text = unicodedata.normalize("NFKC", words).translate(_MARKS).casefold()
    if not text.isascii():
        text = "".join(_without_accents(unicodedata.normalize("NFD", text)))
        text = unicodedata.normalize("NFC", text)
    text = _PLUS_MINUS.sub("±", text).replace("<=", "≤").replace(">=", "≥").strip()
    return _FOOTNOTES.sub("", text).rstrip() or text


def _without_accents(text: str) -> list[str]:
    """Marks that stand on a Latin letter are left out; on others they make another letter."""
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


def _split(text: str) -> list[str]:
    """The items of a list; a comma inside a number separates nothing."""
    guarded = _THOUSANDS.sub("\ue000", text)
    items = _SEPARATOR.split(guarded, maxsplit=_MAX_ITEMS)
    return [item.replace("\ue000", ",") for item in items]


def _item_key(item: str) -> str:
    short = _short_form(item)
    text = _INITIALS.sub(lambda match: match.group().replace(".", ""), short or item)
    return _JOINT.sub("", "".join(text.split())).strip("'").rstrip(".")


def _short_form(item: str) -> str | None:
    """`qa` for `question answering (qa)`: the initials of all the words before the brackets."""
    match = _SHORT_FORM.search(item)
    if match is None:
        return None
    before = item[: match.start()].replace("-", " ").split()
    return match.group(1) if "".join(word[0] for word in before) == match.group(1) else None
