r"""Titles and running texts in answers, without the words that models write around them.

Rules for a title, in this order; a text that fits no rule stays as it is:

1. fences of a code block, `<title>` tags, `\title{}` and the `title` of
   a JSON object are unwrapped;
2. a line's heading, quotation and list marks, its number (`1.`) and surrounding bold or italic
   marks are removed;
3. lead-ins are removed: `Sure!`, `Here is a title for the paper:`, `Title:`, `The title could be:`;
4. of several options, the one that a line below them names is the title;
5. otherwise the first remaining line is the title, with the next line if it is clearly unfinished:
   it ends in a colon, a dash, a comma or a word such as `of`;
6. trailing remarks are removed: `(9 words)`, `- This title says ...`, `. Let me know if ...`;
7. quotation marks around the whole title are removed.

Every rule takes linear time.
"""

import json
import re
from typing import Any

import lxml.html

from vivavoce.text import read_patterns
from vivavoce.text.final_answer import inside_braces, only_text
from vivavoce.text.markers import read_markers

MAX_CHARACTERS = 20_000
"""Maximum number of characters read from an answer."""
_MAX_LINES = 200
_OPTION = re.compile(r"\b(?:option|number|title|no\.?) ?#?([0-9]{1,2})\b", re.IGNORECASE)
_MAX_ROUNDS = 4
"""Maximum depth of nested marks, such as a bold title in quotes after a label."""

_FENCE = re.compile(r"^[ \t]{0,3}(?:```|~~~)[^\n]{0,40}$", re.MULTILINE)
_TAG = re.compile(r"<(title|h[1-6])>", re.IGNORECASE)
_LATEX = re.compile(r"\\title\s{0,5}\{")

_MARK = re.compile(r"(?:#{1,6}\s|>\s?|[-+*•‣–—]\s|\(?[0-9]{1,2}(?:[.)]|\\\.)\s)\s{0,10}")
_WRAPS = ("***", "**", "__", "*", "_", "``", "`")
_QUOTES = (('"', '"'), ("“", "”"), ("„", "“"), ("«", "»"), ("'", "'"), ("‘", "’"), ("`", "'"))

_EMPHASIS = r"[*_]{0,3}"
_PATTERNS = read_patterns(__file__, "answers.toml")
_LABEL = _PATTERNS["label"]
# Opening courtesies are removed only before a lead-in, or alone on their line.
_COURTESY = _PATTERNS["courtesy"]
_LEAD_IN = _PATTERNS["lead_in"]
_NAMES_TITLE = _PATTERNS["names_title"]
# The title is "...": without quotation marks, it is unclear where the title begins.
_SENTENCE = _PATTERNS["sentence"]
_UNFINISHED = _PATTERNS["unfinished"]
_COUNT = _PATTERNS["count"]
_REMARK = _PATTERNS["remark"]


_BLOCK = re.compile(r"(`{3,}|~{3,})[^\n`]*\n(.*?)\n?[ \t]*\1", re.DOTALL)
_ENVIRONMENT = re.compile(
    r"\\begin\{(\w{1,30}\*?)\}(?:(?:\[[^\]\n]{0,200}\]|\{[^}\n]{0,60}\}){1,3}(?=[ \t]*\n))?"
)
_COMMAND = re.compile(r"\\[a-zA-Z]{2,30}\s?\{")
_MAX_TAG = 200
_BLANK_LINES = re.compile(r"\s*\n\s*\n\s*")
_COLON = (":", "：")
_ADDRESS = _PATTERNS["address"]
_TO_READER = _PATTERNS["to_reader"]
_AUTHORS = re.compile(r"\b(?:we|our|us)\b", re.IGNORECASE)
_LISTED = re.compile(r"[^\w\"“'‘«(\[#*_`~<\\$]|\w{1,3}[.)\]]\s|[^\n]{0,40}[:=]")
_COURTEOUS = re.compile(r"\A(?:\w+[ ,]*){1,3}[.!。！]\s+")
_SENTENCE_END = re.compile(r"[.!?。！]\s")
_INNER_CAPITAL = re.compile(r"[^.!?\s] +[*_]*[A-Z]")
_HEADING = re.compile(
    r"(?:(?P<mark>#{1,6}[ \t]|[*_]{2}|\\(?:sub)?section\*?\{)[ \t]*(?:\d[\d.]{0,5}[ \t]+)?"
    r"[^\W\d_][^\n.!?*_]{0,40}[*_}]*[:：]?[*_]*|[^\W\d_][^\n.!?]{0,40}\n[=-]{3,})[ \t]*\n+"
    r"(?:\\label\{[^{}\n]{0,60}\}\s*)?"
)
_NAMED = _PATTERNS["named"]
_REMARK_WORDS, _LEAD_IN_WORDS, _TITLE_WORDS = 40, 40, 30
"""Maximum number of words in a closing remark, in a lead-in, and in a title."""


