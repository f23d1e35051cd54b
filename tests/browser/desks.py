"""People at browsers of their own."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sqlalchemy import func, select
from tests.servers.annotation import Server

from vivavoce.web.annotation.storage import Database
from vivavoce.web.annotation.tables import Decision

if TYPE_CHECKING:
    from playwright.sync_api import Page

FIVE = {
    "ann": "annotator",
    "ben": "annotator",
    "cat": "adjudicator",
    "dan": "adjudicator",
    "lea": "lead",
}


@dataclass
class Desk:
    """Somebody at a browser of their own, and what the browser said meanwhile."""

    page: Page
    server: Server
    complaints: list[str] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)
    is_watched: bool = False
    seen: list[str] = field(default_factory=list)
    """Every page that was open, where that is watched."""

    def open(self, path: str) -> None:
        self.page.goto(self.server.address + path)
        self._see()

    def press(self, key: str) -> None:
        """Press a key that sends the page, and wait for the next one."""
        with self.page.expect_navigation(wait_until="domcontentloaded"):
            self.page.keyboard.press(key)
        self._see()

    def item(self) -> int | None:
        """The number of the item on the page, if there is one."""
        if not self.page.locator("form#work").count():
            return None
        return int(self.page.locator(".paper-title").inner_text().rpartition(" ")[2])

    def _see(self) -> None:
        if self.is_watched:
            self.seen.append(self.page.content())


def decisions(database: Database) -> int:
    with database.reading() as session:
        return session.scalar(select(func.count()).select_from(Decision)) or 0
