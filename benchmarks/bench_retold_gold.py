"""Leaked gold that was edited: share caught, and false alarms, on real papers.

The abstract of each paper is put into the text of another paper of the field with every eighth word
changed, with its sentences in another order, or with words broken by hyphens; unrelated are the
abstracts and texts of different papers. Papers are cut into two halves by a hash of their ids:
thresholds are chosen on one and reported on the other.

    python -m benchmarks.bench_retold_gold CORPUS
"""

from __future__ import annotations

import argparse
import hashlib
import random
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np

from vivavoce.corpus import load_corpus
from vivavoce.text.shingles import RETOLD, retold_share, shingles_of


def change_words(text: str, chance: random.Random) -> str:
    """Replace every eighth word."""
    words = text.split()
    return " ".join("entirely" if n % 8 == 7 else word for n, word in enumerate(words))


def reorder(text: str, chance: random.Random) -> str:
    """Shuffle the sentences."""
    sentences = re.split(r"(?<=[.!?]) ", text)
    chance.shuffle(sentences)
    return " ".join(sentences)


def hyphenate(text: str, chance: random.Random) -> str:
    """Break every fifth long word as the end of a line does."""
    words = text.split()
    for n in range(0, len(words), 5):
        if words[n].isalpha() and len(words[n]) > 6:
            words[n] = f"{words[n][:4]}- {words[n][4:]}"
    return " ".join(words)


EDITS: dict[str, Callable[[str, random.Random], str]] = {
    "every 8th word changed": change_words,
    "sentences reordered": reorder,
    "words broken": hyphenate,
    "all three": lambda text, chance: hyphenate(
        change_words(reorder(text, chance), chance), chance
    ),
}


def main() -> None:
    """Print both halves."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", type=Path)
    corpus = load_corpus(parser.parse_args().corpus)
    abstracts = {p.paper_id: p.abstract for p in corpus.papers if p.abstract and p.title}
    works = {p.paper_id: p.work for p in corpus.papers}
    texts = {
        name: "\n".join(s.text for s in sections if s.role != "abstract")
        for name, sections in corpus.sections()
        if name in abstracts and len((abstracts[name] or "").split()) >= 40
    }
    for half in (0, 1):
        mine = sorted(n for n in texts if hashlib.sha256(n.encode()).digest()[0] % 2 == half)
        shown = {name: shingles_of(texts[name]) for name in mine}
        golds = {name: shingles_of(abstracts[name] or "") for name in mine}
        unrelated = [
            retold_share(golds[a], shown[b]) or 0.0
            for a in mine
            for b in mine
            if a != b and (works[a] is None or works[a] != works[b])
        ]
        own = np.array([retold_share(golds[name], shown[name]) for name in mine])
        alarms = np.array(unrelated) >= RETOLD
        print(f"half {half}: {len(mine)} papers, threshold {RETOLD}")
        print(f"  unrelated: {alarms.sum()} of {len(alarms)} alarms, highest {max(unrelated):.2f}")
        print(f"  own text: {(own >= RETOLD).sum()} alarms, 95% below {np.quantile(own, 0.95):.2f}")
        for name, edit in EDITS.items():
            chance = random.Random(0)
            found = []
            for a, b in zip(mine, mine[1:] + mine[:1], strict=True):
                words = texts[b].split()
                place = len(words) // 2
                planted = edit(abstracts[a] or "", chance)
                leaked = " ".join([*words[:place], planted, *words[place:]])
                found.append(retold_share(golds[a], shingles_of(leaked)) or 0.0)
            caught = np.array(found) >= RETOLD
            print(f"  {name}: {caught.sum()} of {len(caught)} caught, lowest {min(found):.2f}")


if __name__ == "__main__":
    main()
