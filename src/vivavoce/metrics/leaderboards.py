r"""Leaderboards that a model has assembled from papers: their methods, scores and order.

Let G be the gold methods and M the methods produced, both as sets of normalised names. Let H = G ∩
M, and let C be the methods of H whose produced score equals a gold one within 1e-6 of the larger:

- `mr` = |H| / |G| (method recall), `mp` = |H| / |M| (method precision), `f1` = 2 mr mp / (mr + mp).
- `sp_matched` = |C| / |H|, `sp_generated` = |C| / |M| (score precision). The paper defines the
  second and discusses the first; only the first can give its printed numbers.
- A method of the board that no available paper reports is not in G, and is left out of M.
- `ktau` = Kendall's tau-b between the gold and the produced scores of H, which does not depend on
  whether higher is better. Undefined with fewer than two such methods or equal scores throughout.

A share with an empty denominator is 0, since something was asked and nothing given; only an empty
gold board is undefined. Names are compared without case, spaces, markup, citations and "(ours)";
if a method is given twice, the first score counts. A gold method without a score needs none.

Source: LEGOBench, section 4 (MR, MP, SP, KTau).
"""

import math
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from vivavoce.metrics import Ratio, harmonic_mean
from vivavoce.metrics.answer_lists import item_of, read_lines, without_marker
from vivavoce.metrics.ranking import kendall_tau
from vivavoce.metrics.tables.cell_matching import folded, read_number
from vivavoce.text import read_data
from vivavoce.text.cell_text import plain_words
from vivavoce.text.json_answer import as_records, find_json
from vivavoce.text.table_lines import ParsedTable
from vivavoce.text.table_parsing import parse_tables

CEILINGS = ("mr_ceiling", "sp_ceiling")
"""Highest values of `mr` and `sp_matched` that an answer read from the excerpts can have."""
FAULTS = ("invented", "repeated", "header_only", "truncated")
"""Counts and flags of an answer's faults."""

TOLERANCE = 1e-6

_WORDS = read_data(__file__, "leaderboards.toml")
_METHOD_HEADERS = frozenset(_WORDS["method_headers"])
_SCORE_HEADERS = frozenset(_WORDS["score_headers"])
_OTHER_HEADERS = frozenset(_WORDS["other_headers"])
_WORD = re.compile(r"[^\W_]+|#")
_NUMBERED_CITATION = re.compile(r"\[\s?\d{1,4}(?:\s?[,;–-]\s?\d{1,4}){0,50}\s?\]")
_BRACKETED = re.compile(r"[(\[]([^()\[\]]{1,300})[)\]]")
_YEAR = re.compile(r"(?:19|20)\d\d[a-z]?")
_AUTHORS = re.compile(r"\bet\s?al\b|,\s?(?:19|20)\d\d[a-z]?\b|(?:\band\b|&)", re.IGNORECASE)
_OURS = re.compile(
    r"[(\[]\s?(?:ours?|our (?:method|model|approach|system|work)|this (?:work|paper|study)"
    r"|proposed(?: method| model)?)\s?[)\]]|[-–,:]\s?ours\s?$",
    re.IGNORECASE,
)
_MARKS = re.compile(r"[†‡§*⋆★☆¹²³⁴⁵⁶⁷⁸⁹]+\s?$")
_MAX_NAME = 500
_SCORE_BEHIND = re.compile(
    r"(?:[:=(–—]|\s-\s|\s\s)[*_\s]{0,4}(?P<score>[-−+]?\d[\d.,]{0,20}\s?%?)[*_)\s.;,]{0,9}$"
)
_BETWEEN = re.compile(r"[;,]\s+")
_PROBED_ROWS = 50


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of a board; the score as printed or as a number."""

    method: str
    score: str | float | None = None


@dataclass(frozen=True, slots=True)
class ProducedBoard:
    """Board in a model's answer."""

    entries: tuple[Entry, ...]
    header_only: bool = False
    """True for an answer whose tables have no rows."""
    truncated: bool = False
    repeated_headers: int = 0


@dataclass(frozen=True, slots=True)
class BoardScore:
    """Metrics of one board, and faults of the answer."""

    ratios: Mapping[str, Ratio]
    """mr, mp, sp_matched and sp_generated."""
    ktau: float | None
    faults: Mapping[str, float]
    """Values of `FAULTS`: distinct methods that are not on the gold board, rows that repeat an
    earlier method or the header, and flags."""

    @property
    def f1(self) -> float | None:
        """Harmonic mean of mr and mp."""
        mr, mp = self.ratios["mr"], self.ratios["mp"]
        return harmonic_mean(mp.value, mr.value) if mr.asked else None

    def values(self) -> dict[str, float | None]:
        """Every metric by name."""
        ratios = {name: ratio.value for name, ratio in self.ratios.items()}
        return {**ratios, "f1": self.f1, "ktau": self.ktau}


