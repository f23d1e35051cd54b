r"""The final answer in a reply, without its reasoning, drafts, end tokens and wrappers.

Models mark reasoning and answers with markers: words in brackets, such as `<think>`, `[/THINK]`,
`◁think▷` or `<|end_of_thought|>`. Mostly the word itself does not matter:

1. Markers at the very end that close no block are end tokens.
2. Special tokens (`<|channel|>final<|message|>`) divide a message into parts; the last part counts.
3. A closed answer block (`<answer>...</answer>`) is the answer; the last such block counts.
4. Text up to the last marker that closes reasoning is cut, even if the chat template opened it.
5. A single block with another name, at the start or opened by the template, is cut like reasoning;
   if nothing follows, it is the answer. Several such blocks stay in the text.
6. If a block at the start is never closed, there is no answer. But a block named after the task's
   product, such as `<abstract>`, `<intro>` or `<paper>`, contains the answer.
7. Reasoning under a heading, in a fence or in a quotation at the start is cut.
8. A line with only `Final answer:`, or one that begins `Revised title:`, ends the drafts above it.
9. A `\boxed{}` around the whole text, or at its end, is unwrapped.
10. A code fence around the whole text is removed if it contains reasoning too.
11. The answer field of a JSON object is unwrapped if all other fields are reasoning.
12. The speaker's name before the answer (`Assistant:`, `Response:`) is cut, and so are invented
    turns after it.

A marker used as a word in a sentence ("the </think> token") is text; so are HTML elements. Every
rule takes linear time.
"""

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from vivavoce.text.json_answer import find_json
from vivavoce.text.markers import (
    MARKER,
    Marker,
    answer_line,
    end_of_thought,
    is_product,
    read_markers,
    says_answer,
    says_reasoning,
)

VERSION = 7
"""Increase this when a change gives a different answer for the same message."""
MAX_CHARACTERS = 2_000_000
"""Maximum number of characters read from a message."""

Cut = Literal["reasoning", "draft", "wrapper", "tokens"]
CUTS: tuple[Cut, ...] = ("reasoning", "draft", "wrapper", "tokens")
"""Kinds of text that may be cut, most important first."""

_TEXT_COMMAND = re.compile(r"\\(?:text|textbf|mathrm)\s?\{([^{}]*)\}")
_BOXED = re.compile(r"\\boxed\s?\{")
_FENCE_LINE = re.compile(r"`{3,}|~{3,}")
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)
_ROLE = re.compile(r"(?:assistant|model|bot)[ \t]*\n|(?P<name>[^\W\d_]\w*)[ \t]*\n")
_OTHERS = ("user", "human", "system", "tool", "instruction")
_SPEAKER = re.compile(
    r"[#*_\[ \t]{0,6}(?:assistant|response)[*_\] \t]{0,6}(?:[:：]|(?<=\])|\n)[*_]{0,3}\s*(?=\S)",
    re.I,
)
_NEXT_SPEAKER = re.compile(
    rf"^[#*_\[ \t]{{0,6}}(?:{'|'.join(_OTHERS)})[*_\] \t]{{0,6}}(?:[:：]|$)", re.I | re.MULTILINE
)
_MAX_PASSES = 5
"""Maximum depth of nested wrappers, such as an answer block after a thought."""


@dataclass(frozen=True, slots=True)
class FinalAnswer:
    """A model's final answer, and the parts that were cut from the message."""

    text: str
    cuts: tuple[tuple[Cut, str], ...] = ()
    """Kind and text of each part that was cut, in order of cutting."""
    is_unclosed: bool = False
    """True if the message ends inside its reasoning, so that there is no answer."""

    @property
    def cut_from(self) -> Cut | None:
        """The most important kind of cut; None if nothing was cut."""
        kinds = {kind for kind, _ in self.cuts}
        return next((kind for kind in CUTS if kind in kinds), None)


@lru_cache(maxsize=16)
def final_answer(message: str) -> FinalAnswer:
    """Find the final answer in a message, without surrounding white space."""
    text = message[:MAX_CHARACTERS].strip()
    cuts: list[tuple[Cut, str]] = []
    for _ in range(_MAX_PASSES):
        before = text
        for step in _STEPS:
            partial = step(text)
            cuts += partial.cuts
            if partial.is_unclosed:
                return FinalAnswer("", tuple(cuts), is_unclosed=True)
            text = partial.text.strip()
        if text == before:
            break
    return FinalAnswer(text, tuple(cuts))


def _first_turn(text: str) -> FinalAnswer:
    """Cut the turns of other speakers that the model invented after its own turn."""
    tokens = [marker for marker in read_markers(text) if not marker.bracket]
    ends = [*(token.start for token in tokens[1:]), len(text)]
    for token, end in zip(tokens, ends, strict=False):
        role = text[token.end : end].strip().partition("\n")[0]
        is_other = token.name in _OTHERS or (not token.is_closing and role in _OTHERS)
        if is_other and MARKER.sub("", text[: token.start]).strip():
            return FinalAnswer(text[: token.start], (("tokens", text[token.start :]),))
    return FinalAnswer(text)


