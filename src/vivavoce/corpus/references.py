"""Resolution of references to papers of the corpus."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from vivavoce.corpus.matching import (
    count_words,
    fold,
    names_agree,
    surname,
    title_key,
    title_words,
    years_agree,
)
from vivavoce.corpus.merge import MergedPaper, identifiers, year_of
from vivavoce.records import Document, Reference
from vivavoce.text.identifiers import ACL_DOIS, find_acl_id, ids_in_doi

MAX_RAW = 2_000
"""Maximum number of characters read from a reference."""
MAX_TITLE = 500
"""Maximum number of characters read from a title."""
MAX_AUTHORS, MAX_NAME = 50, 200
"""Maximum number of authors read from a paper, and of characters read from a name."""
SCHEMES = ("arxiv", "doi", "acl", "given")
"""The kinds of identifiers by which references are resolved."""
SHARED_IDS = "s2:"
"""Prefix of given ids that references also carry: those of Semantic Scholar."""
_YEAR = re.compile(r"(?<![0-9.:/-])(?:19|20)[0-9]{2}(?![0-9]|\.[0-9])")
_WORD = re.compile(r"[^\W\d_]+")
_MIN_SURNAME = 2
_PART_END = re.compile(r"\s*[:?!–—]\s+|\s+[-–—]\s+|\.\s+")
# Words that, after a title, turn it into the title of another work.
_SEQUEL = re.compile(
    r"\W*(?:part|vol|volume|chapter|revisited|reloaded|continued|extended|supplement\w*|appendix"
    r"|corrigend\w+|errat\w+|correction|reply|comments?|second|third|two|three|again|[ivx]+|[0-9]+)"
    r"\b",
    re.IGNORECASE,
)
_VENUE = re.compile(
    r"[\s,.;(]+(?:in:?\s+)?(?:proc(?:eedings)?\b|arxiv\b|corr\b|advances in\b"
    r"|transactions (?:of|on)\b|journal of\b|conference on\b"
    r"|(?:\w+ )?international (?:conference|joint|workshop)\b"
    r"|workshop on\b|ph\.?d\.? thesis)",
    re.IGNORECASE,
)
# If accents were separated from their letters, the name cannot be compared.
_TORN = re.compile("[´`¨˜ˆ¸˘ˇ~^\\\\{}0-9]")


@dataclass(frozen=True, slots=True)
class KnownPaper:
    """A paper of the corpus."""

    paper_id: str
    titles: tuple[str, ...]
    authors: tuple[str, ...]
    """Authors in order, so the first author comes first."""
    years: frozenset[int]
    names: tuple[str, ...] = ()
    """The paper's identifiers, such as `doi:10.1000/1`; those from metadata come first."""


class Evidence(NamedTuple):
    """Agreement between a reference and a paper in all fields but the title."""

    author: bool | None
    year: bool | None

    @property
    def contradicts(self) -> bool:
        """True if a field contradicts the paper."""
        return self.author is False or self.year is False

    @property
    def supports(self) -> int:
        """Number of fields that agree: 0, 1 or 2."""
        return (self.author is True) + (self.year is True)


def know_paper(
    paper: MergedPaper, year: int | None, metadata_kinds: Collection[str] = ()
) -> KnownPaper:
    """Facts of a paper that references are compared with.

    If metadata give the paper's title, titles extracted from its text do not count: a wrong title
    would attract references to another work.
    """
    documents = paper.documents
    titled = [d for d in documents if d.title and d.kind in metadata_kinds]
    titled = titled or [d for d in documents if d.title]
    years = {year_of(document) for document in documents} | {year}
    authors = next((d.authors for d in documents if d.authors), ())
    return KnownPaper(
        paper_id=paper.paper_id,
        titles=tuple(dict.fromkeys(d.title for d in titled if d.title)),
        authors=tuple(author.name[:MAX_NAME] for author in authors[:MAX_AUTHORS]),
        years=frozenset(year for year in years if year is not None),
        names=tuple(dict.fromkeys(name for d in documents for name in _names(d))),
    )


def weigh(reference: Reference, paper: KnownPaper) -> Evidence:
    """Compare a reference with a paper in author and year, or in every year in its text."""
    printed = (int(year) for year in _YEAR.findall(reference.raw[:MAX_RAW]))
    years = set(printed) if reference.year is None else {reference.year}
    return Evidence(_author_agrees(reference, paper), years_agree(years, paper.years))


