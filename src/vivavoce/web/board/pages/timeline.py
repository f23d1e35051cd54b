"""The timeline: how each task went from round to round, and which rounds there were."""

from __future__ import annotations

from typing import Any

from vivavoce.web.board.charts.drawing import Chart, shown
from vivavoce.web.board.charts.round_charts import Course, course_chart, courses, values_of
from vivavoce.web.board.model import Site
from vivavoce.web.board.overview import about_round
from vivavoce.web.board.page import Page, page_of, root_of

PATH = "timeline.html"
_MAX_ROWS = 250
_COURSES_SHOWN = 12
"""Charts on the page of all tasks; every task and setting has a page of its own as well."""


def pages(site: Site, *, charts: bool = True) -> list[Page]:
    """The page of all tasks, and one for each task and setting that had two rounds."""
    found = courses(site)
    long = [course for course in found if len(course.boards) > 1]
    return [_all_courses(site, found, charts), *(_one_course(one, site, charts) for one in long)]


def course_charts(site: Site) -> list[Chart]:
    """The charts these pages show."""
    made = (course_chart(course) for course in courses(site))
    return [chart for chart in made if chart is not None]


def course_path(course: Course) -> str:
    """Path of a course's page."""
    return f"timeline/{course.slug}.html"


def _all_courses(site: Site, found: list[Course], with_charts: bool) -> Page:
    def values() -> dict[str, Any]:
        long = [course for course in found if len(course.boards) > 1]
        about = {str(entry["id"]): about_round(entry) for entry in reversed(site.rounds)}
        drawn = _usual_first(long)[:_COURSES_SHOWN]
        plans = [chart for course in drawn if (chart := course_chart(course))]
        parts = shown(plans, root_of(PATH), is_drawn=with_charts)
        return {
            "rounds": [
                (name, about.get(name), [board for board in site.boards if board.round == name])
                for name in reversed(site.round_names)
            ],
            "drawn": list(zip([course_path(one) for one in drawn], parts, strict=True)),
            "listed": [(one.title, len(one.boards), course_path(one)) for one in long],
        }

    inputs = {"courses": [[one.slug, one.key] for one in found], "charts": with_charts}
    inputs["rounds"] = [dict(entry) for entry in site.rounds]
    return page_of(PATH, "timeline.html.j2", inputs, values, nav=site.nav)


def _usual_first(found: list[Course]) -> list[Course]:
    """One setting of each task before any second one, the usual setting before others."""
    seen: dict[str, int] = {}
    placed = []
    for course in sorted(found, key=lambda course: course.setting != "base"):
        seen[course.task] = seen.get(course.task, 0) + 1
        placed.append((seen[course.task], course))
    return [course for _, course in sorted(placed, key=lambda pair: pair[0])]


def _one_course(course: Course, site: Site, with_charts: bool) -> Page:
    path = course_path(course)

    def values() -> dict[str, Any]:
        found = list(values_of(course).items())
        plan = course_chart(course)
        return {
            "course": course,
            "chart": shown([plan] if plan else [], root_of(path), is_drawn=with_charts),
            "lines": found[:_MAX_ROWS],
            "unlisted": max(0, len(found) - _MAX_ROWS),
        }

    inputs = {"course": course.key, "slug": course.slug, "charts": with_charts}
    return page_of(path, "course.html.j2", inputs, values, nav=site.nav)
