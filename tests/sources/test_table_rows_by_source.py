"""What each row of a table cites, by what the markup of each source tells of it."""

from __future__ import annotations

import json
from pathlib import Path

from tests.sources.pdf_pages import paper_with_table

from vivavoce.records import CitedTable, Document
from vivavoce.sources import Piece, ReadOptions, get_source
from vivavoce.sources.fulltext.jats import read_document as read_jats
from vivavoce.sources.fulltext.latex import read_document as read_latex
from vivavoce.sources.fulltext.pdf.document import read_file


def read_one(kind: str, path: Path) -> Document:
    (found,) = get_source(kind).read(Piece(path, 0, None), ReadOptions())
    assert isinstance(found, Document), found
    return found


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
    (table,) = read_jats(text.encode(), "x.nxml").tables
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
