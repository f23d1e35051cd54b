"""Logs whose answers are the test's own, and the items that are shown of them."""

from pathlib import Path

from inspect_ai.log import EvalSample, read_eval_log, write_eval_log
from inspect_ai.model import ModelOutput

from vivavoce.results.logs.sample_texts import ItemTexts, choose_item_texts
from vivavoce.results.logs.selection import select_logs


def answered(path: Path, **texts: str) -> None:
    """Give every sample of a log these texts."""
    log = read_eval_log(str(path))
    for sample in log.samples or []:
        give(sample, **texts)
    write_eval_log(log, str(path))


def give(
    sample: EvalSample, output: str = "said", question: str = "asked", explanation: str = ""
) -> None:
    sample.input = f"{question} {sample.id}"
    sample.target = f"gold of {sample.id}"
    sample.output = ModelOutput.from_content("lab/one", output)
    for score in (sample.scores or {}).values():
        score.explanation = explanation or None


def read(folder: Path, count: int = 3, **options: int) -> list[ItemTexts]:
    logs, _ = select_logs(folder)
    return choose_item_texts(logs, count=count, **options)
