"""Verbs that show leaderboards, write them as sites and files, and verify the logs behind them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from vivavoce.cli.bind import Logs, Rounds, refuse_unread, verb
from vivavoce.cli.output import Answer, progress
from vivavoce.requests import (
    Arg,
    CutoffOptions,
    Opt,
    PartialLogs,
    Reading,
    SiteOptions,
    given_names,
)
from vivavoce.text.printing import counted

if TYPE_CHECKING:
    from vivavoce.reports import Report
    from vivavoce.rounds import Round


TEXTS_NOTE = (
    "Note: the pages of items contain texts of papers and gold answers. Publish them only if you "
    "have the right to, or build with --samples 0."
)

app = typer.Typer(no_args_is_help=True, help="Turn logs into a leaderboard.")

Human = Annotated[Path | None, Opt("Human labels, as in viva audit judge.")]
Own = Annotated[Path | None, Opt("Logs whose rows are marked as yours.", "--with", metavar="LOGS")]
Cache = Annotated[
    Path | None,
    Opt("Folder for statistics, so that only new logs are read (default: in your cache folder)."),
]


@verb(app, "board build logs --out site")
def build(
    logs: Logs,
    out: Annotated[Path, Opt("Folder for the site.")],
    options: SiteOptions,
    known: CutoffOptions,
    own: Own = None,
    human: Human = None,
    cache: Cache = None,
    rounds: Rounds = (),
) -> Answer:
    """Write the leaderboard as a static site, with its numbers as JSON and CSV."""
    from platformdirs import user_cache_path

    from vivavoce.models.cutoffs import load_cutoffs
    from vivavoce.publication import make_site

    with progress("Reading logs") as update:
        board, has_texts = make_site(
            *(logs, out, options),
            cutoffs=load_cutoffs(known.cutoffs, known.margin),
            own=own,
            human=human,
            rounds=rounds,
            cache=cache or user_cache_path("vivavoce") / "boards",
            progress=update,
        )
    page = str(out / "index.html")
    document = {"page": page, "rows": len(board.rows), "notes": list(board.notes)}
    notes = [f"Note: {note}" for note in board.notes]
    return Answer(document, [*notes, *([TEXTS_NOTE] if has_texts else []), page])


@verb(app, "board export logs --as eee --out results")
def export(
    logs: Logs,
    form: Annotated[
        Literal["eee", "eval_results", "csv", "parquet", "scores"],
        Opt(
            "eee is Every Eval Ever; eval_results is for model pages on the hub; scores has a "
            "row per answer and metric, as Parquet.",
            "--as",
        ),
    ],
    out: Annotated[Path, Opt("Folder for the files; it must not exist yet.")],
    reading: PartialLogs,
    known: CutoffOptions,
    dataset: Annotated[
        str | None, Opt("The round's repository on the hub.", metavar="OWNER/NAME")
    ] = None,
    organization: Annotated[str, Opt("Who publishes the results, for eee.")] = "unknown",
    date: Annotated[
        str | None, Opt("Day of the results (default: of the newest log).", metavar="DATE")
    ] = None,
) -> Answer:
    """Write the rows of a board for other tools, with intervals, ranks, judge and round."""
    from vivavoce.errors import InputError
    from vivavoce.models.cutoffs import load_cutoffs
    from vivavoce.results.board.building import leaderboard
    from vivavoce.results.board.exchange import date_of, eval_results, every_eval_ever
    from vivavoce.results.logs.selection import scores
    from vivavoce.store import parquet_of, write_bytes
    from vivavoce.text.dates import parse_date
    from vivavoce.web.board.downloads import csv_of

    if form == "eval_results" and not dataset:
        raise InputError("eval_results needs a dataset on the hub: --dataset OWNER/NAME.")
    if out.exists():
        raise InputError(f"{out} is there already. Choose another folder.")
    if form == "scores":
        table = scores(logs, partial=reading.partial)
        write_bytes(out / "scores.parquet", parquet_of(table))
        document = {"files": ["scores.parquet"], "rows": table.num_rows, "notes": []}
        scored = counted(table.num_rows, "score")
        return Answer(document, [f"{scored} in {out / 'scores.parquet'}."])
    cutoffs = load_cutoffs(known.cutoffs, known.margin)
    board = leaderboard(logs, cutoffs=cutoffs, **vars(reading))
    day = date or date_of(board)
    if parse_date(day) != (day, "day"):
        raise InputError(f"--date {day} is not a day. Write it as YYYY-MM-DD.")
    if form == "eee":
        # The validator wants paths, relative to where it runs, that begin with this folder.
        inside = Path() if out.name == "data" else Path("data")
        records = every_eval_ever(board, day, organization)
        files = {str(inside / path): content for path, content in records}
    elif form == "eval_results":
        files = dict(eval_results(board, day, dataset or ""))
    else:
        write = csv_of if form == "csv" else parquet_of
        files = {f"board.{form}": write(board.to_arrow())}
    for path, content in files.items():
        write_bytes(out / path, content)
    document = {"files": sorted(files), "rows": len(board.rows), "notes": list(board.notes)}
    return Answer(document, [f"{counted(len(files), 'file')} in {out}."], board.notes)


@verb(app, "board add-metric logs bertscore")
def add_metric(
    logs: Logs,
    name: Annotated[str, Arg("The metric, such as bertscore.")],
    model: Annotated[str | None, Opt("The metric's model: a name or a folder.")] = None,
    layer: Annotated[int | None, Opt("Layer of the model.", min=1)] = None,
) -> Answer:
    """Compute a metric for the answers of logs; all boards of these logs then show it.

    Values are computed once per text and kept beside the logs. Repeat it after further runs.
    """
    from vivavoce.results.logs.adding import add_metric as add

    given = {"model": model, "layer": layer}
    with progress(f"Computing {name}") as show:
        added_metrics = add(logs, name, {key: v for key, v in given.items() if v is not None}, show)
    return Answer.of(added_metrics)


@verb(app, "board verify logs")
def verify(logs: Logs, rounds: Rounds = ()) -> Answer:
    """Score the recorded replies again and list every value that was edited.

    This proves that the scores follow from the replies in the logs, not who wrote the replies.
    """
    from vivavoce.results.integrity.secrets import find_secrets
    from vivavoce.results.integrity.verification import verify_logs

    with progress("Logs") as update:
        verification = verify_logs(logs, rounds, update)
    verification = replace(verification, secrets=tuple(find_secrets(logs)))
    return Answer.of(verification, failed=bool(not verification.is_sound))


@verb(app, "board submit --check submission")
def submit(
    folder: Annotated[Path, Arg("Folder with submission.toml and logs.")],
    check: Annotated[bool, Opt("Required.")] = False,
    rounds: Rounds = (),
) -> Answer:
    """Check a submission: form, logs, ledger, scores. Sends nothing."""
    from vivavoce.results.integrity.submission import check_submission

    if not check:
        raise typer.BadParameter(
            "nothing is sent: check the folder with --check, then hand in its files",
            param_hint="--check",
        )
    with progress("Logs") as update:
        report = check_submission(folder, rounds, update)
    return Answer.of(report, failed=bool(not report.complete))


@verb(app, "board intake inbox --out taken --round rounds/2024-h2")
def intake(
    inbox: Annotated[Path, Arg("Folder with one subfolder per submission.")],
    out: Annotated[Path, Opt("Folder for decisions and accepted logs.")],
    rounds: Rounds = (),
) -> Answer:
    """Recompute submissions; accept them or refuse them with reasons."""
    from vivavoce.results.integrity.submission import DECISIONS, take_in

    with progress("Submissions") as update:
        decisions = take_in(inbox, out, rounds, update)
    parts = [*decisions.parts(), str(out / DECISIONS)]
    return Answer(decisions.as_dict(), parts, exit_code=int(not decisions.is_clean))


By = Literal[
    "metric", "setting", "part", "retriever", "attempts", "sweep", "context", "cutoff", "drift"
]
_READS: Mapping[str, tuple[str, ...]] = {
    "sweep": ("over",),
    "cutoff": ("cutoffs", "margin"),
    "drift": ("round_folder",),
}
"""Options that each view reads, besides those of all views."""
_BOARD = ("cutoffs", "margin", "human", "everything", "costs")
_OF_ALL = ("logs", "by", "as_json", *(each.name for each in fields(Reading)))


@verb(app, "board show logs --by setting")
def show(
    context: typer.Context,
    logs: Logs,
    reading: Reading,
    known: CutoffOptions,
    by: Annotated[By | None, Opt("Another view of the logs than the board.")] = None,
    human: Human = None,
    everything: Annotated[bool, Opt("The board: also print the diagnostics.", "--all")] = False,
    costs: Annotated[bool, Opt("The board: also print tokens, seconds and dollars.")] = False,
    over: Annotated[
        Sequence[str],
        Opt(
            "sweep: arguments, such as rounds,batch (default: those that differ).",
            read=given_names,
        ),
    ] = (),
    round_folder: Annotated[Path | None, Opt("drift: the later round.", "--round")] = None,
) -> Answer:
    """Print the leaderboard, or another view of its logs.

    Metric: agreement of metrics on the order. Setting: gains from added context. Part: one number
    over the parts of a paper. Retriever: retrievers side by side. Attempts: mean, best and
    spread. Sweep: arguments of a method. Context: models and settings by window. Cutoff: items
    before and after the training cutoff. Drift: anchors of a round against its parent's.
    """
    from vivavoce.models.cutoffs import load_cutoffs

    reads = _BOARD if by is None else _READS.get(by, ())
    refuse_unread(context, (*_OF_ALL, *reads), f"--by {by}" if by else "the board")
    answers = vars(reading)
    cutoffs = load_cutoffs(known.cutoffs, known.margin)
    if by is None:
        from vivavoce.results.board.building import leaderboard

        board = leaderboard(logs, human=human, cutoffs=cutoffs, **answers)
        parts = board.parts(everything=everything, costs=costs)
        return Answer(board.as_dict(), parts, board.notes)
    from vivavoce.results.audits import contrasts, sweeps
    from vivavoce.results.board.attempts import attempt_tables
    from vivavoce.results.board.building import contamination_report

    makers: dict[str, Callable[[], Report]] = {
        "metric": lambda: contrasts.metric_agreement(logs, **answers),
        "setting": lambda: contrasts.context_gains(logs, **answers),
        "part": lambda: contrasts.overall_scores(logs, **answers),
        "retriever": lambda: sweeps.sweep_tables(logs, over=["retriever"], **answers),
        "attempts": lambda: attempt_tables(logs, **answers),
        "sweep": lambda: sweeps.sweep_tables(logs, over=over, **answers),
        "context": lambda: sweeps.windows_of(logs, **answers),
        "cutoff": lambda: contamination_report(logs, cutoffs, **answers),
        "drift": lambda: contrasts.drift_of_anchors(logs, _later(round_folder), **answers),
    }
    return Answer.of(makers[by]())


def _later(folder: Path | None) -> Round:
    from vivavoce.rounds import load_round

    if folder is None:
        raise typer.BadParameter("--by drift needs the later round", param_hint="--round")
    return load_round(folder)


@verb(app, "board compare extractive/lead null --logs logs")
def compare(
    a: Annotated[str, Arg("The first contestant.")],
    b: Annotated[str, Arg("The second contestant.")],
    reading: Reading,
    logs: Annotated[Path, Opt("Folder of logs with contestants A and B.")],
    items: Annotated[
        int, Opt("Number of items to list, largest difference first.", min=0, max=200)
    ] = 10,
    out: Annotated[Path | None, Opt("Folder for pages with both answers to these items.")] = None,
) -> Answer:
    """Compare two contestants item by item: differences, wins, and the largest differences."""
    from vivavoce.results.board.head_to_head import differing_items, head_to_head, metric_sheet
    from vivavoce.web.board.site import write_comparison

    comparison = head_to_head(a, b, logs, differing=items, **vars(reading))
    document = comparison.as_dict()
    parts = [*comparison.parts(), *(f"Note: {note}" for note in comparison.notes)]
    if out is not None:
        sheets = list(map(metric_sheet, comparison.duels))
        parts.append(str(write_comparison(document, sheets, differing_items(comparison), out)))
        document = {**document, "page": parts[-1]}
    return Answer(document, parts)
