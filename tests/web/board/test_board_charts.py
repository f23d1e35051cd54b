"""What stands on charts, which charts a page gets, and that a drawing is nothing but a drawing."""

from __future__ import annotations

import itertools
import subprocess
import sys
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree, html
from tests.web.board.board_courses import exposed, scored, site_with
from tests.web.board.board_rows import HOSTILE

from vivavoce.errors import MissingExtra, VivaError
from vivavoce.web.board.charts import drawing
from vivavoce.web.board.charts.board_charts import board_charts, price_chart
from vivavoce.web.board.charts.drawing import drawings, shown
from vivavoce.web.board.charts.shapes import (
    HEIGHT,
    WIDTH,
    Dot,
    Line,
    Pair,
    axis_of,
    height_of_pairs,
    lines,
    pairs,
    scatter,
    short,
)
from vivavoce.web.board.pages.timeline import contestant_charts, course_chart, courses

SVG = "{http://www.w3.org/2000/svg}"


def svg_of(spec: dict[str, Any]) -> etree._Element:
    return etree.fromstring(drawing.draw(spec))


def texts(drawn: etree._Element) -> list[str]:
    return ["".join(text.itertext()) for text in drawn.iter(SVG + "text")]


class Shown(NamedTuple):
    """A chart as a page shows it."""

    title: str
    alt: str
    note: str
    rows: tuple[tuple[str, ...], ...]
    spec: dict[str, Any]


def figures_of(*rows: dict) -> dict[str, Shown]:
    site = site_with(*rows)
    made = []
    for chart in board_charts(site, site.boards[-1]):
        found = html.fromstring(shown([chart], "")[0])
        lines = [tr.xpath("th | td") for tr in found.xpath(".//tbody/tr")]
        table = tuple(tuple(cell.text_content().strip() for cell in line) for line in lines)
        note = found.xpath("string(figcaption/span)")
        words = (found.xpath("string(figcaption/strong)"), found.xpath("string(.//img/@alt)"), note)
        made.append(Shown(*words, table, dict(chart.build().spec)))
    return {figure.title: figure for figure in made}


def test_a_board_with_costs_shows_score_against_cost() -> None:
    figure = figures_of(
        scored("a/dear", 0.6, 1, cost=10.0),  # 10 dollars / 100 answers = 0.1
        scored("b/cheap", 0.5, 2, cost=0.1),
        scored("c/beaten", 0.4, 3, cost=0.5),
    )["Score and cost"]
    assert figure.rows == (
        ("a/dear", "0.1", "0.600", "0.580–0.620"),
        ("b/cheap", "0.001", "0.500", "0.480–0.520"),
        ("c/beaten", "0.005", "0.400", "0.380–0.420"),
    )
    assert "Best: a/dear with 0.600 at 0.1." in figure.alt
    assert "logarithmic" in figure.note
    assert {"dear", "cheap", "US$ an answer", "rougeL"} <= set(texts(svg_of(figure.spec)))


def test_in_a_crowd_only_those_whom_nobody_beats_for_less_are_named() -> None:
    beaten = [scored(f"m/{n}", 0.3 - n / 100, n + 3, cost=5.0 + n) for n in range(15)]
    rows = [scored("a/dear", 0.6, 1, cost=10.0), scored("b/cheap", 0.5, 2, cost=0.1), *beaten]
    found = texts(svg_of(figures_of(*rows)["Score and cost"].spec))
    assert "dear" in found
    assert "cheap" in found
    assert "3" not in found


def test_without_costs_tokens_are_taken_and_then_seconds() -> None:
    free = {"cost": None}
    first = scored("a/one", 0.6, 1, tokens=500_000, **free)
    assert "Score and tokens" in figures_of(first, scored("b/two", 0.5, 2, **free))
    idle = {"cost": None, "tokens": 0}
    slow = scored("a/one", 0.6, 1, seconds=500.0, **idle)
    assert "Score and time" in figures_of(slow, scored("b/two", 0.5, 2, seconds=90.0, **idle))
    assert not figures_of(scored("a/one", 0.6, 1, **idle), scored("b/two", 0.5, 2, **idle))


