"""Read references from the entries of a list: title, year, first author and identifiers.

If the markup does not tell the parts of an entry, the usual ways of printing entries do.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from vivavoce.records import Reference
from vivavoce.sources.fulltext.model import Entry, without_asides
from vivavoce.text.identifiers import PRINTED_YEAR, arxiv_id_in, find_doi, find_year

BRACKETED = re.compile(r"\[(?P<label>\d{1,4}|[A-Za-z+’'&]{1,12}\+?\s?(?:\d{1,4}[a-z]?)?)\]\s*")
NUMBERED = re.compile(r"\(?(?P<label>\d{1,3})[.)]\s*(?=[^\W\d_]|, [^\W\d_])")
RAISED = re.compile(r"(?P<label>\d{1,3})\s?(?=[^\W\d_]\.? ?[^\W\d_])")
_KEYED = re.compile(r"[A-Z][A-Za-z+]{0,11}\d{2}[a-z]?\.\s")
_MAX_GUESS = 600
_MAX_NAMES = 2_000
_MIN_TITLE = 8
_EARLY = 0.6
"""Share of an entry within which a year separates authors and title."""
_AFTER_TITLE = re.compile(r"(?:URL\s)?https?:|doi\b|\d+(?:,\s|–\d)|\S?\d{6,}\s")
"""Beginnings of a part that is not a title: an address, pages, a number."""
_YEAR_IN_PARENTHESES = re.compile(r"\(((?:19|20)\d\d)[a-z]?\)")
_PLAIN_YEAR = re.compile(r"\W*(?:19|20)\d\d[a-z]?\W*")
_QUOTED_TITLE = re.compile(r"[“\"‘«]([^”\"»]{8,400})[”\"»]")
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
_NO_TITLE = re.compile(
    r"(?:in:?|proc\w*\.?|arxiv\S*|corr|https?:\S*|doi\S*|url\S*"
    r"|(?:ph\.? ?d\.?|master\S*|doctoral) thesis,?)(?:\s|$)",
    re.IGNORECASE,
)
_AFTER_IN = re.compile(r"\bin:?\s(?:\d{4}\s)?$", re.IGNORECASE)
# A Title. In Proceedings of Such Things
_VENUE = re.compile(r"(?:\.|(?<=[?!]))\s+In:?\s+[A-Z\d].*")
_YEAR_AFTER_NAMES = re.compile(r"\.\s{0,2}\(?((?:19|20)\d\d)([a-z]?)\)?\.\s{1,2}")
_YEAR_IN_BRACKETS = re.compile(r"\(((?:19|20)\d\d)([a-z]?)\)[.,:]?\s{1,2}")
_YEAR_AFTER_INITIAL = re.compile(r"\b(?:[^\W\d_a-z]|al)\.,?\s((?:19|20)\d\d)([a-z]?),\s{1,2}")
_QUOTED = re.compile(r"[\"“]([^\"“”]{4,400})[\"”]")
# What follows a sentence: a capital, a quotation mark, or the start of an address or id.
_NEXT = r"(?=[^\W_a-z]|[\"“*(]|arXiv\b|https?:|doi\b)"
_STOP = re.compile(rf"(?<!\b[^\W\d_a-z])([.?!])[ \n]{{1,2}}{_NEXT}")
_STOP_AFTER_INITIALS = re.compile(rf"([.?!])[ \n]{{1,2}}{_NEXT}")
_MONTHS = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}\.?\s"
_DATE_AFTER_TITLE = re.compile(rf",\s{{0,2}}(?:{_MONTHS})?(?:19|20)\d\d[a-z]?$")
# A hyphen at the end of a printed line stays, with a space after it.
_WORD = r"[^\W\d_a-z](?:[\w'’`]|-(?=\w)){0,30}"
_INITIAL = r"[^\W\d_a-z]\."
_PARTICLE = r"(?:al|bin|da|de|del|den|der|di|la|le|van|von)(?= )"
_PERSON = rf"(?:{_WORD}|{_INITIAL})(?:-? (?:{_WORD}|{_INITIAL}|{_PARTICLE})){{1,4}}"
NAMES = re.compile(rf"{_PERSON}(?:, {_PERSON}){{0,40}}(?:,? and {_PERSON}|, et al|, others)\.")
# Surnames with initials that have no dots: One A B, Two C.
_INITIALS_LAST = re.compile(
    r"[^\W\d_a-z][\w'’-]{1,30}(?: [^\W\d_a-z]){1,3}(?:, |\. (?!\w{1,30}(?:[,.]| and\s)))"
)
_SURNAME_FIRST = re.compile(r"([^,]{2,60}?)\s((?:[^\W\d_a-z]\.?[ -]?){1,3})")
_INITIALS_NEXT = re.compile(r",?\s[^\W\d_a-z]\.")
_IN_VOLUME = re.compile(r",\s{1,2}in:\s")
# A. One, B. Two and C. Three, A Title Without Quotation Marks, ser. Series.
_INITIALS_FIRST = rf"(?:{_INITIAL}[- ]{{1,2}}){{1,4}}(?:{_PARTICLE} )?{_WORD}"
_NAMES_BEFORE_BOOK = re.compile(
    rf"{_INITIALS_FIRST}(?:, {_INITIALS_FIRST}){{0,40}}(?:,? and {_INITIALS_FIRST}| et al\.)?, "
    r"(?=[^\W\d_a-z][^\s.])"
)
_END_OF_BOOK = re.compile(r",\s(?:ser|vol|ed|[0-9]+(?:st|nd|rd|th) ed)\.")
# One, A., Two, B.C., et al.: A title
_COLON_AFTER_NAMES = re.compile(
    rf"(?:{_PARTICLE} )?{_WORD}[^,:]{{0,40}}, {_INITIAL}(?:[^:]{{0,2000}}(?:[^\W\d_a-z]|al)\.)?:\s"
)
BETWEEN_NAMES = re.compile(r",\s(?:and\s|&\s)?|\sand\s|\s&\s|;\s")
_ACCESSED = re.compile(r"\b(?:accessed|retrieved|visited)\b", re.IGNORECASE)


def read_entry(entry: Entry, ordinal: int) -> Reference:
    """The reference of an entry; identifiers without a field are read from its printed text."""
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
    """The parts of an entry that is known only by its text."""
    plain = _without_label(raw)
    names, _, _, title = split_printed(plain)
    name = first_author(names or plain) or ""
    # A lone surname if initials follow it in the entry, else the last word of a whole name.
    is_surname = not name or _INITIALS_NEXT.match(plain.removeprefix(name))
    return Entry(
        raw=raw,
        titles=(title,),
        years=(printed_year(plain),),
        surnames=(name if is_surname else name.split()[-1],),
        people=BETWEEN_NAMES.split(names),
    )


def split_printed(raw: str) -> tuple[str, int | None, str, str]:
    """The authors, the year, the letter after it and the title of a printed entry."""
    quoted = _quoted_title(raw)
    if quoted is not None:
        year, letter = _last_year(raw[quoted.end() :])
        return raw[: quoted.start()].strip(" ,"), year, letter, quoted[1].strip(" ,.")
    for pattern, most in (
        (_YEAR_AFTER_NAMES, len(raw) - _MIN_TITLE),
        (_YEAR_AFTER_INITIAL, _EARLY * len(raw)),
        (_YEAR_IN_BRACKETS, _EARLY * len(raw)),
    ):
        dated = pattern.search(raw[:_MAX_NAMES])
        if dated and dated.end() < most and (title := _sentence(raw[dated.end() :])):
            return raw[: dated.start()].strip(" ,"), int(dated[1]), dated[2], title
    colon = _COLON_AFTER_NAMES.match(raw)
    if colon is not None:
        return (raw[: colon.end()].strip(" ,:"), *_last_year(raw), _sentence(raw[colon.end() :]))
    book = _NAMES_BEFORE_BOOK.match(raw)
    if book is not None and not NAMES.match(raw, book.end()):
        title = _END_OF_BOOK.split(raw[book.end() :], maxsplit=1)[0]
        return (raw[: book.end()].strip(" ,"), *_last_year(raw[book.end() :]), _sentence(title))
    has_initials_last = _INITIALS_LAST.match(raw) is not None
    stop = (_STOP_AFTER_INITIALS if has_initials_last else _STOP).search(raw)
    year, letter = _last_year(raw)
    if stop is None:
        return "", year, letter, ""
    return raw[: stop.start()], year, letter, _sentence(raw[stop.end() :])


def _quoted_title(raw: str) -> re.Match[str] | None:
    """The title in quotation marks; quoted words inside a title are skipped."""
    quoted = _QUOTED.search(raw)
    if quoted is None or raw[quoted.end() :].startswith(":"):
        return None
    before = raw[: quoted.start()].rstrip()
    return quoted if not before or not before[-1].isalnum() else None


def _sentence(text: str) -> str:
    text = _IN_VOLUME.split(text, maxsplit=1)[0]
    stop = _STOP.search(text)
    end = len(text) if stop is None else stop.start() + (stop[1] in "?!")
    title = _DATE_AFTER_TITLE.sub("", text[:end].strip(" *.,"))
    is_none = any(p.fullmatch(title) for p in (_VOLUME, _PLAIN_YEAR)) or _AFTER_TITLE.match(title)
    return "" if is_none else title


def _last_year(text: str) -> tuple[int | None, str]:
    years = PRINTED_YEAR.findall(_ACCESSED.split(text, maxsplit=1)[0]) or PRINTED_YEAR.findall(text)
    return (int(years[-1][0]), years[-1][1]) if years else (None, "")


def first_author(names: str) -> str | None:
    """The name of the first author as printed; a surname without the initials after it."""
    first = re.split(r",| and | & |;", names, maxsplit=1)[0]
    first = first.removesuffix(" et al.").removesuffix(" et al").strip(" .*")
    words = first.split()
    if not 0 < len(words) <= 6 or not any(map(str.isalpha, first)):
        return None
    surname = _SURNAME_FIRST.fullmatch(first)
    return surname[1] if surname is not None else first


def label_of(raw: str) -> str | None:
    """The number or key by which an entry is cited."""
    match = BRACKETED.match(raw) or NUMBERED.match(raw) or RAISED.match(raw)
    return match["label"] if match else None


def printed_year(raw: str) -> str:
    """The year that an entry prints alone in brackets, else its last year; empty if none."""
    match = _YEAR_IN_PARENTHESES.search(raw)
    years = [match[1]] if match else [year for year, _ in PRINTED_YEAR.findall(raw)]
    return years[-1] if years else ""


def title_of_blocks(blocks: Sequence[str], raw: str) -> str:
    """The title of an entry that LaTeX has set in blocks, usually authors, title and venue."""
    quoted = _QUOTED_TITLE.search(raw)
    if quoted is not None:
        return quoted[1].rstrip(" .,")
    rest = [block for block in blocks[1:] if not _PLAIN_YEAR.fullmatch(block)]
    if rest and not _is_venue(rest[0]):
        return _PRESS.sub("", _VENUE.sub("", rest[0]).rstrip(" .,"))
    colon = _AFTER_COLON.match(raw)
    if colon is not None:
        return colon[1].strip()
    start = _without_label(raw[:_MAX_GUESS])
    guess = split_printed(start)[3]
    # The title of an entry whose parts are all set between commas, if the next part shows its end.
    parts = start.split(", ")
    is_name = [_NAME.fullmatch(part) is not None for part in parts] + [False]
    first = is_name.index(False)
    tail = ", ".join(parts[first:])
    match = _BEFORE_IN.match(tail) or _BEFORE_JOURNAL.match(tail) if first else None
    title = match[1].strip(" ,:") if match else ""
    between = "" if _NO_TITLE.match(title) or _JOURNAL.search(title) else title
    if between or not guess:
        return between
    # A guess that opens the entry has the authors in it; a guess after `in` is not a title.
    before, _, after = raw.partition(guess)
    is_none = _AFTER_IN.search(before) or _is_venue(guess) or _JOURNAL.match(guess + after)
    return guess if before and not is_none else ""


def _is_venue(text: str) -> bool:
    """Check whether a work is named by its container: `in Proc. of`, or `Some Journal, 44, 61`."""
    return _NO_TITLE.match(text) is not None or _VOLUME.fullmatch(text.strip(" .")) is not None


def _without_label(raw: str) -> str:
    for pattern in (BRACKETED, NUMBERED, _KEYED):
        match = pattern.match(raw)
        raw = raw[match.end() :] if match else raw
    return raw


def are_names(text: str) -> bool:
    """Check whether a text is nothing but names, or the dash that repeats them."""
    parts = re.split(r",\s(?:and\s)?|\sand\s|\s&\s", text.strip(" ,"))
    return all(
        _NAME.fullmatch(part) or set(part) == {"—"} or (len(part.split()) < 5 and is_name(part))
        for part in parts
    )


MARK = "\x04"
"""Stands for raised text: the numbers of affiliations and notes."""
# A wide space, such as `\quad`, separates names.
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
_GRADE = re.compile(
    r"(?:,\s{0,9}(?:\w+\s{1,9}){0,2}|^\s{0,9}(?:\w+\s{1,9})?)(?:Member|Fellow),?\s{1,9}(?:of\s(?:the\s)?)?[A-Z]{2,9}\b"
)
"""A grade of membership behind a name: `Senior Member, IEEE`."""
_GRADE_ALONE = re.compile(
    r"(?:\w+\s){0,2}(?:Member|(?:Member|Fellow),?\s(?:Ieee|[A-Z]{3,9}))|Fellow|I(?:EEE|eee)"
)
_ABBREVIATION = re.compile(r"(?:[A-Z][a-z]?\.?){2,5}")
"""A laboratory or a degree, which is no name: `NLP`, `PhD`."""
_MAX_NAME = 60


def names_in(lines: Iterable[str]) -> Iterator[str]:
    """The names in the first lines; the lines after these are the affiliation."""
    is_open = may_go_on = True
    for line in lines:
        text = _GRADE.sub(",", without_asides(line)).strip()
        if not text.strip(f" ,{MARK}"):
            continue
        parts = (" ".join(piece.split()).strip(" .*†‡§¶∗") for piece in _SEPARATOR.split(text))
        names = [f"{part}." if part.endswith((" Jr", " Sr")) else part for part in parts if part]
        is_marked = may_go_on and MARK in text and not text.startswith(MARK)
        is_next = text.startswith("&")  # which separates authors at some conferences
        may_go_on = is_open or is_next or (is_marked and all(map(is_name, names)))
        if not may_go_on:
            continue
        yield from filter(is_name, names)
        is_open = text.rstrip(f" {MARK}").endswith((",", "&", " and"))


def is_grade(name: str) -> bool:
    """Check whether a name is only a grade of membership, as listings split it off its holder."""
    return _GRADE_ALONE.fullmatch(name) is not None


def is_name(text: str) -> bool:
    """Check whether a piece of a line reads like a person's name."""
    words = text.split()
    return (
        1 < len(text) <= _MAX_NAME
        and len(words) <= 6
        and _NO_NAME.search(text) is None
        and words[0][0].isalpha()
        and not words[-1][0].islower()
        and not (len(words) == 1 and _ABBREVIATION.fullmatch(text))
    )


def short_names(surnames: Sequence[str], *, has_others: bool = False) -> str:
    """Surnames as a citation prints them."""
    if not surnames:
        return ""
    if len(surnames) > 2 or has_others:
        return f"{surnames[0]} et al."
    return " and ".join(surnames)
