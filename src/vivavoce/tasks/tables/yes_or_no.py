"""Yes-or-no questions to models about the wording and the content of tables.

Numbered lines go to a model in batches; unanswered ones are asked again. The role `matcher` decides
which differently written headers and cells mean the same. It sees pairs of column names, or of
values of one column, and the table's topic, but neither papers nor which side is the gold. The role
`answerer` sees one table and questions about the other one, never both. The questions are those of
`metrics.table_questions`, mixed with probes whose right answer is no; the role `synthesizer` may
reword them.

Source: arXiv2Table, section 4.3 and appendix B.2: temperature 0.5, two runs that are averaged,
120 seconds for a request and two retries, the first word of a line taken as the answer.
"""

import json
import re
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

from inspect_ai.model import GenerateConfig, Model, get_model, model_roles

from vivavoce.errors import InputError
from vivavoce.metrics import Values
from vivavoce.metrics.tables.cell_matching import folded
from vivavoce.metrics.tables.literature_tables import LiteratureTable
from vivavoce.metrics.tables.meaning import Meaning, Pair, align_by_meaning
from vivavoce.metrics.tables.question_wording import Question
from vivavoce.metrics.tables.table_questions import (
    PAIRS,
    QuestionSet,
    Side,
    TablePair,
    rectangle,
    rename_columns,
    tally,
)
from vivavoce.metrics.tables.table_schema import match_columns
from vivavoce.statistics.intervals import mean_of
from vivavoce.tasks.prompting import PromptSet
from vivavoce.tasks.scoring.asking import ATTEMPTS, Request, send
from vivavoce.tasks.scoring.asking import ask as ask_json
from vivavoce.text.cell_text import collapse_spaces

BATCH = 40
"""Maximum lines of a request."""
BATCH_CHARACTERS = 8_000
"""Maximum characters of a request's lines, unless a single one is longer."""
_LINE = re.compile(r"\W{0,8}(?:q?(\d{1,4})\W{1,8})?(yes|no)\b", re.IGNORECASE)
_MAX_REPLY = 100_000

T = TypeVar("T")
Ask = Callable[[Sequence[str], int], Awaitable[str | None]]
"""Function from lines and the number of the attempt to the reply; None without one."""


async def ask_yes_or_no(lines: Mapping[T, str], ask: Ask) -> dict[T, bool]:
    """Ask about lines; return answers by key, without lines that were never answered."""
    answers: dict[T, bool] = {}
    for batch in cut_batches(list(lines), lambda key: len(lines[key])):
        for attempt in range(1, ATTEMPTS + 1):
            waiting = [key for key in batch if key not in answers]
            if not waiting:
                break
            texts = [collapse_spaces(lines[key]) for key in waiting]
            given = read_answers(await ask(texts, attempt) or "", len(texts))
            pairs = zip(waiting, given, strict=True)
            answers |= {key: answer for key, answer in pairs if answer is not None}
    return answers


def read_answers(reply: str, count: int) -> list[bool | None]:
    """Read yes or no from each line of a reply, by the line's number or else by position.

    If some lines are numbered, others are ignored. None for missing and contradictory answers.
    """
    by_number: dict[int, set[bool]] = {}
    lines = [line for line in reply[:_MAX_REPLY].splitlines() if line.strip()]
    matches = [match for line in lines if (match := _LINE.match(line))]
    matches = [match for match in matches if match[1]] or matches
    for place, match in enumerate(matches, start=1):
        number = int(match[1]) if match[1] else place
        by_number.setdefault(number, set()).add(match[2].lower() == "yes")
    answers = [by_number.get(number, set()) for number in range(1, count + 1)]
    return [next(iter(each)) if len(each) == 1 else None for each in answers]


def cut_batches(items: Sequence[T], length: Callable[[T], int]) -> list[list[T]]:
    """Split items into batches in order, limited by number and length."""
    batches: list[list[T]] = []
    room = 0
    for item in items:
        if not batches or len(batches[-1]) == BATCH or length(item) > room:
            batches.append([])
            room = BATCH_CHARACTERS
        batches[-1].append(item)
        room -= length(item)
    return batches


def numbered(texts: Sequence[str]) -> str:
    """A numbered line for each text."""
    return "\n".join(f"{number}. {text}" for number, text in enumerate(texts, start=1))


ROLE = "matcher"
TEMPLATE = "same"
MATCHING = GenerateConfig(temperature=0.0, max_tokens=2048, attempt_timeout=120, max_retries=2)
_MAX_TEXT = 600
"""Maximum characters of a header or cell for the model."""
_NO_MARKS = str.maketrans("«»", "<>")


