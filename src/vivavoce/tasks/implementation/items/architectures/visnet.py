"""ViSNet: scalars and vectors of atoms that exchange messages, invariant under rotation.

Source: Wang et al., Enhancing Geometric Representations for Molecules with Equivariant
Vector-Scalar Interactive Message Passing (2024).
"""

from __future__ import annotations

import importlib
from functools import partial
from itertools import zip_longest
from typing import Any

import numpy as np

from vivavoce.tasks.implementation.architecture import (
    Architecture,
    Array,
    Arrays,
    import_geometric,
    record,
)

_HIDDEN, _HEADS, _LAYERS, _BASES, _KINDS, _CUTOFF = 16, 2, 3, 8, 20, 5.0
_ARGUMENTS = {
    "hidden_channels": _HIDDEN,
    "num_heads": _HEADS,
    "num_layers": _LAYERS,
    "num_rbf": _BASES,
    "max_z": _KINDS,
    "cutoff": _CUTOFF,
}

_REFERENCE = """\
import math

import torch
from torch.nn import Linear
from torch.nn.functional import silu


def cutoff_weight(distance, cutoff):
    weight = 0.5 * ((distance * math.pi / cutoff).cos() + 1.0)
    return weight * (distance < cutoff).float()


def gather(values, target, count):
    index = target.view(-1, *[1] * (values.dim() - 1)).expand_as(values)
    return values.new_zeros(count, *values.shape[1:]).scatter_add_(0, index, values)


def reject(vector, unit):
    unit = unit.unsqueeze(2)
    return vector - (vector * unit).sum(dim=1, keepdim=True) * unit


class Neighbors(torch.nn.Module):
    def __init__(self, hidden, num_rbf, max_z, cutoff):
        super().__init__()
        self.embedding = torch.nn.Embedding(max_z, hidden)
        self.distance = Linear(num_rbf, hidden)
        self.combine = Linear(2 * hidden, hidden)
        self.cutoff = cutoff

    def forward(self, z, x, source, target, distance, basis):
        apart = source != target
        source, target = source[apart], target[apart]
        weight = cutoff_weight(distance[apart], self.cutoff).view(-1, 1)
        message = self.embedding(z)[source] * (self.distance(basis[apart]) * weight)
        return self.combine(torch.cat([x, gather(message, target, x.size(0))], dim=1))


class Layer(torch.nn.Module):
    def __init__(self, hidden, heads, cutoff, last):
        super().__init__()
        self.layernorm = torch.nn.LayerNorm(hidden)
        self.vec = Linear(hidden, 3 * hidden, bias=False)
        self.q = Linear(hidden, hidden)
        self.k = Linear(hidden, hidden)
        self.v = Linear(hidden, hidden)
        self.dk = Linear(hidden, hidden)
        self.dv = Linear(hidden, hidden)
        self.s = Linear(hidden, 2 * hidden)
        if not last:
            self.f = Linear(hidden, hidden)
            self.w_src = Linear(hidden, hidden, bias=False)
            self.w_trg = Linear(hidden, hidden, bias=False)
        self.o = Linear(hidden, 3 * hidden)
        self.hidden, self.heads, self.cutoff, self.last = hidden, heads, cutoff, last

    def split(self, x):
        return x.reshape(-1, self.heads, self.hidden // self.heads)

    def forward(self, x, vec, source, target, distance, edges, unit):
        count = x.size(0)
        x = self.layernorm(x)
        q, k, v = self.split(self.q(x)), self.split(self.k(x)), self.split(self.v(x))
        dk, dv = self.split(silu(self.dk(edges))), self.split(silu(self.dv(edges)))
        vec1, vec2, vec3 = self.vec(vec).split(self.hidden, dim=-1)
        attention = silu((q[target] * k[source] * dk).sum(dim=-1))
        attention = attention * cutoff_weight(distance, self.cutoff).unsqueeze(1)
        message = (v[source] * dv * attention.unsqueeze(2)).view(-1, self.hidden)
        s1, s2 = silu(self.s(message)).split(self.hidden, dim=1)
        moved = vec[source] * s1.unsqueeze(1) + s2.unsqueeze(1) * unit.unsqueeze(2)
        o1, o2, o3 = self.o(gather(message, target, count)).split(self.hidden, dim=1)
        dx = (vec1 * vec2).sum(dim=1) * o2 + o3
        dvec = vec3 * o1.unsqueeze(1) + gather(moved, target, count)
        if self.last:
            return dx, dvec, None
        w1 = reject(self.w_trg(vec[target]), unit)
        w2 = reject(self.w_src(vec[source]), -unit)
        return dx, dvec, silu(self.f(edges)) * (w1 * w2).sum(dim=1)


class Block(torch.nn.Module):
    def __init__(self, hidden, out):
        super().__init__()
        self.vec1 = Linear(hidden, hidden, bias=False)
        self.vec2 = Linear(hidden, out, bias=False)
        self.update = torch.nn.Sequential(
            Linear(2 * hidden, hidden), torch.nn.SiLU(), Linear(hidden, 2 * out)
        )
        self.out = out

    def forward(self, x, vec):
        length = torch.norm(self.vec1(vec), dim=-2)
        x, gate = self.update(torch.cat([x, length], dim=-1)).split(self.out, dim=-1)
        return x, gate.unsqueeze(1) * self.vec2(vec)


class Model(torch.nn.Module):
    def __init__(self, hidden_channels, num_heads, num_layers, num_rbf, max_z, cutoff):
        super().__init__()
        hidden = hidden_channels
        self.embedding = torch.nn.Embedding(max_z, hidden)
        self.neighbors = Neighbors(hidden, num_rbf, max_z, cutoff)
        self.edges = Linear(num_rbf, hidden)
        self.layers = torch.nn.ModuleList(
            Layer(hidden, num_heads, cutoff, i == num_layers - 1) for i in range(num_layers)
        )
        self.norm = torch.nn.LayerNorm(hidden)
        self.output = torch.nn.ModuleList([Block(hidden, hidden // 2), Block(hidden // 2, 1)])
        self.atoms = torch.nn.Embedding(max_z, 1)
        self.num_rbf, self.cutoff = num_rbf, cutoff

    def expand(self, distance):
        start = torch.exp(torch.tensor(-self.cutoff))
        means = torch.linspace(start, 1, self.num_rbf)
        beta = (2 / self.num_rbf * (1 - start)) ** -2
        distance = distance.unsqueeze(-1)
        bell = (-beta * ((5.0 / self.cutoff * -distance).exp() - means) ** 2).exp()
        return cutoff_weight(distance, self.cutoff) * bell

    def forward(self, z, pos, batch):
        apart = (pos.unsqueeze(1) - pos.unsqueeze(0)).norm(dim=-1)
        near = (apart < self.cutoff) & (batch.unsqueeze(1) == batch.unsqueeze(0))
        target, source = near.nonzero().unbind(1)
        unit = pos[source] - pos[target]
        proper = source != target
        distance = torch.zeros(unit.size(0))
        distance[proper] = torch.norm(unit[proper], dim=-1)
        unit[proper] = unit[proper] / torch.norm(unit[proper], dim=1).unsqueeze(1)
        embedded = self.embedding(z)
        basis = self.expand(distance)
        x = self.neighbors(z, embedded, source, target, distance, basis)
        edges = (x[target] + x[source]) * self.edges(basis)
        layers = [embedded, basis, x, edges]
        vec = torch.zeros(x.size(0), 3, x.size(1))
        for layer in self.layers:
            dx, dvec, dedges = layer(x, vec, source, target, distance, edges, unit)
            x, vec = x + dx, vec + dvec
            layers += [dx, dvec]
            if dedges is not None:
                edges = edges + dedges
                layers.append(edges)
        x = self.norm(x)
        layers += [x, vec]
        x, vec = self.output[0](x, vec)
        x = silu(x)
        layers += [x, vec]
        x, vec = self.output[1](x, vec)
        layers += [x, vec]
        total = gather(x + self.atoms(z), batch, int(batch.max()) + 1)
        return [*layers, total]
"""

