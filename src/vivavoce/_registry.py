"""The entry point Inspect loads: importing this registers every task, solver, scorer and model."""

from vivavoce.models.extractive import extractive
from vivavoce.models.local import local
from vivavoce.models.replay import replay
from vivavoce.sandbox.provider import BwrapSandboxEnvironment
from vivavoce.tasks.implementation.scorer import formula as formula_scorer
from vivavoce.tasks.implementation.solvers import naive
from vivavoce.tasks.implementation.task import formula
from vivavoce.tasks.shared.contestants import copycat, null, oracle
from vivavoce.tasks.shared.direct import direct
from vivavoce.tasks.writing.scorer import writing
from vivavoce.tasks.writing.task import abstract, title

__all__ = [
    "BwrapSandboxEnvironment",
    "abstract",
    "copycat",
    "direct",
    "extractive",
    "formula",
    "formula_scorer",
    "local",
    "naive",
    "null",
    "oracle",
    "replay",
    "title",
    "writing",
]
