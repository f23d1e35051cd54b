"""Identifiers of papers, read out of ids, addresses, file names and running text.

arXiv ids come back without their version and without a subject class, and Anthology ids in the
spelling of the Anthology, so one paper has one identity. Every pattern takes linear time.
"""

from __future__ import annotations

import re
from urllib.parse import unquote

from vivavoce.errors import InputError

# Years 07 to 59, months 01 to 12: what lies outside is a decimal number, not an id.
_NEW_ARXIV = r"(?P<new>(?:0[7-9]|[1-5][0-9])(?:0[1-9]|1[0-2])\.[0-9]{4,5})"
_ARCHIVES = (
    "acc-phys|adap-org|alg-geom|ao-sci|astro-ph|atom-ph|bayes-an|chao-dyn|chem-ph|cmp-lg|comp-gas"
    "|cond-mat|cs|dg-ga|funct-an|gr-qc|hep-ex|hep-lat|hep-ph|hep-th|math-ph|math|mtrl-th|nlin"
    "|nucl-ex|nucl-th|patt-sol|physics|plasm-ph|q-alg|q-bio|quant-ph|solv-int|supr-con"
)
# The separator is missing or an underscore in file names: hep-th9901001v2.pdf
_OLD_ARXIV = (
    rf"(?P<archive>{_ARCHIVES})(?:\.[a-z]{{2}}(?:-[a-z]{{2,4}})?)?[/_]?"
    r"(?P<number>(?:9[1-9]|0[0-7])(?:0[1-9]|1[0-2])[0-9]{3})"
)
_ARXIV_ID = rf"(?:{_NEW_ARXIV}|{_OLD_ARXIV})(?:_?(?P<version>v[0-9]{{1,3}}))?(?![0-9a-z%]|\.[0-9])"
_NAMED_ARXIV = re.compile(
    rf"arxiv(?:\.org/(?:[a-z-]{{2,10}}/){{1,2}}|[\s:._/-]{{1,3}}){_ARXIV_ID}", re.IGNORECASE
)
# A DOI is consumed whole, so nothing inside it is taken for an id.
_BARE_ARXIV = re.compile(
    rf"(?<![0-9.])10\.[0-9]{{4,9}}/\S+|(?<![0-9a-z.+$~-]){_ARXIV_ID}", re.IGNORECASE
)
_ARXIV_HINT = re.compile(r"[0-9]{4}\.[0-9]{4}|[0-9]{7}")

_OLD_ACL = r"[ACDEFHI-UWXY][0-9]{2}-(?:[0-9]{4}|[0-9]\.[0-9]{1,3}|[0-9]{2}\.[0-9]{1,2})"
_NEW_ACL = r"(?:19|20)[0-9]{2}\.[a-z][a-z0-9_]{0,39}-[a-z0-9_]{1,40}\.[0-9]{1,5}"
_ACL_END = r"(?:v[0-9]{1,2})?(?![0-9A-Za-z]|-[0-9])"
# A lower-case old id counts only where an address or a DOI of the Anthology surrounds it.
_ACL = re.compile(
    rf"(?<![0-9A-Za-z])(?P<id>{_OLD_ACL}|(?<![0-9]\.){_NEW_ACL}){_ACL_END}"
    rf"|(?i:anthology(?:\.org)?/|10\.(?:18653|3115)/v1/)(?P<named>(?i:{_OLD_ACL})){_ACL_END}"
)

_DOI_START = r"10\.[0-9]{4,9}(?:\.[0-9]{1,9})*/"
_WHOLE_DOI = re.compile(
    rf"(?:https?://)?(?:(?:dx\.)?doi\.org/|doi\s?:?\s?)?({_DOI_START}\S+)", re.IGNORECASE
)
# In running text markup ends a DOI; alone it may hold < and > as old ones do.
_DOI_INSIDE = re.compile(rf"(?<![0-9.]){_DOI_START}[^\s\"<>{{}}|\\?#]+")
_AFTER_DOI = ".,;:!?'\"’”»*_`"
_ENCODED_SLASH = re.compile(r"(?<=/)(10\.[0-9]{4,9})%2F", re.IGNORECASE)
# Words that publishers add to a DOI in the address of a page or file.
_AFTER_DOI_IN_ADDRESS = re.compile(
    r"(?:/(?:full|abstract|meta|pdf|epdf|html|summary|references|figures|tables)"
    r"|\.full(?:-text)?|\.pdf|\.html?|(?<=[0-9])v[0-9]{1,2}(?=$|\.))+$"
)
_OWN_NAMES = (
    (re.compile(r"nature\.com/articles/(s[0-9]{5}-[0-9]{3}-[0-9]{3,5}-[0-9xw])"), "10.1038/"),
    (re.compile(r"elifesciences\.org/articles/([0-9]{5,6})"), "10.7554/elife."),
)
"""Addresses that hold the end of a DOI, and its start."""
_BRACKETS = {")": "(", "]": "[", "}": "{", ">": "<"}

_ORCID = re.compile(r"\d{4}-\d{4}-\d{4}-\d{3}[\dX]")
_YEAR = re.compile(r"(?<!\d)(?:1[5-9]\d\d|20\d\d|2100)(?!\d)")
PRINTED_YEAR = re.compile(r"(?<![\d.:/–-])((?:19|20)\d\d)([a-z]?)(?![\d–-]|\.\d)")
"""A year in a printed entry of a list of references, with the letter behind it."""

