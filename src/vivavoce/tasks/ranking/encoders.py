"""Similarity of two papers: cosines of the vectors of their titles and abstracts.

TF-IDF and the packaged MiniLM need no network; SciBERT, SPECTER, SciNCL and any other encoder are
loaded from a folder or the hub. A paper is encoded when an edge first needs it, by itself, so its
vector does not depend on other texts, and is kept for as long as the round is open.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from vivavoce.errors import InputError
from vivavoce.retrieval.dense import Encoder
from vivavoce.retrieval.presets import PRESETS, Preset, find_preset
from vivavoce.retrieval.sparse import TfidfRetriever

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.integer[Any]]

TFIDF = "tfidf"
ENCODERS = (TFIDF, "minilm", "scibert", "specter", "scincl", "oagbert")
"""Encoders with a name; every other is the folder of a model or its name on the hub."""

_SYNONYMS = {"oagbert": "oag-bert"}
_OF_PAPERS = ("scibert", "specter", "scincl")
"""Read a paper as title, separator token, abstract."""


def open_vectors(
    encoder: str,
    titles: Sequence[str],
    abstracts: Sequence[str],
    *,
    folder: str | None = None,
) -> PaperVectors:
    """The vectors of papers by an encoder.

    Args:
        encoder: A name of `ENCODERS`, a folder, or a name on the hub.
        titles: Of each paper, by place.
        abstracts: Likewise; empty for none.
        folder: Where the weights of a named encoder are instead of its place on the hub.

    Raises:
        MissingExtra: sentence-transformers is not installed.
        InputError: The encoder cannot be found or loaded; OAG-BERT says why.
    """
    check_encoder(encoder, folder)
    if encoder == TFIDF:
        return TfidfVectors(titles, abstracts)
    return EncodedVectors(titles, abstracts, Encoder(_preset_of(encoder, folder)))


class TfidfVectors:
    """TF-IDF vectors, with the weights of `TfidfRetriever`: f (ln((1 + N) / (1 + n)) + 1)."""

    def __init__(self, titles: Sequence[str], abstracts: Sequence[str]) -> None:
        texts = [f"{title}\n{text}" for title, text in zip(titles, abstracts, strict=True)]
        self._rows = TfidfRetriever(texts).rows()

    def cosines(self, first: Places, second: Places) -> Floats:
        """The cosine of each pair of papers, named by their places; 0 for one without words."""
        if not len(first):
            return np.zeros(0)
        products = self._rows[first].multiply(self._rows[second])
        return np.asarray(products.sum(axis=1), dtype=np.float64).ravel()


class EncodedVectors:
    """Vectors of a neural encoder, made when they are first asked for."""

    def __init__(self, titles: Sequence[str], abstracts: Sequence[str], encoder: Encoder) -> None:
        self.encoder = encoder
        self.truncated = 0
        """Papers so far that were too long for the model."""
        self._titles, self._abstracts = titles, abstracts
        self._known: dict[int, Floats] = {}

    def cosines(self, first: Places, second: Places) -> Floats:
        """The cosine of each pair of papers, named by their places."""
        if not len(first):
            return np.zeros(0)
        left = np.stack([self.vector(place) for place in first.tolist()])
        right = np.stack([self.vector(place) for place in second.tolist()])
        return np.asarray((left * right).sum(axis=1), dtype=np.float64)

    def vector(self, place: int) -> Floats:
        """The vector of one paper, of length 1; shape (dimensions of the encoder,)."""
        known = self._known.get(place)
        if known is None:
            text = self.encoder.paper_text(self._titles[place], self._abstracts[place])
            found = self.encoder.embed([text])
            self.truncated += found.truncated
            raw = found.vectors[0].astype(np.float64)
            length = float(np.sqrt((raw**2).sum()))
            known = self._known[place] = raw / length if length else raw
        return known


PaperVectors = TfidfVectors | EncodedVectors


def check_encoder(encoder: str, folder: str | None = None) -> None:
    """Raise `InputError` for an encoder that cannot be; nothing is loaded."""
    name = _SYNONYMS.get(encoder, encoder)
    if encoder == TFIDF and folder is not None:
        raise InputError("tfidf has no weights: give the folder with a named encoder.")
    if name in PRESETS:
        find_preset(name)  # says why one is refused
    elif folder is not None:
        raise InputError(f"{encoder} is not a named encoder: give its folder as the encoder alone.")
    elif encoder != TFIDF and "/" not in name and not Path(name).is_dir():
        raise InputError(
            f"There is no encoder {encoder!r}. There are {', '.join(ENCODERS)}; any other is named "
            "by its folder or as OWNER/NAME on the hub."
        )


def _preset_of(encoder: str, folder: str | None) -> Preset:
    name = _SYNONYMS.get(encoder, encoder)
    preset = find_preset(name)
    joint = "sep" if name in _OF_PAPERS else preset.joint
    return replace(preset, passages=folder or preset.passages, joint=joint)
