"""Tasks of a family: their prompts from a round's items, and measures of answers.

The module `family` of a family, or its package, defines `TASKS`: `FamilyTask` by name. A task is
opened on a round with the arguments and prompts of a run. Nothing here imports Inspect;
`vivavoce.tasks.engine` makes datasets, scorers and tasks.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Generic, TypeVar

from vivavoce.errors import InputError, NoItemsError, PluginError
from vivavoce.metrics import FaultyAnswer, Metric, Values, metrics_of
from vivavoce.metrics.judged_text import WINS
from vivavoce.plugins import returned
from vivavoce.requests import ScoreOptions, nearest
from vivavoce.rounds import Round
from vivavoce.rounds.family import DEVELOPMENT
from vivavoce.statistics.intervals import Measured, means_of
from vivavoce.store import Row, hash_of, table_of_parquet
from vivavoce.tasks import CARD, Family, TaskCard, find_family, open_round
from vivavoce.tasks.prompting import PromptSet, Rendered, load_prompts
from vivavoce.tasks.scoring import COMPARE, Question
from vivavoce.tasks.scoring.files import Pair, ScoreFamily

SPLITS = ("test", "dev")
"""Items of the task, and those of `DEVELOPMENT`."""


def rows_of(opened: Round, family: str, task: str, split: str = "test") -> list[Row]:
    """Items of a task; for the split `dev`, those to tune methods on."""
    if split != "dev":
        return opened.items(family, task)
    rows: list[Row] = table_of_parquet(opened.read_file(family, DEVELOPMENT)).to_pylist()
    return rows


def check_choice(name: str, value: object, known: Sequence[str]) -> None:
    """Raise `InputError` for an unknown value of an argument."""
    if value not in known:
        raise InputError(f"There is no {name} {value!r}. Available: {', '.join(known)}.")


@dataclass(frozen=True, slots=True)
class Arguments:
    """Arguments of a task (`-T`) that affect prompts; subclasses add fields."""

    setting: str = "base"
    """Name of the setting: the material shown to the model."""

    @property
    def label(self) -> str:
        """Name of the setting on a board."""
        return self.setting


@dataclass(frozen=True, slots=True)
class SplitArguments(Arguments):
    """Arguments of a task with items to tune methods on.

    Args:
        setting: Material for the model.
        split: test, or dev for items to tune methods on.
    """

    split: str = "test"

    def __post_init__(self) -> None:
        check_choice("split", self.split, SPLITS)

    @property
    def label(self) -> str:
        """Name of the setting on a board, such as `base+dev`."""
        return self.setting if self.split == "test" else f"{self.setting}+{self.split}"


Given = TypeVar("Given", bound=Arguments)


@dataclass(frozen=True, slots=True)
class View(Generic[Given]):
    """A task opened on a round, with the arguments of a run."""

    family: str
    task: str
    card: TaskCard
    round: Round
    prompts: PromptSet
    given: Given
    context: int | None = None
    """The model's window in tokens, if a run sets it."""
    max_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Item:
    """A row as prompt and gold."""

    id: str
    prompt: Rendered
    target: str
    """The gold in the form of an answer."""
    metadata: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Check the types, so that an error is raised where the item is made."""
        for name, value, kind in (
            ("id", self.id, str),
            ("prompt", self.prompt, Rendered),
            ("target", self.target, str),
        ):
            if not isinstance(value, kind):
                raise TypeError(f"{name} is {type(value).__name__}, not {kind.__name__}")


class FamilyTask(Generic[Given]):
    """A task of a family, or several tasks that differ only in name.

    Attributes:
        arguments: Class of the task's arguments.
        scorer: Name of the scorer in logs; by default that of the task. The family's module
            `scorer` may define `parts`, a function from a view to arguments of Inspect's `Task`,
            and `metadata` of logs.
        scored_by: Arguments that are also passed to the scorer.
        examined_by: Async function of the module `scorer` that replaces `measure` if a sandbox or a
            model is needed. Its arguments are answer, row and notes for the log.
        further: Metrics that a run may add to the card's.
        undefined: Metrics undefined for a faulty answer, besides those for which 0 is best.
    """

    arguments: type[Arguments] = Arguments
    scorer: str = ""
    scored_by: Sequence[str] = ()
    examined_by: str = ""
    further: Sequence[str] = ()
    undefined: Sequence[str] = ()

    def settle(self, given: Given, opened: Round) -> Given:
        """Fill in defaults that depend on the round; `InputError` for an invalid argument."""
        return given

    def leading(self, view: View[Given]) -> Sequence[str]:
        """Metrics that come first on a board, if a run measures them; the first one ranks."""
        return view.card.metrics[:1]

    def rows(self, view: View[Given]) -> list[Row]:
        """Rows of the round with the setting; `NoItemsError` if there are none."""
        split = getattr(view.given, "split", "test")
        rows = rows_of(view.round, view.family, view.task, split)
        chosen = [row for row in rows if view.given.setting in row.get("settings", ("base",))]
        if not chosen:
            raise NoItemsError(self.why_empty(view, has_others=bool(rows)))
        return chosen

    def why_empty(self, view: View[Given], *, has_others: bool) -> str:
        """Reason why a round has no items in a setting; `has_others` if it has other items."""
        message = (
            f"Round {view.round.id} has no items of {view.task} with the setting {view.given.label}"
        )
        if has_others:
            return f"{message}: it was built without it ([{view.family}] of its spec)."
        counts = view.round.manifest["counts"][view.family][view.task]["excluded"]
        reasons = ", ".join(f"{reason} {count}" for reason, count in counts.items())
        return f"{message}. Items were left out: {reasons}."

    def items(self, rows: Iterable[Row], view: View[Given]) -> Iterator[Item]:
        """Make the items of rows; override it to prepare something for all of them."""
        return (self.sample(row, view) for row in rows)

    def sample(self, row: Row, view: View[Given]) -> Item:
        """Make the item of a row."""
        raise NotImplementedError

    def room(self, view: View[Given]) -> int:
        """Minimum tokens for answers, if no maximum is set."""
        return 0

    def usual_answer(self, gold: str, row: Row) -> str:
        """A typical answer, for cost estimates."""
        return gold

    def measure(self, answer: str, row: Row) -> Values:
        """Compute metrics of an answer; metrics with functions may be left out.

        `row` is the metadata of the sample, with its `id` and `target`, and the scorer's arguments.
        `FaultyAnswer` if the answer does not have the requested form.
        """
        return {}

    def failed(self, metrics: Mapping[str, Metric], row: Row) -> Values:
        """Values of a faulty answer: 0, or None if 0 is best or meaningless."""
        return {
            name: None if name in self.undefined else metric.failed
            for name, metric in metrics.items()
        }

    def judged(self, task: str, row: Row) -> dict[str, Sequence[str]]:
        """Metrics that a judge adds, by question, for a run's arguments and, if given, an item."""
        return {COMPARE: WINS}

    def judged_by(self, row: Row) -> Sequence[str]:
        """Arguments that judgements depend on, as words for the judge's name."""
        return ()

    def questions(self, answer: str, row: Row) -> Iterator[Question]:
        """Questions to a judge about an answer, besides the comparison with the gold.

        `row` is that of `measure`, with the sample's `prompt`.
        """
        yield from ()

    def notes(self, answer: str, row: Row) -> dict[str, Any]:
        """Facts about an answer for the log; `read_as` is the measured text."""
        return {}


