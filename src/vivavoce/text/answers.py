r"""A title as a model meant it, without what models say and print around one.

Rules, in this order; a text that none of them fits stays as it is:

1. fences of a code block, `<title>` tags, `\title{}` and the `title` of
   a JSON object are opened;
2. a line's heading, quotation and list marks, its number (`1.`) and the bold or italic marks around
   it go;
3. lead-ins go: `Sure!`, `Here is a title for the paper:`, `Title:`, `The title could be:`;
4. of several lines the first that is left is the title, with the next one where it is plainly
   unfinished: it ends in a colon, a dash, a comma or a word such as `of`;
5. remarks behind it go: `(9 words)`, `- This title says ...`, `. Let me know if ...`;
6. quotation marks around all of it go.

Every rule takes linear time.
"""

from __future__ import annotations

import json
import re

from vivavoce.text.data import read_patterns

MAX_CHARACTERS = 20_000
"""An answer's text beyond this is not read."""
_MAX_LINES = 200
_MAX_ROUNDS = 4
"""Marks within marks, such as a bold title in quotes behind a label."""

_FENCE = re.compile(r"^[ \t]{0,3}(?:```|~~~)[^\n]{0,40}$", re.MULTILINE)
_TAG = re.compile(r"<(title|h[1-6])>", re.IGNORECASE)
_LATEX = re.compile(r"\\title\s{0,5}\{")
_LATEX_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)

_MARK = re.compile(r"(?:#{1,6}\s|>\s?|[-+*•‣–—]\s|\(?[0-9]{1,2}(?:[.)]|\\\.)\s)\s{0,10}")
_WRAPS = ("***", "**", "__", "*", "_", "``", "`")
_QUOTES = (('"', '"'), ("“", "”"), ("„", "“"), ("«", "»"), ("'", "'"), ("‘", "’"), ("`", "'"))

_EMPHASIS = r"[*_]{0,3}"
_PATTERNS = read_patterns(__file__, "answers.toml")
_LABEL = _PATTERNS["label"]
# What opens a reply: it goes only with a lead-in behind it, or alone in its line.
_COURTESY = _PATTERNS["courtesy"]
_LEAD_IN = _PATTERNS["lead_in"]
_NAMES_TITLE = _PATTERNS["names_title"]
# The title is "..." and nothing more: only with quotation marks is it plain where the title begins.
_SENTENCE = _PATTERNS["sentence"]
_UNFINISHED = _PATTERNS["unfinished"]
_COUNT = _PATTERNS["count"]
_REMARK = _PATTERNS["remark"]


def clean_title(answer: str) -> str:
    """The title in an answer; empty where nothing but a lead-in is there."""
    text = _open_containers(answer[:MAX_CHARACTERS])
    lines = [" ".join(line.split()) for line in text.splitlines()[:_MAX_LINES]]
    title = _first_title(lines)
    for _ in range(_MAX_ROUNDS):
        shorter = _strip(_without_remarks(_without_lead_in(_strip(title))))
        if shorter == title:
            break
        title = shorter
    return title


def _open_containers(text: str) -> str:
    """The text inside a code block, tags, LaTeX or JSON, where the answer is one of these."""
    text = _FENCE.sub("", text).strip()
    if text.startswith("{"):
        text = _from_json(text)
    if tag := _TAG.search(text):
        return text[tag.end() :].partition(f"</{tag[1]}>")[0]
    if command := _LATEX.search(text):
        return _inside_braces(text, command.end())
    return text


def _from_json(text: str) -> str:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return text
    title = next((found[key] for key in found if key.lower() == "title"), None)
    return title if isinstance(title, str) else text


def _inside_braces(text: str, start: int) -> str:
    depth = 1
    for brace in _LATEX_BRACE.finditer(text, start):
        depth += {"{": 1, "}": -1}.get(brace[0], 0)
        if depth == 0:
            return text[start : brace.start()]
    return text[start:]


def _first_title(lines: list[str]) -> str:
    """The first line that is more than a lead-in, with those it plainly goes on in."""
    for number, line in enumerate(lines):
        title = _without_lead_in(_strip(line))
        if not any(character.isalnum() for character in title):
            continue
        if _is_talk(title) and any(map(str.strip, lines[number + 1 :])):
            continue
        for following in lines[number + 1 : number + 4]:
            if not following or not _UNFINISHED.search(title):
                break
            title = f"{title} {following}"
        return title
    return ""


def _is_talk(line: str) -> bool:
    """Check whether a line only leads up to a title: it ends in a colon or speaks in person."""
    is_open = line.endswith((":", "：", "...", "…"))
    is_speech = line.endswith(".") and _PERSON.match(line) is not None
    return bool(_NAMES_TITLE.search(line)) and ((is_open and len(line.split()) > 3) or is_speech)


_PERSON = _PATTERNS["person"]


def _without_lead_in(line: str) -> str:
    courtesy = _COURTESY.match(line)
    rest = _strip(line[courtesy.end() :]) if courtesy else line
    for pattern in (_LABEL, _LEAD_IN, _SENTENCE):
        found = pattern.match(rest)
        if found and (pattern is not _LEAD_IN or _NAMES_TITLE.search(found[0])):
            return _strip(rest[found.end() :])
    # `Sure, but ...` may be a title; `Sure!` alone is not.
    return "" if courtesy and not rest else line


def _without_remarks(line: str) -> str:
    found = _REMARK.search(line)
    if found and found.start() > 0:
        line = line[: found.start()].rstrip().removesuffix(".")
    return _COUNT.sub("", line)


def _strip(line: str) -> str:
    """A line without its list mark, and without bold marks or quotes around all of it."""
    line = line.strip()
    if mark := _MARK.match(line):
        line = line[mark.end() :]
    for wrap in _WRAPS:
        if _is_wrapped(line, wrap, wrap):
            return line[len(wrap) : -len(wrap)].strip()
    for first, last in _QUOTES:
        bare = line[:-1] if line.endswith((".", ",", "!")) else line
        if _is_wrapped(bare, first, last):
            return bare[1:-1].strip()
    return line


def _is_wrapped(line: str, first: str, last: str) -> bool:
    """Check whether marks stand around all of a line, not around its first and its last words."""
    inside = line[len(first) : -len(last)]
    is_around = (
        len(line) > len(first) + len(last) and line.startswith(first) and line.endswith(last)
    )
    return is_around and bool(inside.strip()) and first not in inside and last not in inside
