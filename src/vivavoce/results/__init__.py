"""Boards and scores made from logs and answer files; anyone who has these can recompute them.

- `logs`: reading and choosing Inspect logs; `board`: rows, ranks, comparisons.
- `scoring`: metrics of answer files; `integrity`: verification and submissions; `audits`.

`scoring` does not need Inspect.
"""

from functools import cache
from pathlib import Path

from vivavoce.store import hash_file, hash_of


@cache
def hash_code(*parts: str, suffixes: tuple[str, ...] = (".py",)) -> str:
    """Sha256 over files of this package: single files, or all files below folders."""
    root = Path(__file__).parents[1]
    files = [
        path
        for part in parts
        for path in (root / part, *sorted((root / part).rglob("*")))
        if path.suffix in suffixes
    ]
    return hash_of([[path.relative_to(root).as_posix(), hash_file(path)] for path in files])
