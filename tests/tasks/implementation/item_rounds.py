"""Rounds of implementation items, and the scores of runs over them."""

from itertools import count
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.log import list_eval_logs, read_eval_log
from tests.servers.scripted import Script, scripted

from vivavoce.corpus import ingest
from vivavoce.rounds import Round
from vivavoce.running import RunSpec, run
from vivavoce.tasks import build_round


def round_of(folder: Path, name: str = "items", seed: int = 0, **chosen: Any) -> Round:
    """A round of the items named, and of no others."""
    if not (folder / "corpus").exists():
        ingest("sample", Path("4"), folder / "corpus")
    window = {"start": "2023-07-01", "end": "2025-01-01"}
    spec = {
        "round": {"id": name, "window": window, "families": ["implementation"], "seed": seed},
        "implementation": {"formulas": [], "architectures": [], "reports": [], **chosen},
    }
    return build_round(folder / "corpus", spec, folder)


def contest(task: str, opened: Round, logs: Path, **options: Any) -> list[dict[str, Any]]:
    """A row a sample: values, fault, item, epoch, method and answer."""
    report = run(RunSpec(tasks=[task], round=opened.folder, logs=logs, display="none", **options))
    assert report.failed == ()
    rows = []
    for info in list_eval_logs(str(logs)):
        log = read_eval_log(info)
        method = log.plan.steps[0].solver.removeprefix("vivavoce/")
        for sample in log.samples or ():
            (score,) = (sample.scores or {}).values()
            assert isinstance(score.value, dict)
            about = {"fault": (score.metadata or {})["fault"], "answer": sample.output.completion}
            about |= {"item": str(sample.id), "method": method, "epoch": sample.epoch}
            rows.append({**score.value, **about})
    return rows


NUMBERS = count()


def contest_of_model(
    task: str, opened: Round, logs: Path, script: Script, **options: Any
) -> list[dict[str, Any]]:
    """A row a sample of a scripted model.

    Inspect keeps a model it has met, and with it the address of its server: each has its own name.
    """
    models = [f"openai-api/scripted/of-items-{next(NUMBERS)}"]
    with scripted(script) as server, pytest.MonkeyPatch.context() as patch:
        server.serve_here(patch)
        rows = contest(task, opened, logs, models=models, **options)
    assert server.failures == []
    return rows
