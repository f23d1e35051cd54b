"""The broad domains of arXiv, told by a paper's primary category."""

from __future__ import annotations

_NAMES = {
    "cs": "computer science",
    "econ": "economics",
    "eess": "electrical engineering",
    "math": "mathematics",
    "q-bio": "quantitative biology",
    "q-fin": "quantitative finance",
    "stat": "statistics",
}
# Physics has many archives, some of them closed long ago.
_PHYSICS = frozenset(
    "acc-phys adap-org ao-sci astro-ph atom-ph bayes-an chao-dyn chem-ph comp-gas cond-mat gr-qc "
    "hep-ex hep-lat hep-ph hep-th math-ph mtrl-th nlin nucl-ex nucl-th patt-sol physics "
    "plasm-ph quant-ph solv-int supr-con".split()
)
_OLD = {
    "alg-geom": "math",
    "cmp-lg": "cs",
    "dg-ga": "math",
    "funct-an": "math",
    "q-alg": "math",
}


def domain_of(category: str) -> str:
    """The domain of an arXiv category; another category is its own domain."""
    archive = category.partition(".")[0]
    archive = _OLD.get(archive, archive)
    return "physics" if archive in _PHYSICS else _NAMES.get(archive, category)
