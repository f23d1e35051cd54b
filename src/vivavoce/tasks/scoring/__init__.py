"""Questions to judges, marks of our scores, and faults of an answer's text; without Inspect."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from vivavoce.errors import InputError
from vivavoce.text import read_patterns
from vivavoce.text.answers import clean_title, without_wrapper
from vivavoce.text.final_answer import final_answer

if TYPE_CHECKING:
    from inspect_ai.scorer import Score

VALID = "valid"
JUDGE = "judge"
"""Role of judges."""


def check_votes(judges: Sequence[object]) -> None:
    """Raise `InputError` for an even number of judges, which may have no majority."""
    if judges and len(judges) % 2 == 0:
        raise InputError(
            f"{len(judges)} judges may tie. Name one, three or five, each with --judge."
        )


def our_scores(scores: Mapping[str, Score] | None) -> list[Score]:
    """Scores of a sample by our scorers."""
    every = (scores or {}).values()
    return [one for one in every if isinstance(one.value, dict) and VALID in one.value]


COMPARE = "compare"
"""Question whether the answer or the gold is better."""
BATCH = 40
"""Maximum lines of a request."""


def template_of(question: str) -> str:
    """Name of a question's template."""
    return "judge" if question == COMPARE else f"judge.{question}"


@dataclass(frozen=True, slots=True)
class Question:
    """Lines of one kind about an answer, to be labelled."""

    name: str
    lines: Sequence[str]
    labels: Sequence[str]
    """Labels from the worst to the best."""
    slots: Mapping[str, str]
    """Texts for the judge besides the lines."""
    about: Any
    """Subject of the lines as JSON values, for the metrics."""
    cut: Sequence[str] = ()
    """Slots that may be cut, the first first."""
    values: Mapping[str, object] = field(default_factory=dict)


def target_source(prompt: str, spans: Mapping[str, Sequence[int]]) -> str:
    """Text of the sample's own paper in a prompt, without examples.

    Cited works come last, so they are cut first.
    """
    shown = [name for name in spans if not name.startswith("example")]
    shown.sort(key=lambda name: (name == "works", spans[name][0]))
    return "\n\n".join(
        f"{name.replace('_', ' ').capitalize()}:\n{prompt[slice(*spans[name])]}" for name in shown
    )


_START = 400
"""Characters searched for a refusal, a placeholder or an error text."""
_REFUSAL_WORDS = 80
_PATTERNS = read_patterns(__file__, "faults.toml")
_REFUSALS = (_PATTERNS["refusal"], _PATTERNS["other_languages"])
_PROVIDER_ERROR = _PATTERNS["provider_error"]
_PLACEHOLDER = _PATTERNS["placeholder"]
_COLON = (":", "：")


def fault_in(message: str) -> str | None:
    """Find the fault of a message; None if it can be scored.

    A refusal is a short text whose first paragraph declines the request or asks for material, and
    announces no answer below it: papers too may begin with "I cannot" or "Sorry". A message that
    ends inside its reasoning is `unclosed`; one such as "N/A" or "**Title:** [Title]" is a
    `placeholder`.
    """
    if _PROVIDER_ERROR.match(message[:_START].strip()):
        return "provider_error"
    final = final_answer(message)
    text = final.text
    readings = [message.strip(), text]
    if len(text) <= _START:  # "N/A" may stand behind a label or below a heading
        readings += [without_wrapper(text), *([] if "\n" in text else [clean_title(text)])]
    if any(_PLACEHOLDER.fullmatch(each[:_START]) for each in filter(None, readings)):
        return "placeholder"
    if final.is_unclosed:
        return "unclosed"
    if not any(character.isprintable() and not character.isspace() for character in text):
        return "empty"
    is_short = len(text) < 2_000 and len(text.split()) <= _REFUSAL_WORDS
    first, _, answer = text.partition("\n\n")
    announces = first.endswith(_COLON) and bool(answer.strip())
    declines = any(pattern.match(text[:_START]) for pattern in _REFUSALS)
    is_authors = _PATTERNS["authors"].search(text[:_START]) or not text.endswith((".", "?", "!"))
    asks = _PATTERNS["request"].search(first[:_START]) and not is_authors
    return "refusal" if is_short and not announces and (declines or asks) else None
