"""Pools of tables: their works, and distractors, which are similar works that do not belong.

A work d is scored against the demand p and the works R of the table:

    s(d) = cos(F(d), F(p)) + 1 / |R| * sum over r in R of cos(F(d), F(r))

The order of a pool is random.

Source: arXiv2Table §4.2. Its text averages the two parts and its equation adds them, which gives
    the same ranks; its code uses only the caption.
"""

import hashlib
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import fuzz, process
from scipy.sparse import csr_array

from vivavoce.corpus import Corpus
from vivavoce.records import Paper
from vivavoce.retrieval.papers import PaperEncoder, Vectors
from vivavoce.store import Row
from vivavoce.tasks.library import library_rows
from vivavoce.tasks.tables.item import TOP, GoldTable, PoolRule, Work
from vivavoce.text.cell_text import plain_words
from vivavoce.text.normalise import normalise_title

Floats = NDArray[np.float64]

DIGITS = 6
"""Decimals of a score; further ones differ between machines."""
_SAME_LETTERS = 85.0
_MAX_TITLE = 500
_CELLS = 4_000_000  # scores, or weights of queries, in memory at once: 32 MB


@dataclass(frozen=True, slots=True)
class Candidate:
    """A work that may become a distractor."""

    paper: str
    score: float
    """Score from 0 to 2 by TF-IDF, from -2 by other encoders; `DIGITS` decimals."""


def find_universe(
    rule: PoolRule, tables: Iterable[GoldTable], works: Mapping[str, Work]
) -> list[str]:
    """Ids of works with a title, from other tables or from all papers of the corpus, sorted."""
    if rule == "corpus":
        ids = {paper for paper in works if not paper.startswith(_OUTSIDE)}
    else:
        ids = {paper for table in tables for paper in table.papers if paper in works}
    return sorted(paper for paper in ids if _title_key(works[paper].title))


class Titles:
    """Set of titles for finding similar ones.

    Titles are similar if 85% of their letters agree, or if one is the other without the part after
    a colon. This finds short forms, titles of preprints and misspellings; it also bars works whose
    titles differ by one word, which costs little.
    """

    def __init__(self, titles: Iterable[str] = ()) -> None:
        self._keys: list[str] = []
        self._mains: set[str] = set()
        for title in titles:
            self.add(title)

    def add(self, title: str) -> None:
        """Add a title; one without letters is similar to none."""
        if key := _title_key(title):
            self._keys.append(key)
            self._mains.update((key, _main_title(title)))

    def has_near(self, title: str) -> bool:
        """True if one of the titles is similar to this one."""
        key = _title_key(title)
        if not key:
            return False
        if key in self._mains or _main_title(title) in self._keys:
            return True
        near = process.extractOne(key, self._keys, scorer=fuzz.ratio, score_cutoff=_SAME_LETTERS)
        return near is not None


def _title_key(title: str) -> str:
    """Key for comparing titles; empty without letters and digits."""
    return normalise_title(title[:_MAX_TITLE])


def _main_title(title: str) -> str:
    """A title up to its first colon."""
    before, _, after = title[:_MAX_TITLE].partition(":")
    return _title_key(before) if _title_key(after) else _title_key(title)


def rank_distractors(
    tables: Sequence[GoldTable],
    demands: Mapping[str, str],
    works: Mapping[str, Work],
    universe: Collection[str],
    encoder: PaperEncoder,
    related_works: Mapping[str, Collection[str]],
    *,
    enough: Callable[[GoldTable], int],
    top: int = TOP,
) -> dict[str, tuple[Candidate, ...]]:
    """Rank the candidates of each table, by table id; ties by paper.

    No candidate has a title similar to another candidate's, or to that of a related work, which may
    also be known by another id. Candidates have the same depth of text as a work of the table if
    possible, so that the depth does not show which papers belong. The order of tables, works and
    universe does not matter. Scores are computed for a block of tables at a time; only one vector
    per work stays in memory.

    If there are fewer than `enough` candidates, those with another depth of text are used too;
    works in `related_works` are never candidates.
    """
    ordered = sorted(tables, key=lambda table: table.id)
    ids = sorted({*universe, *(paper for table in ordered for paper in table.papers)})
    places = {paper: place for place, paper in enumerate(ids)}
    named = [works[paper] for paper in ids]
    evidence = np.array([work.evidence for work in named])
    vectors = encoder.encode(
        [(work.title, work.abstract) for work in named], [demands[table.id] for table in ordered]
    )
    outside = ~np.isin(ids, list(universe))
    own = [[places[paper] for paper in table.papers] for table in ordered]
    ranked: dict[str, tuple[Candidate, ...]] = {}
    for table, of_table, scores in zip(ordered, own, _scores(own, *vectors), strict=True):
        related = related_works[table.id]
        titles = Titles(sorted({works[paper].title for paper in related if paper in works}))
        shut = outside.copy()
        shut[[places[paper] for paper in related if paper in places]] = True
        other = shut | ~np.isin(evidence, evidence[of_table])
        best = _best(np.where(other, -np.inf, scores), named, titles, top)
        wanting = min(top, enough(table)) - len(best)
        best += _best(np.where(shut | ~other, -np.inf, scores), named, titles, wanting)
        best.sort(key=lambda one: (-one.score, one.paper))
        ranked[table.id] = tuple(best)
    return ranked


