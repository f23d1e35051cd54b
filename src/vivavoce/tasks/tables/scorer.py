"""Table metrics as Inspect scorers: by comparison of values, or by a model that uses tables."""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
from inspect_ai.model import Model, get_model, model_roles
from inspect_ai.scorer import (
    Metric,
    SampleScore,
    Score,
    Scorer,
    Target,
    mean,
    metric,
    scorer,
    stderr,
)
from inspect_ai.solver import TaskState

from vivavoce.checking import check_numbers
from vivavoce.errors import InputError
from vivavoce.metrics import Aggregate, Ratio
from vivavoce.metrics.tables.literature_tables import (
    ASPECTS,
    LiteratureTable,
    TableScore,
    aggregate_tables,
    score_table,
)
from vivavoce.metrics.tables.meaning import Meaning, align_by_meaning
from vivavoce.metrics.tables.question_wording import QUESTION_ASPECTS
from vivavoce.metrics.tables.table_questions import BIASES
from vivavoce.models import replayed_roles, start_model
from vivavoce.retrieval.dense import open_encoders
from vivavoce.store import hash_of
from vivavoce.tasks import TaskCard
from vivavoce.tasks.prompting.prompts import SUFFIX, PromptSet, folder_at, load_prompts
from vivavoce.tasks.scoring.guard import FaultyAnswer, guarded, numbers
from vivavoce.tasks.scoring.marks import VALID
from vivavoce.tasks.tables.items.composing import (
    DIAGNOSTICS,
    NAMES,
    NOTHING,
    diagnose,
    read_answer,
    read_gold,
    side_by_side,
)
from vivavoce.tasks.tables.methods.steps import FAULT, RECORD
from vivavoce.tasks.tables.roles import yes_or_no
from vivavoce.tasks.tables.roles.answering import (
    ANSWERER,
    SYNTHESIZER,
    Use,
    check_roles,
    use_tables,
)

FORMS = "forms"
_COUNTS = "counts"
"""Right answers and questions of an answer, in its score's metadata, so that they can be pooled."""


@metric(scores="unreduced")
def macro() -> Metric:
    """Every metric over all tables: P and R are means over tables, F1 their harmonic mean."""
    return _aggregated("macro")


@metric(scores="unreduced")
def micro() -> Metric:
    """Every metric over all tables, with the questions of all of them pooled."""
    return _aggregated("micro")


def _aggregated(how: Aggregate) -> Metric:
    def values(scores: list[SampleScore]) -> dict[str, float]:
        found = numbers(aggregate_tables([_score_of(one.score) for one in scores], how))
        return {name: found[name] for name in NAMES}

    return values


_BY_NAME: dict[str, list[Metric]] = {
    **{name: [mean(), stderr(cluster="cluster")] for name in NAMES},
    # Those over all tables stand under the first: they count questions, whatever the value is.
    NAMES[0]: [mean(), stderr(cluster="cluster"), macro(), micro()],
    **{name: [mean()] for name in DIAGNOSTICS},
    VALID: [mean()],
}


@scorer(metrics=_BY_NAME)
def tables(
    pairs: int | None = None, seed: int = 0, meaning: str = FORMS, matcher: bool = False
) -> Scorer:
    """Papers, columns, cells and pairs of cells of the answer's table against the gold one.

    Args:
        pairs: Pairwise questions a table; all of them by default.
        seed: Of the pairs that are asked.
        meaning: What decides that headers and cells mean the same: forms, or an encoder as well.
        matcher: Whether the model of the role `matcher` decides in place of forms.
    """
    decide = open_meaning(meaning)

    async def compare(
        state: TaskState, gold: LiteratureTable, answer: LiteratureTable, notes: dict[str, Any]
    ) -> dict[str, float]:
        if matcher:
            prompts = load_prompts(folder_at(state.metadata["prompts"]))
            model = get_model(role=yes_or_no.ROLE, required=True, config=yes_or_no.MATCHING)
            topic = state.metadata["demand"]
            aligned, notes["matching"] = await yes_or_no.align_by_model(
                prompts, gold, answer, topic, model
            )
        else:
            # Earlier logs name no abbreviations.
            among = decide.among(state.metadata.get("abbreviations", {}))
            aligned = align_by_meaning(gold, answer, among)
        scored = score_table(gold, aligned, pairs=pairs, seed=seed)
        notes[_COUNTS] = _counts([scored])
        return numbers(scored.values())

    return _scorer(compare, pairs, seed)


