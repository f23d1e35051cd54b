r"""Labels: as in LaTeX, each refers to the counter that was stepped last in its environment."""

import re
from collections.abc import Sequence

from vivavoce.sources.fulltext.latex.layout import APPENDICES, FIGURES, MATH, TABLES, Layout, Span
from vivavoce.sources.fulltext.latex.numbering import LISTS, STYLES, Counters, in_style
from vivavoce.sources.fulltext.latex.tokens import fields_of
from vivavoce.sources.fulltext.latex.typeset import Typesetter
from vivavoce.sources.fulltext.model import Label

_LABEL = frozenset({"\\label"})
_ROWS = MATH - {"subequations"}
_UNNUMBERED = frozenset({"math", "displaymath", "split"})
_ONE_NUMBER = frozenset({"equation", "multline", "dmath"})
"""Environments whose rows share a number."""
_NO_NUMBER = frozenset({"\\nonumber", "\\notag", "\\IEEEnonumber"})
_OWN_NUMBER = frozenset({"\\IEEEyesnumber", "\\yesnumber"})
ENUMERATIONS = frozenset({"enumerate", "enumerate*", "compactenum", "inparaenum", "asparaenum"})
_PLAIN = frozenset(
    "document center itemize quote quotation flushleft flushright minipage proof small multicols"
    " description abstract".split()
) | {name[7:-1] for name in APPENDICES if name.startswith("\\begin")}
"""Environments that number nothing: a label inside refers to the part around them."""
_PARTS = frozenset(
    {"\\subfloat", "\\subfigure", "\\subtable", "\\subcaptionbox"}
    | {f"\\begin{{{name}}}" for name in ("subfigure", "subtable")}
)
_CAPTIONS = frozenset({"\\caption", "\\label"})
_LINE = re.compile(
    r"\\(?:state|return|print|else|repeat|until"
    r"|(?:end|els)?(?:e?if|for(?:all)?|while|loop|procedure|function))",
    re.IGNORECASE,
)
"""Commands of algorithmic and algpseudocode that begin a line."""
_SHORT_LABEL = re.compile(r"(?<![A-Za-z\\])[AaIi](?![A-Za-z])|1")
_SHORT_STYLES = {"A": "Alph", "a": "alph", "I": "Roman", "i": "roman", "1": "arabic"}
_DECLARED = ("numberwithin", "within", "parent")
_SHARED = ("sibling", "numberlike", "sharenumber")


