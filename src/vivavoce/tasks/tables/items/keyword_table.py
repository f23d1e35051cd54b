"""The whole table: papers near the demand, columns that most can fill, cells by patterns.

Columns `dataset – metric` hold results that papers report in tables and sentences. Boards are the
datasets that several papers name with the metrics that they are named with. A paper's own score on
a board is that of the method it proposes, else the most likely one, as read by `table_reader`.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import product

import numpy as np
from numpy.typing import NDArray

from vivavoce.metrics.leaderboards import method_key
from vivavoce.metrics.tables.cell_matching import cell_key, read_number
from vivavoce.metrics.tables.literature_tables import LiteratureTable, TableRow
from vivavoce.metrics.tables.table_schema import column_key
from vivavoce.readers.claims import own_method
from vivavoce.readers.leaderboard import read_tables
from vivavoce.readers.metric_values import direction_of
from vivavoce.readers.paper_tables import LibraryPaper, LibrarySection, LibraryTable, sources_of
from vivavoce.readers.terms import stands_for, terms_in
from vivavoce.retrieval.sparse import TfidfRetriever, words
from vivavoce.tasks.tables.items.demand_leaks import is_telling, stem_of
from vivavoce.tasks.tables.items.keyword_papers import (
    FACETS,
    PoolText,
    datasets_in,
    find_topics,
    terms_of,
)
from vivavoce.text.data import read_data
from vivavoce.text.terms import STOP_WORDS

JOINT = " – "
_MAX_DATASETS = 40
"""Names of datasets that are looked for in all papers."""
_MAX_BOARDS = 12
"""Boards of which the papers' scores are looked for."""
_SURE, _NEARLY = 0.2, 0.9
"""Confidence of the reader of tables: the least that counts, and what is as good as the best."""
_PARAGRAPH = re.compile(r"\n[^\S\n]*\n")
_TABLE = re.compile(r"\s{0,9}(?:table|tab\.)\s?\w{1,5}", re.IGNORECASE)
_BAR = " | "
_SENTENCE = re.compile(r"(?<=[.!?])\s(?=[A-Z])|\n")
_MAX_SENTENCE = 600
_NUMBER = re.compile(r"(?<![\w.,-])\d{1,3}\.\d{1,3}(?![\w,]|\.\d)")
_TEST = re.compile(r"\btest(?:ing)?\b", re.IGNORECASE)
_VALIDATION = re.compile(r"\b(?:val(?:id(?:ation)?)?|dev(?:el(?:opment)?)?)\b", re.IGNORECASE)

Board = tuple[str, str]
"""Dataset and metric."""


class Datasets:
    """The datasets that at least two of some papers name, each under its most usual name."""

    def __init__(self, papers: Sequence[PoolText]) -> None:
        forms: dict[str, Counter[str]] = defaultdict(Counter)
        papers_with: Counter[str] = Counter()
        for paper in papers:
            named = [name for name in datasets_in(paper) if not _is_known(name)]
            papers_with.update(dict.fromkeys(map(_key, named), 1))
            for name in named:
                forms[_key(name)][name] += 1
        keys = [key for key, count in papers_with.most_common(_MAX_DATASETS) if count > 1 and key]
        self._names = {key: forms[key].most_common(1)[0][0] for key in keys}
        for place, key in enumerate(keys):
            # The more usual of a name and its abbreviation stands for both.
            same = (other for other in keys[:place] if _are_one(key, other, self._names))
            self._names[key] = self._names[next(same, key)]
        written = {form for key in keys for form in forms[key]}
        ordered = sorted(written, key=lambda name: (-len(name), name))
        body = "|".join(map(re.escape, ordered)) or r"(?!)"
        self._pattern = re.compile(rf"(?<![\w-])(?:{body})(?!\w)")

    def find(self, text: str) -> list[str]:
        """The datasets that a text names."""
        found = (self._names[_key(match.group())] for match in self._pattern.finditer(text))
        return list(dict.fromkeys(found))


def results_of(papers: Sequence[PoolText], most: int) -> dict[Board, dict[str, str]]:
    """The boards on which at least two papers report, and each one's score by its label.

    Those of the most papers come first, `most` in all.
    """
    datasets = Datasets(papers)
    opened = {paper.label: as_library_paper(paper) for paper in papers}
    boards = {label: dict(_boards(paper, datasets)) for label, paper in opened.items()}
    counts = Counter(board for of_paper in boards.values() for board in of_paper)
    shared = sorted(counts.items(), key=lambda one: (-one[1], one[0]))[:_MAX_BOARDS]
    results: dict[Board, dict[str, str]] = {}
    for board, count in shared:
        holders = [label for label in opened if board in boards[label]]
        splits = sum(boards[label][board] for label in holders)
        for name in _by_split(board[1]) if 2 * splits >= count else [board[1]]:
            scores = {label: _own_score(opened[label], (board[0], name)) for label in holders}
            found = {label: score for label, score in scores.items() if score}
            if len(found) > 1:
                results[board[0], name] = found
    ranked = sorted(results, key=lambda board: (-len(results[board]), board))
    return {board: results[board] for board in ranked[:most]}


