r"""LaTeX source cut into tokens, in one pass and linear time.

A token is a string: a command (`\name`, `\%`), one special character, `#1`, a paragraph break
(`PARAGRAPH`), a run of text, or text that is printed as it stands (it starts with `LITERAL`).
Comments are gone. Joined, the tokens of a formula are its source.
"""

from __future__ import annotations

import re

PARAGRAPH = "\n\n"
LITERAL = "\x01"

_TOKEN = re.compile(
    r"(?P<comment>%[^\n]*\n?[ \t]*)"
    r"|(?P<paragraph>\n[ \t]*\n\s*)"
    r"|(?P<command>\\@?[A-Za-z]+(?:@[A-Za-z]+)*)[ \t]*(?:\n(?![ \t]*\n)[ \t]*)?"
    r"|(?P<symbol>\\.|\\\n)"
    r"|(?P<other>#[1-9]|\$\$|[{}\[\]$&#^_~*]|\n[ \t]*|[^\\{}\[\]$&#%^_~*\n]+)",
    re.DOTALL,
)
_ADDRESS = re.compile(r"(\\(?:url|href|path|nolinkurl))[ \t\n]{0,9}\{([^{}]*)\}")
_INLINE = re.compile(
    r"\\(?:verb\*?|lstinline(?:\[[^\]\n]{0,200}\])?)"
    r"(?:\{([^{}\n]{0,500})\}|([^A-Za-z\s*{\[])([^\n]{0,500}?)\2)"
)
_RAW = re.compile(
    r"\\begin[ \t]{0,9}\{(verbatim\*?|Verbatim\*?|BVerbatim|LVerbatim|lstlisting|minted|comment"
    r"|filecontents\*?)\}"
)
_RAW_OPTIONS = re.compile(r"[ \t]{0,9}(?:\[[^\[\]]{0,500}\])?(?:\{[^{}\n]{0,60}\})?")
_UNSEEN = frozenset({"comment", "filecontents", "filecontents*"})
_CONTROLS = dict.fromkeys([*range(9), 11, 12, *range(14, 32), 127])


def tokenise(text: str) -> list[str]:
    """The tokens of a piece of LaTeX."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").translate(_CONTROLS)
    tokens: list[str] = []
    position, end = 0, len(text)
    open_ended: set[str] = set()
    while position < end:
        if text[position] == "\\":
            after = _read_raw(text, position, tokens, open_ended)
            if after > position:
                position = after
                continue
        found = _TOKEN.match(text, position)
        if found is None:  # a backslash ends the text
            break
        position = found.end()
        kind = found.lastgroup
        if kind == "comment":
            if text.startswith("\n", position):
                tokens.append(PARAGRAPH)
        else:
            tokens.append(PARAGRAPH if kind == "paragraph" else found[kind or "other"])
    return tokens


def _read_raw(text: str, start: int, tokens: list[str], open_ended: set[str]) -> int:
    """Read what is printed as it stands; returns where it ends, or `start`.

    `open_ended` remembers the environments that end nowhere below, so each is sought once.
    """
    address = _ADDRESS.match(text, start)
    if address is not None and "#" not in address[2]:
        tokens += [address[1], "{", LITERAL + address[2].replace("\\", ""), "}"]
        return address.end()
    inline = _INLINE.match(text, start)
    if inline is not None:
        tokens.append(LITERAL + (inline[1] or inline[3] or ""))
        return inline.end()
    raw = _RAW.match(text, start)
    if raw is None or raw[1] in open_ended:
        return start
    closing = f"\\end{{{raw[1]}}}"
    end = text.find(closing, raw.end())
    if end < 0:
        open_ended.add(raw[1])
        return start
    if raw[1] not in _UNSEEN:
        options = _RAW_OPTIONS.match(text, raw.end(), end)
        body = text[options.end() if options else raw.end() : end]
        tokens += [PARAGRAPH, LITERAL + body.strip("\n"), PARAGRAPH]
    return end + len(closing)


def source_of(tokens: list[str]) -> str:
    """The source of tokens, with the spaces that part commands from letters."""
    parts: list[str] = []
    for token in tokens:
        last = parts[-1] if parts else ""
        if last[:1] == "\\" and last[-1].isalpha() and token[0].isalpha():
            parts.append(" ")
        parts.append(token.removeprefix(LITERAL))
    return " ".join("".join(parts).split())
