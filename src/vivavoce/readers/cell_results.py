"""Results in the cells of tables: dataset, metric, method and score of each cell.

A column of numbers has results if its header or its rows' heading names a metric. The other words
of the header are the dataset. A spanning cell belongs to the header of each column that it spans.
If the rows are datasets or metrics, the columns are methods. If a metric's name does not show
whether higher is better, bold numbers show it.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from vivavoce.metrics.tables.cell_matching import read_number
from vivavoce.readers.blocks import Block, Record, read_blocks
from vivavoce.readers.method_names import (
    is_own,
    method_name,
    name_quality,
    with_kind,
    without_notes,
)
from vivavoce.readers.metric_values import direction_of, impossible, is_resource, split_metric
from vivavoce.readers.terms import GENERAL, RESOURCES, SPLITS, STUBS, metric_key, name_key, terms_in
from vivavoce.records import CellResult, CitedTable

_MIN_QUALITY = 0.5
_MAX_CAPTION = 1_000
_MAX_NAME = 120
_CITATION = 3
_HEADERS = 2_000
_ON = re.compile(
    r"\bon (?:the )?([A-Z][\w./+-]{0,30}(?: (?:[A-Z0-9(][\w./()+-]{0,30}))"
    r"{0,5})(?: (?:dataset|corpus|benchmark|(?:test|dev|validation|development) set|task)s?)?"
)
_AND = re.compile(r"\s?(?:,|and|&|/)\s?(?:and )?(?:the )?[A-Z0-9]")
_NOISE = re.compile(r"[↑↓%]|\(\s*\)|\[\s*\]|^[\s,;:./|–—-]+|[\s,;:./|–—-]+$")
_OF_DATA = frozenset({"corpora", "corpus", "data", "dataset", "datasets", "domain", "task"})
_VAGUE = frozenset({"average", "avg", "mean", "overall", "score", "scores", "total"})
_NO_DATA = (
    GENERAL
    | STUBS
    | RESOURCES
    | frozenset("best better final higher lower mean score scores smaller value".split())
)


@dataclass(frozen=True, slots=True)
class _Context:
    """Metric and dataset of a number; only the dataset may be from the caption."""

    metric: str
    dataset: str | None
    part: str | None
    split: str | None


def read_results(tables: Sequence[CitedTable], own: str = "") -> Iterator[CellResult]:
    """Read results, sorted by table, row and column; `own` replaces labels such as `ours`."""
    for table in tables:
        results: list[CellResult] = []
        for block in read_blocks(table.cells, table.spans, table.bold):
            if block.places:
                results += _of_block(block, table, own)
        yield from sorted(results, key=lambda one: (one.row, one.column))


def _of_block(block: Block, table: CitedTable, own: str) -> Iterator[CellResult]:
    caption = table.caption[:_MAX_CAPTION]
    labels = without_notes([record.label for record in block.records])
    is_turned = _is_turned(block, labels)
    groups: dict[str, set[str]] = defaultdict(set)
    for record, label in zip(block.records, labels, strict=True):
        groups[label].add(record.context)
    # If most methods have rows in several groups, the groups are datasets.
    repeated = 2 * sum(len(contexts) > 1 for contexts in groups.values()) > len(groups)
    named = [(label,) for label in labels] if is_turned else block.levels
    in_caption = not _heads_name_data(named, caption)
    cells: dict[_Context, list[tuple[str, Record, int]]] = defaultdict(list)
    for label, record in zip(labels, block.records, strict=True):
        for place, levels in enumerate(block.levels):
            heads, name = ((label,), " ".join(levels)) if is_turned else (levels, label)
            above = record.context if is_turned or repeated else ""
            asked = _asked(heads, above, caption, in_caption)
            method = asked and _method(name, own, "" if above else record.context)
            if asked and method and _is_score(asked.metric, record.values[place]):
                cells[asked].append((method, record, place))
    for asked, entries in cells.items():
        yield from _entries(asked, entries, block, table)


def _entries(
    asked: _Context,
    entries: Sequence[tuple[str, Record, int]],
    block: Block,
    table: CitedTable,
) -> Iterator[CellResult]:
    """The results for one dataset and metric, with direction and best values."""
    values = [read_number(record.values[place]) or 0.0 for _, record, place in entries]
    bold = [place in record.bold for _, record, place in entries]
    named = direction_of([asked.metric]).higher_is_better
    marked = _end_in_bold(values, bold)
    higher = marked if named is None else named
    sources = [("name", named), ("bold", marked)]
    best = None if higher is None else (max if higher else min)(values)
    for (method, record, place), value, is_bold in zip(entries, values, bold, strict=True):
        yield CellResult(
            table=table.ordinal,
            row=record.row,
            column=block.places[place],
            method=method,
            dataset=asked.dataset,
            part=asked.part,
            split=asked.split,
            metric=asked.metric,
            score=value,
            score_text=record.values[place],
            bold=is_bold,
            is_best=None if best is None else value == best,
            higher_is_better=higher,
            direction_from=tuple(
                source for source, end in sources if higher is not None and end is higher
            ),
            cited=table.row_cited[record.row] if record.row < len(table.row_cited) else (),
        )


def _end_in_bold(values: Sequence[float], bold: Sequence[bool]) -> bool | None:
    """The end that is in bold: True if only the highest value, False if only the lowest."""
    marked = {value for value, is_bold in zip(values, bold, strict=True) if is_bold}
    others = {value for value, is_bold in zip(values, bold, strict=True) if not is_bold}
    if len(marked) != 1 or not others:
        return None
    value = min(marked)
    if value > max(others):
        return True
    return False if value < min(others) else None


def _is_turned(block: Block, labels: Sequence[str]) -> bool:
    """Check whether rows are metrics or datasets, so that columns are methods."""
    if any(split_metric(level)[0] for levels in block.levels for level in levels):
        return False
    metrics = [label for label in labels if (parts := split_metric(label))[0] and not parts[1]]
    if 2 * len(metrics) > len(labels):
        return True
    corner = frozenset(terms_in(block.corner))
    is_of_data = not _OF_DATA.isdisjoint(corner) and corner.isdisjoint(STUBS)
    return is_of_data and not any(map(_is_method, labels))


def _is_method(label: str) -> bool:
    """Check whether a label contains `ours` or cites a work."""
    name = method_name(label)
    return bool(name) and (is_own(name) or len(name) + _CITATION < len(label))


@lru_cache(maxsize=_HEADERS)
def _asked(heads: tuple[str, ...], above: str, caption: str, in_caption: bool) -> _Context | None:
    """The metric and dataset of a number; if `in_caption`, the caption's dataset comes first."""
    metric, rest = _split_heads(heads)
    if not metric and not RESOURCES.isdisjoint(terms_in(rest)):
        return None
    context, context_rest = split_metric(above)
    measure = metric
    if _is_vague(metric):
        measure, rest = context, f"{rest} {metric}"
    if not measure or is_resource(metric_key(measure)):
        return None
    near = _dataset(rest) or _dataset(context_rest)
    data = _only_dataset(caption) if in_caption else None
    part = near if data and near and name_key(data) != name_key(near) else None
    splits = [s for text in (*heads, above) for s in terms_in(text) if s in SPLITS]
    return _Context(_clean(measure), data or near, part, splits[0] if splits else None)


