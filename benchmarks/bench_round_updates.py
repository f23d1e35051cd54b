"""The Anthology's papers of 2022 come to a round that was made when there were those to 2021.

    python benchmarks/bench_round_updates.py [--acl PARQUET] [--bodies 8]

The Anthology's records have no texts, and items need some. One paper in eight of 2021 and 2022
(`--bodies`) gets a stand-in for a text: the words of its abstract in an order drawn by lot. Who
wrote what, when, and with whom is real. The round asks for titles and abstracts.

Printed are the figures of updates under several `[update]` tables, and the CPU they take beside
that of a round built anew. A second update must change nothing, and the plain one must have the
items of a rebuild.

The last line is an update of one month: a round that ends with November 2022, and what is dated
December or later.
"""

import argparse
import json
import os
import random
import shutil
import sys
import tempfile
import time
import zlib
from collections.abc import Callable, Mapping
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from vivavoce.corpus import Corpus, ingest, load_corpus
from vivavoce.rounds import Round, load_round
from vivavoce.rounds.anchors import items_of
from vivavoce.rounds.updating import update_round
from vivavoce.store import hash_tree
from vivavoce.tasks import build_round, builders

Made = TypeVar("Made")
END, UNTIL = date(2022, 1, 1), date(2023, 1, 1)
LAST_MONTH = date(2022, 12, 1)
TABLES: Mapping[str, Mapping[str, int]] = {
    "plain": {},
    "known authors alone": {"quota": 0},
    "until 6,000 new papers": {"quota": 6_000},
    "and pruned": {"quota": 6_000, "keep_days": 1_826, "inactive_days": 1_096, "anchors": 100},
}
_WORDS_A_SECTION, _SECTIONS = 150, 4


def spec_of(end: date, update: Mapping[str, int]) -> dict[str, Any]:
    """A round of writing tasks from 2021 on."""
    window = {"start": "2021-01-01", "end": end.isoformat()}
    opening = {"id": "acl", "window": window, "families": ["writing"]}
    return {"round": opening, "writing": {"settings": ["base"]}, "update": dict(update)}


def write_inputs(acl: Path, folder: Path, one_in: int) -> None:
    """Metadata to 2021, that of 2022, and the stand-ins for texts of both."""
    table = pq.read_table(acl)
    folder.mkdir(parents=True)
    for name, chosen in (("old", pc.less_equal), ("new", pc.greater)):
        part = table.filter(chosen(table["year"], pa.scalar(2021)))
        pq.write_table(part, folder / f"{name}.parquet")
        years = part.filter(pc.greater_equal(part["year"], pa.scalar(2021)))
        rows = years.select(["id", "title", "abstract"]).to_pylist()
        with (folder / f"{name}.jsonl").open("w", encoding="utf-8") as stream:
            for row in rows:
                if zlib.crc32(row["id"].encode()) % one_in == 0:
                    stream.write(json.dumps(body_of(row)) + "\n")


def body_of(row: Mapping[str, str]) -> dict[str, Any]:
    """A record of S2ORC whose text is drawn from the abstract's words."""
    lots, words = random.Random(row["id"]), row["abstract"].split()
    sections = [
        {"section": f"Part {n}", "text": " ".join(lots.choices(words, k=_WORDS_A_SECTION))}
        for n in range(1, _SECTIONS + 1)
    ]
    return {"paper_id": row["id"], "acl_id": row["id"], "pdf_parse": {"body_text": sections}}


def timed(work: Callable[[], Made]) -> tuple[Made, float]:
    """What some work gives, and the seconds of CPU it took in this process."""
    began = time.process_time()
    made = work()
    return made, time.process_time() - began


def main() -> None:
    """Run it and print the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    data = Path(os.environ.get("VIVAVOCE_DATA") or Path(__file__).parents[2] / "shared" / "data")
    parser.add_argument("--acl", type=Path, default=data / "acl" / "acl_upto2022.parquet")
    parser.add_argument("--bodies", type=int, default=8, help="one paper in so many has a text")
    parser.add_argument("--out", type=Path, help="keep corpora and rounds here")
    options = parser.parse_args()
    folder = options.out or Path(tempfile.mkdtemp())
    try:
        sound = measure(folder, options.acl, options.bodies)
    finally:
        if options.out is None:
            shutil.rmtree(folder)
    if not sound:
        sys.exit("An update differs from what it should be.")


def measure(folder: Path, acl: Path, one_in: int) -> bool:
    """Print the figures; tell whether every update is what it should be."""
    inputs, where = folder / "in", folder / "corpus"
    if not inputs.exists():
        write_inputs(acl, inputs, one_in)
        ingest("metadata", inputs / "old.parquet", where)
        ingest("s2orc", inputs / "old.jsonl", where)
        for name, update in TABLES.items():
            build_round(where, spec_of(END, update), rounds_of(folder, name))
        _, took = timed(lambda: ingest("metadata", inputs / "new.parquet", where))
        ingest("s2orc", inputs / "new.jsonl", where)
        print(f"Ingesting the metadata of 2022: {took:.1f} s of CPU")
    corpus = load_corpus(where)
    anew, built_in = timed(
        lambda: build_round(where, spec_of(UNTIL, {}), folder / "anew"),
    )
    print(f"{len(corpus.papers):,} papers; the round built anew: {built_in:.1f} s of CPU\n")
    print("| update | of known, new authors | late | authors met, adopted ", end="")
    print("| dropped: stale, inactive, theirs | network: papers, authors ", end="")
    print("| items: title | anchors | CPU s |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|---:|")
    sound = True
    for name in TABLES:
        out = rounds_of(folder, name)
        opened = load_round(out / "acl")
        work = partial(update_round, corpus, opened, builders(), out, UNTIL)
        done, took = timed(work)
        before = hash_tree(out)
        print_row(name, done.round, done.report, took)
        again = update_round(corpus, done.round, builders(), out, UNTIL)
        sound &= not again.is_new and hash_tree(out) == before
        if name == "plain":
            sound &= items_of(done.round.manifest) == items_of(anew.manifest)
    measure_a_month(corpus, folder)
    print(
        f"\nA rebuild has the items of the plain update, a second update changes nothing: {sound}"
    )
    return bool(sound)


def measure_a_month(corpus: Corpus, folder: Path) -> None:
    """Print the figures of an update with few new papers."""
    out = folder / "month"
    parent = build_round(corpus.folder, spec_of(LAST_MONTH, {}), out)
    shutil.rmtree(out / f"acl-{UNTIL}", ignore_errors=True)
    done, took = timed(partial(update_round, corpus, parent, builders(), out, UNTIL))
    print_row("plain, one month", done.round, done.report, took)


def rounds_of(folder: Path, name: str) -> Path:
    """Where the rounds under one of the tables are."""
    return folder / "rounds" / name.replace(" ", "-").replace(",", "")


def print_row(name: str, opened: Round, did: Mapping[str, Any], took: float) -> None:
    """A line of the table."""
    items = opened.manifest["counts"]["writing"]["title"]["items"]
    anchors = sum(map(len, opened.update["anchors"].values()))
    print(
        f"| {name} | {did['by_known_authors']:,}, {did['by_new_authors']:,} | {did['late']:,} "
        f"| {did['authors_considered']:,}, {did['authors_adopted']:,} | {did['stale_papers']:,}, "
        f"{did['inactive_authors']:,}, {did['papers_of_inactive_authors']:,} "
        f"| {did['papers']:,}, {did['authors']:,} | {items:,} | {anchors} "
        f"| {took:.1f} |"
    )


if __name__ == "__main__":
    main()
