"""The `viva` command, and its verbs that list what is available and what is missing.

This package has no logic: each verb calls a library function and prints the result.

Verbs import their modules when called, so `viva --help` loads no heavy modules.
"""

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Literal

import typer

from vivavoce.cli import annotate, audit, board, corpus, fetch, live, rounds, runs
from vivavoce.cli.bind import verb
from vivavoce.cli.output import Answer, VivaGroup, say, set_output
from vivavoce.errors import VivaError
from vivavoce.plugins import broken_plugins
from vivavoce.reports import Column, Sheet, sheet
from vivavoce.requests import Arg, Opt
from vivavoce.store import Row
from vivavoce.version import __version__

app = typer.Typer(
    name="viva",
    cls=VivaGroup,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="Measure how well language models handle scientific papers.",
    epilog="First steps: viva demo",
)


def _print_version(asked: bool) -> None:
    if asked:
        say(f"viva {__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: bool = typer.Option(
        False, "--version", callback=_print_version, is_eager=True, help="Print the version."
    ),
    debug: bool = typer.Option(False, "--debug", help="Show the traceback of an error."),
    wide: bool = typer.Option(
        False, "--wide", help="Print tables in full width; may follow the command."
    ),
) -> None:
    """Measure how well language models handle scientific papers."""
    set_output(debug=debug, wide=wide)


def list_things(
    thing: Annotated[
        Literal["tasks", "methods", "metrics", "sources", "rounds", "labels"],
        Arg("tasks, methods, metrics, sources, rounds or labels in printed tables."),
    ],
    where: Annotated[Path, Opt("For rounds: their folder.", "--in")] = Path("rounds"),
) -> Answer:
    """List tasks, methods, metrics, sources, rounds, or the labels that tables show."""
    rows = list(_things(thing, where))
    for error in broken_plugins():
        say(f"Skipped: {error}", quiet=True)
    cells = tuple(tuple(map(str, row.values())) for row in rows)
    return Answer(rows, [Sheet("", tuple(rows[0]), cells)] if rows else [])


def _things(thing: str, where: Path) -> Iterator[Row]:
    if thing == "tasks":
        from vivavoce.tasks import find_family, list_families

        for family, card in list_families().items():
            for name, task in card.tasks.items():
                yield {
                    "task": f"{find_family(family).namespace}/{name}",
                    "family": family,
                    "version": task.version,
                    "settings": ", ".join(task.settings),
                    "tools": ", ".join(task.tools),
                    "summary": task.summary,
                }
    elif thing == "methods":
        from vivavoce.running import list_methods

        for name, summary in list_methods().items():
            yield {"method": name, "summary": summary}
    elif thing == "metrics":
        from vivavoce.metrics import list_metrics

        for metric in list_metrics():
            facts = {name: getattr(metric, name) for name in ("family", "low", "high")}
            better = "higher" if metric.higher_is_better else "lower"
            yield {"metric": metric.name, **facts, "better": better, "summary": metric.summary}
    elif thing == "sources":
        from vivavoce.sources import list_sources

        for source in list_sources().values():
            yield {"source": source.kind, "summary": source.summary}
    elif thing == "rounds":
        yield from _rounds(where)
    else:
        from vivavoce.web import glossary

        for label, meaning in sorted(glossary()["terminal"].items()):
            yield {"label": label, "meaning": meaning}


def _rounds(where: Path) -> Iterator[Row]:
    from vivavoce.rounds import load_round

    for path in sorted(where.glob("[!.]*/manifest.json")):
        try:
            opened = load_round(path.parent)
        except VivaError as error:
            say(f"Skipped: {error}", quiet=True)
            continue
        days = {name: opened.manifest["window"][name] for name in ("start", "end")}
        tasks = ", ".join(task for _, task in opened.tasks())
        yield {"round": opened.id, **days, "tasks": tasks, "folder": str(opened.folder)}


def doctor() -> Answer:
    """List what is installed, what is missing, and the commands to install it."""
    from vivavoce.installation import examine

    findings = list(map(asdict, examine()))
    columns = (Column("name", "what"), "state", "found", Column("install", "to install"))
    missing = [each["name"] for each in findings if each["state"] == "missing"]
    failed = any(each["is_fatal"] for each in findings)
    verdict = "Nothing is missing."
    if failed:
        verdict = "The base installation is not complete."
    elif missing:
        verdict = (
            f"The base works. Missing, each needed only for what it names: {', '.join(missing)}."
        )
    return Answer(findings, [sheet("", findings, *columns), verdict], exit_code=int(failed))


_VERBS = (
    (runs.demo, "demo --out viva-demo", None),
    (runs.exam, "exam papers/ --model openai/gpt-4o-mini --model anthropic/claude-haiku-4-5", None),
    (corpus.ingest, "ingest tei papers/ --corpus corpus", None),
    (runs.run, "run title --round rounds/2024-h2 --model extractive/lead --logs logs", None),
    (runs.score, "score ranking --gold gold.jsonl --predictions answers.jsonl", None),
    (list_things, "list tasks", "list"),
    (doctor, "doctor", None),
)
for function, example, name in _VERBS:
    verb(app, example, name)(function)

_GROUPS = (
    (fetch.app, "fetch"),
    (corpus.app, "corpus"),
    (corpus.network_app, "network"),
    (rounds.app, "round"),
    (board.app, "board"),
    (audit.app, "audit"),
    (annotate.app, "annotate"),
    (live.app, "live"),
)
for group, name in _GROUPS:
    app.add_typer(group, name=name)
