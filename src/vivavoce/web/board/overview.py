"""The first page: a matrix of contestants and tasks, with prices and other facts."""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from vivavoce.reports import NOTHING, Sheet
from vivavoce.store import Row
from vivavoce.tasks import list_families
from vivavoce.text.printing import figure, share, visible
from vivavoce.web.board.answers import (
    FACTS,
    Answer,
    about_model,
    answers_of,
    may_lead,
    price_of,
    shares_above,
    shares_text,
)
from vivavoce.web.board.entries import dollars, identity_of, label, title_of
from vivavoce.web.board.model import BoardOf, ModelOf, Site
from vivavoce.web.board.page import link

Interval = tuple[float, float]

SHADES = 5
MAX_DETAILED = 1200
"""Up to this number, cells also show interval and ranks; this keeps the page below 300 KB."""


class Cell(NamedTuple):
    """A contestant's best result on one board."""

    row: Row
    shade: int
    """Share of others that the contestant significantly beats, in steps from 0 to SHADES - 1."""
    may_lead: bool
    """True if it may be the best of several: see `may_lead`."""


class Line(NamedTuple):
    """A contestant's line in the matrix."""

    model: ModelOf
    name: str
    options: str
    """Arguments of a method, shown in small type beside the name."""
    cells: tuple[Cell | None, ...]
    """One per board of the newest round."""
    better_than: Interval | None
    """Bounds on the share of others that the contestant is better than, averaged over families.

    A family without results of the contestant counts as 0.
    """
    price: float | None
    """US dollars per answer; None if no board records a cost."""
    valid: str
    seen: str
    judge: str
    cutoff: str
    rows: Sequence[Row]
    """The contestant's rows on these boards."""

    @property
    def weights(self) -> str:
        """State of the model's weights, `open` or `closed`; empty if unknown."""
        return about_model(self.rows, "open_weights")


class Head(NamedTuple):
    """A column of facts between the names and the tasks."""

    label: str
    kind: str
    """`text` or `number`, for sorting."""
    of: Callable[[Line], str]
    words: str = "{}"
    """Text that a phone shows below the name in place of the cell."""
    first: str = "ascending"
    stays: bool = True
    """True if the column stays visible while the tasks are scrolled."""


HEADS = (
    Head(
        "Better than",
        "number",
        lambda line: shares_text(line.better_than),
        "better than {} of the others",
        "descending",
    ),
    Head(
        "$ per answer",
        "number",
        lambda line: "" if line.price is None else dollars(line.price),
        "${} each",
    ),
    Head("Valid", "number", lambda line: line.valid, "{} valid", "descending"),
    Head("Seen before", "number", lambda line: line.seen, "{} seen before"),
    Head("Judge calibrated", "text", lambda line: line.judge, "judge calibrated: {}", stays=False),
    Head("Maker", "text", lambda line: about_model(line.rows, "maker"), stays=False),
    Head("Weights", "text", lambda line: line.weights, stays=False),
    Head("Size", "text", lambda line: about_model(line.rows, "size"), stays=False),
    Head("Released", "text", lambda line: about_model(line.rows, "released"), stays=False),
)


def overview(site: Site) -> dict[str, Any]:
    """Values for `index.html.j2`."""
    boards = [board for board in site.boards if [board.round] == list(site.round_names[-1:])]
    families: dict[str, list[BoardOf]] = defaultdict(list)
    for board in boards:
        families[board.family].append(board)
    boards = [board for group in families.values() for board in group]
    lines = lines_of(site, boards)
    return {
        "newest": site.round_names[-1] if site.round_names else "",
        "families": [(name, *family_of(name), of) for name, of in families.items()],
        "answers": [_answers(family_of(name)[0], of) for name, of in families.items()],
        "boards": boards,
        "settings": list(dict.fromkeys(board.setting for board in boards)),
        "rounds": site.round_names,
        "courses": courses_of(site),
        "lines": lines,
        "is_detailed": len(lines) * len(boards) <= MAX_DETAILED,
        "facts": [head for head in HEADS if head.label == "Valid" or any(map(head.of, lines))],
        "has_prices": any(line.price is not None for line in lines),
        "has_cutoffs": any(line.seen for line in lines),
        "has_weights": any(line.weights for line in lines),
        "about_rounds": [about_round(entry) for entry in site.whole.rounds],
    }


class Answers(NamedTuple):
    """The answers of a family."""

    title: str
    answers: Sequence[Answer]
    facts: Sequence[tuple[int, str]]
    """Indices and headings of the facts that some contestant has."""


def _answers(title: str, boards: Sequence[BoardOf]) -> Answers:
    """Collect the answers of a family from its boards."""
    answers = answers_of(boards)
    lines = [line for answer in answers for line in answer.lines]
    facts = [pair for pair in enumerate(FACTS) if any(line.facts[pair[0]] for line in lines)]
    return Answers(title, answers, facts)


def family_of(family: str) -> tuple[str, str]:
    """A family's title and summary; without a card, its name as a title."""
    card = list_families().get(family)
    return (card.title, card.summary) if card else (title_of(family) or "Tasks", "")


