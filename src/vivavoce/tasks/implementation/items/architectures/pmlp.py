"""PMLP: an MLP that passes messages only at test time.

Source: Yang et al., Graph Neural Networks are Inherently Good Generalizers (2023).
"""

from __future__ import annotations

from functools import partial

from vivavoce.tasks.implementation.architecture import (
    Architecture,
    Array,
    Arrays,
    draw_graph,
    import_geometric,
    record,
)

_NODES, _FEATURES, _HIDDEN, _OUT = 24, 8, 12, 6

_REFERENCE = """\
import torch


class Model(torch.nn.Module):
    def __init__(self, in_channels, hidden_channels, out_channels, num_layers):
        super().__init__()
        sizes = [in_channels] + [hidden_channels] * (num_layers - 1) + [out_channels]
        pairs = zip(sizes[:-1], sizes[1:])
        self.lins = torch.nn.ModuleList(torch.nn.Linear(a, b) for a, b in pairs)
        self.norm = torch.nn.BatchNorm1d(
            hidden_channels, affine=False, track_running_stats=False
        )

    def propagate(self, x, edge_index):
        source, target = edge_index
        loops = torch.arange(x.size(0))
        source, target = torch.cat([source, loops]), torch.cat([target, loops])
        count = x.new_zeros(x.size(0)).scatter_add_(0, target, x.new_ones(target.size(0)))
        index = target.view(-1, 1).expand(-1, x.size(1))
        return torch.zeros_like(x).scatter_add_(0, index, x[source]) / count.view(-1, 1)

    def forward(self, x, edge_index):
        layers = []
        for i, lin in enumerate(self.lins):
            x = x @ lin.weight.t()
            layers.append(x)
            x = self.propagate(x, edge_index)
            layers.append(x)
            x = x + lin.bias
            if i < len(self.lins) - 1:
                x = self.norm(x)
                layers.append(x)
                x = x.relu()
        layers.append(x)
        return layers
"""


def truth(inputs: Arrays, weights: Arrays) -> list[Array]:
    """Each layer by torch-geometric, in order."""
    _, nn = import_geometric()
    model = nn.PMLP(_FEATURES, _HIDDEN, _OUT, num_layers=3)
    out, calls = record(model, weights, [inputs["x"], inputs["edge_index"]], {})
    layers = []
    for i, call in enumerate(calls["conv"]):
        layers += [call.given[0], call.gave]
        if i < len(calls["norm"]):
            layers.append(calls["norm"][i].gave)
    return [*layers, out]


ARCHITECTURES = (
    Architecture(
        name="PMLP",
        category="graph",
        difficulty="easy",
        description=(
            "A multilayer perceptron that is trained on the nodes alone and turns into a graph "
            "network when it is used: after the weights of a layer, and before its bias, each "
            "node takes the plain mean over itself and the nodes with an edge to it. Hidden "
            "layers are then standardised over the nodes at hand (batch normalisation without "
            "weights and without running statistics, epsilon 1e-5, also in evaluation) and pass "
            "a ReLU; the last layer does neither. Implement the evaluation mode."
        ),
        formulation=(
            r"\tilde{h}^{(l)}_i = \frac{1}{1 + |N(i)|} \sum_{j \in N(i) \cup \{i\}} W^{(l)} "
            r"h^{(l-1)}_j, \quad h^{(l)}_i = \mathrm{ReLU}(\mathrm{norm}(\tilde{h}^{(l)}_i + "
            r"b^{(l)})), \quad h^{(L)}_i = \tilde{h}^{(L)}_i + b^{(L)}"
        ),
        variables={
            "h^{(0)}": "the node features x",
            "N(i)": "the nodes j with an edge from j to i, without i",
            "W^{(l)}, b^{(l)}": "lins.(l-1).weight and lins.(l-1).bias",
            "L": "num_layers",
        },
        constructor=(
            "Model(in_channels: int, hidden_channels: int, out_channels: int, num_layers: int)"
        ),
        arguments={
            "in_channels": _FEATURES,
            "hidden_channels": _HIDDEN,
            "out_channels": _OUT,
            "num_layers": 3,
        },
        inputs={
            "x": "node features, (nodes, in_channels)",
            "edge_index": "edges, (2, edges): sources in the first row, targets in the second",
        },
        parameters={
            "lins.0.weight": (_HIDDEN, _FEATURES),
            "lins.0.bias": (_HIDDEN,),
            "lins.1.weight": (_HIDDEN, _HIDDEN),
            "lins.1.bias": (_HIDDEN,),
            "lins.2.weight": (_OUT, _HIDDEN),
            "lins.2.bias": (_OUT,),
        },
        layers=(
            "first layer: features times the weights, without bias",
            "first layer: mean over each node and its sources",
            "first layer: bias added, standardised, before the ReLU",
            "second layer: features times the weights, without bias",
            "second layer: mean over each node and its sources",
            "second layer: bias added, standardised, before the ReLU",
            "third layer: features times the weights, without bias",
            "third layer: mean over each node and its sources",
            "the output: bias added",
        ),
        reference=_REFERENCE,
        truth=truth,
        main=partial(draw_graph, nodes=_NODES, features=_FEATURES, edges=60),
        unseen=partial(draw_graph, nodes=31, features=_FEATURES, edges=45),
    ),
)
