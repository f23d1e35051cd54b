"""References resolved by joins of keys, as `PaperIndex` over the whole corpus resolves them."""

import random
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vivavoce.corpus.build.citing import (
    Index,
    build_index,
    hash_texts,
    open_index,
    paper_facts,
    resolve_shard,
)
from vivavoce.corpus.merge import MergedPaper, merge_documents
from vivavoce.corpus.references import KnownPaper, PaperIndex, Resolution, know_paper
from vivavoce.records import Author, Document, Reference
from vivavoce.sources import ReadOptions, list_sources

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
    shuffled = known_papers(chance.sample(list(papers), len(papers)))
    return [paper_facts(shuffled[start : start + size]) for start in range(0, len(shuffled), size)]


def known_papers(papers: Sequence[tuple[MergedPaper, int | None]]) -> list[KnownPaper]:
    return [know_paper(paper, year, METADATA) for paper, year in papers]


METADATA = {source.kind for source in list_sources().values() if source.is_metadata}


def answers_of(table: pa.Table) -> list[Resolution | None]:
    """Works of resolved references in a table, in the form of `PaperIndex`."""
    return [
        Resolution(*row.values()) if row["cited_paper_id"] else None for row in table.to_pylist()
    ]


Papers = list[tuple[MergedPaper, int | None]]


def index_of(folder: Path, papers: Papers, chance: random.Random, size: int = 17) -> Index:
    build_index(folder / "index", facts_of(papers, size, chance))
    return open_index(folder / "index")


def resolved(references: Sequence[Reference], index: Index) -> list[Resolution | None]:
    return answers_of(resolve_shard(table_of(references), index))


def by_whole_index(references: Sequence[Reference], papers: Papers) -> list[Resolution | None]:
    known = PaperIndex(known_papers(papers))
    return [known.resolve(reference) for reference in references]


@pytest.mark.parametrize("seed", range(4))
def test_every_reference_resolves_as_over_the_whole_corpus(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    papers = random_papers(chance, 120)
    references = random_references(chance, papers, 400)
    expected = by_whole_index(references, papers)
    assert resolved(references, index_of(tmp_path, papers, chance)) == expected
    ways = {answer.resolver for answer in expected if answer}
    assert {"arxiv_id", "doi", "acl_id", "title"} <= ways


def test_a_corpus_without_papers_resolves_nothing(tmp_path: Path) -> None:
    build_index(tmp_path / "index", [])
    references = [Reference(0, "A. Ba. On trees. 2014.", title="On trees", doi="10.1000/x")]
    assert resolved(references, open_index(tmp_path / "index")) == [None]
    assert resolved([], open_index(tmp_path / "index")) == []


@pytest.mark.data
def test_real_references_resolve_as_over_the_whole_corpus(data_dir: Path, tmp_path: Path) -> None:
    documents = [d for kind, paths in real_files(data_dir) for d in read_files(kind, paths)]
    kinds = {source.kind: source.is_metadata for source in list_sources().values()}
    papers = merge_documents(documents, kinds).papers
    pairs: Papers = [(paper, None) for paper in papers]
    references = [r for d in documents for r in d.references][::6]
    references += random_references(random.Random(0), pairs, 200)
    expected = by_whole_index(references, pairs)
    facts = [paper_facts(known_papers(pairs[start::3])) for start in range(3)]
    build_index(tmp_path / "index", facts)
    assert resolved(references, open_index(tmp_path / "index")) == expected
    assert {"title", "near_title"} <= {a.resolver for a in expected if a}


def real_files(folder: Path) -> list[tuple[str, list[Path]]]:
    """Metadata of many papers, and papers of several kinds that cite."""
    return [
        ("metadata", [folder / "acl" / "acl_upto2022.parquet"]),
        ("tei", sorted((folder / "tei").glob("*.tei.xml"))[:20]),
        ("unarxive", sorted((folder / "fulltext").glob("unarXive*"))),
        ("jats", sorted((folder / "fulltext").glob("*.nxml"))),
        ("s2orc", sorted((folder / "fulltext").glob("s2orc*.json"))),
    ]


def read_files(kind: str, paths: Sequence[Path]) -> list[Document]:
    """The first four thousand documents of files."""
    source = list_sources()[kind]
    pieces = (piece for path in paths for piece in source.pieces(path))
    read = (document for piece in pieces for document in source.read(piece, ReadOptions()))
    return [d for d in islice(read, 4_000) if isinstance(d, Document)]


# Keys of texts: the same alone and among others.


def test_a_text_has_the_same_key_on_every_machine() -> None:
    assert hash_texts(["deep nets", "Ä数"]).tolist() == DEEP_NETS


@settings(deadline=None)
@given(st.lists(st.text(max_size=12), max_size=6))
def test_a_text_hashes_alike_alone_and_among_others(texts: list[str]) -> None:
    alone = [int(hash_texts([text])[0]) for text in texts]
    assert hash_texts(texts).tolist() == alone


DEEP_NETS = [4670698284708375760, 9367902095566195138]
