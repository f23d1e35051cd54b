"""Networks composed from a seed: read in one way, computed as loops do, and of this round alone."""

import re
from functools import cache
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.servers.scripted import Ask, Reply, answer, slot
from tests.tasks.implementation.item_rounds import contest, needs_neural, round_of
from tests.tasks.implementation.loops import networks as loops
from tests.tasks.implementation.loops.reading import read_lines

from vivavoce.errors import InputError
from vivavoce.rounds import Round
from vivavoce.tasks.implementation.items import composed_networks
from vivavoce.tasks.implementation.items.architecture import draw_case, gold_layers
from vivavoce.tasks.implementation.items.composed_grammar import CLASSES, Node, canonical
from vivavoce.tasks.implementation.items.composed_networks import (
    EQUATIONS,
    OPERATORS,
    WORDS,
    Trial,
    as_architecture,
    compose_networks,
    width_of,
    write_latex,
    write_module,
    write_text,
)

pytestmark = needs_neural
X = Node("x")
WIDE = Node("linear", (X,), 5)


def grown(rng: Random, steps: int) -> Node:
    """Any tree of one width that the grammar allows, grown from the features upwards."""
    tree = Node(rng.choice(["linear", "sum"]), (X,))
    tree = Node(tree.name, (X,), 4 if tree.name == "linear" else 0)
    while steps:
        name = rng.choice(list(OPERATORS))
        numbers = OPERATORS[name].get("number")
        number = rng.randint(3, 9) if numbers == "width" else rng.randint(*(numbers or (0, 0)))
        args = [tree, *(rng.choice([X, tree, *tree.args]) for _ in range(slots_of(name) - 1))]
        rng.shuffle(args)
        node = Node(name, tuple(args), number)
        if width_of(node) is not None:
            tree, steps = node, steps - 1
    return tree


def slots_of(name: str) -> int:
    return len(set(re.findall(r"<[abc]>", OPERATORS[name]["text"])))


TREES = st.builds(grown, st.randoms(use_true_random=False), st.integers(1, 7))


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(TREES)
def test_words_and_equations_have_one_reading_which_is_the_network(tree: Node) -> None:
    assert read_lines(write_text(tree), WORDS) == [tree]
    assert read_lines(write_latex(tree), EQUATIONS) == [tree]
    assert read_lines(write_text(tree).replace(" is ", " may be ", 1), WORDS) != [tree]


def one_of_each() -> dict[str, Node]:
    """A network for each operator, after a linear map."""
    made = {}
    for name, operator in OPERATORS.items():
        args = (WIDE, Node("tangent", (WIDE,)), Node("sum", (WIDE,)))[: slots_of(name)]
        numbers = operator.get("number", [0])
        made[name] = Node(name, args, 6 if numbers == "width" else numbers[0])
    return made


@pytest.mark.parametrize("name", OPERATORS)
def test_operators_compute_what_loops_do(name: str) -> None:
    assert_equals_loops(one_of_each()[name], seed=3)


def assert_equals_loops(tree: Node, seed: int) -> None:
    """Compare the gold output of both tracks with loops."""
    item = as_architecture(tree)
    weights, *inputs = draw_case(item, seed)
    lists = {key: value.astype(float).tolist() for key, value in weights.items()}
    keys = {part: key for part, key, _ in composed_networks._named(tree)}
    for drawn in inputs:
        x = drawn["x"].astype(float).tolist()
        graph = loops.Graph(drawn["edge_index"], drawn["edge_weight"], len(x))
        assert not graph.into[0]  # a node that nothing leads to
        expected = loops.compute(tree, x, graph, lists, keys)
        found = gold_layers(item, drawn, weights)
        last = found[max(found)]
        np.testing.assert_allclose(last, expected, rtol=1e-6, atol=1e-6)


@pytest.mark.slow
def test_whole_networks_compute_what_loops_do() -> None:
    for item in compose_networks(5, 4):
        (tree,) = read_lines(item.description, WORDS)
        assert_equals_loops(tree, seed=5)


def rounds_of(tree: Node) -> list[int]:
    """Seeds of the classes of rounds that take a network."""
    return [seed for seed in range(CLASSES) if Trial(seed).is_fit(tree)]


