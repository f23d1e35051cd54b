"""Model cutoffs: until when a model's training data reach, and which items it may have seen.

What a maker states is the best there is, and no proof: data after the cutoff get into a model too,
and a paper circulates before its date. So the days after a cutoff are a margin of their own.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pydantic import ConfigDict

from vivavoce.checking import Name
from vivavoce.errors import InputError, NoItemsError
from vivavoce.models import read_models
from vivavoce.text.dates import parse_date, period

if TYPE_CHECKING:
    from inspect_ai import Task

VARIABLE = "VIVAVOCE_CUTOFFS"
"""Names a user's own file of cutoffs."""
NEVER = "never"
"""The cutoff of what was not trained."""
UNKNOWN = "unknown"
"""The cutoff of a model of which only other facts are stated."""
MARGIN_DAYS = 30
"""Days after a cutoff whose items may have been seen all the same."""

Status = Literal["clean", "possibly_seen", "seen", "unknown"]
STATUSES: tuple[Status, ...] = ("clean", "possibly_seen", "seen", "unknown")

_SHIPPED = Path(__file__).with_name("cutoffs.toml")
_MAX_NAME = 200
_SEPARATOR = re.compile(r"[._:@\s]")
_FIRST_WORD = re.compile(r"^([a-z]+)-(?=[0-9])")
_POINT = re.compile(r"-v([0-9])p(?=[0-9])")
"""Fireworks' way to write a version, as in llama-v3p1."""
_MAKER = re.compile(r"(?:(?:us|eu|apac|global)-)?(?:anthropic|meta|google|openai|microsoft)-")
_ENDING = re.compile(
    r"""-(?:
    [48]bit | 20[0-9]{2}-[0-9]{2}-[0-9]{2} | [0-9]{2}-[0-9]{2}-20[0-9]{2} | [0-9]{2}-20[0-9]{2}
    | [0-9]{2}-[0-9]{2}(?![0-9a-z]) | [0-9]{1,4}[bemk](?:-?[0-9]{1,4}[kb])?(?:-1-0)? | [0-9]{3,8}
    | v[0-9](?:-[0-9](?![0-9]))? | latest | preview | exp | instruct | chat | it | hf | thinking
    | turbo | free | instant | versatile | qat | bnb | int[48] | quantized | dynamic
    | w[48]a(?:8|16) | fp8 | fp16 | bf16 | awq | gptq | gguf | q[0-9](?:-[0-9k])?(?:-[msl])?
    )(?![0-9a-z])""",
    re.VERBOSE,
)
"""An ending after a model's name that leaves it the same model."""


@dataclass(frozen=True, slots=True)
class Cutoff:
    """Facts known of a model's training data."""

    name: str
    """The name of the entry, as its file has it."""
    date: str
    """`YYYY-MM-DD`, `YYYY-MM` or `YYYY`, `never`, or `unknown`."""
    source: str | None = None
    """Place of the statement."""
    about: Mapping[str, Any] = field(default_factory=dict)
    """Further facts in its file: maker, open_weights, size, released."""


@dataclass(frozen=True, slots=True)
class Cutoffs:
    """Files of cutoffs, the first that knows a model counts."""

    files: tuple[tuple[Cutoff, ...], ...]
    margin_days: int = MARGIN_DAYS

    def __post_init__(self) -> None:
        if not 0 <= self.margin_days <= 3_660:
            raise InputError(f"A margin of {self.margin_days} days is not one from 0 to 3660.")

    def of(self, model: str) -> Cutoff | None:
        """The cutoff of a `provider/model`; None when no file knows it."""
        for entries in self.files:
            fitting = [entry for entry in entries if _fits(entry.name, model)]
            if fitting:
                return max(fitting, key=lambda entry: (len(entry.name), entry.name))
        return None

    def status(self, published: str | None, model: str) -> Status:
        """Status of an item of a date for a model that may have seen it."""
        return status_of(published, self.of(model), self.margin_days)


def load_cutoffs(path: Path | None = None, margin_days: int = MARGIN_DAYS) -> Cutoffs:
    """The cutoffs of a file, then those of the user's own, then the shipped ones.

    Raises:
        InputError: A file is missing or not of the form of the shipped one.
    """
    own = os.environ.get(VARIABLE)
    paths = [path] if path else []
    paths += [Path(own)] if own else []
    form = "a file of cutoffs ([[model]] with name, cutoff, source)"
    tables = []
    for found in (*paths, _SHIPPED):
        tables.append(tuple(_cutoff(entry, found) for entry in read_models(found, _Entry, form)))
    return Cutoffs(tuple(tables), margin_days)


def status_of(
    published: str | None, cutoff: Cutoff | None, margin_days: int = MARGIN_DAYS
) -> Status:
    """Status of an item of a date for a model: seen in training or not.

    `clean` when every day its date can mean lies more than the margin after the cutoff. `seen`
    when all of them lie before the cutoff began. `possibly_seen` otherwise: within the margin, or
    where only a month or a year is known of either date.

    An undated item has an empty date, or None; `margin_days` after the cutoff are not clean.

    Raises:
        InputError: The date is none.
    """
    if cutoff is not None and cutoff.date == NEVER:
        return "clean"
    if cutoff is None or cutoff.date == UNKNOWN or not published:
        return "unknown"
    first, after = period(published)
    begins, ends = period(cutoff.date)
    if after <= begins:
        return "seen"
    room = timedelta(days=margin_days)
    is_clean = ends <= date.max - room and first >= ends + room
    return "clean" if is_clean else "possibly_seen"


