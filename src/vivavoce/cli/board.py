"""Verbs that show leaderboards, in the terminal, as files and on a local server."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from vivavoce.cli.output import (
    BUNDLE_OPTION,
    CUTOFFS_OPTION,
    JSON_OPTION,
    LOGS_ARGUMENT,
    MARGIN_OPTION,
    PARTIAL_OPTION,
    RESAMPLES_OPTION,
    SAMPLES_OPTION,
    SEED_OPTION,
    print_json,
    print_table,
    progress,
    say,
)

if TYPE_CHECKING:
    from vivavoce.results.board.columns import Column
    from vivavoce.results.board.groups import Board
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vivavoce.web.board.page import Page


TEXTS_NOTE = (
    "Note: the pages of items hold texts of papers and gold answers. Publish them only where you "
    "may, or build with --samples 0."
)

app = typer.Typer(no_args_is_help=True, help="Turn logs into a leaderboard.")


@app.command(epilog="Example: viva board build logs --out site")
def build(
    logs: Path = typer.Argument(
        help="Folder of logs that viva run wrote, or the board.json of a published site."
    ),
    out: Path = typer.Option(..., "--out", help="Folder for the site."),
    partial: bool = PARTIAL_OPTION,
    resamples: int = RESAMPLES_OPTION,
    seed: int = SEED_OPTION,
    cutoffs: Path | None = CUTOFFS_OPTION,
    margin: int = MARGIN_OPTION,
    samples: int = SAMPLES_OPTION,
    bundle: str | None = BUNDLE_OPTION,
    own: Path | None = typer.Option(
        None, "--with", metavar="LOGS", help="Further logs, whose rows are marked as your own."
    ),
    cache: Path | None = typer.Option(
        None, "--cache", help="Folder that keeps statistics, so that only new logs are computed."
    ),
    complete_only: bool = typer.Option(
        False, "--complete-only", help="Leave out rows with missing or invalid answers."
    ),
    charts: bool = typer.Option(True, "--charts/--no-charts", help="Whether to draw charts."),
    reasons: Path | None = typer.Option(
        None, "--reasons", help="Why rows changed: JSON Lines of {reason, and fields of a row}."
    ),
    date: str | None = typer.Option(None, "--date", help="Day of this build, for the changes."),
    as_json: bool = JSON_OPTION,
) -> None:
    """Write the leaderboard as a static site, with its numbers as JSON and CSV."""
    from tempfile import TemporaryDirectory

    from vivavoce.models.cutoffs import load_cutoffs
    from vivavoce.results.board.building import leaderboard
    from vivavoce.results.board.groups import complete_only as keep_complete
    from vivavoce.results.board.published import beside, read_published
    from vivavoce.results.logs.sample_texts import choose_item_texts
    from vivavoce.store import read_jsonl
    from vivavoce.web.board.files.bundle import find_bundle
    from vivavoce.web.board.site import write_site

    viewer = None if bundle is None else find_bundle(bundle, out)
    known = load_cutoffs(cutoffs, margin)
    told = [row for _, row in read_jsonl(reasons)] if reasons else []
    published = read_published(logs) if logs.is_file() else None
    folders = [*([] if published else [logs]), *([own] if own else [])]
    with TemporaryDirectory() as passing, progress("Reading logs"):

        def read(folder: Path, further: Path | None) -> Board:
            return leaderboard(
                folder,
                store=cache or Path(passing),
                own=further,
                partial=partial,
                resamples=resamples,
                seed=seed,
                cutoffs=known,
            )

        if published is None:
            board = read(logs, own)
        else:
            board = beside(published, read(own, None) if own else None)
        if complete_only:
            board = keep_complete(board)
        items = choose_item_texts(board.heads, folders, count=samples, seed=seed)
        page = write_site(
            board,
            out,
            samples=items,
            charts=charts,
            bundle=viewer,
            reasons=told,
            date=date,
        )
    if as_json:
        rows = sum(len(group.rows) for group in board.groups)
        print_json({"page": str(page), "rows": rows, "notes": list(board.notes)})
    else:
        print_notes(board)
        if items:
            say(TEXTS_NOTE)
        say(str(page))


@app.command(epilog="Example: viva board show logs")
def show(
    logs: Path = LOGS_ARGUMENT,
    partial: bool = PARTIAL_OPTION,
    resamples: int = RESAMPLES_OPTION,
    seed: int = SEED_OPTION,
    cutoffs: Path | None = CUTOFFS_OPTION,
    margin: int = MARGIN_OPTION,
    everything: bool = typer.Option(
        False, "--all", help="Also print the diagnostics, which rank nobody."
    ),
    costs: bool = typer.Option(
        False, "--costs", help="Also print tokens, seconds and dollars of an answer."
    ),
    as_json: bool = JSON_OPTION,
) -> None:
    """Print the leaderboard."""
    from vivavoce.models.cutoffs import load_cutoffs
    from vivavoce.results.board.building import leaderboard

    known = load_cutoffs(cutoffs, margin)
    board = leaderboard(logs, partial=partial, resamples=resamples, seed=seed, cutoffs=known)
    if as_json:
        print_json(board.as_dict())
    else:
        print_board(board, everything=everything, costs=costs)


@app.command(epilog="Example: viva board attempts logs --items")
def attempts(
    logs: Path = LOGS_ARGUMENT,
    items: bool = typer.Option(False, "--items", help="One row an item instead of a group."),
    partial: bool = PARTIAL_OPTION,
    resamples: int = RESAMPLES_OPTION,
    seed: int = SEED_OPTION,
    as_json: bool = JSON_OPTION,
) -> None:
    """Print several attempts' mean, best and spread by category and difficulty."""
    from vivavoce.results.board.attempts import attempt_tables

    tables = attempt_tables(logs, partial=partial, resamples=resamples, seed=seed)
    if as_json:
        print_json(tables.as_dict())
        return
    for (round_id, task, setting), rows in groupby(
        tables.items if items else tables.groups,
        key=lambda row: (row["round"], row["task"], row["setting"]),
    ):
        title = f"{task} · {setting} · round {round_id}"
        found = list(rows)
        _print_attempts(f"{title}: all attempts, a failed one counts as what it reached", found, "")
        _print_attempts(f"{title}: attempts that succeeded", found, "_succeeded")
    say("mean (highest, standard deviation) over the attempts at an item, then mean over items;")
    say("--json has the intervals, and how many attempts failed in which way.")
    for note in tables.notes:
        say(f"Note: {note}")


