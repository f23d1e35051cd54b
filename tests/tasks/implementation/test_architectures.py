"""Architectures to implement: our references against torch-geometric, and the driver."""

import json
import subprocess
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load, save
from tests.tasks.implementation.item_rounds import needs_neural

from vivavoce.metrics.architecture import score_architecture
from vivavoce.tasks.implementation.items import driver
from vivavoce.tasks.implementation.items.architecture import (
    Architecture,
    build_case,
    draw_case,
    draw_weights,
    list_architectures,
)
from vivavoce.tasks.implementation.items.architectures import draw_graph

pytestmark = needs_neural
ARCHITECTURES = list_architectures()
each_architecture = pytest.mark.parametrize("name", list(ARCHITECTURES))


@cache
def case_of(name: str, seed: int = 1) -> dict[str, bytes]:
    """The case of an architecture, made once: it is data alone."""
    return build_case(ARCHITECTURES[name], seed)


def prepare(folder: Path, architecture: Architecture, model: str) -> None:
    """What the sandbox holds before the driver starts."""
    case = case_of(architecture.name)
    (folder / "model.py").write_text(model, encoding="utf-8")
    (folder / "settings.json").write_text(architecture.settings(), encoding="utf-8")
    (folder / "weights.safetensors").write_bytes(case["weights"])
    (folder / "inputs.safetensors").write_bytes(case["inputs"])
    (folder / "unseen.safetensors").write_bytes(case["unseen_inputs"])


def results(folder: Path) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    names = ("result.safetensors", "unseen_result.safetensors")
    main, unseen = (load((folder / name).read_bytes()) for name in names)
    return main, unseen


@each_architecture
def test_the_reference_equals_torch_geometric_to_the_last_bit(name: str, tmp_path: Path) -> None:
    architecture = ARCHITECTURES[name]
    weights, *inputs = draw_case(architecture, 1)
    prepare(tmp_path, architecture, architecture.reference)

    driver.run(tmp_path)

    for given, result in zip(inputs, results(tmp_path), strict=True):
        gold = dict(zip(sorted(result), architecture.truth(given, weights), strict=True))
        assert len(gold) == len(architecture.layers)
        assert {key: value.shape for key, value in result.items()} == {
            key: value.shape for key, value in gold.items()
        }
        assert max(float(np.abs(gold[key] - result[key]).max()) for key in gold) == 0.0
        assert all(value.std() > 0.01 for value in gold.values())  # weights that tell layers apart
        assert score_architecture(gold, result)[0] == {"tsc": 1.0, "tvc": 1.0}


@each_architecture
def test_the_same_seed_gives_the_same_bytes_and_another_seed_others(name: str) -> None:
    architecture = ARCHITECTURES[name]
    case = case_of(name)

    assert build_case(architecture, 1) == case
    other = case_of(name, 2)
    for part in ("weights", "inputs", "gold", "unseen_inputs", "unseen_gold"):
        assert other[part] != case[part]


@each_architecture
def test_the_unseen_graph_is_another_one(name: str) -> None:
    case = case_of(name)
    main, unseen = load(case["inputs"]), load(case["unseen_inputs"])

    assert set(main) == set(unseen) == set(ARCHITECTURES[name].inputs)
    assert any(main[key].shape != unseen[key].shape for key in main)


def test_the_energy_of_a_molecule_does_not_change_when_it_is_rotated() -> None:
    visnet = ARCHITECTURES["ViSNet"]
    inputs = load(case_of("ViSNet")["inputs"])
    weights = draw_weights(visnet, 0)
    quarter_turn = np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1]], dtype=np.float32)

    still = visnet.truth(inputs, weights)[-1]
    turned = visnet.truth(inputs | {"pos": inputs["pos"] @ quarter_turn.T}, weights)[-1]

    np.testing.assert_allclose(turned, still, rtol=1e-4)


