"""Titles, names and years compared across sources; papers that are one work."""

import unicodedata
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.corpus import Corpus, ingest, load_corpus
from vivavoce.corpus.matching import fold, names_agree, title_key, years_agree
from vivavoce.rounds.family import duplicate_works
from vivavoce.store import write_jsonl
from vivavoce.text.shingles import resemblance, shingles_of, sketch_of


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Bi-directional nets", "Bidirectional  NETS"),
        ("Models of lan- guage", "Models of language"),
        ("Na\u00efve B\u0061yes", "Naive Bayes"),
        ("Łódź Straße", "Lodz strasse"),
        ("{BERT}: pre-training", "BERT — Pre\u2010Training"),
        ("soft\u00adware", "software"),
        ("\uff26ull width", "Full width"),
    ],
)
def test_titles_are_equal_in_any_spaces_hyphens_accents_and_case(one: str, other: str) -> None:
    assert title_key(one) == title_key(other)


def test_hidden_characters_and_letters_of_other_scripts_make_another_title() -> None:
    plain = "A study"
    for other in ("A\u200b study", "\u0410 study", "A stud\u0443"):
        assert title_key(other) != title_key(plain)


@given(st.text())
def test_folding_twice_changes_nothing_and_a_key_holds_no_space(text: str) -> None:
    assert fold(fold(text)) == fold(text)
    key = title_key(text)
    assert not any(c.isspace() for c in key)
    assert title_key(text.upper()) == title_key(text.upper().lower())
    assert all(unicodedata.category(c)[0] != "P" for c in key)


@pytest.mark.parametrize(
    ("one", "other", "agree"),
    [
        ("J. Müller", "Muller, Jane", True),
        ("Jane Muller", "K. Muller", False),
        ("Smith JA", "John Smith", True),
        ("Wei Wang", "Wang Wei", True),
        ("Ha", "David Ha", True),
        ("Georg Zilly", "J G Zilly", True),
        ("García Márquez, Gabriel", "G. Garcia Marquez", True),
        ("Sammy Davis Jr.", "S. Davis", True),
        ("Johansson", "Johannson", True),  # one letter of a long name
        ("Ba", "Bo", False),
        ("Ann Lee", "Ann Ho", False),
        ("?", "Ann Ho", None),
    ],
)
def test_names_agree_in_surname_and_initials(one: str, other: str, agree: bool | None) -> None:
    assert names_agree(one, other) is agree
    assert names_agree(other, one) is agree


def test_years_agree_within_two() -> None:
    assert years_agree({2014}, {2016}) is True
    assert years_agree({2014}, {2017}) is False
    assert years_agree({2010, 2014}, {2016}) is True
    assert years_agree(set(), {2016}) is None


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
