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
from vivavoce.tasks.leaderboards.scorer import leaderboards
from vivavoce.tasks.leaderboards.solvers import random_rows, table_reader
from vivavoce.tasks.leaderboards.task import leaderboard
from vivavoce.tasks.methods.agent import agent
from vivavoce.tasks.methods.completion_probe import completion, completion_probe
from vivavoce.tasks.methods.contestants import copycat, null, oracle
from vivavoce.tasks.methods.direct import direct
from vivavoce.tasks.methods.rag import rag
from vivavoce.tasks.ranking.scorer import paper_order, title_order
from vivavoce.tasks.ranking.solvers import (
    bm25,
    in_degree,
    in_order,
    pagerank,
    random_order,
    recency,
    tournament,
)
from vivavoce.tasks.ranking.task import rank_by_graph, rank_by_prompt
from vivavoce.tasks.tables.scorer import macro, micro, tables, tables_by_use
from vivavoce.tasks.tables.solvers import (
    iterative,
    keyword_table,
    one_step,
    per_paper,
    two_stage,
)
from vivavoce.tasks.tables.task import table
from vivavoce.tasks.writing.scorer import writing
from vivavoce.tasks.writing.solvers import abstract_copy, centrality, lead
from vivavoce.tasks.writing.task import abstract, introduction, related_work, title

__all__ = [
    "BwrapSandboxEnvironment",
    "abstract",
    "abstract_copy",
    "agent",
    "architecture",
    "architecture_scorer",
    "bm25",
    "centrality",
    "cheater",
    "completion",
    "completion_probe",
    "copycat",
    "direct",
    "empty",
    "extract_method",
    "extract_method_scorer",
    "extractive",
    "formula",
    "formula_scorer",
    "headings",
    "in_degree",
    "in_order",
    "introduction",
    "iterative",
    "keyword_table",
    "lead",
    "leaderboard",
    "leaderboards",
    "local",
    "macro",
    "micro",
    "naive",
    "null",
    "one_step",
    "oracle",
    "pagerank",
    "paper_order",
    "per_paper",
    "rag",
    "random_order",
    "random_rows",
    "rank_by_graph",
    "rank_by_prompt",
    "recency",
    "related_work",
    "replay",
    "reproduce",
    "reproduce_scorer",
    "self_refine",
    "table",
    "table_reader",
    "tables",
    "tables_by_use",
    "title",
    "title_order",
    "tournament",
    "two_stage",
    "writing",
]
