"""A round's library: what is in its file, and what an item may search and read of it."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vivavoce.corpus import Corpus, ingest, load_corpus
from vivavoce.errors import DamagedError, InputError
from vivavoce.readers import LibraryPaper, LibrarySection, LibraryTable
from vivavoce.tasks.library import Library, library_as_bytes, library_rows, read_library
from vivavoce.text.chunk import cut_table


def paper(name: str, published: str | None = "2020-01-15", **parts: object) -> LibraryPaper:
    """A paper whose every text names it."""
    values: dict[str, object] = {
        "title": f"The {name} title",
        "abstract": f"We study {name}.",
        "sections": (LibrarySection("Method", f"Our {name} method is a parser."),),
        "tables": (
            LibraryTable(f"Results of {name}", (("Method", "F1"), (f"{name}-one", "91.5"))),
            LibraryTable(f"Sizes of {name}", (("Set", "Rows"), (f"{name}-two", "1200"))),
        ),
    }
    return LibraryPaper(paper_id=name, published=published, **{**values, **parts})  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    folder = tmp_path_factory.mktemp("library")
    ingest("sample", Path("12"), folder)
    return load_corpus(folder)


def test_a_file_holds_what_the_corpus_says_of_the_papers(corpus: Corpus) -> None:
    wanted = [one.paper_id for one in corpus.papers][3:9]
    rows = library_rows(corpus, [*reversed(wanted), "no such paper"])
    content = library_as_bytes(rows)
    papers = read_library(content)
    assert list(papers) == sorted(wanted)
    texts = dict(corpus.sections())
    tables: dict[str, list[tuple[int, str, list[list[str]]]]] = {}
    for row in corpus.rows("tables"):
        told = (row["ordinal"], row["caption"], row["cells"])
        tables.setdefault(row["paper_id"], []).append(told)
    known = {one.paper_id: one for one in corpus.papers}
    assert any(tables.get(name) for name in wanted)
    for name, found in papers.items():
        assert (found.title, found.abstract) == (known[name].title, known[name].abstract)
        assert found.published == known[name].published
        expected = [(one.heading, one.text) for one in texts[name]]
        assert [(one.heading, one.text) for one in found.sections] == expected
        # A table's place is its ordinal.
        read = [
            (place, one.caption, [list(row) for row in one.cells])
            for place, one in enumerate(found.tables)
        ]
        assert read == tables.get(name, [])


def test_the_same_rows_give_the_same_bytes_and_a_part_can_be_read(corpus: Corpus) -> None:
    wanted = [one.paper_id for one in corpus.papers]
    content = library_as_bytes(library_rows(corpus, wanted))
    assert content == library_as_bytes(library_rows(corpus, list(reversed(wanted))))
    whole = read_library(content)
    part = read_library(content, {wanted[2], wanted[5], "another"})
    assert part == {name: whole[name] for name in (wanted[2], wanted[5])}
    with pytest.raises(DamagedError, match="library cannot be read"):
        read_library(content[:-9])


@pytest.mark.parametrize(
    ("published", "is_shown"),
    [
        ("2024-02-29", True),
        ("2024-03-01", False),
        ("2024-03", False),
        ("2024", False),  # may be December
        (None, False),
        ("soon", False),
    ],
)
def test_a_paper_is_shown_if_over_before_the_cutoff(published: str | None, is_shown: bool) -> None:
    library = Library([paper("melon", published)], "2024-03-01")
    assert ("melon" in library, len(library)) == (is_shown, int(is_shown))
    assert bool(library.search("melon", 5)) is is_shown
    if is_shown:
        assert library.read("melon").published == published
    else:
        with pytest.raises(InputError) as late:
            library.read("melon")
        with pytest.raises(InputError) as unknown:
            library.read("lemon")
        # Nothing tells a paper that is kept back from one that does not exist.
        assert str(late.value).replace("melon", "lemon") == str(unknown.value)


def test_a_hidden_paper_is_not_shown() -> None:
    papers = [paper("melon"), paper("lemon"), paper("peach")]
    library = Library(papers, "2024-03-01").hiding(["peach"])
    found = library.search("results sizes f1 rows melon lemon peach", 50)
    assert {hit.paper_id for hit in found} == {"melon", "lemon"}
    with pytest.raises(InputError, match="There is no paper 'peach'"):
        library.read("peach", "abstract")
    outline = library.read("melon").text
    assert "table 1: Results of melon" in outline
    assert "table 2: Sizes of melon" in outline
    assert "melon-two | 1200" in library.read("melon", "table 2").text
    assert "method is a parser" in library.read("melon", "section 1").text
    # It is not hidden for another item.
    again = library.hiding(())
    assert "peach" in again
    assert "peach" not in library
    assert any(hit.paper_id == "peach" for hit in again.search("peach", 5))


def test_hits_are_the_passages_with_the_words_asked_for() -> None:
    library = Library({name: paper(name) for name in ("melon", "lemon")}, "2024-03-01")
    (hit, *_) = library.search("F1 melon-one", 3)
    assert (hit.paper_id, hit.part, hit.title) == ("melon", "table 1", "The melon title")
    assert hit.text == "Results of melon\nMethod | F1\nmelon-one | 91.5"
    assert library.read(hit.paper_id, hit.part).text == hit.text
    # No word is shared, or there is none.
    assert library.search("zebra", 3) == library.search(" ?! ", 3) == []
    assert library.search("melon", 0) == []
    with pytest.raises(InputError, match="k=-1"):
        library.search("melon", -1)
    # One paper does not fill a page of hits.
    assert len(library.search("melon", 50)) == 2


def test_a_single_passage_is_found_though_every_passage_has_the_word() -> None:
    alone = paper("melon", sections=(), tables=(), abstract=None)
    library = Library([alone], "2024-03-01")
    assert [hit.text for hit in library.search("melon", 5)] == ["The melon title"]
    assert Library([], "2024-03-01").search("melon", 5) == []


def test_a_long_part_comes_in_pages_that_hold_all_of_it() -> None:
    text = "\n\n".join(f"Paragraph {n} speaks of melons at some length." for n in range(200))
    cells = (("Method", "F1"), *((f"system {n}", f"{n}.25") for n in range(300)))
    long = paper(
        "melon", sections=(LibrarySection(None, text),), tables=(LibraryTable("Scores", cells),)
    )
    library = Library([long], "2024-03-01")
    first = library.read("melon", "Section 1", 1, 1000)
    pages = [library.read("melon", "section 1", n, 1000) for n in range(1, first.pages + 1)]
    assert all(len(page.text) <= 1000 for page in pages)
    assert "\n\n".join(page.text for page in pages) == text
    count = library.read("melon", "table 1", 1, 1000).pages
    tables = [library.read("melon", "table 1", n, 1000).text for n in range(1, count + 1)]
    assert count > 3
    assert all(page.startswith("Scores\nMethod | F1\n") for page in tables)
    rows = [line for page in tables for line in page.splitlines()[2:]]
    assert rows == [f"system {n} | {n}.25" for n in range(300)]
    for page in (0, -1, first.pages + 1):
        with pytest.raises(InputError, match=f"no page {page}, only 1 to {first.pages}"):
            library.read("melon", "section 1", page, 1000)


@given(
    caption=st.text(max_size=300),
    cells=st.lists(st.lists(st.text(max_size=60), max_size=4), max_size=30),
    size=st.integers(min_value=20, max_value=200),
)
@settings(deadline=None)
def test_no_piece_of_a_table_is_too_long(caption: str, cells: list[list[str]], size: int) -> None:
    pieces = cut_table(caption, cells, size)
    assert all(0 < len(piece) <= size for piece in pieces)
    shown = "".join(pieces)
    for row in cells[1:]:
        for cell in row:
            # A row on its own is cut only where it cannot be whole.
            if len(" | ".join(row)) <= size // 3:
                assert " ".join(cell.split()) in shown


def test_a_cutoff_that_is_no_date_is_refused() -> None:
    with pytest.raises(InputError, match="'spring' is not a date"):
        Library([], "spring")
