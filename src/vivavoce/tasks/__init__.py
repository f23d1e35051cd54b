"""The families: packages of tasks with a card, registered by entry points.

A package registers a family under the group `vivavoce.families`: name = module. Its parts are
modules of that package, or the package itself: `build` makes the items of a round, `family` defines
the tasks and what `viva score` reads, `solvers` the methods. Only `solvers` needs Inspect.
"""

from __future__ import annotations

import importlib.util
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, cast

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from vivavoce.errors import InputError, PluginError
from vivavoce.metrics import has_metrics
from vivavoce.plugins import Plugins, load_plugins
from vivavoce.requests import check_local, nearest

if TYPE_CHECKING:
    from vivavoce.corpus import Corpus
    from vivavoce.rounds import Builder, Round


AGENT = "agent"
TOOLS = ("search", "read")
"""Tools over the papers of a round, in tasks that have the method `agent`."""


class _Card(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class TaskCard(_Card):
    """One task."""

    summary: str
    version: str
    """Number, raised when scores stop being comparable, and letter, raised with the options."""
    settings: tuple[str, ...]
    methods: tuple[str, ...]
    metrics: tuple[str, ...] = Field(min_length=1)
    """Names of `vivavoce.metrics`; the board ranks by the first."""
    diagnostics: tuple[str, ...] = ()
    """Further ones that stand beside them: nobody is ranked by them."""
    decoding: dict[str, Any]
    """Default decoding settings."""
    measured: dict[str, dict[str, float | None]]
    """Values of oracle, null and copycat in each metric on the demo's round, to 4 decimals; null
    where it is undefined."""
    judged: dict[str, dict[str, float | None]] = {}
    """The same for what a judge adds, by the demo's scripted judge, whose nuggets are sentences,
    and for the works that are cited."""
    answer_words: int | None = None
    """About how long an answer is asked for."""
    stages: tuple[str, ...] = ()
    """Metrics that follow the stages of an answer: the first below its best is where it failed,
    unless the last is at its best all the same."""
    needs: tuple[str, ...] = ()
    """Extras and system packages beyond the base install; empty when none."""
    agent: dict[str, Any] = {}
    """Arguments of the task that give an agent papers to search; empty where it has them anyway."""
    demo: str | None = None
    """Method that the demo runs beside the oracle and the constant answer; None to leave it out."""

    @property
    def tools(self) -> tuple[str, ...]:
        """Tools that an agent gets: those of a library where the task offers the method `agent`."""
        return TOOLS if AGENT in self.methods else ()


class FamilyCard(_Card):
    """One family of tasks."""

    title: str
    summary: str
    paper: str
    methods: dict[str, str]
    """Every method of the family, with a summary."""
    without_model: tuple[str, ...] = ()
    """Methods among them that need no model."""
    of_papers: bool = True
    """False where items are not made of the papers of a corpus."""
    aliases: dict[str, str] = {}
    """Further names of the methods' arguments, such as the letter that a paper gives one."""
    demo: dict[str, Any] = {}
    """The family's options of the demo's round."""
    tasks: dict[str, TaskCard]


def read_card(path: Path) -> FamilyCard:
    """Read a `card.yaml`; `InputError` says which key is missing, unknown or of a wrong type."""
    try:
        return FamilyCard.model_validate(yaml.safe_load(path.read_text("utf-8")))
    except (ValidationError, yaml.YAMLError) as error:
        raise InputError(f"{path} is not a complete card: {error}") from error


CEILING = "oracle"
"""The method that answers with the gold: it is asked, and compared with nobody."""
CONTESTANTS = {
    CEILING: "answers with the gold: the ceiling, needs no model",
    "null": "answers every sample with the same sentence, needs no model",
    "copycat": "answers with its input, needs no model",
}
"""Methods of every family, none of which needs a model."""

__all__ = [
    "CEILING",
    "CONTESTANTS",
    "Family",
    "FamilyCard",
    "TaskCard",
    "broken_families",
    "build_round",
    "builders",
    "find_family",
    "find_task",
    "list_families",
    "list_tasks",
    "read_card",
    "short_name",
]


@dataclass(frozen=True, slots=True)
class Family:
    """A registered family of tasks."""

    name: str
    module: str
    """Import path of its package, such as `vivavoce.tasks.writing`."""
    folder: Path
    card: FamilyCard

    @property
    def namespace(self) -> str:
        """Prefix of its names in Inspect: the package at the top of the import path."""
        return self.module.partition(".")[0]

    def part(self, name: str) -> ModuleType:
        """Import one of the family's modules, such as `build`: the package where it has none."""
        path = f"{self.module}.{name}"
        package = importlib.import_module(self.module)
        is_there = hasattr(package, "__path__") and importlib.util.find_spec(path)
        return importlib.import_module(path) if is_there else package


@cache
def _registered() -> Plugins[Family]:
    registered = load_plugins("vivavoce.families", _family_of)
    families = {name: family for name, family in registered.loaded.items() if family}
    found = Plugins(families, registered.broken)
    owners = Counter(task for family in found.loaded.values() for task in family.card.tasks)
    for task, count in owners.items():
        if count > 1:
            both = [f.module for f in found.loaded.values() if task in f.card.tasks]
            raise PluginError(
                f"The families {' and '.join(both)} both have a task {task!r}. "
                "Uninstall one of their packages."
            )
    return found


def _family_of(name: str, module: ModuleType) -> Family | None:
    """The family of a package; None for one that holds metrics alone."""
    folder = Path(str(module.__file__)).parent
    if not (folder / "card.yaml").exists() and has_metrics(module):
        return None
    return Family(name, module.__name__, folder, read_card(folder / "card.yaml"))


def list_families() -> dict[str, FamilyCard]:
    """Every usable family's card by name, in alphabetical order.

    Raises:
        PluginError: Two packages register one family, or tasks of the same name.
    """
    return {name: family.card for name, family in _registered().loaded.items()}


def broken_families() -> dict[str, PluginError]:
    """The error of each registered family that cannot be loaded, by name."""
    return dict(_registered().broken)


def find_family(name: str) -> Family:
    """A registered family.

    Raises:
        InputError: No package registers it; the message lists all.
        PluginError: It cannot be loaded.
    """
    found = _registered()
    if name in found.broken:
        raise found.broken[name]
    if name not in found.loaded:
        raise InputError(f"No family is called {name!r}. There are: {', '.join(found.loaded)}.")
    return found.loaded[name]


def short_name(name: str) -> str:
    """A name of Inspect's registry without the package of a registered family before it."""
    namespace, _, short = name.partition("/")
    known = {"vivavoce", *(family.namespace for family in _registered().loaded.values())}
    return short if short and namespace in known else name


def list_tasks() -> list[str]:
    """The full name of every task, such as `vivavoce/title`."""
    families = _registered().loaded.values()
    return sorted(f"{family.namespace}/{task}" for family in families for task in family.card.tasks)


def find_task(name: str) -> tuple[str, str]:
    """(family, task) of a task named `title` or `vivavoce/title`; hyphens are underscores.

    Raises:
        InputError: There is none; it names the nearest, or all.
    """
    short = short_name(name).replace("-", "_")
    for family, card in list_families().items():
        if short in card.tasks:
            return family, short
    names = [task for card in list_families().values() for task in card.tasks]
    raise InputError(f"No task is called {name!r}.{nearest(short, names)}")


def builders() -> dict[str, Builder]:
    """The builder of every family, by name."""
    return {
        name: cast("Builder", family.part("build")) for name, family in _registered().loaded.items()
    }


def build_round(
    corpus: Corpus | Path | str, spec: Mapping[str, Any] | Path | str, out: Path | str
) -> Round:
    """Build a round from a corpus and a spec into `out`/ID and open it.

    Raises:
        InputError: The spec or the corpus is not usable.
        VivaError: The round is there with other content, or would hold no item.
    """
    from vivavoce import rounds
    from vivavoce.corpus import Corpus, load_corpus
    from vivavoce.rounds.export import is_ids_export, rebuild_round

    out = check_local(Path(out))
    opened = corpus if isinstance(corpus, Corpus) else load_corpus(corpus)
    known = builders()
    if not isinstance(spec, Mapping) and is_ids_export(Path(spec)):
        return rebuild_round(Path(spec), opened, known, out)
    options = {family: builder.OPTIONS for family, builder in known.items()}
    if isinstance(spec, Mapping):
        parsed = rounds.parse_spec(spec, options)
    else:
        parsed = rounds.read_spec(Path(spec), options)
    return rounds.build_round(opened, parsed, known, out)
