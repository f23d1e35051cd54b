"""What each row of a table cites, told alike by every source that knows cells."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.sources.pdf_pages import paper_with_table
from tests.sources.reading import read_one

from vivavoce.records import CitedTable, Document
from vivavoce.sources import ReadOptions, get_source
from vivavoce.sources.fulltext.html import read_document as read_html
from vivavoce.sources.fulltext.jats import read_documents as read_jats
from vivavoce.sources.fulltext.latex import read_document as read_latex
from vivavoce.sources.fulltext.pdf.document import read_file
from vivavoce.sources.fulltext.tei import read_document as read_tei

WORKS = range(6)
Cell = tuple[str, tuple[int, ...], int]
"""Its word, what it cites, and how many rows it covers."""
Grid = list[list[Cell]]


def numbers(cited: tuple[int, ...]) -> str:
    """`[2, 1]` for the second and the first reference."""
    return f" [{', '.join(str(work + 1) for work in cited)}]" if cited else ""


# The same grid in the words of each source


def in_html(grid: Grid, folder: Path) -> Document:
    def links(cited: tuple[int, ...]) -> str:
        return "".join(f' <a class="ltx_ref" href="#bib.b{work}">x</a>' for work in cited)

    rows = "".join(
        "<tr>" + "".join(f'<td rowspan="{h}">{w}{links(c)}</td>' for w, c, h in row) + "</tr>"
        for row in grid
    )
    items = "".join(
        f'<li class="ltx_bibitem" id="bib.b{work}"><span class="ltx_bibblock">W{work}</span></li>'
        for work in WORKS
    )
    page = (
        '<html><body><article class="ltx_document"><figure class="ltx_table"><table '
        f'class="ltx_tabular">{rows}</table></figure><section class="ltx_bibliography"><ul>{items}'
        "</ul></section></article></body></html>"
    )
    return read_html(page.encode(), "x.html")


def in_jats(grid: Grid, folder: Path) -> Document:
    def marks(cited: tuple[int, ...]) -> str:
        return "".join(f' <xref ref-type="bibr" rid="b{work}">x</xref>' for work in cited)

    rows = "".join(
        "<tr>" + "".join(f'<td rowspan="{h}">{w}{marks(c)}</td>' for w, c, h in row) + "</tr>"
        for row in grid
    )
    refs = "".join(
        f'<ref id="b{work}"><mixed-citation>W{work}</mixed-citation></ref>' for work in WORKS
    )
    text = (
        f"<article><body><table-wrap><table>{rows}</table></table-wrap></body><back><ref-list>"
        f"{refs}</ref-list></back></article>"
    )
    return read_jats(text.encode(), "x.nxml")[0]


def in_latex(grid: Grid, folder: Path) -> Document:
    lines, hanging = [], 0
    for row in grid:
        cells = [""] if hanging else []
        hanging = max(hanging - 1, 0)
        for word, cited, height in row:
            keys = ",".join(f"w{work}" for work in cited)
            text = word + (f" \\cite{{{keys}}}" if cited else "")
            cells.append(f"\\multirow{{{height}}}{{*}}{{{text}}}" if height > 1 else text)
            hanging = max(hanging, height - 1)
        lines.append(" & ".join(cells) + r" \\")
    items = "\n".join(f"\\bibitem{{w{work}}} A. Name. Work {work}. 2000." for work in WORKS)
    main = folder / "main.tex"
    main.write_text(
        "\\documentclass{article}\\begin{document}\\section{A} Text.\n\\begin{table}"
        "\\begin{tabular}{ll}\n" + "\n".join(lines) + "\n\\end{tabular}\\caption{C}\\end{table}"
        f"\n\\begin{{thebibliography}}{{9}}\n{items}\n\\end{{thebibliography}}\\end{{document}}"
    )
    return read_latex(main)


def in_tei(grid: Grid, folder: Path) -> Document:
    rows = "".join(
        "<row>" + "".join(f'<cell rows="{h}">{w}{numbers(c)}</cell>' for w, c, h in row) + "</row>"
        for row in grid
    )
    marks = " ".join(f'<ref type="bibr" target="#b{work}">[{work + 1}]</ref>' for work in WORKS)
    items = "".join(
        f'<biblStruct xml:id="b{work}"><analytic><title>Work {work}</title></analytic></biblStruct>'
        for work in WORKS
    )
    text = (
        f'<TEI><text><body><p>{marks}</p><figure type="table"><table>{rows}</table></figure></body>'
        f"<back><div><listBibl>{items}</listBibl></div></back></text></TEI>"
    )
    return read_tei(text.encode(), "x.tei.xml")


def as_markup(grid: Grid) -> str:
    rows = "".join(
        "<tr>" + "".join(f'<td rowspan="{h}">{w}{numbers(c)}</td>' for w, c, h in row) + "</tr>"
        for row in grid
    )
    return f"<table>{rows}</table>"


def in_s2orc(grid: Grid, folder: Path) -> Document:
    spans = [
        {"start": 0, "end": 3, "text": f"[{work + 1}]", "ref_id": f"BIBREF{work}"} for work in WORKS
    ]
    record = {
        "paper_id": "7",
        "pdf_parse": {
            "body_text": [{"text": "One.", "section": "A", "cite_spans": spans}],
            "bib_entries": {f"BIBREF{work}": {"title": f"Work {work}"} for work in WORKS},
            "ref_entries": {"TABREF0": {"type_str": "table", "content": as_markup(grid)}},
        },
    }
    path = folder / "x.json"
    path.write_text(json.dumps(record))
    return read_one("s2orc", path)


def in_survey(grid: Grid, folder: Path) -> Document:
    listed = "\n".join(
        f'[{work + 1}] A. One and B. Two, "A model of size {work}," in Conf, 2020.'
        for work in WORKS
    )
    path = folder / "x.md"
    path.write_text(
        f"# Models\n\n## 1 Introduction\n\nText.\n\n{as_markup(grid)}\n\n## References\n\n{listed}"
    )
    return read_one("survey", path)


READERS: dict[str, Callable[[Grid, Path], Document]] = {
    **{"html": in_html, "jats": in_jats, "latex": in_latex, "tei": in_tei},
    **{"s2orc": in_s2orc, "survey": in_survey},
}


@st.composite
def grids(draw: st.DrawFn) -> Grid:
    """Two columns, of which cells in the first may cover several rows."""
    works = st.lists(st.sampled_from(WORKS), max_size=3, unique=True).map(tuple)
    grid: Grid = []
    covered = 0
    size = draw(st.integers(2, 5))
    for number in range(size):
        row: list[Cell] = []
        if covered:
            covered -= 1
        else:
            height = draw(st.integers(1, min(3, size - number)))
            row.append(("Model", draw(works), height))
            covered = height - 1
        row.append(("Word", draw(works), 1))
        grid.append(row)
    return grid


def expected(grid: Grid) -> tuple[tuple[int, ...], ...]:
    """What a reader sees: the label beside a row, then the row's other cell."""
    rows = []
    label: tuple[int, ...] = ()
    for row in grid:
        label = row[0][1] if len(row) == 2 else label
        rows.append(tuple(dict.fromkeys([*label, *row[-1][1]])))
    return tuple(rows)


