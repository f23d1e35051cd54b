"""Archives that lead out of their folder, or never end.

Archives enter the house in one place, in memory: nothing is written, so nothing can be written
outside. What cannot be a paper is refused before it costs time or memory.
"""

import gzip
import io
import resource
import stat
import struct
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from vivavoce.corpus import ingest
from vivavoce.records import Document, Fault
from vivavoce.sources import Piece, ReadOptions, get_source

PAPER = rb"\documentclass{article}\title{T}\begin{document}\section{A} Safe words. \end{document}"
ONLY_SAFE = PAPER.replace(b"Safe", rb"\input{../x}\input{x}\input{/x}\input{C:/x}Safe")
BAD_NAMES = [
    "../x.tex",
    "/x.tex",
    "a/../../x.tex",
    "..\\x.tex",
    "C:\\x.tex",
    "C:x.tex",
    "//h/x.tex",
]
LINK_KINDS = {
    "symbolic link": tarfile.SYMTYPE,
    "hard link": tarfile.LNKTYPE,
    "character device": tarfile.CHRTYPE,
    "block device": tarfile.BLKTYPE,
    "fifo": tarfile.FIFOTYPE,
}


def read(path: Path, content: bytes) -> Document | Fault:
    """What comes of an archive, in at most 300 MiB beyond the peak so far."""
    path.write_bytes(content)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    (found,) = get_source("latex").read(Piece(path), ReadOptions())
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 300 << 10  # in KiB
    return found


def text_of(found: Document | Fault) -> str:
    assert isinstance(found, Document), found
    return found.sections[0].text


def reason_of(found: Document | Fault) -> str:
    assert isinstance(found, Fault), found
    return found.reason


def entry(name: str, content: bytes = b"", kind: bytes = tarfile.REGTYPE, link: str = "") -> bytes:
    member = tarfile.TarInfo(name)
    member.size, member.type, member.linkname = len(content), kind, link
    padding = b"\0" * (-len(content) % 512)
    return member.tobuf(tarfile.GNU_FORMAT, "utf-8", "surrogateescape") + content + padding


def sign(header: bytearray) -> bytes:
    """A tar header with the sum over its bytes, in which the sum itself counts as spaces."""
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    return bytes(header)


def zipped(files: dict[str, bytes], modes: dict[str, int] | None = None) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            member = zipfile.ZipInfo(name)
            member.external_attr = (modes or {}).get(name, 0) << 16
            archive.writestr(member, content)
    return out.getvalue()


@pytest.fixture
def inside(tmp_path: Path) -> Iterator[Path]:
    """A folder in another one, in which nothing may appear."""
    folder = tmp_path / "outer" / "inner"
    folder.mkdir(parents=True)
    secret = tmp_path / "outer" / "x.tex"
    secret.write_text("Secret.")
    yield folder
    assert sorted(path.name for path in (tmp_path / "outer").iterdir()) == ["inner", "x.tex"]
    assert secret.read_text() == "Secret."
    assert len(list(folder.iterdir())) == 1  # the archive


@pytest.mark.parametrize("name", BAD_NAMES)
def test_names_that_lead_out_are_passed_over(inside: Path, name: str) -> None:
    tar = entry(name, b"Out.") + entry("main.tex", ONLY_SAFE)
    assert text_of(read(inside / "a.tar", tar)) == "Safe words."
    (inside / "a.tar").unlink()
    archive = zipped({name: b"Out.", "main.tex": ONLY_SAFE})
    assert text_of(read(inside / "a.zip", archive)) == "Safe words."


@pytest.mark.parametrize("kind", LINK_KINDS)
@pytest.mark.parametrize("target", ["../x.tex", "/etc/hostname", "main.tex"])
def test_links_and_devices_are_passed_over(inside: Path, kind: str, target: str) -> None:
    tar = entry("x.tex", kind=LINK_KINDS[kind], link=target) + entry("main.tex", ONLY_SAFE)
    assert text_of(read(inside / "a.tar.gz", gzip.compress(tar))) == "Safe words."


@pytest.mark.parametrize("mode", [stat.S_IFLNK, stat.S_IFCHR, stat.S_IFIFO, stat.S_IFSOCK])
def test_links_and_devices_in_a_zip_are_passed_over(inside: Path, mode: int) -> None:
    archive = zipped({"x.tex": b"../x.tex", "main.tex": ONLY_SAFE}, {"x.tex": mode | 0o777})
    assert text_of(read(inside / "a.zip", archive)) == "Safe words."


def million_in_zip() -> bytes:
    """The list of a zip with a million entries, without the files themselves."""
    name = b"a.tex"
    one = struct.pack("<4s6H3I5H2I", b"PK\1\2", *[20, 20, *[0] * 7, len(name), *[0] * 6]) + name
    size, count = len(one) * 1_000_000, 1_000_000
    end = struct.pack("<4sQ2H2I4Q", b"PK\6\6", 44, 45, 45, 0, 0, count, count, size, 4)
    locator = struct.pack("<4sIQI", b"PK\6\7", 0, size + 4, 1)
    last = struct.pack("<4s4H2IH", b"PK\5\6", 0, 0, *[0xFFFF] * 2, *[0xFFFFFFFF] * 2, 0)
    return b"PK\3\4" + one * count + end + locator + last


def test_a_million_entries_are_refused_early(inside: Path) -> None:
    tar = gzip.compress(entry("a.txt") * 10_000, 1) * 100
    assert "more than 20000 files" in reason_of(read(inside / "a.gz", tar))
    assert "more than 20000 files" in reason_of(read(inside / "a.gz", million_in_zip()))