def _author_agrees(reference: Reference, paper: KnownPaper) -> bool | None:
    """Return whether the reference names the paper's first author, or another of its authors.

    Parsers of reference lists confuse authors, so the whole entry is searched for the paper's first
    author, unless that surname is a word of the title.
    """
    if not paper.authors:
        return None
    named = (reference.first_author or "")[:MAX_NAME]
    if named and any(names_agree(named, name) for name in paper.authors):
        return True
    first = surname(paper.authors[0])
    is_telling = len(first) >= _MIN_SURNAME and first not in title_words(reference.title or "")
    if is_telling and first in _WORD.findall(fold(reference.raw[:MAX_RAW])):
        return True
    return False if named and not _TORN.search(named) else None


def _names(document: Document) -> list[str]:
    values = identifiers(document)
    if not values.get("given", "").startswith(SHARED_IDS):
        values.pop("given", None)
    named = {**ids_in_doi(values.get("doi", "")), **values}
    return [f"{scheme}:{value}" for scheme, value in named.items() if scheme in SCHEMES]


def parts_of_title(title: str) -> tuple[list[str], list[str]]:
    """Split a title into main title and subtitle: two lists, both empty if it has only one part.

    Words that mark the continuation of a work, such as `Part Two`, are not a subtitle.
    """
    part_end = _PART_END.search(title[:MAX_TITLE])
    if part_end is None or not part_end.start() or _SEQUEL.match(title, part_end.end()):
        return [], []
    return [title[: part_end.start()]], [title[part_end.end() : MAX_TITLE]]


def titles_inside(title: str) -> list[str]:
    """Possible titles inside a reference's title that has other text attached.

    Parsers of reference lists may leave the venue after a title and the authors before it.
    """
    title = title[:MAX_TITLE]
    titles: dict[str, None] = {}
    if venue := _VENUE.search(title):
        titles[title[: venue.start()]] = None
    cuts = [match for match in _PART_END.finditer(title) if match[0].startswith(".")][:4]
    for cut in cuts:
        titles[title[cut.end() :]] = None
        if not _SEQUEL.match(title, cut.end()):
            titles[title[: cut.start()]] = None
    return [part for part in titles if part.strip()]


_LONG_TITLE_WORDS = 4
_LONG_KEY = 24
"""Minimum length of a title's key at which one agreeing field is enough for a match in parts."""
_ANTHOLOGY = re.compile(
    r"(?:aclweb\.org|aclanthology\.(?:org|info)|10\.18653/|10\.3115/).{1,100}", re.IGNORECASE
)
_BROKEN = re.compile(r"(?<=[-./]) ")
_BY_TITLE = {(True, True): 0.99, (True, None): 0.97, (None, True): 0.95, (None, None): 0.8}
"""Confidence in an exact title by (author, year): True if the field agrees, None if unknown."""
_MISDATED = {True: 0.85, None: 0.6}
"""Confidence in a long exact title if the year differs, by agreement of the author."""
_PART = 0.95
"""Factor on the confidence if only parts of the titles are equal."""
_ID_DIFFERS = 0.6
"""Maximum confidence if reference and paper have different arXiv ids."""


class Resolution(NamedTuple):
    """The paper that a reference means, how it was found, and the confidence in it."""

    paper_id: str
    resolver: str
    """One of arxiv_id, doi, acl_id, given_id, title, near_title, in the order of trial."""
    confidence: float


_RESOLVER_OF = {"arxiv": "arxiv_id", "doi": "doi", "acl": "acl_id", "given": "given_id"}