def read_board(text: str | None, metric: str | None = None) -> ProducedBoard:
    """Read the entries in the tables of an answer, or in its JSON if it holds no table.

    JSON is a list of objects or of pairs, an object with such a list, or an object that maps
    methods to scores. Without either, lines that end in a number are entries. `metric` names the
    column that holds the scores, or the row of a table whose columns are the methods.
    """
    answer = parse_tables(text or "")
    tables = (
        answer.tables
        or _tables_of(find_json(text or "", lambda value: bool(_records(value)), mend=True))
        or _tables_of(_lines(text or ""))
    )
    entries: list[Entry] = []
    repeated_headers = 0
    for table in (_methods_as_rows(printed, metric) for printed in tables):
        rows = [row for row in table.rows if row != table.header]
        repeated_headers += len(table.rows) - len(rows)
        method, score = _choose_columns(table.header, rows, metric)
        if score is not None and read_number(table.header[score]) is not None:
            rows.insert(0, table.header)  # a table without a header
        entries += [
            Entry(row[method], row[score] if score is not None else None)
            for row in rows
            if row[method]
        ]
    return ProducedBoard(
        entries=tuple(entries),
        header_only=bool(tables) and not entries,
        truncated=answer.truncated,
        repeated_headers=repeated_headers,
    )


def _lines(text: str) -> list[dict[str, str]]:
    """Lines such as `1. **RiverNet**: 71.5%`, each with its method and its score."""
    parts = read_lines(text)[0]
    if len(parts) == 1:
        parts = _BETWEEN.split(parts[0])
    entries = []
    for part in parts:
        line = part[:_MAX_NAME]
        behind = _SCORE_BEHIND.search(line)
        method = item_of(without_marker(line[: behind.start()])) if behind else ""
        if behind and _WORD.search(method) and not set(method) & set(":=|"):
            entries.append({"method": method.strip(" *_"), "score": behind["score"]})
    return entries


def _methods_as_rows(table: ParsedTable, metric: str | None) -> ParsedTable:
    """Transpose a table that has the methods in its header."""
    wanted = folded(metric) if metric else ""

    def is_score(cell: str) -> bool:
        words = frozenset(_WORD.findall(cell.casefold()))
        return bool(words & _SCORE_HEADERS) or (wanted != "" and wanted in folded(cell))

    labels = [row[0] for row in table.rows]
    is_turned = sum(map(is_score, labels)) == 1 and not any(map(is_score, table.header))
    if not is_turned:
        return table
    header, *rows = zip(table.header, *table.rows, strict=True)
    methods = [
        label for label in header if frozenset(_WORD.findall(label.casefold())) & _METHOD_HEADERS
    ]
    named = header if methods else ("method", *header[1:])
    return ParsedTable(named, tuple(rows))


def _tables_of(value: Any) -> tuple[ParsedTable, ...]:
    """The records of a JSON value as a table."""
    records = _records(value)
    header = tuple(dict.fromkeys(name for record in records for name in record))
    rows = (
        tuple("" if record.get(name) is None else str(record[name]) for name in header)
        for record in records
    )
    return (ParsedTable(header, tuple(rows)),) if records else ()


def _records(value: Any) -> list[dict[str, Any]]:
    """Records of a JSON value, each one line of a board; empty if it is not a board."""
    value = as_records(value)
    if isinstance(value, dict):
        lists = [_records(inner) for inner in value.values() if isinstance(inner, list)]
        if records := next(filter(None, lists), None):
            return records
        is_scores = bool(value) and all(
            read_number(str(cell)) is not None for cell in value.values()
        )
        return (
            [{"method": name, "score": cell} for name, cell in value.items()] if is_scores else []
        )
    rows = value if isinstance(value, list) else []
    pairs = [row for row in rows if isinstance(row, list) and len(row) == 2]
    if pairs and len(pairs) == len(rows):
        scored = [(name, score) for name, score in pairs if read_number(str(score)) is not None]
        return [{"method": name, "score": score} for name, score in scored if isinstance(name, str)]
    is_board = bool(rows) and all(
        isinstance(row, dict)
        and len(row) > 1
        and not any(isinstance(c, dict | list) for c in row.values())
        for row in rows
    )
    return rows if is_board else []


