"""Gold tables from a corpus: selection of printed tables, with reasons for exclusions.

A row of a printed table that cites exactly one work is about that work.

Source: arXiv2Table, section 4, and arxivDIGESTables, whose filters these resemble.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from vivavoce.corpus import Corpus
from vivavoce.corpus.reading import list_batches, read_raw
from vivavoce.metrics.tables.cell_matching import cell_key
from vivavoce.metrics.tables.table_schema import column_key
from vivavoce.records import Paper, Window
from vivavoce.rounds.family import Exclusion
from vivavoce.store import Row
from vivavoce.tasks.tables.grid import (
    Grid,
    Line,
    Values,
    cited_by_row,
    distinct_names,
    misfit,
    read_grid,
    read_values,
    shift_of,
)
from vivavoce.tasks.tables.item import TASK, GoldRow, GoldTable, Kind, TablesOptions, Work, is_known
from vivavoce.tasks.tables.pool import (
    REFERENCE_PREFIX,
    merge_works,
    papers_with_text,
    work_id,
    work_of_paper,
    work_of_reference,
)
from vivavoce.text.cell_text import plain_words, spread_cells
from vivavoce.text.dates import inside
from vivavoce.text.normalise import normalise_title

_DIGESTABLES: Kind = "digestables"
_ENTRY, _PAPER = "arxiv2table:", "paper:"
"""Prefixes of the keys of arXiv2Table's records: demands, and works by number."""
_COMMAND = re.compile(r"\\[a-zA-Z]+")
"""A LaTeX command that the paper's reader did not know."""


@dataclass(frozen=True, slots=True)
class GoldTables:
    """The gold tables of a window, and the exclusions."""

    tables: tuple[GoldTable, ...]
    excluded: tuple[Exclusion, ...]
    """Exclusions, sorted by id, of printed tables with a row that cites exactly one work."""
    works: Mapping[str, Work]
    """Works of rows and distractors that came with tables, sorted by id."""
    related_works: Mapping[str, frozenset[str]]
    """Works by table that cannot be distractors: its source paper and works in its tables."""
    given: Mapping[str, GivenDemand]
    dropped: Mapping[str, int]
    """Counts of printed lines that are not gold rows, by reason."""


