"""Columns of a board, each declared once: type, label, unit, placement and meaning.

JSON, CSV, Parquet, LaTeX, pages, the terminal and the reference are derived from `COLUMNS`. A new
column needs one more entry there, computed by `of_log`.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass
from statistics import fmean
from typing import Any, Literal

from vivavoce.metrics.tables.table_questions import BIASES
from vivavoce.results.logs.records import RunLog, mean_value
from vivavoce.text.printing import share

MAX_UNDEFINED = 0.05
"""Maximum share of undefined values with which a contestant is still ranked in a metric."""
MAX_WRONG = 0.5
"""Limit on the sum of `BIASES`; a constant or random answerer has the sum 1."""

Unit = (
    Literal["", "items", "answers", "share", "fit", "score", "tokens", "USD", "s", "rank"]
    | Literal["exposure", "why", "work"]
)
Kind = Literal["text", "float", "int", "bool"]


@dataclass(frozen=True, slots=True)
class BoardColumn:
    """One column of a board."""

    name: str
    says: str
    kind: Kind = "text"
    """Type of the values in files; lists and objects become text."""
    _: KW_ONLY
    label: str = ""
    """Heading of the column on pages; on phones it is shown beside the value."""
    unit: Unit = ""
    """Determines how a value is printed."""
    page: int = 0
    """Position among the columns of facts in a page's table; 0 to hide the column."""
    style: str = ""
    """CSS class of the column's cells; by default the column's name."""
    is_optional: bool = False
    """True if a table leaves the column out when it has no values."""
    terminal: tuple[int, str] | None = None
    """Position and heading in `viva board show`; None to hide the column."""
    is_cost: bool = False
    """True if tables print the mean per answer, in the terminal only with `--costs`."""
    latex: str = ""
    """Heading in LaTeX tables; empty to hide the column."""
    parts: tuple[tuple[str, Kind], ...] | None = None
    """Columns in the CSV and Parquet files; by default the column itself."""
    of_log: Callable[[RunLog], Any] | None = None
    """Computes the value from a log, the same for all metrics; partial logs give what they have."""

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


def fit_of(log: RunLog) -> dict[str, float] | None:
    """Shares of a setting's added parts over all answers: whole, cut and dropped."""
    counts = sum((Counter(sample.fit) for sample in log.samples), Counter[str]())
    parts = counts.total()
    return {name: counts[name] / parts for name in ("whole", "cut", "dropped")} if parts else None


def truncated_of(log: RunLog) -> float | None:
    """Share of a log's replies cut off at the token limit; None if none is."""
    count = sum(sample.truncated for sample in log.samples)
    return count / len(log.samples) if count else None


def fit_text(fit: Mapping[str, float]) -> str:
    """Print the shares of a setting's added parts: whole, then cut and left out unless 0."""
    rest = (("cut", "cut"), ("dropped", "left out"))
    parts = [f"{word} {share(fit[name])}" for name, word in rest if fit[name]]
    return ", ".join([share(fit["whole"]), *parts])


def work_of(log: RunLog) -> dict[str, float] | None:
    """An agent's mean steps and calls per answer; None without an agent."""
    counts = [sample.agent for sample in log.samples if sample.agent]
    names = ("steps", "searches", "reads") if counts else ()
    return {name: fmean(each[name] for each in counts) for name in names} or None


def why_set_aside(log: RunLog) -> str | None:
    """Reason why a log's values do not represent its setting; None if they do."""
    if (fit := fit_of(log)) is not None and fit["dropped"] >= 1:
        return "no part that the setting adds fits into the model's window"
    asked = [name for name in BIASES if all(name in sample.values for sample in log.samples)]
    wrong = {name: mean_value(log.samples, name) or 0.0 for name in asked}
    if sum(wrong.values()) <= MAX_WRONG:
        return None
    yes, no = (wrong.get(name, 0.0) for name in BIASES)
    return (
        f"its answerer says yes to {yes:.0%} of control questions with the answer no, and no to "
        f"{no:.0%} of those with the answer yes"
    )


