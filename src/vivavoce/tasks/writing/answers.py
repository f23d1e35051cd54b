"""Answers of files that `viva score writing` reads: texts against reference texts."""

from __future__ import annotations

from collections.abc import Sequence

from vivavoce.metrics.rouge import rouge
from vivavoce.requests import ScoreOptions
from vivavoce.statistics.ratios import Measured, means_of
from vivavoce.tasks.scoring.files import Pair, ScoreFamily
from vivavoce.text.answers import clean_title, is_title, without_wrapper


def _measure(pairs: Sequence[Pair], options: ScoreOptions) -> Measured:
    references = [pair.gold.require("reference", str, "a text") for pair in pairs]
    answers = [
        (clean_title if is_title(reference) else without_wrapper)(pair.text() or "")
        for pair, reference in zip(pairs, references, strict=True)
    ]
    found = [
        rouge(answer, reference, stem=options.stem)
        for answer, reference in zip(answers, references, strict=True)
    ]
    shares = {
        "rouge1": means_of([one.rouge1.f for one in found]),
        "rouge2": means_of([one.rouge2.f for one in found]),
        "rougeL": means_of([one.rougeL.f for one in found]),
    }
    settings: dict[str, object] = {"stem": options.stem}
    if options.bertscore:
        from vivavoce.metrics.neural import BertScorer

        scorer = BertScorer(options.bertscore, layer=options.layer)
        scores = [one.values() for one in scorer.score(list(zip(answers, references, strict=True)))]
        for name in ("bertscore_p", "bertscore_r", "bertscore_f1"):
            shares[name] = means_of([values[name] for values in scores])
        settings.update(bertscore=options.bertscore, layer=scorer.layer)
    return Measured(shares, settings=settings)


SCORE_FAMILIES = (
    ScoreFamily(
        name="writing",
        summary="texts: ROUGE, and BERTScore with --bertscore",
        gold='{"id": 1, "reference": "..."}',
        prediction='{"id": 1, "text": "..."}',
        uses=("stem", "bertscore", "layer"),
        measure=_measure,
    ),
)
