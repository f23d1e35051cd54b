"""References resolved to papers of the corpus, also by titles damaged by rule."""

import random
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.corpus.matching import surname, title_key
from vivavoce.corpus.merge import MergedPaper
from vivavoce.corpus.references import PaperIndex, know_paper
from vivavoce.records import Author, Document, Reference


def index(*papers: tuple[str, str, int | None]) -> PaperIndex:
    """An index of (paper id, title, year)."""
    merged = [
        MergedPaper(
            paper_id,
            (Document("tei", paper_id, title=title, arxiv_id="1410.5401", doi="10.1000/x"),),
        )
        for paper_id, title, _ in papers
    ]
    years = [year for _, _, year in papers]
    return PaperIndex(list(map(know_paper, merged, years)))


def resolved(known: PaperIndex, **fields: Any) -> tuple[str, float] | None:
    found = known.resolve(Reference(0, "raw", **fields))
    return (found.resolver, found.confidence) if found else None


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"arxiv_id": "1410.5401", "doi": "10.1000/x"}, ("arxiv_id", 1.0)),
        ({"doi": "10.1000/x", "title": "another"}, ("doi", 1.0)),
        ({"title": "Small nets can learn", "year": 2014}, ("title", 0.95)),
        ({"title": "SMALL NETS, can learn!", "year": 2016}, ("title", 0.95)),  # within two years
        ({"title": "Small nets can learn", "year": 2017}, ("title", 0.6)),
        ({"title": "Small nets can learn"}, ("title", 0.8)),
        ({"title": "Small nets"}, None),
        ({}, None),
        # A title of three words needs a year that agrees; one of two papers resolves to neither.
        ({"title": "Adam optimizer revisited", "year": 2014}, ("title", 0.95)),
        ({"title": "Adam optimizer revisited", "year": 2017}, None),
        ({"title": "Adam optimizer revisited"}, None),
        ({"title": "Large nets can forget", "year": 2014}, None),
    ],
)
def test_an_identifier_goes_before_a_title_and_a_near_year_adds_confidence(
    fields: dict[str, Any], expected: tuple[str, float] | None
) -> None:
    titles = ("Small nets can learn", "Adam optimizer revisited", *["Large Nets can forget"] * 2)
    papers = [(f"p{number}", title, 2014) for number, title in enumerate(titles)]
    assert resolved(index(*papers), **fields) == expected


def papers(*known: dict[str, Any]) -> PaperIndex:
    """An index of papers with their ids, titles, authors and years."""
    merged = []
    for number, fields in enumerate(known):
        authors = tuple(Author(name) for name in fields.get("authors", ()))
        document = Document("metadata", str(number), **{**fields, "authors": authors})
        merged.append(MergedPaper(f"p{number}", (document,)))
    return PaperIndex([know_paper(paper, None) for paper in merged])


NETS = {
    "title": "Small nets: learning by heart and by rote",
    "authors": ("Ann Müller", "Bo Da"),
    "published": "2014",
}


def found(known: PaperIndex, **fields: Any) -> tuple[str, str] | None:
    raw = fields.pop("raw", "")
    got = known.resolve(Reference(0, raw, **fields))
    return (got.paper_id, got.resolver) if got else None


@pytest.mark.parametrize(
    ("fields", "resolver"),
    [
        ({"doi": "10.48550/arxiv.1410.5401"}, "arxiv_id"),
        ({"doi": "10.18653/v1/p15-1001"}, "acl_id"),
        ({"raw": "Ann. 2015. https://aclanthology.org/P15-1001.pdf"}, "acl_id"),
        ({"raw": "http://www.aclweb.org/anthology/P15-1001"}, "acl_id"),
        ({"doi": "10.18653/v1/p15-", "raw": "doi: 10.18653/v1/P15- 1001. URL"}, "acl_id"),
        ({"raw": "In room P15-1001."}, None),  # an id only where an address says so
    ],
)
def test_ids_are_read_in_dois_and_addresses(fields: dict[str, Any], resolver: str | None) -> None:
    known = papers({"arxiv_id": "1410.5401", "acl_id": "P15-1001", "title": "T"})
    assert found(known, **fields) == (("p0", resolver) if resolver else None)


