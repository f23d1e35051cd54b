"""Items for annotation campaigns, from logs: two contestants' answers, or questions about tables.

People say which of two contestants' answers to an item is better. A question is about one table and
was answered from the other: by the model in the role `answerer` if the log was scored by use,
otherwise by the matcher. People accept or reject the answer, or answer the question themselves.
This module also reads answers to the table task for audits that score them again.

Source: arXiv2Table, section 5.3: 200 pairs that people accept or reject (Table 3), and 300 per
    method that people answer themselves (Table 4).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Any

from inspect_ai.log import EvalSample, read_eval_log_samples
from inspect_ai.scorer import Score

import vivavoce.sandbox.provider  # noqa: F401  # logs name it; else Inspect loads every task
from vivavoce.errors import InputError, VivaError
from vivavoce.metrics.tables.literature_tables import LiteratureTable
from vivavoce.metrics.tables.table_questions import ABSENT, PAPER, Side, TablePair
from vivavoce.results.audits.human import DRAWN, draw_clusters
from vivavoce.results.audits.judgements import REFERENCE
from vivavoce.results.logs.records import NO_MODEL, RunLog
from vivavoce.results.logs.sample_texts import cut, input_text, target_text
from vivavoce.results.logs.selection import select_logs
from vivavoce.store import Row, hash_of
from vivavoce.tasks.scoring import VALID, our_scores
from vivavoce.tasks.scoring.guard import answer_of
from vivavoce.tasks.tables.family import NOTHING, read_answer, read_gold
from vivavoce.tasks.tables.item import TASK

MAX_LENGTH = 150_000
"""Maximum number of characters in a prompt or an answer."""


def preference_rows(
    logs: Path,
    a: str,
    b: str,
    *,
    task: str | None = None,
    setting: str | None = None,
    draw: int | None = None,
    seed: int = 0,
) -> tuple[list[Row], int]:
    """First answers of two contestants to the same items, in all tasks and settings that both ran.

    Returns rows {id, cluster, content: {prompt, a, b, names, source}}, and the number of items
    for which one of the two gave no answer.

    `draw` limits the items to this number of random clusters per task and setting; each item
    records the draw.
    """
    if a == b:
        raise InputError(f"{a} cannot be compared with itself.")
    logs_of_board, _ = select_logs(logs)
    chosen = [
        log
        for log in logs_of_board
        if task in (None, log.key.task) and setting in (None, log.key.setting)
    ]
    names = sorted({log.contestant for log in chosen})
    for name in (a, b):
        if name != REFERENCE and name not in names:
            raise InputError(
                f"{logs} has no contestant {name!r}. Contestants: {', '.join(names)}, {REFERENCE}."
            )
    rows: list[Row] = []
    left_out = 0
    place = attrgetter("key.task", "key.setting")
    for _, group in groupby(sorted(chosen, key=place), key=place):
        members = list(group)
        of_place = list(_of_place(members, a, b))
        answered = [row for row in of_place if row["content"]["a"] and row["content"]["b"]]
        left_out += len(of_place) - len(answered)
        rows += answered if draw is None else _drawn(members, answered, draw, seed)
    if not rows:
        raise InputError(f"{logs} has no item that both {a} and {b} answered.")
    return rows, left_out


def _drawn(logs: Sequence[RunLog], rows: Sequence[Row], draw: int, seed: int) -> list[Row]:
    """Limit rows to clusters drawn at random from the logs' clusters, and record the draw."""
    clusters = sorted({cluster for log in logs for cluster in log.item_clusters().values()})
    chosen = draw_clusters(clusters, draw, seed)
    record = DRAWN.format(len(chosen), len(clusters), seed)
    kept = [row for row in rows if row["cluster"] in chosen]
    for row in kept:
        row["content"]["source"]["draw"] = record
    return kept


