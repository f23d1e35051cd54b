"""Sentences and words of scientific prose, in time linear in the length of the text."""

import re
from collections.abc import Iterator

from vivavoce.text import read_data

_PARAGRAPH = re.compile(r"\n[^\S\n]*\n")
_WIDE_STOP = re.compile(r"([。！？])")
_STOPS = ".!?…。！？"
_OPENERS = "([{\"'“‘«"
_CLOSERS = ")]}\"'”’»"


# Abbreviations that never end a sentence.
_WORDS = read_data(__file__, "sentences.toml")
_NEVER_LAST = frozenset(_WORDS["never_last"])
# Titles of persons; in lower case these are units and endings of words.
_TITLES = frozenset(_WORDS["titles"])
# Words that are abbreviations only before a number; elsewhere they may end a sentence.
_BEFORE_NUMBER = frozenset(_WORDS["before_number"])
# After one of these words a single letter is a label, not an initial.
_LABELLED = frozenset(_WORDS["labelled"])
# No surname begins like this, so an initial before it ends a sentence.
_STARTERS = frozenset(_WORDS["starters"])
_HEADING_WORDS = 8
_HEADING_LENGTH = 70


def split_sentences(text: str) -> list[str]:
    """Cut a text into sentences with single spaces; blank lines and headings also end sentences."""
    sentences: list[str] = []
    for paragraph in _PARAGRAPH.split(text):
        for run in _split_headings(paragraph):
            sentences.extend(_split_run(_WIDE_STOP.sub(r"\1 ", run).split()))
    return sentences


def cut_words(text: str, limit: int) -> str:
    """The first `limit` words of a text, with single spaces; empty for a limit below 1."""
    if limit < 1:
        return ""
    return " ".join(text.split(maxsplit=limit)[:limit])


def is_heading(sentence: str) -> bool:
    """Check whether a piece of text looks like a heading: short, without a final mark."""
    words = sentence.split(maxsplit=_HEADING_WORDS + 1)
    is_short = len(words) <= _HEADING_WORDS and len(sentence) <= _HEADING_LENGTH
    return is_short and not sentence.rstrip(_CLOSERS).endswith((*_STOPS, ":", ";", ","))


def _split_headings(paragraph: str) -> Iterator[str]:
    lines = [line.strip() for line in paragraph.split("\n")]
    start = 0
    while start < len(lines) - 1 and _opens_with_heading(lines[start], lines[start + 1]):
        yield lines[start]
        start += 1
    run: list[str] = []
    for line in lines[start:]:
        if line.startswith("#"):
            yield "\n".join(run)
            yield line
            run = []
        else:
            run.append(line)
    yield "\n".join(run)


def _opens_with_heading(line: str, following: str) -> bool:
    if not line or not is_heading(line) or line[-1] in "-–—":
        return False
    starts_new = following[:1].isupper() or following[:1].isdigit()
    return starts_new and (line[0].isupper() or line[0].isdigit())


def _split_run(words: list[str]) -> Iterator[str]:
    start = 0
    for index, word in enumerate(words[:-1]):
        before = words[index - 1] if index > start else None
        if word[-1] in _STOPS + _CLOSERS and _ends(before, word, words[index + 1]):
            yield " ".join(words[start : index + 1])
            start = index + 1
    if start < len(words):
        yield " ".join(words[start:])


def _ends(before: str | None, word: str, following: str) -> bool:
    """Check whether a sentence ends after `word`; `before` is None if `word` is its first word."""
    core = _without_citation(word).rstrip(_CLOSERS)
    if not core or core[-1] not in _STOPS:
        return False
    first = next((character for character in following if character.isalnum()), "")
    if first.islower() or following[0] in _STOPS + ",;":
        return False
    if not core.endswith(".") or core.endswith(".."):
        return True
    stem = core.lstrip(_OPENERS)[:-1]
    if before is None and stem.replace(".", "").isdigit():
        return False  # the number of a list item or a heading, such as 2 or 3.1
    return not _is_abbreviation(before, stem, following, first)


def _is_abbreviation(before: str | None, stem: str, following: str, first: str) -> bool:
    lower = stem.lower()
    if lower in _NEVER_LAST or stem in _TITLES:
        return True
    if lower in _BEFORE_NUMBER:
        return first.isdigit()
    letters = stem.replace("-", "").split(".")
    if all(len(letter) == 1 and letter.isalpha() for letter in letters) and stem[0].isupper():
        is_label = before is not None and before.lower() in _LABELLED
        return not is_label and following.lower() not in _STARTERS
    return False


def _without_citation(word: str) -> str:
    """Drop a bracketed number printed right after the full stop: `shown.[12]`."""
    if not word.endswith("]"):
        return word
    head, _, inside = word[:-1].rpartition("[")
    is_number = inside.replace(",", "").replace("-", "").replace("–", "").isdigit()
    return head if head and is_number else word
