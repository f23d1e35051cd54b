"""Write the papers of the source `sample`, or check that they are as they would be written.

python -m benchmarks.sample [--check]
"""

import json
import sys
from dataclasses import MISSING, fields, is_dataclass
from typing import Any

import pyarrow as pa
from benchmarks.sample import generate

from vivavoce.sources import sample

_LEVEL = 19


def lines() -> bytes:
    """The shipped papers as JSON Lines; a field that has its default value is left out."""
    papers = map(_plain, generate(sample.MAX_PAPERS))
    return "".join(json.dumps(paper, ensure_ascii=False) + "\n" for paper in papers).encode()


def shipped() -> bytes:
    """The content of the file in the package."""
    with pa.input_stream(sample.PAPERS, compression="zstd") as stream:
        return bytes(stream.read())


def _plain(value: Any) -> Any:
    if is_dataclass(value):
        given = ((field, getattr(value, field.name)) for field in fields(value))
        return {
            field.name: _plain(held)
            for field, held in given
            if field.default is MISSING or held != field.default
        }
    return [_plain(each) for each in value] if isinstance(value, tuple) else value


if __name__ == "__main__":
    if "--check" in sys.argv[1:]:
        sys.exit(0 if shipped() == lines() else f"{sample.PAPERS} is not as it would be written.")
    sample.PAPERS.write_bytes(pa.Codec("zstd", _LEVEL).compress(lines(), asbytes=True))
    print(f"{sample.PAPERS}: {sample.PAPERS.stat().st_size:,} bytes")
