"""Networks over a corpus: who wrote with whom, who cites whom, who compares with whom.

The names below load on first use: building needs no linear algebra, and measuring does.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from vivavoce.networks.categories import by_category, by_domain, by_month
    from vivavoce.networks.stats import degree_counts, network_stats, rank_nodes, whole_networks
    from vivavoce.networks.stored import Network, build_networks, load_network
    from vivavoce.networks.walk import Walk, walk_coauthors

_HOMES = {
    "Network": "stored",
    "Walk": "walk",
    "build_networks": "stored",
    "by_category": "categories",
    "by_domain": "categories",
    "by_month": "categories",
    "degree_counts": "stats",
    "load_network": "stored",
    "network_stats": "stats",
    "rank_nodes": "stats",
    "walk_coauthors": "walk",
    "whole_networks": "stats",
}

__all__ = [
    "Network",
    "Walk",
    "build_networks",
    "by_category",
    "by_domain",
    "by_month",
    "degree_counts",
    "load_network",
    "network_stats",
    "rank_nodes",
    "walk_coauthors",
    "whole_networks",
]


def __getattr__(name: str) -> Any:
    """Load a public name from the module that defines it."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
