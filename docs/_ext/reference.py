"""The reference as Markdown, out of what the program itself reads: cards, registries, commands."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import typer
from sphinx.pycode import ModuleAnalyzer

from vivavoce.cli import app
from vivavoce.cli.bind import help_record
from vivavoce.metrics import list_metrics, metrics_of
from vivavoce.results.board.columns import COLUMNS
from vivavoce.rounds.spec import Options, RoundOptions, UpdateOptions
from vivavoce.sources import list_sources
from vivavoce.tasks import builders, list_families
from vivavoce.web import glossary


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A Markdown table; nothing in a cell can end it."""
    lines = [head, ["---"] * len(head), *rows]
    return "".join("| " + " | ".join(_in_cell(cell) for cell in line) + " |\n" for line in lines)


def code(value: object) -> str:
    """Something as it is typed."""
    return f"`{value}`"


def commands_page(group: str | None = None) -> str:
    """Every verb, or those of one group, with arguments, options and an example."""
    command: Any = typer.main.get_command(app)
    found = _verbs(command, ("viva",))
    return "\n".join(
        _verb(words, verb)
        for words, verb in found
        if (group is None and len(words) == 2) or (len(words) > 2 and words[1] == group)
    )


def groups() -> dict[str, str]:
    """The groups of verbs with what they are for."""
    command: Any = typer.main.get_command(app)
    return {name: verb.help or "" for name, verb in command.commands.items() if _is_group(verb)}


