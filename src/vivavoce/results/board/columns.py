"""Columns of a board, each declared once: type, label, unit, placement and meaning.

JSON, CSV, Parquet, LaTeX, pages, the terminal and the reference are derived from `BoardRow`. A new
column needs one more entry there, computed by `of_log`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Annotated, Any, Literal, TypedDict, get_args, get_type_hints

from vivavoce.results.board.facts import (
    CalibratedMean,
    Exposure,
    Fit,
    Work,
    fit_of,
    truncated_of,
    why_set_aside,
    work_of,
)
from vivavoce.results.logs.records import RunLog

MAX_UNDEFINED = 0.05
"""Maximum share of undefined values with which a contestant is still ranked in a metric."""

Unit = (
    Literal["", "items", "answers", "share", "fit", "score", "tokens", "USD", "s", "rank"]
    | Literal["exposure", "why", "work"]
)
Kind = Literal["text", "float", "int", "bool"]

_KINDS: Mapping[type, Kind] = {float: "float", int: "int", bool: "bool"}


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardColumn:
    """One column of a board."""

    says: str
    label: str = ""
    """Heading of the column on pages; on phones it is shown beside the value."""
    unit: Unit = ""
    """Determines how a value is printed."""
    is_per_answer: bool = False
    """True if tables print the mean per answer."""
    page: int = 0
    """Position among the columns of facts in a page's table; 0 to hide the column."""
    style: str = ""
    """CSS class of the column's cells; by default the column's name."""
    is_optional: bool = False
    """True if a table leaves the column out when it has no values."""
    terminal: tuple[int, str] | None = None
    """Position and heading in `viva board show`; None to hide the column."""
    is_cost: bool = False
    """True if the terminal shows the column only with `--costs`."""
    latex: str = ""
    """Heading in LaTeX tables; empty to hide the column."""
    parts: tuple[tuple[str, Kind], ...] | None = None
    """Columns in the CSV and Parquet files; by default the column itself."""
    of_log: Callable[[RunLog], Any] | None = None
    """Computes the value from a log, the same for all metrics; partial logs give what they have."""
    name: str = ""
    kind: Kind = "text"

    @property
    def is_number(self) -> bool:
        """True if the column's cells are numbers."""
        return self.kind in ("float", "int")

    @property
    def css(self) -> str:
        """CSS class of the column's cells; the style sheet has a rule for it on phones."""
        return self.style or self.name

    @property
    def first(self) -> str:
        """Direction of the first sort by this column."""
        return "descending" if self.unit in ("items", "share", "score") else "ascending"

    @property
    def files(self) -> tuple[tuple[str, Kind], ...]:
        """Names and types of the column's parts in CSV and Parquet files."""
        return ((self.name, self.kind),) if self.parts is None else self.parts


