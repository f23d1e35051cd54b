"""Runs of the methods that make tables, against scripted servers that read papers as people would.

A script answers from the request alone. The pool is of parsers, which name a treebank and a score
in their texts, and of cookery, which the demand is not about.
"""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import EvalLog
from inspect_ai.scorer import includes
from inspect_ai.solver import Solver
from tests.servers.evaluations import evaluate, one
from tests.servers.scripted import Ask, Script, ScriptedServer, slot

from vivavoce.tasks import tables

DEMAND = "I want to know which parsers were tried on treebanks of fruit and how well they do."
PROMPTS = Path(tables.__file__).with_name("prompts")
FRUIT = "apple banana cherry date elder fig grape hazel".split()


def parser(number: int, *, filler: int = 0, abstract: bool = True) -> dict[str, Any]:
    """A parser of its own treebank and score: `score_of(number)`."""
    fruit = FRUIT[number % len(FRUIT)]
    facts = f"We train on the {fruit} treebank. The parser reaches an F1 of {score_of(number)}."
    return {
        "label": f"P{number}",
        "paper_id": f"paper-{number}",
        "title": f"Parser number {number}",
        "abstract": f"We parse a treebank, study {number}." if abstract else None,
        "text": f"{facts} {'Trees have many branches and leaves here. ' * filler}".strip(),
    }


def cookery(number: int, *, filler: int = 0) -> dict[str, Any]:
    return {
        "label": f"P{number}",
        "paper_id": f"paper-{number}",
        "title": f"Cookery number {number}",
        "abstract": f"We boil jam, study {number}.",
        "text": f"Sugar is added. {'The pot is stirred with a spoon of wood. ' * filler}".strip(),
    }


def score_of(number: int) -> str:
    return f"{60 + number}.5"


def pool_of(size: int, *, filler: int = 0) -> list[dict[str, Any]]:
    """Every third paper is about cookery."""
    makers = ((cookery if number % 3 == 0 else parser, number) for number in range(1, size + 1))
    return [make(number, filler=filler) for make, number in makers]


def gold_of(size: int) -> dict[str, dict[str, str]]:
    """The rows that an honest reader ends with."""
    return {
        f"P{number}": {"Treebank": FRUIT[number % len(FRUIT)], "F1": score_of(number)}
        for number in range(1, size + 1)
        if number % 3
    }


def facts_of(text: str) -> dict[str, str]:
    """What an honest reader finds in a text."""
    found = {}
    if treebank := re.search(r"on the (\w+) treebank", text):
        found["Treebank"] = treebank.group(1)
    if score := re.search(r"an F1 of (\d+\.\d)", text):
        found["F1"] = score.group(1)
    if language := re.search(r"We translate from (\w+)\.", text):
        found["Source"] = language.group(1)
    return found


def papers_in(prompt: str) -> dict[str, str]:
    """The papers of a prompt, by label; a failure when a label stands there twice."""
    found = re.findall(r'<paper-\w+ label="(\w+)">\n(.*?)\n</paper-', prompt, re.DOTALL)
    assert found, "no paper in the prompt that was sent"
    assert len(dict(found)) == len(found)
    return dict(found)


def demanded(ask: Ask) -> str:
    """The prompt, in which the demand must stand."""
    assert slot(ask.prompt, "demand") == DEMAND
    assert "{{" not in ask.prompt
    assert "None" not in ask.prompt
    return ask.prompt


def sample(pool: list[dict[str, Any]], max_tokens: int = 1000, **metadata: Any) -> Sample:
    return Sample(
        id="fruit",
        input="Not what these methods send.",
        target="{}",
        metadata={
            "demand": DEMAND,
            "pool": pool,
            "prompts": str(PROMPTS),
            "max_tokens": max_tokens,
            **metadata,
        },
    )


Work = Callable[..., tuple[ScriptedServer, EvalLog]]
"""Runs a method on a sample: the server with what reached it, and the log."""


def run_method(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    play: Script,
    method: Solver,
    given: Sample,
    epochs: int = 1,
) -> tuple[ScriptedServer, EvalLog]:
    task = Task(dataset=MemoryDataset([given]), solver=method, scorer=includes(), name="fruit")
    logs = folder / "logs"
    return evaluate(task, play, "tables", logs, monkeypatch, epochs=epochs, max_tokens=1000)


def table_of(log: EvalLog) -> dict[str, Any]:
    """The answer: papers, columns, and rows by paper."""
    found: dict[str, Any] = json.loads(one(log).output.completion)
    assert list(found) == ["papers", "columns", "rows"]
    return {**found, "rows": {row["paper"]: row["cells"] for row in found["rows"]}}


def record_of(log: EvalLog) -> dict[str, Any]:
    found: dict[str, Any] = one(log).metadata["table_run"]
    return found


def calm_record(calls: int, **others: Any) -> dict[str, Any]:
    """The record of a run in which every reply could be used, but for some of it."""
    counts = ("malformed", "skipped", "digests", "cut", "overflows")
    return {
        "calls": calls,
        "tokens": calls * 107,
        **dict.fromkeys(counts, 0),
        "faults": [],
        **others,
    }


def room_of(ask: Ask) -> int:
    """Tokens that a request asks for as the longest answer."""
    return int(ask.body.get("max_tokens") or ask.body["max_completion_tokens"])


def needs(ask: Ask) -> int:
    """Tokens of a request and its longest answer, by the estimate of a third of the bytes."""
    return -(-len(ask.prompt.encode()) // 3) + room_of(ask)
