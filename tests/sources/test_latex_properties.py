"""LaTeX that no printer would take: it is read as far as it goes, or refused with a reason."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.fuzz.targets import TARGETS, read

from vivavoce.records import Document
from vivavoce.sources import ReadOptions, get_source

OPENING, CLOSING = "\\documentclass{article}\n", "\\end{document}\n"
PIECES = st.sampled_from(
    (
        *TARGETS["latex"].words,
        *(
            "\\usepackage{}",
            "\\let",
            "\\let\\c=",
            "\\newif\\ifx",
            "\\ifx",
            "\\else",
            "\\fi",
            "[",
            "]",
        ),
        *(
            "\\begin{abstract}",
            "\\begin{thebibliography}{9}",
            "&",
            "\\\\",
            "\n\n",
            "#1",
            "\\input",
            "a b",
        ),
    )
)


@given(st.lists(PIECES | st.text(max_size=4), max_size=25).map(" ".join))
@settings(deadline=None, max_examples=60)
def test_pieces_in_any_order_are_read_or_refused(pieces: str) -> None:
    read(TARGETS["latex"], f"{OPENING}\\begin{{document}}{pieces}{CLOSING}".encode())
    read(TARGETS["latex"], f"{OPENING}{pieces}".encode())


@pytest.mark.parametrize("command", ["\\usepackage{}", "\\usepackage", "\\RequirePackage[a]{}"])
def test_a_package_without_a_name_is_passed_over(tmp_path: Path, command: str) -> None:
    path = tmp_path / "1501.00002.tex"
    body = "\\section{Start}Words \\cite{a}.\\bibitem{a} A. One. 2017."
    path.write_text(f"{OPENING}{command}\n\n\\begin{{document}}{body}{CLOSING}")
    source = get_source("latex")
    (found,) = [f for piece in source.pieces(path) for f in source.read(piece, ReadOptions())]
    assert isinstance(found, Document), found
    assert [section.heading for section in found.sections] == ["Start"]
