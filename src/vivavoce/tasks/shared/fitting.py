"""The context fitter: a prompt made to fit a model's window by cutting its longest slot's tail.

Inspect never trims a prompt; a prompt that is too long comes back as an overflow. The fitter cuts
before sending, keeps room for the answer, and records what was cut.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from vivavoce.errors import InputError
from vivavoce.tasks.shared.prompts import Rendered, Span
from vivavoce.tasks.shared.windows import TokenCounter

_LONGEST_WORD = 40
"""Characters that a cut may go back to end with a whole word."""


@dataclass(frozen=True, slots=True)
class Cut:
    """What was taken off the end of a slot."""

    slot: str
    kept_tokens: int
    cut_tokens: int
    cut_characters: int


@dataclass(frozen=True, slots=True)
class Fitted:
    """A prompt that fits, and how it was made to."""

    prompt: Rendered
    tokens: int
    window: int | None
    reserved: int
    """Tokens kept free for the answer."""
    estimated: bool
    """Whether tokens are estimated, for want of the model's tokenizer."""
    cuts: tuple[Cut, ...]

    def record(self) -> dict[str, Any]:
        """What a log keeps: everything but the prompt."""
        return {
            "tokens": self.tokens,
            "window": self.window,
            "reserved": self.reserved,
            "estimated": self.estimated,
            "cuts": [asdict(cut) for cut in self.cuts],
        }


def fit(
    prompt: Rendered,
    cut_order: Sequence[str],
    counter: TokenCounter,
    *,
    window: int | None,
    reserved: int,
) -> Fitted:
    """Cut slots from the end, in the order given, until the prompt and the answer fit.

    Args:
        prompt: The prompt with every slot in full.
        cut_order: Slots that may be cut; the first is emptied before the second is touched.
        counter: Counts the model's tokens.
        window: The model's window in tokens; None when unknown, and then nothing is cut.
        reserved: Tokens kept free for the answer.

    Raises:
        InputError: The window cannot hold what is never cut: the instructions, the other slots.
    """
    tokens = counter.count(prompt.text)
    cuts: list[Cut] = []
    budget = None if window is None else window - reserved
    for slot in cut_order if budget is not None else ():
        while budget is not None and tokens > budget:
            start, end = prompt.spans[slot]
            text = prompt.text[start:end]
            size = counter.count(text)
            kept = _end_of_word(text, counter.end_of(text, max(0, size - (tokens - budget))))
            # Token borders may move with their neighbours: make sure that every round shortens.
            kept = min(kept, max(0, len(text) - 1))
            prompt = _replace(prompt, slot, text[:kept])
            cuts = _note(cuts, slot, counter.count(text[:kept]), size, len(text) - kept)
            tokens = counter.count(prompt.text)
            if kept == 0:
                break
    if budget is not None and tokens > budget:
        raise InputError(
            f"A window of {window} tokens with {reserved} kept for the answer cannot hold what is "
            f"never cut: {tokens} tokens are left of the prompt. Give a larger window with "
            "viva run --context N or inspect eval -T context=N."
        )
    return Fitted(prompt, tokens, window, reserved, counter.is_estimated, tuple(cuts))


def _note(cuts: list[Cut], slot: str, kept: int, size: int, characters: int) -> list[Cut]:
    """Add a cut, or widen the one already made in this slot."""
    if not cuts or cuts[-1].slot != slot:
        return [*cuts, Cut(slot, kept, size - kept, characters)]
    last = cuts[-1]
    whole = last.kept_tokens + last.cut_tokens
    return [*cuts[:-1], Cut(slot, kept, whole - kept, last.cut_characters + characters)]


def _end_of_word(text: str, end: int) -> int:
    """The last word border at or before `end`; `end` itself when none is near.

    Scripts that put no space between words would lose whole paragraphs otherwise.
    """
    if end >= len(text) or text[end].isspace():
        return end
    first = max(0, end - _LONGEST_WORD)
    border = max(text.rfind(" ", first, end), text.rfind("\n", first, end))
    return border if border > 0 else end


def _replace(prompt: Rendered, slot: str, text: str) -> Rendered:
    """The prompt with another text in a slot; the places of all slots move with it."""
    start, end = prompt.spans[slot]
    shift = len(text) - (end - start)

    def moved(name: str, span: Span) -> Span:
        if name == slot:
            return (start, start + len(text))
        return (span[0] + shift, span[1] + shift) if span[0] >= end else span

    spans = {name: moved(name, span) for name, span in prompt.spans.items()}
    return Rendered(prompt.text[:start] + text + prompt.text[end:], spans)
