"""Networks over a corpus: who wrote with whom, who cites whom, who compares with whom."""

from vivavoce.networks.build import build_networks
from vivavoce.networks.categories import by_category, by_domain, by_month
from vivavoce.networks.ranking import rank_nodes
from vivavoce.networks.reading import Network, load_network
from vivavoce.networks.stats import degree_counts, network_stats, whole_networks
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
