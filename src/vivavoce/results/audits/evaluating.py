"""The answers to the table task in logs, scored by several evaluators: the matcher, and models.

A model evaluator is an answerer, or a synthesizer that words the questions and an answerer. The
scores of a model can be kept in a file: an answer with a score there is not asked about again.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from inspect_ai.log import EvalSample, read_eval_log_samples
from inspect_ai.model import Model
from inspect_ai.scorer import Score

import vivavoce.sandbox.provider  # noqa: F401  # logs name it; else Inspect loads every task
from vivavoce.errors import InputError, VivaError
from vivavoce.metrics.tables.literature_tables import LiteratureTable, score_table
from vivavoce.results.logs.records import NO_MODEL, RunLog
from vivavoce.results.logs.selection import select_logs
from vivavoce.store import Row, hash_of, read_jsonl, write_jsonl
from vivavoce.tasks.methods.direct import run_at_once
from vivavoce.tasks.prompting.prompts import PromptSet
from vivavoce.tasks.scoring.guard import answer_of
from vivavoce.tasks.scoring.marks import VALID, our_scores
from vivavoce.tasks.subsets import Candidate, Subset, choose
from vivavoce.tasks.tables.items.composing import NOTHING, read_answer, read_gold
from vivavoce.tasks.tables.items.item import TASK, answer_text
from vivavoce.tasks.tables.yes_or_no import ANSWERER, SYNTHESIZER, Use, open_models, use_tables

BOUNDS = ("oracle", "null", "copycat")
"""Contestants that bound the metrics: any evaluator ranks them alike, which would flatter all."""
EVALUATED = ("schema", "unary", "pairwise")
MATCHER = "matcher"
YES_BIAS = "yes_bias"
_NAMES = tuple(f"{aspect}_{part}" for aspect in EVALUATED for part in "pr")
_AT_ONCE = 8

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Evaluated:
    """One evaluator's score of one contestant's answer to one item."""

    evaluator: str
    contestant: str
    """Model and method."""
    item: str
    cluster: str
    values: Mapping[str, float | None]
    """Precision and recall of each aspect, such as `schema_p` and `schema_r`."""


@dataclass(frozen=True, slots=True)
class TableAnswer:
    """One answer."""

    contestant: str
    """Its name on the board."""
    model: str
    """Empty where it used none."""
    item: str
    epoch: int
    cluster: str
    fault: str | None
    """Reason why it is none; such an answer is worth 0."""
    gold: LiteratureTable
    system: LiteratureTable
    names: Mapping[str, str]
    """Titles of the pool's papers, by the label that both tables know them by."""
    use: Mapping[str, Any] | None = None
    """Questions and answers as the scorer by use noted them; None where another one scored."""


@dataclass(frozen=True, slots=True)
class Evaluator:
    """A scorer of tables."""

    models: tuple[str, ...] = ()
    """An answerer, or a synthesizer of questions and an answerer; empty for the matcher."""

    @property
    def name(self) -> str:
        """As it is shown: `matcher`, `ANSWERER` or `SYNTHESIZER > ANSWERER`."""
        return " > ".join(self.models) or MATCHER


def read_evaluator(text: str) -> Evaluator:
    """An evaluator as the command line names it: `matcher`, `ANSWERER`, `SYNTHESIZER,ANSWERER`.

    Raises:
        InputError: It is none of these.
    """
    if text == MATCHER:
        return Evaluator()
    models = tuple(name.strip() for name in text.split(","))
    if len(models) > 2 or not all("/" in name for name in models):
        raise InputError(
            f"{text!r} is not an evaluator. Give {MATCHER}, an answerer such as "
            "openai/gpt-4o-mini, or a synthesizer and an answerer with a comma between them."
        )
    return Evaluator(models)


