"""Files that cannot be read as papers end as one fault with a reason; the rest goes on."""

from __future__ import annotations

import os
import zlib
from pathlib import Path

import pytest
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen.canvas import Canvas
from tests.sources.pdf_pages import simple_paper

from vivavoce.errors import InputError
from vivavoce.records import Document, Fault
from vivavoce.sources import Piece, ReadOptions, get_source
from vivavoce.sources.fulltext.pdf.child import Child
from vivavoce.sources.fulltext.pdf.document import read_file

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


@pytest.mark.parametrize("content", [b"", b"<html>not found</html>", b"\x00" * 4096])
def test_what_is_no_pdf_is_named(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "other.pdf"
    path.write_bytes(content)
    assert fault_of(path) == "not a PDF: the file does not start with %PDF-"


def test_five_thousand_pages_are_no_paper(tmp_path: Path) -> None:
    path = tmp_path / "long.pdf"
    canvas = Canvas(str(path))
    for number in range(5000):
        canvas.drawString(100, 700, f"page {number}")
        canvas.showPage()
    canvas.save()
    assert fault_of(path) == "5,000 pages, more than the 1,000 that are read"


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


def test_the_same_bytes_give_the_same_document(tmp_path: Path) -> None:
    path = simple_paper(tmp_path / "paper.pdf", NAMES)
    assert read_file(path) == read_file(path)


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
