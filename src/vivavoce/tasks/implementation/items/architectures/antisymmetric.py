"""Anti-symmetric deep graph network (A-DGN): a stable, non-dissipative layer.

Source: Gravina et al., Anti-Symmetric DGN (2023).
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

_FEATURES, _ITERATIONS = 8, 3

_REFERENCE = """\
import torch


class GCN(torch.nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.zeros(channels, channels))

    def forward(self, x, edge_index):
        source, target = edge_index
        loops = torch.arange(x.size(0))
        source, target = torch.cat([source, loops]), torch.cat([target, loops])
        degree = x.new_zeros(x.size(0)).scatter_add_(0, target, x.new_ones(target.size(0)))
        scale = degree.pow(-0.5)
        scale = scale[source] * scale[target]
        x = torch.nn.functional.linear(x, self.weight)
        index = target.view(-1, 1).expand(-1, x.size(1))
        return torch.zeros_like(x).scatter_add_(0, index, scale.view(-1, 1) * x[source])


class Model(torch.nn.Module):
    def __init__(self, channels, num_iters, epsilon, gamma):
        super().__init__()
        self.W = torch.nn.Parameter(torch.zeros(channels, channels))
        self.bias = torch.nn.Parameter(torch.zeros(channels))
        self.phi = GCN(channels)
        self.num_iters = num_iters
        self.epsilon = epsilon
        self.gamma = gamma

    def forward(self, x, edge_index):
        layers = []
        weight = self.W - self.W.t() - self.gamma * torch.eye(self.W.size(0))
        for _ in range(self.num_iters):
            neighbours = self.phi(x, edge_index)
            change = (x @ weight.t() + neighbours + self.bias).tanh()
            x = x + self.epsilon * change
            layers += [neighbours, change, x]
        return layers
"""


def truth(inputs: Arrays, weights: Arrays) -> list[Array]:
    """Each layer by torch-geometric, in order."""
    _, nn = import_geometric()
    model = nn.AntiSymmetricConv(_FEATURES, num_iters=_ITERATIONS, epsilon=0.1, gamma=0.2)
    arguments = [inputs["x"], inputs["edge_index"]]
    out, calls = record(model, weights, arguments, {"phi.": "phi.lin."})
    states = [*(call.given[0] for call in calls["phi"][1:]), out]
    steps = zip(calls["phi"], calls["act"], states, strict=True)
    return [layer for phi, act, state in steps for layer in (phi.gave, act.gave, state)]


ARCHITECTURES = (
    Architecture(
        name="AntiSymmetric",
        category="graph",
        difficulty="medium",
        description=(
            "A residual network read as Euler steps of a differential equation on the graph. The "
            "node's own state is multiplied by an anti-symmetric matrix, less a damping on its "
            "diagonal, so that signals neither explode nor die out. The neighbours come in "
            "through a graph convolution without bias, normalised symmetrically: a loop is added "
            "to every node, an edge counts by the inverse roots of the numbers of edges into "
            "both of its ends, loops included. All steps share their weights."
        ),
        formulation=(
            r"x_i \leftarrow x_i + \epsilon \tanh\left((W - W^\top - \gamma I) x_i + "
            r"\Phi(X)_i + b\right), \quad "
            r"\Phi(X)_i = \sum_{j \in N(i) \cup \{i\}} \frac{V x_j}{\sqrt{d_i d_j}}, \quad "
            r"d_i = 1 + |N(i)|"
        ),
        variables={
            "x_i": "state of node i, at first its features",
            "N(i)": "the nodes j with an edge from j to i, without i",
            "W, b": "W and bias",
            "V": "phi.weight",
            "\\epsilon, \\gamma": "epsilon and gamma",
        },
        constructor="Model(channels: int, num_iters: int, epsilon: float, gamma: float)",
        arguments={
            "channels": _FEATURES,
            "num_iters": _ITERATIONS,
            "epsilon": 0.1,
            "gamma": 0.2,
        },
        inputs={
            "x": "node features, (nodes, channels)",
            "edge_index": "edges, (2, edges): sources in the first row, targets in the second",
        },
        parameters={
            "W": (_FEATURES, _FEATURES),
            "bias": (_FEATURES,),
            "phi.weight": (_FEATURES, _FEATURES),
        },
        layers=tuple(
            f"step {step}: {what}"
            for step in range(1, _ITERATIONS + 1)
            for what in ("the graph convolution", "the hyperbolic tangent", "the new state")
        ),
        reference=_REFERENCE,
        truth=truth,
        main=partial(draw_graph, nodes=24, features=_FEATURES, edges=60),
        unseen=partial(draw_graph, nodes=31, features=_FEATURES, edges=45),
    ),
)
