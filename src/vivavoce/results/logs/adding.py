"""Computation of a metric after the runs, once per text in a folder of logs."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from inspect_ai.log import EvalSample, read_eval_log_samples

import vivavoce.sandbox.provider  # noqa: F401  # logs name it; else Inspect loads every task
from vivavoce.errors import InputError
from vivavoce.metrics import Measure, find_text_metric
from vivavoce.plugins import returned
from vivavoce.reports import Report, Sheet
from vivavoce.results.logs.added import FOLDER, NewMetric, Values, added_to, write_added
from vivavoce.results.logs.reading import find_logs, read_log
from vivavoce.results.logs.records import RunLog
from vivavoce.results.logs.sample_texts import target_text
from vivavoce.store import hash_of
from vivavoce.tasks.scoring import our_scores
from vivavoce.tasks.scoring.guard import answer_of

FAULTY = "faulty"
"""Key for faulty answers, in place of a text's hash."""

_Pair = tuple[str, str]
_UNREAD = {"events", "store"}


@dataclass(frozen=True, slots=True)
class AddedMetrics(Report):
    """Report of `viva board add-metric`."""

    files: tuple[str, ...]
    metrics: tuple[str, ...]
    made_by: str
    samples: int
    computed: int
    """Number of texts that were not computed before."""

    def parts(self) -> Iterator[Sheet | str]:
        """A line of counts, then the files."""
        names = ", ".join(self.metrics)
        yield f"{names} of {self.samples} answers; {self.computed} texts computed."
        yield from self.files


def add_metric(
    logs: Path,
    name: str,
    settings: Mapping[str, str | int],
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> AddedMetrics:
    """Compute a metric for all answers in a folder of logs and store it beside them.

    A faulty answer gets the value 0, or no value if lower is better.
    """
    metric = find_text_metric(name)
    if unknown := sorted(set(settings) - set(metric.takes)):
        raise InputError(f"{name} has no setting {unknown[0]}.")
    folders: dict[Path, dict[str, _Pair | None]] = defaultdict(dict)
    for path in map(Path, find_logs(logs)):
        log = read_log(str(path))
        if isinstance(log, RunLog) and log.family == metric.family:
            folders[path.parent] |= dict(_answers(path))
    if not folders:
        raise InputError(
            f"{logs} has no log of the family {metric.family}, and {name} is a metric of that "
            "family."
        )
    measure = returned(metric.open, metric.open(**settings), Measure)
    made_by = " ".join([name, *(f"{key}={value}" for key, value in measure.settings.items())])
    known: dict[str, Values] = {}
    for folder in folders:
        for one in added_to(folder):
            known |= one.texts if (one.made_by, one.names) == (made_by, metric.names) else {}
    known[FAULTY] = tuple(each.failed for each in metric.metrics)
    pairs = {_key(pair): pair for of in folders.values() for pair in of.values() if pair}
    todo = sorted(pairs.keys() - known.keys())
    for start in range(0, len(todo), measure.batch):
        progress(start, len(todo))
        part = todo[start : start + measure.batch]
        for key, values in zip(part, measure.score([pairs[key] for key in part]), strict=True):
            known[key] = tuple(
                each.checked(values.get(each.name), measure.score) for each in metric.metrics
            )
    files = []
    for folder, answers in folders.items():
        samples = {sample: _key(pair) for sample, pair in answers.items()}
        texts = {key: known[key] for key in samples.values()}
        files.append(folder / FOLDER / f"{name}.jsonl")
        write_added(files[-1], NewMetric(made_by, metric.names, texts=texts, samples=samples))
    count = sum(map(len, folders.values()))
    return AddedMetrics(tuple(map(str, files)), metric.names, made_by, count, len(todo))


def _answers(path: Path) -> Iterator[tuple[str, _Pair | None]]:
    """Yield ids of scored samples with (answer, reference) as scored; None for a faulty answer."""
    for sample in read_eval_log_samples(
        str(path), all_samples_required=False, resolve_attachments=True, exclude_fields=_UNREAD
    ):
        if sample.uuid and not sample.error and our_scores(sample.scores):
            yield sample.uuid, _answer(sample)


def _answer(sample: EvalSample) -> _Pair | None:
    notes = our_scores(sample.scores)[0].metadata or {}
    if notes.get("fault"):
        return None
    return str(notes.get("read_as") or answer_of(sample.output)), target_text(sample)


def _key(pair: _Pair | None) -> str:
    return FAULTY if pair is None else hash_of(pair)
