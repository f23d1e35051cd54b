"""Cutoffs of models' training data, and the status of items relative to them.

A maker's statement is the best evidence, but no proof: later data can get into a model, and papers
circulate before their date. So some days after a cutoff count as a separate margin.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BeforeValidator, ConfigDict, Field

from vivavoce.checking import Name
from vivavoce.errors import InputError, NoItemsError
from vivavoce.models import read_models
from vivavoce.text.dates import date_in, period

if TYPE_CHECKING:
    from inspect_ai import Task

VARIABLE = "VIVAVOCE_CUTOFFS"
"""Environment variable with the path of the user's own file of cutoffs."""
NEVER = "never"
"""Cutoff for a system without training."""
UNKNOWN = "unknown"
"""Cutoff for a model whose maker states none."""
MARGIN_DAYS = 30
"""Number of days after a cutoff in which items may still have been seen."""

Status = Literal["clean", "possibly_seen", "seen", "unknown"]
STATUSES: tuple[Status, ...] = ("clean", "possibly_seen", "seen", "unknown")

_SHIPPED = Path(__file__).with_name("cutoffs.toml")
_MAX_NAME = 200
_SEPARATOR = re.compile(r"[._:@\s]")
_FIRST_WORD = re.compile(r"^([a-z]+)-(?=[0-9])")
_POINT = re.compile(r"-v([0-9])p(?=[0-9])")
"""Version in Fireworks' notation, as in llama-v3p1."""
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
"""Suffixes of a model's name that do not change the model."""


def _day(value: Any) -> str:
    if (day := date_in(value)) is None:
        raise ValueError("write YYYY-MM-DD, YYYY-MM or YYYY; for a cutoff also never or unknown")
    return day


def _day_or_word(value: Any) -> str:
    return str(value) if value in (NEVER, UNKNOWN) else _day(value)


@dataclass(frozen=True, slots=True)
class Cutoff:
    """Known facts about a model's training data, as an entry of a file states them."""

    __pydantic_config__ = ConfigDict(extra="forbid", str_strip_whitespace=True)

    name: Name
    """Name of the entry in its file."""
    date: Annotated[str, Field(alias="cutoff"), BeforeValidator(_day_or_word)]
    """`YYYY-MM-DD`, `YYYY-MM` or `YYYY`, `never`, or `unknown`."""
    source: str | None = None
    """Source of the statement."""
    accessed: Any = None
    """Day on which the source said so."""
    maker: str | None = None
    open_weights: bool | None = None
    size: str | None = None
    released: Annotated[str, BeforeValidator(_day)] | None = None

    @property
    def about(self) -> dict[str, Any]:
        """Facts about the model itself that the entry states."""
        named = ((name, getattr(self, name)) for name in _ABOUT)
        return {name: fact for name, fact in named if fact is not None}


_ABOUT = ("maker", "open_weights", "size", "released")


@dataclass(frozen=True, slots=True)
class Cutoffs:
    """Files of cutoffs; the first file with a matching entry counts."""

    files: tuple[tuple[Cutoff, ...], ...]
    margin_days: int = MARGIN_DAYS

    def __post_init__(self) -> None:
        if not 0 <= self.margin_days <= 3_660:
            raise InputError(f"The margin of {self.margin_days} days is not between 0 and 3660.")

    def of(self, model: str) -> Cutoff | None:
        """Find the cutoff of a `provider/model`; None if no file has one."""
        for entries in self.files:
            fitting = [entry for entry in entries if _fits(entry.name, model)]
            if fitting:
                return max(fitting, key=lambda entry: (len(entry.name), entry.name))
        return None


def load_cutoffs(path: Path | None = None, margin_days: int = MARGIN_DAYS) -> Cutoffs:
    """Load the cutoffs from a file, then the user's own file, then the shipped file."""
    own = os.environ.get(VARIABLE)
    paths = [path] if path else []
    paths += [Path(own)] if own else []
    form = "a file of cutoffs ([[model]] with name, cutoff, source)"
    tables = (tuple(read_models(file, Cutoff, form)) for file in (*paths, _SHIPPED))
    return Cutoffs(tuple(tables), margin_days)


def status_of(
    published: str | None, cutoff: Cutoff | None, margin_days: int = MARGIN_DAYS
) -> Status:
    """Tell whether a model may have seen an item in training, from the item's date.

    `clean` if every day that the item's date can mean is after the cutoff and its margin. `seen` if
    all of these days are before the cutoff's first day. Otherwise `possibly_seen`: the date is
    within the margin, or one of the dates is only a month or a year.

    If the item's date is empty or None, the status is `unknown`.

    Raises:
        InputError: `published` is not a date.
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
    """Select the items that are clean for all models; `InputError` for an unknown cutoff."""
    known = [_known(model, cutoffs) for model in models]
    return [
        item
        for item in items
        if all(status_of(item.get("published"), c, cutoffs.margin_days) == "clean" for c in known)
    ]


def take_clean(task: Task, models: Sequence[str], cutoffs: Cutoffs) -> Task:
    """Restrict a task to samples that are clean for all of these models; the task's logs say so.

    With the same models, all contestants in a run answer the same items. A task whose items are all
    clean is returned unchanged. `InputError` if a cutoff is unknown or no item is clean.
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
    cutoff = cutoffs.of(model)
    if cutoff is None or cutoff.date == UNKNOWN:
        raise InputError(
            f"The training cutoff of {model} is unknown. State it in a file with "
            f'[[model]] name = "{model}" and cutoff = "YYYY-MM", and pass --cutoffs FILE.'
        )
    return cutoff


def _fits(name: str, model: str) -> bool:
    """Check whether an entry's name means a model, or a model of which this one is a release."""
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
    own = _joined(own[maker.end() :] if (maker := _MAKER.match(own)) else own)
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
    """Join the version to the first word of a plain name: llama-3-1 becomes llama3-1."""
    return _FIRST_WORD.sub(r"\1", name)