class BoardRow(TypedDict):
    """One contestant's result in one metric."""

    round: Annotated[str, BoardColumn(says="Name of the round.")]
    task: Annotated[str, BoardColumn(says="Name of the task.")]
    task_version: Annotated[str, BoardColumn(says="Version of the task.")]
    setting: Annotated[str, BoardColumn(says="Setting of the task, and the subset of the items.")]
    method: Annotated[str, BoardColumn(says="Solver with its options, or the name of a baseline.")]
    model: Annotated[str, BoardColumn(says="Model; `none` for a baseline without one.")]
    decoding: Annotated[
        str | dict[str, str | float | bool | list[str] | None] | None,
        BoardColumn(says="Settings that change answers, and attempts at an item."),
    ]
    prompt_hash: Annotated[str | None, BoardColumn(says="Hash of the prompts.")]
    alias: Annotated[
        str | None,
        BoardColumn(
            says="Name that its maker gave the contestant or its prompts.",
            of_log=lambda log: log.alias or None,
        ),
    ]
    judge: Annotated[str | None, BoardColumn(says="Judge of the answers; null without a judge.")]
    metric: Annotated[str, BoardColumn(says="Name of the metric.")]
    value: Annotated[
        float | None, BoardColumn(says="Mean over items; a failed answer counts 0.", unit="score")
    ]
    value_valid: Annotated[
        float | None, BoardColumn(says="Mean over valid answers only.", unit="score")
    ]
    ci: Annotated[
        list[float] | None,
        BoardColumn(
            says="95% interval: percentile bootstrap over clusters.",
            unit="score",
            parts=(("ci_low", "float"), ("ci_high", "float")),
        ),
    ]
    n: Annotated[
        int,
        BoardColumn(
            says="Items.",
            label="Items",
            unit="items",
            page=1,
            style="items",
            terminal=(1, "n"),
            latex="$n$",
        ),
    ]
    missing: Annotated[int, BoardColumn(says="Answers that are missing.", unit="answers")]
    undefined: Annotated[
        int, BoardColumn(says="Items where the metric is undefined.", unit="items")
    ]
    valid: Annotated[
        float | None,
        BoardColumn(
            says="Share of valid answers.",
            label="Valid",
            unit="share",
            page=2,
            terminal=(2, "valid"),
        ),
    ]
    rank: Annotated[
        int | None,
        BoardColumn(says="1 + contestants with a better value; null if not ranked."),
    ]
    rank_interval: Annotated[
        list[int] | None,
        BoardColumn(
            says="Plausible range of the rank.", parts=(("rank_low", "int"), ("rank_high", "int"))
        ),
    ]
    unranked: Annotated[str | None, BoardColumn(says="Reason why it has no rank.")]
    tied_with: Annotated[
        list[str] | None,
        BoardColumn(says="Contestants shown to differ by less than the run's --indifference."),
    ]
    undecided_with: Annotated[
        list[str] | None, BoardColumn(says="Contestants that too few papers separate from it.")
    ]
    more_papers_needed: Annotated[
        list[int | None] | None,
        BoardColumn(says="Further papers that would decide each of these pairs; null if too many."),
    ]
    contamination: Annotated[
        str | None,
        BoardColumn(
            says="Items by date against the model's cutoff: clean, seen, near_cutoff, mixed.",
            label="Seen before",
            unit="exposure",
            page=7,
            is_optional=True,
            style="seen",
        ),
    ]
    tokens: Annotated[
        int | None,
        BoardColumn(
            says="Tokens of the contestant, without those of a judge.",
            label="Tokens",
            unit="tokens",
            is_per_answer=True,
            is_optional=True,
            page=4,
            terminal=(3, "tokens"),
            is_cost=True,
        ),
    ]
    cost: Annotated[
        float | None,
        BoardColumn(
            says="Cost of these tokens in US dollars.",
            label="Dollars",
            unit="USD",
            is_per_answer=True,
            is_optional=True,
            page=5,
            terminal=(5, "$"),
            is_cost=True,
        ),
    ]
    seconds: Annotated[
        float | None,
        BoardColumn(
            says="Working time.",
            label="Seconds",
            unit="s",
            is_per_answer=True,
            is_optional=True,
            page=6,
            terminal=(4, "s"),
            is_cost=True,
        ),
    ]
    family: Annotated[str | None, BoardColumn(says="Family of the task.")]
    headline: Annotated[bool, BoardColumn(says="True if this metric ranks the task.")]
    answers: Annotated[
        int | None, BoardColumn(says="Scored answers, attempts counted.", unit="answers")
    ]
    partial: Annotated[bool, BoardColumn(says="True if answers are missing.")]
    detectable: Annotated[
        float | None,
        BoardColumn(
            says="Smallest true difference that these items detect four times out of five.",
            unit="score",
        ),
    ]
    exposure: Annotated[
        Exposure | None,
        BoardColumn(
            says="The cutoff, items by status, and the gap between seen and clean items.",
            parts=(
                ("cutoff", "text"),
                ("seen", "float"),
                ("clean", "float"),
                ("gap", "float"),
                ("n_seen", "int"),
                ("n_clean", "int"),
            ),
        ),
    ]
    calibrated: Annotated[
        CalibratedMean | None,
        BoardColumn(
            says="A judge's metric, corrected by human labels; null with too few labels.",
            unit="score",
        ),
    ]
    clusters: Annotated[
        int,
        BoardColumn(
            says="Clusters of the items, the units of the bootstrap.",
            of_log=lambda log: len(set(log.item_clusters().values())),
        ),
    ]
    truncated: Annotated[
        float | None,
        BoardColumn(
            says="Share of replies cut off at the token limit; null if none is.",
            label="Cut off",
            unit="share",
            page=8,
            terminal=(7, "cut off"),
            is_optional=True,
            of_log=truncated_of,
        ),
    ]
    fit: Annotated[
        Fit | None,
        BoardColumn(
            says="Shares of demonstrations, listed works or excerpts that were whole, cut or "
            "dropped.",
            label="Shown whole",
            unit="fit",
            page=8,
            terminal=(6, "shown whole"),
            is_optional=True,
            parts=(("whole", "float"), ("cut", "float"), ("dropped", "float")),
            of_log=fit_of,
        ),
    ]
    agent: Annotated[
        Work | None,
        BoardColumn(
            says="Mean steps, searches and reads of an agent per answer.",
            label="Steps",
            unit="work",
            page=4,
            is_optional=True,
            style="steps",
            parts=(("steps", "float"), ("searches", "float"), ("reads", "float")),
            of_log=work_of,
        ),
    ]
    set_aside: Annotated[
        str | None,
        BoardColumn(says="Reason why the row has no value and no rank.", of_log=why_set_aside),
    ]
    stopped: Annotated[
        dict[str, Any] | None,
        BoardColumn(
            says="Reason why a run with --decide stopped asking it.",
            label="Stopped",
            unit="why",
            page=9,
            is_optional=True,
            parts=(("question", "text"), ("look", "int"), ("looks", "int"), ("items", "int")),
            of_log=lambda log: log.stopped,
        ),
    ]
    faults: Annotated[
        dict[str, int],
        BoardColumn(
            says="Faulty answers by kind of fault.",
            label="Faults",
            unit="answers",
            page=3,
            parts=(),
        ),
    ]
    runs: Annotated[
        dict[str, int],
        BoardColumn(
            says="Logs of this row, removed logs, and other variants of its model.", parts=()
        ),
    ]
    trust: Annotated[
        Literal["recomputed", "not_recomputed"],
        BoardColumn(
            says="recomputed if the board's maker computed the scores again from the replies in "
            "the log, on their own copy of the round.",
            label="Trust",
            page=8,
            is_optional=True,
        ),
    ]
    trust_reason: Annotated[
        str | None, BoardColumn(says="Reason why the row is not recomputed; null if it is.")
    ]
    judge_own_family: Annotated[
        bool | None,
        BoardColumn(says="True if the judge is of the contestant's own family.", parts=()),
    ]
    judge_tokens: Annotated[
        int | None, BoardColumn(says="Tokens of the judge.", unit="tokens", parts=())
    ]
    judge_cost: Annotated[
        float | None, BoardColumn(says="Cost of the judge.", unit="USD", parts=())
    ]


