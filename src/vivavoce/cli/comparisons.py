"""`viva board compare`: two contestants on the same items."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from vivavoce.cli.bind import Json, verb
from vivavoce.cli.board import app
from vivavoce.cli.output import print_json, print_report, say
from vivavoce.requests import Arg, Opt, Reading, WithPartial


@verb(app, "board compare extractive/lead null --logs logs")
def compare(
    a: Annotated[str, Arg("A contestant of --logs; without it, a log or a folder of logs.")],
    b: Annotated[str, Arg("The other one.")],
    reading: Reading,
    logs: Annotated[Path | None, Opt("Logs whose contestants A and B are.")] = None,
    task: Annotated[str | None, Opt("Only this task.")] = None,
    setting: Annotated[str | None, Opt("Only this setting.")] = None,
    round_id: Annotated[str | None, Opt("Only this round.", "--round")] = None,
    items: Annotated[int, Opt("Items to name that differ most.", min=0, max=200)] = 10,
    out: Annotated[Path | None, Opt("Folder for pages, with both answers to those items.")] = None,
    bundle: Annotated[str | None, Opt("Address or folder of an inspect view bundle.")] = None,
    as_json: Json = False,
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
        only=Only(round_id, task, setting, reading.split),
        differing=items,
        **reading.shared(WithPartial),
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
