"""LaTeX sources of papers: folders with a main file, e-prints in archives, single files."""

import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from vivavoce.errors import InputError
from vivavoce.records import Document, Fault
from vivavoce.sources import Piece, ReadOptions, Source, read_whole
from vivavoce.sources.fulltext.assemble import assemble
from vivavoce.sources.fulltext.latex.archives import ARCHIVE_SUFFIXES, unpack
from vivavoce.sources.fulltext.latex.files import (
    LARGEST_FILE,
    TEX_SUFFIXES,
    PaperFiles,
    choose_main,
    decode,
    document_class,
    list_text_files,
)
from vivavoce.sources.fulltext.latex.paper import read_paper
from vivavoce.text.identifiers import find_acl_id, find_arxiv_id

_OTHER_ARCHIVES = re.compile(r"\.(?:xml|jsonl?|csv|tsv|nii|txt|html?|fa|vcf|ps|svg|pdf)\.gz$")
_MAX_SIBLINGS = 300
_LEVELS_ABOVE = 3


def paper_name(path: Path) -> str:
    """Name of a paper: that of its archive, its folder, or its main file."""
    is_archive = path.name.lower().endswith(ARCHIVE_SUFFIXES)
    return path.name if is_archive or _is_identified(path) else path.resolve().parent.name


def _parts(path: Path) -> list[Path]:
    """The files that a paper is read from, relative to the folder of its main file."""
    if path.name.lower().endswith(ARCHIVE_SUFFIXES) or _is_identified(path):
        return [Path(path.name)]
    return [Path(name) for name in list_text_files(path.parent)]


def _matches(path: Path) -> bool:
    """Check whether a file is a paper: an archive, its folder's main file, or named by an id.

    A folder inside a paper's folder is part of that paper.
    """
    name = path.name.lower()
    if name.endswith(ARCHIVE_SUFFIXES):
        return _OTHER_ARCHIVES.search(name) is None
    if not name.endswith(TEX_SUFFIXES) or not _is_main(path):
        return False
    if _is_identified(path):
        return True
    if _main_of(path.parent) != path.name:
        return False
    above = list(path.parent.resolve().parents)[:_LEVELS_ABOVE]
    return all(_main_of(folder) is None for folder in above)


def _is_identified(path: Path) -> bool:
    stem = path.stem
    return find_arxiv_id(stem) is not None or find_acl_id(stem) is not None


def _is_main(path: Path) -> bool:
    try:
        with path.open("rb") as stream:
            return document_class(decode(stream.read(LARGEST_FILE))) is not None
    except OSError:
        return False


def _main_of(folder: Path) -> str | None:
    """The main file of a paper directly in a folder; None if there is none."""
    names = []
    try:
        for path in folder.iterdir():
            if path.name.lower().endswith((*TEX_SUFFIXES, ".bbl")) and path.is_file():
                status = path.stat()
                names.append((path.name, status.st_mtime_ns, status.st_size))
                if len(names) > _MAX_SIBLINGS:
                    break
    except OSError:
        return None
    return _choose(folder, tuple(sorted(names))) if names else None


@lru_cache(maxsize=256)
def _choose(folder: Path, state: tuple[tuple[str, int, int], ...]) -> str | None:
    """The main file of a folder in one state; cached, so that it is chosen once for all files."""
    try:
        beside = {
            name: (folder / name).read_bytes()
            for name, _, size in state
            if size <= LARGEST_FILE and not _is_identified(Path(name))
        }
        return choose_main(PaperFiles(unpacked=beside))
    except (OSError, InputError):
        return None


def _read(piece: Piece, options: ReadOptions) -> Iterator[Document | Fault]:
    name = paper_name(piece.path)
    try:
        yield read_document(piece.path)
    except InputError as error:
        yield Fault(name, str(error))
    except OSError as error:
        yield Fault(name, f"the file cannot be read: {error.strerror}")


def read_document(path: Path) -> Document:
    """The paper in an archive, or in a main file and its folder; `InputError` says why not."""
    if path.name.lower().endswith(ARCHIVE_SUFFIXES):
        files = PaperFiles(unpacked=unpack(path))
        main = choose_main(files)
        if main is None:
            raise InputError("no file in the archive has a \\documentclass and \\begin{document}")
    else:
        files = PaperFiles(folder=path.parent)
        main = path.name
        if main not in files.names:
            files = PaperFiles(unpacked={main: read_whole(path, LARGEST_FILE, "paper")})
    name = paper_name(path)
    arxiv = find_arxiv_id(name)
    about = Document(
        kind="latex",
        key=name,
        source_file=name,
        arxiv_id=arxiv[0] if arxiv else None,
        version=arxiv[1] if arxiv else None,
        acl_id=find_acl_id(name),
    )
    return assemble(read_paper(files, main), about)


SOURCE = Source(
    kind="latex",
    summary="LaTeX sources: folders with a main .tex file, and e-prints (.tar.gz, .zip, .gz)",
    matches=_matches,
    read=_read,
    name_of=paper_name,
    parts=_parts,
    reader_version="18",
)
