"""The entry point Inspect loads: importing this registers every task, solver, scorer and model."""

from vivavoce.models.extractive import extractive
from vivavoce.models.local import local
from vivavoce.models.replay import replay
from vivavoce.tasks.shared.contestants import copycat, null, oracle
from vivavoce.tasks.writing.scorer import writing
from vivavoce.tasks.writing.solvers import direct
from vivavoce.tasks.writing.task import abstract, title

__all__ = [
    "abstract",
    "copycat",
    "direct",
    "extractive",
    "local",
    "null",
    "oracle",
    "replay",
    "title",
    "writing",
]
