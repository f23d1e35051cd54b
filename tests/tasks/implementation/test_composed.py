"""Formulas composed from a seed: read in one way, computed as loops do, and of this round alone."""

import re
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.servers.scripted import Ask, Reply, answer, slot
from tests.tasks.implementation.item_rounds import contest, round_of
from tests.tasks.implementation.loops import composed as loops
from tests.tasks.implementation.loops.reading import read_expression, read_lines

from vivavoce.errors import InputError
from vivavoce.results.board.attempts import attempt_tables
from vivavoce.rounds import Round
from vivavoce.tasks.implementation.items import composed_formulas as composing
from vivavoce.tasks.implementation.items.composed_formulas import (
    Trial,
    compose,
    evaluate,
    write_program,
)
from vivavoce.tasks.implementation.items.composed_grammar import (
    CLASSES,
    COLUMNS,
    ENDINGS,
    LATEX,
    OPERATORS,
    WORDS,
    Node,
    canonical,
    kind_of,
    replaced,
    write_latex,
    write_text,
)
from vivavoce.tasks.implementation.items.formula import DICTIONARY, Formula
from vivavoce.tasks.implementation.items.market import TABLES, generate

CLOSE, OPEN, VWAP = (Node(f"daily_pv.${name}") for name in ("close", "open", "vwap"))
ROE = Node("daily_f.ROE")
BID, ASK, LAST = (Node(f"high_freq.{name}") for name in ("bid", "ask", "close"))
BID_SIZE, ASK_SIZE, VOLUME = (Node(f"high_freq.{name}") for name in ("bidV", "askV", "volume"))


@pytest.fixture(scope="module")
def frames() -> dict[str, pd.DataFrame]:
    return generate(11)


def grown(rng: Random, steps: int) -> Node:
    """Any tree that the grammar allows, grown from a column upwards."""
    tree = Node(rng.choice(list(COLUMNS)))
    while steps:
        name = rng.choice(list(OPERATORS))
        leaves = [Node(rng.choice(list(COLUMNS))) for _ in OPERATORS[name]["of"][1:]]
        args = [tree, *leaves]
        rng.shuffle(args)
        node = Node(name, tuple(args), rng.randint(*OPERATORS[name].get("number", (0, 0))))
        if kind_of(node) is not None:
            tree, steps = node, steps - 1
    return tree


def read_text(text: str) -> list[Node]:
    """Every tree that a formula's words can mean."""
    for ending in ENDINGS.values():
        text = text.removesuffix(ending).strip()
    return read_lines(text, WORDS)


def tree_of(formula: Formula) -> Node:
    """The tree that a formula's words mean."""
    (tree,) = read_text(formula.description)
    return tree


TREES = st.builds(grown, st.randoms(use_true_random=False), st.integers(1, 5))


def is_daily(tree: Node) -> bool:
    return (kind := kind_of(tree)) is not None and kind.frequency != "minute"


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(TREES)
def test_words_and_latex_have_one_reading_which_is_the_tree(tree: Node) -> None:
    tree = canonical(tree, OPERATORS)
    if is_daily(tree):
        assert read_text(write_text(tree)) == [tree]
    assert read_expression(write_latex(tree), LATEX) == [tree]
    assert read_expression(write_latex(tree) + " ", LATEX) == []


