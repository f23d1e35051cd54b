"""Statistics by network and domain, and who stands out."""

from collections.abc import Callable

import pytest

from vivavoce.corpus import Corpus
from vivavoce.errors import StaleError
from vivavoce.networks import build_networks, by_domain, domain_of, network_stats

Write = Callable[..., Corpus]
OUT = {"title": "Out", "year": 2001}


@pytest.fixture
def corpus(write_citations: Write) -> Corpus:
    """Two papers on language, one on vision, one on stars and one without category."""
    described = {
        "l1": (["cs.CL", "cs.LG"], "2020-01-15"),
        "l2": (["cs.CL"], "2020-03"),
        "v": (["cs.CV"], "2020-03-31"),
        "s": (["astro-ph.SR"], "2019"),
        "x": ([], None),
    }
    built = write_citations(
        {"l1": ["l2", "v", "s", OUT], "l2": ["l1", OUT], "v": ["l1"], "s": [], "x": [OUT]},
        papers=[
            {"paper_id": paper, "categories": categories, "first_public": published}
            for paper, (categories, published) in described.items()
        ],
        tables=[{"paper_id": "l1", "ordinal": 0, "cited": [1, 3]}],
        authorships=[
            {"paper_id": "l1", "ordinal": 0, "name": "A"},
            {"paper_id": "l1", "ordinal": 1, "name": "B"},
            {"paper_id": "l2", "ordinal": 0, "name": "B. Bee"},
        ],
    )
    build_networks(built)
    return built


def test_by_domain(corpus: Corpus) -> None:
    rows = {row["domain"]: row for row in by_domain(corpus)}

    assert list(rows) == ["computer science", "physics", None]
    computing = rows["computer science"]
    # Lists of 4, 2 and 1 entries. Within: l1 -> l2, l1 -> v, l2 -> l1, v -> l1; to others: l1 -> s.
    # In-degrees 2, 1 and 1; out-degrees 4, 2 and 1.
    assert (computing["papers"], computing["with_references"]) == (3, 3)
    assert computing["references_mean"] == pytest.approx(7 / 3)
    assert computing["citation"] == {
        "within": 4,
        "to_others": 1,
        "from_others": 0,
        "external": 2,
        "in_mean": pytest.approx(4 / 3),
        "out_mean": pytest.approx(7 / 3),
    }
    assert computing["comparison"]["within"] == 1
    assert rows["physics"]["citation"]["from_others"] == 1
    assert rows["physics"]["references_mean"] is None
    assert rows[None]["citation"]["external"] == 1


@pytest.mark.parametrize(
    ("category", "domain"),
    [
        ("cs.CL", "computer science"),
        ("cmp-lg", "computer science"),
        ("cond-mat.mes-hall", "physics"),
        ("math.AG", "mathematics"),
        ("alg-geom", "mathematics"),
        ("math-ph", "physics"),
        ("q-bio.NC", "quantitative biology"),
        ("Linguistics", "Linguistics"),
    ],
)
def test_domains(category: str, domain: str) -> None:
    assert domain_of(category) == domain


def test_stats_before_a_build_name_the_command(write_corpus: Write) -> None:
    corpus = write_corpus(papers=[{"paper_id": "p"}])
    for measure in (network_stats, by_domain):
        with pytest.raises(StaleError, match="viva network build --corpus"):
            measure(corpus)
