"""The kinds of campaign: what an item shows, what is asked about it, and with which keys.

A kind is an entry of `KINDS`; nothing else asks which kinds there are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import resources

from vivavoce.errors import InputError
from vivavoce.store import Row
from vivavoce.web.annotation import content as parts
from vivavoce.web.annotation import labels

GROUP = "group"
"""A part of any item's content that no annotator sees; final labels are counted by it."""

Label = Mapping[str, str]
"""What a person decides: a value for every field of the kind."""


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
    def values(self) -> tuple[str, ...]:
        """What can be answered."""
        return tuple(option.value for option in self.options)


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of campaign."""

    name: str
    title: str
    task: str
    """What a person is asked to do, in one sentence."""
    fields: tuple[Field, ...]
    content: Mapping[str, parts.Check]
    """What an item must hold."""
    optional: Mapping[str, parts.Check] = field(default_factory=dict)
    """What it may hold."""
    hidden: tuple[str, ...] = ()
    """Parts of the content that no annotator sees, beside the group."""
    sides: tuple[str, str] | None = None
    """Two parts of the content that change places for half of the people."""
    check_whole: Callable[[Row], None] | None = None
    """What must hold between the parts of the content; raises `ValueError`."""
    label_rows: labels.LabelRows = labels.final_label
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
        for name, check in {**self.optional, GROUP: parts.name}.items():
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
    fields=(
        Field(
            "decision",
            "By the demand and the papers of the table: should this paper be in the table?",
            (Option("include", "Include", "i"), Option("exclude", "Exclude", "e")),
        ),
    ),
    content={"demand": parts.text, "references": parts.papers, "candidate": parts.paper},
    optional={"table": parts.name, "paper": parts.name, "columns": parts.texts, "rows": parts.grid},
    # They say which paper prints the table.
    hidden=("table", "paper"),
    check_whole=parts.rectangular,
    label_rows=labels.paper_decision,
)
_DEMANDS = Kind(
    name="demands",
    title="Demands",
    task="Check the request that a literature table is asked for with.",
    fields=(
        _yes_no("self_contained", "Can it be understood without the caption?", "1q"),
        _yes_no("goal_oriented", "Does it say what the table is wanted for?", "2w"),
        _yes_no("one_or_two_sentences", "Is it one sentence or two?", "3e"),
        _yes_no("non_leaking", "Does it keep column names and cell values to itself?", "4r"),
        _yes_no("offensive", "Is anything in it offensive?", "5t", wanted="no"),
    ),
    content={"caption": parts.maybe_text, "demand": parts.text},
    optional={"columns": parts.texts, "titles": parts.texts},
    label_rows=labels.acceptance,
)
_QA = Kind(
    name="qa",
    title="Questions and answers",
    task="Check a question and its answer against their source.",
    fields=(
        _yes_no("grounded", "Is the question about what the source says?", "gh"),
        _yes_no("right", "Is the answer right by the source?", "rw"),
    ),
    content={"question": parts.text, "answer": parts.text},
    optional={
        "caption": parts.maybe_text,
        "columns": parts.texts,
        "rows": parts.grid,
        "passage": parts.text,
    },
    check_whole=parts.has_source,
)
_PREFERENCE = Kind(
    name="preference",
    title="Preference",
    task="Decide which of two texts serves better.",
    fields=(
        Field(
            "verdict",
            "Which text is better?",
            (Option("a", "Text A", "a"), Option("b", "Text B", "b"), Option("tie", "Tie", "t")),
        ),
    ),
    content={"prompt": parts.text, "a": parts.text, "b": parts.text},
    optional={"names": parts.side_names, "source": parts.sample},
    hidden=("names", "source"),
    sides=("a", "b"),
    label_rows=labels.verdicts,
)

KINDS = {kind.name: kind for kind in (_DISTRACTORS, _DEMANDS, _QA, _PREFERENCE)}