def without_wrapper(text: str) -> str:
    """Strip lead-in, closing remark, markup and heading from a running text."""
    text = _without_heading(_without_preface(_without_closing_remark(text.strip())))
    if (field := only_text(text)[0]) is not None:
        return field[1].strip()
    for _ in range(_MAX_ROUNDS):
        shorter = _without_heading(_without_markup(text.strip())).strip()
        if shorter == text:
            break
        text = shorter
    return text


def _without_markup(text: str) -> str:
    """The text inside a fence, a LaTeX environment or command, or HTML elements, if any."""
    if fence := _BLOCK.fullmatch(text):
        return fence[2]
    if environment := _ENVIRONMENT.match(text):
        end = f"\\end{{{environment[1]}}}"
        return text[environment.end() : -len(end)] if text.endswith(end) else text
    if command := _COMMAND.match(text):
        inside = inside_braces(text, command.end())
        is_whole = inside is not None and command.end() + len(inside) + 1 == len(text)
        return inside or "" if is_whole else text
    first = next(iter(read_markers(text[:_MAX_TAG])), None)
    if not (first and first.is_html and not first.start and text.endswith(">")):
        return text
    page: Any = lxml.html.fromstring(text)
    for heading in page.xpath("//title|//h1|//h2|//h3"):
        heading.drop_tree()
    for block in page.iter("p", "div", "li", "br"):
        block.tail = f"\n\n{block.tail or ''}"
    return _BLANK_LINES.sub("\n\n", page.text_content()) or text


def _without_closing_remark(text: str) -> str:
    """Drop a last line that addresses the reader, asks something or counts words."""
    above, _, last = text.rpartition("\n\n")
    is_short = len(last.split()) <= _REMARK_WORDS and "\n" not in last.strip()
    is_question = last.rstrip(" *_)]").endswith(("?", "？")) and len(above.split()) > _REMARK_WORDS
    is_remark = _TO_READER.match(last.lstrip(" *_([")) or _COUNT.fullmatch(f" {last.strip()}")
    return above.rstrip() if above and is_short and (is_remark or is_question) else text


def _without_preface(text: str) -> str:
    """Drop a first line that ends in a colon and announces the rest.

    Such a line has no `we` and `our`. It addresses the reader, or it is one sentence and the rest
    is prose at least twice as long, not a list: papers too write `The following steps are needed:`.
    If the rest is a single line, two words announce it if a blank line follows them, or if they are
    no heading: a heading has capitals inside a sentence.
    """
    first, _, rest = text.partition("\n")
    line, words = first.strip(" *_"), len(first.split())
    if not line.endswith(_COLON) or words > _LEAD_IN_WORDS or not rest.strip():
        return text
    length = len(rest.split())
    is_line = words > 1 and "\n" not in rest.strip() and length <= _TITLE_WORDS
    is_apart = rest.startswith("\n") or not _INNER_CAPITAL.search(first)
    is_prose = length >= 2 * words and (words > 2 or line.endswith(_COLON[1]))
    is_alone = not _SENTENCE_END.search(_COURTEOUS.sub("", line)) and not _LISTED.match(
        rest.strip()
    )
    is_announced = is_alone and ((is_line and is_apart) or is_prose)
    is_spoken = _ADDRESS.search(line) is not None or is_announced
    return rest if is_spoken and not _AUTHORS.search(line) else text


