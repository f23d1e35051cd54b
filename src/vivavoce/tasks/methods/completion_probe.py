"""The completion probe: does a model know the abstracts of a round's papers by heart?

It is no task of a family and ranks nobody: it checks a round, for whoever doubts a result.

inspect eval vivavoce/completion_probe --model openai/gpt-4o-mini -T round=rounds/ID
"""

from __future__ import annotations

from pathlib import Path

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import GenerateConfig
from inspect_ai.scorer import Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import TaskState

from vivavoce.checking import check_numbers
from vivavoce.errors import InputError
from vivavoce.metrics import metrics_of
from vivavoce.metrics.text_statistics import ASKED, PLACES, cut_at_places, score_completion
from vivavoce.rounds import Round, load_round
from vivavoce.store import table_of_parquet
from vivavoce.tasks.entry import log_metadata
from vivavoce.tasks.methods.direct import direct
from vivavoce.tasks.prompting.prompts import PromptSet, load_prompts
from vivavoce.tasks.scoring.guard import guarded
from vivavoce.tasks.scoring.marks import VALID

NAME, FAMILY, VERSION = "completion_probe", "probe", "1-A"
TEMPLATE = "completion"
_PAPERS = ("writing", "papers.parquet")
_MAX_TOKENS = 96
_NAMES = tuple(metrics_of(FAMILY))
_OURS = Path(__file__).with_name("completion_prompts")


@task
def completion_probe(
    round: str,
    places: int = PLACES,
    context: int | None = None,
    prompts: str | None = None,
    max_tokens: int = _MAX_TOKENS,
) -> Task:
    """Continue the abstracts of a round's papers word for word.

    Args:
        round: Folder that holds the round's manifest.
        places: Places of an abstract from which it is to be continued.
        context: The model's window in tokens; by default what the model table says.
        prompts: Folder of templates to use instead of the shipped one.
        max_tokens: The longest answer a model may give.

    Raises:
        InputError: `places` is no number from 1 to as many as an abstract is asked at.
    """
    check_numbers({"places": (places, 1, ASKED)})
    opened, templates = load_round(round), load_prompts(Path(prompts) if prompts else _OURS)
    setting = "base" if places == PLACES else f"base@{places}"
    return Task(
        dataset=completion_dataset(opened, templates, places, max_tokens),
        solver=direct(context),
        scorer=completion(),
        config=GenerateConfig(temperature=0.0, max_tokens=max_tokens),
        version=VERSION,
        metadata={
            **log_metadata(opened, FAMILY, NAME, setting, templates),
            "metrics": list(_NAMES),
            "diagnostics": [],
            "stages": [],
        },
    )


def completion_dataset(
    opened: Round, prompts: PromptSet, places: int, max_tokens: int
) -> MemoryDataset:
    """One sample a place of each abstract; those of one paper are one cluster.

    Raises:
        InputError: The round has no papers of writing tasks, or none with an abstract.
    """
    rows = table_of_parquet(opened.read_file(*_PAPERS)).to_pylist()
    targets = {
        row["paper_id"]: row["published"]
        for family, name in opened.tasks()
        if family == _PAPERS[0]
        for row in opened.items(family, name)
    }
    samples = []
    for row in rows:
        if row["paper_id"] not in targets or not row["title"]:
            continue
        for number, (given, asked) in enumerate(cut_at_places(row["abstract"] or "", places), 1):
            slots = {"title": row["title"], "content": given}
            prompt = prompts.render(TEMPLATE, slots, {"words": ASKED})
            metadata = {
                "cluster": row["paper_id"],
                "published": targets[row["paper_id"]],
                "given": given,
                "spans": prompt.json_spans,
                "max_tokens": max_tokens,
            }
            samples.append(
                Sample(
                    id=f"{row['paper_id']}#{number}",
                    input=prompt.text,
                    target=asked,
                    metadata=metadata,
                )
            )
    if not samples:
        raise InputError(f"Round {opened.id} holds no paper with an abstract to be continued.")
    return MemoryDataset(samples, name=f"{opened.id}/{FAMILY}/{NAME}")


@scorer(metrics={"completion_*": [mean(), stderr(cluster="cluster")], VALID: [mean()]})
def completion() -> Scorer:
    """Compare the first words of the answer with those of the abstract."""

    async def score(answer: str, state: TaskState, target: Target) -> dict[str, float]:
        return score_completion(state.metadata["given"], target.text, answer)

    return guarded(_NAMES, score)
