"""A site that follows its logs: read once, again when they change, and only then."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from vivavoce.errors import VivaError
from vivavoce.web.board.page import Page
from vivavoce.web.board.serving import REST, LiveSite, mark_of


class Desk:
    """Pages of numbers that somebody changes, and how often each was asked for."""

    def __init__(self) -> None:
        self.number, self.now = 1, 0.0
        self.reads = self.renders = 0
        self.broken = False

    def read(self) -> list[Page]:
        self.reads += 1
        if self.broken:
            raise VivaError("half a log")
        number = self.number

        def make() -> bytes:
            self.renders += 1
            return str(number).encode()

        return [Page("index.html", f"key-{number}", make)]

    def site(self) -> LiveSite:
        return LiveSite(self.read, lambda: f"{self.number} {self.broken}", lambda: self.now)

    def show(self, site: LiveSite) -> bytes:
        page = site.find("index.html")
        assert page is not None
        return site.content(page)


def test_a_page_is_made_once_and_again_when_the_logs_changed() -> None:
    desk = Desk()
    site = desk.site()
    assert [desk.show(site), desk.show(site)] == [b"1", b"1"]
    assert (desk.reads, desk.renders) == (1, 1)
    desk.number = 2
    desk.now += REST
    assert desk.show(site) == b"2"
    assert (desk.reads, desk.renders) == (2, 2)
    desk.now += REST
    desk.show(site)
    assert desk.reads == 2


def test_the_logs_are_looked_at_once_a_second() -> None:
    desk = Desk()
    site = desk.site()
    desk.number = 2
    desk.now += REST / 2
    assert desk.show(site) == b"1"
    desk.now += REST / 2
    assert desk.show(site) == b"2"


def test_logs_that_make_no_board_are_told_and_read_again_later() -> None:
    desk = Desk()
    site = desk.site()
    desk.broken = True
    desk.now += REST
    with pytest.raises(VivaError, match="half a log"):
        site.find("index.html")
    desk.broken, desk.number = False, 3
    desk.now += REST
    assert desk.show(site) == b"3"


def test_the_mark_changes_with_every_log(tmp_path: Path) -> None:
    marks = [mark_of([tmp_path])]
    log = tmp_path / "deep" / "one.eval"
    log.parent.mkdir()
    for content in (b"one", b"three"):
        log.write_bytes(content)
        marks.append(mark_of([tmp_path]))
    os.utime(log, (1, 1))
    marks.append(mark_of([tmp_path]))
    (tmp_path / "notes.txt").write_text("no log")
    assert mark_of([tmp_path]) == marks[-1]
    log.unlink()
    assert mark_of([tmp_path]) == marks[0]
    assert len(set(marks)) == 4
