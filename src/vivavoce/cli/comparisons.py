"""`viva board compare`: two contestants on the same items."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer

from vivavoce.cli.output import (
    JSON_OPTION,
    PARTIAL_OPTION,
    RESAMPLES_OPTION,
    SEED_OPTION,
    SPLIT_OPTION,
    print_json,
    print_report,
    say,
)


def compare(
    a: str = typer.Argument(help="A contestant of --logs; without it, a log or a folder of logs."),
    b: str = typer.Argument(help="The other one."),
    logs: Path | None = typer.Option(
        None, "--logs", help="Folder of logs in which A and B are contestants, named as on a board."
    ),
    task: str | None = typer.Option(None, "--task", help="Only this task."),
    setting: str | None = typer.Option(None, "--setting", help="Only this setting."),
    round_id: str | None = typer.Option(None, "--round", help="Only this round."),
    split: str | None = SPLIT_OPTION,
    items: int = typer.Option(
        10, "--items", min=0, max=200, help="Number of items to name, of those that differ most."
    ),
    out: Path | None = typer.Option(
        None, "--out", help="Folder for pages, with both answers to those items."
    ),
    bundle: str | None = typer.Option(
        None, "--bundle", help="Address or folder of a viewer made by inspect view bundle, to link."
    ),
    partial: bool = PARTIAL_OPTION,
    resamples: int = RESAMPLES_OPTION,
    seed: int = SEED_OPTION,
    as_json: bool = JSON_OPTION,
) -> None:
    """Compare two contestants item by item: differences, wins, and where they differ most."""
    from vivavoce.errors import InputError
    from vivavoce.results.board.head_to_head import head_to_head
    from vivavoce.results.board.pairing import Only

    absent = [path for path in (a, b) if logs is None and not Path(path).exists()]
    if absent:
        raise InputError(
            f"{absent[0]} is neither a log nor a folder of logs. If it is a contestant, add the "
            "folder of its logs: --logs LOGS."
        )
    found = head_to_head(
        a,
        b,
        logs,
        only=Only(round_id, task, setting, split),
        partial=partial,
        resamples=resamples,
        seed=seed,
        differing=items,
    )
    page = None if out is None else _write(found, out, bundle)
    if as_json:
        print_json({**found.as_dict(), **({} if page is None else {"page": str(page)})})
        return
    print_report(found, as_json=False)
    if page is not None:
        say(str(page))


def _write(found: Any, out: Path, bundle: str | None) -> Path:
    from vivavoce.results.board.head_to_head import differing_items
    from vivavoce.web.board.pages.duels import write_comparison
    from vivavoce.web.board.pages.item_views import find_bundle

    address = None if bundle is None else find_bundle(bundle, out)
    return write_comparison(found.as_dict(), differing_items(found), out, bundle=address)