class Labels:
    """Labels met so far, and the counters that they refer to."""

    def __init__(self, layout: Layout, setter: Typesetter, counters: Counters) -> None:
        self.known: dict[str, Label] = {}
        self.theorems: dict[str, tuple[str, str]] = {}
        """Theorem environment -> its printed name and its counter."""
        self._layout = layout
        self._setter = setter
        self._counters = counters
        self._names: dict[str, tuple[str, str]] = {}
        """Kind of part -> its name and plural that the paper defines for cleveref."""
        self._anchors: dict[int, Label] = {}
        """Place of an environment -> the part numbered last in it."""
        self._lists: dict[int, Sequence[str] | None] = {}
        """Place of a numbered list -> how its labels are printed, if it says so."""
        self._list_options: dict[str, list[str]] = {}
        """Options of all numbered lists, by name."""
        self._usual_formats: dict[str, Sequence[str]] = {}
        """Formats of the labels of lists that set none themselves, by counter."""
        packages = frozenset(layout.names(frozenset({"\\usepackage"})))
        self._is_bare = "enumitem" not in packages

    def _label(self, kind: str, number: str, title: str = "", type_of: str = "") -> Label:
        name, plural = self._names.get(type_of or kind.lower(), ("", ""))
        return Label(kind, number, title, name, plural)

    def name_kind(self, place: int) -> int:
        r"""Read the names that `\crefname` gives to a kind of part; return the place after it."""
        first = self._layout.required(place)
        name = self._layout.group(first.after) if first else None
        plural = self._layout.group(name.after) if name else None
        if first is None or name is None or plural is None:
            return place + 1
        texts = [self._setter.line(span.start, span.end) for span in (name, plural)]
        named = (texts[0][:1].upper() + texts[0][1:], texts[1][:1].upper() + texts[1][1:])
        self._names.setdefault(self._layout.source(first).strip(), named)
        return plural.after

    def declare_theorem(self, place: int) -> int:
        r"""Read `\newtheorem`; return the place after it."""
        layout = self._layout
        first = layout.required(place)
        shared = layout.option(first.after) if first else None
        second = layout.group((shared or first).after) if first else None
        if first is None or second is None:
            return place + 1
        within = layout.option(second.after)
        if layout.tokens[place + 1] != "*":
            spans = [layout.source(span).strip() if span else "" for span in (shared, within)]
            printed = self._setter.line(second.start, second.end)
            self._add_theorem(layout.source(first).strip(), printed, *spans)
        return (within or second).after

    def declare_by_options(self, place: int) -> int:
        r"""Read `\declaretheorem` of thmtools; return the place after it."""
        first = self._layout.required(place)
        if first is None:
            return place + 1
        options = self._layout.option(place + 1) or self._layout.option(first.after)
        tokens = self._layout.tokens[options.start : options.end] if options else []
        fields = {name: "".join(value) for name, value in fields_of(tokens).items()}
        name = self._layout.source(first).strip()
        shared, within = (
            next((fields[key] for key in keys if key in fields), "")
            for keys in (_SHARED, _DECLARED)
        )
        if fields.get("numbered") != "no":
            self._add_theorem(name, fields.get("name", name.capitalize()), shared, within)
        return max(first.after, options.after if options else 0)

    def _add_theorem(self, name: str, printed: str, shared: str, within: str) -> None:
        counter = self.theorems.get(shared, ("", shared))[1] or name
        if within:
            self._counters.number_within(counter, within)
        self.theorems[name] = (printed, counter)

    def anchor(self, place: int, label: Label) -> None:
        """Make a part what the labels refer to that follow in the environment around a place."""
        self._anchors[self._layout.around.get(place, (-1,))[-1]] = label

    def step(self, counter: str, place: int, kind: str = "", title: str = "") -> Label:
        """Step a counter at a place; return the label of the part numbered."""
        self._counters.step(counter)
        label = self._label(kind, self._counters.reference(counter), title, counter)
        self.anchor(place, label)
        return label

    def enter_section(self, place: int, counter: str, number: str | None, title: str) -> Label:
        """Make a section what labels refer to; return its label."""
        kind = "Chapter" if counter == "chapter" else "Section"
        kind = "Appendix" if self._counters.in_appendix else kind
        printed = self._counters.reference(counter) if number else ""
        label = self._label(kind, printed, title)
        self.anchor(place, label)
        return label

    def begin_theorem(self, name: str, place: int) -> None:
        """Count a theorem."""
        printed, counter = self.theorems[name]
        self._counters.step(counter)
        self._anchors[place] = self._label(printed, self._counters.reference(counter), "", name)

    def note(self, start: int, end: int, label: Label) -> None:
        """Note that the labels in a stretch refer to a part."""
        for place in self._layout.find(_LABEL, start, end):
            if (key := self._layout.required(place)) is not None:
                self.known.setdefault(self._layout.source(key).strip(), label)

    def note_here(self, place: int) -> None:
        """Note what a label at a place refers to; nothing in an environment that is not known."""
        for around in reversed(self._layout.around.get(place, ())):
            if around in self._anchors:
                self.note(place, place + 1, self._anchors[around])
                return
            if self._layout.tokens[around][7:-1] not in _PLAIN:
                return
        self.note(place, place + 1, self._anchors.get(-1, Label()))

    def item(self, place: int) -> None:
        """Count an item, if the innermost environment around it is a numbered list."""
        layout, counters = self._layout, self._counters
        around = layout.around.get(place, ())
        lists = [each for each in around if layout.tokens[each][7:-1] in ENUMERATIONS]
        if not lists or around[-1] != lists[-1] or layout.option(place + 1) is not None:
            return
        here = lists[-1]
        counter = LISTS[min(len(lists), len(LISTS)) - 1]
        if here not in self._lists:
            self._lists[here] = self._list_format(here, counter)
        counters.step(counter)
        own = self._lists[here]
        usual = self._usual_formats.setdefault(counter, counters.formats[counter])
        counters.formats[counter] = usual if own is None else own
        number = counters.reference(counter) if own is None else counters.number(counter)
        self._anchors[here] = self._label("item", number, "", "enumi")

    def _list_format(self, place: int, counter: str) -> Sequence[str] | None:
        """Begin a list; return how its own labels are printed, None for the usual way."""
        option = self._layout.option(place + 1)
        tokens = list(self._layout.tokens[option.start : option.end]) if option else []
        fields = self._list_options | fields_of(tokens)
        if "resume" not in fields:
            self._counters.values[counter] = 0
        if "start" in fields:
            self._counters.change("\\setcounter", counter, fields["start"])
            self._counters.values[counter] -= 1
        if "ref" in fields or "label" in fields:
            own = fields.get("ref") or fields["label"]
            starred = zip(["", *own], own, strict=False)
            return [
                part
                for before, token in starred
                for part in (("{", counter, "}") if token == "*" and before in STYLES else (token,))
            ]
        text = "".join(tokens)
        short = None if "=" in text else _SHORT_LABEL.search(text)
        if short is None:
            return None
        style = in_style(_SHORT_STYLES[short[0]], counter)
        return style if self._is_bare else (text[: short.start()], *style, text[short.end() :])

    def set_lists(self, place: int) -> int:
        r"""Read the options of numbered lists in `\setlist`; return the place after it."""
        kinds = self._layout.option(place + 1)
        options = self._layout.required(place)
        if options is None:
            return place + 1
        if kinds is not None and self._layout.source(kinds).strip() == "enumerate":
            self._list_options |= fields_of(self._layout.tokens[options.start : options.end])
        return options.after

    def equations(self, place: int, end: int) -> None:
        """Count the equations of an environment, and note their labels."""
        tokens, layout, counters = self._layout.tokens, self._layout, self._counters
        name = tokens[place][7:-1]
        if name == "subequations":
            self._note_equation(place, place + 2)
            parent, saved = counters.number("equation"), counters.values["equation"]
            usual = counters.formats.get("equation")
            counters.formats["equation"] = (parent, *in_style("alph", "equation"))
            counters.values["equation"] = 0
            for here in range(place + 1, end):
                if tokens[here].startswith("\\begin{") and tokens[here][7:-1] in _ROWS:
                    self.equations(here, layout.ends.get(here, end))
            counters.values["equation"] = saved
            counters.formats["equation"] = usual or in_style("arabic", "equation")
            return
        if name in _UNNUMBERED:
            return
        is_one = name.rstrip("*") in _ONE_NUMBER
        first = here = place + 1
        while here <= end:
            if here == end or (tokens[here] == "\\\\" and not is_one):
                row = tokens[first:here]
                is_numbered = not name.endswith("*") and _NO_NUMBER.isdisjoint(row)
                is_numbered = is_numbered or not _OWN_NUMBER.isdisjoint(row)
                tag = next(layout.find(frozenset({"\\tag"}), first, here), None)
                group = layout.required(tag) if tag is not None else None
                if group:
                    text = self._setter.line(group.start, group.end)
                    self.note(first, here, self._label("Equation", text))
                elif is_numbered and "".join(row).strip():
                    self._note_equation(first, here)
                first = here + 1
            here = max(here, layout.ends.get(here, here)) + 1

    def _note_equation(self, start: int, end: int) -> None:
        self._counters.step("equation")
        self.note(start, end, self._label("Equation", self._counters.reference("equation")))

    def float(self, place: int, end: int) -> None:
        """Count the captions of a float, and note its labels and those of its lettered parts."""
        layout = self._layout
        name = layout.tokens[place][7:-1]
        kind = "figure" if name in FIGURES else "table" if name in TABLES else "algorithm"
        self._note_lines(place, end)
        parts = [(part, self._end_of(part)) for part in layout.find(_PARTS, place + 1, end)]
        waiting: list[tuple[int, str]] = []
        label = Label()
        number = 0
        for here in layout.find(_CAPTIONS, place, end):
            while number < len(parts) and parts[number][0] < here:
                number += 1
            is_inside = number > 0 and here < parts[number - 1][1]
            if layout.tokens[here] == "\\label":
                if is_inside:
                    self._counters.values[f"sub{kind}"] = number
                    waiting.append((here, self._counters.number(f"sub{kind}")))
                elif label.number:
                    self.note(here, here + 1, label)
                else:
                    waiting.append((here, ""))
            elif not is_inside and layout.tokens[here + 1 : here + 2] != ["*"]:
                is_again = label.number and name.startswith(("longtable", "xltabular"))
                label = label if is_again else self._step_caption(here, kind)
                waiting = self._note_waiting(waiting, label)
        label = label if label.number else self._label(kind.title(), self._counters.number(kind))
        self._note_waiting(waiting, label)

    def _step_caption(self, place: int, kind: str) -> Label:
        before = self._layout.tokens[max(0, place - 4) : place]
        kind = before[2].strip() if before[:1] == ["\\@captype"] else kind
        return self.step(kind, place, kind.title())

    def caption_outside(self, place: int) -> int:
        r"""Count a caption outside of floats (`\captionof`); return the place after it."""
        caption = self._layout.required(place)
        if caption is None:
            return place + 1
        self.note(caption.start, caption.end, self._step_caption(place, "figure"))
        return caption.after

    def _note_waiting(
        self, waiting: Sequence[tuple[int, str]], whole: Label
    ) -> list[tuple[int, str]]:
        for place, letter in waiting:
            self.note(place, place + 1, whole._replace(number=whole.number + letter))
        return []

    def _end_of(self, part: int) -> int:
        stop = self._layout.ends.get(part)
        group: Span | None = self._layout.required(part) if stop is None else None
        return stop if stop is not None else group.after if group else part + 1

    def _note_lines(self, place: int, end: int) -> None:
        """Note the labels of the numbered lines of an algorithm."""
        tokens = self._layout.tokens
        lines = 0
        stop = place
        for here in range(place, end):
            if tokens[here] == "\\begin{algorithmic}":
                lines, stop = 0, self._layout.ends.get(here, here)
            elif here < stop and tokens[here] == "\\label" and lines:
                self.note(here, here + 1, self._label("Line", str(lines)))
            elif here < stop:
                lines += _LINE.fullmatch(tokens[here]) is not None
