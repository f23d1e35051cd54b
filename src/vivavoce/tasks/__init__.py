"""Families of tasks: packages with a card, registered by entry points.

A package registers a family under the group `vivavoce.families`: name = module. Its parts are
modules of that package, or the package itself: `build` makes the items of a round, `family` defines
the tasks and the input of `viva score`, `solvers` the methods. Only `solvers` needs Inspect.
"""

from __future__ import annotations

import importlib.util
import shutil
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import yaml
from platformdirs import user_cache_path
from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, field_validator

from vivavoce.errors import InputError, PluginError
from vivavoce.metrics import has_metrics
from vivavoce.plugins import Plugins, load_plugins
from vivavoce.requests import check_local, check_model, nearest
from vivavoce.store import hash_of, hash_tree
from vivavoce.version import __version__

if TYPE_CHECKING:
    from vivavoce.corpus import Corpus
    from vivavoce.rounds import Builder, Round


OWN = "vivavoce"
"""Name of this package."""
_CACHE = "__pycache__"
AGENT = "agent"
TOOLS = ("search", "read")
"""Tools for a round's papers, in tasks that have the method `agent`."""


CARD = "card.yaml"


class _Card(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class TaskCard(_Card):
    """One task."""

    summary: str
    version: str
    """Number and letter; the number is raised when scores stop being comparable."""
    settings: tuple[str, ...] = ("base",)
    methods: tuple[str, ...] = ()
    """Methods of the task; by default all of the family."""
    metrics: tuple[str, ...] = Field(min_length=1)
    """Names of metrics; the board ranks by the first."""
    diagnostics: tuple[str, ...] = ()
    """Further metrics that do not rank."""
    decoding: dict[str, Any]
    """Default decoding settings."""
    measured: dict[str, dict[str, float | None]] = {}
    """Values of oracle, null and copycat by metric on the demo's round; null if undefined."""
    judged: dict[str, dict[str, float | None]] = {}
    """The same for metrics of the demo's scripted judge, and for cited works."""
    answer_words: int | None = None
    """Approximate length of an answer that the prompt asks for."""
    stages: tuple[str, ...] = ()
    """Metrics of an answer's stages; it failed at the first one below its maximum."""
    needs: tuple[str, ...] = ()
    """Extras and system packages beyond the base install."""
    agent: dict[str, Any] = {}
    """Task arguments that give an agent papers to search; empty if it has them by default."""
    demo: str | None = None
    """Method that the demo runs besides oracle and null; None to leave the task out."""

    @property
    def tools(self) -> tuple[str, ...]:
        """Tools of an agent: those of a library if the task has the method `agent`."""
        return TOOLS if AGENT in self.methods else ()


class FamilyCard(_Card):
    """One family of tasks."""

    title: str
    summary: str
    paper: str
    methods: dict[str, str]
    """All methods of the family, with summaries."""
    without_model: tuple[str, ...] = ()
    """Methods without a model."""
    of_papers: bool = True
    """False if items are not made from the papers of a corpus."""
    aliases: dict[str, str] = {}
    """Further names of method arguments, such as the letters used in a paper."""
    demo: dict[str, Any] = {}
    """The family's options for the demo's round."""
    tasks: dict[str, TaskCard]

    @field_validator("tasks")
    @classmethod
    def _fill_in_methods(
        cls, tasks: dict[str, TaskCard], info: ValidationInfo
    ) -> dict[str, TaskCard]:
        every = {"methods": tuple(info.data.get("methods", ()))}
        return {n: t if t.methods else t.model_copy(update=every) for n, t in tasks.items()}

    @property
    def in_demo(self) -> bool:
        """True if the demo runs a task of the family."""
        return any(task.demo for task in self.tasks.values())


def read_card(path: Path) -> FamilyCard:
    """Read a `card.yaml`; `InputError` names a missing, unknown or mistyped key."""
    try:
        values = yaml.safe_load(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise InputError(f"{path} is not a complete card: {error}") from error
    return check_model(FamilyCard, values, f"{path} is not a complete card:")


CEILING = "oracle"
"""Method that answers with the gold and is not ranked."""
CONTESTANTS = {
    CEILING: "answers with the gold: the ceiling, needs no model",
    "null": "answers every sample with the same sentence, needs no model",
    "copycat": "answers with its input, needs no model",
}
"""Methods of every family; they need no model."""


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

    @property
    def is_added(self) -> bool:
        """True if another package registers the family."""
        return self.namespace != OWN

    def part(self, name: str) -> ModuleType:
        """Import one of the family's modules, such as `build`; without it, the package."""
        path = f"{self.module}.{name}"
        package = importlib.import_module(self.module)
        is_there = hasattr(package, "__path__") and importlib.util.find_spec(path)
        return importlib.import_module(path) if is_there else package


@cache
def _registered() -> Plugins[Family]:
    registered = load_plugins("vivavoce.families", _family_of)
    families = {name: family for name, family in registered.loaded.items() if family}
    owners = Counter(task for family in families.values() for task in family.card.tasks)
    for task, count in owners.items():
        if count > 1:
            both = [f.module for f in families.values() if task in f.card.tasks]
            raise PluginError(
                f"The families {' and '.join(both)} both have a task {task!r}. "
                "Uninstall one of their packages."
            )
    return Plugins(families, registered.broken)


def _family_of(name: str, module: ModuleType) -> Family | None:
    """The family of a package; None if the package has only metrics."""
    folder = Path(str(module.__file__)).parent
    is_family = (folder / CARD).exists() or hasattr(module, "TASKS") or hasattr(module, "build")
    if not is_family and has_metrics(module):
        return None
    return Family(name, module.__name__, folder, read_card(folder / CARD))


def package_folders() -> dict[str, Path]:
    """Folder of each package that registers families, by the package's name."""
    return {
        family.namespace: family.folder.resolve().parents[depth - 1]
        if depth
        else family.folder.resolve()
        for family in _registered().loaded.values()
        for depth in [family.module.count(".")]
    }


def list_families() -> dict[str, FamilyCard]:
    """Cards of all usable families by name, sorted; `PluginError` if two register the same name."""
    return {name: family.card for name, family in _registered().loaded.items()}


def broken_families() -> dict[str, PluginError]:
    """Errors of registered families that cannot be loaded, by name."""
    return dict(_registered().broken)


def find_family(name: str) -> Family:
    """Find a registered family; `InputError` lists all, `PluginError` if it cannot be loaded."""
    families = _registered()
    if name in families.broken:
        raise families.broken[name]
    if name not in families.loaded:
        raise InputError(f"There is no family {name!r}. Available: {', '.join(families.loaded)}.")
    return families.loaded[name]


def short_name(name: str, task: str = "") -> str:
    """A name from Inspect's registry, without the prefix of this package or of the task's package.

    It depends on the full name of the task, and not on the packages that are installed.
    """
    namespace, _, short = name.partition("/")
    return short if short and namespace in (OWN, task.partition("/")[0]) else name


def list_tasks() -> list[str]:
    """Full names of all tasks, such as `vivavoce/title`."""
    families = _registered().loaded.values()
    return sorted(f"{family.namespace}/{task}" for family in families for task in family.card.tasks)


def find_task(name: str) -> tuple[str, str]:
    """Find (family, task) by a name such as `title`, `vivavoce/title`, or with hyphens.

    `InputError` lists the nearest names, or all.
    """
    for family in _registered().loaded.values():
        short = short_name(name, f"{family.namespace}/").replace("-", "_")
        if short in family.card.tasks:
            return family.name, short
    names = [task for card in list_families().values() for task in card.tasks]
    raise InputError(f"There is no task {name!r}.{nearest(short, names)}")


def builders() -> dict[str, Builder]:
    """Builders of all families, by name."""
    return {name: _builder(family.part("build")) for name, family in _registered().loaded.items()}


def _builder(module: ModuleType) -> Builder:
    from vivavoce.rounds.spec import Options

    if not callable(getattr(module, "build", None)):
        raise PluginError(f"{module.__file__} does not define build(corpus, spec, options).")
    if hasattr(module, "OPTIONS"):
        return cast("Builder", module)
    return cast("Builder", SimpleNamespace(build=module.build, OPTIONS=Options))


def build_round(
    corpus: Corpus | Path | str, spec: Mapping[str, Any] | Path | str, out: Path | str
) -> Round:
    """Build a round from a corpus and a spec into `out`/ID and open it.

    Raises:
        InputError: The spec or the corpus is not usable.
        VivaError: The round exists with other content, or would have no items.
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


SAMPLE = "sample"
"""Name of the round of the sample papers, built on first use."""
PAPERS = 60
"""Number of sample papers."""


def demo_spec(year: int | None = None, families: Sequence[str] = ()) -> dict[str, Any]:
    """Spec of the sample round, or of one year's demo round, with the cards' demo options.

    Without `families`, it has all that are in the demo.
    """
    cards = list_families()
    taking = [name for name in cards if name in families or (not families and cards[name].in_demo)]
    window = {"start": "2023-07-01", "end": "2025-01-01"}
    head = {"id": "sample-2024", "window": window, "seed": 0, "families": taking}
    if year is not None:
        head["id"] = f"demo-{year}"
        head["window"] = {"start": f"{year}-01-01", "end": f"{year + 1}-01-01"}
    return {"round": head} | {name: cards[name].demo for name in taking if cards[name].demo}


def build_sample(out: Path, spec: Mapping[str, Any]) -> Round:
    """Build a round of the sample papers."""
    from vivavoce.corpus import ingest, load_corpus
    from vivavoce.networks import build_networks

    ingest("sample", Path(str(PAPERS)), out / "corpus")
    build_networks(load_corpus(out / "corpus"))
    return build_round(out / "corpus", spec, out / "round")


def _code_of(package: Path) -> dict[str, str]:
    return {name: digest for name, digest in hash_tree(package).items() if _CACHE not in name}


def open_round(name: Path | str, family: str = "") -> Round:
    """Open a round by its folder, or the sample round by name if there is no such folder.

    A family of another package has a sample round of its own, built again if the package changes.

    Raises:
        InputError: The folder has no round.
        DamagedError: The round was altered.
    """
    from vivavoce.corpus.schema import FORMAT
    from vivavoce.rounds import load_round

    if str(name) != SAMPLE or Path(name).exists():
        return load_round(name)
    known = _registered().loaded.values()
    taking = [each for each in known if each.name == family and each.is_added]
    taking = taking or [each for each in known if each.card.in_demo and not each.is_added]
    spec = demo_spec(families=[each.name for each in taking])
    # Other versions of the package or a task may make another round from the same papers.
    versions = [task.version for each in taking for task in each.card.tasks.values()]
    code = [_code_of(package_folders()[each.namespace]) for each in taking if each.is_added]
    key = hash_of([__version__, FORMAT, PAPERS, spec, versions, code])[:12]
    folder = user_cache_path("vivavoce") / f"{SAMPLE}-{key}"
    if not folder.exists():
        # Built in a temporary folder and moved, unless another process was first.
        folder.parent.mkdir(parents=True, exist_ok=True)
        made = Path(tempfile.mkdtemp(dir=folder.parent, prefix=f".{SAMPLE}-"))
        try:
            build_sample(made, spec)
            try:
                made.rename(folder)
            except OSError:
                if not folder.is_dir():
                    raise
        finally:
            shutil.rmtree(made, ignore_errors=True)
    return load_round(folder / "round" / spec["round"]["id"])
