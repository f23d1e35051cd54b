"""The kinds of campaign: what an item shows, what is asked about it, and with which keys.

A kind is an entry of `kinds.toml`; nothing else asks which kinds there are. Every check of a part
of an item's content raises `ValueError` that names the part.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import resources
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter

from vivavoce.errors import InputError
from vivavoce.store import Row

if TYPE_CHECKING:
    from vivavoce.web.annotation.records import DecisionRecord
    from vivavoce.web.annotation.tables import Item

MAX_TEXT = 200_000
MAX_NAME = 500
MAX_ENTRIES = 1_000
"""Of a list: papers, columns, rows."""
GROUP = "group"
"""A part of any item's content that no annotator sees; final labels are counted by it."""
SUGGESTION = "suggestion"
"""A part of any item's content: a model's label, which is compared with what people say."""

Shape = Any
"""Name of a check of `_CHECKS`, or a list with the shape of its entries."""
Label = Mapping[str, str]
"""A decision of a person: a value for every field of the kind."""


@dataclass(frozen=True, slots=True)
class Option:
    """One answer to choose from."""

    value: str
    text: str
    key: str
    """The key on the keyboard that chooses it; no two of a kind are equal."""


@dataclass(frozen=True, slots=True)
class Field:
    """One question about an item."""

    name: str
    question: str
    options: tuple[Option, ...]
    wanted: str | None = None
    """The value that speaks for the item, where one does."""

    @property
    def texts(self) -> dict[str, str]:
        """The name of each value."""
        return {option.value: option.text for option in self.options}

    @property
    def values(self) -> tuple[str, ...]:
        """Possible answers."""
        return tuple(self.texts)


