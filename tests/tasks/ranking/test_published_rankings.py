"""The published lists of titles."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from vivavoce.metrics.titles_list import count_faults, distinct_titles, find_titles
from vivavoce.tasks.ranking.boards import plain_title


def read(path: Path) -> list[dict[str, Any]]:
    """Rows of a file, packed or not."""
    content = path.read_bytes()
    text = (gzip.decompress(content) if path.suffix == ".gz" else content).decode()
    return [json.loads(line) for line in text.split("\n") if line]


@pytest.mark.data
def test_the_published_lists_themselves_have_no_fault(data_dir: Path) -> None:
    for row in read(data_dir / "rplm" / "gold.jsonl"):
        titles = [plain_title(row["gold"][place]) for place in distinct_titles(row["gold"])]
        shown = "\n".join(sorted(titles))
        found = find_titles(shown, titles)
        assert found.missing == 0, row["id"]
        faults = count_faults(shown, titles, found)
        assert not any(faults.values()), row["id"]
