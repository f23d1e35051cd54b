"""Coefficients of agreement between annotators, computed by `statistics.agreement`.

Source: Fleiss 1971, "Measuring nominal scale agreement among many raters"; Krippendorff 2011,
"Computing Krippendorff's alpha-reliability"; Gwet 2008, "Computing inter-rater reliability and its
variance in the presence of high agreement".
"""

from __future__ import annotations

from vivavoce.metrics import Metric

_FLEISS = "Fleiss 1971"
_KRIPPENDORFF = "Krippendorff 2011"
_GWET = "Gwet 2008"

METRICS = (
    Metric("pairwise_agreement", "pairs of raters that agree", "agreement", 0.0, 1.0, _FLEISS),
    Metric("fleiss_kappa", "agreement beyond chance", "agreement", -1.0, 1.0, _FLEISS),
    Metric(
        "krippendorff_alpha", "1 - disagreement / chance", "agreement", -1.0, 1.0, _KRIPPENDORFF
    ),
    Metric("gwet_ac1", "agreement beyond chance", "agreement", -1.0, 1.0, _GWET),
)