def _without_speaker(text: str) -> FinalAnswer:
    """Cut the speaker's name before a message, and the turns of other speakers after it."""
    speaker = _SPEAKER.match(text)
    if speaker is None:
        return FinalAnswer(text)
    answer, cut = text[speaker.end() :], text[: speaker.end()]
    if follows := _NEXT_SPEAKER.search(answer):
        cut += answer[follows.start() :]
        answer = answer[: follows.start()]
    return FinalAnswer(answer, (("wrapper", cut),))


def _without_end_tokens(text: str) -> FinalAnswer:
    end = len(text)
    for marker in reversed(read_markers(text)):
        is_unpaired = marker.opener is None and (
            not marker.is_reasoning if marker.is_closing else not marker.is_answer
        )
        if text[marker.end : end].strip() or not is_unpaired or not marker.start:
            break
        end = marker.start
    return FinalAnswer(text[:end], (("tokens", text[end:]),) if end < len(text) else ())


def _last_part(text: str) -> FinalAnswer:
    """The last part of a message that is divided by special tokens."""
    tokens = [marker for marker in read_markers(text) if not marker.bracket]
    if not tokens:
        return FinalAnswer(text)
    last = tokens[-1]
    # A token such as `<|message|>` follows the name of the channel.
    header = text[tokens[-2].end : last.start].strip() if len(tokens) > 1 else ""
    is_channel = bool(header) and len(header.split()) == 1
    named = replace(last, name=header.casefold()) if is_channel else last
    if named.is_reasoning and not last.is_closing:
        return FinalAnswer("", (("reasoning", text),), is_unclosed=True)
    answer = text[last.end :]
    if not is_channel and (role := _ROLE.match(answer)):
        named = replace(last, name=(role["name"] or "").casefold())
        if named.is_reasoning and not last.is_closing:
            return FinalAnswer("", (("reasoning", text),), is_unclosed=True)
        if not role["name"] or named.is_answer:
            answer = answer[role.end() :]
    above = text[: len(text) - len(answer)]
    words = len(MARKER.sub(" ", above).split())
    return FinalAnswer(answer, (("reasoning" if words > len(tokens) else "tokens", above),))


def _outside_of_blocks(text: str) -> FinalAnswer:
    """The answer in a message that has reasoning or an answer between markers."""
    markers = [marker for marker in read_markers(text) if marker.bracket and not marker.is_html]
    if headed := _behind_a_heading(text, markers):
        return headed
    # The end of an answer block without a start says nothing about the text around it.
    closing = [
        marker
        for marker in markers
        if marker.is_closing and (marker.opener or not marker.is_answer)
    ]
    if answers := [marker for marker in closing if marker.opener and marker.is_answer]:
        return _inside(text, answers[-1])
    if not closing:
        return _after_openers(text, [marker for marker in markers if not marker.is_closing])
    # Several blocks with other names are part of the text.
    last = closing[-1]
    if not (last.is_reasoning or last.is_answer or len(closing) == 1):
        known = [marker for marker in closing if marker.is_reasoning]
        if not known:
            return _among_blocks(text, closing)
        last = known[-1]
    start = last.opener.start if last.opener else 0
    if text[last.end :].strip():
        if start and not last.is_reasoning:
            return FinalAnswer(text)
        return FinalAnswer(text[last.end :], (("reasoning", text[: last.end]),))
    if last.is_reasoning:
        return FinalAnswer(text[:start], (("reasoning", text[start:]),))
    return _inside(text, last) if last.opener else FinalAnswer(text)


def _among_blocks(text: str, closing: list[Marker]) -> FinalAnswer:
    """The answer in a message that begins with several blocks with unknown names.

    The answer follows the blocks. If nothing follows, it is the last block if all names differ.
    Three or more one-line blocks before other text are items of a list, and stay.
    """
    end, blocks = 0, []
    for marker in closing:
        if marker.opener is None or text[end : marker.opener.start].strip():
            return FinalAnswer(text)
        end = marker.end
        blocks.append((marker.name, text[marker.opener.end : marker.start].strip()))
    if not text[end:].strip():
        is_one_each = len({name for name, _ in blocks}) == len(blocks)
        return _inside(text, closing[-1]) if is_one_each else FinalAnswer(text)
    if len(blocks) > 2 and not any("\n" in content for _, content in blocks):
        return FinalAnswer(text)
    return FinalAnswer(text[end:], (("reasoning", text[:end]),))


def _behind_a_heading(text: str, markers: list[Marker]) -> FinalAnswer | None:
    """The answer after a thought opened by `<unused94>thought` and ended by another such marker."""
    if not markers or markers[0].start or markers[0].is_closing or markers[0].is_reasoning:
        return None
    heading = text[markers[0].end :].partition("\n")[0].strip().casefold()
    if len(heading.split()) != 1 or not says_reasoning(heading):
        return None
    if len(markers) == 1:
        return FinalAnswer("", (("reasoning", text),), is_unclosed=True)
    end = markers[1].end
    return FinalAnswer(text[end:], (("reasoning", text[:end]),))


