"""Names of methods out of the first column of a table."""

from __future__ import annotations

import re
from collections.abc import Sequence

from vivavoce.readers.terms import (
    MEASURES,
    RESOURCES,
    SPLITS,
    STUBS,
    terms_in,
)
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
_BARE_AUTHORS = re.compile(rf"{_AUTHORS},? ?[(\[]?{_YEAR}[)\]]?")
_OURS = re.compile(
    r"[(\[]\s?(?:ours?|our (?:method|model|approach|system|work)|this (?:work|paper|study)"
    r"|proposed|re-?impl\w{0,20}\.?|baseline)\s?[)\]]",
    re.IGNORECASE,
)
_OURS_BEFORE = re.compile(r"^ours?(?:\s?[-–—:]+\s?|\s+)(?=\S)", re.IGNORECASE)
_OWN = re.compile(
    r"(?:ours?|our (?:final |full |best |single )?(?:method|model|approach|system|results?|work)s?"
    r"|(?:the )?proposed(?: (?:method|model|approach|system))?|this (?:work|paper|study))",
    re.IGNORECASE,
)
_MARKS = re.compile(r"^[\s*†‡§¶⋆★•·]+|[\s*†‡§¶⋆★•·,;:]+$")
_KIND = re.compile(r"\bensemble|\bsingle(?=[ -]models?\b)", re.IGNORECASE)
_NOTE = re.compile(r"(?<=\S) [a-z]$")
_MIN_NOTES = 3
_LETTER = re.compile(r"[^\W\d_]")
_ABLATION = re.compile(
    r"(?:[-–−+]\s?|w/o\b|w/\s?o\b|without\b|minus\b|no\b|with\b|w/|only\b|all\b|full\b)",
    re.IGNORECASE,
)
_NOT_NAMES = frozenset(
    {
        *("dataset", "datasets", "corpus", "domain", "language", "task", "reduction"),
        *("all", "baseline", "baselines", "overall", "total", "sum", "single", "ensemble", "human"),
        *("other", "others", "default", "none", "yes", "no", "max", "min", "random", "average"),
        *("batch", "learning", "rate", "dropout", "embedding", "bptt", "length", "weight", "decay"),
        *("optimizer", "units", "initial", "clip", "momentum", "lr", "beam", "width"),
        *("table", "figure", "supervised", "unsupervised", "previous", "number", "source"),
        "target",
    }
)
_COMMON = MEASURES | SPLITS | STUBS | RESOURCES | _NOT_NAMES


def method_name(label: str) -> str:
    """The name in a row's label, without citations and footnote marks; empty for none."""
    name = plain_words(label[:_MAX_NAME])
    name = _CITED_BEFORE.sub("", name)
    name = _OURS.sub(" ", name)
    if not _OWN.fullmatch(name.strip()):
        name = _OURS_BEFORE.sub("", name)
    if not _BARE_AUTHORS.fullmatch(name.strip()):
        name = _CITED.sub(" ", name) if _LETTER.search(_CITED.sub(" ", name)) else name
    name = _MARKS.sub("", " ".join(name.split()))
    return name if _LETTER.search(name) else ""


def with_kind(name: str, context: str) -> str:
    """A name with `(ensemble)` or `(single model)`, where the rows stand under such a heading."""
    if not name or _KIND.search(name):
        return name
    found = _KIND.search(context)
    if found is None:
        return name
    return f"{name} (ensemble)" if found[0].casefold() == "ensemble" else f"{name} (single model)"


def is_own(name: str) -> bool:
    """Check whether a row names no method but calls it the paper's own."""
    return _OWN.fullmatch(name) is not None


def name_quality(name: str) -> float:
    """Quality of a row's label as the name of a method, from 0 to 1."""
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
    """Check whether a word is in no name of its own, also with a number: `Baseline 2`."""
    return term in _COMMON or term.rstrip("0123456789") in _NOT_NAMES


def without_notes(labels: Sequence[str]) -> list[str]:
    """Labels without the letters of footnotes, where several end with one: `Match-LSTM d`."""
    noted = [label for label in labels if _NOTE.search(label)]
    if len(noted) < _MIN_NOTES or len({label[-1] for label in noted}) * 2 < len(noted):
        return list(labels)
    return [_NOTE.sub("", label) for label in labels]