def as_library_paper(paper: PoolText) -> LibraryPaper:
    """A paper with its tables apart: paragraphs with bars between cells, or called a table."""
    sections: list[LibrarySection] = []
    tables: list[LibraryTable] = []
    for paragraph in _PARAGRAPH.split(paper.text):
        first, *lines = paragraph.strip("\n").split("\n")
        if _BAR in first:
            first, lines = "", [first, *lines]
        if lines and (_TABLE.match(first) or 2 * sum(_BAR in line for line in lines) > len(lines)):
            tables.append(LibraryTable(first, tuple(tuple(line.split(_BAR)) for line in lines)))
        else:
            sections.append(LibrarySection(None, paragraph))
    return LibraryPaper(
        paper.label, paper.title, None, paper.abstract, tuple(sections), tuple(tables)
    )


def _boards(paper: LibraryPaper, datasets: Datasets) -> Iterator[tuple[Board, bool]]:
    """The boards that a paper names, and whether it separates test and validation on them."""
    for source in sources_of(paper):
        heads = " ".join(head for block in source.blocks for head in (*block.heads, *block.columns))
        around = f"{source.caption} {source.near}"
        named = datasets.find(f"{heads} {around}") or datasets.find(source.mentions)
        metrics = _metrics(heads) or _metrics(around) or _metrics(source.mentions)
        for board in product(named, metrics):
            yield board, _is_split(heads)
    for text in (paper.abstract or "", *(section.text for section in paper.sections)):
        for whole in _SENTENCE.split(text):
            sentence = whole[:_MAX_SENTENCE]
            if _NUMBER.search(sentence):
                for board in product(datasets.find(sentence)[:1], _metrics(sentence)[:1]):
                    yield board, _is_split(sentence)


def _metrics(text: str) -> list[str]:
    return list(dict.fromkeys(name for _, _, name in terms_of("metric").find(text)))


def _is_split(text: str) -> bool:
    return bool(_TEST.search(text) and _VALIDATION.search(text))


def _by_split(metric: str) -> list[str]:
    return [f"Test {_inside(metric)}", f"Validation {_inside(metric)}"]


def _inside(metric: str) -> str:
    """A metric as it stands inside a name."""
    return metric.lower() if metric.isalpha() and metric.istitle() else metric


def _own_score(paper: LibraryPaper, board: Board) -> str | None:
    """The best score of the paper's own method; of those that most speaks for where it has none."""
    dataset, metric = board
    found = read_tables([paper], task="", dataset=dataset, metric=metric)
    entries = [entry for entry in found if entry.confidence >= _SURE]
    if not entries:
        return None
    own = method_key(own_method(paper))
    mine = [entry for entry in entries if own and own in method_key(entry.method)]
    best = [entry for entry in entries if entry.confidence >= _NEARLY * entries[0].confidence]
    scores = [entry.score for entry in mine or best]
    higher = direction_of(metric).higher_is_better
    # None is not known, and most measures are better when they are higher.
    return (min if higher is False else max)(scores, key=lambda score: read_number(score) or 0.0)


@cache
def _key(name: str) -> str:
    return "".join(filter(str.isalnum, name)).casefold()


def _is_known(name: str) -> bool:
    """Check whether a name is one of something else, such as a model's."""
    listings = ("metric", "architecture", "base_model", "language")
    return any(terms_of(listing).has(name) for listing in listings)


def _are_one(one: str, other: str, names: Mapping[str, str]) -> bool:
    return _is_short_for(one, names[other]) or _is_short_for(other, names[one])


def _is_short_for(short: str, name: str) -> bool:
    words = terms_in(name)
    return len(words) > 1 and stands_for(short, words)


_SPREAD, _STEPS = 0.7, 30
_LETTERS = 4
_KEPT_SHARE = 3
_MAX_SPREAD = 200
"""Papers of a pool whose likeness to one another is looked at; it takes the square of them."""
_MAX_DEMAND = 2_000
_WORD = re.compile(r"[\w-]+")
_WORDS = read_data(__file__, "keyword_words.toml")
_ASKING = frozenset(_WORDS["asking"])
"""Words of asking for a table, which say nothing of its topic."""

Floats = NDArray[np.float64]


def topic_words(demand: str) -> list[str]:
    """The words of a demand that may say what it is about, as written."""
    found = _WORD.findall(demand[:_MAX_DEMAND])
    return [word for word in found if is_telling(word) and word.casefold() not in _ASKING]


