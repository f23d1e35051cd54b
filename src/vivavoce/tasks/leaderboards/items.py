"""Columns of a leaderboard item, the gold as a table, and excerpts of papers.

Text is split by `text.chunk`, with overlap. A table is one chunk, or several of whole rows, each
with caption and first row. A token counts as three characters, since the model is not known yet.

A chunk is searched together with the paper's title. Tables have few words about their subject, so
they are searched without short numbers but with the abstract and headings of the paper. Only the
table is shown.

The ceiling is the share of gold methods and scores that are literally in given texts. A method is
in a text if the letters and digits of its normalised name occur there in sequence, from the start
of a word to the end of one. A score occurs if some number equals it on the printed scale: 93.5
equals 93.50 but not 0.935. Scores are only searched for methods that were found, as in
`sp_matched`.

Source: LEGOBench §4.1 (the ten best chunks by BM25).
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import pyarrow as pa

from vivavoce.columns import lists, texts
from vivavoce.metrics.leaderboards import TOLERANCE, method_key
from vivavoce.metrics.tables.cell_matching import read_number
from vivavoce.readers import LibraryPaper
from vivavoce.retrieval import best_or_first
from vivavoce.retrieval.sparse import Bm25Retriever, words
from vivavoce.store import Row
from vivavoce.tasks.prompting import PromptSet, Rendered, join_texts
from vivavoce.text.chunk import cut_table, cut_text

FAMILY, TASK = "leaderboards", "leaderboard"
SETTINGS = ("base", "corpus")
"""Chunks of the papers on the board, or of every paper of the round."""
REPORT = "boards.json"
"""File with the undated entries per board, and the boards with several names."""
PAPERS = "papers.parquet"
"""The library of the round: `tasks.library`."""

HEADER = ("Method", "Score")

_ENTRY = pa.struct(
    [*texts("method"), ("score", pa.float64()), *texts("score_text", "paper_id", "date")]
)
ITEM = pa.schema(
    [
        *texts("id", "cluster", "split", "published", "task", "dataset", "metric"),
        ("higher_is_better", pa.bool_()),
        *texts("area"),
        ("entries", pa.list_(_ENTRY)),
        *lists("others", "papers", "settings"),
    ]
)
"""Columns of an item; `entries` are the gold, `others` methods of papers without a text."""


def gold_table(row: Row) -> str:
    """The gold as a Markdown table, each method once, with scores as printed if readable."""
    first: dict[str, Row] = {}
    for entry in row["entries"]:
        first.setdefault(method_key(entry["method"]), entry)
    return table_text([(entry["method"], _printed(entry)) for entry in first.values()])


def table_text(rows: Sequence[tuple[str, str]]) -> str:
    """Methods and scores as a markdown table."""
    lines = [_line(HEADER), "|---|---|", *map(_line, rows)]
    return "\n".join(lines)


def _line(cells: Sequence[str]) -> str:
    """Cells on one line, escaped."""
    plain = (" ".join(cell.split()) for cell in cells)
    escaped = (cell.replace("\\", "\\\\").replace("|", "\\|") for cell in plain)
    return f"| {' | '.join(escaped)} |"


def _printed(entry: Row) -> str:
    score: float = entry["score"]
    number = read_number(entry["score_text"])
    if number is not None and abs(number - score) <= TOLERANCE * max(abs(number), abs(score)):
        return str(entry["score_text"])
    return f"{score:.10g}"


CHUNKS, SIZE = 10, 512
"""Default number of chunks per prompt, and of tokens per chunk."""
SMALLEST = 16
_OVERLAP = 1 / 8
_CHARACTERS = 3
"""Characters per token."""
_MAX_HEADING, _MAX_ABSTRACT = 200, 5_000
_HEADINGS = 100
_PASSAGES = 20_000
_INDEXES = 16
_PAPERS = 2_000
"""Sizes of caches."""


@dataclass(frozen=True, slots=True)
class PaperChunk:
    """A piece of a paper."""

    paper_id: str
    source: str
    """Title and part of the paper, for readers."""
    text: str
    about: str | None = None
    """Abstract and headings of a table's paper; None for running text."""

    @property
    def searched(self) -> str:
        """The text that is searched."""
        if self.about is None:
            return f"{self.source}\n{self.text}"
        # Scores have numbers of up to two digits; numbers in names are often longer.
        text = " ".join(word for word in words(self.text) if len(word) > 2 or not word.isdigit())
        return f"{self.source}\n{text}\n{self.about}"


def chunks_of(paper: LibraryPaper, size: int = SIZE) -> list[PaperChunk]:
    """Split a paper into chunks: abstract, sections and tables."""
    most = size * _CHARACTERS
    overlap = int(most * _OVERLAP)
    title = _one_line(paper.title)
    parts = [("abstract", cut_text(paper.abstract or "", most, overlap))]
    for section in paper.sections:
        name = _one_line(section.heading or "") or "text"
        parts.append((name, cut_text(section.text, most, overlap)))
    chunks = [
        PaperChunk(paper.paper_id, source, text)
        for name, texts in parts
        for source in [_source(title, name)]
        for text in texts
    ]
    headings = [_one_line(section.heading or "") for section in paper.sections[:_HEADINGS]]
    about = "\n".join([(paper.abstract or "")[:_MAX_ABSTRACT], *headings])
    for number, table in enumerate(paper.tables, 1):
        source = _source(title, f"table {number}")
        chunks += [
            PaperChunk(paper.paper_id, source, text, about)
            for text in cut_table(table.caption, table.shown(), most)
        ]
    return chunks


