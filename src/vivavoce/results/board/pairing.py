"""Pairs of logs to compare: two contestants of one folder, or the logs of two places."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from vivavoce.errors import InputError
from vivavoce.results.logs.reading import read_log
from vivavoce.results.logs.records import Place, RunLog, bare_setting
from vivavoce.results.logs.selection import select_logs
from vivavoce.rounds.family import check_split
from vivavoce.store import SHORT_HASH

_LISTED = 20
"""Names that a refusal lists."""


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two in one place."""

    name: str
    log: RunLog
    folder: Path
    """The folder of its log."""


Pair = tuple[Side, Side]


@dataclass(frozen=True, slots=True)
class Only:
    """Selection of the rows to compare; everything where a field is None."""

    round: str | None = None
    task: str | None = None
    setting: str | None = None
    split: str | None = None
    """Only answers to its items, in settings that bear its name."""

    def takes(self, log: RunLog) -> bool:
        """Check that a log belongs to the selection."""
        wanted = (self.round, self.task, self.setting)
        setting = log.key.setting
        if self.split and self.setting:
            setting = setting if self.setting == setting else bare_setting(setting)
        key = (log.key.round, log.key.task, setting)
        return all(want in (None, has) for want, has in zip(wanted, key, strict=True))


def contestant_pairs(
    logs: Path, a: str, b: str, only: Only, *, partial: bool = False
) -> tuple[list[Pair], list[str]]:
    """Two contestants of a folder wherever both ran, and notes on the folder's logs.

    Raises:
        InputError: No logs there, no such contestant, nowhere that both ran, or several logs
            that a name could mean.
        VivaError: A log is incomplete and `partial` was not asked for.
    """
    if a == b:
        raise InputError(f"{a} cannot be compared with itself.")
    chosen, notes = select_logs(logs, partial=partial, split=only.split)
    places = _by_place(chosen, only)
    sides = [
        {place: [log for log in group if log.is_named(name)] for place, group in places.items()}
        for name in (a, b)
    ]
    for name, side in zip((a, b), sides, strict=True):
        if not any(side.values()):
            names = sorted({log.contestant for group in places.values() for log in group})
            raise InputError(f"{logs} has no contestant {name!r}. There are: {_listed(names)}.")
    pairs = [
        (Side(a, first, logs), Side(b, second, logs))
        for place in sorted(places)
        for first, second in _matched(sides[0][place], sides[1][place])
    ]
    if not pairs:
        raise InputError(f"{logs} has no task and setting that both {a} and {b} ran in.")
    return pairs, notes


def path_pairs(
    a: Path, b: Path, only: Only, *, partial: bool = False
) -> tuple[list[Pair], list[str]]:
    """The logs of two folders, or two logs, wherever they are of one round, task and setting.

    One log on either side is held against the other's whoever made them; of several, those of
    the same contestant.

    Raises:
        InputError: A path holds no log, or the two have nothing to compare.
        VivaError: As in `contestant_pairs`.
    """
    if a.resolve() == b.resolve():
        raise InputError(f"{a} cannot be compared with itself.")
    (of_a, notes_a), (of_b, notes_b) = (_logs_at(path, partial, only.split) for path in (a, b))
    places_a, places_b = _by_place(of_a, only), _by_place(of_b, only)
    pairs = [
        _sides(first, a, second, b)
        for place in sorted(places_a.keys() & places_b.keys())
        for first, second in _matched_by_name(places_a[place], places_b[place])
    ]
    if not pairs:
        raise InputError(
            f"{a} and {b} have no round, task, version and setting in common"
            f"{'' if only == Only() else ' among those asked for'} in which they can be compared."
        )
    return pairs, [*notes_a, *notes_b]


def _logs_at(path: Path, partial: bool, split: str | None) -> tuple[list[RunLog], list[str]]:
    if path.is_dir():
        return select_logs(path, partial=partial, split=split)
    check_split(split)
    log = read_log(str(path), split)
    if not isinstance(log, RunLog):
        raise InputError(f"{path} {log.reason}.")
    if not log.is_complete and not partial:
        raise InputError(
            f"{path} is not complete: {len(log.samples)} of {log.expected} answers, status "
            f"{log.status}. Add --partial to compare what there is."
        )
    return [log], []


def _by_place(logs: Sequence[RunLog], only: Only) -> dict[Place, list[RunLog]]:
    places: dict[Place, list[RunLog]] = defaultdict(list)
    for log in logs:
        if only.takes(log):
            places[log.key.place].append(log)
    return places


def _matched(first: Sequence[RunLog], second: Sequence[RunLog]) -> Iterator[tuple[RunLog, RunLog]]:
    """One pair, or one for each judge that both sides have."""
    if len(first) == len(second) == 1:
        yield first[0], second[0]
        return
    for judge in sorted({log.key.judge for log in first} & {log.key.judge for log in second}):
        ones, others = ([log for log in logs if log.key.judge == judge] for logs in (first, second))
        for logs in (ones, others):
            if len(logs) > 1:
                key = logs[0].key
                raise InputError(
                    f"{logs[0].key.contestant} has {len(logs)} logs of {key.task} in the setting "
                    f"{key.setting}. Name one of: {_listed([_longest_name(log) for log in logs])}."
                )
        yield ones[0], others[0]


def _matched_by_name(
    first: Sequence[RunLog], second: Sequence[RunLog]
) -> Iterator[tuple[RunLog, RunLog]]:
    """One log on each side is a pair; else those of one name, of one whole name where they can."""
    if len(first) == len(second) == 1:
        yield first[0], second[0]
        return
    whole = {_longest_name(log): log for log in second}
    left = []
    for log in first:
        twin = whole.pop(_longest_name(log), None)
        if twin is None:
            left.append(log)
        else:
            yield log, twin
    rest = list(whole.values())
    for name in sorted({log.key.contestant for log in left} & {log.key.contestant for log in rest}):
        ones, others = (
            [log for log in logs if log.key.contestant == name] for logs in (left, rest)
        )
        yield from _matched(ones, others)


def _sides(first: RunLog, a: Path, second: RunLog, b: Path) -> Pair:
    if first.round_sha256 != second.round_sha256:
        raise InputError(
            f"{first.key.round} in {a} and in {b} are different rounds of one name: their items "
            "cannot be compared."
        )
    names = [first.key.contestant, second.key.contestant]
    if names[0] == names[1]:
        names = [f"{name} in {path}" for name, path in zip(names, (a, b), strict=True)]
    folders = [path if path.is_dir() else path.parent for path in (a, b)]
    return Side(names[0], first, folders[0]), Side(names[1], second, folders[1])


def _longest_name(log: RunLog) -> str:
    judge = f" (judge {log.key.judge})" if log.key.judge else ""
    return f"{log.contestant} ({log.key.decoding}) ({log.key.prompt_hash[:SHORT_HASH]}){judge}"


def _listed(names: Sequence[str]) -> str:
    rest = len(names) - _LISTED
    return ", ".join(names[:_LISTED]) + (f" and {rest} more" if rest > 0 else "")