def clean_items(
    items: Iterable[Mapping[str, Any]], models: Sequence[str], cutoffs: Cutoffs
) -> list[Mapping[str, Any]]:
    """The items, in their order, that are clean for every one of some models.

    Raises:
        InputError: The cutoff of a model is not known; the message says how to add it.
    """
    known = [_known(model, cutoffs) for model in models]
    return [
        item
        for item in items
        if all(status_of(item.get("published"), c, cutoffs.margin_days) == "clean" for c in known)
    ]


def take_clean(task: Task, models: Sequence[str], cutoffs: Cutoffs) -> Task:
    """A task with the samples that are clean for every one of some models; its logs say so.

    All contestants of a run answer the same items when they are given the same models. A task of
    which every item is clean is left as it is.

    Raises:
        InputError: A model's cutoff is not known, or no item is clean.
    """
    from inspect_ai import task_with

    items = [{"id": s.id, "published": (s.metadata or {}).get("published")} for s in task.dataset]
    clean = {item["id"] for item in clean_items(items, models, cutoffs)}
    if not clean:
        raise NoItemsError(
            f"No item of {task.name} is clean for {', '.join(models)}: all {len(items)} are from "
            f"before the cutoff, within {cutoffs.margin_days} days of it, or undated. Build a "
            "later round."
        )
    if len(clean) == len(items):
        return task
    metadata = task.metadata or {}
    stated = {model: _known(model, cutoffs).date for model in models}
    return task_with(
        task,
        dataset=task.dataset.filter(lambda sample: sample.id in clean),
        name=f"{task.name}-clean-{len(clean)}-of-{len(items)}",
        metadata={
            **metadata,
            "setting": f"{metadata['setting']} (clean, {len(clean)} of {len(items)})",
            "clean": {"cutoffs": stated, "margin_days": cutoffs.margin_days, "of": len(items)},
        },
    )


def _known(model: str, cutoffs: Cutoffs) -> Cutoff:
    found = cutoffs.of(model)
    if found is None or found.date == UNKNOWN:
        raise InputError(
            f"Nothing is known of the training data of {model}. State its cutoff in a file with "
            f'[[model]] name = "{model}" and cutoff = "YYYY-MM", and pass --cutoffs FILE.'
        )
    return found


def _fits(name: str, model: str) -> bool:
    """Check whether an entry's name is a model's, or the model is a release of it."""
    if len(model) > _MAX_NAME:
        return False
    if "*" in name:
        return fnmatchcase(model.lower(), name.lower())
    if name.lower() == model.lower():
        return True
    if "/" in name:
        return False
    own = model.rpartition("/")[2].lower()
    own = _plain(own.split(":")[1] if own.startswith("ft:") else own)
    own = _joined(own[found.end() :] if (found := _MAKER.match(own)) else own)
    wanted = _joined(_plain(name))
    if not own.startswith(wanted):
        return False
    position = len(wanted)
    while ending := _ENDING.match(own, position):
        position = ending.end()
    return position == len(own)


def _plain(name: str) -> str:
    return _POINT.sub(r"-\1-", _SEPARATOR.sub("-", name.lower()))


def _joined(name: str) -> str:
    """A plain name with its version glued to the first word, as in llama3-1 for llama-3-1."""
    return _FIRST_WORD.sub(r"\1", name)


@dataclass(frozen=True, slots=True)
class _Entry:
    """A table of a file of cutoffs."""

    __pydantic_config__ = ConfigDict(extra="forbid", str_strip_whitespace=True)

    name: Name
    cutoff: Any = None
    source: str | None = None
    accessed: Any = None
    maker: str | None = None
    open_weights: bool | None = None
    size: str | None = None
    released: Any = None


def _cutoff(entry: _Entry, path: Path) -> Cutoff:
    about = {
        "maker": entry.maker,
        "open_weights": entry.open_weights,
        "size": entry.size,
        "released": _day(entry, path, "released") if entry.released is not None else None,
    }
    is_word = entry.cutoff in (NEVER, UNKNOWN)
    return Cutoff(
        entry.name,
        entry.cutoff if is_word else _day(entry, path, "cutoff"),
        entry.source,
        {name: fact for name, fact in about.items() if fact is not None},
    )


def _day(entry: _Entry, path: Path, field: str) -> str:
    parsed = parse_date(getattr(entry, field))
    if parsed is None:
        words = ", never or unknown" if field == "cutoff" else ""
        raise InputError(
            f"{path}: {entry.name} has the {field} {getattr(entry, field)!r}. Write YYYY-MM-DD, "
            f"YYYY-MM or YYYY{words}."
        )
    return parsed[0]
