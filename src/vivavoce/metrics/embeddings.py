"""How alike two texts are to a sentence encoder: the cosine of their mean token vectors.

With h_k the last hidden state of token k of a text of n tokens, its vector is (1/n) Σ h_k, padding
left out. A cosine below 0 counts as 0, and so does a text without words. Texts are cut at the
model's own limit, at most 512 tokens.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from vivavoce.errors import InputError, MissingExtra
from vivavoce.text.normalise import clean_text

_MAX_TOKENS = 512
_MAX_CHARACTERS = 20_000
_BATCH = 32


class SentenceEncoder:
    """A model, loaded once, that compares any number of pairs of texts.

    `model` is a name on the hub or a folder with config, weights (safetensors) and tokenizer.
    `MissingExtra` without torch and transformers, `InputError` for a model that cannot be loaded.
    """

    def __init__(self, model: str) -> None:
        self._tokenizer, self._model = _load(model)
        self._max_tokens = min(_MAX_TOKENS, self._tokenizer.model_max_length)

    def similarity(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """The similarity of each pair, from 0 to 1, in their order."""
        import torch

        clean = [(_clean(one), _clean(other)) for one, other in pairs]
        texts = sorted({text for pair in clean for text in pair if text})
        vectors: dict[str, Any] = {}
        for start in range(0, len(texts), _BATCH):
            batch = texts[start : start + _BATCH]
            vectors.update(zip(batch, self._encode(batch), strict=True))
        found = []
        for one, other in clean:
            cosine = torch.dot(vectors[one], vectors[other]).item() if one and other else 0.0
            found.append(1.0 if one and one == other else min(1.0, max(0.0, cosine)))
        return found

    def _encode(self, texts: Sequence[str]) -> Any:
        """Vectors of unit length, one row a text."""
        import torch

        batch = self._tokenizer(
            list(texts),
            truncation=True,
            max_length=self._max_tokens,
            padding=True,
            return_tensors="pt",
        )
        with torch.inference_mode():
            hidden = self._model(**batch).last_hidden_state.float()
            mask = batch["attention_mask"].unsqueeze(-1).float()
            mean = (hidden * mask).sum(dim=1) / mask.sum(dim=1)
            return torch.nn.functional.normalize(mean, dim=-1)


def _clean(text: str) -> str:
    return clean_text(text[:_MAX_CHARACTERS]).strip()


def _load(model: str) -> tuple[Any, Any]:
    what = "comparing descriptions with a sentence encoder"
    try:
        import torch
    except ImportError as error:
        raise MissingExtra("torch", "neural", what) from error
    try:
        from transformers import AutoModel, AutoTokenizer
    except ImportError as error:
        raise MissingExtra("transformers", "neural", what) from error
    try:
        tokenizer = AutoTokenizer.from_pretrained(model)
        loaded = AutoModel.from_pretrained(model, dtype=torch.float32, use_safetensors=True)
    except (OSError, ValueError) as error:
        raise InputError(
            f"{model} cannot be loaded: {error}. Give the name of a model on the hub, or a folder "
            "with its config, weights and tokenizer."
        ) from error
    return tokenizer, loaded.eval()
