r"""The final answer in a reply, without its reasoning, drafts, end tokens and wrappers.

Models mark reasoning and answers with markers: a word in brackets, such as `<think>`, `[/THINK]`,
`◁think▷` or `<|end_of_thought|>`. In most cases it does not matter which word:

1. Markers at the very end that close nothing are end tokens.
2. Special tokens (`<|channel|>final<|message|>`) cut a message into parts; the last one counts.
3. A closed answer block (`<answer>...</answer>`) is the answer; of several, the last.
4. Text before the last marker that closes reasoning goes, also if the chat template opened it.
5. Of another name, a single block at the start, or one that the template opened, goes like
   reasoning; if nothing follows it, it is the answer. Several are a part of the text.
6. A block at the start that is never closed is unclosed: there is no answer.
7. A heading, a fence, or a quotation at the start that says reasoning goes up to its end.
8. A line that says no more than `Final answer:` ends the drafts above it.
9. A `\boxed{}` around all of it, or at its end, is opened.
10. A code fence around all of it goes, if reasoning is in it too.
11. A JSON object that holds one text beside its reasoning is that text.

A marker that is a word of a sentence ("the </think> token") is text, and so are HTML elements.
Every rule takes linear time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from lxml.html.defs import tags as HTML_ELEMENTS

from vivavoce.text.json_answer import find_json

VERSION = 3
"""Raised when the same message gives another answer."""
MAX_CHARACTERS = 2_000_000
"""Characters of a message that are read."""

Cut = Literal["reasoning", "draft", "wrapper", "tokens"]
CUTS: tuple[Cut, ...] = ("reasoning", "draft", "wrapper", "tokens")
"""Kinds of text that may be cut off, the one that matters most first."""

_NAME = r"[^\W\d_](?:[\w.:▁-]|[ ](?=\w)){0,40}"
_MARKER = re.compile(
    rf"<[|｜](?P<special>/?{_NAME})[|｜]?>|<(?P<end>{_NAME})[|｜]>"
    rf"|(?P<bracket>[<\[◁⟨【])(?P<slash>/?)\s?(?P<name>{_NAME})(?:\s[^<>\n]{{0,200}})?[>\]▷⟩】]"
)
_REASONING = re.compile(
    r"think|thought|reason|reflect|analy|scratch|ponder|delib|brainstorm|plan|cot\b|monolog"
)
_ANSWER = re.compile(r"answer|respon|output|final|result|solution|reply")
_WORD_BEFORE = re.compile(r"[\w,'\"`“‘(] ?\Z")
_WORD_AFTER = re.compile(r"['\"”’)]|`(?!``)|[.,;:](?:\s|\Z)| [a-z]")
_FINAL_LINE = re.compile(
    r"^[ \t#>*_=-]*(?:(?:the |my )?final answer[ \t*_]*[:：.]?"
    r"|(?:final(?: \w+){0,2}|(?P<bare>answer))[ \t*_]*[:：])[ \t*_=-]*$"
    r"|^[ \t]*(?:#{1,6} |[*_]{2})(?:final )?answer[*_]*[ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)
_BARE_LINE = re.compile(r"^\w+(?: \w+)?:$", re.MULTILINE)
_INLINE = re.compile(r"^[ \t#>*_]*(?:my |the )?(?:final )?answer[*_]*[:：]", re.I | re.MULTILINE)
_LABEL = re.compile(
    r"(?P<mark>[`~]{3,}|>|#{1,6}|[*_]{0,3})[ \t*_#]*(?P<name>\w+(?:(?:[ _-]|:(?=\w))\w+){0,4})"
    r"(?P<colon>[*_ \t]*(?:[:：]|\.{3}|…)|)[*_]*[ \t]*(?P<more>[^\n]*)(?:\n|\Z)"
)
_LABEL_NAME = re.compile(
    r"(?:\w+[ _:-]){0,3}?\w{0,12}?(?:think|thought|reason|reflect|analysis|scratch|ponder|delib|brainstorm"
    r"|cot\b|monolog)\w*(?:[ _:-](?:of[ _-]thought|process|steps?|trace|content|pad))?"
)
_STRIPPED = re.compile(r"(?:analysis|commentary|thought)(?=[A-Z\d])")
_STRIPPED_ANSWER = re.compile(r"assistant(?:final|response|answer)(?=\S)")
_BOXED = re.compile(r"\\boxed\s?\{")
_FENCE_LINE = re.compile(r"`{3,}|~{3,}")
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)
_ROLE = re.compile(r"(?:assistant|model|bot)[ \t]*\n|(?P<name>[^\W\d_]\w*)[ \t]*\n")
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


@dataclass(frozen=True, slots=True)
class _Marker:
    start: int
    end: int
    name: str
    bracket: str
    """Empty for a special token."""
    is_closing: bool
    opener: _Marker | None = None
    """The marker that a closing one closes."""

    @property
    def is_html(self) -> bool:
        elements = HTML_ELEMENTS - {"details", "aside"}  # they hold what is beside the text
        return self.bracket == "<" and self.name in elements and not self.is_answer

    @property
    def is_reasoning(self) -> bool:
        return _REASONING.search(self.name) is not None

    @property
    def is_answer(self) -> bool:
        return _ANSWER.search(self.name) is not None and not self.is_reasoning


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


def _without_end_tokens(text: str) -> FinalAnswer:
    end = len(text)
    for marker in reversed(_markers(text)):
        is_unpaired = marker.opener is None and (
            not marker.is_reasoning if marker.is_closing else not marker.is_answer
        )
        if text[marker.end : end].strip() or not is_unpaired or not marker.start:
            break
        end = marker.start
    return FinalAnswer(text[:end], (("tokens", text[end:]),) if end < len(text) else ())


def _last_part(text: str) -> FinalAnswer:
    """The last part of a message that special tokens divide."""
    tokens = [marker for marker in _markers(text) if not marker.bracket]
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
    words = len(_MARKER.sub(" ", above).split())
    return FinalAnswer(answer, (("reasoning" if words > len(tokens) else "tokens", above),))


def _outside_of_blocks(text: str) -> FinalAnswer:
    """The answer of a message with reasoning or an answer between markers."""
    markers = [marker for marker in _markers(text) if marker.bracket and not marker.is_html]
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
            return FinalAnswer(text)
        last = known[-1]
    start = last.opener.start if last.opener else 0
    if text[last.end :].strip():
        if start and not last.is_reasoning:
            return FinalAnswer(text)
        return FinalAnswer(text[last.end :], (("reasoning", text[: last.end]),))
    if last.is_reasoning:
        return FinalAnswer(text[:start], (("reasoning", text[start:]),))
    return _inside(text, last) if last.opener else FinalAnswer(text)


def _behind_a_heading(text: str, markers: list[_Marker]) -> FinalAnswer | None:
    """The answer behind a thought that a heading opens and another marker ends.

    So `<unused94>thought` opens one, and `<unused95>` ends it: the markers themselves say nothing.
    """
    if not markers or markers[0].start or markers[0].is_closing or markers[0].is_reasoning:
        return None
    heading = text[markers[0].end :].partition("\n")[0].strip().casefold()
    if len(heading.split()) != 1 or not _REASONING.match(heading):
        return None
    if len(markers) == 1:
        return FinalAnswer("", (("reasoning", text),), is_unclosed=True)
    end = markers[1].end
    return FinalAnswer(text[end:], (("reasoning", text[:end]),))


def _after_openers(text: str, markers: list[_Marker]) -> FinalAnswer:
    """The answer of a message in which no block is closed."""
    for marker in markers:
        above, below = text[: marker.start], text[marker.end :]
        if above.rpartition("\n")[2].strip() or not below.strip():
            continue  # in the middle of a line, or at the end
        if marker.is_answer:
            kind: Cut = "reasoning" if above.strip() else "wrapper"
            return FinalAnswer(below, ((kind, text[: marker.end]),))
        if not above.strip() and (marker.is_reasoning or marker.bracket == "<"):
            return FinalAnswer("", (("reasoning", text),), is_unclosed=True)
        if marker.is_reasoning:
            return FinalAnswer(above, (("reasoning", text[marker.start :]),))
    return FinalAnswer(text)


def _inside(text: str, closing: _Marker) -> FinalAnswer:
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
    if stripped := _STRIPPED.match(text):  # channels whose tokens were left out
        answers = list(_STRIPPED_ANSWER.finditer(text))
        return _cut_at(text, answers[-1].end() if answers else None, stripped.end())
    label = _LABEL.match(text)
    if not label or not _LABEL_NAME.fullmatch(label["name"].casefold()):
        return FinalAnswer(text)
    mark, start = label["mark"], label.end()
    if label["more"]:
        answers = list(_INLINE.finditer(text, start)) if label["colon"] else []
        return _cut_at(text, answers[-1].end(), start) if answers else FinalAnswer(text)
    if mark[:1] in ("`", "~"):
        end = re.compile(rf"^{mark}[ \t]*$", re.MULTILINE).search(text, start)
    elif mark == ">":
        end = re.compile(r"^(?!>)", re.MULTILINE).search(text, start)
    elif not mark and not label["colon"]:
        return FinalAnswer(text)
    else:
        end = max(_final_lines(text, start), key=re.Match.end, default=None) or (
            re.compile(rf"^{re.escape(mark)}[^\n]*$", re.MULTILINE).search(text, start)
            if mark
            else None
        )
        if end is None and not label["colon"]:
            return FinalAnswer(text)
    return _cut_at(text, end.end() if end else None, start)


def _cut_at(text: str, end: int | None, start: int) -> FinalAnswer:
    """The text behind its reasoning; no answer where that has no end."""
    if end is None or not text[end:].strip():
        return FinalAnswer("", (("reasoning", text),), is_unclosed=bool(text[start:].strip()))
    return FinalAnswer(text[end:], (("reasoning", text[:end]),))


def _final_lines(text: str, start: int = 0) -> list[re.Match[str]]:
    """Lines that announce the final answer; a bare one among others like it is one of a list."""
    lines = [line for line in _FINAL_LINE.finditer(text, start) if text[line.end() :].strip()]
    bare = len(_BARE_LINE.findall(text))
    return [line for line in lines if not line["bare"] or bare < 2]


def _below_the_drafts(text: str) -> FinalAnswer:
    lines = _final_lines(text)
    if not lines:
        return FinalAnswer(text)
    end = lines[-1].end()
    kind: Cut = "draft" if text[: lines[-1].start()].strip() else "wrapper"
    return FinalAnswer(text[end:], ((kind, text[:end]),))


def _inside_json(text: str) -> FinalAnswer:
    """The only text of a JSON object, beside one that says reasoning."""
    found = find_json(text) if text[:1] in ("{", "`") and text[-1:] in ("}", "`") else None
    if not isinstance(found, dict) or not all(isinstance(each, str) for each in found.values()):
        return FinalAnswer(text)
    texts = [value for key, value in found.items() if not _REASONING.search(key.casefold())]
    if len(texts) != 1:
        return FinalAnswer(text)
    kind: Cut = "wrapper" if len(found) == 1 else "reasoning"
    return FinalAnswer(texts[0], ((kind, text),))


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
            return FinalAnswer(text[start : brace.start()], ((cut, text[:start]),))
    return FinalAnswer(text)


def _without_fence(text: str) -> FinalAnswer:
    """The content of a fence around the whole message, where reasoning is in it."""
    first, _, below = text.partition("\n")
    content, _, last = below.rpartition("\n")
    fence = last.strip()
    if not _FENCE_LINE.fullmatch(fence) or not first.startswith(fence):
        return FinalAnswer(text)
    is_one = fence not in content and fence[0] not in first[len(fence) :]
    if not is_one or not any(each.is_reasoning or not each.bracket for each in _markers(content)):
        return FinalAnswer(text)
    return FinalAnswer(content, (("wrapper", first), ("wrapper", last)))


_STEPS = (
    _without_fence,
    _without_end_tokens,
    _last_part,
    _outside_of_blocks,
    _behind_a_label,
    _below_the_drafts,
    _inside_a_box,
    _inside_json,
)


def _markers(text: str) -> list[_Marker]:
    """The markers of a text in order; a closing one knows what it closes.

    A word in square brackets is text, unless `[/WORD]` closes it, it is in capitals, or it says
    reasoning.
    """
    found = list(_read_markers(text))
    closed = {(each.bracket, each.name) for each in found if each.is_closing}
    opened: dict[tuple[str, str], list[_Marker]] = {}
    markers = []
    for marker in found:
        key = marker.bracket, marker.name
        if marker.is_closing:
            stack = opened.get(key)
            markers.append(replace(marker, opener=stack.pop()) if stack else marker)
        elif (
            marker.bracket != "["
            or key in closed
            or marker.is_reasoning
            or (marker.is_answer and text[marker.end : marker.end + 1] == "\n")
            or text[marker.start : marker.end].isupper()
        ):
            markers.append(marker)
            if marker.bracket:
                opened.setdefault(key, []).append(marker)
    return markers


def _read_markers(text: str) -> Iterator[_Marker]:
    for found in _MARKER.finditer(text):
        start, end = found.span()
        before, after = text[max(0, start - 2) : start], text[end : end + 3]
        if (not before.strip() and after[:1] in (",", ":")) or (
            _WORD_BEFORE.search(before) and _WORD_AFTER.match(after)
        ):
            continue  # a word of a sentence
        name = (found["special"] or found["end"] or found["name"]).casefold()
        closes = found["end"] or found["slash"] == "/" or name.startswith("/") or re.match(r"end\b|end[_▁]", name)
        yield _Marker(start, end, name.lstrip("/"), found["bracket"] or "", bool(closes))
