"""Networks, which have to be built, by category and domain, and submissions by month.

`options` are those of `load_network` for the comparison network.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from vivavoce.columns import Ints, Longs, flat
from vivavoce.corpus import Corpus
from vivavoce.networks.graph import in_degrees, out_degrees
from vivavoce.networks.stored import Network, load_network
from vivavoce.networks.tables import column_batches, number_sorted_papers, read_papers
from vivavoce.store import Row

_ARCHIVES = {
    archive: domain
    for domain, archives in tomllib.loads(
        Path(__file__).with_name("domains.toml").read_text("utf-8")
    ).items()
    for archive in archives
}


def domain_of(category: str) -> str:
    """The domain of an arXiv category; another category is its own domain."""
    return _ARCHIVES.get(category.partition(".")[0], category)


def by_category(corpus: Corpus, **options: bool) -> list[Row]:
    """LEGOBench's Table 8 by primary category: papers, references, and edges of both networks.

    A paper's primary category is the first one listed; `null` stands for papers without.
    """
    return _grouped(corpus, "category", str, options)


def by_domain(corpus: Corpus, **options: bool) -> list[Row]:
    """The same by broad domain of arXiv, such as `physics`."""
    return _grouped(corpus, "domain", domain_of, options)


def by_month(corpus: Corpus) -> Row:
    """Papers by the month they appeared in, empty months between the first and last included.

    Papers of which only the year is known, or nothing, are counted apart.
    """
    table = read_papers(corpus, "first_public")
    dates = [date or "" for date in flat(table["first_public"]).to_pylist()]
    counted = Counter(date[:7] for date in dates if len(date) >= 7)
    months = _span(min(counted), max(counted)) if counted else []
    return {
        "months": {month: counted[month] for month in months},
        "year_only": sum(len(date) == 4 for date in dates),
        "undated": dates.count(""),
    }


def _grouped(
    corpus: Corpus, label: str, group_of: Callable[[str], str], options: dict[str, bool]
) -> list[Row]:
    papers = read_papers(corpus, "categories")
    primary = [found[0] if found else None for found in papers["categories"].to_pylist()]
    named = [None if category is None else group_of(category) for category in primary]
    known = sorted({name for name in named if name is not None})
    labels: list[str | None] = [*known, None] if None in named else [*known]
    place = {name: number for number, name in enumerate(labels)}
    group = np.array([place[name] for name in named], dtype=np.int32)
    listed = _entries_of_each(corpus, flat(papers["paper_id"]))
    rows: list[Row] = []
    for number, name in enumerate(labels):
        lists = listed[(group == number) & (listed > 0)]
        rows.append(
            {
                label: name,
                "papers": int((group == number).sum()),
                "with_references": len(lists),
                "references_mean": _mean(lists),
            }
        )
    for network in ("citation", "comparison"):
        edges = _edges(load_network(corpus, network, **options), group, len(labels))
        for row, counted in zip(rows, edges, strict=True):
            row[network] = counted
    return rows


def _edges(network: Network, group: Ints, count: int) -> list[Row]:
    """Edges of each group: within it, with other groups, and to external works."""
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
            "in_mean": _mean(degrees[0][group == number]),
            "out_mean": _mean(degrees[1][group == number]),
        }
        for number in range(count)
    ]


def _entries_of_each(corpus: Corpus, paper_ids: Any) -> Longs:
    """Number of entries of each paper's list of references."""
    total = np.zeros(len(paper_ids), dtype=np.int64)
    for batch in column_batches(corpus, "references", ["paper_id"]):
        number = number_sorted_papers(flat(batch["paper_id"]), paper_ids)
        total += np.bincount(number[number >= 0], minlength=len(paper_ids))
    return total


def _mean(numbers: Longs) -> float | None:
    return float(numbers.mean()) if len(numbers) else None


def _span(first: str, last: str) -> list[str]:
    """Every month from the first to the last, both as YYYY-MM."""
    start, stop = (int(month[:4]) * 12 + int(month[5:]) - 1 for month in (first, last))
    return [f"{number // 12:04d}-{number % 12 + 1:02d}" for number in range(start, stop + 1)]