def _without_heading(text: str) -> str:
    """Drop a text's own heading: the only heading of its kind, or a label."""
    heading = _HEADING.match(text)
    if heading and f"\n{heading['mark'] or '==='}" not in text[heading.end() :]:
        return text[heading.end() :]
    named = _NAMED.match(text)
    return text[named.end() :].strip() if named and named.end() < len(text) else text


def is_title(text: str) -> bool:
    """Check whether a text is a title: one line without a final full stop."""
    line = text.strip()
    return "\n" not in line and len(line.split()) <= _TITLE_WORDS and line[-1:] not in (".", "。")


def clean_title(answer: str) -> str:
    """Find the title in an answer; empty if the answer is only a lead-in."""
    text = _open_containers(_without_preface(answer[:MAX_CHARACTERS].strip()))
    lines = [" ".join(line.split()) for line in text.splitlines()[:_MAX_LINES]]
    return _chosen_option(lines) or _without_remarks(_first_title(lines))


def _chosen_option(lines: list[str]) -> str:
    """The one option of a list that the lines below it name, by its words or its number, if any."""
    items = [number for number, line in enumerate(lines) if _MARK.match(line)]
    if len(items) < 2:
        return ""
    options = [_without_remarks(lines[number]) for number in items]
    for line in reversed(lines[items[-1] + 1 :]):
        numbers = {int(match[1]) for match in _OPTION.finditer(line)}
        named = {
            option
            for number, option in enumerate(options, 1)
            if option and (number in numbers or option.casefold() in line.casefold())
        }
        if named:  # an option may be the beginning of another
            longest = max(sorted(named), key=len)
            return longest if all(option in longest for option in named) else ""
    return ""


def _without_remarks(title: str) -> str:
    """The title in a line, without lead-ins, remarks, counts of words and marks around it."""
    for _ in range(_MAX_ROUNDS):
        line = _without_lead_in(_strip(title))
        remark = _REMARK.search(line)
        if remark and remark.start() > 0:
            line = line[: remark.start()].rstrip().removesuffix(".")
        shorter = _strip(_COUNT.sub("", line))
        if shorter == title:
            break
        title = shorter
    return title


def _open_containers(text: str) -> str:
    """The text inside a code block, tags, LaTeX or JSON, if the answer is one of these."""
    text = _FENCE.sub("", text).strip()
    if text.startswith("{"):
        text = _from_json(text)
    if tag := _TAG.search(text):
        return text[tag.end() :].partition(f"</{tag[1]}>")[0]
    if command := _LATEX.search(text):
        inside = inside_braces(text, command.end())
        return text[command.end() :] if inside is None else inside
    return text


def _from_json(text: str) -> str:
    try:
        fields = json.loads(text)
    except (ValueError, RecursionError):
        return text
    title = next((fields[key] for key in fields if key.lower() == "title"), None)
    return title if isinstance(title, str) else text


def _first_title(lines: list[str]) -> str:
    """The first line that is more than a lead-in, joined with lines that continue it."""
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
    """Check whether a line only introduces a title: it ends in a colon or the model speaks."""
    is_open = line.endswith((":", "：", "...", "…"))
    is_speech = line.endswith(".") and _PERSON.match(line) is not None
    return bool(_NAMES_TITLE.search(line)) and ((is_open and len(line.split()) > 3) or is_speech)


_PERSON = _PATTERNS["person"]


def _without_lead_in(line: str) -> str:
    courtesy = _COURTESY.match(line)
    rest = _strip(line[courtesy.end() :]) if courtesy else line
    for pattern in (_LABEL, _LEAD_IN, _SENTENCE):
        match = pattern.match(rest)
        if match and (pattern is not _LEAD_IN or _NAMES_TITLE.search(match[0])):
            return _strip(rest[match.end() :])
    # `Sure, but ...` may be a title; `Sure!` alone is not.
    return "" if courtesy and not rest else line


def _strip(line: str) -> str:
    """Strip a line's list mark, and bold marks or quotes around the whole line."""
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
    """Check whether marks surround a whole line, not just its first and its last word."""
    inside = line[len(first) : -len(last)]
    is_around = (
        len(line) > len(first) + len(last) and line.startswith(first) and line.endswith(last)
    )
    return is_around and bool(inside.strip()) and first not in inside and last not in inside
