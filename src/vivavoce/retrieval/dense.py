"""Passages and queries as vectors of a neural encoder, compared by inner product or cosine.

Any encoder that transformers can run from safetensors serves: a preset, a folder, or a name on
the hub. Pickled weights are never read. The same texts in the same order give the same vectors
on the same machine; another machine, thread count or batch can change their last digits.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from vivavoce.errors import InputError, VivaError
from vivavoce.retrieval import Hit, best_hits, check_limit, check_queries
from vivavoce.retrieval.presets import (
    MODEL_FILES,
    PRESETS,
    Preset,
    Side,
    find_folder,
    find_preset,
    load_model,
    load_projection,
    read_settings,
    token_limit,
)
from vivavoce.store import hash_file, hash_of, write_bytes

Floats = NDArray[np.float32]

SHARD = 1_024
"""Texts that are encoded, and kept on disk, together."""

_FORMAT = 1
_CHARACTERS_A_TOKEN = 64
_QUERIES_AT_ONCE = 64


@dataclass(frozen=True, slots=True)
class Embedded:
    """The vectors of some texts."""

    vectors: Floats
    """One row a text; of length 1 where the model compares by cosine."""
    is_truncated: NDArray[np.bool_]
    """True for texts longer than the model can take, whose ends went unread."""

    @property
    def truncated(self) -> int:
        """Number of texts that were cut."""
        return int(self.is_truncated.sum())


class Encoder:
    """A model, loaded once, that turns texts into vectors.

    Args:
        preset: What to load and how to pool it.
        side: Whether passages or queries are to be encoded.
        batch_size: Texts in the model at once, which bounds its memory.
        device: Where it runs, by the name torch has for it.
        local_files_only: Never ask the hub, use only what was downloaded before.
        cache: A folder that keeps vectors for the next time; None for no such folder.

    Raises:
        MissingExtra: torch or transformers is not installed.
        InputError: The model cannot be found or loaded.
    """

    def __init__(
        self,
        preset: Preset,
        side: Side = "passage",
        *,
        batch_size: int = 32,
        device: str = "cpu",
        local_files_only: bool = False,
        cache: Path | None = None,
    ) -> None:
        self.preset = preset
        self.folder = find_folder(preset.model(side), local_files_only=local_files_only)
        self._prompt = preset.prompt(side)
        self._batch_size = batch_size
        self._device = device
        self._cache = cache
        self._tokenizer, self._model = load_model(preset, side, self.folder, device)
        self._projection = load_projection(preset, self.folder, device)
        self.max_tokens = token_limit(preset, self._tokenizer, self._model.config)
        self._identity = _identity(self) if cache else {}

    def embed(self, texts: Sequence[str]) -> Embedded:
        """The vector of each text, in their order.

        Each distinct text is encoded once, in shards of `SHARD`. `VivaError` for a model that
        gives something else than numbers.
        """
        if isinstance(texts, str):
            raise InputError("embed takes a list of texts; put a single one into a list.")
        clean = [self._clean(text) for text in texts]
        distinct = {text: place for place, text in enumerate(dict.fromkeys(clean))}
        places = np.array([distinct[text] for text in clean], dtype=np.int64)
        unique = list(distinct)
        shards = [
            self._shard(unique[start : start + SHARD]) for start in range(0, len(unique), SHARD)
        ]
        if not shards:
            return Embedded(np.zeros((0, 0), dtype=np.float32), np.zeros(0, dtype=np.bool_))
        vectors = np.concatenate([shard.vectors for shard in shards])
        is_truncated = np.concatenate([shard.is_truncated for shard in shards])
        return Embedded(vectors[places], is_truncated[places])

    def paper_text(self, title: str, abstract: str) -> str:
        """A paper as this model was trained to read it: title, separator, abstract."""
        between = " "
        if self.preset.joint == "sep" and self._tokenizer.sep_token:
            between = self._tokenizer.sep_token
        return f"{title}{between}{abstract}" if abstract else title

    def fingerprint(self) -> str:
        """Sha256 of all that decides the vector of a text: the model's files and how it is used."""
        return hash_of({**_identity(self), "prompt": self._prompt})

    def for_side(self, side: Side) -> Encoder:
        """The same weights with the other side's prompt."""
        other = copy(self)
        other._prompt = self.preset.prompt(side)
        return other

    def _clean(self, text: str) -> str:
        # What no token limit can reach is not worth reading, but must count as cut.
        longest = self.max_tokens * _CHARACTERS_A_TOKEN + 1
        return self._prompt + text[:longest].encode("utf-8", "replace").decode("utf-8")

    def _shard(self, texts: list[str]) -> Embedded:
        if self._cache is None:
            return self._encode(texts)
        path = self._cache / f"{hash_of({**self._identity, 'texts': texts})}.safetensors"
        kept = _read_cached(path, len(texts))
        if kept is None:
            kept = self._encode(texts)
            _write_cached(path, kept)
        return kept

    def _encode(self, texts: list[str]) -> Embedded:
        lengths = self._lengths(texts)
        order = [place for place in np.argsort(-lengths, kind="stable").tolist() if lengths[place]]
        rows: dict[int, Floats] = {}
        for start in range(0, len(order), self._batch_size):
            batch = order[start : start + self._batch_size]
            rows.update(zip(batch, self._forward([texts[place] for place in batch]), strict=True))
        # Where a tokenizer adds nothing to an empty text, the model has nothing to read.
        width = len(rows[order[0]]) if order else self._model.config.hidden_size
        nothing = np.zeros(width, dtype=np.float32)
        vectors = np.stack([rows.get(place, nothing) for place in range(len(texts))])
        if not np.isfinite(vectors).all():
            raise VivaError(
                f"{self.folder} gives vectors that are no numbers: its weights are bad."
            )
        longest = self.max_tokens * _CHARACTERS_A_TOKEN
        is_long = np.array([len(text) - len(self._prompt) > longest for text in texts])
        return Embedded(vectors, (lengths > self.max_tokens) | is_long)

    def _lengths(self, texts: list[str]) -> NDArray[np.int64]:
        """Tokens of each text, also of those that are too long."""
        found: list[int] = []
        for start in range(0, len(texts), self._batch_size):
            batch = texts[start : start + self._batch_size]
            tokens = self._tokenizer(batch, truncation=False, padding=False, verbose=False)
            found.extend(len(ids) for ids in tokens["input_ids"])
        return np.array(found, dtype=np.int64)

    def _forward(self, texts: list[str]) -> Floats:
        import torch

        batch = self._tokenizer(
            texts, truncation=True, max_length=self.max_tokens, padding=True, return_tensors="pt"
        ).to(self._device)
        with torch.inference_mode():
            pooled = self._pool(self._model(**batch), batch["attention_mask"])
            if self._projection is not None:
                pooled = pooled @ self._projection[0].T + self._projection[1]
            if self.preset.similarity == "cosine":
                pooled = torch.nn.functional.normalize(pooled, dim=-1)
        vectors: Floats = pooled.cpu().numpy()
        return vectors

    def _pool(self, output: Any, mask: Any) -> Any:
        if self.preset.pooling == "pooled":
            return output.pooler_output.float()
        hidden = output.last_hidden_state.float()
        if self.preset.pooling == "cls":
            return hidden[:, 0]
        weights = mask.unsqueeze(-1).float()
        return (hidden * weights).sum(dim=1) / weights.sum(dim=1)