def one_of_each() -> dict[str, Node]:
    """A tree for each operator, over columns or what makes it telling."""
    step = Node("minute_change", (VOLUME,))
    spread = Node("change", (CLOSE,), 1)
    args: dict[str, tuple[Node, ...]] = {
        "choice": (CLOSE, OPEN, spread, Node("change", (OPEN,), 2)),
        "size": (spread,),
        "direction": (ROE,),
        "rank": (ROE,),
        "standardised": (Node("time_rank", (ROE,), 5),),
        "correlation": (CLOSE, ROE),
        "ratio": (OPEN, ROE),
        "minute_size": (step,),
        "minute_ratio": (LAST, BID_SIZE),
        "minute_return": (LAST,),
        "day_correlation": (Node("minute_ratio", (BID, ASK_SIZE)), VOLUME),
        "day_mean_above": (LAST, BID_SIZE, ASK_SIZE),
        "day_share_above": (BID_SIZE, VOLUME),
        "day_last": (Node("minute_ratio", (LAST, BID_SIZE)),),
    }
    usual = {1: ((CLOSE,), (VOLUME,)), 2: ((CLOSE, VWAP), (BID, ASK))}
    made = {}
    for name, operator in OPERATORS.items():
        minutes = operator["of"][0] == "minute"
        chosen = args.get(name) or usual[len(operator["of"])][minutes]
        made[name] = Node(name, chosen, operator.get("number", [0])[0])
    return made


def tables_of(
    frames: dict[str, pd.DataFrame], stocks: int, days: int
) -> tuple[dict[str, pd.DataFrame], dict[str, Any]]:
    """The tables of the first instruments, minutes of the last days, as frames and as dicts."""
    minutes = frames["high_freq"]
    names = sorted(minutes["instrument"].unique())[:stocks]
    recent = minutes["datetime"] >= sorted(minutes["datetime"].dt.normalize().unique())[-days]
    some = {**frames, "high_freq": minutes[recent]}
    some = {table: frame[frame["instrument"].isin(names)] for table, frame in some.items()}
    indexed = {t: f.set_index(["datetime", "instrument"]).sort_index() for t, f in some.items()}
    plain = {table: {str(c): frame[c].to_dict() for c in frame} for table, frame in indexed.items()}
    return indexed, plain


@pytest.fixture(scope="module")
def few_stocks(
    frames: dict[str, pd.DataFrame],
) -> tuple[dict[str, pd.DataFrame], dict[str, Any]]:
    return tables_of(frames, stocks=7, days=1)


@pytest.mark.parametrize("name", OPERATORS)
def test_operators_compute_what_loops_do(
    few_stocks: tuple[dict[str, pd.DataFrame], dict[str, Any]], name: str
) -> None:
    tree = one_of_each()[name]
    assert kind_of(tree) is not None
    indexed, plain = few_stocks
    expected = loops.compute(tree, plain)
    found = evaluate(tree, indexed, {})
    assert set(found.index) == set(expected)
    assert [expected[key] for key in found.index] == pytest.approx(
        found.tolist(), rel=1e-8, abs=1e-12, nan_ok=True
    )
    assert found.notna().sum() > 0


@pytest.mark.parametrize("name", OPERATORS)
def test_the_program_of_an_operator_calls_nothing_that_it_does_not_define(name: str) -> None:
    program = write_program(one_of_each()[name])
    defined = set(re.findall(r"def (\w+)\(", program))
    called = set(re.findall(r"(?<![.\w])(\w+)\(", program)) - {"def", "len", "range", "sum"}
    assert called - defined <= {"getattr"}


@pytest.mark.slow
def test_deep_trees_compute_what_loops_do(frames: dict[str, pd.DataFrame]) -> None:
    indexed, plain = tables_of(frames, stocks=5, days=10)
    for formula, _ in compose(5, 4, frames):
        values = evaluate(tree_of(formula), indexed, {})
        expected = loops.compute(tree_of(formula), plain)
        assert set(values.index) == set(expected)
        wanted = np.array([expected[key] for key in values.index])
        near = np.isclose(values, wanted, rtol=1e-6, atol=1e-9, equal_nan=True)
        assert near.mean() > 0.999, write_text(tree_of(formula))


