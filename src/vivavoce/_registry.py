"""The entry point Inspect loads: a placeholder for every task, solver, scorer, metric and model.

Inspect loads all entry points at every evaluation, even one from another package. So nothing heavy
is imported here: the code behind a name is imported when Inspect looks the name up.
"""

import importlib
from collections.abc import Callable
from functools import partial
from importlib.metadata import entry_points
from logging import getLogger

from inspect_ai._util.registry import RegistryInfo, RegistryType, registry_add, registry_has
from inspect_ai.model import ModelAPI, modelapi

from vivavoce.errors import PluginError
from vivavoce.sandbox.provider import BwrapSandboxEnvironment

__all__ = ["BwrapSandboxEnvironment"]

_COMMON: dict[str, dict[RegistryType, str]] = {
    "methods.direct": {"solver": "direct oracle null copycat"},
    "methods.rag": {"solver": "rag"},
    "methods.agent": {"solver": "agent"},
    "methods.custom_agent": {"solver": "custom_agent"},
    "scoring.guard": {"metric": "defined_mean"},
}
"""Names defined by each module of `vivavoce.tasks`."""
_FAMILIES: dict[str, dict[RegistryType, str]] = {
    "implementation": {
        "task": "formula architecture extract_method reproduce",
        "scorer": "formula architecture extract_method reproduce",
        "solver": "naive empty headings self_refine",
    },
    "leaderboards": {
        "task": "leaderboard",
        "scorer": "leaderboards",
        "solver": "table_reader random_rows",
    },
    "own": {
        "task": "own_match own_number own_list own_text",
        "scorer": "own_match own_number own_list own_text",
    },
    "ranking": {
        "task": "rank_by_prompt rank_by_graph",
        "scorer": "title_order paper_order",
        "solver": "pagerank in_degree bm25 recency random_order in_order",
    },
    "tables": {
        "task": "table",
        "scorer": "tables",
        "solver": "iterative one_step per_paper two_stage bm25_phrases",
    },
    "writing": {
        "task": "title abstract introduction related_work",
        "scorer": "writing",
        "solver": "lead centrality abstract_copy",
    },
}
"""Names defined by each family."""
_MODELS = {
    "extractive": ("offline", "ExtractiveAPI"),
    "local": ("local", "LocalAPI"),
    "replay": ("offline", "ReplayAPI"),
    "scripted": ("scripted", "ScriptedAPI"),
}
"""Module of `vivavoce.models` and class of each model provider."""


class _Placeholder:
    """Placeholder for an object until Inspect looks it up.

    A placeholder is false, so Inspect treats the name as unknown and looks it up again, in case an
    entry point had to be loaded. By then the real object has replaced the placeholder.
    """

    def __init__(self, load: Callable[[], object]) -> None:
        self._load = load

    def __bool__(self) -> bool:
        self._load()
        return False


def _register(names: dict[RegistryType, str], load: Callable[[], object]) -> None:
    for kind, listed in names.items():
        hyphened = listed.replace("_", "-") if kind == "task" else ""
        for name in {f"vivavoce/{one}" for one in (*listed.split(), *hyphened.split())}:
            if not registry_has(kind, name):  # keep objects that are registered already
                registry_add(_Placeholder(load), RegistryInfo(type=kind, name=name))


def _load_family(name: str) -> None:
    from vivavoce.tasks.lookup import register_family

    register_family(name)


def _register_model(provider: str, module: str, name: str) -> None:
    @modelapi(name=provider)
    def load() -> type[ModelAPI]:
        found: type[ModelAPI] = getattr(importlib.import_module(f"vivavoce.models.{module}"), name)
        return found


for _provider, _class in _MODELS.items():
    _register_model(_provider, *_class)
for _home, _names in _COMMON.items():
    _register(_names, partial(importlib.import_module, f"vivavoce.tasks.{_home}"))
for _family, _names in _FAMILIES.items():
    _register(_names, partial(_load_family, _family))
if any(point.name not in _FAMILIES for point in entry_points(group="vivavoce.families")):
    # The names of other packages' scorers are known only after their code is imported.
    for _family in importlib.import_module("vivavoce.tasks").list_families():
        if _family not in _FAMILIES:
            try:
                _load_family(_family)
            except PluginError as error:
                getLogger(__name__).warning("%s", error)
