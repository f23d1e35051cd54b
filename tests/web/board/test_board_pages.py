"""The pages of scores: what they say, without a browser."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
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
from vivavoce.text.printing import figure, guard_formula, interval, share, visible
from vivavoce.web.board.model import site_of
from vivavoce.web.board.site import pages_of, write_site


def test_the_folder_holds_pages_and_numbers_and_lists_them(tmp_path: Path) -> None:
    written = write_site(make_board(make_row("a/one", 0.4, 1)), tmp_path / "site")
    assert written == tmp_path / "site" / "index.html"
    found = hash_tree(tmp_path / "site")
    listed = json.loads((tmp_path / "site" / "site.json").read_text())["files"]
    del found["site.json"]
    assert {path: entry["sha256"] for path, entry in listed.items()} == found
    assert len(pages_below(tmp_path / "site", "boards")) == 1
    assert len(pages_below(tmp_path / "site", "models")) == 1


def test_rows_stand_by_the_headline_metric_with_missing_last(tmp_path: Path) -> None:
    rows = [
        make_row("c/none", None),
        make_row("b/low", 0.1, 3),
        make_row("a/high", 0.5, 1),
        make_row("d/mid", 0.3, 2),
    ]
    page = read_page(make_board(*rows), tmp_path)
    assert names(page) == ["a/high", "d/mid", "b/low", "c/none"]


def test_a_board_may_name_the_headline_metric(tmp_path: Path) -> None:
    rows = [
        make_row("a/one", 0.9, 1, metric="rouge1"),
        make_row("a/one", 0.2, 2, metric="rougeL"),
        make_row("b/two", 0.8, 2, metric="rouge1"),
        make_row("b/two", 0.3, 1, metric="rougeL"),
    ]
    assert names(read_page(make_board(*rows), tmp_path / "first")) == ["a/one", "b/two"]
    board = make_board(*rows, headlines={"vivavoce/title": "rougeL"})
    page = read_page(board, tmp_path / "named")
    assert names(page) == ["b/two", "a/one"]
    (sorted_header,) = page.xpath("//th[@aria-sort]")
    assert text_of(sorted_header).startswith("rougeL")
    assert sorted_header.get("aria-sort") == "descending"


def test_every_round_task_version_and_setting_has_a_page_of_its_own(tmp_path: Path) -> None:
    rows = [
        make_row("a/one", 0.4, 1),
        make_row("a/one", 0.4, 1, setting="title_only"),
        make_row("a/one", 0.4, 1, task_version="2"),
        make_row("a/one", 0.4, 1, task="vivavoce/abstract"),
        make_row("a/one", 0.4, 1, round="2026-q2"),
    ]
    write_site(make_board(*rows), tmp_path)
    pages = [html.fromstring(path.read_bytes()) for path in pages_below(tmp_path, "boards")]
    assert len(pages) == 5
    assert all(len(page.xpath("//h1")) == 1 for page in pages)


def test_a_value_stands_with_interval_items_valid_share_and_faults(tmp_path: Path) -> None:
    # 114/120 = 0.95 valid, so 6 are not; over those alone the mean is 0.4 / 0.95 = 0.421.
    row = make_row("a/one", 0.4, 1, valid=0.95, value_valid=0.4 / 0.95, missing=2)
    found = row_of(read_page(make_board(row), tmp_path), "a/one")
    rank, metric, items, valid, faults = found.findall("td")[:5]
    assert text_of(rank) == "1"
    assert text_of(metric) == "0.400 0.380–0.420 0.421 if valid"
    assert (text_of(items), text_of(valid)) == ("120", "95%")
    assert [text_of(span) for span in faults] == ["6 not valid", "2 missing"]


def test_a_metric_with_other_counts_than_the_headline_says_so(tmp_path: Path) -> None:
    rows = [
        make_row("a/one", 0.4, 1),
        make_row("a/one", 0.3, 1, metric="ktau", undefined=4),
    ]
    found = row_of(read_page(make_board(*rows), tmp_path), "a/one")
    assert text_of(found.findall("td")[2]).endswith("4 undefined")


def test_what_is_missing_is_a_word_and_never_zero(tmp_path: Path) -> None:
    rows = [
        make_row("a/one", 0.4, 1, ci=None),
        make_row("a/one", 0.5, 1, metric="rouge1"),
        make_row("b/all", None, undefined=120),
        make_row("c/some", None, undefined=3),
    ]
    page = read_page(make_board(*rows), tmp_path)
    cells = {name: row_of(page, name).findall("td")[1:3] for name in ("a/one", "b/all", "c/some")}
    assert "no interval" in text_of(cells["a/one"][0])
    told = {name: [text_of(cell) for cell in cells[name]] for name in ("b/all", "c/some")}
    assert told == {
        "b/all": ["undefined for all 120 items", "not measured"],
        "c/some": ["no value", "not measured"],
    }
    assert not any("data-v" in cell.attrib for name in told for cell in cells[name])


def test_the_oracle_is_an_unranked_ceiling_below_the_ranked_rows(tmp_path: Path) -> None:
    rows = [
        make_row("none/none", 1.0, 1, method="oracle"),
        make_row("a/one", 0.4, 2),
        make_row("none/none", 0.02, 3, method="null"),
        make_row("extractive/lead", 0.2, 4),
    ]
    page = read_page(make_board(*rows), tmp_path)
    assert names(page) == ["a/one", "extractive/lead", "null", "oracle"]
    oracle = row_of(page, "oracle")
    assert "limits" in oracle.getparent().get("class")
    assert text_of(oracle.find("td")) == "not ranked"
    kinds = {name: row_of(page, name).get("class") for name in names(page)}
    assert kinds == {
        "a/one": "model",
        "extractive/lead": "baseline",
        "null": "floor",
        "oracle": "ceiling",
    }


def test_rank_intervals_and_reasons_for_no_rank(tmp_path: Path) -> None:
    rows = [
        make_row("a/one", 0.4, 1, rank_interval=[1, 2]),
        make_row("b/two", 0.39, 2, rank_interval=[1, 2]),
        make_row("c/three", 0.2, None, undefined=7),  # 7/120 = 5.8%
    ]
    page = read_page(make_board(*rows), tmp_path)
    assert text_of(row_of(page, "a/one").find("td")) == "1 1–2"
    assert text_of(row_of(page, "c/three").find("td")) == "not ranked: over 5% undefined"


@pytest.mark.parametrize(
    ("others", "tie", "leads", "named"),
    [
        ({"b/two": 0.35}, (None, None), False, set()),
        ({"b/two": 0.37}, (None, None), False, {"b/two"}),  # its interval overlaps
        # The paired difference on the same items knows more than the two intervals.
        ({"b/two": 0.37}, ([], [1, 1]), True, set()),
        ({"b/two": 0.35}, (["b/two"], [1, 2]), False, {"b/two"}),
        # Better than the first, and without a rank.
        ({"b/two": 0.35, "z/other": 0.9}, (["b/two"], [1, 2]), False, {"b/two", "z/other"}),
    ],
)
def test_the_verdict_says_how_sure_the_first_place_is(
    tmp_path: Path, others: dict, tie: tuple, leads: bool, named: set[str]
) -> None:
    first = make_row("a/one", 0.4, 1, tied_with=tie[0], rank_interval=tie[1])
    rest = [make_row(name, v, 2 if name == "b/two" else None) for name, v in others.items()]
    page = read_page(make_board(first, *rest), tmp_path)
    said = text_of(page.xpath("//p[@class='verdict']")[0])
    assert (said.startswith("a/one "), "leads" in said) == (True, leads)
    assert {name for name in others if name in said} == named


def matrix(page: html.HtmlElement) -> dict[str, tuple[str, ...]]:
    """Cells of each contestant on the first page: valid, then its value at each task."""
    rows = page.xpath("//table[contains(@class, 'matrix')]/tbody/tr")
    return {
        text_of(row.find("th").find("a")): tuple(
            " ".join([cell.text or "", *(["ahead"] if "ahead" in cell.get("class", "") else [])])
            for cell in row.findall("td")
        )
        for row in rows
    }


def shades(page: html.HtmlElement) -> list[str]:
    return [found.split()[0] for found in page.xpath("//table//td[contains(@class, 's')]/@class")]


def test_facts_of_a_table_of_models_are_columns(tmp_path: Path) -> None:
    about = {"maker": "Ada Labs", "open_weights": True, "size": "7B", "released": "2025-11"}
    rows = [make_row("a/one", 0.5, 1, exposure=about), make_row("b/two", 0.4, 2)]
    page = read_index(make_board(*rows), tmp_path)
    heads = [text_of(one) for one in page.xpath("//thead/tr[2]/th[contains(@class, 'fact')]")]
    assert heads == ["Valid", "Maker", "Weights", "Size", "Released"]
    first, second = page.xpath("//table[contains(@class, 'matrix')]/tbody/tr")
    assert [text_of(cell) for cell in first.findall("td")[:5]] == [
        "100%",
        "Ada Labs",
        "open",
        "7B",
        "2025-11",
    ]
    assert [text_of(cell) for cell in second.findall("td")[1:5]] == ["–"] * 4
    assert first.get("data-weights") == "open"
    assert second.get("data-weights") is None
    assert page.xpath("//select[@id='weights']")


def test_the_first_page_begins_with_contestants_by_tasks(tmp_path: Path) -> None:
    rows = [
        make_row("a/one", 0.4, 1, rank_interval=[1, 1], tied_with=[], cost=0.24),
        make_row("b/two", 0.3, 2, rank_interval=[2, 3], tied_with=["none"], valid=0.9),
        make_row("none", 0.1, 3, method="null", rank_interval=[2, 3], tied_with=["b/two"]),
    ]
    page = read_index(make_board(*rows), tmp_path)
    # $0.24 for 120 answers is 0.0020 an answer; only a/one may be the best.
    assert matrix(page) == {
        "a/one": ("0.0020", "100%", "0.400 ahead"),
        "b/two": ("–", "90%", "0.300"),
        "null": ("–", "100%", "0.100"),
    }
    # Surely better than both others; than none of them; than none of them.
    assert shades(page) == ["s4", "s0", "s0"]
    (head,) = page.xpath("//th[contains(@class, 'task')]")
    assert text_of(head) == "Title base rougeL n 120"
    (cell,) = page.xpath("//td[contains(@class, 'ahead')]")
    assert [text_of(part) for part in cell.findall("small")] == ["0.380–0.420", "rank 1"]


def test_equal_contestants_may_all_lead_and_are_surely_better_than_nobody(tmp_path: Path) -> None:
    rows = [
        make_row(f"a/m{number}", 0.3 + number / 100, 7 - number, rank_interval=[1, 6], tied_with=[])
        for number in range(1, 7)
    ]
    page = read_index(make_board(*rows), tmp_path)
    assert all(cells[-1].endswith("ahead") for cells in matrix(page).values())
    assert set(shades(page)) == {"s0"}


def test_a_floor_never_leads(tmp_path: Path) -> None:
    rows = [
        make_row("none", 0.5, 1, method="null", rank_interval=[1, 1], tied_with=[]),
        make_row("a/one", 0.4, 2, rank_interval=[2, 2], tied_with=[]),
        make_row("none", 0.3, 3, method="random", rank_interval=[3, 3], tied_with=[]),
    ]
    page = read_index(make_board(*rows), tmp_path)
    assert matrix(page) == {
        "null": ("100%", "0.500"),
        "a/one": ("100%", "0.400"),
        "random": ("100%", "0.300"),
    }
    (verdict,) = read_page(make_board(*rows), tmp_path / "page").xpath("//p[@class='verdict']")
    assert text_of(verdict).startswith("a/one has the best value, 0.400 in rougeL")
    assert text_of(verdict).endswith("Behind null, which is a floor.")


def test_an_unranked_contestant_never_leads(tmp_path: Path) -> None:
    rows = [make_row("a/one", 0.9, None, undefined=60), make_row("b/two", 0.3, 1)]
    page = read_index(make_board(*rows), tmp_path)
    assert matrix(page) == {"b/two": ("100%", "0.300 ahead"), "a/one": ("–", "–")}


def test_trust_is_summed_over_the_tasks_of_a_contestant(tmp_path: Path) -> None:
    exposure = {"cutoff": "2026-02", "items": {"clean": 90, "seen": 20, "near_cutoff": 10}}
    rows = [
        make_row(
            "a/one",
            0.4,
            1,
            task=f"vivavoce/{task}",
            valid=valid,
            contamination="mixed",
            judge=judge,
        )
        | {"exposure": exposure}
        for task, valid, judge in (("title", 1.0, None), ("abstract", 0.5, "a/judge"))
    ]
    page = read_index(make_board(*rows), tmp_path)
    # 240 answers, 180 of them valid; 180 of 240 items clean; one judged task, by nobody checked.
    assert matrix(page)["a/one"][:3] == ("75%", "25%", "0 of 1")
    assert page.xpath("//tr[@data-cutoff='2026-02']")


def test_a_matrix_of_many_cells_holds_values_alone_and_names_who_is_left_out() -> None:
    rows = [
        make_row(f"a/m{number:03}", 0.3, number + 1, task=f"vivavoce/{task}")
        for task in ("title", "abstract", "introduction", "related_work")
        for number in range(1510)
    ]
    [index] = (p for p in pages_of(site_of(make_board(*rows))) if p.path == "index.html")
    content = index.make()
    page = html.fromstring(content)
    assert len(matrix(page)) == 1500
    assert "10 more contestants are on the tasks’ pages" in text_of(page.find(".//caption"))
    assert not page.xpath("//td/small")
    assert len(content) < 700_000


def test_what_all_were_run_with_stands_once_and_differences_in_their_rows(tmp_path: Path) -> None:
    same = [make_row("a/one", 0.4, 1), make_row("b/two", 0.3, 2)]
    page = read_page(make_board(*same), tmp_path / "same")
    assert "max tokens 64, temperature 0, prompt 9f2c41d0." in text_of(page.find(".//caption"))
    warm = make_row("a/one", 0.3, 2, decoding={"temperature": 1})
    page = read_page(make_board(same[0], warm), tmp_path / "other")
    assert "temperature" not in text_of(page.find(".//caption"))
    assert [text_of(found) for found in page.xpath("//*[@class='details']")] == [
        "direct · max tokens 64 · temperature 0",
        "direct · temperature 1",
    ]


def test_headers_caption_and_language_are_there_for_screen_readers(tmp_path: Path) -> None:
    page = read_page(make_board(make_row("a/one", 0.4, 1)), tmp_path)
    assert page.get("lang") == "en"
    assert all(cell.get("scope") == "col" for cell in page.xpath("//thead//th"))
    assert all(cell.get("scope") == "row" for cell in page.xpath("//tbody//th"))
    assert all(header.find("button") is not None for header in page.xpath("//thead//th"))
    assert page.xpath("//i[starts-with(@class, 'plot')]")
    assert not any(text_of(plot) for plot in page.xpath("//i"))
    assert page.xpath("//caption")


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


def test_rounds_notes_and_how_to_recompute(tmp_path: Path) -> None:
    board = make_board(
        make_row("a/one", 0.4, 1), notes=["x.eval: left out, 3 samples lack a score"]
    )
    page = read_index(board, tmp_path)
    footer = text_of(page.xpath("//footer")[0])
    assert "from 2026-01-01 until before 2026-04-01" in footer
    assert "papers 5,120 · writing title 120" in footer
    assert "ab" * 32 in footer
    assert "viva board build LOGS --out DIR" in footer
    assert text_of(page.xpath("//section[@class='notes']//li")[0]) == board.notes[0]


def test_a_board_without_rows_says_so(tmp_path: Path) -> None:
    page = read_index(make_board(rounds=[]), tmp_path)
    assert "No complete run" in page.text_content()
    assert json.loads((tmp_path / "board.json").read_text())["rows"] == []


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_are_shown_as_text(tmp_path: Path, name: str) -> None:
    row = make_row(name, 0.4, 1, setting=name, metric=name, task=name, judge=name, round=name)
    board = make_board(row, notes=[name])
    board.rounds[0]["id"] = name
    assert names(read_page(board, tmp_path / "site")) == [" ".join(visible(name).split())]
    for path in (tmp_path / "site").rglob("*.html"):
        page = html.fromstring(path.read_bytes())
        assert not page.xpath("//script[not(@src)] | //*[@onerror]")
        assert not any("javascript:" in link for link in page.xpath("//@href"))
        assert "\u202e" not in path.read_text("utf-8")
        assert path.stat().st_size < 100_000
    assert [path.name for path in tmp_path.iterdir()] == ["site"]


def test_figures_are_rounded_without_inventing_zeros_or_full_shares() -> None:
    assert [figure(x) for x in (0.0, 0.4125, 1.0, -0.25, 0.0002, -0.0002, 86.53)] == [
        "0.000",
        "0.412",  # half to even: 0.4125 is stored as 0.41249999…
        "1.000",
        "−0.250",
        "<0.001",
        ">−0.001",
        "86.5",
    ]
    assert interval((-0.1, 0.2)) == "−0.100 to 0.200"
    assert [share(x) for x in (1.0, 0.57, 0.9996, 0.0)] == ["100%", "57%", "99.9%", "0%"]


@given(st.text())
def test_visible_text_has_no_hidden_characters_and_encodes(text: str) -> None:
    shown = visible(text, limit=None)
    shown.encode("utf-8")
    assert shown.isprintable() or any(char.isspace() for char in shown)
    assert not set("\u202a\u202b\u202d\u202e\u2066\u2067\u200b\ufeff\x00\n") & set(shown)


@given(st.text())
def test_no_guarded_cell_starts_a_formula(text: str) -> None:
    assert not guard_formula(text).lstrip().startswith(("=", "+", "-", "@"))


def test_a_table_says_which_difference_its_items_can_show(tmp_path: Path) -> None:
    row = {**make_row("a/one", 0.4, 1), "detectable": 0.0314}
    shown = read_page(make_board(row), tmp_path / "new")
    assert "differences below 0.031" in text_of(shown)
    shown = read_page(make_board(make_row("a/one", 0.4, 1)), tmp_path / "old")
    assert "differences below" not in text_of(shown)


def test_what_an_answer_used_stands_as_a_mean_over_answers(tmp_path: Path) -> None:
    # 120 items answered twice: 240 answers; 480,000 / 240 = 2,000 and 0.6 / 240 = 0.0025.
    used = {"tokens": 480_000, "cost": 0.6, "seconds": 360.0, "answers": 240}
    page = read_page(make_board(make_row("a/one", 0.4, 1, **used)), tmp_path)
    cells = row_of(page, "a/one").xpath("td[contains(@class, 'count')]")
    assert [text_of(cell) for cell in cells] == ["120", "100%", "2,000", "0.0025", "1.50"]


def test_hundreds_of_rows_are_parted_over_pages_of_less_than_300_kb() -> None:
    rows = [
        make_row(f"maker/{'<&>' * 40}{place}", 1 - place / 1000, place) for place in range(1, 401)
    ]
    site = pages_of(site_of(make_board(*rows)))
    found = [page.make() for page in site if re.fullmatch(r"boards/.*\.html", page.path)]
    assert len(found) > 1
    assert max(len(content) for content in found) < 300_000
    pages = [html.fromstring(content) for content in found]
    places = sorted(
        int(text) for page in pages for text in page.xpath("//*[@class='place']/text()")
    )
    assert places == list(range(1, 401))
