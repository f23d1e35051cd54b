"""Papers cut into chunks, and chunks found by a query."""

from itertools import count, pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from vivavoce.readers import LibraryPaper, LibrarySection, LibraryTable
from vivavoce.tasks.leaderboards.items import Shelf, chunks_of


def paper(
    name: str = "p",
    *,
    abstract: str | None = None,
    sections: tuple[tuple[str | None, str], ...] = (),
    tables: tuple[LibraryTable, ...] = (),
) -> LibraryPaper:
    return LibraryPaper(
        paper_id=name,
        title=f"Title of {name}",
        published="2024-01-01",
        abstract=abstract,
        sections=tuple(LibrarySection(heading, text) for heading, text in sections),
        tables=tables,
    )


def test_every_part_is_a_chunk_that_says_what_it_is_from() -> None:
    found = chunks_of(
        paper(
            abstract="In short.",
            sections=(("Intro", "We begin."), (None, "On.")),
            tables=(LibraryTable("Results", (("Model", "F1"), ("model-0", "0.5"))),),
        )
    )
    assert [(one.source, one.text) for one in found] == [
        ("Title of p – abstract", "In short."),
        ("Title of p – Intro", "We begin."),
        ("Title of p – text", "On."),
        ("Title of p – table 1", "Results\nModel | F1\nmodel-0 | 0.5"),
    ]


def test_long_text_overlaps() -> None:
    words = " ".join(f"w{n}" for n in range(400))
    texts = [one.text.split() for one in chunks_of(paper(sections=(("Long", words),)), size=64)]
    assert len(texts) > 5
    for one, later in pairwise(texts):
        assert later[0] in one  # the next begins with words of the one before
    assert [w for n, t in enumerate(texts) for w in t if not n or w not in texts[n - 1]] == (
        words.split()
    )


LINE = st.text("ab 1.|", max_size=12).map(lambda text: " ".join(text.split()))


@settings(deadline=None, max_examples=60)
@given(
    caption=LINE,
    cells=st.lists(st.lists(LINE, min_size=1, max_size=4), min_size=2, max_size=60),
    size=st.integers(64, 200),
)
def test_every_row_is_in_exactly_one_chunk_and_the_header_in_all(
    caption: str, cells: list[list[str]], size: int
) -> None:
    number = count()
    # A number of its own tells each row from all others.
    rows = [(f"row{next(number)}", *row) for row in cells]
    found = chunks_of(paper(tables=(LibraryTable(caption, tuple(rows)),)), size)
    lines = [one.text.splitlines() for one in found]
    heads = (1 if caption else 0) + 1
    assert all(one[heads - 1].startswith("row0") for one in lines)
    assert all(one[0] == caption for one in lines if caption)
    body = [line for one in lines for line in one[heads:]]
    assert [line.split()[0] for line in body] == [row[0] for row in rows[1:]]
    assert all(len(one.text) <= size * 3 for one in found)


@settings(deadline=None, max_examples=30)
@given(text=st.text(max_size=3_000), size=st.integers(16, 100))
def test_any_text_is_cut_into_bounded_chunks_that_hold_all_of_it(text: str, size: int) -> None:
    found = chunks_of(paper(sections=(("S", text),)), size)
    assert all(0 < len(one.text) <= size * 3 for one in found)
    assert {c for one in found for c in one.text} >= set(text) - set(map(chr, range(0x3001))) - {""}


def test_a_table_is_found_by_what_its_paper_is_about() -> None:
    bare = LibraryTable("", (("Model", "X"), ("Alder", "91.5")))
    about = paper("about", abstract="Parsing of Treebank sentences.", tables=(bare,))
    other = paper("other", abstract="Soup.", sections=(("Soup", "Boil it."),), tables=(bare,))
    third = paper("third", abstract="Bread.", sections=(("Bread", "Bake it."),))
    shelf = Shelf({one.paper_id: one for one in (about, other, third)})
    found = shelf.search(None, "Treebank parsing table", 3)
    assert {(chunk.paper_id, chunk.source[-7:]) for chunk, _ in found[:2]} == {
        ("about", "table 1"),
        ("about", "bstract"),
    }
    # What it is found by is not what is shown.
    assert all("Treebank" not in chunk.text for chunk, _ in found if "table 1" in chunk.source)
    scores = [score for _, score in found]
    assert len(scores) == 3
    assert scores == sorted(scores, key=lambda score: -(score or 0))


def test_only_the_papers_asked_for_are_searched() -> None:
    papers = {
        n: paper(n, abstract=f"parsing {n} and more", sections=(("S", f"{n}."),)) for n in "abc"
    }
    shelf = Shelf(papers)
    assert {chunk.paper_id for chunk, _ in shelf.search(["b"], "parsing", 10)} == {"b"}
    assert {chunk.paper_id for chunk, _ in shelf.search(None, "parsing", 10)} == set("abc")
    assert shelf.search([], "parsing", 10) == []


def test_a_query_of_foreign_words_gets_the_first_chunks() -> None:
    papers = {n: paper(n, abstract=f"about {n}") for n in "ab"}
    found = Shelf(papers).search(["a", "b"], "zzz", 1)
    assert [(chunk.paper_id, score) for chunk, score in found] == [("a", None)]


def test_a_paper_without_anything_has_no_chunk() -> None:
    assert chunks_of(paper()) == []
