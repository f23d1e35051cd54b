"""The method of retrieval: instead of whole texts, a model gets the excerpts that a query finds.

The texts that the direct method shows (the paper, examples, listed works) are cut into excerpts;
the query says what is to be written and holds the paper's short parts. The answer is never among
the texts. Excerpts stand in the order of the texts, each headed by what it is from. Where they do
not fit the window, the worst go first.

Source: AcademicEval §4.2, where dense retrieval with Contriever is the default; here it is BM25,
which needs neither weights nor a network.
"""

from __future__ import annotations

import threading
from functools import lru_cache, partial
from typing import Any

from anyio import to_thread
from inspect_ai.model import ChatMessageUser, Model, get_model
from inspect_ai.solver import Generate, Solver, TaskState, solver

from vivavoce.errors import InputError
from vivavoce.tasks.methods.direct import check_context, fit_to, message_of
from vivavoce.tasks.prompting.excerpts import (
    OWN,
    Found,
    Opener,
    cut_pool,
    find_excerpts,
    find_retriever,
    lay_out,
    slot_of,
)
from vivavoce.tasks.prompting.prompts import (
    PromptSet,
    Rendered,
    folder_at,
    load_prompts,
    template_name,
)
from vivavoce.tasks.prompting.windows import measure
from vivavoce.text.chunk import OVERLAP, SIZE, split_text

CHUNKS = 12
SHORT_SLOTS = ("title", "abstract")
"""Texts of the paper that arrive whole beside the excerpts, and that the query holds."""

_NEURAL = threading.Lock()
"""Tokenizers of transformers refuse to work for two threads at once."""


@solver
def rag(
    retriever: str = "bm25",
    chunks: int = CHUNKS,
    size: int = SIZE,
    overlap: int = OVERLAP,
    context: int | None = None,
) -> Solver:
    """Send the excerpts of the texts that a query finds, instead of the whole texts.

    Args:
        retriever: bm25, tfidf, a preset of dense retrieval (dpr, contriever, dragon, minilm, ...),
            or any encoder by its folder or its name on the hub.
        chunks: How many excerpts, at most.
        size: The most tokens of an excerpt.
        overlap: The most tokens that two neighbouring excerpts share.
        context: Window in tokens; by default what the provider or the model table says.

    Raises:
        InputError: An argument makes no sense, or there is no such retriever.
    """
    check_context(context)
    if type(chunks) is not int or chunks < 1:
        raise InputError(f"chunks={chunks!r} is not a number of excerpts, such as {CHUNKS}.")
    if type(size) is not int or type(overlap) is not int:
        raise InputError(f"size={size!r} and overlap={overlap!r} must be numbers of tokens.")
    split_text("", size, overlap)  # says what is wrong with two numbers that do not fit together
    opener = find_retriever(retriever)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        model = get_model()
        search = partial(_search, state, model, opener, chunks, size, overlap)
        found = await to_thread.run_sync(search)
        state.messages = [_message(state, context, model, found)]
        return await generate(state)

    return solve


def _search(
    state: TaskState, model: Model, opener: Opener, chunks: int, size: int, overlap: int
) -> list[Found]:
    """The excerpts that the sample's query finds, in the order of the texts."""
    pool = [(label, (start, end)) for label, start, end in state.metadata.get("pool", ())]
    counter = measure(str(model), model.api).counter
    excerpts = cut_pool(state.input_text, pool, size, overlap, counter)
    if not excerpts:
        raise InputError(
            f"Sample {state.sample_id} has no text to take excerpts from. Run this setting with "
            "--method direct."
        )
    query = _prompts(state).render(f"rag.query.{state.metadata['task']}", _short(state), {}).text
    with _NEURAL:
        retriever = opener([excerpt.text for excerpt in excerpts])
        found = find_excerpts(retriever, excerpts, query, chunks)
    state.metadata["retrieval"] = {
        "pool": len(excerpts),
        "truncated": getattr(retriever, "truncated_passages", 0),
    }
    return found


def _message(
    state: TaskState, context: int | None, model: Model, found: list[Found]
) -> ChatMessageUser:
    prompt = _compose(state, found)
    best = next(slot_of(one) for one in found if one.rank == 1)
    fitted = fit_to(model, context, state, prompt, [best])
    left = fitted.prompt.spans
    state.metadata["adds"] = "excerpt"
    state.metadata["retrieved"] = [_record(one, slot_of(one) in left) for one in found]
    shown = [one for one in found if slot_of(one) in left]
    # A model that copies sentences takes them from the paper, not from an example.
    own = [one for one in shown if one.excerpt.source == OWN] or shown
    return message_of(state, fitted, [list(left[slot_of(one)]) for one in own])


def _compose(state: TaskState, found: list[Found]) -> Rendered:
    prompts = _prompts(state)
    name = template_name(f"rag.{state.metadata['task']}", state.metadata["variant"])
    laid = lay_out(prompts, found)
    slots = {"excerpts": laid.text, **_short(state)}
    outer = prompts.render(name, slots, {"words": state.metadata["words"]})
    shift = outer.spans["excerpts"][0]
    spans = {slot: span for slot, span in outer.spans.items() if slot != "excerpts"}
    spans |= {slot: (start + shift, end + shift) for slot, (start, end) in laid.spans.items()}
    blocks = tuple((start + shift, end + shift) for start, end in laid.blocks)
    parts = {f"excerpt {one.rank}": spans[slot_of(one)] for one in found}
    return Rendered(outer.text, spans, blocks, parts)


def _short(state: TaskState) -> dict[str, str]:
    spans = state.metadata["spans"]
    places = ((slot, spans[slot]) for slot in SHORT_SLOTS if slot in spans)
    return {slot: state.input_text[start:end] for slot, (start, end) in places}


def _prompts(state: TaskState) -> PromptSet:
    return _open(state.metadata["prompts"])


@lru_cache(maxsize=4)
def _open(place: str) -> PromptSet:
    return load_prompts(folder_at(place))


def _record(found: Found, is_shown: bool) -> dict[str, Any]:
    excerpt = found.excerpt
    return {
        "source": excerpt.source,
        "start": excerpt.start,
        "end": excerpt.end,
        "rank": found.rank,
        "score": found.score,
        "shown": is_shown,
    }
