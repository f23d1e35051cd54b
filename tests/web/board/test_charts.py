"""What stands on charts, which pages have one, and that names in them are nothing but text."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import html
from tests.web.board.board_courses import scored, site_with
from tests.web.board.board_rows import HOSTILE

from vivavoce.text.printing import visible
from vivavoce.web.board.charts import Axis, Point, axis_of, chart, short
from vivavoce.web.board.model import Site
from vivavoce.web.board.site import pages_of

FINITE = st.floats(-1e6, 1e6, allow_nan=False).map(lambda value: round(value, 4))


def page_of(site: Site, path: str) -> html.HtmlElement:
    (found,) = (page for page in pages_of(site) if page.path == path)
    return html.fromstring(found.make())


def texts(page: html.HtmlElement) -> list[str]:
    return ["".join(text.itertext()) for text in page.xpath("//svg//text")]


def table(page: html.HtmlElement) -> list[list[str]]:
    return [
        [" ".join(cell.text_content().split()) for cell in row]
        for row in page.xpath("//figure//tr")
    ]


def drawn(*points: Point) -> html.HtmlElement:
    across = axis_of("x", [point.x for point in points], may_be_log=True)
    up = axis_of("y", [point.y for point in points])
    return html.fromstring(chart("c", "T", "W", "N", (across, up), points, [["H"]]))


def priced(*costs: float) -> Site:
    """Contestants of two families, of which the items of tables separate none."""
    models = ("a/one", "b/two")
    rows = [
        scored(
            model,
            0.5 - rank / 10,
            rank,
            family=family,
            task=f"vivavoce/{task}",
            rank_interval=[rank, rank] if family == "writing" else [1, 2],
            cost=cost,
            n=120,
            answers=120,
        )
        for family, task in (("writing", "title"), ("tables", "table"))
        for rank, (model, cost) in enumerate(zip(models, costs, strict=True), 1)
    ]
    return site_with(*rows)


def test_quality_is_drawn_against_price_over_all_families() -> None:
    page = page_of(priced(2.4, 0.12), "index.html")
    # Of one other contestant the first is surely better in one family of two, and the second in
    # none; of tables the items show neither.
    assert table(page) == [
        ["Contestant", "US$ an answer", "Better than, surely", "At most"],
        ["a/one", "0.0200", "50%", "100%"],
        ["b/two", "0.0010", "0%", "50%"],
    ]
    assert {"one", "two", "US$ an answer", "better than"} <= set(texts(page))
    assert "The scale is logarithmic." in page.xpath("string(//figcaption)")
    assert len(page.xpath("//figure//circle")) == len(page.xpath("//svg//*[@class='whisker']")) == 2


def test_prices_that_are_alike_make_no_chart() -> None:
    assert not page_of(priced(1.2, 1.2), "index.html").xpath("//figure")


def test_a_chart_can_be_read_without_seeing_it() -> None:
    page = page_of(priced(2.4, 0.12), "index.html")
    (image,) = page.xpath("//figure/svg")
    assert image.get("role") == "img"
    named = [page.get_element_by_id(name) for name in image.get("aria-labelledby").split()]
    assert [each.tag for each in named] == ["title", "desc"]
    assert "First: a/one at 0.0200." in named[1].text
    assert page.xpath("//figure/details/div/table")


def test_of_a_crowd_only_those_whom_nobody_better_beats_for_less_are_named() -> None:
    size = 20
    rows = [
        scored(f"m/{n}", 0.9 - n / 100, n, cost=float(n), rank_interval=[n, n])
        for n in range(1, size)
    ]
    cheap = scored("z/cheap", 0.1, size, cost=0.1, rank_interval=[size, size])
    found = texts(page_of(site_with(*rows, cheap), "index.html"))
    assert {"1", "cheap"} <= set(found)
    assert "13" not in found


@pytest.mark.parametrize("name", HOSTILE[:-2])
def test_hostile_names_are_only_text_in_a_chart(name: str) -> None:
    point = Point(short(name, 60), 0, 0.1, 0.0, 0.2)
    shown = visible(name)
    made = chart(
        "c",
        shown,
        shown,
        shown,
        (axis_of(shown, [0, 1]), axis_of(shown, [0, 1])),
        [point],
        [[shown], [shown, shown]],
    )
    page = html.fromstring(made)
    assert not page.xpath("//script | //img | //foreignObject | //a | //image")
    for element in page.iter():
        for attribute, value in element.attrib.items():
            assert not attribute.startswith("on")
            assert "href" not in attribute
            assert "style" not in attribute
            assert "url(" not in value
    assert any(point.name[:8] in text for text in texts(page))


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
    def labels(axis: Axis) -> list[str]:
        return [label for _, label in axis.ticks()]

    assert labels(axis_of("score", [0.31, 0.52])) == ["0.3", "0.35", "0.4", "0.45", "0.5"]
    assert axis_of("cost", [0.0, 3.0]).low == 0
    wide = axis_of("cost", [0.002, 4.0], may_be_log=True)
    assert wide.is_log
    assert labels(wide) == ["0.01", "0.1", "1"]
    assert labels(axis_of("cost", [0.002, 0.04], may_be_log=True)) == [
        "0.002",
        "0.005",
        "0.01",
        "0.02",
    ]
    assert not axis_of("cost", [0.0, 4.0], may_be_log=True).is_log


@pytest.mark.parametrize(
    "values", [[0.5, 0.5 + 1e-16 * 2], [0.0, 5e-324], [1e-320, 2e-320], [1e6, 1e6 + 1e-9]]
)
def test_values_that_differ_by_rounding_have_an_axis_with_room(values: list[float]) -> None:
    axis = axis_of("score", values)
    assert axis.high - axis.low > 0.1 * max(values)
    assert 1 <= len(axis.ticks()) <= 6
    assert "one" in texts(drawn(*(Point("one", 1.0, value, value, value) for value in values)))


@settings(deadline=None)
@given(st.lists(FINITE, min_size=1, max_size=20), st.booleans())
def test_an_axis_holds_all_values_and_few_ticks(values: list[float], may_be_log: bool) -> None:
    axis = axis_of("score", values, may_be_log=may_be_log)
    assert axis.low <= min(values)
    assert max(values) <= axis.high
    assert axis.low < axis.high
    places = [axis.place(value) for value, _ in axis.ticks()]
    assert 1 <= len(places) <= 12
    assert all(-1e-9 <= place <= 1 + 1e-9 for place in places)
    labels = [label for _, label in axis.ticks()]
    assert len(set(labels)) == len(labels)


@settings(deadline=None, max_examples=30)
@given(st.lists(st.tuples(st.floats(1, 2), st.floats(0, 1)), min_size=1, max_size=12))
def test_names_of_dots_keep_their_distance(places: list[tuple[float, float]]) -> None:
    dots = [Point(f"name-{n}", x, y, y, y) for n, (x, y) in enumerate(places)]
    boxes = []
    for text in drawn(*dots).xpath("//text[@class='label']"):
        x, y, width = float(text.get("x")), float(text.get("y")), 5 * len(text.text)
        boxes.append((x - width if text.get("text-anchor") == "end" else x, y, width))
    assert boxes, "the best dot always has its name"
    for (x, y, width), (other_x, other_y, other_width) in itertools.combinations(boxes, 2):
        assert abs(y - other_y) > 14.9 or x + width < other_x or other_x + other_width < x
