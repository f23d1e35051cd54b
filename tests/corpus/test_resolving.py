"""References resolved by joins of keys, as `PaperIndex` over the whole corpus resolves them."""

import random
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.corpus.resolving_corpora import (
    METADATA,
    answers_of,
    facts_of,
    random_papers,
    random_references,
    table_of,
)

from vivavoce.corpus.build.citing import resolve_shard
from vivavoce.corpus.merge import MergedPaper, merge_documents
from vivavoce.corpus.reference_index import (
    Index,
    Kind,
    build_index,
    hash_texts,
    open_index,
    paper_facts,
)
from vivavoce.corpus.references import PaperIndex, Resolution, know_paper
from vivavoce.errors import DamagedError
from vivavoce.records import Document, Reference
from vivavoce.sources import ReadOptions, list_sources

Papers = list[tuple[MergedPaper, int | None]]


def index_of(folder: Path, papers: Papers, chance: random.Random, size: int = 17) -> Index:
    build_index(folder, facts_of(papers, size, chance))
    return open_index(folder)


def resolved(references: Sequence[Reference], index: Index) -> list[Resolution | None]:
    return answers_of(resolve_shard(table_of(references), index))


def by_whole_index(references: Sequence[Reference], papers: Papers) -> list[Resolution | None]:
    known = PaperIndex([know_paper(paper, year, METADATA) for paper, year in papers])
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


def test_files_that_were_cut_short_are_told_from_whole_ones(tmp_path: Path) -> None:
    chance = random.Random(3)
    papers = random_papers(chance, 5)
    index_of(tmp_path, papers, chance)
    (tmp_path / "keys.npy").write_bytes(b"")
    with pytest.raises(DamagedError, match="build the index again"):
        open_index(tmp_path)
    (tmp_path / "index.json").unlink()
    with pytest.raises(DamagedError):
        open_index(tmp_path)


def test_a_corpus_without_papers_resolves_nothing(tmp_path: Path) -> None:
    build_index(tmp_path, [])
    references = [Reference(0, "A. Ba. On trees. 2014.", title="On trees", doi="10.1000/x")]
    assert resolved(references, open_index(tmp_path)) == [None]
    assert resolved([], open_index(tmp_path)) == []


@pytest.mark.data
def test_real_references_resolve_as_over_the_whole_corpus(data_dir: Path, tmp_path: Path) -> None:
    documents = [d for kind, paths in real_files(data_dir) for d in read_files(kind, paths)]
    kinds = {source.kind: source.is_metadata for source in list_sources().values()}
    papers = merge_documents(documents, kinds).papers
    pairs: Papers = [(paper, None) for paper in papers]
    references = [r for d in documents for r in d.references][::6]
    references += random_references(random.Random(0), pairs, 200)
    expected = by_whole_index(references, pairs)
    build_index(tmp_path, [paper_facts(pairs[start::3], METADATA) for start in range(3)])
    assert resolved(references, open_index(tmp_path)) == expected
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
    assert hash_texts(["deep nets", "Ä数"], Kind.TITLE).tolist() == DEEP_NETS
    assert hash_texts(["deep nets"], Kind.TITLE) != hash_texts(["deep net s"], Kind.TITLE)


def test_a_kind_is_part_of_the_key() -> None:
    assert hash_texts(["deep nets"], Kind.PART) != hash_texts(["deep nets"], Kind.TITLE)


@settings(deadline=None)
@given(st.lists(st.text(max_size=12), max_size=6))
def test_a_text_hashes_alike_alone_and_among_others(texts: list[str]) -> None:
    alone = [int(hash_texts([text], Kind.PART)[0]) for text in texts]
    assert hash_texts(texts, Kind.PART).tolist() == alone


DEEP_NETS = [1933527259479997922, 2154176490701687256]