def evaluate(
    answers: Sequence[TableAnswer],
    evaluators: Sequence[Evaluator],
    prompts: PromptSet,
    use: Use,
    *,
    keep: Path | None = None,
    progress: Progress | None = None,
) -> list[Evaluated]:
    """Scores of every answer by every evaluator; several answers to an item are averaged.

    An answer with a fault scores 0 with each of them and is shown to none.

    `keep` is a file of scores, read and added to; the matcher draws as many pairs as models do.

    Raises:
        InputError: The file is none of scores.
        VivaError: A model failed; the scores that were made before, or beside it, are in the file.
    """
    known = _read_scores(keep) if keep and keep.exists() else {}
    scores: dict[tuple[str, int], Mapping[str, float | None]] = {}
    waiting: list[tuple[Evaluator, int, str]] = []
    for evaluator in evaluators:
        for place, answer in enumerate(answers):
            key = _key(evaluator, answer, prompts, use)
            if answer.fault is not None:
                scores[evaluator.name, place] = dict.fromkeys(_NAMES, 0.0)
            elif not evaluator.models:
                made = score_table(answer.gold, answer.system, pairs=use.pairs, seed=use.seed)
                values = made.values()
                scores[evaluator.name, place] = {name: values[name] for name in _NAMES}
            elif key in known:
                scores[evaluator.name, place] = known[key]["values"]
            else:
                waiting.append((evaluator, place, key))
    if waiting:
        keeper = _Keeper(keep, known, len(waiting), progress)
        asyncio.run(_ask_all(answers, waiting, prompts, use, scores, keeper))
    return _averaged(answers, evaluators, scores)


class _Keeper:
    """Keeps the file of scores up to date, so that a stop costs a few answers only."""

    def __init__(
        self, path: Path | None, known: Mapping[str, Row], total: int, progress: Progress | None
    ) -> None:
        self._path, self._rows, self._total = path, dict(known), total
        self._progress = progress
        self._done = 0

    def add(self, rows: Sequence[Row]) -> None:
        self._rows |= {str(row["key"]): row for row in rows}
        self._done += len(rows)
        if self._path is not None:
            write_jsonl(self._path, [self._rows[key] for key in sorted(self._rows)])
        if self._progress:
            self._progress(self._done, self._total)


async def _ask_all(
    answers: Sequence[TableAnswer],
    waiting: Sequence[tuple[Evaluator, int, str]],
    prompts: PromptSet,
    use: Use,
    scores: dict[tuple[str, int], Mapping[str, float | None]],
    keeper: _Keeper,
) -> None:
    for evaluator in dict.fromkeys(one for one, _, _ in waiting):
        mine = [(place, key) for one, place, key in waiting if one == evaluator]
        names = dict(zip((ANSWERER, SYNTHESIZER), reversed(evaluator.models), strict=False))
        async with open_models(names) as models:
            for start in range(0, len(mine), _AT_ONCE):
                batch = mine[start : start + _AT_ONCE]
                found, failure = await run_at_once(
                    evaluator.name,
                    [_ask(answers[place], models, prompts, use) for place, _ in batch],
                )
                done = [
                    (place, key, values)
                    for (place, key), values in zip(batch, found, strict=True)
                    if values is not None
                ]
                scores.update({(evaluator.name, place): values for place, _, values in done})
                keeper.add([_row(evaluator, answers[place], key, v) for place, key, v in done])
                if failure is not None:
                    raise failure


async def _ask(
    answer: TableAnswer, models: Mapping[str, Model], prompts: PromptSet, use: Use
) -> dict[str, float | None]:
    used = await use_tables(prompts, answer.gold, answer.system, answer.names, use, models)
    values = used.values()
    return {name: values[name] for name in (*_NAMES, YES_BIAS)}


def _averaged(
    answers: Sequence[TableAnswer],
    evaluators: Sequence[Evaluator],
    scores: Mapping[tuple[str, int], Mapping[str, float | None]],
) -> list[Evaluated]:
    """One case for each evaluator, contestant and item."""
    places: dict[tuple[str, str], list[int]] = {}
    for place, answer in enumerate(answers):
        places.setdefault((answer.contestant, answer.item), []).append(place)
    return [
        Evaluated(
            evaluator=evaluator.name,
            contestant=contestant,
            item=item,
            cluster=answers[found[0]].cluster,
            values=_mean([scores[evaluator.name, place] for place in found]),
        )
        for evaluator in evaluators
        for (contestant, item), found in places.items()
    ]


def _mean(values: Sequence[Mapping[str, float | None]]) -> dict[str, float | None]:
    found: dict[str, float | None] = {}
    for name in (*_NAMES, YES_BIAS):
        defined = [value for each in values if (value := each.get(name)) is not None]
        found[name] = math.fsum(defined) / len(defined) if defined else None
    return found


def _key(evaluator: Evaluator, answer: TableAnswer, prompts: PromptSet, use: Use) -> str:
    """Inputs that decide a score."""
    asked = [use.pairs, use.seed, use.runs, use.batch]
    tables = [answer_text(answer.gold), answer_text(answer.system), dict(answer.names)]
    return hash_of([evaluator.name, tables, prompts.sha256, asked])


