"""Networks brought up to date are those built anew, byte by byte."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from vivavoce.corpus import Corpus
from vivavoce.errors import InputError, StaleError
from vivavoce.networks import build_networks, citation, load_network
from vivavoce.store import hash_tree

Write = Callable[..., Corpus]
Paper = dict[str, Any]
Library = Mapping[str, Paper]


PAPERS = [f"{month:02d}.{number}" for month in range(1, 5) for number in range(4)]


def tables_of(library: Library) -> dict[str, list[dict[str, Any]]]:
    """The tables of a corpus of papers, each with authors, references and tables."""
    rows: dict[str, list[dict[str, Any]]] = {
        name: [] for name in ("papers", "authorships", "references", "tables", "sections")
    }
    for paper_id, paper in library.items():
        key = {"paper_id": paper_id}
        rows["papers"].append({**key, "title": f"On {paper_id}"})
        for place, (name, author_id) in enumerate(paper.get("authors", ())):
            author = {"name": name, "author_id": author_id}
            rows["authorships"].append({**key, "ordinal": place, **author})
        for place, entry in enumerate(paper.get("references", ())):
            rows["references"].append({**key, "ordinal": place, "raw": "", **entry})
        for place, table in enumerate(paper.get("tables", ())):
            rows["tables"].append({**key, "ordinal": place, **table})
    return rows


def is_as_built_anew(write: Write, folder: Path, libraries: Sequence[Library]) -> bool:
    """Whether each library, built over the one before, is as it is by itself."""
    shutil.rmtree(folder, ignore_errors=True)
    for number, library in enumerate(libraries):
        corpus = write(folder / "one", in_shards=True, **tables_of(library))
        build_networks(corpus)
        alone = write(folder / str(number), in_shards=True, **tables_of(library))
        build_networks(alone)
        trees = [hash_tree(each.folder / "networks") for each in (corpus, alone)]
        if trees[0] != trees[1]:
            return False
    return True


people = st.tuples(
    st.sampled_from(["Ann Lee", "ann lee", "A. Lee", "Bo", "Cy Ray", "Cy  Ray", "É D", "", None]),
    st.sampled_from([None, None, "", "1", "2", "3"]),
)
entries = st.one_of(
    st.sampled_from(PAPERS).map(lambda paper: {"cited_paper_id": paper, "title": "Inside"}),
    st.fixed_dictionaries(
        {
            "title": st.sampled_from([None, "Nets", "Dropout", "On nets"]),
            "year": st.sampled_from([None, 2000, 2001]),
            "doi": st.sampled_from([None, None, "10.1/a", "10.1/b", "10.48550/arXiv.1706.03762"]),
            "arxiv_id": st.sampled_from([None, None, "1706.03762"]),
            "raw": st.sampled_from(["", "[1] A. Smith, Nets, 2000", "B. Jones, 2001"]),
            "first_author": st.sampled_from([None, "Smith", "Jones"]),
        }
    ),
)
tables = st.fixed_dictionaries(
    {
        "cells": st.sampled_from([[], [["a", "b"], ["c", "1.0"], ["d", "2.0"]]]),
        "cited": st.lists(st.integers(0, 4), max_size=3),
    }
)
papers = st.fixed_dictionaries(
    {
        "authors": st.lists(people, max_size=4),
        "references": st.lists(entries, max_size=4),
        "tables": st.lists(tables, max_size=2),
    }
)
libraries = st.dictionaries(st.sampled_from(PAPERS), papers, max_size=len(PAPERS))


@st.composite
def histories(draw: st.DrawFn) -> list[Library]:
    """A library, and what becomes of it as papers come, change and go."""
    found: list[Library] = [draw(libraries)]
    for _ in range(draw(st.integers(1, 2))):
        left = {p: each for p, each in found[-1].items() if draw(st.integers(0, 5))}
        few = draw(st.dictionaries(st.sampled_from(PAPERS), papers, max_size=4))
        found.append({**left, **few})
    return found


@pytest.mark.slow
@given(history=histories())
@settings(
    max_examples=15,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_any_change_gives_what_building_anew_gives(
    write_corpus: Write, tmp_path: Path, history: list[Library]
) -> None:
    assert is_as_built_anew(write_corpus, tmp_path / "any", history)


def authors(*names: str) -> Paper:
    return {"authors": [(name, None) for name in names]}


def test_a_paper_that_is_taken_away_takes_its_authors_along(
    write_corpus: Write, tmp_path: Path
) -> None:
    before = {"1": authors("ANN", "Bo"), "2": authors("Ann", "Cy"), "3": authors("Ann", "Bo")}
    after = {"2": before["2"], "3": before["3"]}
    assert is_as_built_anew(write_corpus, tmp_path / "f", [before, after, before, {}, after])

    corpus = write_corpus(tmp_path / "one", in_shards=True, **tables_of(after))
    build_networks(corpus)
    # The name as spelled where it is met first: the first paper is gone, and its shard with it.
    assert load_network(corpus, "coauthor").nodes["name"].to_pylist() == ["Ann", "Bo", "Cy"]


def cites(*titles: str) -> Paper:
    return {"references": [{"title": title, "year": 2000} for title in titles]}


def test_an_update_looks_only_at_the_references_of_shards_that_changed(
    write_corpus: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = {paper: cites("Nets") for paper in PAPERS}
    corpus = write_corpus(in_shards=True, **tables_of(library))
    build_networks(corpus)
    kept = sorted((corpus.folder / "networks" / "references").glob("*.arrow"))
    assert len(kept) == len(corpus.files("references")) > 2
    looked: list[int] = []
    keep = citation.keep_numbers
    monkeypatch.setattr(
        citation, "keep_numbers", lambda *some: looked.append(some[0].num_rows) or keep(*some)
    )
    damaged = bytearray(kept[0].read_bytes())
    damaged[len(damaged) // 2] ^= 1
    kept[0].write_bytes(damaged)
    library[PAPERS[-1]] = cites("Dropout", "Nets")

    corpus = write_corpus(in_shards=True, **tables_of(library))
    build_networks(corpus)

    # Nothing for the columns, the damaged shard, and the one that changed.
    assert len(looked) == 3
    alone = write_corpus(tmp_path / "alone", in_shards=True, **tables_of(library))
    build_networks(alone)
    assert hash_tree(corpus.folder / "networks") == hash_tree(alone.folder / "networks")
    build_networks(corpus, fresh=True)
    assert len(looked) == 3 + 1 + len(kept) + 1 + len(kept)


def test_one_network_may_be_built_alone(write_corpus: Write) -> None:
    corpus = write_corpus(**tables_of({"1": authors("A", "B") | cites("Nets")}))

    assert sorted(build_networks(corpus, only=["coauthor"])["networks"]) == ["coauthor"]
    with pytest.raises(StaleError, match=r"citation network .* Run: viva network build"):
        load_network(corpus, "citation")
    assert sorted(build_networks(corpus, only=["citation"])["networks"]) == ["citation", "coauthor"]
    assert load_network(corpus, "coauthor").graph.edges == 1
    with pytest.raises(InputError, match="'friends'"):
        build_networks(corpus, only=["friends"])
