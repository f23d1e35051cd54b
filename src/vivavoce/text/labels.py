"""Lines of a reply that say what follows: `## Reasoning`, `=== Answer ===`, `Final answer: ...`."""

from __future__ import annotations

import re

_WHAT = (
    r"(?:\w+[ _:-]){0,3}?\w{0,12}?(?:think|thought|reason|reflect|analysis|scratch|ponder|delib"
    r"|brainstorm|cot\b|monolog)\w*(?:[ _:-](?:of[ _-]thought|process|steps?|trace|content|pad))?"
)
_NAME = re.compile(_WHAT)
_SURE = re.compile(r"think|thought|reasoning", re.IGNORECASE)
_LABEL = re.compile(
    r"(?P<mark>[`~]{3,}|>|(?P<run>[#*_=+%-]{0,6}))[ \t*_#]*"
    r"(?P<name>\w+(?:(?:[ _-]|:(?=\w))\w+){0,4})"
    r"(?P<colon>[*_ \t]*(?:[:：]|\.{3}|…)|)[ \t*_=+%#-]*(?P<more>[^\n]*)(?:\n|\Z)"
)
_DONE = re.compile(
    rf"^\W*(?:end|done|finished|stop)\w*[ _](?:of[ _])?(?:the )?{_WHAT}\W*$",
    re.IGNORECASE | re.MULTILINE,
)
_TIMED = re.compile(r"\W*\w+ for (?:\d+|a few|a couple of|several)\b[^\n]{0,30}\n+")
_FINAL = re.compile(
    r"^[ \t#>*_=-]*(?:(?:the |my )?final answer[ \t*_]*[:：.]?"
    r"|(?:final(?: \w+){0,2}|(?P<bare>answer))[ \t*_]*[:：])[ \t*_=-]*$"
    r"|^[ \t]*(?:#{1,6} |[*_=-]{2,} ?)(?:final )?(?:answer|output|response)[ *_=-]*$",
    re.IGNORECASE | re.MULTILINE,
)
_ANNOUNCED = re.compile(
    r"^[^\w\n]{0,8}(?:\w+ ){0,5}(?:answer|response|output|reply)[ *_]{0,4}[:：][ *_]{0,4}$",
    re.IGNORECASE | re.MULTILINE,
)
_BARE_LINE = re.compile(r"^\w+(?: \w+)?:$", re.MULTILINE)
_INLINE = re.compile(
    r"^[ \t#>*_]*(?:my |the )?final answer(?: is)?[ *_]*[:：](?=[^\n]*\w)",
    re.IGNORECASE | re.MULTILINE,
)
_INLINE_ANSWER = re.compile(
    r"^[ \t#>*_]*(?:answer|response|output|reply)[ *_]*[:：](?=\s{0,9}[^\n]*\w)",
    re.I | re.MULTILINE,
)
_RULE_LINE = re.compile(r"^[ \t]*(?:-{3,}|\*{3,}|_{3,}|={3,})[ \t]*$", re.MULTILINE)
_STRIPPED = re.compile(r"(?:analysis|commentary|thought)(?=[A-Z\d])")
_STRIPPED_ANSWER = re.compile(r"assistant(?:final|response|answer)(?=\S)")


def end_of_thought(text: str) -> int | None:
    """Place behind the reasoning that a label at the start names; 0 where there is no such label.

    None where the reasoning never ends.
    """
    if timed := _TIMED.match(text):
        return timed.end() if _SURE.search(timed[0]) or "eason" in timed[0] else 0
    if _STRIPPED.match(text):  # channels whose tokens were left out
        return max((each.end() for each in _STRIPPED_ANSWER.finditer(text)), default=None)
    label = _LABEL.match(text)
    if label is None or not _NAME.fullmatch(label["name"].casefold()):
        return 0
    is_loud = label["name"].isupper() and label["name"].startswith("BEGIN")
    if not (label["mark"] or label["colon"] or is_loud):
        return 0
    start = label.end()
    if end := _end_of(text, label, start):
        return end if text[end:].strip() else None
    is_sure = bool(_SURE.search(label["name"])) and "\n" in text[start:].strip()
    is_open = bool(label["colon"]) or not label["run"] or len(label["name"].split()) < 3
    return None if is_open and text[start:].strip() and (is_sure or not label["more"]) else 0


def _end_of(text: str, label: re.Match[str], start: int) -> int:
    """Place behind the reasoning under a label; 0 where it has no end."""
    if label["more"]:
        ends = (_INLINE, _INLINE_ANSWER, _FINAL, _ANNOUNCED) if label["colon"] else ()
        return max((each.end() for end in ends for each in end.finditer(text, start)), default=0)
    if label["mark"] == ">":
        quoted = re.compile(r"^(?!>)", re.MULTILINE).search(text, start)
        return quoted.end() if quoted else 0
    if label["mark"][:1] in ("`", "~"):
        fence = re.compile(rf"^{label['mark']}[ \t]*$", re.MULTILINE).search(text, start)
        return fence.end() if fence else 0
    if end := answer_line(text, start):
        return end
    others = [_DONE, _ANNOUNCED]
    if run := label["run"]:
        others += [re.compile(rf"^{re.escape(run)}[^\n]*\w[^\n]*$", re.MULTILINE), _RULE_LINE]
    matches = (other.search(text, start) for other in others)
    return next((match.end() for match in matches if match), 0)


def answer_line(text: str, start: int = 0) -> int:
    """End of the last line or words that announce the final answer; 0 where there are none.

    A line `Answer:` among others like it is one of a list.
    """
    last = len(text.rstrip())
    lines = [line for line in _FINAL.finditer(text, start) if line.end() < last]
    if any(line["bare"] for line in lines) and len(_BARE_LINE.findall(text)) > 1:
        lines = [line for line in lines if not line["bare"]]
    inline = list(_INLINE.finditer(text, start))
    if not start and (first := _INLINE_ANSWER.match(text)):
        inline.append(first)
    return max((each.end() for each in (*lines, *inline)), default=0)
