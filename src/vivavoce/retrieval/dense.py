"""Passages and queries as vectors of a neural encoder, compared by inner product or cosine.

Any encoder that sentence-transformers can load from safetensors works: a preset, a folder, or a
name on the hub. The same texts in the same order give the same vectors on the same machine; another
machine, thread count or batch may change the last digits.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from vivavoce.errors import InputError, VivaError
from vivavoce.retrieval import Hit, best_hits, check_limit, check_queries
from vivavoce.retrieval.presets import (
    Preset,
    find_folder,
    find_preset,
    load_model,
)

Floats = NDArray[np.float32]
Side = Literal["passage", "query"]

_BATCH = 32
_QUERIES_AT_ONCE = 64
_PROMPTS = {"passage": ("document", "passage", "corpus"), "query": ("query",)}
"""Names that models give to the prompts of each side."""


@dataclass(frozen=True, slots=True)
class Embeddings:
    """The vectors of some texts."""

    vectors: Floats
    """One row for each text, with norm 1 if the model compares by cosine."""
    is_truncated: NDArray[np.bool_]
    """True for texts longer than the model's limit, whose ends were cut off."""

    @property
    def truncated(self) -> int:
        """Number of truncated texts."""
        return int(self.is_truncated.sum())


class Encoder:
    """A loaded model that turns texts into vectors.

    Args:
        preset: The model to load and its settings.
        side: The texts to encode: passages or queries.
        device: Where it runs, by the name torch has for it.

    Raises:
        MissingExtra: sentence-transformers is not installed.
        InputError: The model cannot be found or loaded.
    """

    def __init__(
        self,
        preset: Preset,
        side: Side = "passage",
        *,
        device: str = "cpu",
    ) -> None:
        self.folder = find_folder(preset.passages if side == "passage" else preset.queries)
        self._preset = preset
        self._side = side
        self._model = load_model(preset, self.folder, device)
        self.similarity = preset.similarity or str(self._model.similarity_fn_name)
        if self.similarity not in ("cosine", "dot"):
            raise InputError(
                f"{self.folder} compares by {self.similarity}; only cosine and dot are supported."
            )
        self.max_tokens: int = self._model.max_seq_length

    def embed(self, texts: Sequence[str]) -> Embeddings:
        """The vector of each text, in order.

        Each distinct text is encoded once. `VivaError` if the model gives vectors that are not
        finite.
        """
        if isinstance(texts, str):
            raise InputError("embed takes a list of texts; put a single text into a list.")
        # Tokenizers refuse lone surrogates.
        clean = [text.encode("utf-8", "replace").decode("utf-8") for text in texts]
        distinct = {text: place for place, text in enumerate(dict.fromkeys(clean))}
        places = np.array([distinct[text] for text in clean], dtype=np.int64)
        if not distinct:
            return Embeddings(np.zeros((0, 0), dtype=np.float32), np.zeros(0, dtype=np.bool_))
        embedded = self._encode(list(distinct))
        return Embeddings(embedded.vectors[places], embedded.is_truncated[places])

    def paper_text(self, title: str, abstract: str) -> str:
        """A paper in the model's training format: title, separator, abstract."""
        between = " "
        if self._preset.joint == "sep" and self._model.tokenizer.sep_token:
            between = self._model.tokenizer.sep_token
        return f"{title}{between}{abstract}" if abstract else title

    @property
    def _prompt(self) -> str:
        prompts = self._model.prompts
        return next((prompts[key] for key in _PROMPTS[self._side] if prompts.get(key)), "")

    def _encode(self, texts: list[str]) -> Embeddings:
        is_query = self._side == "query"
        encode = self._model.encode_query if is_query else self._model.encode_document
        vectors: Floats = encode(
            texts,
            prompt=self._prompt,
            batch_size=_BATCH,
            show_progress_bar=False,
            normalize_embeddings=self.similarity == "cosine",
        )
        if not np.isfinite(vectors).all():
            raise VivaError(
                f"{self.folder} gives vectors that are not finite: its weights are damaged."
            )
        tokens = self._model.tokenizer(
            [self._prompt + text for text in texts], truncation=False, verbose=False
        )
        is_truncated = [len(ids) > self.max_tokens for ids in tokens["input_ids"]]
        return Embeddings(vectors, np.array(is_truncated, dtype=np.bool_))


class Encoders(NamedTuple):
    """Encoders of the two sides of a search, often the same model."""

    passages: Encoder
    queries: Encoder


def open_encoders(
    model: str,
    *,
    passages: str | None = None,
    queries: str | None = None,
    device: str = "cpu",
) -> Encoders:
    """Load a preset, or any other encoder.

    Args:
        model: The name of a preset, a folder, or a name on the hub (`NAME@REVISION` for one
            revision).
        passages: Folder or hub name of the passages' weights; by default the preset's.
        queries: Folder or hub name of the queries' weights; by default that of the passages, unless
            the preset has two encoders.
        device: Where it runs.

    Raises:
        MissingExtra: sentence-transformers is not installed.
        InputError: The model cannot be found or loaded.
    """
    preset = find_preset(model)
    new = passages or preset.passages
    is_one = preset.passages == preset.queries
    preset = replace(preset, passages=new, queries=queries or (new if is_one else preset.queries))
    one = Encoder(preset, "passage", device=device)
    if preset.queries == preset.passages:
        other = copy(one)  # the same weights, with the prompt of queries
        other._side = "query"
        return Encoders(one, other)
    return Encoders(one, Encoder(preset, "query", device=device))


class DenseRetriever:
    """Passages ranked by the similarity of their vectors to the query's.

    Equal passages have exactly equal scores. `truncated_passages` and `truncated_queries` count the
    texts that were too long for the model.
    """

    def __init__(self, passages: Sequence[str], encoders: Encoders) -> None:
        distinct = {text: place for place, text in enumerate(dict.fromkeys(passages))}
        self._places = np.array([distinct[text] for text in passages], dtype=np.int64)
        self._encoder = encoders.queries
        embedded = encoders.passages.embed(list(distinct))
        self._vectors = embedded.vectors
        self.truncated_passages = int(embedded.is_truncated[self._places].sum())
        self.truncated_queries = 0

    def search(self, query: str, k: int) -> list[Hit]:
        """The k best passages; none for a blank query."""
        return self.search_many([query], k)[0]

    def search_many(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        """The k best passages for each query."""
        check_limit(k)
        check_queries(queries)
        hits: list[list[Hit]] = [[] for _ in queries]
        asked = [place for place, query in enumerate(queries) if query.strip()]
        if not len(self) or not asked:
            return hits
        embedded = self._encoder.embed([queries[place] for place in asked])
        self.truncated_queries += embedded.truncated
        for start in range(0, len(asked), _QUERIES_AT_ONCE):
            part = slice(start, start + _QUERIES_AT_ONCE)
            scores = embedded.vectors[part] @ self._vectors.T
            for place, row in zip(asked[part], scores, strict=True):
                hits[place] = best_hits(row[self._places], k)
        return hits

    def __len__(self) -> int:
        return len(self._places)
