"""Facts of a row that have several parts: their types, and how a log gives them."""

from collections import Counter
from collections.abc import Mapping
from statistics import fmean

from vivavoce.metrics.tables.table_questions import BIASES
from vivavoce.results.logs.records import RunLog, mean_value
from vivavoce.text.printing import share

MAX_WRONG = 0.5
"""Limit on the sum of `BIASES`; a constant or random answerer has the sum 1."""


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
