"""From a board's rows to its tables, with every number and sentence ready to print."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from vivavoce.metrics import Metric
from vivavoce.store import Row, canonical_json
from vivavoce.web.printing import counted, figure, interval, share, visible

SECTION_KEY = ("round", "task", "task_version", "setting")
CONTESTANT_KEY = ("method", "model", "decoding", "prompt_hash", "judge")

_NO_MODEL = ("", "none", "none/none", "null", "null/null")
_CONTROLS = ("oracle", "null", "copycat", "random")
_BASELINE_PROVIDERS = ("extractive", "none", "null")
_TAGS = {"model": "", "baseline": "Baseline", "floor": "Floor", "ceiling": "Ceiling"}
_MOST_UNDEFINED = 0.05
"""A board never ranks by a metric with a larger undefined share."""


@dataclass(frozen=True, slots=True)
class Mark:
    """Where a value and its interval stand in their column's plot, in percent of its width."""

    value: str
    low: str
    high: str
    width: str
    off: str
    """`left` or `right` for a floor that lies outside the plot, else empty."""


@dataclass(frozen=True, slots=True)
class Column:
    """One metric of a table."""

    metric: str
    higher_is_better: bool
    scale: tuple[float, float] | None
    """What the two ends of the plot stand for; None where nothing can be drawn."""
    ends: tuple[str, str] | None
    band: Mark | None
    """The interval of the best contestant."""

    def mark(self, row: Row | None) -> Mark | None:
        """Place a row's value; None where it has none."""
        if row is None or row["value"] is None:
            return None
        return _mark(row, self.scale)


@dataclass(frozen=True, slots=True)
class Cell:
    """One metric of one contestant."""

    sort: float | None
    value: str
    interval: str
    missing: str
    """Why there is no value; empty where there is one."""
    notes: tuple[str, ...]
    mark: Mark | None


@dataclass(frozen=True, slots=True)
class Entry:
    """One contestant: a row of its table."""

    kind: str
    """`model`, `baseline`, `floor` or `ceiling`."""
    tag: str
    name: str
    details: tuple[str, ...]
    rank: int | None
    rank_note: str
    cells: tuple[Cell, ...]
    n: int
    valid: float | None
    valid_text: str
    faults: tuple[str, ...]
    fault_count: int


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a hurried reader takes away from a table."""

    name: str
    tag: str
    value: str
    interval: str
    sentence: str


@dataclass(frozen=True, slots=True)
class Section:
    """Everything that was measured on one task, in one setting of one round."""

    anchor: str
    round: str
    title: str
    task: str
    version: str
    setting: str
    detectable: str
    """The smallest difference in the headline metric the items can show; empty when unknown."""
    shared: tuple[str, ...]
    """How every contestant was run, where that was the same for all."""
    columns: tuple[Column, ...]
    """The headline metric first."""
    entries: tuple[Entry, ...]
    """Best first by the headline metric; those without a value last."""
    ceilings: tuple[Entry, ...]
    verdict: Verdict | None


Contestant = dict[str, Row]
"""A contestant's rows by metric."""


def make_sections(
    rows: Sequence[Row], known: Mapping[str, Metric], headlines: Mapping[str, str]
) -> list[Section]:
    """One section for each round, task, version and setting, in the order of the rows."""
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(canonical_json([row[key] for key in SECTION_KEY]), []).append(row)
    return [
        _section(f"table-{number}", group, known, headlines.get(group[0]["task"]))
        for number, group in enumerate(groups.values(), start=1)
    ]


def _section(
    anchor: str, rows: Sequence[Row], known: Mapping[str, Metric], headline: str | None
) -> Section:
    metrics = list(dict.fromkeys(row["metric"] for row in rows))
    metrics.sort(key=lambda metric: metric != headline)
    everyone: dict[str, Contestant] = {}
    for row in rows:
        key = canonical_json([row[key] for key in CONTESTANT_KEY])
        everyone.setdefault(key, {})[row["metric"]] = row
    higher = {name: name not in known or known[name].higher_is_better for name in metrics}
    ordered = sorted(everyone.values(), key=lambda found: _place(found, metrics[0], higher))
    ranked = [found for found in ordered if _kind(_first(found)) != "ceiling"]
    columns = tuple(_column(name, ranked, higher[name]) for name in metrics)
    shared = _shared_facts(ranked)
    entries = tuple(_entry(found, columns, bool(shared)) for found in ordered)
    first = rows[0]
    return Section(
        anchor=anchor,
        round=visible(first["round"]),
        title=_title(first["task"]),
        task=visible(first["task"]),
        version=visible(first["task_version"]),
        setting=visible(first["setting"]),
        detectable=_detectable(rows, metrics[0]),
        shared=shared,
        columns=columns,
        entries=tuple(entry for entry in entries if entry.kind != "ceiling"),
        ceilings=tuple(entry for entry in entries if entry.kind == "ceiling"),
        verdict=_verdict(ranked, columns),
    )


