"""The direct method and the baselines, run inside Inspect without a server."""

import os
from pathlib import Path

import pytest
from inspect_ai import Task, eval
from inspect_ai.dataset import MemoryDataset
from inspect_ai.solver import Solver
from tests.tasks.samples import samples_of
from tests.tasks.writing.hand_round import hand_round, paper

import vivavoce.models.offline  # noqa: F401  (registers the provider)
from vivavoce.errors import InputError
from vivavoce.rounds import Round
from vivavoce.tasks.writing.inputs import TASKS, settings_of
from vivavoce.tasks.writing.solvers import abstract_copy, centrality, direct, lead


@pytest.fixture(autouse=True)
def _quiet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INSPECT_LOG_DIR", str(tmp_path / "logs"))


@pytest.mark.parametrize("context", [0, -1, "4k", 1.5, True])
def test_a_window_that_is_no_number_of_tokens_is_refused(context: object) -> None:
    with pytest.raises(InputError, match="context"):
        direct(context)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Round:
    return hand_round(tmp_path_factory.mktemp("solvers"))


def answer(
    opened: Round,
    task: str,
    setting: str,
    solver: Solver,
    model: str = "none/none",
    words: int = 30,
) -> str:
    """What a method answers."""
    samples = samples_of(task, opened, setting=setting)
    for sample in samples:
        sample.metadata = {**(sample.metadata or {}), "words": words}
    made = Task(dataset=MemoryDataset(samples), solver=solver)
    [log] = eval(made, model=model, display="none", log_dir=os.environ["INSPECT_LOG_DIR"])
    assert log.status == "success", log.error
    assert log.samples is not None
    return log.samples[0].output.completion


PAIRS = [(task, setting) for task in TASKS for setting in ("base", "title_only")]
PAIRS = [(task, setting) for task, setting in PAIRS if setting in settings_of(task)]


@pytest.mark.parametrize(("task", "setting"), PAIRS)
def test_lead_and_centrality_answer_as_the_models_of_these_names(
    opened: Round, task: str, setting: str
) -> None:
    for name, method in (("lead", lead()), ("centrality", centrality())):
        found = answer(opened, task, setting, method)
        assert found == answer(opened, task, setting, direct(), model=f"extractive/{name}")
        assert 0 < len(found.split()) <= 30
        # Sentences of the paper itself, never of an example; of the title where that is all.
        if setting == "title_only":
            assert found == "The pear title"
        else:
            assert {word.split("-")[0] for word in found.split()} == {"pear", "water."}


@pytest.mark.parametrize("setting", ["base", "random", "leave_one_out"])
@pytest.mark.parametrize("task", ["introduction", "related_work"])
def test_the_abstract_is_copied_whole(opened: Round, task: str, setting: str) -> None:
    assert answer(opened, task, setting, abstract_copy()) == paper("pear").abstract


def test_of_the_abstract_a_title_takes_the_first_words(opened: Round) -> None:
    found = answer(opened, "title", "base", abstract_copy(), words=3)
    assert found == "pear-abstract-0 pear-abstract-1 pear-abstract-2"


def test_where_the_abstract_is_the_gold_the_opening_is_copied(opened: Round) -> None:
    found = answer(opened, "abstract", "base", abstract_copy())
    assert found == " ".join(paper("pear").sections[0].text.split()[:30])
    assert answer(opened, "abstract", "title_only", abstract_copy()) == "The pear title"
    assert answer(opened, "related_work", "title_only", abstract_copy()) == "The pear title"
