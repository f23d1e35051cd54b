"""Networks over graphs composed from a seed: layers of message passing grown by rules.

`composed_networks.toml` has operators, both notations, code and rules. Two rounds share no network
unless their seeds differ by a multiple of 97.
"""

from collections.abc import Iterator, Mapping
from functools import cache, partial
from typing import Any

import numpy as np

from vivavoce.errors import InputError
from vivavoce.metrics.architecture import ABSOLUTE, RELATIVE
from vivavoce.tasks.implementation.items.architecture import (
    Architecture,
    Difficulty,
    draw_parameter,
    in_double,
    module_layers,
)
from vivavoce.tasks.implementation.items.architectures import Array, draw_graph, import_geometric
from vivavoce.tasks.implementation.items.composed_grammar import (
    Node,
    Notation,
    canonical,
    digest,
    fill,
    functions_used,
    is_of_round,
    named_parts,
    shortened,
)
from vivavoce.text import read_data

_GRAMMAR = read_data(__file__, "composed_networks.toml")
OPERATORS: Mapping[str, Any] = _GRAMMAR["operators"]

_DIFFICULTIES: tuple[Difficulty, ...] = ("easy", "medium", "hard")
"""Difficulties by the number of layers."""
_FEATURES = 7
_ARGUMENTS = {"in_channels": _FEATURES}
_INPUTS = {
    "x": "features, (nodes, in_channels)",
    "edge_index": "edges, (2, edges): sources in the first row, targets in the second",
    "edge_weight": "weights of the edges in the same order, (edges,)",
}
_SYMBOLS = {
    "i": "a node; v_i, v_j stand for the vectors of nodes",
    "N(i)": "in-neighbours: the nodes j with an edge from j to i",
    "O(i)": "out-neighbours: the nodes j with an edge from i to j",
    "e_{ji}": "weight of the edge from j to i",
}
_NOTE = "Over no neighbours at all a sum, mean, variance, maximum, difference or attention is 0"
_MIN_SPREAD = 1e-2
"""Minimum deviation over nodes of the most variable channel of every layer."""
_MAX_SIZE = 1e3
_TELLING = 1e-2
"""Minimum difference from a simpler network in some value of the output."""
_TRIES = 20_000


def compose_networks(seed: int, count: int) -> Iterator[Architecture]:
    """Compose networks of a seed, in the order found."""
    if count:
        import_geometric()
    rng, trial = np.random.default_rng([seed, 0xA0]), Trial(seed)
    for made in range(count):
        layers = 1 + made % len(_DIFFICULTIES)
        drawn = (draw_network(rng, layers) for _ in range(_TRIES))
        tree = next((tree for tree in drawn if tree and trial.is_fit(tree)), None)
        if tree is None:
            raise InputError(f"Seed {seed} gives {made} networks, not {count}; ask for fewer.")
        yield as_architecture(tree, _DIFFICULTIES[layers - 1])


@cache
def width_of(node: Node) -> int | None:
    """Number of channels of a tree; None if the grammar does not allow it."""
    if node.is_leaf:
        return _FEATURES
    widths = [width for arg in node.args if (width := width_of(arg)) is not None]
    rule = OPERATORS[node.name]["width"]
    if len(widths) < len(node.args) or (rule == "same" and len(set(widths)) > 1):
        return None
    return {"same": widths[0], "sum": sum(widths), "number": node.number}[rule]


def draw_network(rng: np.random.Generator, layers: int) -> Node | None:
    """Draw a network with a number of layers; None if widths do not fit."""
    width, given = int(rng.integers(4, 9)), Node("x")
    state = first = given
    for layer in range(layers):
        grown = {"h": state, "x": given}
        _grow_steps(rng, "steps", grown, width)
        state = grown["state"]
        first = first if layer else state
    ends = {"first": first, "state": state}
    _grow_steps(rng, "join", ends, int(rng.integers(3, 7)))
    fits = width_of(ends["output"]) is not None
    return canonical(ends["output"], OPERATORS) if fits else None


