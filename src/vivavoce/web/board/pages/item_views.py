"""The page of an item: bounded excerpts, and every answer with its scores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from vivavoce.text.printing import counted, visible
from vivavoce.web.board import names
from vivavoce.web.board.page import Link

if TYPE_CHECKING:
    from vivavoce.results.logs.records import SampleScore
    from vivavoce.results.logs.sample_texts import Answer, ItemTexts


_BREAKS = ("\r\n", "\r", "\u2028", "\u2029", "\x0b", "\x0c", "\x85")
_ROWS = 12
"""Criteria of a judge that are shown."""
_WORDS = {"answer": "answer", "reference": "gold", "tie": "tie"}


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The start of a text."""

    text: str
    length: int
    """Characters of the whole text."""
    rest: int
    """Those of them that are not shown."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Verdict of a judge on an answer and the gold, by one criterion."""

    criterion: str
    outcome: str
    answer_first: str
    gold_first: str


def excerpt(text: str, size: int) -> Excerpt:
    """As much of a text from its start as takes no more than `size` bytes of a page."""
    kept = text[:size]
    shown = _spelled(kept)
    while (taken := len(escape(shown).encode("utf-8"))) > size:
        kept = kept[: min(len(kept) - 1, int(len(kept) * size / taken))]
        shown = _spelled(kept)
    return Excerpt(shown, len(text), len(text) - len(kept))


def verdicts(judgement: Mapping[str, object] | None) -> list[Verdict]:
    """The verdicts in a judge's note, the overall one first; none where it is of another form."""
    orders = (judgement or {}).get("orders")
    if not isinstance(orders, Sequence) or isinstance(orders, str):
        return []
    said: dict[str, dict[str, object]] = {}
    for order in orders:
        found = order.get("verdicts") if isinstance(order, Mapping) else None
        if isinstance(found, Mapping) and str(order.get("first")) in _WORDS:
            said[str(order["first"])] = {str(name): place for name, place in found.items()}
    names = sorted({name for found in said.values() for name in found})
    names.sort(key=lambda name: name != "overall")
    return [_verdict(name, said) for name in names[:_ROWS]]


def _verdict(name: str, said: Mapping[str, Mapping[str, object]]) -> Verdict:
    winners = [_winner(first, said.get(first, {}).get(name)) for first in ("answer", "reference")]
    known = [winner for winner in winners if winner]
    if len(known) < 2:
        outcome = "no verdict"
    elif known[0] == known[1]:
        outcome = _WORDS[known[0]]
    else:
        outcome = _WORDS["tie"]
    told = [_WORDS[winner] if winner else "no verdict" for winner in winners]
    return Verdict(visible(name, 60).replace("_", " "), outcome, *told)


def _winner(first: str, place: object) -> str:
    """Owner of the text in the place that won; empty without a verdict."""
    second = "reference" if first == "answer" else "answer"
    return {"first": first, "second": second}.get(str(place), "")


def _spelled(text: str) -> str:
    for found in _BREAKS:
        text = text.replace(found, "\n")
    return "\n".join(visible(line, limit=None) for line in text.split("\n"))


METRICS = 24
"""Metrics of an answer that are shown."""

_INPUT = 20_000
_GOLD = 14_000
_OUTPUTS = 100_000
_MAX_OUTPUT = 14_000
_OTHERS = 60
"""Further attempts on a page whose texts are shown; the file holds those of all."""
_OTHER_OUTPUTS = 20_000
_EXPLANATIONS = 30_000
_MAX_EXPLANATION = 6_000
_LAST = ("floor", "ceiling")


@dataclass(frozen=True, slots=True)
class Around:
    """Place and links of the pages of some items of one task and setting."""

    folder: str
    """Their own, inside the site."""
    back: Link
    """The page that lists them."""
    family: str
    higher_is_better: bool
    """Of the metric that ranks."""
    board: str = ""
    """Path of the page of their board; empty where it has none."""
    nav: Sequence[Link] = ()
    contestants: frozenset[str] = frozenset()
    """Paths of the contestants' pages there are."""


