"""The writing tasks: prompts from papers, and measures of the written text."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from vivavoce.errors import InputError, NoItemsError
from vivavoce.metrics import FaultyAnswer, Metric, Values, metrics_of
from vivavoce.metrics.citation_list import find_citations
from vivavoce.metrics.judged_text import CITED, NUGGETS, RELEVANCE, SUPPORT, WINS
from vivavoce.metrics.rouge import length_ratio, rouge
from vivavoce.requests import ScoreOptions
from vivavoce.rounds import Round
from vivavoce.rounds.family import check_split, split_name
from vivavoce.statistics.intervals import Measured, means_of
from vivavoce.store import Row, hash_file, read_json, table_of_parquet
from vivavoce.tasks.family import Arguments, FamilyTask, Item, View, check_choice
from vivavoce.tasks.scoring import COMPARE, Question
from vivavoce.tasks.scoring.files import Pair, ScoreFamily
from vivavoce.tasks.writing import inputs
from vivavoce.tasks.writing.citations import TEMPLATE, describe_open, read_citations
from vivavoce.tasks.writing.inputs import (
    DEMONSTRATED,
    OPEN,
    TRACKS,
    Example,
    PaperText,
    compose,
    demonstration_texts,
    paper_from_row,
    shown_demos,
    slots,
)
from vivavoce.tasks.writing.questions import (
    CLAIMS,
    FACTS,
    GRADES,
    WITHOUT_SOURCES,
    ask_about,
    check_nuggets,
    check_questions,
    chosen_questions,
    has_nuggets,
)
from vivavoce.text.answers import clean_title, is_title, without_wrapper

USUAL_DEMOS = 2
"""Default number of demonstrations; another number is in the setting's name."""
WITH_WORKS = "related_work"
"""The task whose prompt lists works."""


@dataclass(frozen=True, slots=True)
class WritingArguments(Arguments):
    """Arguments of the writing tasks.

    Args:
        setting: Material for the model: base, random, coauthor, mixed, title_only, leave_one_out.
        demos: Number of demonstrations of each kind; by default all in the round.
        split: Limit items to train, validation or test; by default all.
        judge: True if models with the role `judge` compare the answer with the gold.
        questions: Questions to the judge, such as claims+nuggets; by default all that apply.
        nuggets: File of the gold's facts, by viva round nuggets.
    """

    demos: int | None = None
    split: str | None = None
    judge: bool = False
    questions: str | None = None
    nuggets: str | None = None

    def __post_init__(self) -> None:
        check_split(self.split)

    @property
    def label(self) -> str:
        """The setting's name on a board, such as `base+padded`, `open+test` or `mixed@1`."""
        track = getattr(self, "track", "cited")
        parts = [self.setting, *([track] if track == "padded" else ())]
        has_usual = self.setting not in DEMONSTRATED or self.demos == USUAL_DEMOS
        label = "+".join([*parts, *([self.split] if self.split else ())])
        return label if has_usual else f"{label}@{self.demos}"


@dataclass(frozen=True, slots=True)
class RelatedWorkArguments(WritingArguments):
    """Arguments of related work: those of the other writing tasks, and the listed works.

    Args:
        track: cited (works that the section cites), padded (also other works), or open (only title
            and abstract, and a library to search).
    """

    track: str = "cited"

    def __post_init__(self) -> None:
        check_split(self.split)
        check_choice("track", self.track, TRACKS)
        if OPEN in (self.setting, self.track):
            if self.track == "padded" or self.setting not in ("base", OPEN):
                raise InputError(
                    f"setting={self.setting!r} and track={self.track!r} do not fit: the track open "
                    "has one setting. Give track=open alone."
                )
            object.__setattr__(self, "setting", OPEN)
            object.__setattr__(self, "track", OPEN)


