"""Random models, small and the same each time, with the files that such models have on the hub."""

import json
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

NEEDS_NEURAL = "needs pip install 'vivavoce[neural]'"


def needs(*packages: str) -> pytest.MarkDecorator:
    """Skips tests where a package is missing; to look for it does not take the time to load it."""
    is_missing = any(find_spec(package) is None for package in packages)
    return pytest.mark.skipif(is_missing, reason=NEEDS_NEURAL)


def save_bert(
    folder: Path,
    vocabulary: Sequence[str],
    positions: int,
    *,
    seed: int = 0,
    is_told: bool = False,
    **config: Any,
) -> str:
    """Write a BERT of two layers into a folder; its tokenizer knows the vocabulary alone.

    `is_told` says whether the tokenizer's settings tell how many positions the model has.
    """
    torch = pytest.importorskip("torch", reason=NEEDS_NEURAL)
    transformers = pytest.importorskip("transformers", reason=NEEDS_NEURAL)
    torch.manual_seed(seed)
    sizes = {
        "vocab_size": len(vocabulary),
        "hidden_size": 16,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "intermediate_size": 32,
        "max_position_embeddings": positions,
    }
    shape = transformers.BertConfig(**{**sizes, **config})
    transformers.BertModel(shape).save_pretrained(folder)
    (folder / "vocab.txt").write_text("\n".join(vocabulary) + "\n")
    settings = {"do_lower_case": True, **({"model_max_length": positions} if is_told else {})}
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))
    return str(folder)