def _grow_steps(rng: np.random.Generator, key: str, grown: dict[str, Node], width: int) -> None:
    for step in _GRAMMAR[key]:
        rule = step["rules"][rng.integers(len(step["rules"]))]
        grown[step["name"]] = _grow(rng, rule, grown, width)


def _grow(rng: np.random.Generator, rule: Any, grown: Mapping[str, Node], width: int) -> Node:
    if isinstance(rule, str):
        return grown[rule]
    name, *args = rule
    number = OPERATORS[name].get("number", 0)
    if isinstance(number, list):
        number = int(rng.integers(number[0], number[1] + 1))
    made = tuple(_grow(rng, arg, grown, width) for arg in args)
    return Node(name, made, width if number == "width" else number)


def _notation(kind: str, **marks: str) -> Notation:
    leaves, operators = _GRAMMAR["leaves"], OPERATORS
    words = [{name: given[kind] for name, given in each.items()} for each in (leaves, operators)]
    return Notation(words[0], words[1], **marks)


WORDS = _notation("text", whole="the output")
EQUATIONS = _notation("latex", part="H^{(<n>)}", whole="Y", equals="_i = ", end=r" \\")


def _is_leaf(node: Node) -> bool:
    return node.is_leaf


def write_text(tree: Node) -> str:
    """A network in words: its quantities, then the output."""
    return " ".join(WORDS.write_lines(tree, _is_leaf))


def write_latex(tree: Node) -> str:
    """A network as equations, one per line."""
    return "\n".join(EQUATIONS.write_lines(tree, _is_leaf))


def write_module(tree: Node) -> str:
    """Write a module with the class `Model`, using torch only."""
    named = _named(tree)
    keys = {part: key for part, key, _ in named}
    made = [
        f"        self.{key} = {module}\n" for part, key, _ in named if (module := _module(part))
    ]
    body = "".join(f"        {key} = {_code(part, keys)}\n" for part, key, _ in named)
    functions = functions_used(body, _GRAMMAR["helpers"])
    return (
        f"import torch\nfrom torch import nn\n\n\n{functions}class Model(nn.Module):\n"
        f"    def __init__(self, in_channels):\n        super().__init__()\n{''.join(made)}\n"
        f"    def forward(self, x, edge_index, edge_weight):\n        source, target = edge_index\n"
        f"        count = len(x)\n{body}        return [{', '.join(keys.values())}]\n"
    )


def _named(tree: Node) -> list[tuple[Node, str, str]]:
    """Parts with a line, each with its key in the module and its name in the text."""
    parts = named_parts(tree, _is_leaf)
    named = [(part, f"q{n}", f"quantity {n}") for n, part in enumerate(parts, 1)]
    return [*named, (tree, "output", "the output")]


def _code(part: Node, keys: Mapping[Node, str]) -> str:
    args = [keys.get(arg, arg.name) for arg in part.args]
    code = fill(OPERATORS[part.name]["code"], args, part.number)
    return code.replace("<m>", f"self.{keys[part]}")


def _module(part: Node) -> str:
    """Source of an operator's module; empty without one."""
    widths = [str(width_of(arg)) for arg in part.args]
    return fill(OPERATORS[part.name].get("module", ""), widths, part.number)


