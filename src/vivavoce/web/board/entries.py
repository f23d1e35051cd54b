"""Texts about a board's contestants: names, kinds, settings, plots, ranks, faults and costs."""

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from vivavoce.metrics.judged_text import WIN_RATE
from vivavoce.results.board.columns import BoardColumn, fit_text, shown_value
from vivavoce.results.board.ranks import open_question
from vivavoce.store import SHORT_HASH, Row, hash_of
from vivavoce.text.printing import counted, figure, interval, share, visible

NO_MODEL = ("", "none", "none/none", "null", "null/null")
_CONTROLS = ("oracle", "null", "copycat", "random")
_BASELINE_PROVIDERS = ("extractive", "none", "null")
TAGS = {"model": "", "baseline": "Baseline", "floor": "Floor", "ceiling": "Ceiling"}
_CACHED = 8192


def kind_of(row: Row) -> str:
    """Kind of a row's contestant: `model`, `baseline`, `floor` or `ceiling`."""
    return _kind(str(row["method"]), str(row["model"]))


@lru_cache(maxsize=_CACHED)
def _kind(method: str, model: str) -> str:
    if method == "oracle":
        return "ceiling"
    if method == "null" or model in ("null", "null/null"):
        return "floor"
    is_baseline = method in _CONTROLS or model.split("/", 1)[0] in _BASELINE_PROVIDERS
    return "baseline" if is_baseline else "model"


def is_floor(row: Row) -> bool:
    """Check whether answers are made without reading the item: constant or random."""
    return kind_of(row) == "floor" or row["method"] == "random"


def identity_of(row: Row) -> tuple[str, str]:
    """Kind of a row's contestant, and its name as the row spells it."""
    is_method = row["model"] in NO_MODEL or row["method"] in _CONTROLS
    return kind_of(row), str(row["method"] if is_method else row["model"])


def name_and_details(row: Row) -> tuple[str, list[str]]:
    """A contestant's name, and details for the line below it."""
    name = visible(identity_of(row)[1])
    if row["model"] in NO_MODEL:
        return name, []
    if row["method"] in _CONTROLS:
        return name, [f"run as {visible(row['model'])}"]
    alias = [visible(row["alias"])] if row.get("alias") else []
    return name, [*alias, visible(row["method"])]


def label(row: Row) -> str:
    """A contestant's name for use in a sentence, with its method unless it is `direct`."""
    name, details = name_and_details(row)
    is_plain = row["method"] in _CONTROLS or not details
    others = [] if is_plain else [one for one in details if one != "direct"]
    return f"{name} ({', '.join(others)})" if others else name


def title_of(task: str) -> str:
    """A task's name as a title."""
    words = visible(task).rsplit("/", 1)[-1].replace("_", " ")
    return words[:1].upper() + words[1:]


def facts_of(row: Row) -> tuple[str, ...]:
    """Settings of a contestant's run: decoding, prompt and judge."""
    words = visible(row["decoding"] or "").split()
    pairs = [word.partition("=")[::2] for word in words]
    facts = [f"{name.replace('_', ' ')} {value}" for name, value in pairs]
    if not all(value for _, value in pairs):
        facts = [" ".join(words)]
    if row["prompt_hash"]:
        facts.append(f"prompt {visible(row['prompt_hash'])[:SHORT_HASH]}")
    if row["judge"]:
        facts.append(f"judge {visible(row['judge'])}")
    return tuple(facts)


def shared_facts(rows: Sequence[Row]) -> tuple[str, ...]:
    """Settings shared by all contestants with a model; if none has a model, by all contestants."""
    of_models = [facts_of(row) for row in rows if row["model"] not in NO_MODEL]
    everyone = of_models or [facts_of(row) for row in rows]
    return tuple(fact for fact in everyone[0] if all(fact in of for of in everyone)) if rows else ()


def tries_of(row: Row) -> list[str]:
    """Counts of other runs of the same model, since this may be the best of several tries."""
    runs = row["runs"] or {}
    kinds = (("variants", "other way", "tried"), ("removed", "log", "removed"))
    return [f"{counted(runs[key], what)} {how}" for key, what, how in kinds if runs.get(key)]


_MAX_LENGTH = 48
_OTHER = re.compile(r"[^a-z0-9]+")


def slug(name: str, *more: object) -> str:
    """A file name for `name`: lower-case ASCII, then 8 hex digits of its hash.

    `more` distinguishes things with the same name; it enters only the hash.
    """
    ascii_only = unicodedata.normalize("NFKD", name[:512]).encode("ascii", "ignore").decode()
    readable = _OTHER.sub("-", ascii_only.lower()).strip("-")[:_MAX_LENGTH].strip("-")
    digest = hash_of([name, *more])[:8]
    return f"{readable}-{digest}" if readable else digest


