"""Contestants of the demo: shares of the gold, and a judge that answers from its prompt alone."""

import asyncio
import json
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.model import get_model

from vivavoce.errors import InputError
from vivavoce.metrics.judged_text import read_verdict
from vivavoce.models.scripted import CONTESTANTS, JUDGE, forget
from vivavoce.tasks.family import open_prompts
from vivavoce.tasks.scoring.judge import Comparison

GOLD = " ".join(f"word{number}" for number in range(200))


@given(st.floats(0, 1), st.integers(0, 99))
def test_words_are_left_out_in_their_order(share: float, seed: int) -> None:
    kept = forget(GOLD, share, Random(seed)).split()
    places = [int(word.removeprefix("word")) for word in kept]
    assert places == sorted(places)
    assert set(kept) <= set(GOLD.split())


@pytest.mark.parametrize("share", [0.0, 0.3, 0.7, 1.0])
def test_the_share_of_words_that_stay_is_the_skill(share: float) -> None:
    kept = [len(forget(GOLD, share, Random(seed)).split()) for seed in range(100)]
    assert sum(kept) / (100 * 200) == pytest.approx(share, abs=0.01)


def test_rows_of_a_table_are_left_out_below_its_head() -> None:
    head = "| Method | Score |\n|---|---|"
    table = head + "".join(f"\n| m{number} | {number} |" for number in range(40))
    shown = forget(table, 0.5, Random(0))
    assert shown.startswith(head)
    assert set(shown.splitlines()) < set(table.splitlines())


@given(st.integers(0, 99))
def test_a_list_is_whole_and_out_of_order(seed: int) -> None:
    titles = "\n".join(f"Paper {letter}" for letter in "abcdefgh")
    shown = forget(titles, 0.2, Random(seed))
    assert sorted(shown.splitlines()) == titles.splitlines()
    assert forget(titles, 1.0, Random(seed)) == titles


def test_a_run_gets_the_same_answers_again_and_skill_shows(tmp_path: object) -> None:
    samples = [Sample(id=number, input="Write.", target=GOLD) for number in range(12)]
    words = {}
    for name in (CONTESTANTS[0], CONTESTANTS[-1]):
        logs = [
            eval(Task(samples), model=name, log_dir=str(tmp_path), display="none", score=False)[0]
            for _ in range(2)
        ]
        first, second = ([one.output.completion for one in log.samples or []] for log in logs)
        assert first == second
        words[name] = sum(len(answer.split()) for answer in first)
        assert logs[0].stats.model_usage[name].total_cost
    assert words[CONTESTANTS[0]] > 1.5 * words[CONTESTANTS[-1]]


def verdict_of(prompt: str, gold: str) -> dict[str, str]:
    """The verdict of the judge where it is asked about a sample of a run."""
    task = Task([Sample(input=prompt, target=gold)])
    (log,) = eval(task, model=JUDGE, display="none", log_dir="memory://judge", score=False)
    assert log.samples
    found = read_verdict(json.loads(log.samples[0].output.completion))
    assert found is not None
    return found


def test_the_judge_prefers_a_text_and_no_place() -> None:
    found = Comparison("title", "A short title", "Another title that is longer")
    prompts = open_prompts("writing", None)
    one, two = (
        verdict_of(found.request(first).fill(prompts).text, "A longer title")
        for first in (True, False)
    )
    assert two == {name: "second" if place == "first" else "first" for name, place in one.items()}


def test_the_judge_prefers_words_of_the_gold() -> None:
    gold = "Sparse attention over long sequences of genomic tokens with learned positions"
    found = Comparison("title", gold, "Nothing of this paper was read before this was written")
    verdict = verdict_of(found.request(True).fill(open_prompts("writing", None)).text, gold)
    assert set(verdict.values()) == {"first"}


def test_what_it_cannot_do_is_reported() -> None:
    with pytest.raises(InputError, match="There is no model scripted/huge"):
        get_model("scripted/huge")
    with pytest.raises(InputError, match="Name it as --judge scripted/judge"):
        asyncio.run(get_model(JUDGE).generate("Which is better?"))
    with pytest.raises(InputError, match="Name it in viva run"):
        asyncio.run(get_model(CONTESTANTS[0]).generate("Write."))