def test_before_and_after_the_cutoff() -> None:
    rows = [
        scored("a/even", 0.6, 1, exposure=exposed(0.61, 0.60)),
        scored("b/read-it", 0.5, 2, exposure=exposed(0.7, 0.4)),
        scored("c/never", 0.4, 3, exposure=None),
    ]
    figure = figures_of(*rows)["Before and after the cutoff"]
    assert figure.rows[0] == (
        "b/read-it",
        "2025-06",
        "0.700 (40)",
        "0.400 (60)",
        "0.300",
        "0.250–0.350",
    )
    assert "Widest gap: b/read-it, 0.700 before and 0.400 after." in figure.alt
    assert [row[0] for row in figure.rows] == ["b/read-it", "a/even"]


def test_settings_of_growing_context_make_lines() -> None:
    rows = [
        scored("a/one", 0.6, 1, setting="base", tokens=900_000),
        scored("a/one", 0.4, 1, setting="mixed", tokens=5_000_000),
        scored("null", 0.1, 2, setting="base", method="null"),
    ]
    figure = figures_of(*rows)["Score and length of the context"]
    assert [row[:4] for row in figure.rows] == [
        ("a/one", "base", "9,000", "0.600"),
        ("a/one", "mixed", "50,000", "0.400"),
    ]
    site = site_with(*rows)
    paths = [board_charts(site, board)[0].path for board in site.boards]
    assert paths[0] == paths[1], "the boards of a task share the drawing"


def test_one_setting_is_no_line() -> None:
    assert "Score and length of the context" not in figures_of(
        scored("a/one", 0.6, 1, cost=2.0), scored("b/two", 0.5, 2)
    )


def test_a_course_needs_two_rounds_of_one_version() -> None:
    old = scored("a/one", 0.3, 1, round="2025-04")
    new = scored("a/one", 0.4, 1, round="2025-07")
    (course,) = courses(site_with(new, old))
    assert [board.round for board in course.boards] == ["2025-04", "2025-07"]
    assert course_chart(course) is not None
    changed = site_with(old, {**new, "task_version": "2"})
    (course,) = courses(changed)
    assert [board.version for board in course.boards] == ["2"]
    assert course_chart(course) is None
    assert contestant_charts(changed, changed.contestants[0])


def test_a_contestant_has_a_line_for_each_task() -> None:
    rows = [
        scored("a/one", value, 1, round=name, task=task)
        for name, value in (("2025-04", 0.3), ("2025-07", 0.4))
        for task in ("vivavoce/title", "vivavoce/abstract")
    ]
    site = site_with(*rows)
    (chart,) = contestant_charts(site, site.contestants[0])
    drawn = texts(svg_of(chart.build().spec))
    assert {"Title", "Abstract", "2025-04", "2025-07"} <= set(drawn)
    one_round = site_with(*rows[:2])
    assert not contestant_charts(one_round, one_round.contestants[0])


def test_quality_is_drawn_against_price_over_all_families() -> None:
    rows = [
        scored(
            model,
            0.5 - rank / 10,
            rank,
            family=family,
            task=f"vivavoce/{task}",
            rank_interval=[rank, rank] if family == "writing" else [1, 2],
            cost=cost,
        )
        for family, task in (("writing", "title"), ("tables", "table"))
        for rank, model, cost in ((1, "a/one", 2.4), (2, "b/two", 1.2))
    ]
    chart = price_chart(site_with(*rows))
    assert chart is not None
    figure = chart.build()
    assert {"one", "two", "US$ an answer", "better than"} <= set(texts(svg_of(figure.spec)))
    # Of one other contestant the first is surely better in one family of two, and the second in
    # none; of tables the items show neither.
    assert [(price, shares) for _, price, shares in figure.values["found"]] == [
        (pytest.approx(0.024), (0.5, 1.0)),
        (pytest.approx(0.012), (0.0, 0.5)),
    ]
    same = [{**row, "cost": 1.2} for row in rows]
    assert price_chart(site_with(*same)) is None


EVERY_FORM = {
    "scatter": lambda name: scatter(
        name, name, [Dot(1, 0.2, name=name, low=0.1, high=0.3), Dot(9, 0.7, True)]
    ),
    "lines": lambda name: lines(
        [Line(name, ((0, 0.1), (1, 0.2)))],
        axis_of(name, [0, 1]),
        axis_of(name, [0.1, 0.2]),
        [name[:40], name[:40]],
    ),
    "pairs": lambda name: pairs(name, [Pair(name, 0.1, 0.2)]),
}


