"""PDF files of papers: sections, references and tables, read from the layout of the pages."""

from collections.abc import Iterator

from vivavoce.errors import InputError, UnreadableError
from vivavoce.records import Document, Fault
from vivavoce.sources import Piece, ReadOptions, Source, has_suffix


def _read(piece: Piece, options: ReadOptions) -> Iterator[Document | Fault]:
    from vivavoce.sources.fulltext.pdf.child import read_in_child

    try:
        yield read_in_child(piece.path)
    except UnreadableError as error:
        yield Fault(piece.path.name, str(error), error.kind)
    except InputError as error:
        yield Fault(piece.path.name, str(error))


SOURCE = Source(
    kind="pdf",
    summary="PDF papers: text by section, references and tables, one paper a file",
    is_metadata=False,
    matches=has_suffix(".pdf"),
    read=_read,
    reader_version="20",
)
