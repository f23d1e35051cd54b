"""Turn tokens into the text a reader sees; citations and cross-references stay marks at first."""

import re
from collections.abc import Callable

from vivavoce.sources.fulltext.citing import is_citation
from vivavoce.sources.fulltext.latex.layout import (
    ACCENTS,
    ENVIRONMENT_ARGUMENTS,
    FIGURES,
    HIDDEN,
    MATH,
    PLAIN,
    SILENT,
    SYMBOLS,
    TABLES,
    TABULARS,
    Layout,
    accented,
    typeset,
)
from vivavoce.sources.fulltext.latex.tokens import LITERAL, PARAGRAPH, source_of, tokenise
from vivavoce.sources.fulltext.model import cite, refer
from vivavoce.text.cell_text import character, dingbat
from vivavoce.text.normalise import is_power

Hook = Callable[[int, list[str]], int]
"""Handles the command at a place and returns the place where the text continues."""

_REFERENCES = {
    **dict.fromkeys(("\\ref", "\\subref", "\\vref", "\\Vref"), ""),
    **dict.fromkeys(("\\autoref", "\\Autoref"), "named"),
    **dict.fromkeys(("\\cref", "\\Cref"), "list"),
    **dict.fromkeys(("\\crefrange", "\\Crefrange"), "range"),
    **dict.fromkeys(("\\namecref", "\\nameCref", "\\lcnamecref"), "names"),
    **{"\\eqref": "brackets", "\\labelcref": "numbers", "\\nameref": "titles"},
    "\\Nameref": "titles",
}
"""The form in which a command prints numbers, as `refer` names it."""
_BY_NUMBER = {"\\ding": dingbat, "\\symbol": character, "\\unichar": character}
_ALONE = {"\\~": "~", "\\^": "^"}
"""Characters that accents over nothing print."""
_MAX_DEPTH = 12
_MAX_FORMULA = 5_000
_SPACES = frozenset({"\\\\", "\\tabularnewline", "\\cr"})
_PARAGRAPHS = frozenset({"\\par", "\\newpage", "\\clearpage", "\\item", "\\bigskip", "\\medskip"})
_AFTER_XSPACE = frozenset(".,;:!?'’/-)~}] \n\t")
_WORD = re.compile(r"[^\W\d_]+")
_BROKEN = re.compile(r"([^\W\d_]+)-\n\s*([^\W\d_]+)")
"""A word that the author broke at the end of a line."""
_LABEL = re.compile(r"\\label\s?\{[^{}]*\}\s?")
_BLOCKS = re.compile(
    r"\\(?:begin|end)\{(?:itemize|enumerate|description|quote|quotation|center|abstract|compactitem"
    r"|flushleft|flushright|minipage|tcolorbox|mdframed|theorem|lemma|proof|definition|remark)\*?\}"
)


