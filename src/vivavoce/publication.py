"""Sites made from logs, and sites of others held against one that is made again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from vivavoce.errors import InputError
from vivavoce.models.cutoffs import Cutoffs
from vivavoce.requests import Reading, SiteOptions, check_values
from vivavoce.results.board.building import leaderboard
from vivavoce.results.board.groups import KEY, Board, complete_only, spelled
from vivavoce.results.integrity.secrets import find_secrets
from vivavoce.results.logs.sample_texts import choose_item_texts
from vivavoce.store import Row, hash_code, read_json
from vivavoce.web.board.page import STATE, note_search, read_state, without_keys
from vivavoce.web.board.site import OPTIONS, write_site

OWN = "live"
"""Folder of a site that holds what `viva live` publishes beside the pages: no log makes it."""
_BOARD = "board.json"
_MAX_PROBLEMS = 20


@dataclass(frozen=True, slots=True)
class SiteInputs:
    """Files that a site is made from beside its logs."""

    cutoffs: Cutoffs
    own: Path | None = None
    human: Path | None = None
    rounds: Sequence[Path] = ()
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
    """Write the site of a folder of logs.

    `progress` is called with (logs verified, logs in all) where rounds are named.

    Returns:
        The board, and whether pages of items with texts of papers were written.

    Raises:
        InputError: What was written holds something that looks like a key, and must not be
            published.
    """
    trust = inputs.trust
    if inputs.rounds:
        # It imports every family, and most boards are built without.
        from vivavoce.results.integrity.verification import verify_logs

        trust = verify_logs(logs, inputs.rounds, progress).trust
    rules = hash_code("results/integrity/secrets.py")
    before = without_keys(out, rules)
    with TemporaryDirectory() as passing:
        board = leaderboard(
            logs,
            store=cache or Path(passing),
            own=inputs.own,
            human=inputs.human,
            cutoffs=inputs.cutoffs,
            trust=trust,
            **options.shared(Reading),
        )
        if options.complete_only:
            board = complete_only(board)
        folders = [logs, *([inputs.own] if inputs.own else [])]
        items = choose_item_texts(board.heads, folders, count=options.samples, seed=options.seed)
        write_site(
            board,
            out,
            samples=items,
            bundle=options.bundle,
            options=asdict(options),
        )
    after = {path: entry["sha256"] for path, entry in read_state(out).items()}
    if keys := list(find_secrets(out, dict(before.items() & after.items()))):
        raise InputError(f"Do not publish {out}, take the keys out of its logs: {' '.join(keys)}")
    note_search(out, rules)
    return board, bool(items)


def check_site(
    site: Path,
    logs: Path,
    inputs: SiteInputs,
    progress: Callable[[int, int], None] | None = None,
) -> list[str]:
    """Make a site again from its logs, and name what is other in the one that is there.

    Raises:
        InputError: The site does not say with what options it was built.
    """
    stated = read_json(site / OPTIONS)
    if not isinstance(stated, dict):
        raise InputError(f"{site / OPTIONS} holds no options of a site.")
    options = SiteOptions(**check_values(SiteOptions, stated, str(site / OPTIONS)))
    if keys := list(find_secrets(site)):
        return keys
    with TemporaryDirectory() as passing:
        again = Path(passing)
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
