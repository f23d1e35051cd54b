"""Runs of the table task against a server whose models read the texts of the two surveys."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from inspect_ai import Task, eval
from inspect_ai.log import EvalLog, EvalSample
from inspect_ai.solver import Solver
from tests.servers.scripted import Ask, Reply, Script, ScriptedServer, answer, slot
from tests.tasks.tables.methods.method_runs import facts_of, papers_in

import vivavoce._registry  # noqa: F401  (registers the providers)
from vivavoce.rounds import Round
from vivavoce.running import RunSpec, run
from vivavoce.tasks.lookup import find_task_maker

table = find_task_maker("table")


DEMAND = re.compile(r"\bpars", re.IGNORECASE)


def table_of(ask: Ask, names: Mapping[str, str]) -> Reply:
    """The papers of the demand's topic, with what their texts say, under names of one's own."""
    is_parsing = bool(DEMAND.search(slot(ask.prompt, "demand")))
    papers = papers_in(ask.prompt)
    assert len(papers) >= 8, "papers are missing"
    rows = {}
    for label, text in papers.items():
        known = {names.get(name, name): value for name, value in facts_of(text).items()}
        if known and ("Treebank" in facts_of(text)) == is_parsing:
            rows[label] = known
    columns = list(dict.fromkeys(name for row in rows.values() for name in row))
    table_rows = [{"paper": label, "cells": row} for label, row in rows.items()]
    return answer(json.dumps({"papers": list(rows), "columns": columns, "rows": table_rows}))


def an_honest_table(ask: Ask) -> Reply:
    return table_of(ask, {})


@dataclass
class Finished:
    """A round, and a server whose models have scripts of their own."""

    round: Round
    server: ScriptedServer
    folder: Path
    scripts: dict[str, Script]

    def log(self, made: Task, model: str | None = None, solver: Solver | None = None) -> EvalLog:
        [log] = eval(
            made,
            model=f"openai-api/scripted/{model}" if model else "none",
            log_dir=str(self.folder / f"logs-{model}"),
            display="none",
            **({"solver": solver} if solver else {}),
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
