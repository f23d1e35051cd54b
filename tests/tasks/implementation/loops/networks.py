"""Operators of composed networks by plain loops over nodes and edges, without torch."""

import math
import statistics
from collections.abc import Callable, Sequence
from typing import Any

from vivavoce.tasks.implementation.items.composed_grammar import Node

Vector = list[float]
Rows = list[Vector]


class Graph:
    """A graph with weighted edges, as lists of neighbours."""

    def __init__(self, edge_index: Any, edge_weight: Any, count: int) -> None:
        self.count = count
        self.into: list[list[tuple[int, float]]] = [[] for _ in range(count)]
        self.out_of: list[list[int]] = [[] for _ in range(count)]
        for source, target, weight in zip(*edge_index.tolist(), edge_weight.tolist(), strict=True):
            self.into[target].append((source, weight))
            self.out_of[source].append(target)


def compute(
    tree: Node, x: Rows, graph: Graph, weights: dict[str, Any], keys: dict[Node, str]
) -> Rows:
    """Values of a tree; weights by key as lists, keys of the operators that have some."""
    if tree.is_leaf:
        return x
    args = [compute(arg, x, graph, weights, keys) for arg in tree.args]
    own = {
        key.removeprefix(f"{keys[tree]}."): value
        for key, value in weights.items()
        if key.startswith(f"{keys[tree]}.")
    }
    nodes = range(graph.count)
    if tree.name in EDGES:
        return [EDGES[tree.name](i, graph, own, *args) for i in nodes]
    if tree.name == "centred":
        (a,) = args
        means = [statistics.fmean(column) for column in zip(*a, strict=True)]
        return [[v - m for v, m in zip(row, means, strict=True)] for row in a]
    return [ROWS[tree.name](own, tree.number, *(arg[i] for arg in args)) for i in nodes]


def columns(rows: Sequence[Vector], how: Callable[[list[float]], float], width: int) -> Vector:
    """A figure of each channel; 0 where there are no rows."""
    if not rows:
        return [0.0] * width
    return [how(list(column)) for column in zip(*rows, strict=True)]


def over(how: Callable[[list[float]], float], where: str, with_own: bool = False) -> Callable:
    def gathered(i: int, graph: Graph, own: dict[str, Any], a: Rows) -> Vector:
        places = graph.out_of[i] if where == "out" else [j for j, _ in graph.into[i]]
        return columns([a[j] for j in places + [i] * with_own], how, len(a[0]))

    return gathered


def weighted(i: int, graph: Graph, own: dict[str, Any], a: Rows) -> Vector:
    return columns([[w * v for v in a[j]] for j, w in graph.into[i]], sum, len(a[0]))


def weighted_mean(i: int, graph: Graph, own: dict[str, Any], a: Rows) -> Vector:
    total = sum(w for _, w in graph.into[i])
    return [v / total if total else 0.0 for v in weighted(i, graph, own, a)]


def normalised(i: int, graph: Graph, own: dict[str, Any], a: Rows) -> Vector:
    degree = [1 + len(sources) for sources in graph.into]
    near = [j for j, _ in graph.into[i]] + [i]
    rows = [[v / math.sqrt(degree[i] * degree[j]) for v in a[j]] for j in near]
    return columns(rows, sum, len(a[0]))


def attention(with_own: bool) -> Callable[[int, Graph, dict[str, Any], Rows], Vector]:
    def attended(i: int, graph: Graph, own: dict[str, Any], a: Rows) -> Vector:
        near = [j for j, _ in graph.into[i]] + [i] * with_own
        scores = [leaky(dot(own["source"], a[j]) + dot(own["target"], a[i])) for j in near]
        total = sum(math.exp(score) for score in scores)
        shares = [math.exp(score) / total for score in scores]
        rows = [[share * v for v in a[j]] for share, j in zip(shares, near, strict=True)]
        return columns(rows, sum, len(a[0]))

    return attended


