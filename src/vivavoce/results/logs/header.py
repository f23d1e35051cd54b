"""What is known of a log without its samples: enough to choose the logs of a board."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Protocol, TypeVar

from vivavoce.results.logs.reading import RowKey, RunLog
from vivavoce.store import Row


class LogHead(Protocol):
    """What `RunLog` and `StoredHead` share."""

    @property
    def name(self) -> str: ...  # noqa: D102 as in RunLog
    @property
    def created(self) -> str: ...  # noqa: D102
    @property
    def key(self) -> RowKey: ...  # noqa: D102
    @property
    def metrics(self) -> tuple[str, ...]: ...  # noqa: D102
    @property
    def diagnostics(self) -> tuple[str, ...]: ...  # noqa: D102
    @property
    def judged(self) -> frozenset[str]: ...  # noqa: D102
    @property
    def is_own_judge(self) -> bool | None: ...  # noqa: D102
    @property
    def round_sha256(self) -> str: ...  # noqa: D102
    @property
    def window(self) -> tuple[str, str]: ...  # noqa: D102
    @property
    def expected(self) -> int: ...  # noqa: D102
    @property
    def status(self) -> str: ...  # noqa: D102
    @property
    def answers(self) -> int: ...  # noqa: D102
    @property
    def items(self) -> int: ...  # noqa: D102
    @property
    def is_complete(self) -> bool: ...  # noqa: D102


Log = TypeVar("Log", bound=LogHead)


@dataclass(frozen=True, slots=True)
class StoredHead:
    """The head of a log that was read before."""

    name: str
    created: str
    key: RowKey
    metrics: tuple[str, ...]
    diagnostics: tuple[str, ...]
    judged: frozenset[str]
    is_own_judge: bool | None
    round_sha256: str
    window: tuple[str, str]
    expected: int
    status: str
    answers: int
    items: int
    is_complete: bool
    path: str
    sha256: str
    is_own: bool = False
    """Whether it lies in the reader's own folder, beside the published ones."""


def head_of(log: RunLog, path: str, sha256: str) -> StoredHead:
    """What to store of a log."""
    return StoredHead(
        name=log.name,
        created=log.created,
        key=log.key,
        metrics=log.metrics,
        diagnostics=log.diagnostics,
        judged=log.judged,
        is_own_judge=log.is_own_judge,
        round_sha256=log.round_sha256,
        window=log.window,
        expected=log.expected,
        status=log.status,
        answers=log.answers,
        items=log.items,
        is_complete=log.is_complete,
        path=path,
        sha256=sha256,
    )


def head_as_row(head: StoredHead) -> Row:
    """A head as JSON values."""
    return {**asdict(head), "judged": sorted(head.judged)}


def head_from_row(row: Any) -> StoredHead:
    """The head that `head_as_row` wrote; `TypeError` or `KeyError` for anything else."""
    lists = {name: tuple(row[name]) for name in ("metrics", "diagnostics", "window")}
    key, judged = RowKey(**row["key"]), frozenset(row["judged"])
    return StoredHead(**{**row, **lists, "key": key, "judged": judged})
