"""Comparison of the methods that an answer found in a report with those the report describes.

A method of the gold is *complete* when the report gives its formula; one that is only named is
*open*. Found methods are matched to the gold's one to one by name (see `match_methods`). With T the
number in both, G the number in the gold and A the number found,

    F1 = 2 T / (G + A)

- `method_f1` counts methods.
- `variable_f1` counts (method, variable) pairs; a variable's indices do not matter.
- `entity_f1` counts methods, their variables and their formulas together.
- `word_similarity` is the mean cosine, over matched methods, of the word counts of the two
  descriptions; 0 when nothing is matched. It measures wording, not truth.
- `inferred` is the share of open methods that were given a formula marked as inferred; undefined
  without open methods.

All but the last count only complete methods: neither leaving out nor finding an open one costs
anything. A method that matches none of the gold lowers precision. An empty answer scores 0.

Source: RD2Bench, section 2.2, which names F1 of entities and mentions, a similarity of 90% by an
unnamed measure, and the choice to skip or infer; no formulas and no code were released.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vivavoce.errors import InputError
from vivavoce.metrics import FaultyAnswer
from vivavoce.metrics.formulas import same_formula, symbol_stem

_ALIKE = 0.8
"""Share of common words above which two names agree."""
_BRACKETS = re.compile(r"[(\[]([^()\[\]]*)[)\]]")
_WORD = re.compile(r"[^\W_]+")
_FUNCTION_WORDS = frozenset(
    "a an and are as at be been but by each for from had has have if in into is it its less no not "
    "of on one only or out over so such than that the their them then there these they this to up "
    "was were when where which while who with without".split()
)


@dataclass(frozen=True, slots=True)
class ExtractedMethod:
    """A method in an answer, or one that a report describes."""

    name: str
    description: str = ""
    formula: str | None = None
    """LaTeX; None in the gold for an open method."""
    symbols: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    is_inferred: bool = False
    """True if the answer says that the report does not give the formula."""


def score_extraction(
    gold: Sequence[ExtractedMethod], answers: Sequence[ExtractedMethod]
) -> dict[str, float | None]:
    """Score the methods found in one report, in any order, against those that it describes.

    Raises:
        InputError: No method of the gold has a formula.
        FaultyAnswer: The formula of an open method is not marked as inferred.
    """
    complete = [method for method in gold if method.formula is not None]
    if not complete:
        raise InputError("The gold has no method with a formula: there is nothing to find.")
    matches = match_methods(gold, answers)
    pairs = [(g, f) for g, f in matches if g.formula is not None]
    neutral = [f for g, f in matches if g.formula is None]
    answered = list((Counter(answers) - Counter(neutral)).elements())
    # Each triple: number in both, in the gold, in the answer.
    methods = len(pairs), len(complete), len(answers) - len(neutral)
    variables = (
        sum(
            (Counter(map(symbol_stem, g.symbols)) & Counter(map(symbol_stem, f.symbols))).total()
            for g, f in pairs
        ),
        sum(len(method.symbols) for method in complete),
        sum(len(method.symbols) for method in answered),
    )
    formulas = (
        sum(same_formula(g.formula or "", f.formula) for g, f in pairs if f.formula),
        len(complete),
        sum(method.formula is not None for method in answered),
    )
    n_open = len(gold) - len(complete)
    given = [method.is_inferred for method in neutral if method.formula is not None]
    similarities = [word_similarity(f.description, g.description) for g, f in pairs]
    values = {
        "entity_f1": _f1(*map(sum, zip(methods, variables, formulas, strict=True))),
        "method_f1": _f1(*methods),
        "variable_f1": _f1(*variables),
        "word_similarity": math.fsum(similarities) / len(pairs) if pairs else 0.0,
        "inferred": sum(given) / n_open if n_open else None,
    }
    if not all(given):
        raise FaultyAnswer("unmarked", values)
    return values


def _f1(both: int, gold: int, answer: int) -> float | None:
    total = gold + answer
    return 2 * both / total if total else None


def match_methods(
    gold: Sequence[ExtractedMethod], answers: Sequence[ExtractedMethod]
) -> list[tuple[ExtractedMethod, ExtractedMethod]]:
    """Pair methods one to one so that the total agreement of their names is largest.

    Names agree fully if they have the same words in the same order, or if one is the other's part
    inside or outside brackets. Case, punctuation, spaces and a plural s do not count, and aliases
    are names too. Otherwise, names of a and b words that share s words agree to 2 s / (a + b), if
    that exceeds 0.8. Names with different numbers never agree.
    """
    from scipy.optimize import linear_sum_assignment

    if not gold or not answers:
        return []
    golds = sorted(gold, key=lambda m: (m.name, m.description, m.formula or "", *m.symbols))
    answers = sorted(answers, key=_order)
    spellings = [[_Name(name) for name in (method.name, *method.aliases)] for method in golds]
    replies = [_Name(method.name) for method in answers]
    agreement = np.array(
        [[max(name.agreement(other) for name in names) for other in replies] for names in spellings]
    )
    rows, columns = linear_sum_assignment(agreement, maximize=True)
    return [
        (golds[row], answers[column])
        for row, column in zip(rows.tolist(), columns.tolist(), strict=True)
        if agreement[row, column] > 0
    ]


def word_similarity(one: str, other: str) -> float:
    """The cosine of two texts' word counts, without function words; 0 if either has no words."""
    first, second = _counts(one), _counts(other)
    product = sum(count * second[word] for word, count in first.items())
    squares = (sum(count * count for count in counts.values()) for counts in (first, second))
    lengths = math.sqrt(math.prod(squares))
    return product / lengths if lengths else 0.0


class _Name:
    def __init__(self, text: str) -> None:
        plain = unicodedata.normalize("NFKC", text).casefold()
        inside: list[str] = _BRACKETS.findall(plain)
        forms = (_words(form) for form in (plain, _BRACKETS.sub(" ", plain), *inside))
        self.forms = {"".join(words): Counter(words) for words in forms if words}
        self.numbers = sorted(re.findall(r"\d+", plain))

    def agreement(self, other: _Name) -> float:
        """Agreement of two names, from 0 to 1."""
        if self.numbers and other.numbers and self.numbers != other.numbers:
            return 0.0
        if self.forms.keys() & other.forms.keys():
            return 1.0
        shares = (
            2 * (one & two).total() / (one.total() + two.total())
            for one in self.forms.values()
            for two in other.forms.values()
        )
        return max((share for share in shares if share > _ALIKE), default=0.0)


def _order(method: ExtractedMethod) -> tuple[str, ...]:
    formula = "" if method.formula is None else f"={method.formula}"
    return (method.name, method.description, formula, str(method.is_inferred), *method.symbols)


def _words(text: str) -> list[str]:
    words = (word for word in _WORD.findall(text) if word not in _FUNCTION_WORDS)
    return [word[:-1] if len(word) > 3 and word.endswith("s") else word for word in words]


def _counts(text: str) -> Counter[str]:
    words = _WORD.findall(unicodedata.normalize("NFKC", text).casefold())
    return Counter(word for word in words if word not in _FUNCTION_WORDS)
