"""The leaderboard task: prompts with excerpts that BM25 finds for each board, and measures."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from vivavoce.checking import check_numbers
from vivavoce.errors import InputError
from vivavoce.metrics import FaultyAnswer, Metric, Values
from vivavoce.metrics.leaderboards import (
    CEILINGS,
    FAULTS,
    Entry,
    ProducedBoard,
    method_key,
    read_board,
    score_board,
)
from vivavoce.requests import ScoreOptions
from vivavoce.statistics.intervals import Measured, harmonic, means_of
from vivavoce.store import Row
from vivavoce.tasks.family import FamilyTask, Item, SplitArguments, View
from vivavoce.tasks.leaderboards.items import (
    CHUNKS,
    FAMILY,
    PAPERS,
    SIZE,
    SMALLEST,
    TASK,
    Shelf,
    ceilings,
    compose,
    gold_table,
)
from vivavoce.tasks.library import describe_library, read_library
from vivavoce.tasks.scoring.files import Line, Pair, ScoreFamily, shares_of

_MAX_CHUNKS = 1_000
_MAX_CHUNK_SIZE = 1_000_000
_LISTED = 50
"""Maximum invented names in a log."""
_MAX_NAME = 200


@dataclass(frozen=True, slots=True)
class LeaderboardArguments(SplitArguments):
    """Arguments of the leaderboard task.

    Args:
        setting: Where excerpts come from: base (the board's papers) or corpus (the round's papers).
        split: test, or dev for boards to tune methods on.
        chunks: Maximum number of excerpts.
        chunk_size: Maximum tokens of an excerpt; a token counts as three characters.
    """

    chunks: int = CHUNKS
    chunk_size: int = SIZE

    def __post_init__(self) -> None:
        super(LeaderboardArguments, self).__post_init__()
        sizes = {"chunk_size": (self.chunk_size, SMALLEST, _MAX_CHUNK_SIZE)}
        check_numbers({"chunks": (self.chunks, 1, _MAX_CHUNKS), **sizes})

    @property
    def label(self) -> str:
        """The setting's name on a board, such as `base+dev` or `base@20` with 20 chunks."""
        size = "" if self.chunk_size == SIZE else f"x{self.chunk_size}"
        amount = f"@{self.chunks}{size}" if size or self.chunks != CHUNKS else ""
        return f"{super(LeaderboardArguments, self).label}{amount}"


class Leaderboards(FamilyTask[LeaderboardArguments]):
    """Boards of a round, with excerpts of papers found by BM25."""

    arguments = LeaderboardArguments
    scorer = "leaderboards"
    undefined = ("ktau",)

    def items(self, rows: Iterable[Row], view: View[LeaderboardArguments]) -> Iterator[Item]:
        """Boards with their excerpts."""
        rows = list(rows)
        wanted = {paper for row in rows for paper in row["papers"]}
        papers = read_library(
            view.round.read_file(FAMILY, PAPERS), None if view.given.setting == "corpus" else wanted
        )
        shelf = Shelf(papers, view.given.chunk_size)
        return (_item(row, view, shelf) for row in rows)

    def measure(self, answer: str, row: Row) -> Values:
        """Measure methods, scores and order in the answer's tables; malformed without rows."""
        produced = read_board(answer, row["board"]["metric"])
        scored = score_board([Entry(*entry) for entry in row["entries"]], produced, row["others"])
        faults: dict[str, float | None] = {**scored.faults, **_ceilings(row)}
        if row["stop_reason"] == "max_tokens":
            faults["truncated"] = 1.0
        if not produced.entries:
            raise FaultyAnswer("malformed", faults)
        return {**scored.values(), **faults}

    def failed(self, metrics: Mapping[str, Metric], row: Row) -> Values:
        """Ceilings depend only on the excerpts, not on the answer."""
        return {**super().failed(metrics, row), **dict.fromkeys(FAULTS, 0.0), **_ceilings(row)}

    def notes(self, answer: str, row: Row) -> dict[str, Any]:
        """Number of methods in the answer, and those that are invented."""
        entries = read_board(answer, row["board"]["metric"]).entries
        if not entries:
            return {}
        known = {method_key(method) for method, _ in row["entries"]}
        known.update(map(method_key, row["others"]))
        names = dict.fromkeys(entry.method[:_MAX_NAME] for entry in entries)
        return {
            "generated": len({method_key(entry.method) for entry in entries}),
            "invented": [name for name in names if method_key(name) not in known][:_LISTED],
        }


