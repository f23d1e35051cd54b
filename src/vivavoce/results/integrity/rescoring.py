"""Logged answers scored again: the scorers run anew, what models told them is in the log.

The task is opened again on its round, so that gold, prompts and the program around an answer are
the round's and not the log's. Then the answers are replayed through Inspect, which also works out
the metrics again, in a sandbox where answers are programs.
"""

from __future__ import annotations

import tempfile
from collections import defaultdict
from collections.abc import Iterable, Mapping
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from typing import Any

from inspect_ai import Epochs, Task, eval, task_with
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.event import ModelEvent
from inspect_ai.log import EvalLog, EvalSample, read_eval_log
from inspect_ai.model import (
    ChatMessage,
    GenerateConfig,
    Model,
    ModelAPI,
    ModelOutput,
    get_model,
    modelapi,
)
from inspect_ai.scorer import Score
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import ToolChoice, ToolInfo

from vivavoce import _registry  # noqa: F401  # registers our tasks, solvers and models
from vivavoce.errors import InputError, VivaError
from vivavoce.models.cutoffs import Cutoff, Cutoffs, take_clean
from vivavoce.results.logs.reading import our_scores
from vivavoce.rounds import Round, load_round
from vivavoce.store import canonical_json
from vivavoce.tasks.lookup import create_scorer, create_task, is_task
from vivavoce.tasks.prompting.windows import find_model, token_counter
from vivavoce.tasks.scoring.judge import judge_named_later
from vivavoce.tasks.subsets import Subset, take_subset

Address = tuple[str, int]
"""A sample's id and the epoch."""
_NO_MODEL = "none/none"
_PROVIDER = "vivavoce_logged"
_MAX_TRIAL = 600
"""Seconds that a program of a log may run when it is scored again."""


@dataclass(slots=True)
class Answer:
    """What is scored again of one sample."""

    id: str | int
    input: Any
    target: Any
    metadata: dict[str, Any]
    store: dict[str, Any]
    output: ModelOutput
    score: Score
    """What our scorer gave it."""


@dataclass(slots=True)
class Recording:
    """A log's answers, and what the models of its scorers said to which request."""

    answers: dict[Address, Answer] = field(default_factory=dict)
    replies: dict[str, dict[str, list[ModelOutput]]] = field(default_factory=dict)
    """By role and request, in the order they were given."""

    def add(self, sample: EvalSample) -> None:
        """Take in one sample that our scorer gave a score."""
        self.answers[str(sample.id), sample.epoch] = Answer(
            sample.id,
            sample.input,
            sample.target,
            sample.metadata,
            sample.store,
            sample.output,
            our_scores(sample.scores)[0],
        )
        for event in sample.events:
            if isinstance(event, ModelEvent) and event.role:
                said = self.replies.setdefault(event.role, {})
                said.setdefault(_request(event.input), []).append(event.output)


class UnknownRequest(VivaError):
    """A scorer asks a model what the log has no reply to."""


