"""Tokens counted by a vocabulary, or estimated without one."""

import importlib.util
import json
from pathlib import Path

import pytest

from vivavoce.errors import InputError
from vivavoce.text import tokens
from vivavoce.text.tokens import WordCounter, open_counter

HAS_BERT = importlib.util.find_spec(tokens.PACKAGE) is not None
WITH_BERT = pytest.mark.skipif(not HAS_BERT, reason=f"BERT's vocabulary: {tokens.INSTALL}")
VOCABULARY = {
    "version": "1.0",
    "truncation": {"direction": "Right", "max_length": 2, "strategy": "LongestFirst", "stride": 0},
    "padding": None,
    "added_tokens": [],
    "normalizer": None,
    "pre_tokenizer": {"type": "Whitespace"},
    "post_processor": None,
    "decoder": None,
    "model": {"type": "WordLevel", "vocab": {"a": 0, "b": 1, "?": 2}, "unk_token": "?"},
}


@pytest.mark.slow
@WITH_BERT
@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        ("The title", 2),
        ("THE TITLE.", 3),
        ("unaffable", 0),  # asked of the reference implementation
        ("a\n\nb", 2),
        ("word " * 2_000, 2_000),  # nothing is cut
    ],
)
def test_tokens_of_bert(text: str, count: int) -> None:
    counter = open_counter("bert")
    assert counter.is_estimate is False
    if text == "unaffable":
        from tokenizers import BertWordPieceTokenizer

        package = importlib.util.find_spec(tokens.PACKAGE)
        assert package
        assert package.submodule_search_locations
        vocabulary = Path(package.submodule_search_locations[0]) / "model" / "vocab.txt"
        oracle = BertWordPieceTokenizer(str(vocabulary), lowercase=True)
        count = len(oracle.encode(text, add_special_tokens=False).tokens)
    assert counter.count([text]) == [count]


def test_any_vocabulary_by_its_file_or_folder(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps(VOCABULARY))
    for where in (path, tmp_path):
        counter = open_counter(str(where))
        assert counter.name == str(path)
        assert counter.count(["a b a", "", "a x"]) == [3, 0, 2]  # its own limit of 2 is no matter


def test_without_a_vocabulary_an_estimate_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "PACKAGE", "no_such_package")
    counter = open_counter()
    assert counter.is_estimate
    assert "estimate" in counter.name
    assert counter.count(["Two words, and a mark."]) == [7]
    with pytest.raises(InputError, match="pip install"):
        open_counter("bert")


def test_what_is_no_vocabulary_is_named(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text("{}")
    with pytest.raises(InputError, match=r"tokenizer\.json is not a tokenizer\.json"):
        open_counter(str(path))
    with pytest.raises(InputError, match="missing does not exist"):
        open_counter(str(tmp_path / "missing"))


def test_words_and_marks_are_counted_in_any_script() -> None:
    assert WordCounter().count(["Größe, ja!", "日本", "  "]) == [4, 1, 0]
