"""Questions to a judge about a written part of a paper: its facts, its claims, the works it cites.

No judge is asked about claims if the prompt shows nothing to compare them with, as in the setting
`title_only`. Facts and works, whose order may sway a judge, are reordered, so that their position
in a request does not reveal that in the gold.

The facts that gold sections state are in a separate JSON Lines file beside a frozen round. Its
first line names the round with its hash, the model, and the hash of its template. Each other line
is {task, id, nuggets: [{text, importance, quote}]}. It also counts facts `dropped` because the
section does not have their quote. People may edit texts, importance and quotes.

Source: vital and okay facts: Voorhees 2003, "Overview of the TREC 2003 Question Answering Track",
section 4; facts by a model: Pradeep et al. 2024, "Initial Nugget Evaluation Results for the TREC
2024 RAG Track", section 3. The quote is ours.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, TypeAdapter, ValidationError

from vivavoce.checking import checked
from vivavoce.errors import InputError
from vivavoce.metrics.citation_list import find_citations
from vivavoce.metrics.judged_text import CLAIM_LABELS, NUGGET_LABELS, OWN, read_claims
from vivavoce.metrics.judged_text import GRADES as GRADE_LABELS
from vivavoce.rounds import Round, load_round
from vivavoce.store import Row, hash_of, read_jsonl
from vivavoce.tasks.scoring import COMPARE, Question, target_source
from vivavoce.tasks.writing.citations import show_works
from vivavoce.tasks.writing.inputs import FAMILY, PARTS
from vivavoce.text.normalise import PLAIN_MARKS

MAX_FACTS = 30
"""Maximum facts of one section that a model is asked for."""
_MAX_NUGGETS = 200
_MAX_TEXT = 2_000

_Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=_MAX_TEXT)]
_CLOSED = ConfigDict(extra="forbid", frozen=True)


class Nugget(BaseModel):
    """A fact of a gold section."""

    model_config = _CLOSED
    text: _Text
    importance: Literal["vital", "okay"]
    quote: _Text
    """Words of the section that state the fact."""


class NuggetHeader(BaseModel):
    """The first line of a file of nuggets."""

    model_config = _CLOSED
    round: str
    sha256: str
    model: str
    template: str


class Section(BaseModel):
    """The facts of one gold section."""

    model_config = _CLOSED
    task: str
    id: str
    nuggets: Annotated[tuple[Nugget, ...], Field(max_length=_MAX_NUGGETS)]
    dropped: int = 0
    """Number of facts dropped because the section does not have the model's quote."""
    fault: str | None = None

    @property
    def key(self) -> tuple[str, str]:
        """The item: task and id."""
        return self.task, self.id


def holds(section: str, quote: str) -> bool:
    """Check whether a section has a passage, whatever its spaces, dashes and quotation marks."""
    return _plain(quote) in _plain(section)


def _plain(text: str) -> str:
    return " ".join(text.translate(PLAIN_MARKS).split()).casefold()


_LISTED: TypeAdapter[list[Any]] = TypeAdapter(Annotated[list[Any], Field(max_length=_MAX_NUGGETS)])


def read_reply(value: Any, section: str) -> tuple[list[Nugget], int] | None:
    """Read the facts in a model's decoded JSON, and count the dropped ones; None without a list.

    A fact is dropped if it lacks the requested form, or the section does not have its quote.
    """
    try:
        listed = _LISTED.validate_python(value["nuggets"] if isinstance(value, dict) else None)
    except (KeyError, ValidationError):
        return None
    nuggets: dict[str, Nugget] = {}
    for each in listed:
        try:
            nugget = Nugget.model_validate(each)
        except ValidationError:
            continue
        if holds(section, nugget.quote):
            nuggets.setdefault(_plain(nugget.text), nugget)
    return list(nuggets.values()), len(listed) - len(nuggets)


def read_file(path: Path) -> tuple[NuggetHeader, list[Section]]:
    """Read the header and sections of a file of nuggets; `InputError` names an invalid line."""
    if not path.is_file():
        raise InputError(f"{path} is not a file of nuggets. Write one: viva round nuggets ROUND.")
    rows = list(read_jsonl(path))
    if not rows:
        raise InputError(f"{path} is empty. Write it anew: viva round nuggets ROUND.")
    header = checked(NuggetHeader, rows[0][1], f"{path}:1")
    return header, [checked(Section, row, f"{path}:{number}") for number, row in rows[1:]]