def metrics_of_task(family: str, card: TaskCard) -> dict[str, Metric]:
    """Metrics and diagnostics of a card by name."""
    known = metrics_of(family)
    for name in (*card.metrics, *card.diagnostics):
        if name not in known:
            raise PluginError(
                f"{find_family(family).folder / CARD} names a metric {name!r}, but no metric of "
                f"{family} has this name.{nearest(name, [*known])}"
            )
    return {name: known[name] for name in (*card.metrics, *card.diagnostics)}


def completed(
    values: Values,
    metrics: Mapping[str, Metric],
    answer: str,
    row: Row,
    made_by: Callable[..., object],
) -> Values:
    """Complete an answer's values with metrics that are functions and may raise `FaultyAnswer`.

    `PluginError` if a metric fails, or `made_by`, the function that gave the values, returned
    something that is not one.
    """
    returned(made_by, values, Mapping)
    text = str(row.get("read_as", answer))
    made = {
        name: metric.checked(values[name], made_by) if name in values else metric.of(text, row)
        for name, metric in metrics.items()
        if name in values or metric.compute
    }
    return {**values, **made}


def score_families_of(family: Family) -> tuple[ScoreFamily, ...]:
    """Default score families of a family: one per task.

    If the family has one task, the score family has the family's name. A gold row has `gold`, a
    text or a number, and further fields for the metrics; a prediction has `text`.
    """
    names = list(family.card.tasks)
    return tuple(_scored(family, task, family.name if len(names) == 1 else task) for task in names)


