"""Names of leaderboards: what makes two spellings of a task, a dataset or a metric one."""

from __future__ import annotations

import re
import unicodedata

_WORD = re.compile(r"[^\W_]+|[+@#%]")
_SPELLINGS = {
    "em": "exact match",
    "f1 score": "f1",
    "f1 measure": "f1",
    "f measure": "f1",
    "f score": "f1",
    "acc": "accuracy",
    "ppl": "perplexity",
    "number of params": "params",
    "number of parameters": "params",
    "parameters": "params",
    "# params": "params",
    "bits per character": "bpc",
    "bit per character": "bpc",
    "bit per character bpc": "bpc",
    "bits per character bpc": "bpc",
    "rouge l": "rougel",
    "word error rate": "wer",
    "word error rate wer": "wer",
    "percentage error": "error",
    "error rate": "error",
}
"""Spellings of one metric, by their words."""
_KINDS_OF_TEXT = {"dataset", "corpus", "benchmark"}
"""Words that may end the name of a dataset and tell nothing."""
_MAX_NAME = 300


def name_key(name: str) -> str:
    """A name without case, accents, punctuation and spaces between words.

    `CNN / Daily Mail (non-anonymized)` and `cnn/daily mail non-anonymized` are one.
    """
    return " ".join(_words(name))


def dataset_key(name: str) -> str:
    """The key of a dataset, without a closing word such as `corpus`."""
    words = _words(name)
    while len(words) > 1 and words[-1] in _KINDS_OF_TEXT:
        words.pop()
    return " ".join(words)


def metric_key(name: str) -> str:
    """The key of a metric, common spellings told as one."""
    key = name_key(name)
    return _SPELLINGS.get(key, key)


def _words(name: str) -> list[str]:
    text = unicodedata.normalize("NFKD", name[:_MAX_NAME]).casefold()
    plain = "".join(c for c in text if not unicodedata.combining(c))
    return _WORD.findall(plain)
