"""Reader of Papers with Code leaderboards: its evaluation tables and sota-extractor's task files.

Both nest tasks, their subtasks, datasets and subdatasets; a dataset's `sota.rows` are its board.
The rows are also read flat, one score per line, with the columns source, task, dataset, metric,
method, score, paper_title, paper_url, paper_date. Optional columns are parent_task, area and
modality (of the dataset; one, or a list). If `datasets.json` of Papers with Code lies beside a
file, it gives the modalities of the datasets.
"""

import gzip
import json
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from vivavoce.errors import InputError
from vivavoce.records import Fault, Result
from vivavoce.sources import is_named, read_whole
from vivavoce.sources.json_records import parse_strictly
from vivavoce.sources.leaderboards.rows import (
    ResultRow,
    has_name,
    plain,
    read_fields,
    read_lines,
    results_source,
)

_NAME = re.compile(
    r"(?:evaluation[-_]tables|pwc[-_a-z0-9]*|sota[-_a-z0-9]*|.*[-_.]sota)\.(?:jsonl?)(?:\.gz)?"
)
_OF_MODELS = re.compile(r" (?:approaches|methods|models|systems)$", re.IGNORECASE)
_LARGEST_FILE = 512 << 20
"""Most bytes of a file, packed and unpacked."""
_MAX_DEPTH = 20
"""Most levels of nested subtasks."""
_DATASETS = ("datasets.json", "datasets.json.gz")
_GZIP = b"\x1f\x8b"


def _read(path: Path, name: str, faults: list[Fault]) -> Iterable[ResultRow]:
    rows = list(_rows(_content(path), name, faults))
    modalities = _modalities(path, faults)
    for row in rows:
        dataset = row.result.dataset.casefold()  # or the dataset that it is a part of
        known = modalities.get(dataset) or modalities.get(dataset.partition(" / ")[0])
        yield replace(row, result=replace(row.result, modality=row.result.modality or known))


def _parts(path: Path) -> Sequence[Path]:
    beside = [Path(name) for name in _DATASETS if path.with_name(name).is_file()]
    return [Path(path.name), *beside[:1]]


def _modalities(path: Path, faults: list[Fault]) -> dict[str, str]:
    """Modalities of datasets by name, from the `datasets.json` beside a file."""
    by_dataset: dict[str, str] = {}
    for beside in _parts(path)[1:]:
        try:
            datasets = parse_strictly(_content(path.with_name(beside.name)), "the file")
        except InputError as error:
            faults.append(Fault(beside.name, str(error)))
            continue
        for dataset in _objects(datasets):
            modalities = _joined(dataset.get("modalities"))
            named = [dataset.get("name"), dataset.get("full_name"), *_list(dataset.get("variants"))]
            for name in filter(None, map(plain, named)) if modalities else ():
                by_dataset.setdefault(name.casefold(), modalities)
    return by_dataset


def _content(path: Path) -> bytes:
    """Read a file's bytes, unpacked if they are gzip."""
    try:
        content = read_whole(path, _LARGEST_FILE, "list of leaderboards")
        if not content.startswith(_GZIP):
            return content
        with gzip.open(path) as stream:
            content = stream.read(_LARGEST_FILE + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"the file cannot be read: {error}") from error
    if len(content) > _LARGEST_FILE:
        raise InputError(f"the file unpacks to more than {_LARGEST_FILE >> 20} MiB")
    return content


def _rows(content: bytes, name: str, faults: list[Fault]) -> Iterator[ResultRow]:
    """Rows of a file of either form; it is flat if its first line is an object with a score."""
    if _is_flat(content):
        yield from read_lines(content.splitlines(), name, _flat_row, faults)
        return
    tasks = parse_strictly(content, "the file")
    for task in tasks if isinstance(tasks, list) else [tasks]:
        yield from _task_rows(task, name, faults, None, 0)