def about_round(entry: Mapping[str, Any]) -> dict[str, Any]:
    """A round's entry, with `words`, a text on its window and contents."""
    start, end = map(visible, entry["window"])
    tasks = entry["counts"].items()
    counts = " · ".join(f"{visible(name).replace('_', ' ')} {count:,}" for name, count in tasks)
    within = f"  Contents: {counts}" if counts else ""
    return {**entry, "words": f"Papers published from {start} until before {end}.{within}"}


def courses_of(site: Site) -> Sheet:
    """The best value of every task and setting in each round."""
    # Versions of a task share a line; the last version in a round is shown.
    courses: dict[tuple[str, str], dict[str, BoardOf]] = defaultdict(dict)
    for board in site.boards:
        courses[board.task, board.setting][board.round] = board

    def cell(board: BoardOf | None) -> str:
        if board is None:
            return ""
        unsettled = "undecided" if board.ranked[1:] else "no other contestant"
        winner = label(board.winner) if board.winner else unsettled
        title = winner if board.best and len(site.round_names) < _MAX_NAMED else ""
        value = figure(board.best["value"]) if board.best else NOTHING
        return link("index.html", board.path, value, title)

    newest_first = site.round_names[::-1]
    counts = map(len, (site.contestants, site.boards, site.round_names))
    return Sheet(
        "",
        ("Task", "Setting", *(visible(name, 40) for name in newest_first)),
        tuple(
            (title_of(task), visible(setting), *(cell(of.get(name)) for name in newest_first))
            for (task, setting), of in courses.items()
        ),
        ("{:,} contestants on {:,} boards of {:,} rounds.".format(*counts),),
    )


_MAX_NAMED = 4
"""Number of rounds from which the table of all rounds no longer names winners."""


def lines_of(site: Site, boards: Sequence[BoardOf]) -> list[Line]:
    """Lines of all contestants except the ceiling, best first."""
    best = [best_rows(board) for board in boards]
    made = []
    for one in site.contestants:
        if one.kind == "ceiling":
            continue
        rows = [board_rows.get((one.kind, one.name)) for board_rows in best]
        made.append(_line(one, boards, rows))
    return sorted(made, key=lambda line: [-end for end in line.better_than or (-1.0, -1.0)])


def _line(one: ModelOf, boards: Sequence[BoardOf], rows: Sequence[Row | None]) -> Line:
    shares: dict[str, list[Interval]] = {board.family: [] for board in boards}
    for board, row in zip(boards, rows, strict=True):
        if row is None or one.kind == "floor":  # floors do not compete
            continue
        if (above := shares_above(row, len(board.ranked))) is not None:
            shares[board.family].append(above)
    measured = [row for row in rows if row is not None]
    cutoffs = [(row["exposure"] or {}).get("cutoff") for row in measured]
    name, _, options = visible(one.name, 200).partition("(")
    known = [row for row in measured if row["valid"] is not None]
    items = sum(row["n"] for row in known)
    return Line(
        one,
        name,
        options.removesuffix(")"),
        tuple(
            _cell(row, len(board.ranked)) if row else None
            for board, row in zip(boards, rows, strict=True)
        ),
        _mean([_mean(of) if of else (0.0, 0.0) for of in shares.values()])
        if any(shares.values())
        else None,
        price_of(measured),
        share(math.fsum(row["valid"] * row["n"] for row in known) / items) if items else "",
        _seen(measured),
        _judge(measured),
        next((str(cutoff) for cutoff in cutoffs if cutoff), ""),
        measured,
    )


def _cell(row: Row, ranked: int) -> Cell:
    low, _ = shares_above(row, ranked) or (0.0, 0.0)
    return Cell(row, min(SHADES - 1, int(low * SHADES)), ranked > 1 and may_lead(row))


def _mean(intervals: Sequence[Interval]) -> Interval:
    low, high = (math.fsum(ends) / len(intervals) for ends in zip(*intervals, strict=True))
    return low, high


def _seen(rows: Sequence[Row]) -> str:
    """Share of items that a model may have seen in training; "unknown" if its cutoff is unknown."""
    counts: Counter[str] = Counter()
    for row in rows:
        counts.update((row["exposure"] or {}).get("items") or {})
    known = sum(counts.values()) - counts["unknown"]
    if not known:
        return "unknown" if counts or any(row["contamination"] for row in rows) else ""
    return share((known - counts["clean"]) / known)


def _judge(rows: Sequence[Row]) -> str:
    judged = [row for row in rows if row["judge"]]
    if not judged:
        return ""
    calibrated = sum(bool(row["calibrated"]) for row in judged)
    return f"{calibrated} of {len(judged):,}"


def best_rows(board: BoardOf) -> dict[tuple[str, str], Row]:
    """The best ranked headline row of each model, across its methods."""
    rows: dict[tuple[str, str], Row] = {}
    for row in board.headline_rows:
        identity = identity_of(row)
        if row["rank"] is None or identity[0] == "ceiling":
            continue
        if identity not in rows or row["rank"] < rows[identity]["rank"]:
            rows[identity] = row
    return rows