@pytest.mark.parametrize(
    ("tree", "why"),
    [
        (Node("excess", (CLOSE, CLOSE)), "not allowed, and zero"),
        (Node("direction", (CLOSE,)), "constant"),
        (Node("size", (CLOSE,)), "the close itself"),
        (Node("rank", (Node("logarithm", (CLOSE,)),)), "the rank of the close"),
        (Node("larger", (CLOSE, Node("daily_pv.$low"))), "the close itself"),
        (Node("demean", (Node("demean", (CLOSE,)),)), "demeaned once"),
        (Node("ratio", (Node("rank", (CLOSE,)), Node("direction", (CLOSE,)))), "the rank"),
    ],
)
def test_idle_trees_are_left_out(frames: dict[str, pd.DataFrame], tree: Node, why: str) -> None:
    trial = Trial(frames)
    assert all(trial.values_of(tree, seed) is None for seed in range(CLASSES)), why


def test_a_tree_belongs_to_one_round_of_97_and_comes_once(frames: dict[str, pd.DataFrame]) -> None:
    tree = Node("ratio", (Node("mean", (CLOSE,), 7), VWAP))
    trial = Trial(frames)
    taken = [seed for seed in range(CLASSES) if trial.values_of(tree, seed) is not None]
    assert len(taken) == 1
    assert trial.values_of(tree, taken[0]) is None  # it was there before


@pytest.mark.slow
def test_rounds_share_no_formula_and_a_seed_gives_it_again(frames: dict[str, pd.DataFrame]) -> None:
    first, other, again = (
        [tree_of(formula) for formula, _ in compose(seed, 2, frames)] for seed in (1, 2, 1)
    )
    assert not set(first) & set(other)
    assert again == first


def test_a_seed_that_has_no_more_says_so(
    frames: dict[str, pd.DataFrame], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(composing, "_TRIES", 1)
    with pytest.raises(InputError, match=r"Seed 4 gives \d+ formulas, not 99; ask for fewer"):
        list(compose(4, 99, frames))


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Round:
    return round_of(tmp_path_factory.mktemp("composed"), seed=21, composed=4)


@pytest.mark.slow
def test_a_round_of_composed_formulas_tells_no_columns(opened: Round) -> None:
    rows = opened.items("implementation", "formula")
    assert len(rows) == 4
    assert {row["origin"] for row in rows} == {"composed"}
    assert {row["category"] for row in rows} == {"price-volume", "fundamental", "minute", "joined"}
    for row in rows:
        described = row["description"] + row["formulation"] + row["variables"]
        assert "$" not in described
        assert "parquet" not in described
        assert not any(table in described for table in TABLES)
        assert row["columns"]
    assert len({row["cluster"] for row in rows}) == 4


def failures(logs: Path) -> dict[str, tuple[float, dict[str, int]]]:
    """Skill and the stage where an answer failed, by item."""
    rows = attempt_tables(logs, resamples=0).items
    return {row["item"]: (row["mean"], row["stages"]) for row in rows if row["metric"] == "skill"}


def answered(prompt: str) -> str:
    """A program of a reader who knows neither columns nor the field but for what it is told."""
    (tree,) = read_text(slot(prompt, "description"))
    described = slot(prompt, "data")
    for name in sorted({node.name for node in tree.nodes() if node.is_leaf}):
        table, _, column = name.partition(".")
        if DICTIONARY[table]["columns"][column]["meaning"] not in described:
            other = next(one for one in COLUMNS if one.startswith(f"{table}.") and one != name)
            tree = replaced(tree, Node(name), Node(other))
    return f"```python\n{write_program(tree)}```"


@pytest.mark.slow
@pytest.mark.sandbox
def test_what_is_told_decides_what_a_reader_of_known_skill_reaches(
    opened: Round, tmp_path: Path
) -> None:
    def script(ask: Ask) -> Reply:
        return answer(answered(ask.prompt))

    reached: dict[str, dict[str, tuple[float, dict[str, int]]]] = {}
    for setting, asked in (("none", 1), ("base", 2)):
        options = {"settings": [setting], "subset": asked}
        contest("formula", opened, tmp_path / setting, script, **options)
        reached[setting] = failures(tmp_path / setting)
    assert list(reached["base"].values()) == [(1.0, {})] * 2
    assert [list(stages) for _, stages in reached["none"].values()] == [["data"]]
