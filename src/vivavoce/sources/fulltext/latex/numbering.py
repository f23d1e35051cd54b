r"""The numbers LaTeX prints for sections, equations, theorems, items and algorithms, by label."""

from collections import Counter
from collections.abc import Iterator

from vivavoce.sources.fulltext.latex.layout import MATH, Layout

_ROMAN = ((10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"))
_LEVELS = 7
LABEL = frozenset({"\\label"})
_ROWS = MATH - {"subequations"}
_UNNUMBERED = frozenset({"math", "displaymath", "split"})
_ONE_NUMBER = frozenset({"equation", "multline", "dmath"})
"""Environments whose rows share a number."""
_NO_NUMBER = frozenset({"\\nonumber", "\\notag"})
_ITEM_LETTERS = "abcdefghijklmnopqrstuvwxyz"
# Environments that number nothing: a label inside refers to the part around them.
_PLAIN = frozenset(
    "document center itemize quote quotation flushleft flushright minipage proof small multicols"
    " description abstract".split()
)


class SectionNumbers:
    """Counters of sections."""

    def __init__(self, *, depth: int, is_roman: bool) -> None:
        self._counters = [0] * _LEVELS
        self._depth = depth
        self._is_roman = is_roman
        self.in_appendix = False
        self._of_body = self._counters

    def start_appendix(self) -> None:
        """Letter the following sections, starting at `A`."""
        if not self.in_appendix:
            self.in_appendix = True
            self._of_body, self._counters = self._counters, [0] * _LEVELS

    def end_appendix(self) -> None:
        """Number the following sections as before the appendix."""
        self.in_appendix, self._counters = False, self._of_body

    def step(self, level: int) -> str | None:
        """Number of the next section at a level; None if no number is printed."""
        if level > self._depth:
            return None
        self._counters[level] += 1
        self._counters[level + 1 :] = [0] * (_LEVELS - level - 1)
        parts = self._counters[1 : level + 1]
        if self._is_roman and not self.in_appendix:
            if level == 1:
                return _roman(parts[0])
            return _letter(parts[1]) if level == 2 else str(parts[-1])
        first = _letter(parts[0]) if self.in_appendix and parts else "".join(map(str, parts[:1]))
        return ".".join([first, *map(str, parts[1:])])


def _roman(number: int) -> str:
    text = ""
    for value, letters in _ROMAN:
        while number >= value and len(text) < 40:
            text += letters
            number -= value
    return text


def _letter(number: int) -> str:
    return chr(ord("A") + number - 1) if 1 <= number <= 26 else str(number)


class Counters:
    """Counters of equations, theorems, lists and algorithms, and what labels in them refer to."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._counts: Counter[str] = Counter()
        self.theorems: dict[str, tuple[str, str]] = {}
        """Theorem environment -> its printed name and its counter."""
        self._within: dict[str, str] = {}
        self._section = ""
        self._meanings: dict[int, tuple[str, str]] = {}
        """Place of an environment -> what a label inside refers to."""
        self._lists: list[int] = []
        for place in layout.find(frozenset({"\\newtheorem", "\\numberwithin"})):
            self._declare(place)

    def _declare(self, place: int) -> None:
        layout = self._layout
        first = layout.required(place)
        shared = layout.option(first.after) if first else None
        second = layout.group((shared or first).after) if first else None
        if first is None or second is None:
            return
        name = layout.source(first).strip()
        if layout.tokens[place] == "\\numberwithin":
            self._within[name] = layout.source(second).strip()
            return
        counter = layout.source(shared).strip() if shared else name
        counter = self.theorems.get(counter, ("", counter))[1]
        within = layout.option(second.after)
        if within:
            self._within[counter] = layout.source(within).strip()
        if layout.tokens[place + 1] != "*":
            self.theorems[name] = (layout.source(second).strip(), counter)

    def enter_section(self, level: int, number: str | None) -> None:
        """Enter a section: restart the counters numbered within it."""
        name = {1: "section", 2: "subsection", 0: "chapter"}.get(level)
        if level <= 1:
            self._section = number or self._section
        for counter, within in self._within.items():
            if within == name:
                self._counts[counter] = 0

    def _step(self, counter: str) -> str:
        self._counts[counter] += 1
        number = str(self._counts[counter])
        return f"{self._section}.{number}" if self._within.get(counter) == "section" else number

    def begin(self, name: str, place: int) -> None:
        """Count a theorem, or begin to count the items of a list."""
        if name in self.theorems:
            printed, counter = self.theorems[name]
            self._meanings[place] = (printed, self._step(counter))
        else:
            self._close_lists(place)
            self._lists.append(place)

    def algorithm(self) -> tuple[str, str]:
        """Count an algorithm; return what a label inside refers to."""
        return ("Algorithm", self._step("algorithm"))

    def item(self, place: int) -> None:
        """Count an item of the innermost list."""
        self._close_lists(place)
        if not self._lists:
            return
        here = self._lists[-1]
        self._counts[f"item {here}"] += 1
        count = self._counts[f"item {here}"]
        is_custom = self._layout.option(here + 1) is not None
        number = str(count) if len(self._lists) == 1 else _ITEM_LETTERS[(count - 1) % 26]
        self._meanings[here] = ("item", "" if is_custom else number)

    def _close_lists(self, place: int) -> None:
        while self._lists and self._layout.ends.get(self._lists[-1], 0) < place:
            self._lists.pop()

    def meaning(self, place: int, section: tuple[str, str]) -> tuple[str, str]:
        """Find what a label at a place refers to; empty if the number is not known."""
        for around in reversed(self._layout.around.get(place, ())):
            if around in self._meanings:
                return self._meanings[around]
            if self._layout.tokens[around][7:-1] not in _PLAIN:
                return ("", "")
        return section

    def equations(self, place: int, end: int, parent: str = "") -> Iterator[tuple[str, int, int]]:
        """Numbers in a formula environment, each with the range of tokens that it belongs to."""
        tokens, layout = self._layout.tokens, self._layout
        name = tokens[place][7:-1]
        if name == "subequations":
            parent = self._step("equation")
            inner = 0
            yield parent, place, place + 2
            for here in range(place + 1, end):
                if tokens[here].startswith("\\begin{") and tokens[here][7:-1] in _ROWS:
                    for _, first, last in self.equations(here, layout.ends.get(here, end), "x"):
                        yield f"{parent}{_ITEM_LETTERS[inner % 26]}", first, last
                        inner += 1
            return
        if name in _UNNUMBERED:
            return
        is_one = name.rstrip("*") in _ONE_NUMBER
        first = here = place + 1
        while here <= end:
            is_end = here == end
            if is_end or (tokens[here] == "\\\\" and not is_one):
                row = tokens[first:here]
                tag = next(layout.find(frozenset({"\\tag"}), first, here), None)
                group = layout.required(tag) if tag is not None else None
                is_numbered = not name.endswith("*") and _NO_NUMBER.isdisjoint(row)
                if group:
                    yield layout.source(group).strip(), first, here
                elif is_numbered and "".join(row).strip():
                    yield parent or self._step("equation"), first, here
                first = here + 1
            here = max(here, layout.ends.get(here, here)) + 1
