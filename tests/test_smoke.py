"""The smoke test of a model, here against a server that knows the answers and has a price."""

import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.conftest import ROOT
from tests.faults.storms import WINDOW, shared_round
from tests.servers.commands import only_json, viva_here
from tests.servers.golden import Golden
from tests.servers.scripted import Ask, Reply, ScriptedServer, answer, error, scripted

from vivavoce.demonstration import SmokeReport, run_smoke
from vivavoce.requests.run import RunSpec
from vivavoce.rounds import Round
from vivavoce.tasks import build_round, demo_spec, list_families

pytestmark = [
    pytest.mark.slow,
    pytest.mark.sandbox,
]

SMOKE = ("run", "--smoke", "--round", "sample")
PRICE = "10,20"
FEW = {"round": {"id": "few", "window": WINDOW, "families": ["leaderboards", "ranking"]}}
REQUEST = (100 * 10 + 7 * 20) / 1_000_000
"""Dollars of a request, each of which takes 100 tokens and gives 7."""


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Round:
    families = demo_spec()["round"]["families"]
    chosen = {"formulas": ["PEG"], "architectures": [], "reports": ["growth_at_a_price"]}
    options = {"implementation": chosen, "tables": {"min_papers": 9}}
    return shared_round(tmp_path_factory, "smoke", families, **options)


def smoke(name: str, limit: float, folder: Path, logs: Path) -> RunSpec:
    model = f"openai-api/scripted/{name}"
    return RunSpec(
        round=folder, logs=logs, models=[model], prices={model: PRICE}, budget=limit, subset=1
    )


@dataclass
class Trial:
    """Smoke tests against one server, each of a model of its own."""

    round: Round
    few: Round
    """One of two families, which have six runs with a model."""
    server: ScriptedServer
    folder: Path

    def run(self, name: str, limit: float, opened: Round | None = None) -> SmokeReport:
        of = opened or self.few
        return run_smoke(smoke(name, limit, of.folder, self.folder / name))

    def asked(self, name: str) -> int:
        return len(self.server.prompts(name))


@pytest.fixture(scope="module")
def trial(opened: Round, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Trial]:
    golden = Golden(opened, [task for _, task in opened.tasks()])

    def script(ask: Ask) -> Reply:
        is_broken = ask.model == "broken" and "<question>" in ask.prompt
        return error(400, "This model is not for questions.") if is_broken else golden(ask)

    with scripted(script) as server, pytest.MonkeyPatch.context() as patch:
        for name, value in server.environment.items():
            patch.setenv(name, value)
        few = build_round(opened.folder.parent / "corpus", FEW, tmp_path_factory.mktemp("few"))
        yield Trial(opened, few, server, tmp_path_factory.mktemp("trials"))
        assert server.failures == []


def test_every_task_is_tried_with_every_method_that_needs_a_model(trial: Trial) -> None:
    report = trial.run("good", 50.0, trial.round)
    wanted = {
        (task, method)
        for family in map(list_families().__getitem__, demo_spec()["round"]["families"])
        for task, card in family.tasks.items()
        for method in card.methods
        if method not in family.without_model and task != "architecture"
    }
    # The round has no open track, the only one of related work with papers to search.
    wanted.remove(("related_work", "agent"))
    assert {(row.task, row.method) for row in report.rows} == wanted
    one_request = [row.method == "direct" for row in report.rows]
    assert one_request == sorted(one_request, reverse=True)
    for row in report.rows:
        assert (row.answered, row.valid, row.value) == (1, 1.0, 1.0), row
        assert row.cost == pytest.approx(row.tokens / 107 * REQUEST)
    assert report.is_whole
    assert report.cost == pytest.approx(trial.asked("good") * REQUEST)