_PROJECTIONS = ("vec", "q", "k", "v", "dk", "dv", "s", "f", "w_src", "w_trg", "o")
_RENAMES = {
    "embedding.": "representation_model.embedding.",
    "neighbors.distance.": "representation_model.neighbor_embedding.distance_proj.",
    "neighbors.": "representation_model.neighbor_embedding.",
    "edges.": "representation_model.edge_embedding.edge_proj.",
    **{
        f"layers.{i}.{name}.": f"representation_model.vis_mp_layers.{i}.{name}_proj."
        for i in range(_LAYERS)
        for name in _PROJECTIONS
    },
    "layers.": "representation_model.vis_mp_layers.",
    "norm.": "representation_model.out_norm.",
    **{
        f"output.{i}.{ours}.": f"output_model.output_network.{i}.{theirs}."
        for i in range(2)
        for ours, theirs in (("vec1", "vec1_proj"), ("vec2", "vec2_proj"), ("update", "update_net"))
    },
    "atoms.": "prior_model.atomref.",
}


def truth(inputs: Arrays, weights: Arrays) -> list[Array]:
    """Each layer by torch-geometric, in order."""
    _, nn = import_geometric()
    model = nn.ViSNet(**_ARGUMENTS)
    module: Any = importlib.import_module("torch_geometric.nn.models.visnet")
    original, module.radius_graph = module.radius_graph, _radius_graph
    try:
        arguments = [inputs["z"], inputs["pos"], inputs["batch"]]
        (out, _), calls = record(model, weights, arguments, _RENAMES)
    finally:
        module.radius_graph = original
    parts = ("embedding", "distance_expansion", "neighbor_embedding", "edge_embedding")
    layers = [calls[f"representation_model.{part}"][0].gave for part in parts]
    steps = [calls[f"representation_model.vis_mp_layers.{i}"][0] for i in range(_LAYERS)]
    for step, following in zip_longest(steps, steps[1:]):
        layers += step.gave[:2]
        if following is not None:
            layers.append(following.given[4])
    for part in ("representation_model", *(f"output_model.output_network.{i}" for i in range(2))):
        layers += calls[part][0].gave
    return [*layers, out]


