"""Questions to a judge: numbered lines to be labelled, and what the labels say; free of Inspect."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from vivavoce.metrics.judged_text import Ruling
from vivavoce.tasks.scoring.marks import Values

COMPARE = "compare"
"""Question of which text is better, the answer or the gold."""
BATCH = 40
"""Lines of one request."""


def template_of(question: str) -> str:
    """The template of a question."""
    return "judge" if question == COMPARE else f"judge.{question}"


@dataclass(frozen=True, slots=True)
class Question:
    """Lines of one kind about one answer."""

    name: str
    lines: Sequence[str]
    labels: Sequence[str]
    """From the worst to the best."""
    slots: Mapping[str, str]
    """Texts that the judge is shown beside the lines."""
    score: Callable[[Sequence[Ruling | None]], Values]
    """Metrics by the rulings on the lines."""
    cut: Sequence[str] = ()
    """Slots that may be cut, the first first."""
    values: Mapping[str, object] = field(default_factory=dict)

    def batches(self) -> list[Sequence[str]]:
        """Lines of each request."""
        return [self.lines[start : start + BATCH] for start in range(0, len(self.lines), BATCH)]


def target_source(prompt: str, spans: Mapping[str, Sequence[int]]) -> str:
    """Text of the paper itself in a sample's prompt: its slots but for those of examples.

    The works it cites come last, so that they are the first to be cut.
    """
    shown = [name for name in spans if not name.startswith("example")]
    shown.sort(key=lambda name: (name == "works", spans[name][0]))
    return "\n\n".join(
        f"{name.replace('_', ' ').capitalize()}:\n{prompt[slice(*spans[name])]}" for name in shown
    )