def test_a_million_headers_or_streams_are_refused_early(inside: Path) -> None:
    names = gzip.compress(entry("n", b"a.tex\0", tarfile.GNUTYPE_LONGNAME) * 10_000, 1) * 100
    assert "more than 20000 files" in reason_of(read(inside / "a.gz", names))
    streams = gzip.compress(b"") * 1_000_000
    assert "gzip streams" in reason_of(read(inside / "a.gz", streams))


def test_archives_inside_archives_are_not_opened(inside: Path) -> None:
    inner = gzip.compress(entry("x.tex", b"Inner."))
    tar = entry("x.tar.gz", inner) + entry("y.zip", zipped({"x.tex": b"Inner."}))
    assert text_of(read(inside / "a.gz", tar + entry("main.tex", ONLY_SAFE))) == "Safe words."
    nested = gzip.compress(gzip.compress(entry("main.tex", PAPER)))
    assert "neither" in reason_of(read(inside / "a.gz", nested))
    disguised = entry("main.tex", inner)
    assert "no file in the archive" in reason_of(read(inside / "a.gz", disguised))


@pytest.mark.parametrize(
    ("name", "reason"),
    [("main.tex", "larger than a paper"), ("figure.png", "unpacks to more than 512 MiB")],
)
def test_what_unpacks_without_end_is_stopped(inside: Path, name: str, reason: str) -> None:
    member = tarfile.TarInfo(name)
    member.size = 1 << 30
    packed = gzip.compress(member.tobuf(tarfile.GNU_FORMAT))
    packed += gzip.compress(b"\0" * (8 << 20), 1) * 75
    assert reason in reason_of(read(inside / "a.tar.gz", packed))


def test_a_zip_bomb_is_stopped(inside: Path) -> None:
    archive = zipped({"main.tex": PAPER, "x.tex": b"a" * (64 << 20)})
    assert "larger than a paper" in reason_of(read(inside / "a.zip", archive))
    many = zipped({f"{number}.tex": b"a" * (7 << 20) for number in range(12)})
    assert "larger than a paper" in reason_of(read(inside / "a.zip", many))


def test_of_two_files_of_one_name_the_first_counts(inside: Path) -> None:
    tar = entry("main.tex", PAPER) + entry("./main.tex", PAPER.replace(b"Safe", b"Other"))
    assert text_of(read(inside / "a.tar", tar)) == "Safe words."


def test_names_that_are_not_utf8_do_no_harm(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    odd = entry("\udce9\x1b[31m\n.tex", b"Odd.")
    (folder / "good.tar").write_bytes(odd + entry("main.tex", PAPER))
    large = entry("\udce9\x1b[31m\n.tex", b"a" * (9 << 20))
    (folder / "large.tar").write_bytes(large + entry("main.tex", PAPER))
    report = ingest("latex", folder, tmp_path / "corpus")
    assert report.read == 1
    (fault,) = report.failed
    assert "larger than a paper" in fault.reason
    assert fault.reason.isprintable()
    fault.reason.encode()


def test_long_names_are_read(inside: Path) -> None:
    part = "p" * 80
    name = f"{part}/{part}/{part}.tex"
    main = PAPER.replace(b"Safe", b"\\input{%s}Safe" % name.encode())
    for style in (tarfile.GNU_FORMAT, tarfile.PAX_FORMAT):
        out = io.BytesIO()
        with tarfile.open(fileobj=out, mode="w", format=style) as archive:
            for known, content in ((name, b"Far."), ("main.tex", main)):
                member = tarfile.TarInfo(known)
                member.size = len(content)
                archive.addfile(member, io.BytesIO(content))
        assert text_of(read(inside / "a.tar", out.getvalue())) == "Far. Safe words."


def sparse_without_end() -> bytes:
    header = bytearray(entry("a.tex", kind=tarfile.GNUTYPE_SPARSE))
    header[482] = 1
    block = bytearray(b"00000000001\0" * 42 + b"\1" + b"\0" * 7)  # 42 numbers, then: goes on
    return sign(header) + bytes(block) * 200_000


def negative_size() -> bytes:
    header = bytearray(entry("a.tex"))
    header[124:136] = b"\xff" * 11 + b"\0"
    return sign(header)


@pytest.mark.parametrize(
    ("tar", "reason"),
    [
        (sparse_without_end(), "ends too early"),
        (negative_size(), "negative size"),
        (entry("n", b"1" * (1 << 20), tarfile.XHDTYPE) * 40, "a header of more than"),
        (entry("n", b"1" * 60_000, tarfile.XHDTYPE) + entry("a.png"), "no LaTeX file"),
        (entry("n", b"9 path=a\n" * 5_000, tarfile.XHDTYPE) + entry("a.png"), "no LaTeX file"),
        (entry("main.tex", PAPER)[:700], "damaged"),
        (entry("main.tex", PAPER)[:512] + b"a", "ends too early"),
        (entry("main.tex", PAPER) + b"rubbish" * 100, "damaged"),
        (entry("main.tex", PAPER) + entry("b.tex")[:100], "damaged"),
    ],
)
def test_headers_made_to_hurt_are_refused(inside: Path, tar: bytes, reason: str) -> None:
    assert reason in reason_of(read(inside / "a.tar.gz", gzip.compress(tar, 1)))
