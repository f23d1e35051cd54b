"""All-terms queries against a scan that tokenises every document into a set.

    python benchmarks/bench_all_terms.py [--documents N] [--smoke] [--corpus DIR] [--text KIND]
        [--json]

The documents are made here, or are those of a corpus, searched by the names of its boards without
their stop words.

Same sets first: the scan answers a few queries, and the index has to agree with it. Then process
CPU time, all threads together, of one query and of building. Ends with exit code 1 when sets
differ, or when at 39,000 documents or more a query is not 1,000 times as fast as the scan.
"""

import argparse
import itertools
import json
import random
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from vivavoce.corpus import Corpus, load_corpus
from vivavoce.corpus.boards import make_boards
from vivavoce.retrieval.sparse import PostingsIndex, TermsDocument
from vivavoce.tasks.ranking.build import read_documents
from vivavoce.text.terms import query_terms, terms_of

DOCUMENTS, SMOKE = 50_000, 1_000
WORDS, VOCABULARY = 170, 60_000
QUERIES, SCANNED, ROUNDS, SEED = 200, 5, 5, 11
TARGET, TARGET_FROM = 1_000.0, 39_000
"""How many queries an index answers while the scan answers one, from so many documents on."""


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
    boards = make_boards(corpus.rows("results"))
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
    """What the index is to find, the plain way."""
    wanted = set(terms_of(query))
    return sorted(d.id for d in documents if wanted <= set(terms_of(d.text)))


def cpu_seconds(run: Callable[[], object]) -> float:
    """Process CPU time of one call, all threads together."""
    start = time.process_time()
    run()
    return time.process_time() - start


def measure(documents: list[TermsDocument], queries: list[str]) -> dict[str, float]:
    """Check that the sets are the same, then time everything."""
    made: list[PostingsIndex] = []
    build = cpu_seconds(lambda: made.append(PostingsIndex(documents)))

    def ask() -> list[list[str]]:
        return [made[0].all_terms(query) for query in queries]

    found = ask()
    scanned = [scan(documents, query) for query in queries[:SCANNED]]
    scan_ms = 1000 * statistics.median(
        cpu_seconds(lambda query=query: scan(documents, query)) for query in queries[:SCANNED]
    )
    query_ms = 1000 * statistics.median(cpu_seconds(ask) for _ in range(ROUNDS)) / len(queries)
    return {
        "documents": len(documents),
        "queries": len(queries),
        "text_megabytes": sum(len(document.text) for document in documents) / 1e6,
        "mean_hits": statistics.mean(len(hits) for hits in found),
        "same_sets": found[:SCANNED] == scanned,
        "build_seconds": build,
        "scan_ms": scan_ms,
        "query_ms": query_ms,
        "ratio": scan_ms / query_ms,
    }


def main() -> int:
    """Print the table; 1 when sets differ or the target is missed."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--documents", type=int, default=DOCUMENTS, help="how many to make")
    parser.add_argument("--smoke", action="store_true", help=f"only {SMOKE:,} documents")
    parser.add_argument("--corpus", type=Path, help="take the papers and boards of a corpus")
    parser.add_argument("--text", default="abstracts", help="of a corpus: abstracts or fulltext")
    parser.add_argument("--json", action="store_true", help="print one JSON document instead")
    arguments = parser.parse_args()
    if arguments.corpus:
        corpus = load_corpus(arguments.corpus)
        documents = list(read_documents(corpus, arguments.text))
        queries = names_of_boards(corpus, SEED)
        if not queries:
            parser.error(f"{arguments.corpus} has no boards: ingest a list of results into it")
    else:
        count = SMOKE if arguments.smoke else arguments.documents
        documents, queries = make_documents(count, SEED), make_queries(SEED)
    found = measure(documents, queries)
    if arguments.json:
        print(json.dumps(found, indent=2))
    else:
        print(
            f"{found['documents']:,} documents, {found['text_megabytes']:.0f} MB of text; "
            f"{found['queries']} queries, {found['mean_hits']:.0f} hits on average; "
            f"same sets: {'yes' if found['same_sets'] else 'NO'}\n"
            f"built in {found['build_seconds']:.2f} s; a query takes {found['query_ms']:.4f} ms, a "
            f"scan {found['scan_ms']:.1f} ms, {found['ratio']:,.0f} times as long"
        )
    is_fast = len(documents) < TARGET_FROM or found["ratio"] >= TARGET
    return 0 if found["same_sets"] and is_fast else 1


if __name__ == "__main__":
    sys.exit(main())
