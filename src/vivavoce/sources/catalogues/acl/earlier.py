"""A collection as the Anthology wrote it before it had elements for volumes.

Four digits name volume and paper together, and paper 0 of a volume is its front matter.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from lxml import etree

from vivavoce.errors import InputError
from vivavoce.records import Document, Fault
from vivavoce.sources.catalogues.acl.identifiers import build_id, has_wide_volumes
from vivavoce.sources.catalogues.acl.volume import (
    Volume,
    attribute_of,
    date_of,
    is_paper,
    read_paper,
    text_of,
)

_DIGITS = re.compile(r"[0-9]{4}")


def read_earlier(root: etree._Element, file: str) -> Iterator[Document | Fault]:
    """The papers in the order of the file; what front matter says holds for those that follow."""
    collection = attribute_of(root, "id")
    volume: Volume | None = None
    for place, paper in enumerate(root.iterfind("paper"), start=1):
        where = f"{file}: paper {place}"
        try:
            name, number = _cut(collection, attribute_of(paper, "id"))
            acl_id = build_id(collection, name, number)
            where = f"{file}: {acl_id}"
            if volume is None or volume.name != name:
                volume = Volume(collection, name, None, None)
            if int(number) == 0:
                volume = replace(
                    volume,
                    published=date_of(paper),
                    venue=text_of(paper.find("title")) or None,
                )
            elif is_paper(paper):
                book = text_of(paper.find("booktitle")) or text_of(paper.find("journal"))
                yield read_paper(paper, acl_id, replace(volume, venue=book or volume.venue))
        except InputError as error:
            yield Fault(where, str(error))


def _cut(collection: str, digits: str) -> tuple[str, str]:
    """Volume and paper out of their four digits."""
    if not _DIGITS.fullmatch(digits):
        raise InputError(f"the paper's id {digits[:40]!r} is not of four digits")
    width = 2 if has_wide_volumes(collection, int(digits[:2])) else 1
    return str(int(digits[:width])), digits[width:]
