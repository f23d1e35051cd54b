"""The spec of a round: a TOML file, checked before any work."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Collection, Iterator, Mapping
from datetime import date, datetime
from pathlib import Path
from textwrap import wrap
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator
from pydantic_core import PydanticUndefined

from vivavoce.errors import InputError
from vivavoce.records import Paper, Window
from vivavoce.requests import check_local, check_model, nearest
from vivavoce.store import hash_of, read_text
from vivavoce.text.dates import inside

_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_INDENT: dict[str, Any] = {"initial_indent": "## ", "subsequent_indent": "## "}
_OWN_TABLES = ("round", "update")
ROUND_ID = r"[a-z0-9][a-z0-9._-]{0,63}"


class Options(BaseModel):
    """A table of the spec; unknown keys are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)

    @field_validator("*")
    @classmethod
    def _check_path(cls, value: Any) -> Any:
        """Refuse URLs instead of paths."""
        try:
            return check_local(value) if isinstance(value, Path) else value
        except InputError as error:
            raise ValueError(str(error)) from error


class WindowOptions(Options):
    """UTC dates: start inclusive, end exclusive."""

    start: date
    end: date

    @field_validator("start", "end", mode="before")
    @classmethod
    def _check_day(cls, value: Any) -> Any:
        """Refuse times, whose day depends on the time zone, and bare numbers."""
        if isinstance(value, str) and _DAY.fullmatch(value):
            return value
        if isinstance(value, date) and not isinstance(value, datetime):
            return value
        raise ValueError("write a day as YYYY-MM-DD")

    @model_validator(mode="after")
    def _check_order(self) -> WindowOptions:
        if self.start >= self.end:
            raise ValueError("start must be before end")
        return self


class RoundOptions(Options):
    """The `[round]` table."""

    id: str = Field(pattern=rf"^{ROUND_ID}$")
    window: WindowOptions
    seed: int = 0
    families: tuple[str, ...] = Field(min_length=1)
    parent: str | None = None
    sealed: bool = False


class UpdateOptions(Options):
    """The `[update]` table: what updates of the round do. Days count back from an update's end."""

    quota: int | None = Field(default=None, ge=0)
    """New papers after which the walk to new authors ends; left out, every new paper comes."""
    keep_days: int | None = Field(default=None, ge=1)
    """Older papers are dropped."""
    inactive_days: int | None = Field(default=None, ge=1)
    """Authors who published nothing for so long are dropped with their papers."""
    anchors: int = Field(default=0, ge=0)
    """Items of each task that stay the same from round to round."""
    items: Literal["fresh", "window", "cumulative"] = "fresh"
    """Start of an update's window. `fresh`: at the parent's end; papers that came too late are
    asked about as well. `window`: so that it is as long as the parent's. `cumulative`: at the
    parent's start."""


class RoundSpec(BaseModel):
    """A whole spec: the tables `[round]` and `[update]`, and one table per family."""

    model_config = ConfigDict(frozen=True)

    round: RoundOptions
    families: dict[str, Any]
    """Options of each family, as an instance of that family's options model."""
    update: UpdateOptions = UpdateOptions()
    late: frozenset[str] = frozenset()
    """Older papers that are also eligible, because they came too late for earlier rounds."""

    @property
    def window(self) -> Window:
        """The window for the dates of target papers."""
        return Window(self.round.window.start, self.round.window.end)

    def takes(self, paper: Paper) -> bool:
        """Check whether a paper's date makes it eligible."""
        if paper.first_public is None:
            return False
        return paper.paper_id in self.late or inside(paper.first_public, self.window)

    def canonical(self) -> dict[str, Any]:
        """The spec as plain JSON values, with defaults filled in."""
        families = {
            name: options.model_dump(mode="json") for name, options in self.families.items()
        }
        # An empty table is left out, so that older specs keep their hash.
        asked = self.update.model_dump(mode="json") if self.update != UpdateOptions() else None
        update = {"update": asked} if asked else {}
        return {"round": self.round.model_dump(mode="json"), **update, **families}

    @property
    def sha256(self) -> str:
        """Hash of the canonical spec."""
        return hash_of(self.canonical())


def read_spec(path: Path, families: Mapping[str, type[Options]]) -> RoundSpec:
    """Read a spec file; `families` maps each known family to its options model.

    Raises:
        InputError: The file is missing or malformed, a key is unknown (the message names the
            nearest known key), or a value is not allowed.
    """
    values = read_toml(path)
    return parse_spec(values, families, where=str(path))


def read_toml(path: Path, hint: str = "") -> dict[str, Any]:
    """Read a TOML file; if the file is missing, the `InputError` ends with the hint."""
    try:
        return tomllib.loads(read_text(path, hint))
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{path} is not readable TOML: {error}") from error


def parse_spec(
    values: Mapping[str, Any], families: Mapping[str, type[Options]], *, where: str = "spec"
) -> RoundSpec:
    """Check a spec, given as plain values, with the options model of each family.

    Every message begins with `where`. `InputError` names an unknown or invalid table, key or value,
    and the nearest known name.
    """
    for table in values:
        if table not in (*_OWN_TABLES, *families):
            raise InputError(
                f"{where}: [{table}] is unknown.{nearest(table, [*_OWN_TABLES, *families])}"
            )
    options = check_model(RoundOptions, values.get("round", {}), f"{where}: [round]")
    wanted = list(dict.fromkeys(options.families))
    for family in wanted:
        if family not in families:
            known = ", ".join(families)
            raise InputError(f"{where}: there is no family {family!r}. There are: {known}.")
    for table in values:
        if table not in (*_OWN_TABLES, *wanted):
            raise InputError(
                f"{where}: there is a table [{table}], but {table} is not among the families."
            )
    parsed = {
        family: check_model(families[family], values.get(family, {}), f"{where}: [{family}]")
        for family in sorted(wanted)
    }
    update = check_model(UpdateOptions, values.get("update", {}), f"{where}: [update]")
    return RoundSpec(round=options, families=parsed, update=update)


def spec_text(head: Mapping[str, Any], families: Mapping[str, type[Options]]) -> str:
    """Write the text of a spec file: `[round]` as given, and all other options with defaults.

    Each family listed in `head` gets a table; `InputError` for an invalid value or family.
    """
    parse_spec({"round": head}, families, where="The new spec")
    tables: dict[str, type[Options]] = {name: families[name] for name in sorted(head["families"])}
    tables["update"] = UpdateOptions
    parts = [
        "# A round of Viva Voce. A line that begins with # and a name holds that option's default."
    ]
    parts += ["", "[round]", *(f"{name} = {_toml(value)}" for name, value in head.items())]
    parts += _commented(RoundOptions, leave_out=head)
    for name, model in tables.items():
        parts += ["", f"[{name}]", *_commented(model)]
    return "\n".join(parts) + "\n"


def _commented(model: type[Options], leave_out: Collection[str] = ()) -> Iterator[str]:
    for name, field in model.model_fields.items():
        if name not in leave_out:
            yield from wrap(" ".join((field.description or "").split()), 96, **_INDENT)
            has_value = field.default not in (None, PydanticUndefined)
            yield f"# {name} = {_toml(field.default)}" if has_value else f"# {name} ="


def _toml(value: Any) -> str:
    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{name} = {_toml(inner)}' for name, inner in value.items())} }}"
    # All other values (strings, numbers, booleans, lists) look the same in TOML as in JSON.
    return value.isoformat() if isinstance(value, date) else json.dumps(value, ensure_ascii=False)
