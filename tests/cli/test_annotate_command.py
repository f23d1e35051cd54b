"""`viva annotate`: a campaign from import to export by the command line alone."""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest
import typer
from click.testing import Result
from tests.servers import commands
from tests.web.annotation.made_campaigns import EXCLUDE, INCLUDE, Made, candidate
from typer.testing import CliRunner

from vivavoce.cli import annotate
from vivavoce.cli.output import VivaGroup
from vivavoce.store import read_jsonl
from vivavoce.web.annotation.people import check_password, find_person
from vivavoce.web.annotation.storage import open_database

app = typer.Typer(cls=VivaGroup)
app.add_typer(annotate.app, name="annotate")


def viva(*words: object, stdin: str | None = None) -> Result:
    return CliRunner().invoke(app, ["annotate", *map(str, words)], input=stdin)


def only_json(done: Result) -> Any:
    return commands.only_json(done.stdout)


@pytest.fixture
def db(tmp_path: Path) -> Path:
    return tmp_path / "annotation.db"


@pytest.fixture
def items(tmp_path: Path) -> Path:
    path = tmp_path / "items.jsonl"
    rows = [{"id": f"i{n}", "content": candidate(n), "cluster": f"t{n // 2}"} for n in range(4)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


@pytest.fixture
def imported(items: Path, db: Path) -> Path:
    done = viva("import", items, "--campaign", "paths", "--kind", "distractors", "--db", db)
    assert done.exit_code == 0, done.stderr
    return db


def judged(db: Path) -> None:
    """Everything judged: i0 is split in both pairs and left to a lead."""
    made = Made(open_database(str(db)))
    made.add("ann", "bob")
    made.add("dan", "eve", role="adjudicator")
    made.work("ann", {"*": INCLUDE, "i1": EXCLUDE})
    made.work("bob", {"*": INCLUDE, "i0": EXCLUDE, "i1": EXCLUDE})
    made.work("dan", {"*": INCLUDE})
    made.work("eve", {"*": EXCLUDE})
    made.database.close()


def test_import_says_what_it_added_and_where(items: Path, db: Path) -> None:
    words = ("import", items, "--campaign", "paths", "--db", db)
    done = viva(*words, "--kind", "distractors", "--json")
    assert done.exit_code == 0, done.stderr
    found = only_json(done)
    assert (found["added"], found["known"], found["campaign"]) == (4, 0, "paths")
    assert found["database"] == f"sqlite:///{db}"
    again = viva(*words)
    assert "0 items added, 4 were there" in again.stdout
    assert again.stdout.splitlines()[-1] == f"sqlite:///{db}"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--kind", "distractors"), "Give one source"),
        (("items.jsonl",), "give its --kind"),
        (("items.jsonl", "--kind", "chess"), "There are: distractors"),
        (("nothing.jsonl", "--kind", "qa"), "does not exist"),
        (("items.jsonl", "--kind", "qa"), "items.jsonl:1: in 'content' 'question' is missing"),
        (("--from-round", ".", "--kind", "demands"), "is not a round"),
        (("--from-logs", "."), "needs two contestants"),
        (("--from-export", "."), "is no export"),
        (("items.jsonl", "--kind", "distractors", "--pass-mark", "2"), "between 0 and 1"),
        (("items.jsonl", "--kind", "distractors", "--guidelines", "no.md"), "cannot be read"),
    ],
)
def test_wrong_use_ends_with_2_and_leaves_no_campaign(
    items: Path,
    db: Path,
    words: tuple[str, ...],
    message: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(items.parent)
    done = viva("import", *words, "--campaign", "paths", "--db", db)
    assert done.exit_code == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert viva("people", "list", "--campaign", "paths", "--db", db).exit_code == 2


@pytest.mark.parametrize("verb", ["export --out out", "agreement", "people list", "people add x"])
def test_only_import_makes_a_database(db: Path, verb: str) -> None:
    done = viva(*verb.split(), "--campaign", "paths", "--db", db)
    assert done.exit_code == 2
    assert "does not exist. viva annotate import makes it." in done.stderr
    assert not db.exists()


def test_guidelines_of_ones_own_are_kept(items: Path, db: Path) -> None:
    mine = items.with_name("mine.md")
    mine.write_text("# Read me\nInclude planners.", "utf-8")
    words = ("--campaign", "paths", "--kind", "distractors", "--guidelines", mine, "--db", db)
    assert viva("import", items, *words).exit_code == 0
    out = items.with_name("out")
    assert viva("export", "--campaign", "paths", "--out", out, "--db", db).exit_code == 0
    assert "> Include planners." in (out / "codebook.md").read_text("utf-8")


def test_somebody_new_gets_a_password_that_is_printed_once(imported: Path) -> None:
    words = ("people", "add", "ann", "--campaign", "paths", "--db", imported)
    first = only_json(viva(*words, "--json"))
    assert first["role"] == "annotator"
    database = open_database(str(imported))
    with database.reading() as session:
        ann = find_person(session, "ann")
        assert ann is not None
        assert check_password(first["password"], ann.password_hash)
        assert ann.code == first["code"]
    database.close()
    again = viva(*words, "--role", "lead")  # known already: another role, the old password
    assert again.exit_code == 0
    assert "password" not in again.stdout
    assert "ann is lead in paths" in again.stdout


def test_a_password_comes_from_a_file_or_a_prompt_and_is_not_shown(
    imported: Path, tmp_path: Path
) -> None:
    (tmp_path / "secret").write_text("from the file 1\n", "utf-8")
    base = ("--campaign", "paths", "--db", imported)
    filed = viva("people", "add", "ann", *base, "--password-file", tmp_path / "secret")
    typed = viva("people", "add", "bob", *base, "--ask", stdin="typed twice 2\ntyped twice 2\n")
    piped = viva("people", "add", "cem", *base, "--password-file", "-", stdin="by a pipe 33\n")
    changed = viva(
        "people", "password", "ann", "--db", imported, "--password-file", "-", stdin="another 444\n"
    )
    for done in (filed, typed, piped, changed):
        assert done.exit_code == 0, done.stderr
        assert "shown this once" not in done.stdout
    database = open_database(str(imported))
    with database.reading() as session:
        for name, password in (
            ("ann", "another 444"),
            ("bob", "typed twice 2"),
            ("cem", "by a pipe 33"),
        ):
            person = find_person(session, name)
            assert person is not None
            assert check_password(password, person.password_hash)
    database.close()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("add", "Ann", "--campaign", "paths"), "not a name"),
        (("add", "ann", "--campaign", "nowhere"), "There are: paths"),
        (("add", "ann", "--campaign", "paths", "--role", "boss"), "annotator, adjudicator, lead"),
        (("add", "ann", "--campaign", "paths", "--password-file", "short"), "10 to 256"),
        (("password", "nobody"), "Nobody is called"),
    ],
)
def test_wrong_people_end_with_2(
    imported: Path, words: tuple[str, ...], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(imported.parent)
    Path("short").write_text("short\n", "utf-8")
    done = viva("people", *words, "--db", imported)
    assert done.exit_code == 2
    assert message in done.stderr


def test_agreement_and_people_are_tables_and_one_json_document(imported: Path) -> None:
    """First pairs: 3 of 4 agree (i0 does not); of 8 labels 5 include, 3 exclude.

    e = (5/8)² + (3/8)² = 34/64; kappa = (48/64 - 34/64) / (30/64) = 14/30.
    """
    judged(imported)
    base = ("--campaign", "paths", "--db", imported)
    found = only_json(viva("agreement", *base, "--json", "--resamples", 200))
    (field,) = found["fields"]
    assert field["pairwise"]["value"] == 0.75
    assert field["fleiss"]["value"] == pytest.approx(14 / 30)
    assert len(field["pairwise"]["interval"]) == 2
    assert found["outcomes"]["discussion"] == 1
    assert found["model"] == []
    shown = viva("agreement", *base, "--resamples", 0)
    assert shown.exit_code == 0, shown.stderr
    for text in ("0.750", "0.467", "pair 3", "60 (60–60)", "2026-03-02"):
        assert text in shown.stdout
    people = viva("people", "list", *base)
    assert people.exit_code == 0, people.stderr
    assert "adjudicator" in people.stdout
    rows = {
        row["name"]: row["decided"] for row in only_json(viva("people", "list", *base, "--json"))
    }
    assert rows == {"ann": 4, "bob": 4, "dan": 1, "eve": 1}


def test_a_model_is_compared(imported: Path, tmp_path: Path) -> None:
    judged(imported)
    path = tmp_path / "model.jsonl"
    rows = [{"id": f"i{n}", "label": "include"} for n in range(4)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    base = ("--campaign", "paths", "--db", imported, "--model-labels", path, "--resamples", 0)
    (row,) = only_json(viva("agreement", *base, "--json"))["model"]
    assert row["agreement"]["value"] == pytest.approx(2 / 3)  # i1 is exclude; i0 has not ended
    assert row["people"]["include"]["value"] == pytest.approx(2 / 3)
    assert row["model"]["include"]["value"] == 1.0
    assert "The model and people" in viva("agreement", *base).stdout
    path.write_text('{"id": "zz", "label": "include"}\n', "utf-8")
    assert viva("agreement", *base).exit_code == 2


def test_agreement_on_nothing_says_undefined(imported: Path) -> None:
    done = viva("agreement", "--campaign", "paths", "--db", imported)
    assert done.exit_code == 0, done.stderr
    assert "–" in done.stdout


def test_export_and_import_give_the_campaign_again(imported: Path, tmp_path: Path) -> None:
    judged(imported)
    out = tmp_path / "out"
    done = viva("export", "--campaign", "paths", "--out", out, "--db", imported)
    assert done.exit_code == 0, done.stderr
    assert done.stdout.splitlines()[-1] == str(out)
    assert len(list(read_jsonl(out / "labels.jsonl"))) == 3
    other = tmp_path / "other.db"
    back = viva("import", "--from-export", out, "--campaign", "paths", "--db", other, "--json")
    assert only_json(back)["decisions"] == 10
    one, two = (
        viva("agreement", "--campaign", "paths", "--db", base, "--json").stdout
        for base in (imported, other)
    )
    assert one == two
    studio = ("--from-label-studio", out / "label_studio.json", "--kind", "distractors")
    assert viva("import", *studio, "--campaign", "ls", "--db", other).exit_code == 0


def test_serve_tells_its_address_and_answers(imported: Path, tmp_path: Path) -> None:
    """A process of its own, as a user starts it, on a port that is free."""
    code = (
        "import sys, typer; from vivavoce.cli import annotate; "
        "from vivavoce.cli.output import VivaGroup; app = typer.Typer(cls=VivaGroup); "
        "app.add_typer(annotate.app, name='annotate'); app()"
    )
    token = tmp_path / "token.txt"
    token.write_text("twenty letters or more\n", "utf-8")
    words = [sys.executable, "-c", code, "annotate", "serve", "--db", str(imported), "--port", "0"]
    words += ["--api-token-file", str(token)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env={**os.environ}) as process:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        assert address.startswith("http://127.0.0.1:")
        with urlopen(address, timeout=20) as answer:
            assert answer.status == 200
            assert "text/html" in answer.headers["content-type"]
        sent = {"Authorization": "Bearer twenty letters or more"}
        with urlopen(Request(f"{address}api/campaigns/paths", headers=sent), timeout=20) as answer:
            assert json.load(answer)["items"]["open"] == 4
        process.send_signal(signal.SIGINT)
        process.wait(timeout=20)


def test_a_short_token_is_refused(imported: Path) -> None:
    done = viva("serve", "--db", imported, "--api-token-file", "-", stdin="short\n")
    assert done.exit_code == 2
    assert "under 20 characters" in done.stderr


def test_a_port_that_is_taken_is_told(imported: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        done = viva("serve", "--db", imported, "--port", taken.getsockname()[1])
    assert done.exit_code == 2
    assert "Choose another --port" in done.stderr


def test_without_the_extra_one_line_tells_what_to_install(
    imported: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == "fastapi" else there(name)
    )
    for words in (
        ("serve",),
        ("import", "x", "--campaign", "y"),
        ("people", "add", "z"),
    ):
        campaign = ("--campaign", "paths") if words[0] == "people" else ()
        done = viva(*words, *campaign, "--db", imported)
        assert done.exit_code == 1
        assert "pip install 'vivavoce[web]'" in done.stderr


def test_help_has_examples_and_loads_nothing_heavy() -> None:
    for words in (["import"], ["serve"], ["export"], ["agreement"], ["people", "add"]):
        done = viva(*words, "--help")
        assert "Example: viva annotate" in done.stdout
    code = "import sys, vivavoce.cli.annotate; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert not {"sqlalchemy", "fastapi", "numpy", "inspect_ai"} & set(loaded.stdout.split())
