"""The first page: who may be best at each task, then a matrix of contestants and tasks."""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from vivavoce.reports import NOTHING, Sheet
from vivavoce.store import Row
from vivavoce.tasks import list_families
from vivavoce.text.printing import figure, share, visible
from vivavoce.web.board.entries import (
    bounds_of,
    dollars,
    identity_of,
    is_first,
    is_floor,
    kind_of,
    label,
    rank_bounds,
    title_of,
)
from vivavoce.web.board.model import BoardOf, Site
from vivavoce.web.board.page import link

Ends = tuple[float, float]

SHADES = 5
MAX_DETAILED = 1200
"""Up to this number, cells also show interval and ranks; this keeps the page below 300 KB."""
MAX_BOARDS = 8
"""Maximum number of answers per family; the matrix below shows the other boards."""
MAX_NAMED = 4
"""Maximum number of contestants named per board, and of rounds for which winners are named."""
_WIDTH, _MARGIN = 160, 6
"""Width of an interval's image and its margin at each end, in pixels."""


class Cell(NamedTuple):
    """A contestant's best result on one board."""

    row: Row
    shade: int
    """Share of others that the contestant significantly beats, in steps from 0 to SHADES - 1."""
    may_lead: bool
    """True if it may be the best of several: see `may_lead`."""


class Line(NamedTuple):
    """A contestant's line in the matrix."""

    kind: str
    is_own: bool
    """True if all its rows come from the reader's own logs."""
    name: str
    options: str
    """Arguments of a method, shown in small type beside the name."""
    cells: tuple[Cell | None, ...]
    """One per board of the newest round."""
    better_than: Ends | None
    """Bounds on the share of others that the contestant is better than, averaged over families.

    A family without results of the contestant counts as 0.
    """

    @property
    def rows(self) -> list[Row]:
        """The contestant's rows on these boards."""
        return [cell.row for cell in self.cells if cell]

    @property
    def price(self) -> float | None:
        """US dollars per answer; None if no board records a cost."""
        return price_of(self.rows)

    @property
    def cutoff(self) -> str:
        """End of the model's training data, or `never`; empty if unknown."""
        cutoffs = ((row["exposure"] or {}).get("cutoff") for row in self.rows)
        return next((str(cutoff) for cutoff in cutoffs if cutoff), "")

    @property
    def weights(self) -> str:
        """State of the model's weights, `open` or `closed`; empty if unknown."""
        return about_model(self.rows, "open_weights")


class Contender(NamedTuple):
    """A contestant in an answer."""

    row: Row
    may_lead: bool
    """False for the one baseline or model that is shown only for comparison."""
    better_than: str
    """Shares of the others that this one beats significantly and possibly, such as `45–80%`."""
    places: tuple[int, int, int]
    """Positions of low end, value and high end in the image of the interval."""
    facts: tuple[str, ...]


class Answer(NamedTuple):
    """The contestants that may be best at a task."""

    title: str
    path: str
    note: str
    """Setting and metric of the values."""
    verdict: str
    """Short statement on how many may be best."""
    lines: tuple[Contender, ...]


class Answers(NamedTuple):
    """The answers of a family."""

    title: str
    answers: Sequence[Answer]
    facts: Sequence[tuple[int, str]]
    """Indices and headings of the facts that some contestant has."""


def price_of(rows: Sequence[Row]) -> float | None:
    """US dollars per answer over the rows that record a cost."""
    paid = [row for row in rows if row["cost"] is not None]
    answers = sum(row["answers"] for row in paid)
    return math.fsum(row["cost"] for row in paid) / answers if answers else None


def about_model(rows: Sequence[Row], name: str) -> str:
    """A fact about a model from the table of models; empty if unknown."""
    facts = ((row["exposure"] or {}).get(name) for row in rows)
    fact = next((each for each in facts if each not in (None, "never")), "")
    return ("open" if fact else "closed") if isinstance(fact, bool) else visible(fact, 40)


