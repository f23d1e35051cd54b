"""Networks over a corpus: co-authorship, citation and comparison; here, measures of them."""

from typing import Any

import numpy as np

from vivavoce.columns import Ints, flat
from vivavoce.corpus import Corpus
from vivavoce.networks.authors import first_author_core
from vivavoce.networks.graph import (
    Graph,
    in_degrees,
    measure,
    out_degrees,
    sizes,
    strong_components,
    weak_components,
)
from vivavoce.networks.stored import Network, build_networks, load_network
from vivavoce.networks.tables import column_batches, number_sorted_papers, read_papers
from vivavoce.statistics.intervals import mean_of
from vivavoce.store import Row

__all__ = ["Network", "build_networks", "by_domain", "load_network", "network_stats"]

Stats = dict[str, Any]


def network_stats(corpus: Corpus) -> Stats:
    """Measure the size of each network inside the corpus, including isolated nodes.

    Raises:
        StaleError: The networks are not built, or the corpus changed; the message names a command.
    """
    citations = load_network(corpus, "citation")
    external = int((~citations.is_inside).sum())
    inside = load_network(corpus, "citation", external=False)
    compared = load_network(corpus, "comparison", external=False)
    coauthor = load_network(corpus, "coauthor")
    leads = flat(coauthor.nodes["first_author_papers"]).to_numpy()
    core = first_author_core(coauthor.graph, leads)
    return {
        "coauthor": {
            "authors": coauthor.graph.n,
            **measure(coauthor.graph),
            "pruned_authors": core.n,
            "pruned_edges": core.edges,
        },
        "citation": {**_citation_stats(inside.graph), "external": external},
        "comparison": _citation_stats(compared.graph),
    }


def _citation_stats(graph: Graph) -> Stats:
    return {
        "papers": graph.n,
        "edges": graph.edges,
        "components": len(sizes(weak_components(graph))),
        "strong_components": len(sizes(strong_components(graph))),
    }


_DOMAINS = {
    "computer science": "cs cmp-lg",
    "economics": "econ",
    "electrical engineering": "eess",
    "mathematics": "math alg-geom dg-ga funct-an q-alg",
    "quantitative biology": "q-bio",
    "quantitative finance": "q-fin",
    "statistics": "stat",
    "physics": "acc-phys adap-org ao-sci astro-ph atom-ph bayes-an chao-dyn chem-ph comp-gas "
    "cond-mat gr-qc hep-ex hep-lat hep-ph hep-th math-ph mtrl-th nlin nucl-ex nucl-th patt-sol "
    "physics plasm-ph quant-ph solv-int supr-con",
}
"""arXiv archives by domain; many physics archives are closed by now."""
_ARCHIVES = {archive: domain for domain, some in _DOMAINS.items() for archive in some.split()}


def domain_of(category: str) -> str:
    """Domain of an arXiv category; any other category is its own domain."""
    return _ARCHIVES.get(category.partition(".")[0], category)


def by_domain(corpus: Corpus) -> list[Row]:
    """LEGOBench's Table 8 by broad arXiv domain, such as `physics`.

    Each row has counts of papers, references, and edges in both networks. A paper's domain is that
    of its first category, or `null` if it has none.
    """
    papers = read_papers(corpus, "categories")
    named = [domain_of(codes[0]) if codes else None for codes in papers["categories"].to_pylist()]
    known = sorted({name for name in named if name is not None})
    labels: list[str | None] = [*known, None] if None in named else [*known]
    place = {name: number for number, name in enumerate(labels)}
    group = np.array([place[name] for name in named], dtype=np.int32)
    paper_ids = flat(papers["paper_id"])
    listed = np.zeros(len(paper_ids), dtype=np.int64)
    for batch in column_batches(corpus, "references", ["paper_id"]):
        citing = number_sorted_papers(flat(batch["paper_id"]), paper_ids)
        listed += np.bincount(citing[citing >= 0], minlength=len(paper_ids))
    rows: list[Row] = []
    for number, name in enumerate(labels):
        lists = listed[(group == number) & (listed > 0)]
        rows.append(
            {
                "domain": name,
                "papers": int((group == number).sum()),
                "with_references": len(lists),
                "references_mean": mean_of(lists.tolist()),
            }
        )
    for network in ("citation", "comparison"):
        edges = _edges(load_network(corpus, network), group, len(labels))
        for row, counted in zip(rows, edges, strict=True):
            row[network] = counted
    return rows


def _edges(network: Network, group: Ints, count: int) -> list[Row]:
    """Count each group's edges: within the group, to and from other groups, to external works."""
    graph = network.graph
    inside = graph.target < len(group)
    citing, cited = group[graph.source], group[graph.target[inside]]
    source = citing[inside]
    same = source == cited
    degrees = in_degrees(graph)[: len(group)], out_degrees(graph)[: len(group)]
    counted = {
        "within": np.bincount(source[same], minlength=count),
        "to_others": np.bincount(source[~same], minlength=count),
        "from_others": np.bincount(cited[~same], minlength=count),
        "external": np.bincount(citing[~inside], minlength=count),
    }
    return [
        {
            **{name: int(numbers[number]) for name, numbers in counted.items()},
            "in_mean": mean_of(degrees[0][group == number].tolist()),
            "out_mean": mean_of(degrees[1][group == number].tolist()),
        }
        for number in range(count)
    ]
