"""Recomputation of logged runs: methods and scorers run again on the logged replies.

The task is opened on its round, so gold, prompts and the programs around answers come from the
round and not from the log. Then the log's method runs on this task, with a model that gives the
logged reply to the same request. The scorers run the same way, in a sandbox if answers are
programs. Only replies come from the log.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path
from typing import Any

from inspect_ai import Epochs, Task, task_with
from inspect_ai.event import ModelEvent
from inspect_ai.log import EvalLog, EvalSample, EvalSampleLimit
from inspect_ai.model import (
    ChatMessage,
    GenerateConfig,
    Model,
    ModelAPI,
    ModelOutput,
    get_model,
    modelapi,
)
from inspect_ai.solver import Solver
from inspect_ai.tool import ToolChoice, ToolInfo
from inspect_ai.util import LimitExceededError, registry_info

from vivavoce import _registry  # noqa: F401  # registers our tasks, solvers and models
from vivavoce.errors import InputError, PluginError, VivaError
from vivavoce.models import replaying
from vivavoce.models.cutoffs import VARIABLE, Cutoff, Cutoffs, load_cutoffs, take_clean
from vivavoce.running import run_quietly
from vivavoce.running.journal import TRANSPORT
from vivavoce.running.meter import current_attempt, follow_attempts
from vivavoce.running.resolving import NO_MODEL
from vivavoce.store import hash_of
from vivavoce.tasks import find_family, short_name
from vivavoce.tasks.lookup import create_method, create_task
from vivavoce.tasks.prompting.windows import find_model, token_counter
from vivavoce.tasks.scoring.asking import judge_named_later
from vivavoce.tasks.scoring.guard import REDUCERS
from vivavoce.tasks.subsets import Subset, take_subset

Address = tuple[str, int]
"""A sample's id and epoch."""
Replies = dict[str, list[ModelOutput]]
"""Replies to each request, in order."""
CONTESTANT = ""
"""Name of the measured model's role."""
LOGGED = "vivavoce_logged"
_MAX_TRIAL = 600
"""Maximum seconds for running a program from a log."""
_COUNTED = ("token", "cost", "message", "turn")
"""Kinds of limit that are checked after a reply."""


@dataclass(slots=True)
class Recording:
    """A log's answers, and the replies of its models by request."""

    answers: dict[Address, EvalSample] = field(default_factory=dict)
    """Samples that our scorer scored, without transcripts."""
    replies: dict[str, Replies] = field(default_factory=dict)
    """Replies by the model's role."""
    cuts: dict[Address, Cut] = field(default_factory=dict)
    """Limits that ended samples."""

    def add(self, sample: EvalSample) -> None:
        """Add a sample that our scorer scored."""
        address = (str(sample.id), sample.epoch)
        bare: dict[str, Any] = {"events": [], "messages": [], "attachments": {}}
        self.answers[address] = sample.model_copy(update=bare)
        events = replies_of(sample)
        for event in events:
            replies = self.replies.setdefault(event.role or CONTESTANT, {})
            request = _request(
                address, event.model, event.input, event.tools, event.tool_choice, event.config
            )
            replies.setdefault(request, []).append(event.output)
        if sample.limit is not None:
            self.cuts[address] = Cut(sample.limit, sum(not event.role for event in events))


@dataclass(slots=True)
class Cut:
    """A limit that ended a sample, and the number of replies left until that point."""

    limit: EvalSampleLimit
    left: int

    def check(self, *, is_answered: bool) -> None:
        """Raise `LimitExceededError` where the limit ended the sample.

        Costs are counted after a reply; a time limit ends the wait for the next reply.
        """
        if self.left <= 0 and (not is_answered or self.limit.type in _COUNTED):
            kind: Any = self.limit.type
            raise LimitExceededError(kind, value=self.limit.limit, limit=self.limit.limit)


def replies_of(sample: EvalSample) -> list[ModelEvent]:
    """The answered requests of a sample."""
    return [e for e in sample.events if isinstance(e, ModelEvent) and e.error is None]


class UnknownRequest(VivaError):
    """A method or scorer sent a request that has no reply in the log."""


