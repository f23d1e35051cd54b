"""Runs of the agent against scripted servers that call its tools as a model would.

A script answers from the request alone: it knows neither the papers nor the gold. Inspect keeps a
model it has met, and with it the address of its server: so each has a name of its own.
"""

import itertools
import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import EvalLog
from inspect_ai.scorer import includes
from tests.servers.evaluations import evaluate
from tests.servers.scripted import Ask, Reply, Script, ScriptedServer, answer

from vivavoce.store import hash_file, write_bytes, write_sealed
from vivavoce.tasks.library import library_as_bytes
from vivavoce.tasks.methods.agent import agent

QUESTION = "Which methods have an F1 score on the melon treebank?"

Call = tuple[str, object]
"""(tool, arguments); text for arguments that are no JSON."""


def row(name: str, published: str | None, title: str = "", **parts: Any) -> dict[str, Any]:
    return {
        "paper_id": name,
        "title": title or f"The {name} title",
        "published": published,
        "abstract": f"We parse the {name} treebank.",
        "sections": [{"heading": "Method", "text": f"The {name} method reads trees. " * 40}],
        "tables": [
            {"caption": f"Scores of {name}", "cells": [["Method", "F1"], [f"{name}-one", "91.5"]]},
            {"caption": f"Sizes of {name}", "cells": [["Set", "Rows"], ["train", "1200"]]},
        ],
        **parts,
    }


PAPERS = [
    row("lemon", "2019-05"),
    row("melon", "2020-01-15"),
    # What nobody may see: it has the title of another, and came after the cutoff of 2023.
    row("later", "2023-01-01", "The melon title", abstract="SECRET melon treebank F1"),
    row("latest", "2031", "The melon title, SECRET", sections=[{"heading": "M", "text": "SECRET"}]),
    row("undated", None, "The melon title", abstract="SECRET"),
]


def round_at(folder: Path) -> Path:
    """A round with nothing but a library."""
    path = folder / "boards" / "papers.parquet"
    write_bytes(path, library_as_bytes(PAPERS))
    manifest = {
        "id": "melons",
        "counts": {},
        "files": {"boards/papers.parquet": {"sha256": hash_file(path)}},
    }
    write_sealed(folder / "manifest.json", manifest)
    return folder


def sample(folder: Path, **library: Any) -> Sample:
    return Sample(
        id="one",
        input="Many excerpts that an agent does not see.",
        target="melon-one",
        metadata={
            "question": QUESTION,
            "prompts": str(folder),
            "max_tokens": 300,
            "library": {
                "round": str(folder),
                "family": "boards",
                "file": "papers.parquet",
                "cutoff": "2023-01-01",
                "papers": None,
                "hidden_papers": [],
                **library,
            },
        },
    )


def calls(*wanted: Call, turn: int = 0) -> Reply:
    """A completion that calls tools; frameworks want each call of a conversation to have an id."""
    number = itertools.count(100 * turn + 1)
    made = [
        {
            "id": f"call-{next(number)}",
            "type": "function",
            "function": {
                "name": name,
                "arguments": given if isinstance(given, str) else json.dumps(given),
            },
        }
        for name, given in wanted
    ]
    message = {"role": "assistant", "content": None, "tool_calls": made}
    body = json.loads(answer("").body)
    body["choices"] = [{"index": 0, "message": message, "finish_reason": "tool_calls"}]
    return Reply(json.dumps(body).encode())


def turns(ask: Ask) -> int:
    """How often the model spoke before."""
    return sum(message["role"] == "assistant" for message in ask.body["messages"])


def results(ask: Ask) -> list[str]:
    return [str(m["content"]) for m in ask.body["messages"] if m["role"] == "tool"]


def script(*steps: Reply | Script) -> Script:
    """One step a turn, the last one for ever."""

    def play(ask: Ask) -> Reply:
        step = steps[min(turns(ask), len(steps) - 1)]
        return step(ask) if callable(step) else step

    return play


def reader(ask: Ask) -> Reply:
    """A plain, honest agent: it searches, opens the best paper, and reads its first table."""
    found = results(ask)
    if not found:
        return calls(("search", {"query": "F1 melon treebank"}))
    paper_id = re.findall(r"paper_id: (\S+)", found[0])[0]
    if len(found) == 1:
        return calls(("read", {"paper_id": paper_id}))
    if len(found) == 2:
        table = re.findall(r"^table \d+(?=: Scores)", found[1], re.M)[0]
        return calls(("read", {"paper_id": paper_id, "part": table, "page": 1}))
    return answer(found[2].splitlines()[-1])


Work = Callable[..., tuple[ScriptedServer, EvalLog]]
"""Runs the agent on samples: the server with what reached it, and the log."""


def run_agent(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    play: Script,
    samples: list[Sample] | None = None,
    arguments: Mapping[str, Any] | None = None,
    **options: Any,
) -> tuple[ScriptedServer, EvalLog]:
    task = Task(
        dataset=MemoryDataset(samples or [sample(folder)]),
        solver=agent(**(arguments or {})),
        scorer=includes(),
        name="melons",
    )
    logs = folder.parent / "logs"
    return evaluate(task, play, "agent", logs, monkeypatch, max_tokens=300, **options)


def sent(ask: Ask) -> int:
    """Tokens of a request by the estimate of a third of the bytes."""
    text = json.dumps([ask.body["messages"], ask.body.get("tools")], ensure_ascii=False)
    return len(text.encode()) // 3
