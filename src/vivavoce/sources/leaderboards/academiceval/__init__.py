"""AcademicEval samples: papers to write a part of, with the papers shown as examples."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from vivavoce.errors import InputError
from vivavoce.records import Document, Fault
from vivavoce.sources import Piece, ReadOptions, Source
from vivavoce.sources.fulltext.s2orc.files import cut, read_head, read_values
from vivavoce.sources.leaderboards.academiceval.sample import read_sample

_SUFFIXES = (".json", ".json.gz", ".jsonl", ".jsonl.gz")
_MARKS = (b'"main_content"', b'"gt"', b'"paper_cat"')
_LARGEST_FILE = 128 << 20


def _matches(path: Path) -> bool:
    """Whether the start of a JSON file holds a versioned address and a mark of these samples."""
    if not path.name.lower().endswith(_SUFFIXES):
        return False
    head = read_head(path)
    return b'"url"' in head and b'"primary_cat"' in head and any(mark in head for mark in _MARKS)


def _name_of(path: Path) -> str:
    """A paper has a file of the same name in the folder of each setting."""
    return f"{path.parent.name}/{path.name}"


def _read(piece: Piece, options: ReadOptions) -> Iterator[Document | Fault]:
    file = _name_of(piece.path)
    for place, value in read_values(piece, _LARGEST_FILE):
        where = place.replace(piece.path.name, file, 1)
        if isinstance(value, str):
            yield Fault(where, value)
            continue
        samples = value if _is_list_of_samples(value) else [value]
        for number, sample in enumerate(samples, start=1):
            name = where if len(samples) == 1 else f"{where}:{number}"
            try:
                yield from read_sample(sample, name)
            except InputError as error:
                yield Fault(name, str(error))


def _is_list_of_samples(value: Any) -> bool:
    """Whether an array holds samples; the sample of a related work section is an array too.

    There only the first object has a text to be written, the others are candidates to cite.
    """
    if not isinstance(value, list) or not value:
        return False
    if isinstance(value[0], list):
        return True
    return len(value) > 1 and isinstance(value[1], dict) and "gt" in value[1]


SOURCE = Source(
    kind="academiceval",
    summary="AcademicEval samples in JSON: titles, abstracts, introductions, related work",
    is_metadata=False,
    matches=_matches,
    pieces=cut,
    read=_read,
    name_of=_name_of,
)
