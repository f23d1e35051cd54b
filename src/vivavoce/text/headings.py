"""Section headings: printed numbers, how well they fit the numbering, and roles of sections.

A number may have several readings: `C` is the third letter and the Roman hundred. The caller
chooses the reading that fits the sequence of numbers (`step_cost`).
"""

import re
import unicodedata
from dataclasses import dataclass, replace
from functools import lru_cache

from vivavoce.text import read_data

ARABIC = "arabic"
ROMAN = "roman"
LETTER = "letter"

_HIGHEST_PART = 40
_MAX_STEP = 4

_ARABIC = r"\d{1,3}(?:\.\d{1,3}){0,4}"
_LETTERED = r"[A-Z](?:\.?\d{1,2}(?:\.\d{1,2}){0,3})?"
_ROMAN = r"[IVXL]{1,6}(?:[.-](?:[A-Z]|\d{1,2}))?"
_NUMBER = rf"(?P<number>{_ARABIC}|{_ROMAN}(?![A-Za-z0-9])|{_LETTERED})"
_LABEL = re.compile(rf"\(?{_NUMBER}[.:)]{{0,2}}")
_LEADING = re.compile(
    rf"{_NUMBER}(?:(?P<mark>[.:)]{{1,2}}|\s?[|∣]|\s[–—])\s*|\s+)(?=[^\W_]|[^\x00-\x7f(\[\"'])"
)
_PREFIX = re.compile(
    r"(?:(?:section|chapter|sec\.|§)\s*(?=[\dIVXL])|§\s*(?=[A-Z]\s))", re.IGNORECASE
)
_APPENDIX_PREFIX = re.compile(
    r"(?P<word>appendix|appendices|supplementary materials?|supplemental materials?)"
    r"[\s.:–—-]{1,3}(?P<number>[A-Z](?:\.?\d{1,2}){0,3}|\d{1,2})(?:[\s.:–—-]{1,4}|$)",
    re.IGNORECASE,
)
_ROMAN_VALUE = re.compile(r"(XL|L?X{0,3})(IX|IV|V?I{0,3})")
_ROMAN_DIGITS = {"I": 1, "V": 5, "X": 10, "L": 50}
_CAPTION = re.compile(r"(?:table|figure|fig|algorithm|eqn?|equation)\s*\.?\s*\d", re.IGNORECASE)
_QUOTES = "\"'“‘«¿¡"
_WORD = re.compile(r"[^\W\d_]{3,}|[\u3040-\u9fff\uac00-\ud7af]{2,}")


@dataclass(frozen=True, slots=True)
class SectionNumber:
    """One reading of a heading's number."""

    printed: str
    """The number without trailing marks: `3.2`, `A.1`, `IV`."""
    style: str
    """`arabic`, `roman` or `letter`, according to the first part."""
    parts: tuple[int, ...]
    text: str
    """The heading without the number."""
    marked: bool = False
    """True if a dot, colon or bracket follows the number, or the source gives it separately."""
    is_appendix: bool = False
    """True if the heading contains the word: `Appendix A Proofs`."""


def read_numbers(heading: str, label: str | None = None) -> tuple[SectionNumber, ...]:
    """All readings of a heading's number, or of a `label` that the source gives separately."""
    text = " ".join(heading.split())
    separate = _LABEL.fullmatch(" ".join(label.split())) if label else None
    if separate is not None:
        repeated = _LEADING.match(text)
        if repeated is not None and repeated["number"] == separate["number"]:
            text = text[repeated.end() :]
        return _readings(separate["number"], text, marked=True)
    appendix = _APPENDIX_PREFIX.match(text)
    if appendix is not None:
        rest = text[appendix.end() :] or appendix["word"]
        numbers = _readings(appendix["number"].upper(), rest, marked=True)
        return tuple(replace(n, is_appendix=True) for n in numbers if n.style != ROMAN)
    prefix = _PREFIX.match(text)
    leading = _LEADING.match(text, prefix.end() if prefix else 0)
    if leading is None:
        return ()
    rest = text[leading.end() :]
    return _readings(leading["number"], rest, marked=bool(leading["mark"]))


def split_heading(heading: str, label: str | None = None) -> tuple[str | None, str]:
    """Split a heading, without context, into its printed number and the rest.

    A letter counts only with a mark or another number after it: `A Study` is not numbered.
    """
    for number in read_numbers(heading, label):
        if number.style == ARABIC or number.marked or len(number.printed) > 1:
            return number.printed, number.text
    return None, " ".join(heading.split())


