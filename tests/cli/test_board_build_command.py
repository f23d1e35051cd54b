"""What the options of `viva board build` change on a site."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.log import read_eval_log, write_eval_log
from lxml import html
from tests.results.audits.made_logs import write_log
from typer.testing import CliRunner

from vivavoce.cli import app
from vivavoce.store import hash_tree

ITEMS = [f"item-{number}" for number in range(8)]
STEADY = {item: 0.5 + 0.01 * place for place, item in enumerate(ITEMS)}
BRISK = {item: value - 0.2 for item, value in STEADY.items()}


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    folder = tmp_path / "logs"
    write_log(folder, STEADY, model="lab/steady")
    write_log(folder, BRISK, model="lab/brisk")
    return folder


def build(logs: Path, out: Path, *more: str) -> dict[str, Any]:
    words = ["board", "build", str(logs), "--out", str(out), "--resamples", "100", "--no-charts"]
    result = CliRunner().invoke(app, [*words, "--json", *more])
    assert result.exit_code == 0, result.output
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def rows_of(site: Path) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads((site / "board.json").read_text("utf-8"))["rows"]
    return [row for row in rows if row["metric"] == "rougeL"]


def test_my_own_logs_stand_marked_among_the_others_and_are_ranked_with_them(
    logs: Path, tmp_path: Path
) -> None:
    mine = tmp_path / "mine"
    write_log(mine, {item: value + 0.1 for item, value in STEADY.items()}, model="me/new")
    build(logs, tmp_path / "site", "--with", str(mine))
    ranked = {
        row["model"]: (row["rank"], bool(row.get("own"))) for row in rows_of(tmp_path / "site")
    }
    assert ranked == {"me/new": (1, True), "lab/steady": (2, False), "lab/brisk": (3, False)}
    (page,) = (tmp_path / "site" / "boards").glob("*/*.html")
    (row,) = re.findall(r"<tr[^>]*>(?:(?!</tr>).)*me-new.*?</tr>", page.read_text("utf-8"), re.S)
    assert "Mine" in row or "Yours" in row or "yours" in row


def test_my_logs_stand_unranked_beside_a_board_of_which_only_the_numbers_are_known(
    logs: Path, tmp_path: Path
) -> None:
    build(logs, tmp_path / "published")
    mine = tmp_path / "mine"
    write_log(mine, {item: value + 0.1 for item, value in STEADY.items()}, model="me/new")
    write_log(mine, dict.fromkeys(ITEMS, 0.9), model="lab/steady")
    numbers = tmp_path / "published" / "board.json"
    told = build(numbers, tmp_path / "site", "--with", str(mine), "--samples", "0")
    assert any("no rank" in note for note in told["notes"])
    found = {
        row["model"]: (row["rank"], bool(row.get("own")), row["value"])
        for row in rows_of(tmp_path / "site")
    }
    assert found["lab/steady"] == (1, False, pytest.approx(0.535))  # the published row stays
    assert found["lab/brisk"][:2] == (2, False)
    assert found["me/new"] == (None, True, pytest.approx(0.635))
    (page,) = (tmp_path / "site" / "boards").glob("*/*.html")
    assert "Yours" in page.read_text("utf-8")


@pytest.fixture
def three(logs: Path) -> Path:
    """A third contestant, between the others and nearer to the first, and a floor."""
    write_log(logs, {item: value - 0.05 for item, value in STEADY.items()}, model="lab/mid")
    write_log(logs, dict.fromkeys(ITEMS, 0.0), model="null/null", method="null")
    return logs


def links_of(page: Path) -> set[str]:
    """Files that a page links to."""
    found = html.fromstring(page.read_bytes()).xpath("//main//a/@href | //header//a/@href")
    return {str((page.parent / link.partition("#")[0]).resolve()) for link in found}


def test_boards_and_contestants_lead_to_the_comparison_of_a_pair_and_back(
    three: Path, tmp_path: Path
) -> None:
    site = tmp_path / "site"
    build(three, site, "--pairs", "2")
    compared = {page.name[:-14]: page for page in (site / "compare").glob("*.html")}
    # Neighbours in rank: steady, mid, brisk. Nobody is compared with a floor.
    assert sorted(compared) == ["lab-brisk-lab-mid", "lab-mid-lab-steady"]
    pair = compared["lab-mid-lab-steady"]
    (board,) = (site / "boards").glob("*/*.html")
    steady, mid, brisk = (
        next((site / "models").glob(f"lab-{name}-*.html")) for name in ("steady", "mid", "brisk")
    )
    assert {str(page) for page in compared.values()} <= links_of(board)
    assert str(pair) in links_of(steady) & links_of(mid)
    assert str(pair) not in links_of(brisk)
    assert {str(board), str(steady), str(mid)} <= links_of(pair)
    (said,) = [
        " ".join(line.text_content().split())
        for line in html.fromstring(board.read_bytes()).xpath("//ul[@class='pairs']/li")
        if "mid and lab/steady" in line.text_content()
    ]
    # All eight items differ by 0.05.
    assert "lab/steady is ahead by 0.050 in rougeL (95% interval 0.050–0.050)" in said
    assert said.endswith("better on 8 of 8 items.")
    numbers = json.loads(pair.with_suffix(".json").read_text())
    assert [side["name"] for duel in numbers["duels"] for side in (duel["a"], duel["b"])] == [
        "lab/mid",
        "lab/steady",
    ]


def test_models_are_compared_before_baselines(three: Path, tmp_path: Path) -> None:
    # In rank a baseline stands between the models: steady, lead, mid, brisk.
    between = {item: value - 0.02 for item, value in STEADY.items()}
    write_log(three, between, model="none", method="lead")
    build(three, tmp_path / "site", "--pairs", "2")
    compared = {page.name[:-14] for page in (tmp_path / "site" / "compare").glob("*.html")}
    assert compared == {"lab-brisk-lab-mid", "lab-mid-lab-steady"}


def test_pages_say_where_no_pair_was_compared(three: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    build(three, site, "--pairs", "0")
    assert not (site / "compare").exists()
    for page in (*(site / "boards").glob("*/*.html"), *(site / "models").glob("lab-*.html")):
        assert "viva board compare A B" in page.read_text("utf-8")


def test_titles_stand_on_pages_of_pairs_only_beside_shown_answers(
    tmp_path: Path,
) -> None:
    """The title of a paper is the gold of the task `title`."""
    logs = tmp_path / "logs"
    for model, values in (("lab/steady", STEADY), ("lab/brisk", BRISK)):
        path = write_log(logs, values, model=model)
        log = read_eval_log(str(path))
        for sample in log.samples or []:
            sample.metadata["title"] = f"Paper on {sample.id}"
        write_eval_log(log, str(path))
    for samples, shown in (("0", 0), ("3", 3)):
        build(logs, tmp_path / samples, "--samples", samples)
        files = [*(tmp_path / samples / "compare").iterdir()]
        assert len(files) == 2
        for file in files:
            assert len(set(re.findall(r"Paper on item-\d", file.read_text("utf-8")))) == shown


def test_a_site_is_made_again_of_its_numbers_alone(logs: Path, tmp_path: Path) -> None:
    build(logs, tmp_path / "published", "--samples", "0")
    build(tmp_path / "published" / "board.json", tmp_path / "again")
    for name in ("board.csv", "board.json", "board.tex"):
        assert (tmp_path / "again" / name).read_bytes() == (
            tmp_path / "published" / name
        ).read_bytes()


@pytest.mark.parametrize(
    ("name", "bad", "where"),
    [
        ("value", "0.9", "rows.0.value"),
        ("ci", [0.1], "rows.0.ci"),
        ("n", -1, "rows.0.n"),
        ("model", {"a": 1}, "rows.0.model"),
        ("faults", {"malformed": "=1"}, "rows.0.faults.malformed"),
        ("faults", {"\x1b[2J": -1}, r"rows.0.faults.\x1b[2J"),
        ("exposure", {"items": {"clean": "x"}}, "rows.0.exposure.items.clean"),
        ("exposure", {"seen": 0.5, "clean": 0.4}, "rows.0.exposure"),
        ("decoding", {"a": {"b": {}}}, "rows.0.decoding"),
        ("rank", True, "rows.0.rank"),
    ],
)
def test_a_row_of_a_strangers_board_is_checked(
    logs: Path, tmp_path: Path, name: str, bad: object, where: str
) -> None:
    build(logs, tmp_path / "published", "--samples", "0")
    path = tmp_path / "published" / "board.json"
    board = json.loads(path.read_text("utf-8"))
    board["rows"][0][name] = bad
    path.write_text(json.dumps(board), "utf-8")
    words = ["board", "build", str(path), "--out", str(tmp_path / "site")]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 2
    assert where in result.output.replace("\n", "")
    assert not (tmp_path / "site").exists()


@pytest.mark.parametrize("text", ["[]", "{}", '{"rows": []}', "[" * 100_000, "NaN"])
def test_what_is_no_board_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "board.json"
    path.write_text(text, "utf-8")
    result = CliRunner().invoke(app, ["board", "build", str(path), "--out", str(tmp_path / "site")])
    assert result.exit_code == 2
    assert "board.json" in result.output


def test_another_round_of_the_same_name_is_refused(logs: Path, tmp_path: Path) -> None:
    build(logs, tmp_path / "published", "--samples", "0")
    path = tmp_path / "published" / "board.json"
    path.write_text(re.sub(r'"manifest": ?"[^"]*"', '"manifest": "other"', path.read_text("utf-8")))
    words = ["board", "build", str(path), "--out", str(tmp_path / "site"), "--with", str(logs)]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 2
    assert "manifests differ" in result.output.replace("\n", " ")


def test_rows_with_gaps_are_left_out_on_request(logs: Path, tmp_path: Path) -> None:
    write_log(logs, dict.fromkeys(ITEMS), model="lab/gaps")
    everybody, complete = tmp_path / "everybody", tmp_path / "complete"
    build(logs, everybody)
    build(logs, complete, "--complete-only")
    assert {row["model"] for row in rows_of(everybody)} == {"lab/steady", "lab/brisk", "lab/gaps"}
    assert {row["model"] for row in rows_of(complete)} == {"lab/steady", "lab/brisk"}


def test_a_cache_changes_no_byte_and_a_new_log_is_noticed(logs: Path, tmp_path: Path) -> None:
    cached, plain, cache = tmp_path / "cached", tmp_path / "plain", tmp_path / "cache"
    build(logs, cached, "--cache", str(cache))
    build(logs, plain)
    assert hash_tree(cached) == hash_tree(plain)
    write_log(logs, dict.fromkeys(ITEMS, 0.9), model="lab/late")
    build(logs, cached, "--cache", str(cache))
    build(logs, plain)
    assert hash_tree(cached) == hash_tree(plain)
    assert rows_of(cached)[0]["model"] == "lab/late"


def test_what_changed_is_listed_with_its_reason(logs: Path, tmp_path: Path) -> None:
    site, reasons = tmp_path / "site", tmp_path / "reasons.jsonl"
    build(logs, site, "--date", "2026-01-01")
    for log in logs.glob("*_1.eval"):
        log.unlink()
    write_log(logs, dict.fromkeys(ITEMS, 0.9), model="lab/late", name="later.eval")
    reasons.write_text('{"model": "lab/brisk", "reason": "Withdrawn by its makers."}\n', "utf-8")
    build(logs, site, "--date", "2026-02-01", "--reasons", str(reasons))
    said = (site / "changes.json").read_text("utf-8")
    assert "Withdrawn by its makers." in said
    assert "lab/late" in said
    assert "2026-02-01" in said
    (page,) = (site / "boards").glob("*/*.html")
    assert re.search(r"<(s|del)>.*brisk", page.read_text("utf-8"), re.S)


def test_the_overview_and_the_page_of_a_contestant_lead_to_each_other(
    logs: Path, tmp_path: Path
) -> None:
    site = tmp_path / "site"
    build(logs, site, "--samples", "0")
    (steady,) = site.glob("models/lab-steady-*.html")
    (board,) = site.glob("boards/*/*.html")
    overview, page = ((site / "index.html"), steady)
    assert steady.name in overview.read_text("utf-8")
    assert board.name in overview.read_text("utf-8")
    assert board.name in page.read_text("utf-8")
    # The mean of 0.50, 0.51 ... 0.57 is 0.535.
    assert "0.535" in page.read_text("utf-8")
    assert not (site / "samples").exists()
