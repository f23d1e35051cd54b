"""Programs by models: finding them in answers, running them in a sandbox, reading results.

Sources are only parsed here, never run.
"""

from __future__ import annotations

import ast
import warnings


def parse(text: str) -> ast.Module | None:
    """Parse a program; None if the text is not Python."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def named_in(program: str) -> set[str]:
    """String constants of a program, and attributes that it reads without calling."""
    nodes = list(ast.walk(tree)) if (tree := parse(program)) else []
    called = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
    texts = {n.value for n in nodes if isinstance(n, ast.Constant) and isinstance(n.value, str)}
    return texts | {
        node.attr for node in nodes if isinstance(node, ast.Attribute) and id(node) not in called
    }