def step_cost(previous: tuple[int, ...] | None, current: tuple[int, ...]) -> float | None:
    """Cost of a number that follows `previous` in the same style; None if it cannot follow.

    Each skipped number costs a little, because headings may have been lost.
    """
    if previous is None:
        return _first_cost(current)
    shared = 0
    for before, after in zip(previous, current, strict=False):
        if before != after:
            break
        shared += 1
    if shared == len(current):
        return None
    if shared == len(previous):
        return _first_cost(current[shared:])
    step = current[shared] - previous[shared]
    if not 1 <= step <= _MAX_STEP:
        return None
    deeper = _first_cost(current[shared + 1 :]) if len(current) > shared + 1 else 0.0
    if deeper is None:
        return None
    return 0.2 * (step - 1) + (0.2 + deeper if len(current) > shared + 1 else 0.0)


def is_measurement(label: str) -> bool:
    """Check whether a number cannot be a section number, such as `91.6`, `0.99` or `6.51`."""
    match = _LABEL.fullmatch(label.strip()) or re.fullmatch(r"[\d.,%]+", label.strip())
    return match is not None and label.strip()[0].isdigit() and not read_numbers("x", label)


def is_heading_text(text: str) -> bool:
    """Check whether a text may be a heading, not a caption, a formula, numbers or stray symbols."""
    if _CAPTION.match(text):
        return False
    if role_of_heading(text) is not None:
        return True
    solid = [character for character in text if not character.isspace()]
    letters = sum(character.isalpha() for character in solid)
    if "=" in text or _WORD.search(text) is None or 2 * letters < len(solid):
        return False
    words = text.split()
    single = sum(len(word) == 1 for word in words)
    return 2 * single <= len(words) and (text[0].isalpha() or text[0] in _QUOTES)


def _first_cost(parts: tuple[int, ...]) -> float | None:
    if any(part > _MAX_STEP for part in parts):
        return None
    return 0.2 * (len(parts) - 1) + sum(0.2 * max(part - 1, 0) for part in parts)


def _readings(number: str, text: str, *, marked: bool) -> tuple[SectionNumber, ...]:
    parsed: list[tuple[str, tuple[int, ...]]] = []
    if number[0].isdigit():
        pieces = number.split(".")
        if not any(len(piece) > 1 and piece[0] == "0" for piece in pieces):
            parsed.append((ARABIC, tuple(int(piece) for piece in pieces)))
    else:
        roman, letter = _roman_parts(number), _letter_parts(number)
        parsed += [(ROMAN, roman)] if roman else []
        parsed += [(LETTER, letter)] if letter else []
    return tuple(
        SectionNumber(number, style, parts, text, marked=marked)
        for style, parts in parsed
        if all(part <= _HIGHEST_PART for part in parts)
    )


def _roman_parts(number: str) -> tuple[int, ...]:
    head, _, tail = number.replace("-", ".").partition(".")
    if not head or _ROMAN_VALUE.fullmatch(head) is None:
        return ()
    digits = [_ROMAN_DIGITS[digit] for digit in head]
    value = sum(
        -digit if digit < max(digits[place:]) else digit for place, digit in enumerate(digits)
    )
    if not tail:
        return (value,)
    return (value, int(tail) if tail.isdigit() else ord(tail) - ord("A") + 1)


def _letter_parts(number: str) -> tuple[int, ...]:
    match = re.fullmatch(r"([A-Z])\.?(\d{1,2}(?:\.\d{1,2}){0,3})?", number)
    if match is None:
        return ()
    deeper = tuple(int(piece) for piece in match[2].split(".")) if match[2] else ()
    return (ord(match[1]) - ord("A") + 1, *deeper)


_WORDS = read_data(__file__, "heading_words.toml")
_MODIFIERS = frozenset(_WORDS["modifiers"])
_RESULT_MODIFIERS = frozenset(_WORDS["result_modifiers"])
_PREPOSITIONS = frozenset(_WORDS["prepositions"])
_BEFORE_PREPOSITION = frozenset(_WORDS["before_preposition"])
_APPENDIX_WORDS = frozenset(_WORDS["appendix_words"])
# Phrases for minor content of a section, as in "Limitations and Future Work".
_WEAK = frozenset(_WORDS["weak"])
_NOT_EXPERIMENTS = frozenset(_WORDS["not_experiments"])
_GLUED_FIRST = frozenset(_WORDS["glued_first"])
# Words that authors use for their own work: "Our joint model".
_OWN = frozenset({"our", "proposed"})
_OWN_METHOD = frozenset(_WORDS["own_method"])
_MAX_HEADING = 200


