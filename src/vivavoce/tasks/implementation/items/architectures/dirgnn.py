"""Dir-GNN: a convolution that tells the two directions of an edge apart.

Source: Rossi et al., Edge Directionality Improves Learning on Heterophilic Graphs (2023).
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

_FEATURES, _OUT, _ALPHA = 8, 6, 0.3

_REFERENCE = """\
import torch


class Model(torch.nn.Module):
    def __init__(self, in_channels, out_channels, alpha):
        super().__init__()
        self.conv_in = torch.nn.Linear(in_channels, out_channels)
        self.conv_out = torch.nn.Linear(in_channels, out_channels)
        self.lin = torch.nn.Linear(in_channels, out_channels)
        self.alpha = alpha

    def mean(self, x, source, target):
        count = x.new_zeros(x.size(0)).scatter_add_(0, target, x.new_ones(target.size(0)))
        index = target.view(-1, 1).expand(-1, x.size(1))
        total = torch.zeros_like(x).scatter_add_(0, index, x[source])
        return total / count.clamp(min=1).view(-1, 1)

    def forward(self, x, edge_index):
        source, target = edge_index
        mean_in = self.mean(x, source, target)
        mean_out = self.mean(x, target, source)
        x_in, x_out = self.conv_in(mean_in), self.conv_out(mean_out)
        own = self.lin(x)
        out = self.alpha * x_out + (1 - self.alpha) * x_in + own
        return [mean_in, x_in, mean_out, x_out, own, out]
"""

_RENAMES = {"conv_in.": "conv_in.lin_l.", "conv_out.": "conv_out.lin_l."}


def truth(inputs: Arrays, weights: Arrays) -> list[Array]:
    """Each layer by torch-geometric, in order."""
    _, nn = import_geometric()
    conv = nn.SAGEConv(_FEATURES, _OUT, root_weight=False)
    model = nn.DirGNNConv(conv, alpha=_ALPHA)
    out, calls = record(model, weights, [inputs["x"], inputs["edge_index"]], _RENAMES)
    into, out_of = calls["conv_in.lin_l"][0], calls["conv_out.lin_l"][0]
    own = calls["lin"][0].gave
    return [into.given[0], into.gave, out_of.given[0], out_of.gave, own, out]


ARCHITECTURES = (
    Architecture(
        name="DirGNN",
        category="graph",
        difficulty="medium",
        description=(
            "One convolution on a directed graph. The nodes with an edge to a node and the nodes "
            "it has an edge to are averaged apart, each mean has a linear layer of its own, and "
            "the two are weighed against each other; a linear layer of the node itself is added. "
            "The mean over no node is zero."
        ),
        formulation=(
            r"y_i = \alpha \left(W_{out} \frac{1}{|N_{out}(i)|} \sum_{j \in N_{out}(i)} x_j + "
            r"b_{out}\right) + (1 - \alpha) \left(W_{in} \frac{1}{|N_{in}(i)|} "
            r"\sum_{j \in N_{in}(i)} x_j + b_{in}\right) + W x_i + b"
        ),
        variables={
            "x_i": "features of node i",
            "N_{in}(i)": "the nodes j with an edge from j to i",
            "N_{out}(i)": "the nodes j with an edge from i to j",
            "\\alpha": "alpha, the weight of the outgoing side",
            "W_{in}, b_{in}": "conv_in.weight and conv_in.bias",
            "W_{out}, b_{out}": "conv_out.weight and conv_out.bias",
            "W, b": "lin.weight and lin.bias",
        },
        constructor="Model(in_channels: int, out_channels: int, alpha: float)",
        arguments={"in_channels": _FEATURES, "out_channels": _OUT, "alpha": _ALPHA},
        inputs={
            "x": "node features, (nodes, in_channels)",
            "edge_index": "edges, (2, edges): sources in the first row, targets in the second",
        },
        parameters={
            "conv_in.weight": (_OUT, _FEATURES),
            "conv_in.bias": (_OUT,),
            "conv_out.weight": (_OUT, _FEATURES),
            "conv_out.bias": (_OUT,),
            "lin.weight": (_OUT, _FEATURES),
            "lin.bias": (_OUT,),
        },
        layers=(
            "mean over the nodes with an edge to each node",
            "the linear layer conv_in of that mean",
            "mean over the nodes that each node has an edge to",
            "the linear layer conv_out of that mean",
            "the linear layer lin of the node itself",
            "the output",
        ),
        reference=_REFERENCE,
        truth=truth,
        main=partial(draw_graph, nodes=24, features=_FEATURES, edges=60),
        unseen=partial(draw_graph, nodes=31, features=_FEATURES, edges=45),
    ),
)
