"""Identifiers of papers in ids, URLs, file names and running text, each in one spelling."""

import re
from urllib.parse import unquote

from vivavoce.errors import InputError

# Years 07 to 59, months 01 to 12: anything else is a decimal number, not an id.
_NEW_ARXIV = r"(?P<new>(?:0[7-9]|[1-5][0-9])(?:0[1-9]|1[0-2])\.[0-9]{4,5})"
_ARCHIVES = (
    "acc-phys|adap-org|alg-geom|ao-sci|astro-ph|atom-ph|bayes-an|chao-dyn|chem-ph|cmp-lg|comp-gas"
    "|cond-mat|cs|dg-ga|funct-an|gr-qc|hep-ex|hep-lat|hep-ph|hep-th|math-ph|math|mtrl-th|nlin"
    "|nucl-ex|nucl-th|patt-sol|physics|plasm-ph|q-alg|q-bio|quant-ph|solv-int|supr-con"
)
# In file names the separator is missing or an underscore: hep-th9901001v2.pdf
_OLD_ARXIV = (
    rf"(?P<archive>{_ARCHIVES})(?:\.[a-z]{{2}}(?:-[a-z]{{2,4}})?)?[/_]?"
    r"(?P<number>(?:9[1-9]|0[0-7])(?:0[1-9]|1[0-2])[0-9]{3})"
)
_ARXIV_ID = rf"(?:{_NEW_ARXIV}|{_OLD_ARXIV})(?:_?(?P<version>v[0-9]{{1,3}}))?(?![0-9a-z%]|\.[0-9])"
_NAMED_ARXIV = re.compile(
    rf"arxiv(?:\.org/(?:[a-z-]{{2,10}}/){{1,2}}|[\s:._/-]{{1,3}}){_ARXIV_ID}", re.IGNORECASE
)
# A DOI is matched whole, so that no part of it counts as an id.
_BARE_ARXIV = re.compile(
    rf"(?<![0-9.])10\.[0-9]{{4,9}}/\S+|(?<![0-9a-z.+$~-]){_ARXIV_ID}", re.IGNORECASE
)
_ARXIV_HINT = re.compile(r"[0-9]{4}\.[0-9]{4}|[0-9]{7}")

_OLD_ACL = r"[ACDEFHI-UWXY][0-9]{2}-(?:[0-9]{4}|[0-9]\.[0-9]{1,3}|[0-9]{2}\.[0-9]{1,2})"
_NEW_ACL = r"(?:19|20)[0-9]{2}\.[a-z][a-z0-9_]{0,39}-[a-z0-9_]{1,40}\.[0-9]{1,5}"
_ACL_END = r"(?:v[0-9]{1,2})?(?![0-9A-Za-z]|-[0-9])"
# A lower-case old id counts only inside a URL or a DOI of the Anthology.
_ACL = re.compile(
    rf"(?<![0-9A-Za-z])(?P<id>{_OLD_ACL}|(?<![0-9]\.){_NEW_ACL}){_ACL_END}"
    rf"|(?i:anthology(?:\.org)?/|10\.(?:18653|3115)/v1/)(?P<named>(?i:{_OLD_ACL})){_ACL_END}"
)

_DOI_START = r"10\.[0-9]{4,9}(?:\.[0-9]{1,9})*/"
_WHOLE_DOI = re.compile(
    rf"(?:https?://)?(?:(?:dx\.)?doi\.org/|doi\s?:?\s?)?({_DOI_START}\S+)", re.IGNORECASE
)
# In running text, markup ends a DOI; a DOI on its own may contain < and >, as old DOIs do.
_DOI_INSIDE = re.compile(rf"(?<![0-9.]){_DOI_START}[^\s\"<>{{}}|\\?#]+")
_AFTER_DOI = ".,;:!?'\"’”»*_`"
_ENCODED_SLASH = re.compile(r"(?<=/)(10\.[0-9]{4,9})%2F", re.IGNORECASE)
# Words that publishers add to a DOI in the URL of a page or file.
_AFTER_DOI_IN_ADDRESS = re.compile(
    r"(?:/(?:full|abstract|meta|pdf|epdf|html|summary|references|figures|tables)"
    r"|\.full(?:-text)?|\.pdf|\.html?|(?<=[0-9])v[0-9]{1,2}(?=$|\.))+$"
)
_OWN_NAMES = (
    (re.compile(r"nature\.com/articles/(s[0-9]{5}-[0-9]{3}-[0-9]{3,5}-[0-9xw])"), "10.1038/"),
    (re.compile(r"elifesciences\.org/articles/([0-9]{5,6})"), "10.7554/elife."),
)
"""Patterns of URLs that contain the end of a DOI, each with the start of the DOI."""
_BRACKETS = {")": "(", "]": "[", "}": "{", ">": "<"}

