"""The walk from seed authors, without the faults of the one it follows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from vivavoce.corpus import Corpus
from vivavoce.errors import InputError
from vivavoce.networks import walk_coauthors
from vivavoce.networks.walk import Walk

Write = Callable[..., Corpus]

# A leads papers with B (twice) and C; B leads one with D; C and D lead papers of their own; Z
# never leads; E and F are apart from them all.
PAPERS = {
    "p1": ["A", "B"],
    "p2": ["A", "B", "C", "Z"],
    "p3": ["B", "D"],
    "p4": ["C"],
    "p5": ["D"],
    "p6": ["E", "F"],
    "p7": ["F"],
    "p8": ["G", "F"],
}


def names(walk: Walk) -> list[str]:
    return [author.name for author in walk.authors]


def test_a_walk_by_hand(write_authors: Write) -> None:
    walk = walk_coauthors(write_authors(PAPERS), ["A"])

    # From A first to B (2 papers), then C and Z (1 each, by name); Z leads none; from B to D.
    assert names(walk) == ["A", "B", "C", "D"]
    assert walk.without_papers == ("name:z",)
    # A and B share p1 and p2, both led by A; B leads p3 with D.
    assert walk.edges == ((0, 1, 2), (0, 2, 1), (1, 3, 1))
    assert [author.neighbours for author in walk.authors] == [(1, 2), (0, 3), (0,), (1,)]
    assert walk.outside == 0


def test_papers_are_first_author_papers_newest_first(write_authors: Write) -> None:
    dates: dict[str, Any] = {"p1": "2020-05", "p2": "2021", "p3": None, "p4": "2020-05-02"}
    corpus = write_authors(
        {**{paper: ["A"] for paper in dates}, "p5": ["B", "A"]},
        papers=[{"paper_id": paper, "first_public": date} for paper, date in dates.items()],
    )

    (author,) = walk_coauthors(corpus, ["a"]).authors

    assert author.papers == ("p2", "p4", "p1", "p3")


def test_the_limit_counts_nodes_and_keeps_every_edge_among_them(write_authors: Write) -> None:
    # Everybody writes with everybody: whatever the limit, all pairs among the nodes are edges.
    everybody = ["A", "B", "C", "D", "E", "F"]
    papers = {
        f"p{n}": [lead, *(o for o in everybody if o != lead)] for n, lead in enumerate(everybody)
    }
    corpus = write_authors(papers)

    for limit in (1, 3, 5, 6, 9):
        walk = walk_coauthors(corpus, ["A"], nodes=limit)
        count = min(limit, 6)
        assert names(walk) == everybody[:count]
        assert len(walk.edges) == count * (count - 1) // 2
        assert all(weight == 2 for *_, weight in walk.edges)


def test_only_the_closest_are_gone_on_to_ties_by_name(write_authors: Write) -> None:
    corpus = write_authors(
        {
            "p1": ["A", "Z", "b", "C"],
            "p2": ["A", "Z"],
            **{f"own{n}": [name] for n, name in enumerate(("Z", "b", "C"))},
        }
    )

    assert names(walk_coauthors(corpus, ["A"], neighbours=1)) == ["A", "Z"]
    assert names(walk_coauthors(corpus, ["A"], neighbours=2)) == ["A", "Z", "b"]
    assert names(walk_coauthors(corpus, ["A"], neighbours=3)) == ["A", "Z", "b", "C"]


def test_several_seeds_and_the_largest_component(write_authors: Write) -> None:
    corpus = write_authors(PAPERS)

    both = walk_coauthors(corpus, ["E", "A"])
    largest = walk_coauthors(corpus, ["E", "A"], component="largest")

    assert names(both) == ["E", "A", "F", "B", "C", "D"]
    assert names(largest) == ["A", "B", "C", "D"]
    assert largest.edges == ((0, 1, 2), (0, 2, 1), (1, 3, 1))
    assert largest.outside == 2


def test_a_seed_is_an_id_or_a_name_that_one_author_bears(write_authors: Write) -> None:
    corpus = write_authors(
        {"p1": [("Ann Lee", "7")], "p2": [("ANN  LEE", "8")], "p3": [("Bo", "9")]}
    )

    assert [author.key for author in walk_coauthors(corpus, ["7"]).authors] == ["id:7"]
    assert [author.key for author in walk_coauthors(corpus, ["bo"]).authors] == ["id:9"]
    with pytest.raises(InputError, match=r"2 authors are called 'ann lee'.*id:7, id:8"):
        walk_coauthors(corpus, ["ann lee"])
    with pytest.raises(InputError, match="'Cy'"):
        walk_coauthors(corpus, ["Cy"])


def test_a_seed_that_never_is_first_author_is_reported(write_authors: Write) -> None:
    walk = walk_coauthors(write_authors(PAPERS), ["Z"])

    assert (walk.authors, walk.without_papers) == ((), ("name:z",))


@pytest.mark.parametrize(
    "options", [{"nodes": 0}, {"neighbours": 0}, {"component": "first"}, {"seeds": []}]
)
def test_wrong_options_are_refused(write_authors: Write, options: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        walk_coauthors(write_authors(PAPERS), options.pop("seeds", ["A"]), **options)
