"""Distractors: works that resemble what a table is about and are not in it.

A work d is scored against the demand p and the works R of the table:

    s(d) = cos(F(d), F(p)) + 1 / |R| * sum over r in R of cos(F(d), F(r))

Source: arXiv2Table §4.2. Its text speaks of the average of the two parts and its equation of their
sum, which rank alike; its code compares with the caption alone.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from pydantic import AfterValidator, Field
from rapidfuzz import fuzz, process

from vivavoce.errors import InputError
from vivavoce.retrieval import best_hits
from vivavoce.tasks.tables.items.cited_works import is_outside
from vivavoce.tasks.tables.items.pool_vectors import Floats, PaperEncoder, Vectors
from vivavoce.tasks.tables.items.table_items import TOP, GoldTable, PoolRule, Work
from vivavoce.text.normalise import normalise_title

POOL_RULES: tuple[PoolRule, ...] = ("other_tables", "corpus")
"""Where distractors come from: works of other tables, or every paper of the corpus."""
DIGITS = 6
"""Decimals of a score. Those behind them differ between machines."""
_MAX = 2 + 10**-DIGITS
"""A score is the sum of two cosines; a little room for rounding."""
_SAME_LETTERS = 85.0
_MAX_TITLE = 500
_CELLS = 4_000_000  # scores, or weights of queries, held at once: 32 MB


Score = Annotated[
    float,
    Field(strict=True, allow_inf_nan=False, ge=-_MAX, le=_MAX),
    AfterValidator(lambda score: round(score, DIGITS)),
]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A work that may become a distractor."""

    paper: str
    score: Score
    """From 0 to 2 by TF-IDF, from -2 by other encoders; `DIGITS` decimals."""


def find_universe(
    rule: PoolRule, tables: Iterable[GoldTable], works: Mapping[str, Work]
) -> list[str]:
    """The works that distractors are taken from, sorted by id; those without a title never are.

    Args:
        rule: One of `POOL_RULES`; `InputError` for another.
        tables: All tables of the round.
        works: What is known of every work, by id; for `corpus`, of its papers too: `corpus_works`.
    """
    if rule not in POOL_RULES:
        raise InputError(f"pool_rule is {rule!r}. It is one of: {', '.join(POOL_RULES)}.")
    if rule == "corpus":
        ids = {paper for paper in works if not is_outside(paper)}
    else:
        ids = {paper for table in tables for paper in table.papers if paper in works}
    return sorted(paper for paper in ids if title_key(works[paper].title))


class Barred:
    """Works that must not be distractors of a table, with reasons.

    Args:
        tables: All gold tables, also those whose distractors are not asked for.
        works: What is known of every work, by id.
        kin: By table id further works that are none of its distractors: `GoldTables.kin`.
    """

    def __init__(
        self,
        tables: Iterable[GoldTable],
        works: Mapping[str, Work],
        kin: Mapping[str, Collection[str]] | None = None,
    ) -> None:
        self._works = works
        self._kin = kin or {}
        self._of_source: dict[str, set[str]] = {}
        for table in tables:
            if table.source_paper is not None:
                self._of_source.setdefault(table.source_paper, set()).update(table.papers)

    def of(self, table: GoldTable) -> Bars:
        """Barred works of one table."""
        ids = {*table.papers, *self._kin.get(table.id, ())}
        if table.source_paper is not None:
            ids |= {table.source_paper, *self._of_source.get(table.source_paper, ())}
        titles = {self._works[paper].title for paper in ids if paper in self._works}
        return Bars(table, frozenset(ids), Near(sorted(titles)))


@dataclass(frozen=True, slots=True)
class Bars:
    """The works that must not be distractors of one table."""

    table: GoldTable
    ids: frozenset[str]
    """The works of the table, its source paper, and the works of that paper's other tables."""
    near: Near
    """Their titles: the same work may be known by another id as well."""

    def reason(self, work: Work) -> str | None:
        """The reason why a work cannot be a distractor; None where it can."""
        if work.paper_id in self.table.papers:
            return "is a work of the table"
        if work.paper_id == self.table.source_paper:
            return "is the paper that the table is from"
        if work.paper_id in self.ids:
            return "is from the same source as the table"
        if self.near.has(work.title):
            return "has nearly the title of a work from the same source as the table"
        return None


class Near:
    """Titles, to which others are compared.

    Two nearly agree when 85% of their letters do, or when one is the other without what follows a
    colon. So a short form, a preprint's title and a misspelling are found; that a work with a title
    only one word away is barred as well costs nothing where there are others.
    """

    def __init__(self, titles: Iterable[str] = ()) -> None:
        self._keys: list[str] = []
        self._mains: set[str] = set()
        for title in titles:
            self.add(title)

    def add(self, title: str) -> None:
        """Compare with this title as well; one without letters is like no other."""
        key = title_key(title)
        if key:
            self._keys.append(key)
            self._mains.update((key, _main(title)))

    def has(self, title: str) -> bool:
        """Check whether one of the titles nearly agrees with this one."""
        key = title_key(title)
        if not key:
            return False
        if key in self._mains or _main(title) in self._keys:
            return True
        near = process.extractOne(key, self._keys, scorer=fuzz.ratio, score_cutoff=_SAME_LETTERS)
        return near is not None


