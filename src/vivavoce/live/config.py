"""Configuration of a live board: a TOML file, checked completely before any request.

The tables `[round]`, `[update]` and those of the families form a round's spec. Its id and window
come from the schedule. `viva live init` writes a configuration and a workflow that runs it daily.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from datetime import date
from functools import cached_property
from importlib import resources
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from annotated_types import MinLen
from pydantic import ConfigDict, Field, PrivateAttr, ValidationError, model_validator

from vivavoce.errors import InputError
from vivavoce.live import Period, Schedule
from vivavoce.models.cutoffs import Cutoff, Cutoffs, load_cutoffs
from vivavoce.requests import CutoffOptions, SiteOptions, nearest, sentence_of
from vivavoce.requests.run import ModelUse, Patience, parse_price, with_list_prices
from vivavoce.rounds.spec import Options, RoundSpec, parse_spec, read_toml
from vivavoce.running import list_methods
from vivavoce.running.spec import needs_model
from vivavoce.store import write_text
from vivavoce.tasks import builders, find_family, list_families
from vivavoce.text.dates import parse_date

_STRICT = ConfigDict(extra="forbid")
_FREE = ("extractive/", "replay/")
"""Providers that send no requests and so cost nothing."""


class LiveOptions(Options):
    """The `[live]` table."""

    id: str = Field(pattern=r"^[a-z0-9][a-z0-9._-]{0,50}$")
    """Prefix of every round's name, before the period's end."""
    folder: Path = Path()
    """Folder for corpus, rounds, logs and site, relative to the configuration."""
    contact: str | None = None
    """Email address given to the operators of paper servers."""


class SourceOptions(Options):
    """A `[[source]]` of papers."""

    kind: Literal["arxiv", "oai", "metadata", "files"]
    query: str | None = None
    set: str | None = None
    path: Path | None = None
    reader: str | None = None

    @model_validator(mode="after")
    def _check_fields(self) -> SourceOptions:
        needed = {"arxiv": "query", "oai": "set", "metadata": "path", "files": "path"}[self.kind]
        given = {name for name in ("query", "set", "path") if getattr(self, name) is not None}
        if given != {needed}:
            raise ValueError(f"a source of kind {self.kind} takes {needed}")
        if (self.kind == "files") != (self.reader is not None):
            raise ValueError("files, and no other kind, name their reader, such as tei or pdf")
        return self


class TextOptions(Options):
    """The `[texts]` table."""

    fetch: bool = True
    cited: bool = False


@dataclass(frozen=True, kw_only=True)
class RunTable(Patience):
    """The `[run]` table: tasks, settings and retries, the same for every contestant."""

    __pydantic_config__ = _STRICT

    tasks: tuple[str, ...] = ()
    settings: Annotated[tuple[str, ...], MinLen(1)] = ("base",)


@dataclass(frozen=True, kw_only=True)
class ContestantOptions(ModelUse):
    """A `[[contestant]]`: a model with a method, or a method that needs no model."""

    __pydantic_config__ = _STRICT

    name: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9._-]{0,63}$")]
    model: str | None = None
    methods: Annotated[tuple[str, ...], MinLen(1)] = ("direct",)
    """Methods; each task uses those that it supports."""
    price: str | None = None
    cutoff: str | None = None
    joins: date | None = None
    """The contestant's first round is the first one that ends on or after this day."""
    retires: date | None = None
    """The contestant takes part in no round that ends after this day."""

    def takes_part(self, end: date) -> bool:
        """Check whether the contestant takes part in the round with this end."""
        return (self.joins or end) <= end <= (self.retires or end)


class JudgeOptions(Options):
    """The `[judge]` table."""

    model: str
    price: str | None = None


class BudgetOptions(Options):
    """The `[budget]` table, in dollars."""

    period: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    total: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    notice: float = Field(default=0.8, gt=0, le=1)


@dataclass(frozen=True, kw_only=True)
class SiteTable(SiteOptions, CutoffOptions):
    """The `[site]` table, as in `viva board build`."""

    __pydantic_config__ = _STRICT

    samples: Annotated[int, Field(ge=0, le=200)] = 0
    rounds: Literal["none", "ids", "open", "all"] = "none"
    """Form of rounds on the site: none, ids without texts, texts of open papers only, or all."""


_OF_ROUNDS = ("round", "update")
_SCHEDULED = ("id", "window", "parent")


