"""Networks over a corpus: co-authorship, citation and comparison."""

from vivavoce.networks.stats import by_domain, network_stats
from vivavoce.networks.stored import Network, build_networks, load_network

__all__ = [
    "Network",
    "build_networks",
    "by_domain",
    "load_network",
    "network_stats",
]