def _singular(words: list[str]) -> str:
    return " ".join(w[:-1] if len(w) > 3 and w.endswith("s") else w for w in words)


_ROLE_OF = {
    _singular(phrase.split()): role
    for role, phrases in read_data(__file__, "headings.toml").items()
    for phrase in phrases
}
_MAX_PHRASE = max(len(phrase.split()) for phrase in _ROLE_OF)
_COMPACT_ROLE_OF = {phrase.replace(" ", ""): role for phrase, role in _ROLE_OF.items()}


def role_of_heading(heading: str) -> str | None:
    """The role of a section according to its heading, or None; a leading number is skipped."""
    text = " ".join(heading.split())
    return _known_role(text) if len(text) <= _MAX_HEADING else None


@lru_cache(maxsize=4096)
def _known_role(heading: str) -> str | None:
    text = unicodedata.normalize("NFKC", heading)
    _, unnumbered = split_heading(text)
    first, _, rest = text.partition(" ")
    unlettered = rest if len(first) == 1 and first.isupper() and rest else text  # `A APPENDIX`
    for variant in (text, unnumbered, unlettered):
        words = variant.split()
        role = _role_of_text(variant) or _role_of_text(" ".join(_join_small_caps(words)))
        if role is None and len(words) > 3 and all(len(word) == 1 for word in words):
            compact = _singular(["".join(words).casefold()])
            role = _COMPACT_ROLE_OF.get(compact)
        if role is not None:
            return role
    return None


def _join_small_caps(words: list[str]) -> list[str]:
    """Join words split by small capitals: `R ELATED W ORK` -> `RELATED WORK`."""
    joined: list[str] = []
    is_open = False
    for word in words:
        if is_open and word.isupper() and len(word) > 1:
            joined[-1] += word
            is_open = False
        else:
            joined.append(word)
            is_open = len(word) == 1 and word.isupper()
    return joined


def _role_of_text(text: str) -> str | None:
    plain = re.sub(r"(?<=\w)- (?=\w)", "", text.casefold()).replace("&", " and ")
    head = re.split(r"[:(\[]|\s[-–—]+\s?|[–—]", plain, maxsplit=1)[0]
    pieces = re.split(r"[,;/]|\band\b", head)
    phrases = [words for piece in pieces if (words := re.findall(r"[^\W_]+", piece))]
    if not phrases:
        return None
    if phrases[0][0] in _APPENDIX_WORDS:
        return "appendix"
    if phrases[-1][-1] == "availability":  # of data and code
        return None
    roles = [_role_of_phrase(words) for words in phrases]
    if len(phrases) > 1:
        roles = [
            None if _singular(words) in _WEAK else role
            for words, role in zip(phrases, roles, strict=True)
        ]
    if roles[0] == "introduction":
        return "introduction"
    for strong in ("conclusion", "related_work"):
        if strong in roles:
            return strong
    known = [role for role in roles if role is not None]
    return known[0] if roles[0] is not None or 2 * len(known) > len(roles) else None


def _role_of_phrase(words: list[str]) -> str | None:
    if words[0] in _OWN and _singular(words[-1:]) in _OWN_METHOD:
        return "method"
    while len(words) > 1 and words[0] in _MODIFIERS and _singular(words) not in _ROLE_OF:
        words = words[1:]
    key = _singular(words)
    if key in _ROLE_OF:
        return _ROLE_OF[key]
    for place, word in enumerate(words[1:], start=1):
        if word in _PREPOSITIONS:
            before = _singular([w for w in words[:place] if w not in _MODIFIERS])
            return _role_of_phrase(words[:place]) if before in _BEFORE_PREPOSITION else None
    last = _singular(words[-1:])
    if last == "experiment" and len(words) <= 5 and words[0] not in _NOT_EXPERIMENTS:
        return "experiments"
    if last == "result" and all(word in _RESULT_MODIFIERS for word in words[:-1]):
        return "results"
    for place in range(1, min(len(words), _MAX_PHRASE + 1)):  # two headings that were merged
        first, second = _singular(words[:place]), _singular(words[place:])
        if _ROLE_OF.get(first) in _GLUED_FIRST and second in _ROLE_OF:
            return _ROLE_OF[first]
    return None
