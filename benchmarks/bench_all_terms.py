"""All-terms queries against a scan that tokenises every document into a set.

    python benchmarks/bench_all_terms.py [--documents N] [--smoke] [--corpus DIR] [--text KIND]
        [--json]

The documents are made here, or are those of a corpus, searched by the names of its boards without
their stop words.

Same sets first: the scan answers a few queries, and both indexes have to agree with it there and
with each other on every query. Then process CPU time, all threads together: of one query, of
building, and of replacing 5% of the documents on disk. Ends with exit code 1 when sets differ, or
when at 39,000 documents or more a query is not 1,000 times as fast as the scan.
"""

from __future__ import annotations

import argparse
import itertools
import json
import random
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from vivavoce.corpus import Corpus, load_corpus
from vivavoce.corpus.boards import read_boards
from vivavoce.corpus.fulltext import read_documents
from vivavoce.retrieval.all_terms import (
    PostingsIndex,
    TantivyIndex,
    TantivyWriter,
    TermsDocument,
    committed_files,
)
from vivavoce.text.terms import query_terms, terms_of

DOCUMENTS, SMOKE = 50_000, 1_000
WORDS, VOCABULARY = 170, 60_000
QUERIES, SCANNED, ROUNDS, SEED = 200, 5, 5, 11
TARGET, TARGET_FROM = 1_000.0, 39_000
"""How many queries an index answers while the scan answers one, from so many documents on."""
SHARE_REPLACED = 0.05


@dataclass(frozen=True)
class Line:
    """One back end."""

    name: str
    build_seconds: float
    megabytes: float
    query_ms: float
    ratio: float
    """How many queries it answers while the scan answers one."""


def make_documents(count: int, seed: int) -> list[TermsDocument]:
    """Abstracts of about 170 words over a skewed vocabulary, with capitals and punctuation."""
    chooser = random.Random(seed)
    words = [_word(number) for number in range(VOCABULARY)]
    weights = list(itertools.accumulate(1 / (rank + 10) for rank in range(VOCABULARY)))
    documents = []
    for number in range(count):
        text = chooser.choices(words, cum_weights=weights, k=chooser.randint(130, 210))
        text[0] = text[0].capitalize()
        text[9::12] = [f"{word}," for word in text[9::12]]
        text[20::25] = [f"{word}." for word in text[20::25]]
        date = f"20{chooser.randint(10, 25)}-{chooser.randint(1, 12):02d}"
        documents.append(TermsDocument(f"paper-{number:07d}", " ".join(text), date))
    return documents


def make_queries(seed: int) -> list[str]:
    """Two to four terms each, from the 20th to the 1,000th most frequent."""
    chooser = random.Random(seed)
    picks = (chooser.sample(range(20, 1_000), chooser.randint(2, 4)) for _ in range(QUERIES))
    return [" ".join(_word(number) for number in pick) for pick in picks]


def names_of_boards(corpus: Corpus, seed: int) -> list[str]:
    """What the candidates for some boards of a corpus are searched by."""
    boards = read_boards(corpus).boards
    names = [f"{board.task} {board.dataset} {board.metric}" for board in boards]
    asked = sorted({" ".join(query_terms(text, drop_stop_words=True)) for text in names} - {""})
    return random.Random(seed).sample(asked, min(QUERIES, len(asked)))


def _word(number: int) -> str:
    """A word of letters for a number: frequent words are short."""
    letters = []
    while number >= 0:
        number, letter = divmod(number, 20)
        letters.append("aeioulnrstmdpcgbfhvk"[letter])
        number -= 1
    return "".join(letters) + "ing" * (len(letters) > 2)


def scan(documents: Sequence[TermsDocument], query: str) -> list[str]:
    """What both back ends are to find, the plain way."""
    wanted = set(terms_of(query))
    return sorted(d.id for d in documents if wanted <= set(terms_of(d.text)))


def cpu_seconds(run: Callable[[], object]) -> float:
    """Process CPU time of one call, all threads together."""
    start = time.process_time()
    run()
    return time.process_time() - start


def ask(index: TantivyIndex, queries: Sequence[str]) -> list[list[str]]:
    """The answers to all queries."""
    return [index.all_terms(query) for query in queries]


def write(folder: Path, documents: Sequence[TermsDocument], share: float = 1.0) -> None:
    """Put a share of the documents into an index on disk, evenly spread."""
    writer = TantivyWriter(folder)
    for number in range(0, len(documents), round(1 / share)):
        writer.put(number, documents[number])
    writer.commit("benchmark")


