"""Verbs that write or ask on terminals of 80 and 120 columns: no line is wider than its window.

Verbs that only show something of the demo are in `test_demo_command`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.cli.test_demand_command import ASKED, SPEC, accepting
from tests.cli.test_table_audits_command import GOLDS
from tests.examining.papers import quality, save_pages
from tests.live.world import LEAD, board, contestant
from tests.results.audits.made_table_logs import table, write_table_log
from tests.servers.annotation import EXCLUDE, INCLUDE, make, rows_of
from tests.servers.commands import small_round, viva_here
from tests.servers.scripted import ScriptedServer, answer, by_model, scripted
from tests.servers.terminals import check_widths, on_terminal
from tests.tasks.tables.roles.readers import always_yes, careful

Terminal = Callable[..., list[str]]
LONG = "a-contestant-whose-maker-likes-long-names-2026-11-25-preview"
MODEL = f"openai-api/scripted/{LONG}"
LIVE = """[round]
id = "live"
window = {start = 2024-01-01, end = 2024-04-15}
families = ["writing"]
sealed = true
[writing]
settings = ["base"]
[update]
anchors = 4
"""


@pytest.fixture(params=[80, 120])
def terminal(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Terminal:
    """Run a command line on a terminal, in a folder that is its own."""
    monkeypatch.chdir(tmp_path)

    def run(line: str, *more: str, expect: int = 0) -> list[str]:
        return check_widths(request.param, *line.split(), *more, expect=expect)

    return run


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedServer]:
    with scripted(quality) as running:
        for name, value in running.environment.items():
            monkeypatch.setenv(name, value)
        yield running


def write_lines(name: str, *rows: object) -> None:
    Path(name).write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")


def test_score(terminal: Terminal) -> None:
    titles = [f"A Paper on {word}" for word in ("Trees", "Rivers", "Clouds")]
    rows = {
        "writing": ({"reference": "deep nets read papers"}, {"text": "deep nets read"}),
        "ranking": ({"gold": titles}, {"text": "\n".join(titles)}),
        "leaderboards": (
            {"entries": [{"method": "A", "score": "90.1%"}]},
            {"text": "| Method | Score |\n|---|---|\n| A | 90.1 |\n"},
        ),
    }
    for family, (gold, told) in rows.items():
        write_lines("gold.jsonl", {"id": 1, **gold}, {"id": 2, **gold})
        write_lines("answers.jsonl", {"id": 1, **told})
        files = "--gold gold.jsonl --predictions answers.jsonl --resamples 50"
        assert terminal(f"score {family} {files}")[-1].endswith("1 without a prediction")


@pytest.mark.slow
def test_rounds_from_the_first_spec_to_drift(terminal: Terminal) -> None:
    viva_here("ingest", "sample", "40", "--corpus", "corpus")
    Path("live.toml").write_text(LIVE, "utf-8")
    terminal("round init h2.toml --id h2 --start 2024-07-01 --end 2025-01-01 --family writing")
    assert terminal("round build live.toml --corpus corpus --out rounds")[-1] == "rounds/live"
    sealed = terminal("round seal rounds/live --out published")[-1]
    revealed = terminal("round seal rounds/live --out published --reveal")[-1]
    terminal(f"round seal {sealed} --check {revealed}")
    viva_here("ingest", "sample", "60", "--corpus", "corpus")
    update = "round update rounds/live --corpus corpus --out rounds --until 2024-07-01"
    made = terminal(update)[-1]
    assert made == "rounds/live-2024-07-01"
    terminal("round export rounds/live --out exported --ids-only")
    for folder in ("rounds/live", made):
        run = f"run title --round {folder} --logs logs --model extractive/lead"
        terminal(f"{run} --model extractive/centrality")
    assert "extractive/lead" in "".join(terminal(f"board show logs --by drift --round {made}"))


def test_annotation(terminal: Terminal) -> None:
    write_lines("items.jsonl", *rows_of("distractors", 4))
    of = "--campaign pilot --db annotation.db"
    long = "somebody-with-a-name-that-is-longer-than-most-names"
    terminal(f"annotate import items.jsonl --kind distractors {of} --person {long}")
    made = make(Path(), 4)
    made.work("ann", {"*": INCLUDE, "i1": EXCLUDE})
    made.work("ben", {"*": INCLUDE, "i0": EXCLUDE})
    terminal(f"annotate agreement {of} --resamples 50")
    terminal(f"annotate export {of} --out out")


def test_demands(terminal: Terminal, server: ScriptedServer) -> None:
    viva_here("ingest", "sample", "14", "--corpus", "corpus")
    Path("spec.toml").write_text(SPEC.format(""), "utf-8")
    roles = {"writer": lambda _: answer(ASKED), "checker": accepting}
    server.script = by_model({f"demand-{name}": role for name, role in roles.items()})
    write = "round demands --corpus corpus --spec spec.toml --out"
    model = "--model openai-api/scripted/demand"
    told = terminal(
        f"{write} demands.jsonl {model}-writer --checker openai-api/scripted/demand-checker"
    )
    assert told[-1] == "demands.jsonl"
    server.script = lambda _: answer("I'm sorry, but I can't help with that.")
    terminal(f"{write} none.jsonl {model}-writer", expect=1)


def test_evaluators(terminal: Terminal, server: ScriptedServer) -> None:
    server.script = by_model({"audit-careful": careful, "audit-yes": always_yes})
    poor = {"t1": table("Task", "P1|QA"), "t2": table("Task", "P3|Parsing")}
    write_table_log(Path("logs"), GOLDS, GOLDS, model="lab/good")
    write_table_log(Path("logs"), GOLDS, poor, model=f"lab/{LONG}")
    careful_and_yes = " --evaluator ".join(
        ["", *(f"openai-api/scripted/audit-{name}" for name in ("careful", "yes"))]
    )
    terminal(f"audit evaluators logs {careful_and_yes} --runs 1 --keep scores.jsonl")


def test_a_live_board_before_its_first_step(terminal: Terminal) -> None:
    terminal("live init board")
    terminal("live board/board.toml --until 2025-03-10 --dry-run")
    terminal("live status board/board.toml --until 2025-03-10")


@pytest.mark.slow
def test_a_live_board(terminal: Terminal, tmp_path: Path) -> None:
    with board(tmp_path / "b") as one, pytest.MonkeyPatch.context() as patch:
        for name, value in one.models.environment.items():
            patch.setenv(name, value)
        one.write(LEAD, contestant(LONG))
        one.archive.today = one.archive.archive[-1].day.replace(month=4, day=1)
        terminal(f"live b/board.toml --until 2023-04-01 --base {one.arxiv.origin}")
        terminal("live status b/board.toml --until 2023-04-01")


@pytest.mark.slow
def test_an_exam(terminal: Terminal, server: ScriptedServer) -> None:
    save_pages(Path("papers"), 8)
    (Path("papers") / "broken.pdf").write_bytes(b"%PDF-1.4 and nothing else")
    common = "exam papers --tasks title,abstract"
    terminal(common)
    models = f"--model openai-api/scripted/fine --model {MODEL}"
    assert server.asks == []
    assert terminal(f"{common} {models} --yes")[-1].endswith(".html")
    assert server.asks


@pytest.mark.slow
def test_a_run_until_its_question_is_answered(
    terminal: Terminal, server: ScriptedServer, tmp_path: Path
) -> None:
    small_round(tmp_path, papers=14)
    models = f"--model openai-api/scripted/fine --model {MODEL}"
    run = f"run title --round round-0/small --logs logs {models} --until all"
    terminal(f"{run} --estimate")
    assert any("look" in line for line in terminal(run))
    terminal("board show logs --resamples 50")


@pytest.mark.slow
@pytest.mark.sandbox
def test_a_smoke_test(terminal: Terminal, server: ScriptedServer) -> None:
    server.script = lambda _: answer("I'm sorry, but I can't help with that.")
    common = f"run --smoke --round sample --model {MODEL} --price {MODEL}=10,20"
    told = terminal(f"{common} --budget 0.002 --subset 1 --logs tried", expect=1)
    assert told[-1] == "tried"


def test_an_error_is_broken_between_words(tmp_path: Path) -> None:
    nowhere = tmp_path / ("deep" * 20)
    printed = on_terminal(80, "board", "show", nowhere, stream="stderr", expect=2)
    assert max(len(line) for line in printed if "deep" not in line) <= 80
