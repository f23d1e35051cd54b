"""Architectures through `viva run`: modules of a scripted model, run in the sandbox and scored."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from safetensors.numpy import load
from tests.servers.scripted import Ask, Reply, answer, slot
from tests.tasks.implementation.item_rounds import contest, needs_neural, round_of
from tests.tasks.samples import samples_of

from vivavoce.errors import InputError, MissingExtra
from vivavoce.rounds import Round
from vivavoce.tasks.implementation.items.architecture import list_architectures
from vivavoce.tasks.implementation.scorer import architecture_trials

pytestmark = [pytest.mark.sandbox, needs_neural]

TWO = ["DirGNN", "PMLP"]
NAMES = ("tvc", "match", "tsc", "tvc_unseen", "tsc_unseen", "exe")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("architectures")


@pytest.fixture(scope="module")
def opened(folder: Path) -> Round:
    """Two small items."""
    return round_of(folder, architectures=TWO)


REFERENCE = {name: list_architectures()[name].reference for name in TWO}


def returning(layers: str, item: str = "DirGNN") -> str:
    """The reference with another list of layers made of its own."""
    return (
        f"{REFERENCE[item]}\n\nclass Model(Model):\n    def forward(self, x, edge_index):\n"
        f"        layers = super().forward(x, edge_index)\n        return {layers}\n"
    )


FORGED = """\
import os, struct, torch
torch.equal = torch.allclose = lambda *_, **__: True
header = b'{"layer_00":{"dtype":"F64","shape":[1],"data_offsets":[0,8]}}'
for name in ("result.safetensors", "unseen_result.safetensors"):
    with open(name, "wb") as stream:
        stream.write(struct.pack("<Q", len(header)) + header + bytes(8))
os._exit(0)
"""
PICKLE = """\
import os
import torch

class Trap:
    def __reduce__(self):
        return os.system, ("touch <canary>",)

for name in ("result.safetensors", "unseen_result.safetensors"):
    torch.save({"layer_00": Trap()}, name)
os._exit(0)
"""
FIXED_SIZE = REFERENCE["DirGNN"].replace(
    "source, target = edge_index", "source, target = edge_index; assert len(x) == 24"
)
LINK = """\
import os
for name in ("result.safetensors", "unseen_result.safetensors"):
    os.symlink("/etc/passwd", name)
