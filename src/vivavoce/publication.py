"""Sites made from logs, and sites of others held against one that is made again."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial as fixed
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

from pydantic import Field, TypeAdapter, ValidationError

from vivavoce.errors import InputError
from vivavoce.models.cutoffs import Cutoffs
from vivavoce.results.board.building import leaderboard
from vivavoce.results.board.groups import KEY, Board, complete_only, spelled
from vivavoce.results.board.neighbours import compare_neighbours
from vivavoce.results.board.published import beside, read_published, read_records, with_records
from vivavoce.results.integrity.secrets import find_secrets
from vivavoce.results.logs.sample_texts import choose_item_texts
from vivavoce.store import Row, read_json, write_json
from vivavoce.web.board.page import STATE, read_state
from vivavoce.web.board.pages.changes import PATH as HISTORY
from vivavoce.web.board.site import OPTIONS, write_site

OWN = "live"
"""Folder of a site that holds what `viva live` publishes beside the pages: no log makes it."""
_BOARD = "board.json"
_MAX_PROBLEMS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteOptions:
    """Settings of a site that it publishes, so that others can make it again."""

    partial: bool = False
    resamples: Annotated[int, Field(ge=0, le=100_000)] = 10_000
    seed: int = 0
    split: str | None = None
    samples: Annotated[int, Field(ge=0, le=10_000)] = 0
    pairs: Annotated[int, Field(ge=0, le=1_000)] = 0
    """Pairs of contestants that are compared item by item, those nearest in rank first."""
    sealed: tuple[str, ...] = ()
    """Rounds whose items comparisons do not name."""
    complete_only: bool = False
    charts: bool = True
    bundle: str | None = None
    date: str | None = None
    note: Annotated[str, Field(max_length=400)] = ""
    """Words on top of the first page."""
    url: Annotated[str, Field(max_length=400, pattern=r"^(https?://[^\s\"<>]+/)?$")] = ""
    """Where the site will be published; previews of links to it need it for their picture."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteInputs:
    """Files that a site is made from beside its logs."""

    cutoffs: Cutoffs
    own: Path | None = None
    published: Path | None = None
    """Records of Every Eval Ever, a file or a folder."""
    human: Path | None = None
    rounds: Sequence[Path] = ()
    reasons: Sequence[Mapping[str, str]] = ()
    trust: Mapping[str, Row] = field(default_factory=dict)
    """Result of an earlier verification of the logs, where no rounds are named."""


def make_site(
    logs: Path,
    out: Path,
    options: SiteOptions,
    inputs: SiteInputs,
    *,
    cache: Path | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[Board, bool]:
    """Write the site of a folder of logs, or of a published `board.json`.

    `progress` is called with (logs verified, logs in all) where rounds are named.

    Returns:
        The board, and whether pages of items with texts of papers were written.

    Raises:
        InputError: Labels of people or a split are given, and no logs; or what was written holds
            something that looks like a key, and must not be published.
    """
    published = read_published(logs) if logs.is_file() else None
    if published and options.split:
        raise InputError(f"{logs} is a board that was built, not logs that a split is taken from.")
    if published and inputs.human:
        raise InputError(f"{inputs.human} corrects judges of logs, and {logs} holds none.")
    folders = [*([] if published else [logs]), *([inputs.own] if inputs.own else [])]
    draw = fixed(
        leaderboard,
        partial=options.partial,
        resamples=options.resamples,
        seed=options.seed,
        split=options.split,
        cutoffs=inputs.cutoffs,
    )
    with TemporaryDirectory() as passing:
        store = cache or Path(passing)
        if published is None:
            trust = inputs.trust
            if inputs.rounds:
                # It imports every family, and most boards are built without.
                from vivavoce.results.integrity.verification import verify_logs

                trust = verify_logs(logs, inputs.rounds, progress).trust
            board = draw(logs, store=store, own=inputs.own, trust=trust, human=inputs.human)
        else:
            board = beside(published, draw(inputs.own, store=store) if inputs.own else None)
        if options.complete_only:
            board = complete_only(board)
        if inputs.published:
            board = with_records(board, read_records(inputs.published))
        items = choose_item_texts(board.heads, folders, count=options.samples, seed=options.seed)
        compared = compare_neighbours(
            board, options.pairs, options.resamples, options.seed, options.split, options.sealed
        )
        write_site(
            board,
            out,
            samples=items,
            pairs=compared,
            charts=options.charts,
            bundle=options.bundle,
            reasons=inputs.reasons,
            date=options.date,
            options=asdict(options),
        )
    if keys := list(find_secrets(out)):
        raise InputError(f"Do not publish {out}, take the keys out of its logs: {' '.join(keys)}")
    return board, bool(items)


def check_site(
    site: Path,
    logs: Path,
    inputs: SiteInputs,
    progress: Callable[[int, int], None] | None = None,
) -> list[str]:
    """Make a site again from its logs, and name what is other in the one that is there.

    The history of its builds is taken from it, since no log tells of earlier builds.

    Raises:
        InputError: The site does not say with what options it was built.
    """
    try:
        options = TypeAdapter(SiteOptions).validate_python(read_json(site / OPTIONS))
    except ValidationError as error:
        raise InputError(f"{site / OPTIONS} holds no options of a site: {error}") from error
    if keys := list(find_secrets(site)):
        return keys
    with TemporaryDirectory() as passing:
        again = Path(passing)
        write_json(again / STATE, {"schema_version": 1, "files": {}})
        if (site / HISTORY).is_file():
            shutil.copy(site / HISTORY, again / HISTORY)
        make_site(logs, again, options, inputs, progress=progress)
        problems = list(_differences(site, again))
    rest = len(problems) - _MAX_PROBLEMS
    return problems[:_MAX_PROBLEMS] + ([f"And {rest} more."] if rest > 0 else [])


def _differences(site: Path, again: Path) -> Iterator[str]:
    """Rows of the board that are other, then files."""
    if (site / _BOARD).is_file():
        yield from _other_rows(read_json(site / _BOARD), read_json(again / _BOARD))
    made = set(read_state(again))
    for path in sorted(made):
        if not (site / path).is_file():
            yield f"{path} is missing."
        elif (site / path).read_bytes() != (again / path).read_bytes():
            yield f"{path} is not what the logs give."
    found = {file.relative_to(site) for file in site.rglob("*") if file.is_file()}
    strangers = {file.as_posix() for file in found if file.parts[0] != OWN}
    for path in sorted(strangers - made - {STATE}):
        yield f"{path} is no file of this board."


def _other_rows(said: Any, true: Any) -> Iterator[str]:
    def by_key(board: Any) -> dict[str, Row]:
        rows = board.get("rows", ()) if isinstance(board, Mapping) else ()
        return {str(spelled(row, (*KEY, "metric"))): row for row in rows}

    told, right = by_key(said), by_key(true)
    for key, row in right.items():
        name = " · ".join(str(row[part]) for part in ("task", "model", "method", "metric"))
        if key not in told:
            yield f"{_BOARD} lacks the row {name}."
            continue
        for column, value in row.items():
            if told[key].get(column) != value:
                yield f"{_BOARD}, {name}: {column} is {told[key].get(column)}, it is {value}."
    for key in told.keys() - right.keys():
        row = told[key]
        yield f"{_BOARD} has a row of {row.get('model')} ({row.get('task')}) that no log makes."
