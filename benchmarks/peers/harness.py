"""`viva run` beside the plainest Inspect task: the same prompts, answers and metric, no more."""

import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.peers.comparison import Comparison

from vivavoce import Round, build_round
from vivavoce.corpus import ingest
from vivavoce.metrics.rouge import rouge
from vivavoce.running import RunSpec, run

WINDOW = {"start": "2000-01-01", "end": "2030-01-01"}
OVERHEAD = 1.15
"""Times the CPU of plain Inspect that a run may take."""


def comparisons(scratch: Path, *, smoke: bool) -> Iterator[Comparison]:
    """One task over the sample corpus, answered from a file."""
    papers = 40 if smoke else 400
    opened = build_sample_round(scratch / "harness", papers)
    rows = opened.items("writing", "title")
    answers = scratch / "answers.jsonl"
    lines = [json.dumps({"id": row["id"], "text": row["reference"]}) for row in rows]
    answers.write_text("\n".join(lines) + "\n", "utf-8")
    number = itertools.count()
    yield Comparison(
        job=f"a run, {len(rows)} samples",
        peer="plain Inspect",
        ours=lambda: _ours(opened, answers, scratch / f"logs-{next(number)}"),
        theirs=lambda: _theirs(opened, answers, scratch / f"logs-{next(number)}"),
        agree=lambda mine, other: abs(mine - other) < 1e-12,
        target=1 / OVERHEAD,
    )


def build_sample_round(folder: Path, papers: int) -> Round:
    """A round of titles of sample papers."""
    ingest("sample", Path(str(papers)), folder / "corpus")
    spec = {"round": {"id": "timed", "window": WINDOW, "families": ["writing"]}}
    return build_round(folder / "corpus", spec, folder / "rounds")


def _ours(opened: Round, answers: Path, logs: Path) -> float:
    models = [f"replay/{answers}"]
    spec = RunSpec(tasks=["title"], round=opened.folder, logs=logs, models=models)
    report = run(spec)
    return _mean(Path(report.logs[0]))


def _theirs(opened: Round, answers: Path, logs: Path) -> float:
    from inspect_ai import Task
    from inspect_ai import eval as evaluate
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.solver import generate

    from vivavoce import _registry  # noqa: F401  # registers the provider of replayed answers
    from vivavoce.tasks.lookup import find_task_maker

    prompts: Any = find_task_maker("title")(round=str(opened.folder)).dataset
    samples = [Sample(input=[_message(s)], target=s.target, id=s.id) for s in prompts]
    task = Task(dataset=MemoryDataset(samples), solver=generate(), scorer=_plain_rouge())
    # As ours, which cannot be watched while it runs either.
    options: dict[str, Any] = {"display": "none", "log_realtime": False, "ctl_server": False}
    (log,) = evaluate(task, model=f"replay/{answers}", log_dir=str(logs), **options)
    return _mean(Path(log.location.removeprefix("file://")))


def _message(sample: Any) -> Any:
    """The prompt as our solvers send it: the model that answers from a file asks who it is for."""
    from inspect_ai.model import ChatMessageUser

    note = {"sample_id": sample.id, "epoch": 1}
    return ChatMessageUser(content=sample.input, metadata={"vivavoce": note})


def _plain_rouge() -> Any:
    from inspect_ai.scorer import Score, mean, scorer

    @scorer(metrics={"*": [mean()]})
    def plain_rouge() -> Any:
        async def score(state: Any, target: Any) -> Score:
            return Score(value=rouge(state.output.completion, target.text))

        return score

    return plain_rouge()


def _mean(path: Path) -> float:
    """The mean of rougeL in a log."""
    from inspect_ai.log import read_eval_log

    samples = read_eval_log(str(path)).samples or []
    values = [score.value["rougeL"] for s in samples for score in (s.scores or {}).values()]
    return sum(values) / len(values)