@pytest.mark.parametrize("form", EVERY_FORM)
@pytest.mark.parametrize("name", HOSTILE[:-2])
def test_hostile_names_are_only_text_in_a_drawing(form: str, name: str) -> None:
    drawn = svg_of(EVERY_FORM[form](short(name, 60)))
    allowed = {SVG + tag for tag in ("svg", "g", "path", "line", "rect", "text", "style")}
    for element in drawn.iter():
        assert element.tag in allowed
        for attribute, value in element.attrib.items():
            assert not attribute.startswith("on")
            assert "href" not in attribute
            assert "url(" not in value
    shown_as = short(name, 60)
    assert any(shown_as[:8] in text for text in texts(drawn))


@pytest.mark.parametrize("form", EVERY_FORM)
def test_a_drawing_names_nothing_outside_itself(form: str) -> None:
    text = drawing.draw(EVERY_FORM[form]("a/one")).decode()
    assert text.count("http") == text.count("http://www.w3.org/2000/svg")
    assert "@import" not in text
    assert "@font-face" not in text
    assert "prefers-color-scheme:dark" in text


def test_every_colour_of_a_drawing_has_a_dark_one() -> None:
    for form in EVERY_FORM.values():
        drawn = svg_of(form("a/one"))
        used = {
            element.get(name)
            for element in drawn.iter(*(SVG + tag for tag in ("path", "line", "rect", "text")))
            for name in ("fill", "stroke")
        }
        style = drawn.findtext(SVG + "style") or ""
        for colour in used - {None, "none", "transparent"}:
            assert f'"{colour}"]' in style


def test_the_same_chart_is_drawn_alike_in_another_process() -> None:
    code = (
        "import sys; from vivavoce.web.board.charts import drawing, shapes; "
        "spec = shapes.pairs('b', [shapes.Pair('a', 0.1, 0.2)]); "
        "sys.stdout.buffer.write(drawing.draw(spec))"
    )
    again = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert again.stdout == drawing.draw(pairs("b", [Pair("a", 0.1, 0.2)]))


def test_nothing_is_fetched_for_a_drawing() -> None:
    spec = EVERY_FORM["pairs"]("a")
    spec["data"] = {"url": "http://127.0.0.1:9/secret.json"}
    with pytest.raises(VivaError, match="could not be drawn"):
        drawing.draw(spec)


def test_anything_but_shapes_and_text_is_refused() -> None:
    spec = EVERY_FORM["pairs"]("a")
    spec["layer"][0]["mark"] = {"type": "image", "url": "x.png", "width": 9, "height": 9}
    with pytest.raises(VivaError, match="image"):
        drawing.draw(spec)


def test_without_the_drawing_package_tables_stand_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    site = site_with(scored("a/one", 0.6, 1, cost=2.0), scored("b/two", 0.5, 2))
    charts = board_charts(site, site.boards[0])
    (with_drawing,) = shown(charts, "../../")
    assert f'src="../../{charts[0].path}"' in with_drawing
    assert "<details>" in with_drawing
    # A package that is None in sys.modules cannot be imported.
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    assert not drawing.is_available()
    assert drawings(charts) == []
    (table_alone,) = shown(charts, "../../")
    assert "<img" not in table_alone
    assert "<details open>" in table_alone
    with pytest.raises(MissingExtra, match=r"vl-convert-python.*vivavoce\[web\]"):
        drawing.draw(charts[0].build().spec)


def test_a_drawing_keeps_its_key_until_its_numbers_change() -> None:
    one, two = scored("a/one", 0.6, 1, cost=2.0), scored("b/two", 0.5, 2)

    def keys(*rows: dict) -> list[str]:
        site = site_with(*rows)
        return [page.key for page in drawings(board_charts(site, site.boards[0]))]

    assert keys(one, two) == keys(dict(one), dict(two))
    assert keys(one, two) != keys(one, {**two, "value": 0.51})


def test_words_around_a_chart_are_escaped() -> None:
    name = "<img src=x onerror=alert(1)>"
    site = site_with(
        scored(name, 0.6, 1, cost=2.0, metric="<b>"), scored("b", 0.5, 2, metric="<b>")
    )
    (text,) = shown(board_charts(site, site.boards[0]), "")
    assert "<b>" not in text
    assert "<img src=x" not in text
    assert "&lt;img src=x onerror=alert(1)&gt;" in text