def megabytes_held() -> float:
    """Highest resident memory of this process so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measure(documents: list[TermsDocument], queries: list[str], folder: Path) -> dict[str, object]:
    """Check that the sets are the same, then time everything."""
    ids = [document.id for document in documents]
    held = megabytes_held()
    disk_build = cpu_seconds(lambda: write(folder, documents))
    disk_memory = megabytes_held() - held
    on_disk = TantivyIndex(folder, lambda numbers: [ids[number] for number in numbers])
    postings: list[PostingsIndex] = []
    memory_build = cpu_seconds(lambda: postings.append(PostingsIndex(documents)))
    found = ask(on_disk, queries)
    scanned = [scan(documents, query) for query in queries[:SCANNED]]
    same = found == ask(postings[0], queries) and found[:SCANNED] == scanned
    scan_ms = 1000 * statistics.median(
        cpu_seconds(lambda query=query: scan(documents, query)) for query in queries[:SCANNED]
    )
    size = sum((folder / name).stat().st_size for name in committed_files(folder)) / 1e6
    times: dict[str, list[float]] = {"postings": [], "tantivy": []}
    for _ in range(ROUNDS):
        times["postings"].append(cpu_seconds(lambda: ask(postings[0], queries)))
        times["tantivy"].append(cpu_seconds(lambda: ask(on_disk, queries)))
    each = {name: 1000 * statistics.median(runs) / len(queries) for name, runs in times.items()}
    lines = [
        Line(
            "postings",
            memory_build,
            size,
            each["postings"],
            scan_ms / each["postings"],
        ),
        Line("tantivy", disk_build, size, each["tantivy"], scan_ms / each["tantivy"]),
    ]
    return {
        "documents": len(documents),
        "queries": len(queries),
        "text_megabytes": sum(len(document.text) for document in documents) / 1e6,
        "mean_hits": statistics.mean(len(hits) for hits in found),
        "same_sets": same,
        "scan_ms": scan_ms,
        "lines": lines,
        "writer_megabytes": disk_memory,
        "replace_seconds": cpu_seconds(lambda: write(folder, documents, SHARE_REPLACED)),
    }


def main() -> int:
    """Print the table; 1 when sets differ or the target is missed."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--documents", type=int, default=DOCUMENTS, help="how many to make")
    parser.add_argument("--smoke", action="store_true", help=f"only {SMOKE:,} documents")
    parser.add_argument("--corpus", type=Path, help="take the papers and boards of a corpus")
    parser.add_argument("--text", default="abstracts", help="of a corpus: abstracts or full")
    parser.add_argument("--json", action="store_true", help="print one JSON document instead")
    arguments = parser.parse_args()
    if arguments.corpus:
        corpus = load_corpus(arguments.corpus)
        documents = list(read_documents(corpus, text=arguments.text))
        queries = names_of_boards(corpus, SEED)
        if not queries:
            parser.error(f"{arguments.corpus} has no boards: ingest a list of results into it")
    else:
        count = SMOKE if arguments.smoke else arguments.documents
        documents, queries = make_documents(count, SEED), make_queries(SEED)
    with tempfile.TemporaryDirectory() as folder:
        found = measure(documents, queries, Path(folder) / "index")
    lines: list[Line] = found["lines"]  # type: ignore[assignment]
    if arguments.json:
        print(json.dumps({**found, "lines": [asdict(line) for line in lines]}, indent=2))
    else:
        print_table(found, lines)
    is_fast = len(documents) < TARGET_FROM or all(line.ratio >= TARGET for line in lines)
    return 0 if found["same_sets"] and is_fast else 1


def print_table(found: dict[str, object], lines: list[Line]) -> None:
    """One line a back end."""
    print(
        f"{found['documents']:,} documents, {found['text_megabytes']:.0f} MB of text; "
        f"{found['queries']} queries, {found['mean_hits']:.0f} hits on average; "
        f"same sets: {'yes' if found['same_sets'] else 'NO'}"
    )
    print("              build s      MB   ms a query   x scan")
    print(f"scan                -       -   {found['scan_ms']:10.1f}        1")
    for line in lines:
        print(
            f"{line.name:12} {line.build_seconds:8.2f} {line.megabytes:7.1f}   "
            f"{line.query_ms:10.4f} {line.ratio:8,.0f}"
        )
    print(
        f"tantivy: {SHARE_REPLACED:.0%} replaced in {found['replace_seconds']:.2f} s, "
        f"{found['writer_megabytes']:.0f} MB of memory to build"
    )


if __name__ == "__main__":
    sys.exit(main())
