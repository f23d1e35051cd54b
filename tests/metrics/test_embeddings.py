"""Similarity by a sentence encoder, on a small random one that is made here."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from tests.small_models import NEEDS_NEURAL, save_bert

from vivavoce.errors import InputError, MissingExtra
from vivavoce.metrics.extraction import Similarity
from vivavoce.tasks.implementation.scorer import _similarity

torch = pytest.importorskip("torch", reason=NEEDS_NEURAL)
transformers = pytest.importorskip("transformers", reason=NEEDS_NEURAL)

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "mean", "of", "the", "close", "volume"]


@pytest.fixture(scope="module")
def model_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(save_bert(tmp_path_factory.mktemp("encoder"), WORDS, 32, is_told=True))


def similarity_of(folder: Path) -> Similarity:
    """The comparison that `-T embedder=FOLDER` makes."""
    made = _similarity(str(folder))
    assert made
    return made


def test_a_text_is_the_mean_of_its_token_vectors(model_dir: Path) -> None:
    one, other = "mean of the close", "volume"
    tokenizer = transformers.AutoTokenizer.from_pretrained(model_dir)
    model = transformers.AutoModel.from_pretrained(model_dir).eval()
    with torch.inference_mode():
        means = [
            model(**tokenizer(text, return_tensors="pt")).last_hidden_state[0].mean(dim=0)
            for text in (one, other)
        ]
    expected = torch.nn.functional.cosine_similarity(*means, dim=0).item()
    # In one batch with longer texts, so that padding must not count.
    pairs = [(one, other), (other, one), (one * 5, other)]
    found = similarity_of(model_dir)(pairs)
    assert found[0] == pytest.approx(max(0.0, expected), abs=1e-5)
    assert found[0] == found[1]


def test_the_same_text_is_1_and_none_is_0(model_dir: Path) -> None:
    similarity = similarity_of(model_dir)
    pairs = [("volume", " volume "), ("", ""), ("", "volume"), ("\ud800", "volume")]
    found = similarity(pairs)
    assert found[:3] == [1.0, 0.0, 0.0]
    assert 0.0 <= found[3] <= 1.0
    assert similarity([]) == []
    assert 0.0 <= similarity([("volume " * 10_000, "mean")])[0] <= 1.0


def test_a_model_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="has no weights in safetensors format"):
        similarity_of(tmp_path)


@pytest.mark.parametrize("module", ["torch", "transformers"])
def test_without_the_extra_it_is_named(
    module: str, monkeypatch: pytest.MonkeyPatch, model_dir: Path
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtra, match="neural"):
        similarity_of(model_dir)
