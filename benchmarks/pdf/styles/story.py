"""Papers for the style matrix, put together from the words of the sample corpus.

A paper is independent of any style: a tree of headings with blocks of text, figures, tables,
formulas, algorithms and lists. Citations are tokens `⟦3⟧` that every renderer prints its own way.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from random import Random

from benchmarks.sample import generate

from vivavoce.records import Document, Section

CITATION = re.compile(r"\s*⟦([\d,]+)⟧")
_LABEL = re.compile(r"\(((?:Author \d{3}|and|et al\.|[,;\d]|\s)+\d{4})\)")
_AUTHOR = re.compile(r"Author (\d{3})")
_GIVEN = (
    "Mara Tobias Ingrid Paul-André Chiara Joost Zeynep Ravi Lena Óscar Wei Noor Fiona Krzysztof"
    " Amélie Hiroshi Dagny Emeka Sofía Björn"
).split()
_FAMILY = (
    "Lindqvist Okafor Ferreira Yamada Çelik Novák Marchetti O'Dowd Haugen Petrov Vandermeer"
    " Krishnan Dubois Ziegler Quispe Tanaka Abernathy Szabó Moreau Castellanos Iwu Thorne"
).split()
_PLACES = (
    ("Department of Quiet Machines", "Harbour University", "Lisbon, Portugal"),
    ("Institute for Patient Computing", "Northmoor College", "Leeds, United Kingdom"),
    ("School of Information", "University of the Lower Valley", "Graz, Austria"),
    ("Tidal Research Laboratory", "Seagate Foundation", "Halifax, Canada"),
)
_VENUES = (
    "Journal of Careful Systems",
    "Proceedings of the 12th Conference on Dependable Learning",
    "Transactions on Everyday Inference",
    "Proceedings of the Workshop on Quiet Models",
)
_OWN_HEADINGS = (
    "Why {a} Defeat Simple Models",
    "{b} at a Glance",
    "From {a} to Decisions",
    "The Cost of {b}",
    "What the Errors Tell Us",
    "Limits of the Approach",
    "Deployment and Lessons Learned",
    "A Closer Look at {b} under Realistic Conditions and with Limited Annotation Budgets",
    "Threats to Validity",
    "Formal Problem Statement",
)
_THINGS = ("Noisy Labels", "Long Inputs", "Rare Events", "Shifting Domains", "Sparse Feedback")
_PARTS = ("the Gate", "the Router", "Careful Scheduling", "the Second Stage", "Shared Memory")


@dataclass(frozen=True)
class Person:
    """An author with the number of the affiliation."""

    given: str
    family: str
    place: int
    email: str

    @property
    def name(self) -> str:
        """As printed."""
        return f"{self.given} {self.family}"


@dataclass(frozen=True)
class Entry:
    """An entry of the list of references."""

    authors: tuple[tuple[str, str], ...]
    year: int
    title: str
    venue: str
    pages: str


@dataclass(frozen=True)
class Block:
    """A paragraph or what stands between paragraphs."""

    kind: str
    """text, run_in, figure, table, formula, algorithm, list or note."""
    text: str = ""
    label: str = ""
    """The run-in heading of a paragraph, or the caption of a float."""
    rows: tuple[tuple[str, ...], ...] = ()


@dataclass
class Part:
    """A heading with its blocks."""

    level: int
    heading: str
    blocks: list[Block] = field(default_factory=list)


@dataclass
class Story:
    """A paper without a style."""

    title: str
    people: tuple[Person, ...]
    places: tuple[tuple[str, str, str], ...]
    date: str
    doi: str
    abstract: str
    keywords: str
    parts: list[Part]
    thanks: str
    appendix: list[Part]
    entries: tuple[Entry, ...]


@cache
def _documents(seed: int) -> tuple[Document, ...]:
    return generate(60, seed)


def write_story(number: int, *, seed: int = 0) -> Story:
    """One paper; the same number and seed give the same paper."""
    rng = Random(f"style-matrix/{seed}/{number}")
    pool = [d for d in _documents(seed) if d.abstract and len(d.references) >= 8]
    base, *others = rng.sample(pool, 4)
    entries = _entries(base, rng)
    people = _people(rng)
    parts = list(_parts(base, others, rng))
    _add_floats(parts, base, rng)
    thanks = "We thank the annotators for their patience and the harbour office for its machines."
    appendix = [
        Part(1, "Further Details of Training", _paragraphs(others[0].sections[2:5], base, 3)),
        Part(1, "Additional Examples", _paragraphs(others[1].sections[3:6], base, 2)),
    ]
    return Story(
        title=(base.title or "").rstrip("."),
        people=people,
        places=_PLACES[: max(person.place for person in people) + 1],
        date=f"{rng.randint(1, 28)} {rng.choice(('March', 'June', 'October'))} {2014 + number % 9}",
        doi=f"10.5555/{rng.randint(1000000, 9999999)}",
        abstract=base.abstract or "",
        keywords="careful systems, everyday inference, dependable learning",
        parts=parts,
        thanks=thanks,
        appendix=appendix if rng.random() < 0.5 else [],
        entries=entries,
    )


def _people(rng: Random) -> tuple[Person, ...]:
    count = rng.randint(2, 5)
    given, family = rng.sample(_GIVEN, count), rng.sample(_FAMILY, count)
    places = sorted(rng.randrange(min(count, len(_PLACES))) for _ in range(count))
    ranks = {place: rank for rank, place in enumerate(sorted(set(places)))}
    return tuple(
        Person(first, last, ranks[place], f"{_plain(last)}@uni{ranks[place] + 1}.example")
        for first, last, place in zip(given, family, places, strict=True)
    )


def _plain(name: str) -> str:
    return re.sub(r"[^a-z]", "", name.casefold()) or "author"


def _entries(base: Document, rng: Random) -> tuple[Entry, ...]:
    entries = [
        Entry(
            _cited_people(reference.raw),
            reference.year or 2000,
            reference.title or "",
            rng.choice(_VENUES),
            f"{(start := rng.randint(1, 900))}–{start + rng.randint(4, 20)}",
        )
        for reference in base.references
    ]
    extra = [
        Entry(
            tuple((rng.choice(_GIVEN)[0] + ".", rng.choice(_FAMILY)) for _ in range(place % 4 + 1)),
            1998 + (7 * place) % 24,
            f"{_OWN_HEADINGS[place % 6].format(a=_THINGS[place % 5], b=_PARTS[place % 5])}"
            f" in {('Archives', 'Hospitals', 'Harbours')[place % 3]}",
            rng.choice(_VENUES),
            f"{100 + place}–{110 + place}",
        )
        for place in range(rng.randint(8, 16))
    ]
    return tuple(entries + extra)


def _cited_people(raw: str) -> tuple[tuple[str, str], ...]:
    numbers = [int(found) for found in _AUTHOR.findall(raw)]
    return tuple(
        (_GIVEN[number % len(_GIVEN)][0] + ".", _FAMILY[number % len(_FAMILY)])
        for number in numbers
    )


def _parts(base: Document, others: Sequence[Document], rng: Random) -> Iterator[Part]:
    """Sections of the base, longer by paragraphs of other papers, some headings made up."""
    own_names = rng.sample(_OWN_HEADINGS, 4)
    made_up = rng.random() < 0.5
    sections = [s for s in base.sections if s.role not in {"acknowledgements", "appendix"}]
    for place, section in enumerate(sections):
        heading = section.heading or "Notes"
        if made_up and section.role in {"method", "results"} and section.level == 1 and own_names:
            heading = _fill(own_names.pop(), rng)
        alike = [s for d in others for s in d.sections if s.role == section.role]
        yield Part(
            section.level,
            heading,
            _paragraphs([section, *alike[: 2 + (section.level == 1)]], base, 9),
        )
        if section.role in {"related_work", "results"} and place and own_names:
            named = _fill(own_names.pop(), rng)
            yield Part(2, named, _paragraphs(alike[2:5] or [section], base, 3))
    if own_names and rng.random() < 0.6:
        yield Part(1, "Limitations", _paragraphs(list(others[2].sections[1:2]), base, 2))


def _fill(pattern: str, rng: Random) -> str:
    return pattern.format(a=rng.choice(_THINGS), b=rng.choice(_PARTS))


def _paragraphs(sections: Sequence[Section], base: Document, most: int) -> list[Block]:
    texts = [t for section in sections for t in section.text.split("\n\n") if t.strip()]
    return [Block("text", _cite(text, base)) for text in texts[:most]]


def _cite(text: str, base: Document) -> str:
    """Labels of the sample corpus as tokens; a work that the base does not cite gets another."""
    labels = {
        _label(reference.raw, reference.year): n for n, reference in enumerate(base.references)
    }
    count = len(base.references)

    def token(found: re.Match[str]) -> str:
        works = [label.strip() for label in found[1].split(";")]
        numbers = sorted({labels.get(work, sum(map(ord, work)) % count) for work in works})
        return f"⟦{','.join(map(str, numbers))}⟧"

    return _AUTHOR.sub("an earlier group", _LABEL.sub(token, text))


def _label(raw: str, year: int | None) -> str:
    names = [f"Author {number}" for number in _AUTHOR.findall(raw)]
    if len(names) > 2:
        return f"{names[0]} et al., {year}"
    return " and ".join(names) + f", {year}"


def _add_floats(parts: list[Part], base: Document, rng: Random) -> None:
    """Figures, tables, formulas, an algorithm, a list, notes, run-in headings, cross-references."""
    tops = [part for part in parts if part.level == 1 and part.blocks]
    body = [part for part in parts if part.blocks]
    for place, table in enumerate(base.tables[:2]):
        rows = tuple(tuple(_AUTHOR.sub("Group", cell) for cell in row) for row in table.cells)
        caption = table.caption.partition(": ")[2]
        body[(5 + 3 * place) % len(body)].blocks.insert(1, Block("table", "", caption, rows))
    for place in range(2):
        caption = f"Share of cases that stage {place + 1} settles, by length of the input."
        body[(3 + 4 * place) % len(body)].blocks.insert(1, Block("figure", "", caption))
    for part in rng.sample(body, min(3, len(body))):
        part.blocks.insert(min(1, len(part.blocks)), Block("formula"))
    body[len(body) // 2].blocks.append(Block("algorithm", "", "Training with a careful schedule"))
    body[len(body) // 2 + 1].blocks.append(
        Block("list", rows=tuple((f"The first {w} is kept as it was found.",) for w in _LIST))
    )
    body[1].blocks[0] = Block("note", body[1].blocks[0].text, "Available from the authors.")
    for part in tops[2:4]:
        for word, place in zip(("Data", "Baselines and Settings"), (0, 1), strict=True):
            if place < len(part.blocks) and part.blocks[place].kind == "text":
                part.blocks[place] = Block("run_in", part.blocks[place].text, word)
    outline = f"Section 2 reviews earlier work and Section {len(tops) - 1} reports what we found."
    last = tops[0].blocks[-1]
    tops[0].blocks[-1] = Block(last.kind, f"{last.text} {outline}", last.label, last.rows)


_LIST = ("answer", "witness", "measurement")
