"""Verbs that begin rounds, bring them up to date, compare and seal them, and tell their drift."""

from __future__ import annotations

import sys
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from vivavoce.cli.corpus import CORPUS_OPTION, report_problems
from vivavoce.cli.fetch import CONTACT_OPTION
from vivavoce.cli.output import (
    JSON_OPTION,
    print_json,
    print_table,
    say,
)
from vivavoce.cli.rounds import ROUND_ARGUMENT, app
from vivavoce.reports import Sheet

if TYPE_CHECKING:
    from vivavoce.rounds.arrivals import Arrivals
    from vivavoce.store import Row

_SHOWN = 5


@app.command(
    epilog="Example: viva round update rounds/2024-h2 --corpus corpus --out rounds "
    "--until 2025-02-01"
)
def update(
    folder: Path = ROUND_ARGUMENT,
    corpus: Path = CORPUS_OPTION,
    out: Path = typer.Option(..., "--out", help="The folder that holds rounds."),
    until: datetime = typer.Option(
        ..., "--until", formats=["%Y-%m-%d"], help="The new end of the window, not included."
    ),
    name: str | None = typer.Option(
        None, "--id", help="The new round's id; by default the old one's with the date."
    ),
    oai: str | None = typer.Option(
        None, "--oai", metavar="SET", help="First bring in changes in a set of arXiv's OAI."
    ),
    arxiv: str | None = typer.Option(
        None, "--arxiv", metavar="QUERY", help="First bring in papers that arXiv's API finds."
    ),
    metadata: Path | None = typer.Option(
        None, "--metadata", metavar="FILE", help="First bring in a newer file of metadata."
    ),
    texts: bool = typer.Option(
        False, "--texts", help="Also fetch texts of papers that have none, as viva fetch texts."
    ),
    contact: str | None = CONTACT_OPTION,
    base: str | None = typer.Option(None, "--base", hidden=True, help="A loopback server."),
    as_json: bool = JSON_OPTION,
) -> None:
    """Make the round that follows from another one at a later date; the old one stays as it is."""
    from vivavoce.corpus import load_corpus
    from vivavoce.rounds import load_round
    from vivavoce.rounds.anchors import came_late
    from vivavoce.rounds.arrivals import bring_papers, open_service
    from vivavoce.rounds.updating import update_round
    from vivavoce.tasks import builders

    parent = load_round(folder)
    load_corpus(corpus)  # a wrong path is told before anything is asked for
    came = None
    if oai is not None or arxiv is not None or metadata is not None or texts:
        came = bring_papers(
            corpus,
            date.fromisoformat(parent.manifest["window"]["end"]),
            until.date(),
            oai=oai,
            arxiv=arxiv,
            metadata=metadata,
            texts=texts,
            service=open_service(base, contact),
        )
    done = update_round(load_corpus(corpus), parent, builders(), out, until.date(), name=name)
    summary: dict[str, Any] = {
        "round": done.round.id,
        "path": str(done.round.folder),
        "manifest": done.round.sha256,
        "parent": parent.id,
        "is_new": done.is_new,
        "update": done.report,
        "came_late": sorted(came_late(done.round)[1]),
        "revealed": str(done.revealed) if done.revealed else None,
        "requests": came.requests() if came else None,
        "failed": list(came.failed) if came else [],
    }
    if as_json:
        print_json(summary)
        return
    if came:
        _say_requests(came, done.report)
    if done.is_new:
        _say_report(done.report)
        if late := summary["came_late"]:
            say(f"Asked although they came late for the rounds before: {len(late):,} papers")
    else:
        say("Nothing is new: no round was written.")
    if done.revealed:
        say(f"The ids of {parent.id} are revealed in {done.revealed}")
    say(str(done.round.folder))


@app.command(epilog="Example: viva round diff rounds/2024-h1 rounds/2024-h2")
def diff(
    one: Path = typer.Argument(metavar="A", help="The folder of a round."),
    other: Path = typer.Argument(metavar="B", help="The folder of another one."),
    as_json: bool = JSON_OPTION,
) -> None:
    """Compare two rounds: their specs, and which items came, went, changed or stayed."""
    from vivavoce.rounds import diff_rounds, load_round

    found = diff_rounds(load_round(one), load_round(other))
    if as_json:
        print_json(found)
        return
    a, b = found["a"]["id"], found["b"]["id"]
    say(f"{b} follows from {a}" if found["b_follows_a"] else f"{b} was not made from {a}")
    for key, (was, now) in found["spec"].items():
        say(f"  {key}: {was} -> {now}")
    columns = ("a", "b", "same", "other_split", "changed", "only_a", "only_b", "anchors")
    heads = ("task", a, b, "same", "other split", "changed", f"only {a}", f"only {b}", "anchors")
    tasks = found["tasks"].items()
    rows = tuple((task, *(_count(row[name]) for name in columns)) for task, row in tasks)
    print_table(Sheet("", heads, rows))
    for task, row in found["tasks"].items():
        for item, changed in list(row["changed"].items())[:_SHOWN]:
            say(f"  {task} {item}: {', '.join(changed)}")
        if len(row["changed"]) > _SHOWN:
            say(f"  {task}: and {len(row['changed']) - _SHOWN:,} more (--json lists all)")
    for name in found["files"]:
        say(f"  {name} differs")


