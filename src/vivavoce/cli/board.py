"""Verbs that write leaderboards as sites and files, serve them, or add a metric to their logs."""

from __future__ import annotations

from enum import StrEnum
from functools import partial as fixed
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from vivavoce.cli.board_integrity import ROUNDS_OPTION
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
    SPLIT_OPTION,
    need_web,
    print_json,
    print_notes,
    print_parts,
    print_report,
    progress,
    say,
)

if TYPE_CHECKING:
    from vivavoce.results.board.groups import Board
    from vivavoce.web.board.page import Page


TEXTS_NOTE = (
    "Note: the pages of items hold texts of papers and gold answers. Publish them only where you "
    "may, or build with --samples 0."
)

HUMAN_OPTION = typer.Option(
    None, "--human", help="People's labels, which correct judges; as in viva audit judge."
)

app = typer.Typer(no_args_is_help=True, help="Turn logs into a leaderboard.")


@app.command(epilog="Example: viva board build logs --out site")
def build(
    logs: Path = LOGS_ARGUMENT,
    out: Path = typer.Option(..., "--out", help="Folder for the site."),
    partial: bool = PARTIAL_OPTION,
    resamples: int = RESAMPLES_OPTION,
    seed: int = SEED_OPTION,
    split: str | None = SPLIT_OPTION,
    cutoffs: Path | None = CUTOFFS_OPTION,
    margin: int = MARGIN_OPTION,
    samples: int = SAMPLES_OPTION,
    bundle: str | None = BUNDLE_OPTION,
    own: Path | None = typer.Option(
        None, "--with", metavar="LOGS", help="Further logs, whose rows are marked as your own."
    ),
    human: Path | None = HUMAN_OPTION,
    cache: Path | None = typer.Option(
        None, "--cache", help="Folder that keeps statistics, so that only new logs are computed."
    ),
    complete_only: bool = typer.Option(
        False, "--complete-only", help="Leave out rows with missing or invalid answers."
    ),
    note: str = typer.Option("", "--note", help="Words on top of the first page."),
    rounds: list[Path] = ROUNDS_OPTION,
    as_json: bool = JSON_OPTION,
) -> None:
    """Write the leaderboard as a static site, with its numbers as JSON and CSV."""
    from vivavoce.models.cutoffs import load_cutoffs
    from vivavoce.publication import SiteInputs, SiteOptions, make_site
    from vivavoce.web.board.pages.item_views import find_bundle

    options = SiteOptions(
        partial=partial,
        resamples=resamples,
        seed=seed,
        split=split,
        samples=samples,
        complete_only=complete_only,
        bundle=None if bundle is None else find_bundle(bundle, out),
        note=note,
    )
    inputs = SiteInputs(
        cutoffs=load_cutoffs(cutoffs, margin),
        own=own,
        human=human,
        rounds=rounds,
    )
    with progress("Reading logs") as update:
        board, has_texts = make_site(logs, out, options, inputs, cache=cache, progress=update)
    page = out / "index.html"
    if as_json:
        rows = sum(len(group.rows) for group in board.groups)
        print_json({"page": str(page), "rows": rows, "notes": list(board.notes)})
    else:
        print_notes(board.notes)
        if has_texts:
            say(TEXTS_NOTE)
        say(str(page))


def print_board(
    board: Board, *, everything: bool = False, costs: bool = False, as_json: bool = False
) -> None:
    """Print one table for each task and setting, ranked by its headline metric."""
    if as_json:
        print_json(board.as_dict())
        return
    print_parts(board.parts(everything=everything, costs=costs))
    print_notes(board.notes)


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
    need_web("viva board serve")
    import time
    from tempfile import TemporaryDirectory

    from vivavoce.errors import InputError
    from vivavoce.models.cutoffs import load_cutoffs
    from vivavoce.web.board.pages.item_views import find_bundle
    from vivavoce.web.board.serving import HOST, LiveSite, make_app, mark_of
    from vivavoce.web.serving import serve_app

    if bundle is not None and not bundle.startswith(("http://", "https://")):
        raise InputError(f"{bundle} is no http address: of folders only the site itself is served.")
    address = None if bundle is None else find_bundle(bundle, logs)
    known = load_cutoffs(cutoffs, margin)
    folders = [logs, *([own] if own else [])]

    def read() -> list[Page]:
        from vivavoce.results.board.building import leaderboard
        from vivavoce.results.logs.sample_texts import choose_item_texts
        from vivavoce.web.board.model import site_of
        from vivavoce.web.board.site import pages_of

        draw = fixed(leaderboard, partial=partial, resamples=resamples, seed=seed, cutoffs=known)
        board = draw(logs, store=store, own=own)
        items = choose_item_texts(board.heads, folders, count=samples, seed=seed)
        return pages_of(site_of(board), samples=items, bundle=address)

    with TemporaryDirectory() as passing:
        store = cache or Path(passing)
        with progress("Reading logs"):
            site = LiveSite(read, lambda: mark_of(folders), time.monotonic)
        announce = (lambda where: print_json({"address": where})) if as_json else say
        serve_app(make_app(site), HOST, port, announce)


