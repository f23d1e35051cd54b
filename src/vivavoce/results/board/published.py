"""A board that somebody published as `board.json`, and one's own rows beside it.

The file holds values and no answers, so nobody can be compared with its contestants item by item:
its ranks stay as they were published, and own rows get none.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from vivavoce.errors import InputError
from vivavoce.results.board.columns import BoardRow
from vivavoce.results.board.facts import Count
from vivavoce.results.board.groups import KEY, Board, cut, first_repeated, place_of, spelled
from vivavoce.store import Row, read_json

UNRANKED = (
    "Your own rows have no rank: ranks come from all answers to the same items, and a published "
    "board.json holds none. Compare them by their intervals, or build from the logs."
)


class _Strict(BaseModel):
    model_config = ConfigDict(strict=True, extra="ignore", allow_inf_nan=False)


class _Round(_Strict):
    id: str
    window: Annotated[list[str], Field(min_length=2, max_length=2)]
    manifest: str
    counts: dict[str, Count | dict[str, Count | dict[str, Count]]]


class _Published(_Strict):
    rows: Annotated[list[BoardRow], Field(min_length=1)]
    rounds: list[_Round]
    headlines: dict[str, str] = {}
    metrics: dict[str, list[str]] = {}
    notes: list[str] = []


def read_published(path: Path) -> dict[str, Any]:
    """The board in a `board.json` of a site, or in what `viva board show --json` printed.

    Raises:
        InputError: It is no such file; names the first row and field that are not as they should.
    """
    found = read_json(path)
    try:
        board = _Published.model_validate(found)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(ascii(part).strip("'") for part in first["loc"]) or "the file"
        raise InputError(
            f"{path} is no published board: {where}: {first['msg']}. Give a folder of logs, or "
            "the board.json of a site."
        ) from error
    plain = board.model_dump(mode="json", exclude_unset=True)
    if (number := first_repeated(plain["rows"])) is not None:
        raise InputError(f"{path}: rows.{number} repeats an earlier one. Take one of them out.")
    return plain


def beside(published: dict[str, Any], own: Board | None) -> Board:
    """A published board with one's own rows, marked and without a rank.

    A contestant that was published already keeps its published row.

    Raises:
        InputError: The two mean different rounds by one name.
    """
    mine = own or Board((), (), {}, {}, ())
    rounds = {entry["id"]: entry for entry in published["rounds"]}
    for entry in mine.rounds:
        known = rounds.setdefault(entry["id"], entry)
        if known["manifest"] != entry["manifest"]:
            raise InputError(
                f"Round {entry['id']} of your logs is not the published one of that name: their "
                "manifests differ. Run the published round, or give yours another name."
            )
    kept = {spelled(row, KEY) for row in published["rows"]}
    rows = [row for row in mine.rows if spelled(row, KEY) not in kept]
    rows = [*published["rows"], *map(_unranked, rows)]
    headlines = {**mine.headlines, **published.get("headlines", {})}
    metrics = {**mine.metrics, **published.get("metrics", {})}
    notes = [*published.get("notes", ()), *mine.notes, *([UNRANKED] if own else [])]
    return Board(
        groups=cut(sorted(rows, key=place_of), headlines, metrics),
        rounds=tuple(rounds[name] for name in sorted(rounds)),
        headlines=headlines,
        metrics=metrics,
        notes=tuple(dict.fromkeys(notes)),
        heads=mine.heads,
    )


def _unranked(row: Row) -> Row:
    return {**row, "rank": None, "rank_interval": None, "tied_with": None, "own": True}