@pytest.mark.parametrize("kind", READERS)
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(grid=grids())
def test_all_sources_tell_the_same_of_the_same_table(kind: str, grid: Grid, tmp_path: Path) -> None:
    (table,) = READERS[kind](grid, tmp_path).tables
    assert table.row_cited == expected(grid)
    assert set(table.cited) == {work for row in table.row_cited for work in row}


# Hostile tables


@pytest.mark.timeout(60)
@pytest.mark.parametrize("kind", READERS)
def test_hostile_spans_take_bounded_time(kind: str, tmp_path: Path) -> None:
    many = tuple(work % len(WORKS) for work in range(2_000))
    below: Grid = [[("Word", (0,), 9_999)]] * 1_500
    grid: Grid = [[("Model", many, 9_999), ("Word", (), 1)], *below]
    (table,) = READERS[kind](grid, tmp_path).tables
    assert len(table.row_cited) in (0, len(table.cells))
    assert all(len(row) <= len(WORKS) for row in table.row_cited)


@pytest.mark.timeout(60)
@pytest.mark.parametrize("kind", ["html", "jats", "tei"])
def test_a_row_without_end_is_read_as_far_as_a_table_may_reach(kind: str, tmp_path: Path) -> None:
    (table,) = READERS[kind]([[("a", (), 1)] * 20_000], tmp_path).tables
    assert len(table.cells[0]) == 400


# Real data


def documents(kind: str, where: Path) -> Iterator[Document]:
    source = get_source(kind)
    for path in sorted(where.rglob("*")):
        if path.is_file() and source.matches(path):
            for piece in source.pieces(path):
                found = source.read(piece, ReadOptions())
                yield from (one for one in found if isinstance(one, Document))