class Writing(FamilyTask[WritingArguments]):
    """A part of a paper to write from the rest."""

    scorer = "writing"
    scored_by = ("judge", "questions", "nuggets")

    def __init__(self, arguments: type[WritingArguments] = WritingArguments) -> None:
        self.arguments = arguments

    def settle(self, given: WritingArguments, opened: Round) -> WritingArguments:
        """Set the number of demonstrations: the requested number, or all in the round."""
        check_questions(given.questions, given.nuggets, is_judged=given.judge)
        if given.nuggets is not None:
            check_nuggets(Path(given.nuggets), opened)
        options = read_json(opened.folder / "spec.json").get("writing", {})
        most = int(options.get("demos", USUAL_DEMOS)) if given.setting in DEMONSTRATED else 0
        if given.demos is None:
            return replace(given, demos=most)
        if given.setting not in DEMONSTRATED:
            raise InputError(
                f"The setting {given.setting} shows no demonstrations, so demos={given.demos!r} "
                f"has no effect. Settings with demonstrations: {', '.join(DEMONSTRATED)}."
            )
        if type(given.demos) is not int or not 1 <= given.demos <= most:
            raise InputError(
                f"demos={given.demos!r} is not a number from 1 to the {most} demonstrations of "
                f"each kind that round {opened.id} holds. For more, build a round with more "
                "([writing] demos)."
            )
        return given

    def leading(self, view: View[WritingArguments]) -> Sequence[str]:
        """The round's headline metric, coverage of facts or the card's first metric, and support.

        Support does not rank, since copied sentences have full support.
        """
        options = read_json(view.round.folder / "spec.json").get("writing", {})
        asked = self.judged(view.task, asdict(view.given))
        first = NUGGETS[:1] if FACTS in asked else super().leading(view)
        return [*([options["headline"]] if options.get("headline") else []), *first, *SUPPORT]

    def rows(self, view: View[WritingArguments]) -> list[Row]:
        """Items with the setting and in the split."""
        rows, split = super().rows(view), view.given.split
        if split:
            rows = [row for row in rows if split_name(row["split"]) == split]
        if not rows:
            raise NoItemsError(
                f"Round {view.round.id} has no {split} item of {view.task} with the setting "
                f"{view.given.setting}. viva round stats counts the items of each split."
            )
        return rows

    def items(self, rows: Iterable[Row], view: View[WritingArguments]) -> Iterator[Item]:
        """Make the items of papers; each demonstration is composed once."""
        rows = list(rows)
        wanted = {paper for row in rows for paper in (row["paper_id"], *_demonstrations(row, view))}
        table = table_of_parquet(view.round.read_file("writing", "papers.parquet"))
        papers = {
            name: paper_from_row(*table.slice(place, 1).to_pylist())
            for place, name in enumerate(table["paper_id"].to_pylist())
            if name in wanted
        }
        examples: dict[str, Example] = {}
        for name in dict.fromkeys(p for row in rows for p in _demonstrations(row, view)):
            *_, written = demonstration_texts(view.task, papers[name])
            examples[name] = slots(view.task, "base", papers[name]), written
        return (_item(row, view, papers[row["paper_id"]], examples) for row in rows)

    def usual_answer(self, gold: str, row: Row) -> str:
        """The gold, with a citation of each work that its section cites."""
        marks = [row["works"][n - 1] if row.get("library") else n for n in row.get("cited", ())]
        return " ".join([gold, *(f"[{mark}]" for mark in marks)])

    def measure(self, answer: str, row: Row) -> Values:
        """Measure ROUGE F and length against the paper's text, and citations."""
        text, reference = str(row.get("read_as", answer)), row["target"]
        if not any(character.isalpha() for character in text):
            raise FaultyAnswer("malformed")
        ratio = length_ratio(text, reference)
        values: dict[str, float | None] = {**rouge(text, reference), "length_ratio": ratio}
        if row["task"] == WITH_WORKS:
            cited = find_citations(text, row["works"])
            wanted = row["cited"]
            # On the open track, the section also cites works outside the library.
            named = range(1, len(row["work_ids"]) + 1) if "work_ids" in row else wanted
            values["reference_precision"] = cited.precision(named)
            values["reference_recall"] = cited.recall(wanted)
            values["importance"] = cited.importance(row["citations"], named)
        return values

    def judged(self, task: str, row: Row) -> dict[str, Sequence[str]]:
        """Metrics by question, for questions that the setting and the item support."""
        has_sources = row["setting"] not in WITHOUT_SOURCES
        has_works = has_sources and task == WITH_WORKS
        by_question: dict[str, Sequence[str]] = {COMPARE: WINS}
        if has_sources:
            by_question[CLAIMS] = (*SUPPORT, *CITED) if has_works else SUPPORT
        if has_works:
            by_question[GRADES] = RELEVANCE
        if has_nuggets(task, row):
            by_question[FACTS] = NUGGETS
        chosen = chosen_questions(row["questions"])
        return {name: names for name, names in by_question.items() if not chosen or name in chosen}

    def judged_by(self, row: Row) -> Sequence[str]:
        """Hash of the facts, since anybody may edit them."""
        path = row["nuggets"]
        return [f"nuggets={hash_file(Path(path))[:8]}"] if path else []

    def questions(self, answer: str, row: Row) -> Iterator[Question]:
        """Questions on facts, claims and works."""
        return ask_about(answer, row, self.judged(row["task"], row))

    def notes(self, answer: str, row: Row) -> dict[str, Any]:
        """The text without introductory lines or words around a title."""
        text = clean_title(answer) if row["task"] == "title" else without_wrapper(answer)
        if row.get("library"):
            return read_citations(text, row)
        return {"read_as": text} if text != answer else {}