def _radius_graph(pos: Any, r: float, batch: Any, loop: bool, **_: object) -> Any:
    """Pairs nearer than r within a molecule, by target, then source.

    torch-geometric's own needs pyg-lib. Its bound on neighbours never binds for small molecules.
    """
    import torch

    distance = (pos.unsqueeze(1) - pos.unsqueeze(0)).norm(dim=-1)
    near = (distance < r) & (batch.unsqueeze(1) == batch.unsqueeze(0))
    if not loop:
        near.fill_diagonal_(False)
    return torch.stack(near.nonzero().unbind(1)[::-1])


def _draw_molecules(generator: np.random.Generator, sizes: tuple[int, ...]) -> dict[str, Array]:
    atoms = sum(sizes)
    return {
        "z": generator.integers(1, _KINDS, atoms).astype(np.int64),
        "pos": generator.uniform(0, 6, (atoms, 3)).astype(np.float32),
        "batch": np.repeat(np.arange(len(sizes)), sizes).astype(np.int64),
    }


def _linear(name: str, inputs: int, outputs: int, bias: bool = True) -> dict[str, tuple[int, ...]]:
    weight: dict[str, tuple[int, ...]] = {f"{name}.weight": (outputs, inputs)}
    return weight | ({f"{name}.bias": (outputs,)} if bias else {})


def _norm(name: str) -> dict[str, tuple[int, ...]]:
    return {f"{name}.weight": (_HIDDEN,), f"{name}.bias": (_HIDDEN,)}


