r"""The final answer in a reply, without its reasoning, drafts, end tokens and wrappers.

Models mark reasoning and answers with markers: a word in brackets, such as `<think>`, `[/THINK]`,
`◁think▷` or `<|end_of_thought|>`. In most cases it does not matter which word:

1. Markers at the very end that close nothing are end tokens.
2. Special tokens (`<|channel|>final<|message|>`) cut a message into parts; the last one counts.
3. A closed answer block (`<answer>...</answer>`) is the answer; of several, the last.
4. Text before the last marker that closes reasoning goes, also if the chat template opened it.
5. Of another name, a single block at the start, or one that the template opened, goes like
   reasoning; if nothing follows it, it is the answer. Several such blocks stay in the text.
6. A block at the start that is never closed is unclosed: there is no answer. Named as what was
   asked for, such as `<abstract>`, `<intro>` or `<paper>`, it holds the answer.
7. A heading, a fence, or a quotation at the start that says reasoning goes up to its end.
8. A line that says no more than `Final answer:` ends the drafts above it.
9. A `\boxed{}` around all of it, or at its end, is opened.
10. A code fence around all of it goes, if reasoning is in it too.
11. The text of a JSON object that says answer, beside no more than reasoning, is opened.

12. The name of the speaker before it (`Assistant:`) goes, with the turns behind it that others
    are said to take.

A marker that is a word of a sentence ("the </think> token") is text, and so are HTML elements.
Every rule takes linear time.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Literal

from vivavoce.text.headings import role_of_heading
from vivavoce.text.json_answer import find_json
from vivavoce.text.markers import (
    MARKER,
    Marker,
    answer_line,
    end_of_thought,
    read_markers,
    says_answer,
    says_reasoning,
)

VERSION = 5
"""Raised when the same message gives another answer."""
MAX_CHARACTERS = 2_000_000
"""Characters of a message that are read."""

Cut = Literal["reasoning", "draft", "wrapper", "tokens"]
CUTS: tuple[Cut, ...] = ("reasoning", "draft", "wrapper", "tokens")
"""Kinds of text that may be cut off, the one that matters most first."""

_TEXT_COMMAND = re.compile(r"\\(?:text|textbf|mathrm)\s?\{([^{}]*)\}")
_BOXED = re.compile(r"\\boxed\s?\{")
_FENCE_LINE = re.compile(r"`{3,}|~{3,}")
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)
_ROLE = re.compile(r"(?:assistant|model|bot)[ \t]*\n|(?P<name>[^\W\d_]\w*)[ \t]*\n")
_OTHERS = ("user", "human", "system", "tool")
_SPEAKER = re.compile(
    r"[#*_\[ \t]{0,6}assistant[*_\] \t]{0,6}(?:[:：]|(?<=\])|\n)[*_]{0,3}\s*(?=\S)", re.I
)
_NEXT_SPEAKER = re.compile(
    rf"^[#*_\[ \t]{{0,6}}(?:{'|'.join(_OTHERS)})[*_\] \t]{{0,6}}(?:[:：]|$)", re.I | re.MULTILINE
)
_ASKED_FOR = ("paper", "text", "table", "list", "leaderboard", "ranking", "introduction")
"""Names of what tasks ask for, beside sections of a paper; a beginning of one is enough."""
_MAX_PASSES = 5
"""Wrappers within wrappers, such as an answer block behind a thought."""


@dataclass(frozen=True, slots=True)
class FinalAnswer:
    """A model's final answer, and what was cut off."""

    text: str
    cuts: tuple[tuple[Cut, str], ...] = ()
    """Kind and text of each part that was cut off, in the order of cutting."""
    is_unclosed: bool = False
    """True if the message ends inside its reasoning: there is no answer."""

    @property
    def cut_from(self) -> Cut | None:
        """The kind of cut that matters most; None where the message is the answer."""
        kinds = {kind for kind, _ in self.cuts}
        return next((kind for kind in CUTS if kind in kinds), None)


def final_answer(message: str) -> FinalAnswer:
    """Find the final answer in a message; spaces around it are left off."""
    text = message[:MAX_CHARACTERS].strip()
    cuts: list[tuple[Cut, str]] = []
    for _ in range(_MAX_PASSES):
        before = text
        for step in _STEPS:
            found = step(text)
            cuts += found.cuts
            if found.is_unclosed:
                return FinalAnswer("", tuple(cuts), is_unclosed=True)
            text = found.text.strip()
        if text == before:
            break
    return FinalAnswer(text, tuple(cuts))


def _first_turn(text: str) -> FinalAnswer:
    """A message without the turns of others that a model makes up behind its own."""
    tokens = [marker for marker in read_markers(text) if not marker.bracket]
    ends = [*(token.start for token in tokens[1:]), len(text)]
    for token, end in zip(tokens, ends, strict=False):
        role = text[token.end : end].strip().partition("\n")[0]
        is_other = token.name in _OTHERS or (not token.is_closing and role in _OTHERS)
        if is_other and MARKER.sub("", text[: token.start]).strip():
            return FinalAnswer(text[: token.start], (("tokens", text[token.start :]),))
    return FinalAnswer(text)


