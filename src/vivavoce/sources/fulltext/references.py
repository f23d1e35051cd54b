"""References out of the entries of a list: one reading of title, year, author and identifiers.

Where the markup does not tell the parts of an entry, the way in which entries are printed does.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from vivavoce.records import Reference
from vivavoce.sources.fulltext.model import Entry
from vivavoce.text.identifiers import PRINTED_YEAR, arxiv_id_in, find_doi, find_year

BRACKETED = re.compile(r"\[(?P<label>\d{1,4}|[A-Za-z+’'&]{1,12}\+?\s?(?:\d{2,4}[a-z]?)?)\]\s*")
NUMBERED = re.compile(r"\(?(?P<label>\d{1,3})[.)]\s*(?=[^\W\d_]|, [^\W\d_])")
RAISED = re.compile(r"(?P<label>\d{1,3})\s?(?=[^\W\d_]\.? ?[^\W\d_])")
_MAX_GUESS = 600
_YEAR_IN_BRACKETS = re.compile(r"\(((?:19|20)\d\d)[a-z]?\)")
_PLAIN_YEAR = re.compile(r"\W*(?:19|20)\d\d[a-z]?\W*")
_QUOTED = re.compile(r"[“\"‘«]([^”\"»]{8,400})[”\"»]")
_INITIALS = re.compile(r"(?:^|(?<=[\s.-]))[^\W\d_a-z]\.(?:\s?-?[^\W\d_a-z]\.){0,3}")
_AFTER_YEAR = re.compile(r"^[\s).,:\]]*")
_AFTER_FIRST = re.compile(r",| and | & |\(|;|(?<=[^\W\d_]{2})\.(?=\s|$)")
# What follows the authors is not a title, but where the work appeared.
_CONTAINER = re.compile(
    r"(?:in[: ]|proc|arxiv|corr\b|journal|advances in|trans\.|ieee|acm|https?:|doi|vol|pp?\.|url)",
    re.IGNORECASE,
)
_NO_TITLE = re.compile(
    r"(?:in:?|proc\w*\.?|arxiv\S*|corr|https?:\S*|doi\S*|url\S*"
    r"|(?:ph\.? ?d\.?|master\S*|doctoral) thesis,?)(?:\s|$)",
    re.IGNORECASE,
)
# Author, A., Other, B.: Title. Venue
_AFTER_COLON = re.compile(r"[^:]{3,400}?\.\s?:\s+([^.?!]{8,400}[?!]?)(?:[.?!]\s|$)")
# A Book (Its Press, Town, 2012)
_PRESS = re.compile(r"\s\([^()]{2,200},\s(?:19|20)\d\d\)$")
# A. Author, B. C. Other, Title, in: Proceedings; or: Title, Journal 10 (2) (2010)
_NAME = re.compile(
    r"(?:and )?(?:[^\W\d_]{1,2}\.[ -]?){1,4}(?:(?:de|der|den|van|von|da|di|la|le|el) ){0,3}"
    r"[^\W\d_]{2,}(?:[ '’-][^\W\d_]+){0,2}"
)
_BEFORE_IN = re.compile(r"(.{8,400}?),\s(?:in:|arXiv)")
_BEFORE_JOURNAL = re.compile(r"(.{8,400}),\s[^,]{3,120}\s\d+\s\(")
_JOURNAL = re.compile(r"\(\d{4}\)|\b(?:Phys|Lett|Rev|Nucl|Astron|Math|J)\.\s")
_VOLUME = re.compile(r"[^,]{2,120},\s[A-Z]?\d{1,5},\s[\w.–-]{1,20}")
_AFTER_IN = re.compile(r"\bin:?\s(?:\d{4}\s)?$", re.IGNORECASE)
# A Title. In Proceedings of Such Things
_VENUE = re.compile(r"(?:\.|(?<=[?!]))\s+In:?\s+[A-Z\d].*")


def read_entry(entry: Entry, ordinal: int) -> Reference:
    """The reference of an entry; what the entry prints tells the rest of its identifiers."""
    distinct = dict.fromkeys(text for piece in entry.pieces if (text := piece.rstrip(" .")))
    raw = entry.raw or (f"{'. '.join(distinct)}." if distinct else "")
    everything = f"{raw} {entry.links}"
    return Reference(
        ordinal=ordinal,
        raw=raw,
        title=next((title for title in entry.titles if any(map(str.isalpha, title))), None),
        year=next((year for text in entry.years if (year := find_year(text))), None),
        first_author=next((name for name in entry.surnames if any(map(str.isalpha, name))), None),
        arxiv_id=arxiv_id_in(entry.numbers.get("arxiv", "")) or arxiv_id_in(everything),
        doi=find_doi(entry.numbers.get("doi", "")) or find_doi(everything),
    )


def read_printed(raw: str) -> Entry:
    """The parts of an entry of which only the text is known."""
    plain = _without_label(raw)
    return Entry(
        raw=raw,
        titles=(_title_in(plain) or "",),
        years=(printed_year(plain),),
        surnames=(_first_author(plain) or "",),
    )


def label_of(raw: str) -> str | None:
    """The number that an entry is cited by."""
    found = BRACKETED.match(raw) or NUMBERED.match(raw) or RAISED.match(raw)
    return found["label"] if found else None


def printed_year(raw: str) -> str:
    """The year that an entry prints alone in brackets, else its last one; empty without one."""
    found = _YEAR_IN_BRACKETS.search(raw)
    years = [found[1]] if found else [year for year, _ in PRINTED_YEAR.findall(raw)]
    return years[-1] if years else ""


def title_of_blocks(blocks: Sequence[str], raw: str) -> str:
    """The title of an entry that LaTeX has set in blocks: authors, title, venue.

    Args:
        blocks: The texts of the blocks in order; one where the entry has none.
        raw: The whole entry.
    """
    quoted = _QUOTED.search(raw)
    if quoted is not None:
        return quoted[1].rstrip(" .,")
    rest = [block for block in blocks[1:] if not _PLAIN_YEAR.fullmatch(block)]
    if rest and not _is_venue(rest[0]):
        return _PRESS.sub("", _VENUE.sub("", rest[0]).rstrip(" .,"))
    after = _AFTER_COLON.match(raw)
    if after is not None:
        return after[1].strip()
    start = _without_label(raw[:_MAX_GUESS])
    guess = _title_in(start)
    between = _between_commas(start)
    if between or not guess:
        return between
    # A guess that opens the entry has the authors in it; one behind `in` is not a title.
    before = raw.partition(guess)[0]
    return guess if before and not _AFTER_IN.search(before) and not _is_venue(guess) else ""


def _without_label(raw: str) -> str:
    for pattern in (BRACKETED, NUMBERED):
        found = pattern.match(raw)
        raw = raw[found.end() :] if found else raw
    return raw


def _is_venue(text: str) -> bool:
    """Check whether a work is named by its container: `in Proc. of`, or `Some Journal, 44, 61`."""
    return _NO_TITLE.match(text) is not None or _VOLUME.fullmatch(text.strip(" .")) is not None


def _between_commas(raw: str) -> str:
    """The title of an entry that sets all between commas, where what follows marks its end."""
    parts = raw.split(", ")
    is_name = [_NAME.fullmatch(part) is not None for part in parts] + [False]
    first = is_name.index(False)
    rest = ", ".join(parts[first:])
    found = _BEFORE_IN.match(rest) or _BEFORE_JOURNAL.match(rest) if first else None
    title = found[1].strip(" ,:") if found else ""
    return "" if _NO_TITLE.match(title) or _JOURNAL.search(title) else title


def are_names(text: str) -> bool:
    """Check whether a text is nothing but names with initials, or the dash that repeats them."""
    parts = re.split(r",\s(?:and\s)?|\sand\s|\s&\s", text.strip(" ,"))
    return all(_NAME.fullmatch(part) or set(part) == {"—"} for part in parts)


def _first_author(plain: str) -> str | None:
    """The surname that comes first, before or behind initials and forenames."""
    head = _AFTER_FIRST.split(plain, maxsplit=1)[0].strip()
    words = [word for word in head.split() if not _INITIALS.fullmatch(word)]
    if not words or len(words) > 5 or not words[-1][0].isupper():
        return None
    rest = plain[len(head) :].lstrip(", ")
    is_surname_first = bool(_INITIALS.match(rest)) and not _INITIALS.match(head)
    return head if is_surname_first else words[-1].strip(".")


def _title_in(plain: str) -> str | None:
    """The title in a text alone: quoted, behind the year, or the first sentence without names."""
    quoted = _QUOTED.search(plain)
    if quoted is not None:
        return quoted[1].strip(" ,.")
    year = PRINTED_YEAR.search(plain)
    if (
        year is not None
        and year.start() < 0.6 * len(plain)
        and _is_author_part(plain[: year.start()])
    ):
        sentence = _sentence(_AFTER_YEAR.sub("", plain[year.end() :]))
        if sentence:
            return sentence
    rest = plain
    for _ in range(6):
        sentence = _sentence(rest)
        if not sentence:
            return None
        if not _is_author_part(sentence):
            return None if _CONTAINER.match(sentence) else sentence
        rest = rest[rest.find(sentence) + len(sentence) :].lstrip(" .,)")
    return None


def _sentence(text: str) -> str:
    """Up to the first full stop that ends no initial, question marks included."""
    for found in re.finditer(r"[.?!](?=\s|$)", text):
        before = text[: found.start()]
        last = before.rsplit(maxsplit=1)[-1] if before.split() else ""
        if len(last) <= 1 or re.fullmatch(r"(?:[^\W\d_]\.-?)+[^\W\d_]?|al|et|vs|Jr|St|Proc", last):
            continue
        return (before + (found[0] if found[0] != "." else "")).strip(" ,")
    return text.strip(" ,.") if len(text) < 300 else ""


def _is_author_part(text: str) -> bool:
    """Check whether words are names: most are capitalised, and short words between are `and`."""
    words = re.findall(r"[^\W\d_][\w’'-]*", text)
    names = sum(
        w[0].isupper() or w in {"and", "et", "al", "van", "von", "de", "der"} for w in words
    )
    separators = text.count(",") + len(re.findall(r"\band\b|&|et al|[A-Z]\.", text))
    return names >= 0.9 * len(words) and (separators >= 1 or len(words) <= 3)


MARK = "\x04"
"""Stands for what is raised: numbers of affiliations and notes."""
# A wide space is set between names, as `\quad` does.
_SEPARATOR = re.compile(
    rf"^&|[,;{MARK}]|\s(?:and|AND|&)\s|^\s?(?:and|AND|&)\s|[\u2001\u2003]|[ \u00a0]{{3}}"
)
_NO_NAME = re.compile(
    r"universit|institut|department|school|college|laborator|research|academy|faculty|cent(?:re|er)"
    r"|corporation|\b(?:inc|ltd|llc|gmbh)\b|google|microsoft|amazon|facebook|openai|deepmind"
    r"|anonymous|paper|equal|contribut|correspond|\bmember\b|submission|\bauthors\b|\bteam\b"
    r"|street|e-?mail|hospital|foundation|division|group|technolog|science|\blabs?\b|collaboration"
    r"|\bieee\b|\bpages\b|[@\d\\{}=]|https?:",
    re.IGNORECASE,
)
_MAX_NAME = 60


def names_in(lines: Iterable[str]) -> Iterator[str]:
    """The names in the first lines; what follows them is the affiliation."""
    is_open = may_go_on = True
    for line in lines:
        text = line.strip()
        if not text.strip(f" ,{MARK}"):
            continue
        parts = (" ".join(piece.split()).strip(" .*†‡§¶∗") for piece in _SEPARATOR.split(text))
        names = [f"{part}." if part.endswith((" Jr", " Sr")) else part for part in parts if part]
        is_marked = may_go_on and MARK in text and not text.startswith(MARK)
        is_next = text.startswith("&")  # what parts the authors of some conferences
        may_go_on = is_open or is_next or (is_marked and all(map(is_name, names)))
        if not may_go_on:
            continue
        yield from filter(is_name, names)
        is_open = text.rstrip(f" {MARK}").endswith((",", "&", " and"))


def is_name(text: str) -> bool:
    """Check whether a piece of a line is worded as a person's name."""
    words = text.split()
    return (
        1 < len(text) <= _MAX_NAME
        and len(words) <= 6
        and _NO_NAME.search(text) is None
        and words[0][0].isalpha()
        and not words[-1][0].islower()
        and not (len(words) == 1 and text.isascii() and text.isupper())  # as of a laboratory
    )


def short_names(surnames: Sequence[str], *, has_others: bool = False) -> str:
    """Surnames as a citation prints them."""
    if not surnames:
        return ""
    if len(surnames) > 2 or has_others:
        return f"{surnames[0]} et al."
    return " and ".join(surnames)
