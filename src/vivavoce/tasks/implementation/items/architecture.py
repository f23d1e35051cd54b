"""An architecture to implement: its description, reference, ground truth and test cases.

torch-geometric is the ground truth. It gets the same inputs and weights as the candidate, drawn
from one seed, and its layers are recorded while it runs.
"""

import json
import math
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, partial
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field
from pydantic.dataclasses import dataclass
from safetensors.numpy import save

from vivavoce.errors import InputError
from vivavoce.metrics.architecture import ABSOLUTE, RELATIVE
from vivavoce.tasks.implementation.items import (
    FIELDS,
    Text,
    architectures,
    find_function,
    own_folders,
    read_items,
    source_of,
    unfold,
)
from vivavoce.tasks.implementation.items.architectures import (
    Array,
    Arrays,
    import_geometric,
    record,
)

Difficulty = Literal["easy", "medium", "hard"]
Category = Literal["graph", "molecule"]

_WEIGHTS, _MAIN, _UNSEEN = range(3)
"""Random streams of weights and inputs."""
_DECIMALS = 6


@dataclass(frozen=True, slots=True, config=FIELDS)
class Architecture:
    """A network over a graph or over molecules."""

    name: Text
    category: Category
    difficulty: Difficulty
    description: Text
    formulation: Text
    """LaTeX."""
    variables: Annotated[Mapping[str, str], Field(min_length=1)]
    """Symbol -> meaning."""
    constructor: Text
    """Signature of the requested class `Model`."""
    arguments: Mapping[str, int | float]
    """Arguments of `Model`'s constructor, by name."""
    inputs: Annotated[Mapping[str, str], Field(min_length=1)]
    """Arguments of `forward`, in order -> meaning."""
    parameters: Mapping[str, tuple[int, ...]]
    """Key of the state dict -> shape."""
    layers: Annotated[tuple[str, ...], Field(min_length=1)]
    """Meaning of layer_00, layer_01, ...: the tensors `forward` returns, in order."""
    reference: Text
    """Source of a module with the class `Model`, on torch alone."""
    truth: Callable[[Arrays, Arrays], list[Array]]
    """Computes the layers with torch-geometric, from inputs and weights."""
    main: Callable[[np.random.Generator], dict[str, Array]]
    """Draws the inputs of the main track."""
    unseen: Callable[[np.random.Generator], dict[str, Array]]
    """Draws inputs of other sizes, for the same weights."""

    def settings(self) -> str:
        """The driver's settings.json."""
        return json.dumps({"arguments": dict(self.arguments), "inputs": list(self.inputs)})


@cache
def list_architectures(folder: Path | None = None) -> dict[str, Architecture]:
    """All architectures of the package and of `architectures/` in a user's folder, by name."""
    folders = [*architectures.__path__, *own_folders("architectures", folder)]
    return read_items("architecture", folders, ".toml", _read)


def _read(path: Path) -> Iterator[Architecture]:
    given = tomllib.loads(path.read_text("utf-8"))
    given |= {key: unfold(given.get(key, "")) for key in ("description", "formulation")}
    draw = given.pop("draw")
    truth = find_function(architectures.__name__, given.pop("truth"), path.parent)
    drawn = find_function(architectures.__name__, draw["function"], path.parent)
    yield Architecture(
        truth=partial(truth, given.get("arguments")),
        main=partial(drawn, **draw["main"]),
        unseen=partial(drawn, **draw["unseen"]),
        **given,
    )


def build_case(architecture: Architecture, seed: int) -> dict[str, bytes]:
    """Make a candidate's inputs and weights, and the gold layers, as safetensors bytes by name.

    `MissingExtra` without torch-geometric, `InputError` if the number of layers is not as stated.
    """
    weights, inputs, unseen = draw_case(architecture, seed)
    return {
        "weights": _saved(weights),
        "inputs": _saved(inputs),
        "gold": save(gold_layers(architecture, inputs, weights)),
        "unseen_inputs": _saved(unseen),
        "unseen_gold": save(gold_layers(architecture, unseen, weights)),
    }


def _saved(arrays: Arrays) -> bytes:
    """Arrays as safetensors, which assumes row-major order."""
    return save({name: np.ascontiguousarray(array) for name, array in arrays.items()})


