"""Every kind of campaign, imported by the public command, judged once in a browser."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.browser.desks import decisions
from tests.servers.annotation import START, content_of, running_server
from tests.servers.commands import viva_here

from vivavoce.web.annotation.campaigns import list_campaigns
from vivavoce.web.annotation.kinds import KINDS
from vivavoce.web.annotation.people import add_person, enrol
from vivavoce.web.annotation.storage import open_database

pytestmark = pytest.mark.browser


def test_every_kind_opens_and_is_judged_by_keys(tmp_path: Path, desk_of) -> None:
    db = tmp_path / "annotation.db"
    for kind in KINDS:
        items = tmp_path / f"{kind}.jsonl"
        row = {"id": "one", "content": content_of(kind, 1)}
        items.write_text(json.dumps(row) + "\n", "utf-8")
        viva_here("annotate", "import", items, "--campaign", kind, "--kind", kind, "--db", db)
    database = open_database(str(db))
    with database.writing() as session:
        person = add_person(session, "ann", "correct horse battery", cost=4)
        for campaign in list_campaigns(session):
            part = enrol(session, campaign, person, "annotator", START)
            part.guidelines_read_at = START
    with running_server(str(db), tmp_path) as server:
        ann = desk_of(server, "ann")
        for number, (name, kind) in enumerate(KINDS.items(), start=1):
            ann.open(f"/c/{name}")
            assert ann.page.get_by_role("heading", name=kind.heading).count() >= 1
            for field in kind.fields[:-1]:
                ann.page.keyboard.press(field.options[0].key)
            if len(kind.fields) == 1:
                ann.press(kind.fields[0].options[0].key)
            else:
                ann.page.keyboard.press(kind.fields[-1].options[0].key)
                ann.press("Enter")
            assert decisions(database) == number, name
        assert ann.complaints == []
    database.close()