def _best(scores: Floats, works: Sequence[Work], titles: Titles, top: int) -> list[Candidate]:
    """The best works, best first, without similar titles.

    Adds their titles to `titles`.
    """
    best: list[Candidate] = []
    for place in np.argsort(-scores, kind="stable"):
        if len(best) >= top or np.isneginf(scores[place]):
            break
        work = works[place]
        if not titles.has_near(work.title):
            titles.add(work.title)
            best.append(Candidate(work.paper_id, float(scores[place])))
    return best


def _scores(own: Sequence[Sequence[int]], works: Vectors, demands: Vectors) -> Iterator[Floats]:
    """Rounded scores of all works for each table; `own` has the indices of its works.

    Cosines are linear, so the score is the product of a work's vector with the sum of the demand's
    vector and the mean vector of the references.
    """
    block = max(1, _CELLS // max(1, *works.shape))
    for start in range(0, len(own), block):
        queries = [
            _dense(demands[np.array([start + number])])[0]
            + _dense(works[np.array(of_table)]).mean(axis=0)
            for number, of_table in enumerate(own[start : start + block])
        ]
        products = np.asarray(works @ np.stack(queries).T.astype(works.dtype), dtype=np.float64)
        for column in products.T:
            # Adding 0 turns negative zeros into zeros, which print differently.
            yield np.round(column, DIGITS) + 0.0


def _dense(rows: Any) -> Floats:
    return np.asarray(rows.toarray() if isinstance(rows, csr_array) else rows, dtype=np.float64)


MIN_DISTRACTORS = 4
GOLD_SHARE = 0.41
"""Share of the table's works in a pool."""


@dataclass(frozen=True, slots=True)
class Pool:
    """The pool of an item."""

    papers: tuple[Work, ...]
    """Shuffled."""
    distractors: int
    missing: int
    """Number of distractors missing for lack of candidates."""
    given_labels: bool
    """True if the distractors came with the table."""


def count_distractors(table: GoldTable, most: int = TOP) -> int:
    """Number of distractors for a table: at least 4, at most `most`.

    41% of a pool then belong to the table, as in the paper's pools. The paper draws a number
    between m (the number of works) and 10, which is impossible for more than 10 works and
    contradicts its own minimum of 4.
    """
    wanted = round(len(table.papers) * (1 - GOLD_SHARE) / GOLD_SHARE)
    return min(most, TOP, max(MIN_DISTRACTORS, wanted))


def make_pool(
    table: GoldTable,
    candidates: Sequence[Candidate],
    works: Mapping[str, Work],
    *,
    seed: int,
    most: int = TOP,
    given: Collection[str] | None = None,
) -> Pool:
    """Make the pool of a table: its works, and candidates drawn with a seed.

    The number of candidates is `count_distractors`, or less if there are fewer. Works in `given`
    came with the table labelled as not in it; exactly these are used, except those with a row.
    """
    gold = set(table.papers)
    if given is None:
        wanted = count_distractors(table, most)
        count = min(wanted, len(candidates))
        drawn = Random(f"tables/distractors/{seed}/{table.id}").sample(candidates, count)
        chosen = {one.paper for one in drawn}
        missing = wanted - len(chosen)
    else:
        chosen, missing = set(given) - gold, 0
    # Sorted first, so the order depends only on the works and the seed.
    order = sorted(gold | chosen)
    Random(f"tables/pool/{seed}/{table.id}").shuffle(order)
    papers = tuple(works[paper] for paper in order)
    return Pool(papers, len(chosen), missing, given is not None)


def pool_statistics(rows: Sequence[Row], pools: Mapping[str, Pool]) -> Row:
    """Statistics of the pools of a round's items; `pools` is by table id.

    `told_by_evidence` counts the items with a distractor about which less or more is known than
    about any work of the table.
    """
    evident = 0
    for row in rows:
        gold = set(row["gold_papers"])
        known = list(zip(row["pool"], row["evidence"], strict=True))
        alike = {evidence for paper, evidence in known if paper in gold}
        evident += any(paper not in gold and evidence not in alike for paper, evidence in known)
    shown = [pools[row["id"]] for row in rows]
    return {
        "missing_distractors": sum(pool.missing for pool in shown),
        "without_distractors": sum(not pool.distractors for pool in shown),
        "told_by_evidence": evident,
    }


_OUTSIDE = "work:"
_HASH = 16
_NO_TITLE = re.compile(
    r"(?:doi|arxiv|url|https?|www)\s?[:./]|url\s+http|arxiv preprint\b"
    r"|in\s+(?:the\s+)?(?:[\w-]{1,20}\s){0,6}(?:proceedings|proc|conference|workshop)\b",
    re.IGNORECASE,
)
"""Beginnings of addresses and venues that references have instead of a title."""
REFERENCE_PREFIX = "CorpusId:"
"""Prefix of the number by which a reference identifies its work."""


def work_id(title: str, raw: str) -> str:
    """Id of a work outside of the corpus, from its title or its citation."""
    key = normalise_title(title) or " ".join(raw.split())
    return f"{_OUTSIDE}{hashlib.sha256(key.encode()).hexdigest()[:_HASH]}"


def work_of_paper(paper: Paper, texts: Collection[str]) -> Work:
    """Work of a paper; `texts` has the ids of papers with a text."""
    return Work(
        paper_id=paper.paper_id,
        title=plain_words(paper.title or ""),
        abstract=paper.abstract or None,
        published=paper.first_public,
        has_text=paper.paper_id in texts,
    )


def work_of_reference(row: Row, numbered: Mapping[str, Work] | None = None) -> Work:
    """Work of a reference: a paper of the corpus if it is resolved, or known by its number."""
    raw = row["raw"] or ""
    if raw.startswith(REFERENCE_PREFIX) and (
        known := (numbered or {}).get(raw.removeprefix(REFERENCE_PREFIX))
    ):
        return known
    title, year = plain_words(row["title"] or ""), row["year"]
    if _NO_TITLE.match(title) or not normalise_title(title):
        title = ""  # an address, a venue or no word
    return Work(
        paper_id=row["cited_paper_id"] or work_id(title, raw),
        title=title,
        abstract=None,
        published=f"{year:04}" if year is not None and 1000 <= year <= 9999 else None,
        has_text=False,
    )


def merge_works(
    works: Iterable[Work], papers: Mapping[str, Paper], texts: Collection[str]
) -> dict[str, Work]:
    """Works by id, sorted; papers of the corpus take precedence over references."""
    merged: dict[str, Work] = {}
    for work in works:
        name = work.paper_id
        if name not in merged:
            merged[name] = work_of_paper(papers[name], texts) if name in papers else work
        known = merged[name]
        merged[name] = replace(
            known, title=known.title or work.title, published=known.published or work.published
        )
    return {name: merged[name] for name in sorted(merged)}


def papers_with_text(corpus: Corpus) -> frozenset[str]:
    """Ids of the papers with a text."""
    return frozenset(str(row["paper_id"]) for row in corpus.rows("sections"))


def corpus_works(corpus: Corpus) -> dict[str, Work]:
    """All papers of a corpus with a title, by id."""
    texts = papers_with_text(corpus)
    works = (work_of_paper(paper, texts) for paper in corpus.papers)
    return {work.paper_id: work for work in works if work.title}


def works_library(corpus: Corpus, works: Iterable[Work]) -> list[Row]:
    """Rows of `tasks.library.LIBRARY` for works, sorted by id.

    Works outside of the corpus have a title and, if known, a year and an abstract.
    """
    known = {work.paper_id: work for work in works}
    rows = {row["paper_id"]: row for row in library_rows(corpus, known)}
    for name, work in known.items():
        row = rows.setdefault(
            name, {"paper_id": name, "abstract": work.abstract, "sections": [], "tables": []}
        )
        row["title"], row["published"] = work.title, work.published
    return [rows[name] for name in sorted(rows)]
