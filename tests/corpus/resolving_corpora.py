"""Corpora and references made at random that try every way of resolving one."""

import random
from collections.abc import Sequence
from dataclasses import replace

import pyarrow as pa

from vivavoce.corpus.merge import MergedPaper
from vivavoce.corpus.reference_index import paper_facts
from vivavoce.corpus.references import Resolution
from vivavoce.records import Author, Document, Reference
from vivavoce.sources import list_sources

COLUMNS = pa.schema(
    [
        ("raw", pa.string()),
        ("title", pa.string()),
        ("year", pa.int32()),
        ("first_author", pa.string()),
        ("arxiv_id", pa.string()),
        ("doi", pa.string()),
        ("given_id", pa.string()),
    ]
)
WORDS = (
    "small nets learning by heart and rote deep models of language the a supervised unsupervised "
    "parsing trees graphs for words naïve Müller's state-of-the-art café II part iii BERT "
    "soft\u00adhyphen zero\u200bwidth со\u0301мbining e\u0301tude 数据 ﬁnite x² _under_ GPT-3"
).split()
NAMES = ["Ann Müller", "Bo Da", "Smith, JA", "Xi", "María José García", "O'Neil, P.", "K. Muller"]
VENUES = ["", ". CoRR", ", Proceedings of the 9th Conference", ". arXiv preprint", ". Revisited"]


def random_title(chance: random.Random) -> str:
    """A title of few words of a small vocabulary, so that many are near each other."""
    words = [chance.choice(WORDS) for _ in range(chance.choice((1, 2, 3, 4, 4, 5, 6, 8)))]
    if len(words) > 2 and chance.random() < 0.4:
        words[len(words) // 2] += chance.choice((":", " -", "?", "."))
    title = " ".join(words)
    return title.upper() if chance.random() < 0.1 else title.capitalize()


def random_papers(chance: random.Random, count: int) -> list[tuple[MergedPaper, int | None]]:
    """Papers and their years, sorted by id; some have several documents that disagree."""
    return [_paper(chance, f"p{number:04d}") for number in range(count)]


def _paper(chance: random.Random, paper_id: str) -> tuple[MergedPaper, int | None]:
    title = random_title(chance) if chance.random() < 0.95 else None
    kinds = chance.choice((("tei",), ("metadata",), ("metadata", "tei")))
    documents = tuple(
        Document(
            kind,
            paper_id,
            arxiv_id=chance.choice(
                (None, f"14{chance.randint(10, 12)}.{chance.randint(0, 99):05d}")
            ),
            doi=chance.choice(
                (None, None, f"10.1000/{chance.randint(0, 60)}", "10.18653/v1/p15-1001")
            ),
            acl_id=chance.choice((None, None, f"P15-10{chance.randint(10, 50)}")),
            title=title if chance.random() < 0.8 else damage(chance, title),
            authors=tuple(Author(name) for name in chance.sample(NAMES, chance.randint(0, 3))),
            published=chance.choice((None, "2014", "2015-03", "2019-01-02")),
        )
        for kind in kinds
    )
    return MergedPaper(paper_id, documents), chance.choice((None, 2014, 2016))


def damage(chance: random.Random, title: str | None) -> str | None:
    """A title as a reader of a list may have left it."""
    if not title:
        return title
    at = chance.randrange(len(title))
    return chance.choice(
        (
            title,
            title.lower(),
            title[:at] + title[at + 1 :],
            title[:at] + "x" + title[at:],
            title.replace(" ", "  ").replace("e", "é"),
            f"{title}{chance.choice(VENUES)}",
            f"B. Da. {title}",
            title.partition(":")[0],
            title.partition(": ")[2] or title,
            f"{title}: {random_title(chance)}",
        )
    )


def random_references(
    chance: random.Random, papers: Sequence[tuple[MergedPaper, int | None]], count: int
) -> list[Reference]:
    """References to papers, to works near them and to others."""
    return [_reference(chance, papers, number) for number in range(count)]


def _reference(
    chance: random.Random, papers: Sequence[tuple[MergedPaper, int | None]], number: int
) -> Reference:
    meant = chance.choice(chance.choice(papers)[0].documents)
    title = damage(chance, meant.title if chance.random() < 0.8 else random_title(chance)) or "?"
    author = chance.choice([a.name for a in meant.authors] or NAMES)
    year = chance.choice((2013, 2014, 2015, 2016, 2020))
    name = author.split(",")[0].split()[-1]
    raw = chance.choice(
        (
            f"{author} ({year}). {title}. Journal of Things, 3(2):1-9.",
            f"[3] {name}, A., {title}, {year}",
            f"{title} / {author}",
            f"{name} et al.: “{title}”. In: Proc. of the 5th, pp. 3–4. {year}",
            f"\n {author}; {title}\t{year} aclanthology.org/P15-10{chance.randint(10, 50)}",
            f"See {title}, " + "a.b.c.d, " * 60 + f"{title}; {year}",
            "no such thing",
            "",
        )
    )
    reference = Reference(number, raw)
    if chance.random() < 0.5:
        reference = replace(
            reference,
            title=title,
            year=chance.choice((None, year)),
            first_author=chance.choice((None, author, name)),
        )
    if chance.random() < 0.12:
        reference = replace(reference, arxiv_id=meant.arxiv_id or "1499.00001")
    if chance.random() < 0.12:
        reference = replace(reference, doi=meant.doi or "10.18653/v1/p15-")
    return reference


def table_of(references: Sequence[Reference]) -> pa.Table:
    """References as a shard holds them."""
    rows = [{name: getattr(r, name) for name in COLUMNS.names} for r in references]
    return pa.Table.from_pylist(rows, schema=COLUMNS)


def facts_of(
    papers: Sequence[tuple[MergedPaper, int | None]], size: int, chance: random.Random
) -> list[pa.Table]:
    """Facts of papers in shards of a size, in any order."""
    shuffled = chance.sample(list(papers), len(papers))
    return [
        paper_facts(shuffled[start : start + size], METADATA)
        for start in range(0, len(shuffled), size)
    ]


METADATA = {source.kind for source in list_sources().values() if source.is_metadata}


def answers_of(table: pa.Table) -> list[Resolution | None]:
    """What a table of resolved references says, as `PaperIndex` says it."""
    return [
        Resolution(*row.values()) if row["cited_paper_id"] else None for row in table.to_pylist()
    ]