class Typesetter:
    """Renders stretches of one layout; every token is looked at a bounded number of times."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self._unclosed: dict[str, int] = {}
        """Closing token of a formula -> the place up to which none was found."""
        self._words: set[str] | None = None
        """Every word of the paper, once it is needed."""

    def line(self, start: int, end: int, depth: int = 1) -> str:
        """A stretch of tokens, such as a heading or a cell, as one line."""
        out: list[str] = []
        if depth <= _MAX_DEPTH:
            self.walk(start, end, out, depth)
        return " ".join(_BROKEN.sub(self._join, "".join(out)).split())

    def _join(self, broken: re.Match[str]) -> str:
        """A broken word; it keeps its hyphen unless the paper has the word without it."""
        if self._words is None:
            texts = (token for token in self.layout.tokens if token[0] != "\\")
            self._words = {word.casefold() for text in texts for word in _WORD.findall(text)}
        is_one = f"{broken[1]}{broken[2]}".casefold() in self._words
        return f"{broken[1]}{'' if is_one else '-'}{broken[2]}"

    def walk(
        self, place: int, end: int, out: list[str], depth: int, hooks: dict[str, Hook] | None = None
    ) -> None:
        """Render a stretch into `out`; `hooks` replace what the reader does with a command."""
        tokens = self.layout.tokens
        while place < end:
            token = tokens[place]
            hook = hooks.get(token) if hooks else None
            if hook is not None:
                place = max(hook(place, out), place + 1)
            elif token[0] == "\\":
                place = max(self.command(token, place, out, depth), place + 1)
            elif token in {"$", "$$"}:
                place = self._formula(token, place, end, out)
            else:
                if token[0] == LITERAL:
                    out.append(token[1:])
                elif token in {"~", "&"} or (token[0] == "\n" and token != PARAGRAPH):
                    out.append(" ")
                elif token not in {"{", "}"}:
                    out.append(typeset(token))
                place += 1

    def command(self, token: str, place: int, out: list[str], depth: int) -> int:
        """Render or skip the command at a place; return the place where the text continues."""
        layout = self.layout
        if token.startswith("\\begin{"):
            return self.begin(token[7:-1], place, out)
        if is_citation(token):
            citation = layout.citation(place)
            notes = [self.line(note.start, note.end, depth + 1) for note in citation.notes]
            before = notes[0] if len(notes) > 1 else ""
            after = notes[-1] if notes else ""
            out.append(cite(citation.keys, _how(token), before, after) if citation.keys else "")
            return citation.after
        if token in _REFERENCES and (labels := layout.required(place)) is not None:
            how = _REFERENCES[token]
            last = layout.group(labels.after) if how == "range" else None
            keys = [layout.source(span) for span in (labels, last) if span is not None]
            out.append(refer(",".join(keys), how))
            return (last or labels).after
        if token in {"\\(", "\\["}:
            closing = "\\)" if token == "\\(" else "\\]"
            return self._formula(token, place, len(layout.tokens), out, closing)
        if token == "\\textsuperscript" and (raised := layout.group(place + 1)) is not None:
            text = self.line(raised.start, raised.end, depth + 1).replace("$", "")
            out.append(f"^{text}" if is_power("".join(out[-1:]), text) else text)
            return raised.after
        if token == "\\nicefrac" and (above := layout.required(place)) is not None:
            below = layout.group(above.after)
            parts = [self.line(part.start, part.end, depth + 1) for part in (above, below) if part]
            out.append("/".join(parts))
            return (below or above).after
        if token == "\\xspace":
            following = layout.tokens[place + 1] if place + 1 < len(layout.tokens) else "}"
            out.append("" if following[0] in _AFTER_XSPACE else " ")
            return place + 1
        if token in _BY_NUMBER and (number := layout.group(place + 1)) is not None:
            out.append(_BY_NUMBER[token](layout.source(number)))
            return number.after
        if token in SYMBOLS:
            out.append(SYMBOLS[token])
            return place + 1
        if token in ACCENTS:
            return self._accent(token, place, out, depth)
        if token in SILENT:
            return self._silent(token, place)
        if token in _SPACES:
            out.append("\n")
            return layout.past_options(place + 1)
        if token in _PARAGRAPHS:
            out.append(PARAGRAPH)
            label = layout.option(place + 1) if token == "\\item" else None
            if label is not None:
                out.append(self.line(label.start, label.end, depth + 1) + " ")
                return label.after
            return place + 1
        if token.startswith("\\end{"):
            if _BLOCKS.fullmatch(token):
                out.append(PARAGRAPH)
            return place + 1
        if token not in PLAIN and layout.tokens[place + 1 : place + 2] == ["["]:
            option = layout.option(place + 1)
            return option.after if option else place + 1
        return place + 1

    def begin(self, name: str, place: int, out: list[str]) -> int:
        """Enter an environment, or skip one that is not running text."""
        layout = self.layout
        end = layout.ends.get(place)
        if name in MATH and end is not None:
            source = source_of(list(layout.tokens[place : end + 1]))
            out.append(f" {_LABEL.sub('', source)} ")
            return end + 1
        is_out = name in HIDDEN or name in FIGURES or name in TABLES
        if is_out and end is not None:
            return end + 1
        if _BLOCKS.fullmatch(f"\\begin{{{name}}}"):
            out.append(PARAGRAPH)
        after = layout.past_options(place + 1) if name not in {"document"} else place + 1
        return layout.past_groups(after, TABULARS.get(name, ENVIRONMENT_ARGUMENTS.get(name, 0)))

    def _formula(
        self, token: str, place: int, end: int, out: list[str], closing: str | None = None
    ) -> int:
        """Copy a formula as written; drop an opening that has no end within the paragraph."""
        tokens = self.layout.tokens
        closing = closing or token
        here = max(place + 1, self._unclosed.get(closing, 0))
        stop = min(end, place + _MAX_FORMULA)
        while here < stop:
            if tokens[here] == closing:
                source = source_of(list(tokens[place : here + 1]))
                out.append(_LABEL.sub("", source) if source != "$$" else "")
                return here + 1
            if tokens[here] == PARAGRAPH and closing != "\\]":
                break
            here += 1
        self._unclosed[closing] = max(here, self._unclosed.get(closing, 0))
        return place + 1

    def _accent(self, token: str, place: int, out: list[str], depth: int) -> int:
        layout = self.layout
        group = layout.group(place + 1)
        if group is not None:
            letters = self.line(group.start, group.end, depth + 1)
            out.append(accented(token, letters) or _ALONE.get(token, ""))
            return group.after
        place = layout.past_spaces(place + 1)
        if place >= len(layout.tokens):
            return place
        following = layout.tokens[place]
        if following in SYMBOLS:
            out.append(accented(token, SYMBOLS[following]))
        elif following[0].isalpha():
            out.append(accented(token, typeset(following)))
        else:
            return place
        return place + 1

    def _silent(self, token: str, place: int) -> int:
        """The place after a command that prints nothing, and after its arguments."""
        layout = self.layout
        after = layout.past_options(place + 1)
        if token == "\\cmidrule" and after < len(layout.tokens):
            after += layout.tokens[after].startswith("(")
        return layout.past_groups(after, SILENT[token], with_options=token == "\\multirow")


def _how(command: str) -> str:
    """The form in which a citation command prints its works, under its name in `cite`."""
    name = command[1:].lower()
    if "author" in name and "fullauthor" not in name:
        return "authors"
    if "year" in name:
        return "years in brackets" if name.endswith("par") else "years"
    if name == "cite":
        return "plain"
    if name.startswith(("citet", "newcite", "textcite", "shortcite", "citeasnoun")):
        return "text"
    return "bare" if name.startswith("citeal") else ""


def plain_text(source: str) -> str:
    """A short piece of LaTeX, such as a field of a bibliography, as one line of text."""
    tokens = [token for token in tokenise(source) if token not in {"\\begin", "\\end"}]
    return Typesetter(Layout(tokens)).line(0, len(tokens))