def _one_line(text: str) -> str:
    return " ".join(text[:_MAX_HEADING].split())


def _source(title: str, part: str) -> str:
    return f"{title} – {part}" if title else part


class Shelf:
    """The chunks of a round's papers, and searches among those of some papers.

    Chunks, counts and indexes are shared by all items.
    """

    def __init__(self, papers: Mapping[str, LibraryPaper], size: int = SIZE) -> None:
        self._papers = papers
        self._cut = lru_cache(maxsize=_PAPERS)(lambda name: chunks_of(papers[name], size))
        self._words = lru_cache(maxsize=_PASSAGES)(words)
        self._open = lru_cache(maxsize=_INDEXES)(self._index)

    def search(
        self, papers: Sequence[str] | None, query: str, k: int
    ) -> list[tuple[PaperChunk, float | None]]:
        """Search the k best chunks of given papers (None for all), best first, with their scores.

        If no chunk shares a word with the query, the first k, without scores.
        """
        chunks, retriever = self._open(tuple(self._papers if papers is None else papers))
        return [(chunks[index], score) for index, score in best_or_first(retriever, query, k)]

    def _index(self, names: tuple[str, ...]) -> tuple[list[PaperChunk], Bm25Retriever]:
        chunks = [chunk for name in names for chunk in self._cut(name)]
        return chunks, Bm25Retriever((chunk.searched for chunk in chunks), self._words)


def compose(prompts: PromptSet, asked: str, chunks: Sequence[PaperChunk]) -> Rendered:
    """Put a prompt together."""
    slots = ({"source": chunk.source, "text": chunk.text} for chunk in chunks)
    text, places = join_texts(prompts.render("excerpt", given, {}).text for given in slots)
    main = prompts.render(TASK, {"question": asked, "excerpts": text}, {})
    # Each excerpt is a block with its separator. None is a slot, so none is cut in the middle.
    blocks = pairwise([0, *(end for _, end in places)])
    return main.with_inner("excerpts", Rendered(text, {}, tuple(blocks)[::-1]))


_WORD = re.compile(r"[^\W_]+")
_NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?|\.\d+", re.ASCII)
_DECIMAL_COMMA = re.compile(r"\d+,\d+", re.ASCII)
_MAX_NUMBER = 40
_SCALES = (1e3, 1e6, 1e9)


def ceilings(entries: Sequence[Row], texts: Sequence[str]) -> list[tuple[float, float | None]]:
    """Highest `mr` and `sp` that the first 0, 1, 2, ... texts allow an answer to reach.

    `sp` is None if no gold method is in the texts.
    """
    gold: dict[str, set[str]] = {}
    for entry in entries:
        keys = gold.setdefault(method_key(entry["method"]), set())
        keys.add(score := _key(entry["score"]))
        if first := _NUMBER.search((entry["score_text"] or "")[:_MAX_NUMBER]):
            printed = float(first.group().replace(",", ""))  # 33,000,000 may be `33M`
            if score in {_key(printed * scale) for scale in _SCALES}:
                keys.add(_key(printed))
    shown = [_Text(text) for text in texts]
    never = len(texts) + 1
    places = []
    for method, scores in gold.items():
        named = next((n for n, text in enumerate(shown, 1) if text.names(method)), never)
        scored = next((n for n, text in enumerate(shown, 1) if text.numbers & scores), never)
        places.append((named, scored))
    reached = []
    for count in range(len(texts) + 1):
        named_scores = [scored for named, scored in places if named <= count]
        mr = len(named_scores) / len(places) if places else 0.0
        right = sum(scored <= count for scored in named_scores)
        reached.append((mr, right / len(named_scores) if named_scores else None))
    return reached


class _Text:
    """A text prepared for looking up names and numbers."""

    def __init__(self, text: str) -> None:
        plain = unicodedata.normalize("NFKC", text).casefold()
        self._words = " ".join(_WORD.findall(plain))
        self.numbers = set(_numbers(plain))

    def names(self, key: str) -> bool:
        """True if the text has a method's key as whole words."""
        letters = " ?".join("".join(_WORD.findall(key)))
        return letters != "" and bool(re.search(rf"(?<!\S){letters}(?!\S)", self._words))


def _numbers(text: str) -> Iterator[str]:
    printed = [match.group().replace(",", "") for match in _NUMBER.finditer(text)]
    printed += [match.group().replace(",", ".") for match in _DECIMAL_COMMA.finditer(text)]
    for digits in printed:
        if len(digits) <= _MAX_NUMBER:
            yield _key(float(digits))


def _key(value: float) -> str:
    """The first ten digits of a number, without its sign, which is printed in many ways."""
    return f"{abs(value):.10g}"
