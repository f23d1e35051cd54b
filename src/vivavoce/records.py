"""Records that the parts of the package exchange: frozen, typed, without logic.

A source reads a file into `Document` records. The corpus merges the documents that describe
one paper and stores `Paper`, `Authorship`, `Section`, `Reference` and `CitedTable` rows.
Lists keep their order in `ordinal` fields, which start at 0.
"""

from dataclasses import dataclass
from datetime import date

SECTION_ROLES = (
    "abstract",
    "introduction",
    "related_work",
    "background",
    "method",
    "experiments",
    "results",
    "discussion",
    "conclusion",
    "acknowledgements",
    "references",
    "appendix",
    "other",
)


@dataclass(frozen=True, slots=True)
class Window:
    """A span of UTC dates: `start` inclusive, `end` exclusive."""

    start: date
    end: date


@dataclass(frozen=True, slots=True)
class Author:
    """One author of a paper, as the source lists them."""

    name: str
    author_id: str | None = None
    confidence: float | None = None
    """Probability that this is an author, if the name was read from a page; else None."""


@dataclass(frozen=True, slots=True)
class Section:
    """One section of a paper's text."""

    ordinal: int
    level: int
    """1 is a top-level section."""
    heading: str | None
    """Heading without its number; None if the section has no heading."""
    role: str | None
    """One of `SECTION_ROLES`; None if the source's markup does not tell."""
    text: str
    """Paragraphs, separated by a blank line."""
    number: str | None = None
    """The printed number, such as `3.2` or `A.1`."""


@dataclass(frozen=True, slots=True)
class Reference:
    """One entry of a paper's list of references."""

    ordinal: int
    raw: str
    title: str | None = None
    year: int | None = None
    first_author: str | None = None
    arxiv_id: str | None = None
    doi: str | None = None
    given_id: str | None = None
    """The id that the data set gives the cited work."""


@dataclass(frozen=True, slots=True)
class CitedTable:
    """One table of a paper, with the references cited inside it or its caption."""

    ordinal: int
    caption: str
    cells: tuple[tuple[str, ...], ...]
    cited: tuple[int, ...] = ()
    """Ordinals of `Reference` entries."""
    row_cited: tuple[tuple[int, ...], ...] = ()
    """Positions in `cited` of what each row of `cells` cites, once each, in order of mention.

    Empty if the source cannot tell.
    """
    spans: tuple[tuple[int, ...], ...] = ()
    """Row, column, number of rows and number of columns of each merged cell; the other places that
    it covers are empty in `cells`."""
    bold: tuple[tuple[int, ...], ...] = ()
    """Row and column of each cell printed in bold, as the best result often is."""


@dataclass(frozen=True, slots=True)
class Result:
    """One leaderboard entry: a method's score on a dataset."""

    dataset: str
    task: str
    metric: str
    method: str
    score: float | None
    score_text: str
    paper_url: str | None = None
    date: str | None = None
    area: str | None = None
    modality: str | None = None
    higher_is_better: bool | None = None
    """Direction of the metric, according to the list of results."""
    listed_in: str | None = None
    """The list, ordered from best to worst, that holds the entry; `position` is the place in it."""
    position: int | None = None


@dataclass(frozen=True, slots=True)
class CellResult:
    """A result that a paper states in a cell of a table."""

    table: int
    """Ordinal of the `CitedTable`."""
    row: int
    """Row of the cell in its table, from 0; `column` likewise."""
    column: int
    method: str
    dataset: str | None
    """Dataset as printed in the header, group or caption; None if none of them names one."""
    part: str | None
    """Part of the dataset as printed in the header, if the caption names the dataset."""
    split: str | None
    """`test`, `dev` or `train`."""
    metric: str
    score: float
    score_text: str
    bold: bool
    is_best: bool | None
    """True if no other method has a better score in the column; None without a direction."""
    higher_is_better: bool | None
    direction_from: tuple[str, ...] = ()
    """Evidence for the direction: the metric's `name`, or `bold` marks at one end of the column."""
    cited: tuple[int, ...] = ()
    """Ordinals of the references that the row cites."""


PDF_PARTS = ("title", "authors", "abstract", "sections", "references")
"""Parts of a paper that the reader of PDFs judges one by one."""


@dataclass(frozen=True, slots=True)
class Document:
    """Everything that one source states about one paper."""

    kind: str
    """The source, such as `tei` or `metadata`."""
    key: str
    """Key of the document in its source: a later document with the same key replaces this one."""
    source_file: str | None = None
    given_id: str | None = None
    arxiv_id: str | None = None
    """The id without its version."""
    acl_id: str | None = None
    doi: str | None = None
    source_url: str | None = None
    version: str | None = None
    """The version of the text that was read, such as `v2`."""
    title: str | None = None
    abstract: str | None = None
    published: str | None = None
    """`YYYY`, `YYYY-MM` or `YYYY-MM-DD`."""
    stamped: str | None = None
    """The date that a preprint server stamped on this `version` of the text."""
    categories: tuple[str, ...] = ()
    venue: str | None = None
    licence: str | None = None
    authors: tuple[Author, ...] = ()
    sections: tuple[Section, ...] = ()
    references: tuple[Reference, ...] = ()
    tables: tuple[CitedTable, ...] = ()
    results: tuple[Result, ...] = ()
    health: str | None = None
    """`good`, `doubtful` or `failed` for a text read from a PDF; else None."""
    health_reasons: tuple[str, ...] = ()
    """Reasons why a PDF is not `good`, or why a part of it is doubtful."""
    doubts: tuple[str, ...] = ()
    """Those of `PDF_PARTS` whose reading is doubtful."""
    withdrawn: str | None = None
    """`withdrawn`, `retracted`, `corrected`, `doubted` or `deleted`, as the source says; else None.

    A notice that retracts or corrects another paper is marked as well.
    """
    raw: str | None = None
    """Canonical JSON of the source record, if more of it is needed than the other fields hold."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A file or row that could not be read, and why."""

    where: str
    """File name, with the row if there is one: `papers.jsonl:12`."""
    reason: str
    kind: str = ""
    """`scan` or `locked`, if the reader knows what the user has to do to the file first."""


@dataclass(frozen=True, slots=True)
class Paper:
    """A paper of the corpus, merged from its documents."""

    paper_id: str
    title: str | None
    abstract: str | None
    published: str | None
    date_precision: str | None
    """`day`, `month` or `year`; None for an undated paper."""
    date_source: str | None
    """`metadata`, `arxiv_id`, `anthology_id` or `results_list`; None for an undated paper."""
    arxiv_id: str | None
    acl_id: str | None
    doi: str | None
    source_url: str | None
    categories: tuple[str, ...]
    venue: str | None
    licence: str | None
    version: str | None
    source: str
    """The sources merged, joined by `+`: `metadata+tei`."""
    source_file: str | None
    gates: tuple[str, ...]
    """Quality gates the paper does not pass; empty for a paper fit to be a target."""
    first_public: str | None = None
    """The date when anyone could first read the work, by the earliest credible evidence.

    Windows, splits, demonstrations, cutoffs and fences compare this date and no other.
    """
    first_public_precision: str | None = None
    """`day`, `month` or `year`; None for an undated paper."""
    first_public_from: str | None = None
    """One of `corpus.dating.EVIDENCE`; None for an undated paper."""
    work: str | None = None
    """The earliest paper that is the same work as this one; None if there is no other."""
    health: str | None = None
    """`good`, `doubtful` or `failed` if the text was read from a PDF; else None."""
    health_reasons: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()
    """Parts read doubtfully from a PDF that no better source gives."""
