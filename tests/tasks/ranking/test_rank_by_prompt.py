"""`rank_by_prompt` end to end: what reaches a server, how answers are read, and the baselines."""

import math
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import eval, task_with
from inspect_ai.log import EvalLog, EvalSample
from inspect_ai.scorer import Score
from inspect_ai.solver import Solver
from tests.servers.scripted import Ask, Reply, ScriptedServer, answer, scripted, slot
from tests.tasks.ranking.board_corpora import TITLES, Papers
from tests.tasks.samples import score_of, values_of

from vivavoce.rounds import Round
from vivavoce.tasks.engine import make_scorer
from vivavoce.tasks.lookup import find_task_maker
from vivavoce.tasks.ranking.boards import plain_title
from vivavoce.tasks.ranking.solvers import random_order

rank_by_prompt = find_task_maker("rank_by_prompt")
GOLD = [plain_title(TITLES[name]) for name in ("bay", "cob", "ash", "dew")]
MANY = 60


def papers_of(folder: Path) -> Papers:
    """Boards of four papers, of whom the youngest is second, and one of many."""
    papers = Papers(folder)
    days = {"ash": "2020-05-01", "bay": "2021-05-01", "cob": "2021-06-01", "dew": "2020-02-01"}
    for name, title in TITLES.items():
        papers.add(name, title, days[name])
    scores = [("ash", 70), ("bay", 90.5), ("cob", 88), ("dew", 60)]
    papers.board("Parsing", "Bank", "UAS", scores)
    papers.board("Parsing", "Bank", "LAS", [(name, score - 2) for name, score in scores])
    for number in range(MANY):
        papers.add(f"p{number}", f"A Study, by Example {number}, of Matter {number * 7}")
    papers.board("Tagging", "Web", "Accuracy", [(f"p{n}", f"{n / 2}") for n in range(MANY)])
    return papers


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Round:
    return papers_of(tmp_path_factory.mktemp("round")).ranking_round(networks=[], texts=[])


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ScriptedServer]:
    with scripted() as running, pytest.MonkeyPatch.context() as patch:
        running.serve_here(patch)
        patch.setenv("INSPECT_LOG_DIR", str(tmp_path_factory.mktemp("logs")))
        yield running


def run(
    folder: Round, *solvers: Solver, model: str = "none/none", logs: Path | None = None, **task: Any
) -> list[EvalLog]:
    """The logs of a task with each of some methods, or with its own."""
    made = [rank_by_prompt(str(folder.folder), **task) for _ in solvers or [None]]
    tasks = (
        [task_with(one, solver=each) for one, each in zip(made, solvers, strict=True)]
        if solvers
        else made
    )
    found = eval(
        tasks,
        model=model,
        display="none",
        log_dir=str(logs) if logs else os.environ["INSPECT_LOG_DIR"],
    )
    assert [log.status for log in found] == ["success"] * len(tasks)
    return list(found)


def of(log: EvalLog, board: str = "parsing/bank/uas") -> EvalSample:
    assert log.samples is not None
    [sample] = [sample for sample in log.samples if sample.id == board]
    return sample


def said(text: str) -> Score:
    """What an answer about the four papers scores."""
    scorer = make_scorer("ranking", "title_order")()
    return score_of(scorer, text, "\n".join(GOLD))


