"""Formulas composed from a seed, checked to be informative and stable.

Each tree belongs to one of 97 classes by its hash, and a round uses only trees of its seed's class.
So two rounds share no formula unless their seeds differ by a multiple of 97.
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from vivavoce.errors import InputError
from vivavoce.tasks.implementation.items.composed_grammar import (
    COLUMNS,
    GRAMMAR,
    OPERATORS,
    Node,
    canonical,
    columns_giving,
    columns_of,
    digest,
    functions_used,
    is_of_round,
    kind_of,
    operators_giving,
    simpler,
    symbols,
    write_latex,
    write_text,
)
from vivavoce.tasks.implementation.items.formula import CONVENTIONS, RESULT, Category, Formula
from vivavoce.tasks.implementation.items.market import TABLES

HELPERS: Mapping[str, str] = GRAMMAR["helpers"]
NAIVE: Mapping[str, str] = GRAMMAR["naive"]
"""Helpers of a careless program that ignores the stock."""
READINGS: Mapping[str, Any] = GRAMMAR["readings"]
"""Other common interpretations by name; an item is ambiguous unless its text excludes them."""

_IMPORTS = "import numpy as np\nimport pandas as pd\n\n\n"


def write_program(tree: Node, *, is_naive: bool = False) -> str:
    """Write a program that computes a tree into `RESULT`, optionally with `NAIVE` helpers."""
    names = sorted({node.name for node in tree.nodes() if not node.is_leaf})
    own = "\n\n".join(f"{OPERATORS[name]['code'].strip()}\n" for name in names)
    helpers = functions_used(own, {**HELPERS, **(NAIVE if is_naive else {})})
    tables = sorted({column.partition(".")[0] for column in columns_of(tree)})
    reads = [
        f'{table} = pd.read_parquet("{table}.parquet")\n'
        f'{table} = {table}.set_index(["datetime", "instrument"]).sort_index()\n'
        for table in tables
    ]
    return (
        f"{_IMPORTS}{helpers}{own}\n\n{''.join(reads)}values = {_call(tree)}\n"
        f'values.rename("value").to_frame().to_parquet("{RESULT}")\n'
    )


def evaluate(
    tree: Node, frames: Mapping[str, Any], known: dict[Node, Any], reading: str = ""
) -> Any:
    """Evaluate a tree as its program would, on tables sorted by (datetime, instrument).

    `known` maps parts to their values, and gets new ones; `reading` is `naive` or one of
    `READINGS`.
    """
    if tree not in known:
        table, _, column = tree.name.partition(".")
        if tree.is_leaf:
            known[tree] = frames[table][column]
        else:
            args = [evaluate(arg, frames, known, reading) for arg in tree.args]
            needed = (name.partition(".") for name in OPERATORS[tree.name].get("columns", ()))
            more = [frames[table][column] for table, _, column in needed]
            numbers = [tree.number] if tree.number else []
            known[tree] = _functions(reading)[tree.name](*args, *more, *numbers)
    return known[tree]


@cache
def _functions(reading: str) -> Mapping[str, Callable[..., Any]]:
    """The operators as functions, compiled from code in this package."""
    usual = {**HELPERS, **{name: operator["code"] for name, operator in OPERATORS.items()}}
    other = {name: each.get("functions", {}) for name, each in READINGS.items()} | {"naive": NAIVE}
    namespace: dict[str, Any] = {}
    exec(_IMPORTS + "\n".join({**usual, **other.get(reading, {})}.values()), namespace)
    return namespace


def _call(node: Node) -> str:
    if node.is_leaf:
        return _column(node.name)
    more = [_column(name) for name in OPERATORS[node.name].get("columns", ())]
    numbers = [str(node.number)] if node.number else []
    return f"{node.name}({', '.join([*map(_call, node.args), *more, *numbers])})"


def _column(name: str) -> str:
    table, _, column = name.partition(".")
    return f'{table}["{column}"]'


_CATEGORIES: tuple[Category, ...] = ("price-volume", "fundamental", "minute", "joined")
_KINDS = tuple((category, depth) for depth in (2, 3, 4) for category in _CATEGORIES)
"""Kinds of formulas, drawn in turn until they run out."""
_MIN_KNOWN = 0.3
"""Minimum share of rows with a value."""
_MAX_ALIKE = 0.4
"""Maximum share of rows with the same value."""
_JOINED_DAYS = 5
"""Maximum lag or window over the few days with minutes."""
_NUDGE = 1e-9
_NEAR = 1e-6
_MAX_UNSTABLE = 1e-3
_TRIES = 30_000
"""Maximum draws per formula, since some kinds run out."""


def as_formula(tree: Node, category: Category, *, is_lagged: bool) -> Formula:
    """Make an item from a tree; `is_lagged` if ignoring the stock changes the values."""
    steps = tree.depth + (category == "joined")
    needed = {column.partition(".")[0] for column in columns_of(tree)}
    tables = tuple(name for name in TABLES if name in needed)
    return Formula(
        name=f"composed-{digest(write_latex(tree)).hex()[:10]}",
        category=category,
        difficulty="easy" if steps <= 2 else "medium" if steps == 3 else "hard",
        description=write_text(tree),
        formulation=f"f_{{i,t}} = {write_latex(tree)}",
        variables=symbols(tree),
        tables=tables,
        columns=tuple(sorted({node.name for node in tree.nodes() if node.is_leaf})),
        compute=lambda *given: evaluate(tree, _indexed(dict(zip(tables, given, strict=True))), {}),
        program=write_program(tree),
        naive_program=write_program(tree, is_naive=True) if is_lagged else None,
        origin="composed",
    )


def _indexed(frames: Mapping[str, Any]) -> dict[str, Any]:
    keys = ["datetime", "instrument"]
    return {name: frame.set_index(keys).sort_index() for name, frame in frames.items()}


def compose(seed: int, count: int, frames: Mapping[str, Any]) -> Iterator[tuple[Formula, Any]]:
    """Compose formulas of a seed over flat tables, with their values, in the order found."""
    rng = np.random.default_rng([seed, 0xF0])
    trial = Trial(frames)
    kinds = list(_KINDS)
    made = 0
    while made < count:
        if not kinds:
            raise InputError(f"Seed {seed} gives {made} formulas, not {count}; ask for fewer.")
        category, depth = kinds.pop(0)
        for _ in range(_TRIES):
            tree = _draw_tree(rng, category, depth)
            if tree is not None and (values := trial.values_of(tree, seed)) is not None:
                yield as_formula(tree, category, is_lagged=trial.is_lagged(tree, values)), values
                kinds.append((category, depth))
                made += 1
                break


class Trial:
    """The market for evaluating trees, once as it is and once with slightly larger units."""

    def __init__(self, frames: Mapping[str, Any]) -> None:
        self.frames = _indexed(frames)
        self.nudged = {name: frame.copy() for name, frame in self.frames.items()}
        units = sorted({column["unit"] for column in COLUMNS.values()})
        for name, column in COLUMNS.items():
            table, _, key = name.partition(".")
            self.nudged[table][key] *= 1 + _NUDGE * (1 + units.index(column["unit"]))
        self.seen: set[bytes] = set()

    def values_of(self, tree: Node, seed: int) -> Any:
        """Values of a tree if it is suitable as an item, otherwise None."""
        if not is_of_round(write_latex(tree), seed):
            return None
        known: dict[Node, Any] = {}
        values = evaluate(tree, self.frames, known)
        if not _tells(values):
            return None
        # The values depend on units only by sign.
        numbers = np.array([float(f"{value:.6g}") for value in values.to_numpy(float)])
        mark = hashlib.sha256(numbers.tobytes()).digest()
        if mark in self.seen:
            return None
        if any(_same(values, evaluate(other, self.frames, known)) for other in simpler(tree)):
            return None
        if not _same(values, evaluate(tree, self.nudged, {}), _MAX_UNSTABLE):
            return None
        text = " ".join([CONVENTIONS, *symbols(tree).values()])
        left_open = (name for name, reading in READINGS.items() if reading["words"] not in text)
        if any(self.is_changed_by(name, tree, values) for name in left_open):
            return None
        self.seen.add(mark)
        return values

    def is_changed_by(self, reading: str, tree: Node, values: Any) -> bool:
        """True if an interpretation in `READINGS` gives a tree other values than `values`."""
        frames, program = self.frames, write_program(tree)
        functions = READINGS[reading].get("functions", ())
        if functions and not any(f"def {name}(" in program for name in functions):
            return False
        if READINGS[reading].get("of_minutes"):
            kind = kind_of(tree)
            if kind is None or kind.frequency != "joined":
                return False
            times = frames["high_freq"].index
            days = pd.MultiIndex.from_arrays(
                [times.get_level_values(0).normalize(), times.get_level_values(1)]
            )
            frames = {
                name: frame if name == "high_freq" else frame[frame.index.isin(days)]
                for name, frame in frames.items()
            }
        return not _same(values, evaluate(tree, frames, {}, reading))

    def is_lagged(self, tree: Node, values: Any) -> bool:
        """True if a program that ignores the stock gives a tree other values than `values`."""
        return not _same(values, evaluate(tree, self.frames, {}, "naive"))


def _tells(values: Any) -> bool:
    """True if enough rows have values, all are finite, and they differ."""
    numbers = values.to_numpy(float)
    known = numbers[~np.isnan(numbers)]
    if len(known) < _MIN_KNOWN * len(numbers) or not np.isfinite(known).all():
        return False
    _, counts = np.unique(known, return_counts=True)
    return bool(counts.max() <= _MAX_ALIKE * len(numbers))


def _same(values: Any, others: Any, spare: float = 0.0) -> bool:
    """True if two series agree except in a share of rows."""
    one, other = values.to_numpy(float), others.reindex(values.index).to_numpy(float)
    scale = np.nanmedian(np.abs(one))
    near = np.isclose(one, other, rtol=_NEAR, atol=_NEAR * scale, equal_nan=True)
    return bool((~near).mean() <= spare)


def _draw_tree(rng: np.random.Generator, category: str, depth: int) -> Node | None:
    """Draw a tree of a category and depth; None if the draw failed."""
    tables = {"price-volume": ("daily_pv",), "minute": ("high_freq",)}.get(category, ())
    frequency = "joined" if category in ("minute", "joined") else "day"
    tree = _draw(rng, frequency, depth, tables)
    if tree is None or tree.depth != depth:
        return None
    used = {column.partition(".")[0] for column in columns_of(tree)}
    if (tables and used != set(tables)) or (category == "fundamental" and "daily_f" not in used):
        return None
    if category == "joined" and not used & {"daily_pv", "daily_f"}:
        return None
    return canonical(tree, OPERATORS)


def _draw(
    rng: np.random.Generator, frequency: str, depth: int, tables: tuple[str, ...]
) -> Node | None:
    """Draw a tree of a frequency, at most `depth` deep, over columns of given tables or all."""
    if depth == 0:
        names = columns_giving(frequency, tables)
        return Node(names[rng.integers(len(names))]) if names else None
    operators = operators_giving(frequency)
    name, choices = operators[rng.integers(len(operators))]
    chosen = choices[rng.integers(len(choices))]
    deepest = int(rng.integers(len(chosen)))
    args = []
    for place, wanted in enumerate(chosen):
        below = depth - 1 if place == deepest else int(rng.integers(min(depth, 2)))
        arg = _draw(rng, wanted, max(below, int(wanted == "joined")), tables)
        if arg is None:
            return None
        args.append(arg)
    low, high = OPERATORS[name].get("number", (0, 0))
    high = min(high, _JOINED_DAYS) if frequency == "joined" else high
    node = Node(name, tuple(args), int(rng.integers(low, high + 1)) if high else 0)
    return node if kind_of(node) is not None else None
