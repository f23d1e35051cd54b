"""The kinds of campaign: what an item shows, what is asked about it, and with which keys.

A kind is an entry of `KINDS`; nothing else asks which kinds there are. Every check of a part of an
item's content raises `ValueError` that names the part.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import resources
from typing import TYPE_CHECKING

from vivavoce.errors import InputError
from vivavoce.store import Row

if TYPE_CHECKING:
    from vivavoce.web.annotation.records import DecisionRecord
    from vivavoce.web.annotation.tables import Item

Wanted = Mapping[str, str | None]
"""By field, the value that speaks for an item."""
LabelRows = Callable[["Item", Sequence["DecisionRecord"], Wanted], list[Row]]
"""Takes an item and the valid decisions on it."""


def final_label(item: Item, decisions: Sequence[DecisionRecord], wanted: Wanted) -> list[Row]:
    """{id, and a value for every field}; nothing for an item that is not done."""
    return [{"id": item.key, **item.final}] if item.final is not None else []


def paper_decision(item: Item, decisions: Sequence[DecisionRecord], wanted: Wanted) -> list[Row]:
    """{id, table, paper, decision}; table and paper as far as the item names them."""
    named = {name: item.content[name] for name in ("table", "paper") if name in item.content}
    return [row | named for row in final_label(item, decisions, wanted)]


def acceptance(item: Item, decisions: Sequence[DecisionRecord], wanted: Wanted) -> list[Row]:
    """{id, accepted, and a value for every field}: accepted when all speak for the item."""
    return [
        row | {"accepted": all(row[field] == value for field, value in wanted.items())}
        for row in final_label(item, decisions, wanted)
    ]


def verdicts(item: Item, decisions: Sequence[DecisionRecord], wanted: Wanted) -> list[Row]:
    """{id, a, b, verdict} of each of the first pair, as `viva audit judge --human` reads them.

    The second pair is left out: it has seen only what the first was split on.
    """
    source = item.content.get("source")
    place = dict(source) if isinstance(source, dict) else {"id": item.key}
    names = item.content.get("names")
    sides = dict(names) if isinstance(names, dict) else {"a": "a", "b": "b"}
    return [
        {**place, **sides, "verdict": decision.label["verdict"]}
        for decision in decisions
        if decision.stage == "first"
    ]


Check = Callable[[str, object], None]
"""Takes the name of a part and its value."""

MAX_TEXT = 200_000
MAX_NAME = 500
MAX_ENTRIES = 1_000
"""Of a list: papers, columns, rows."""

_SAMPLE_KEYS = {"id", "task", "setting"}


def check_text(name: str, value: object) -> None:
    """Text that says something."""
    check_maybe_text(name, value)
    if not str(value).strip():
        raise ValueError(f"{name!r} is empty")


def check_maybe_text(name: str, value: object) -> None:
    """Text, empty or not."""
    if not isinstance(value, str):
        raise ValueError(f"{name!r} must be text, not {_short(value)}")
    if len(value) > MAX_TEXT:
        raise ValueError(f"{name!r} has {len(value):,} characters; {MAX_TEXT:,} are allowed")


def check_name(name: str, value: object) -> None:
    """A short text, such as an id."""
    check_text(name, value)
    if len(str(value)) > MAX_NAME:
        raise ValueError(f"{name!r} has more than {MAX_NAME} characters")


def check_texts(name: str, value: object) -> None:
    """A list of texts."""
    for place, one in enumerate(_list(name, value)):
        check_maybe_text(f"{name}[{place}]", one)


def check_paper(name: str, value: object) -> None:
    """A paper {title, abstract, paper?, link?}; its abstract may be null or left out."""
    if not isinstance(value, dict):
        raise ValueError(f"{name!r} must be a paper {{title, abstract}}, not {_short(value)}")
    unknown = sorted(value.keys() - {"title", "abstract", "paper", "link"})
    if unknown:
        raise ValueError(f"{name!r} has the unknown part {unknown[0]!r}")
    check_text(f"{name}.title", value.get("title"))
    for part in ("abstract", "paper", "link"):
        if value.get(part) is not None:
            check_maybe_text(f"{name}.{part}", value[part])


def check_papers(name: str, value: object) -> None:
    """A list of papers."""
    for place, one in enumerate(_list(name, value)):
        check_paper(f"{name}[{place}]", one)


def check_grid(name: str, value: object) -> None:
    """Rows of cells; a cell is text or null."""
    for place, row in enumerate(_list(name, value)):
        for column, cell in enumerate(_list(f"{name}[{place}]", row)):
            if cell is not None:
                check_maybe_text(f"{name}[{place}][{column}]", cell)


def check_side_names(name: str, value: object) -> None:
    """Authors of the two texts: {a, b}."""
    if not isinstance(value, dict) or value.keys() != {"a", "b"}:
        raise ValueError(f"{name!r} must be {{a, b}}")
    for side in ("a", "b"):
        check_text(f"{name}.{side}", value[side])
    if value["a"] == value["b"]:
        raise ValueError(f"{name!r} compares {_short(value['a'])} with itself")


def check_sample(name: str, value: object) -> None:
    """The sample that two texts answer: {id, task?, setting?}."""
    if not isinstance(value, dict) or "id" not in value or value.keys() - _SAMPLE_KEYS:
        raise ValueError(f"{name!r} must be {{id, task, setting}}")
    for part in sorted(value):
        check_text(f"{name}.{part}", value[part])


def check_rectangular(content: Row) -> None:
    """Rows need columns, and as many cells."""
    rows, columns = content.get("rows"), content.get("columns")
    if rows is None:
        return
    if columns is None:
        raise ValueError("'rows' needs 'columns'")
    for place, row in enumerate(rows):
        if len(row) != len(columns):
            raise ValueError(f"'rows[{place}]' has {len(row)} cells for {len(columns)} columns")


def check_source(content: Row) -> None:
    """A question needs a table or a passage."""
    check_rectangular(content)
    if "passage" not in content and "rows" not in content:
        raise ValueError("there must be a 'passage', or 'columns' and 'rows'")


def _list(name: str, value: object) -> list[object]:
    if not isinstance(value, list):
        raise ValueError(f"{name!r} must be a list, not {_short(value)}")
    if len(value) > MAX_ENTRIES:
        raise ValueError(f"{name!r} has {len(value):,} entries; {MAX_ENTRIES:,} are allowed")
    return value


def _short(value: object) -> str:
    return repr(value)[:60]


GROUP = "group"
"""A part of any item's content that no annotator sees; final labels are counted by it."""