class Form(StrEnum):
    """Formats of results."""

    EEE = "eee"
    EVAL_RESULTS = "eval_results"
    CSV = "csv"
    PARQUET = "parquet"
    SCORES = "scores"


def export(
    logs: Path = LOGS_ARGUMENT,
    form: Form = typer.Option(
        ...,
        "--as",
        help="eee is Every Eval Ever; eval_results is for model pages on the hub; scores is a row "
        "for each answer and metric, as Parquet.",
    ),
    out: Path = typer.Option(..., "--out", help="Folder for the files; it must not exist yet."),
    dataset: str | None = typer.Option(
        None, "--dataset", metavar="OWNER/NAME", help="Repository of the round on the hub."
    ),
    organization: str = typer.Option(
        "unknown", "--organization", help="Who publishes the results, for eee."
    ),
    date: str | None = typer.Option(
        None, "--date", help="Day of the results, YYYY-MM-DD; by default that of the newest log."
    ),
    partial: bool = PARTIAL_OPTION,
    resamples: int = RESAMPLES_OPTION,
    seed: int = SEED_OPTION,
    cutoffs: Path | None = CUTOFFS_OPTION,
    margin: int = MARGIN_OPTION,
    as_json: bool = JSON_OPTION,
) -> None:
    """Write the rows of a board for other tools, with intervals, ranks, judge and round."""
    from vivavoce.errors import InputError
    from vivavoce.models.cutoffs import load_cutoffs
    from vivavoce.results.board.building import leaderboard
    from vivavoce.results.board.exchange import date_of, eval_results, every_eval_ever
    from vivavoce.results.frame import scores
    from vivavoce.store import parquet_of, write_bytes
    from vivavoce.text.dates import parse_date
    from vivavoce.web.board.downloads import csv_of

    if form is Form.EVAL_RESULTS and not dataset:
        raise InputError("eval_results names a dataset on the hub. Give it: --dataset OWNER/NAME.")
    if out.exists():
        raise InputError(f"{out} is there already. Choose another folder.")
    if form is Form.SCORES:
        table = scores(logs, partial=partial)
        write_bytes(out / "scores.parquet", parquet_of(table))
        if as_json:
            print_json({"files": ["scores.parquet"], "rows": table.num_rows, "notes": []})
        else:
            say(f"{table.num_rows:,} scores in {out / 'scores.parquet'}.")
        return
    known = load_cutoffs(cutoffs, margin)
    board = leaderboard(logs, partial=partial, resamples=resamples, seed=seed, cutoffs=known)
    day = date or date_of(board)
    if parse_date(day) != (day, "day"):
        raise InputError(f"--date {day} is no day. Write it as YYYY-MM-DD.")
    if form is Form.EEE:
        files = dict(every_eval_ever(board, day, organization))
    elif form is Form.EVAL_RESULTS:
        files = dict(eval_results(board, day, dataset or ""))
    elif form is Form.CSV:
        files = {"board.csv": csv_of(board.to_arrow())}
    else:
        files = {"board.parquet": parquet_of(board.to_arrow())}
    for path, content in files.items():
        write_bytes(out / path, content)
    if as_json:
        print_json({"files": sorted(files), "rows": len(board.rows), "notes": list(board.notes)})
        return
    say(f"{len(files)} files in {out}.")
    print_notes(board.notes)


def add_metric(
    logs: Path = LOGS_ARGUMENT,
    name: str = typer.Argument(help="The metric, such as bertscore."),
    model: str | None = typer.Option(
        None, "--model", help="Model that the metric rests on: a name on the hub or a folder."
    ),
    layer: int | None = typer.Option(None, "--layer", min=1, help="Layer of the model."),
    as_json: bool = JSON_OPTION,
) -> None:
    """Compute a metric for the answers of logs; every board of them then has it.

    Each text is computed once and kept beside the logs. Run it again after further runs.
    """
    from vivavoce.results.logs.adding import add_metric as add

    given = {"model": model, "layer": layer}
    with progress(f"Computing {name}") as show:
        found = add(logs, name, {key: v for key, v in given.items() if v is not None}, show)
    print_report(found, as_json=as_json)
