"""Tokens read from files and from what macros made, with limits on what is made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from vivavoce.errors import InputError
from vivavoce.sources.fulltext.latex.tokens import LITERAL, PARAGRAPH

_MOST_MADE = 3_000_000
_MOST_MADE_TEXT = 48 << 20
_LONGEST_ARGUMENT = 100_000


@dataclass(slots=True)
class Frame:
    """Tokens that are being read, and how far."""

    tokens: Sequence[str]
    name: str | None = None
    """The file that is read; None for what a macro made."""
    place: int = 0


class TokenStream:
    """What is read next: the innermost of the files and macros that are open."""

    def __init__(self) -> None:
        self.frames: list[Frame] = []
        self._made = 0
        self._made_text = 0

    def spend(self, tokens: int, text: int = 0) -> None:
        """Count what macros make; `InputError` once it is more than any paper needs."""
        self._made += tokens
        self._made_text += text
        if self._made > _MOST_MADE or self._made_text > _MOST_MADE_TEXT:
            raise InputError("its macros expand without end, or to more than a paper can hold")

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
        """Read tokens next; what is made in all has a limit."""
        self.spend(len(tokens) + 1, sum(map(len, tokens)))
        while self.frames and self.frames[-1].place >= len(self.frames[-1].tokens):
            self.frames.pop()
        if tokens:
            self.frames.append(Frame(tokens))

    def peek(self) -> str | None:
        """The next token that is no space, left in place."""
        token = self.next()
        while token is not None and token.isspace() and token != PARAGRAPH:
            token = self.next()
        if token is not None:
            self.frames[-1].place -= 1
        return token

    def take(self, wanted: str) -> bool:
        """Pass a token, after spaces; whether it was there."""
        if self.peek() != wanted:
            return False
        self.next()
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
        """The next argument if it is in square brackets."""
        return self._group("[", "]") if self.take("[") else None

    def _group(self, opening: str, closing: str) -> list[str]:
        """Tokens up to the closing one; where there is none, nothing is taken."""
        collected: list[str] = []
        depth = 0
        while (token := self.next()) is not None and len(collected) < _LONGEST_ARGUMENT:
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