def _item(
    row: Row, view: View[WritingArguments], paper: PaperText, examples: dict[str, Example]
) -> Item:
    given, task = view.given, view.task
    works: list[Row] = []
    is_open = given.setting == OPEN
    if task == WITH_WORKS and given.setting not in ("title_only", OPEN):
        padded = getattr(given, "track", "cited") == "padded"
        works = [work for work in row["works"] if padded or work["role"] == "cited"]
    words = view.card.answer_words or 0
    prompt, pool = compose(
        view.prompts,
        task,
        slots(task, given.setting, paper),
        examples=[examples[paper_id] for paper_id in _demonstrations(row, view)],
        works=works,
        values={"words": words},
        template=TEMPLATE if is_open else None,
    )
    metadata: dict[str, Any] = {
        **({"published_from": source} if (source := row.get("published_from")) else {}),
        "title": paper.title,
        "task": task,
        "setting": given.setting,
        "prompts": view.prompts.place,
        "blocks": [list(span) for span in prompt.blocks],
        "pool": [[label, *span] for label, span in pool],
        "words": words,
    }
    if parts := prompt.parts:
        metadata["parts"] = {name: list(span) for name, span in parts.items()}
        metadata["adds"] = "example" if given.setting in DEMONSTRATED else "work"
    if task == WITH_WORKS:
        numbered = list(enumerate(works, 1))
        metadata["works"] = [work["title"] for work in works]
        metadata["cited"] = [number for number, work in numbered if work["role"] == "cited"]
        metadata["citations"] = [work["citations"] for work in works]
    if is_open:
        metadata |= describe_open(row, view.round)
    return Item(row["id"], prompt, row["reference"], metadata)


def _demonstrations(row: Row, view: View[WritingArguments]) -> list[str]:
    return shown_demos(row, view.given.setting, view.given.demos or 0)


_SHARED = Writing()
TASKS = dict.fromkeys(inputs.TASKS, _SHARED) | {WITH_WORKS: Writing(RelatedWorkArguments)}


def _measure(pairs: Sequence[Pair], options: ScoreOptions) -> Measured:
    references = [pair.gold.require("reference", str, "a text") for pair in pairs]
    answers = [
        (clean_title if is_title(reference) else without_wrapper)(pair.text() or "")
        for pair, reference in zip(pairs, references, strict=True)
    ]
    overlaps = [
        rouge(answer, reference, stem=options.stem)
        for answer, reference in zip(answers, references, strict=True)
    ]
    names = ("rouge1", "rouge2", "rougeL")
    shares = {name: means_of([one[name] for one in overlaps]) for name in names}
    for name, metric in metrics_of("writing").items():
        if metric.compute:
            given = zip(pairs, answers, references, strict=True)
            shares[name] = means_of([_value(metric, *each) for each in given])
    settings: dict[str, object] = {"stem": options.stem}
    if options.bertscore:
        from vivavoce.metrics.neural import NAMES, BertScorer

        scorer = BertScorer(options.bertscore, layer=options.layer)
        scores = scorer.score(list(zip(answers, references, strict=True)))
        for name in NAMES:
            shares[name] = means_of([values[name] for values in scores])
        settings.update(bertscore=options.bertscore, layer=scorer.layer)
    return Measured(shares, settings=settings)


def _value(metric: Metric, pair: Pair, answer: str, reference: str) -> float | None:
    try:
        return (
            metric.of(answer, {**pair.gold.row, "target": reference}) if answer else metric.failed
        )
    except FaultyAnswer:
        return metric.failed


SCORE_FAMILIES = (
    ScoreFamily(
        name="writing",
        summary="texts: ROUGE, and BERTScore with --bertscore",
        gold='{"id": 1, "reference": "..."}',
        prediction='{"id": 1, "text": "..."}',
        uses=("stem", "bertscore", "layer"),
        measure=_measure,
    ),
)