@pytest.mark.parametrize(
    ("kind", "folder", "share"),
    [
        ("survey", "tables/human_surveys", 0.5),
        ("jats", "fulltext", 0.5),
        ("tei", "tei", 0.02),
        ("latex", "latex", 0.02),
        ("s2orc", "fulltext", 0.0),
    ],
)
def test_rows_of_real_tables_are_reported(
    kind: str, folder: str, share: float, data_dir: Path
) -> None:
    tables = [table for paper in documents(kind, data_dir / folder) for table in paper.tables]
    rows = [cited for table in tables for cited in table.row_cited]
    assert all(len(table.row_cited) == len(table.cells) for table in tables)
    for table in tables:
        for cited in table.row_cited:
            assert len(set(cited)) == len(cited)
            assert set(cited) <= set(table.cited)
    assert sum(len(cited) == 1 for cited in rows) >= share * len(rows)


def latex_table(tmp_path: Path, inside: str, command: str = "table") -> CitedTable:
    items = "".join(f"\\bibitem{{w{work}}} A. Name. Work {work}. 2000.\n" for work in range(6))
    main = tmp_path / "main.tex"
    main.write_text(
        f"\\documentclass{{article}}\\begin{{document}}\\section{{A}} Text.\\begin{{{command}}}"
        f"{inside}\\end{{{command}}}\\begin{{thebibliography}}{{9}}{items}"
        "\\end{thebibliography}\\end{document}"
    )
    (table,) = read_latex(main).tables
    return table


def test_the_caption_and_the_repeated_head_of_a_long_table_count_once(tmp_path: Path) -> None:
    table = latex_table(
        tmp_path,
        r"{ll}\caption{C \cite{w5}} Head \cite{w0} & i\\ \endfirsthead again \cite{w1} & j \\"
        r" \endhead foot \cite{w2} & k \\ \endfoot One \cite{w3} & 2 \\ Two & 4 \\",
        "longtable",
    )
    assert [row[0] for row in table.cells] == ["Head [1]", "One [4]", "Two"]
    assert table.row_cited == ((0,), (3,), ())
    assert table.cited == (0, 1, 2, 3, 5)


def test_an_oasis_cell_tells_how_many_more_rows_it_covers() -> None:
    text = """<article><body><table-wrap><table><tbody><row><entry morerows="1">A <xref
    ref-type="bibr" rid="b">1</xref></entry><entry>1</entry></row><row><entry>2</entry></row><row>
    <entry>B</entry></row></tbody></table></table-wrap></body><back><ref-list><ref id="b">
    <mixed-citation>W</mixed-citation></ref></ref-list></back></article>"""
    (table,) = read_jats(text.encode(), "x.nxml")[0].tables
    assert table.row_cited == ((0,), (0,), ())


def test_rows_of_a_pdf_are_told_by_printed_marks(tmp_path: Path) -> None:
    rows = (("Model", "Score"), ("Tail [2], [1]", "12.5"), ("Lead [9]", "14.0"))
    caption = "Table 1: Scores of two models, as in [1]."
    path = paper_with_table(tmp_path / "a.pdf", rows, caption).save()
    (table,) = read_file(path).tables
    assert table.row_cited == ((), (1, 0), ())  # there is no ninth
    assert read_one("pdf", path).tables == (table,)  # as it comes out of the child process


def test_row_map_tells_rows_exactly(tmp_path: Path) -> None:
    def work(number: int, row: int, sort: str = "ref") -> dict[str, object]:
        return {"corpus_id": number, "row": row, "type": sort, "title": f"Work {number}"}

    tables = [
        {
            "tabid": name,
            "arxiv_id": "2301.00001v2",
            "caption": "Models",
            "table": {"Size": {"11": ["small"]}},
            "row_bib_map": works,
        }
        for name, works in (
            ("a", [work(11, 1), work(22, 0), work(99, 2, "ours"), work(33, 1)]),
            ("b", [work(22, 0)]),
        )
    ]
    path = tmp_path / "tables.jsonl"
    path.write_text("".join(json.dumps(table) + "\n" for table in tables))
    first, second = read_one("digestables", path).tables
    assert [row[0] for row in first.cells] == ["", "Work 22", "Work 11; Work 33", "Work 99"]
    assert first.row_cited == ((), (1,), (0, 3), ())  # header, and last the paper itself
    assert second.row_cited == ((), (4,))
