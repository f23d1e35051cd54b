"""BERTScore: texts compared in the embedding space of an encoder.

It measures how well the tokens of two texts match. With x_i the embeddings of the prediction's
tokens and y_j those of the reference's, at unit length, from one hidden layer of an encoder:

    P = mean_i max_j x_i . y_j      R = mean_j max_i x_i . y_j      F1 = 2 P R / (P + R)

The means leave out the tokens that open and close a text; a maximum may fall on them. There is
no inverse document frequency and no rescaling. A text without a token scores 0. Texts are cut at
512 tokens, the opening and the closing one included. Negative values, which no trained model
gives, are 0. The package bert-score gives the same values, except for a token without any positive
cosine: there, its value depends on the lengths of the other texts in the batch.

Source: Zhang et al. 2020, BERTScore, section 3; the layers of the presets are those of its
authors' study of correlation with human judgement.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from logging import ERROR
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vivavoce.errors import InputError, MissingExtra
from vivavoce.metrics import Measure, TextMetric, harmonic_mean
from vivavoce.text import read_data

if TYPE_CHECKING:
    import torch


PRESETS: dict[str, int] = read_data(__file__, "neural.toml")
"""Model -> the layer whose embeddings are compared."""

MAX_TOKENS = 512
_BATCH = 32
_MAX_CHARACTERS = 100_000
_CHUNK_TOKENS = 65_536  # of new texts before memory is released; 268 MB at 1,024 floats


NAMES = ("bertscore_p", "bertscore_r", "bertscore_f1")


@dataclass(frozen=True, slots=True)
class _Embedding:
    vectors: torch.Tensor
    """One row per token, at unit length."""
    counts: torch.Tensor
    """Flags of the tokens that count in the mean."""


class BertScorer:
    """A model, loaded once, that scores any number of pairs.

    `model` is a name on the hub or a folder; `layer` may be left out for the models of `PRESETS`.
    Raises `MissingExtra` without torch and transformers, `InputError` for an unknown model or
    layer.
    """

    def __init__(self, model: str, layer: int | None = None) -> None:
        if layer is None and model not in PRESETS:
            raise InputError(
                f"The layer of {model} to compare is not known. Give a layer, or choose a model "
                f"with a preset: {', '.join(PRESETS)}."
            )
        self.layer = PRESETS[model] if layer is None else layer
        self._tokenizer, self._model = _load(model, self.layer)
        self._max_tokens = min(MAX_TOKENS, self._tokenizer.model_max_length)

    def score(self, pairs: Sequence[tuple[str, str]]) -> list[dict[str, float]]:
        """Values of (prediction, reference) pairs, in the same order.

        Each distinct text is encoded once, so systems that share references are best scored
        together. Pairs with the same reference are scored one after another, and a text's embedding
        is dropped after its last pair, so memory does not grow with the number of pairs.
        """
        clean = [(_clean(prediction), _clean(reference)) for prediction, reference in pairs]
        tokens = self._tokenize(sorted({text for pair in clean for text in pair}))
        scores = [dict.fromkeys(NAMES, 0.0)] * len(pairs)
        order = sorted(
            (index for index, pair in enumerate(clean) if all(tokens[text] for text in pair)),
            key=lambda index: (-len(tokens[clean[index][1]]), clean[index][1], clean[index][0]),
        )
        uses = Counter(text for index in order for text in clean[index])
        known: dict[str, _Embedding] = {}
        for chunk in self._chunks(order, clean, tokens):
            new = {text: None for index in chunk for text in clean[index] if text not in known}
            known |= self._encode({text: tokens[text] for text in new})
            for index in chunk:
                prediction, reference = clean[index]
                scores[index] = _match(known[prediction], known[reference])
                for text in clean[index]:
                    uses[text] -= 1
                    if not uses[text]:
                        del known[text]
        return scores

    def _tokenize(self, texts: Sequence[str]) -> dict[str, list[int]]:
        """Token ids by text; empty for a text with only opening and closing tokens."""
        tokens: dict[str, list[int]] = {text: [] for text in texts}
        written = [text for text in texts if text]
        if not written:
            return tokens
        batch = self._tokenizer(
            written, truncation=True, max_length=self._max_tokens, padding=False
        )
        edges = self._edges()
        for text, ids in zip(written, batch["input_ids"], strict=True):
            if any(token not in edges for token in ids):
                tokens[text] = ids
        return tokens

    def _edges(self) -> frozenset[int]:
        return frozenset({self._tokenizer.cls_token_id, self._tokenizer.sep_token_id})

    def _chunks(
        self,
        order: Sequence[int],
        pairs: Sequence[tuple[str, str]],
        tokens: dict[str, list[int]],
    ) -> Iterator[list[int]]:
        """Cut the pairs into chunks whose new texts just reach the token limit."""
        seen: set[str] = set()
        chunk: list[int] = []
        size = 0
        for index in order:
            for text in pairs[index]:
                size += 0 if text in seen else len(tokens[text])
                seen.add(text)
            chunk.append(index)
            if size >= _CHUNK_TOKENS:
                yield chunk
                chunk, size = [], 0
        if chunk:
            yield chunk

    def _encode(self, tokens: dict[str, list[int]]) -> dict[str, _Embedding]:
        """Embed texts in batches of similar length."""
        import torch

        edges = torch.tensor(sorted(edge for edge in self._edges() if edge is not None))
        texts = sorted(tokens, key=lambda text: (-len(tokens[text]), text))
        embedded: dict[str, _Embedding] = {}
        for start in range(0, len(texts), _BATCH):
            batch = texts[start : start + _BATCH]
            padded = self._tokenizer.pad(
                {"input_ids": [tokens[text] for text in batch]}, return_tensors="pt"
            )
            with torch.inference_mode():
                hidden = self._model(**padded).last_hidden_state
                unit = torch.nn.functional.normalize(hidden.float(), dim=-1).cpu()
            for text, vectors in zip(batch, unit, strict=True):
                ids = torch.tensor(tokens[text])
                counts = ~torch.isin(ids, edges)
                embedded[text] = _Embedding(vectors[: len(ids)].clone(), counts)
        return embedded


def _match(prediction: _Embedding, reference: _Embedding) -> dict[str, float]:
    similarity = prediction.vectors @ reference.vectors.T
    p = _unit_interval(similarity.amax(dim=1)[prediction.counts].mean().item())
    r = _unit_interval(similarity.amax(dim=0)[reference.counts].mean().item())
    return dict(zip(NAMES, (p, r, harmonic_mean(p, r) or 0.0), strict=True))


def _unit_interval(value: float) -> float:
    return min(1.0, max(0.0, value))


def _clean(text: str) -> str:
    """Clean a text for a tokenizer: no lone surrogates, no outer spaces, bounded length."""
    return text[:_MAX_CHARACTERS].encode("utf-8", "replace").decode("utf-8").strip()


def _load(model: str, layer: int) -> tuple[Any, Any]:
    try:
        import torch
    except ImportError as error:
        raise MissingExtra("torch", "neural", "BERTScore") from error
    try:
        from transformers import AutoConfig, AutoModel, AutoTokenizer
        from transformers.utils import logging
    except ImportError as error:
        raise MissingExtra("transformers", "neural", "BERTScore") from error
    verbosity = logging.get_verbosity()
    logging.set_verbosity(ERROR)  # the upper layers' weights are meant to be unused
    try:
        config = AutoConfig.from_pretrained(model)
        if config.is_encoder_decoder or not 0 < layer <= config.num_hidden_layers:
            raise InputError(
                f"Layer {layer} of {model} cannot be compared: choose an encoder and a layer "
                f"from 1 to {config.num_hidden_layers}."
            )
        config.num_hidden_layers = layer
        tokenizer = AutoTokenizer.from_pretrained(model)
        loaded = AutoModel.from_pretrained(
            model, config=config, dtype=torch.float32, use_safetensors=True
        )
    except (OSError, ValueError) as error:
        raise InputError(
            f"{model} cannot be loaded: {error}. Give the name of a model on the hub, or a folder "
            "with its config, weights and tokenizer."
        ) from error
    finally:
        logging.set_verbosity(verbosity)
    return tokenizer, loaded.eval()


PAPERS_OWN = "microsoft/deberta-xlarge-mnli"
"""Model used for AcademicEval's tables."""


def _open(model: str = PAPERS_OWN, layer: int | None = None) -> Measure:
    scorer = BertScorer(model, layer)
    name = Path(model).name if Path(model).is_dir() else model
    return Measure(scorer.score, {"model": name, "layer": scorer.layer})


TEXT_METRICS = (TextMetric("bertscore", "writing", NAMES, _open, ("model", "layer")),)