def _item(row: Row, view: View[LeaderboardArguments], shelf: Shelf) -> Item:
    given, prompts = view.given, view.prompts
    # The question is also the query for excerpts.
    names = {name: row[name] for name in ("task", "dataset", "metric")}
    asked = prompts.render("query", names, {}).text
    papers = None if given.setting == "corpus" else row["papers"]
    found = shelf.search(papers, asked, given.chunks)
    prompt = compose(prompts, asked, [chunk for chunk, _ in found])
    texts = [f"{chunk.source}\n{chunk.text}" for chunk, _ in found]
    metadata: dict[str, Any] = {
        # Used as title of the item.
        "category": row["area"] or "",
        "board": {**names, "higher_is_better": row["higher_is_better"]},
        "entries": [[entry["method"], entry["score"]] for entry in row["entries"]],
        "others": row["others"],
        "question": prompts.render("question", {"question": asked}, {}).text,
        "setting": given.setting,
        "prompts": prompts.place,
        "blocks": [list(span) for span in prompt.blocks],
        "parts": {
            f"excerpt {number}": list(span)
            for number, span in enumerate(reversed(prompt.blocks), 1)
        },
        "retrieved": [
            {"paper_id": chunk.paper_id, "source": chunk.source, "rank": rank, "score": score}
            for rank, (chunk, score) in enumerate(found, 1)
        ],
        # Ceilings by the number of chunks that fit into the window, from none to all.
        "ceilings": [list(reached) for reached in ceilings(row["entries"], texts)],
        "library": describe_library(
            view.round,
            (FAMILY, PAPERS),
            papers=papers,
            cutoff=view.round.manifest["window"]["end"],
        ),
    }
    return Item(row["id"], prompt, gold_table(row), metadata)


def _ceilings(row: Row) -> Values:
    """Ceilings of the excerpts that fit into the window."""
    every = row["ceilings"]
    left = every[len(every) - 1 - row.get("fit", {}).get("dropped", 0)]
    return dict(zip(CEILINGS, left, strict=True))


TASKS = {TASK: Leaderboards()}
_ORDER = ("mr", "mp", "f1", "sp_matched", "sp_generated", "ktau")


def _measure(pairs: Sequence[Pair], options: ScoreOptions) -> Measured:
    scores = []
    for pair in pairs:
        line = pair.answer("text", "entries")
        if line is not None and "entries" in line.row:
            produced = ProducedBoard(tuple(_entries(line)))
        else:
            produced = read_board(pair.text() if line is not None else None)
        scores.append(score_board(_entries(pair.gold), produced))
    shares = {
        name: shares_of([one.ratios[name] for one in scores], options.aggregate)
        for name in scores[0].ratios
    }
    shares["ktau"] = means_of([one.ktau for one in scores])
    derived = {}
    if options.aggregate == "macro":
        shares["f1"] = means_of([one.f1 for one in scores])
    else:
        derived["f1"] = harmonic("mp", "mr")
    names = {"repeated": "repeated_rows", "invented": "invented_methods"}
    counts = {
        names.get(fault, fault): int(sum(one.faults[fault] for one in scores)) for fault in FAULTS
    }
    return Measured(shares, derived, order=_ORDER, settings=counts)


def _entries(line: Line) -> list[Entry]:
    entries = []
    for value in line.require("entries", list, "a list of entries"):
        if not isinstance(value, dict) or not isinstance(value.get("method"), str):
            raise InputError(f"{line.where}: each of entries must have a method, as a text.")
        method, score = value["method"], value.get("score")
        is_score = score is None or isinstance(score, str | int | float)
        if not is_score or isinstance(score, bool):
            raise InputError(f"{line.where}: the score of {method!r} must be a number or text.")
        entries.append(Entry(method, score))
    return entries


SCORE_FAMILIES = (
    ScoreFamily(
        name="leaderboards",
        summary="tables of methods and scores: methods found, scores right, order kept",
        gold='{"id": 1, "entries": [{"method": "A", "score": 71.5}]}',
        prediction='the same, or {"id": 1, "text": "a table"}',
        measure=_measure,
    ),
)
