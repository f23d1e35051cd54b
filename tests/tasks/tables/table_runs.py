"""Runs of the table task against a server whose models read the texts of the two surveys."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from inspect_ai import Task, eval
from inspect_ai.log import EvalLog, EvalSample
from inspect_ai.solver import Solver
from tests.servers.scripted import Ask, Reply, Script, ScriptedServer, answer, slot

import vivavoce._registry  # noqa: F401  (registers the providers)
from vivavoce.rounds import Round
from vivavoce.running import RunSpec, run
from vivavoce.tasks.lookup import find_task_maker

table = find_task_maker("table")


DEMAND = re.compile(r"\bpars", re.IGNORECASE)


def facts(text: str) -> dict[str, str]:
    found = {}
    if treebank := re.search(r"We parse the (\w+) treebank", text):
        found["Treebank"] = treebank[1]
    if score := re.search(r"an F1 of (\d+\.\d)", text):
        found["F1"] = score[1]
    if tongue := re.search(r"We translate from (\w+)\.", text):
        found["Source"] = tongue[1]
    return found


def table_of(ask: Ask, keep: Callable[[str, dict[str, str]], dict[str, str] | None]) -> Reply:
    """A table with what is kept of each paper's facts; papers of which nothing is are left out."""
    is_parsing = bool(DEMAND.search(slot(ask.prompt, "demand")))
    papers = dict(re.findall(r'<paper-\w+ label="(\w+)">\n(.*?)\n</paper-', ask.prompt, re.DOTALL))
    assert len(papers) >= 8, "papers are missing"
    rows = {}
    for label, text in papers.items():
        known = facts(text)
        belongs = ("Treebank" in known) == is_parsing
        if (row := keep(label, known if belongs else {})) is not None:
            rows[label] = row
    columns = list(dict.fromkeys(name for row in rows.values() for name in row))
    table_rows = [{"paper": label, "cells": row} for label, row in rows.items()]
    return answer(json.dumps({"papers": list(rows), "columns": columns, "rows": table_rows}))


def an_honest_table(ask: Ask) -> Reply:
    """The papers of the demand's topic, with what their texts say."""
    return table_of(ask, lambda label, known: known or None)


@dataclass
class Finished:
    """A round, and a server whose models have scripts of their own."""

    round: Round
    server: ScriptedServer
    folder: Path
    scripts: dict[str, Script]

    def log(
        self, made: Task, model: str | None = None, solver: Solver | None = None, **more: Any
    ) -> EvalLog:
        [log] = eval(
            made,
            model=f"openai-api/scripted/{model}" if model else "none",
            log_dir=str(self.folder / f"logs-{model}"),
            display="none",
            **({"solver": solver} if solver else {}),
            **more,
        )
        assert log.status == "success", log.error
        assert self.server.failures == []
        return log

    def task(self, **arguments: Any) -> Task:
        return table(str(self.round.folder), **arguments)

    def run(self, logs: Path, method: str, model: str | None = None, **arguments: Any) -> None:
        models = [f"openai-api/scripted/{model}"] if model else []
        report = run(
            RunSpec(
                tasks=["table"],
                round=self.round.folder,
                logs=logs,
                models=models,
                methods=(method,),
                task_args=arguments,
                display="none",
            )
        )
        assert report.failed == ()
        assert self.server.failures == []


def samples_of(log: EvalLog) -> dict[str, EvalSample]:
    assert log.samples is not None
    return {str(sample.id): sample for sample in log.samples}
