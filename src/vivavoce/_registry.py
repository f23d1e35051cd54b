"""The entry point Inspect loads: importing this registers every task, solver, scorer and model."""

from vivavoce.models.extractive import extractive
from vivavoce.models.local import local
from vivavoce.models.replay import replay
from vivavoce.sandbox.provider import BwrapSandboxEnvironment
from vivavoce.tasks.implementation.scorer import architecture as architecture_scorer
from vivavoce.tasks.implementation.scorer import extract_method as extract_method_scorer
from vivavoce.tasks.implementation.scorer import formula as formula_scorer
from vivavoce.tasks.implementation.scorer import reproduce as reproduce_scorer
from vivavoce.tasks.implementation.solvers import cheater, empty, headings, naive, self_refine
from vivavoce.tasks.implementation.task import architecture, extract_method, formula, reproduce
from vivavoce.tasks.shared.contestants import copycat, null, oracle
from vivavoce.tasks.shared.direct import direct
from vivavoce.tasks.shared.rag import rag
from vivavoce.tasks.writing.scorer import writing
from vivavoce.tasks.writing.solvers import abstract_copy, centrality, lead
from vivavoce.tasks.writing.task import abstract, introduction, related_work, title

__all__ = [
    "BwrapSandboxEnvironment",
    "abstract",
    "abstract_copy",
    "architecture",
    "architecture_scorer",
    "centrality",
    "cheater",
    "copycat",
    "direct",
    "empty",
    "extract_method",
    "extract_method_scorer",
    "extractive",
    "formula",
    "formula_scorer",
    "headings",
    "introduction",
    "lead",
    "local",
    "naive",
    "null",
    "oracle",
    "rag",
    "related_work",
    "replay",
    "reproduce",
    "reproduce_scorer",
    "self_refine",
    "title",
    "writing",
]
