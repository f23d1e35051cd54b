"""Logs whose answers are the test's own, and the items that are shown of them."""

from itertools import cycle
from pathlib import Path

from inspect_ai.log import EvalSample, read_eval_log, write_eval_log
from inspect_ai.model import ModelOutput

from vivavoce.results.logs.sample_texts import ItemTexts, choose_item_texts
from vivavoce.results.logs.selection import select_logs


def answered(path: Path, *outputs: str, explanation: str = "") -> None:
    """Give the samples of a log these answers, one after the other."""
    log = read_eval_log(str(path))
    for sample, output in zip(log.samples or [], cycle(outputs or ["said"]), strict=False):
        give(sample, output, explanation)
    write_eval_log(log, str(path))


def give(sample: EvalSample, output: str, explanation: str = "") -> None:
    sample.input = f"asked {sample.id}"
    sample.target = f"gold of {sample.id}"
    sample.output = ModelOutput.from_content("lab/one", output)
    for score in (sample.scores or {}).values():
        score.explanation = explanation or None


def read(folder: Path, count: int = 3, **options: int) -> list[ItemTexts]:
    logs, _ = select_logs(folder)
    return choose_item_texts(logs, count=count, **options)