def check_nuggets(path: Path, opened: Round) -> tuple[NuggetHeader, list[Section]]:
    """Read the file of nuggets that a run names for a round.

    `InputError` if it is not a file of nuggets, belongs to another round, or has a quote that is
    not in its section.
    """
    header, sections = read_file(path)
    if header.sha256 != opened.sha256:
        raise InputError(
            f"{path} has the facts of the round {header.round} ({header.sha256[:8]}), not of "
            f"{opened.id} ({opened.sha256[:8]}). Write them: viva round nuggets {opened.folder}."
        )
    golds = {task: opened.items_by_id(FAMILY, task) for task in {each.task for each in sections}}
    for number, section in enumerate(sections, 2):
        item = golds[section.task].get(section.id)
        if item is None:
            raise InputError(f"{path}:{number}: round {opened.id} has no item {section.id}.")
        for nugget in section.nuggets:
            if not holds(item["reference"], nugget.quote):
                raise InputError(
                    f"{path}:{number}: the section does not hold {nugget.quote[:80]!r}. Quote it "
                    "as it stands, or take the fact out."
                )
    return header, sections


def nugget_rows(folder: Path, path: Path) -> list[tuple[Row, str]]:
    """Items of a campaign in which people confirm facts, each with its place in the file."""
    opened = load_round(folder)
    _, sections = check_nuggets(path, opened)
    golds = {task: opened.items_by_id(FAMILY, task) for task in {each.task for each in sections}}
    return [
        (
            {
                "id": key_of(section, nugget),
                "cluster": section.id,
                "content": {
                    "fact": nugget.text,
                    "quote": nugget.quote,
                    "section": golds[section.task][section.id]["reference"],
                    "suggestion": {"stated": "yes", "importance": nugget.importance},
                },
            },
            f"{path}:{number}",
        )
        for number, section in enumerate(sections, 2)
        for nugget in section.nuggets
    ]


def key_of(section: Section, nugget: Nugget) -> str:
    """Name of a fact in a campaign; a changed text makes another fact."""
    return f"{section.task} {section.id} {hash_of(nugget.text)[:8]}"


class _Label(BaseModel):
    """People's final label for a fact, as in a campaign's export."""

    model_config = ConfigDict(extra="ignore")
    id: str
    stated: Literal["yes", "no"]
    importance: Literal["vital", "okay"]


def confirm(path: Path, labels: Path, opened: Round) -> tuple[list[Section], int]:
    """Apply people's labels to the sections of a file; also count the facts that are removed.

    Facts that people label as not stated are removed; others get the importance that people give.
    """
    _, sections = check_nuggets(path, opened)
    by_people = [checked(_Label, row, f"{labels}:{number}") for number, row in read_jsonl(labels)]
    known = {label.id: label for label in by_people}
    confirmed, gone = [], 0
    for section in sections:
        pairs = [(nugget, known.get(key_of(section, nugget))) for nugget in section.nuggets]
        left = [
            nugget.model_copy(update={"importance": label.importance}) if label else nugget
            for nugget, label in pairs
            if label is None or label.stated == "yes"
        ]
        gone += len(pairs) - len(left)
        confirmed.append(section.model_copy(update={"nuggets": tuple(left)}))
    return confirmed, gone


def nuggets_of(path: str, task: str, item: str | None = None) -> tuple[Nugget, ...]:
    """Facts of one item, or of all items of a task; empty if the file has none."""
    by_item = _by_item(path, Path(path).stat().st_mtime_ns)
    keys = [(task, item)] if item is not None else [key for key in by_item if key[0] == task]
    return tuple(nugget for key in keys for nugget in by_item.get(key, ()))


@lru_cache(maxsize=4)
def _by_item(path: str, changed: int) -> Mapping[tuple[str, str], tuple[Nugget, ...]]:
    """Facts by task and id; read again only when the file changes."""
    return {section.key: section.nuggets for section in read_file(Path(path))[1]}


