"""The ranking tasks: what is shown of a board, and the measures of an order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from vivavoce.checking import check_numbers
from vivavoce.metrics.ranking import (
    read_paper_ids,
    score_paper_ranking,
    score_ranking_row,
    score_ranking_row_legacy,
)
from vivavoce.metrics.titles_list import count_faults, find_titles
from vivavoce.store import Row
from vivavoce.tasks.family import SPLITS, Arguments, FamilyTask, Item, View, check_choice
from vivavoce.tasks.library import describe_library
from vivavoce.tasks.prompting.prompts import Rendered, Span, fence_mark, template_name
from vivavoce.tasks.ranking.items.boards import FAMILY
from vivavoce.tasks.ranking.items.graph_items import PAPERS
from vivavoce.tasks.ranking.items.graph_ranking import (
    SETTINGS,
    PaperGraph,
    list_candidates,
    open_graph,
)
from vivavoce.tasks.scoring.marks import FaultyAnswer, Values

PROMPT, GRAPH = "rank_by_prompt", "rank_by_graph"
SCORINGS = ("default", "legacy")
LISTED = 200
"""Candidates that a prompt lists."""
_MAX_LISTED = 10_000
_NOTED = ("higher_is_better", "area", "papers", "scores")
"""Columns of items that a sample's metadata has."""


@dataclass(frozen=True, slots=True)
class PromptArguments(Arguments):
    """The boards that a run asks for, the wording, and the reading of answers.

    Args:
        setting: What the model sees: base.
        split: test, or dev for the boards that methods are tuned on.
        scoring: default, or legacy for the rules of the published numbers.
        variant: Wording of the prompt, 1 to 3.
    """

    split: str = "test"
    scoring: str = "default"
    variant: int = 1

    def __post_init__(self) -> None:
        check_choice("split", self.split, SPLITS)
        check_choice("scoring", self.scoring, SCORINGS)

    @property
    def label(self) -> str:
        """The setting's name on a board, such as `base+dev` or `base+legacy`."""
        split = "" if self.split == "test" else f"+{self.split}"
        return f"{self.setting}{split}" + ("" if self.scoring == "default" else f"+{self.scoring}")


@dataclass(frozen=True, slots=True)
class GraphArguments(Arguments):
    """The boards that a run asks for, the wording, and the candidates that are listed.

    Args:
        setting: base (citations; titles and abstracts are searched), fulltext, comparison or
            comparison_fulltext.
        split: test, or dev for the boards that methods are tuned on.
        variant: Wording of the prompt, 1 to 3.
        listed: How many candidates a model is shown, at most.
    """

    split: str = "test"
    variant: int = 1
    listed: int = LISTED

    def __post_init__(self) -> None:
        check_choice("split", self.split, SPLITS)
        check_numbers({"listed": (self.listed, 1, _MAX_LISTED)})

    @property
    def label(self) -> str:
        """The setting's name on a board, such as `base+dev` or `base@50`."""
        split = "" if self.split == "test" else f"+{self.split}"
        return f"{self.setting}{split}" + ("" if self.listed == LISTED else f"@{self.listed}")


class RankByPrompt(FamilyTask[PromptArguments]):
    """Boards whose titles the prompt lists; each may go when a window is too narrow."""

    arguments = PromptArguments
    scorer = "title_order"
    scored_by = ("scoring",)
    undefined = ("ktau", "bem_complete")

    def sample(self, row: Row, view: View[PromptArguments]) -> Item:
        """A board as a query with its titles."""
        titles = [row["titles"][place] for place in row["shown"]]
        name = template_name(PROMPT, view.given.variant)
        slots = {**_names(row), "titles": "\n".join(titles)}
        prompt = view.prompts.render(name, slots, {})
        more = {
            "titles": titles,
            "shown": list(row["shown"]),
            "blocks": _lines_from_last(titles, prompt.spans["titles"][0]),
        }
        return _item(row, view, prompt, row["titles"], more)

    def measure(self, answer: str, row: Row) -> Values:
        """Compare the titles with the board's order, and count the other lines of the answer.

        An answer that names no title of the board ranks nothing: it is malformed. With the scoring
        `legacy` each title is taken where it first occurs in the raw answer.
        """
        gold = row["target"].split("\n")
        found = find_titles(answer, gold)
        if row["scoring"] == "legacy":
            measured = _legacy(gold, answer)
        else:
            measured = score_ranking_row(gold, answer, row.get("scores")).values()
        measured = {**measured, **count_faults(answer, gold, found)}
        if not found.order and not any(measured[name] for name in ("cp", "cis", "ndcg")):
            raise FaultyAnswer("malformed", measured)
        return measured


