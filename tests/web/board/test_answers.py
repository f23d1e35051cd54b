"""The first lines of the first page: who may be best at each task, and over a family's tasks."""

from pathlib import Path
from typing import Any

import pytest
from lxml import html
from tests.web.board.board_rows import make_board, make_row, read_index, text_of

from vivavoce.errors import InputError
from vivavoce.reports import shown
from vivavoce.requests import SiteOptions
from vivavoce.text.printing import figure
from vivavoce.web.board.overview import shares_text
from vivavoce.web.board.site import write_site


def ranked(model: str, value: float, ranks: list[int], **more: Any) -> dict[str, Any]:
    return make_row(model, value, ranks[0], rank_interval=ranks, **more)


def lines(page: html.HtmlElement) -> list[str]:
    rows = page.xpath("//table[contains(@class, 'contenders')]//tbody/tr")
    return [" ".join(filter(None, map(text_of, row))) for row in rows]


def test_a_model_that_leads_stands_above_the_best_baseline(tmp_path: Path) -> None:
    board = make_board(
        ranked("a/one", 0.5, [1, 2], cost=1.2, seconds=240.0),
        ranked("b/two", 0.45, [1, 2]),
        ranked("extractive/lead", 0.3, [3, 3]),
        ranked("none", 0.1, [4, 4], method="null"),
    )
    one, two, lead = lines(read_index(board, tmp_path))
    # Of three others two are surely beaten, and all may be; $1.20 and 240 s for 120 answers.
    expected = "Title base · rougeL 2 may be best a/one 0.500 0.480–0.520 67–100% 120 $0.0100 2.0"
    assert one == expected
    assert two == "b/two 0.450 0.430–0.470 67–100% 120"
    assert lead == "extractive/lead Baseline 0.300 0.280–0.320 33% 120"


def test_where_a_baseline_is_ahead_the_best_model_stands_below_it(tmp_path: Path) -> None:
    board = make_board(ranked("extractive/lead", 0.3, [1, 1]), ranked("a/one", 0.1, [2, 2]))
    first, second = lines(read_index(board, tmp_path))
    assert first.startswith("Title base · rougeL one is best extractive/lead Baseline 0.300")
    assert second == "a/one 0.100 0.080–0.120 0% 120"


def test_a_page_speaks_of_a_next_round_only_where_there_is_one(tmp_path: Path) -> None:
    board = make_board(ranked("a/one", 0.5, [1, 1]))
    page = read_index(board, tmp_path / "plain")
    assert text_of(page.xpath("//p[@class='lead']")[0]).endswith("same papers. Round 2026-q1.")
    options = SiteOptions(submit="https://example.org/new", next_round="2026-04-03")
    written = write_site(board, tmp_path / "live", options=options)
    lead = html.fromstring(written.read_bytes()).xpath("//p[@class='lead']")[0]
    assert "The next round is due on 2026-04-03. Submit a model." in text_of(lead)
    assert lead.xpath("a/@href") == ["https://example.org/new"]
    with pytest.raises(InputError, match="begins with https://"):
        write_site(board, tmp_path / "odd", options=SiteOptions(submit="javascript:alert(1)"))


def test_what_rounds_to_nothing_has_no_sign() -> None:
    assert (shown(-0.0), shown(-0.0004), figure(-0.0)) == ("0.000", "0.000", "0.000")
    assert shown({"value": -0.0, "ci": [-0.0004, 0.1]}) == "0.000 [0.000, 0.100]"
    assert shares_text((0.45, 0.8)) == "45–80%"
