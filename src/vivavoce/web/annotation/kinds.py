"""Kinds of campaign, their items and labels: what is shown, what is asked, and with which keys.

A kind is an entry of `kinds.toml`; nothing else asks which kinds there are. Items are checked by
their kind. A row is {id, content, cluster?}. An item gets two labels, and a third where these
differ. Its final label has, field by field, the value that most of them have.
"""

from __future__ import annotations

import json
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Annotated, Any, Literal

from annotated_types import Len
from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    StringConstraints,
    TypeAdapter,
    create_model,
    model_validator,
)

from vivavoce.checking import checked
from vivavoce.errors import InputError
from vivavoce.store import Row, canonical_json

MAX_TEXT = 200_000
MAX_NAME = 500
MAX_ENTRIES = 1_000
"""Most entries of a list: papers, columns, rows."""
GROUP = "group"
"""A part of any item's content that no annotator sees; final labels are counted by it."""
SUGGESTION = "suggestion"
"""A part of any item's content: a model's label, which is compared with those of people."""

Shape = Any
"""Name of a type of `_SHAPES`, or a list with the shape of its entries."""
Value = dict[str, str]
"""A label's value for every field of the kind."""


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
    def values(self) -> tuple[str, ...]:
        """Possible answers."""
        return tuple(option.value for option in self.options)


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

    def check_content(self, content: object, where: str) -> None:
        """Raise `InputError` that says which part of an item's content is not as it must be."""
        checked(_content_model(self.name), content, where)

    def check_label(self, label: object, where: str, *, is_whole: bool = True) -> Value:
        """A label with its fields in the kind's order; with one field, it may be the value alone.

        Raises:
            InputError: A field is missing from a whole label or unknown, or has a value that it
                cannot have.
        """
        if isinstance(label, str) and len(self.fields) == 1:
            label = {self.fields[0].name: label}
        return checked(_label_model(self.name, is_whole), label, where).model_dump(
            exclude_unset=True
        )

    def chosen(self, form: Mapping[str, str]) -> Value:
        """Fields of a form that have a value they can have."""
        return {one.name: form[one.name] for one in self.fields if form.get(one.name) in one.values}

    def present(self, content: Row, swapped: bool) -> Row:
        """An item's content as a person sees it."""
        drawn = {part.name for part in self.parts if part.view}
        shown = {name: value for name, value in content.items() if name in drawn}
        if self.sides and swapped:
            first, second = self.sides
            shown |= {first: content[second], second: content[first]}
        return shown

    def restore(self, label: Mapping[str, str], swapped: bool) -> Value:
        """A label that was given on swapped sides, as it reads on the item's own; and back."""
        if not (self.sides and swapped):
            return dict(label)
        first, second = self.sides
        turned = {first: second, second: first}
        return {name: turned.get(value, value) for name, value in label.items()}


def columns_of(rows: str) -> str:
    """Name of the part with the columns of a part with rows: `target_rows` -> `target_columns`."""
    return rows.removesuffix("rows") + "columns"


def find_kind(name: str) -> Kind:
    """A kind by its name; `InputError` lists those there are."""
    if name not in KINDS:
        raise InputError(f"No kind of campaign is called {name!r}. There are: {', '.join(KINDS)}.")
    return KINDS[name]


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("it is empty")
    return text


_AnyText = Annotated[str, StringConstraints(max_length=MAX_TEXT)]
_Text = Annotated[_AnyText, AfterValidator(_not_blank)]
_CLOSED = ConfigDict(extra="forbid", strict=True)


class _Paper(BaseModel):
    """A paper that an item shows."""

    model_config = _CLOSED
    title: _Text
    abstract: _AnyText | None = None
    paper: _AnyText | None = None
    link: _AnyText | None = None


_SHAPES: Mapping[str, Any] = {
    "any text": _AnyText,
    "cell": _AnyText | None,
    "text": _Text,
    "name": Annotated[str, StringConstraints(max_length=MAX_NAME), AfterValidator(_not_blank)],
    "paper": _Paper,
    "names of the sides": Annotated[dict[Literal["a", "b"], _Text], Len(2)],
    "sample": Annotated[dict[Literal["id", "task", "setting", "draw"], _Text], Len(1)],
}


def _type_of(shape: Shape) -> Any:
    if isinstance(shape, str):
        return _SHAPES[shape]
    return Annotated[list[_type_of(shape[0])], Len(0, MAX_ENTRIES)]  # type: ignore[misc]