def _print_attempts(title: str, rows: list[dict[str, Any]], kind: str) -> None:
    """One line a group or item, one column a metric; `kind` is a suffix of the values' names."""
    from vivavoce.results.logs.records import contestant_label

    metrics = list(dict.fromkeys(row["metric"] for row in rows))
    lines: dict[tuple[str, ...], dict[str, dict[str, Any]]] = {}
    for row in rows:
        place = (row["category"], row["difficulty"], str(row.get("item") or row["items"]))
        contestant = (contestant_label(row), row["decoding"], row["prompt_hash"])
        lines.setdefault((*contestant, *place), {})[row["metric"]] = row
    table = [
        [key[0], *key[3:], str(cells[metrics[0]]["succeeded" if kind else "attempts"])]
        + [_attempt_cell(cells[metric], kind) for metric in metrics]
        for key, cells in lines.items()
    ]
    what = "item" if "item" in rows[0] else "items"
    headers = ["contestant", "category", "difficulty", what, "n", *metrics]
    print_table(headers, table, title=title)
    say("")


def _attempt_cell(row: dict[str, Any], kind: str) -> str:
    mean, highest, spread = (row[f"{name}{kind}"] for name in ("mean", "max", "std"))
    if mean is None:
        return "–"
    return f"{mean:.3f} ({highest:.3f}, {'–' if spread is None else f'{spread:.3f}'})"


