"""An architecture to implement: its text as a model sees it, reference, ground truth and cases.

The ground truth is torch-geometric. It is given the same inputs and weights as the candidate,
drawn from one seed, and its layers are recorded while it runs.
"""

from __future__ import annotations

import importlib
import json
import math
import pkgutil
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from safetensors.numpy import save

from vivavoce.errors import InputError, MissingExtra

Difficulty = Literal["easy", "medium", "hard"]
Category = Literal["graph", "molecule"]
Array = npt.NDArray[Any]
Arrays = Mapping[str, Array]

_WEIGHTS, _MAIN, _UNSEEN = range(3)
"""What is drawn: each has a stream of its own."""
_DECIMALS = 6
"""Kept of a gold value."""


@dataclass(frozen=True, slots=True)
class Architecture:
    """One network over a graph or over molecules."""

    name: str
    category: Category
    """What it works on."""
    difficulty: Difficulty
    description: str
    formulation: str
    """LaTeX."""
    variables: Mapping[str, str]
    """Symbol -> meaning."""
    constructor: str
    """Signature of the class `Model` that is asked for."""
    arguments: Mapping[str, int | float]
    """What `Model` is constructed with, by name."""
    inputs: Mapping[str, str]
    """Arguments of `forward`, in order -> meaning."""
    parameters: Mapping[str, tuple[int, ...]]
    """Key of the state dict -> shape."""
    layers: tuple[str, ...]
    """What layer_00, layer_01, ... are: the tensors `forward` returns, in order."""
    reference: str
    """Source of a module with the class `Model`, on torch alone."""
    truth: Callable[[Arrays, Arrays], list[Array]]
    """The layers by torch-geometric, from inputs and weights."""
    main: Callable[[np.random.Generator], dict[str, Array]]
    """Draws the inputs of the main track."""
    unseen: Callable[[np.random.Generator], dict[str, Array]]
    """Draws inputs of other sizes for the same weights."""

    def settings(self) -> str:
        """The driver's settings.json."""
        return json.dumps({"arguments": dict(self.arguments), "inputs": list(self.inputs)})


