"""Excerpts of a prompt's texts: cut, found by a query, and laid out in the order of the texts.

Pure but for the weights that a neural encoder loads.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from vivavoce.errors import InputError
from vivavoce.retrieval.presets import PRESETS
from vivavoce.retrieval.protocol import Retriever
from vivavoce.retrieval.sparse import Bm25Retriever, TfidfRetriever
from vivavoce.tasks.prompting.prompts import PromptSet, Rendered, Span
from vivavoce.text.chunk import Counter, split_text

Opener = Callable[[Sequence[str]], Retriever]
"""Makes a collection of passages searchable."""

SPARSE: dict[str, Opener] = {"bm25": Bm25Retriever, "tfidf": TfidfRetriever}
"""Retrievers that need no model, by name."""

OWN = "this paper"
"""What the text of the sample's own paper is called."""

TEMPLATE = "excerpt"
_BETWEEN = "\n\n"


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A piece of a prompt's text."""

    source: str
    """What it is taken from, such as `OWN`."""
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Found:
    """An excerpt that a query found."""

    excerpt: Excerpt
    rank: int
    """1 for the best."""
    score: float | None
    """None where the query says nothing to the retriever, and openings are taken instead."""


def find_retriever(name: str) -> Opener:
    """What makes passages searchable: bm25, tfidf, a preset of dense retrieval, or any encoder.

    Raises:
        InputError: There is no retriever of this name, or its model cannot be loaded.
        MissingExtra: It needs torch and transformers, which are not installed.
    """
    if name in SPARSE:
        return SPARSE[name]
    if not name or (name not in PRESETS and "/" not in name and not Path(name).is_dir()):
        raise InputError(
            f"There is no retriever {name!r}. There are: {', '.join((*SPARSE, *PRESETS))}; any "
            "other encoder is named by its folder or as OWNER/NAME on the hub."
        )
    return _dense(name)


@lru_cache(maxsize=4)
def _dense(name: str) -> Opener:
    from vivavoce.retrieval.dense import DenseRetriever, open_encoders

    encoders = open_encoders(name)
    return lambda passages: DenseRetriever(passages, encoders)


def cut_pool(
    text: str, pool: Sequence[tuple[str, Span]], size: int, overlap: int, counter: Counter
) -> list[Excerpt]:
    """Cut the parts of a prompt into excerpts, in their order; none reaches over two parts.

    Args:
        text: The prompt.
        pool: (label, place) of each part.
        size: Most tokens of an excerpt.
        overlap: Most tokens that two neighbours share.
        counter: Counts the model's tokens.
    """
    return [
        Excerpt(label, start + chunk.start, start + chunk.end, chunk.text)
        for label, (start, end) in pool
        for chunk in split_text(text[start:end], size, overlap, counter)
    ]


def find_excerpts(
    retriever: Retriever, excerpts: Sequence[Excerpt], query: str, k: int
) -> list[Found]:
    """The k best excerpts for a query, in the order of the texts.

    The first k for a query that says nothing to the retriever.
    """
    hits = [(hit.index, hit.score) for hit in retriever.search(query, k)]
    ranked: Sequence[tuple[int, float | None]] = hits or [
        (index, None) for index in range(min(k, len(excerpts)))
    ]
    found = [Found(excerpts[index], rank, score) for rank, (index, score) in enumerate(ranked, 1)]
    return sorted(found, key=lambda one: (one.excerpt.start, one.excerpt.end))


def lay_out(prompts: PromptSet, found: Sequence[Found]) -> Rendered:
    """The excerpts as one text, each headed by its source.

    The slot `excerpt_1` is the best one's text. All but the best are blocks: the worst goes first.
    """
    text = ""
    spans: dict[str, Span] = {}
    places: dict[int, Span] = {}
    for number, one in enumerate(found, 1):
        piece = prompts.render(TEMPLATE, {"text": one.excerpt.text}, {"source": one.excerpt.source})
        start, (first, last) = len(text), piece.spans["text"]
        text += piece.text + (_BETWEEN if number < len(found) else "")
        spans[slot_of(one)] = (start + first, start + last)
        places[one.rank] = (start, len(text))
    worst_first = sorted((rank for rank in places if rank > 1), reverse=True)
    return Rendered(text, spans, tuple(places[rank] for rank in worst_first))


def slot_of(found: Found) -> str:
    """The name of an excerpt's slot."""
    return f"excerpt_{found.rank}"