def difference(i: int, graph: Graph, own: dict[str, Any], a: Rows) -> Vector:
    rows = [[v - o for v, o in zip(a[j], a[i], strict=True)] for j, _ in graph.into[i]]
    return columns(rows, max, len(a[0]))


def gated(i: int, graph: Graph, own: dict[str, Any], a: Rows, b: Rows) -> Vector:
    rows = [[logistic(g) * v for v, g in zip(a[j], b[j], strict=True)] for j, _ in graph.into[i]]
    return columns(rows, sum, len(a[0]))


EDGES: dict[str, Callable[..., Vector]] = {
    "sum": over(sum, "in"),
    "mean": over(statistics.fmean, "in"),
    "maximum": over(max, "in"),
    "variance": over(statistics.pvariance, "in"),
    "looped_sum": over(sum, "in", with_own=True),
    "looped_mean": over(statistics.fmean, "in", with_own=True),
    "looped_maximum": over(max, "in", with_own=True),
    "outgoing_sum": over(sum, "out"),
    "outgoing_mean": over(statistics.fmean, "out"),
    "weighted_sum": weighted,
    "weighted_mean": weighted_mean,
    "normalised": normalised,
    "attention": attention(with_own=False),
    "looped_attention": attention(with_own=True),
    "difference": difference,
    "gated_sum": gated,
}
"""Of a node, from the graph, the operator's own weights, and what it is applied to."""


def dot(one: Vector, other: Vector) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))


def leaky(v: float) -> float:
    return v if v > 0 else 0.2 * v


def logistic(v: float) -> float:
    return 1 / (1 + math.exp(-v))


def affine(weight: Rows, bias: Vector, v: Vector) -> Vector:
    return [dot(row, v) + b for row, b in zip(weight, bias, strict=True)]


def perceptron(own: dict[str, Any], v: Vector) -> Vector:
    hidden = [max(h, 0.0) for h in affine(own["0.weight"], own["0.bias"], v)]
    return affine(own["2.weight"], own["2.bias"], hidden)


def layer_norm(own: dict[str, Any], v: Vector) -> Vector:
    mean, root = statistics.fmean(v), math.sqrt(statistics.pvariance(v) + 1e-5)
    pairs = zip(v, own["weight"], own["bias"], strict=True)
    return [(x - mean) / root * w + b for x, w, b in pairs]


def batch_norm(own: dict[str, Any], v: Vector) -> Vector:
    given = zip(
        v, *(own[k] for k in ("running_mean", "running_var", "weight", "bias")), strict=True
    )
    return [(x - mean) / math.sqrt(var + 1e-5) * w + b for x, mean, var, w, b in given]


def each(how: Callable[..., float]) -> Callable[..., Vector]:
    return lambda own, n, *args: [how(*values) for values in zip(*args, strict=True)]


ROWS: dict[str, Callable[..., Vector]] = {
    "linear": lambda own, n, a: affine(own["weight"], own["bias"], a),
    "perceptron": lambda own, n, a: perceptron(own, a),
    "layer_norm": lambda own, n, a: layer_norm(own, a),
    "batch_norm": lambda own, n, a: batch_norm(own, a),
    "unit_length": lambda own, n, a: [v / (math.hypot(*a) or 1.0) for v in a],
    "concatenation": lambda own, n, a, b: [*a, *b],
    "mixture": lambda own, n, a, b: [
        n / 10 * x + (1 - n / 10) * y for x, y in zip(a, b, strict=True)
    ],
    "addition": each(lambda a, b: a + b),
    "larger": each(max),
    "gate": each(lambda a, b, c: logistic(a) * b + (1 - logistic(a)) * c),
    "rectifier": each(lambda v: max(v, 0.0)),
    "leaky": each(leaky),
    "exponential": each(lambda v: v if v > 0 else math.exp(v) - 1),
    "tangent": each(math.tanh),
    "logistic": each(logistic),
}
"""Of a node's vectors, from the operator's own weights and number."""