def _after_openers(text: str, markers: list[Marker]) -> FinalAnswer:
    """The answer in a message in which no block is closed."""
    answer_first = sorted(markers, key=lambda marker: (not marker.is_answer, marker.start))
    for marker in answer_first:
        above, below = text[: marker.start], text[marker.end :]
        if above.rpartition("\n")[2].strip() or not below.strip():
            continue  # in the middle of a line, or at the end
        if marker.is_answer:
            kind: Cut = "reasoning" if above.strip() else "wrapper"
            return FinalAnswer(below, ((kind, text[: marker.end]),))
        if not above.strip() and not marker.is_reasoning and is_product(marker.name):
            return FinalAnswer(below, (("wrapper", text[: marker.end]),))
        if not above.strip() and (marker.is_reasoning or marker.bracket == "<"):
            return FinalAnswer("", (("reasoning", text),), is_unclosed=True)
        if marker.is_reasoning:
            return FinalAnswer(above, (("reasoning", text[marker.start :]),))
    return FinalAnswer(text)


def _inside(text: str, closing: Marker) -> FinalAnswer:
    """The content of a closed block."""
    opener = closing.opener or closing
    kind: Cut = "reasoning" if text[: opener.start].strip() else "wrapper"
    cuts: tuple[tuple[Cut, str], ...] = (
        (kind, text[: opener.end]),
        ("wrapper", text[closing.start :]),
    )
    return FinalAnswer(text[opener.end : closing.start], cuts)


def _behind_a_label(text: str) -> FinalAnswer:
    """The answer after reasoning at the start, under a heading, in a fence or in a quotation."""
    end = end_of_thought(text)
    if end is None:
        return FinalAnswer("", (("reasoning", text),), is_unclosed=True)
    return FinalAnswer(text[end:], (("reasoning", text[:end]),) if end else ())


def _below_the_drafts(text: str) -> FinalAnswer:
    end = answer_line(text)
    if not end:
        return FinalAnswer(text)
    kind: Cut = "draft" if "\n" in text[:end].strip() else "wrapper"
    return FinalAnswer(text[end:], ((kind, text[:end]),))


def _inside_json(text: str) -> FinalAnswer:
    """The answer field of a JSON object whose other fields are all reasoning."""
    field, is_alone = only_text(text)
    if not field or not (says_answer(field[0]) or field[0] == "text"):
        return FinalAnswer(text)
    return FinalAnswer(field[1], (("wrapper" if is_alone else "reasoning", text),))


def only_text(text: str) -> tuple[tuple[str, str] | None, bool]:
    """The only text besides reasoning in a JSON object, and whether it is the only field."""
    is_whole = text[:1] in ("{", "`") and text[-1:] in ("}", "`")
    given = find_json(text) if is_whole else None
    while (
        isinstance(given, dict)
        and len(given) == 1
        and isinstance(inner := next(iter(given.values())), dict)
    ):
        given = inner
    if not isinstance(given, dict) or not all(isinstance(field, str) for field in given.values()):
        return None, False
    texts = [field for field in given.items() if not says_reasoning(field[0])]
    return (texts[0] if len(texts) == 1 else None), len(given) == 1


def _inside_a_box(text: str) -> FinalAnswer:
    boxes = list(_BOXED.finditer(text))
    if not boxes:
        return FinalAnswer(text)
    start = boxes[-1].end()
    content = inside_braces(text, start)
    if content is None or text[start + len(content) + 1 :].strip(" .$\\])\n"):
        return FinalAnswer(text)  # never closed, or in the middle of a text
    above = text[: boxes[-1].start()].strip(" $\\[(\n")
    cut: Cut = "reasoning" if above else "wrapper"
    command = _TEXT_COMMAND.fullmatch(content.strip())
    return FinalAnswer(command[1] if command else content, ((cut, text[:start]),))


def inside_braces(text: str, start: int) -> str | None:
    """The rest of a group in braces, from `start` inside it; None if it is never closed."""
    depth = 1
    for brace in _BRACE.finditer(text, start):
        depth += {"{": 1, "}": -1}.get(brace[0], 0)
        if depth == 0:
            return text[start : brace.start()]
    return None


def _without_fence(text: str) -> FinalAnswer:
    """The content of a fence around the whole message, if the content has reasoning."""
    first, _, below = text.partition("\n")
    content, _, last = below.rpartition("\n")
    fence = last.strip()
    if not _FENCE_LINE.fullmatch(fence) or not first.startswith(fence):
        return FinalAnswer(text)
    is_one = fence not in content and fence[0] not in first[len(fence) :]
    if not is_one or not any(
        marker.is_reasoning or not marker.bracket for marker in read_markers(content)
    ):
        return FinalAnswer(text)
    return FinalAnswer(content, (("wrapper", first), ("wrapper", last)))


_STEPS = (
    _without_fence,
    _first_turn,
    _without_speaker,
    _without_end_tokens,
    _last_part,
    _outside_of_blocks,
    _behind_a_label,
    _below_the_drafts,
    _inside_a_box,
    _inside_json,
)
