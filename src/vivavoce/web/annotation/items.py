"""Items of a campaign, checked by their kind, and the labels that people gave them.

A row is {id, content, cluster?}. An item gets two labels, and a third where these differ. Its final
label has, field by field, the value that most of them have.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated

from pydantic import BaseModel, ConfigDict, StringConstraints

from vivavoce.checking import checked
from vivavoce.errors import InputError
from vivavoce.store import Row, canonical_json
from vivavoce.web.annotation.kinds import MAX_NAME, Kind, Value

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