_NAMED = 6


@dataclass(frozen=True, slots=True)
class MetricColumn:
    """One metric of a table."""

    metric: str
    higher_is_better: bool
    scale: tuple[float, float] | None
    """Values at the two ends of the plot; None if nothing can be drawn."""
    best: Row | None
    """The row whose interval is drawn as a band behind the plots."""
    says: str = ""
    """Meaning of the metric, in a sentence."""

    def mark(self, row: Row | None) -> str:
        """CSS classes that place a row's value and interval in its cell; empty without a value.

        A floor may lie outside the plot; an arrow then shows on which side.
        """
        if row is None or row["value"] is None or self.scale is None:
            return ""
        value, low, high = (_percent(end, self.scale) for end in (row["value"], *bounds_of(row)))
        if not 0 <= value <= 100:
            return "off-left" if value < 0 else "off-right"
        return f"v{value} l{max(0, low)} h{min(100, high)}"

    @property
    def band(self) -> str:
        """CSS classes that place the best row's interval behind all plots; empty without one."""
        if self.best is None or self.scale is None:
            return ""
        low, high = (_percent(end, self.scale) for end in bounds_of(self.best))
        return f"b{low} e{high}"


def make_column(
    metric: str, rows: Sequence[Row], higher_is_better: bool, *, says: str = ""
) -> MetricColumn:
    """Make a column from rows that have a value and may be ranked."""
    if not rows:
        return MetricColumn(metric, higher_is_better, None, None, says)
    # If the scale covered the floor, all others would crowd together at the other end.
    inner = [row for row in rows if kind_of(row) != "floor"] or rows
    low = min(min(bounds_of(row)[0], row["value"]) for row in inner)
    high = max(max(bounds_of(row)[1], row["value"]) for row in inner)
    pick = max if higher_is_better else min
    placed = [row for row in rows if row["rank"] is not None] or rows
    best = pick(placed, key=lambda row: row["value"])
    return MetricColumn(metric, higher_is_better, (low, high), best, says)


def bounds_of(row: Row) -> tuple[float, float]:
    """A row's interval; if it has none, its value twice."""
    low, high = row["ci"] or (row["value"], row["value"])
    return low, high


def between(row: Row) -> str:
    """A row's interval as text."""
    return "no interval" if row["ci"] is None else interval(bounds_of(row))


def rank_bounds(row: Row) -> tuple[int, int]:
    """The plausible range of a row's rank; its rank twice if contestants were not compared."""
    low, high = row["rank_interval"] or (row["rank"], row["rank"])
    return low, high


def ranks(row: Row) -> str:
    """The plausible range of a row's rank as text, such as "ranks 1–3"."""
    low, high = rank_bounds(row)
    return f"rank {low}" if low == high else f"ranks {low}–{high}"


def _percent(value: float, scale: tuple[float, float]) -> int:
    low, high = scale
    # A margin of 4% on both sides keeps dots at the ends from being cut.
    return 50 if high == low else round(4 + 92 * (value - low) / (high - low))


def rank_of(lead: Row | None) -> int | None:
    """The rank in a headline row; None for the ceiling."""
    return None if lead is None or kind_of(lead) == "ceiling" else lead["rank"]


def rank_note(lead: Row | None, kind: str) -> str:
    """The plausible range of a contestant's rank, or the reason why it has no rank."""
    if kind == "ceiling":
        return "not ranked"
    if lead and lead["set_aside"]:
        return f"not ranked: {visible(lead['set_aside'])}"
    if lead is None or lead["value"] is None:
        return "no value"
    if lead["rank"] is None:
        return f"not ranked: {visible(why)}" if (why := lead["unranked"]) else "not ranked"
    low, high = rank_bounds(lead)
    return f"{low}–{high}" if low != high else ""


def _rivals(names: Sequence[str]) -> str:
    """The first few names of contestants; the rest as a number."""
    rest = len(names) - _NAMED
    listed = ", ".join(visible(name, 60) for name in names[:_NAMED])
    return listed + (f" and {rest:,} more" if rest > 0 else "")


def fact(row: Row, column: BoardColumn) -> str:
    """Text of a row's cell in a column of facts; empty if the fact is not recorded."""
    value = shown_value(column, row)
    if column.unit == "exposure":
        if not row["contamination"]:
            return ""
        exposure = row["exposure"] or {}
        status = visible(row["contamination"]).replace("_", " ")
        counts = exposure.get("items") or {}
        named = [
            f"{counts[name]:,} {name.replace('_', ' ')}" for name in sorted(counts) if counts[name]
        ]
        if len(named) > 1:
            status = ", ".join(visible(part) for part in named)
        cutoff = exposure.get("cutoff")
        is_date = cutoff not in (None, "never")
        return f"{status}; trained until {visible(cutoff)}" if is_date else status
    if value is None:
        return ""
    if column.unit in _PRINTED:
        return _PRINTED[column.unit](value)
    return figure(value) if isinstance(value, float) else visible(value).replace("_", " ")


