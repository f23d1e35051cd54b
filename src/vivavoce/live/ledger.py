"""The ledger of a live board: one line for each completed step, with its results.

A step with a line is not repeated. An interrupted step has no line, since the file is written
atomically; every step can be repeated safely.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import Any

from vivavoce.errors import InputError, VivaError
from vivavoce.live import Period
from vivavoce.live.config import ContestantOptions, LiveConfig
from vivavoce.store import Row, hash_of, read_json, read_jsonl, write_json, write_jsonl

PREPARATION = ("listing", "texts", "cited", "networks", "round", "leakage")
"""Steps of every period, in order."""
LISTING, TEXTS, CITED, NETWORKS, ROUND, LEAKAGE = PREPARATION
CELL, AUDIT, SITE, PAID = "cell", "audit", "site", "paid"
DONE, PARTIAL, PENDING = "done", "partial", "pending"


class Ledger:
    """Lines of a board's ledger, and the failures of the last run."""

    def __init__(self, folder: Path) -> None:
        """Read the ledger of a folder, which may not exist yet."""
        self._path = folder / "ledger.jsonl"
        self._failures = folder / "failures.json"
        self.rows: list[Row] = []
        if self._path.exists():
            self.rows = [row for _, row in read_jsonl(self._path)]

    def note(self, step: str, period: Period, **facts: Any) -> None:
        """Record a completed step."""
        self.rows.append({"step": step, "period": period.name, **facts})
        write_jsonl(self._path, self.rows)

    def find(self, step: str, **facts: Any) -> Iterator[Row]:
        """Lines of a step with all of these facts, oldest first."""
        wanted = {"step": step, **facts}.items()
        return (row for row in self.rows if all(row.get(name) == v for name, v in wanted))

    def last(self, step: str, **facts: Any) -> Row | None:
        """The newest line of a step with all of these facts; None if there is none."""
        lines = list(self.find(step, **facts))
        return lines[-1] if lines else None

    @property
    def failures(self) -> list[Row]:
        """Failed steps of the last run that had work to do: `period`, `step`, `reason`."""
        return list(read_json(self._failures)) if self._failures.exists() else []

    def write_failures(self, failures: list[Row]) -> None:
        """Replace the failures of the previous run."""
        if failures:
            write_json(self._failures, failures)
        else:
            self._failures.unlink(missing_ok=True)

    def paid(self, cell: Cell | None = None) -> float:
        """Dollars recorded for an unfinished cell, or for all unfinished cells."""
        done = {_place(row) for row in self.find(CELL)}
        rows = (row for row in self.find(PAID) if cell is None or cell.facts.items() <= row.items())
        return sum((float(row["cost"]) for row in rows if _place(row) not in done), 0.0)

    def spent(self, period: str | None = None) -> float:
        """Dollars spent in a period, or in all periods."""
        rows = [*self.find(CELL), *self.find(PAID)]
        return sum((float(r["cost"]) for r in rows if period in (None, r["period"])), 0.0)


def _place(row: Row) -> tuple[str, str, str]:
    return row["round"], row["contestant"], row["setting"]


@dataclass(frozen=True, slots=True)
class Cell:
    """One contestant's run on one round in one setting."""

    round_id: str
    contestant: ContestantOptions
    setting: str

    @property
    def facts(self) -> Row:
        """Names that identify the cell in the ledger."""
        names = {"round": self.round_id, "contestant": self.contestant.name}
        return {**names, "setting": self.setting}

    @property
    def path(self) -> Path:
        """Folder of the cell's logs, relative to the folder of all logs."""
        return Path(self.round_id, self.contestant.name, self.setting)

    def __str__(self) -> str:
        return " · ".join(self.facts.values())