@pytest.mark.parametrize(
    ("tree", "why"),
    [
        (Node("rectifier", (Node("rectifier", (WIDE,)),)), "rectified once"),
        (Node("rectifier", (Node("logistic", (WIDE,)),)), "the logistic function"),
        (Node("centred", (Node("centred", (WIDE,)),)), "centred once"),
        (Node("looped_maximum", (Node("larger", (X, X)),)), "the maximum"),
        (Node("variance", (Node("mixture", (X, X), 3),)), "the variance"),
        (Node("addition", (X, WIDE)), "not allowed"),
    ],
)
def test_degenerate_networks_are_left_out(tree: Node, why: str) -> None:
    assert width_of(tree) is None or not rounds_of(canonical(tree, OPERATORS)), why


def test_a_network_belongs_to_one_round_of_97_and_comes_once() -> None:
    tree = Node("tangent", (Node("mean", (WIDE,)),))
    [seed] = rounds_of(tree)
    trial = Trial(seed)
    assert trial.is_fit(tree)
    assert not trial.is_fit(tree)  # it was there before


@pytest.mark.slow
def test_rounds_share_no_network_and_a_seed_gives_the_same_again() -> None:
    first, other, again = (
        [item.reference for item in compose_networks(seed, 2)] for seed in (1, 2, 1)
    )
    assert not set(first) & set(other)
    assert again == first
    assert len(set(first)) == 2


def test_a_seed_that_has_no_more_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(composed_networks, "_TRIES", 1)
    with pytest.raises(InputError, match=r"Seed 4 gives 0 networks, not 3; ask for fewer"):
        list(compose_networks(4, 3))


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Round:
    return round_of(tmp_path_factory.mktemp("networks"), seed=21, composed_architectures=6)


@pytest.mark.slow
def test_a_round_of_composed_networks_has_all_difficulties(opened: Round) -> None:
    rows = opened.items("implementation", "architecture")
    assert sorted(row["difficulty"] for row in rows) == sorted(["easy", "medium", "hard"] * 2)
    assert len({row["cluster"] for row in rows}) == 6
    for row in rows:
        (tree,) = read_lines(row["description"], WORDS)
        assert read_lines(row["formulation"], EQUATIONS) == [tree]
        assert row["reference"] == write_module(tree)
        sentences = re.findall(r"(Quantity \d+|The output) is ", row["description"])
        assert [layer.capitalize() for layer in row["layers"]] == sentences


def right_share(tree: Node, wrong: Node) -> float:
    """Share of lines of a text that do not depend on the operator in which two networks differ."""
    (parts, others) = (
        [part for part, _, _ in composed_networks._named(each)] for each in (tree, wrong)
    )
    return sum(one == other for one, other in zip(parts, others, strict=True)) / len(parts)


@cache
def reader_of_means(prompt: str) -> str:
    """A module of a reader who knows every word but for sums, which it takes for means."""
    (tree,) = read_lines(slot(prompt, "description"), WORDS)
    return f"```python\n{write_module(mistaken_sums(tree))}```"


def mistaken_sums(tree: Node) -> Node:
    names = {"sum": "mean", "looped_sum": "looped_mean", "weighted_sum": "weighted_mean"}
    names["outgoing_sum"] = "outgoing_mean"
    args = tuple(mistaken_sums(arg) for arg in tree.args)
    return Node(names.get(tree.name, tree.name), args, tree.number)


@pytest.mark.slow
@pytest.mark.sandbox
def test_a_reader_of_known_skill_is_right_up_to_its_first_mistake(
    opened: Round, tmp_path: Path
) -> None:
    def script(ask: Ask) -> Reply:
        return answer(reader_of_means(ask.prompt))

    rows = contest("architecture", opened, tmp_path, script)
    found = {row["item"]: row for row in rows}
    shares = set()
    for row in opened.items("implementation", "architecture"):
        (tree,) = read_lines(row["description"], WORDS)
        share = right_share(tree, mistaken_sums(tree))
        shares.add(share)
        assert found[row["id"]]["match"] == pytest.approx(share), row["description"]
        assert found[row["id"]]["output"] == float(share == 1)
    assert 1.0 in shares
    assert min(shares) < 1
