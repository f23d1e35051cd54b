"""Readers of hostile input, by name: a function of bytes that raises when something is wrong."""

from collections.abc import Callable, Sequence

from tests.fuzz.documents import read_pdf, read_set_pages, through_source
from tests.fuzz.json_paths import JSON_PATHS
from tests.fuzz.tables import TABLE_PATHS

Read = Callable[[bytes], None]


def one_of(reads: Sequence[Read]) -> Read:
    """Runs the function that the first byte of the input chooses on the rest of it."""

    def read(content: bytes) -> None:
        if content:
            reads[content[0] % len(reads)](content[1:])

    return read


TARGETS: dict[str, Read] = {
    "pdf": read_pdf,
    "pages": read_set_pages,
    "tei": through_source("tei", "paper.tei.xml"),
    "tables": one_of(TABLE_PATHS),
    "json": one_of(JSON_PATHS),
    "html": through_source("html", "1501.00002.html"),
    "latex": through_source("latex", "1501.00002.tex"),
    "jats": through_source("jats", "paper.nxml"),
}
