"""Campaigns for programs: the same functions as the commands, behind a token."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

import pytest
from tests.servers.annotation import Clock, app_people, content_of, fill

from vivavoce.web.annotation.app import MAX_UPLOAD
from vivavoce.web.annotation.campaigns import find_campaign
from vivavoce.web.annotation.exporting import export_campaign
from vivavoce.web.annotation.storage import Database

TOKEN = "a token of more than twenty letters"
ALLOWED = {"authorization": f"Bearer {TOKEN}"}
API = "/api/campaigns/pilot"


def lines(*ids: str) -> bytes:
    rows = [{"id": name, "content": content_of("demands", place)} for place, name in enumerate(ids)]
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def test_items_come_in_and_progress_is_told(database: Database, clock: Clock) -> None:
    with app_people(database, clock, "", api_token=TOKEN) as (program,):
        new = program.http.post(
            f"{API}/items", params={"kind": "demands"}, content=lines("a", "b"), headers=ALLOWED
        )
        assert new.json() == {"added": 2, "known": 0, "decisions": 0, "unused": 0}
        more = program.http.post(f"{API}/items", content=lines("a", "b", "c"), headers=ALLOWED)
        assert more.json() == {"added": 1, "known": 2, "decisions": 0, "unused": 0}
        found = program.http.get(API, headers=ALLOWED).json()
    assert (found["campaign"], found["kind"], found["paused"]) == ("pilot", "demands", False)
    assert found["items"]["open"] == 3
    assert found["people"] == []


def test_people_and_outcomes_are_those_of_the_commands(database: Database, clock: Clock) -> None:
    fill(database, {"ann": "annotator", "ben": "annotator", "lea": "lead"}, items=2)
    with app_people(database, clock, "ann", "ben", "", api_token=TOKEN) as (ann, ben, program):
        for person in (ann, ben):
            person.open("/c/pilot")
            person.send(decision="include")
            person.send(decision="include")
        found = program.http.get(API, headers=ALLOWED).json()
    assert found["items"]["pair"] == 2
    assert [(row["name"], row["decided"]) for row in found["people"]] == [
        ("ann", 2),
        ("ben", 2),
        ("lea", 0),
    ]


def test_an_export_holds_the_files_of_the_command(
    database: Database, clock: Clock, tmp_path: Path
) -> None:
    fill(database, {"ann": "annotator"}, items=2)
    with app_people(database, clock, "ann", "", api_token=TOKEN) as (ann, program):
        ann.open("/c/pilot")
        ann.send(decision="include", note="ann@example.org")
        answers = [program.http.get(f"{API}/export", headers=ALLOWED) for _ in range(2)]
    assert answers[0].content == answers[1].content
    with database.reading() as session:
        folder = export_campaign(session, find_campaign(session, "pilot"), tmp_path / "out").parent
    with zipfile.ZipFile(io.BytesIO(answers[0].content)) as packed:
        files = {name: packed.read(name) for name in packed.namelist()}
    assert files == {p.name: p.read_bytes() for p in folder.iterdir() if p.name != ".lock"}
    assert b'"name": "ann"' not in files["export.json"]


@pytest.mark.parametrize("header", [None, "", "Bearer ", "Bearer wrong", TOKEN, "Bearer ümlaut"])
def test_nobody_comes_in_without_the_token(
    database: Database, clock: Clock, header: str | None
) -> None:
    fill(database, {"ann": "annotator"})
    sent = {} if header is None else {"authorization": header.encode()}
    with app_people(database, clock, "ann", api_token=TOKEN) as (ann,):
        answers = [
            ann.http.get(API, headers=sent),
            ann.http.get(f"{API}/export", headers=sent),
            ann.http.post(f"{API}/items", content=lines("x"), headers=sent),
        ]
    for answer in answers:
        assert answer.status_code == 401
        assert answer.json() == {"error": "The token is wrong. Send Authorization: Bearer TOKEN."}


def test_without_a_token_there_is_no_api(database: Database, clock: Clock) -> None:
    fill(database, {"ann": "annotator"})
    with app_people(database, clock, "ann") as (ann,):
        for sent in ({}, {"authorization": "Bearer "}, {"authorization": "Bearer"}):
            assert ann.http.get(API, headers=sent).status_code == 404


def test_mistakes_are_named_and_nothing_is_kept(database: Database, clock: Clock) -> None:
    fill(database, {"ann": "annotator"}, kind="demands")
    with app_people(database, clock, "", api_token=TOKEN) as (program,):

        def sent(body: bytes, path: str = API) -> tuple[int, str]:
            answer = program.http.post(f"{path}/items", content=body, headers=ALLOWED)
            return answer.status_code, answer.json()["error"]

        status, error = sent(lines("x") + b'{"id": "y", "content": {}}\n')
        assert status == 422
        assert "This cannot be taken. items.jsonl:2" in error
        assert "'demand' is missing" in error
        assert sent(b"\xff\xfe")[0] == 422
        assert sent(b"")[0] == 422
        assert "give its --kind" in sent(lines("x"), "/api/campaigns/other")[1]
        assert sent(b"{}\n" * MAX_UPLOAD)[0] == 413
        assert sent(lines("x"), "/api/campaigns/Bad Name")[0] == 404
        missing = program.http.get("/api/campaigns/other", headers=ALLOWED)
        assert (missing.status_code, "pilot" in missing.json()["error"]) == (422, True)
        left = program.http.get(API, headers=ALLOWED).json()["items"]
    assert sum(left.values()) == 4