@dataclass(slots=True)
class _Source:
    """A paper with tables whose rows cite works."""

    paper: Paper
    tables: list[Row]
    cited: set[int]
    """Ordinals of the references cited in its tables."""
    works: dict[int, Work] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A gold table, unless it is a duplicate."""

    table: GoldTable
    related_works: frozenset[str]
    """Works that cannot be its distractors."""
    dropped: Mapping[str, int] = field(default_factory=dict)
    """Counts of left-out lines by reason."""


def read_gold_tables(corpus: Corpus, window: Window, options: TablesOptions) -> GoldTables:
    """Read the gold tables of a window."""
    papers = {paper.paper_id: paper for paper in corpus.papers}
    texts = papers_with_text(corpus)
    given, numbered = read_given(corpus, papers, texts)
    sources, excluded = _read_sources(corpus, papers, window, undated=options.undated)
    for row in corpus.rows("references"):
        source = sources.get(row["paper_id"])
        if source is not None and row["ordinal"] in source.cited:
            source.works[row["ordinal"]] = work_of_reference(row, numbered)
    works = [work for source in sources.values() for work in source.works.values()]
    works += [work_of_paper(source.paper, texts) for source in sources.values()]
    known = merge_works(works, papers, texts)
    read = [
        _read_printed(source, row, known, options)
        for source in sources.values()
        for row in source.tables
    ]
    candidates = [one for one in read if isinstance(one, _Candidate)]
    excluded += [one for one in read if isinstance(one, Exclusion)]
    candidates.sort(key=lambda one: one.table.id)
    duplicates = find_duplicates([one.table for one in candidates])
    excluded += [Exclusion(TASK, name, "duplicate", first) for name, first in duplicates.items()]
    kept = [one for one in candidates if one.table.id not in duplicates]
    came = {
        one.table.id: given[one.table.source_paper]
        for one in kept
        if one.table.source_paper in given
    }
    wanted = {paper for one in kept for paper in one.table.papers}
    wanted.update(paper for one in came.values() for paper in one.distractors or ())
    known = merge_works([*works, *numbered.values()], papers, texts)
    dropped: Counter[str] = Counter()
    for one in kept:
        dropped.update(one.dropped)
    return GoldTables(
        tables=tuple(one.table for one in kept),
        excluded=tuple(sorted(excluded, key=lambda one: one.paper_id)),
        works={name: work for name, work in known.items() if name in wanted},
        related_works={one.table.id: one.related_works for one in kept},
        given=came,
        dropped=dict(sorted(dropped.items())),
    )


def find_duplicates(tables: Sequence[GoldTable]) -> dict[str, str]:
    """Ids of duplicate tables, with the id of the earlier one.

    The order of columns and rows is ignored.
    """
    first: dict[object, str] = {}
    duplicates: dict[str, str] = {}
    for table in tables:
        keys = [column_key(column) for column in table.columns]
        order = sorted(range(len(keys)), key=lambda position: (keys[position], position))
        rows = sorted(
            (row.paper, *(cell_key(row.cells[position]) for position in order))
            for row in table.rows
        )
        content = tuple(sorted(keys)), tuple(rows)
        if first.setdefault(content, table.id) != table.id:
            duplicates[table.id] = first[content]
    return duplicates


def _read_sources(
    corpus: Corpus, papers: Mapping[str, Paper], window: Window, *, undated: bool
) -> tuple[dict[str, _Source], list[Exclusion]]:
    """Papers of a window with tables in which a row cites exactly one work.

    Also exclusions of such tables in other papers.
    """
    sources: dict[str, _Source] = {}
    excluded: list[Exclusion] = []
    for name, tables in groupby(corpus.rows("tables"), key=lambda row: str(row["paper_id"])):
        printed = list(tables)
        citing = [row for row in printed if any(len(cited) == 1 for cited in cited_by_row(row))]
        date = papers[name].first_public
        if date is None and not undated:
            excluded += [Exclusion(TASK, table_id(row), "undated_source", "") for row in citing]
        elif date is not None and not inside(date, window):
            excluded += [Exclusion(TASK, table_id(row), "outside_window", date) for row in citing]
        elif citing:
            cited = {ordinal for row in printed for ordinal in row["cited"]}
            sources[name] = _Source(papers[name], citing, cited)
    return sources, excluded


def table_id(row: Row) -> str:
    """The id of a gold table from a row of `tables`."""
    return f"{row['paper_id']}/table/{row['ordinal']}"


def _read_printed(
    source: _Source, row: Row, works: Mapping[str, Work], options: TablesOptions
) -> _Candidate | Exclusion:
    """Make the gold table of a printed one, or return the reason why there is none."""
    name = table_id(row)
    if not row["caption"].strip():
        return Exclusion(TASK, name, "no_caption")
    cited = cited_by_row(row)
    cells = spread_cells(row["cells"], row.get("spans") or ())
    grid = read_grid(cells, [bool(ordinals) for ordinals in cited])
    if grid is None:
        return Exclusion(TASK, name, "no_header", "its first row cites, or is empty")
    chosen, dropped = _choose_lines(source, grid, cited, works, options)
    lines = [line for line, _ in chosen]
    values = read_values(grid, lines)
    if fault := shift_of(grid, lines) or misfit(values):
        return Exclusion(TASK, name, "shifted_header", fault)
    unread = (cell for line in lines for cell in line.cells if _COMMAND.fullmatch(cell))
    if command := next(unread, None):
        return Exclusion(TASK, name, "unread_cells", f"the source does not define {command}")
    if why := why_not(values, [paper for _, paper in chosen], options):
        lacking = dropped["no_title"] + dropped["too_little_known"]
        if lacking and why[0] in ("few_rows", "few_papers"):
            why = ("no_evidence", f"{why[1]}; of {lacking} cited works too little is known")
        return Exclusion(TASK, name, *why)
    table = GoldTable(
        id=name,
        source_paper=source.paper.paper_id,
        kind=_DIGESTABLES if _DIGESTABLES in source.paper.source.split("+") else "cited",
        caption=" ".join(row["caption"].split()),
        columns=distinct_names(values.columns),
        rows=tuple(
            GoldRow(line.ordinal, paper, label, cells)
            for (line, paper), label, cells in zip(chosen, values.labels, values.rows, strict=True)
        ),
        published=source.paper.first_public,
        survey=source.paper.title or "",
    )
    related = {source.paper.paper_id, *(work.paper_id for work in source.works.values())}
    return _Candidate(table, frozenset(related), dropped)


def _choose_lines(
    source: _Source,
    grid: Grid,
    cited: Sequence[Sequence[int]],
    works: Mapping[str, Work],
    options: TablesOptions,
) -> tuple[list[tuple[Line, str]], Counter[str]]:
    """Lines about exactly one work, with its id, and reasons for the others."""
    dropped: Counter[str] = Counter()
    chosen: list[tuple[Line, str]] = []
    for line in grid.lines:
        meant = [source.works[one].paper_id for one in cited[line.ordinal] if one in source.works]
        if len(cited[line.ordinal]) > 1:
            dropped["several_works"] += 1
        elif not meant:
            dropped["no_work"] += 1
        elif not works[meant[0]].title:
            dropped["no_title"] += 1
        elif not is_known(works[meant[0]], options.evidence):
            dropped["too_little_known"] += 1
        else:
            chosen.append((line, meant[0]))
    return chosen, dropped


def why_not(
    values: Values, papers: Collection[str], options: TablesOptions
) -> tuple[str, str] | None:
    """Reason and evidence why a table is not an item; None if it is."""
    filled = [cell for row in values.rows for cell in row if cell is not None]
    places = len(values.rows) * len(values.columns)
    if len(values.rows) < options.min_rows:
        return "few_rows", f"{len(values.rows)} rows cite one work"
    if len(set(papers)) < options.min_papers:
        return "few_papers", f"{len(set(papers))} works"
    if len(values.columns) < options.min_columns:
        return "few_columns", f"{len(values.columns)} columns beside the label"
    if 2 * len(filled) < places:
        return "sparse", f"{places - len(filled)} of {places} cells are empty"
    return None


@dataclass(frozen=True, slots=True)
class GivenDemand:
    """Demand and labels of a table in arXiv2Table's files."""

    demand: str | None
    distractors: tuple[str, ...] | None
    """Ids of works labelled as not in the table, without untitled ones; None without labels."""