@dataclass(frozen=True, slots=True)
class ContentPart:
    """One part of an item's content."""

    name: str
    shape: Shape
    title: str = ""
    """Heading over it on the page."""
    view: str = ""
    """Macro of `_content.html.j2` that draws it; a part without one is shown to no annotator.

    A table is drawn where its rows stand, with the columns of the same prefix.
    """
    optional: bool = False
    pinned: bool = False
    """True of a part that stays in sight while the page is scrolled."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of campaign."""

    name: str
    title: str
    task: str
    """Instruction to the annotator, in one sentence."""
    heading: str
    """Question at the top of an item's page."""
    fields: tuple[Field, ...]
    parts: tuple[ContentPart, ...]
    """Contents of an item, in the order of the page."""
    sides: tuple[str, str] | None = None
    """Two parts of the content that change places for half of the people."""
    any_of: tuple[str, ...] = ()
    """Optional parts of which an item must hold one."""
    exported: tuple[str, ...] = ()
    """Parts of the content that the rows of `labels.jsonl` hold, as far as an item has them."""

    @property
    def guidelines(self) -> str:
        """The guidelines that a campaign has unless it brings its own: Markdown."""
        return (_HERE / "guidelines" / f"{self.name}.md").read_text("utf-8")

    def label_rows(self, item: Item, decisions: Sequence[DecisionRecord]) -> list[Row]:
        """The rows of `labels.jsonl` for an item and the valid decisions on it.

        {id, and a value for every field} of an item that is done, with `accepted` where fields have
        a wanted value: all speak for the item. Of a kind with sides {id, a, b, verdict} of each of
        the first pair, as `viva audit judge --human` reads them; the second pair is left out: it
        has seen only what the first was split on.
        """
        if self.sides:
            return [_verdict(item, made) for made in decisions if made.stage == "first"]
        if item.final is None:
            return []
        row = {"id": item.key, **item.final}
        if any(field.wanted for field in self.fields):
            row["accepted"] = all(row[field.name] == field.wanted for field in self.fields)
        return [row | {name: item.content[name] for name in self.exported if name in item.content}]

    def check_content(self, content: Row) -> None:
        """Raise `ValueError` that says which part of an item's content is not as it must be."""
        for part in (*self.parts, _GROUP_PART):
            if part.name in content:
                check_part(part.name, content[part.name], part.shape)
            elif not part.optional:
                raise ValueError(f"{part.name!r} is missing")
        known = {GROUP, SUGGESTION, *(part.name for part in self.parts)}
        unknown = sorted(content.keys() - known)
        if unknown:
            raise ValueError(f"{unknown[0]!r} is no part of an item of this kind")
        if SUGGESTION in content:
            self._check_suggestion(content[SUGGESTION])
        for name in content:
            if name.endswith("rows"):
                _check_rectangular(content, name)
        if self.any_of and not any(name in content for name in self.any_of):
            raise ValueError(f"there must be one of {', '.join(map(repr, self.any_of))}")

    def _check_suggestion(self, suggestion: object) -> None:
        try:
            self.check_label(suggestion, is_whole=False)
        except InputError as error:
            raise ValueError(f"{SUGGESTION!r}: {error}") from error

    def check_label(self, label: object, *, is_whole: bool = True) -> dict[str, str]:
        """A label with its fields in the kind's order; with one field, it may be the value alone.

        Raises:
            InputError: A field is missing from a whole label or unknown, or has a value that it
                cannot have.
        """
        names = [one.name for one in self.fields]
        if isinstance(label, str) and len(self.fields) == 1:
            label = {names[0]: label}
        if not isinstance(label, Mapping):
            raise InputError(f"A label is an object with the fields {', '.join(names)}.")
        unknown = sorted(str(name) for name in label if name not in names)
        if unknown:
            raise InputError(f"{unknown[0]!r} is no field of a label: {', '.join(names)}.")
        asked = [one for one in self.fields if is_whole or one.name in label]
        for one in asked:
            if label.get(one.name) not in one.values:
                raise InputError(
                    f"{one.name!r} must be one of {', '.join(one.values)}; "
                    f"got {label.get(one.name)!r}."
                )
        return {one.name: str(label[one.name]) for one in asked}

    def chosen(self, form: Mapping[str, str]) -> dict[str, str]:
        """Fields of a form that have a value they can have."""
        return {one.name: form[one.name] for one in self.fields if form.get(one.name) in one.values}

    def title_of(self, content: Row) -> str:
        """A line by which a person tells an item from others: what is asked about."""
        views = {part.view: content[part.name] for part in self.parts if part.name in content}
        if "paper" in views:
            return str(views["paper"]["title"])
        return next((str(views[view]) for view in ("strong", "quote", "text") if view in views), "")

    def present(self, content: Row, swapped: bool) -> Row:
        """An item's content as a person sees it."""
        drawn = {part.name for part in self.parts if part.view}
        shown = {name: value for name, value in content.items() if name in drawn}
        if self.sides and swapped:
            first, second = self.sides
            shown |= {first: content[second], second: content[first]}
        return shown

    def restore(self, label: Label, swapped: bool) -> dict[str, str]:
        """A label that was given on swapped sides, as it reads on the item's own; and back."""
        if not (self.sides and swapped):
            return dict(label)
        first, second = self.sides
        turned = {first: second, second: first}
        return {name: turned.get(value, value) for name, value in label.items()}


def _verdict(item: Item, decision: DecisionRecord) -> Row:
    place = item.content.get("source") or {"id": item.key}
    sides = item.content.get("names") or {"a": "a", "b": "b"}
    return {**place, **sides, "verdict": decision.label["verdict"]}


def check_part(name: str, value: object, shape: Shape) -> None:
    """Check a part of an item's content by its shape."""
    if not isinstance(shape, list):
        _CHECKS[shape](name, value)
        return
    if not isinstance(value, list):
        raise ValueError(f"{name!r} must be a list, not {_short(value)}")
    if len(value) > MAX_ENTRIES:
        raise ValueError(f"{name!r} has {len(value):,} entries; {MAX_ENTRIES:,} are allowed")
    for place, one in enumerate(value):
        check_part(f"{name}[{place}]", one, shape[0])