@app.command(
    epilog="Example: viva round seal rounds/2024-h2 --out published; once the next round is out, "
    "the same with --reveal"
)
def seal(
    round_path: Path = typer.Argument(
        metavar="ROUND", help="The folder of a round; for --check the published ID.sealed.json."
    ),
    out: Path | None = typer.Option(None, "--out", help="The folder to write the file into."),
    reveal: bool = typer.Option(
        False, "--reveal", help="Write ID.revealed.json: the items' ids and the salt."
    ),
    check: Path | None = typer.Option(
        None,
        "--check",
        metavar="REVEALED",
        help="Hold a published ID.revealed.json against the commitment.",
    ),
    as_json: bool = JSON_OPTION,
) -> None:
    """Write the commitment to a round's items: salted hashes of their ids, to be published now."""
    from vivavoce.rounds import load_round
    from vivavoce.rounds.reading import check_reveal, write_commitment, write_reveal

    if check is not None:
        if reveal or out is not None:
            raise typer.BadParameter(
                "it writes nothing: leave out the others", param_hint="--check"
            )
        report_problems(check_reveal(round_path, check), check, as_json)
        return
    if out is None:
        raise typer.BadParameter("name the folder to write into", param_hint="--out")
    write = write_reveal if reveal else write_commitment
    _say_path(write(load_round(round_path), out), as_json)


def _say_requests(came: Arrivals, report: Row) -> None:
    for line in came.failed[:_SHOWN]:
        say(f"  {line}")
    asked = came.requests()
    said = (
        f"{asked['total']:,} requests: {asked['listing']:,} listings, {asked['texts']:,} texts "
        f"({asked['so_far']:,} so far)"
    )
    if report:
        published = report["published_requests"]
        said += f"; the published procedure would make {published['total']:,}"
    say(f"{said}. {came.papers - came.papers_before:,} papers are new in the corpus.")


def _say_report(did: Row) -> None:
    say(
        f"New papers: {did['new_papers']:,} ({did['by_known_authors']:,} of known authors, "
        f"{did['by_new_authors']:,} of {did['authors_adopted']:,} new ones); older papers found: "
        f"{did['late']:,}"
    )
    say(
        f"Dropped: {did['stale_papers']:,} stale papers, {did['inactive_authors']:,} inactive "
        f"authors with {did['papers_of_inactive_authors']:,} papers"
    )


def _say_path(path: Path, as_json: bool) -> None:
    if as_json:
        print_json({"path": str(path)})
    else:
        say(str(path))


def _count(value: Any) -> str:
    return f"{value if isinstance(value, int) else len(value):,}"


@app.command(
    epilog="Example: viva round init spec.toml --id h2 --start 2024-07-01 --end 2025-01-01"
)
def init(
    spec: Path = typer.Argument(metavar="SPEC", help="The file to write, such as spec.toml."),
    name: str | None = typer.Option(None, "--id", help="Name of the round."),
    start: str | None = typer.Option(None, "--start", metavar="DATE", help="First day of papers."),
    end: str | None = typer.Option(None, "--end", metavar="DATE", help="First day no more."),
    family: list[str] = typer.Option([], "--family", help="May be given again; all by default."),
    seed: int = typer.Option(0, "--seed", help="Seed of everything that is drawn."),
    as_json: bool = JSON_OPTION,
) -> None:
    """Write the spec of a round, with every option and its default as a comment.

    What is not given is asked for on a terminal.
    """
    from vivavoce.errors import InputError
    from vivavoce.rounds.spec import spec_text
    from vivavoce.store import write_text
    from vivavoce.tasks import builders

    if spec.exists():
        raise InputError(f"{spec} is there already. Choose another file.")
    known = {name: builder.OPTIONS for name, builder in builders().items()}
    head = {
        "id": _asked("Name of the round", "--id", name),
        "window": {
            "start": _asked("Papers from this day on (YYYY-MM-DD)", "--start", start),
            "end": _asked("and before this day", "--end", end),
        },
        "seed": seed,
        "families": family or list(known),
    }
    write_text(spec, spec_text(head, known))
    _say_path(spec, as_json)


def _asked(label: str, option: str, given: str | None) -> str:
    """A value that was given, or what the user types."""
    from vivavoce.errors import InputError

    if given is None and not sys.stdin.isatty():
        raise InputError(f"Nobody is here to be asked. Add {option}.")
    return given if given is not None else str(typer.prompt(label, err=True))