async def align_by_model(
    prompts: PromptSet,
    gold: LiteratureTable,
    system: LiteratureTable,
    topic: str,
    model: Model,
) -> tuple[LiteratureTable, dict[str, Any]]:
    """Replace the system table's words with gold words if the model says they mean the same.

    Also return a record of the pairs with the model's answers; a missing answer is None and counts
    as different. The topic is the subject of the table.
    """
    verdicts: dict[Pair, bool | None] = {}
    waiting: set[Pair] = set()

    def judge(pair: Pair) -> bool:
        if pair not in verdicts:
            waiting.add(pair)
        return bool(verdicts.get(pair))

    # Headers come first, since cells are compared within paired columns.
    while True:
        aligned = align_by_meaning(gold, system, Meaning(judge=judge))
        if not waiting:
            break
        verdicts |= await ask_matcher(prompts, topic, sorted(waiting, key=_order), model)
        waiting.clear()
    record = [[*pair, verdicts[pair]] for pair in sorted(verdicts, key=_order)]
    return aligned, {"matcher": str(model), "prompts": prompts.sha256, "pairs": record}


async def ask_matcher(
    prompts: PromptSet, topic: str, pairs: Sequence[Pair], model: Model
) -> dict[Pair, bool | None]:
    """The model's answers about the pairs of a table; None for missing ones."""

    async def ask(lines: Sequence[str], attempt: int) -> str | None:
        reply = await send(model, prompts, same_request(topic, lines), attempt=attempt)
        return None if reply.fault else reply.text

    answers = await ask_yes_or_no({pair: pair_line(pair) for pair in pairs}, ask)
    return {pair: answers.get(pair) for pair in pairs}


def same_request(topic: str, lines: Sequence[str]) -> Request:
    """The request for some pairs, each on one line."""
    usual = numbered(["yes"] * len(lines))
    slots = {"topic": topic, "pairs": numbered(lines)}
    return Request(TEMPLATE, slots, {"count": len(lines)}, usual=usual)


def pair_line(pair: Pair) -> str:
    """A pair as shown to the model."""
    one, other, header = pair
    place = "columns" if header is None else f"values of the column {_shown(header)}"
    return f"{place}: {_shown(one)} / {_shown(other)}"


def _shown(text: str) -> str:
    return f"«{text[:_MAX_TEXT].translate(_NO_MARKS)}»"


def _order(pair: Pair) -> tuple[bool, str, str, str]:
    one, other, header = pair
    return header is not None, header or "", one, other


ANSWERER, SYNTHESIZER = "answerer", "synthesizer"
RUNS = 2
_CHARACTERS_ADDED = 400
"""Maximum additional characters of a new wording."""

_CONFIG = GenerateConfig(
    temperature=0.5, top_p=1.0, max_tokens=2048, attempt_timeout=120, max_retries=2
)
"""Default decoding of both roles."""
_SIDES: tuple[tuple[Side, Side], ...] = (("gold", "system"), ("system", "gold"))


@dataclass(frozen=True, slots=True)
class QASetup:
    """Settings of questions about tables and of their answers."""

    pairs: int | None = PAIRS
    seed: int = 0
    runs: int = RUNS


def models_of(roles: Iterable[str]) -> dict[str, Model]:
    """The models that play roles in an evaluation."""
    return {role: get_model(role=role, required=True, config=_CONFIG) for role in roles}


@asynccontextmanager
async def open_models(
    names: Mapping[str, str], config: GenerateConfig
) -> AsyncIterator[dict[str, Model]]:
    """Open models by role outside of an evaluation, and close them at the end."""
    # A cached model would keep connections of an earlier event loop.
    async with AsyncExitStack() as closing:
        yield {
            role: await closing.enter_async_context(
                get_model(name, role=role, config=_CONFIG.merge(config), memoize=False)
            )
            for role, name in names.items()
        }


def check_roles(wanted: Sequence[str]) -> None:
    """Raise `InputError` unless every required role has one model."""
    roles = model_roles()
    for role in wanted:
        if isinstance(roles.get(role), Sequence):
            raise InputError(f"The role {role} has several models. Give it one.")
        if roles.get(role) is None:
            raise InputError(
                f"The role {role} has no model. Give it one: -T {role}=MODEL, or inspect eval ... "
                f"--model-role {role}=MODEL."
            )


