"""Evaluation by use: questions about one table, answered by a model out of the other one.

The model of the role `answerer` sees one table and questions about the other one, never both
tables. The questions are those of `metrics.table_questions`, in their fixed words or in those of
the model of the role `synthesizer`. Probes, whose right answer is no, stand among them.

Source: arXiv2Table, section 4.3 and appendix B.2: temperature 0.5, two runs that are averaged,
120 seconds for a request and two retries, the first word of a line taken as the answer.
"""

from __future__ import annotations

import math
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any

from inspect_ai.model import GenerateConfig, Model, get_model, model_roles

from vivavoce.errors import InputError
from vivavoce.metrics.tables.cell_matching import folded
from vivavoce.metrics.tables.literature_tables import LiteratureTable, aggregate_tables
from vivavoce.metrics.tables.question_wording import Question
from vivavoce.metrics.tables.table_questions import (
    PAIRS,
    QuestionSet,
    Side,
    TablePair,
    Tally,
    rectangle,
    rename_columns,
    tally,
)
from vivavoce.metrics.tables.table_schema import match_columns
from vivavoce.tasks.prompting.prompts import PromptSet
from vivavoce.tasks.scoring.asking import ATTEMPTS, Request, send
from vivavoce.tasks.tables.roles.yes_or_no import (
    BATCH,
    ask_yes_or_no,
    cut_batches,
    numbered,
    one_line,
)
from vivavoce.text.json_answer import find_json

ANSWERER, SYNTHESIZER = "answerer", "synthesizer"
RUNS = 2
_CHARACTERS_ADDED = 400
"""Characters by which another wording may be longer."""

_CONFIG = GenerateConfig(
    temperature=0.5, top_p=1.0, max_tokens=2048, attempt_timeout=120, max_retries=2
)
"""How both roles decode, where they do not say otherwise."""
_SIDES: tuple[tuple[Side, Side], ...] = (("gold", "system"), ("system", "gold"))


@dataclass(frozen=True, slots=True)
class Use:
    """Settings of questions about tables and of their answers."""

    pairs: int | None = PAIRS
    seed: int = 0
    runs: int = RUNS
    batch: int = BATCH
    synthesizer: bool = False
    """Whether a model words the questions; their fixed words otherwise."""

    def __post_init__(self) -> None:
        if self.runs < 1 or self.batch < 1:
            raise InputError(f"runs={self.runs} and batch={self.batch} must be at least 1.")

    @property
    def roles(self) -> tuple[str, ...]:
        """Roles that need a model."""
        return (ANSWERER, SYNTHESIZER) if self.synthesizer else (ANSWERER,)


@dataclass(frozen=True, slots=True)
class Used:
    """Result of the answers of all runs."""

    runs: tuple[Tally, ...]
    record: dict[str, Any]
    """What a log keeps: who answered, the questions and every answer."""

    def values(self) -> dict[str, float | None]:
        """Every metric of this table, the mean over runs, with both biases."""
        found = [
            {
                **aggregate_tables([run.score]),
                "yes_bias": run.yes_bias.value,
                "no_bias": run.no_bias.value,
            }
            for run in self.runs
        ]
        means: dict[str, float | None] = {}
        for name in found[0]:
            # What is undefined in one of the runs is so in all: they ask the same.
            defined = [value for values in found if (value := values[name]) is not None]
            means[name] = math.fsum(defined) / len(defined) if defined else None
        return means


@dataclass(frozen=True, slots=True)
class Askers:
    """The models that answer and word questions."""

    answerer: Model
    synthesizer: Model | None = None
    """None where questions keep their fixed words."""


@asynccontextmanager
async def open_askers(answerer: str, synthesizer: str | None = None) -> AsyncIterator[Askers]:
    """Models by name, outside of an evaluation; closed at the end."""
    # A model that is kept for later holds connections of the event loop it was first used in.
    async with AsyncExitStack() as closing:
        names = {ANSWERER: answerer, SYNTHESIZER: synthesizer}
        opened = {
            role: await closing.enter_async_context(
                get_model(name, role=role, config=_CONFIG, memoize=False)
            )
            for role, name in names.items()
            if name is not None
        }
        yield Askers(opened[ANSWERER], opened.get(SYNTHESIZER))


def check_roles(wanted: Sequence[str]) -> None:
    """Raise `InputError` unless every role that is needed has one model."""
    roles = model_roles()
    for role in wanted:
        if isinstance(roles.get(role), Sequence):
            raise InputError(f"The role {role} has several models. Give it one.")
        if roles.get(role) is None:
            raise InputError(
                f"Nobody plays the role {role}. Name a model: -T {role}=MODEL, or inspect eval ... "
                f"--model-role {role}=MODEL."
            )