class Encoders(NamedTuple):
    """Encoders of the two sides of a search, often one and the same model."""

    passages: Encoder
    queries: Encoder


def open_encoders(
    model: str,
    *,
    passages: str | None = None,
    queries: str | None = None,
    batch_size: int = 32,
    device: str = "cpu",
    local_files_only: bool = False,
    cache: Path | None = None,
) -> Encoders:
    """Load a preset, or any other encoder.

    Args:
        model: The name of a preset, a folder, or a name on the hub (`NAME@REVISION` for one
            revision).
        passages: Where the passages' weights of a preset are instead of its place on the hub.
        queries: Where the queries' weights are; by default where those of the passages are,
            unless the preset has two encoders.
        batch_size: Texts in the model at once.
        device: Where it runs.
        local_files_only: Never ask the hub.
        cache: A folder that keeps vectors.

    Raises:
        MissingExtra: torch or transformers is not installed.
        InputError: The model cannot be found or loaded.
    """
    preset = _preset_of(model, passages, queries, local_files_only)
    options: dict[str, Any] = {
        "batch_size": batch_size,
        "device": device,
        "local_files_only": local_files_only,
        "cache": cache,
    }
    one = Encoder(preset, "passage", **options)
    if preset.queries == preset.passages and preset.architecture != "dpr":
        return Encoders(one, one.for_side("query"))
    return Encoders(one, Encoder(preset, "query", **options))


