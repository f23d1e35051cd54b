"""Judges that answer by string containment, from their request alone, and what reads its form."""

import json
import re
from collections.abc import Callable, Iterable

from tests.servers.scripted import Ask, Reply, answer

from vivavoce.metrics.judged_text import ASPECTS

_CITATION = re.compile(r"\s?(?:\([^()]*(?:19|20)\d\d\)|\[[0-9, ]+\])")
_NAME = re.compile(r"\b[A-Z][a-z]+[A-Z][a-z]+\b")


def block(prompt: str, name: str) -> str:
    """The text between the tags of this name."""
    found = re.search(rf"<{name}-(\w+)>\n(.*?)\n</{name}-\1>", prompt, re.DOTALL)
    return found[2] if found else ""


def lines(prompt: str, name: str) -> list[str]:
    """Numbered lines between the tags of this name."""
    return [line.partition(". ")[2] for line in block(prompt, name).splitlines()]


def bare(text: str) -> str:
    """A text without citations, on one line."""
    return " ".join(_CITATION.sub("", text).split())


def names(text: str) -> set[str]:
    """Systems that a sentence of the sample names, such as IronLoom."""
    return set(_NAME.findall(text))


def write_facts(prompt: str) -> Reply:
    """Each sentence as a fact, every second one vital; and one that is not in the text."""
    text = block(prompt, "text")
    sentences = [one for one in re.split(r"(?<=\.)\s+(?=[A-Z])", text) if one]
    facts = [
        {"text": bare(one), "importance": ("vital", "okay")[place % 2], "quote": one}
        for place, one in enumerate(sentences)
    ]
    invented = {"text": "Owls fly.", "importance": "vital", "quote": "Owls fly at night."}
    return answer(json.dumps({"nuggets": [*facts, invented]}))


def label_facts(prompt: str) -> Reply:
    """Supported where the text has the fact, partial where it has its first five words."""
    text = bare(block(prompt, "text"))

    def label(fact: str) -> str:
        start = " ".join(fact.split()[:5])
        return "supported" if fact in text else "partial" if start in text else "absent"

    return _labelled(map(label, lines(prompt, "facts")))


def label_claims(prompt: str) -> Reply:
    """Carried by the works that name all systems of a sentence; without any it claims nothing."""
    paper = block(prompt, "paper")
    works = {
        int(match[1]): match[2]
        for match in re.finditer(r"^\[(\d+)\] (.*?)(?=^\[|\Z)", block(prompt, "works"), re.M | re.S)
    }

    def label(sentence: str) -> dict[str, object]:
        wanted = names(sentence)
        carrying = [number for number, work in works.items() if wanted <= names(work)]
        if not wanted:
            return {"label": "no_claim", "works": []}
        if "never" in sentence:
            return {"label": "contradicted", "works": []}
        if carrying:
            return {"label": "supported", "works": carrying}
        if wanted <= names(paper):
            return {"label": "own" if works else "supported", "works": []}
        return {"label": "absent", "works": []}

    return _labelled(map(label, lines(prompt, "sentences")))


def label_works(prompt: str) -> Reply:
    """2 for a work whose title has three words of the paper's, 1 for one, else 0."""
    paper = set(re.findall(r"\w{5,}", block(prompt, "paper").lower()))

    def grade(work: str) -> int:
        shared = paper & set(re.findall(r"\w{5,}", work.lower()))
        return 2 if len(shared) >= 3 else int(bool(shared))

    return _labelled(map(grade, lines(prompt, "works")))


def prefer_beginnings(prompt: str) -> Reply:
    """Prefer a text that does not begin with what refers back; else the first."""
    first, second = (block(prompt, f"answer-{place}") for place in (1, 2))
    place = 2 if first.startswith("Others") and not second.startswith("Others") else 1
    if second.startswith("Others") and not first.startswith("Others"):
        place = 1
    return answer(json.dumps(dict.fromkeys(ASPECTS, 1) | {"organisation": place}))


_FORMS: dict[str, Callable[[str], Reply]] = {
    "List the facts": write_facts,
    "<facts-": label_facts,
    "<sentences-": label_claims,
    "You grade how well works": label_works,
    "<answer-1-": prefer_beginnings,
}


def judge(ask: Ask) -> Reply:
    """Answer whatever a judge is asked."""
    return next(reply for form, reply in _FORMS.items() if form in ask.prompt)(ask.prompt)


def _labelled(labels: Iterable[object]) -> Reply:
    numbered = {str(number): label for number, label in enumerate(labels, 1)}
    return answer(json.dumps(numbered))