def _detectable(rows: Sequence[Row], metric: str) -> str:
    """What `viva board` puts into each ranked row of a table; boards of old may lack it."""
    values = [row.get("detectable") for row in rows if row["metric"] == metric]
    return next((figure(value) for value in values if value), "")


def _first(found: Contestant) -> Row:
    return next(iter(found.values()))


def _title(task: str) -> str:
    words = visible(task).rsplit("/", 1)[-1].replace("_", " ")
    return words[:1].upper() + words[1:]


def _place(found: Contestant, headline: str, higher: Mapping[str, bool]) -> tuple[bool, float, str]:
    """Sort key: best headline value first, contestants without one last, then by name."""
    value = found[headline]["value"] if headline in found else None
    name = canonical_json([_first(found)[key] for key in ("model", *CONTESTANT_KEY)])
    if value is None:
        return (True, 0.0, name)
    return (False, -value if higher[headline] else value, name)


def _kind(row: Row) -> str:
    method, model = str(row["method"]), str(row["model"])
    if method == "oracle":
        return "ceiling"
    if method == "null" or model in ("null", "null/null"):
        return "floor"
    is_baseline = method in _CONTROLS or model.split("/", 1)[0] in _BASELINE_PROVIDERS
    return "baseline" if is_baseline else "model"


def _name(row: Row) -> tuple[str, list[str]]:
    """A contestant's name, and what stands under it in small type."""
    method, model = visible(row["method"]), visible(row["model"])
    if row["model"] in _NO_MODEL:
        return method, []
    if row["method"] in _CONTROLS:
        return method, [f"run as {model}"]
    return model, [method]


def _label(row: Row) -> str:
    """A contestant's name in a sentence, told apart from other uses of its model."""
    name, details = _name(row)
    is_plain = row["method"] in ("direct", *_CONTROLS) or not details
    return name if is_plain else f"{name} ({visible(row['method'])})"


def _facts(row: Row) -> tuple[str, ...]:
    """How a contestant was run: decoding, prompt and judge."""
    decoding = row["decoding"]
    if isinstance(decoding, Mapping):
        pairs = ((key, decoding[key]) for key in sorted(decoding))
        facts = [
            f"{visible(key).replace('_', ' ')} {visible(value)}"
            for key, value in pairs
            if value is not None
        ]
    else:
        facts = [visible(decoding)] if decoding else []
    if row["prompt_hash"]:
        facts.append(f"prompt {visible(row['prompt_hash'])[:8]}")
    if row["judge"]:
        facts.append(f"judge {visible(row['judge'])}")
    return tuple(facts)


def _shared_facts(ranked: Sequence[Contestant]) -> tuple[str, ...]:
    different = {_facts(_first(found)) for found in ranked}
    return different.pop() if len(different) == 1 else ()


def _bounds(row: Row) -> tuple[float, float]:
    low, high = row["ci"] or (row["value"], row["value"])
    return low, high


def _valued(ranked: Sequence[Contestant], metric: str) -> list[Row]:
    rows = (found.get(metric) for found in ranked)
    return [row for row in rows if row is not None and row["value"] is not None]


def _column(metric: str, ranked: Sequence[Contestant], higher_is_better: bool) -> Column:
    rows = _valued(ranked, metric)
    if not rows:
        return Column(metric, higher_is_better, None, None, None)
    # The floor would press everybody else together at the other end.
    inner = [row for row in rows if _kind(row) != "floor"] or rows
    low = min(min(_bounds(row)[0], row["value"]) for row in inner)
    high = max(max(_bounds(row)[1], row["value"]) for row in inner)
    pick = max if higher_is_better else min
    placed = [row for row in rows if row["rank"] is not None] or rows
    best = pick(placed, key=lambda row: row["value"])
    scale = (low, high)
    ends = (f"{low:.2f}".replace("-", "−"), f"{high:.2f}".replace("-", "−"))
    return Column(metric, higher_is_better, scale, ends, _mark(best, scale))


def _mark(row: Row, scale: tuple[float, float] | None) -> Mark | None:
    if scale is None:
        return None
    low, high = (_percent(bound, scale) for bound in _bounds(row))
    value = _percent(row["value"], scale)
    off = "left" if value < 0 else "right" if value > 100 else ""
    return Mark(f"{value:.2f}%", f"{low:.2f}%", f"{high:.2f}%", f"{high - low:.2f}%", off)


