"""Building again: only what changed is written, and only files of the site are removed."""

import json
from pathlib import Path

import pytest
from tests.web.board.board_rows import make_board, make_row

from vivavoce.errors import InputError, VivaError
from vivavoce.requests import SiteOptions
from vivavoce.results.board.groups import Board
from vivavoce.web.board.entries import slug
from vivavoce.web.board.page import Page, read_state, write_pages
from vivavoce.web.board.site import write_site


def page(path: str, text: str) -> Page:
    return Page(path, f"key of {text}", text.encode)


def test_a_second_build_of_the_same_pages_writes_nothing(tmp_path: Path) -> None:
    pages = [page("index.html", "one"), page("boards/a.html", "two")]
    assert write_pages(pages, tmp_path) == ["boards/a.html", "index.html"]
    assert write_pages(pages, tmp_path) == []


def test_a_page_with_another_key_is_rendered_and_no_other(tmp_path: Path) -> None:
    write_pages([page("a.html", "one"), page("b.html", "two")], tmp_path)
    written = write_pages([page("a.html", "one"), page("b.html", "three")], tmp_path)
    assert written == ["b.html"]
    assert (tmp_path / "b.html").read_text() == "three"


def test_a_file_that_was_altered_or_lost_is_written_again(tmp_path: Path) -> None:
    pages = [page("a.html", "one"), page("b.html", "two")]
    write_pages(pages, tmp_path)
    (tmp_path / "a.html").write_text("edited by hand")
    (tmp_path / "b.html").unlink()
    assert write_pages(pages, tmp_path) == ["a.html", "b.html"]


def test_pages_no_longer_made_are_removed_and_other_files_stay(tmp_path: Path) -> None:
    write_pages([page("index.html", "one"), page("boards/old/a.html", "two")], tmp_path)
    (tmp_path / "mine.txt").write_text("a user's file")
    assert write_pages([page("index.html", "one")], tmp_path) == []
    assert not (tmp_path / "boards").exists()
    assert (tmp_path / "mine.txt").exists()


@pytest.mark.parametrize("path", ["../outside.txt", "/etc/outside", "a/../../outside.txt", "a\\b"])
def test_a_list_of_files_that_leads_out_is_not_followed(tmp_path: Path, path: str) -> None:
    site = tmp_path / "site"
    write_pages([page("index.html", "one")], site)
    (tmp_path / "outside.txt").write_text("not ours")
    state = json.loads((site / "site.json").read_text())
    state["files"][path] = {"key": "k", "sha256": "s"}
    (site / "site.json").write_text(json.dumps(state))
    assert path not in read_state(site)
    write_pages([page("index.html", "one")], site)
    assert (tmp_path / "outside.txt").exists()


def test_two_pages_of_one_path_are_refused(tmp_path: Path) -> None:
    with pytest.raises(VivaError, match=r"have the path a\.html"):
        write_pages([page("a.html", "one"), page("a.html", "two")], tmp_path)


def test_a_slug_is_plain_ascii_and_tells_names_apart() -> None:
    assert slug("Maker/Model").startswith("maker-model-")
    assert slug("a/b") != slug("a-b")
    assert len(slug("\u202e/..")) == 8


def test_nothing_that_is_no_sites_is_written_over(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("mine")
    with pytest.raises(InputError, match=r"README\.md exists and does not belong to a site"):
        write_pages([page("a.html", "a"), page("README.md", "b")], tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["README.md"]
    assert (tmp_path / "README.md").read_text() == "mine"


def test_a_first_build_that_was_killed_is_finished(tmp_path: Path) -> None:
    def stop() -> bytes:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_pages([page("a.html", "a"), Page("b.html", "key of b", stop)], tmp_path)
    write_pages([page("a.html", "a"), page("b.html", "b")], tmp_path)
    assert (tmp_path / "b.html").read_bytes() == b"b"


def test_pages_are_kept_only_where_nothing_that_they_show_has_changed(tmp_path: Path) -> None:
    rows = [make_row("a/one", 0.5, 1, cost=2.0, metric=metric) for metric in ("rougeL", "rouge1")]
    rows += [{**row, "model": "b/two", "cost": 9.0, "value": 0.4, "rank": 2} for row in rows]
    base = make_board(*rows)
    later = {**base.rounds[0], "window": ["2026-01-02", "2026-04-01"]}
    changes: list[tuple[Board, dict]] = [
        (make_board(*rows[:3], {**rows[3], "value": 0.3}), {}),
        (make_board(*rows, rounds=[later]), {}),
        (make_board(*rows, notes=["one log is left out"]), {}),
        (make_board(*rows, headlines={"vivavoce/title": "rouge1"}), {}),
        (make_board(*rows, metrics={"vivavoce/title": ["rougeL", "rouge1"]}), {}),
        (base, {"options": SiteOptions(note="made up")}),
    ]
    for place, (board, asked) in enumerate(changes):
        kept, fresh = tmp_path / f"kept-{place}", tmp_path / f"fresh-{place}"
        write_site(base, kept)
        before = shown_of(kept)
        write_site(base, kept)
        assert shown_of(kept) == before
        write_site(board, kept, **asked)
        assert shown_of(kept) == (found := write_and_show(board, fresh, asked)) != before
        (kept / "index.html").write_text("edited")
        (kept / "board.csv").unlink()
        write_site(board, kept, **asked)
        assert shown_of(kept) == found


def shown_of(site: Path) -> dict[str, bytes]:
    """All files but the list of them."""
    return {
        str(path.relative_to(site)): path.read_bytes()
        for path in sorted(site.rglob("*"))
        if path.is_file() and path.name != "site.json"
    }


def write_and_show(board: Board, site: Path, asked: dict) -> dict[str, bytes]:
    write_site(board, site, **asked)
    return shown_of(site)