_FIRST_ARXIV_YEAR = 91
_FIRST_ACL_YEAR = 60


def find_arxiv_id(text: str) -> tuple[str, str | None] | None:
    """The first arXiv id in a text as (id without version, version such as `v2` or None).

    An id that follows the word arXiv goes before a bare one.
    """
    if _ARXIV_HINT.search(text) is None:
        return None
    found = _NAMED_ARXIV.search(text)
    if found is not None:
        return _spell_arxiv(found)
    for candidate in _BARE_ARXIV.finditer(text):
        if candidate["new"] or candidate["number"]:
            return _spell_arxiv(candidate)
    return None


def arxiv_id_in(text: str) -> str | None:
    """The first arXiv id in a text, without its version."""
    found = find_arxiv_id(text)
    return found[0] if found else None


def find_acl_id(text: str) -> str | None:
    """The first ACL Anthology id in a text: `P18-1001` or `2020.acl-main.207`.

    Volume and paper written apart, `L04-1.151`, are joined as the Anthology does: `L04-1151`.
    """
    found = _ACL.search(text)
    if found is None:
        return None
    name = found["id"] or found["named"].upper()
    stem, dash, number = name.partition("-")
    if "." in stem or "." not in number:
        return name
    volume, _, paper = number.partition(".")
    return f"{stem}{dash}{volume}{paper.zfill(4 - len(volume))}"


def find_doi(text: str) -> str | None:
    """The first DOI in a text: lower case, without resolver and trailing punctuation."""
    stripped = text.strip()
    if "://" in stripped:
        stripped = _ENCODED_SLASH.sub(r"\1/", stripped)
    if "10." not in stripped:
        return _doi_of_name(stripped)
    whole = _WHOLE_DOI.fullmatch(stripped)
    if whole is not None:
        doi = whole[1]
    else:
        inside = _DOI_INSIDE.search(stripped)
        if inside is None:
            return _doi_of_name(stripped)
        doi = inside[0]
    plain = unquote(doi)
    if plain.isprintable() and " " not in plain:
        doi = plain
    doi = _strip_after_doi(doi).lower().removesuffix(".pdf")
    if "://" in stripped and whole is None:
        doi = _AFTER_DOI_IN_ADDRESS.sub("", doi)
    return doi if not doi.endswith("/") else None


def _doi_of_name(text: str) -> str | None:
    """The DOI that the address of an article implies, where the publisher makes one of it."""
    for pattern, start in _OWN_NAMES:
        if found := pattern.search(text.lower()):
            return start + found[1]
    return None


def find_orcid(text: str) -> str | None:
    """The first ORCID iD in a text, without the address before it."""
    found = _ORCID.search(text.upper())
    return found[0] if found else None


def find_year(text: str) -> int | None:
    """The first year from 1500 to 2100 in a text."""
    found = _YEAR.search(text)
    return int(found[0]) if found else None


def arxiv_month(arxiv_id: str) -> str:
    """The month an arXiv id was given, `YYYY-MM`; `InputError` for any other text."""
    found = _BARE_ARXIV.fullmatch(arxiv_id)
    digits = found and (found["new"] or found["number"])
    if not digits:
        raise InputError(f"{arxiv_id!r} is not an arXiv id such as 1410.5401 or hep-th/9901001.")
    year = int(digits[:2])
    century = 1900 if year >= _FIRST_ARXIV_YEAR else 2000
    return f"{century + year}-{digits[2:4]}"


def acl_year(acl_id: str) -> str:
    """The year of an ACL Anthology id, `YYYY`; `InputError` for any other text."""
    found = _ACL.fullmatch(acl_id)
    if found is None or found["id"] is None:
        raise InputError(
            f"{acl_id!r} is not an Anthology id such as P18-1001 or 2020.acl-main.207."
        )
    name: str = found["id"]
    if name[0].isdigit():
        return name[:4]
    year = int(name[1:3])
    return str(1900 + year if year >= _FIRST_ACL_YEAR else 2000 + year)


def _spell_arxiv(match: re.Match[str]) -> tuple[str, str | None]:
    version = match["version"]
    name = match["new"] or f"{match['archive'].lower()}/{match['number']}"
    return name, version.lower() if version else None


def _strip_after_doi(doi: str) -> str:
    """Drop punctuation of the sentence around a DOI, and brackets it does not open itself."""
    surplus = {end: doi.count(end) - doi.count(start) for end, start in _BRACKETS.items()}
    end = len(doi)
    while end > 0:
        last = doi[end - 1]
        if last in _BRACKETS and surplus[last] > 0:
            surplus[last] -= 1
        elif last not in _AFTER_DOI:
            break
        end -= 1
    return doi[:end]


_ARXIV_DOI = "10.48550/arxiv."
ACL_DOIS = ("10.18653/v1/", "10.3115/v1/")
"""Prefix of DOIs that are made of an Anthology id."""


def ids_in_doi(doi: str) -> dict[str, str]:
    """The arXiv or Anthology id that a DOI is made of, by scheme; empty for other DOIs."""
    if doi.startswith(_ARXIV_DOI) and (found := find_arxiv_id(doi.removeprefix(_ARXIV_DOI))):
        return {"arxiv": found[0]}
    if doi.startswith(ACL_DOIS) and (acl_id := find_acl_id(doi)):
        return {"acl": acl_id}
    return {}