class LoggedAPI(ModelAPI):
    """Model that gives the logged reply to the same request."""

    def __init__(self, model_name: str, **_: Any) -> None:
        super().__init__(model_name)
        self.replies: Replies = {}
        self.cuts: dict[Address, Cut] = {}
        entry = find_model(model_name)
        if entry.window is not None:  # the run cut requests to this window
            self.window, self.overhead = entry.window, entry.overhead
            self.counter = token_counter(entry.tokenizer)

    async def generate(
        self,
        input: list[ChatMessage],
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput:
        """Return the next logged reply to this request; `UnknownRequest` if there is none."""
        attempt = current_attempt()
        address = (attempt.sample, attempt.epoch) if attempt else ("", 0)
        cut = self.cuts.get(address)
        if cut:
            cut.check(is_answered=False)
        replies = self.replies.get(
            _request(address, self.model_name, input, tools, tool_choice, config)
        )
        if not replies:
            raise UnknownRequest("the log has no reply to a request of this run")
        # Keep the last reply: a scorer may repeat a request.
        reply = replies.pop(0) if len(replies) > 1 else replies[0]
        if cut:
            cut.left -= 1
            cut.check(is_answered=True)
        return reply


@modelapi(name=LOGGED)
def logged() -> type[ModelAPI]:
    """Register the provider that replies from a log."""
    return LoggedAPI


def open_whole(header: EvalLog, folder: Path) -> Task:
    """Open a log's task on a round, including items that its run did not reach."""
    metadata = header.eval.metadata or {}
    name, family = str(metadata.get("task")), str(metadata.get("family"))
    try:
        find_family(family)
    except InputError as error:
        package = header.eval.task.partition("/")[0]
        raise InputError(
            f"the package {package}, which has its family {family}, is not installed here."
        ) from error
    given = _safe_arguments(header.eval.task_args)
    roles = {
        role: str(getattr(model, "model", role))
        for role, model in (header.eval.model_roles or {}).items()
    }
    with judge_named_later(), replaying(roles):
        task = create_task(name, {**given, "round": str(folder)})
    return _narrow(task, metadata)


def _safe_arguments(given: Mapping[str, Any]) -> dict[str, Any]:
    """A log's task arguments, made safe: some must not be controlled by an untrusted log."""
    arguments = {name: value for name, value in given.items() if name != "pin"}
    if "sandbox" in arguments:
        arguments["sandbox"] = "bwrap"
    if isinstance(seconds := arguments.get("timeout"), int):
        arguments["timeout"] = min(seconds, _MAX_TRIAL)
    encoder = arguments.get("embedder")
    if encoder and not Path(str(encoder)).is_dir():
        raise InputError(f"it was scored with the encoder {encoder}, which is not a folder here")
    return arguments


def _narrow(task: Task, metadata: Mapping[str, Any]) -> Task:
    """Limit a task to the items that the log's run chose."""
    if isinstance(chosen := metadata.get("subset"), dict):
        size, seed, stratified = (chosen[name] for name in ("size", "seed", "stratified"))
        task = take_subset(task, Subset(size, seed, stratified))
    if isinstance(clean := metadata.get("clean"), dict):
        _refuse_other_cutoffs(clean["cutoffs"])
        entries = tuple(Cutoff(name, date) for name, date in clean["cutoffs"].items())
        task = take_clean(task, list(clean["cutoffs"]), Cutoffs((entries,), clean["margin_days"]))
    return task


def _refuse_other_cutoffs(stated: Mapping[str, str]) -> None:
    """Raise `InputError` if items were chosen by a cutoff that differs from the local cutoff."""
    known = load_cutoffs()
    for model, date in stated.items():
        here = known.of(model)
        if here is None or here.date != date:
            raise InputError(
                f"its items were chosen by the cutoff {date} of {model}, but the local cutoff is "
                f"{here.date if here else 'unknown'}: state the same in a file named by {VARIABLE}"
            )


def make_again(task: Task, header: EvalLog, recording: Recording) -> EvalLog:
    """Answer and score a log's samples again."""
    config = header.eval.config
    epochs = config.epochs or 1
    is_untrained = header.eval.model == NO_MODEL
    ids = {address[0] for address in recording.answers}
    dataset = task.dataset.filter(lambda sample: str(sample.id) in ids)
    roles: dict[str, list[Model]] = {
        role: [
            _logged_model(str(model.model), role, recording, model.config)
            for model in (named if isinstance(named, list) else [named])
        ]
        for role, named in (header.eval.model_roles or {}).items()
    }
    replayed = task_with(
        task,
        dataset=dataset,
        solver=method_of(task, header),
        model=NO_MODEL if is_untrained else _logged_model(header.eval.model, CONTESTANT, recording),
        **({"model_roles": roles} if roles else {}),  # type: ignore[arg-type]
    )
    follow_attempts()
    made = run_quietly(
        replayed,
        epochs=Epochs(epochs, list(REDUCERS)) if epochs > 1 else epochs,
        **header.plan.config.model_dump(exclude_none=True, exclude=set(TRANSPORT)),
    )
    if made.status != "success":
        cause = made.error.message if made.error else made.status
        raise VivaError(f"its answers could not be made again: {cause}")
    return made


def method_of(task: Task, header: EvalLog) -> Solver:
    """Find a log's method: the task's own solver, or one of its family."""
    if len(header.plan.steps) != 1:
        raise InputError(f"it was made by a chain of {len(header.plan.steps)} solvers")
    [step] = header.plan.steps
    own = task.solver
    if isinstance(own, Solver) and registry_info(own).name == step.solver:
        return own
    family = str((header.eval.metadata or {}).get("family"))
    name = short_name(step.solver, header.eval.task)
    try:
        return create_method(family, name, _safe_arguments(step.params or {}))
    except (InputError, PluginError, LookupError, TypeError) as error:
        raise InputError(f"its method {name} cannot be run again here: {error}") from error


def _logged_model(
    name: str, role: str, recording: Recording, config: GenerateConfig | None = None
) -> Model:
    model = get_model(f"{LOGGED}/{name}", config=config or GenerateConfig(), memoize=False)
    assert isinstance(model.api, LoggedAPI)  # for the type checker: the provider is ours
    replies = recording.replies.get(role, {})
    model.api.replies = {request: list(outputs) for request, outputs in replies.items()}
    if role == CONTESTANT:
        model.api.cuts = {address: replace(cut) for address, cut in recording.cuts.items()}
    return model


def _request(
    address: Address,
    model: str,
    messages: Iterable[ChatMessage],
    tools: Iterable[ToolInfo],
    choice: ToolChoice,
    config: GenerateConfig,
) -> str:
    """Hash of a request to a model for a sample, without Inspect's message ids.

    Consecutive messages of one role count as one, since some providers merge them.
    """
    words = [
        [role, "\n".join(message.text for message in group)]
        for role, group in groupby(messages, key=lambda message: message.role)
    ]
    # Some providers list tools even if no tool may be used.
    usable = () if choice == "none" else tools
    offered = [tool.model_dump(mode="json", exclude_none=True) for tool in usable]
    sampling = config.model_dump(mode="json", exclude=set(TRANSPORT), exclude_none=True)
    return hash_of([*address, model, words, offered, sampling])