@scorer(metrics={**_BY_NAME, **{name: [mean()] for name in BIASES}})
def tables_by_use(
    pairs: int | None = None,
    seed: int = 0,
    headers: str = "schema",
    synthesizer: bool = False,
) -> Scorer:
    """The same by questions: the model of the role `answerer` answers them out of the other table.

    Args:
        pairs: Pairwise questions a table; 10 by default.
        seed: Of questions, probes and their order.
        headers: Who says which columns mean the same: none, schema or model.
        synthesizer: Whether the model of that role words the questions.

    Raises:
        InputError: An argument makes no sense.
    """
    use = use_of(pairs, seed, headers, synthesizer)

    async def ask(
        state: TaskState, gold: LiteratureTable, answer: LiteratureTable, notes: dict[str, Any]
    ) -> dict[str, float]:
        prompts = load_prompts(folder_at(state.metadata["prompts"]))
        used = await use_tables(prompts, gold, answer, titles_of(state), use)
        notes[_COUNTS] = _counts([run.score for run in used.runs])
        notes["use"] = used.record
        return numbers(used.values())

    return _scorer(ask, use.pairs, seed, *BIASES)


def use_of(pairs: int | None, seed: int, headers: str, synthesizer: bool) -> Use:
    """Settings of a model's use of the tables; `InputError` for a contradiction."""
    given = {"pairs": pairs} if pairs is not None else {}
    return Use(seed=seed, headers=headers, synthesizer=synthesizer, **given)  # type: ignore[arg-type]


def titles_of(state: TaskState) -> dict[str, str]:
    """Titles of the pool's papers by label."""
    return {one["label"]: one["title"] for one in state.metadata["pool"]}


_Compare = Callable[
    [TaskState, LiteratureTable, LiteratureTable, dict[str, Any]], Awaitable[dict[str, float]]
]


def _scorer(compare: _Compare, pairs: int | None, seed: int, *further: str) -> Scorer:
    """A scorer of tables, to which an answer without a paper is none: it has no column or cell."""

    async def score(state: TaskState, target: Target) -> Score:
        titles = titles_of(state)
        gold = read_gold(target.text, titles)
        nothing = score_table(gold, NOTHING, pairs=pairs, seed=seed)
        failed = {**numbers(nothing.values()), **dict.fromkeys(further, math.nan)}
        notes: dict[str, Any] = {_COUNTS: _counts([nothing])}
        found: list[LiteratureTable] = []

        async def values(answer: str, state: TaskState, target: Target) -> dict[str, float]:
            table = read_answer(answer, titles)
            if table is None:
                raise FaultyAnswer("malformed")
            if not table.papers:
                raise FaultyAnswer(state.metadata.get(RECORD, {}).get(FAULT, "empty"))
            found.append(table)
            return await compare(state, gold, table, notes)

        given = await guarded([], values)(state, target)
        assert isinstance(given.value, Mapping)
        table = found[0] if found else None
        return given.model_copy(
            update={
                "value": {**failed, **given.value, **diagnose(gold, table, pairs, seed)},
                "metadata": {**(given.metadata or {}), **notes},
                "explanation": side_by_side(gold, table, titles),
            }
        )

    return score


def _counts(scores: list[TableScore]) -> dict[str, list[float | None]]:
    """For each precision and recall: right answers and questions of all runs, and 0 or None."""
    first = scores[0]
    return {
        name: [
            sum(one.ratios[name].hits for one in scores),
            sum(one.ratios[name].asked for one in scores),
            first.ratios[name].when_none,
        ]
        for name in first.ratios
    }


def _score_of(score: Score) -> TableScore:
    """Counts in a score's metadata; a score without them counts as no answer."""
    counts = (score.metadata or {}).get(_COUNTS) or {}
    ratios = {
        name: Ratio(*counts.get(name, (0, 0, 0.0)))
        for aspect in ASPECTS
        for name in (f"{aspect}_p", f"{aspect}_r")
    }
    return TableScore(ratios, 0, False)


@lru_cache(maxsize=4)
def open_meaning(name: str) -> Meaning:
    """The rule by which two headers or cells mean the same.

    Args:
        name: `forms`, or an encoder by the name of a preset, such as minilm, or by its folder.

    Raises:
        InputError: There is no such encoder.
        MissingExtra: The encoder needs sentence-transformers.
    """
    if name == FORMS:
        return Meaning()
    passages = open_encoders(name).passages

    def embed(texts: Sequence[str]) -> npt.NDArray[np.float64]:
        vectors = np.asarray(passages.embed(list(texts)).vectors, dtype=np.float64)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        return np.asarray(vectors / np.maximum(lengths, 1e-12), dtype=np.float64)

    return Meaning(embed)


