"""Synthetic papers as unarXive records: JSON Lines, reference lists of printed entries.

Works are numbered: those below `Plan.papers` (and the ones added later) are papers of the set, in
the order of their dates; the numbers behind them are works outside it. What an entry prints is a
function of the work's number, so a list needs no memory of the papers it cites.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.scale.draws import (
    VOCABULARY,
    Draws,
    Numbers,
    name_of,
    skewed,
    spell,
    venues,
    word_ranks,
    words,
)

Record = dict[str, Any]

PAPERS_PER_FILE = 20_000
_AT_A_TIME = 500
_MONTHS, _FIRST_YEAR = 204, 2008
_EXTERNAL_YEARS = (1985, 2024)
_AUTHORS = 6
_TITLE_WORDS, _MAX_TITLE_WORDS = 6, 11
_TITLE_EVENNESS = 0.55
"""Titles hold fewer of the frequent words than running text does."""
_ABSTRACT_WORDS = 160
_PARAGRAPH_BYTES = 1_200
_TABLE_EVERY = 5
_ID_EVERY = 5
"""One work in so many shows its arXiv id or DOI where it is cited."""
_OPENINGS = ("a", "on the", "towards", "learning", "a survey of", "the", "an", "efficient")
_OPENED = 0.3
_CATEGORIES = (
    "cs.LG cs.CV cs.CL hep-ph quant-ph cs.AI cond-mat.mtrl-sci astro-ph.GA math.AP stat.ML "
    "hep-th cs.IT math.CO gr-qc cond-mat.str-el cs.RO math.NT astro-ph.HE cs.CR math.PR "
    "eess.SP physics.optics math.AG cs.DS q-bio.NC math.OC cs.SE cs.NI nucl-th econ.EM"
).split()
_HEADINGS = (
    "Introduction",
    "Related Work",
    "Background",
    "Method",
    "Experiments",
    "Results",
    "Discussion",
    "Conclusion",
)
_WEEKDAYS = "Mon Tue Wed Thu Fri Sat Sun".split()
_MONTH_NAMES = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()


@dataclass(frozen=True, slots=True)
class Plan:
    """A set of papers."""

    papers: int
    references: int = 30
    texts: int = 400
    """So many of the newest papers have a body: a round needs some."""
    body_bytes: int = 4_000
    share_inside: float = 1 / 3
    """Of the references, those that mean a paper of the set."""
    seed: int = 0


class Maker:
    """Makes any paper of a plan, and what stands in a reference list for any work."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self._draws = {
            name: Draws(plan.seed, name)
            for name in ("title", "authors", "day", "venue", "cites", "category", "text")
        }

    def records(self, first: int, stop: int) -> Iterator[Record]:
        """The papers numbered from `first` up to `stop`, some in memory at a time."""
        for start in range(first, stop, _AT_A_TIME):
            numbers = np.arange(start, min(start + _AT_A_TIME, stop), dtype=np.int64)
            yield from self._records(numbers)

    def entries(self, works: Numbers) -> list[str]:
        """What a reference list prints for each work."""
        titles, authors = self.titles(works), self.authors(works)
        numbers = self._draws["venue"].shares(works, 4)
        years = self._years(works)
        return [
            _entry(int(work), title, named, int(year), draws, self._identifier(int(work)))
            for work, title, named, year, draws in zip(
                works, titles, authors, years, numbers.tolist(), strict=True
            )
        ]

    def titles(self, works: Numbers) -> list[str]:
        """The title of each work."""
        known = words()
        draws = self._draws["title"].shares(works, _MAX_TITLE_WORDS + 2)
        ranks = word_ranks(draws[:, 2:], _TITLE_EVENNESS).tolist()
        spread = _MAX_TITLE_WORDS - _TITLE_WORDS + 1
        lengths = (_TITLE_WORDS + draws[:, 0] * spread).astype(np.int64).tolist()
        openings = (draws[:, 1] / _OPENED * len(_OPENINGS)).astype(np.int64).tolist()
        titles = []
        for length, opening, picked in zip(lengths, openings, ranks, strict=True):
            text = " ".join([known[rank] for rank in picked[:length]])
            if opening < len(_OPENINGS):
                text = f"{_OPENINGS[opening]} {text}"
            titles.append(text[0].upper() + text[1:])
        return titles

    def authors(self, works: Numbers) -> list[list[int]]:
        """The authors of each work by number, the first one first."""
        draws = self._draws["authors"].shares(works, _AUTHORS + 1)
        counts = (1 + draws[:, 0] ** 1.5 * _AUTHORS).astype(np.int64).tolist()
        drawn = skewed(draws[:, 1:], max(self.plan.papers, 2), 2.0).tolist()
        return [list(dict.fromkeys(row[:count])) for row, count in zip(drawn, counts, strict=True)]

    def month(self, paper: int) -> tuple[int, int]:
        """(year, month) of a paper of the set."""
        passed = paper * _MONTHS // self.plan.papers
        return _FIRST_YEAR + passed // 12, passed % 12 + 1

    def paper_id(self, paper: int) -> str:
        """A paper's id, which like an arXiv id starts with its month."""
        year, month = self.month(paper)
        passed = paper * _MONTHS // self.plan.papers
        first = -(-passed * self.plan.papers // _MONTHS)
        return f"{year % 100:02d}{month:02d}.{paper - first + 1:05d}"

    def cited(self, papers: Numbers) -> list[list[int]]:
        """The works that each paper cites, in the order of its list."""
        count, size = self.plan.references, self.plan.papers
        draws = self._draws["cites"].shares(papers, 2 * count)
        kind, which = draws[:, :count], draws[:, count:]
        # A paper cites earlier ones, and at times one of its own days.
        # Those added later cite earlier ones only, for nobody knows how many there will be.
        reach = np.where(papers < size, np.minimum(papers + size // 100 + 1, size), papers)
        inside = (np.sqrt(which) * reach[:, None]).astype(np.int64)
        # Twenty entries a paper into ten works a paper: eight of these are ever met.
        outside = self.outside + skewed(which, 10 * size, 1.5)
        drawn = np.where(kind < self.plan.share_inside, inside, outside)
        return [
            [work for work in dict.fromkeys(row) if work != paper]
            for paper, row in zip(papers.tolist(), drawn.tolist(), strict=True)
        ]

    @property
    def outside(self) -> int:
        """The number of the first work outside the set; papers that are added come before it."""
        return 2 * self.plan.papers

    def _years(self, works: Numbers) -> Numbers:
        first, last = _EXTERNAL_YEARS
        drawn = first + self._draws["day"].below(last - first + 1, works, 1)[:, 0]
        inside = _FIRST_YEAR + works * _MONTHS // self.plan.papers // 12
        return np.where(works < self.outside, inside, drawn)

    def _identifier(self, work: int) -> str:
        if work % _ID_EVERY:
            return ""
        if work < self.outside:
            return f", arXiv:{self.paper_id(work)}"
        return f", doi:10.1234/{work:x}"

    def _records(self, papers: Numbers) -> Iterator[Record]:
        cited = self.cited(papers)
        works = np.fromiter(dict.fromkeys(work for row in cited for work in row), np.int64)
        printed = dict(zip(works.tolist(), self.entries(works), strict=True))
        titles, authors = self.titles(papers), self.authors(papers)
        abstracts = self._running_text(papers, _ABSTRACT_WORDS)
        days = self._draws["day"].below(28, papers, 1)[:, 0].tolist()
        topics = self._draws["category"].shares(papers, 3)
        categories = skewed(topics[:, :2], len(_CATEGORIES), 2.0).tolist()
        for place, paper in enumerate(papers.tolist()):
            number = self.paper_id(paper)
            keys = [f"b{work:x}" for work in cited[place]]
            record: Record = {
                "paper_id": number,
                "_source_name": f"{number}.gz",
                "metadata": {
                    "id": number,
                    "title": titles[place],
                    "authors_parsed": [[*reversed(name_of(a)), ""] for a in authors[place]],
                    "abstract": abstracts[place],
                    "categories": " ".join(
                        dict.fromkeys(_CATEGORIES[topic] for topic in categories[place])
                    ),
                    "versions": [{"version": "v1", "created": self._created(paper, days[place])}],
                },
                "body_text": self._body(paper, keys),
                "bib_entries": {
                    key: {"bib_entry_raw": printed[work]}
                    for key, work in zip(keys, cited[place], strict=True)
                },
                "ref_entries": _table(paper, keys),
            }
            yield record

    def _created(self, paper: int, day: int) -> str:
        year, month = self.month(paper)
        weekday = _WEEKDAYS[date(year, month, day + 1).weekday()]
        return f"{weekday}, {day + 1} {_MONTH_NAMES[month - 1]} {year} 12:00:00 GMT"

    def _running_text(self, records: Numbers, count: int) -> list[str]:
        known = words()
        ranks = word_ranks(self._draws["text"].shares(records, count)).tolist()
        return [_sentences([known[rank] for rank in row]) for row in ranks]

    def _body(self, paper: int, keys: Sequence[str]) -> list[Record]:
        if paper < self.plan.papers - self.plan.texts:
            return []
        size = max(self.plan.body_bytes // (len(_HEADINGS) * _PARAGRAPH_BYTES), 1)
        share = self.plan.body_bytes // (len(_HEADINGS) * size)
        count = max(round(share / _BYTES_PER_WORD), 1)
        # Texts of records behind those of abstracts, so that no abstract stands in a body.
        first = (1 << 40) + paper * len(_HEADINGS) * size
        texts = self._running_text(
            np.arange(first, first + len(_HEADINGS) * size, dtype=np.int64), count
        )
        return [
            {
                "section": _HEADINGS[place // size],
                "sec_number": str(place // size + 1),
                "sec_type": "section",
                "content_type": "paragraph",
                "text": f"{text} {_mark(keys, place)}".rstrip(),
            }
            for place, text in enumerate(texts)
        ]


def write_papers(plan: Plan, folder: Path, first: int = 0, stop: int | None = None) -> int:
    """Write papers into files of JSON Lines below a folder; return the bytes written.

    What stands there from the same plan is kept.
    """
    stop = plan.papers if stop is None else stop
    wanted = {**asdict(plan), "first": first, "stop": stop}
    note = folder / "plan.json"
    if note.exists() and (found := json.loads(note.read_text("utf-8")))["plan"] == wanted:
        return int(found["bytes"])
    folder.mkdir(parents=True, exist_ok=True)
    maker, written = Maker(plan), 0
    for start in range(first, stop, PAPERS_PER_FILE):
        path = folder / f"papers-{start // PAPERS_PER_FILE:05d}.jsonl"
        with path.open("w", encoding="utf-8") as stream:
            for record in maker.records(start, min(start + PAPERS_PER_FILE, stop)):
                written += stream.write(json.dumps(record, separators=(",", ":")) + "\n")
    note.write_text(json.dumps({"plan": wanted, "bytes": written}) + "\n", "utf-8")
    return written


def _entry(
    work: int,
    title: str,
    authors: Sequence[int],
    year: int,
    draws: Sequence[float],
    identifier: str,
) -> str:
    """One printed entry in one of three styles."""
    names = [name_of(author) for author in authors[:3]]
    first = [f"{forename[0]}. {surname}" for forename, surname in names]
    venue = venues()[int(draws[0] * len(venues()))]
    volume, page = int(draws[1] * 90) + 1, int(draws[2] * 900) + 1
    style = int(draws[3] * 3)
    if style == 0:
        return f"{', '.join(first)}, {title}, {venue} {volume}, {page} ({year}){identifier}."
    if style == 1:
        listed = " and ".join(first)
        return f"{listed}. {title}. In {venue}, pages {page}-{page + 9}, {year}{identifier}."
    last = ", ".join(f"{surname}, {forename[0]}." for forename, surname in names)
    return f"{last}: {title}. {venue} {volume}({page % 12 + 1}), {page} ({year}){identifier}."


def _table(paper: int, keys: Sequence[str]) -> Record:
    """One paper in five has a table whose caption cites three works."""
    if paper % _TABLE_EVERY or len(keys) < 3:
        return {}
    cited = " ".join(_mark(keys, place) for place in range(3))
    return {"t1": {"type": "table", "caption": f"Results beside those of {cited}."}}


def _mark(keys: Sequence[str], place: int) -> str:
    return f"{{{{cite:{keys[place % len(keys)]}}}}}" if keys else ""


def _sentences(picked: list[str]) -> str:
    """Words as running text: a full stop after every twentieth, commas between."""
    picked[9::20] = [f"{word}," for word in picked[9::20]]
    picked[19::20] = [f"{word}." for word in picked[19::20]]
    picked[::20] = [word.capitalize() for word in picked[::20]]
    return " ".join(picked) + ("" if picked[-1].endswith(".") else ".")


_BYTES_PER_WORD = (
    sum(
        len(spell(int(rank))) + 1
        for rank in np.exp(np.linspace(0, np.log(VOCABULARY), 501)[:-1]).astype(np.int64) - 1
    )
    / 500
)
