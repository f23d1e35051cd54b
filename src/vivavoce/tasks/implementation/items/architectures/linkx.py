"""LINKX: adjacency and features embedded apart, then mixed.

Source: Lim et al., Large Scale Learning on Non-Homophilous Graphs (2021).
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


class SparseLinear(torch.nn.Module):
    def __init__(self, num_nodes, channels):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.zeros(num_nodes, channels))
        self.bias = torch.nn.Parameter(torch.zeros(channels))

    def forward(self, edge_index):
        source, target = edge_index
        index = target.view(-1, 1).expand(-1, self.weight.size(1))
        total = torch.zeros_like(self.weight).scatter_add_(0, index, self.weight[source])
        return total + self.bias


class Model(torch.nn.Module):
    def __init__(self, num_nodes, in_channels, hidden_channels, out_channels):
        super().__init__()
        self.edges = SparseLinear(num_nodes, hidden_channels)
        self.nodes = torch.nn.Linear(in_channels, hidden_channels)
        self.mix_edges = torch.nn.Linear(hidden_channels, hidden_channels)
        self.mix_nodes = torch.nn.Linear(hidden_channels, hidden_channels)
        self.final = torch.nn.Linear(hidden_channels, out_channels)

    def forward(self, x, edge_index):
        edges = self.edges(edge_index)
        mixed_edges = self.mix_edges(edges)
        nodes = self.nodes(x)
        mixed_nodes = self.mix_nodes(nodes)
        hidden = (edges + mixed_edges + nodes + mixed_nodes).relu()
        return [edges, mixed_edges, nodes, mixed_nodes, hidden, self.final(hidden)]
"""

_RENAMES = {
    "edges.": "edge_lin.",
    "nodes.": "node_mlp.lins.0.",
    "mix_edges.": "cat_lin1.",
    "mix_nodes.": "cat_lin2.",
    "final.": "final_mlp.lins.0.",
}


def truth(inputs: Arrays, weights: Arrays) -> list[Array]:
    """Each layer by torch-geometric, in order."""
    _, nn = import_geometric()
    model = nn.LINKX(_NODES, _FEATURES, _HIDDEN, _OUT, num_layers=1)
    out, calls = record(model, weights, [inputs["x"], inputs["edge_index"]], _RENAMES)
    parts = ("edge_lin", "cat_lin1", "node_mlp", "cat_lin2")
    return [*(calls[part][0].gave for part in parts), calls["final_mlp"][0].given[0], out]


ARCHITECTURES = (
    Architecture(
        name="LINKX",
        category="graph",
        difficulty="easy",
        description=(
            "Who is linked to a node and what the node is like are embedded apart by one linear "
            "layer each, the first over the rows of the adjacency matrix (row i marks the nodes "
            "with an edge to i), so that its weights have one row a node. A linear layer over "
            "both embeddings side by side, written here as one linear layer for each, is added "
            "to the two; a ReLU and a last linear layer follow."
        ),
        formulation=(
            r"H_A = A W_A + b_A, \quad H_X = X W_X^\top + b_X, \quad "
            r"H = \mathrm{ReLU}(H_A + H_A W_1^\top + b_1 + H_X + H_X W_2^\top + b_2), \quad "
            r"Y = H W_f^\top + b_f"
        ),
        variables={
            "A": "adjacency: A_{ij} = 1 where there is an edge from j to i, else 0",
            "X": "the node features x",
            "W_A, b_A": "edges.weight, with one row a node, and edges.bias",
            "W_X, b_X": "nodes.weight and nodes.bias",
            "W_1, b_1": "mix_edges.weight and mix_edges.bias",
            "W_2, b_2": "mix_nodes.weight and mix_nodes.bias",
            "W_f, b_f": "final.weight and final.bias",
        },
        constructor=(
            "Model(num_nodes: int, in_channels: int, hidden_channels: int, out_channels: int)"
        ),
        arguments={
            "num_nodes": _NODES,
            "in_channels": _FEATURES,
            "hidden_channels": _HIDDEN,
            "out_channels": _OUT,
        },
        inputs={
            "x": "node features, (num_nodes, in_channels)",
            "edge_index": "edges, (2, edges): sources in the first row, targets in the second",
        },
        parameters={
            "edges.weight": (_NODES, _HIDDEN),
            "edges.bias": (_HIDDEN,),
            "nodes.weight": (_HIDDEN, _FEATURES),
            "nodes.bias": (_HIDDEN,),
            "mix_edges.weight": (_HIDDEN, _HIDDEN),
            "mix_edges.bias": (_HIDDEN,),
            "mix_nodes.weight": (_HIDDEN, _HIDDEN),
            "mix_nodes.bias": (_HIDDEN,),
            "final.weight": (_OUT, _HIDDEN),
            "final.bias": (_OUT,),
        },
        layers=(
            "H_A, the embedding of the links",
            "the linear layer mix_edges of H_A",
            "H_X, the embedding of the features",
            "the linear layer mix_nodes of H_X",
            "H, after the ReLU",
            "Y, the output",
        ),
        reference=_REFERENCE,
        truth=truth,
        main=partial(draw_graph, nodes=_NODES, features=_FEATURES, edges=60),
        # the weights are bound to the number of nodes: only the links and features differ
        unseen=partial(draw_graph, nodes=_NODES, features=_FEATURES, edges=110),
    ),
)