async def use_tables(
    prompts: PromptSet,
    gold: LiteratureTable,
    system: LiteratureTable,
    names: Mapping[str, str],
    use: QASetup,
    models: Mapping[str, Model],
) -> tuple[Values, dict[str, Any]]:
    """Ask questions about each table against the other one, with the models of the roles.

    Return the metrics with both biases, averaged over the runs, and a record for a log: models,
    questions and answers.
    """
    papers = {row.paper for table in (gold, system) for row in table.rows}
    names = {paper: names.get(paper) or paper.removeprefix("unknown: ") for paper in sorted(papers)}
    system = rename_columns(system, gold, match_columns(gold.columns, system.columns))
    pair = TablePair(gold, system, names)
    asked = {about: pair.ask(about, pairs=use.pairs, seed=use.seed) for about, _ in _SIDES}
    asking = _Asking(prompts, use, models)
    shown = {side: rectangle(table, names) for side, table in pair.tables.items()}
    lines = {about: await asking.word(shown[about], asked[about]) for about, _ in _SIDES}
    tallies, answered = [], []
    for run in range(use.runs):
        answers: dict[Side, dict[str, bool]] = {}
        for about, other in _SIDES:
            answers[about] = await asking.read(shown[other], lines[about], run)
        tallies.append(tally(pair, asked, answers))
        answered.append(answers)
    record = {
        **{role: str(model) for role, model in models.items()},
        "prompts": prompts.sha256,
        **asking.counts,
        "columns": list(system.columns),
        "questions": {
            about: _as_rows(asked[about], lines[about], [run[about] for run in answered])
            for about in asked
        },
    }
    # All runs ask the same, so a value is undefined in all runs or in none.
    values = {name: mean_of(run[name] for run in tallies) for name in tallies[0]}
    return values, record


@dataclass(frozen=True, slots=True)
class _Asking:
    prompts: PromptSet
    use: QASetup
    models: Mapping[str, Model]
    counts: Counter[str] = field(default_factory=lambda: Counter(cut_tables=0))
    """Counts of cut tables and of wordings by outcome."""

    async def word(self, table: str, asked: QuestionSet) -> dict[str, str]:
        """Lines by question key, reworded if the new wording holds for its own table."""
        questions = asked.shuffled(self.use.seed)
        fixed = {question.key: question.text for question in questions}
        if SYNTHESIZER not in self.models:
            return fixed
        worded: dict[str, str] = {}
        taken = set(fixed.values())
        # The reply repeats the lines, so a request has half as many characters.
        for batch in cut_batches(questions, lambda one: 2 * len(one.text)):
            for question, reply in zip(batch, await self._wordings(batch), strict=True):
                most = len(question.text) + _CHARACTERS_ADDED
                if not isinstance(reply, str) or len(reply) > most:
                    continue
                # One line with all names of the question.
                claimed = [claim.value for claim in question.claims]
                names, words = [question.column, *question.papers, *claimed], folded(reply)
                is_one = "\n" not in reply.strip() and reply.strip().endswith("?")
                text = collapse_spaces(reply)
                if is_one and all(folded(name) in words for name in names) and text not in taken:
                    taken.add(text)
                    worded[question.key] = text
        answers = await self.read(table, worded, self.use.runs)
        kept = {q.key: worded[q.key] for q in questions if answers.get(q.key) == q.expected}
        self.counts["worded"] += len(kept)
        self.counts["refused"] += len(fixed) - len(worded)
        self.counts["wrong_on_its_own_table"] += len(worded) - len(kept)
        return fixed | kept

    async def _wordings(self, batch: Sequence[Question]) -> list[object]:
        """The synthesizer's wordings of questions; None for missing ones."""
        texts = [question.text for question in batch]
        usual = json.dumps(dict(enumerate(texts, start=1)))
        request = Request("questions", {"questions": numbered(texts)}, usual=usual)
        given, _ = await ask_json(
            self.models[SYNTHESIZER],
            self.prompts,
            request,
            lambda value: value if isinstance(value, dict) and "1" in value else None,
            usual=GenerateConfig(seed=self.use.seed),
        )
        return [(given or {}).get(str(number)) for number in range(1, len(batch) + 1)]

    async def read(self, table: str, lines: Mapping[str, str], run: int) -> dict[str, bool]:
        """The answerer's answers from a table, by question key."""

        async def ask(texts: Sequence[str], attempt: int) -> str | None:
            slots = {"table": table, "questions": numbered(texts)}
            # The end of a table is cut first, which is recorded.
            request = Request(
                "answering", slots, {"count": len(texts), "attempt": attempt}, cut=("table",)
            )
            config = GenerateConfig(seed=self.use.seed + run)
            reply = await send(self.models[ANSWERER], self.prompts, request, config=config)
            self.counts["cut_tables"] += reply.is_cut
            return None if reply.fault else reply.text

        return await ask_yes_or_no(lines, ask)


def _as_rows(
    asked: QuestionSet, lines: Mapping[str, str], answers: Sequence[Mapping[str, bool]]
) -> list[dict[str, Any]]:
    """Questions and probes with the answers of all runs; None for missing ones."""
    return [
        {
            **question.as_dict(),
            "asked": lines[question.key],
            "answers": [run.get(question.key) for run in answers],
        }
        for question in (*asked.questions, *asked.probes)
    ]