class RankByGraph(FamilyTask[GraphArguments]):
    """Boards whose papers are to be found among candidates of a network.

    The candidates are listed with their dates and links, the likeliest by BM25 first; each may go
    when a window is too narrow. The target is the ids of the board's papers, best first.
    """

    arguments = GraphArguments
    scorer = "paper_order"
    undefined = ("ktau",)

    def items(self, rows: Iterable[Row], view: View[GraphArguments]) -> Iterator[Item]:
        """Boards with their candidates."""
        graph = open_graph(str(view.round.folder), view.round.sha256)
        return (_graph_item(row, view, graph) for row in rows)

    def measure(self, answer: str, row: Row) -> Values:
        """Compare a list of paper ids with the board's order.

        An answer without any paper of the board is as valid as any other: finding them is the
        task. One that is no list of ids is malformed.
        """
        gold, ids = row["target"].split("\n"), read_paper_ids(answer)
        found = score_paper_ranking(gold, ids, row.get("scores"))
        known = {*gold, *row.get("candidates", ())}
        if not found.found and 2 * sum(one in known or _is_id(one) for one in ids) <= len(ids):
            raise FaultyAnswer("malformed", found.values())
        return found.values()

    def notes(self, answer: str, row: Row) -> dict[str, Any]:
        """Number of papers in the answer."""
        return {"listed": len(read_paper_ids(answer))}


def _legacy(gold: list[str], answer: str) -> Values:
    """The rules of the published table, a row at a time; it has no discounted gain."""
    row = score_ranking_row_legacy(gold, answer)
    exact = float(row.is_exact)
    return {
        "cis": float(row.is_complete),
        "bem": exact,
        "bem_complete": exact if row.is_complete else None,
        "cp": row.concordant,
        "cp_partial": row.concordant,
        "ktau": row.ktau,
        "ndcg": None,
    }


def _is_id(line: str) -> bool:
    """Check whether a line may be the id of a paper that is no candidate."""
    return len(line.split()) == 1 and any(character.isalnum() for character in line)


def _graph_item(row: Row, view: View[GraphArguments], graph: PaperGraph) -> Item:
    given, prompts = view.given, view.prompts
    ids, lines = list_candidates(graph, row, given.setting, given.listed)
    listing = "\n".join(lines)
    values = {"mark": fence_mark([listing]), "network": SETTINGS[given.setting][0]}
    name = template_name(GRAPH, given.variant)
    prompt = prompts.render(name, {**_names(row), "papers": listing}, values)
    more = {
        "question": prompts.render(f"{GRAPH}.question", _names(row), {}).text,
        "candidates": ids,
        "blocks": _lines_from_last(lines, prompt.spans["papers"][0]),
    }
    return _item(row, view, prompt, row["papers"], more)


def _item(
    row: Row,
    view: View[PromptArguments] | View[GraphArguments],
    prompt: Rendered,
    target: Sequence[str],
    more: Row,
) -> Item:
    end = view.round.manifest["window"]["end"]
    metadata = {
        **{name: row[name] for name in _NOTED},
        "task": view.task,
        "setting": view.given.setting,
        "variant": view.given.variant,
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
    """Places of each title with the line break before it, from the last to the second."""
    spans: list[Span] = []
    for title in titles:
        spans.append((start, start + len(title)))
        start += len(title) + 1
    return [(first - 1, last) for first, last in reversed(spans[1:])]


TASKS: dict[str, FamilyTask[Any]] = {PROMPT: RankByPrompt(), GRAPH: RankByGraph()}
