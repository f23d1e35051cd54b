"""Gold and prediction files of `viva score`, read and paired by id.

Both are JSON Lines, plain or gzip. Ids are strings or integers, and 1 is not "1".
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vivavoce.errors import InputError
from vivavoce.metrics import Aggregate, Ratio
from vivavoce.requests import ScoreOptions
from vivavoce.statistics.intervals import Measured, Shares, means_of
from vivavoce.store import Row, read_jsonl
from vivavoce.tasks.scoring import fault_in
from vivavoce.text.final_answer import final_answer


@dataclass(frozen=True, slots=True)
class Line:
    """A row of a file with its position."""

    where: str
    row: Row

    def require(self, name: str, kind: type | tuple[type, ...], description: str) -> Any:
        """A field's value; `InputError` names the line if it is missing or mistyped."""
        value = self.row.get(name)
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            problem = "is missing" if name not in self.row else f"is {type(value).__name__}"
            raise InputError(f"{self.where}: {name} must be {description}, but it {problem}.")
        return value

    def texts(self, name: str) -> list[str]:
        """A field's list of strings; `InputError` names the line if it is another type."""
        values: list[str] = self.require(name, list, "a list of texts")
        if not all(isinstance(value, str) for value in values):
            raise InputError(f"{self.where}: {name} must be a list of texts.")
        return values


@dataclass(frozen=True, slots=True)
class Pair:
    """A gold row and its prediction, None without one."""

    cluster: str
    gold: Line
    prediction: Line | None

    def answer(self, *fields: str) -> Line | None:
        """The prediction, if a field has an answer; `InputError` if it has none of the fields.

        None without a prediction, or if all these fields are null.
        """
        if (line := self.prediction) is None:
            return None
        if line.row.keys().isdisjoint(fields):
            wanted, present = (", ".join(map(repr, names)) for names in (fields, line.row))
            raise InputError(
                f"{line.where}: a prediction has its answer in {wanted}, but this one has only "
                f"{present}. Rename the field; null means no answer."
            )
        return None if all(line.row.get(name) is None for name in fields) else line

    def text(self) -> str | None:
        """The final answer in the prediction's `text`; None without one, or if it has a fault."""
        line = self.answer("text")
        if line is None or self.fault:
            return None
        return final_answer(line.require("text", str, "a text or null")).text

    @property
    def fault(self) -> str | None:
        """Fault of the prediction's `text`, such as a refusal; None without such a text."""
        text = self.prediction.row.get("text") if self.prediction else None
        return fault_in(text) if isinstance(text, str) else None


@dataclass(frozen=True, slots=True)
class ScoreFamily:
    """A family of `viva score`."""

    name: str
    summary: str
    gold: str
    """Example of a gold row, or description of the file, for messages."""
    prediction: str
    """Example of a prediction, or description of the file, for messages."""
    uses: tuple[str, ...] = ()
    """Options of the family, besides seed and aggregate."""
    measure: Callable[[Sequence[Pair], ScoreOptions], Measured] | None = None
    """Measure for files with one item per line."""
    measure_files: Callable[[Path, Path, ScoreOptions], Measured] | None = None
    """Measure for files that are one item."""

    @property
    def shape(self) -> str:
        """Both files in a sentence."""
        return f"Of {self.name}, gold is {self.gold} and a prediction is {self.prediction}."


Rows = Path | Sequence[Row]
"""A file of rows, or the rows themselves."""


def read_pairs(gold: Rows, predictions: Rows) -> list[Pair]:
    """Pair two lists of rows, in the order of the gold ones.

    `InputError` if a file cannot be read, there is no gold, an id is invalid or repeated, or a
    prediction has no gold.
    """
    golds, answers = _read(gold, "gold"), _read(predictions, "predictions")
    named = gold if isinstance(gold, Path) else "gold"
    if not golds:
        raise InputError(f"{named} has no rows.")
    for key, line in answers.items():
        if key not in golds:
            raise InputError(f"{line.where}: id {key[1]!r} is not in {named}.")
    pairs = []
    for key, line in golds.items():
        cluster = line.row.get("cluster", key[1])  # unit of the bootstrap
        if not isinstance(cluster, str | int) or isinstance(cluster, bool):
            raise InputError(f"{line.where}: cluster must be a string or an integer.")
        pairs.append(Pair(f"{type(cluster).__name__}:{cluster}", line, answers.get(key)))
    return pairs


def _read(rows: Rows, name: str) -> dict[tuple[str, str | int], Line]:
    if isinstance(rows, Path) and not rows.is_file():
        raise InputError(f"{rows} does not exist.")
    lines: dict[tuple[str, str | int], Line] = {}
    is_file = isinstance(rows, Path)
    for number, row in read_jsonl(rows) if isinstance(rows, Path) else enumerate(rows):
        line = Line(f"{rows}:{number}" if is_file else f"{name}[{number}]", row)
        value = line.require("id", (str, int), "a string or an integer")
        key = (type(value).__name__, value)
        if key in lines:
            raise InputError(f"{line.where}: id {value!r} is already in {lines[key].where}.")
        lines[key] = line
    return lines


def shares_of(ratios: Sequence[Ratio], how: Aggregate) -> Shares:
    """Shares of right answers: mean over items (macro), or over all questions (micro)."""
    if how == "micro" and any(ratio.asked for ratio in ratios):
        return Shares([ratio.hits for ratio in ratios], [ratio.asked for ratio in ratios])
    return means_of([ratio.value for ratio in ratios])
