"""Values that others published, beside one's own rows: a `board.json`, or Every Eval Ever records.

They hold values and no answers, so nobody can be compared with their contestants item by item. The
ranks of a board stay as they were published, and own rows get none. Rows of records, of any
harness, are ranked with nobody, name their publisher in the method, and say in `trust` that they
were not recomputed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from vivavoce.errors import InputError
from vivavoce.results.board.columns import BoardRow
from vivavoce.results.board.exchange import DETAILS, LIBRARY
from vivavoce.results.board.facts import Count
from vivavoce.results.board.groups import (
    KEY,
    Board,
    cut,
    first_repeated,
    make_group,
    place_of,
    spelled,
)
from vivavoce.results.logs.records import NO_MODEL, Place
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


NOT_RECOMPUTED = "not recomputed"
"""Trust of a row whose answers nobody here has seen."""
NOTE = (
    "Results that others published stand beside those of the logs. They were not recomputed and "
    "have no rank: ranks come from all answers to the same items."
)
_LEVEL = 0.95
_UNRANKED: Row = dict.fromkeys(("rank", "rank_interval", "tied_with"))
_UNKNOWN: Row = {
    **dict.fromkeys(("value_valid", "valid", "contamination", "tokens", "cost", "seconds")),
    **dict.fromkeys(("prompt_hash", "judge")),
    **{"missing": 0, "undefined": 0},
}
_ROW: TypeAdapter[BoardRow] = TypeAdapter(BoardRow)


def read_records(path: Path) -> list[Row]:
    """Rows of the records in a file, or in every `.json` file of a folder.

    Where records say one thing several times, the one that was retrieved last counts. Intervals
    that are not of 95% are left out; `n` is 0 where a record names no number of items.

    Raises:
        InputError: A file holds no such record; names the result and what is wrong with it.
    """
    files = sorted(path.rglob("*.json")) if path.is_dir() else [path]
    if not files:
        raise InputError(f"{path} holds no records: no file in it ends in .json.")
    found: dict[tuple[str, ...], tuple[float, Row]] = {}
    for file in files:
        record = read_json(file)
        when = _retrieved(record)
        for row in _rows_of(record, file):
            key = spelled(row, (*KEY, "metric"))
            if key not in found or found[key][0] <= when:
                found[key] = when, row
    return [row for _, (_, row) in sorted(found.items())]


def with_records(board: Board, rows: Sequence[Row]) -> Board:
    """A board with such rows; those that are computed here stay as they are."""
    added: dict[Place, list[Row]] = {}
    for row in rows:
        added.setdefault(place_of(row), []).append(row)
    groups = [
        make_group([*group.rows, *added.pop(group.place)], board.headlines, board.metrics)
        if group.place in added
        else group
        for group in board.groups
    ]
    strangers = [row for place in sorted(added) for row in added[place]]
    groups += cut(strangers, board.headlines, board.metrics)
    return replace(
        board,
        groups=tuple(sorted(groups, key=lambda group: group.place)),
        notes=(*board.notes, NOTE),
    )


def _rows_of(record: Any, file: Path) -> Iterator[Row]:
    results = _at(record, "evaluation_results")
    if not isinstance(results, list) or not results:
        raise InputError(f"{file} is no record of Every Eval Ever: it has no evaluation_results.")
    is_ours = _at(record, "eval_library", "name") == LIBRARY
    for number, result in enumerate(results):
        row = _ours(record, result) if is_ours else _foreign(record, result)
        publisher = _at(record, "source_metadata", "source_organization_name") or "unknown"
        row |= {"method": f"{row['method']} ({NOT_RECOMPUTED}, {publisher})", **_UNRANKED}
        try:
            valid = _ROW.validate_python({**row, "trust": "not_recomputed"})
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            raise InputError(
                f"{file} is no record of Every Eval Ever: evaluation_results.{number} gives a row "
                f"with a wrong {first['loc'][0]!a}: {first['msg']}."
            ) from error
        yield dict(valid)


def _foreign(record: Row, result: Any) -> Row:
    """A row of another harness: its benchmark stands for the round, its data for the setting."""
    library = _at(record, "eval_library")
    name, version = _at(library, "name"), _at(library, "version")
    return {
        **_UNKNOWN,
        **_value(result),
        "round": str(_at(record, "evaluation_id")).partition("/")[0],
        "task": _at(result, "evaluation_name"),
        "task_version": "",
        "setting": _at(result, "source_data", "dataset_name"),
        "method": name if version in (None, "unknown") else f"{name} {version}",
        "model": _at(record, "model_info", "id"),
        "decoding": _decoding(_at(result, "generation_config", "generation_args")),
    }


def _ours(record: Row, result: Any) -> Row:
    """A row of a board of ours, as `exchange` wrote it."""
    data = _at(result, "source_data", "additional_details")
    how = _at(result, "generation_config", "additional_details")
    details = _at(result, "score_details", "details") or {}
    told = {name: _json(details[name]) for name in DETAILS if details.get(name) is not None}
    is_method = str(_at(record, "model_info", "id")).startswith(f"{LIBRARY}/")
    return {
        **_UNKNOWN,
        **told,
        **_value(result),
        **{name: _at(data, name) for name in ("round", "task", "setting", "family")},
        "task_version": _at(data, "version"),
        "method": _at(how, "method"),
        "model": NO_MODEL if is_method else _at(record, "model_info", "name"),
        "decoding": _at(how, "decoding"),
        "prompt_hash": _at(how, "prompt_hash"),
    }


def _value(result: Any) -> Row:
    config, details = _at(result, "metric_config"), _at(result, "score_details")
    interval = _at(details, "uncertainty", "confidence_interval")
    is_known = _at(interval, "confidence_level") == _LEVEL
    name = _at(config, "metric_name") or _at(config, "metric_id")
    return {
        "metric": name or _at(result, "evaluation_name"),
        "value": _at(details, "score"),
        "ci": [_at(interval, "lower"), _at(interval, "upper")] if is_known else None,
        "n": _at(details, "uncertainty", "num_samples") or 0,
    }


def _decoding(given: Any) -> str:
    """Settings as rows spell them: `temperature=0 max_tokens=64`, sorted; no nested ones."""
    plain = given if isinstance(given, dict) else {}
    return " ".join(
        f"{name}={plain[name]}"
        for name in sorted(plain)
        if isinstance(plain[name], (int, float, str)) and name != "prompt_template"
    )


def _retrieved(record: Any) -> float:
    """Seconds of when a record was retrieved; what is no number counts as the oldest."""
    with suppress(TypeError, ValueError):
        return float(_at(record, "retrieved_timestamp"))
    return 0.0


def _json(text: Any) -> Any:
    """A detail's value: records hold all of them as text."""
    try:
        return json.loads(text)
    except (TypeError, ValueError):
        return text


def _at(value: Any, *path: str) -> Any:
    """The value at a path of keys; None where there is none."""
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value
