"""Reader of the feeds that `viva fetch coauthors` saves on its walk through co-authors on arXiv."""

from collections.abc import Iterator
from dataclasses import replace

from vivavoce.records import Document, Fault
from vivavoce.sources import Source, has_suffix, read_with
from vivavoce.sources.catalogues.arxiv import LARGEST_FILE, read_file

KIND = "coauthors"
SUFFIX = ".coauthors.xml"


def _read_file(content: bytes, name: str) -> Iterator[Document | Fault]:
    for entry in read_file(content, name):
        yield replace(entry, kind=KIND) if isinstance(entry, Document) else entry


SOURCE = Source(
    kind=KIND,
    summary="papers of a walk through co-authors on arXiv (.coauthors.xml), as fetched",
    is_metadata=True,
    dates="version",
    matches=has_suffix(SUFFIX),
    read=read_with(_read_file, LARGEST_FILE, "feed"),
    holds_many=True,
    reader_version="2",
)
