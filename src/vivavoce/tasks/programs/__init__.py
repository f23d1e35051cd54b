"""Programs that models write: found in answers, run in a sandbox, their results read.

Their source is parsed here, and never run.
"""

from __future__ import annotations

import ast
import warnings


def parse(text: str) -> ast.Module | None:
    """The tree of a program; None for a text that is none."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def named_in(program: str) -> set[str]:
    """Texts that a program spells out, and attributes that it reads without calling them."""
    nodes = list(ast.walk(tree)) if (tree := parse(program)) else []
    called = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
    texts = {n.value for n in nodes if isinstance(n, ast.Constant) and isinstance(n.value, str)}
    return texts | {
        node.attr for node in nodes if isinstance(node, ast.Attribute) and id(node) not in called
    }
