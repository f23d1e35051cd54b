"""Metrics added to logs after their runs, in files beside the logs.

In a folder of logs, the first line of `metrics/NAME.jsonl` describes the metric. Then each text has
a line with its values, and each sample has a line with the hash of its text. A log has the metric
if the file holds all the log's samples.
"""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from vivavoce.errors import InputError
from vivavoce.store import Row, hash_file, read_jsonl, write_text

FOLDER = "metrics"
"""Folder for added metrics, beside the logs."""
Values = tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class NewMetric:
    """A metric added to the samples in a folder of logs."""

    made_by: str
    """Name and settings of the metric, such as `bertscore model=roberta-large layer=17`."""
    names: tuple[str, ...]
    sha256: str = ""
    """Hash of the metric's file."""
    texts: dict[str, Values] = field(default_factory=dict)
    """Values by hash of (answer, reference)."""
    samples: dict[str, str] = field(default_factory=dict)
    """Hash of (answer, reference) by Inspect's sample id."""

    def of(self, sample: str | None) -> dict[str, float | None]:
        """Values of a sample by name; None for missing values."""
        values = self.texts.get(self.samples.get(sample or "", ""), (None,) * len(self.names))
        return dict(zip(self.names, values, strict=True))


def mark_of(folder: Path) -> list[Row]:
    """Sizes and times of a folder's files with added metrics, to notice changes."""
    paths = sorted((folder / FOLDER).glob("*.jsonl"))
    return [{path.name: [path.stat().st_size, path.stat().st_mtime_ns]} for path in paths]


def added_to(folder: Path) -> list[NewMetric]:
    """Read the metrics added to the logs of a folder."""
    paths = sorted((folder / FOLDER).glob("*.jsonl"))
    return [_read(path, path.stat().st_size, path.stat().st_mtime_ns) for path in paths]


@lru_cache(maxsize=8)
def _read(path: Path, size: int, changed: int) -> NewMetric:
    rows = read_jsonl(path)
    try:
        head = next(rows)[1]
        metric = NewMetric(str(head["made_by"]), tuple(map(str, head["names"])), hash_file(path))
        for _, row in rows:
            if "sample" in row:
                metric.samples[str(row["sample"])] = str(row["text"])
            else:
                metric.texts[str(row["text"])] = checked(row["values"], len(metric.names))
    except (StopIteration, KeyError, TypeError, ValueError) as error:
        raise InputError(
            f"{path} is damaged ({error}). Delete it and run viva board add-metric again."
        ) from error
    return metric


def checked(values: Sequence[float | None], count: int) -> Values:
    """Convert values to numbers; `ValueError` if their count is wrong or one is not finite."""
    numbers = tuple(None if value is None else float(value) for value in values)
    if len(numbers) != count or not all(value is None or math.isfinite(value) for value in numbers):
        raise ValueError(f"{values} must be {count} finite numbers")
    return numbers


def write_added(path: Path, added: NewMetric) -> None:
    """Write a file that `added_to` reads."""
    rows: list[Row] = [
        {"made_by": added.made_by, "names": list(added.names)},
        *({"text": text, "values": list(values)} for text, values in sorted(added.texts.items())),
        *({"sample": sample, "text": text} for sample, text in sorted(added.samples.items())),
    ]
    write_text(path, "".join(json.dumps(row) + "\n" for row in rows))
