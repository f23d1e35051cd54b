"""Names of methods in row labels, and the name of a paper's own method."""

import re
from collections import Counter
from collections.abc import Sequence

from vivavoce.readers import LibraryPaper
from vivavoce.readers.terms import MEASURES, RESOURCES, SPLITS, STUBS, terms_in
from vivavoce.text import read_data, read_patterns
from vivavoce.text.cell_text import plain_words

_MAX_NAME = 160
_AUTHORS = (
    r"[^\W\d_][\w'’.-]{0,30}(?:(?:,? (?:and|&) |, )[^\W\d_][\w'’.-]{0,30}){0,4}(?: et al\.?)?"
)
_YEAR = r"(?:19|20)\d\d[a-z]?"
_CITED_BEFORE = re.compile(
    rf"^{_AUTHORS},? ?[(\[]{_YEAR}(?:[;,] ?{_YEAR}){{0,3}}[)\]]\s?[-–—:]+\s?(?=\S)"
)
_CITED = re.compile(
    rf"[(\[][^()\[\]]{{0,120}}{_YEAR}[^()\[\]]{{0,40}}[)\]]|\[\d[\d,;\s–-]{{0,30}}\]"
)
_KEY = re.compile(
    r"[(\[]?\b(?:DBLP:[^\s()\[\]]{3,80}"
    r"|[A-Z]?[a-z][A-Za-z'-]{1,30}[:_-]?(?:19|20)\d\d[\w:-]{0,60})[)\]]?(?:\s[-–—:]\s)?"
    r"|\(\s?\)"
)
"""An unresolved citation key, such as `ha2016hypernetworks`, or empty brackets."""
_BARE_AUTHORS = re.compile(rf"{_AUTHORS},? ?[(\[]?{_YEAR}[)\]]?")
_PATTERNS = read_patterns(__file__, "patterns.toml")
_OURS = _PATTERNS["ours"]
_OURS_BEFORE = re.compile(r"^ours?(?:\s?[-–—:]+\s?|\s+)(?=\S)", re.IGNORECASE)
_OWN = _PATTERNS["own"]
_MARKS = re.compile(r"^[\s*†‡§¶⋆★•·]+|[\s*†‡§¶⋆★•·,;:]+$")
_KIND = re.compile(r"\bensemble|\bsingle(?=[ -]models?\b)", re.IGNORECASE)
_NOTE = re.compile(r"(?<=\S) [a-z]$")
_MIN_NOTES = 3
_LETTER = re.compile(r"[^\W\d_]")
_ABLATION = _PATTERNS["ablation"]
_TITLED = re.compile(r"([A-Z][\w+@./-]{1,30}(?: [\w+@./-]{1,20})?):\s")
_PROPOSED = _PATTERNS["own_named"]
_IN_BRACKETS = re.compile(r"\(([A-Z][\w-]{0,14}[A-Z][\w-]{0,10})s?\)")
_WORDLIKE = re.compile(r"[^\W_][\w-]{1,40}")
_MIN_COUNT = 4
"""Minimum number of times that a paper must name its own method."""
_WORDS = read_data(__file__, "words.toml")
_NOT_NAMES = frozenset(_WORDS["not_names"])
_COMMON = MEASURES | SPLITS | STUBS | RESOURCES | _NOT_NAMES


def method_name(label: str) -> str:
    """The name in a row's label, without citations and footnote marks; empty if there is none."""
    name = plain_words(label[:_MAX_NAME])
    name = _CITED_BEFORE.sub("", _KEY.sub(" ", name).strip())
    name = _OURS.sub(" ", name)
    if not _OWN.fullmatch(name.strip()):
        name = _OURS_BEFORE.sub("", name)
    if not _BARE_AUTHORS.fullmatch(name.strip()):
        name = _CITED.sub(" ", name) if _LETTER.search(_CITED.sub(" ", name)) else name
    name = _MARKS.sub("", " ".join(name.split()))
    return name if _LETTER.search(name) else ""


def with_kind(name: str, context: str) -> str:
    """Add `(ensemble)` or `(single model)` to a name if the text about its row says so."""
    if not name or _KIND.search(name):
        return name
    kind = _KIND.search(context)
    if kind is None:
        return name
    return f"{name} (ensemble)" if kind[0].casefold() == "ensemble" else f"{name} (single model)"


def is_own(name: str) -> bool:
    """Check whether a row's name says only that the method is the paper's own."""
    return _OWN.fullmatch(name) is not None


def name_quality(name: str) -> float:
    """Rate how good a row's label is as the name of a method, from 0 to 1."""
    words = name.split()
    terms = set(terms_in(name))
    if name[:1] in ".,;:#%)]" or ". " in name.replace("al. ", ""):
        return 0.0
    if len(name) < 2 or all(map(_is_common, terms)):
        return 0.0
    if len(words) > 10 or name.endswith("."):
        return 0.1
    if _ABLATION.match(name):
        return 0.3
    letters = sum(c.isalpha() for c in name)
    if letters * 2 < len(name.replace(" ", "")):
        return 0.3
    if words[0].islower() and not any(c.isupper() or c.isdigit() for c in name):
        return 0.5
    if len(words) == 1 and name.isalpha() and not any(c.isupper() for c in name[1:]):
        return 0.7
    return 1.0


def _is_common(term: str) -> bool:
    """Check whether a word is too common to be a name, even with a number: `Baseline 2`."""
    return term in _COMMON or term.rstrip("0123456789") in _NOT_NAMES


def without_notes(labels: Sequence[str]) -> list[str]:
    """Drop footnote letters, as in `Match-LSTM d`, if several labels end in such a letter."""
    noted = [label for label in labels if _NOTE.search(label)]
    if len(noted) < _MIN_NOTES or len({label[-1] for label in noted}) * 2 < len(noted):
        return list(labels)
    return [_NOTE.sub("", label) for label in labels]


def own_method(paper: LibraryPaper) -> str:
    """Find the name of a paper's own method in title, abstract or first section; empty if none."""
    match = _TITLED.match(paper.title.strip())
    if match:
        return match[1].strip()
    lead = f"{paper.title}. {(paper.abstract or '')[:5_000]}"
    first = paper.sections[0].text[:8_000] if paper.sections else ""
    names = [*_IN_BRACKETS.findall(lead), *_PROPOSED.findall(lead), *_PROPOSED.findall(first)]
    if not names:
        return ""
    texts = paper.texts(abstract=True)
    words = Counter(match[0].casefold() for text in texts for match in _WORDLIKE.finditer(text))
    best = max(dict.fromkeys(names), key=lambda name: words[name.casefold()])
    terms = set(terms_in(best))
    return best if words[best.casefold()] >= _MIN_COUNT and not terms <= MEASURES | SPLITS else ""
