"""Boards over several rounds and settings, with costs and exposure, for tests of charts."""

from typing import Any

from tests.web.board.board_rows import make_board, make_row

from vivavoce.web.board.model import Site, site_of


def scored(model: str, value: float, rank: int, **changes: Any) -> dict:
    """A row as newer boards have it: 100 answers of 10,000 tokens for a cent each."""
    more: dict[str, Any] = {"family": "writing", "answers": 100, "tokens": 1_000_000, "cost": 1.0}
    return make_row(model, value, rank, **{**more, **changes})


def exposed(seen: float, clean: float) -> dict[str, Any]:
    return {
        "cutoff": "2025-06",
        "seen": seen,
        "clean": clean,
        "gap": seen - clean,
        "ci": [seen - clean - 0.05, seen - clean + 0.05],
        "n_seen": 40,
        "n_clean": 60,
    }


def site_with(*rows: dict, **more: Any) -> Site:
    ids = list(dict.fromkeys(row["round"] for row in rows))
    rounds = [
        {"id": name, "window": ["2025-01-01", f"{name}-01"], "manifest": "ab" * 32, "counts": {}}
        for name in ids
    ]
    return site_of(make_board(*rows, rounds=rounds, **more))