def _is_flat(content: bytes) -> bool:
    line = content.removeprefix(b"\xef\xbb\xbf").lstrip().partition(b"\n")[0]
    try:
        first = json.loads(line)
    except (ValueError, RecursionError):
        return False
    return isinstance(first, dict) and "metric" in first and "score" in first


def _flat_row(line: bytes) -> list[ResultRow]:
    fields = read_fields(line)
    above, task, dataset = (plain(fields.get(key)) for key in ("parent_task", "task", "dataset"))
    score = (fields.get("metric"), fields.get("score"))
    row = _row(fields, *_below(above, task, dataset), score)
    if not has_name(row):
        raise InputError("the row has no dataset, metric or score")
    return [row]


def _task_rows(
    task: Any, name: str, faults: list[Fault], area: str | None, depth: int, above: str = ""
) -> Iterator[ResultRow]:
    if not isinstance(task, dict) or depth > _MAX_DEPTH:
        faults.append(
            Fault(name, f"a task at depth {depth} is not an object, or nested too deeply")
        )
        return
    title = plain(task.get("task")) or plain(_first(task.get("task")))
    area = plain(_first(task.get("categories"))) or area
    for dataset, board in _boards(task.get("datasets"), "dataset", "", 0):
        names = _below(above, title, dataset)
        for fields in _objects(board.get("rows")):
            metrics = fields.get("metrics")
            for score in (metrics if isinstance(metrics, dict) else {}).items():
                row = _row(fields, *names, score, area)
                if has_name(row):
                    yield row
                elif row.result.score_text:
                    where = f"{name}: {' / '.join(names)}"
                    faults.append(Fault(where, "a score has no dataset or no metric"))
    for subtask in _list(task.get("subtasks")):
        yield from _task_rows(subtask, name, faults, area, depth + 1, title)


def _below(above: str, task: str, dataset: str) -> tuple[str, str]:
    """Task and dataset; a subtask that only names the compared models becomes a heading."""
    if above and dataset and _OF_MODELS.search(task):
        return above, f"{task} > {dataset}"
    return task, dataset


def _boards(
    datasets: Any, key: str, above: str, depth: int
) -> Iterator[tuple[str, dict[str, Any]]]:
    """(Dataset, board) of datasets and their subdatasets."""
    for dataset in _objects(datasets):
        title = " / ".join(filter(None, (above, plain(dataset.get(key)))))
        if isinstance(dataset.get("sota"), dict):
            yield title, dataset["sota"]
        if depth < _MAX_DEPTH:
            yield from _boards(dataset.get("subdatasets"), "subdataset", title, depth + 1)


def _row(
    fields: Mapping[str, Any],
    task: str,
    dataset: str,
    score: tuple[Any, Any],
    area: str | None = None,
) -> ResultRow:
    """The row of a metric and its score."""
    result = Result(
        dataset=dataset,
        task=task,
        metric=plain(score[0]),
        method=plain(fields.get("model_name")) or plain(fields.get("method")),
        score=None,
        score_text=plain(score[1]),
        paper_url=plain(fields.get("paper_url")) or None,
        date=plain(fields.get("paper_date")) or None,
        area=area or plain(_first(fields.get("area"))) or plain(fields.get("area")) or None,
        modality=_joined(fields.get("modality")) or None,
    )
    return ResultRow(result, plain(fields.get("paper_title")) or None)


def _joined(value: Any) -> str:
    """Join one name or several with semicolons."""
    return "; ".join(filter(None, map(plain, value if isinstance(value, list) else [value])))


def _objects(value: Any) -> list[dict[str, Any]]:
    return [member for member in _list(value) if isinstance(member, dict)]


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _first(value: Any) -> Any:
    return value[0] if isinstance(value, list) and value else None


SOURCE = results_source(
    "pwc",
    "Papers with Code (evaluation-tables.json, sota-extractor's task files): leaderboards",
    is_named(_NAME),
    _read,
    parts=_parts,
)