def test_a_directed_mean_by_hand(tmp_path: Path) -> None:
    """Edges 0 -> 1 and 2 -> 1, features 1, 2, 3; every weight 1, every bias 0, alpha 0.3."""
    names = ("conv_in", "conv_out", "lin")
    weights = {f"{name}.weight": np.ones((1, 1), np.float32) for name in names}
    weights |= {f"{name}.bias": np.zeros(1, np.float32) for name in names}
    inputs = {"x": np.array([[1], [2], [3]], np.float32), "edge_index": np.array([[0, 2], [1, 1]])}
    arguments = {"in_channels": 1, "out_channels": 1, "alpha": 0.3}
    settings = {"arguments": arguments, "inputs": ["x", "edge_index"]}
    (tmp_path / "model.py").write_text(ARCHITECTURES["DirGNN"].reference, encoding="utf-8")
    (tmp_path / "settings.json").write_text(json.dumps(settings), encoding="utf-8")
    (tmp_path / "weights.safetensors").write_bytes(save(weights))
    (tmp_path / "inputs.safetensors").write_bytes(save(inputs))

    driver.run(tmp_path)

    layers = load((tmp_path / "result.safetensors").read_bytes())
    assert layers["layer_00"].ravel().tolist() == [0, 2, 0]  # into 1: (1 + 3) / 2
    assert layers["layer_02"].ravel().tolist() == [2, 0, 2]  # out of 0 and of 2: node 1
    # 0.3 * 2 + 1 = 1.6; 0.7 * 2 + 2 = 3.4; 0.3 * 2 + 3 = 3.6
    assert layers["layer_05"].ravel().tolist() == pytest.approx([1.6, 3.4, 3.6])
    assert not (tmp_path / "unseen_result.safetensors").exists()


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        ("class Model", "class Network", "model.py has no class Model"),
        ("return layers", "return layers[-1]", "must return a list of tensors, not Tensor"),
        ("layers.append(x)\n        return", "layers.append(1)\n        return", "Layer 8 must be"),
        ("self.lins", "self.linears", "not asked for: ['linears.0.bias'"),
        ("affine=False", "affine=True", "not asked for: ['norm.bias', 'norm.weight']"),
        (" + [out_channels]", "", "lacks the parameters ['lins.2.bias', 'lins.2.weight']"),
    ],
)
def test_the_driver_names_what_is_bad(right: str, wrong: str, message: str, tmp_path: Path) -> None:
    pmlp = ARCHITECTURES["PMLP"]
    assert right in pmlp.reference
    prepare(tmp_path, pmlp, pmlp.reference.replace(right, wrong))

    with pytest.raises(ValueError, match=r"\w") as error:
        driver.run(tmp_path)

    assert message in str(error.value)


def test_half_precision_layers_can_be_read_back(tmp_path: Path) -> None:
    pmlp = ARCHITECTURES["PMLP"]
    shorter = pmlp.reference.replace("return layers", "return [x.bfloat16() for x in layers]")
    prepare(tmp_path, pmlp, shorter)

    driver.run(tmp_path)

    score = score_architecture(load(case_of("PMLP")["gold"]), results(tmp_path)[0])
    assert score[0]["tvc"] is not None
    assert 0.99 < score[0]["tvc"] < 1.0


def test_edges_are_distinct_and_no_loops() -> None:
    # 4 nodes have 4 * 3 directed edges: drawing 12 must give each of them once
    graph = draw_graph(np.random.default_rng(0), nodes=4, features=2, edges=12)

    pairs = sorted(zip(*graph["edge_index"].tolist(), strict=True))
    assert pairs == [(i, j) for i in range(4) for j in range(4) if i != j]


def test_listing_the_architectures_does_not_load_torch() -> None:
    program = (
        "import sys\n"
        "from vivavoce.tasks.implementation.items.architecture import list_architectures\n"
        "list_architectures()\n"
        "sys.exit('torch' in sys.modules)\n"
    )

    ended = subprocess.run([sys.executable, "-c", program], check=False)

    assert ended.returncode == 0