@pytest.mark.parametrize(
    "title",
    [
        "Small nets: learning by heart and by rote. CoRR",
        "Small nets: learning by heart and by rote, Proceedings of the 9th Conference",
        "B. Da, and C. Eh. Small nets: learning by heart and by rote",
        "Learning by heart and by rote",  # without the main title
        "Small nets",  # without the subtitle
    ],
)
def test_a_damaged_title_is_found_with_author_and_year(title: str) -> None:
    assert found(papers(NETS), title=title, first_author="Müller", year=2014) == (
        "p0",
        "near_title",
    )
    assert found(papers(NETS), title=title, first_author="Xi", year=2014) is None
    assert found(papers(NETS), title=title, first_author="Müller", year=1999) is None
    assert found(papers(NETS), title=title) is None


@pytest.mark.parametrize(
    "title",
    [
        "Small nets: learning by heart and by rote II",
        "Small nets: learning by heart and by rote: Part Two",
        "Small nets: learning by heart and by rote. Revisited",
        "Small nets: learning by heart and by root",
    ],
)
def test_the_title_of_another_work_is_not_taken_for_near(title: str) -> None:
    known = papers(NETS)
    assert found(known, title=title, first_author="Müller", year=2014) is None


def test_an_equal_title_by_another_author_is_another_work() -> None:
    known = papers(NETS)
    title = NETS["title"]
    assert found(known, title=title, first_author="Xi", year=2014) is None
    assert found(known, title=title, first_author="Da", year=2014) == ("p0", "title")
    # Readers of reference lists take one author for another: the entry itself names her.
    raw = "Xi. A. Muller, B. Da. Small nets."
    assert found(known, raw=raw, title=title, first_author="Xi", year=2014) == ("p0", "title")
    torn = "Mu´llerMu´ller"
    assert found(known, title=title, first_author=torn, year=2014) == ("p0", "title")


def test_of_two_papers_of_one_title_the_author_tells_which() -> None:
    known = papers(NETS, {**NETS, "authors": ("Cy Eh",)})
    assert found(known, title=NETS["title"], first_author="Eh", year=2014) == ("p1", "title")
    assert found(known, title=NETS["title"], year=2014) is None


def test_another_arxiv_id_makes_an_equal_title_doubtful_and_a_near_one_nothing() -> None:
    known = papers({**NETS, "arxiv_id": "1410.5401"})
    fields = {"first_author": "Müller", "year": 2014, "arxiv_id": "1412.6575"}
    got = known.resolve(Reference(0, "", title=str(NETS["title"]), **fields))
    assert got == ("p0", "title", 0.6)
    assert found(known, title="Small nets", **fields) is None


def test_titles_of_metadata_go_before_a_wrong_one_read_from_the_text() -> None:
    right = Document("metadata", "m", title="Small nets by heart")
    wrong = Document("tei", "t", title="Large nets by rote")
    known = PaperIndex([know_paper(MergedPaper("p", (right, wrong)), None, {"metadata"})])
    assert found(known, title="Small nets by heart") == ("p", "title")
    assert found(known, title="Large nets by rote") is None


@given(st.text(max_size=200), st.text(max_size=300), st.text(max_size=20))
def test_no_text_breaks_the_index(title: str, raw: str, name: str) -> None:
    known = papers(NETS, {"title": title, "authors": (name,)})
    known.resolve(Reference(0, raw, title=title, first_author=name))
    known.resolve(Reference(0, raw))


@pytest.mark.timeout(60)
def test_a_long_hostile_entry_takes_little_time() -> None:
    known = papers(NETS)
    raw = "Small nets: " * 20_000
    assert known.resolve(Reference(0, raw, title=raw)) is None
    assert known.resolve(Reference(0, ". " * 100_000, title="aclweb.org" * 20_000)) is None


Damage = Callable[[str, random.Random], str]
Change = Callable[[str, int], str]


def change_word(title: str, rng: random.Random, letters: int, change: Change) -> str:
    """Change one word of at least so many letters, somewhere inside it."""
    words = title.split(" ")
    long = [i for i, word in enumerate(words) if len(word) >= letters and word.isalpha()]
    if long:
        i = rng.choice(long)
        words[i] = change(words[i], rng.randrange(2, len(words[i]) - 2))
    return " ".join(words)


def hyphenated(title: str, rng: random.Random) -> str:
    return change_word(title, rng, 7, lambda word, at: f"{word[:at]}- {word[at:]}")


