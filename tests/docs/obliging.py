"""A model that answers whatever the examples of the pages have it asked, in the form asked for."""

import json
import re

from tests.servers.scripted import Ask, Reply, answer

_CRITERIA = ("novelty", "feasibility", "consistency", "factuality", "style", "overall")
_TABLE = {"papers": ["P1"], "columns": ["Task"], "rows": [{"paper": "P1", "cells": {"Task": "QA"}}]}
_FORMS = {
    '{"novelty"': json.dumps({name: {"reason": "So.", "winner": 1} for name in _CRITERIA}),
    '"ACCEPT or REWRITE"': json.dumps({"decision": "ACCEPT", "reason": "Sound.", "demand": ""}),
    "Reply with the request alone": "I want an overview of earlier systems to choose one of them.",
    '{"pairs"': json.dumps({"pairs": []}),
    '{"digest"': json.dumps({"digest": "What its title says."}),
    "<row>": json.dumps({"unsupported": []}),
    '{"include": true': json.dumps({"include": True, "cells": {"Task": "QA"}}),
    "<columns>": json.dumps({"cells": {"Task": "QA"}}),
    '{"papers": ["P1"': json.dumps(_TABLE),
    '{"methods"': json.dumps({"methods": []}),
}
"""Answers by what stands in a prompt that wants them; the first that fits is given."""


def obliging(ask: Ask) -> Reply:
    """Answer in the form that the prompt asks for, else with the first words of a paragraph."""
    for form, text in _FORMS.items():
        if form in ask.prompt:
            return answer(text)
    if "List the facts" in ask.prompt:
        quote = ask.prompt.partition("<text-")[2].partition("\n")[2][:30].strip()
        fact = {"text": quote, "importance": "vital", "quote": quote}
        return answer(json.dumps({"nuggets": [fact]}))
    if found := re.search(
        r"<(facts|sentences|works)-(\w+)>\n(1\. .*?)\n</\1-\2>", ask.prompt, re.S
    ):
        label = "2" if found[1] == "works" else "supported"
        return answer(json.dumps({str(n): label for n in range(1, found[3].count("\n") + 2)}))
    if "<questions-" in ask.prompt:
        return answer(_yes(ask.prompt))
    if "<digests>" in ask.prompt:
        return answer(_batch(ask.prompt))
    longest = max(ask.prompt.split("\n\n"), key=len)
    return answer(" ".join(re.sub(r"<[^<>]*>", " ", longest).split()[:12]))


def _yes(prompt: str) -> str:
    """Yes to all questions."""
    asked = prompt.partition("<questions-")[2].partition("</questions-")[0]
    return "\n".join(f"{number}. yes" for number in re.findall(r"^(\d+)\. ", asked, re.M))


def _batch(prompt: str) -> str:
    """All papers that are shown, with a cell each."""
    labels = re.findall(r'<paper label="(\w+)">', prompt)
    rows = {label: {"Task": "QA"} for label in labels}
    return json.dumps({"include": labels, "exclude": [], "add": ["Task"], "rows": rows})
