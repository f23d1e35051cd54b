"""Run a candidate's `Model` on given weights and inputs; a program of its own in the sandbox.

Reads model.py, settings.json, weights.safetensors, inputs.safetensors and, where there is one,
unseen.safetensors; writes result.safetensors and unseen_result.safetensors, whose layer_00,
layer_01, ... are the tensors that `forward` returned, in order.
"""

import importlib.util
import json
import sys
from pathlib import Path
from typing import Any

RESULTS = {
    "inputs.safetensors": "result.safetensors",
    "unseen.safetensors": "unseen_result.safetensors",
}


def run(folder: Path) -> None:
    """Run the candidate of a folder on every inputs file there; `ValueError` says what is wrong."""
    import torch
    from safetensors.torch import load_file, save_file

    torch.manual_seed(0)
    settings = json.loads((folder / "settings.json").read_text(encoding="utf-8"))
    candidate = _import(folder / "model.py")
    for given, result in RESULTS.items():
        if not (folder / given).is_file():
            continue
        model = candidate.Model(**settings["arguments"])
        _load(model, load_file(folder / "weights.safetensors"))
        inputs = load_file(folder / given)
        with torch.no_grad():
            layers = model.eval()(*(inputs[name] for name in settings["inputs"]))
        save_file(_name(layers), folder / result)


def _import(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location("model", path)
    if spec is None or spec.loader is None:
        raise ValueError(f"{path.name} is not a Python file.")
    module = importlib.util.module_from_spec(spec)
    sys.modules["model"] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    if not hasattr(module, "Model"):
        raise ValueError(f"{path.name} has no class Model.")
    return module


def _load(model: Any, weights: dict[str, Any]) -> None:
    """Set every parameter; buffers of the candidate's own are free to be there."""
    if own := {name for name, _ in model.named_parameters()} - set(weights):
        raise ValueError(f"Model has parameters that are not asked for: {sorted(own)}.")
    missing = model.load_state_dict(weights, strict=False).unexpected_keys
    if missing:
        raise ValueError(f"Model lacks the parameters {sorted(missing)}.")


def _name(layers: Any) -> dict[str, Any]:
    import torch

    if not isinstance(layers, list | tuple):
        raise ValueError(f"forward must return a list of tensors, not {type(layers).__name__}.")
    for i, layer in enumerate(layers):
        if not isinstance(layer, torch.Tensor):
            raise ValueError(f"Layer {i} must be a tensor, not {type(layer).__name__}.")
    return {f"layer_{i:02}": _plain(layer) for i, layer in enumerate(layers)}


def _plain(layer: Any) -> Any:
    """A copy, since safetensors refuses shared memory; double, or half where it is, for numpy."""
    import torch

    copy = layer.detach().clone().contiguous()
    is_wide = copy.is_floating_point() and copy.dtype != torch.float16
    return copy.double() if is_wide else copy


if __name__ == "__main__":
    run(Path())
