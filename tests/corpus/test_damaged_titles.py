"""How well references are resolved: on titles damaged by rule."""

import random
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from vivavoce.corpus.matching import surname, title_key
from vivavoce.corpus.merge import MergedPaper
from vivavoce.corpus.references import PaperIndex, know_paper
from vivavoce.records import Author, Document, Reference

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
