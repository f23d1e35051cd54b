"""Networks over a corpus: who wrote with whom, who cites whom, who compares with whom."""

from vivavoce.networks.stats import (
    by_category,
    by_domain,
    by_month,
    degree_counts,
    network_stats,
    rank_nodes,
    whole_networks,
)
from vivavoce.networks.stored import Network, build_networks, load_network
from vivavoce.networks.walk import Walk, walk_coauthors

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
