"""What a table is about, in words that give nothing of it away: from its caption and its works."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from vivavoce.tasks.tables.items.demands.leaks import LeakIndex, is_telling, names_in, stem_of
from vivavoce.text.cell_text import plain_words
from vivavoce.text.normalise import normalise
from vivavoce.text.sentences import split_sentences

Stems = tuple[str, ...]

MOST_TOPICS = 3
_LONGEST_CAPTION = 600
_LONGEST_TITLE = 300
_MOST_TITLES = 200
_LONGEST_TOPIC = 8
"""Words of one topic."""
_LONGEST_SHARED = 4
"""Words of a topic that titles share."""

_NUMBER_OF_TABLE = re.compile(
    r"\s*(?:supplementary\s)?tab(?:le|\.)?\s?(?:[ivxlc]{1,7}|[a-z]?\.?\d{1,3})\b[\s.:–—-]*",
    re.IGNORECASE,
)
_ASIDE = re.compile(r"\([^()]*\)|\[[^\[\]]*\]|\bcite\w{0,9}:\S+|https?://\S+")
_LEAD_IN = re.compile(
    r"(?:(?:an?|the|this|our|some|brief|short|detailed|comprehensive|general|systematic|overall"
    r"|qualitative|quantitative|main|key|selected|table|shows?|presents?|lists?|gives?)\s+){0,6}"
    r"(?:(?:comparisons?|comparing|summary|summaries|summari[sz]ing|summari[sz]es|overview|lists?"
    r"|listing|categori[sz]ation|classification|taxonomy|review|survey|statistics|details"
    r"|descriptions?|collection|characteristics|properties|metadata|analysis|examples?|compilation"
    r"|inventory|catalogu?e|(?:published\s)?results)"
    r"\s*(?:and\s+)?){1,3}(?:(?:of|for|on|about|between|among|over|across)\s+)",
    re.IGNORECASE,
)
_VAGUE = re.compile(
    r"(?:(?:the|all|some|several|different|existing|recent|various|representative|selected|main"
    r"|major|popular|common|related|available|relevant|notable|prominent|current|state-of-the-art"
    r"|commonly used|widely used|published|prior|previous"
    r"|other|many|most|key|our|these|their)\s+){1,6}",
    re.IGNORECASE,
)
# What follows says how the table compares, which is its schema.
_TURN = re.compile(
    r"[:;–—]|\s-\s|,|\b(?:that|which|where|whose|when|in terms of|based on|according to"
    r"|with respect|w\.r\.t|with regard|regarding|by|with|along|including|such as|used"
    r"|grouped|sorted|ordered|organi[sz]ed|categori[sz]ed"
    r"|we|our|this|and their|in this|from this|is|are|were|was)\b",
    re.IGNORECASE,
)
_TITLE_BREAK = re.compile(
    r"[:;,.?!–—]|\b(?:and|or|with|without|via|by|from|the|a|an|is|are|as|at|on|to|using|through|its"
    r"|arxiv|preprint|proceedings|how|what|can|do|you)\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W_]+(?:[-‐‑'’][^\W_]+)*")
_EMPTY = frozenset(
    {
        *("approach", "method", "model", "work", "paper", "studi", "survei", "review", "system"),
        *("technique", "techniqu", "new", "novel", "toward", "improv", "effici", "simpl", "better"),
        *("learn", "use", "base", "framework", "algorithm", "analysi", "larg", "deep", "fast"),
    }
)
"""Stems that make no topic alone."""


def find_topics(caption: str, titles: Sequence[str], index: LeakIndex) -> list[str]:
    """Up to three phrases for what a table is about, the caption's first; none may be left.

    None of them gives away a part of the table by itself, and each says something new. A phrase of
    several words comes before single ones, and one that titles share before one of a single title.
    """
    named, shared = list(_caption_phrases(caption, index)), _shared_phrases(titles, index)
    several = [phrase for phrase in (*named, *shared) if " " in phrase or "-" in phrase]
    single = [phrase for phrase in (*named, *shared) if phrase not in several]
    topics = _distinct(several, MOST_TOPICS) or _distinct(single, 2)
    return topics or _distinct(_longest_first(titles, index), 1)


def _distinct(phrases: Iterable[str], most: int) -> list[str]:
    topics: list[str] = []
    said: set[str] = set()
    for phrase in phrases:
        stems = {stem_of(word) for word in _WORD.findall(phrase) if is_telling(word)}
        if len(topics) < most and stems - said - _EMPTY:
            topics.append(phrase)
            said |= stems
    return topics


def _caption_phrases(caption: str, index: LeakIndex) -> Iterator[str]:
    """What the first sentence of a caption names, cut where it turns to how works are compared."""
    sentences = split_sentences(plain_words(caption[:_LONGEST_CAPTION]))
    text = sentences[0] if sentences else ""
    number = _NUMBER_OF_TABLE.match(text)
    if number and len(text) == number.end() and len(sentences) > 1:
        text, number = sentences[1], None
    text = _ASIDE.sub(" ", text[number.end() :] if number else text).strip()
    if lead_in := _LEAD_IN.match(text):
        text = text[lead_in.end() :]
    if vague := _VAGUE.match(text):
        text = text[vague.end() :]
    if turn := _TURN.search(text, 1):
        text = text[: turn.start()]
    runs = list(_clean_runs(text, index))
    yield from sorted(runs, key=lambda run: -len(run.split()))[:1]


def _clean_runs(text: str, index: LeakIndex) -> Iterator[str]:
    """Runs of words without a leak, without stop words at their ends."""
    run: list[str] = []
    for word in [*_WORD.findall(normalise("NFKC", text)), ""]:
        is_leak = bool(word) and bool(index.leaks(word))
        if word and not is_leak and not any(character.isdigit() for character in word):
            run.append(word)
            continue
        # What stands before a word that is left out may be half a phrase: `on natural [science]`.
        whole = _until_last_stop_word(run) if is_leak else run
        if phrase := _trimmed(whole[:_LONGEST_TOPIC], index):
            yield phrase
        run = []


def _until_last_stop_word(run: Sequence[str]) -> list[str]:
    stops = [place for place, word in enumerate(run) if not is_telling(word)]
    return list(run[: stops[-1]]) if stops and stops[-1] > 0 else list(run)


def _trimmed(run: Sequence[str], index: LeakIndex) -> str:
    """A run as a phrase; words go from its end until nothing leaks together."""
    words = list(run)
    while words:
        if not is_telling(words[0]):
            words.pop(0)
        elif not is_telling(words[-1]) or index.leaks(" ".join(words)):
            words.pop()
        else:
            # Titles are in capitals; only names keep theirs.
            return " ".join(word if names_in(word) else word.lower() for word in words)
    return ""


def _shared_phrases(titles: Sequence[str], index: LeakIndex) -> list[str]:
    """Phrases of two titles or more: those of the most titles first, then the longer ones."""
    counts: Counter[Stems] = Counter()
    printed: dict[Stems, str] = {}
    for title in titles[:_MOST_TITLES]:
        phrases = dict(_phrases(title, index))
        counts.update(phrases.keys())
        printed = {**phrases, **printed}
    shared = {stems: count for stems, count in counts.items() if count > 1}
    parts = {
        part: count
        for stems, count in sorted(shared.items(), key=lambda item: item[1])
        for part in _parts(stems)
    }
    # `large language` stands in the titles only as a part of `large language models`.
    whole = [stems for stems, count in shared.items() if 2 * parts.get(stems, 0) < count]
    order = sorted(whole, key=lambda stems: (-_weight(stems, shared[stems]), stems))
    return [printed[stems] for stems in order]


def _parts(stems: Stems) -> Iterator[Stems]:
    for length in range(1, len(stems)):
        for start in range(len(stems) - length + 1):
            yield stems[start : start + length]


def _weight(stems: Stems, count: int) -> float:
    """A phrase of two words in two titles says more than one word in three."""
    telling = len([stem for stem in stems if stem not in _EMPTY])
    return (count - 0.9) * (0.0, 1.0, 2.8, 5.2, 5.2)[telling]


def _phrases(title: str, index: LeakIndex) -> Iterator[tuple[Stems, str]]:
    """(stems, phrase) of runs within a title."""
    text = _ASIDE.sub(" ", plain_words(title[:_LONGEST_TITLE]))
    if 2 * sum(map(str.isupper, text)) > sum(map(str.isalpha, text)):
        text = text.lower()  # set in capitals, which then mark no names
    for part in _TITLE_BREAK.split(text):
        for run in _clean_runs(part, index):
            words = run.split()
            for start in range(len(words)):
                for end in range(start + 1, min(start + _LONGEST_SHARED, len(words)) + 1):
                    window = words[start:end]
                    if is_telling(window[0]) and is_telling(window[-1]):
                        stems = tuple(stem_of(word) for word in window if is_telling(word))
                        yield stems, " ".join(window)


def _longest_first(titles: Sequence[str], index: LeakIndex) -> list[str]:
    runs = [run for title in titles[:_MOST_TITLES] for run in _clean_runs(title, index)]
    return sorted(runs, key=lambda run: -len(run.split()))