Label = Mapping[str, str]
"""A decision of a person: a value for every field of the kind."""


@dataclass(frozen=True, slots=True)
class Option:
    """One answer to choose from."""

    value: str
    text: str
    key: str
    """The key on the keyboard that chooses it; no two of a kind are equal."""


@dataclass(frozen=True, slots=True)
class Field:
    """One question about an item."""

    name: str
    question: str
    options: tuple[Option, ...]
    wanted: str | None = None
    """The value that speaks for the item, where one does."""

    @property
    def texts(self) -> dict[str, str]:
        """The name of each value."""
        return {option.value: option.text for option in self.options}

    @property
    def values(self) -> tuple[str, ...]:
        """Possible answers."""
        return tuple(option.value for option in self.options)


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of campaign."""

    name: str
    title: str
    task: str
    """Instruction to the annotator, in one sentence."""
    heading: str
    """Question at the top of an item's page."""
    fields: tuple[Field, ...]
    content: Mapping[str, Check]
    """Parts that an item must hold."""
    optional: Mapping[str, Check] = field(default_factory=dict)
    """Parts that it may hold."""
    hidden: tuple[str, ...] = ()
    """Parts of the content that no annotator sees, beside the group."""
    sides: tuple[str, str] | None = None
    """Two parts of the content that change places for half of the people."""
    check_whole: Callable[[Row], None] | None = None
    """Check of the parts of the content against each other; raises `ValueError`."""
    label_rows: LabelRows = final_label
    """The rows of `labels.jsonl`."""

    @property
    def wanted(self) -> dict[str, str | None]:
        """By field, the value that speaks for an item."""
        return {one.name: one.wanted for one in self.fields}

    @property
    def guidelines(self) -> str:
        """The guidelines that a campaign has unless it brings its own: Markdown."""
        file = resources.files("vivavoce.web.annotation") / "guidelines" / f"{self.name}.md"
        return file.read_text("utf-8")

    def check_content(self, content: Row) -> None:
        """Raise `ValueError` that says which part of an item's content is not as it must be."""
        for name, check in self.content.items():
            if name not in content:
                raise ValueError(f"{name!r} is missing")
            check(name, content[name])
        for name, check in {**self.optional, GROUP: check_name}.items():
            if name in content:
                check(name, content[name])
        unknown = sorted(content.keys() - {*self.content, *self.optional, GROUP})
        if unknown:
            raise ValueError(f"{unknown[0]!r} is no part of an item of this kind")
        if self.check_whole is not None:
            self.check_whole(content)

    def check_label(self, label: object) -> dict[str, str]:
        """A label with its fields in the kind's order.

        Raises:
            InputError: A field is missing or unknown, or has a value that it cannot have.
        """
        if not isinstance(label, Mapping):
            raise InputError(f"A label is an object with the fields {self._fields()}.")
        unknown = sorted(str(name) for name in label if name not in {f.name for f in self.fields})
        if unknown:
            raise InputError(f"{unknown[0]!r} is no field of a label: {self._fields()}.")
        for one in self.fields:
            if label.get(one.name) not in one.values:
                raise InputError(
                    f"{one.name!r} must be one of {', '.join(one.values)}; "
                    f"got {label.get(one.name)!r}."
                )
        return {one.name: str(label[one.name]) for one in self.fields}

    def present(self, content: Row, swapped: bool) -> Row:
        """An item's content as a person sees it."""
        shown = {
            name: value for name, value in content.items() if name not in (*self.hidden, GROUP)
        }
        if self.sides and swapped:
            first, second = self.sides
            shown |= {first: content[second], second: content[first]}
        return shown

    def restore(self, label: Label, swapped: bool) -> dict[str, str]:
        """A label that was given on swapped sides, as it reads on the item's own; and back."""
        if not (self.sides and swapped):
            return dict(label)
        first, second = self.sides
        turned = {first: second, second: first}
        return {name: turned.get(value, value) for name, value in label.items()}

    def _fields(self) -> str:
        return ", ".join(one.name for one in self.fields)