def test_a_server_gets_titles_and_not_their_order(server: ScriptedServer, opened: Round) -> None:
    def sort_listed(ask: Ask) -> Reply:
        listed = slot(ask.prompt, "papers").splitlines()
        return answer("\n".join(sorted(listed)))

    server.script = sort_listed
    [log] = run(opened, model="openai-api/scripted/rank-sorts")
    sample = of(log)
    [prompt] = [p for p in server.prompts("rank-sorts") if "Bank" in p]
    assert prompt == sample.input
    assert server.failures == []
    listed = slot(prompt, "papers").splitlines()
    assert sorted(listed) == sorted(GOLD)
    assert listed == sample.metadata["titles"]
    assert sample.target == "\n".join(GOLD)
    assert "90.5" not in prompt
    assert all(name in prompt for name in ("Parsing", "Bank", "UAS"))
    body = next(ask.body for ask in server.asks if ask.prompt == prompt)
    assert (body["temperature"], body["max_tokens"]) == (0.0, 4096)
    # Sorted: Parsing, Sparse Attention, ... with Memory, Trees. The gold order is bay, cob, ash,
    # dew: of its 6 pairs only bay-cob, bay-ash and cob-ash stand in order. nDCG: gains 1, 4, 3, 2
    # over log2 of 2 ... 5 sum to 5.8851, and 4, 3, 2, 1 to 7.3234.
    assert values_of(sample) == {
        **{"cp": 0.5, "cis": 1.0, "bem": 0.0, "ktau": 0.0, "bem_complete": 0.0},
        **{"cp_partial": 0.5, "ndcg": pytest.approx(5.8851 / 7.3234, abs=1e-4)},
        **{"invented": 0.0, "repeated": 0.0, "missing": 0.0, "markup": 0.0, "chatter": 0.0},
        "valid": 1.0,
    }


def test_talk_tags_inventions_and_gaps_are_counted() -> None:
    text = (
        "Sure, here you are:\n<ol>\n<li>Sparse Attention</li>\n<li>A Paper I Made Up</li>\n"
        "<li>Sparse Attention</li>\n<li>Trees of Ash, Elm, and Oak for Text</li>\n</ol>"
    )
    found = values_of(said(text))
    # bay and ash are found, in order: one of 6 pairs.
    assert (found["cis"], found["cp"], found["missing"]) == (0.0, 0.0, 2.0)
    assert found["cp_partial"] == 1 / 6
    assert (found["invented"], found["repeated"], found["markup"]) == (1.0, 1.0, 10.0)
    assert found["chatter"] == 1.0
    assert found["valid"] == 1.0


@pytest.mark.parametrize(
    ("text", "fault", "missing"),
    [
        ("It depends on many things.", "malformed", 4.0),
        ("I'm sorry, but I can't help with that.", "refusal", math.nan),
        ("", "empty", math.nan),
    ],
)
def test_no_answer_counts_nothing_and_is_told_apart(text: str, fault: str, missing: float) -> None:
    score = said(text)
    assert (score.metadata or {})["fault"] == fault
    found = values_of(score)
    assert (found["cp"], found["ndcg"], found["valid"]) == (0.0, 0.0, 0.0)
    assert found["missing"] == pytest.approx(missing, nan_ok=True)
    assert math.isnan(found["ktau"])


def test_a_narrow_window_loses_titles_from_the_end(server: ScriptedServer, opened: Round) -> None:
    server.script = lambda ask: answer(slot(ask.prompt, "papers"))
    [log] = run(opened, model="openai-api/scripted/rank-narrow", context=1_200, max_tokens=600)
    boards = {sample.id: sample for sample in log.samples or []}
    long = next(sample for sample in boards.values() if len(sample.metadata["titles"]) == MANY)
    listed = slot(long.messages[0].text, "papers").splitlines()
    assert 1 < len(listed) < MANY
    assert listed == long.metadata["titles"][: len(listed)]
    assert long.metadata["fit"]["dropped"] == MANY - len(listed)
    assert long.metadata["fit"]["tokens"] <= 600
    found = values_of(long)
    assert (found["cis"], found["missing"]) == (0.0, MANY - len(listed))
    assert "fit" in of(log).metadata
    assert of(log).metadata["fit"]["dropped"] == 0


def test_development_boards_are_run_under_a_name_of_their_own(opened: Round) -> None:
    made = rank_by_prompt(str(opened.folder), split="dev")
    assert [sample.id for sample in made.dataset] == ["parsing/bank/las"]
    assert (made.metadata or {})["setting"] == "base+dev"


def test_random_orders_differ_by_epoch_and_repeat(server: ScriptedServer, opened: Round) -> None:
    made = task_with(rank_by_prompt(str(opened.folder)), solver=random_order())
    [log] = eval(made, model="none/none", epochs=3, display="none")
    drawn = {(s.id, s.epoch): s.output.completion for s in log.samples or []}
    assert len({text for (name, _), text in drawn.items() if name.startswith("tagging")}) == 3
    [again] = run(opened, random_order())
    assert drawn["parsing/bank/uas", 1] == of(again).output.completion
