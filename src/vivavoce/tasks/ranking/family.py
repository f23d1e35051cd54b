"""The ranking tasks: prompts of boards, and measures of an order."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from vivavoce.checking import check_numbers
from vivavoce.errors import InputError
from vivavoce.metrics import FaultyAnswer, Values
from vivavoce.metrics.ranking import (
    NAMES,
    SCORED,
    read_paper_ids,
    score_paper_ranking,
    score_ranking_legacy,
    score_ranking_row,
)
from vivavoce.metrics.titles_list import count_faults, find_titles
from vivavoce.requests import ScoreOptions
from vivavoce.statistics.intervals import Measured, means_of
from vivavoce.store import Row
from vivavoce.tasks.family import FamilyTask, Item, SplitArguments, View
from vivavoce.tasks.library import describe_library
from vivavoce.tasks.prompting import Rendered, Span, fence_mark, join_texts
from vivavoce.tasks.ranking.boards import FAMILY
from vivavoce.tasks.ranking.build import PAPERS, SETTINGS
from vivavoce.tasks.ranking.graph_ranking import list_candidates, open_graph
from vivavoce.tasks.scoring.files import Pair, ScoreFamily

PROMPT, GRAPH = "rank_by_prompt", "rank_by_graph"
LISTED = 200
"""Default number of candidates in a prompt."""
_MAX_LISTED = 10_000
_NOTED = ("higher_is_better", "area", "papers", "scores")
"""Columns of items in a sample's metadata."""


@dataclass(frozen=True, slots=True)
class GraphArguments(SplitArguments):
    """Arguments of rankings by graph.

    Args:
        setting: base (citations; titles and abstracts are searched), fulltext, comparison or
            comparison_fulltext.
        split: test, or dev for boards to tune methods on.
        listed: Maximum candidates shown to a model.
    """

    listed: int = LISTED

    def __post_init__(self) -> None:
        super(GraphArguments, self).__post_init__()
        check_numbers({"listed": (self.listed, 1, _MAX_LISTED)})

    @property
    def label(self) -> str:
        """The setting's name on a board, such as `base+dev` or `base@50`."""
        amount = "" if self.listed == LISTED else f"@{self.listed}"
        return f"{super(GraphArguments, self).label}{amount}"


class RankByPrompt(FamilyTask[SplitArguments]):
    """Boards whose titles are listed in the prompt; titles may be removed to fit a window."""

    arguments = SplitArguments
    scorer = "title_order"
    undefined = ("ktau", "bem_complete")

    def sample(self, row: Row, view: View[SplitArguments]) -> Item:
        """Make the item of a board: a query and its titles."""
        titles = [row["titles"][place] for place in row["shown"]]
        slots = {**_names(row), "titles": "\n".join(titles)}
        prompt = view.prompts.render(PROMPT, slots, {})
        more = {
            "titles": titles,
            "shown": list(row["shown"]),
            "blocks": _lines_from_last(titles, prompt.spans["titles"][0]),
        }
        return _item(row, view, prompt, row["titles"], more)

    def measure(self, answer: str, row: Row) -> Values:
        """Compare the titles with the board's order, and count the other lines of the answer.

        An answer without any title of the board is malformed.
        """
        gold = row["target"].split("\n")
        listed = find_titles(answer, gold)
        measured: Values = {
            **score_ranking_row(gold, listed, row.get("scores")),
            **count_faults(answer, gold, listed),
        }
        if not listed.order and not any(measured[name] for name in ("cp", "cis", "ndcg")):
            raise FaultyAnswer("malformed", measured)
        return measured