MATCHER, ROLE, ITEMS = "matcher", "role", "items"
_AVERAGES = {"avg": [f"{aspect}_f1" for aspect in QUESTION_ASPECTS]}
_TEMPLATES = ("answering", "questions", "headers")
_ON_QUESTIONS = tuple(
    name for name in NAMES if name.partition("_")[0] in ("avg", *QUESTION_ASPECTS)
)
"""Metrics that rest on how questions are answered; papers are compared by rule."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Evaluation of a run's answers, by its arguments."""

    answerer: str = MATCHER
    """`matcher`, `role`, or the name of a model."""
    meaning: str = FORMS
    """Basis of the matcher: `forms`, or the name of an encoder as well."""
    matcher: str | None = None
    """`role` or the name of a model that decides in place of forms."""
    synthesizer: str | None = None
    """`role` or the name of a model; None for fixed words."""
    headers: str = "schema"
    pairs: int | None = None
    seed: int = 0
    aggregate: str = ITEMS
    """How a board adds up tables: `items`, `macro` or `micro`."""

    def __post_init__(self) -> None:
        if self.aggregate not in (ITEMS, "macro", "micro"):
            raise InputError(f"aggregate={self.aggregate!r} is none of items, macro, micro.")
        pairs = 0 if self.pairs is None else self.pairs
        check_numbers({"pairs": (pairs, 0, None), "question_seed": (self.seed, 0, None)})
        given = (self.answerer, self.synthesizer or "-", self.matcher or "-")
        if not all(isinstance(one, str) and one for one in given):
            raise InputError(
                "answerer, synthesizer and matcher are matcher, role, or the names of models."
            )
        if self._is_matcher and (self.synthesizer or self.headers != "schema"):
            raise InputError("synthesizer and headers need an answerer that is a model.")
        if self.matcher and (not self._is_matcher or self.meaning != FORMS):
            raise InputError("matcher decides alone: leave out answerer and meaning.")
        self._use()

    @property
    def _is_matcher(self) -> bool:
        return self.answerer == MATCHER

    def _use(self) -> Use:
        return use_of(self.pairs, self.seed, self.headers, self.synthesizer is not None)

    def scorer(self) -> Scorer:
        """The scorer."""
        if self._is_matcher:
            return tables(self.pairs, self.seed, self.meaning, self.matcher is not None)
        return tables_by_use(
            self.pairs, self.seed, self.headers, synthesizer=self.synthesizer is not None
        )

    def start_roles(self) -> dict[str, str | Model] | None:
        """The models that are named for roles; None where none is.

        Raises:
            InputError: A role that should be given is not.
        """
        if replayed_roles() is not None:
            return None
        answerer = None if self._is_matcher else self.answerer
        given = {ANSWERER: answerer, SYNTHESIZER: self.synthesizer, yes_or_no.ROLE: self.matcher}
        check_roles([role for role, name in given.items() if name == ROLE])
        named = {role: name for role, name in given.items() if name not in (None, ROLE)}
        started = {name: start_model(name, {}) for name in dict.fromkeys(named.values())}
        return {role: started[name] for role, name in named.items()} or None

    def metadata(self, card: TaskCard, prompts: PromptSet, setting: str) -> dict[str, Any]:
        """Facts of a log beyond those of every log of the task."""
        if self.aggregate == ITEMS:
            return self._judging(card, prompts)
        return self._judging(card, prompts) | {
            "setting": f"{setting}+{self.aggregate}",
            "pooling": {"how": self.aggregate, "averages": _AVERAGES},
        }

    def _judging(self, card: TaskCard, prompts: PromptSet) -> dict[str, Any]:
        use = self._use()
        if self._is_matcher:
            if self.pairs is None and self.meaning == FORMS and not self.matcher:
                return {}
            said = f"{MATCHER} pairs={self.pairs} seed={self.seed}"
            judged = [name for name in NAMES if name.startswith(("avg", "pairwise"))]
            if self.meaning != FORMS:
                said, judged = f"{said} meaning={self.meaning}", list(_ON_QUESTIONS)
            if self.matcher:
                name = self._name(yes_or_no.ROLE, self.matcher)
                template = _hash(prompts, yes_or_no.TEMPLATE)
                said, judged = f"{said} matcher={name} template={template}", list(_ON_QUESTIONS)
            return {"judge": said, "judged": judged}
        parts = [
            self._name(ANSWERER, self.answerer),
            *([f"worded={self._name(SYNTHESIZER, self.synthesizer)}"] if self.synthesizer else []),
            f"pairs={use.pairs} seed={use.seed} headers={use.headers} runs={use.runs}",
            f"template={_hash(prompts, *_TEMPLATES)}",
        ]
        return {
            "judge": " ".join(parts),
            "judged": [*_ON_QUESTIONS, *BIASES],
            "diagnostics": [*card.diagnostics, *BIASES],
        }

    def _name(self, role: str, given: str) -> str:
        if given != ROLE:
            return given
        replayed = replayed_roles()
        model = model_roles().get(role) if replayed is None else replayed.get(role)
        return role if model is None or isinstance(model, list) else str(model)


def _hash(prompts: PromptSet, *names: str) -> str:
    return hash_of([(prompts.folder / f"{name}{SUFFIX}").read_text("utf-8") for name in names])[:8]
