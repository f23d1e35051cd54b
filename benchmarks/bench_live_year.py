"""A year of monthly updates against a replayed arXiv: requests, new papers, and the same again.

    python -m benchmarks.bench_live_year                 # from the repository's root

Papers of the sample corpus are submitted to a server on the loopback interface over two years. The
first year is a corpus and a round; in the second a round follows each month: what was submitted is
listed, its texts are fetched, and the network is updated until the quota and pruned. Then all is
done again in another folder, and every round must have the same bytes; and once without quota and
pruning, where the last round must have the items of a round built anew.
"""

import argparse
import shutil
import sys
import tempfile
import time
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any

from tests.servers.arxiv_replay import FakeClock, replaying
from tests.servers.living_arxiv import LivingArxiv, Submission, submissions

from vivavoce.corpus import ingest, load_corpus
from vivavoce.corpus.ingestion.fetching import AGAIN, fetch_texts, list_papers, open_service
from vivavoce.rounds import load_round
from vivavoce.rounds.anchors import items_of
from vivavoce.rounds.updating import update_round
from vivavoce.store import Row, hash_tree
from vivavoce.tasks import build_round, builders

START, FIRST, MONTHS = date(2023, 1, 1), date(2024, 1, 1), 12
SELECTING = {"quota": 10, "keep_days": 365, "inactive_days": 120, "anchors": 5}


def spec_of(name: str, end: date, update: Mapping[str, int]) -> dict[str, Any]:
    """A round of writing tasks with two settings."""
    window = {"start": START.isoformat(), "end": end.isoformat()}
    options = {"settings": ["base", "coauthor"]}
    return {
        "round": {"id": name, "window": window, "families": ["writing"]},
        "writing": options,
        "update": dict(update),
    }


def live_through(
    folder: Path, archive: tuple[Submission, ...], update: Mapping[str, int], months: int
) -> list[Row]:
    """A year in a folder, `corpus` and `rounds`; one row a month."""
    living = LivingArxiv(archive, FIRST)
    living.save(folder / "base.atom.xml", FIRST)
    ingest("arxiv", folder / "base.atom.xml", folder / "corpus")
    rows = []
    with replaying({}, FakeClock()) as server:
        server.script = living
        service = open_service(server.origin)
        corpus = folder / "corpus"
        fetch_texts(corpus, service.client, again=AGAIN, addresses=service.addresses)
        spec = spec_of("live", FIRST, update)
        opened = build_round(folder / "corpus", spec, folder / "rounds")
        for month in range(1, months + 1):
            since, until = (date(2024 + m // 12, m % 12 + 1, 1) for m in (month - 1, month))
            living.today = until
            began = time.process_time()
            before = len(load_corpus(corpus).papers)
            _, listing = list_papers(corpus, "arxiv", "cat:cs.CL", since, until, service)
            asked = service.client.requests
            fetch_texts(corpus, service.client, again=AGAIN, addresses=service.addresses)
            done = update_round(
                load_corpus(folder / "corpus"), opened, builders(), folder / "rounds", until
            )
            again = update_round(
                load_corpus(folder / "corpus"), done.round, builders(), folder / "rounds", until
            )
            assert done.is_new, until
            assert (again.is_new, again.round.id) == (False, done.round.id), until
            opened = done.round
            rows.append(
                {
                    **done.report,
                    "listing": listing,
                    "texts": service.client.requests - asked,
                    "cpu": time.process_time() - began,
                    "arrived": len(load_corpus(corpus).papers) - before,
                    "items": opened.manifest["counts"]["writing"]["title"]["items"],
                    "kept": sum(map(len, opened.update["anchors"].values())),
                }
            )
    return rows


def report(rows: list[Row]) -> None:
    """Print a line a month, with the sums so far."""
    print(
        "| until | came | of known, new authors | network: papers, authors | title items |", end=""
    )
    print(" anchors | listings, texts | per new paper | sum |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|---:|")
    ours = 0
    for row in rows:
        asked = row["listing"] + row["texts"]
        ours += asked
        rate = asked / row["new_papers"] if row["new_papers"] else float("nan")
        print(
            f"| {row['until']} | {row['arrived']} "
            f"| {row['by_known_authors']}, {row['by_new_authors']} "
            f"| {row['papers']}, {row['authors']} | {row['items']} | {row['kept']} "
            f"| {row['listing']}, {row['texts']} | {rate:.1f} "
            f"| {ours} |"
        )


def main() -> None:
    """Run the year three times and print what it took."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--papers", type=int, default=240, help="over two years")
    parser.add_argument("--months", type=int, default=MONTHS)
    parser.add_argument("--out", type=Path, help="keep corpora and rounds here")
    options = parser.parse_args()
    folder = options.out or Path(tempfile.mkdtemp())
    archive = submissions(options.papers, 731)
    try:
        rows = live_through(folder / "one", archive, SELECTING, options.months)
        print(f"[update] {SELECTING}")
        report(rows)
        live_through(folder / "two", archive, SELECTING, options.months)
        same = hash_tree(folder / "one" / "rounds") == hash_tree(folder / "two" / "rounds")
        print(f"\nThe same sequence in another folder gives the same bytes: {same}")
        rows = live_through(folder / "plain", archive, {}, options.months)
        print("\nWithout quota and pruning:")
        report(rows)
        last = load_round(folder / "plain" / "rounds" / f"live-{rows[-1]['until']}")
        end = date.fromisoformat(rows[-1]["until"])
        built = build_round(folder / "plain" / "corpus", spec_of("live", end, {}), folder / "anew")
        equal = items_of(built.manifest) == items_of(last.manifest)
        print(f"\nThe items are those of a round built anew: {equal}")
    finally:
        if options.out is None:
            shutil.rmtree(folder)
    if not (same and equal):
        sys.exit("The rounds differ.")


if __name__ == "__main__":
    main()
