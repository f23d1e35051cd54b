"""Who compares answers with the gold: the matcher, or models that answer questions."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from inspect_ai.model import Model, get_model, model_roles
from inspect_ai.scorer import Scorer

from vivavoce.errors import InputError, VivaError
from vivavoce.metrics.tables.question_wording import QUESTION_ASPECTS
from vivavoce.store import hash_of
from vivavoce.tasks.card import TaskCard
from vivavoce.tasks.prompting.prompts import SUFFIX, PromptSet
from vivavoce.tasks.tables.items.answers import NAMES
from vivavoce.tasks.tables.roles.answering import ANSWERER, SYNTHESIZER, Use, check_roles
from vivavoce.tasks.tables.scorer import YES_BIAS, tables, tables_by_use, use_of

Result = TypeVar("Result")


async def run_at_once(
    who: str, work: Sequence[Coroutine[Any, Any, Result]]
) -> tuple[list[Result | None], Exception | None]:
    """What each piece came to, None for one that failed; and why the first of these did.

    Args:
        who: The model, for the message.
        work: What to do; all of it ends before this does.
    """
    # A provider fails in as many ways as there are providers; what fails is told, never passed by.
    found = await asyncio.gather(*work, return_exceptions=True)
    results: list[Result | None] = []
    failure: Exception | None = None
    for one in found:
        if isinstance(one, Exception):
            results.append(None)
            failure = failure or _told(who, one)
        elif isinstance(one, BaseException):
            raise one
        else:
            results.append(one)
    return results, failure


def _told(who: str, error: Exception) -> Exception:
    """An error of the provider's as one of ours; a retry that gave up tells what it met."""
    if isinstance(error, VivaError):
        return error
    cause = error.__cause__ if isinstance(error.__cause__, Exception) else error
    what = f"{type(cause).__name__}: {cause}".rstrip(".: \n")
    told = VivaError(f"{who} failed: {what}. Run the same command again to go on.")
    told.__cause__ = error
    return told


MATCHER, ROLE, ITEMS = "matcher", "role", "items"
_AVERAGES = {"avg": [f"{aspect}_f1" for aspect in QUESTION_ASPECTS]}
_TEMPLATES = ("answering", "questions", "headers")
_ON_QUESTIONS = tuple(
    name for name in NAMES if name.partition("_")[0] in ("avg", *QUESTION_ASPECTS)
)
"""Metrics that rest on how questions are answered; papers are compared by rule."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """How a run's answers are evaluated, as its arguments say."""

    answerer: str = MATCHER
    """`matcher`, `role`, or the name of a model."""
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
        numbers = (0 if self.pairs is None else self.pairs, self.seed)
        if any(type(one) is not int or one < 0 for one in numbers):
            raise InputError(
                f"pairs={self.pairs!r} and question_seed={self.seed!r} are numbers from 0."
            )
        if not all(
            isinstance(one, str) and one for one in (self.answerer, self.synthesizer or "-")
        ):
            raise InputError("answerer and synthesizer are matcher, role, or the names of models.")
        if self._is_matcher and (self.synthesizer or self.headers != "schema"):
            raise InputError("synthesizer and headers need an answerer that is a model.")
        self._use()

    @property
    def _is_matcher(self) -> bool:
        return self.answerer == MATCHER

    def _use(self) -> Use:
        return use_of(self.pairs, self.seed, self.headers, self.synthesizer is not None)

    def scorer(self) -> Scorer:
        """The scorer."""
        if self._is_matcher:
            return tables(self.pairs, self.seed)
        return tables_by_use(
            self.pairs, self.seed, self.headers, synthesizer=self.synthesizer is not None
        )

    def start_roles(self) -> dict[str, str | Model] | None:
        """The models that are named for roles; None where none is.

        Raises:
            InputError: A role that should be given is not.
        """
        named = {ANSWERER: self.answerer, SYNTHESIZER: self.synthesizer}
        if not self._is_matcher and ROLE in named.values():
            wanted = self._use() if self.synthesizer == ROLE else use_of(None, 0, "schema", False)
            if self.answerer == ROLE:
                check_roles(wanted)
            elif model_roles().get(SYNTHESIZER) is None:
                raise InputError(f"synthesizer=role needs --model-role {SYNTHESIZER}=MODEL.")
        models = {
            role: name
            for role, name in named.items()
            if name is not None and name not in (MATCHER, ROLE)
        }
        started = {name: get_model(name, memoize=False) for name in dict.fromkeys(models.values())}
        return {role: started[name] for role, name in models.items()} or None

    def metadata(self, card: TaskCard, prompts: PromptSet, setting: str) -> dict[str, Any]:
        """What a log says of it beyond what every log of the task says."""
        if self.aggregate == ITEMS:
            return self._judging(card, prompts)
        return self._judging(card, prompts) | {
            "setting": f"{setting}+{self.aggregate}",
            "pooling": {"how": self.aggregate, "averages": _AVERAGES},
        }

    def _judging(self, card: TaskCard, prompts: PromptSet) -> dict[str, Any]:
        use = self._use()
        if self._is_matcher:
            if self.pairs is None:
                return {}
            said = f"{MATCHER} pairs={self.pairs} seed={self.seed}"
            judged = [name for name in NAMES if name.startswith(("avg", "pairwise"))]
            return {"judge": said, "judged": judged}
        sources = [(prompts.folder / f"{name}{SUFFIX}").read_text("utf-8") for name in _TEMPLATES]
        parts = [
            self._name(ANSWERER, self.answerer),
            *([f"worded={self._name(SYNTHESIZER, self.synthesizer)}"] if self.synthesizer else []),
            f"pairs={use.pairs} seed={use.seed} headers={use.headers} runs={use.runs}",
            f"template={hash_of(sources)[:8]}",
        ]
        return {
            "judge": " ".join(parts),
            "judged": [*_ON_QUESTIONS, YES_BIAS],
            "diagnostics": [*card.diagnostics, YES_BIAS],
        }

    def _name(self, role: str, given: str) -> str:
        """The model of a role."""
        if given != ROLE:
            return given
        model = model_roles().get(role)
        return role if model is None or isinstance(model, Sequence) else str(model)
