"""`viva board build --samples`: pages of items, where they are linked, and none when not asked."""

from __future__ import annotations

from pathlib import Path

import pytest
from inspect_ai.log import read_eval_log, write_eval_log
from lxml import html
from tests.results.audits.made_logs import write_log
from tests.servers.commands import only_json, viva_here


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    folder = tmp_path / "logs"
    for model, value in (("lab/one", 0.2), ("lab/two", 0.6)):
        write_log(folder, dict.fromkeys("abcdef", value), model=model)
    return folder


def test_without_samples_no_text_is_written(logs: Path, tmp_path: Path) -> None:
    out = tmp_path / "site"
    done = viva_here(
        *("board", "build", logs, "--out", out, "--samples", "0", "--resamples", "20", "--json")
    )
    assert only_json(done.stdout)["page"] == str(out / "index.html")
    assert not (out / "samples").exists()
    assert "the gold text" not in (out / "index.html").read_text()


def answers(out: Path, item: str) -> dict[str, list[str]]:
    """Who answers an item on its page, and the links to transcripts beside each."""
    (path,) = out.glob(f"samples/*/*/{item}-*.html")
    return {
        article.findtext(".//h3//bdi") or "": article.xpath(".//p[@class='use']/a/@href")
        for article in html.fromstring(path.read_bytes()).xpath("//article")
    }


def test_my_own_answers_stand_beside_published_ones(logs: Path, tmp_path: Path) -> None:
    """The published viewer does not hold the reader's own logs."""
    mine = tmp_path / "mine"
    write_log(mine, dict.fromkeys("abcdef", 0.4), model="home/mine")
    out = tmp_path / "site"
    viva_here(
        *("board", "build", logs, "--with", mine, "--out", out, "--samples", "6"),
        *("--resamples", "20", "--bundle", "https://example.org/view"),
    )
    found = answers(out, "a")
    assert sorted(found) == ["home/mine", "lab/one", "lab/two"]
    assert {name: len(links) for name, links in found.items()} == {
        "home/mine": 0,
        "lab/one": 1,
        "lab/two": 1,
    }


def test_who_is_left_off_the_board_is_left_off_its_items(logs: Path, tmp_path: Path) -> None:
    path = write_log(logs, dict.fromkeys("abcdef", 0.1), model="lab/refuses")
    log = read_eval_log(str(path))
    for score in ((log.samples or [])[0].scores or {}).values():
        score.value = {**score.value, "valid": 0.0}  # type: ignore[dict-item]
        score.metadata = {"fault": "refusal"}
    write_eval_log(log, str(path))
    out = tmp_path / "site"
    words = ("board", "build", logs, "--out", out, "--samples", "6", "--resamples", "20")
    viva_here(*words)
    assert sorted(answers(out, "b")) == ["lab/one", "lab/refuses", "lab/two"]
    viva_here(*words, "--complete-only")
    assert sorted(answers(out, "b")) == ["lab/one", "lab/two"]
