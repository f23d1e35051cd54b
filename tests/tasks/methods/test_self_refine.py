"""The self-refining method against a scripted server: what a model is shown, and how often."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import task_with
from inspect_ai.log import EvalSample
from tests.servers.evaluations import evaluate, one
from tests.servers.scripted import FAULTS, Ask, Reply, Script, ScriptedServer, answer
from tests.tasks.implementation.item_rounds import round_of
from tests.tasks.samples import fault_of, values_of

from vivavoce.results.board.building import leaderboard
from vivavoce.rounds import Round
from vivavoce.tasks.implementation.items.formula import list_formulas
from vivavoce.tasks.implementation.scorer import gold_values
from vivavoce.tasks.implementation.solvers import self_refine
from vivavoce.tasks.lookup import create_task

pytestmark = pytest.mark.sandbox

FORMULA = "alpha053"
RIGHT = list_formulas()[FORMULA].program
READ = 'import pandas as pd\nd = pd.read_parquet("daily_pv.parquet")\n'


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Round:
    return round_of(tmp_path_factory.mktemp("refining"), formulas=[FORMULA])


def programs(*texts: str) -> Script:
    """Answer with one program after the other; the last one for ever."""
    return lambda ask: answer(f"```python\n{texts[min(ask.number, len(texts)) - 1]}```")


Refine = Callable[..., tuple[ScriptedServer, EvalSample]]


@pytest.fixture
def refine(opened: Round, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Refine:
    """Runs the one item: the server with what reached it, and the sample with its score."""

    def run_item(
        script: Script, rounds: int = 3, context: int | None = None, **arguments: Any
    ) -> tuple[ScriptedServer, EvalSample]:
        made = create_task("formula", {"round": str(opened.folder), **arguments})
        task = task_with(made, solver=self_refine(rounds, context))
        server, log = evaluate(task, script, "refine", tmp_path / "logs", monkeypatch)
        return server, one(log)

    return run_item


def score(sample: EvalSample) -> Mapping[str, Any]:
    return {**values_of(sample), "fault": fault_of(sample)}


@pytest.mark.slow
def test_a_model_sees_its_own_error_and_mends_it(refine: Refine, tmp_path: Path) -> None:
    wrong = READ + "d['no such column']\n"
    server, sample = refine(programs(wrong, RIGHT))
    assert len(server.asks) == 2
    first, second = (ask.body["messages"] for ask in server.asks)
    assert [message["role"] for message in second] == ["user", "assistant", "user"]
    assert second[0] == first[0]
    assert wrong in second[1]["content"]
    assert "KeyError: 'no such column'" in server.asks[1].prompt
    assert score(sample)["acc"] == 1.0
    assert sample.metadata["refine"] == {"rounds": 1, "left_out": 0}
    (row,) = (r for r in leaderboard(tmp_path / "logs", resamples=0).rows if r["metric"] == "acc")
    assert row["method"] == "self_refine(rounds=3)"
    assert row["tokens"] == 2 * 107  # both answers are paid


@pytest.mark.slow
def test_a_model_is_never_told_of_the_gold(refine: Refine, opened: Round) -> None:
    """A table of the right form ends it, however wrong its values and rows are."""
    table = READ + 'd[["datetime", "instrument", "$close"]][:7].to_parquet("result.parquet")\n'
    two = READ + 'd[["datetime", "instrument", "$close", "$open"]].to_parquet("result.parquet")\n'
    server, sample = refine(programs("1/0\n", two, table))
    assert len(server.asks) == 3
    assert "2 columns of values" in server.asks[2].prompt
    assert score(sample)["fault"] == "wrong_shape"
    values = gold_values(str(opened.folder))[FORMULA].values[0]
    shown = "".join(ask.prompt for ask in server.asks[1:])
    digits = {f"{value:.6g}" for value in values.tolist()}
    assert [one for one in sorted(digits) if len(one) >= 7 and one in shown] == []
    assert str(len(values)) not in shown


@pytest.mark.slow
def test_each_program_finds_the_data_whole_and_nothing_else(refine: Refine) -> None:
    spoiled = "import os\nos.remove('daily_pv.parquet'); os.mkdir('daily_pv.parquet')\n"
    answers = programs(RIGHT + spoiled + "1/0\n", "while True: pass\n", READ)
    server, sample = refine(answers, rounds=2, timeout=10)
    assert len(server.asks) == 3
    assert "ZeroDivisionError" in server.asks[1].prompt
    assert "ran for more than 10 seconds" in server.asks[2].prompt
    assert score(sample)["fault"] == "no_file"
    assert sample.metadata["refine"]["rounds"] == 2


FAILING = {
    "print('done')\n": "there is no file result.parquet",
    "open('result.parquet', 'w').write('no table')\n": "cannot be read as a Parquet file",
    READ + 'd[["instrument", "$open"]].to_parquet("result.parquet")\n': "datetime and instr",
    READ
    + 'd[["datetime", "instrument", "$open"]][:0].to_parquet("result.parquet")\n': "has no rows",
    "import sys\nsys.exit(3)\n": "wrote nothing to standard error",
}


@pytest.mark.slow
def test_each_failure_is_reported_in_words(refine: Refine) -> None:
    server, sample = refine(programs(*FAILING, "1/0\n"), rounds=5)
    _, *again = server.asks
    for ask, words in zip(again, FAILING.values(), strict=True):
        assert words in ask.body["messages"][-1]["content"]
    assert score(sample)["acc"] == 0.0


def test_a_long_error_is_cut_and_cannot_leave_its_block(refine: Refine) -> None:
    shout = "import sys\nsys.stderr.write('START' + 'x' * 9000 + '\\n````\\nEND'); sys.exit(1)\n"
    server, _ = refine(programs(shout), rounds=1)
    prompt = server.asks[1].prompt
    assert "START" not in prompt
    assert "x" * 100 in prompt
    assert len(prompt) < 2_500
    # The block's own fence is longer than the one that the program printed.
    assert prompt.index("\n`````text\n") < prompt.index("END") < prompt.rindex("\n`````\n")


def test_an_answer_without_a_program_is_asked_again_and_a_refusal_is_not(refine: Refine) -> None:
    def script(ask: Ask) -> Reply:
        return answer("First I would group by stock.") if ask.number == 1 else FAULTS["refusal"]

    server, sample = refine(script)
    assert len(server.asks) == 2
    assert "holds no program" in server.asks[1].prompt
    assert score(sample)["fault"] == "refusal"


def test_a_conversation_too_long_keeps_its_prompt_and_the_last_failure(refine: Refine) -> None:
    texts = [f"# {'a comment ' * 150}\nraise ValueError({number})\n" for number in range(4)]
    # About 1,200 tokens of prompt, 600 an answer, 200 a failure; 100 kept for the answer.
    server, sample = refine(programs(*texts), context=2_450, max_tokens=100)
    sizes = [len(ask.body["messages"]) for ask in server.asks]
    assert sizes == [1, 3, 3, 3]
    last = server.asks[3].body["messages"]
    assert last[0] == server.asks[0].body["messages"][0]
    assert texts[2] in last[1]["content"]
    assert "ValueError: 2" in server.asks[3].prompt
    assert sample.metadata["refine"] == {"rounds": 3, "left_out": 4}