def _row(evaluator: Evaluator, answer: TableAnswer, key: str, values: Mapping[str, Any]) -> Row:
    return {
        "key": key,
        "evaluator": evaluator.name,
        "contestant": answer.contestant,
        "item": answer.item,
        "epoch": answer.epoch,
        "values": dict(values),
    }


def _read_scores(path: Path) -> dict[str, Row]:
    found: dict[str, Row] = {}
    for number, row in read_jsonl(path):
        key, values = row.get("key"), row.get("values")
        if not (isinstance(key, str) and isinstance(values, dict) and _are_scores(values)):
            raise InputError(f"{path}:{number} is not a score of an evaluator. Name another file.")
        found[key] = row
    return found


def _are_scores(values: Mapping[str, object]) -> bool:
    return values.keys() >= set(_NAMES) and all(
        value is None
        or (isinstance(value, int | float) and not isinstance(value, bool) and -1 <= value <= 1)
        for value in values.values()
    )


def read_table_answers(
    folder: Path, *, setting: str | None = None, partial: bool = False
) -> tuple[list[TableAnswer], list[str]]:
    """Every answer of a folder of logs to one setting of the task, and notes.

    The contestants in `BOUNDS` are left out. Of several logs of one contestant the first counts.

    Raises:
        InputError: The logs are of several rounds or settings, or of none that was asked for.
        VivaError: A log is incomplete and `partial` was not asked for, or none has an answer.
    """
    found, notes = select_logs(folder, partial=partial)
    logs = [log for log in found if log.key.task == TASK and log.key.method not in BOUNDS]
    if not logs:
        raise VivaError(
            f"{folder} holds no answers to the task {TASK}. Make some with: viva run {TASK} "
            f"--model MODEL --logs {folder}"
        )
    logs = _of_one_setting(logs, setting)
    by_contestant: dict[str, RunLog] = {}
    for log in logs:
        if by_contestant.setdefault(log.contestant, log) is not log:
            notes.append(f"{log.name} is another log of {log.contestant}; left out.")
    answers: list[TableAnswer] = []
    for log in by_contestant.values():
        # Samples hold long prompts: one is read at a time.
        samples = read_eval_log_samples(log.path, all_samples_required=False)
        of_log = [_answer(log, one) for one in samples if not one.error and one.scores]
        answers += sorted(of_log, key=lambda answer: (answer.item, answer.epoch))
    return answers, notes


def take_items(answers: Sequence[TableAnswer], size: int | None, seed: int) -> list[TableAnswer]:
    """The answers to so many items, chosen by a seed across all sizes of tables; None for all."""
    if size is None:
        return list(answers)
    golds = {answer.item: answer for answer in answers}
    candidates = [
        Candidate(item, answer.cluster, size=len(answer_text(answer.gold)))
        for item, answer in sorted(golds.items())
    ]
    if size >= len(candidates):
        return list(answers)
    chosen = choose(candidates, Subset(size, seed, stratify=True))
    return [answer for answer in answers if answer.item in chosen]


def _of_one_setting(logs: Sequence[RunLog], setting: str | None) -> list[RunLog]:
    chosen = [log for log in logs if setting is None or log.key.setting == setting]
    places = {log.key.place for log in chosen or logs}
    if not chosen or len(places) > 1:
        found = "; ".join(" · ".join(place) for place in sorted(places))
        reason = "Name one with --setting" if setting is None else "Give logs of one of them"
        raise InputError(f"Contestants are compared on one round and setting. {reason}: {found}.")
    return chosen


def _answer(log: RunLog, sample: EvalSample) -> TableAnswer:
    titles = {str(one["label"]): str(one["title"]) for one in sample.metadata["pool"]}
    fault = _fault(sample)
    system = None if fault else read_answer(answer_of(sample.output), titles)
    return TableAnswer(
        contestant=log.contestant,
        model="" if log.key.model == NO_MODEL else log.key.model,
        item=str(sample.id),
        epoch=sample.epoch,
        cluster=str(sample.metadata["cluster"]),
        fault=fault or ("malformed" if system is None else None),
        gold=read_gold("".join(sample.target), titles),
        system=system or NOTHING,
        names=titles,
        use=next(filter(None, (_noted(score, "use") for score in our_scores(sample.scores))), None),
    )


def _noted(score: Score, name: str) -> Any:
    return (score.metadata or {}).get(name)


def _fault(sample: EvalSample) -> str | None:
    """The fault that our scorer saw; scorers that others ran over the log do not report it."""
    for score in our_scores(sample.scores):
        if not score.as_dict()[VALID]:
            return str(_noted(score, "fault") or "malformed")
    return None