_ORCID = re.compile(r"\d{4}-\d{4}-\d{4}-\d{3}[\dX]")
_YEAR = re.compile(r"(?<!\d)(?:1[5-9]\d\d|20\d\d|2100)(?!\d)")
PRINTED_YEAR = re.compile(r"(?<![\d.:/–-])((?:19|20)\d\d)([a-z]?)(?![\d–-]|\.\d)")
"""A year in a printed entry of a reference list, with any letter after it."""

_FIRST_ARXIV_YEAR = 91
_FIRST_ACL_YEAR = 60


def find_arxiv_id(text: str) -> tuple[str, str | None] | None:
    """Find the first arXiv id, preferably one after the word arXiv, and its version."""
    if _ARXIV_HINT.search(text) is None:
        return None
    named = _NAMED_ARXIV.search(text)
    if named is not None:
        return _spell_arxiv(named)
    for candidate in _BARE_ARXIV.finditer(text):
        if candidate["new"] or candidate["number"]:
            return _spell_arxiv(candidate)
    return None


def arxiv_id_in(text: str) -> str | None:
    """Find the arXiv id in a text as `find_arxiv_id` does, without the version."""
    match = find_arxiv_id(text)
    return match[0] if match else None


def find_acl_id(text: str) -> str | None:
    """Find the first ACL Anthology id in a text: `P18-1001`, `L04-1.151`, `2020.acl-main.207`."""
    match = _ACL.search(text)
    if match is None:
        return None
    name = match["id"] or match["named"].upper()
    stem, dash, number = name.partition("-")
    if "." in stem or "." not in number:
        return name
    volume, _, paper = number.partition(".")
    return f"{stem}{dash}{volume}{paper.zfill(4 - len(volume))}"


def find_doi(text: str) -> str | None:
    """Find the first DOI in a text; return it in lower case, without resolver and punctuation."""
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
    # Drop the sentence's punctuation after a DOI, and closing brackets that the DOI does not open.
    surplus = {end: doi.count(end) - doi.count(start) for end, start in _BRACKETS.items()}
    end = len(doi)
    while end > 0:
        last = doi[end - 1]
        if last in _BRACKETS and surplus[last] > 0:
            surplus[last] -= 1
        elif last not in _AFTER_DOI:
            break
        end -= 1
    doi = doi[:end].lower().removesuffix(".pdf")
    if "://" in stripped and whole is None:
        doi = _AFTER_DOI_IN_ADDRESS.sub("", doi)
    return doi if not doi.endswith("/") else None


def _doi_of_name(text: str) -> str | None:
    """The DOI implied by the URL of an article, for publishers whose URLs contain part of it."""
    for pattern, start in _OWN_NAMES:
        if match := pattern.search(text.lower()):
            return start + match[1]
    return None


def find_orcid(text: str) -> str | None:
    """Find the first ORCID iD in a text, without its URL."""
    match = _ORCID.search(text.upper())
    return match[0] if match else None


def find_year(text: str) -> int | None:
    """Find the first year from 1500 to 2100 in a text."""
    match = _YEAR.search(text)
    return int(match[0]) if match else None


def arxiv_month(arxiv_id: str) -> str:
    """The month of an arXiv id, `YYYY-MM`; `InputError` for any other text."""
    match = _BARE_ARXIV.fullmatch(arxiv_id)
    digits = match and (match["new"] or match["number"])
    if not digits:
        raise InputError(f"{arxiv_id!r} is not an arXiv id such as 1410.5401 or hep-th/9901001.")
    year = int(digits[:2])
    century = 1900 if year >= _FIRST_ARXIV_YEAR else 2000
    return f"{century + year}-{digits[2:4]}"


def acl_year(acl_id: str) -> str:
    """The year of an ACL Anthology id, `YYYY`; `InputError` for any other text."""
    match = _ACL.fullmatch(acl_id)
    if match is None or match["id"] is None:
        raise InputError(
            f"{acl_id!r} is not an Anthology id such as P18-1001 or 2020.acl-main.207."
        )
    name: str = match["id"]
    if name[0].isdigit():
        return name[:4]
    year = int(name[1:3])
    return str(1900 + year if year >= _FIRST_ACL_YEAR else 2000 + year)


def _spell_arxiv(match: re.Match[str]) -> tuple[str, str | None]:
    version = match["version"]
    name = match["new"] or f"{match['archive'].lower()}/{match['number']}"
    return name, version.lower() if version else None


_ARXIV_DOI = "10.48550/arxiv."
ACL_DOIS = ("10.18653/v1/", "10.3115/v1/")
"""Prefixes of the DOIs that contain an Anthology id."""


def ids_in_doi(doi: str) -> dict[str, str]:
    """The arXiv or Anthology id inside a DOI, by scheme; empty for other DOIs."""
    if doi.startswith(_ARXIV_DOI) and (arxiv_id := find_arxiv_id(doi.removeprefix(_ARXIV_DOI))):
        return {"arxiv": arxiv_id[0]}
    if doi.startswith(ACL_DOIS) and (acl_id := find_acl_id(doi)):
        return {"acl": acl_id}
    return {}