def _percent(value: float, scale: tuple[float, float]) -> float:
    low, high = scale
    # A margin of 4% on both sides, so that the dots at the ends are drawn whole.
    return 50.0 if high == low else 4 + 92 * (value - low) / (high - low)


def _entry(found: Contestant, columns: Sequence[Column], facts_are_shared: bool) -> Entry:
    lead = found.get(columns[0].metric)
    row = lead or _first(found)
    kind = _kind(row)
    name, details = _name(row)
    if not facts_are_shared and kind != "ceiling":
        details += _facts(row)
    if row["contamination"]:
        details.append(f"contamination: {visible(row['contamination'])}")
    faults = _faults(row)
    return Entry(
        kind=kind,
        tag=_TAGS[kind],
        name=name,
        details=tuple(details),
        rank=None if lead is None or kind == "ceiling" else lead["rank"],
        rank_note=_rank_note(lead, kind),
        cells=tuple(_cell(found.get(column.metric), row, column) for column in columns),
        n=row["n"],
        valid=row["valid"],
        valid_text="not recorded" if row["valid"] is None else share(row["valid"]),
        faults=tuple(text for _, text in faults),
        fault_count=sum(count for count, _ in faults),
    )


def _rank_note(lead: Row | None, kind: str) -> str:
    """What stands beside a rank, or why there is none."""
    if kind == "ceiling":
        return "not ranked"
    if lead is None or lead["value"] is None:
        return "no value"
    if lead["rank"] is None:
        too_many = lead["undefined"] > _MOST_UNDEFINED * lead["n"]
        return "not ranked: over 5% undefined" if too_many else "not ranked"
    low, high = lead["rank_interval"] or (lead["rank"], lead["rank"])
    return f"{low}–{high}" if low != high else ""


def _faults(row: Row) -> list[tuple[int, str]]:
    invalid = 0 if row["valid"] is None else row["n"] - round(row["n"] * row["valid"])
    counts = ((invalid, "not valid"), (row["missing"], "missing"), (row["undefined"], "undefined"))
    return [(count, f"{count:,} {word}") for count, word in counts if count]


def _cell(row: Row | None, lead: Row, column: Column) -> Cell:
    if row is None:
        return Cell(None, "", "", "not measured", (), None)
    if row["value"] is None:
        everywhere = row["undefined"] and row["undefined"] == row["n"]
        reason = f"undefined for all {row['n']:,} items" if everywhere else "no value"
        return Cell(None, "", "", reason, (), None)
    notes = []
    valid_only = row["value_valid"]
    if valid_only is not None and figure(valid_only) != figure(row["value"]):
        notes.append(f"{figure(valid_only)} if valid")
    if row["n"] != lead["n"]:
        notes.append(f"n {row['n']:,}")
    if row["valid"] != lead["valid"] and row["valid"] is not None:
        notes.append(f"{share(row['valid'])} valid")
    for key in ("missing", "undefined"):
        if row[key] != lead[key]:
            notes.append(f"{row[key]:,} {key}")
    between = "no interval" if row["ci"] is None else interval(_bounds(row))
    is_open = _kind(row) != "ceiling"
    mark = column.mark(row) if is_open else None
    return Cell(row["value"], figure(row["value"]), between, "", tuple(notes), mark)


def _verdict(ranked: Sequence[Contestant], columns: Sequence[Column]) -> Verdict | None:
    rows = [row for row in _valued(ranked, columns[0].metric) if row["rank"] is not None]
    if not rows:
        return None
    best, others = rows[0], rows[1:]
    return Verdict(
        name=_label(best),
        tag=_TAGS[_kind(best)],
        value=figure(best["value"]),
        interval="no interval" if best["ci"] is None else interval(_bounds(best)),
        sentence=_sureness(best, others),
    )


def _sureness(best: Row, others: Sequence[Row]) -> str:
    """How sure the first place is.

    Ties found on the same items go before overlapping intervals, which are only a hint.
    """
    if not others:
        return "No other contestant is ranked."
    if best["tied_with"]:
        names = ", ".join(visible(name) for name in best["tied_with"][:2])
        unnamed = len(best["tied_with"]) - 2
        return f"Tied with {names}{f' and {unnamed:,} more' if unnamed > 0 else ''}."
    if best["tied_with"] is not None:
        return "Ahead of every other contestant on the same items."
    if best["ci"] is None:
        return "Without an interval nobody can say how sure this is."
    low, high = _bounds(best)
    near = [row for row in others if _bounds(row)[0] <= high and _bounds(row)[1] >= low]
    if not near:
        return "Its interval stands clear of all others."
    rest = counted(len(near) - 1, "other", "others")
    more = f" and {rest}" if len(near) > 1 else ""
    return f"The order may be chance: its interval overlaps that of {_label(near[0])}{more}."
