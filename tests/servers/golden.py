"""A model that knows every answer of a round: what it scores, a perfect contestant scores.

It finds the item in the request: by the whole prompt, by the question or by a part that is shown.
Whatever reaches it in another form than the method's is a failure of the server's script.
"""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from inspect_ai.dataset import Sample
from inspect_ai.util import registry_create
from tests.servers.scripted import Ask, Reply, answer, slot
from tests.tasks.methods.agent_runs import calls

import vivavoce._registry  # noqa: F401  (registers the tasks)
from vivavoce.rounds import Round

STUMBLING = "stumbling"
"""A model whose name ends so answers with a program that fails when it is asked for one."""
WRONG = "```python\nraise SystemExit('not yet')\n```"
LABELS = re.compile(r'<paper(?:-\w{12})? label="(\w+)">')

Table = Mapping[str, Any]


class Golden:
    """Right answers to the tasks of a round, by what is asked."""

    def __init__(self, opened: Round, tasks: Iterable[str]) -> None:
        self._answers: dict[str, str] = {}
        self._questions: dict[str, str] = {}
        self._tables: dict[str, Table] = {}
        self._parts: dict[tuple[str, str], str] = {}
        for task in tasks:
            made = registry_create("task", f"vivavoce/{task}", round=str(opened.folder))
            for sample in made.dataset:
                self._learn(sample)

    def _learn(self, sample: Sample) -> None:
        assert isinstance(sample.input, str)
        assert isinstance(sample.target, str)
        facts = sample.metadata or {}
        self._answers[sample.input] = sample.target
        if "demand" in facts:
            self._tables[facts["demand"]] = json.loads(sample.target)
        if "library" in facts:
            self._questions[facts.get("question", sample.input)] = sample.target
        if "pool" in facts and "words" in facts:
            self._parts[_wish(sample.input)] = sample.target

    def __call__(self, ask: Ask) -> Reply:
        """The right answer to a request."""
        first = text_of(ask.body["messages"][0])
        if "tools" in ask.body:
            return self._as_an_agent(ask, first)
        if ask.model.endswith(STUMBLING) and "```python" in first and first == ask.prompt:
            return answer(WRONG)
        if first in self._answers:
            return answer(self._answers[first])
        if _has(first, "demand"):
            return answer(json.dumps(_step(first, self._tables[slot(first, "demand")])))
        assert _wish(first) in self._parts, f"a prompt of no item: {first[:80]}"
        return answer(self._parts[_wish(first)])

    def _as_an_agent(self, ask: Ask, first: str) -> Reply:
        """Search once, then answer."""
        if not any(message["role"] == "tool" for message in ask.body["messages"]):
            return calls(("search", {"query": "score"}))
        found = [answer for question, answer in self._questions.items() if question in first]
        assert len(found) == 1, f"{len(found)} questions stand in: {first[:80]}"
        return answer(found[0])


def _wish(prompt: str) -> tuple[str, str]:
    """What is to be written, and of which paper: the same with excerpts as with the whole text."""
    return prompt.splitlines()[-1], slot(prompt, "title" if _has(prompt, "title") else "abstract")


def _has(prompt: str, tag: str) -> bool:
    """Whether a prompt has a slot of a name, which may end in a mark."""
    return re.search(rf"<{tag}(-\w{{12}})?>", prompt) is not None


def text_of(message: Mapping[str, Any]) -> str:
    """The text of a message of a request."""
    content = message["content"]
    return content if isinstance(content, str) else "".join(part["text"] for part in content)


def _step(prompt: str, table: Table) -> Any:
    """What a method that makes a table in steps is answered, told by the form it asks for."""
    cells = {row["paper"]: row["cells"] for row in table["rows"]}
    shown = LABELS.findall(prompt)
    if _has(prompt, "digests"):
        inside = [label for label in shown if label in table["papers"]]
        return {
            "include": inside,
            "exclude": [label for label in shown if label not in inside],
            "add": table["columns"],
            "rows": {label: cells[label] for label in inside},
        }
    if _has(prompt, "row"):
        return {"unsupported": []}
    if '{"digest":' in prompt:
        return {"digest": f"Paper {shown[0]} is about what its title says."}
    if '{"include": true' in prompt:
        [label] = shown
        return {"include": label in cells, **({"cells": cells[label]} if label in cells else {})}
    if _has(prompt, "columns"):
        [label] = shown
        return {"cells": cells[label]}
    return table