def rank_distractors(
    tables: Sequence[GoldTable],
    demands: Mapping[str, str],
    works: Mapping[str, Work],
    universe: Collection[str],
    encoder: PaperEncoder,
    *,
    barred: Barred | None = None,
    top: int = TOP,
    enough: Callable[[GoldTable], int] | None = None,
) -> dict[str, tuple[Candidate, ...]]:
    """The best candidates of each table, by its id; equal scores by paper.

    Among the candidates of a table no two have nearly the same title. The order of tables, works
    and universe does not matter. Scores are held for a block of tables at a time; what stays in
    memory is one vector a work.

    Args:
        tables: Whose candidates are sought.
        demands: By table id.
        works: The universe and the works of the tables; others are not looked at.
        universe: Where the candidates come from: `find_universe`.
        encoder: What the texts are compared by: `open_encoder`.
        barred: Which works cannot be candidates; by default what the tables given say.
        top: How many are kept, at most.
        enough: Where given, candidates have the same depth of text as a work of the table, so that
            the depth does not show which papers belong. Others are taken where these are fewer than
            so many.

    Raises:
        InputError: A table has no demand, or a work of a table or of the universe is unknown.
    """
    barred = barred or Barred(tables, works)
    ordered = sorted(tables, key=lambda table: table.id)
    _check_known(ordered, demands, works, universe)
    ids = sorted({*universe, *(paper for table in ordered for paper in table.papers)})
    places = {paper: place for place, paper in enumerate(ids)}
    named = [works[paper] for paper in ids]
    evidence = np.array([work.evidence for work in named])
    vectors = encoder.encode(named, [demands[table.id] for table in ordered])
    outside = np.ones(len(ids), dtype=np.bool_)
    outside[[places[paper] for paper in universe]] = False
    found: dict[str, tuple[Candidate, ...]] = {}
    for table, scores in zip(ordered, _scores(ordered, places, vectors), strict=True):
        bars = barred.of(table)
        shut = outside.copy()
        shut[[places[paper] for paper in bars.ids if paper in places]] = True
        if enough is None:
            best = _best(np.where(shut, -np.inf, scores), named, bars.near, top)
        else:
            alike = np.isin(evidence, evidence[[places[paper] for paper in table.papers]])
            best = _best(np.where(shut | ~alike, -np.inf, scores), named, bars.near, top)
            wanting = min(top, enough(table)) - len(best)
            best += _best(np.where(shut | alike, -np.inf, scores), named, bars.near, wanting)
            best.sort(key=lambda one: (-one.score, one.paper))
        found[table.id] = tuple(best)
    return found


def title_key(title: str) -> str:
    """Form in which two titles are compared; empty for one without letters and digits."""
    return normalise_title(title[:_MAX_TITLE])


def _main(title: str) -> str:
    """A title without what follows its first colon."""
    before, _, after = title[:_MAX_TITLE].partition(":")
    return title_key(before) if title_key(after) else title_key(title)


def _best(scores: Floats, works: Sequence[Work], near: Near, top: int) -> list[Candidate]:
    """The best works, the best first, of which no two have nearly the same title.

    Their titles join those that are compared.
    """
    best: list[Candidate] = []
    for place, score in _descending(scores):
        if len(best) >= top:
            break
        if not near.has(works[place].title):
            near.add(works[place].title)
            best.append(Candidate(works[place].paper_id, score))
    return best


def _scores(
    tables: Sequence[GoldTable], places: Mapping[str, int], vectors: Vectors
) -> Iterator[Floats]:
    """For each table the score of every work, rounded.

    Cosines are linear in either side, so one product of a work with the sum of the demand's vector
    and the mean of the references' is the score.
    """
    width = max(vectors.works.shape)
    block = max(1, _CELLS // max(1, width))
    for start in range(0, len(tables), block):
        queries = [
            vectors.of_demand(start + number)
            + vectors.of_works([places[paper] for paper in table.papers]).mean(axis=0)
            for number, table in enumerate(tables[start : start + block])
        ]
        products = vectors.products(np.stack(queries))
        for column in range(products.shape[1]):
            # Adding 0 turns a negative zero into zero, which is written otherwise.
            yield np.round(products[:, column], DIGITS) + 0.0


def _descending(scores: Floats) -> Iterator[tuple[int, float]]:
    """Places and scores, the best first, equal ones by place; few are sorted if few are taken."""
    open_places = int(np.isfinite(scores).sum())
    done, taken = 0, 64
    while done < open_places:
        hits = best_hits(scores, min(taken, open_places))
        for hit in hits[done:]:
            yield hit.index, hit.score
        done, taken = len(hits), taken * 8


def _check_known(
    tables: Sequence[GoldTable],
    demands: Mapping[str, str],
    works: Mapping[str, Work],
    universe: Collection[str],
) -> None:
    for table in tables:
        if table.id not in demands:
            raise InputError(f"The table {table.id} has no demand. Give one for every table.")
        for paper in table.papers:
            if paper not in works:
                raise InputError(f"The work {paper} of the table {table.id} is not known.")
        if not table.papers:
            raise InputError(f"The table {table.id} has no works, so nothing can be near to them.")
    for paper in universe:
        if paper not in works:
            raise InputError(f"The work {paper} of the universe is not known.")
