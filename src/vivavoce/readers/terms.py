"""Words of captions, headers and boards, told as one where they mean the same."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from vivavoce.text.normalise import normalise

MAX_TEXT = 4_000
"""Characters of a text whose terms are read."""

_PHRASES = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (r"\bexact[ -]match(?:es)?\b", " em "),
        (r"\bbits?(?: ?/ ?| per |-per-)(?:char(?:acter)?s?|byte)\b", " bpc "),
        (r"\b(?:f|f-)[ -]?(?:1|measure|score)(?:[ -]?(?:score|measure))?\b", " f1 "),
        (r"\bf₁\b", " f1 "),
        (r"\b(?:rouge|rg|r)[ -]?(1|2|l|w|su4)\b", r" rouge\1 "),
        (r"\b(?:bleu|b)[ -]?([1-4])\b", r" bleu\1 "),
        (r"\b(?:hits?|h)[ ]?@[ ]?(\d{1,3})\b", r" hits\1 "),
        (r"\b(?:hits?|h)@n\b", " hits "),
        (r"(?<![a-z@])@ ?(1|3|5|10)\b", r" hits\1 "),
        (r"\b(?:one |1 ?)?(?:billion|bn?)\b(?= word)", " 1b "),
        (r"\b(?:one|1) (?:billion|bn?)\b", " 1b "),
        (r"\bmean reciprocal rank\b", " mrr "),
        (r"\bmean rank\b", " mr "),
        (r"\bmean average precision\b", " map "),
        (r"\bword error rate\b", " wer "),
        (r"\bcharacter error rate\b", " cer "),
        (r"\bunlabell?ed attachment(?: score)?\b", " uas "),
        (r"\blabell?ed attachment(?: score)?\b", " las "),
        (r"\btop[ -]?(1|5|10)\b", r" top\1 "),
        (r"\b(?:percentage|percent) correct\b", " accuracy "),
        (r"\bpart[ -]of[ -]speech\b", " pos "),
    )
)
_NUMBERED = re.compile(r"\b([a-z]{2,})[ -](\d{1,4})\b")
_WORD = re.compile(r"[a-z0-9]+(?:[@#][a-z0-9]+)?|[%#]")
_SAME = {
    **dict.fromkeys(("val", "valid", "validation", "dev", "development", "devel"), "dev"),
    **dict.fromkeys(("ppl", "perplexities", "perp", "pplx"), "perplexity"),
    **dict.fromkeys(("acc", "accuracies", "accuracy"), "accuracy"),
    **dict.fromkeys(("prec", "precision"), "precision"),
    **dict.fromkeys(("rec", "recall"), "recall"),
    **dict.fromkeys(("err", "errors", "error"), "error"),
    **dict.fromkeys(("avg", "average", "mean", "averaged"), "average"),
    **dict.fromkeys(("train", "training"), "train"),
    **dict.fromkeys(("testing", "tests", "test"), "test"),
    **dict.fromkeys(("param", "params", "parameters"), "params"),
    **dict.fromkeys(("fscore", "fmeasure", "f1"), "f1"),
    **dict.fromkeys(("scores", "score"), "score"),
    **dict.fromkeys(("bpb", "bpc"), "bpc"),
}
SPLITS = frozenset({"dev", "test", "train"})
MEASURES = frozenset(
    {
        *("accuracy", "auc", "average", "bleu", "bleu1", "bleu2", "bleu3", "bleu4", "bpc", "cer"),
        *("cider", "em", "eer", "error", "f1", "fid", "hits", "hits1", "hits3", "hits5", "hits10"),
        *("iou", "las", "loss", "mae", "map", "mcc", "meteor", "miou", "mr", "mrr", "mse", "ndcg"),
        *("nist", "nll", "pearson", "perplexity", "precision", "psnr", "recall", "rmse", "rouge"),
        *("rouge1", "rouge2", "rougel", "rougew", "score", "spearman", "ssim", "ter", "top1"),
        *("top5", "uas", "ucm", "lcm", "wer", "ap", "ap50", "ap75", "p", "r", "roc", "kappa"),
        *("macro", "micro", "weighted", "unigram"),
    }
)
"""Words that name how a result is measured."""
RESOURCES = frozenset(
    {
        *("params", "size", "time", "speed", "epoch", "epochs", "steps", "step", "hours", "flops"),
        *("memory", "rank", "year", "layers", "dim", "words", "sentences", "tokens", "vocab"),
        *("examples", "samples", "instances", "depth", "hidden", "seconds", "sec", "ms", "gpu"),
    }
)
"""Words of columns that hold no result."""
STUBS = frozenset(
    {
        *("model", "models", "method", "methods", "system", "systems", "approach", "approaches"),
        *("algorithm", "algorithms", "architecture", "parser", "tagger", "classifier"),
        *("technique", "set", "split"),
    }
)
"""Words above the column that names the methods."""
_GENERAL = frozenset(
    {
        *("a", "an", "and", "at", "by", "corpus", "data", "dataset", "datasets", "benchmark"),
        *("english", "evaluation", "experimental", "experiments", "following", "for", "from"),
        *("in", "level", "model", "models", "of", "on", "or", "only", "other", "per", "results"),
        *("result", "set", "table", "task", "tasks", "the", "to", "using", "we", "with"),
        *("our", "are", "is", "just", "references", "challenge", "shared", "track", "this"),
    }
)


def terms_in(text: str) -> tuple[str, ...]:
    """The terms of a text in order, repetitions included."""
    return _terms_in(text[:MAX_TEXT])


@lru_cache(maxsize=4096)
def _terms_in(text: str) -> tuple[str, ...]:
    plain = text.casefold() if text.isascii() else _plain(text)
    for pattern, replacement in _PHRASES:
        plain = pattern.sub(replacement, plain)
    plain = _NUMBERED.sub(r"\1\2", plain)
    return tuple(_SAME.get(word, word) for word in _WORD.findall(plain))


def _plain(text: str) -> str:
    """Letters without case, accents and typographic variants."""
    folded = normalise("NFKC", text).casefold()
    return "".join(c for c in unicodedata.normalize("NFKD", folded) if not unicodedata.combining(c))


def telling_terms(text: str) -> list[str]:
    """The distinct terms of a text without those that are in every name."""
    return [term for term in dict.fromkeys(terms_in(text)) if term not in _GENERAL]


def is_head_word(word: str) -> bool:
    """Whether a word belongs to a header: a measure, a split, a resource or `Model`."""
    terms = terms_in(word)
    known = MEASURES | SPLITS | RESOURCES | STUBS
    return bool(terms) and all(term in known for term in terms)


def stands_for(short: str, words: tuple[str, ...]) -> bool:
    """Whether an abbreviation can stand for some words: `SQuAD`, `PTB`, `WT2`, `CBT`.

    Its letters are in the words in order, and each word gives at least its first.
    """
    letters = [c for c in short.casefold() if c.isalnum()]
    if not 2 <= len(letters) <= 10 or not words or len(words) > len(letters):
        return False
    return _fits(letters, 0, words, 0)


def _fits(letters: list[str], at: int, words: tuple[str, ...], word: int) -> bool:
    """Take for each word its first letter and as many of the next as it has in order."""
    if word == len(words):
        return at == len(letters)
    if at == len(letters) or letters[at] != words[word][:1]:
        return False
    taken = at + 1
    place = 1
    ends = [taken]
    while taken < len(letters):
        place = words[word].find(letters[taken], place) + 1
        if not place:
            break
        taken += 1
        ends.append(taken)
    return any(_fits(letters, end, words, word + 1) for end in reversed(ends))