def find_kind(name: str) -> Kind:
    """A kind by its name; `InputError` lists those there are."""
    if name not in KINDS:
        raise InputError(f"No kind of campaign is called {name!r}. There are: {', '.join(KINDS)}.")
    return KINDS[name]


def _yes_no(
    name: str, question: str, keys: str, *, wanted: str = "yes", yes: str = "Yes", no: str = "No"
) -> Field:
    options = (Option("yes", yes, keys[0]), Option("no", no, keys[1]))
    return Field(name, question, options, wanted)


_DISTRACTORS = Kind(
    name="distractors",
    title="Distractors",
    task="Decide whether a paper belongs into a literature table.",
    heading="Does this paper belong in the table?",
    fields=(
        Field(
            "decision",
            "By the demand and the papers of the table: should this paper be in the table?",
            (Option("include", "Include", "i"), Option("exclude", "Exclude", "e")),
        ),
    ),
    content={"demand": check_text, "references": check_papers, "candidate": check_paper},
    optional={"table": check_name, "paper": check_name, "columns": check_texts, "rows": check_grid},
    # They say which paper prints the table.
    hidden=("table", "paper"),
    check_whole=check_rectangular,
    label_rows=paper_decision,
)
_DEMANDS = Kind(
    name="demands",
    title="Demands",
    task="Check the request that a literature table is asked for with.",
    heading="Is this a good demand?",
    fields=(
        _yes_no("self_contained", "Can it be understood without the caption?", "1q"),
        _yes_no("goal_oriented", "Does it say what the table is wanted for?", "2w"),
        _yes_no("one_or_two_sentences", "Is it one sentence or two?", "3e"),
        _yes_no("non_leaking", "Does it keep column names and cell values to itself?", "4r"),
        _yes_no("offensive", "Is anything in it offensive?", "5t", wanted="no"),
    ),
    content={"caption": check_maybe_text, "demand": check_text},
    optional={"columns": check_texts, "titles": check_texts},
    label_rows=acceptance,
)
_QA = Kind(
    name="qa",
    title="Questions and answers",
    task="Check a question and its answer against their source.",
    heading="Is this question grounded, and its answer right?",
    fields=(
        _yes_no("grounded", "Is the question about what the source says?", "gh"),
        _yes_no("right", "Is the answer right by the source?", "rw"),
    ),
    content={"question": check_text, "answer": check_text},
    optional={
        "caption": check_maybe_text,
        "columns": check_texts,
        "rows": check_grid,
        "passage": check_text,
    },
    check_whole=check_source,
)
_PREFERENCE = Kind(
    name="preference",
    title="Preference",
    task="Decide which of two texts serves better.",
    heading="Which text is better?",
    fields=(
        Field(
            "verdict",
            "Which text is better?",
            (Option("a", "Text A", "a"), Option("b", "Text B", "b"), Option("tie", "Tie", "t")),
        ),
    ),
    content={"prompt": check_text, "a": check_text, "b": check_text},
    optional={"names": check_side_names, "source": check_sample},
    hidden=("names", "source"),
    sides=("a", "b"),
    label_rows=verdicts,
)

KINDS = {kind.name: kind for kind in (_DISTRACTORS, _DEMANDS, _QA, _PREFERENCE)}
