"""Several judges, and judges of a contestant's own family."""

import pytest
from tests.servers.scripted import Ask, Reply, answer, slot
from tests.tasks.scoring.court import Court, always_first, rows, verdict, write

from vivavoce.errors import InputError
from vivavoce.tasks.family import open_prompts
from vivavoce.tasks.scoring.judge import judge_hash


def longer(ask: Ask) -> Reply:
    texts = [slot(ask.prompt, name) for name in ("answer-1", "answer-2")]
    return verdict(1 if len(texts[0]) >= len(texts[1]) else 2)


def test_of_three_judges_the_majority_counts(court: Court) -> None:
    names = [f"openai-api/scripted/judge-{name}" for name in ("bound", "long", "longer")]
    court.known |= {"judge-bound": always_first, "judge-long": longer, "judge-longer": longer}
    board = court.hold(lambda ask: answer("Net"), longer, "panel", judge=names)
    found = rows(board)
    # Two of three prefer the longer text, which is the paper's, in both orders.
    assert (found["judge_win"]["value"], found["judge_flip"]["value"]) == (0.0, 0.0)
    assert found["organisation"]["value"] == 0.0
    template = judge_hash(open_prompts("writing", None), ["compare"])
    assert found["judge_win"]["judge"] == f"{' + '.join(names)} template={template}"
    assert [len(court.server.prompts(f"judge-{name}")) for name in ("bound", "long")] == [8, 8]


def test_judges_of_an_even_number_are_refused(court: Court) -> None:
    with pytest.raises(InputError, match="2 judges may tie"):
        court.hold(None, always_first, "even", judge=["scripted/judge", "extractive/lead"])
    with pytest.raises(InputError, match="named twice"):
        court.hold(None, always_first, "even", judge=["scripted/judge"] * 3)


def test_a_judge_of_the_contestants_own_family_is_reported(court: Court) -> None:
    court.known |= {"llama-4-judge": always_first, "llama-3-8b": write}
    board = court.hold(
        None,
        always_first,
        "family",
        models=["openai-api/scripted/llama-3-8b", "openai-api/scripted/writer-family"],
        judge="openai-api/scripted/llama-4-judge",
    )
    flags = {row["model"].split("/")[-1]: row["judge_own_family"] for row in board.rows}
    assert flags == {"llama-3-8b": True, "writer-family": False}
    [note] = [note for note in board.notes if "own family" in note]
    assert "llama-3-8b was judged by" in note
