"""BERTScore of eight systems that share references: one call here, eight calls of bert-score.

The model is a random BERT, so nothing is downloaded; all texts have the same number of tokens.
bert-score keeps its model loaded between the calls. Both are given the same torch threads.

    python benchmarks/bench_bertscore.py [--references 24] [--tokens 128] [--repeats 5]
"""

from __future__ import annotations

import argparse
import random
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from vivavoce.metrics.bertscore import BertScorer

SYSTEMS = 8
LAYER = 4


def make_model(folder: Path, tokens: int) -> None:
    """Save a random BERT of four layers whose vocabulary is one word a number."""
    import torch
    import transformers

    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *(f"w{index}" for index in range(1000))]
    (folder / "vocab.txt").write_text("\n".join(words) + "\n")
    tokenizer = transformers.BertTokenizer(str(folder / "vocab.txt"), model_max_length=tokens + 2)
    tokenizer.save_pretrained(folder)
    torch.manual_seed(0)
    config = transformers.BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=256,
        num_hidden_layers=LAYER,
        num_attention_heads=4,
        intermediate_size=1024,
        max_position_embeddings=tokens + 2,
    )
    transformers.BertModel(config).save_pretrained(folder)


def cpu_seconds(work: Callable[[], Any]) -> tuple[float, Any]:
    """Process CPU time of a piece of work, all threads together, and its result."""
    start = time.process_time()
    result = work()
    return time.process_time() - start, result


def main() -> None:
    """Print the CPU times, their ratio and the largest difference between the scores."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--references", type=int, default=24)
    parser.add_argument("--tokens", type=int, default=128)
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    import bert_score
    import torch

    torch.set_num_threads(1)
    chance = random.Random(0)

    def text() -> str:
        return " ".join(f"w{chance.randrange(1000)}" for _ in range(options.tokens))

    references = [text() for _ in range(options.references)]
    systems = [[text() for _ in references] for _ in range(SYSTEMS)]
    pairs = [pair for system in systems for pair in zip(system, references, strict=True)]
    with tempfile.TemporaryDirectory() as name:
        make_model(Path(name), options.tokens)
        peer = bert_score.BERTScorer(model_type=name, num_layers=LAYER)
        own = BertScorer(name, LAYER)
        times: dict[str, list[float]] = {"one call": [], "eight calls": []}
        for _ in range(options.repeats):
            seconds, scores = cpu_seconds(lambda: own.score(pairs))
            times["one call"].append(seconds)
            seconds, theirs = cpu_seconds(lambda: [peer.score(one, references) for one in systems])
            times["eight calls"].append(seconds)
    expected = [value for _, _, f1 in theirs for value in f1.tolist()]
    difference = max(abs(one.f1 - two) for one, two in zip(scores, expected, strict=True))
    medians = {name: statistics.median(values) for name, values in times.items()}
    print(
        f"{len(pairs)} pairs of {options.tokens} tokens, median of {options.repeats}, CPU seconds"
    )
    for name, median in medians.items():
        print(f"  {name:12} {median:.2f}")
    ratio = medians["eight calls"] / medians["one call"]
    print(f"  ratio        {ratio:.2f} (of texts encoded: 16/9 = 1.78)")
    print(f"  largest difference of F1: {difference:.1e}")


if __name__ == "__main__":
    main()
