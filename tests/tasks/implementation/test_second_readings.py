"""Other usual readings of a formula give other values, and its text rules them out."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.tasks.implementation.test_composed import CLOSE, OPEN, ROE, VOLUME, one_of_each, tree_of

from vivavoce.tasks.implementation.items import composed_formulas as composing
from vivavoce.tasks.implementation.items.composed_formulas import READINGS, Trial, compose, evaluate
from vivavoce.tasks.implementation.items.composed_grammar import CLASSES, Node, symbols
from vivavoce.tasks.implementation.items.formula import CONVENTIONS, Formula, list_formulas
from vivavoce.tasks.implementation.items.market import generate

PAGE = Path(__file__).resolve().parents[3] / "docs" / "families" / "implementation.md"


@pytest.fixture(scope="module")
def frames() -> dict[str, pd.DataFrame]:
    return generate(11)


@pytest.fixture(scope="module")
def trial(frames: dict[str, pd.DataFrame]) -> Trial:
    return Trial(frames)


VOLUME_OF_DAY = Node("daily_pv.$volume")
RETURN = Node("minute_return", (Node("high_freq.close"),))
TREES = {
    **{name: [tree] for name, tree in one_of_each().items()},
    "rank": [Node("rank", (ROE,)), Node("rank", (Node("direction", (ROE,)),))],
    "ratio": [
        Node("ratio", (OPEN, Node("direction", (Node("change", (ROE,), 1),)))),
        Node("product", (Node("mean", (ROE,), 20), Node("day_mean", (VOLUME,)))),
    ],
    "day_mean": [Node("day_mean", (RETURN,))],
    "choice": [
        Node("choice", (CLOSE, OPEN, Node("lag", (CLOSE,), 9), OPEN)),
        Node("share_above", (ROE, Node("lag", (ROE,), 9)), 4),
    ],
}


@pytest.fixture(scope="module")
def evaluated(trial: Trial) -> list[tuple[Node, pd.Series]]:
    trees = [tree for group in TREES.values() for tree in group]
    return [(tree, evaluate(tree, trial.frames, {})) for tree in trees]


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")  # infinity less infinity
@pytest.mark.parametrize("name", READINGS)
def test_each_reading_changes_values_and_is_ruled_out_by_the_text(
    trial: Trial, evaluated: list[tuple[Node, pd.Series]], name: str
) -> None:
    changed = [tree for tree, values in evaluated if trial.is_changed_by(name, tree, values)]
    assert changed
    for tree in changed:
        assert READINGS[name]["words"] in " ".join([CONVENTIONS, *symbols(tree).values()])


def test_an_item_whose_text_leaves_a_reading_open_is_left_out(
    trial: Trial, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = Node("deviation", (VOLUME_OF_DAY,), 6)

    def is_taken() -> bool:
        trial.seen.clear()
        return any(trial.values_of(tree, seed) is not None for seed in range(CLASSES))

    assert is_taken()
    silent = CONVENTIONS.replace("divided by n - 1", "as usual")
    monkeypatch.setattr(composing, "CONVENTIONS", silent)
    assert not is_taken()
    monkeypatch.setattr(composing, "CONVENTIONS", CONVENTIONS.replace("ascends from 1", "ascends"))
    assert is_taken()  # this formula has no rank


# What another reader writes in a formula's program, and the words that rule it out.
FIXED = {
    "population": (r"\.std\(\)", ".std(ddof=0)", r"n - 1"),
    "short windows": (r"\.rolling\((\w+)\)", r".rolling(\1, min_periods=2)", r"full|until|missing"),
    "lowest of ties": (r"\.rank\(\)", ".rank(method='min')", r"mean of the places"),
    "places below": (r"\.rank\(pct=True\)", ".rank(pct=True, ascending=False)", r"ascending"),
    "nights": (
        r"(rows\[.close.\]\)\.groupby)\(own\(rows\)\)",
        r"\1(rows['instrument'])",
        r"first minute",
    ),
    "ranks correlated": (r"\.corr\((\w+)\)\.where", r".corr(\1.rank()).where", r"Pearson"),
}


def changed_values(formula: Formula, pattern: str, other: str, frames: dict[str, Any]) -> bool:
    """True where the program, written in another way, gives other values."""
    program = formula.program
    body = program[: program.index("\nvalues = ")]
    found = []
    for text in (body, re.sub(pattern, other, body)):
        names: dict[str, Any] = {}
        exec(compile(text, formula.name, "exec"), names)
        function = names[formula.program.rpartition("\nvalues = ")[2].partition("(")[0]]
        tables = (frames[name].copy() for name in formula.tables)
        found.append(function(*tables, **formula.parameters).to_numpy(float))
    return not np.allclose(*found, rtol=1e-5, equal_nan=True)


@pytest.mark.parametrize("reading", FIXED)
def test_the_text_of_a_fixed_formula_rules_out_how_else_it_is_read(
    frames: dict[str, pd.DataFrame], reading: str
) -> None:
    pattern, other, words = FIXED[reading]
    met = 0
    for formula in list_formulas().values():
        is_concerned = re.search(pattern, formula.program)
        if is_concerned and changed_values(formula, pattern, other, frames):
            met += 1
            assert re.search(words, f"{formula.description} {formula.corners}"), formula.name
    assert met


@pytest.mark.slow
def test_the_page_says_how_many_formulas_another_reading_changes(
    frames: dict[str, pd.DataFrame], trial: Trial
) -> None:
    made = list(compose(5, 24, frames))
    changed = sum(
        any(trial.is_changed_by(name, tree_of(formula), values) for name in READINGS)
        for formula, values in made
    )
    text = " ".join(PAGE.read_text("utf-8").split())
    assert f"of {len(made)} formulas (seed 5), {changed} have such a reading" in text