class LoggedAPI(ModelAPI):
    """Says what a log says that a model said to the same request."""

    def __init__(self, model_name: str, **_: Any) -> None:
        super().__init__(model_name)
        self.replies: dict[str, list[ModelOutput]] = defaultdict(list)
        entry = find_model(model_name)
        if entry.window is not None:  # then requests were cut to it, and have to be again
            self.window, self.overhead = entry.window, entry.overhead
            self.counter = token_counter(entry.tokenizer)

    async def generate(
        self,
        input: list[ChatMessage],
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput:
        """The next logged reply to these messages; `UnknownRequest` when there is none."""
        said = self.replies.get(_request(input))
        if not said:
            raise UnknownRequest("a model was asked for its judgement of something else")
        # The last one serves again: a scorer may ask once more what it asked before.
        return said.pop(0) if len(said) > 1 else said[0]


@modelapi(name=_PROVIDER)
def logged() -> type[ModelAPI]:
    """Replies read from a log."""
    return LoggedAPI


@solver
def logged_answer(answers: Mapping[Address, Answer]) -> Solver:
    """Answer as the log says."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        answer = answers[str(state.sample_id), state.epoch]
        state.output = answer.output
        state.metadata.update({**answer.metadata, **state.metadata})
        for name, value in answer.store.items():
            state.store.set(name, value)
        state.completed = True
        return state

    return solve


def reopen(header: EvalLog, rounds: Mapping[str, Round]) -> Task | None:
    """The task of a log on its round; None when the round is not at hand.

    Args:
        header: The log.
        rounds: Rounds at hand by the hash of their manifest.

    Raises:
        VivaError: The task cannot be opened as it was, for want of its prompts for instance.
    """
    metadata = header.eval.metadata or {}
    opened = rounds.get(str(metadata.get("round_sha256"))) or _round_of(header)
    name = str(metadata.get("task"))
    if opened is None or not is_task(name):
        return None
    given = _safe_arguments(header.eval.task_args)
    with judge_named_later():
        task = create_task(name, {**given, "round": str(opened.folder)})
    return _narrow(task, metadata)


def _safe_arguments(given: Mapping[str, Any]) -> dict[str, Any]:
    """A log's arguments of its task, without what a stranger's log may not decide here.

    Raises:
        InputError: It names a model that is not on this machine.
    """
    arguments = {name: value for name, value in given.items() if name != "pin"}
    if "sandbox" in arguments:
        arguments["sandbox"] = "bwrap"
    if isinstance(seconds := arguments.get("timeout"), int):
        arguments["timeout"] = min(seconds, _MAX_TRIAL)
    encoder = arguments.get("embedder")
    if encoder and not Path(str(encoder)).is_dir():
        raise InputError(f"it was scored with the encoder {encoder}, which is no folder here")
    return arguments


def _round_of(header: EvalLog) -> Round | None:
    """The round where it was when the log was made."""
    folder = header.eval.task_args.get("round")
    try:
        opened = load_round(str(folder)) if folder else None
    except VivaError:
        return None
    wanted = (header.eval.metadata or {}).get("round_sha256")
    return opened if opened is not None and opened.sha256 == wanted else None


def _narrow(task: Task, metadata: Mapping[str, Any]) -> Task:
    """The same choice of items that the log's run made."""
    if isinstance(chosen := metadata.get("subset"), dict):
        task = take_subset(
            task, Subset(chosen["size"], chosen["seed"], stratify=chosen["stratified"])
        )
    if isinstance(clean := metadata.get("clean"), dict):
        entries = tuple(Cutoff(name, date) for name, date in clean["cutoffs"].items())
        task = take_clean(task, list(clean["cutoffs"]), Cutoffs((entries,), clean["margin_days"]))
    return task


def logged_task(header: EvalLog, recording: Recording) -> Task:
    """A task of what the log itself holds, for want of its round.

    Raises:
        InputError: The scorer needs the round.
    """
    name = str((header.eval.metadata or {}).get("task"))
    for made in header.eval.scorers or []:
        try:
            scorer = create_scorer(name, made.name, made.options or {})
        except LookupError:  # a scorer that a user added
            continue
        except (VivaError, TypeError) as error:
            raise InputError(f"its scorer cannot be made without its round: {error}") from error
        return Task(dataset=_dataset(recording.answers.values()), scorer=scorer)
    raise InputError("it names no scorer of ours")


def rescore(task: Task, header: EvalLog, recording: Recording) -> EvalLog:
    """Score a log's answers again, with the metrics over them.

    Raises:
        VivaError: Nothing could be scored, for want of a sandbox for instance.
    """
    config = header.eval.config
    epochs = config.epochs or 1
    ids = {address[0] for address in recording.answers}
    dataset = task.dataset.filter(lambda sample: str(sample.id) in ids)
    roles: dict[str, Model | str] = {
        role: _logged_model(str(getattr(model, "model", role)), recording.replies.get(role, {}))
        for role, model in (header.eval.model_roles or {}).items()
    }
    replayed = task_with(
        task,
        dataset=dataset,
        solver=logged_answer(recording.answers),
        model=_NO_MODEL,
        **({"model_roles": roles} if roles else {}),  # type: ignore[arg-type]
    )
    reducers = config.epochs_reducer
    with tempfile.TemporaryDirectory() as folder, redirect_stdout(StringIO()):
        [made] = eval(
            replayed,
            log_dir=folder,
            epochs=Epochs(epochs, reducers) if reducers and epochs > 1 else epochs,
            fail_on_error=False,
            display="none",
            log_level="error",
            score_display=False,
        )
        if made.status != "success":
            cause = made.error.message if made.error else made.status
            raise VivaError(f"its answers could not be scored again: {cause}")
        # Samples are read from the file when they are first looked at.
        return read_eval_log(made.location)


def _logged_model(name: str, replies: Mapping[str, list[ModelOutput]]) -> Model:
    model = get_model(f"{_PROVIDER}/{name}", memoize=False)
    assert isinstance(model.api, LoggedAPI)  # of the type only: the provider is ours
    model.api.replies.update({request: list(said) for request, said in replies.items()})
    return model


def _dataset(answers: Iterable[Answer]) -> MemoryDataset:
    first: dict[str, Answer] = {}
    for answer in answers:
        first.setdefault(str(answer.id), answer)
    return MemoryDataset(
        [
            Sample(id=found.id, input=found.input, target=found.target, metadata=found.metadata)
            for found in first.values()
        ]
    )


def _request(messages: Iterable[ChatMessage]) -> str:
    """What a model was asked, whatever Inspect calls the messages."""
    return canonical_json([[message.role, message.text] for message in messages])


def open_rounds(folders: Iterable[Path]) -> dict[str, Round]:
    """Rounds by the hash of their manifest."""
    opened = [load_round(folder) for folder in folders]
    return {found.sha256: found for found in opened}