def score_board(
    gold: Sequence[Entry], produced: ProducedBoard, others: Sequence[str] = ()
) -> BoardScore:
    """Compare a produced board with the entries asked for.

    An answer neither gains nor loses by `others`, further methods of the board.
    """
    truth: dict[str, list[str | float | None]] = {}
    for entry in gold:
        truth.setdefault(method_key(entry.method), []).append(entry.score)
    given: dict[str, str | float | None] = {}
    for entry in produced.entries:
        given.setdefault(method_key(entry.method), entry.score)
    repeated = len(produced.entries) - len(given)
    for method in {method_key(name) for name in others} - truth.keys():
        given.pop(method, None)
    hits = [method for method in truth if method in given]
    unscored = {method for method in hits if all(score is None for score in truth[method])}
    right = sum(any(_is_same(given[method], score) for score in truth[method]) for method in hits)
    asks_scores = any(score is not None for scores in truth.values() for score in scores)
    pairs = [(_number(truth[method][0]), _number(given[method])) for method in hits]
    both = [(score, own) for score, own in pairs if score is not None and own is not None]
    faults = (
        len(given) - len(hits),
        repeated + produced.repeated_headers,
        produced.header_only,
        produced.truncated,
    )
    return BoardScore(
        {
            "mr": Ratio(len(hits), len(truth)),
            "mp": _share(len(hits), len(given), asks=bool(truth)),
            "sp_matched": _share(right, len(hits) - len(unscored), asks=asks_scores),
            "sp_generated": _share(right, len(given) - len(unscored), asks=asks_scores),
        },
        kendall_tau([score for score, _ in both], [own for _, own in both]),
        dict(zip(FAULTS, map(float, faults), strict=True)),
    )


def method_key(name: str) -> str:
    """Key that two spellings of a method's name share; never empty for a visible name."""
    words = unicodedata.normalize("NFC", plain_words(name[:_MAX_NAME]))
    bare = _BRACKETED.sub(_without_citation, _NUMBERED_CITATION.sub(" ", _OURS.sub(" ", words)))
    key = folded(_MARKS.sub("", bare.strip()))
    if key.endswith(("etal", "etal.")):  # the year distinguishes methods of one author
        return folded(words)
    return key or folded(words) or name.strip()


def _without_citation(bracketed: re.Match[str]) -> str:
    """Drop `(Devlin et al., 2019)`, `(2019)` and their like; other brackets stay."""
    parts = bracketed.group(1).split(";")
    kept = [part for part in parts if not _is_citation(part.strip())]
    if len(kept) == len(parts):
        return bracketed.group()
    return f"({';'.join(kept)})" if kept else " "


def _is_citation(text: str) -> bool:
    authors = _AUTHORS.search(text)
    return _YEAR.fullmatch(text) is not None or (
        authors is not None and ("et" in authors.group() or _YEAR.search(text) is not None)
    )


def _choose_columns(
    header: Sequence[str], rows: Sequence[Sequence[str]], metric: str | None
) -> tuple[int, int | None]:
    """Columns of the methods and of the scores, if any."""
    words = [frozenset(_WORD.findall(cell.casefold())) for cell in header]
    columns = range(len(header))
    probed = rows[:_PROBED_ROWS]
    numeric = [sum(read_number(row[column]) is not None for row in probed) for column in columns]
    named = [column for column in columns if words[column] & _METHOD_HEADERS]
    wordy = [column for column in columns if numeric[column] * 2 <= len(rows)]
    method = (named or wordy or [0])[0]
    others = [
        column
        for column in columns
        if column != method and not words[column] & (_OTHER_HEADERS | _METHOD_HEADERS)
    ] or [column for column in columns if column != method]
    wanted = folded(metric) if metric else ""
    score = max(
        others,
        key=lambda column: (
            wanted != "" and wanted in folded(header[column]),
            bool(words[column] & _SCORE_HEADERS),
            numeric[column],
            -column,
        ),
        default=None,
    )
    return method, score


def _share(hits: int, asked: int, *, asks: bool) -> Ratio:
    """Make a precision: 0 if nothing was given, undefined if nothing was asked for."""
    return Ratio(hits, asked, when_none=0.0) if asks else Ratio(0, 0)


def _number(score: str | float | None) -> float | None:
    """The number of a score; None for a NaN, an infinity or an integer too large for a float."""
    if score is None or isinstance(score, str):
        return read_number(score or "")
    try:
        value = float(score)
    except OverflowError:
        return None
    return value if math.isfinite(value) else None


def _is_same(given: str | float | None, gold: str | float | None) -> bool:
    if given is None or gold is None:
        return False
    number, expected = _number(given), _number(gold)
    if number is not None and expected is not None:
        return abs(number - expected) <= TOLERANCE * max(abs(number), abs(expected))
    if number is not None or expected is not None:
        return False
    if not isinstance(given, str) or not isinstance(gold, str):
        return False
    return folded(given) == folded(gold) != ""
