"""The method `rag`: instead of whole texts, a model gets excerpts found by a query.

The texts of the direct method (the paper, examples, listed works) are split into excerpts. If a
task has a library instead of such texts, title and abstract of each paper form an excerpt. The
query names the text to write and includes the paper's short parts. The gold is never among the
texts. Excerpts appear in the order of the texts, each with its source as heading. If they do not
fit the window, the worst are removed first.

Source: AcademicEval §4.2, whose default is dense retrieval with Contriever; here it is BM25, which
    needs neither weights nor a network.
"""

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import pairwise
from typing import Any

from anyio import to_thread
from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessageUser, Model, get_model
from inspect_ai.solver import Generate, Solver, TaskState, solver

from vivavoce.checking import check_numbers
from vivavoce.errors import InputError
from vivavoce.retrieval import Retriever, best_or_first
from vivavoce.retrieval.papers import check_name
from vivavoce.retrieval.sparse import Bm25Retriever, TfidfRetriever
from vivavoce.tasks.methods.agent import open_library
from vivavoce.tasks.methods.direct import check_context, message_of
from vivavoce.tasks.prompting import (
    OWN,
    SUFFIX,
    PromptSet,
    Rendered,
    Span,
    join_texts,
    prompts_at,
    shifted,
)
from vivavoce.tasks.prompting.fitting import fit_to_model
from vivavoce.tasks.prompting.windows import measure
from vivavoce.text.chunk import OVERLAP, SIZE, Counter, split_text

Opener = Callable[[Sequence[str]], Retriever]
"""Makes a collection of passages searchable."""

SPARSE: dict[str, Opener] = {"bm25": Bm25Retriever, "tfidf": TfidfRetriever}
"""Retrievers that need no model, by name."""

TEMPLATE = "excerpt"
_RETRIEVED = ("source", "start", "end", "rank", "score")
"""Parts of an excerpt in a log."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A piece of a prompt's text."""

    source: str
    """Name of the text it is taken from, such as `OWN`."""
    start: int
    end: int
    text: str
    rank: int = 0
    """1 for the best that a query found."""
    score: float | None = None
    """None if the query matches nothing, and the first excerpts are taken."""

    @property
    def slot(self) -> str:
        """Name of its slot in a prompt."""
        return f"excerpt_{self.rank}"


@lru_cache(maxsize=4)
def _dense(name: str) -> Opener:
    from vivavoce.retrieval.dense import DenseRetriever, open_encoders

    encoders = open_encoders(name)
    return lambda passages: DenseRetriever(passages, encoders)


def cut_pool(
    text: str, pool: Sequence[tuple[str, Span]], size: int, overlap: int, counter: Counter
) -> list[Excerpt]:
    """Split labelled parts of a prompt into excerpts, in order; no excerpt spans two parts."""
    return [
        Excerpt(label, start + chunk.start, start + chunk.end, chunk.text)
        for label, (start, end) in pool
        for chunk in split_text(text[start:end], size, overlap, counter)
    ]


def find_excerpts(
    retriever: Retriever, excerpts: Sequence[Excerpt], query: str, k: int
) -> list[Excerpt]:
    """The k best excerpts for a query, or else the first k, in the order of the texts."""
    ranked = enumerate(best_or_first(retriever, query, k), 1)
    found = [replace(excerpts[index], rank=rank, score=score) for rank, (index, score) in ranked]
    return sorted(found, key=lambda one: (one.start, one.end))


def lay_out(prompts: PromptSet, excerpts: Sequence[Excerpt]) -> Rendered:
    """The excerpts as one text, each with its source as heading.

    The slot `excerpt_1` has the best one. The others are blocks; the worst is removed first.
    """
    pieces = [
        prompts.render(TEMPLATE, {"text": one.text}, {"source": one.source}) for one in excerpts
    ]
    text, places = join_texts(piece.text for piece in pieces)
    starts = [start for start, _ in places]
    spans = {
        one.slot: shifted(piece.spans["text"], start)
        for one, piece, start in zip(excerpts, pieces, starts, strict=True)
    }
    # Each block has the separator behind it.
    bounds = pairwise([*starts, len(text)])
    blocks = {one.rank: span for one, span in zip(excerpts, bounds, strict=True)}
    worst_first = sorted((rank for rank in blocks if rank > 1), reverse=True)
    return Rendered(text, spans, tuple(blocks[rank] for rank in worst_first))


CHUNKS = 12
SHORT_SLOTS = ("title", "abstract")
"""Texts of the paper that are never split and are part of the query."""

_NEURAL = threading.Lock()
"""Tokenizers of transformers do not work in two threads at once."""