class PaperIndex:
    """Finds papers by identifier, else by title.

    An equal title counts unless author or year contradict it; a short title needs an agreeing year.
    A title with a venue attached needs an agreeing author or year. A title without its subtitle
    needs an agreeing author. If two papers fit equally well, neither is taken.

    Part of a corpus, in corpus order, is enough. If it holds every paper that a reference must be
    compared with, the resolution is the same as with the whole corpus.
    """

    def __init__(self, papers: Sequence[KnownPaper]) -> None:
        self._papers = papers
        self._by_name: dict[str, str] = {}
        self._arxiv_ids: dict[str, str] = {}
        for paper in papers:
            for name in paper.names:
                self._by_name.setdefault(name, paper.paper_id)
                scheme, _, value = name.partition(":")
                if scheme == "arxiv":
                    self._arxiv_ids.setdefault(paper.paper_id, value)
        self._by_key: dict[str, dict[int, None]] = defaultdict(dict)
        self._by_part: dict[str, dict[int, None]] = defaultdict(dict)
        for number, paper in enumerate(papers):
            for title in paper.titles:
                self._by_key[title_key(title)][number] = None
                for part in (part for parts in parts_of_title(title) for part in parts):
                    self._by_part[title_key(part)][number] = None

    def resolve(self, reference: Reference) -> Resolution | None:
        """Find the paper that a reference means; None if it is not in the corpus."""
        for scheme, value in identifiers_of(reference):
            if paper_id := self._by_name.get(f"{scheme}:{value}"):
                return Resolution(paper_id, _RESOLVER_OF[scheme], 1.0)
        return self.by_title(reference)

    def by_title(self, reference: Reference) -> Resolution | None:
        """Find the paper that has the title of the reference, or a part of it."""
        key = title_key(reference.title or "")
        if not key:
            return None
        same = self._by_key.get(key)
        resolution = self._exact(reference, same) if same else self._in_parts(reference, key)
        wanted = dict(identifiers_of(reference)).get("arxiv")
        if (
            resolution is None
            or wanted is None
            or not (own := self._arxiv_ids.get(resolution.paper_id))
        ):
            return resolution
        if wanted == own:
            return resolution
        if resolution.resolver != "title":
            return None
        return resolution._replace(confidence=min(resolution.confidence, _ID_DIFFERS))

    def _exact(self, reference: Reference, papers: Iterable[int]) -> Resolution | None:
        is_long = count_words(reference.title or "") >= _LONG_TITLE_WORDS
        return self._best(
            "title",
            (
                (number, confidence)
                for number in papers
                if (confidence := _trust(weigh(reference, self._papers[number]), is_long=is_long))
            ),
        )

    def _in_parts(self, reference: Reference, key: str) -> Resolution | None:
        """Find a paper if one title has an extra subtitle, or the reference's has attached text."""
        title = reference.title or ""
        cut = [(number, key) for number in self._by_part.get(key, ())]
        cut += self._titled(parts_of_title(title)[0])
        whole = self._titled(titles_inside(title))
        supported = {}
        for number, shared, is_whole in (*((*c, False) for c in cut), *((*w, True) for w in whole)):
            evidence = weigh(reference, self._papers[number])
            is_enough = is_whole or evidence.author
            needed = 1 if len(shared) >= _LONG_KEY else 2
            if is_enough and not evidence.contradicts and evidence.supports >= needed:
                supported[number] = _PART * _trust(evidence, is_long=True)
        return self._best("near_title", supported.items())

    def _titled(self, titles: Iterable[str]) -> list[tuple[int, str]]:
        keys = [title_key(title) for title in titles]
        return [(number, key) for key in keys if key for number in self._by_key.get(key, ())]

    def _best(self, resolver: str, candidates: Iterable[tuple[int, float]]) -> Resolution | None:
        """The paper with the highest confidence; None if two papers share it."""
        ranked = sorted(candidates, key=lambda pair: (-pair[1], pair[0]))
        best = ranked[0] if ranked else None
        if best is None or any(n != best[0] and trust == best[1] for n, trust in ranked):
            return None
        return Resolution(self._papers[best[0]].paper_id, resolver, round(best[1], 3))


def identifiers_of(reference: Reference) -> Iterator[tuple[str, str]]:
    """The identifiers of a reference, the surest first."""
    in_doi = ids_in_doi(reference.doi or "")
    if arxiv_id := reference.arxiv_id or in_doi.get("arxiv"):
        yield "arxiv", arxiv_id
    # An Anthology DOI without an Anthology id was cut off at the end of a line.
    if reference.doi and (in_doi or not reference.doi.startswith(ACL_DOIS)):
        yield "doi", reference.doi
    acl_id = in_doi.get("acl")
    if not acl_id:
        addresses = _ANTHOLOGY.finditer(reference.raw[:MAX_RAW])
        # A line break may have split an address.
        anthology_ids = (find_acl_id(_BROKEN.sub("", address[0])) for address in addresses)
        acl_id = next(filter(None, anthology_ids), None)
    if acl_id:
        yield "acl", acl_id
    if reference.given_id:
        yield "given", reference.given_id


def _trust(evidence: Evidence, *, is_long: bool) -> float:
    """Confidence in an equal title; 0 if the evidence is insufficient."""
    if evidence.author is False:
        return 0.0
    if evidence.year is False:
        return _MISDATED[evidence.author] if is_long else 0.0
    if not is_long and not evidence.year:
        return 0.0
    return _BY_TITLE[evidence.author, evidence.year]