COLUMNS: tuple[BoardColumn, ...] = (
    BoardColumn("round", "Name of the round."),
    BoardColumn("task", "Name of the task."),
    BoardColumn("task_version", "Version of the task."),
    BoardColumn("setting", "Setting of the task, and the subset of the items."),
    BoardColumn("method", "Solver with its options, or the name of a baseline."),
    BoardColumn("model", "Model; `none` for a baseline without one."),
    BoardColumn("decoding", "Settings that change answers, and attempts at an item."),
    BoardColumn("prompt_hash", "Hash of the prompts."),
    BoardColumn(
        "alias",
        "Name that its maker gave the contestant or its prompts.",
        of_log=lambda log: log.alias or None,
    ),
    BoardColumn("judge", "Judge of the answers; null without a judge."),
    BoardColumn("metric", "Name of the metric."),
    BoardColumn("value", "Mean over items; a failed answer counts 0.", "float", unit="score"),
    BoardColumn("value_valid", "Mean over valid answers only.", "float", unit="score"),
    BoardColumn(
        "ci",
        "95% interval: percentile bootstrap over clusters.",
        unit="score",
        parts=(("ci_low", "float"), ("ci_high", "float")),
    ),
    BoardColumn(
        "n",
        "Items.",
        "int",
        label="Items",
        unit="items",
        page=1,
        style="items",
        terminal=(1, "n"),
        latex="$n$",
    ),
    BoardColumn("missing", "Answers that are missing.", "int", unit="answers"),
    BoardColumn("undefined", "Items where the metric is undefined.", "int", unit="items"),
    BoardColumn(
        "valid",
        "Share of valid answers.",
        "float",
        label="Valid",
        unit="share",
        page=2,
        terminal=(2, "valid"),
    ),
    BoardColumn("rank", "1 + contestants with a better value; null if not ranked.", "int"),
    BoardColumn(
        "rank_interval",
        "Plausible range of the rank.",
        parts=(("rank_low", "int"), ("rank_high", "int")),
    ),
    BoardColumn("unranked", "Reason why it has no rank."),
    BoardColumn("tied_with", "Contestants shown to differ by less than the run's --indifference."),
    BoardColumn("undecided_with", "Contestants that too few papers separate from it."),
    BoardColumn(
        "more_papers_needed",
        "Further papers that would decide each of these pairs; null if too many.",
    ),
    BoardColumn(
        "contamination",
        "Items by date against the model's cutoff: clean, seen, near_cutoff, mixed.",
        label="Seen before",
        unit="exposure",
        page=7,
        is_optional=True,
        style="seen",
    ),
    BoardColumn(
        "tokens",
        "Tokens of the contestant, without those of a judge.",
        "int",
        label="Tokens",
        unit="tokens",
        is_optional=True,
        page=4,
        terminal=(3, "tokens"),
        is_cost=True,
    ),
    BoardColumn(
        "cost",
        "Cost of these tokens in US dollars.",
        "float",
        label="Dollars",
        unit="USD",
        is_optional=True,
        page=5,
        terminal=(5, "$"),
        is_cost=True,
    ),
    BoardColumn(
        "seconds",
        "Working time.",
        "float",
        label="Seconds",
        unit="s",
        is_optional=True,
        page=6,
        terminal=(4, "s"),
        is_cost=True,
    ),
    BoardColumn("family", "Family of the task."),
    BoardColumn("headline", "True if this metric ranks the task.", "bool"),
    BoardColumn("answers", "Scored answers, attempts counted.", "int", unit="answers"),
    BoardColumn("partial", "True if answers are missing.", "bool"),
    BoardColumn(
        "detectable",
        "Smallest true difference that these items detect four times out of five.",
        "float",
        unit="score",
    ),
    BoardColumn(
        "exposure",
        "The cutoff, items by status, and the gap between seen and clean items.",
        parts=(
            ("cutoff", "text"),
            ("seen", "float"),
            ("clean", "float"),
            ("gap", "float"),
            ("n_seen", "int"),
            ("n_clean", "int"),
        ),
    ),
    BoardColumn(
        "calibrated",
        "A judge's metric, corrected by human labels; null with too few labels.",
        unit="score",
    ),
    BoardColumn(
        "clusters",
        "Clusters of the items, the units of the bootstrap.",
        "int",
        of_log=lambda log: len(set(log.item_clusters().values())),
    ),
    BoardColumn(
        "truncated",
        "Share of replies cut off at the token limit; null if none is.",
        "float",
        label="Cut off",
        unit="share",
        page=8,
        terminal=(7, "cut off"),
        is_optional=True,
        of_log=truncated_of,
    ),
    BoardColumn(
        "fit",
        "Shares of demonstrations, listed works or excerpts that were whole, cut or dropped.",
        label="Shown whole",
        unit="fit",
        page=8,
        terminal=(6, "shown whole"),
        is_optional=True,
        parts=(("whole", "float"), ("cut", "float"), ("dropped", "float")),
        of_log=fit_of,
    ),
    BoardColumn(
        "agent",
        "Mean steps, searches and reads of an agent per answer.",
        label="Steps",
        unit="work",
        page=4,
        is_optional=True,
        style="steps",
        parts=(("steps", "float"), ("searches", "float"), ("reads", "float")),
        of_log=work_of,
    ),
    BoardColumn("set_aside", "Reason why the row has no value and no rank.", of_log=why_set_aside),
    BoardColumn(
        "stopped",
        "Reason why a run with --decide stopped asking it.",
        label="Stopped",
        unit="why",
        page=9,
        is_optional=True,
        parts=(("question", "text"), ("look", "int"), ("looks", "int"), ("items", "int")),
        of_log=lambda log: log.stopped,
    ),
    BoardColumn(
        "faults",
        "Faulty answers by kind of fault.",
        label="Faults",
        unit="answers",
        page=3,
        parts=(),
    ),
    BoardColumn(
        "runs", "Logs of this row, removed logs, and other variants of its model.", parts=()
    ),
    BoardColumn(
        "trust",
        "recomputed if the board's maker computed the scores again from the replies in the log, on "
        "their own copy of the round.",
        label="Trust",
        page=8,
        is_optional=True,
    ),
    BoardColumn("trust_reason", "Reason why the row is not recomputed; null if it is."),
    BoardColumn(
        "judge_own_family", "True if the judge is of the contestant's own family.", "bool", parts=()
    ),
    BoardColumn("judge_tokens", "Tokens of the judge.", "int", unit="tokens", parts=()),
    BoardColumn("judge_cost", "Cost of the judge.", "float", unit="USD", parts=()),
)
"""All columns of a board, in the order of its files."""


def page_columns() -> tuple[BoardColumn, ...]:
    """The columns of facts in a page's table, in order."""
    shown = [column for column in COLUMNS if column.page]
    return tuple(sorted(shown, key=lambda column: column.page))


def terminal_columns(*, costs: bool) -> tuple[tuple[str, BoardColumn], ...]:
    """Headings and columns that the terminal prints after the metrics, in order."""
    shown = [
        (*column.terminal, column)
        for column in COLUMNS
        if column.terminal and (costs or not column.is_cost)
    ]
    return tuple((head, column) for _, head, column in sorted(shown, key=lambda each: each[0]))


def shown_value(column: BoardColumn, row: Mapping[str, Any]) -> Any:
    """Value that tables print for a row: as stored, or as the mean per answer; None if missing."""
    value = row.get(column.name)
    if value is None or not column.is_cost:
        return value
    return value / row["answers"] if row["answers"] else None