def _of_place(logs: Sequence[RunLog], a: str, b: str) -> Iterator[Row]:
    """Yield the rows of one task and setting; none if one of the two contestants is missing."""
    samples = {}
    for name in (a, b):
        if name == REFERENCE:
            continue
        of_name = [log for log in logs if log.contestant == name]
        if not of_name:
            return
        if len(of_name) > 1:
            key = of_name[0].key
            raise InputError(
                f"{name} has {len(of_name)} logs of {key.task} in the setting {key.setting}, with "
                "different rounds, decoding, prompts or judges. Put those to compare into a "
                "separate folder."
            )
        samples[name] = {
            str(sample.id): sample
            for sample in read_eval_log_samples(of_name[0].path, all_samples_required=False)
            if sample.epoch == 1 and not sample.error
        }
    key = logs[0].key
    shared = sorted(set.intersection(*(set(each) for each in samples.values())))
    for item in shared:
        one = next(iter(samples.values()))[item]
        texts = {
            side: target_text(one) if name == REFERENCE else answer_of(samples[name][item].output)
            for side, name in (("a", a), ("b", b))
        }
        yield {
            "id": f"{key.task} {key.setting} {item}",
            "cluster": str((one.metadata or {}).get("cluster", item)),
            "content": {
                "prompt": cut(input_text(one), MAX_LENGTH) or "(no prompt)",
                **{side: cut(text.strip(), MAX_LENGTH) for side, text in texts.items()},
                "names": {"a": a, "b": b},
                "source": {"id": item, "task": key.task, "setting": key.setting},
            },
        }


_OTHER: Mapping[Side, Side] = {"gold": "system", "system": "gold"}
_SPOKEN = {True: "yes", False: "no"}


def question_rows(
    logs: Path, kind: str, *, setting: str | None = None, draw: int | None = None, seed: int = 0
) -> list[Row]:
    """Items for a campaign of the kind `qa`, or `answers`, which hides the answer.

    `draw` is the number of questions per contestant, drawn evenly over aspects; None for all.
    """
    if kind not in ("qa", "answers"):
        raise InputError(f"Questions from logs are for the kinds qa and answers, not {kind}.")
    answers, _ = read_table_answers(logs, setting=setting)
    of_contestant: dict[str, list[Row]] = {}
    for answer in answers:
        if answer.fault is None and answer.epoch == 1:
            rows = [_as_item(kind, answer, row) for row in _questions(answer, seed)]
            of_contestant.setdefault(answer.contestant, []).extend(rows)
    drawn = [row for rows in of_contestant.values() for row in _even(rows, draw, seed)]
    if not drawn:
        raise InputError(f"{logs} has no tables to ask questions about.")
    for row in drawn:
        row.pop("aspect")
    return drawn


def _questions(answer: TableAnswer, seed: int) -> Iterator[Row]:
    """Yield rows {about, aspect, key, text, answer} for the answered questions."""
    if answer.use is not None:
        for about, rows in answer.use["questions"].items():
            yield from (
                {**row, "about": about, "text": row["asked"], "answer": row["answers"][0]}
                for row in rows
                if row["expected"] == "yes" and row["answers"][0] is not None
            )
        return
    pair = TablePair(answer.gold, answer.system, answer.names)
    for about, other in _OTHER.items():
        for question in pair.ask(about, seed=seed).questions:
            given = pair.read(question, about, on=other)
            yield {**question.as_dict(), "about": about, "answer": given}


def _as_item(kind: str, answer: TableAnswer, row: Mapping[str, Any]) -> Row:
    columns = (answer.use or {}).get("columns", answer.system.columns)
    tables = {"gold": answer.gold, "system": replace(answer.system, columns=tuple(columns))}
    about = row["about"]
    columns, rows = _shown(tables[about], answer.names)
    target_columns, target_rows = _shown(tables[_OTHER[about]], answer.names)
    content: Row = {"question": row["text"]}
    if kind == "qa":
        content |= {
            "answer": _SPOKEN[row["answer"]].capitalize(),
            "columns": columns,
            "rows": rows,
            "target_columns": target_columns,
            "target_rows": target_rows,
            "contestant": answer.contestant,
            "group": row["aspect"],
        }
    else:
        content |= {
            "columns": target_columns,
            "rows": target_rows,
            "aspect": row["aspect"],
            "suggestion": {"answer": _SPOKEN[row["answer"]]},
            "group": answer.contestant,
        }
    return {
        "id": f"{answer.contestant} {answer.item} {about} {row['key']}",
        "cluster": answer.cluster,
        "content": content,
        "aspect": row["aspect"],
    }