def print_board(board: Board, *, everything: bool = False, costs: bool = False) -> None:
    """Print one table for each task and setting, ranked by its headline metric."""
    for (round_id, task, version, setting), rows in groupby(board.rows, key=_section):
        title = f"{task} · {setting} · round {round_id} · version {version}"
        _print_section(title, list(rows), board, everything=everything, costs=costs)
        say("")
    say("value [95% interval]; rank (ranks it may have); a failed answer counts 0;")
    say("oracle is the ceiling and is not ranked.")
    if costs:
        say("tokens, s and $ are means over the answers; a judge's are not among them.")
    print_notes(board)


def print_notes(board: Board) -> None:
    """Print what a reader of the board has to know."""
    for note in board.notes:
        say(f"Note: {note}")


def _section(row: dict[str, Any]) -> tuple[str, str, str, str]:
    return row["round"], row["task"], row["task_version"], row["setting"]


def _print_section(
    title: str, rows: list[dict[str, Any]], board: Board, *, everything: bool, costs: bool
) -> None:
    from vivavoce.results.board.columns import terminal_columns
    from vivavoce.results.logs.records import CONTESTANT, contestant_label

    headline = board.headlines[rows[0]["task"]]
    measured = {row["metric"] for row in rows}
    metrics = [name for name in board.metrics[rows[0]["task"]] if name in measured]
    if everything:
        metrics += sorted(measured - set(metrics))
    by_contestant: dict[tuple[str, ...], dict[str, dict[str, Any]]] = {}
    for row in rows:
        key = tuple(str(row[name]) for name in CONTESTANT)
        by_contestant.setdefault(key, {})[row["metric"]] = row
    contestants = sorted(
        by_contestant.values(),
        key=lambda cells: (cells[headline]["rank"] or 0, cells[headline]["method"]),
    )
    judges = {cells[headline]["judge"] for cells in contestants}
    last = terminal_columns(costs=costs)
    table = [
        [
            _rank(cells[headline]),
            contestant_label(cells[headline])
            + _judged_by(cells[headline] if len(judges) > 1 else {})
            + (" (partial)" if cells[headline]["partial"] else ""),
            *(_value(cells.get(metric)) for metric in metrics),
            *(_fact(column, cells[headline]) for _, column in last),
        ]
        for cells in contestants
    ]
    headers = ["rank", "contestant", *metrics, *(head for head, _ in last)]
    print_table(headers, table, title=title)
    found = [row["detectable"] for row in rows if row["metric"] == headline and row["detectable"]]
    if found:
        detectable = found[0]
        say(f"Smallest difference in {headline} that these items can show: {detectable:.3f}")


def _fact(column: Column, row: dict[str, Any]) -> str:
    """A value beside the metrics, printed by its unit."""
    from vivavoce.results.board.columns import shown_value

    value = shown_value(column, row)
    if value is None:
        return "–" if column.is_cost else ""
    printed = {"share": ".0%", "tokens": ".0f", "s": ".2f", "USD": ".4f"}
    default = ".3f" if isinstance(value, float) else ""
    return format(value, printed.get(column.unit, default))


def _judged_by(row: dict[str, Any]) -> str:
    return f" (judge {row['judge']})" if row.get("judge") else ""


def _rank(row: dict[str, Any]) -> str:
    """A rank, with the ranks it may have: `2 (1-3)`."""
    if row["rank"] is None:
        return "–"
    low, high = row["rank_interval"] or (row["rank"], row["rank"])
    return f"{row['rank']}" if low == high else f"{row['rank']} ({low}-{high})"


def _value(row: dict[str, Any] | None) -> str:
    """A value with its interval; a dash where the contestant was not measured so."""
    if row is None:
        return "–"
    if row["value"] is None:
        return "undefined"
    if row["ci"] is None:
        return f"{row['value']:.3f}"
    return f"{row['value']:.3f} [{row['ci'][0]:.3f}, {row['ci'][1]:.3f}]"


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
