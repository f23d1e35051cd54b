"""Papers that are one work: found by their abstracts, dated by the earliest, asked about once."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.corpus import Corpus, ingest, load_corpus
from vivavoce.rounds.family import duplicate_works
from vivavoce.store import write_jsonl
from vivavoce.text.shingles import resemblance, shingles_of, sketch_of

ABSTRACT = (
    "We study how parsers of long sentences fail when commas are missing and propose a model that "
    "reads each clause twice before it attaches anything to the tree above it so that errors made "
    "early in a sentence do not spread to later parts and we show on nine treebanks in six "
    "languages that the model is more accurate than four systems at half of their usual cost"
)


def changed(text: str, every: int = 8) -> str:
    """A text with every so many words replaced."""
    words = text.split()
    return " ".join("entirely" if n % every == every - 1 else w for n, w in enumerate(words))


def paper(name: str, published: str, title: str, abstract: str, **more: Any) -> dict[str, Any]:
    row = {"id": name, "published": published, "title": title, "abstract": abstract}
    return row | {"authors": ["Ada Long", "Bo Short"]} | more


def corpus_of(folder: Path, *rows: dict[str, Any]) -> Corpus:
    write_jsonl(folder / "m.jsonl", rows)
    ingest("metadata", folder / "m.jsonl", folder / "corpus")
    return load_corpus(folder / "corpus")


EARLY = paper("early", "2019-11-02", "Parsing Without Commas", ABSTRACT)
LATE = paper("late", "2020-07", "Parsing Sentences Without Commas", changed(ABSTRACT))


def test_a_near_copy_under_another_id_has_the_date_of_the_first(tmp_path: Path) -> None:
    papers = {p.paper_id: p for p in corpus_of(tmp_path, EARLY, LATE).papers}
    late = papers["late"]
    assert (late.published, late.first_public, late.first_public_precision) == (
        "2020-07", "2019-11-02", "day",
    )  # fmt: skip
    assert (late.first_public_from, late.work) == ("near_copy", "early")
    assert (papers["early"].first_public_from, papers["early"].work) == ("metadata", "early")
    assert duplicate_works(list(papers.values())) == {"late": "early"}


def test_an_undated_near_copy_is_dated(tmp_path: Path) -> None:
    undated = {name: value for name, value in LATE.items() if name != "published"}
    late = corpus_of(tmp_path, EARLY, undated).papers[1]
    assert (late.first_public, "undated" in late.gates) == ("2019-11-02", False)


@pytest.mark.parametrize(
    "other",
    [
        LATE | {"title": "Parsing Sentences Without Commas, Part II"},
        LATE | {"title": "The Second Parsing Without Commas"},
        LATE | {"authors": ["Cy Wide"]},
        LATE | {"title": "A Treebank of Swahili"},
        LATE | {"abstract": ABSTRACT[:60] + " but here we ask what annotators do at midnight."},
    ],
)
def test_parts_other_years_and_strangers_are_apart(tmp_path: Path, other: dict[str, Any]) -> None:
    corpus = corpus_of(tmp_path, EARLY, other)
    assert list(corpus.rows("works")) == []
    assert [p.work for p in corpus.papers] == [None, None]


def test_whoever_signs_it_a_copied_abstract_is_the_same_work(tmp_path: Path) -> None:
    copied = LATE | {"abstract": ABSTRACT + " .", "authors": ["Cy Wide"], "title": "Commas"}
    [one, other] = corpus_of(tmp_path, EARLY, copied).rows("works")
    assert (one["work"], other["work"], other["part"]) == ("early", "early", "abstract")
    assert other["resemblance"] == 1.0


WORDS = st.lists(st.sampled_from([f"w{n}" for n in range(400)]), min_size=20, max_size=200)


@given(WORDS, WORDS)
def test_the_resemblance_is_that_of_the_sets_of_shingles(one: list[str], other: list[str]) -> None:
    a, b = (set(shingles_of(" ".join(words)).tolist()) for words in (one, other))
    exact = len(a & b) / len(a | b)
    found = resemblance(sketch_of(" ".join(one)), sketch_of(" ".join(other)))
    assert found == resemblance(sketch_of(" ".join(other)), sketch_of(" ".join(one)))
    assert abs(found - exact) < 0.2
    assert resemblance(sketch_of(" ".join(one)), sketch_of(" ".join(one))) == 1.0