class RankByGraph(FamilyTask[GraphArguments]):
    """Boards whose papers must be found among candidates in a network.

    The candidates are listed with dates and links, best by BM25 first; they may be removed to fit a
    window. The target is the ids of the board's papers, best first.
    """

    arguments = GraphArguments
    scorer = "paper_order"
    undefined = ("ktau",)

    def items(self, rows: Iterable[Row], view: View[GraphArguments]) -> Iterator[Item]:
        """Boards with their candidates."""
        graph = open_graph(str(view.round.folder), view.round.sha256)
        given, prompts = view.given, view.prompts
        for row in rows:
            ids, lines = list_candidates(graph, row, given.setting, given.listed)
            listing = "\n".join(lines)
            values = {"mark": fence_mark([listing]), "network": SETTINGS[given.setting][0]}
            prompt = prompts.render(GRAPH, {**_names(row), "papers": listing}, values)
            more = {
                "question": prompts.render(f"{GRAPH}.question", _names(row), {}).text,
                "candidates": ids,
                "blocks": _lines_from_last(lines, prompt.spans["papers"][0]),
            }
            yield _item(row, view, prompt, row["papers"], more)

    def measure(self, answer: str, row: Row) -> Values:
        """Compare a list of paper ids with the board's order.

        An answer without papers of the board is valid, since finding them is the task. One that is
        not a list of ids is malformed.
        """
        gold, ids = row["target"].split("\n"), read_paper_ids(answer)
        score = score_paper_ranking(gold, ids, row.get("scores"))
        known = {*gold, *row.get("candidates", ())}
        # One word may be the id of a paper that is not a candidate.
        named = sum(
            name in known or (len(name.split()) == 1 and any(map(str.isalnum, name)))
            for name in ids
        )
        if not score["candidate_recall"] and 2 * named <= len(ids):
            raise FaultyAnswer("malformed", score)
        return score

    def notes(self, answer: str, row: Row) -> dict[str, Any]:
        """Number of papers in the answer."""
        return {"listed": len(read_paper_ids(answer))}


def _item(
    row: Row,
    view: View[SplitArguments] | View[GraphArguments],
    prompt: Rendered,
    target: Sequence[str],
    more: Row,
) -> Item:
    end = view.round.manifest["window"]["end"]
    metadata = {
        **{name: row[name] for name in _NOTED},
        "task": view.task,
        "setting": view.given.setting,
        "round": str(view.round.folder.resolve()),
        "seed": int(view.round.manifest["seed"]),
        "prompts": view.prompts.place,
        "library": describe_library(view.round, (FAMILY, PAPERS), papers=None, cutoff=end),
        "board": _names(row),
        **more,
    }
    return Item(row["id"], prompt, "\n".join(target), metadata)


def _names(row: Row) -> dict[str, str]:
    return {name: row[name] for name in ("task", "dataset", "metric")}


def _lines_from_last(titles: Sequence[str], start: int) -> list[Span]:
    """Spans of each title with the preceding line break, from the last to the second."""
    _, spans = join_texts(titles, "\n")
    return [(start + first - 1, start + last) for first, last in reversed(spans[1:])]


TASKS: dict[str, FamilyTask[Any]] = {PROMPT: RankByPrompt(), GRAPH: RankByGraph()}


def _measure(pairs: Sequence[Pair], options: ScoreOptions) -> Measured:
    golds = [_titles(pair) for pair in pairs]
    if options.legacy:
        rows = [(gold, _whole_message(pair)) for gold, pair in zip(golds, pairs, strict=True)]
        return Measured(score_ranking_legacy(rows), items=SCORED, settings={"legacy": True})
    found = [find_titles(pair.text(), gold) for gold, pair in zip(golds, pairs, strict=True)]
    scores = [
        score_ranking_row(gold, titles, _scores(pair))
        for gold, titles, pair in zip(golds, found, pairs, strict=True)
    ]
    shares = {name: means_of([score[name] for score in scores]) for name in NAMES}
    counts = {
        f"{name}_titles": sum(getattr(titles, name) for titles in found)
        for name in ("invented", "repeated", "missing")
    }
    truncated = sum(titles.truncated for titles in found)
    return Measured(shares, settings={"legacy": False, **counts, "truncated": truncated})


def _titles(pair: Pair) -> list[str]:
    titles = pair.gold.texts("gold")
    if not titles:
        raise InputError(f"{pair.gold.where}: gold has no titles.")
    return titles


def _scores(pair: Pair) -> list[float] | None:
    """The scores of the gold titles, if the row has them; equal ones are ties."""
    if "scores" not in pair.gold.row:
        return None
    scores: list[float] = pair.gold.require("scores", list, "a list of numbers")
    if not all(isinstance(one, int | float) for one in scores):
        raise InputError(f"{pair.gold.where}: scores must be a list of numbers.")
    if len(scores) != len(_titles(pair)):
        raise InputError(f"{pair.gold.where}: gold and scores differ in length.")
    return scores


def _whole_message(pair: Pair) -> str | None:
    """The stored text, as the published rules read it; None without one."""
    line = pair.answer("text")
    text: str | None = None if line is None else line.require("text", str, "a text or null")
    return text


SCORE_FAMILIES = (
    ScoreFamily(
        name="ranking",
        summary="lists of papers, best first: complete, in order, concordant pairs, Kendall's tau",
        gold='{"id": 1, "gold": ["best title", "next"]}',
        prediction='{"id": 1, "text": "1. best title\\n2. next"}',
        uses=("legacy",),
        measure=_measure,
    ),
)
