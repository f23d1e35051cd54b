"""Acronyms and glossary entries: the first use of one prints its first form, often the long one.

The packages are acronym, acro, glossaries and glossaries-extra.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from vivavoce.sources.fulltext.latex.definitions import Definitions
from vivavoce.sources.fulltext.latex.tokens import LITERAL, TokenStream, fields_of, source_of

_OF_ACRONYM = frozenset({"\\acrodef", "\\newacro", "\\acro"})
"""Definitions of the package acronym, which give the short form as an option."""
_PLURALS = frozenset({"\\acrodefplural", "\\acroplural", "\\newacroplural"})
_OF_FIELDS = frozenset({"\\DeclareAcronym", "\\newglossaryentry"})
_DEFINITIONS = _OF_ACRONYM | _OF_FIELDS | {"\\newacronym", "\\newabbreviation"}
_USE = re.compile(
    r"\\(?P<article>i)?(?:ac|acr|gls|glsentry|glsxtr)"
    r"(?P<form>short|long|full|first|text|name|s|l|f)?(?P<plural>plural|pl?)?[ui]?",
    re.IGNORECASE,
)
_STATE = re.compile(r"\\(?:ac|gls)(?:(?P<used>used?|unset)|reset)(?P<all>all)?")
_STYLES = frozenset({"\\setabbreviationstyle", "\\setacronymstyle"})
_LINKS = frozenset({"\\glsdisp", "\\glslink", "\\glsxtrdisp"})
Tokens = Sequence[str]


@dataclass(frozen=True, slots=True)
class _Acronym:
    """The forms of an acronym, singular and plural."""

    short: tuple[Tokens, Tokens]
    long: tuple[Tokens, Tokens]
    first: tuple[Tokens, Tokens] | None = None
    """The form at first use, if it is not made of the others."""
    category: str = ""
    """Kind of acronym, for which a paper may set a style."""


class Acronyms:
    """The acronyms of a paper, and those that it has used so far."""

    def __init__(self, known: Mapping[str, _Acronym] | None = None) -> None:
        self.known: dict[str, _Acronym] = dict(known or {})
        self._missed: set[str] = set()
        self._used: set[str] = set()
        self._styles: dict[str, str] = {}

    def were_missed(self) -> bool:
        """Check whether the paper uses an acronym above its definition."""
        return not self._missed.isdisjoint(self.known)

    def print(self, command: str, stream: Definitions) -> list[str] | None:
        """Tokens that an acronym command prints; None for any other command."""
        is_text = command == "\\acro" and "acronym" not in stream.packages
        if command in _DEFINITIONS and not is_text:
            self._define(command, stream)
        elif command in _PLURALS:
            key = source_of(stream.argument()).strip()
            short, long = stream.optional(), stream.argument()
            if (one := self.known.get(key)) is not None:
                plural = one.short[1] if short is None else short
                self.known[key] = _Acronym((one.short[0], plural), (one.long[0], long))
        elif command in _STYLES:
            category = source_of(stream.optional() or []) or "abbreviation"
            self._styles[category] = source_of(stream.argument())
        elif command in _LINKS:
            self._used.add(source_of(stream.argument()).strip())
            return stream.argument()
        elif (state := _STATE.fullmatch(command)) is not None:
            given = () if state["all"] else source_of(stream.argument()).split(",")
            keys = self.known if state["all"] else map(str.strip, given)
            change = self._used.update if state["used"] else self._used.difference_update
            change(keys)
        elif (use := _USE.fullmatch(command)) is not None:
            return self._use(use, stream)
        else:
            return None
        return []

    def _use(self, use: re.Match[str], stream: Definitions) -> list[str] | None:
        if not self.known and stream.peek() != "{":
            return None
        stream.take("*")
        stream.optional()
        key = source_of(stream.argument()).strip()
        one = self.known.get(key)
        if one is None:
            self._missed.add(key)
            return [LITERAL + key]
        form = (use["form"] or "").lower()[:1]
        if not form:
            form = "s" if key in self._used else "f"
            self._used.add(key)
        place = int(use["plural"] is not None)
        forms = {"f": self._first(one, place, stream), "l": one.long[place]}
        printed = list(forms.get(form, one.short[place]))
        if use["article"]:
            printed.insert(0, f"{LITERAL}a ")
        if use[0][1].isupper() and printed:
            text = printed[0].removeprefix(LITERAL)
            printed[0] = text[:1].upper() + text[1:]
        return printed

    def _first(self, one: _Acronym, place: int, stream: Definitions) -> Tokens:
        """The form at first use: by its definition, or in the order that its style names."""
        short, long = one.short[place], one.long[place]
        if one.first is not None:
            return one.first[place]
        is_extra = "glossaries-extra" in stream.packages and one.category == "acronym"
        style = self._styles.get(one.category) or ("short-nolong" if is_extra else "long-short")
        kind, _, rest = style.partition("-")
        first, second = (short, long) if kind == "short" else (long, short)
        if not long or not rest.startswith(("short", "long")):
            return first if long else short
        return [*first, f"{LITERAL} (", *second, f"{LITERAL})"]

    def _define(self, command: str, stream: TokenStream) -> None:
        options = {} if command in _OF_ACRONYM | _OF_FIELDS else fields_of(stream.optional() or [])
        key = source_of(stream.argument()).strip()
        long: Tokens
        if command in _OF_FIELDS:
            options = fields_of(stream.argument())
            short = options.get("short") or options.get("text") or options.get("name") or [key]
            long = options.get("long", [])
        elif command in _OF_ACRONYM:
            short, long = stream.optional() or [key], stream.argument()
        else:
            short, long = stream.argument(), stream.argument()
        first = options.get("first")
        self.known[key] = _Acronym(
            short=(short, _plural(options, "short", short, command)),
            long=(long, _plural(options, "long", long, command)),
            first=(first, _plural(options, "first", first, command)) if first else None,
            category=command.removeprefix("\\new"),
        )


def _plural(options: Mapping[str, Tokens], name: str, singular: Tokens, command: str) -> Tokens:
    """A plural: given as a whole, or in the package acro by its ending; else with an s."""
    if (whole := options.get(f"{name}pluralform")) is not None:
        return whole
    given = options.get(f"{name}plural") or (options.get("plural") if name == "short" else None)
    if singular and (command == "\\DeclareAcronym" or not given):
        return [*singular, *(given or ["s"])]
    return given or []