class DenseRetriever:
    """Passages ranked by the similarity of their vectors to the query's.

    Passages of the same text have exactly the same score. `truncated_passages` and
    `truncated_queries` count the texts that were too long for the model.
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
        """The k best passages; none for a query of white space only."""
        return self.search_many([query], k)[0]

    def search_many(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        """The k best passages for each query."""
        check_limit(k)
        check_queries(queries)
        found: list[list[Hit]] = [[] for _ in queries]
        asked = [place for place, query in enumerate(queries) if query.strip()]
        if not len(self) or not asked:
            return found
        embedded = self._encoder.embed([queries[place] for place in asked])
        self.truncated_queries += embedded.truncated
        for start in range(0, len(asked), _QUERIES_AT_ONCE):
            part = slice(start, start + _QUERIES_AT_ONCE)
            scores = embedded.vectors[part] @ self._vectors.T
            for place, row in zip(asked[part], scores, strict=True):
                found[place] = best_hits(row[self._places], k)
        return found

    def __len__(self) -> int:
        return len(self._places)


def _preset_of(
    model: str, passages: str | None, queries: str | None, local_files_only: bool
) -> Preset:
    if model in PRESETS:
        preset = find_preset(model)
        is_one = preset.passages == preset.queries
        new = passages or preset.passages
        return replace(preset, passages=new, queries=queries or (new if is_one else preset.queries))
    if "/" not in model and not Path(model).is_dir():
        find_preset(model)
    preset = read_settings(find_folder(model, local_files_only=local_files_only))
    return replace(preset, queries=queries or preset.queries)


def _identity(encoder: Encoder) -> dict[str, Any]:
    """All that decides the vectors of a text, besides the text."""
    files = sorted(path for path in encoder.folder.rglob("*") if path.suffix in MODEL_FILES)
    projected = {"projection": encoder.preset.projection} if encoder.preset.projection else {}
    return {
        **projected,
        "format": _FORMAT,
        "files": [[str(path.relative_to(encoder.folder)), hash_file(path)] for path in files],
        "architecture": encoder.preset.architecture,
        "pooling": encoder.preset.pooling,
        "similarity": encoder.preset.similarity,
        "max_tokens": encoder.max_tokens,
    }


def _read_cached(path: Path, size: int) -> Embedded | None:
    """The vectors kept in a file; None when there is no such file or it was damaged."""
    from safetensors import SafetensorError
    from safetensors.numpy import load

    try:
        kept = load(path.read_bytes())
        vectors, is_truncated = kept["vectors"], kept["is_truncated"]
        is_sound = kept["sha256"].tobytes() == _checksum(vectors, is_truncated)
    except (OSError, KeyError, ValueError, SafetensorError):
        return None
    return Embedded(vectors, is_truncated) if is_sound and len(vectors) == size else None


def _write_cached(path: Path, embedded: Embedded) -> None:
    from safetensors.numpy import save

    checksum = _checksum(embedded.vectors, embedded.is_truncated)
    tensors = {
        "vectors": embedded.vectors,
        "is_truncated": embedded.is_truncated,
        "sha256": np.frombuffer(checksum, dtype=np.uint8),
    }
    write_bytes(path, save(tensors))


def _checksum(vectors: Floats, is_truncated: NDArray[np.bool_]) -> bytes:
    from hashlib import sha256

    return sha256(vectors.tobytes() + is_truncated.tobytes()).digest()