@cache
def _label_model(kind_name: str, is_whole: bool) -> type[BaseModel]:
    """Model of a label; of one that is not whole, any field may be missing."""
    fields: dict[str, Any] = {
        field.name: (Literal[field.values], ... if is_whole else None)
        for field in KINDS[kind_name].fields
    }
    return create_model("Label", __config__=_CLOSED, **fields)


@cache
def _content_model(kind_name: str) -> type[BaseModel]:
    """Model of the content of an item: its parts, and what holds between them."""
    kind = KINDS[kind_name]

    def check(content: Any) -> Any:
        found = content.model_fields_set
        if kind.any_of and not found & set(kind.any_of):
            raise ValueError(f"it needs one of {', '.join(kind.any_of)}")
        for name in (name for name in found if name.endswith("rows")):
            columns = getattr(content, columns_of(name))
            if columns is None:
                raise ValueError(f"{name} needs {columns_of(name)}")
            for place, row in enumerate(getattr(content, name)):
                if len(row) != len(columns):
                    raise ValueError(
                        f"{name}.{place} has {len(row)} cells for {len(columns)} columns"
                    )
        return content

    fields: dict[str, Any] = {
        part.name: (_type_of(part.shape), None if part.optional else ...) for part in kind.parts
    }
    fields[GROUP] = (_SHAPES["name"], None)
    fields[SUGGESTION] = (_label_model(kind_name, is_whole=False), None)
    validators: dict[str, Any] = {"check": model_validator(mode="after")(check)}
    return create_model("Content", __config__=_CLOSED, __validators__=validators, **fields)


_HERE = resources.files("vivavoce.web.annotation")
KINDS: dict[str, Kind] = {
    kind.name: kind
    for kind in TypeAdapter(list[Kind]).validate_python(
        tomllib.loads((_HERE / "kinds.toml").read_text("utf-8"))["kinds"]
    )
}


MAX_KEY = 300
PAIR = 2
"""Labels that every item gets."""
MAX_LABELS = 3
"""Labels that an item gets whose first two differ."""


@dataclass(frozen=True, slots=True)
class Label:
    """One person's label of an item."""

    person: str
    """The pseudonym."""
    value: Value
    note: str
    shown_at: str
    """Moment at which the item was shown to the person: ISO 8601, UTC."""
    labelled_at: str


@dataclass(frozen=True, slots=True)
class Item:
    """Something to judge."""

    key: str
    content: Row
    cluster: str
    """Unit that the bootstrap draws, such as the table."""
    labels: tuple[Label, ...] = ()
    """Labels in the order in which they were given."""

    @property
    def pair(self) -> tuple[Label, Label] | None:
        """The first two labels."""
        return (self.labels[0], self.labels[1]) if len(self.labels) >= PAIR else None

    @property
    def is_open(self) -> bool:
        """True while a label is missing."""
        differ = len({canonical_json(label.value) for label in self.labels}) > 1
        return len(self.labels) < (MAX_LABELS if differ else PAIR)

    @property
    def final(self) -> Value | None:
        """The label that counts; None while the item is open, or if a field has no majority."""
        if self.is_open:
            return None
        values = [label.value for label in self.labels[:MAX_LABELS]]
        found = {}
        for name in values[0]:
            value, count = Counter(one[name] for one in values).most_common(1)[0]
            if 2 * count <= len(values):
                return None
            found[name] = value
        return found


class _Row(BaseModel):
    """An item of a file, a round or logs."""

    model_config = ConfigDict(extra="forbid", strict=True)
    id: Annotated[str, StringConstraints(min_length=1, max_length=MAX_KEY)]
    content: Row
    cluster: Annotated[str, StringConstraints(min_length=1, max_length=MAX_NAME)] | None = None


def check_rows(kind: Kind, rows: Iterable[tuple[Row, str]]) -> list[Item]:
    """Items of (row, place in the source); `InputError` names the place and the mistake."""
    items: dict[str, Item] = {}
    for row, where in rows:
        # Half a surrogate pair is text that no database and no page takes.
        new = checked(_Row, json.loads(canonical_json(row).encode("utf-8", "replace")), where)
        kind.check_content(new.content, f"{where}: content")
        if new.id in items:
            raise InputError(f"{where}: the id {new.id!r} was given before.")
        items[new.id] = Item(new.id, new.content, new.cluster or new.id)
    if not items:
        raise InputError("There is no item to import.")
    return list(items.values())