def _without_speaker(text: str) -> FinalAnswer:
    """A message without the name of its speaker, and without the turns behind it."""
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
    """The last part of a message that special tokens divide."""
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
    """The answer of a message with reasoning or an answer between markers."""
    markers = [marker for marker in read_markers(text) if marker.bracket and not marker.is_html]
    if headed := _behind_a_heading(text, markers):
        return headed
    # Without its beginning, the end of an answer block says nothing of what is around it.
    closing = [
        marker
        for marker in markers
        if marker.is_closing and (marker.opener or not marker.is_answer)
    ]
    if answers := [marker for marker in closing if marker.opener and marker.is_answer]:
        return _inside(text, answers[-1])
    if not closing:
        return _after_openers(text, [marker for marker in markers if not marker.is_closing])
    # Blocks with other names are a part of the text, unless there is one alone.
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
    """The answer of a message that begins with several blocks of unknown names.

    It follows them, or it is the last if each has a name of its own. Three single lines or
    more are the items of a list.
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
    """The answer behind a thought that a heading opens and another marker ends.

    So `<unused94>thought` opens one, and `<unused95>` ends it: the markers themselves say nothing.
    """
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
    """The answer of a message in which no block is closed."""
    answer_first = sorted(markers, key=lambda marker: (not marker.is_answer, marker.start))
    for marker in answer_first:
        above, below = text[: marker.start], text[marker.end :]
        if above.rpartition("\n")[2].strip() or not below.strip():
            continue  # in the middle of a line, or at the end
        if marker.is_answer:
            kind: Cut = "reasoning" if above.strip() else "wrapper"
            return FinalAnswer(below, ((kind, text[: marker.end]),))
        if not above.strip() and not marker.is_reasoning and _is_asked_for(marker.name):
            return FinalAnswer(below, (("wrapper", text[: marker.end]),))
        if not above.strip() and (marker.is_reasoning or marker.bracket == "<"):
            return FinalAnswer("", (("reasoning", text),), is_unclosed=True)
        if marker.is_reasoning:
            return FinalAnswer(above, (("reasoning", text[marker.start :]),))
    return FinalAnswer(text)


def _is_asked_for(name: str) -> bool:
    """Check whether a block is named as what a task asked for."""
    words = re.sub(r"[_.:-]", " ", name)
    is_section = role_of_heading(words) or role_of_heading(words.replace("related", "related ", 1))
    return bool(is_section) or any(each.startswith(words) for each in _ASKED_FOR)


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
    """The answer behind a heading, a fence or a quotation at the start that says reasoning."""
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
    """The text of a JSON object that says answer, beside no more than reasoning."""
    found, is_alone = only_text(text)
    if not found or not (says_answer(found[0]) or found[0] == "text"):
        return FinalAnswer(text)
    return FinalAnswer(found[1], (("wrapper" if is_alone else "reasoning", text),))


def only_text(text: str) -> tuple[tuple[str, str] | None, bool]:
    """Name and value of the only text of a JSON object that says no reasoning; whether alone."""
    is_whole = text[:1] in ("{", "`") and text[-1:] in ("}", "`")
    given = find_json(text) if is_whole else None
    if not isinstance(given, dict) or not all(isinstance(each, str) for each in given.values()):
        return None, False
    texts = [each for each in given.items() if not says_reasoning(each[0])]
    return (texts[0] if len(texts) == 1 else None), len(given) == 1


def _inside_a_box(text: str) -> FinalAnswer:
    boxes = list(_BOXED.finditer(text))
    if not boxes:
        return FinalAnswer(text)
    start, depth = boxes[-1].end(), 1
    for brace in _BRACE.finditer(text, start):
        depth += {"{": 1, "}": -1}.get(brace[0], 0)
        if depth == 0:
            if text[brace.end() :].strip(" .$\\])\n"):
                break  # in the middle of a text
            above = text[: boxes[-1].start()].strip(" $\\[(\n")
            cut: Cut = "reasoning" if above else "wrapper"
            content = text[start : brace.start()]
            command = _TEXT_COMMAND.fullmatch(content.strip())
            return FinalAnswer(command[1] if command else content, ((cut, text[:start]),))
    return FinalAnswer(text)


def _without_fence(text: str) -> FinalAnswer:
    """The content of a fence around the whole message, where reasoning is in it."""
    first, _, below = text.partition("\n")
    content, _, last = below.rpartition("\n")
    fence = last.strip()
    if not _FENCE_LINE.fullmatch(fence) or not first.startswith(fence):
        return FinalAnswer(text)
    is_one = fence not in content and fence[0] not in first[len(fence) :]
    if not is_one or not any(
        each.is_reasoning or not each.bracket for each in read_markers(content)
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
