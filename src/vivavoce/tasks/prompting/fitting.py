"""Fitting of prompts to a model's window by cutting the ends of slots.

Inspect never trims a prompt; one that is too long causes an overflow. The fitter cuts before
sending, reserves room for the answer, and records the cuts.

Removable blocks, such as an example with all mentions of it, come first, one by one: the slots
inside a block are shortened, and if that is not enough, the block is removed. Then slots are cut,
group by group; slots of one group are cut in proportion to their lengths, so that none pays for the
length of another.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageTool,
    ContentReasoning,
    Model,
)

from vivavoce.errors import InputError
from vivavoce.tasks.prompting import Rendered, Span
from vivavoce.tasks.prompting.windows import Measure, TokenCounter, measure

SHOWN = ("whole", "cut", "dropped")
"""States of a part of a prompt after fitting."""
_MAX_WORD = 40
"""Maximum characters that a cut moves back to end at a whole word."""

Group = str | tuple[str, ...]
"""A slot, or slots that are cut together."""


@dataclass(frozen=True, slots=True)
class Cut:
    """Length of the text cut off a slot, in tokens and characters."""

    slot: str
    kept_tokens: int
    cut_tokens: int
    cut_characters: int


@dataclass(frozen=True, slots=True)
class Fitting:
    """A fitted prompt, with a record of the cuts."""

    prompt: Rendered
    tokens: int
    """Tokens of the prompt, counted or estimated."""
    window: int | None
    """Tokens of prompt and answer together; None if unknown."""
    reserved: int
    estimated: bool
    """True if tokens are estimated, without the model's tokenizer."""
    cuts: tuple[Cut, ...]
    dropped: int = 0
    shown: dict[str, list[str]] = field(default_factory=dict)
    """Names of the prompt's parts by state, as in `SHOWN`; empty without parts."""

    def record(self) -> dict[str, Any]:
        """Record for a log: everything except the prompt."""
        return {
            "tokens": self.tokens,
            "window": self.window,
            "reserved": self.reserved,
            "estimated": self.estimated,
            "cuts": [asdict(cut) for cut in self.cuts],
            "dropped": self.dropped,
            **({"shown": self.shown} if self.shown else {}),
        }


def fit(
    prompt: Rendered,
    cut_order: Sequence[Group],
    counter: TokenCounter,
    *,
    window: int | None,
    reserved: int,
) -> Fitting:
    """Remove blocks, then cut the ends of slots, until prompt and answer fit.

    The first slot or group in `cut_order` is emptied before the second is cut; slots of a group are
    cut in proportion to their lengths. Nothing is cut if the window is unknown. `InputError` if it
    is too small for the parts that are never cut: instructions and other slots.
    """
    budget = None if window is None else window - reserved
    work = _PromptFit(prompt, counter, budget)
    while work.prompt.blocks and work.is_too_long:
        work.drop_first_block()
    for group in cut_order:
        work.shorten((group,) if isinstance(group, str) else group)
    if work.is_too_long:
        raise InputError(
            f"A window of {window} tokens with {reserved} kept for the answer is too small: "
            f"{work.tokens} tokens of the prompt cannot be cut. Give a larger window with viva run "
            "--context N or inspect eval -T context=N."
        )
    cuts = tuple(work.cuts.values())
    shown: dict[str, list[str]] = {name: [] for name in SHOWN}
    for part, span in prompt.parts.items():
        size, left = (end - start for start, end in (span, work.prompt.parts[part]))
        shown["whole" if left == size else "cut" if left else "dropped"].append(part)
    return Fitting(
        work.prompt,
        work.tokens,
        window,
        reserved,
        counter.is_estimated,
        cuts,
        work.dropped,
        shown if prompt.parts else {},
    )


def fit_to_model(
    prompt: Rendered,
    cut_order: Sequence[Group],
    model: Model,
    *,
    answer: int,
    context: int | None = None,
) -> Fitting:
    """Fit a prompt to a model's window minus its longest answer; see `fit`."""
    measured = measure(str(model), model.api, context)
    reserved = answer + measured.overhead
    return fit(prompt, cut_order, measured.counter, window=measured.window, reserved=reserved)