def best_of(ranked: Sequence[Row]) -> Row | None:
    """The first row that is not a floor, among headline rows sorted best first."""
    return next((row for row in ranked if not is_floor(row)), None)


def is_first(row: Row) -> bool:
    """Check whether rank 1 is a row's only plausible rank."""
    return bool(row["rank_interval"]) and list(row["rank_interval"]) == [1, 1]


def sureness(ranked: Sequence[Row]) -> str:
    """A sentence on how certain it is that the best row is best; `ranked` is sorted best first.

    Tests on the same items take precedence over overlap of intervals, which is only a hint.
    """
    best = best_of(ranked)
    if best is None:
        return "Only floors are ranked."
    if all(row["valid"] == 0 for row in ranked):
        return "Invalid answers count 0."
    others = [row for row in ranked if row is not best]
    if not others:
        return "No other contestant is ranked."
    if best["rank_interval"] and best["rank_interval"][0] > 1:
        return f"Behind {label(ranked[0])}, which is a floor."
    if best["undecided_with"]:
        return open_question(best)
    if best["tied_with"]:
        return f"Tied with {_rivals(best['tied_with'])}."
    if is_first(best):
        return "Ahead of every other contestant on the same items."
    if best["ci"] is None:
        return "There is no interval, so the certainty is unknown."
    low, high = bounds_of(best)
    near = [row for row in others if bounds_of(row)[0] <= high and bounds_of(row)[1] >= low]
    if not near:
        return "Its interval overlaps with no other; contestants were not compared item by item."
    more = f" and {counted(len(near) - 1, 'other')}" if len(near) > 1 else ""
    return f"The order may be chance: its interval overlaps that of {label(near[0])}{more}."


def faults_of(row: Row) -> list[tuple[int, str]]:
    """Counts of a row's faults, each with a text."""
    invalid = 0 if row["valid"] is None else row["n"] - round(row["n"] * row["valid"])
    counts = ((invalid, "not valid"), (row["missing"], "missing"), (row["undefined"], "undefined"))
    faults = [(count, f"{count:,} {word}") for count, word in counts if count]
    return faults + ([(1, "partial run")] if row["partial"] else [])


def missing(row: Row | None) -> str:
    """Reason why a cell has no value; empty if it has one."""
    if row is None:
        return "not measured"
    if row["value"] is not None:
        return ""
    if row["set_aside"]:
        return visible(row["set_aside"])
    if row["undefined"] and row["undefined"] == row["n"]:
        return f"undefined for all {counted(row['n'], 'item')}"
    return "no value"


def notes(row: Row, lead: Row) -> list[str]:
    """Notes beside a value: how its row differs from the headline row."""
    is_corrected = row["metric"] == WIN_RATE or row["calibrated"]
    remarks = [_calibration(row)] if is_corrected else []
    valid_only = row["value_valid"]
    if valid_only not in (None, row["value"]) and figure(valid_only) != figure(row["value"]):
        remarks.append(f"{figure(valid_only)} if valid")
    if row["n"] != lead["n"]:
        remarks.append(f"n {row['n']:,}")
    if row["valid"] != lead["valid"] and row["valid"] is not None:
        remarks.append(f"{share(row['valid'])} valid")
    differing = [key for key in ("missing", "undefined") if row[key] != lead[key]]
    return remarks + [f"{row[key]:,} {key}" for key in differing]


def _calibration(row: Row) -> str:
    """Text on a judge's metric as corrected by human labels."""
    calibration = row["calibrated"]
    if not calibration:
        return "not calibrated"
    ends = interval((calibration["ci"][0], calibration["ci"][1]))
    labels = counted(calibration["labels"], "label")
    return f"{figure(calibration['value'])} ({ends}) corrected by {labels} from people"


def dollars(amount: float) -> str:
    """Format money with two significant digits for small sums."""
    if amount == 0:
        return "0"
    if amount < 0.000_05:
        return "<0.0001"
    return f"{amount:.4f}" if amount < 0.1 else f"{amount:,.2f}"


_PRINTED: Mapping[str, Callable[[Any], str]] = {
    "items": lambda number: f"{number:,}" if number else "–",
    "share": share,
    "fit": fit_text,
    "tokens": "{:,.0f}".format,
    "USD": dollars,
    "s": "{:,.2f}".format,
    "work": lambda done: f"{done['steps']:.1f}, calls {done['searches'] + done['reads']:.1f}",
    "why": lambda stopped: visible(stopped.get("reason", "")),
}
"""Formatters of values by unit."""