def item_view(item: ItemTexts, around: Around) -> dict[str, Any]:
    """Values for `item.html.j2` of an item."""
    answers = list(item.read())
    told = [answer.texts for answer in answers if answer.score]
    common = common_input(answers)
    answers.sort(key=lambda answer: _place(answer, item.metrics[0], around.higher_is_better))
    return {
        "item": item,
        "title": title_of(item),
        "facts": facts_of(item),
        "input": excerpt(common, _INPUT) if told else None,
        "gold": excerpt(told[0].gold, _GOLD) if told else None,
        "cards": [_card(answer, around, common, len(answers)) for answer in answers],
        "metrics": item.metrics[:METRICS],
    }


def common_input(answers: Sequence[Answer]) -> str:
    """The input that most contestants were shown."""
    inputs = Counter(answer.texts.input for answer in answers if answer.score)
    return inputs.most_common(1)[0][0] if inputs else ""


def competing(item: ItemTexts) -> list[float]:
    """The values of all answers in the headline metric, without those of floor and ceiling."""
    return [
        value
        for source, value in zip(item.sources, item.means(), strict=True)
        if names.kind_of(asdict(source.key)) not in _LAST and value is not None
    ]


def _place(answer: Answer, metric: str, higher_is_better: bool) -> tuple[bool, bool, float, str]:
    """Best first; floor and ceiling, who compete with nobody, last."""
    value = answer.mean(metric)
    sign = -1.0 if higher_is_better else 1.0
    is_apart = names.kind_of(asdict(answer.source.key)) in _LAST
    return is_apart, value is None, sign * (value or 0.0), str(answer.source.key)


def _card(answer: Answer, around: Around, common: str, cards: int) -> dict[str, Any]:
    """One contestant's answer."""
    source, texts = answer.source, answer.texts
    row = asdict(source.key)
    name, details = names.name_and_details(row)
    kind, path = names.kind_of(row), names.model_path(row)
    further = answer.attempts[1 : 1 + max(1, _OTHERS // cards)]
    size = _OTHER_OUTPUTS // max(1, len(further) * cards)
    return {
        "answer": answer,
        "kind": kind,
        "name": name,
        "path": path if path in around.contestants else "",
        "details": (*details, *(names.facts_of(row) if kind == "model" else ())),
        "use": _use(answer.score, source.attempts) if answer.score else "",
        "further": [(attempt, excerpt(attempt.texts.output, size)) for attempt in further],
        "output": excerpt(texts.output, min(_MAX_OUTPUT, _OUTPUTS // cards)),
        "explanation": excerpt(texts.explanation, min(_MAX_EXPLANATION, _EXPLANATIONS // cards)),
        "cut": excerpt(texts.cut, min(_MAX_EXPLANATION, _EXPLANATIONS // cards)),
        "verdicts": verdicts(texts.judgement),
        "judge": (texts.judgement or {}).get("model") or source.key.judge,
        "is_other_input": not texts.problem and texts.input != common,
    }


def _use(score: SampleScore, attempts: int) -> str:
    told = []
    if score.tokens:
        told.append(counted(score.tokens, "token", "tokens"))
    if score.cost is not None:
        told.append(f"${score.cost:.4f}")
    if score.seconds >= 0.05:
        told.append(f"{score.seconds:,.1f} s")
    return f"first attempt: {', '.join(told)}" if told and attempts > 1 else ", ".join(told)


def title_of(item: ItemTexts) -> str:
    """Title of the paper, table or leaderboard of an item; empty where it is not known."""
    return next((visible(found[0].title) for found in item.scores() if found), "")


def facts_of(item: ItemTexts) -> list[str]:
    """Known facts of an item, in words."""
    score = next((found[0] for found in item.scores() if found), None)
    told: list[str] = []
    if score is None:
        return []
    if score.cluster != item.id:
        told.append(f"of {visible(score.cluster)}")
    told += [f"published {visible(score.published)}"] if score.published else []
    told += [visible(fact, 60) for fact in (score.category, score.difficulty) if fact]
    return told