@dataclass(frozen=True, slots=True)
class Case:
    """What a candidate is run on, and the layers it should give; each field is a file's bytes."""

    weights: bytes
    inputs: bytes
    gold: bytes
    unseen_inputs: bytes
    unseen_gold: bytes


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a module inside a network."""

    given: Any
    gave: Any


@cache
def list_architectures() -> dict[str, Architecture]:
    """Every one of `items/architectures/` by name, sorted; `InputError` when a name comes twice."""
    from vivavoce.tasks.implementation.items import architectures

    found: dict[str, Architecture] = {}
    for module in pkgutil.iter_modules(architectures.__path__):
        items = importlib.import_module(f"{architectures.__name__}.{module.name}").ARCHITECTURES
        for architecture in items:
            if architecture.name in found:
                raise InputError(f"Two architectures are called {architecture.name!r}.")
            found[architecture.name] = architecture
    return dict(sorted(found.items()))


def build_case(architecture: Architecture, seed: int) -> Case:
    """Inputs, weights and gold layers, as safetensors.

    Raises:
        MissingExtra: torch-geometric is not installed.
        InputError: The layers are not as many as the architecture names.
    """
    weights, inputs, unseen = draw_case(architecture, seed)
    return Case(
        weights=save(weights),
        inputs=save(inputs),
        gold=save(gold_layers(architecture, inputs, weights)),
        unseen_inputs=save(unseen),
        unseen_gold=save(gold_layers(architecture, unseen, weights)),
    )


def draw_case(
    architecture: Architecture, seed: int
) -> tuple[dict[str, Array], dict[str, Array], dict[str, Array]]:
    """Weights, inputs, and inputs of the unseen track: arrays by name, each of its own shape."""
    return (
        draw_weights(architecture, seed),
        architecture.main(_generator(architecture, seed, _MAIN)),
        architecture.unseen(_generator(architecture, seed, _UNSEEN)),
    )


def gold_layers(architecture: Architecture, inputs: Arrays, weights: Arrays) -> dict[str, Array]:
    """Each layer by torch-geometric, computed in double precision and kept to 6 decimals.

    The last digits of single precision depend on the processor. Those of double precision do too,
    but lie far below what is kept. `InputError` when an item has not as many layers as it says.
    """
    torch, _ = import_geometric()
    single = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        layers = architecture.truth(_doubles(inputs), _doubles(weights))
    finally:
        torch.set_default_dtype(single)
    if len(layers) != len(architecture.layers):
        raise InputError(
            f"The architecture {architecture.name} names {len(architecture.layers)} layers, and "
            f"its truth gives {len(layers)}."
        )
    return name_layers([_rounded(layer) for layer in layers])


def driver_source() -> str:
    """The program that runs a candidate inside the sandbox."""
    return Path(__file__).with_name("driver.py").read_text(encoding="utf-8")


def name_layers(layers: Sequence[Array]) -> dict[str, Array]:
    """Each layer under its name, layer_00, layer_01, ... in order."""
    return {f"layer_{i:02}": np.ascontiguousarray(layer) for i, layer in enumerate(layers)}


def draw_weights(architecture: Architecture, seed: int) -> dict[str, Array]:
    """Every parameter, in the order of its key; variances are positive."""
    generator = _generator(architecture, seed, _WEIGHTS)
    return {key: _draw(generator, key, shape) for key, shape in architecture.parameters.items()}


def draw_graph(
    generator: np.random.Generator, *, nodes: int, features: int, edges: int
) -> dict[str, Array]:
    """Node features and distinct directed edges without loops.

    `x` has the shape (nodes, features), `edge_index` (2, edges): from the first row to the second.
    """
    drawn = generator.choice(nodes * (nodes - 1), size=edges, replace=False)
    source, rest = np.divmod(drawn, nodes - 1)
    target = rest + (rest >= source)
    return {
        "x": generator.standard_normal((nodes, features)).astype(np.float32),
        "edge_index": np.stack([source, target]).astype(np.int64),
    }


def import_geometric() -> tuple[Any, Any]:
    """Torch and `torch_geometric.nn`; `MissingExtra` where they are not installed."""
    try:
        with warnings.catch_warnings():
            # torch-geometric scripts some classes while it is imported, which torch deprecates
            warnings.simplefilter("ignore", DeprecationWarning)
            return importlib.import_module("torch"), importlib.import_module("torch_geometric.nn")
    except ModuleNotFoundError as error:
        raise MissingExtra(
            "torch-geometric", "neural", "The ground truth of architectures"
        ) from error


def record(
    module: Any, weights: Arrays, inputs: Sequence[Array], renames: Mapping[str, str]
) -> tuple[Array, dict[str, list[Call]]]:
    """Run a torch module in evaluation mode: its result, and the calls of each part by name.

    Args:
        module: The network.
        weights: Its state, by our keys; buffers that are not among them keep their values.
        inputs: Arguments of its `forward`.
        renames: Prefix of our keys -> prefix of the module's keys; others stay as they are.

    Raises:
        InputError: The weights are not those that the module has.
    """
    import torch

    state = {_rename(key, renames): torch.from_numpy(value) for key, value in weights.items()}
    unset = {name for name, _ in module.named_parameters()} - set(state)
    if unset:
        raise InputError(f"No weights for the parameters {', '.join(sorted(unset))}.")
    if module.load_state_dict(state, strict=False).unexpected_keys:
        raise InputError(f"Weights that {type(module).__name__} does not have: {sorted(state)}.")
    calls: dict[str, list[Call]] = {}
    for name, part in module.named_modules():
        part.register_forward_hook(
            lambda _, given, gave, name=name: calls.setdefault(name, []).append(
                Call(_arrays(given), _arrays(gave))
            )
        )
    with torch.no_grad():
        module.eval()(*(torch.from_numpy(value) for value in inputs))
    return calls[""][0].gave, calls


def _arrays(values: Any) -> Any:
    """Copies, since a later layer may work in place."""
    if isinstance(values, tuple):
        return tuple(_arrays(value) for value in values)
    return None if values is None else values.detach().clone().numpy()


def _doubles(arrays: Arrays) -> dict[str, Array]:
    return {
        name: array.astype(np.float64) if array.dtype.kind == "f" else array
        for name, array in arrays.items()
    }


def _rounded(layer: Array) -> Array:
    if layer.dtype.kind != "f":
        return layer
    # + 0.0, since -0.0 and 0.0 are other bytes
    return (np.round(layer.astype(np.float64), _DECIMALS) + 0.0).astype(np.float32)


def _rename(key: str, renames: Mapping[str, str]) -> str:
    for ours, theirs in renames.items():
        if key.startswith(ours):
            return theirs + key.removeprefix(ours)
    return key


def _generator(architecture: Architecture, seed: int, stream: int) -> np.random.Generator:
    return np.random.default_rng([seed, stream, *architecture.name.encode()])


def _draw(generator: np.random.Generator, key: str, shape: tuple[int, ...]) -> Array:
    if key.endswith("running_var"):
        return generator.uniform(0.5, 1.5, shape).astype(np.float32)
    scale = 1 / math.sqrt(shape[-1]) if len(shape) > 1 else 0.5
    return (scale * generator.standard_normal(shape)).astype(np.float32)
