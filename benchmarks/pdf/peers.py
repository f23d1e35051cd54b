"""Headings that other readers of PDFs find on folders of PDFs with a `truth.jsonl`.

    python -m benchmarks.pdf.peers PEER DIR... [--most N]

PEER is kreuzberg, pymupdf4llm or opendataloader, installed apart from the project. Each gives
Markdown; a heading of any level counts as given, and the top-level headings of the truth are
wanted. Comparison is as in score.py. Runs without the project installed.
"""

import argparse
import json
import re
import statistics
import sys
import tempfile
import time
import unicodedata
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

_HEADING = re.compile(r"^#{1,6}\s+(.*)$", re.MULTILINE)
_NUMBER = re.compile(r"^[\W_]*(?:(?:\d{1,2}|[IVX]{1,5}|[A-Z])(?:\.\d{1,2})*[.:)]?\s+)?")
_END = re.compile(r"acknowl|references|bibliography|checklist|abstract|literat", re.IGNORECASE)


def kreuzberg(path: Path) -> str:
    """Markdown of a file by kreuzberg."""
    from kreuzberg import ExtractionConfig, extract_file_sync

    result = extract_file_sync(str(path), config=ExtractionConfig(output_format="markdown"))
    return str(result.content)


def pymupdf4llm(path: Path) -> str:
    """Markdown of a file by pymupdf4llm."""
    import pymupdf4llm as reader

    return str(reader.to_markdown(str(path), show_progress=False))


def opendataloader(path: Path) -> str:
    """Markdown of a file by opendataloader."""
    import opendataloader_pdf as reader

    with tempfile.TemporaryDirectory() as folder:
        reader.convert(input_path=[str(path)], output_dir=folder, format="markdown", quiet=True)
        return "\n".join(p.read_text("utf-8") for p in Path(folder).rglob("*.md"))


PEERS: dict[str, Callable[[Path], str]] = {
    "kreuzberg": kreuzberg,
    "pymupdf4llm": pymupdf4llm,
    "opendataloader": opendataloader,
}


def compact(text: str) -> str:
    """Letters and digits without accents and without a number before them."""
    folded = unicodedata.normalize("NFKD", _NUMBER.sub("", text, count=1).casefold())
    return "".join(character for character in folded if character.isalnum())


def score(markdown: str, row: dict[str, Any]) -> tuple[float, float]:
    """Recall of the top-level headings, and precision among headings of any level."""
    levels = [(int(level), str(text)) for level, text in row["headings"]]
    wanted = Counter(compact(text) for level, text in levels if level == 1)
    true = Counter(compact(text) for _, text in levels)
    plain = [re.sub(r"[*_`]", "", text) for text in _HEADING.findall(markdown)]
    title = compact(str(row["title"]))
    given = Counter(compact(t) for t in plain if not _END.search(t) and compact(t) != title)
    recall = (given & wanted).total() / max(wanted.total(), 1)
    return recall, (given & true).total() / given.total() if given else 0.0


def main() -> int:
    """Print the means over files, and how long they took."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("peer", choices=sorted(PEERS))
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--most", type=int, default=1000, help="files")
    options = parser.parse_args()
    rows = [
        (folder / row["file"], row)
        for folder in options.folders
        for row in map(json.loads, (folder / "truth.jsonl").read_text("utf-8").splitlines())
    ]
    start, scores = time.process_time(), []
    for path, row in rows[: options.most]:
        scores.append(score(PEERS[options.peer](path), row))
    recall, precision = (statistics.fmean(column) for column in zip(*scores, strict=True))
    print(
        f"{options.peer}: {len(scores)} files, recall {recall:.3f}, precision {precision:.3f},"
        f" {time.process_time() - start:.0f} s of CPU in this process"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
