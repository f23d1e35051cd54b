"""Verbs that start, update and seal rounds."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vivavoce.cli.bind import RoundFolder, verb
from vivavoce.cli.corpus import CorpusFolder, report_problems
from vivavoce.cli.output import Answer
from vivavoce.cli.rounds import app
from vivavoce.requests import Arg, Opt
from vivavoce.text.printing import counted

if TYPE_CHECKING:
    from vivavoce.store import Row


@verb(app, "round update rounds/2024-h2 --corpus corpus --out rounds --until 2025-02-01")
def update(
    folder: RoundFolder,
    corpus: CorpusFolder,
    out: Annotated[Path, Opt("The folder that holds rounds.")],
    until: Annotated[date, Opt("The new end of the window, exclusive.")],
    name: Annotated[
        str | None, Opt("Id of the new round (default: the old id with the date).", "--id")
    ] = None,
) -> Answer:
    """Make the next round from an earlier one at a later date; the earlier one is not changed."""
    from vivavoce.corpus import load_corpus
    from vivavoce.rounds import load_round
    from vivavoce.rounds.anchors import came_late
    from vivavoce.rounds.updating import update_round
    from vivavoce.tasks import builders

    parent = load_round(folder)
    done = update_round(load_corpus(corpus), parent, builders(), out, until, name=name)
    summary: dict[str, Any] = {
        "round": done.round.id,
        "path": str(done.round.folder),
        "manifest": done.round.sha256,
        "parent": parent.id,
        "is_new": done.is_new,
        "update": done.report,
        "came_late": sorted(came_late(done.round)[1]),
        "revealed": str(done.revealed) if done.revealed else None,
    }
    lines: list[str] = []
    if done.is_new:
        lines += _report_lines(done.report)
        if late := summary["came_late"]:
            label = "Asked about now, too late for earlier rounds"
            lines.append(f"{label}: {counted(len(late), 'paper')}")
    else:
        lines.append("No new papers: no round was written.")
    if done.revealed:
        lines.append(f"The ids of {parent.id} are revealed in {done.revealed}")
    return Answer(summary, [*lines, str(done.round.folder)])


@verb(
    app,
    "round seal rounds/2024-h2 --out published; once the next round is out, the same with --reveal",
)
def seal(
    round_path: Annotated[
        Path,
        Arg("The folder of a round; with --check, the published ID.sealed.json.", metavar="ROUND"),
    ],
    out: Annotated[Path | None, Opt("Folder to write the file into.")] = None,
    reveal: Annotated[bool, Opt("Write ID.revealed.json: the items' ids and the salt.")] = False,
    check: Annotated[Path | None, Opt("Check an ID.revealed.json.", metavar="REVEALED")] = None,
) -> Answer:
    """Write the commitment to a round's items: salted hashes of their ids, to publish now."""
    from vivavoce.rounds import load_round
    from vivavoce.rounds.reading import check_reveal, write_commitment, write_reveal

    if check is not None:
        if reveal or out is not None:
            raise typer.BadParameter(
                "it writes nothing: leave out --out and --reveal", param_hint="--check"
            )
        return report_problems(check_reveal(round_path, check), check)
    if out is None:
        raise typer.BadParameter("name the folder to write into", param_hint="--out")
    write = write_reveal if reveal else write_commitment
    path = str(write(load_round(round_path), out))
    return Answer({"path": path}, [path])


def _report_lines(did: Row) -> Iterator[str]:
    yield (
        f"New papers: {did['new_papers']:,} ({did['by_known_authors']:,} of known authors, "
        f"{did['by_new_authors']:,} of {did['authors_adopted']:,} new ones); older papers found: "
        f"{did['late']:,}"
    )
    yield (
        f"Dropped: {did['stale_papers']:,} stale papers, {did['inactive_authors']:,} inactive "
        f"authors with {did['papers_of_inactive_authors']:,} papers"
    )


@verb(app, "round init spec.toml --id h2 --start 2024-07-01 --end 2025-01-01")
def init(
    spec: Annotated[Path, Arg("The file to write, such as spec.toml.", metavar="SPEC")],
    name: Annotated[str | None, Opt("Id of the round.", "--id")] = None,
    start: Annotated[str | None, Opt("First day of the window.", metavar="DATE")] = None,
    end: Annotated[str | None, Opt("First day after the window.", metavar="DATE")] = None,
    family: Annotated[Sequence[str], Opt("Family of tasks; repeatable (default: all).")] = (),
    seed: Annotated[int, Opt("Seed of all random draws.")] = 0,
) -> Answer:
    """Write the spec of a round, with every option and its default as a comment.

    On a terminal, it asks for missing values.
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
    return Answer({"path": str(spec)}, [str(spec)])


def _asked(label: str, option: str, given: str | None) -> str:
    """Return the given value, or ask the user for it."""
    from vivavoce.errors import InputError

    if given is None and not sys.stdin.isatty():
        raise InputError(f"There is no terminal to ask on. Add {option}.")
    return given if given is not None else str(typer.prompt(label, err=True))