def _scored(family: Family, name: str, shown: str) -> ScoreFamily:
    card = family.card.tasks[name]
    kind = find_kind(family.name, name)
    metrics = metrics_of_task(family.name, card)

    def score(pair: Pair) -> Values:
        target = pair.gold.require("gold", (str, int, float), "a text or a number")
        row = {**pair.gold.row, "target": str(target)}
        answer = pair.text()
        try:
            if answer is None:
                raise FaultyAnswer("missing")
            return completed(kind.measure(answer, row), metrics, answer, row, kind.measure)
        except FaultyAnswer as error:
            return {**kind.failed(metrics, row), **(error.values or {})}

    def measure(pairs: Sequence[Pair], options: ScoreOptions) -> Measured:
        scores = [score(pair) for pair in pairs]
        return Measured({name: means_of([one[name] for one in scores]) for name in metrics})

    return ScoreFamily(
        name=shown,
        summary=card.summary.rstrip("."),
        gold='{"id": 1, "gold": ...}',
        prediction='{"id": 1, "text": "..."}',
        measure=measure,
    )


def fingerprint(opened: Round, prompts: PromptSet) -> str:
    """Hash of a run's round and prompts."""
    return hash_of({"round": opened.sha256, "prompts": prompts.sha256})


def open_prompts(family: str, folder: str | None) -> PromptSet:
    """Open a user's templates, or the family's own."""
    shipped = find_family(family).folder / "prompts"
    return load_prompts(Path(folder) if folder else shipped)


def find_kind(family: str, task: str) -> FamilyTask[Any]:
    """The `FamilyTask` of a task; `PluginError` if the family does not define it."""
    module = find_family(family).part("family")
    kind = getattr(module, "TASKS", {}).get(task)
    if isinstance(kind, FamilyTask):
        return kind
    raise PluginError(
        f"{module.__file__}: TASKS has no FamilyTask for {task!r}, a task of the card."
    )


def open_view(
    task: str,
    round: str | Path,
    given: Mapping[str, Any] | None = None,
    *,
    family: str,
    context: int | None = None,
    prompts: str | None = None,
    max_tokens: int | None = None,
    pin: str | None = None,
) -> View[Any]:
    """Open a task on a round, which is a folder or `sample`, with the task's own arguments.

    `prompts` is a folder of templates; `pin` is the `fingerprint` that the run expects.
    `InputError` for an invalid argument, or a round or prompts that differ from the pinned ones.
    """
    kind, card = find_kind(family, task), find_family(family).card.tasks[task]
    arguments = kind.arguments(**given or {})
    opened, templates = open_round(round, family), open_prompts(family, prompts)
    arguments = kind.settle(arguments, opened)
    if arguments.setting not in card.settings:
        known = ", ".join(card.settings)
        raise NoItemsError(f"{task} has no setting {arguments.setting!r}. There are: {known}.")
    if pin is not None and pin != fingerprint(opened, templates):
        raise InputError(f"Round {opened.id} or its prompts changed since this run began.")
    view = View(family, task, card, opened, templates, arguments, context, max_tokens or 0)
    if max_tokens:
        return view
    return replace(view, max_tokens=max(card.decoding["max_tokens"], kind.room(view)))
