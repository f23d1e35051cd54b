"""What the page of an item prints: bounded excerpts, and every answer with its scores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from html import escape
from math import fsum
from typing import TYPE_CHECKING

from vivavoce.web.board import names
from vivavoce.web.board.files.bundle import transcript
from vivavoce.web.printing import counted, figure, visible

if TYPE_CHECKING:
    from vivavoce.results.logs.answer_texts import Answer, Attempt, Texts
    from vivavoce.results.logs.records import SampleScore
    from vivavoce.results.logs.sample_texts import ItemTexts

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
    """What a judge said of an answer and the gold, by one criterion."""

    criterion: str
    outcome: str
    answer_first: str
    gold_first: str


def excerpt(text: str, size: int) -> Excerpt:
    """As much of a text from its start as takes no more than `size` bytes of a page."""
    kept = text[:size]
    shown = _spelled(kept)
    while (taken := _bytes(shown)) > size:
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
    """Whose text stood in the place that won; empty without a verdict."""
    second = "reference" if first == "answer" else "answer"
    return {"first": first, "second": second}.get(str(place), "")


def _spelled(text: str) -> str:
    for found in _BREAKS:
        text = text.replace(found, "\n")
    return "\n".join(visible(line, limit=None) for line in text.split("\n"))


def _bytes(text: str) -> int:
    return len(escape(text).encode("utf-8"))


CARDS = 40
"""Answers on a page."""
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
class Asked:
    """Where an item was asked."""

    round: str
    task: str
    version: str
    setting: str
    """These four as the rows spell them; print them through `visible`."""
    family: str
    path: str
    """Of the page of its board; empty where it has none."""
    higher_is_better: bool
    """Of the metric that ranks."""

    @property
    def title(self) -> str:
        """The task in words."""
        return names.title_of(self.task)


@dataclass(frozen=True, slots=True)
class Further:
    """An attempt after the first."""

    number: int
    value: str
    """Of the headline metric, in print."""
    fault: str
    output: Excerpt
    problem: str


@dataclass(frozen=True, slots=True)
class Card:
    """One contestant's answer."""

    kind: str
    tag: str
    name: str
    path: str
    """Of the contestant's page; empty where it has none."""
    details: tuple[str, ...]
    values: tuple[tuple[str, str], ...]
    """Metrics with their values in print, the headline metric first."""
    fault: str
    use: str
    """Tokens, seconds and cost."""
    attempts: str
    """What all attempts reached; empty where there is but one."""
    further: tuple[Further, ...]
    output: Excerpt
    explanation: Excerpt | None
    verdicts: tuple[Verdict, ...]
    judge: str
    other_input: str
    """That the contestant was shown something else; empty where not."""
    problem: str
    transcript: str
    """The address of its transcript; empty where there is none."""
    is_relative: bool
    """Whether that address starts at the folder of the site."""


@dataclass(frozen=True, slots=True)
class ItemView:
    """One item."""

    title: str
    facts: tuple[str, ...]
    input: Excerpt | None
    gold: Excerpt | None
    cards: tuple[Card, ...]
    answers: int
    first: int
    """The number of the first card among all answers."""


@dataclass(frozen=True, slots=True)
class Line:
    """One item in a list of items."""

    title: str
    facts: str
    answers: str
    mean: str
    lowest: str
    highest: str


def item_view(
    board: Asked, item: ItemTexts, part: int, known: frozenset[str], bundle: str | None
) -> ItemView:
    """The page of an item, or one of its parts, counted from 0.

    Args:
        board: Where it was asked.
        item: The item.
        part: Which answers: `CARDS` of them stand on one page.
        known: Paths of pages of contestants that there are.
        bundle: Where the transcripts are.
    """
    answers = list(item.read())
    told = [answer.texts for answer in answers if answer.score]
    inputs = Counter(texts.input for texts in told)
    common = inputs.most_common(1)[0][0] if inputs else ""
    answers.sort(key=lambda answer: _place(answer, item.metrics[0], board))
    shown = answers[part * CARDS : (part + 1) * CARDS]
    cards = [_card(answer, item, known, bundle, common, len(shown)) for answer in shown]
    return ItemView(
        title=visible(item.id),
        facts=_facts(item),
        input=excerpt(common, _INPUT) if told else None,
        gold=excerpt(told[0].gold, _GOLD) if told else None,
        cards=tuple(cards),
        answers=len(answers),
        first=part * CARDS + 1,
    )


def line_of(board: Asked, item: ItemTexts) -> Line:
    """An item in the list of its board's items: the values are those of its headline metric."""
    found = [
        value
        for source, value in zip(item.sources, item.means(), strict=True)
        if names.kind_of(asdict(source.key)) not in _LAST and value is not None
    ]
    ends = (min(found), max(found)) if found else None
    if ends and not board.higher_is_better:
        ends = ends[::-1]
    return Line(
        title=visible(item.id),
        facts=", ".join(_facts(item)),
        answers=counted(len(item.sources), "answer", "answers"),
        mean=figure(fsum(found) / len(found)) if found else "",
        lowest=figure(ends[0]) if ends else "",
        highest=figure(ends[1]) if ends else "",
    )


