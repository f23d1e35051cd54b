"""Leaked gold that was edited: share caught at each share of changed words, and false alarms.

The abstract of each real paper is put into the text of another paper of the field, with 5 to 50% of
its words changed, with and without its sentences in another order. Unrelated are the abstracts and
texts of different papers. Papers are cut into two halves by a hash of their ids: thresholds are
chosen on one and reported on the other.

    python -m benchmarks.bench_retold_gold CORPUS
"""

import argparse
import hashlib
import random
import re
from itertools import product
from pathlib import Path

import numpy as np
import numpy.typing as npt

from vivavoce.corpus import load_corpus
from vivavoce.text.shingles import retold_share, shingles_of

SHARES = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5)
THRESHOLDS = (0.5, 0.4, 0.3, 0.25, 0.2, 0.15, 0.1)


def change_words(text: str, share: float, chance: random.Random) -> str:
    """Replace a share of the words, drawn at random."""
    words = text.split()
    for place in chance.sample(range(len(words)), round(share * len(words))):
        words[place] = f"word{place}"
    return " ".join(words)


def reorder(text: str, chance: random.Random) -> str:
    """Shuffle the sentences."""
    sentences = re.split(r"(?<=[.!?]) ", text)
    chance.shuffle(sentences)
    return " ".join(sentences)


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
        alarms = np.array(unrelated)
        print(f"half {half}: {len(mine)} papers, {len(alarms)} unrelated pairs")
        print(f"  {'threshold':<22}" + "".join(f"{one:>8.2f}" for one in THRESHOLDS))
        _print_shares("unrelated", alarms)
        _print_shares(
            "own text", np.array([retold_share(golds[name], shown[name]) for name in mine])
        )
        for is_reordered, share in product((False, True), SHARES):
            chance = random.Random(0)
            found = []
            for a, b in zip(mine, mine[1:] + mine[:1], strict=True):
                planted = change_words(abstracts[a] or "", share, chance)
                planted = reorder(planted, chance) if is_reordered else planted
                words = texts[b].split()
                place = len(words) // 2
                leaked = " ".join([*words[:place], planted, *words[place:]])
                found.append(retold_share(golds[a], shingles_of(leaked)) or 0.0)
            name = f"{share:.0%} changed" + (", reordered" if is_reordered else "")
            _print_shares(name, np.array(found))


def _print_shares(name: str, values: npt.NDArray[np.float64]) -> None:
    shares = (f"{np.mean(values >= one):>8.2%}" for one in THRESHOLDS)
    print(f"  {name:<22}" + "".join(shares) + f"  highest {values.max():.2f}")


if __name__ == "__main__":
    main()
