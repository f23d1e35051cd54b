"""The ledger of a live board: one line for each step that is done, and what it found.

A step whose line is there is not done again. The file is written whole or not at all, so a killed
step has no line; every step can be repeated.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import Any

from vivavoce.errors import InputError, VivaError
from vivavoce.live.calendar import Period
from vivavoce.live.config import ContestantOptions, LiveConfig
from vivavoce.store import Row, hash_of, read_json, read_jsonl, write_json, write_jsonl

LISTING, TEXTS, CITED, NETWORKS, ROUND, LEAKAGE = (
    "listing", "texts", "cited", "networks", "round", "leakage",
)  # fmt: skip
PREPARATION = (LISTING, TEXTS, CITED, NETWORKS, ROUND, LEAKAGE)
"""Steps that every period has once, in order."""
CELL, AUDIT, SITE, PAID = "cell", "audit", "site", "paid"
DONE, PARTIAL, PENDING = "done", "partial", "pending"


class Ledger:
    """Lines of a board's ledger, and the failures of the last run."""

    def __init__(self, folder: Path) -> None:
        """Read what is there; an empty ledger where there is none."""
        self._path = folder / "ledger.jsonl"
        self._failures = folder / "failures.json"
        self.rows: list[Row] = []
        if self._path.exists():
            self.rows = [row for _, row in read_jsonl(self._path)]

    def note(self, step: str, period: Period, **facts: Any) -> None:
        """Write down that a step is done."""
        self.rows.append({"step": step, "period": period.name, **facts})
        write_jsonl(self._path, self.rows)

    def find(self, step: str, **facts: Any) -> Iterator[Row]:
        """The lines of a step that hold all these facts, the oldest first."""
        wanted = {"step": step, **facts}.items()
        return (row for row in self.rows if all(row.get(name) == v for name, v in wanted))

    def last(self, step: str, **facts: Any) -> Row | None:
        """The newest such line; None where there is none."""
        found = list(self.find(step, **facts))
        return found[-1] if found else None

    @property
    def failures(self) -> list[Row]:
        """Steps that failed in the last run that had work: `period`, `step`, `reason`."""
        return list(read_json(self._failures)) if self._failures.exists() else []

    def write_failures(self, failures: list[Row]) -> None:
        """Replace the failures of the run before."""
        if failures:
            write_json(self._failures, failures)
        else:
            self._failures.unlink(missing_ok=True)

    def paid(self, cell: Cell | None = None) -> float:
        """Dollars noted of one cell that is not done, or of all such cells."""
        done = {_place(row) for row in self.find(CELL)}
        rows = (row for row in self.find(PAID) if cell is None or cell.facts.items() <= row.items())
        return sum((float(row["cost"]) for row in rows if _place(row) not in done), 0.0)

    def spent(self, period: str | None = None) -> float:
        """Dollars paid in a period, or in all."""
        rows = [*self.find(CELL), *self.find(PAID)]
        return sum((float(r["cost"]) for r in rows if period in (None, r["period"])), 0.0)


def _place(row: Row) -> tuple[str, str, str]:
    return row["round"], row["contestant"], row["setting"]


@dataclass(frozen=True, slots=True)
class Cell:
    """One contestant on one round in one setting."""

    round_id: str
    contestant: ContestantOptions
    setting: str

    @property
    def facts(self) -> Row:
        """Names by which the ledger knows it."""
        names = {"round": self.round_id, "contestant": self.contestant.name}
        return {**names, "setting": self.setting}

    @property
    def path(self) -> Path:
        """The folder of its logs, below that of all logs."""
        return Path(self.round_id, self.contestant.name, self.setting)

    def __str__(self) -> str:
        return " · ".join(self.facts.values())


