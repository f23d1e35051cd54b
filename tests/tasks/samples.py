"""Samples of tasks opened on a round, and single answers as a task's scorer takes them."""

import asyncio
from pathlib import Path
from typing import Any

from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog, EvalSample
from inspect_ai.model import ChatMessageUser, ModelName, ModelOutput, StopReason
from inspect_ai.scorer import Score, Scorer, Target
from inspect_ai.solver import TaskState
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

from vivavoce.rounds import Round
from vivavoce.tasks.lookup import create_task


def samples_of(task: str, opened: Round, **given: Any) -> list[Sample]:
    return list(create_task(task, {"round": str(opened.folder), **given}).dataset)


def score_of(
    scorer: Scorer,
    answer: str,
    gold: str = "",
    metadata: dict[str, Any] | None = None,
    stop: StopReason = "stop",
) -> Score:
    """Score of an answer outside of any run."""
    ask = [ChatMessageUser(content="ask")]
    state = TaskState(ModelName("none/none"), "a", 1, "ask", ask, metadata=metadata or {})
    state.output = ModelOutput.from_content("scripted/model", answer, stop_reason=stop)
    found = asyncio.run(scorer(state, Target(gold)))  # type: ignore[arg-type]
    assert isinstance(found, Score)
    return found


def values_of(given: Score | EvalSample) -> dict[str, Any]:
    [score] = [given] if isinstance(given, Score) else (given.scores or {}).values()
    assert isinstance(score.value, dict)
    return dict(score.value)


def fault_of(sample: EvalSample) -> str | None:
    [score] = (sample.scores or {}).values()
    fault: str | None = (score.metadata or {})["fault"]
    return fault


def only(log: EvalLog) -> EvalSample:
    """The one sample of a run that succeeded."""
    assert log.status == "success", log.error
    [sample] = log.samples or []
    return sample


def train_tokenizer(path: Path, text: str, crosses_words: bool = False) -> Tokenizer:
    """A tokenizer of few tokens of up to nine characters, and its file."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(
        add_prefix_space=False, use_regex=not crosses_words
    )
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=330, max_token_length=9, initial_alphabet=alphabet, show_progress=False
    )
    tokenizer.train_from_iterator([text], trainer)
    tokenizer.save(str(path))
    return tokenizer
