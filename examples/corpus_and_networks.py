"""You build data sets: papers from several sources into one corpus, and networks over it.

Everything is Parquet in a folder; the same input gives the same bytes.

    python examples/corpus_and_networks.py [FOLDER]
"""

import sys
from pathlib import Path

from vivavoce import load_corpus
from vivavoce.corpus import corpus_stats, export_table, ingest
from vivavoce.networks import build_networks, load_network, network_stats
from vivavoce.networks.graph import pagerank


def main(out: Path) -> None:
    """Build a corpus out of two sources, look into it, and put networks over it."""
    folder = out / "corpus"
    ingest("sample", Path("60"), folder)
    undated = next(paper for paper in load_corpus(folder).papers if not paper.published)
    print(f"undated: {undated.paper_id}, {undated.title}")

    # A second source completes what the first one lacks; a row that cannot be read is named.
    more = out / "dates.csv"
    more.write_text(f"id,published\n{undated.paper_id},2024-05-17\nsample-0001,the day after\n")
    report = ingest("metadata", more, folder)
    print(f"{report.read} row read, {report.completed} paper completed")
    for fault in report.failed:
        print(f"  not read: {Path(fault.where).name}: {fault.reason}")

    corpus = load_corpus(folder)
    stats = corpus_stats(corpus)
    print(f"papers {stats['tables']['papers']}, sections {stats['tables']['sections']}")
    print(f"fit to be asked about: {stats['fit']}; references: {stats['references']}")
    print(f"exported: {export_table(corpus, 'references', out / 'references.jsonl')} references")

    build_networks(corpus)
    for name, sizes in network_stats(corpus).items():
        print(f"{name}: " + ", ".join(f"{key} {value}" for key, value in sizes.items()))

    # A network is two arrays of node numbers, for whatever you want to compute on it.
    citations = load_network(corpus, "citation", external=False)
    scores = pagerank(citations.graph)
    print(f"PageRank of {len(scores)} papers sums to {scores.sum():.3f}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "example-corpus"))
