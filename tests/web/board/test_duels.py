"""The page of a comparison, from what the command prints as JSON."""

import json
from pathlib import Path

import pytest
from lxml import html
from tests.results.audits.made_logs import write_log
from tests.web.board.board_rows import text_of

from vivavoce.reports import Sheet
from vivavoce.results.board.head_to_head import (
    HeadToHead,
    differing_items,
    head_to_head,
    metric_sheet,
)
from vivavoce.web.board.site import write_comparison

HOSTILE = '</script><script>alert(1)</script> "onclick="x" \u202e'


@pytest.fixture
def found(tmp_path: Path) -> HeadToHead:
    items = [f"item-{number:02d}" for number in range(12)]
    low = {item: 0.1 + 0.01 * place for place, item in enumerate(items)}
    write_log(tmp_path / "logs", low, model="lab/one")
    write_log(tmp_path / "logs", {i: v + 0.2 for i, v in low.items()}, model=f"lab/{HOSTILE}")
    return head_to_head("lab/one", f"lab/{HOSTILE}", tmp_path / "logs", differing=3)


def sheets(found: HeadToHead) -> list[Sheet]:
    return [metric_sheet(row) for row in found.duels]


def write(found: HeadToHead, out: Path) -> html.HtmlElement:
    """The first page of a comparison, with pages of its items beside it."""
    path = write_comparison(found.as_dict(), sheets(found), differing_items(found), out)
    return html.fromstring(path.read_bytes())


def test_the_page_says_who_is_ahead_and_by_how_much(found: HeadToHead, tmp_path: Path) -> None:
    page = write(found, tmp_path / "out")
    said = text_of(page.xpath("(//section//table)[1]/caption")[0])
    assert "is ahead by 0.200 in rougeL (95% interval 0.200–0.200)" in said
    assert said.endswith("better on 12 of 12 items.")
    cells = page.xpath("(//section//table)[1]/tbody/tr[1]/td")
    assert [text_of(cell) for cell in cells[2:]] == [
        *("-0.200 [-0.200, -0.200]", "b", "0", "0", "12", "12")
    ]


def test_names_of_strangers_do_nothing(found: HeadToHead, tmp_path: Path) -> None:
    write(found, tmp_path / "out")
    for path in (tmp_path / "out").rglob("*.html"):
        page = html.fromstring(path.read_bytes())
        assert len(page.xpath("//script")) == 1
        assert not page.xpath("//@onclick")
        assert "\u202e" not in path.read_text("utf-8")


def test_items_that_differ_lead_to_both_answers(found: HeadToHead, tmp_path: Path) -> None:
    out = tmp_path / "out"
    page = write(found, out)
    links = page.xpath("//table//a/@href")
    assert len(links) == 3
    item = html.fromstring((out / links[0]).read_bytes())
    assert len(item.xpath("//article")) == 2
    back = [a.get("href") for a in item.xpath("//p[@class='around']/a")]
    assert "../../index.html" in back


def test_items_are_named_by_their_titles(found: HeadToHead, tmp_path: Path) -> None:
    numbers = found.as_dict()
    (duel,) = numbers["duels"]
    titled = [{**row, "title": f"The <i>{row['id']}</i>"} for row in duel["differ_most"]]
    written = write_comparison(
        {**numbers, "duels": [{**duel, "differ_most": titled}]},
        sheets(found),
        [[]],
        tmp_path / "out",
    )
    heads = html.fromstring(written.read_bytes()).xpath("(//section//table)[2]//th[@scope='row']")
    assert [text_of(head.xpath("bdi")[0]) for head in heads] == [row["title"] for row in titled]
    assert text_of(heads[0].xpath("small")[0]).startswith(titled[0]["id"])


def test_the_numbers_are_those_of_the_command(found: HeadToHead, tmp_path: Path) -> None:
    write_comparison(found.as_dict(), sheets(found), [[]], tmp_path / "out")
    stored = json.loads((tmp_path / "out" / "compare.json").read_text())
    assert stored.pop("schema_version") == 1
    assert stored == json.loads(json.dumps(found.as_dict()))
