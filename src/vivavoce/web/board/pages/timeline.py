"""The timeline: how tasks and contestants went from round to round, and which rounds there were."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from vivavoce.store import Row, hash_of
from vivavoce.web.board.charts.board_charts import MAX_LINES, open_rows
from vivavoce.web.board.charts.drawing import Chart, Figure, keys_of, shown
from vivavoce.web.board.charts.shapes import Axis, Line, Spec, axis_of, lines
from vivavoce.web.board.model import BoardOf, ModelOf, Site
from vivavoce.web.board.names import label, slug, title_of
from vivavoce.web.board.overview import about_round
from vivavoce.web.board.page import Page, page_of, root_of
from vivavoce.web.printing import visible

PATH = "timeline.html"
_COURSES_SHOWN = 12
_MAX_NAME = 60
_LEAD = 0.04
"""Share of the axis that is free before its first round."""
_USUAL = "base"


@dataclass(frozen=True, slots=True)
class Course:
    """One task in one setting, through the rounds."""

    task: str
    setting: str
    boards: tuple[BoardOf, ...]
    """In the order of their rounds, each round once."""

    @property
    def title(self) -> str:
        """The task in words, with the setting where that is not the usual one."""
        setting = "" if self.setting == _USUAL else f", {visible(self.setting, 30)}"
        return f"{title_of(self.task)[:60]}{setting}"

    @property
    def key(self) -> str:
        """Sha256 of its boards."""
        return hash_of([board.key for board in self.boards])

    @property
    def slug(self) -> str:
        """A file name for it."""
        return slug(f"{self.task.rpartition('/')[2][:200]}--{self.setting[:200]}", self.task)


def courses(site: Site) -> list[Course]:
    """Every task and setting, in the order of the boards.

    Scores of two versions of a task do not compare: a course follows the newest round's version.
    """
    places = {name: place for place, name in enumerate(site.round_names)}
    found: dict[tuple[str, str], list[BoardOf]] = {}
    for board in site.boards:
        found.setdefault((board.task, board.setting), []).append(board)
    made = []
    for (task, setting), boards in found.items():
        version = max(boards, key=lambda board: (places[board.round], board.version)).version
        same = [board for board in boards if board.version == version]
        same.sort(key=lambda board: places[board.round])
        made.append(Course(task, setting, tuple(same)))
    return made


def values_of(course: Course) -> dict[str, tuple[Row | None, ...]]:
    """By contestant its rows, one a round, those first who do best in the newest round."""
    found: dict[str, list[Row | None]] = {}
    size = len(course.boards)
    for place in reversed(range(size)):
        for row in open_rows(course.boards[place]):
            mine = found.setdefault(visible(label(row), _MAX_NAME), [None] * size)
            # Of several ways to run one contestant, the best stands for it.
            mine[place] = mine[place] or row
    return {name: tuple(rows) for name, rows in found.items()}


def course_chart(course: Course) -> Chart | None:
    """The best contestants of a task, round by round; None before there are two rounds."""
    if len(course.boards) < 2:
        return None
    path = f"charts/rounds/{course.slug}.svg"
    return Chart(path, hash_of(["rounds", course.key]), lambda: _course_figure(course))


def _course_figure(course: Course) -> Figure:
    newest = course.boards[-1]
    known = {
        name: {at: row["value"] for at, row in enumerate(rows) if row is not None}
        for name, rows in values_of(course).items()
    }
    drawn = {name: values for name, values in known.items() if len(values) > 1}
    best = dict(list(drawn.items())[:MAX_LINES])
    rounds = [visible(board.round, 30) for board in course.boards]
    plot = partial(_over_rounds, best, rounds, visible(newest.headline, 30))
    leader = next(iter(known), "nobody")
    values = {"metric": newest.headline, "drawn": best, "rounds": rounds, "leader": leader}
    return Figure(course.title, "course", plot, values)


def contestant_charts(site: Site, one: ModelOf) -> list[Chart]:
    """The chart of a contestant's page: its scores over the rounds; none before there are two."""
    if one.kind == "ceiling":
        return []
    rounds, drawn = _own_courses(site, one)
    if not drawn:
        return []
    key = hash_of(
        [
            "contestant",
            one.name,
            rounds,
            [[task, list(line.items())] for task, line in drawn.items()],
        ]
    )
    path = f"charts/{one.path.removesuffix('.html')}.svg"
    return [Chart(path, key, lambda: _own_figure(one, rounds, drawn))]


def _own_courses(site: Site, one: ModelOf) -> tuple[list[str], dict[str, dict[int, float]]]:
    """A contestant's rounds, and for each of its tasks the values there; those with two or more."""
    found, rounds = site.of(one)
    at = {name: place for place, name in enumerate(rounds)}
    series: dict[tuple[str, str, str], dict[int, float]] = {}
    for board, row, _ in found:
        if (value := row["value"]) is not None:
            key = (board.task, board.setting, str(row["method"]))
            series.setdefault(key, {}).setdefault(at[board.round], value)
    # The longest course of each task, in its usual setting where that is as long.
    ordered = sorted(series, key=lambda key: (-len(series[key]), key[1] != _USUAL, key))
    chosen: dict[str, dict[int, float]] = {}
    for key in ordered:
        if len(series[key]) > 1:
            chosen.setdefault(title_of(key[0]), series[key])
    return rounds, dict(list(chosen.items())[:MAX_LINES])


def _own_figure(one: ModelOf, rounds: list[str], drawn: dict[str, dict[int, float]]) -> Figure:
    plot = partial(_over_rounds, drawn, [visible(name, 30) for name in rounds], "score")
    values = {"name": one.name, "rounds": rounds, "drawn": drawn}
    return Figure("Over the rounds", "contestant", plot, values)


def _over_rounds(
    drawn: Mapping[str, Mapping[int, float]], rounds: Sequence[str], title: str
) -> Spec:
    last = max(1, len(rounds) - 1)
    x = Axis("round", (-_LEAD * last, last))
    values = [value for line in drawn.values() for value in line.values()]
    series = [Line(name, sorted(line.items())) for name, line in drawn.items()]
    return lines(series, x, axis_of(title, values or [0.0, 1.0]), rounds)


def course_charts(site: Site) -> list[Chart]:
    """The charts of the timeline: a setting of each task before any second one of it."""
    long = [course for course in courses(site) if len(course.boards) > 1]
    made = (course_chart(course) for course in _usual_first(long)[:_COURSES_SHOWN])
    return [chart for chart in made if chart is not None]


def page(site: Site, charts: Sequence[Chart]) -> Page:
    """The page of all tasks over the rounds."""

    def values() -> dict[str, Any]:
        about = {str(entry["id"]): about_round(entry) for entry in reversed(site.rounds)}
        return {
            "rounds": [
                (name, about.get(name), [board for board in site.boards if board.round == name])
                for name in reversed(site.round_names)
            ],
            "charts": shown(charts, root_of(PATH)),
        }

    inputs: dict[str, Any] = {"charts": keys_of(charts), "rounds": site.rounds}
    inputs["boards"] = [board.path for board in site.boards]
    return page_of(PATH, "timeline.html.j2", inputs, values, nav=site.nav)


def _usual_first(found: list[Course]) -> list[Course]:
    """One setting of each task before any second one, the usual setting before others."""
    seen: dict[str, int] = {}
    placed = []
    for course in sorted(found, key=lambda course: course.setting != _USUAL):
        seen[course.task] = seen.get(course.task, 0) + 1
        placed.append((seen[course.task], course))
    return [course for _, course in sorted(placed, key=lambda pair: pair[0])]
