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


def test_a_board_leads_to_its_items(logs: Path, tmp_path: Path) -> None:
    out = tmp_path / "site"
    done = viva_here("board", "build", logs, "--out", out, "--samples", "2", "--resamples", "20")
    assert "Publish them only where you may" in done.stdout
    items = [path for path in out.glob("samples/*/*/*.html") if path.name != "index.html"]
    assert len(items) == 2
    assert all("the gold text" in page.read_text() for page in items)
    (board,) = out.glob("boards/*/*.html")
    links = html.fromstring(board.read_bytes()).xpath("//p[@class='verdict']/a/@href")
    (listed,) = out.glob("samples/*/*/index.html")
    assert [(board.parent / link).resolve() for link in links] == [listed.resolve()]


def test_the_seed_is_the_draw(logs: Path, tmp_path: Path) -> None:
    def drawn(seed: int) -> list[str]:
        out = tmp_path / f"site-{seed}"
        viva_here(
            *("board", "build", logs, "--out", out, "--samples", "2", "--resamples", "20"),
            *("--seed", str(seed)),
        )
        return sorted(path.name for path in out.glob("samples/*/*/*.json"))

    assert len({tuple(drawn(seed)) for seed in range(4)}) > 1


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


@pytest.mark.parametrize("bundle", ["javascript:alert(1)", "no/such/folder"])
def test_only_a_viewer_is_linked(logs: Path, tmp_path: Path, bundle: str) -> None:
    done = viva_here(
        *("board", "build", logs, "--out", tmp_path / "site", "--bundle", bundle), expect=2
    )
    assert "inspect view bundle" in done.stderr
    assert not (tmp_path / "site").exists()