def _price(rows: Sequence[Row]) -> str:
    price = price_of(rows)
    return "" if price is None else dollars(price)


def _seconds(rows: Sequence[Row]) -> str:
    timed = [row for row in rows if row["seconds"] is not None and kind_of(row) == "model"]
    answers = sum(row["answers"] for row in timed)
    return f"{math.fsum(row['seconds'] for row in timed) / answers:.1f}" if answers else ""


def _valid(rows: Sequence[Row]) -> str:
    """Share of valid answers over all items."""
    known = [row for row in rows if row["valid"] is not None]
    items = sum(row["n"] for row in known)
    return share(math.fsum(row["valid"] * row["n"] for row in known) / items) if items else ""


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
    calibrated = sum(bool(row["calibrated"]) for row in judged)
    return f"{calibrated} of {len(judged):,}" if judged else ""


FACTS: Mapping[str, Callable[[Sequence[Row]], str]] = {
    "$ per answer": lambda rows: f"${price}" if (price := _price(rows)) else "",
    "Seconds": _seconds,
    "Weights": lambda rows: about_model(rows, "open_weights"),
    "Size": lambda rows: about_model(rows, "size"),
    "Cutoff": lambda rows: about_model(rows, "cutoff"),
}
"""Facts in the answers; a column is shown if any contestant has a value."""


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
    Head("$ per answer", "number", lambda line: _price(line.rows), "${} each"),
    Head("Valid", "number", lambda line: _valid(line.rows), "{} valid", "descending"),
    Head("Seen before", "number", lambda line: _seen(line.rows), "{} seen before"),
    Head(
        "Judge calibrated",
        "text",
        lambda line: _judge(line.rows),
        "judge calibrated: {}",
        stays=False,
    ),
    Head("Maker", "text", lambda line: about_model(line.rows, "maker"), stays=False),
    Head("Weights", "text", lambda line: line.weights, stays=False),
    Head("Size", "text", lambda line: about_model(line.rows, "size"), stays=False),
    Head("Released", "text", lambda line: about_model(line.rows, "released"), stays=False),
)


def overview(site: Site) -> dict[str, Any]:
    """Values for `index.html.j2`."""
    families: dict[str, list[BoardOf]] = defaultdict(list)
    for board in site.boards:
        if board.round == site.round_names[-1]:
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
        "has_cutoffs": any(_seen(line.rows) for line in lines),
        "has_weights": any(line.weights for line in lines),
        "about_rounds": [about_round(entry) for entry in site.whole.rounds],
    }


def _answers(title: str, boards: Sequence[BoardOf]) -> Answers:
    """Answers for the boards with ranked contestants, the setting `base` first."""
    ranked = [board for board in boards if board.ranked]
    ranked.sort(key=lambda board: (board.setting != "base", board.task, board.setting))
    answers = list(map(_answer, ranked[:MAX_BOARDS]))
    lines = [line for answer in answers for line in answer.lines]
    facts = [pair for pair in enumerate(FACTS) if any(line.facts[pair[0]] for line in lines)]
    return Answers(title, answers, facts)


def _answer(board: BoardOf) -> Answer:
    first = [row for row in board.ranked if may_lead(row)]
    shown = first[:MAX_NAMED]
    kinds = {kind_of(row) == "model" for row in first}
    if len(kinds) == 1:  # a model means little without a baseline beside it, and vice versa
        shown += [row for row in board.ranked if (kind_of(row) == "model") not in kinds][:1]
    low = min((min(*bounds_of(row), row["value"]) for row in shown), default=0.0)
    high = max((max(*bounds_of(row), row["value"]) for row in shown), default=1.0)

    def place(value: float) -> int:
        fraction = 0.5 if high == low else (value - low) / (high - low)
        return round(_MARGIN + (_WIDTH - 2 * _MARGIN) * fraction)

    lines = []
    for row in shown:
        least, most = bounds_of(row)
        places = place(least), place(row["value"]), place(most)
        better = shares_text(shares_above(row, len(board.ranked)))
        facts = tuple(of([row]) for of in FACTS.values())
        lines.append(Contender(row, row in first, better, places, facts))
    note = f"{visible(board.setting, 40)} · {visible(board.headline, 40)}"
    note += "" if board.higher_is_better else ", lower is better"
    verdict = _verdict(first, len(board.ranked))
    return Answer(board.title, board.path, note, verdict, tuple(lines))