def columns() -> tuple[BoardColumn, ...]:
    """All columns of a board, with names and types."""
    return _columns_of(BoardRow)


@cache
def _columns_of(schema: type) -> tuple[BoardColumn, ...]:
    """Columns of a schema; in files, anything but numbers and booleans is text."""
    named = []
    for name, hint in get_type_hints(schema, include_extras=True).items():
        value, *extras = get_args(hint)
        plain = [each for each in get_args(value) or (value,) if each is not type(None)]
        kind = _KINDS.get(plain[0], "text") if len(plain) == 1 else "text"
        (column,) = (each for each in extras if isinstance(each, BoardColumn))
        named.append(replace(column, name=name, kind=kind))
    return tuple(named)


def page_columns() -> tuple[BoardColumn, ...]:
    """The columns of facts in a page's table, in order."""
    shown = [column for column in columns() if column.page]
    return tuple(sorted(shown, key=lambda column: column.page))


def terminal_columns(*, costs: bool) -> tuple[tuple[str, BoardColumn], ...]:
    """Headings and columns that the terminal prints after the metrics, in order."""
    shown = [
        (*column.terminal, column)
        for column in columns()
        if column.terminal and (costs or not column.is_cost)
    ]
    return tuple((head, column) for _, head, column in sorted(shown, key=lambda each: each[0]))


def shown_value(column: BoardColumn, row: Mapping[str, Any]) -> Any:
    """Value that tables print for a row: as stored, or as the mean per answer; None if missing."""
    value = row.get(column.name)
    if value is None or not column.is_per_answer:
        return value
    return value / row["answers"] if row["answers"] else None