class State:
    """A configuration beside its ledger: what is done, and what is still to do."""

    def __init__(self, config: LiveConfig, ledger: Ledger) -> None:
        self.config = config
        self.ledger = ledger
        self._refuse_other_contestants()

    def refuse_clock_behind(self, day: date, *, is_clock: bool) -> None:
        """Raise `VivaError` where the clock shows a day before one that the ledger knows."""
        if is_clock and self.newest > day.isoformat():
            raise VivaError(
                f"The clock says {day}, and the period until {self.newest} was begun already. "
                "Set the clock, or name the day with --until."
            )

    def prepared(self, period: Period, step: str) -> Row | None:
        """The line of a step that a period has once."""
        return self.ledger.last(step, period=period.name)

    def rounds(self) -> dict[date, str]:
        """The round of each period that made one, the oldest first."""
        rows = self.ledger.find(ROUND)
        return {date.fromisoformat(row["period"]): row["round"] for row in rows if row["round"]}

    def parent(self, period: Period) -> str | None:
        """The round before that of a period."""
        before = [name for end, name in self.rounds().items() if end < period.end]
        return before[-1] if before else None

    def pending_cells(self, period: Period) -> list[Cell]:
        """Cells to be asked by a period's end that are not done."""
        done = {_place(row) for row in self.ledger.find(CELL)}
        return [cell for cell in self._cells(period) if tuple(cell.facts.values()) not in done]

    def _cells(self, period: Period) -> Iterator[Cell]:
        for end, name in self.rounds().items():
            for one in self.config.contestant:
                due = one.due(end)
                if due is not None and due <= period.end:
                    yield from (Cell(name, one, setting) for setting in self.config.run.settings)

    def preparation(self, period: Period) -> list[str]:
        """Missing steps of a period before the first request to a model."""
        return [step for step in PREPARATION if self.prepared(period, step) is None]

    def lacking(self, period: Period) -> list[str]:
        """Items missing from a period, for people; empty when it is done."""
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
        """The last period that was begun: audits and site are of it."""
        return max((row["period"] for row in self.ledger.rows), default="")

    @property
    def done_cells(self) -> list[Row]:
        """Lines of the cells whose logs are on the board."""
        return [row for row in self.ledger.find(CELL) if row["logs"]]

    def cells_key(self, *rounds: str | None) -> str:
        """Hash of the cells that are done, of some rounds or of all."""
        cells = [[*_place(row), hash_of(row["logs"])] for row in self.done_cells]
        return hash_of(sorted(cell for cell in cells if not rounds or cell[0] in rounds))

    def audits_due(self) -> list[str]:
        """Rounds whose audits are older than a cell of them or of the round before."""
        found, before = [], None
        for name in self.rounds().values():
            key = self.cells_key(name, before)
            here = any(row["round"] == name for row in self.done_cells)
            if here and self.ledger.last(AUDIT, round=name, key=key) is None:
                found.append(name)
            before = name
        return found

    @property
    def site_key(self) -> str:
        """Hash of everything that the site is made of."""
        settings = [repr(self.config.site), repr(self.config.cutoffs.files[0])]
        return hash_of([self.cells_key(), list(self.rounds().values()), settings, self.newest])

    @property
    def is_site_due(self) -> bool:
        """True if there are logs for the site, and it is not made of all of them."""
        return bool(self.done_cells) and self.ledger.last(SITE, key=self.site_key) is None

    @cached_property
    def notices(self) -> list[Row]:
        """Warnings of the ledger: `period`, `kind` and `text`.

        Of the audits of a round the last one counts: what it does not find is gone.
        """
        audits = {row["round"]: row for row in self.ledger.find(AUDIT)}
        return [
            {"period": row["period"], **notice}
            for row in self.ledger.rows
            if row["step"] != AUDIT or row is audits[row["round"]]
            for notice in row.get("notices", ())
        ]

    def _refuse_other_contestants(self) -> None:
        """Raise `InputError` where a name stands for another model or method than it did."""
        answered = {row["contestant"]: row["as"] for row in self.ledger.find(CELL)}
        for one in self.config.contestant:
            was = answered.get(one.name, now := identity(one))
            if was != now:
                raise InputError(
                    f"{self.config.path}: {one.name} was {was} in earlier rounds and is {now} now. "
                    "Give the new one another name, and let the old one retire."
                )


def identity(one: ContestantOptions) -> str:
    """The model and methods behind a contestant's name."""
    return " ".join([one.model or "no model", *one.methods])
