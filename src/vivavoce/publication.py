"""Building of sites from logs."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from vivavoce.errors import InputError
from vivavoce.models.cutoffs import Cutoffs
from vivavoce.requests import Reading, SiteOptions
from vivavoce.results.board.building import leaderboard
from vivavoce.results.board.groups import Board
from vivavoce.results.integrity.secrets import find_secrets
from vivavoce.results.logs.sample_texts import choose_item_texts
from vivavoce.store import Row
from vivavoce.web.board.site import write_site

OWN = "live"
"""Folder in a site for the files that `viva live` publishes beside the pages."""


def make_site(
    logs: Path,
    out: Path,
    options: SiteOptions,
    *,
    cutoffs: Cutoffs | None = None,
    own: Path | None = None,
    human: Path | None = None,
    rounds: Sequence[Path] = (),
    trust: Mapping[str, Row] | None = None,
    cache: Path | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[Board, bool]:
    """Write the site of a folder of logs.

    `trust` is the result of an earlier verification, used if no `rounds` are named. If they are,
    `progress` is called with (logs verified, logs in all). All else is as for `leaderboard`.

    Returns:
        The board, and whether item pages, which show text from papers, were written.

    Raises:
        InputError: The site contains something that looks like a key; it must not be published.
    """
    if rounds:
        # This imports every family, and most boards are built without it.
        from vivavoce.results.integrity.verification import verify_logs

        trust = verify_logs(logs, rounds, progress).trust
    with TemporaryDirectory() as passing:
        board = leaderboard(
            logs,
            store=cache or Path(passing),
            own=own,
            human=human,
            cutoffs=cutoffs,
            trust=trust,
            **options.shared(Reading),
        )
        items = choose_item_texts(board.heads, count=options.samples, seed=options.seed)
        write_site(board, out, samples=items, options=options)
    if keys := list(find_secrets(out)):
        raise InputError(f"Do not publish {out}: remove the keys from its logs. {' '.join(keys)}")
    return board, bool(items)
