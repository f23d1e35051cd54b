"""`viva live`: keep a board up to date from one configuration."""

from datetime import UTC, date, datetime
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from vivavoce.cli.bind import verb
from vivavoce.cli.output import RETRY, Answer, progress, say
from vivavoce.requests import Arg, Opt


class _Group(TyperGroup):
    """A group that runs its hidden verb if the first word is a file, not a verb."""

    default_verb = "config"

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Read `viva live CONFIG.toml` as the hidden verb with this file."""
        if args[0] not in self.commands:
            file = Path(args[0])
            if file.is_dir() or not (file.exists() or file.suffix == ".toml"):
                verbs = ", ".join(name for name in self.commands if name != self.default_verb)
                ctx.fail(f"{args[0]!r} is neither a verb ({verbs}) nor a file, such as board.toml.")
            args = [self.default_verb, *args]
        return super().resolve_command(ctx, args)


app = typer.Typer(
    cls=_Group,
    no_args_is_help=True,
    help="Keep a board up to date: papers, rounds, runs, pages.",
    epilog="Example: viva live board.toml --until 2025-02-01; options: viva live board.toml --help",
)

Config = Annotated[Path, Arg("The file that describes the board.", metavar="CONFIG.toml")]
Until = Annotated[date | None, Opt("Last day (default: today, UTC).")]


@verb(app, "live board.toml --strict", _Group.default_verb, hidden=True)
def run(
    config: Config,
    until: Until = None,
    dry_run: Annotated[bool, Opt("Print the due steps and do nothing.")] = False,
    strict: Annotated[bool, Opt("Exit with 3 if there is a notice.")] = False,
    base: Annotated[str | None, Opt("A loopback server.", hidden=True)] = None,
) -> Answer:
    """Do everything that is due: papers, round, contestants, audits, site."""
    from dataclasses import asdict

    from vivavoce.live.config import read_config
    from vivavoce.live.keeping import bring_up_to_date, work_due
    from vivavoce.live.ledger import State

    read = read_config(config)
    day = until or today()
    state = State(read)
    state.refuse_clock_behind(day, is_clock=until is None)
    if dry_run:
        due = work_due(state, day)
        document = {"due": [{"period": p.name, "lacks": lacks} for p, lacks in due]}
        lines = [f"{period.name}: {', '.join(lacks)}" for period, lacks in due]
        ending = "Nothing was done." if due else "Nothing is due."
        return Answer(document, [*lines, ending])
    with progress("Samples") as update:
        done = bring_up_to_date(
            read, day, base=base, tell=lambda line: say(line, quiet=True), progress=update
        )
    lines = [f"Failed: {row['period']} {row['step']}: {row['reason']}" for row in done.failures]
    lines += [f"Notice: {row['period']} {row['kind']}: {row['text']}" for row in done.notices]
    lines.append(str(read.folder / "site" / "index.html") if done.did else "Nothing is due.")
    code = 1 if done.failures else 3 if strict and done.notices else 0
    return Answer(
        {"until": day.isoformat(), **asdict(done)},
        lines,
        exit_code=code,
        next_steps=(RETRY,) if done.failures else (),
    )


@verb(app, "live status board.toml")
def status(config: Config, until: Until = None) -> Answer:
    """Show work done and due, costs and notices; asks no model and writes nothing.

    The site shows the same on live/status.html.
    """
    from vivavoce.live.config import read_config
    from vivavoce.live.ledger import State
    from vivavoce.live.site import status_lines, status_of

    board_status = status_of(State(read_config(config)), until or today())
    return Answer(board_status, status_lines(board_status))


@verb(app, "live init my-board")
def init(out: Annotated[Path, Arg("The folder of the board.", metavar="DIR")]) -> Answer:
    """Write a configuration with comments and a scheduled workflow into a folder."""
    from vivavoce.live.config import write_start

    written = write_start(out)
    lines = [str(path) for path in written]
    hint = f"Next: edit {written[0]}, then viva live {written[0]} --dry-run"
    return Answer({"written": lines}, [*lines, hint])


def today() -> date:
    """Today's date in UTC; no other command reads the clock."""
    return datetime.now(UTC).date()