def choose_papers(demand: str, papers: Sequence[PoolText]) -> list[PoolText]:
    """The papers that a demand is about, in the order of the pool; never none of some."""
    scores = nearness(demand, papers)
    order = np.argsort(-scores, kind="stable")[: count_kept(scores)]
    return [papers[place] for place in sorted(map(int, order))]


def nearness(demand: str, papers: Sequence[PoolText]) -> Floats:
    """Nearness of each paper to a demand; only the proportions mean something."""
    texts = [paper.lead for paper in papers]
    found = TfidfRetriever(texts, _features)
    asked = np.asarray(found.scores(" ".join(topic_words(demand))), dtype=np.float64)
    if not 1 < len(papers) <= _MAX_SPREAD:
        return asked
    alike = np.stack([found.scores(text) for text in texts])
    np.fill_diagonal(alike, 0.0)
    sums = np.sqrt(np.maximum(alike.sum(axis=1), 1e-9))
    alike /= np.outer(sums, sums)
    scores = asked
    for _ in range(_STEPS):
        scores = _SPREAD * (alike @ scores) + (1 - _SPREAD) * asked
    return np.round(scores, 9)


def count_kept(scores: Floats) -> int:
    """Number of the best scores, one a paper in any order, before the steepest fall."""
    ordered = np.sort(scores)[::-1] + 1e-6
    size = len(ordered)
    least = max(1, -(-size // _KEPT_SHARE))
    if size <= least:
        return size
    falls = ordered[least - 1 : -1] / ordered[least:]
    # Where nothing falls, nothing tells the papers apart, and all stay.
    return size if falls.max() <= 1.0 else least + int(np.argmax(falls))


def _features(text: str) -> list[str]:
    """Stems and runs of letters; a run begins with a mark that no word has."""
    telling = [stem_of(word) for word in words(text) if word not in STOP_WORDS]
    runs = [
        f"#{framed[start : start + _LETTERS]}"
        for framed in (f"_{word[:40]}_" for word in telling)
        for start in range(len(framed) - _LETTERS + 1)
    ]
    return [*telling, *runs]


MAX_COLUMNS, MAX_RESULTS, MAX_TOPICS = 6, 4, 2
_COVERED = 0.5
"""Share of the rows in which a column has a value; one that the demand asks for needs less."""
_COVERED_IF_ASKED = 0.2

Column = dict[str, str]
"""The values of a column by label of the paper."""


def make_table(demand: str, papers: Sequence[PoolText]) -> LiteratureTable:
    """A table out of a pool, without a model.

    Papers that are not near the demand are left out. Columns are results on boards that the papers
    share, and properties that papers of most fields have. Properties that the demand has a word for
    come first, then those that most papers state and that differ. A cell without evidence is N/A.
    """
    chosen = choose_papers(demand, papers)
    columns = _columns(demand, chosen)
    return LiteratureTable(
        papers=tuple(paper.label for paper in chosen),
        columns=tuple(columns),
        rows=tuple(
            TableRow(paper.label, tuple(values.get(paper.label) for values in columns.values()))
            for paper in chosen
        ),
    )


def _columns(demand: str, papers: Sequence[PoolText]) -> dict[str, Column]:
    results = results_of(papers, MAX_RESULTS)
    columns = {JOINT.join(board): scores for board, scores in results.items()}
    columns |= _facets(demand, papers, MAX_COLUMNS - len(columns))
    room = min(MAX_TOPICS, MAX_COLUMNS - len(columns))
    taken = set(map(column_key, columns))
    topics = find_topics(demand, papers, room + len(taken))
    new = [(name, values) for name, values in topics.items() if column_key(name) not in taken]
    return columns | dict(new[:room])


def _facets(demand: str, papers: Sequence[PoolText], most: int) -> dict[str, Column]:
    found: list[tuple[tuple[bool, float], str, Column]] = []
    for facet in FACETS:
        values = {paper.label: cell for paper in papers if (cell := facet.cell(paper))}
        is_asked = facet.is_asked(demand)
        least = _COVERED_IF_ASKED if is_asked else _COVERED
        if values and len(values) >= least * len(papers) and (is_asked or _differs(values, papers)):
            found.append(((not is_asked, -len(values) / len(papers)), facet.name, values))
    best = sorted(found, key=lambda one: one[0])[:most]
    names = {name for _, name, _ in best}
    return {name: values for _, name, values in found if name in names}


def _differs(values: Mapping[str, str], papers: Sequence[PoolText]) -> bool:
    """Check whether a column separates papers."""
    return len(papers) < 2 or len({cell_key(value) for value in values.values()}) > 1