class State:
    """A configuration with its ledger, which together tell completed and missing steps."""

    def __init__(self, config: LiveConfig) -> None:
        """Read the ledger of a board, without writing anything."""
        self.config = config
        self.ledger = Ledger(config.folder)
        answered = {row["contestant"]: row["as"] for row in self.ledger.find(CELL)}
        for one in self.config.contestant:
            was = answered.get(one.name, now := identity(one))
            if was != now:
                raise InputError(
                    f"{self.config.path}: {one.name} was {was} in earlier rounds and is {now} now. "
                    "Give the new one another name, and let the old one retire."
                )

    def refuse_clock_behind(self, day: date, *, is_clock: bool) -> None:
        """Raise `VivaError` if `day` is from the clock and before the ledger's newest period."""
        if is_clock and self.newest > day.isoformat():
            raise VivaError(
                f"The clock says {day}, but the period until {self.newest} has already begun. "
                "Set the clock, or name the day with --until."
            )

    def prepared(self, period: Period, step: str) -> Row | None:
        """The ledger's line for a preparation step of a period; None if the step is not done."""
        return self.ledger.last(step, period=period.name)

    def rounds(self) -> dict[date, str]:
        """Rounds by the end of their period, oldest first."""
        rows = self.ledger.find(ROUND)
        return {date.fromisoformat(row["period"]): row["round"] for row in rows if row["round"]}

    def parent(self, period: Period) -> str | None:
        """The last round before a period; None if there is none."""
        before = [name for end, name in self.rounds().items() if end < period.end]
        return before[-1] if before else None

    def pending_cells(self, period: Period) -> list[Cell]:
        """Unfinished cells that are due by a period's end."""
        done = {_place(row) for row in self.ledger.find(CELL)}
        return [
            cell
            for end, name in self.rounds().items()
            for one in self.config.contestant
            if end <= period.end and one.takes_part(end)
            for cell in (Cell(name, one, setting) for setting in self.config.run.settings)
            if tuple(cell.facts.values()) not in done
        ]

    def preparation(self, period: Period) -> list[str]:
        """Missing preparation steps of a period."""
        return [step for step in PREPARATION if self.prepared(period, step) is None]

    def lacking(self, period: Period) -> list[str]:
        """Missing steps of a period, for display; empty if the period is done."""
        missing = self.preparation(period)
        if missing:
            return [*missing, "contestants", AUDIT, SITE]
        cells = [f"{CELL} {cell}" for cell in self.pending_cells(period)]
        if period.name < self.newest:
            return cells
        audits = [f"{AUDIT} {name}" for name in self.audits_due()]
        return [*cells, *audits, *([SITE] if self.is_site_due else [])]

    @property
    def newest(self) -> str:
        """Name of the latest period begun, to which audits and site belong."""
        return max((row["period"] for row in self.ledger.rows), default="")

    @property
    def done_cells(self) -> list[Row]:
        """Lines of the finished cells that have logs on the board."""
        return [row for row in self.ledger.find(CELL) if row["logs"]]

    def cells_key(self, *rounds: str | None) -> str:
        """Hash of the finished cells of some rounds, or of all rounds if none is given."""
        cells = [[*_place(row), hash_of(row["logs"])] for row in self.done_cells]
        return hash_of(sorted(cell for cell in cells if not rounds or cell[0] in rounds))

    def audits_due(self) -> list[str]:
        """Rounds whose last audit misses a finished cell of the round or of the one before it."""
        outdated, before = [], None
        for name in self.rounds().values():
            key = self.cells_key(name, before)
            here = any(row["round"] == name for row in self.done_cells)
            if here and self.ledger.last(AUDIT, round=name, key=key) is None:
                outdated.append(name)
            before = name
        return outdated

    @property
    def site_key(self) -> str:
        """Hash of all inputs of the site."""
        settings = [repr(self.config.site), repr(self.config.cutoffs.files[0])]
        return hash_of([self.cells_key(), list(self.rounds().values()), settings, self.newest])

    @property
    def is_site_due(self) -> bool:
        """True if there are finished cells and the site was built from other inputs."""
        return bool(self.done_cells) and self.ledger.last(SITE, key=self.site_key) is None

    @cached_property
    def notices(self) -> list[Row]:
        """Warnings in the ledger: `period`, `kind` and `text`.

        Only the last audit of a round counts.
        """
        audits = {row["round"]: row for row in self.ledger.find(AUDIT)}
        return [
            {"period": row["period"], **notice}
            for row in self.ledger.rows
            if row["step"] != AUDIT or row is audits[row["round"]]
            for notice in row.get("notices", ())
        ]


def identity(one: ContestantOptions) -> str:
    """The model and methods behind a contestant's name."""
    return " ".join([one.model or "no model", *one.methods])
