"""Judges held against people: labels {id, a, b, verdict} of a JSON Lines file.

`a` and `b` name contestants as the board does, or `reference`. A judge compares answers with the
reference only; of two contestants it prefers the one that does better there (won, tied, lost), and
neither when both do the same: such rows are counted as `indirect`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vivavoce.errors import InputError
from vivavoce.results.audits.verdicts import OVERALL, REFERENCE, TIE, Judged
from vivavoce.statistics.agreement import pairwise_agreement
from vivavoce.statistics.estimates import Draws, agreement_estimates
from vivavoce.store import Row, read_jsonl

VERDICTS = ("a", "b", TIE)
_NEEDED = ("id", "a", "b", "verdict")
_NARROWING = ("task", "setting")
_ABOUT = ("person", "draw")


@dataclass(frozen=True, slots=True)
class Label:
    """One person's verdict on two texts of one item."""

    where: str
    id: str
    sides: tuple[str, str]
    """In a fixed order: contestants by name, the reference last."""
    verdict: str
    """The side that won, or `tie`."""
    narrowed: Mapping[str, str]
    """Task and setting, where the row names them."""
    person: str | None = None
    """The person who said it, where the row tells."""
    draw: str | None = None
    """Record of the random draw that the item comes from."""

    def fits(self, judged: Judged) -> bool:
        """True for an answer of the task and setting that the label is about."""
        return all(getattr(judged.asked, name) == value for name, value in self.narrowed.items())


def human_rows(path: Path, by_judge: Mapping[str, Sequence[Judged]], draws: Draws) -> list[Row]:
    """One row a judge: its agreement with the labels, on the items that it has judged.

    Raises:
        InputError: A line is not a label, or names an id or a contestant that no judge has seen, or
            one of several tasks.
    """
    labels = read_labels(path)
    every = [judged for of_judge in by_judge.values() for judged in of_judge]
    check_labels(labels, every)
    several = [verdicts for verdicts in _by_pair(labels).values() if len(verdicts) > 1]
    people = {"value": pairwise_agreement(several), "n": len(several)}
    rows = []
    for judge in sorted(by_judge):
        points: dict[tuple[str, str], list[Judged]] = defaultdict(list)
        for judged in by_judge[judge]:
            points[judged.id, judged.contestant].append(judged)
        rows.append(
            {
                "judge": judge,
                "labels": len(labels),
                **_compare(labels, points, draws),
                "people": people,
            }
        )
    return rows


def read_labels(path: Path) -> list[Label]:
    """Read a file of labels; `InputError` names the line of one that is none."""
    if not path.is_file():
        raise InputError(f"{path} is not a file of labels.")
    labels = [_label(row, f"{path}:{number}") for number, row in read_jsonl(path)]
    if not labels:
        raise InputError(f"{path} holds no label.")
    return labels


def _label(row: Row, where: str) -> Label:
    missing = [name for name in _NEEDED if name not in row]
    if missing:
        raise InputError(f"{where} lacks {missing[0]!r}. A label is {{id, a, b, verdict}}.")
    if isinstance(row["id"], bool) or not isinstance(row["id"], str | int):
        raise InputError(f"{where} needs an id that is a string or an integer.")
    for name in ("a", "b", *(name for name in (*_NARROWING, *_ABOUT) if name in row)):
        if not isinstance(row[name], str):
            raise InputError(f"{where} needs {name!r} to be a name, not {row[name]!r}.")
    if row["a"] == row["b"]:
        raise InputError(f"{where} compares {row['a']!r} with itself.")
    verdict: Any = row["verdict"]
    if verdict not in VERDICTS:
        raise InputError(f"{where} has the verdict {verdict!r}. There are: a, b, tie.")
    first, second = sorted((row["a"], row["b"]), key=lambda name: (name == REFERENCE, name))
    return Label(
        where=where,
        id=str(row["id"]),
        sides=(first, second),
        verdict=TIE if verdict == TIE else row[verdict],
        narrowed={name: row[name] for name in _NARROWING if name in row},
        **{name: row[name] for name in _ABOUT if name in row},
    )


def _by_pair(labels: Sequence[Label]) -> dict[tuple[Any, ...], list[str]]:
    found: dict[tuple[Any, ...], list[str]] = defaultdict(list)
    for label in labels:
        found[label.id, label.sides, tuple(sorted(label.narrowed.items()))].append(label.verdict)
    return found


def check_labels(labels: Sequence[Label], every: Sequence[Judged]) -> None:
    """Refuse labels of what no judge has seen; `InputError` names the line."""
    known = defaultdict(list)
    for judged in every:
        known[judged.id].append(judged)
    for label in labels:
        _check(label, known.get(label.id, []))


def _check(label: Label, known: Sequence[Judged]) -> None:
    """Refuse a label whose id or contestant is not in the logs, or is not the only one."""
    if not known:
        raise InputError(f"{label.where} names the id {label.id!r}, which no judge has judged.")
    fitting = [judged for judged in known if label.fits(judged)]
    for side in label.sides:
        if side == REFERENCE:
            continue
        if not any(judged.contestant == side for judged in fitting):
            names = ", ".join(sorted({judged.contestant for judged in fitting} | {REFERENCE}))
            raise InputError(
                f"{label.where} names {side!r}, which no judge has judged on {label.id!r}. "
                f"There are: {names}."
            )
        rows = {judged.asked for judged in fitting if judged.contestant == side}
        if len(rows) > 1:
            raise InputError(
                f"{label.where} may mean several rows of {side!r} on {label.id!r}: add the fields "
                "task and setting to the line, or put the logs of one of them into a folder of "
                "its own."
            )


def _compare(
    labels: Sequence[Label], judged: Mapping[tuple[str, str], Sequence[Judged]], draws: Draws
) -> Row:
    pairs: list[tuple[str, str]] = []
    clusters: list[str] = []
    indirect = 0
    for label in labels:
        found = _verdict(label, judged)
        if found is None:
            continue
        verdict, cluster = found
        pairs.append((_side(label, label.verdict), _side(label, verdict)))
        clusters.append(cluster)
        indirect += REFERENCE not in label.sides
    estimates = agreement_estimates(pairs, clusters, draws)
    decided = [(pair, c) for pair, c in zip(pairs, clusters, strict=True) if TIE not in pair]
    without_ties = agreement_estimates(
        [pair for pair, _ in decided], [c for _, c in decided], draws
    )
    return {
        "n": len(pairs),
        "indirect": indirect,
        **{name: estimate.fields() for name, estimate in estimates.items()},
        "decided": without_ties["agreement"].fields(),
    }


def _verdict(
    label: Label, judged: Mapping[tuple[str, str], Sequence[Judged]]
) -> tuple[str, str] | None:
    """The side the judge prefers, or a tie, and the item's cluster; None without a verdict."""
    standing = []
    cluster = ""
    for side in label.sides:
        if side == REFERENCE:
            standing.append(0.5)
            continue
        found = [each for each in judged.get((label.id, side), ()) if label.fits(each)]
        points = [value for each in found if (value := each.points(OVERALL)) is not None]
        if not points:
            return None
        standing.append(sum(points) / len(points))
        cluster = found[0].cluster
    if standing[0] == standing[1]:
        return TIE, cluster
    return label.sides[int(standing[1] > standing[0])], cluster


def _side(label: Label, verdict: str) -> str:
    """A verdict as the same word for every pair of names."""
    return TIE if verdict == TIE else VERDICTS[label.sides.index(verdict)]