def test_a_limit_ends_it_soon(trial: Trial) -> None:
    # Six items share the price of two requests: the first is ended by its first request, since its
    # share is 1/3 of one; so is the second with its 1/5; nothing is left for the others.
    report = trial.run("poor", 2 * REQUEST)
    assert trial.asked("poor") == 2
    assert report.cost == pytest.approx(2 * REQUEST)
    assert [(row.task, row.stopped, row.valid) for row in report.rows] == [
        ("leaderboard", 1, 0.0),
        ("rank_by_graph", 1, 0.0),
    ]
    runs = ["rank_by_prompt with direct"]
    runs += [f"{task} with agent" for task in ("leaderboard", "rank_by_graph", "rank_by_prompt")]
    assert report.left_out == tuple(f"{run} was not asked: the budget is used up." for run in runs)
    assert not report.is_whole


def test_what_does_not_work_is_reported_and_does_not_stop_the_rest(trial: Trial) -> None:
    report = trial.run("broken", 50.0)
    rows = {(row.task, row.method): row for row in report.rows}
    row = rows["leaderboard", "direct"]
    assert (row.answered, row.valid, row.value) == (0, None, None)
    assert row.problem.startswith("This model is not for questions (HTTP 400")
    assert rows["rank_by_prompt", "direct"].value == 1.0
    assert not report.is_whole


def test_the_command_prints_a_row_a_run_and_the_sum(trial: Trial, tmp_path: Path) -> None:
    model = "openai-api/scripted/shown"
    command = ["run", "--smoke", "--model", model, "--price", f"{model}=10,20"]
    command += ["--round", str(trial.few.folder), "--budget", str(2 * REQUEST)]
    done = viva_here(*command, "--subset", "1", "--logs", tmp_path / "smoke", expect=1)
    lines = done.stdout.splitlines()
    assert lines[0] == "openai-api/scripted/shown"
    assert lines[1].split() == "task method answers valid score tokens dollars stopped".split()
    assert lines[3].split()[-3:] == ["107", "0.0011", "1"]
    assert "Cost 0.0023 of at most 0.00228 dollars." in lines
    again = viva_here(*command, "--logs", tmp_path / "smoke", expect=2)
    assert "holds logs already" in again.stderr
    as_json = viva_here(*command, "--json", "--logs", tmp_path / "other", expect=1)
    assert only_json(as_json.stdout)["cost"] == pytest.approx(2 * REQUEST)


def test_without_a_round_the_sample_papers_are_asked(tmp_path: Path) -> None:
    with scripted(lambda ask: answer("No.")) as server, pytest.MonkeyPatch.context() as patch:
        for name, value in server.environment.items():
            patch.setenv(name, value)
        # Of some thirty items each may cost a part of a request: the second uses up the sum.
        logs = tmp_path / "logs"
        report = run_smoke(smoke("own", 1.5 * REQUEST, Path("sample"), logs))
    assert [row.method for row in report.rows] == ["direct", "direct"]
    asked = {row.task for row in report.rows} | {line.split()[0] for line in report.left_out}
    assert asked >= {"extract_method", "leaderboard", "rank_by_prompt", "table", "title"}


GIVEN = {"--price": "extractive/lead=1,2", "--budget": "1", "--model": "extractive/lead"}


@pytest.mark.parametrize("missing", GIVEN)
def test_nothing_is_asked_without_a_limit_that_holds(missing: str, tmp_path: Path) -> None:
    words = [word for name, value in GIVEN.items() if name != missing for word in (name, value)]
    done = viva_here(*SMOKE, *words, "--logs", tmp_path, expect=2)
    assert missing in done.stderr
    assert not list(tmp_path.iterdir())


def test_a_limit_of_nothing_is_refused(tmp_path: Path) -> None:
    words = [word for pair in ({**GIVEN, "--budget": "0"}).items() for word in pair]
    done = viva_here(*SMOKE, *words, "--logs", tmp_path, expect=2)
    assert "above 0" in done.stderr


def test_make_smoke_wants_a_model_and_its_price() -> None:
    make = ["make", "-n", "-C", str(ROOT), "smoke"]
    refused = subprocess.run(make, capture_output=True, text=True, check=False)
    assert refused.returncode == 2
    assert "PRICE=IN,OUT" in refused.stderr
    words = [*make, "MODEL=openai/some", "PRICE=0.15,0.60"]
    shown = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    assert "--smoke --round sample --model 'openai/some' --price 'openai/some=0.15,0.60'" in shown
    assert "--budget 1 --logs viva-smoke/logs" in shown
