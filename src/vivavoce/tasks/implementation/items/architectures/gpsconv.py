"""GPS layer: message passing beside attention over all nodes.

Source: Rampášek et al., Recipe for a General, Powerful, Scalable Graph Transformer (2022).
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

_FEATURES, _HEADS = 8, 2

_REFERENCE = """\
import torch


class GCN(torch.nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.zeros(channels, channels))
        self.bias = torch.nn.Parameter(torch.zeros(channels))

    def forward(self, x, edge_index):
        source, target = edge_index
        loops = torch.arange(x.size(0))
        source, target = torch.cat([source, loops]), torch.cat([target, loops])
        degree = x.new_zeros(x.size(0)).scatter_add_(0, target, x.new_ones(target.size(0)))
        scale = degree.pow(-0.5)
        scale = scale[source] * scale[target]
        x = torch.nn.functional.linear(x, self.weight)
        index = target.view(-1, 1).expand(-1, x.size(1))
        total = torch.zeros_like(x).scatter_add_(0, index, scale.view(-1, 1) * x[source])
        return total + self.bias


class Model(torch.nn.Module):
    def __init__(self, channels, heads):
        super().__init__()
        self.conv = GCN(channels)
        self.attn = torch.nn.MultiheadAttention(channels, heads, batch_first=True)
        self.mlp = torch.nn.Sequential(
            torch.nn.Linear(channels, 2 * channels),
            torch.nn.ReLU(),
            torch.nn.Linear(2 * channels, channels),
        )
        self.norm1 = torch.nn.BatchNorm1d(channels)
        self.norm2 = torch.nn.BatchNorm1d(channels)
        self.norm3 = torch.nn.BatchNorm1d(channels)

    def forward(self, x, edge_index):
        near = self.conv(x, edge_index)
        local = self.norm1(near + x)
        nodes = x.unsqueeze(0)
        padding = torch.zeros(1, x.size(0), dtype=torch.bool)
        far, _ = self.attn(nodes, nodes, nodes, key_padding_mask=padding, need_weights=False)
        far = far.squeeze(0)
        everywhere = self.norm2(far + x)
        both = local + everywhere
        hidden = self.mlp(both)
        return [near, local, far, everywhere, hidden, self.norm3(both + hidden)]
"""

_RENAMES = {
    "conv.weight": "conv.lin.weight",
    "mlp.2.": "mlp.3.",
    "norm1.": "norm1.module.",
    "norm2.": "norm2.module.",
    "norm3.": "norm3.module.",
}


def truth(inputs: Arrays, weights: Arrays) -> list[Array]:
    """Each layer by torch-geometric, in order."""
    _, nn = import_geometric()
    model = nn.GPSConv(_FEATURES, nn.GCNConv(_FEATURES, _FEATURES), heads=_HEADS)
    out, calls = record(model, weights, [inputs["x"], inputs["edge_index"]], _RENAMES)
    attention = calls["attn"][0].gave[0][0]
    near, local, everywhere, hidden = (
        calls[part][0].gave for part in ("conv", "norm1", "norm2", "mlp")
    )
    return [near, local, attention, everywhere, hidden, out]


def _norm(name: str) -> dict[str, tuple[int, ...]]:
    parts = ("weight", "bias", "running_mean", "running_var")
    return {f"{name}.{part}": (_FEATURES,) for part in parts}


ARCHITECTURES = (
    Architecture(
        name="GPSConv",
        category="graph",
        difficulty="medium",
        description=(
            "One layer that looks near and far at once. Near: a graph convolution with bias, "
            "normalised symmetrically (a loop is added to every node, an edge counts by the "
            "inverse roots of the numbers of edges into both of its ends, loops included). Far: "
            "scaled dot-product attention of every node to every node of the graph, with several "
            "heads and the edges left aside. Each has a residual connection and a batch "
            "normalisation; their sum passes a perceptron of two layers with a ReLU between, "
            "again with residual connection and batch normalisation. Implement the evaluation "
            "mode: batch normalisation by its running statistics, epsilon 1e-5, no dropout."
        ),
        formulation=(
            r"\begin{aligned} H_1 &= \mathrm{norm}_1(X + \mathrm{GCN}(X)), & "
            r"\mathrm{GCN}(X)_i &= b + \sum_{j \in N(i) \cup \{i\}} "
            r"\frac{V x_j}{\sqrt{(1 + |N(i)|)(1 + |N(j)|)}} \\ "
            r"H_2 &= \mathrm{norm}_2(X + \mathrm{MHA}(X, X, X)), & "
            r"Y &= \mathrm{norm}_3(H_1 + H_2 + \mathrm{MLP}(H_1 + H_2)) \end{aligned}"
        ),
        variables={
            "X": "the node features x",
            "N(i)": "the nodes j with an edge from j to i, without i",
            "V, b": "conv.weight and conv.bias",
            r"\mathrm{MHA}": (
                "multi-head attention with heads heads: attn.in_proj_weight and attn.in_proj_bias "
                "hold the projections to queries, keys and values one under the other, "
                "attn.out_proj the one after the heads are joined"
            ),
            r"\mathrm{MLP}": "mlp.0, ReLU, mlp.2",
            r"\mathrm{norm}_k": "norm1, norm2, norm3",
        },
        constructor="Model(channels: int, heads: int)",
        arguments={"channels": _FEATURES, "heads": _HEADS},
        inputs={
            "x": "node features, (nodes, channels)",
            "edge_index": "edges, (2, edges): sources in the first row, targets in the second",
        },
        parameters={
            "conv.weight": (_FEATURES, _FEATURES),
            "conv.bias": (_FEATURES,),
            "attn.in_proj_weight": (3 * _FEATURES, _FEATURES),
            "attn.in_proj_bias": (3 * _FEATURES,),
            "attn.out_proj.weight": (_FEATURES, _FEATURES),
            "attn.out_proj.bias": (_FEATURES,),
            "mlp.0.weight": (2 * _FEATURES, _FEATURES),
            "mlp.0.bias": (2 * _FEATURES,),
            "mlp.2.weight": (_FEATURES, 2 * _FEATURES),
            "mlp.2.bias": (_FEATURES,),
            **_norm("norm1"),
            **_norm("norm2"),
            **_norm("norm3"),
        },
        layers=(
            "the graph convolution",
            "H_1",
            "the attention, (nodes, channels)",
            "H_2",
            "the perceptron of H_1 + H_2",
            "Y, the output",
        ),
        reference=_REFERENCE,
        truth=truth,
        main=partial(draw_graph, nodes=24, features=_FEATURES, edges=60),
        unseen=partial(draw_graph, nodes=31, features=_FEATURES, edges=45),
    ),
)
