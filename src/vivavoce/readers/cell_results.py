"""Results in the cells of tables: dataset, metric, method and score of each cell.

A column of numbers has results if its header or its rows' heading names a metric. The other words
of the header are the dataset. A spanning cell belongs to the header of each column that it spans.
If the rows are datasets or metrics, the columns are methods. If a metric's name does not show
whether higher is better, bold numbers show it.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from vivavoce.metrics.tables.cell_matching import read_number
from vivavoce.readers import LibraryPaper
from vivavoce.readers.blocks import Block, Record, read_blocks
from vivavoce.readers.metric_values import direction_of, impossible, is_resource, split_metric
from vivavoce.readers.terms import (
    GENERAL,
    MEASURES,
    RESOURCES,
    SPLITS,
    STUBS,
    metric_key,
    name_key,
    terms_in,
)
from vivavoce.records import CellResult, CitedTable
from vivavoce.text import read_data, read_patterns
from vivavoce.text.cell_text import plain_words

_MIN_QUALITY = 0.5
_MAX_CAPTION = 1_000
_MAX_NAME = 120
_CITATION = 3
"""Minimum length of a citation in a label."""
_HEADERS = 2_000
"""Size of the caches for headers and captions."""
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


_MAX_LABEL = 160
_AUTHORS = (
    r"[^\W\d_][\w'’.-]{0,30}(?:(?:,? (?:and|&) |, )[^\W\d_][\w'’.-]{0,30}){0,4}(?: et al\.?)?"
)
_YEAR = r"(?:19|20)\d\d[a-z]?"
_CITED_BEFORE = re.compile(
    rf"^{_AUTHORS},? ?[(\[]{_YEAR}(?:[;,] ?{_YEAR}){{0,3}}[)\]]\s?[-–—:]+\s?(?=\S)"
)
_CITED = re.compile(
    rf"[(\[][^()\[\]]{{0,120}}{_YEAR}[^()\[\]]{{0,40}}[)\]]|\[\d[\d,;\s–-]{{0,30}}\]"
)
_KEY = re.compile(
    r"[(\[]?\b(?:DBLP:[^\s()\[\]]{3,80}"
    r"|[A-Z]?[a-z][A-Za-z'-]{1,30}[:_-]?(?:19|20)\d\d[\w:-]{0,60})[)\]]?(?:\s[-–—:]\s)?"
    r"|\(\s?\)"
)
"""An unresolved citation key, such as `ha2016hypernetworks`, or empty brackets."""
_BARE_AUTHORS = re.compile(rf"{_AUTHORS},? ?[(\[]?{_YEAR}[)\]]?")
_PATTERNS = read_patterns(__file__, "patterns.toml")
_OURS = _PATTERNS["ours"]
_OURS_BEFORE = re.compile(r"^ours?(?:\s?[-–—:]+\s?|\s+)(?=\S)", re.IGNORECASE)
_OWN = _PATTERNS["own"]
_MARKS = re.compile(r"^[\s*†‡§¶⋆★•·]+|[\s*†‡§¶⋆★•·,;:]+$")
_KIND = re.compile(r"\bensemble|\bsingle(?=[ -]models?\b)", re.IGNORECASE)
_NOTE = re.compile(r"(?<=\S) [a-z]$")
_MIN_NOTES = 3
_LETTER = re.compile(r"[^\W\d_]")
_ABLATION = _PATTERNS["ablation"]
_TITLED = re.compile(r"([A-Z][\w+@./-]{1,30}(?: [\w+@./-]{1,20})?):\s")
_PROPOSED = _PATTERNS["own_named"]
_IN_BRACKETS = re.compile(r"\(([A-Z][\w-]{0,14}[A-Z][\w-]{0,10})s?\)")
_WORDLIKE = re.compile(r"[^\W_][\w-]{1,40}")
_MIN_COUNT = 4
"""Minimum number of times that a paper must name its own method."""
_WORDS = read_data(__file__, "words.toml")
_NOT_NAMES = frozenset(_WORDS["not_names"])
_COMMON = MEASURES | SPLITS | STUBS | RESOURCES | _NOT_NAMES


def method_name(label: str) -> str:
    """The name in a row's label, without citations and footnote marks; empty if there is none."""
    name = plain_words(label[:_MAX_LABEL])
    name = _CITED_BEFORE.sub("", _KEY.sub(" ", name).strip())
    name = _OURS.sub(" ", name)
    if not _OWN.fullmatch(name.strip()):
        name = _OURS_BEFORE.sub("", name)
    if not _BARE_AUTHORS.fullmatch(name.strip()):
        name = _CITED.sub(" ", name) if _LETTER.search(_CITED.sub(" ", name)) else name
    name = _MARKS.sub("", " ".join(name.split()))
    return name if _LETTER.search(name) else ""


def with_kind(name: str, context: str) -> str:
    """Add `(ensemble)` or `(single model)` to a name if the text about its row says so."""
    if not name or _KIND.search(name):
        return name
    kind = _KIND.search(context)
    if kind is None:
        return name
    return f"{name} (ensemble)" if kind[0].casefold() == "ensemble" else f"{name} (single model)"


def is_own(name: str) -> bool:
    """Check whether a row's name says only that the method is the paper's own."""
    return _OWN.fullmatch(name) is not None


def name_quality(name: str) -> float:
    """Rate how good a row's label is as the name of a method, from 0 to 1."""
    words = name.split()
    terms = set(terms_in(name))
    if name[:1] in ".,;:#%)]" or ". " in name.replace("al. ", ""):
        return 0.0
    if len(name) < 2 or all(map(_is_common, terms)):
        return 0.0
    if len(words) > 10 or name.endswith("."):
        return 0.1
    if _ABLATION.match(name):
        return 0.3
    letters = sum(c.isalpha() for c in name)
    if letters * 2 < len(name.replace(" ", "")):
        return 0.3
    if words[0].islower() and not any(c.isupper() or c.isdigit() for c in name):
        return 0.5
    if len(words) == 1 and name.isalpha() and not any(c.isupper() for c in name[1:]):
        return 0.7
    return 1.0


def _is_common(term: str) -> bool:
    """Check whether a word is too common to be a name, even with a number: `Baseline 2`."""
    return term in _COMMON or term.rstrip("0123456789") in _NOT_NAMES


def without_notes(labels: Sequence[str]) -> list[str]:
    """Drop footnote letters, as in `Match-LSTM d`, if several labels end in such a letter."""
    noted = [label for label in labels if _NOTE.search(label)]
    if len(noted) < _MIN_NOTES or len({label[-1] for label in noted}) * 2 < len(noted):
        return list(labels)
    return [_NOTE.sub("", label) for label in labels]


def own_method(paper: LibraryPaper) -> str:
    """Find the name of a paper's own method in title, abstract or first section; empty if none."""
    match = _TITLED.match(paper.title.strip())
    if match:
        return match[1].strip()
    lead = f"{paper.title}. {(paper.abstract or '')[:5_000]}"
    first = paper.sections[0].text[:8_000] if paper.sections else ""
    names = [*_IN_BRACKETS.findall(lead), *_PROPOSED.findall(lead), *_PROPOSED.findall(first)]
    if not names:
        return ""
    texts = paper.texts(abstract=True)
    words = Counter(match[0].casefold() for text in texts for match in _WORDLIKE.finditer(text))
    best = max(dict.fromkeys(names), key=lambda name: words[name.casefold()])
    terms = set(terms_in(best))
    return best if words[best.casefold()] >= _MIN_COUNT and not terms <= MEASURES | SPLITS else ""
