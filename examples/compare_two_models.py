"""A lab asks which of two models writes the better abstracts for its own papers.

Without arguments the papers are made up and the models are two baselines that copy sentences, so
that this runs offline. With them:

    python examples/compare_two_models.py --papers papers/ --kind pdf --metadata papers.csv \
        --models openai/gpt-4o-mini mistral/mistral-large-latest

`papers.csv` needs the columns file and published: a paper without a date is never asked about.
"""

import argparse
from pathlib import Path

import numpy as np

from vivavoce import Corpus, build_round, leaderboard, load_corpus, run
from vivavoce.corpus import ingest
from vivavoce.results.logs.reading import read_logs
from vivavoce.running import RunSpec
from vivavoce.statistics.comparison import paired_difference
from vivavoce.statistics.intervals import resample

TASK, METRIC = "abstract", "rougeL"


def gather(papers: Path | None, kind: str, metadata: Path | None, folder: Path) -> Corpus:
    """Make a corpus of the lab's papers; of made-up ones where there are none."""
    reports = [ingest(kind, papers, folder) if papers else ingest("sample", Path("40"), folder)]
    if metadata:
        reports.append(ingest("metadata", metadata, folder))
    print(f"{reports[-1].papers} papers, {reports[-1].undated} without a date")
    for fault in (fault for report in reports for fault in report.failed):
        print(f"  not read: {fault.where}: {fault.reason}")
    return load_corpus(folder)


def compare(logs: Path, first: str, second: str) -> None:
    """Print the difference of two models on the papers that both were asked about."""
    found, _ = read_logs(logs)
    scores = {log.key.model: {s.id: s.values[METRIC] for s in log.samples} for log in found}
    items = sorted(scores[first].keys() & scores[second].keys())
    # Both models meet the same papers, hard ones and easy ones: what is compared is each paper.
    one, other = (np.array([scores[name][i] for i in items], float) for name in (first, second))
    difference = paired_difference(one, other, resample(items), span=1.0)
    print(f"{first} - {second}: {difference.value:+.3f} on {len(items)} papers")
    if difference.interval is None:
        print("  too few papers for an interval")
    else:
        low, high = difference.interval
        verdict = "undecided" if difference.undecided else "that is no accident"
        print(f"  95% interval [{low:+.3f}, {high:+.3f}]: {verdict}")


def main(
    out: Path,
    models: tuple[str, str] = ("extractive/lead", "extractive/centrality"),
    papers: Path | None = None,
    kind: str = "tei",
    metadata: Path | None = None,
    window: tuple[str, str] = ("2000-01-01", "2030-01-01"),
) -> None:
    """Gather papers, ask both models, compare."""
    corpus = gather(papers, kind, metadata, out / "corpus")
    spec = {
        "round": {
            "id": "ours",
            "window": {"start": window[0], "end": window[1]},
            "families": ["writing"],
        },
        "writing": {"settings": ["base"]},
    }
    opened = build_round(corpus, spec, out / "rounds")
    report = run(
        RunSpec(
            tasks=[TASK],
            round=opened.folder,
            logs=out / "logs",
            models=models,
            display="none",
        )
    )
    for line in report.failed:
        print(f"not complete, run this again: {line}")
    for row in leaderboard(out / "logs", partial=True).rows:
        if row["metric"] == METRIC:
            low, high = row["ci"] or (float("nan"), float("nan"))
            print(
                f"{row['model']}: {METRIC} {row['value']:.3f} [{low:.3f}, {high:.3f}], "
                f"{row['valid']:.0%} of {row['n']} answers valid"
            )
    compare(out / "logs", *models)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Compare two models on your own papers.")
    parser.add_argument("--out", type=Path, default=Path("example-comparison"))
    parser.add_argument("--models", nargs=2, default=["extractive/lead", "extractive/centrality"])
    parser.add_argument("--papers", type=Path, help="a folder of papers; else made-up ones")
    parser.add_argument("--kind", default="tei", help="tei, pdf, latex, html, jats ...")
    parser.add_argument("--metadata", type=Path, help="dates of the papers, by file name")
    parser.add_argument("--window", nargs=2, default=["2000-01-01", "2030-01-01"])
    given = parser.parse_args()
    main(
        given.out,
        tuple(given.models),
        given.papers,
        given.kind,
        given.metadata,
        tuple(given.window),
    )