class _PromptFit:
    """Work on fitting a prompt into a budget of tokens."""

    def __init__(self, prompt: Rendered, counter: TokenCounter, budget: int | None) -> None:
        self.prompt = prompt
        self.cuts: dict[str, Cut] = {}
        self.dropped = 0
        self._counter = counter
        self._budget = budget
        self.tokens = counter.count(prompt.text)

    @property
    def is_too_long(self) -> bool:
        return self._excess > 0

    @property
    def _excess(self) -> int:
        return 0 if self._budget is None else self.tokens - self._budget

    def drop_first_block(self) -> None:
        """Shorten the slots inside the first block; if that is not enough, remove it."""
        start, end = self.prompt.blocks[0]
        inside = [
            slot
            for slot, (first, last) in self.prompt.spans.items()
            if start <= first <= last <= end
        ]
        sizes = self._sizes(inside)
        if sum(sizes.values()) < self._excess:
            for slot, size in sizes.items():
                self._note(slot, 0, size, len(self._text(slot)))
        else:
            self.shorten(inside)
        if self.is_too_long:
            start, end = self.prompt.blocks[0]  # shorter now

            # Slots and blocks inside it go with it.
            def is_left(span: Span) -> bool:
                return not start <= span[0] <= span[1] <= end

            spans = {slot: span for slot, span in self.prompt.spans.items() if is_left(span)}
            blocks = tuple(filter(is_left, self.prompt.blocks))
            rest = replace(self.prompt, spans=spans, blocks=blocks)
            self.prompt = _without(rest, *self.prompt.blocks[0])
            self.tokens = self._counter.count(self.prompt.text)
            self.dropped += 1

    def shorten(self, slots: Sequence[str]) -> None:
        """Cut slots in proportion to their lengths until the prompt fits or they are empty."""
        while self.is_too_long:
            sizes = self._sizes(slots)
            if not sizes:
                return
            whole = sum(sizes.values())
            left = max(0, whole - self._excess)
            longest = max(sizes, key=lambda slot: sizes[slot])
            for slot, size in sizes.items():
                self._cut(slot, size, size * left // whole, is_certain=slot == longest)
            self.tokens = self._counter.count(self.prompt.text)

    def _sizes(self, slots: Sequence[str]) -> dict[str, int]:
        """Tokens of non-empty slots."""
        texts = ((slot, self._text(slot)) for slot in slots)
        return {slot: self._counter.count(text) for slot, text in texts if text}

    def _cut(self, slot: str, size: int, room: int, *, is_certain: bool) -> None:
        text = self._text(slot)
        kept = self._counter.end_of(text, room)
        if kept < len(text) and not text[kept].isspace():
            # Scripts without spaces would lose whole paragraphs, so a far word boundary is ignored.
            first = max(0, kept - _MAX_WORD)
            border = max(text.rfind(" ", first, kept), text.rfind("\n", first, kept))
            kept = border if border > 0 else kept
        if is_certain:
            # Token boundaries depend on their neighbours; make sure that every round shortens the
            # prompt.
            kept = min(kept, len(text) - 1)
        if kept < len(text):
            start, end = self.prompt.spans[slot]
            self.prompt = _without(self.prompt, start + kept, end)
            self._note(slot, self._counter.count(text[:kept]), size, len(text) - kept)

    def _note(self, slot: str, kept: int, size: int, characters: int) -> None:
        """Record a cut, or extend an earlier one in this slot."""
        if before := self.cuts.get(slot):
            size = before.kept_tokens + before.cut_tokens
            characters += before.cut_characters
        self.cuts[slot] = Cut(slot, kept, size - kept, characters)

    def _text(self, slot: str) -> str:
        start, end = self.prompt.spans[slot]
        return self.prompt.text[start:end]


def _without(prompt: Rendered, start: int, end: int) -> Rendered:
    """The prompt without a range, with all spans moved."""

    def place(offset: int) -> int:
        return offset if offset <= start else max(start, offset - (end - start))

    def moved(span: Span) -> Span:
        return place(span[0]), place(span[1])

    return Rendered(
        prompt.text[:start] + prompt.text[end:],
        {slot: moved(span) for slot, span in prompt.spans.items()},
        tuple(map(moved, prompt.blocks)),
        {part: moved(span) for part, span in prompt.parts.items()},
    )


LEFT_OUT = "[This result was taken out to make room. Ask again if it is needed.]"
CUT = "\n[The rest was cut off for want of room.]"
_AROUND = 8
"""Default tokens that a provider adds to a message."""


@dataclass(slots=True)
class Window:
    """Limits on a model's conversation."""

    measure: Measure
    reserved: int
    """Tokens reserved for the answer and the descriptions of tools."""
    _sizes: dict[str, int] = field(default_factory=dict)

    def fit(self, messages: Sequence[ChatMessage]) -> tuple[list[ChatMessage], int]:
        """Shorten the conversation to fit; also return how many results were removed or cut.

        Tool results are removed oldest first, then whole turns. The last turn stays, with its
        results cut, and so does the first message; `InputError` if the window cannot hold these.
        """
        if self.measure.window is None:
            return list(messages), 0
        turns = list(_turns(messages[1:]))
        shown = [[messages[0]], *(list(turn) for turn in turns)]
        excess = self._size_of(shown) - (self.measure.window - self.reserved)
        left_out = 0
        for place, turn in enumerate(turns[:-1], 1):
            for index, message in enumerate(turn):
                if excess > 0 and isinstance(message, ChatMessageTool):
                    shown[place][index] = note = _with_text(message, LEFT_OUT)
                    excess += self._size(note) - self._size(message)
                    left_out += 1
        while len(shown) > 2 and excess > 0:
            excess -= self._size_of([shown.pop(1)])
        if excess > 0 and turns:
            excess += self._cut(shown[-1], excess)
            left_out += sum(a is not b for a, b in zip(shown[-1], turns[-1], strict=True))
        if excess > 0:
            raise InputError(
                f"A window of {self.measure.window} tokens, with {self.reserved} kept for the "
                f"answer and the tools, is {excess} tokens too small for the question and one "
                "turn. Give a larger window with viva run --context N."
            )
        return [message for turn in shown for message in turn], left_out

    def narrow(self, shown: Sequence[ChatMessage]) -> None:
        """Set the window to three quarters of a conversation that was too long."""
        size = self._size_of([shown]) * 3 // 4
        self.measure = replace(self.measure, window=size + self.reserved)

    def _cut(self, turn: list[ChatMessage], excess: int) -> int:
        """Shorten a turn's results to share the available room; return the changes."""
        before = self._size_of([turn])
        results = [one for one in turn if isinstance(one, ChatMessageTool)]
        room = sum(self._size(one) for one in results) - excess
        counter = self.measure.counter
        for index, message in enumerate(turn):
            if isinstance(message, ChatMessageTool):
                tokens, text = room // len(results) - self._overhead, text_of(message)
                if counter.count(text) > tokens:
                    end = counter.end_of(text, max(0, tokens - counter.count(CUT) - 1))
                    turn[index] = _with_text(message, text[:end] + CUT if end else LEFT_OUT)
        return self._size_of([turn]) - before

    @property
    def _overhead(self) -> int:
        return max(self.measure.overhead, _AROUND)

    def _size_of(self, turns: Sequence[Sequence[ChatMessage]]) -> int:
        return sum(self._size(message) for turn in turns for message in turn)

    def _size(self, message: ChatMessage) -> int:
        text = text_of(message)
        if text not in self._sizes:
            self._sizes[text] = self.measure.counter.count(text)
        return self._sizes[text] + self._overhead


def _turns(messages: Sequence[ChatMessage]) -> Iterator[list[ChatMessage]]:
    """Split the conversation before each message of the model."""
    turn: list[ChatMessage] = []
    for message in messages:
        if isinstance(message, ChatMessageAssistant) and turn:
            yield turn
            turn = []
        turn.append(message)
    if turn:
        yield turn


def _with_text(message: ChatMessageTool, text: str) -> ChatMessageTool:
    return message.model_copy(update={"content": text, "error": None})


def text_of(message: ChatMessage) -> str:
    """All text of a message that a provider may receive."""
    parts = [message.text]
    if isinstance(message, ChatMessageAssistant):
        if not isinstance(message.content, str):
            parts += [one.reasoning for one in message.content if isinstance(one, ContentReasoning)]
        for call in message.tool_calls or ():
            parts += [call.function, json.dumps(call.arguments, default=str)]
    if isinstance(message, ChatMessageTool) and message.error is not None:
        parts.append(message.error.message)
    return "\n".join(parts)
