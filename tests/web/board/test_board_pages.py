"""The pages of scores as HTML: whole, inert, linked within the site, and readable by all."""

import json
from pathlib import Path

import pytest
from lxml import html
from tests.web.board.board_rows import (
    HOSTILE,
    make_board,
    make_row,
    names,
    pages_below,
    read_index,
    read_page,
    row_of,
    text_of,
)

from vivavoce.store import hash_tree
from vivavoce.text.printing import visible
from vivavoce.web.board.site import write_site


def test_the_folder_holds_pages_and_numbers_and_lists_them(tmp_path: Path) -> None:
    written = write_site(make_board(make_row("a/one", 0.4, 1)), tmp_path / "site")
    assert written == tmp_path / "site" / "index.html"
    found = hash_tree(tmp_path / "site")
    listed = json.loads((tmp_path / "site" / "site.json").read_text())["files"]
    del found["site.json"]
    assert {path: entry["sha256"] for path, entry in listed.items()} == found


def test_every_round_task_version_and_setting_has_a_page_of_its_own(tmp_path: Path) -> None:
    changes: list[dict[str, str]] = [
        {},
        {"setting": "title_only"},
        {"task_version": "2"},
        {"task": "vivavoce/abstract"},
        {"round": "2026-q2"},
    ]
    write_site(make_board(*(make_row("a/one", 0.4, 1, **each) for each in changes)), tmp_path)
    pages = [html.fromstring(path.read_bytes()) for path in pages_below(tmp_path, "boards")]
    assert len(pages) == 5
    assert all(len(page.xpath("//h1")) == 1 for page in pages)


def test_a_table_holds_its_data_and_says_which_difference_it_can_show(tmp_path: Path) -> None:
    row = make_row("a/one", 0.4, 1, rank_interval=[1, 2], detectable=0.0314)
    board = make_board(row, make_row("none/none", 1.0, 1, method="oracle"))
    page = read_page(board, tmp_path)
    assert names(page) == ["a/one", "oracle"]
    cells = [text_of(cell) for cell in row_of(page, "a/one").findall("td")[:4]]
    assert cells == ["1 1–2", "0.400 0.380–0.420", "120", "100%"]
    assert "limits" in row_of(page, "oracle").getparent().get("class")
    assert "0.031" in text_of(page.find(".//caption"))


def test_the_first_page_has_facts_of_models_rounds_notes_and_recomputing(tmp_path: Path) -> None:
    about = {"maker": "Ada Labs", "open_weights": True, "size": "7B", "released": "2025-11"}
    board = make_board(make_row("a/one", 0.5, 1, exposure=about), notes=["x.eval: left out"])
    page = read_index(board, tmp_path)
    (line,) = page.xpath("//table[contains(@class, 'matrix')]/tbody/tr")
    facts = [text_of(cell) for cell in line.findall("td")[:5]]
    assert facts == ["100%", "Ada Labs", "open", "7B", "2025-11"]
    assert line.get("data-weights") == "open"
    footer = text_of(page.xpath("//footer")[0])
    assert [
        part for part in ("2026-01-01", "ab" * 32, "viva board build") if part not in footer
    ] == []
    assert text_of(page.xpath("//section[@class='notes']//li")[0]) == board.notes[0]


def test_headers_caption_and_language_are_there_for_screen_readers(tmp_path: Path) -> None:
    page = read_page(make_board(make_row("a/one", 0.4, 1)), tmp_path)
    assert page.get("lang") == "en"
    for path in tmp_path.rglob("*.html"):
        page = html.fromstring(path.read_bytes())
        assert all(cell.get("scope", "").startswith("col") for cell in page.xpath("//thead//th"))
        assert all(cell.get("scope") == "row" for cell in page.xpath("//tbody//th"))
        for region in page.xpath("//*[@role='region']"):
            assert page.get_element_by_id(region.get("aria-labelledby")) is not None
        ids = page.xpath("//@id")
        assert len(ids) == len(set(ids)), path


def test_every_page_keeps_its_policy_and_links_only_to_files_of_the_site(tmp_path: Path) -> None:
    write_site(make_board(make_row("a/one", 0.4, 1)), tmp_path)
    for path in tmp_path.rglob("*.html"):
        page = html.fromstring(path.read_bytes())
        (policy,) = page.xpath("//meta[@http-equiv='Content-Security-Policy']")
        assert policy.get("content").startswith("default-src 'none'; style-src 'self'; script-src")
        assert not page.xpath("//@style | //style | //script[not(@src)]")
        assert not page.xpath("//@*[starts-with(name(), 'on')]")
        for link in (*page.xpath("//@href"), *page.xpath("//@src")):
            assert (path.parent / link.partition("#")[0]).exists(), (path.name, link)


def test_a_board_without_rows_says_so(tmp_path: Path) -> None:
    page = read_index(make_board(rounds=[]), tmp_path)
    assert "No complete run" in page.text_content()
    assert json.loads((tmp_path / "board.json").read_text())["rows"] == []


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_are_shown_as_text(tmp_path: Path, name: str) -> None:
    rows = [
        make_row(name, 0.4, 1, setting=name, metric=name, task=name, judge=name, round=f"{name}{n}")
        for n in range(2)
    ]
    board = make_board(*rows, notes=[name])
    board.rounds[0]["id"] = f"{name}0"
    write_site(board, tmp_path / "site")
    for path in pages_below(tmp_path / "site", "boards"):
        shown = names(html.fromstring(path.read_bytes()))
        assert shown == [" ".join(visible(name).split())]
    for path in (tmp_path / "site").rglob("*.html"):
        page = html.fromstring(path.read_bytes())
        assert not page.xpath("//script[not(@src)] | //*[@onerror] | //img")
        assert not any("javascript:" in link for link in page.xpath("//@href"))
        assert "\u202e" not in path.read_text("utf-8")
        assert path.stat().st_size < 100_000
    assert [path.name for path in tmp_path.iterdir()] == ["site"]
