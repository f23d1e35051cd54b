"""How far the harvests into a folder have come, kept beside the pages they wrote."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from vivavoce.errors import DamagedError
from vivavoce.store import read_sealed, write_sealed

STATE = "harvest.json"
_REMEDY = (
    "Delete it to harvest anew from a date of your choice; the pages that are there stay as "
    "they are."
)


@dataclass(slots=True)
class Progress:
    """A list of records that is being asked for, page by page."""

    start: str | None
    """The first day asked for; None for all there is."""
    until: str | None
    """The last day asked for, inclusive."""
    since: str | None
    """The first day of the request that `token` continues."""
    token: str | None = None
    received: int = 0
    """Records since that request."""
    newest: str | None = None
    """The latest day a record came with."""
    is_ordered: bool = True
    """Whether no record so far was older than one before it."""


@dataclass(slots=True)
class Listing:
    """What one repository, format and set has given so far."""

    base: str
    metadata_prefix: str
    set: str | None
    newest: str | None = None
    """The latest day of a record of the complete harvests."""
    open: Progress | None = None
    """The harvest that is not finished."""


@dataclass(slots=True)
class State:
    """The content of the state file."""

    next: int = 1
    """Number of the next page to be written."""
    lists: list[Listing] = field(default_factory=list)

    def find(self, base: str, metadata_prefix: str, set: str | None) -> Listing:
        """The list of a repository, format and set, added if it is new."""
        for one in self.lists:
            if (one.base, one.metadata_prefix, one.set) == (base, metadata_prefix, set):
                return one
        self.lists.append(Listing(base, metadata_prefix, set))
        return self.lists[-1]


def load_state(folder: Path) -> State:
    """The state of a folder; `DamagedError` when its file was changed."""
    path = folder / STATE
    if not path.exists():
        return State()
    value = read_sealed(path, _REMEDY)
    try:
        return State(int(value["next"]), [_listing(entry) for entry in value["lists"]])
    except (KeyError, TypeError, ValueError) as error:
        raise DamagedError(f"{path} is no state of a harvest. {_REMEDY}") from error


def save_state(folder: Path, state: State) -> None:
    """Write the state whole or not at all."""
    write_sealed(folder / STATE, asdict(state))


def _listing(entry: dict[str, Any]) -> Listing:
    unfinished = entry["open"]
    return Listing(**{**entry, "open": Progress(**unfinished) if unfinished else None})