def _check_any_text(name: str, value: object, longest: int = MAX_TEXT) -> None:
    """Text, empty or not."""
    if not isinstance(value, str):
        raise ValueError(f"{name!r} must be text, not {_short(value)}")
    if len(value) > longest:
        raise ValueError(f"{name!r} has {len(value):,} characters; {longest:,} are allowed")


def _check_cell(name: str, value: object) -> None:
    """Text or null."""
    if value is not None:
        _check_any_text(name, value)


def _check_text(name: str, value: object, longest: int = MAX_TEXT) -> None:
    """Text that says something."""
    _check_any_text(name, value, longest)
    if not str(value).strip():
        raise ValueError(f"{name!r} is empty")


def _check_paper(name: str, value: object) -> None:
    """A paper {title, abstract, paper?, link?}; its abstract may be null or left out."""
    if not isinstance(value, dict):
        raise ValueError(f"{name!r} must be a paper {{title, abstract}}, not {_short(value)}")
    unknown = sorted(value.keys() - {"title", "abstract", "paper", "link"})
    if unknown:
        raise ValueError(f"{name!r} has the unknown part {unknown[0]!r}")
    _check_text(f"{name}.title", value.get("title"))
    for part in ("abstract", "paper", "link"):
        _check_cell(f"{name}.{part}", value.get(part))


def _check_names_of_sides(name: str, value: object) -> None:
    """Authors of the two texts: {a, b}."""
    if not isinstance(value, dict) or value.keys() != {"a", "b"}:
        raise ValueError(f"{name!r} must be {{a, b}}")
    for side in ("a", "b"):
        _check_text(f"{name}.{side}", value[side])
    if value["a"] == value["b"]:
        raise ValueError(f"{name!r} compares {_short(value['a'])} with itself")


def _check_sample(name: str, value: object) -> None:
    """The sample that two texts answer: {id, task?, setting?, draw?}."""
    known = {"id", "task", "setting", "draw"}
    if not isinstance(value, dict) or "id" not in value or value.keys() - known:
        raise ValueError(f"{name!r} must be {{id, task, setting}}")
    for part in sorted(value):
        _check_text(f"{name}.{part}", value[part])


_CHECKS: dict[str, Callable[[str, object], None]] = {
    "any text": _check_any_text,
    "cell": _check_cell,
    "text": _check_text,
    "name": partial(_check_text, longest=MAX_NAME),
    "paper": _check_paper,
    "names of the sides": _check_names_of_sides,
    "sample": _check_sample,
}


def columns_of(rows: str) -> str:
    """Name of the part with the columns of a part with rows: `target_rows` -> `target_columns`."""
    return rows.removesuffix("rows") + "columns"


def _check_rectangular(content: Row, rows: str) -> None:
    """Rows need columns, and as many cells."""
    columns = content.get(columns_of(rows))
    if columns is None:
        raise ValueError(f"{rows!r} needs {columns_of(rows)!r}")
    for place, row in enumerate(content[rows]):
        if len(row) != len(columns):
            raise ValueError(f"'{rows}[{place}]' has {len(row)} cells for {len(columns)} columns")


def _short(value: object) -> str:
    return repr(value)[:60]


_GROUP_PART = ContentPart(GROUP, "name", optional=True)


def find_kind(name: str) -> Kind:
    """A kind by its name; `InputError` lists those there are."""
    if name not in KINDS:
        raise InputError(f"No kind of campaign is called {name!r}. There are: {', '.join(KINDS)}.")
    return KINDS[name]


_HERE = resources.files("vivavoce.web.annotation")
KINDS: dict[str, Kind] = {
    kind.name: kind
    for kind in TypeAdapter(list[Kind]).validate_python(
        tomllib.loads((_HERE / "kinds.toml").read_text("utf-8"))["kinds"]
    )
}