def _verbs(command: Any, words: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    for name, verb in command.commands.items():
        if _is_group(verb):
            yield from _verbs(verb, (*words, name))
        else:
            # A group's own verb, such as `viva live CONFIG.toml`, has no name.
            is_own = name == getattr(command, "default_verb", None)
            yield (words if is_own else (*words, name)), verb


def _is_group(command: Any) -> bool:
    return hasattr(command, "commands")


def _verb(words: Sequence[str], verb: Any) -> str:
    context = verb.make_context(" ".join(words), [], resilient_parsing=True)
    usage = " ".join([*words, *verb.collect_usage_pieces(context)])
    parts = [
        f"## {' '.join(words)}\n",
        f"{inspect.cleandoc(verb.help)}\n",
        f"```console\n$ {usage}\n```\n",
    ]
    records = [help_record(each, context) for each in verb.get_params(context)]
    rows = [(code(name), said) for name, said in filter(None, records) if name != "--help"]
    if rows:
        parts.append(table(["argument or option", "what it says"], rows))
    if kept := [each for each in verb.params if each.hidden and each.name != "base"]:
        parts.append("In a file of `--config`, or on the command line too:\n")
        parts.append(table(["key", "option", "what it says"], map(_hidden, kept)))
    example = verb.epilog.removeprefix("Example: ")
    return "\n".join([*parts, f"Example:\n\n```console\n$ {example}\n```\n"])


def _hidden(parameter: Any) -> tuple[str, str, str]:
    """An option that the help leaves out: its key in a file, its flags, its help."""
    return code(parameter.name), ", ".join(map(code, parameter.opts)), parameter.help


def family_page(name: str) -> str:
    """A family by its card: tasks, settings, methods, metrics and what the baselines reach."""
    card = list_families()[name]
    metrics = metrics_of(name)
    parts = [f"From: {card.paper}.\n", "## Methods\n"]
    rows: list[Sequence[object]] = [
        (code(method), summary, "no" if method in card.without_model else "yes")
        for method, summary in card.methods.items()
    ]
    parts.append(table(["method", "how the model is used", "needs a model"], rows))
    for task_name, task in card.tasks.items():
        parts.append(f"## vivavoce/{task_name}\n")
        parts.append(f"{task.summary}\n")
        decoding = ", ".join(f"{key} {value}" for key, value in task.decoding.items())
        facts = {
            "Version": code(task.version),
            "Settings": _list(task.settings),
            "Methods": _list(task.methods),
            "Decoding": decoding or "the provider's own",
            "Needs": ", ".join(task.needs) or "nothing beyond the base installation",
        }
        parts.append("".join(f"- **{name}:** {fact}\n" for name, fact in facts.items()))
        head = ["metric", "what it measures", *task.measured]
        rows = [
            [code(metric), metrics[metric].summary]
            + [_number(values.get(metric)) for values in task.measured.values()]
            for metric in task.metrics
        ]
        parts.append(
            "The board ranks by the first of these. Beside each metric stands what those reach who "
            "know everything, nothing, or only how to copy, on the round of the sample papers "
            "(`round=sample`).\n"
        )
        parts.append(table(head, rows))
        if task.diagnostics:
            parts.append("Beside them stand, without a rank:\n")
            rows = [(code(name), metrics[name].summary) for name in task.diagnostics]
            parts.append(table(["metric", "what it measures"], rows))
    return "\n".join(parts)


def families_table(folder: str) -> str:
    """Every family with its tasks, linked to its page in a folder."""
    rows = [
        (f"[{name}]({folder}{name}.md)", ", ".join(map(code, card.tasks)), card.summary, card.paper)
        for name, card in list_families().items()
    ]
    return table(["family", "tasks", "what is asked", "from"], rows)


def metrics_page() -> str:
    """Every metric by family: what it measures, its range, its direction, its source."""
    parts = []
    every = list_metrics()
    for family in sorted({metric.family for metric in every}):
        parts.append(f"## {family}\n")
        rows = [
            (
                code(metric.name),
                metric.summary,
                f"{metric.low:g} to {'∞' if metric.high is None else format(metric.high, 'g')}",
                "higher" if metric.higher_is_better else "lower",
                metric.source,
            )
            for metric in every
            if metric.family == family
        ]
        parts.append(table(["metric", "what it measures", "range", "better", "source"], rows))
    return "\n".join(parts)


def glossary_page(part: str) -> str:
    """Every label of a part of the glossary with its meaning."""
    words = sorted(glossary()[part].items(), key=lambda pair: pair[0].lower())
    return table(["label", "meaning"], [(code(label), says) for label, says in words])


def sources_page() -> str:
    """Every kind that `viva ingest` reads."""
    rows = []
    for kind, source in list_sources().items():
        role = "results" if source.completes else "papers"
        rows.append((code(kind), source.summary, role, "yes" if source.is_metadata else "no"))
    return table(["kind", "what is read", "gives", "goes before texts"], rows)


def columns_page() -> str:
    """Every column of a board, with the columns of the CSV and Parquet files that it makes."""
    rows = []
    for column in COLUMNS:
        files = ", ".join(f"{code(name)} ({kind})" for name, kind in column.files)
        rows.append((code(column.name), column.says, column.unit, column.label, files))
    return table(["column", "what it says", "unit", "on pages", "in CSV and Parquet"], rows)


def spec_page() -> str:
    """Every table and key that a round's spec may have."""
    tables: dict[str, type[Options]] = {"round": RoundOptions, "update": UpdateOptions}
    tables |= {family: builder.OPTIONS for family, builder in sorted(builders().items())}
    parts = []
    for name, options in tables.items():
        told = _attribute_docs(options)
        rows = [
            (code(key), told.get(key, ""), "required" if one.is_required() else _value(one.default))
            for key, one in options.model_fields.items()
        ]
        parts.append(f"## [{name}]\n")
        parts.append(table(["key", "what it says", "default"], rows))
    return "\n".join(parts)


def _attribute_docs(options: type[Options]) -> dict[str, str]:
    documented = ModuleAnalyzer.for_module(options.__module__).find_attr_docs()
    return {
        key: " ".join(lines)
        for (owner, key), lines in documented.items()
        if owner == options.__name__
    }


def _value(default: object) -> str:
    if default is None:
        return "none"
    if isinstance(default, tuple):
        return ", ".join(code(each) for each in default) or "empty"
    return code(str(default).lower() if isinstance(default, bool) else default)


def _list(names: Iterable[str]) -> str:
    return ", ".join(map(code, names))


def _number(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.4f}"


def _in_cell(cell: object) -> str:
    return " ".join(str(cell).replace("|", r"\|").split())
