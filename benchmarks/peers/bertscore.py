"""BERTScore of eight systems that share references: one call here, eight calls of bert-score.

The model is a random BERT, so nothing is downloaded. bert-score keeps its model loaded between the
calls. The lengths of texts vary as little as those of abstracts do: the longest of a hundred
abstracts of arXiv is seven times as long as one in the lowest twentieth, here four times. Of the
texts to be encoded ours has nine in sixteen, and less is padded, as all are sorted by length.
"""

import random
from collections.abc import Iterator
from pathlib import Path

from benchmarks.peers.comparison import Comparison

SYSTEMS, LAYERS = 8, 4
CLOSE = 1e-5


def comparisons(scratch: Path, *, smoke: bool) -> Iterator[Comparison]:
    """Nothing where torch or bert-score is not installed."""
    import bert_score
    import torch

    from vivavoce.metrics.neural import BertScorer

    torch.set_num_threads(1)
    references, tokens = (6, 64) if smoke else (24, 128)
    folder = scratch / "bert"
    make_model(folder, tokens)
    chance = random.Random(0)
    wanted = [_text(chance, tokens) for _ in range(references)]
    systems = [[_text(chance, tokens) for _ in wanted] for _ in range(SYSTEMS)]
    pairs = [pair for system in systems for pair in zip(system, wanted, strict=True)]
    peer = bert_score.BERTScorer(model_type=str(folder), num_layers=LAYERS)
    own = BertScorer(str(folder), LAYERS)

    def theirs() -> list[float]:
        return [f1 for one in systems for f1 in peer.score(one, wanted)[2].tolist()]

    yield Comparison(
        job=f"BERTScore, {SYSTEMS} systems x {references} references",
        peer="bert-score",
        ours=lambda: [score["bertscore_f1"] for score in own.score(pairs)],
        theirs=theirs,
        agree=lambda mine, other: max(abs(a - b) for a, b in zip(mine, other, strict=True)) < CLOSE,
        target=2.5,
    )


def make_model(folder: Path, tokens: int) -> None:
    """Save a random BERT of four layers whose vocabulary is one word a number."""
    import torch
    import transformers

    folder.mkdir()
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *(f"w{index}" for index in range(1000))]
    (folder / "vocab.txt").write_text("\n".join(words) + "\n")
    tokenizer = transformers.BertTokenizer(str(folder / "vocab.txt"), model_max_length=tokens + 2)
    tokenizer.save_pretrained(folder)
    torch.manual_seed(0)
    config = transformers.BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=256,
        num_hidden_layers=LAYERS,
        num_attention_heads=4,
        intermediate_size=1024,
        max_position_embeddings=tokens + 2,
    )
    transformers.BertModel(config).save_pretrained(folder)


def _text(chance: random.Random, tokens: int) -> str:
    """A text of a quarter of the tokens to all of them."""
    return " ".join(
        f"w{chance.randrange(1000)}" for _ in range(chance.randint(tokens // 4, tokens))
    )
