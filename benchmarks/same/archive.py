"""Folders packed into bytes, so that a group can start from what another left long ago."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Archive:
    """A gzipped tar of folders below a working folder."""

    content: bytes

    @classmethod
    def pack(cls, work: Path, folders: Sequence[str]) -> Archive:
        """Pack folders of the working folder, with their times of change."""
        buffer = io.BytesIO()
        with tarfile.open(fileobj=buffer, mode="w:gz", compresslevel=3) as tar:
            for folder in folders:
                tar.add(work / folder, arcname=folder)
        return cls(buffer.getvalue())

    def unpack(self, work: Path) -> None:
        """Put the folders back."""
        with tarfile.open(fileobj=io.BytesIO(self.content)) as tar:
            # The filter came with Python 3.11.4.
            tar.extraction_filter = getattr(tarfile, "data_filter", lambda member, _: member)
            tar.extractall(work)
