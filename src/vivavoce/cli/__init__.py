"""The `viva` command, and its verbs that list what is available and what is missing.

This package has no logic: each verb calls a library function and prints the result.

Verbs import their modules when called, so `viva --help` loads no heavy modules.
"""

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from vivavoce.cli import annotate, audit, board, corpus, fetch, live, rounds, runs
from vivavoce.cli.bind import verb
from vivavoce.cli.output import Answer, VivaGroup, say, set_output
from vivavoce.errors import VivaError
from vivavoce.plugins import broken_plugins
from vivavoce.reports import Sheet
from vivavoce.requests import Arg, Opt
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


Listing = tuple[list[str], list[list[Any]]]
"""Column names and rows."""


def list_things(
    thing: Annotated[
        Literal["tasks", "methods", "metrics", "sources", "rounds", "labels"],
        Arg("tasks, methods, metrics, sources, rounds or labels in printed tables."),
    ],
    where: Annotated[Path, Opt("For rounds: their folder.", "--in")] = Path("rounds"),
) -> Answer:
    """List tasks, methods, metrics, sources, rounds, or the labels that tables show."""
    listings: dict[str, Callable[[], Listing]] = {
        "tasks": _tasks,
        "methods": _methods,
        "metrics": _metrics,
        "sources": _sources,
        "rounds": lambda: _rounds(where),
        "labels": _labels,
    }
    headers, rows = listings[thing]()
    for error in broken_plugins():
        say(f"Skipped: {error}", quiet=True)
    shown = Sheet("", tuple(headers), tuple(tuple(map(str, row)) for row in rows))
    return Answer([dict(zip(headers, row, strict=True)) for row in rows], [shown])


def doctor() -> Answer:
    """List what is installed, what is missing, and the commands to install it."""
    from vivavoce.installation import examine

    findings = examine()
    rows = tuple((each.name, each.state, each.found, each.install) for each in findings)
    shown = Sheet("", ("what", "state", "found", "to install"), rows)
    missing = [each.name for each in findings if each.state == "missing"]
    failed = any(finding.is_fatal for finding in findings)
    verdict = "Nothing is missing."
    if failed:
        verdict = "The base installation is not complete."
    elif missing:
        verdict = (
            f"The base works. Missing, each needed only for what it names: {', '.join(missing)}."
        )
    return Answer(list(map(asdict, findings)), [shown, verdict], exit_code=int(failed))


def _tasks() -> Listing:
    from vivavoce.tasks import find_family, list_families

    rows = [
        [
            f"{find_family(family).namespace}/{name}",
            family,
            task.version,
            ", ".join(task.settings),
            ", ".join(task.tools),
            task.summary,
        ]
        for family, card in list_families().items()
        for name, task in card.tasks.items()
    ]
    return ["task", "family", "version", "settings", "tools", "summary"], rows


def _methods() -> Listing:
    from vivavoce.running import list_methods

    return ["method", "summary"], [[name, summary] for name, summary in list_methods().items()]


def _metrics() -> Listing:
    from vivavoce.metrics import list_metrics

    rows = [
        [m.name, m.family, m.low, m.high, "higher" if m.higher_is_better else "lower", m.summary]
        for m in list_metrics()
    ]
    return ["metric", "family", "low", "high", "better", "summary"], rows


def _sources() -> Listing:
    from vivavoce.sources import list_sources

    return ["source", "summary"], [[s.kind, s.summary] for s in list_sources().values()]


def _rounds(where: Path) -> Listing:
    from vivavoce.rounds import load_round

    rows = []
    for path in sorted(where.glob("[!.]*/manifest.json")):
        try:
            opened = load_round(path.parent)
        except VivaError as error:
            say(f"Skipped: {error}", quiet=True)
            continue
        window = opened.manifest["window"]
        tasks = ", ".join(task for _, task in opened.tasks())
        rows.append([opened.id, window["start"], window["end"], tasks, str(opened.folder)])
    return ["round", "start", "end", "tasks", "folder"], rows


def _labels() -> Listing:
    from vivavoce.web import glossary

    return ["label", "meaning"], [[*pair] for pair in sorted(glossary()["terminal"].items())]


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