def read_given(
    corpus: Corpus, papers: Mapping[str, Paper], texts: Collection[str]
) -> tuple[dict[str, GivenDemand], dict[str, Work]]:
    """Demands and labels by paper of the corpus, from arXiv2Table files, and all works by number.

    `DamagedError` if the stored records were altered, `StaleError` if there are none.
    """
    entries = {
        f"{_DIGESTABLES}:{key}": record
        for key, record in _records(corpus, _ENTRY)
        if f"{_DIGESTABLES}:{key}" in papers
    }
    wanted = {
        number
        for record in entries.values()
        for name in ("input_references_id", "table_references")
        for number in _numbers(record, name)
    }
    works = _numbered_works(corpus, wanted, papers, texts) if wanted else {}
    given: dict[str, GivenDemand] = {}
    for name, record in sorted(entries.items()):
        demand, labels = record.get("user_demand"), record.get("input_references_label")
        distractors = None
        if isinstance(labels, list) and labels:
            listed = zip(_numbers(record, "input_references_id"), labels, strict=False)
            others = [number for number, label in listed if label == 0 and number in works]
            distractors = tuple(dict.fromkeys(works[number].paper_id for number in others))
        text = " ".join(demand.split()) if isinstance(demand, str) else ""
        given[name] = GivenDemand(text or None, distractors)
    return given, works


def _records(corpus: Corpus, start: str) -> Iterator[tuple[str, Row]]:
    """Records with one kind of key; later ones take precedence."""
    for batch in list_batches(corpus.folder):
        if batch.kind != _DIGESTABLES or not batch.is_complete:
            continue
        for key, raw in read_raw(batch):
            if key.startswith(start) and raw is not None:
                yield key, json.loads(raw)


def _numbers(record: Row, name: str) -> list[str]:
    listed = record.get(name)
    works = listed if isinstance(listed, list) else []
    numbers = [work.get("corpus_id") if isinstance(work, dict) else work for work in works]
    return [str(number).removeprefix(REFERENCE_PREFIX) for number in numbers]


def _numbered_works(
    corpus: Corpus, wanted: Collection[str], papers: Mapping[str, Paper], texts: Collection[str]
) -> dict[str, Work]:
    """Works by number: papers of the corpus, found by number or title, and others."""
    by_title: dict[str, list[Paper]] = defaultdict(list)
    for paper in papers.values():
        by_title[normalise_title(paper.title or "")].append(paper)
    works = {
        number: work_of_paper(papers[f"s2:{number}"], texts)
        for number in sorted(wanted)
        if f"s2:{number}" in papers
    }
    for key, record in _records(corpus, _PAPER):
        number = key.removeprefix(_PAPER)
        title = plain_words(str(record.get("title") or ""))
        if number not in wanted or number in works or not normalise_title(title):
            continue
        namesakes = by_title[normalise_title(title)]
        if len(namesakes) == 1:
            works[number] = work_of_paper(namesakes[0], texts)
        else:
            abstract = str(record.get("abstract") or "") or None
            works[number] = Work(work_id(title, ""), title, abstract, None, False)
    return works
