r"""Counters by the rules of LaTeX: what resets them, and how `\theNAME` prints them."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise

from vivavoce.sources.fulltext.latex.layout import SYMBOLS, typeset

HEADINGS = ("chapter", "section", "subsection", "subsubsection", "paragraph", "subparagraph")
LISTS = ("enumi", "enumii", "enumiii", "enumiv")
_ROMAN = ((50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"))
_MAX_STEPS = 100
_MAX_ALL_STEPS = 3_000_000
"""Most tokens that are printed in a number, and in all numbers of a paper."""
_MAX_TEXT = 40
_MAX_WITHIN = 60
_SUM = re.compile(r"[-+]?\d{1,9}")


def _roman(number: int) -> str:
    text = ""
    for value, letters in _ROMAN:
        while number >= value and len(text) < 40:
            text += letters
            number -= value
    return text


def _letter(number: int) -> str:
    return chr(ord("A") + number - 1) if 1 <= number <= 26 else str(number)


_STYLES: dict[str, Callable[[int], str]] = {
    "arabic": str,
    "Roman": _roman,
    "roman": lambda number: _roman(number).lower(),
    "Alph": _letter,
    "alph": lambda number: _letter(number).lower(),
}
STYLES = frozenset(f"\\{name}" for name in _STYLES)


def in_style(style: str, counter: str) -> tuple[str, ...]:
    r"""Tokens that print a counter, such as `\arabic{section}`."""
    return (f"\\{style}", "{", counter, "}")


class Counters:
    """Values of the counters of a paper, and how they are printed."""

    def __init__(self, *, has_chapters: bool = False, document_class: str = "") -> None:
        self.values: Counter[str] = Counter()
        self.formats: dict[str, Sequence[str]] = {}
        r"""Tokens of `\theNAME` by counter, where they are not its plain value."""
        self._prefixes: dict[str, Sequence[str]] = {}
        r"""Text that `\ref` prints before the counter."""
        self._within: dict[str, str] = {}
        """Counter -> the counter that resets it."""
        self._left = _MAX_ALL_STEPS
        self.in_appendix = False
        self._of_body: tuple[Counter[str], dict[str, Sequence[str]]] = (Counter(), {})
        self.headings = HEADINGS if has_chapters else HEADINGS[1:]
        for outer, inner in pairwise(self.headings):
            self.number_within(inner, outer)
        for name in ("figure", "table", "equation") if has_chapters else ():
            self.number_within(name, "chapter")
        self.values["secnumdepth"] = 2 if has_chapters or document_class == "llncs" else 3
        self._is_roman = document_class.startswith(("IEEEtran", "revtex"))
        if self._is_roman:
            joints = ("-", "") if document_class.startswith("IEEE") else (" ", " ")
            self.formats["section"] = in_style("Roman", "section")
            self.formats["subsection"] = in_style("Alph", "subsection")
            for name in HEADINGS[3:]:
                self.formats[name] = in_style("arabic", name)
            around = ("\\thesection", joints[0])
            self._prefixes["subsection"] = around
            self._prefixes["subsubsection"] = (*around, "\\thesubsection", joints[1])
        for name, style in zip(LISTS, ("arabic", "alph", "roman", "Alph"), strict=True):
            self.formats[name] = in_style(style, name)
        self._prefixes["enumii"] = ("\\theenumi",)
        self._prefixes["enumiii"] = ("\\theenumi", "(", "\\theenumii", ")")
        self.formats |= {name: in_style("alph", name) for name in ("subfigure", "subtable")}

    def number_within(self, counter: str, outer: str, *, is_shown: bool = True) -> None:
        """Reset a counter with another one, and print it behind that one's number."""
        if counter in self._within or len(self._within) < _MAX_WITHIN:
            self._within[counter] = outer
        if is_shown:
            self.formats[counter] = (f"\\the{outer}", ".", *in_style("arabic", counter))

    def number_alone(self, counter: str) -> None:
        """Reset a counter no more, and print it alone."""
        self._within.pop(counter, None)
        self.formats[counter] = in_style("arabic", counter)

    def step(self, counter: str) -> None:
        """Add one, and reset the counters numbered within."""
        self.values[counter] += 1
        reset = {counter}
        for _ in self.headings:
            inner = {name for name, outer in self._within.items() if outer in reset} - reset
            if not inner:
                break
            reset |= inner
            for name in inner:
                self.values[name] = 0

    def change(self, command: str, counter: str, value: Sequence[str]) -> None:
        r"""Carry out `\setcounter`, `\addtocounter` or `\stepcounter`, if the value is known."""
        if command.endswith("stepcounter"):
            self.step(counter)
            return
        text = self.print(value).replace(" ", "")
        numbers = _SUM.findall(text)
        if numbers and "".join(numbers) == text:
            before = self.values[counter] if command == "\\addtocounter" else 0
            self.values[counter] = before + sum(map(int, numbers))

    def number(self, counter: str) -> str:
        """The number that a counter prints."""
        return self.print(self._format(counter)).strip(" .")

    def reference(self, counter: str) -> str:
        r"""The number that `\ref` prints for a counter."""
        return self.print((*self._prefixes.get(counter, ()), *self._format(counter))).strip(" .")

    def _format(self, counter: str) -> Sequence[str]:
        return self.formats.get(counter) or in_style("arabic", counter)

    def knows(self, counter: str) -> bool:
        """Check whether a counter has been defined or used."""
        return counter in self.formats or counter in self.values

    def print(self, tokens: Sequence[str]) -> str:
        """Print tokens with counters in them."""
        left = list(reversed(tokens[:_MAX_STEPS]))
        out: list[str] = []
        for _ in range(min(_MAX_STEPS, self._left)):
            if not left:
                break
            self._left -= 1
            token = left.pop()
            name = token[4:] if token.startswith("\\the") else ""
            style = _STYLES.get(token.lstrip("\\@"))
            if token == "\\value":
                style = str
            if token[:1] == "\\" and style is not None:
                out.append(style(self.values[self._operand(left)]))
            elif name and self.knows(name):
                left += reversed(self._format(name)[:_MAX_STEPS])
            elif token in SYMBOLS:
                out.append(SYMBOLS[token])
            elif token[:1] not in "\\{}$":
                out.append(typeset(token[:_MAX_TEXT].replace("~", " ")))
        return "".join(out)

    def _operand(self, left: list[str]) -> str:
        r"""The counter that a command prints: `{section}` or `\c@section`."""
        token = left.pop() if left else ""
        if token == "{":
            parts = []
            while left and (part := left.pop()) != "}":
                parts.append(part)
            return "".join(parts).strip()
        return token.removeprefix("\\c@")

    def section(self, counter: str, depth: int) -> str | None:
        """Number of the next section at a depth of LaTeX; None if no number is printed."""
        if depth > self.values["secnumdepth"]:
            return None
        self.step(counter)
        return self.number(counter) or None

    def start_appendix(self, inside: str = "") -> None:
        """Letter the following sections, starting at `A`; those in a section of a given kind."""
        if self.in_appendix:
            return
        self.in_appendix = True
        self._of_body = (self.values.copy(), dict(self.formats))
        place = self.headings.index(inside) + 1 if inside in self.headings[:-1] else 0
        top = self.headings[place]
        around = (f"\\the{inside}", ".") if place else ()
        self.formats[top] = (*around, *in_style("Alph", top))
        for name in self.headings[place:]:
            self.values[name] = 0
        if self._is_roman:
            self._prefixes.pop("subsection", None)
            self._prefixes.pop("subsubsection", None)
            for outer, inner in pairwise(self.headings):
                self.number_within(inner, outer)

    def end_appendix(self) -> None:
        """Number the following sections as before the appendix."""
        self.in_appendix = False
        values, formats = self._of_body
        for name in self.headings:
            self.values[name] = values[name]
            if name in formats:
                self.formats[name] = formats[name]
            else:
                self.formats.pop(name, None)