def draw_case(
    architecture: Architecture, seed: int
) -> tuple[dict[str, Array], dict[str, Array], dict[str, Array]]:
    """Draw weights, inputs, and inputs of the unseen track: arrays by name, of various shapes."""
    return (
        draw_weights(architecture, seed),
        architecture.main(_generator(architecture, seed, _MAIN)),
        architecture.unseen(_generator(architecture, seed, _UNSEEN)),
    )


def gold_layers(architecture: Architecture, inputs: Arrays, weights: Arrays) -> dict[str, Array]:
    """Compute the layers with torch-geometric, in double precision and rounded to 6 decimals.

    The last digits depend on the processor; in double precision they are far below the rounding.
    """
    layers = in_double(architecture.truth, inputs, weights)
    if not isinstance(layers, list) or not all(isinstance(each, np.ndarray) for each in layers):
        raise InputError(f"The {source_of(architecture.truth)} does not return a list of arrays.")
    if len(layers) != len(architecture.layers):
        raise InputError(
            f"The {source_of(architecture.truth)} returns {len(layers)} layers, but the "
            f"architecture {architecture.name} has {len(architecture.layers)}."
        )
    reference = in_double(partial(_reference_layers, architecture), inputs, weights)
    if len(reference) != len(layers) or not all(map(_alike, layers, reference)):
        raise InputError(
            f"The reference of the architecture {architecture.name} returns other layers than the "
            f"{source_of(architecture.truth)}."
        )
    kept = {}
    for number, layer in enumerate(layers):
        if layer.dtype.kind == "f":
            # + 0.0, since -0.0 and 0.0 differ as bytes
            layer = (np.round(layer.astype(np.float64), _DECIMALS) + 0.0).astype(np.float32)
        kept[f"layer_{number:02}"] = np.ascontiguousarray(layer)
    return kept


def module_layers(
    source: str, arguments: Mapping[str, Any], names: Iterable[str], inputs: Arrays, weights: Arrays
) -> list[Array]:
    """Run `Model` from a module's source in this process; `names` lists its inputs in order."""
    namespace: dict[str, Any] = {}
    exec(source, namespace)
    model = namespace["Model"](**arguments)
    return list(record(model, weights, [inputs[name] for name in names], {})[0])


def _reference_layers(architecture: Architecture, inputs: Arrays, weights: Arrays) -> list[Array]:
    source, names = architecture.reference, architecture.inputs
    try:
        return module_layers(source, architecture.arguments, names, inputs, weights)
    except Exception as error:  # a user's code can raise anything
        raise InputError(
            f"The reference of the architecture {architecture.name} failed: "
            f"{type(error).__name__}: {error}."
        ) from error


def _alike(one: Array, other: Array) -> bool:
    return one.shape == other.shape and np.allclose(one, other, RELATIVE, ABSOLUTE, equal_nan=True)


def in_double(
    truth: Callable[[Arrays, Arrays], list[Array]], inputs: Arrays, weights: Arrays
) -> list[Array]:
    """Layers of a truth in double precision, as arrays of various shapes."""
    torch, _ = import_geometric()
    single = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        return truth(_doubles(inputs), _doubles(weights))
    finally:
        torch.set_default_dtype(single)


def driver_source() -> str:
    """Source of the program that runs a candidate inside the sandbox."""
    return Path(__file__).with_name("driver.py").read_text(encoding="utf-8")


def draw_weights(architecture: Architecture, seed: int) -> dict[str, Array]:
    """Draw all parameters in the order of their keys; variances are positive."""
    generator = _generator(architecture, seed, _WEIGHTS)
    return {
        key: draw_parameter(generator, key, shape) for key, shape in architecture.parameters.items()
    }


def _doubles(arrays: Arrays) -> dict[str, Array]:
    return {
        name: array.astype(np.float64) if array.dtype.kind == "f" else array
        for name, array in arrays.items()
    }


def _generator(architecture: Architecture, seed: int, stream: int) -> np.random.Generator:
    return np.random.default_rng([seed, stream, *architecture.name.encode()])


def draw_parameter(generator: np.random.Generator, key: str, shape: tuple[int, ...]) -> Array:
    """Draw one parameter; a variance is positive."""
    if key.endswith("running_var"):
        return generator.uniform(0.5, 1.5, shape).astype(np.float32)
    scale = 1 / math.sqrt(shape[-1]) if len(shape) > 1 else 0.5
    return (scale * generator.standard_normal(shape)).astype(np.float32)