class LiveConfig(Options):
    """A checked configuration: its own tables, and the tables of a round's spec."""

    live: LiveOptions
    schedule: Schedule
    contestant: tuple[ContestantOptions, ...] = Field(min_length=1)
    source: tuple[SourceOptions, ...] = ()
    texts: TextOptions = TextOptions()
    run: RunTable = RunTable()
    judge: JudgeOptions | None = None
    budget: BudgetOptions = BudgetOptions()
    site: SiteTable = SiteTable()
    _path: Path = PrivateAttr()
    _rounds: dict[str, Any] = PrivateAttr()

    @classmethod
    def of(cls, path: Path, values: Mapping[str, Any]) -> LiveConfig:
        """Check the tables of a file.

        Raises:
            InputError: A table, key, task, method, setting or price is unknown or invalid; the
                message names the nearest known one.
        """
        of_rounds = (*_OF_ROUNDS, *list_families())
        own = {name: table for name, table in values.items() if name not in of_rounds}
        if not values.get("round"):
            raise InputError(f"{path} lacks the table [round].")
        try:
            made = cls.model_validate(own)
        except ValidationError as error:
            raise InputError("\n".join(_explain(path, one) for one in error.errors())) from error
        made._path = path
        made._rounds = {name: table for name, table in values.items() if name in of_rounds}
        made.spec(next(made.schedule.periods()))
        if made.is_of_papers and not made.source:
            raise InputError(f"{path} lacks the table [[source]].")
        made._check_run()
        made._check_contestants()
        return made

    @property
    def path(self) -> Path:
        """The configuration file."""
        return self._path

    @property
    def folder(self) -> Path:
        """Folder of all output."""
        return self.path.parent / self.live.folder

    def below(self, path: Path) -> Path:
        """Resolve a path of the configuration relative to its file."""
        return self.path.parent / path

    def round_id(self, period: Period) -> str:
        """Id of a period's round."""
        return f"{self.live.id}-{period.end}"

    def spec(self, period: Period) -> RoundSpec:
        """Spec of a period's round as if it were the first, without a parent."""
        values = dict(self._rounds)
        asked = values["round"]
        for key in _SCHEDULED:
            if key in asked:
                raise InputError(f"{self.path}: [round] {key} is set by [live] and [schedule].")
        window = {"start": period.start.isoformat(), "end": period.end.isoformat()}
        values["round"] = {**asked, "id": self.round_id(period), "window": window}
        options = {name: family.OPTIONS for name, family in builders().items()}
        return parse_spec(values, options, where=str(self.path))

    @cached_property
    def prices(self) -> dict[str, str]:
        """Prices by model, for the models of contestants and judge."""
        priced = {one.model: one.price for one in self.contestant}
        if self.judge:
            priced[self.judge.model] = self.judge.price
        free = {
            model: "0,0"
            for model in priced
            if self.is_limited and model and model.startswith(_FREE)
        }
        given = {model: price for model, price in priced.items() if model and price}
        return with_list_prices(priced, free | given)

    @property
    def is_limited(self) -> bool:
        """True if there is a budget, which needs the price of every model."""
        return self.budget.period is not None or self.budget.total is not None

    @property
    def is_of_papers(self) -> bool:
        """True if any family needs papers; families of a user's own items do not."""
        cards = list_families()
        return any(cards[name].of_papers for name in self._rounds["round"]["families"])

    @property
    def is_sealed(self) -> bool:
        """True if rounds are revealed one period later."""
        return bool(self._rounds["round"].get("sealed", False))

    @cached_property
    def cutoffs(self) -> Cutoffs:
        """Cutoffs from the configuration, followed by those loaded from files."""
        own = tuple(
            Cutoff(one.model, one.cutoff, str(self.path.name))
            for one in self.contestant
            if one.model and one.cutoff
        )
        stated = self.site.cutoffs and self.below(self.site.cutoffs)
        return Cutoffs((own, *load_cutoffs(stated).files), self.site.margin)

    def _check_run(self) -> None:
        cards = list_families()
        wanted = list(dict.fromkeys(self._rounds["round"]["families"]))
        tasks = {
            task: family for family in wanted for task in cards[find_family(family).name].tasks
        }
        for name in self.run.tasks:
            if name not in tasks:
                why = f"{name} is not a task of {', '.join(wanted)}.{nearest(name, sorted(tasks))}"
                raise InputError(f"{self.path}: [run] {why}")
        settings = {s for task, family in tasks.items() for s in cards[family].tasks[task].settings}
        for name in self.run.settings:
            if name not in settings:
                hint = nearest(name, sorted(settings))
                raise InputError(f"{self.path}: [run] no task has a setting {name!r}.{hint}")
        if self.site.samples and self.is_sealed:
            raise InputError(
                f"{self.path}: [site] samples would show the items of sealed rounds. Set it to 0."
            )

    def _check_contestants(self) -> None:
        known = list_methods()
        cards = {name: list_families()[name] for name in self._rounds["round"]["families"]}
        seen: set[str] = set()
        for number, one in enumerate(self.contestant, start=1):
            where = f"{self.path}: [[contestant]] {number}, {one.name}:"
            if one.name in seen:
                raise InputError(f"{where} the name is used twice.")
            seen.add(one.name)
            for method in one.methods:
                if method not in known:
                    hint = nearest(method, list(known))
                    raise InputError(f"{where} there is no method {method!r}.{hint}")
                offering = [name for name in cards if method in cards[name].methods]
                asks = any(needs_model(name, method) for name in offering)
                if asks != (one.model is not None):
                    hint = "needs a model: set model." if asks else "takes no model: leave it out."
                    raise InputError(f"{where} {method} {hint}")
            if one.cutoff and one.cutoff != "never" and parse_date(one.cutoff) is None:
                raise InputError(f"{where} the cutoff {one.cutoff!r} is not a date. Write YYYY-MM.")
            self._check_price(one.model, one.price, where)
        if self.judge:
            self._check_price(self.judge.model, self.judge.price, f"{self.path}: [judge]")

    def _check_price(self, model: str | None, price: str | None, where: str) -> None:
        try:
            if price is not None:
                parse_price(price)
        except InputError as error:
            raise InputError(f"{where} {error}") from error
        if self.is_limited and model is not None and model not in self.prices:
            raise InputError(
                f'{where} a budget needs every price: price = "IN,OUT" in dollars per million '
                'tokens, "0,0" for a free model.'
            )