def _place(answer: Answer, metric: str, board: Asked) -> tuple[bool, bool, float, str]:
    """Best first; floor and ceiling, who compete with nobody, last."""
    value = answer.mean(metric)
    sign = -1.0 if board.higher_is_better else 1.0
    is_apart = names.kind_of(asdict(answer.source.key)) in _LAST
    return is_apart, value is None, sign * (value or 0.0), str(answer.source.key)


def _card(
    answer: Answer,
    item: ItemTexts,
    known: frozenset[str],
    bundle: str | None,
    common: str,
    cards: int,
) -> Card:
    source, score, texts = answer.source, answer.score, answer.texts
    row = asdict(source.key)
    name, details = names.name_and_details(row)
    kind, path = names.kind_of(row), names.model_path(row)
    address = ""
    if bundle is not None and source.file.folder == 0:  # the others are not in the viewer
        address = transcript(bundle, source.file.name, item.id, 1)
    return Card(
        kind=kind,
        tag=names.TAGS[kind],
        name=name,
        path=path if path in known else "",
        details=(*details, *(names.facts_of(row) if kind == "model" else ())),
        values=_values(item.metrics, score.values) if score else (),
        fault=visible(score.fault, 60) if score and score.fault else "",
        use=_use(score, source.attempts) if score else "",
        attempts=_attempts(answer, item.metrics[0]),
        further=_further(answer, item.metrics[0], cards),
        output=excerpt(texts.output, min(_MAX_OUTPUT, _OUTPUTS // cards)),
        explanation=_explanation(texts, cards),
        verdicts=tuple(verdicts(texts.judgement)),
        judge=visible((texts.judgement or {}).get("model") or source.key.judge, 80),
        other_input=_other_input(texts, common),
        problem=texts.problem,
        transcript=address,
        is_relative=not address.startswith(("http://", "https://")),
    )


def _values(
    metrics: Sequence[str], values: Mapping[str, float | None]
) -> tuple[tuple[str, str], ...]:
    shown = []
    for name in metrics[:METRICS]:
        value = values.get(name)
        shown.append((visible(name, 60), "undefined" if value is None else figure(value)))
    return tuple(shown)


def _attempts(answer: Answer, metric: str) -> str:
    if answer.source.attempts < 2:
        return ""
    values = ", ".join(_value(each, metric) for each in answer.attempts)
    mean = answer.mean(metric)
    read, made = len(answer.attempts), answer.source.attempts
    of = f" (the first {read} of {made:,})" if read < made else ""
    return f"{values}{of}; mean {'undefined' if mean is None else figure(mean)}"


def _further(answer: Answer, metric: str, cards: int) -> tuple[Further, ...]:
    shown = answer.attempts[1 : 1 + max(1, _OTHERS // cards)]
    size = _OTHER_OUTPUTS // max(1, len(shown) * cards)
    return tuple(
        Further(
            number=each.epoch,
            value=_value(each, metric),
            fault=visible(each.score.fault, 60) if each.score and each.score.fault else "",
            output=excerpt(each.texts.output, size),
            problem=each.texts.problem,
        )
        for each in shown
    )


def _value(attempt: Attempt, metric: str) -> str:
    if attempt.score is None:
        return "none"
    value = attempt.score.values.get(metric)
    return "undefined" if value is None else figure(value)


def _explanation(texts: Texts, cards: int) -> Excerpt | None:
    if not texts.explanation:
        return None
    return excerpt(texts.explanation, min(_MAX_EXPLANATION, _EXPLANATIONS // cards))


def _other_input(texts: Texts, common: str) -> str:
    if texts.problem or texts.input == common:
        return ""
    return f"It was shown another input, of {len(texts.input):,} characters."


def _use(score: SampleScore, attempts: int) -> str:
    told = []
    if score.tokens:
        told.append(counted(score.tokens, "token", "tokens"))
    if score.cost is not None:
        told.append(f"${score.cost:.4f}")
    if score.seconds >= 0.05:
        told.append(f"{score.seconds:,.1f} s")
    return f"first attempt: {', '.join(told)}" if told and attempts > 1 else ", ".join(told)


def _facts(item: ItemTexts) -> tuple[str, ...]:
    score = next((found[0] for found in item.scores() if found), None)
    told: list[str] = []
    if score is None:
        return ()
    if score.cluster != item.id:
        told.append(f"of {visible(score.cluster)}")
    told += [f"published {visible(score.published)}"] if score.published else []
    told += [visible(fact, 60) for fact in (score.category, score.difficulty) if fact]
    return tuple(told)
