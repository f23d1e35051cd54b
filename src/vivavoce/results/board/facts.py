"""Facts of a row that have several parts: their types, and how a log gives them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from statistics import fmean
from typing import TypedDict

from vivavoce.metrics.tables.table_questions import BIASES
from vivavoce.results.logs.records import RunLog, mean_value
from vivavoce.text.printing import share

MAX_WRONG = 0.5
"""Limit on the sum of `BIASES`; a constant or random answerer has the sum 1."""


class Exposure(TypedDict, total=False):
    """Facts on a row's model, and on items that may be in the model's training data."""

    cutoff: str | None
    source: str | None
    margin_days: int | None
    items: dict[str, int]
    seen: float | None
    ci_seen: list[float] | None
    clean: float | None
    ci_clean: list[float] | None
    gap: float | None
    ci: list[float] | None
    n_seen: int
    n_clean: int
    maker: str
    open_weights: bool
    size: str
    released: str


def fit_of(log: RunLog) -> Fit | None:
    """Shares of a setting's added parts over all answers: whole, cut and dropped."""
    counts = sum((Counter(sample.fit) for sample in log.samples), Counter[str]())
    if not (parts := counts.total()):
        return None
    whole, cut, dropped = (counts[name] / parts for name in ("whole", "cut", "dropped"))
    return {"whole": whole, "cut": cut, "dropped": dropped}


def truncated_of(log: RunLog) -> float | None:
    """Share of a log's replies cut off at the token limit; None if none is."""
    count = sum(sample.truncated for sample in log.samples)
    return count / len(log.samples) if count else None


def fit_text(fit: Mapping[str, float]) -> str:
    """Print the shares of a setting's added parts: whole, then cut and left out unless 0."""
    rest = (("cut", "cut"), ("dropped", "left out"))
    parts = [f"{word} {share(fit[name])}" for name, word in rest if fit[name]]
    return ", ".join([share(fit["whole"]), *parts])


def work_of(log: RunLog) -> Work | None:
    """An agent's mean steps and calls per answer; None without an agent."""
    counts = [sample.agent for sample in log.samples if sample.agent]
    if not counts:
        return None
    steps, searches, reads = (
        fmean(each[name] for each in counts) for name in ("steps", "searches", "reads")
    )
    return {"steps": steps, "searches": searches, "reads": reads}


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


class Fit(TypedDict):
    """Shares of the parts that a setting adds to prompts, by their state after cutting."""

    whole: float
    cut: float
    dropped: float


class Work(TypedDict):
    """An agent's mean steps and calls per answer."""

    steps: float
    searches: float
    reads: float


class CalibratedMean(TypedDict):
    """Corrected mean over all items, with its interval and number of labels."""

    value: float
    ci: list[float]
    labels: int