_MANY = ("source", "contestant")
_TABLES: dict[str, Any] = {
    name: (get_args(field.annotation) or (field.annotation,))[0]
    for name, field in LiveConfig.model_fields.items()
}


def _explain(path: Path, problem: Any) -> str:
    """Describe a fault in the file, with the table, the key and the nearest known name."""
    table, *rest = problem["loc"]
    model = _TABLES.get(str(table))
    if model is None:
        known = [*LiveConfig.model_fields, *_OF_ROUNDS, *list_families()]
        return f"{path}: [{table}] is unknown.{nearest(str(table), known)}"
    if not rest and problem["type"] == "tuple_type":
        return f"{path}: write [[{table}]] with two brackets: there may be more."
    if problem["type"] in ("missing", "too_short") and not rest:
        return f"{path} lacks the table {f'[[{table}]]' if table in _MANY else f'[{table}]'}."
    where = f"[[{table}]] {int(rest.pop(0)) + 1}" if table in _MANY else f"[{table}]"
    key = ".".join(str(part) for part in rest)
    if problem["type"] in ("extra_forbidden", "unexpected_keyword_argument"):
        is_request = is_dataclass(model)
        known = [one.name for one in fields(model)] if is_request else list(model.model_fields)
        return f"{path}: {where} {key} is unknown.{nearest(key, known)}"
    return f"{path}: {where} {key}: {sentence_of(problem)}."


def read_config(path: Path) -> LiveConfig:
    """Read and check a configuration."""
    return LiveConfig.of(path, read_toml(path, " viva live init writes one."))


_PLACES = {
    "board.toml": "board.toml",
    "live.yml": ".github/workflows/live.yml",
    "gitignore": ".gitignore",
}


def write_start(out: Path) -> list[Path]:
    """Write a configuration and its workflow; return the paths, the configuration first."""
    folder = resources.files("vivavoce.live") / "templates"
    places = {name: out / place for name, place in _PLACES.items()}
    for place in places.values():
        if place.exists():
            raise InputError(f"{place} exists already. Name another folder.")
    for name, place in places.items():
        place.parent.mkdir(parents=True, exist_ok=True)
        write_text(place, (folder / name).read_text("utf-8"))
    return list(places.values())
