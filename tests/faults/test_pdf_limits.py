"""What a PDF may cost."""

import resource
import zlib
from pathlib import Path

import pytest
from tests.sources.pdf_pages import simple_paper

from vivavoce.errors import InputError
from vivavoce.sources.fulltext.pdf.child import MEMORY, Child

pytestmark = pytest.mark.slow

NAMES = ["1 Introduction", "2 Method"]


def swelling_pdf(path: Path, size: int) -> Path:
    """A PDF of one page, whose content is a run of spaces packed to less than a hundredth."""
    packer = zlib.compressobj(1)
    block = b" " * (1 << 20)
    content = b"".join(packer.compress(block) for _ in range(size >> 20)) + packer.flush()
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<<>>>>",
        b"<</Length %d/Filter/FlateDecode>>\nstream\n%s\nendstream" % (len(content), content),
    ]
    body, places = b"%PDF-1.7\n", []
    for number, inside in enumerate(objects, 1):
        places.append(len(body))
        body += b"%d 0 obj\n%s\nendobj\n" % (number, inside)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    tail = b"xref\n0 5\n0000000000 65535 f \n%strailer\n<</Size 5/Root 1 0 R>>\n" % table
    path.write_bytes(body + tail + b"startxref\n%d\n%%%%EOF\n" % len(body))
    return path


def test_a_child_lives_within_its_limits(tmp_path: Path) -> None:
    child = Child(cpu_seconds=20)
    child.read(simple_paper(tmp_path / "paper.pdf", NAMES))
    assert child.process_id is not None
    assert resource.prlimit(child.process_id, resource.RLIMIT_AS) == (MEMORY, MEMORY)
    assert resource.prlimit(child.process_id, resource.RLIMIT_CORE) == (0, 0)
    soft, _ = resource.prlimit(child.process_id, resource.RLIMIT_CPU)
    assert 20 <= soft < 60
    child.close()


def test_a_page_that_swells_costs_its_file_alone(tmp_path: Path) -> None:
    bomb = swelling_pdf(tmp_path / "bomb.pdf", 1 << 30)
    assert bomb.stat().st_size < 10 << 20
    child = Child(cpu_seconds=20)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(InputError, match="too large: reading it takes more than 900 MiB of memory"):
        child.read(bomb)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100 << 10  # in KiB
    found = child.read(simple_paper(tmp_path / "paper.pdf", NAMES))
    assert found.title == "A Study of Small Papers"
    child.close()
