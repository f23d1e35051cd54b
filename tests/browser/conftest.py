"""Somebody at a browser of their own, logged in to the annotation app."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest
from tests.browser.desks import Desk
from tests.servers.annotation import PASSWORD, Server

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture
def desk_of(browser: Browser) -> Iterator[Callable[..., Desk]]:
    contexts = []

    def make(server: Server, name: str, **options: Any) -> Desk:
        context = browser.new_context(**options)
        contexts.append(context)
        desk = Desk(context.new_page(), server)
        desk.page.on("console", lambda message: desk.complaints.append(message.text))
        desk.page.on("pageerror", lambda error: desk.complaints.append(str(error)))
        desk.page.on("dialog", lambda dialog: desk.complaints.append(dialog.message))
        desk.page.on(
            "request",
            lambda request: (
                None if request.url.startswith(server.address) else desk.foreign.append(request.url)
            ),
        )
        desk.page.goto(server.address)
        desk.page.get_by_label("Name").fill(name)
        desk.page.get_by_label("Password").fill(PASSWORD)
        desk.page.get_by_role("button", name="Log in").click()
        desk.page.wait_for_url("**/campaigns")
        return desk

    yield make
    for context in contexts:
        context.close()