VENUES = [". In Proceedings of the 12th Conference", ". arXiv preprint", ". CoRR", ". TACL"]
DAMAGES: dict[str, Damage] = {
    "another case": lambda title, rng: rng.choice([title.upper(), title.lower()]),
    "hyphenated": hyphenated,
    "cut at the colon": lambda title, rng: title.partition(": ")[0],
    "in braces": lambda title, rng: re.sub(r"([A-Z]+)", r"{\1}", title),
    "other dashes": lambda title, rng: title.replace("-", rng.choice("\u2010\u2013\u2014")),
    "its venue": lambda title, rng: title + rng.choice(VENUES),
}


@dataclass(frozen=True)
class Truth:
    """Works of which one half is in the corpus."""

    inside: list[Document]
    outside: list[Document]
    index: PaperIndex

    def refer(self, work: Document, title: str, rng: random.Random) -> Reference:
        """Cite a work: one in ten without its year, one in ten without its author."""
        year = int(str(work.published)) + rng.choice([-1, 0, 0, 0, 0, 1])
        return Reference(
            0,
            title,
            title=title,
            year=None if rng.random() < 0.1 else year,
            first_author=None if rng.random() < 0.1 else self.author(work),
        )

    def author(self, work: Document) -> str:
        return surname(work.authors[0].name).title()

    def fully(self, work: Document, title: str) -> Reference:
        """Cite under the author and year of a work, whatever the title."""
        return Reference(
            0, title, title=title, year=int(str(work.published)), first_author=self.author(work)
        )

    def resolve(self, reference: Reference) -> str | None:
        found = self.index.by_title(reference)
        return found.paper_id if found else None


def truth_of(works: list[Document]) -> Truth:
    random.Random(0).shuffle(works)
    inside, outside = works[::2], works[1::2]
    known = {title_key(str(work.title)) for work in inside}
    return Truth(
        inside=inside,
        outside=[work for work in outside if title_key(str(work.title)) not in known],
        index=PaperIndex([know_paper(MergedPaper(work.key, (work,)), None) for work in inside]),
    )


@pytest.fixture(scope="module")
def anthology(data_dir: Path) -> Truth:
    rows = pq.read_table(data_dir / "acl" / "acl_upto2022.parquet").to_pylist()
    return truth_of(
        [
            Document(
                "metadata",
                row["id"],
                title=row["title"],
                published=str(row["year"]),
                authors=tuple(Author(name) for name in row["authors"]),
            )
            for row in rows
            if row["authors"]
        ]
    )


@pytest.mark.data
@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_damaged_titles_are_found_and_never_another_work(anthology: Truth, damage: Damage) -> None:
    rng = random.Random(1)
    works = rng.sample(anthology.inside, 400)
    found = [
        (work.key, anthology.resolve(anthology.refer(work, damage(str(work.title), rng), rng)))
        for work in works
    ]
    right = sum(1 for key, paper in found if key == paper)
    resolved = sum(1 for _, paper in found if paper is not None)
    assert right / len(found) >= 0.9
    assert right / resolved >= 0.98


def others_than(truth: Truth, kind: str) -> tuple[list[Reference], float]:
    """References to works that are not in the corpus, and the least share to leave unresolved."""
    rng = random.Random(2)
    if kind == "outside":
        works = rng.sample(truth.outside, 2000)
        return [truth.refer(work, str(work.title), rng) for work in works], 0.995
    works = rng.sample(truth.inside, 800)
    if kind == "another author":
        named = [truth.fully(work, str(work.title)) for work in works]
        return [replace(reference, raw="", first_author="Xyz") for reference in named], 1.0
    if kind != "another word":
        return [truth.fully(work, f"{work.title}{kind}") for work in works], 0.99
    words = [w for work in works for w in str(work.title).split() if len(w) > 5 and w.isalpha()]
    made = [change_word(str(w.title), rng, 6, lambda *_: rng.choice(words)) for w in works]
    changed = zip(works, made, strict=True)
    return [truth.fully(work, title) for work, title in changed if title != work.title], 0.99


@pytest.mark.data
@pytest.mark.parametrize(
    "kind", ["outside", "another author", "another word", " II", ": Part Two", " 2", ". Revisited"]
)
def test_another_work_is_not_resolved(anthology: Truth, kind: str) -> None:
    references, least = others_than(anthology, kind)
    missed = sum(anthology.resolve(reference) is None for reference in references)
    assert missed / len(references) >= least