def _split_heads(heads: tuple[str, ...]) -> tuple[str, str]:
    """The metric in the lowest header that names a metric, and all remaining words."""
    for place in range(len(heads) - 1, -1, -1):
        metric, rest = split_metric(heads[place])
        if metric:
            return metric, " ".join([*heads[:place], rest, *heads[place + 1 :]])
    return "", " ".join(heads)


def _is_vague(metric: str) -> bool:
    """Check whether a metric's name is empty or says only that something was averaged or scored."""
    return _VAGUE.issuperset(terms_in(metric))


@lru_cache(maxsize=_HEADERS)
def _only_dataset(caption: str) -> str | None:
    """The only dataset that a caption names; None if it names none or several."""
    matches = [match for match in _ON.finditer(caption) if _dataset(match[1])]
    names = {_dataset(match[1]) for match in matches}
    is_one_of_several = any(_AND.match(caption, match.end()) for match in matches)
    return names.pop() if len(names) == 1 and not is_one_of_several else None


def _heads_name_data(heads: Sequence[tuple[str, ...]], caption: str) -> bool:
    """Check whether headers name several datasets, including the one in the caption."""
    data = frozenset(terms_in(_only_dataset(caption) or "")) - _NO_DATA
    named = {name for levels in heads if (name := _dataset(_split_heads(levels)[1]))}
    return len(named) > 1 and any(not data.isdisjoint(terms_in(name)) for name in named)


def _dataset(text: str) -> str | None:
    """A text without splits, as a dataset's name; None if no word can be part of such a name."""
    words = [word for word in text.split() if not SPLITS.issuperset(terms_in(word) or ("",))]
    name = _clean(" ".join(words))
    terms = terms_in(name)
    is_named = any(term not in _NO_DATA and not term.isdigit() for term in terms)
    return name if is_named and len(name) <= _MAX_NAME else None


def _clean(text: str) -> str:
    """Remove arrows, percent signs and separators from a name."""
    return " ".join(_NOISE.sub("", _NOISE.sub(" ", text)).split())


@lru_cache(maxsize=_HEADERS)
def _method(label: str, own: str, context: str) -> str:
    """The method that a label names; empty if there is none."""
    name = method_name(label)
    if is_own(name):
        return own or name
    return with_kind(name, context) if name_quality(name) >= _MIN_QUALITY else ""


def _is_score(metric: str, text: str) -> bool:
    value = read_number(text)
    return (
        value is not None
        and text[-1:] not in "KMBkmbn"
        and not impossible(metric_key(metric), value)
    )
