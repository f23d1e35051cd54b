"""Tables that the citation network keeps of the references of each shard, for the next update.

Normalising and hashing entries is half of a build, and an update adds few of them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa

from vivavoce.columns import Ints
from vivavoce.store import DONE_SUFFIX, hash_code, hash_of, mark_done, read_done, write_bytes


@dataclass(frozen=True)
class Kept:
    """Tables in a folder, each bound to the references it was made of."""

    folder: Path
    _used: set[str] = field(default_factory=set)

    def table(
        self, shard: str, references: str, rows: Ints, make: Callable[[], pa.Table]
    ) -> pa.Table:
        """The table of a shard, made unless it stands.

        Args:
            shard: Its name.
            references: Hash of its references.
            rows: Which of them the table is about.
            make: Makes it.
        """
        path = self.folder / f"{shard}.arrow"
        self._used.update((path.name, path.name + DONE_SUFFIX))
        inputs = hash_of([references, hashlib.sha256(rows.tobytes()).hexdigest()])
        config = hash_code("networks/citation.py", "text/normalise.py", "columns.py")
        if read_done(path, config=config, inputs=inputs) is None:
            table = make().combine_chunks()
            sink = pa.BufferOutputStream()
            with pa.ipc.new_file(sink, table.schema) as writer:
                writer.write_table(table)
            write_bytes(path, sink.getvalue())
            mark_done(path, config=config, inputs=inputs, extra={})
        with pa.OSFile(str(path)) as source:
            return pa.ipc.open_file(source).read_all()

    def clean(self) -> None:
        """Remove what was not asked for: tables of shards that are no more."""
        for path in self.folder.glob("*"):
            if path.name not in self._used:
                path.unlink()
