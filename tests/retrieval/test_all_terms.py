"""Documents that contain every term of a query, found by both back ends."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vivavoce.errors import DamagedError, InputError, VivaError
from vivavoce.retrieval.all_terms import (
    PostingsIndex,
    TantivyIndex,
    TantivyWriter,
    TermsDocument,
    committed_files,
)
from vivavoce.text.dates import earlier
from vivavoce.text.normalise import normalise_title

Make = Callable[[Sequence[TermsDocument]], TantivyIndex]


def write(folder: Path, documents: Sequence[TermsDocument], mark: str = "first") -> TantivyIndex:
    writer = TantivyWriter(folder)
    for number, document in enumerate(documents):
        writer.put(number, document)
    writer.commit(mark)
    return open_with(folder, [document.id for document in documents])


def open_with(folder: Path, ids: Sequence[str]) -> TantivyIndex:
    return TantivyIndex(folder, lambda numbers: [ids[number] for number in numbers])


@pytest.fixture(params=["postings", "tantivy"])
def make(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Make]:
    """Each back end in turn."""
    if request.param == "postings":
        yield PostingsIndex
    else:
        yield lambda documents: write(tmp_path / "index", documents)


def scan(documents: Sequence[TermsDocument], query: str, as_of: date | None = None) -> list[str]:
    """The plain meaning of the question."""
    wanted = set(normalise_title(query).split())
    return sorted(
        document.id
        for document in documents
        if wanted
        and wanted <= set(normalise_title(document.text).split())
        and (
            as_of is None
            or (document.published is not None and earlier(document.published, as_of.isoformat()))
        )
    )


FRUIT = [
    TermsDocument("d", "Apples and pears, and APPLES again"),
    TermsDocument("a", "pears"),
    TermsDocument("c", "apples: the case of pears"),
    TermsDocument("b", "apples"),
    TermsDocument("e", ""),
]


def test_a_document_is_found_when_it_has_every_term(make: Make) -> None:
    index = make(FRUIT)
    assert index.all_terms("apples") == ["b", "c", "d"]
    assert index.all_terms("pears apples") == ["c", "d"]
    assert index.all_terms("Pears, PEARS (and apples)") == ["d"]
    assert index.all_terms("apples plums") == []


@pytest.mark.parametrize("query", ["", "   ", "?!", "++", "\ud800"])
def test_a_query_without_terms_finds_nothing(make: Make, query: str) -> None:
    assert make(FRUIT).all_terms(query) == []


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("apples OR pears", []),  # no document has the word or
        ("-apples", ["b", "c", "d"]),
        ('"pears apples"', ["c", "d"]),
        ("appl*", []),
        ("number:[0 TO 9]", []),
        ("apples) OR (pears", []),
        ("apples\\", ["b", "c", "d"]),
    ],
)
def test_no_character_of_a_query_has_a_meaning(make: Make, query: str, found: list[str]) -> None:
    assert make(FRUIT).all_terms(query) == found


def test_long_words_are_told_apart_to_the_last_letter(make: Make) -> None:
    long = "x" * 70_000
    index = make([TermsDocument("one", long + "a"), TermsDocument("two", long + "b c")])
    assert index.all_terms(long + "a") == ["one"]
    assert index.all_terms(f"C {long}B") == ["two"]
    assert index.all_terms(long) == []


def test_as_of_keeps_what_was_surely_there_before_the_day(make: Make) -> None:
    dates = ["2023-04-30", "2023-05-01", "2023-04", "2023-05", "2022", "2023", None]
    index = make([TermsDocument(str(date_), "apples", date_) for date_ in dates])
    assert index.all_terms("apples", as_of=date(2023, 5, 1)) == ["2022", "2023-04", "2023-04-30"]
    assert len(index.all_terms("apples", as_of=date.max)) == 6  # all but the undated
    assert index.all_terms("apples", as_of=date.min) == []
    assert len(index.all_terms("apples")) == 7


def test_stop_words_of_a_query_can_be_dropped(make: Make) -> None:
    index = make(FRUIT)
    assert index.all_terms("the pears") == ["c"]
    assert index.all_terms("the pears", drop_stop_words=True) == ["a", "c", "d"]
    assert index.all_terms("the", drop_stop_words=True) == []


WORDS = st.sampled_from(
    ["Graph", "graph", "GRAPHS", "straße", "STRASSE", "é", "e\u0301", "ﬁ", "fi", "数据", "C++", "-",
     "don't", "3.14", "x" * 300, "x" * 299 + "y", "\u200b", "हिन्दी", "\x00", "a_b", "İ", "ǅ"]
)  # fmt: skip
TEXTS = st.one_of(st.lists(WORDS, max_size=12).map(" ".join), st.text(max_size=40))
DATES = st.sampled_from([None, "2021", "2022-02", "2022-02-28", "2022-03-01", "9999"])
DAYS = st.sampled_from([None, date(2021, 12, 31), date(2022, 1, 1), date(2022, 3, 1)])


@st.composite
def collections(draw: st.DrawFn) -> list[TermsDocument]:
    texts = draw(st.lists(st.tuples(TEXTS, DATES), max_size=10))
    ids = draw(st.lists(st.text(), unique=True, min_size=len(texts), max_size=len(texts)))
    pairs = zip(ids, texts, strict=True)
    return [TermsDocument(id_, text, published) for id_, (text, published) in pairs]


@settings(max_examples=40, deadline=None)
@given(collections(), st.lists(st.tuples(TEXTS, DAYS), min_size=1, max_size=5))
def test_both_back_ends_find_what_a_scan_finds(
    documents: list[TermsDocument], queries: list[tuple[str, date | None]]
) -> None:
    postings = PostingsIndex(documents)
    own = [(" ".join(document.text.split()[:3]), None) for document in documents]
    with tempfile.TemporaryDirectory() as folder:
        on_disk = write(Path(folder), documents)
        assert len(on_disk) == len(postings) == len(documents)
        for query, as_of in queries + own:
            expected = scan(documents, query, as_of)
            assert postings.all_terms(query, as_of=as_of) == expected
            assert on_disk.all_terms(query, as_of=as_of) == expected


CHANGES = st.lists(st.tuples(st.integers(0, 5), st.none() | TEXTS), max_size=8)


@settings(max_examples=15, deadline=None)
@given(st.lists(CHANGES, min_size=1, max_size=3), TEXTS)
def test_an_index_on_disk_follows_every_commit(
    commits: list[list[tuple[int, str | None]]], query: str
) -> None:
    held: dict[int, str] = {}
    with tempfile.TemporaryDirectory() as folder:
        for serial, changes in enumerate(commits):
            writer = TantivyWriter(Path(folder))
            for number, text in changes:
                if text is None:
                    held.pop(number, None)
                    writer.remove(number)
                else:
                    held[number] = text
                    writer.put(number, TermsDocument("", text))
            writer.commit(str(serial))
            documents = [TermsDocument(str(number), text) for number, text in held.items()]
            index = open_with(Path(folder), [str(number) for number in range(6)])
            assert (len(index), index.mark) == (len(held), str(serial))
            for words in [query, *held.values()]:
                assert index.all_terms(words) == scan(documents, words)


def test_two_documents_of_one_id_are_refused() -> None:
    with pytest.raises(InputError, match="'a'"):
        PostingsIndex([TermsDocument("a", "x"), TermsDocument("b", "y"), TermsDocument("a", "z")])


def test_nothing_is_seen_before_the_commit_and_a_lost_writer_leaves_no_trace(
    tmp_path: Path,
) -> None:
    write(tmp_path, FRUIT)
    writer = TantivyWriter(tmp_path)
    writer.put(0, TermsDocument("d", "plums"))
    ids = [document.id for document in FRUIT]
    assert open_with(tmp_path, ids).all_terms("apples") == ["b", "c", "d"]
    del writer
    index = write(tmp_path, [TermsDocument("d", "plums")], mark="second")
    assert index.mark == "second"
    assert open_with(tmp_path, ids).all_terms("apples") == ["b", "c"]


def test_what_is_no_index_is_said_to_be_none(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "missing"):
        with pytest.raises(DamagedError, match="cannot be read as an index"):
            open_with(folder, [])
    (tmp_path / "meta.json").write_text("{}", "utf-8")
    with pytest.raises(DamagedError, match="cannot be used as an index"):
        TantivyWriter(tmp_path)


def test_a_file_cut_short_is_noticed_whichever_it_is(tmp_path: Path) -> None:
    whole = tmp_path / "whole"
    write(whole, FRUIT)
    names = committed_files(whole)
    assert {name.rpartition(".")[2] for name in names} >= {"json", "idx", "term", "fast", "store"}
    for name in names:
        # Never cut in place: what has an index open may read it at any time.
        cut = Path(shutil.copytree(whole, tmp_path / name))
        (cut / name).write_bytes((whole / name).read_bytes()[: (whole / name).stat().st_size // 2])
        with pytest.raises(DamagedError):
            open_with(cut, [])
    assert len(open_with(whole, [])) == len(FRUIT)


def test_two_writers_of_one_index_are_refused(tmp_path: Path) -> None:
    first, second = TantivyWriter(tmp_path), TantivyWriter(tmp_path)
    first.put(0, FRUIT[0])
    with pytest.raises(VivaError, match="could not be written"):
        second.put(0, FRUIT[0])
