"""Papers of which a round is made: all of a corpus, a walk's, or those of its largest component.

Source: AcademicEval §3.1: authors who never are first author are pruned, and the largest component
of the co-author graph is kept with the papers that its authors lead.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from vivavoce.corpus import Corpus
from vivavoce.errors import InputError
from vivavoce.networks.authors import measure_coauthors, papers_in_core, read_authorships
from vivavoce.sources.catalogues.arxiv.coauthors import KIND
from vivavoce.store import Row

Within = Literal["all", "walk", "lcc"]
_REASONS = {
    "walk": ("outside_walk", "no walk through co-authors brought it"),
    "lcc": ("outside_component", "its first author is not in the largest component"),
}


@dataclass(frozen=True, slots=True)
class Chosen:
    """Papers that are left out because of where they stand in the co-author network."""

    outside: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """Paper id -> (short name, detail)."""
    report: Row | None = None
    """Size of the co-author network before and after; None where nothing is left out."""


def choose_papers(corpus: Corpus, within: Within) -> Chosen:
    """Choose the papers of a round.

    Raises:
        InputError: A walk is asked for, and the corpus holds none.
    """
    if within == "all":
        return Chosen()
    authorships = read_authorships(corpus)
    names = authorships.paper_ids.to_pylist()
    if within == "lcc":
        inside = papers_in_core(authorships)
    else:
        walked = {p.paper_id for p in corpus.papers if KIND in p.source.split("+")}
        if not walked:
            raise InputError(
                'within = "walk" needs papers of a walk: fetch them with viva fetch coauthors and '
                "ingest them with viva ingest coauthors FOLDER --corpus CORPUS."
            )
        inside = np.array([name in walked for name in names], dtype=np.bool_)
    kept = {name for name, is_inside in zip(names, inside.tolist(), strict=True) if is_inside}
    every = np.ones(len(names), dtype=np.bool_)
    report = {
        "rule": within,
        "before": measure_coauthors(authorships, every),
        "after": measure_coauthors(authorships, inside),
    }
    reason = _REASONS[within]
    outside = {p.paper_id: reason for p in corpus.papers if p.paper_id not in kept}
    return Chosen(outside, report)
