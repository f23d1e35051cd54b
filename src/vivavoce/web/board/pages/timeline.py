"""The timeline: how tasks went from round to round, and which rounds there were."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

from markupsafe import Markup

from vivavoce.results.logs.records import CONTESTANT
from vivavoce.store import Row
from vivavoce.text.printing import figure, visible
from vivavoce.web.board.blocks import Block, Words, link, words_page
from vivavoce.web.board.charts import MAX_LINES, Axis, Point, Series, axis_of, chart, short
from vivavoce.web.board.model import BoardOf, Site
from vivavoce.web.board.names import label
from vivavoce.web.board.overview import about_round
from vivavoce.web.board.page import Page

PATH = "timeline.html"
_MAX_CHARTS = 12
_MAX_NAME = 60
_LEAD = 0.04
"""Share of the axis that is free before its first round."""
_USUAL = "base"

Course = tuple[BoardOf, ...]
"""One task in one setting through the rounds, each round once."""


def page(site: Site) -> Page:
    """The page of all tasks over the rounds."""

    def make() -> Words:
        about = {str(entry["id"]): about_round(entry) for entry in reversed(site.rounds)}
        drawn = list(_usual_first(courses(site)))[:_MAX_CHARTS]
        rounds = [
            Block(
                title=visible(name),
                words=[about[name]["words"]] if name in about else [],
                items=[
                    link(PATH, board.path, board.title, visible(board.setting, 60))
                    for board in site.boards
                    if board.round == name
                ],
            )
            for name in reversed(site.round_names)
        ]
        return Words(
            title="Timeline",
            heading="From round to round",
            lead="Each round asks about other papers. The column “Seen before” on a task’s page "
            "says how many of them may be in a model’s training data. A score that moves from one "
            "round to the next may follow the model or the papers.",
            blocks=[
                Block(
                    title="Tasks over the rounds",
                    words=() if drawn else ["A chart begins with the second round of a task."],
                    figures=[_chart(number, course) for number, course in enumerate(drawn)],
                ),
                *rounds,
            ],
        )

    return words_page(PATH, {"site": site.key}, make, nav=site.nav)


def courses(site: Site) -> list[Course]:
    """Every task and setting that had two rounds, in the order of the boards.

    Scores of two versions of a task do not compare: a course follows the newest round's version.
    """
    places = {name: place for place, name in enumerate(site.round_names)}
    found: dict[tuple[str, str], list[BoardOf]] = {}
    for board in site.boards:
        found.setdefault((board.task, board.setting), []).append(board)
    made = []
    for boards in found.values():
        version = max(boards, key=lambda board: (places[board.round], board.version)).version
        same = [board for board in boards if board.version == version]
        made.append(tuple(sorted(same, key=lambda board: places[board.round])))
    return [course for course in made if len(course) > 1]


def _usual_first(found: list[Course]) -> Iterable[Course]:
    """One setting of each task before any second one, the usual setting before others."""
    ordered = sorted(found, key=lambda course: (course[0].task, course[0].setting != _USUAL))
    by_task = [list(of) for _, of in groupby(ordered, key=lambda course: course[0].task)]
    for place in range(max(map(len, by_task), default=0)):
        yield from (of[place] for of in by_task if place < len(of))


def _chart(number: int, course: Course) -> Markup:
    """The best contestants of a task, round by round."""
    newest = course[-1]
    setting = "" if newest.setting == _USUAL else f", {visible(newest.setting, 30)}"
    rounds = [visible(board.round, 30) for board in course]
    metric = visible(newest.headline, 30)
    found = _values_of(course)
    best = {name: of for name, of in found.items() if len(of) > 1}
    best = dict(list(best.items())[:MAX_LINES])
    last = len(rounds) - 1
    across = Axis("round", -_LEAD * last, last, names=[short(name, 14) for name in rounds])
    values = [value for of in best.values() for value in of.values()]
    return chart(
        f"course-{number}",
        f"{newest.title[:60]}{setting}",
        f"{metric} of {len(best)} contestants over {len(rounds)} rounds, {rounds[0]} to "
        f"{rounds[-1]}. First in the newest round: {next(iter(found), 'nobody')}.",
        f"{metric}, the best of the newest round. Each round holds other papers: a change may be "
        "theirs.",
        (across, axis_of(metric, values or [0.0, 1.0])),
        [
            Series(short(name, 14), [Point(at, value) for at, value in sorted(of.items())])
            for name, of in best.items()
        ],
        [
            ["Contestant", *rounds],
            *(
                [name, *(figure(of[at]) if at in of else "–" for at in range(len(rounds)))]
                for name, of in best.items()
            ),
        ],
        is_joined=True,
    )


def _values_of(course: Course) -> dict[str, dict[int, float]]:
    """By contestant its value in each round, those first who do best in the newest round."""
    found: dict[str, dict[int, float]] = {}
    for at in reversed(range(len(course))):
        for row in _best_first(course[at]):
            mine = found.setdefault(visible(label(row), _MAX_NAME), {})
            # Of several ways to run one contestant, the best stands for it.
            mine.setdefault(at, row["value"])
    return found


def _best_first(board: BoardOf) -> list[Row]:
    """The headline rows with a value, ceilings left out."""
    sign = -1 if board.higher_is_better else 1
    return sorted(
        board.valued, key=lambda row: (sign * row["value"], [str(row[name]) for name in CONTESTANT])
    )