def _shown(
    table: LiteratureTable, names: Mapping[str, str]
) -> tuple[list[str], list[list[str | None]]]:
    """Header and rows of a table, as the answerer sees them."""
    rows: list[list[str | None]] = [
        [names.get(row.paper, row.paper), *(c or ABSENT for c in row.cells)] for row in table.rows
    ]
    return [PAPER, *table.columns], rows


def _even(rows: Sequence[Row], draw: int | None, seed: int) -> list[Row]:
    """Draw rows evenly over aspects and keep their order."""
    if draw is None or draw >= len(rows):
        return list(rows)
    by_aspect: dict[str, list[Row]] = {}
    for row in sorted(rows, key=lambda row: hash_of([seed, row["id"]])):
        by_aspect.setdefault(row["aspect"], []).append(row)
    ranked = sorted(
        (place, aspect, row["id"])
        for aspect, aspect_rows in by_aspect.items()
        for place, row in enumerate(aspect_rows)
    )
    chosen = {key for _, _, key in ranked[:draw]}
    return [row for row in rows if row["id"] in chosen]


BOUNDS = ("oracle", "null", "copycat")
"""Contestants that bound the metrics; all evaluators rank them alike, so they inflate agreement."""


@dataclass(frozen=True, slots=True)
class TableAnswer:
    """One answer to the table task."""

    contestant: str
    """Name on the board."""
    model: str
    """Name of the model; empty if the method needs none."""
    item: str
    epoch: int
    cluster: str
    fault: str | None
    """Fault of the answer, which then scores 0; None if valid."""
    gold: LiteratureTable
    system: LiteratureTable
    names: Mapping[str, str]
    """Titles of the papers in the pool, by their label in both tables."""
    use: Mapping[str, Any] | None = None
    """Questions and answers that the scorer by use recorded; None for another scorer."""


def read_table_answers(
    folder: Path, *, setting: str | None = None, partial: bool = False
) -> tuple[list[TableAnswer], list[str]]:
    """All answers to one setting of the table task in a folder of logs, with notes.

    Without the contestants in `BOUNDS`; of a contestant's several logs, the first is used.
    """
    run_logs, notes = select_logs(folder, partial=partial)
    logs = [log for log in run_logs if log.key.task == TASK and log.key.method not in BOUNDS]
    if not logs:
        raise VivaError(
            f"{folder} has no answers to the task {TASK}. Make some with: viva run {TASK} "
            f"--model MODEL --logs {folder}"
        )
    chosen = [log for log in logs if setting is None or log.key.setting == setting]
    places = {log.key.place for log in chosen or logs}
    if not chosen or len(places) > 1:
        settings = "; ".join(" · ".join(place) for place in sorted(places))
        reason = "Name one with --setting" if setting is None else "Give logs of one of them"
        raise InputError(
            f"Contestants are compared on one round and setting. {reason}: {settings}."
        )
    by_contestant: dict[str, RunLog] = {}
    for log in chosen:
        if by_contestant.setdefault(log.contestant, log) is not log:
            notes.append(f"{log.name} is a further log of {log.contestant}; left out.")
    answers: list[TableAnswer] = []
    for log in by_contestant.values():
        # Samples have long prompts, so read one at a time.
        samples = read_eval_log_samples(log.path, all_samples_required=False)
        of_log = [_answer(log, one) for one in samples if not one.error and one.scores]
        answers += sorted(of_log, key=lambda answer: (answer.item, answer.epoch))
    return answers, notes


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
    """The fault that our scorer reported; scores added by others have none."""
    for score in our_scores(sample.scores):
        if not score.as_dict()[VALID]:
            return str(_noted(score, "fault") or "malformed")
    return None
