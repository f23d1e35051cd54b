"""Questions to a judge about a written part of a paper: its facts, its claims, the works it cites.

No judge is asked about claims where the prompt shows nothing to hold them against, as with the
setting `title_only`. Lines whose order may sway a judge, facts and works, are put in an
order of their own, so that no place in a request tells the place in the gold.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from vivavoce.errors import InputError
from vivavoce.metrics.citation_list import find_citations
from vivavoce.metrics.judged_text import (
    CLAIM_LABELS,
    NUGGET_LABELS,
    OWN,
    Ruling,
    citation_values,
    nugget_values,
    read_claims,
    relevance_values,
    support_values,
)
from vivavoce.metrics.judged_text import GRADES as GRADE_LABELS
from vivavoce.store import Row, hash_of
from vivavoce.tasks.scoring.marks import COMPARE, Question, Values, target_source
from vivavoce.tasks.writing.items.composing import PARTS
from vivavoce.tasks.writing.items.nuggets import nuggets_of

CLAIMS, FACTS, GRADES = "claims", "nuggets", "relevance"
WITHOUT_SOURCES = ("title_only", "open")
"""Settings whose prompt shows nothing that could carry a claim."""
QUESTIONS = (COMPARE, FACTS, CLAIMS, GRADES)
_MAX_WORK = 1_500
"""Characters of a work that a judge grades."""
_WORK = re.compile(r"work ([0-9]{1,6})")
_OWN_SLOTS = ("title", "abstract")


def chosen_questions(given: str | None) -> tuple[str, ...]:
    """Names of the questions that a run asks for; none where it asks all."""
    return tuple(given.split("+")) if given else ()


def check_questions(given: str | None, nuggets: str | None, *, is_judged: bool) -> None:
    """Raise `InputError` for questions that nobody knows, or that nobody could answer."""
    chosen = chosen_questions(given)
    if unknown := [name for name in chosen if name not in QUESTIONS]:
        known = ", ".join(QUESTIONS)
        raise InputError(f"There is no question {unknown[0]!r}. There are: {known}.")
    if (chosen or nuggets) and not is_judged:
        raise InputError("Questions and nuggets need a judge: add --judge MODEL.")
    if FACTS in chosen and not nuggets:
        raise InputError("The question nuggets needs their file: -T nuggets=FILE.")


def has_nuggets(task: str, row: Row) -> bool:
    """Check whether there are facts of an item, or of a run where no item is named."""
    path = row["nuggets"]
    return bool(path) and bool(nuggets_of(path, task, row.get("id")))


def ask_about(answer: str, row: Row, asked: Collection[str]) -> Iterator[Question]:
    """The questions about an answer; one without a line to be labelled asks nobody."""
    made = {FACTS: _facts, CLAIMS: _claims, GRADES: _grades}
    for name in asked:
        if name in made:
            yield replace(made[name](answer, row), values={"kind": PARTS[row["task"]]})


def _facts(answer: str, row: Row) -> Question:
    nuggets = sorted(nuggets_of(row["nuggets"], row["task"], row["id"]), key=_order)
    importance = [nugget.importance for nugget in nuggets]

    def score(rulings: Sequence[Ruling | None]) -> Values:
        return nugget_values(importance, rulings)

    lines = [nugget.text for nugget in nuggets]
    return Question(FACTS, lines, NUGGET_LABELS, {"answer": answer}, score, cut=("answer",))


def _claims(answer: str, row: Row) -> Question:
    works = _works(row)
    claims = read_claims(answer, row.get("works", ()))
    slots = {"source": target_source(row["prompt"], _own_spans(row))}
    if works:
        cited = sorted(set().union(*(claim.cited for claim in claims)))
        slots["works"] = "\n\n".join(works[number] for number in cited if number in works) or "-"

    def score(rulings: Sequence[Ruling | None]) -> Values:
        cited = citation_values(claims, rulings) if works else {}
        return {**support_values(rulings), **cited}

    return Question(
        CLAIMS,
        [claim.text for claim in claims],
        CLAIM_LABELS if works else [label for label in CLAIM_LABELS if label != OWN],
        slots,
        score,
        cut=("works", "source") if works else ("source",),
    )


def _grades(answer: str, row: Row) -> Question:
    works, found = _works(row), find_citations(answer, row["works"])
    shown = sorted(found.listed & works.keys(), key=lambda number: hash_of(works[number]))

    def score(rulings: Sequence[Ruling | None]) -> Values:
        return relevance_values(rulings, found.unlisted)

    lines = [works[number].partition("] ")[2][:_MAX_WORK] for number in shown]
    source = target_source(row["prompt"], _own_spans(row))
    return Question(GRADES, lines, GRADE_LABELS, {"source": source}, score, cut=("source",))


def _order(nugget: object) -> str:
    return hash_of(repr(nugget))


def _works(row: Row) -> dict[int, str]:
    """Listed works by number, as the prompt shows them; none where it lists none."""
    spans = {_WORK.fullmatch(name): span for name, span in row.get("parts", {}).items()}
    return {int(match[1]): row["prompt"][slice(*span)] for match, span in spans.items() if match}


def _own_spans(row: Row) -> dict[str, Sequence[int]]:
    """Places of the sources: what the paper says of itself where works are listed, else all."""
    spans: dict[str, Sequence[int]] = row["spans"]
    if "works" not in spans:
        return spans
    return {name: span for name, span in spans.items() if name in _OWN_SLOTS}