@solver
def rag(
    retriever: str = "bm25",
    chunks: int = CHUNKS,
    size: int = SIZE,
    overlap: int = OVERLAP,
    context: int | None = None,
) -> Solver:
    """Send the excerpts found by a query instead of the whole texts.

    Args:
        retriever: bm25, tfidf, a preset of dense retrieval (dpr, contriever, dragon, minilm, ...),
            or any encoder by its folder or its name on the hub.
        chunks: Maximum number of excerpts.
        size: Maximum tokens of an excerpt.
        overlap: Maximum overlap of neighbouring excerpts in tokens.
        context: Window in tokens; by default that of the provider or the model table.

    Raises:
        InputError: An argument is invalid, or the retriever is unknown or cannot be loaded.
        MissingExtra: It needs sentence-transformers, which is not installed.
    """
    check_context(context)
    check_numbers({"chunks": (chunks, 1, None), "size": (size, 1, None)})
    check_numbers({"overlap": (overlap, 0, None)})
    split_text("", size, overlap)  # raises an error for inconsistent numbers
    check_name(retriever, without_weights=SPARSE)
    opener = SPARSE[retriever] if retriever in SPARSE else _dense(retriever)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        model = get_model()
        search = partial(_search, state, model, opener, chunks, size, overlap)
        passages = await to_thread.run_sync(search)
        state.messages = [_message(state, context, model, passages)]
        return await generate(state)

    return solve


def check_samples(samples: Iterable[Sample]) -> None:
    """Raise `InputError` for a task without a prompt for excerpts."""
    notes = [sample.metadata or {} for sample in samples]
    for place, task in {(one["prompts"], _name(one)) for one in notes}:
        if not (prompts_at(place).folder / f"rag.{task}{SUFFIX}").is_file():
            raise InputError(f"The method rag has no prompt for {task}: {place} has no rag.{task}.")


def _search(
    state: TaskState, model: Model, opener: Opener, chunks: int, size: int, overlap: int
) -> list[Excerpt]:
    """Excerpts found by the sample's query, in the order of the texts."""
    pool = [(label, (start, end)) for label, start, end in state.metadata.get("pool", ())]
    counter = measure(str(model), model.api).counter
    excerpts = cut_pool(state.input_text, pool, size, overlap, counter)
    if not pool and state.metadata.get("library"):
        excerpts = [
            Excerpt(
                f"work {paper.paper_id}", place, place, f"{paper.title}\n{paper.abstract or ''}"
            )
            for place, paper in enumerate(open_library(state).papers)
        ]
    if not excerpts:
        raise InputError(
            f"Sample {state.sample_id} has no text to take excerpts from. Run this setting with "
            "--method direct."
        )
    query = (
        prompts_at(state.metadata["prompts"])
        .render(f"rag.query.{state.metadata['task']}", _short(state), {})
        .text
    )
    with _NEURAL:
        retriever = opener([excerpt.text for excerpt in excerpts])
        passages = find_excerpts(retriever, excerpts, query, chunks)
    state.metadata["retrieval"] = {
        "pool": len(excerpts),
        "truncated": getattr(retriever, "truncated_passages", 0),
    }
    return passages


def _message(
    state: TaskState, context: int | None, model: Model, excerpts: list[Excerpt]
) -> ChatMessageUser:
    prompts = prompts_at(state.metadata["prompts"])
    laid = lay_out(prompts, excerpts)
    slots = {"excerpts": laid.text, **_short(state)}
    values = {"words": state.metadata["words"]}
    outer = prompts.render(f"rag.{_name(state.metadata)}", slots, values)
    prompt = outer.with_inner("excerpts", laid)
    parts = {f"excerpt {one.rank}": prompt.spans[one.slot] for one in excerpts}
    prompt = replace(prompt, parts=parts)
    best = next(one.slot for one in excerpts if one.rank == 1)
    answer = state.metadata["max_tokens"]
    fitted = fit_to_model(prompt, [best], model, answer=answer, context=context)
    left = fitted.prompt.spans
    state.metadata["adds"] = "excerpt"
    state.metadata["retrieved"] = [
        {name: getattr(one, name) for name in _RETRIEVED} | {"shown": one.slot in left}
        for one in excerpts
    ]
    shown = [one for one in excerpts if one.slot in left]
    # Extractive models copy from the paper, not from examples.
    own = [one for one in shown if one.source == OWN] or shown
    return message_of(state, fitted, [list(left[one.slot]) for one in own])


def _name(metadata: Mapping[str, Any]) -> str:
    """Name of the sample's template for whole texts."""
    return str(metadata.get("template") or metadata["task"])


def _short(state: TaskState) -> dict[str, str]:
    spans = state.metadata["spans"]
    places = ((slot, spans[slot]) for slot in SHORT_SLOTS if slot in spans)
    return {slot: state.input_text[start:end] for slot, (start, end) in places}
