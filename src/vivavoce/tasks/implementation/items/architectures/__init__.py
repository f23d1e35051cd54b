"""Ground truths of the architectures from torch-geometric, and random graphs and molecules.

A truth returns all layers in order, from an architecture's arguments, inputs and weights.
"""

import importlib
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

import numpy as np
import numpy.typing as npt

from vivavoce.errors import InputError, MissingExtra

Array = npt.NDArray[Any]
Arrays = Mapping[str, Array]
Arguments = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a module inside a network."""

    given: Any
    gave: Any


def import_geometric() -> tuple[Any, Any]:
    """Import torch and `torch_geometric.nn`; `MissingExtra` if they are not installed."""
    try:
        with warnings.catch_warnings():
            # on import, torch-geometric scripts some classes, which torch deprecates
            warnings.simplefilter("ignore", DeprecationWarning)
            return importlib.import_module("torch"), importlib.import_module("torch_geometric.nn")
    except ModuleNotFoundError as error:
        raise MissingExtra(
            "torch-geometric", "neural", "The ground truth of architectures"
        ) from error


def record(
    module: Any, weights: Arrays, inputs: Sequence[Array], renames: Mapping[str, str]
) -> tuple[Array, dict[str, list[Call]]]:
    """Run a torch module in evaluation mode; return its result, and calls of its parts by name.

    `renames` maps prefixes of our keys to those of the module.
    """
    import torch

    state = {_rename(key, renames): torch.from_numpy(value) for key, value in weights.items()}
    unset = {name for name, _ in module.named_parameters()} - set(state)
    if unset:
        raise InputError(f"No weights for the parameters {', '.join(sorted(unset))}.")
    if module.load_state_dict(state, strict=False).unexpected_keys:
        raise InputError(f"{type(module).__name__} has no parameters {sorted(state)}.")
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


def antisymmetric(arguments: Arguments, inputs: Arrays, weights: Arrays) -> list[Array]:
    """Convolution, change and state at each step of a differential equation."""
    _, nn = import_geometric()
    sizes = dict(arguments)
    model = nn.AntiSymmetricConv(sizes.pop("channels"), **sizes)
    given = [inputs["x"], inputs["edge_index"]]
    out, calls = record(model, weights, given, {"phi.": "phi.lin."})
    states = [*(call.given[0] for call in calls["phi"][1:]), out]
    steps = zip(calls["phi"], calls["act"], states, strict=True)
    return [layer for phi, act, state in steps for layer in (phi.gave, act.gave, state)]


def dirgnn(arguments: Arguments, inputs: Arrays, weights: Arrays) -> list[Array]:
    """Means and linear layers of both directions, of the node itself, and the output."""
    _, nn = import_geometric()
    sizes = (arguments["in_channels"], arguments["out_channels"])
    model = nn.DirGNNConv(nn.SAGEConv(*sizes, root_weight=False), alpha=arguments["alpha"])
    renames = {"conv_in.": "conv_in.lin_l.", "conv_out.": "conv_out.lin_l."}
    out, calls = record(model, weights, [inputs["x"], inputs["edge_index"]], renames)
    into, out_of = calls["conv_in.lin_l"][0], calls["conv_out.lin_l"][0]
    own = calls["lin"][0].gave
    return [into.given[0], into.gave, out_of.given[0], out_of.gave, own, out]


def gpsconv(arguments: Arguments, inputs: Arrays, weights: Arrays) -> list[Array]:
    """Convolution, attention, the perceptron over both, and the steps after each."""
    _, nn = import_geometric()
    size = arguments["channels"]
    model = nn.GPSConv(size, nn.GCNConv(size, size), heads=arguments["heads"])
    renames = {
        "conv.weight": "conv.lin.weight",
        "mlp.2.": "mlp.3.",
        "norm1.": "norm1.module.",
        "norm2.": "norm2.module.",
        "norm3.": "norm3.module.",
    }
    out, calls = record(model, weights, [inputs["x"], inputs["edge_index"]], renames)
    attention = calls["attn"][0].gave[0][0]
    near, local, everywhere, hidden = (
        calls[part][0].gave for part in ("conv", "norm1", "norm2", "mlp")
    )
    return [near, local, attention, everywhere, hidden, out]


def linkx(arguments: Arguments, inputs: Arrays, weights: Arrays) -> list[Array]:
    """Embeddings of links and features, their mixtures, and input and output of the last layer."""
    _, nn = import_geometric()
    model = nn.LINKX(**arguments, num_layers=1)
    renames = {
        "edges.": "edge_lin.",
        "nodes.": "node_mlp.lins.0.",
        "mix_edges.": "cat_lin1.",
        "mix_nodes.": "cat_lin2.",
        "final.": "final_mlp.lins.0.",
    }
    out, calls = record(model, weights, [inputs["x"], inputs["edge_index"]], renames)
    parts = ("edge_lin", "cat_lin1", "node_mlp", "cat_lin2")
    return [*(calls[part][0].gave for part in parts), calls["final_mlp"][0].given[0], out]


def pmlp(arguments: Arguments, inputs: Arrays, weights: Arrays) -> list[Array]:
    """Outputs of each layer: product, mean over neighbours and, except in the last, norm."""
    _, nn = import_geometric()
    model = nn.PMLP(**arguments)
    out, calls = record(model, weights, [inputs["x"], inputs["edge_index"]], {})
    layers = []
    for i, call in enumerate(calls["conv"]):
        layers += [call.given[0], call.gave]
        if i < len(calls["norm"]):
            layers.append(calls["norm"][i].gave)
    return [*layers, out]


def visnet(arguments: Arguments, inputs: Arrays, weights: Arrays) -> list[Array]:
    """Embeddings, changes by each message-passing layer, gated blocks, and the sum per molecule."""
    _, nn = import_geometric()
    model = nn.ViSNet(**arguments)
    count = arguments["num_layers"]
    module: Any = importlib.import_module("torch_geometric.nn.models.visnet")
    original, module.radius_graph = module.radius_graph, _radius_graph
    try:
        given = [inputs["z"], inputs["pos"], inputs["batch"]]
        (out, _), calls = record(model, weights, given, _visnet_renames(count))
    finally:
        module.radius_graph = original
    parts = ("embedding", "distance_expansion", "neighbor_embedding", "edge_embedding")
    layers = [calls[f"representation_model.{part}"][0].gave for part in parts]
    steps = [calls[f"representation_model.vis_mp_layers.{i}"][0] for i in range(count)]
    for step, following in zip_longest(steps, steps[1:]):
        layers += step.gave[:2]
        if following is not None:
            layers.append(following.given[4])
    for part in ("representation_model", *(f"output_model.output_network.{i}" for i in range(2))):
        layers += calls[part][0].gave
    return [*layers, out]


def _radius_graph(pos: Any, r: float, batch: Any, loop: bool, **_: object) -> Any:
    """Pairs closer than r within a molecule, sorted by target, then source.

    torch-geometric's version needs pyg-lib. Its limit on neighbours is not reached by small
    molecules.
    """
    import torch

    distance = (pos.unsqueeze(1) - pos.unsqueeze(0)).norm(dim=-1)
    near = (distance < r) & (batch.unsqueeze(1) == batch.unsqueeze(0))
    if not loop:
        near.fill_diagonal_(False)
    return torch.stack(near.nonzero().unbind(1)[::-1])


def _visnet_renames(layers: int) -> dict[str, str]:
    projections = ("vec", "q", "k", "v", "dk", "dv", "s", "f", "w_src", "w_trg", "o")
    return {
        "embedding.": "representation_model.embedding.",
        "neighbors.distance.": "representation_model.neighbor_embedding.distance_proj.",
        "neighbors.": "representation_model.neighbor_embedding.",
        "edges.": "representation_model.edge_embedding.edge_proj.",
        **{
            f"layers.{i}.{name}.": f"representation_model.vis_mp_layers.{i}.{name}_proj."
            for i in range(layers)
            for name in projections
        },
        "layers.": "representation_model.vis_mp_layers.",
        "norm.": "representation_model.out_norm.",
        **{
            f"output.{i}.{layer}.": f"output_model.output_network.{i}.{printed}."
            for i in range(2)
            for layer, printed in (
                ("vec1", "vec1_proj"),
                ("vec2", "vec2_proj"),
                ("update", "update_net"),
            )
        },
        "atoms.": "prior_model.atomref.",
    }


def draw_graph(
    generator: np.random.Generator, *, nodes: int, features: int, edges: int
) -> dict[str, Array]:
    """Draw node features and distinct directed edges without loops.

    `x` has the shape (nodes, features), `edge_index` (2, edges): from the first row to the second.
    """
    drawn = generator.choice(nodes * (nodes - 1), size=edges, replace=False)
    source, rest = np.divmod(drawn, nodes - 1)
    target = rest + (rest >= source)
    return {
        "x": generator.standard_normal((nodes, features)).astype(np.float32),
        "edge_index": np.stack([source, target]).astype(np.int64),
    }


def draw_molecules(
    generator: np.random.Generator, *, sizes: Sequence[int], kinds: int
) -> dict[str, Array]:
    """Draw molecules of given sizes; positions are within 6 units, kinds from 1 to `kinds` - 1.

    `z` and `batch` have the shape (atoms,), `pos` (atoms, 3).
    """
    atoms = sum(sizes)
    return {
        "z": generator.integers(1, kinds, atoms).astype(np.int64),
        "pos": generator.uniform(0, 6, (atoms, 3)).astype(np.float32),
        "batch": np.repeat(np.arange(len(sizes)), sizes).astype(np.int64),
    }


def _arrays(values: Any) -> Any:
    """Copies, since later layers may work in place."""
    if isinstance(values, list | tuple):
        return tuple(_arrays(value) for value in values)
    return None if values is None else values.detach().clone().numpy()


def _rename(key: str, renames: Mapping[str, str]) -> str:
    for old, new in renames.items():
        if key.startswith(old):
            return new + key.removeprefix(old)
    return key