os._exit(0)
"""


NOTHING = dict.fromkeys(NAMES, 0.0)
ALL_RIGHT = dict.fromkeys(NAMES, 1.0)
# The last of six layers has the weight 1.1^6 of 1.1 + ... + 1.1^6.
FIVE_OF_SIX = pytest.approx(1 - 1.1**6 / sum(1.1**i for i in range(1, 7)))
AS_DOUBLE = "[layer.double() * (1 + 1e-7) for layer in layers]"
# What an answer tries, on which item, with which program; its fault and what it reaches.
TRIALS = {
    "good": ("DirGNN", REFERENCE["DirGNN"], None, ALL_RIGHT),
    "one_less": (
        "DirGNN",
        returning("layers[:-1]"),
        "wrong_shape",
        {"tvc": FIVE_OF_SIX, "tsc": FIVE_OF_SIX, "match": pytest.approx(5 / 6)},
    ),
    "forged": ("DirGNN", FORGED, "wrong_shape", {"match": 0.0}),
    "fixed_size": (
        "DirGNN",
        FIXED_SIZE,
        "error",
        {"tvc": 1.0, "tsc": 1.0, "exe": 1.0, "tvc_unseen": 0.0, "tsc_unseen": 0.0, "match": 0.5},
    ),
    "in_double": ("PMLP", returning(AS_DOUBLE, "PMLP"), None, ALL_RIGHT),
    "no_list": ("PMLP", returning("layers[-1]", "PMLP"), "error", NOTHING),
    "huge": ("PMLP", returning("[torch.zeros(3000, 3000)]", "PMLP"), "unreadable", NOTHING),
    "pickle": ("PMLP", PICKLE, "unreadable", NOTHING),
    "link": ("PMLP", LINK, "unreadable", NOTHING),
    "early": ("DirGNN", "import os\nos._exit(0)\n", "no_file", NOTHING),
}


@pytest.fixture(scope="module")
def scored(opened: Round, tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """Values and faults by what an answer tries."""
    folder = tmp_path_factory.mktemp("answers")
    canary = folder / "canary"

    def script(ask: Ask) -> Reply:
        item = slot(ask.prompt, "name")
        name = [name for name, trial in TRIALS.items() if trial[0] == item][ask.turn - 1]
        program = TRIALS[name][1].replace("<canary>", str(canary))
        return answer(f"{name}\n```python\n{program}```")

    rows = contest("architecture", opened, folder / "logs", script, epochs=len(TRIALS) // 2)
    assert not canary.exists()
    return {row["answer"].split("\n")[0]: row for row in rows}


@pytest.mark.slow
@pytest.mark.parametrize("name", TRIALS)
def test_answers_are_scored_and_faults_named(scored: dict[str, dict[str, Any]], name: str) -> None:
    _, _, fault, values = TRIALS[name]
    row = scored[name]
    assert (row["fault"], row["valid"]) == (fault, fault is None)
    assert {metric: row[metric] for metric in values} == values


def test_a_model_that_does_not_end_is_stopped(opened: Round, tmp_path: Path) -> None:
    sleeper = answer("```python\nimport time\ntime.sleep(1000)\n```")
    options = {"task_args": {"timeout": 1}, "limit": 1}
    rows = contest("architecture", opened, tmp_path, lambda ask: sleeper, **options)
    assert [row["fault"] for row in rows] == ["timeout"]
    assert {row[name] for row in rows for name in NAMES} == {0.0}


@pytest.mark.slow
def test_a_model_that_refines_sees_how_its_own_module_failed(opened: Round, tmp_path: Path) -> None:
    def script(ask: Ask) -> Reply:
        first = ask.body["messages"][0]["content"]
        name = slot(first if isinstance(first, str) else first[0]["text"], "name")
        if len(ask.body["messages"]) == 1:
            return answer(f"```python\n{REFERENCE[name].replace('class Model', 'class Net')}```")
        assert "model.py has no class Model" in ask.prompt
        return answer(f"```python\n{REFERENCE[name]}```")

    options = {"methods": ["self_refine"], "limit": 1}
    rows = contest("architecture", opened, tmp_path, script, **options)
    assert {row[name] for row in rows for name in NAMES} == {1.0}


def test_a_prompt_holds_the_item_and_not_its_reference(opened: Round) -> None:
    for sample in samples_of("architecture", opened):
        item, text = list_architectures()[str(sample.id)], str(sample.input)
        assert slot(text, "description") == item.description
        assert item.constructor in slot(text, "constructor")
        for name, value in item.arguments.items():
            assert f"{name}={value}" in slot(text, "constructor")
        for key, shape in item.parameters.items():
            assert f"- {key}: {shape}" in slot(text, "parameters")
        assert [line[:6] for line in slot(text, "inputs").splitlines()] == ["- x: n", "- edge"]
        last = slot(text, "layers").splitlines()[-1]
        assert last == f"{len(item.layers)}. {item.layers[-1]}"
        assert sample.target == item.reference
        assert not any(
            len(line) > 20 and line.strip() in text for line in item.reference.splitlines()
        )


def test_the_gold_does_not_go_into_the_sandbox(opened: Round) -> None:
    for trial in architecture_trials(str(opened.folder)).values():
        gold = {layer.tobytes() for layer in (*trial.gold.values(), *trial.unseen_gold.values())}
        for name, content in trial.files.items():
            if name.endswith(".safetensors"):
                assert not gold & {array.tobytes() for array in load(content).values()}


def test_a_round_has_the_architectures_its_spec_names(folder: Path, opened: Round) -> None:
    rows = opened.items("implementation", "architecture")
    assert [row["id"] for row in rows] == [row["cluster"] for row in rows] == TWO
    assert [(row["category"], row["difficulty"]) for row in rows] == [
        ("graph", "medium"),
        ("graph", "easy"),
    ]
    assert json.loads(rows[0]["parameters"])["lin.weight"] == [6, 8]
    with pytest.raises(InputError, match=r"there is no 'GCN'; available: AntiSymmetric, DirGNN"):
        round_of(folder, "unknown", architectures=["GCN"])


def test_without_torch_geometric_a_spec_has_to_do_without_architectures(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch_geometric.nn", None)
    for architectures in (None, TWO):
        with pytest.raises(MissingExtra, match=r"`architectures = \[\]`.*'vivavoce\[neural\]'"):
            round_of(folder, "bare", architectures=architectures)