def _layer(name: str, last: bool) -> dict[str, tuple[int, ...]]:
    parameters = _norm(f"{name}.layernorm") | _linear(f"{name}.vec", _HIDDEN, 3 * _HIDDEN, False)
    for part in ("q", "k", "v", "dk", "dv"):
        parameters |= _linear(f"{name}.{part}", _HIDDEN, _HIDDEN)
    parameters |= _linear(f"{name}.s", _HIDDEN, 2 * _HIDDEN)
    if not last:
        parameters |= _linear(f"{name}.f", _HIDDEN, _HIDDEN)
        parameters |= _linear(f"{name}.w_src", _HIDDEN, _HIDDEN, False)
        parameters |= _linear(f"{name}.w_trg", _HIDDEN, _HIDDEN, False)
    return parameters | _linear(f"{name}.o", _HIDDEN, 3 * _HIDDEN)


def _block(name: str, inputs: int, outputs: int) -> dict[str, tuple[int, ...]]:
    return (
        _linear(f"{name}.vec1", inputs, inputs, False)
        | _linear(f"{name}.vec2", inputs, outputs, False)
        | _linear(f"{name}.update.0", 2 * inputs, inputs)
        | _linear(f"{name}.update.2", inputs, 2 * outputs)
    )


ARCHITECTURES = (
    Architecture(
        name="ViSNet",
        category="molecule",
        difficulty="hard",
        description=(
            "A network over molecules. Every atom carries scalars (hidden_channels) and vectors "
            "(3 by hidden_channels, at first zero), every edge scalars. An edge runs from atom j "
            "to atom i of the same molecule where their distance is below the cutoff, a loop at "
            "every atom included: a loop has distance 0 and the zero vector as direction. Edges "
            "are ordered by target i, then by source j.\n"
            "Start: a scalar embedding of the atom; to it a message from the neighbours is joined, "
            "loops left out here, with an embedding of its own. The scalars of an edge are the "
            "sum of both ends' scalars times a linear layer of the radial basis.\n"
            "Each message-passing layer first normalises the scalars (LayerNorm, epsilon 1e-5). "
            "Attention with several heads has no softmax: the product of query, key and edge is "
            "summed within a head, passes SiLU and is weighed by the cosine cutoff. The summed "
            "messages change the scalars and the vectors of the target, and in every layer but "
            "the last the scalars of the edges change by the product of the two ends' vectors, "
            "each freed of its part along the edge. Edges change by the vectors from before the "
            "layer. All changes are added to what was there.\n"
            "End: a LayerNorm of the scalars, two gated blocks (to hidden_channels // 2 with SiLU "
            "on the scalars after it, then to 1 without), a learned value of each kind of atom "
            "added, and the sum over the atoms of a molecule."
        ),
        formulation=(
            r"\begin{aligned} C(d) &= \tfrac12 (\cos(\pi d / c) + 1) [d < c], \quad "
            r"e_k(d) = C(d) \exp(-\beta (e^{-5 d / c} - \mu_k)^2), \quad "
            r"\beta = (\tfrac{2}{K} (1 - e^{-c}))^{-2} \\ "
            r"x_i &= W_{comb} [E_{z_i}, \textstyle\sum_{j \ne i} E'_{z_j} \odot "
            r"(W_{dist} e(d_{ij}) + b) C(d_{ij})] + b, \quad "
            r"f_{ij} = (x_i + x_j) \odot (W_{edge} e(d_{ij}) + b) \\ "
            r"\hat{x} &= \mathrm{LN}(x), \quad a_{ij} = \mathrm{SiLU}(\textstyle\sum_{head} "
            r"q_i \odot k_j \odot \mathrm{SiLU}(dk(f_{ij})))\, C(d_{ij}), \quad "
            r"m_{ij} = v_j \odot \mathrm{SiLU}(dv(f_{ij}))\, a_{ij} \\ "
            r"[s^1_{ij}, s^2_{ij}] &= \mathrm{SiLU}(s(m_{ij})), \quad "
            r"[o^1_i, o^2_i, o^3_i] = o(\textstyle\sum_j m_{ij}), \quad "
            r"[\vec{u}^1, \vec{u}^2, \vec{u}^3] = vec(\vec{v}) \\ "
            r"\Delta x_i &= \langle \vec{u}^1_i, \vec{u}^2_i \rangle \odot o^2_i + o^3_i, \quad "
            r"\Delta \vec{v}_i = \vec{u}^3_i \odot o^1_i + \textstyle\sum_j (\vec{v}_j \odot "
            r"s^1_{ij} + \hat{r}_{ij} s^2_{ij}) \\ "
            r"\Delta f_{ij} &= \mathrm{SiLU}(f(f_{ij})) \odot \langle "
            r"\mathrm{Rej}_{\hat{r}_{ij}}(w_{trg}(\vec{v}_i)), "
            r"\mathrm{Rej}_{-\hat{r}_{ij}}(w_{src}(\vec{v}_j)) \rangle, \quad "
            r"\mathrm{Rej}_r(\vec{w}) = \vec{w} - \langle \vec{w}, r \rangle r \\ "
            r"[x', g] &= update([x, \lVert vec1(\vec{v}) \rVert]), \quad "
            r"\vec{v}' = g \odot vec2(\vec{v}), \quad "
            r"y = \textstyle\sum_i (x_i + A_{z_i}) \end{aligned}"
        ),
        variables={
            "z_i": "atomic number",
            "d_{ij}": "distance between the atoms i and j",
            r"\hat{r}_{ij}": "unit vector from i to j, (pos_j - pos_i) / d_ij",
            "c": "cutoff",
            "K, \\mu_k": "num_rbf, and as many means, evenly spaced from exp(-c) to 1",
            "E, E', A": "embedding, neighbors.embedding and atoms",
            "W_{dist}, W_{comb}, W_{edge}": "neighbors.distance, neighbors.combine and edges",
            "q, k, v, dk, dv, s, f, o, vec, w_{src}, w_{trg}": (
                "linear layers of layers.l, where w_src, w_trg and f are missing from the last; "
                "q, k and v are of the normalised scalars; vec, w_src and w_trg act on channels"
            ),
            r"\langle \cdot, \cdot \rangle": "product over the three coordinates, by channel",
            "update, vec1, vec2": "parts of output.0 and output.1; update.0, SiLU, update.2",
        },
        constructor=(
            "Model(hidden_channels: int, num_heads: int, num_layers: int, num_rbf: int, "
            "max_z: int, cutoff: float)"
        ),
        arguments=_ARGUMENTS,
        inputs={
            "z": "atomic numbers, (atoms,), below max_z",
            "pos": "coordinates, (atoms, 3)",
            "batch": "the molecule of each atom, (atoms,), counted from 0, ascending",
        },
        parameters={
            "embedding.weight": (_KINDS, _HIDDEN),
            "neighbors.embedding.weight": (_KINDS, _HIDDEN),
            **_linear("neighbors.distance", _BASES, _HIDDEN),
            **_linear("neighbors.combine", 2 * _HIDDEN, _HIDDEN),
            **_linear("edges", _BASES, _HIDDEN),
            **_layer("layers.0", last=False),
            **_layer("layers.1", last=False),
            **_layer("layers.2", last=True),
            **_norm("norm"),
            **_block("output.0", _HIDDEN, _HIDDEN // 2),
            **_block("output.1", _HIDDEN // 2, 1),
            "atoms.weight": (_KINDS, 1),
        },
        layers=(
            "embedding of the atoms",
            "radial basis of the edges, (edges, num_rbf)",
            "scalars joined with the neighbours' message",
            "scalars of the edges",
            *(
                f"message-passing layer {i}: {what}"
                for i in range(1, _LAYERS + 1)
                for what in (
                    "change of the scalars",
                    "change of the vectors, (atoms, 3, hidden_channels)",
                    *(["scalars of the edges after it"] if i < _LAYERS else []),
                )
            ),
            "scalars after the LayerNorm at the end",
            "vectors at the end",
            "first gated block: scalars after the SiLU",
            "first gated block: vectors",
            "second gated block: scalars",
            "second gated block: vectors",
            "the output, (molecules, 1)",
        ),
        reference=_REFERENCE,
        truth=truth,
        main=partial(_draw_molecules, sizes=(7, 5)),
        unseen=partial(_draw_molecules, sizes=(4, 9, 6)),
    ),
)
