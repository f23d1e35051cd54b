"""Files that cannot be read as papers end as one fault with a reason; the rest goes on."""

import os
import zlib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen.canvas import Canvas
from tests.fuzz.documents import read_set_pages
from tests.sources.pdf_pages import simple_paper

from vivavoce.errors import InputError
from vivavoce.records import Document, Fault
from vivavoce.sources import Piece, ReadOptions, get_source
from vivavoce.sources.fulltext.pdf.child import Child

NAMES = ["1 Introduction", "2 Method", "3 Conclusion"]


def fault_of(path: Path, kind: str = "") -> str:
    (fault,) = get_source("pdf").read(Piece(path), ReadOptions())
    assert isinstance(fault, Fault)
    assert (fault.where, fault.kind) == (path.name, kind)
    return fault.reason


def test_an_encrypted_file_says_so(tmp_path: Path) -> None:
    path = tmp_path / "locked.pdf"
    canvas = Canvas(str(path), encrypt=StandardEncryption("secret", canPrint=0))
    canvas.drawString(100, 700, "nobody reads this without the word")
    canvas.save()
    assert fault_of(path, "locked") == "encrypted: a password is needed to open it"


def test_pages_that_are_pictures_ask_for_ocr(tmp_path: Path) -> None:
    path = tmp_path / "scanned.pdf"
    canvas = Canvas(str(path))
    for _ in range(3):
        canvas.rect(100, 100, 300, 500, fill=1)
        canvas.showPage()
    canvas.save()
    assert "OCR" in fault_of(path, "scan")


def test_a_file_cut_short_is_damaged(tmp_path: Path) -> None:
    whole = simple_paper(tmp_path / "whole.pdf", NAMES).read_bytes()
    path = tmp_path / "cut.pdf"
    path.write_bytes(whole[: len(whole) // 2])
    assert fault_of(path).startswith("damaged: the end of the file is missing")


def test_a_page_over_the_limit_makes_no_paper(tmp_path: Path) -> None:
    path = tmp_path / "long.pdf"
    canvas = Canvas(str(path))
    for number in range(1001):
        canvas.drawString(100, 700, f"page {number}")
        canvas.showPage()
    canvas.save()
    assert fault_of(path) == "1,001 pages, more than the 1,000 that are read"


@pytest.mark.slow
def test_a_file_that_takes_too_long_is_given_up_and_the_next_is_read(tmp_path: Path) -> None:
    path = tmp_path / "slow.pdf"
    canvas = Canvas(str(path))
    for _ in range(900):
        text = canvas.beginText(40, 780)
        text.setFont("Times-Roman", 4)
        text.setLeading(4.2)
        for _ in range(170):
            text.textLine("many small words that take a while " * 4)
        canvas.drawText(text)
        canvas.showPage()
    canvas.save()
    child = Child(cpu_seconds=1)
    with pytest.raises(InputError, match="more than 1 s of CPU time"):
        child.read(path)
    paper = simple_paper(tmp_path / "paper.pdf", NAMES)
    assert child.read(paper).title == "A Study of Small Papers"
    child.close()


def test_a_child_that_is_killed_is_replaced(tmp_path: Path) -> None:
    paper = simple_paper(tmp_path / "paper.pdf", NAMES)
    child = Child()
    first = child.read(paper)
    assert child.process_id is not None
    before = child.process_id
    os.kill(before, 9)
    os.waitid(os.P_PID, before, os.WEXITED | os.WNOWAIT)
    assert child.read(paper) == first
    assert child.process_id != before
    child.close()


def test_bad_files_leave_the_good_ones_alone(tmp_path: Path) -> None:
    bad = tmp_path / "bad.pdf"
    bad.write_bytes(b"%PDF-1.7\n\xff\xfe garbage\nstartxref\n%%EOF\n")
    good = simple_paper(tmp_path / "good.pdf", NAMES)
    read = get_source("pdf").read
    found = [item for path in (bad, good, bad) for item in read(Piece(path), ReadOptions())]
    assert [type(item) for item in found] == [Fault, Document, Fault]


@pytest.mark.slow
def test_a_bomb_is_too_large_and_stays_below_a_gigabyte(tmp_path: Path) -> None:
    packer = zlib.compressobj(9)
    stream = b"".join(packer.compress(b" " * (1 << 20)) for _ in range(1500)) + packer.flush()
    path = tmp_path / "bomb.pdf"
    length = str(len(stream)).encode()
    path.write_bytes(
        b"%PDF-1.5\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n"
        b"2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n"
        b"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R>>endobj\n"
        b"4 0 obj<</Filter/FlateDecode/Length "
        + length
        + b">>stream\n"
        + stream
        + b"\nendstream endobj\ntrailer<</Size 5/Root 1 0 R>>\nstartxref\n9\n%%EOF"
    )
    assert fault_of(path) == "too large: reading it takes more than 900 MiB of memory"
    good = simple_paper(tmp_path / "good.pdf", NAMES)
    assert isinstance(next(iter(get_source("pdf").read(Piece(good), ReadOptions()))), Document)


PLACES = st.sampled_from([0, 54, 72, 108, 108, 108, 306, 320, 320, 540, 612, -40, 99999])
HEIGHTS = st.integers(0, 66).map(lambda row: 12 * row) | st.floats(-900, 9000, width=16)
SIZES = st.sampled_from([10, 10, 10, 8, 6, 12, 17, 1.5, 999])
WORDS = st.sampled_from(
    "References Abstract [1] [12] A.1 III. 1e5 nan arXiv:1706.03762 et al. Table Figure 1: 2:"
    " (Smith, 2017) In Proceedings Introduction 2.1 Results 93.2".split()
)
RUNS = st.builds(
    lambda x, y, size, style, words: f"{x} {y} {size} {style} {' '.join(words)}",
    *(PLACES, HEIGHTS, SIZES, st.integers(0, 3)),
    st.lists(WORDS | st.text(max_size=6), min_size=1, max_size=9),
)
SHEETS = st.lists(RUNS, min_size=1, max_size=30).map("\n".join)


@given(st.lists(SHEETS, min_size=1, max_size=3).map("\f".join))
@settings(deadline=None, max_examples=60)
def test_pages_set_at_random_are_a_document_or_refused(pages: str) -> None:
    read_set_pages(pages.encode("utf-8", "replace"))
