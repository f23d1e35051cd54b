"""Kinds of campaign: their questions, the parts of their items, and their labels.

Only `kinds.toml` defines kinds. Imported rows {id, content, cluster?} are checked against their
kind. An item gets two labels, and a third if these differ. Its final label has the majority value
of each field.
"""

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
"""Maximum entries in a list of papers, columns or rows."""
GROUP = "group"
"""Part of an item's content that annotators do not see; final labels are counted per group."""
SUGGESTION = "suggestion"
"""Part of an item's content: a model's label, to compare with people's labels."""

Shape = Any
"""A name in `_SHAPES`, or a list with the shape of its entries."""
Value = dict[str, str]
"""Values of a label by field."""


@dataclass(frozen=True, slots=True)
class Option:
    """One answer to choose from."""

    value: str
    text: str
    key: str
    """Keyboard key; unique within a kind."""


@dataclass(frozen=True, slots=True)
class Field:
    """One question about an item."""

    name: str
    question: str
    options: tuple[Option, ...]
    wanted: str | None = None
    """The value with which the item is accepted, if any."""

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
    """Heading on the page."""
    view: str = ""
    """Macro of `_content.html.j2` that draws the part; without one, annotators do not see it.

    A table is drawn in place of its rows, with the columns that have the same prefix.
    """
    optional: bool = False
    pinned: bool = False
    """True if the part stays visible while the page is scrolled."""


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
    """Parts of an item's content, in page order."""
    sides: tuple[str, str] | None = None
    """Two parts of the content, swapped at random for half of all (person, item) pairs."""
    any_of: tuple[str, ...] = ()
    """Optional parts of which an item must have at least one."""
    exported: tuple[str, ...] = ()
    """Parts of the content that are copied to the rows of `labels.jsonl`."""

    @property
    def guidelines(self) -> str:
        """Default guidelines of a campaign: Markdown."""
        return (_HERE / "guidelines" / f"{self.name}.md").read_text("utf-8")

    def check_label(self, label: object, where: str) -> Value:
        """Check a label and order its fields."""
        return checked(_label_model(self.name, is_whole=True), label, where).model_dump()

    def chosen(self, form: Mapping[str, str]) -> Value:
        """Fields of a form that have valid values."""
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
        """Convert a label from swapped sides to the item's own sides, or back."""
        if not (self.sides and swapped):
            return dict(label)
        first, second = self.sides
        turned = {first: second, second: first}
        return {name: turned.get(value, value) for name, value in label.items()}


def columns_of(rows: str) -> str:
    """Name of the part with the columns for a part with rows: `target_rows` -> `target_columns`."""
    return rows.removesuffix("rows") + "columns"


def find_kind(name: str) -> Kind:
    """Find a kind by name; `InputError` lists the existing ones."""
    if name not in KINDS:
        raise InputError(
            f"There is no kind of campaign {name!r}. Existing kinds: {', '.join(KINDS)}."
        )
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
    """Model of a label; fields may be missing unless `is_whole`."""
    fields: dict[str, Any] = {
        field.name: (Literal[field.values], ... if is_whole else None)
        for field in KINDS[kind_name].fields
    }
    return create_model("Label", __config__=_CLOSED, **fields)


@cache
def _content_model(kind_name: str) -> type[BaseModel]:
    """Model of an item's content, with checks across its parts."""
    kind = KINDS[kind_name]

    def check(content: Any) -> Any:
        names = content.model_fields_set
        if kind.any_of and not names & set(kind.any_of):
            raise ValueError(f"it needs one of {', '.join(kind.any_of)}")
        for name in (name for name in names if name.endswith("rows")):
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
"""Number of labels that every item gets."""
MAX_LABELS = 3
"""Number of labels that an item gets if its first two differ."""


@dataclass(frozen=True, slots=True)
class Label:
    """One person's label of an item."""

    person: str
    """The pseudonym."""
    value: Value
    note: str
    shown_at: str
    """Time when the item was shown to the person: ISO 8601, UTC."""
    labelled_at: str


@dataclass(frozen=True, slots=True)
class Item:
    """Something to judge."""

    key: str
    content: Row
    cluster: str
    """Unit of the bootstrap, such as the table."""
    labels: tuple[Label, ...] = ()
    """Labels in the order given."""

    @property
    def pair(self) -> tuple[Label, Label] | None:
        """The first two labels."""
        return (self.labels[0], self.labels[1]) if len(self.labels) >= PAIR else None

    @property
    def is_open(self) -> bool:
        """True while the item needs another label."""
        differ = len({canonical_json(label.value) for label in self.labels}) > 1
        return len(self.labels) < (MAX_LABELS if differ else PAIR)

    @property
    def final(self) -> Value | None:
        """Majority label; None while the item is open or if a field has no majority."""
        if self.is_open:
            return None
        values = [label.value for label in self.labels[:MAX_LABELS]]
        majority = {}
        for name in values[0]:
            value, count = Counter(one[name] for one in values).most_common(1)[0]
            if 2 * count <= len(values):
                return None
            majority[name] = value
        return majority


class _Row(BaseModel):
    """An item as given in a file, a round or logs."""

    model_config = ConfigDict(extra="forbid", strict=True)
    id: Annotated[str, StringConstraints(min_length=1, max_length=MAX_KEY)]
    content: Row
    cluster: Annotated[str, StringConstraints(min_length=1, max_length=MAX_NAME)] | None = None


def check_rows(kind: Kind, rows: Iterable[tuple[Row, str]]) -> list[Item]:
    """Check (row, place in the source) pairs; `InputError` names the place and the mistake."""
    items: dict[str, Item] = {}
    for row, where in rows:
        # Databases and pages cannot represent lone surrogates.
        new = checked(_Row, json.loads(canonical_json(row).encode("utf-8", "replace")), where)
        checked(_content_model(kind.name), new.content, f"{where}: content for {kind.name}")
        if new.id in items:
            raise InputError(f"{where}: the id {new.id!r} is repeated.")
        items[new.id] = Item(new.id, new.content, new.cluster or new.id)
    if not items:
        raise InputError("There are no items to import.")
    return list(items.values())
