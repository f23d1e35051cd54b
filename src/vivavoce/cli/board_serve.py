"""The verb of `viva board` that shows the site while logs are still being written."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from vivavoce.cli.output import (
    CUTOFFS_OPTION,
    JSON_OPTION,
    LOGS_ARGUMENT,
    MARGIN_OPTION,
    RESAMPLES_OPTION,
    SAMPLES_OPTION,
    SEED_OPTION,
    print_json,
    progress,
    say,
)

if TYPE_CHECKING:
    from vivavoce.web.board.page import Page


def serve(
    logs: Path = LOGS_ARGUMENT,
    port: int = typer.Option(8000, "--port", min=0, max=65535, help="Port; 0 takes a free one."),
    partial: bool = typer.Option(
        True, "--partial/--complete", help="Whether to show logs that lack samples, marked."
    ),
    own: Path | None = typer.Option(
        None, "--with", metavar="LOGS", help="Further logs, whose rows are marked as your own."
    ),
    cache: Path | None = typer.Option(
        None, "--cache", help="Folder that keeps statistics for the next time."
    ),
    samples: int = SAMPLES_OPTION,
    bundle: str | None = typer.Option(
        None, "--bundle", help="Address of a viewer made by inspect view bundle, to link to."
    ),
    resamples: int = RESAMPLES_OPTION,
    seed: int = SEED_OPTION,
    cutoffs: Path | None = CUTOFFS_OPTION,
    margin: int = MARGIN_OPTION,
    as_json: bool = JSON_OPTION,
) -> None:
    """Show the site on this machine until it is stopped; it follows the logs."""
    _need_extra()
    import time
    from tempfile import TemporaryDirectory

    from vivavoce.errors import InputError
    from vivavoce.models.cutoffs import load_cutoffs
    from vivavoce.web.board.files.bundle import find_bundle
    from vivavoce.web.board.serving import LiveSite, mark_of
    from vivavoce.web.board.serving import serve as run

    if bundle is not None and not bundle.startswith(("http://", "https://")):
        raise InputError(f"{bundle} is no http address: of folders only the site itself is served.")
    address = None if bundle is None else find_bundle(bundle, logs)
    known = load_cutoffs(cutoffs, margin)
    folders = [logs, *([own] if own else [])]

    def read() -> list[Page]:
        from vivavoce.results.board.building import leaderboard
        from vivavoce.results.logs.sample_texts import choose_item_texts
        from vivavoce.web.board.site import pages_of, read_site

        board = leaderboard(
            logs,
            store=store,
            own=own,
            partial=partial,
            resamples=resamples,
            seed=seed,
            cutoffs=known,
        )
        items = choose_item_texts(board.heads, folders, count=samples, seed=seed)
        return pages_of(read_site(board), samples=items, bundle=address)

    with TemporaryDirectory() as passing:
        store = cache or Path(passing)
        with progress("Reading logs"):
            site = LiveSite(read, lambda: mark_of(folders), time.monotonic)
        announce = (lambda where: print_json({"address": where})) if as_json else say
        run(site, port=port, announce=announce)


def _need_extra() -> None:
    from importlib.util import find_spec

    from vivavoce.errors import MissingExtra

    for package in ("starlette", "uvicorn"):
        if find_spec(package) is None:
            raise MissingExtra(package, "web", "viva board serve")