async def use_tables(
    prompts: PromptSet,
    gold: LiteratureTable,
    system: LiteratureTable,
    names: Mapping[str, str],
    use: Use,
    askers: Askers | None = None,
) -> Used:
    """Ask both tables what the other one says."""
    papers = {row.paper for table in (gold, system) for row in table.rows}
    names = {paper: names.get(paper) or paper.removeprefix("unknown: ") for paper in sorted(papers)}
    if askers is None:
        askers = Askers(*(get_model(role=one, required=True, config=_CONFIG) for one in use.roles))
    asking = _Asking(prompts, use, names, askers)
    system = rename_columns(system, gold, match_columns(gold.columns, system.columns))
    pair = TablePair(gold, system, names)
    asked = {about: pair.ask(about, pairs=use.pairs, seed=use.seed) for about, _ in _SIDES}
    words = {about: await asking.words(pair, about, asked[about]) for about, _ in _SIDES}
    tallies, answered = [], []
    for run in range(use.runs):
        answers: dict[Side, dict[str, bool]] = {}
        for about, other in _SIDES:
            questions = asked[about].shuffled(use.seed)
            answers[about] = await asking.answers(pair.tables[other], questions, words[about], run)
        tallies.append(tally(pair, asked, answers))
        answered.append(answers)
    record = {
        **asking.record(),
        "columns": list(system.columns),
        "questions": {
            about: _as_rows(asked[about], words[about], answered, about) for about in asked
        },
    }
    return Used(tuple(tallies), record)


class _Asking:
    def __init__(
        self, prompts: PromptSet, use: Use, names: Mapping[str, str], askers: Askers
    ) -> None:
        self._prompts = prompts
        self._use = use
        self._names = names
        self._answerer = askers.answerer
        self._synthesizer = askers.synthesizer if use.synthesizer else None
        self._cut_tables = 0
        self._worded: dict[str, int] = {"kept": 0, "refused": 0, "wrong_on_its_own_table": 0}

    def record(self) -> dict[str, Any]:
        """Models that were asked, and departures from the plan."""
        return {
            "answerer": str(self._answerer),
            "synthesizer": str(self._synthesizer) if self._synthesizer else None,
            "prompts": self._prompts.sha256,
            "worded": dict(self._worded),
            "cut_tables": self._cut_tables,
        }

    async def words(self, pair: TablePair, about: Side, asked: QuestionSet) -> dict[str, str]:
        """Other words for questions, by key; those that fail on their own table keep theirs."""
        if self._synthesizer is None:
            return {}
        questions = asked.shuffled(self._use.seed)
        taken = {question.text for question in questions}
        worded: dict[str, str] = {}
        for batch in cut_batches(questions, lambda one: len(one.text), self._use.batch):
            slots = {"questions": numbered([question.text for question in batch])}
            found = await self._find_json(self._synthesizer, "questions", slots, "1")
            for number, question in enumerate(batch, start=1):
                text = found.get(str(number)) if found else None
                if is_other_wording(text, question) and text not in taken:
                    taken.add(str(text))
                    worded[question.key] = one_line(str(text))
        self._worded["refused"] += len(questions) - len(worded)
        checked = [question for question in questions if question.key in worded]
        answers = await self.answers(pair.tables[about], checked, worded, self._use.runs)
        kept = {q.key: worded[q.key] for q in checked if answers.get(q.key) == q.expected}
        self._worded["wrong_on_its_own_table"] += len(worded) - len(kept)
        self._worded["kept"] += len(kept)
        return kept

    async def answers(
        self,
        table: LiteratureTable,
        questions: Sequence[Question],
        words: Mapping[str, str],
        run: int,
    ) -> dict[str, bool]:
        """The answerer's readings of a table, by the keys of the questions."""
        shown = rectangle(table, self._names)

        async def ask(texts: Sequence[str], attempt: int) -> str | None:
            slots = {"table": shown, "questions": numbered(texts)}
            values = {"count": len(texts), "attempt": attempt}
            return await self._ask(self._answerer, "answering", slots, values, run)

        lines = {question.key: words.get(question.key, question.text) for question in questions}
        return await ask_yes_or_no(lines, ask, self._use.batch)

    async def _find_json(
        self, model: Model, template: str, slots: Mapping[str, str], key: str
    ) -> dict[str, Any] | None:
        """An object of a reply that has the key, asked for again while there is none."""
        for attempt in range(1, ATTEMPTS + 1):
            reply = await self._ask(model, template, slots, {"attempt": attempt}, self._use.runs)
            found = find_json(reply or "", wanted=(key,))
            if isinstance(found, dict):
                return found
        return None

    async def _ask(
        self,
        model: Model,
        template: str,
        slots: Mapping[str, str],
        values: Mapping[str, object],
        run: int,
    ) -> str | None:
        """One reply; None where the model gave none that could be read."""
        # The end of a table goes first, and is noted.
        cut = ("table",) if "table" in slots else ()
        config = GenerateConfig(seed=self._use.seed + run)
        reply = await send(
            model, self._prompts, Request(template, slots, values, cut), config=config
        )
        self._cut_tables += reply.is_cut
        return None if reply.fault else reply.text


def _as_rows(
    asked: QuestionSet,
    words: Mapping[str, str],
    answered: Sequence[Mapping[Side, Mapping[str, bool]]],
    about: Side,
) -> list[dict[str, Any]]:
    """Questions and probes with the answers of every run; None where there was none."""
    return [
        {
            **question.as_dict(),
            "asked": words.get(question.key, question.text),
            "answers": [run[about].get(question.key) for run in answered],
        }
        for question in (*asked.questions, *asked.probes)
    ]


def is_other_wording(text: object, question: Question) -> bool:
    """Check that a text is one question on one line with all names of the given question."""
    if not isinstance(text, str) or len(text) > len(question.text) + _CHARACTERS_ADDED:
        return False
    words = one_line(text)
    said = folded(words)
    names = [folded(name) for name in question.mentioned()]
    return words.endswith("?") and "\n" not in text.strip() and all(name in said for name in names)
