r"""LaTeX source cut into tokens, in one pass and linear time, and streams of tokens.

A token is a string: a command (`\name`, `\%`), one special character, `#1`, a paragraph break
(`PARAGRAPH`), a run of text, or text that is printed as it stands (it starts with `LITERAL`).
Comments are dropped. The tokens of a formula, joined, give its source. A stream reads tokens from
files and macros, with limits on what macros make.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from vivavoce.errors import InputError

PARAGRAPH = "\n\n"
LITERAL = "\x01"

_TOKEN = re.compile(
    r"(?P<comment>%[^\n]*\n?[ \t]*)"
    r"|(?P<paragraph>\n[ \t]*\n\s*)"
    r"|(?P<command>\\@?[A-Za-z]+(?:@[A-Za-z]+)*@{0,3})[ \t]*(?:\n(?![ \t]*\n)[ \t]*)?"
    r"|(?P<symbol>\\.|\\\n)"
    r"|(?P<other>#[1-9]|\$\$|[{}\[\]$&#^_~*]|\n[ \t]*|[^\\{}\[\]$&#%^_~*\n]+)",
    re.DOTALL,
)
_ADDRESS = re.compile(
    r"(\\(?:url|href|path|nolinkurl))"
    r"(?:[ \t\n]{0,9}\{((?:[^{}]|\{[^{}]{0,200}\})*)\}|([^A-Za-z\s{*\[])([^\n]{0,999}?)\3)"
)
_ESCAPED = re.compile(r"\{\\([%#&$_~^])\}|\\([%#&$_{}~^])(?:\{\})?|\\\\")
_PARAMETER = re.compile(r"#[1-9](?![\w-])")
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
_MAX_MADE = 3_000_000
_MAX_MADE_TEXT = 48 << 20
_MAX_ARGUMENT = 100_000


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
        match = _TOKEN.match(text, position)
        if match is None:  # a backslash ends the text
            break
        position = match.end()
        kind = match.lastgroup
        if kind == "comment":
            if text.startswith("\n", position):
                tokens.append(PARAGRAPH)
        else:
            tokens.append(PARAGRAPH if kind == "paragraph" else match[kind or "other"])
    return tokens


def _read_raw(text: str, start: int, tokens: list[str], open_ended: set[str]) -> int:
    """Read text that is printed as it stands; return the place after it, or `start` if none.

    `open_ended` collects environments without an end below, so that each is searched for once.
    """
    address = _ADDRESS.match(text, start)
    if address is not None and not _PARAMETER.fullmatch(written := address[2] or address[4] or ""):
        tokens += [
            address[1],
            "{",
            LITERAL + unescaped(written),
            "}",
        ]
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


def unescaped(address: str) -> str:
    r"""An address without the backslashes and braces of its special characters (`{\_}`)."""
    return _ESCAPED.sub(lambda match: match[1] or match[2] or "", address)


def source_of(tokens: list[str]) -> str:
    """The source of tokens, with the spaces that separate commands from letters."""
    parts: list[str] = []
    for token in tokens:
        last = parts[-1] if parts else ""
        if last[:1] == "\\" and last[-1].isalpha() and token[0].isalpha():
            parts.append(" ")
        parts.append(token.removeprefix(LITERAL))
    return " ".join("".join(parts).split())


def fields_of(tokens: Sequence[str]) -> dict[str, list[str]]:
    """Values by name in a list such as `short = {A}, draft`, without the hyphens in names."""
    fields: dict[str, list[str]] = {}
    name, depth = "", 0
    value: list[str] = []
    parts = [part for token in tokens for part in re.split("([,=])", token)]
    for part in [*parts, ","]:
        if part == "," and depth == 0:
            if not name:
                name, value = "".join(value).strip(), ["true"]
            fields[name.replace("-", "")] = _bare(value)
            name, value = "", []
        elif part == "=" and depth == 0 and not name:
            name, value = "".join(value).strip(), []
        elif part:
            depth += (part == "{") - (part == "}")
            value.append(part)
    return fields


def _bare(value: list[str]) -> list[str]:
    """A value without the spaces around it, or without its braces if it has them."""
    while value and not value[-1].strip():
        value.pop()
    while value and not value[0].strip():
        del value[0]
    if value[:1] == ["{"] and value[-1] == "}":
        return value[1:-1]
    if value:
        value[0] = value[0].lstrip()
        value[-1] = value[-1].rstrip()
    return value


class EndlessMacros(InputError):
    """Raised when macros make more than any paper needs."""


@dataclass(slots=True)
class Frame:
    """Tokens being read, and the place reached."""

    tokens: Sequence[str]
    name: str | None = None
    """The file being read; None for tokens that a macro made."""
    place: int = 0


class TokenStream:
    """Reads tokens from the innermost of the open files and macros."""

    def __init__(self) -> None:
        self.frames: list[Frame] = []
        self._made = 0
        self._made_text = 0

    def spend(self, tokens: int, text: int = 0) -> None:
        """Count what macros make; raise `EndlessMacros` beyond what any paper needs."""
        self._made += tokens
        self._made_text += text
        if self._made > _MAX_MADE or self._made_text > _MAX_MADE_TEXT:
            raise EndlessMacros("its macros expand without end, or to more than a paper can hold")

    def next(self) -> str | None:
        """The next token; None at the end."""
        while self.frames:
            frame = self.frames[-1]
            if frame.place < len(frame.tokens):
                frame.place += 1
                return frame.tokens[frame.place - 1]
            self.frames.pop()
        return None

    def push(self, tokens: Sequence[str]) -> None:
        """Put tokens in front of those still to be read; they count towards the limit."""
        self.spend(len(tokens) + 1, sum(map(len, tokens)))
        while self.frames and self.frames[-1].place >= len(self.frames[-1].tokens):
            self.frames.pop()
        if tokens:
            self.frames.append(Frame(tokens))

    def peek(self) -> str | None:
        """The next token that is not space, left in place."""
        token = self.next()
        while token is not None and token.isspace() and token != PARAGRAPH:
            token = self.next()
        if token is not None:
            self.frames[-1].place -= 1
        return token

    def take(self, wanted: str) -> bool:
        """Skip spaces, then the wanted character; return True if it was there."""
        token = self.peek() or ""
        if token[:1] != wanted:
            return False
        self.next()
        if token[1:]:
            self.push([token[1:]])
        return True

    def argument(self) -> list[str]:
        """The next argument: a group without its braces, a command or one character."""
        token = self.peek()
        if token is None or token in {PARAGRAPH, "}"}:
            return []
        self.next()
        if token == "{":
            return self._group("{", "}")
        if token[0] == "\\" or len(token) == 1 or token[0] in f"#{LITERAL}":
            return [token]
        stripped = token.lstrip()
        if stripped[1:]:
            self.push([stripped[1:]])
        return [stripped[0]]

    def optional(self) -> list[str] | None:
        """The next argument if it is in square brackets, else None."""
        return self._group("[", "]") if self.take("[") else None

    def pass_environment(self, name: str) -> bool:
        """Skip the rest of an open environment; if it has no end, skip nothing and return False."""
        collected: list[str] = []
        while (token := self.next()) is not None and len(collected) < _MAX_ARGUMENT:
            collected.append(token)
            if token == "\\end" and self.peek() == "{" and "".join(self.argument()) == name:
                return True
        self.push(collected)
        return False

    def _group(self, opening: str, closing: str) -> list[str]:
        """Tokens up to the closing one; if there is none, take nothing."""
        collected: list[str] = []
        depth = 0
        while (token := self.next()) is not None and len(collected) < _MAX_ARGUMENT:
            if token == closing and depth == 0:
                self.spend(len(collected))
                return collected
            if token == "{":
                depth += 1
            elif token == "}":
                depth -= 1
                if depth < 0:
                    collected.append(token)
                    break
            collected.append(token)
        else:
            if token is not None:
                collected.append(token)
        self.push(collected)
        return []
