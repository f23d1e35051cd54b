"""Writing metrics as Inspect scorers."""

from __future__ import annotations

from typing import Any

from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import TaskState

from vivavoce.metrics.citation_list import find_citations
from vivavoce.metrics.judgement import CHECKS, WINS, judgement_values
from vivavoce.metrics.rouge import rouge
from vivavoce.metrics.text_statistics import length_ratio
from vivavoce.tasks.entry import open_prompts
from vivavoce.tasks.prompting.prompts import PromptSet
from vivavoce.tasks.scoring.guard import MalformedAnswer, Values, guarded
from vivavoce.tasks.scoring.judge import Comparison, compare, target_source
from vivavoce.tasks.scoring.marks import VALID
from vivavoce.text.answers import clean_title

NAMES = ("rougeL", "rouge1", "rouge2")
LENGTH = ("length_ratio",)
CITATIONS = ("citation_precision", "citation_recall")


@scorer(
    metrics={
        "rouge*": [mean(), stderr(cluster="cluster")],
        "length_ratio": [mean()],
        "citation_*": [mean()],
        "judge_*": [mean()],
        VALID: [mean()],
    }
)
def writing(
    task: str = "title",
    judge: bool = False,
    judge_source: bool = False,
    prompts: str | None = None,
) -> Scorer:
    """ROUGE F-measures of the answer against the paper's own text, and the diagnostics beside them.

    Args:
        task: What is written; of a title only the title is read, not what is said around it.
        judge: Whether the model of the role `judge` compares the answer with the paper's text.
        judge_source: Whether it is shown what the paper says elsewhere.
        prompts: Folder with the judge's template; None for the shipped one.
    """
    templates = open_prompts("writing", prompts) if judge else None
    names = (*NAMES, *LENGTH, *(CITATIONS if task == "related_work" else ()))

    async def score(state: TaskState, target: Target) -> Score:
        notes: dict[str, Any] = {}

        async def values(answer: str, state: TaskState, target: Target) -> Values:
            text = clean_title(answer) if task == "title" else answer
            if not any(character.isalpha() for character in text):
                raise MalformedAnswer
            if text != answer:
                notes["read_as"] = text
            found = _against_reference(text, target.text)
            if task == "related_work":
                cited = find_citations(text, state.metadata["works"])
                found = {
                    **found,
                    "citation_precision": cited.precision,
                    "citation_recall": cited.recall(state.metadata["cited"]),
                }
            if templates is not None:
                comparison = Comparison(
                    task.replace("_", " "),
                    text,
                    target.text,
                    target_source(state.input_text, state.metadata["spans"])
                    if judge_source
                    else None,
                )
                found = {**found, **await _judgement(templates, comparison, notes)}
            return found

        judged = (*WINS, *CHECKS) if judge else ()
        guard = guarded((*names, *judged), values, undefined=CHECKS)
        given = await guard(state, target)
        return given.model_copy(update={"metadata": {**(given.metadata or {}), **notes}})

    return score


def _against_reference(text: str, reference: str) -> Values:
    found = rouge(text, reference)
    return {
        "rougeL": found.rougeL.f,
        "rouge1": found.rouge1.f,
        "rouge2": found.rouge2.f,
        "length_ratio": length_ratio(text, reference),
    }


async def _judgement(prompts: PromptSet, comparison: Comparison, notes: dict[str, Any]) -> Values:
    """The judge's metrics; a text that is the reference itself ties without being asked for."""
    if comparison.answer.split() == comparison.reference.split():
        return {**dict.fromkeys(WINS, 0.5), **dict.fromkeys(CHECKS)}
    judged = await compare(prompts, comparison)
    notes["judge"] = judged.record()
    return judgement_values(judged.verdicts)