@pytest.mark.parametrize(
    ("name", "fitting"),
    [
        ("maker/model", "model"),
        ("provider/maker/model-7b", "model-7b"),
        ("a very long name of a model indeed", "a very long name of…"),
        ("</text><script>", "</text><script>"),
        ("tab\there", "tab here"),
    ],
)
def test_names_fit_into_charts(name: str, fitting: str) -> None:
    assert short(name) == fitting


def test_an_axis_has_round_ticks_and_becomes_logarithmic() -> None:
    plain = texts(svg_of(pairs("score", [Pair("", 0.31, 0.52)])))
    assert [text for text in plain if text] == ["0.3", "0.35", "0.4", "0.45", "0.5", "score"]
    assert axis_of("cost", [0.0, 3.0]).domain[0] == 0
    assert axis_of("cost", [0.002, 4.0], may_be_log=True).is_log
    wide = texts(svg_of(scatter("cost", "score", [Dot(0.002, 0.31), Dot(4.0, 0.52)])))
    assert wide[: wide.index("cost")] == ["0.01", "0.1", "1"]
    assert not axis_of("cost", [0.0, 4.0], may_be_log=True).is_log


@pytest.mark.parametrize(
    "values", [[0.5, 0.5 + 1e-16 * 2], [0.0, 5e-324], [1e-320, 2e-320], [1e6, 1e6 + 1e-9]]
)
def test_values_that_differ_by_rounding_have_an_axis_with_room(values: list[float]) -> None:
    low, high = axis_of("score", values).domain
    assert high - low > 0.1 * max(values)
    drawn = texts(
        svg_of(scatter("cost", "score", [Dot(1.0, value, name="one") for value in values]))
    )
    assert "one" in drawn


FINITE = st.floats(-1e6, 1e6, allow_nan=False).map(lambda value: round(value, 4))


@settings(deadline=None)
@given(st.lists(FINITE, min_size=1, max_size=20))
def test_an_axis_holds_all_values(values: list[float]) -> None:
    low, high = axis_of("score", values).domain
    assert low <= min(values)
    assert max(values) <= high
    assert low < high


@settings(deadline=None, max_examples=20)
@given(st.lists(FINITE, min_size=2, max_size=2))
def test_an_axis_has_few_ticks(values: list[float]) -> None:
    drawn = texts(svg_of(pairs("score", [Pair("", *values)])))
    assert 1 <= len(drawn[: drawn.index("score")]) <= 8


@settings(deadline=None, max_examples=20)
@given(st.lists(st.tuples(st.floats(1, 2), st.floats(0, 1)), min_size=1, max_size=12))
def test_names_of_dots_keep_their_distance(places: list[tuple[float, float]]) -> None:
    dots = [Dot(x, y, name=f"name-{number}") for number, (x, y) in enumerate(places)]
    boxes = []
    for text in svg_of(scatter("x", "y", dots)).iter(SVG + "text"):
        if "name-" in (text.text or ""):
            x, y = map(float, text.get("transform", "")[len("translate(") : -1].split(","))
            width = 5 * len(text.text or "")
            boxes.append((x - width if text.get("text-anchor") == "end" else x, y, width))
    assert boxes, "the best dot always has its name"
    for (x, y, width), (other_x, other_y, other_width) in itertools.combinations(boxes, 2):
        assert abs(y - other_y) > 14.9 or x + width < other_x or other_x + other_width < x


def test_every_line_is_named_once_in_the_order_of_the_lines() -> None:
    names = [f"maker/one-{number}" for number in range(8)]
    series = [Line(name, ((0, place / 9), (1, 0.2))) for place, name in enumerate(names)]
    drawn = texts(
        svg_of(lines(series, axis_of("x", [0, 1]), axis_of("y", [0, 1]), ["first", "last"]))
    )
    assert [text for text in drawn if text.startswith("one-")] == [short(name) for name in names]
    assert {"first", "last"} <= set(drawn)


@pytest.mark.parametrize("form", EVERY_FORM)
def test_a_drawing_has_the_size_that_its_page_gives_it(form: str) -> None:
    height = height_of_pairs(1) if form == "pairs" else HEIGHT
    drawn = svg_of(EVERY_FORM[form]("a/one"))
    assert (drawn.get("width"), drawn.get("height")) == (str(WIDTH), str(height))