CLAIMS, FACTS, GRADES = "claims", "nuggets", "relevance"
WITHOUT_SOURCES = ("title_only",)
"""Settings whose prompt shows nothing that could support a claim."""
QUESTIONS = (COMPARE, FACTS, CLAIMS, GRADES)
_MAX_WORK = 1_500
"""Maximum characters shown of a work that a judge grades."""
_WORK = re.compile(r"work ([0-9]{1,6})")
_OWN_SLOTS = ("title", "abstract")


def chosen_questions(given: str | None) -> tuple[str, ...]:
    """Names of the questions that a run asks for; empty if it asks for all."""
    return tuple(given.split("+")) if given else ()


def check_questions(given: str | None, nuggets: str | None, *, is_judged: bool) -> None:
    """Raise `InputError` for unknown questions, and for questions that nobody could answer."""
    chosen = chosen_questions(given)
    if unknown := [name for name in chosen if name not in QUESTIONS]:
        known = ", ".join(QUESTIONS)
        raise InputError(f"There is no question {unknown[0]!r}. There are: {known}.")
    if (chosen or nuggets) and not is_judged:
        raise InputError("Questions and nuggets need a judge: add --judge MODEL.")
    if FACTS in chosen and not nuggets:
        raise InputError("The question nuggets needs their file: -T nuggets=FILE.")


def has_nuggets(task: str, row: Row) -> bool:
    """Check whether there are facts for an item, or for the whole task if no item is named."""
    path = row["nuggets"]
    return bool(path) and bool(nuggets_of(path, task, row.get("id")))


def ask_about(answer: str, row: Row, asked: Collection[str]) -> Iterator[Question]:
    """The questions about an answer; a question without lines to label is put to nobody."""
    made = {FACTS: _facts, CLAIMS: _claims, GRADES: _grades}
    for name in asked:
        if name in made:
            yield replace(made[name](answer, row), values={"kind": PARTS[row["task"]]})


def _facts(answer: str, row: Row) -> Question:
    nuggets = sorted(
        nuggets_of(row["nuggets"], row["task"], row["id"]), key=lambda one: hash_of(repr(one))
    )
    about = [nugget.importance for nugget in nuggets]
    lines = [nugget.text for nugget in nuggets]
    return Question(FACTS, lines, NUGGET_LABELS, {"answer": answer}, about, cut=("answer",))


def _claims(answer: str, row: Row) -> Question:
    works = _works(row)
    claims = read_claims(answer, row.get("works", ()))
    slots = {"source": target_source(row["prompt"], _own_spans(row))}
    if works:
        cited = sorted(set().union(*(citations.listed for _, citations in claims)))
        slots["works"] = "\n\n".join(works[number] for number in cited if number in works) or "-"
    return Question(
        CLAIMS,
        [sentence for sentence, _ in claims],
        CLAIM_LABELS if works else [label for label in CLAIM_LABELS if label != OWN],
        slots,
        [(sorted(each.listed), each.unlisted) for _, each in claims if works],
        cut=("works", "source") if works else ("source",),
    )


def _grades(answer: str, row: Row) -> Question:
    works, cited = _works(row), find_citations(answer, row["works"])
    shown = sorted(cited.listed & works.keys(), key=lambda number: hash_of(works[number]))
    lines = [works[number].partition("] ")[2][:_MAX_WORK] for number in shown]
    source = target_source(row["prompt"], _own_spans(row))
    return Question(
        GRADES, lines, GRADE_LABELS, {"source": source}, cited.unlisted, cut=("source",)
    )


def _works(row: Row) -> dict[int, str]:
    """Works by number, as the prompt lists them or a library has them; empty without a list."""
    if row.get("library"):
        return show_works(row)
    spans = {_WORK.fullmatch(name): span for name, span in row.get("parts", {}).items()}
    return {int(match[1]): row["prompt"][slice(*span)] for match, span in spans.items() if match}


def _own_spans(row: Row) -> dict[str, Sequence[int]]:
    """Spans of the sources: title and abstract if works are listed or searched, else all."""
    spans: dict[str, Sequence[int]] = row["spans"]
    if "works" not in spans and not row.get("library"):
        return spans
    return {name: span for name, span in spans.items() if name in _OWN_SLOTS}
