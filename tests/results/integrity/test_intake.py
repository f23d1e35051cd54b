"""An inbox with an honest submission among hostile ones: each is judged, whatever the others do."""

import json
import os
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from inspect_ai.log import read_eval_log, write_eval_log
from tests.results.integrity.doors import write_form
from tests.results.integrity.forging import rewrite_ledger, set_score
from tests.servers.commands import only_json, small_round, viva_here

from vivavoce.results.integrity.submission import check_apart

pytestmark = pytest.mark.slow

HANGING = "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}"
HUGE = 1 << 30


def only_log(folder: Path) -> Path:
    [path] = (folder / "logs").glob("*.eval")
    return path


def link(folder: Path) -> None:
    (folder / "logs/notes.txt").symlink_to("/etc/hostname")


def pipe(folder: Path) -> None:
    os.mkfifo(folder / "logs/2030-01-01T00-00-00_title.eval")


def nameless(folder: Path) -> None:
    Path(os.fsdecode(os.fsencode(folder / "logs") + b"/\xff\xfe.txt")).touch()


def malformed_ledger(folder: Path) -> None:
    (folder / "logs/runs.jsonl").write_text('{"kind": ["log"], "log": {"a": [1]}}\n{"kind"')


def hanging_template(folder: Path) -> None:
    """The log's task is said to have been asked with templates that lie beside it."""
    prompts = folder / "prompts"
    prompts.mkdir()
    (prompts / "title.md.j2").write_text(HANGING)
    log = read_eval_log(str(only_log(folder)))
    log.eval.task_args["prompts"] = str(prompts)
    write_eval_log(log, str(only_log(folder)))
    rewrite_ledger(folder / "logs")


def bomb(folder: Path) -> None:
    """A log of a few megabytes whose summaries unpack to a gigabyte."""
    path = only_log(folder)
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, content in parts.items():
            if name == "summaries.json":
                with archive.open(name, "w", force_zip64=True) as member:
                    for _ in range(HUGE >> 20):
                        member.write(b" " * (1 << 20))
                    member.write(content)
            else:
                archive.writestr(name, content)
    rewrite_ledger(folder / "logs")


def raised(folder: Path) -> None:
    """Every score is raised, and nothing else."""
    log = read_eval_log(str(only_log(folder)))
    for sample in log.samples or []:
        set_score(sample, rougeL=0.98765)
    write_eval_log(log, str(only_log(folder)))


def empty(folder: Path) -> None:
    shutil.rmtree(folder / "logs")


HOSTILE: dict[Callable[[Path], None], str] = {
    link: "plain files: link/logs/notes.txt is not a plain file.",
    pipe: "plain files: pipe/logs/2030-01-01T00-00-00_title.eval is not a plain file.",
    nameless: "plain files: nameless/logs/\\xff\\xfe.txt has a name that is not UTF-8.",
    malformed_ledger: "runs.jsonl:2",
    hanging_template: "it names files that came with it",
    bomb: "a part of it has 1,07",
    raised: "rougeL 0.98765",
    empty: "logs",
}


@pytest.fixture(scope="module")
def inbox(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """An inbox, and the receiver's round."""
    folder = tmp_path_factory.mktemp("intake")
    opened, inbox = small_round(folder, papers=3), folder / "inbox"
    honest = inbox / "honest"
    command = ("run", "title", "--model", "extractive/lead", "--round", opened.folder)
    viva_here(*command, "--logs", honest / "logs")
    write_form(honest)
    for spoil in HOSTILE:
        spoil(shutil.copytree(honest, inbox / spoil.__name__))
    return inbox, opened.folder


def test_the_honest_one_is_taken_and_each_other_refused_with_its_reason(
    inbox: tuple[Path, Path], tmp_path: Path
) -> None:
    folder, round = inbox
    out = tmp_path / "taken"
    command = ("board", "intake", folder, "--out", out, "--round", round, "--json")
    found = only_json(viva_here(*command, expect=1).stdout)
    assert found == json.loads((out / "intake.json").read_text())
    decisions = {row["name"]: row for row in found["submissions"]}
    assert decisions["honest"]["reasons"] == []
    assert [name for name, row in decisions.items() if row["accepted"]] == ["honest"]
    assert [path.name for path in (out / "accepted").iterdir()] == ["honest"]
    board = only_json(viva_here("board", "show", found["accepted"], "--json").stdout)
    assert {row["model"] for row in board["rows"]} == {"extractive/lead"}
    for spoil, words in HOSTILE.items():
        assert any(words in why for why in decisions[spoil.__name__]["reasons"]), spoil


@pytest.mark.parametrize("spoil", [link, pipe, nameless], ids=lambda spoil: spoil.__name__)
def test_the_sender_sees_what_the_receiver_would(
    inbox: tuple[Path, Path], spoil: Callable[[Path], None]
) -> None:
    folder, round = inbox
    command = ("submit", "--check", folder / spoil.__name__, "--round", round, "--json")
    done = viva_here("board", *command, expect=1)
    [check] = json.loads(done.stdout)["checks"]
    [problem] = check["problems"]
    assert HOSTILE[spoil].startswith("plain files: ")
    assert HOSTILE[spoil].removeprefix("plain files: ") in problem


def test_a_check_that_takes_too_long_is_ended(inbox: tuple[Path, Path]) -> None:
    folder, round = inbox
    found = check_apart(folder / "honest", [round], seconds=1)
    assert found == {
        "problems": ["its check has no result within 1 s and 8 GiB of memory."],
        "runs": {},
    }