def as_architecture(tree: Node, difficulty: Difficulty = "easy") -> Architecture:
    """A network as an item."""
    named, reference = _named(tree), write_module(tree)
    used = [OPERATORS[name] for name in sorted({n.name for n in tree.nodes() if not n.is_leaf})]
    meanings = {
        fill(each["latex"], "vuw", "n"): each["meaning"] for each in used if "meaning" in each
    }
    learned = {f"{key}.": f"parameters of {name}" for part, key, name in named if _module(part)}
    return Architecture(
        name=f"network-{digest(write_latex(tree)).hex()[:10]}",
        category="graph",
        difficulty=difficulty,
        description=f"{write_text(tree)} {_NOTE}.",
        formulation=write_latex(tree),
        variables={**_SYMBOLS, **meanings, **learned},
        constructor="Model(in_channels: int)",
        arguments=_ARGUMENTS,
        inputs=_INPUTS,
        parameters=_shapes(reference),
        layers=tuple(name for _, _, name in named),
        reference=reference,
        truth=partial(module_layers, reference, _ARGUMENTS, _INPUTS),
        main=partial(draw_weighted_graph, nodes=24, edges=64),
        unseen=partial(draw_weighted_graph, nodes=33, edges=58),
    )


def _shapes(source: str) -> dict[str, tuple[int, ...]]:
    namespace: dict[str, Any] = {}
    exec(source, namespace)
    state = namespace["Model"](_FEATURES).state_dict()
    return {key: tuple(value.shape) for key, value in state.items() if value.dim()}


def draw_weighted_graph(
    generator: np.random.Generator, *, nodes: int, edges: int
) -> dict[str, Array]:
    """Draw a graph with `edge_weight` of shape (edges,), without edges to node 0."""
    graph = draw_graph(generator, nodes=nodes, features=_FEATURES, edges=edges)
    kept = graph["edge_index"][:, graph["edge_index"][1] != 0]
    weights = generator.uniform(0.2, 2.0, (kept.shape[1],)).astype(np.float32)
    return {"x": graph["x"], "edge_index": kept, "edge_weight": weights}


class Trial:
    """A graph to test networks of a seed; equal operators get equal weights."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.graph = draw_weighted_graph(np.random.default_rng([seed, 0xA1]), nodes=28, edges=70)
        self.seen: set[bytes] = set()

    def is_fit(self, tree: Node) -> bool:
        """True if a network is of the round, informative, stable, and unlike simpler ones."""
        if not is_of_round(write_latex(tree), self.seed):
            return False
        layers = self.layers_of(tree)
        if not all(map(_tells, layers)):
            return False
        # Single precision must give the same values.
        given = (write_module(tree), _ARGUMENTS, _INPUTS)
        single = module_layers(*given, self.graph, self._weights(tree))
        pairs = zip(layers, single, strict=True)
        if not all(np.allclose(*pair, rtol=RELATIVE / 4, atol=ABSOLUTE / 4) for pair in pairs):
            return False
        shorter = {other for _, _, other in shortened(tree) if width_of(other) == width_of(tree)}
        if any(_alike(layers[-1], self.layers_of(other)[-1], _TELLING) for other in shorter):
            return False
        mark = np.round(layers[-1], 4).tobytes()
        is_new = mark not in self.seen
        self.seen.add(mark)
        return is_new

    def layers_of(self, tree: Node) -> list[Array]:
        """Layers in double precision, of shape (nodes, channels)."""
        truth = partial(module_layers, write_module(tree), _ARGUMENTS, _INPUTS)
        return in_double(truth, self.graph, self._weights(tree))

    def _weights(self, tree: Node) -> dict[str, Array]:
        """Weights that depend only on the operator and its widths, not on its position."""
        modules = {key: _module(part) for part, key, _ in _named(tree)}
        drawn = {}
        for key, shape in _shapes(write_module(tree)).items():
            part, _, name = key.partition(".")
            stream = int.from_bytes(digest(f"{modules[part]} {name}")[:4], "big")
            drawn[key] = draw_parameter(np.random.default_rng([self.seed, stream]), key, shape)
        return drawn


def _tells(layer: Array) -> bool:
    """True if a layer's values are finite, of moderate size, and differ between nodes."""
    return bool(np.abs(layer).max() < _MAX_SIZE and layer.std(axis=0).max() > _MIN_SPREAD)


def _alike(one: Array, other: Array, margin: float) -> bool:
    return one.shape == other.shape and bool(np.abs(one - other).max() < margin)
