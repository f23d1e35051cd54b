"""ROUGE beside rouge-score, and its ROUGE-L beside a few lines of rapidfuzz: equal floats."""

import random
import re
from collections.abc import Iterator
from functools import cache, partial
from pathlib import Path

from benchmarks.peers.comparison import Comparison
from nltk.stem.porter import PorterStemmer
from rapidfuzz.distance import LCSseq
from rouge_score.rouge_scorer import RougeScorer

from vivavoce.metrics.rouge import rouge

Pair = tuple[str, str]
METRICS = ("rouge1", "rouge2", "rougeL")
ENDINGS = ("", "s", "ing", "ed", "ation", "ational", "ly", "ness", "ies", "ical")


def comparisons(scratch: Path, *, smoke: bool) -> Iterator[Comparison]:
    """Short texts as they are, long ones stemmed with a warm stem cache."""
    short = make_pairs(10 if smoke else 30, 200, seed=1)
    yield _comparison(short, "200 words", target=20.0, stem=False)
    yield _beside_rapidfuzz(short, "200 words", stem=False)
    if not smoke:
        long = make_pairs(12, 1500, seed=2)
        yield _comparison(long, "1,500 words, stemmed", target=20.0, stem=True)
        yield _beside_rapidfuzz(long, "1,500 words, stemmed", stem=True)


def make_pairs(count: int, words: int, seed: int) -> list[Pair]:
    """Texts over a skewed vocabulary; the second of each pair is an edited copy of the first."""
    chooser = random.Random(seed)
    letters = "abcdefghiklmnoprstuvy"
    stems = ["".join(chooser.choices(letters, k=chooser.randint(3, 8))) for _ in range(600)]
    vocabulary = [stem + chooser.choice(ENDINGS) for stem in stems]
    weights = [1 / rank for rank in range(1, len(vocabulary) + 1)]

    def draw(number: int) -> list[str]:
        return chooser.choices(vocabulary, weights, k=number)

    def edit(text: list[str]) -> list[str]:
        return [word if chooser.random() < 0.6 else draw(1)[0] for word in text]

    references = [draw(words) for _ in range(count)]
    return [(" ".join(edit(text)), " ".join(text)) for text in references]


def _comparison(pairs: list[Pair], texts: str, *, target: float, stem: bool) -> Comparison:
    return Comparison(
        job=f"ROUGE-1, -2 and -L, {texts}",
        peer="rouge-score",
        ours=partial(_ours, pairs, stem),
        theirs=partial(_theirs, pairs, RougeScorer(METRICS, use_stemmer=stem)),
        agree=lambda ours, theirs: ours == theirs,
        target=target,
    )


def _beside_rapidfuzz(pairs: list[Pair], texts: str, *, stem: bool) -> Comparison:
    """The shortest way that is fast: each word is stemmed once."""
    stemmed = cache(PorterStemmer().stem)

    def words(text: str) -> list[str]:
        found = re.findall(r"[a-z0-9]+", text.lower())
        return [stemmed(word) if len(word) > 3 else word for word in found] if stem else found

    def score(prediction: str, reference: str) -> float:
        predicted, expected = words(prediction), words(reference)
        common = LCSseq.similarity(predicted, expected)
        precision, recall = common / len(predicted), common / len(expected)
        return 2 * precision * recall / (precision + recall) if common else 0.0

    return Comparison(
        job=f"ROUGE-L, ours with -1 and -2, {texts}",
        peer="rapidfuzz, stems kept" if stem else "rapidfuzz",
        ours=partial(_ours, pairs, stem),
        theirs=lambda: [score(*pair) for pair in pairs],
        agree=lambda ours, theirs: [one["rougeL"] for one in ours] == theirs,
    )


def _ours(pairs: list[Pair], stem: bool) -> list[dict[str, float]]:
    return [rouge(p, r, stem=stem) for p, r in pairs]


def _theirs(pairs: list[Pair], scorer: RougeScorer) -> list[dict[str, float]]:
    found = (scorer.score(r, p) for p, r in pairs)
    return [{name: one[name].fmeasure for name in METRICS} for one in found]