def _verdict(first: Sequence[Row], ranked: int) -> str:
    if not first:
        return "no contestant is above the floor"
    if ranked == 1:
        return "no other contestant"
    if not first[0]["rank_interval"]:
        return "differences were not tested"
    if len(first) == 1:
        return "one is best" if is_first(first[0]) else "not shown to beat the floor"
    unnamed = len(first) - MAX_NAMED
    more = f"; {unnamed:,} not listed" if unnamed > 0 else ""
    return f"{len(first):,} may be best{more}"


def may_lead(row: Row) -> bool:
    """Check that rank 1 is possible, the row is not a floor, and some answer is valid."""
    return rank_bounds(row)[0] == 1 and not is_floor(row) and row["valid"] != 0


def shares_above(row: Row, ranked: int) -> Ends | None:
    """Bounds on the share of a board's other contestants that a row is better than.

    None if the contestants were not compared item by item.
    """
    if not row["rank_interval"] or ranked < 2:
        return None
    low, high = row["rank_interval"]
    return max(0.0, (ranked - high) / (ranked - 1)), max(0.0, (ranked - low) / (ranked - 1))


def shares_text(ends: Ends | None) -> str:
    """Print two shares, such as `45–80%`; empty for None."""
    low, high = (f"{end:.0%}" for end in ends) if ends else ("", "")
    return low if low == high else f"{low.removesuffix('%')}–{high}"


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
        title = winner if board.best and len(site.round_names) < MAX_NAMED else ""
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


def lines_of(site: Site, boards: Sequence[BoardOf]) -> list[Line]:
    """Lines of all contestants except the ceiling, best first."""
    best = [_best_rows(board) for board in boards]
    lines = []
    for (kind, raw), is_own in site.contestants.items():
        if kind == "ceiling":
            continue
        shares: dict[str, list[Ends]] = {board.family: [] for board in boards}
        cells: list[Cell | None] = []
        for board, rows in zip(boards, best, strict=True):
            if (row := rows.get((kind, raw))) is None:
                cells.append(None)
                continue
            ranked = len(board.ranked)
            above = shares_above(row, ranked)
            shade = min(SHADES - 1, int(above[0] * SHADES)) if above else 0
            cells.append(Cell(row, shade, ranked > 1 and may_lead(row)))
            if above and kind != "floor":  # floors do not compete
                shares[board.family].append(above)
        better = None
        if any(shares.values()):
            better = _mean([_mean(of) if of else (0.0, 0.0) for of in shares.values()])
        name, _, options = visible(raw, 200).partition("(")
        lines.append(Line(kind, is_own, name, options.removesuffix(")"), tuple(cells), better))
    return sorted(lines, key=lambda line: [-end for end in line.better_than or (-1.0, -1.0)])


def _mean(intervals: Sequence[Ends]) -> Ends:
    low, high = (math.fsum(ends) / len(intervals) for ends in zip(*intervals, strict=True))
    return low, high


def _best_rows(board: BoardOf) -> dict[tuple[str, str], Row]:
    """The best ranked headline row of each model, across its methods."""
    rows: dict[tuple[str, str], Row] = {}
    placed = [row for row in board.headline_rows if row["rank"] is not None]
    for row in sorted(placed, key=lambda row: row["rank"]):
        rows.setdefault(identity_of(row), row)
    return rows
