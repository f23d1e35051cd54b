"""Possible contamination of models: the exposure of a board's rows, one table a task and setting.

A model that does better on papers from before its cutoff than on those after may have read them,
or the older papers may be easier. Then contestants without training have the same gap.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Unpack

from vivavoce.errors import NothingToAuditError
from vivavoce.models.cutoffs import Cutoffs
from vivavoce.reports import Column, Sheet, Table, grouped, sheet
from vivavoce.results.board.building import leaderboard
from vivavoce.results.logs.records import contestant_label
from vivavoce.results.logs.selection import Reading

_STATUSES = {"seen": "seen", "possibly": "possibly_seen", "clean": "clean", "unknown": "unknown"}


class Contamination(Table):
    """Report of `viva board show --by cutoff`."""

    __slots__ = ()

    def parts(self) -> Iterator[Sheet | str]:
        """One table a round, task and setting."""
        for rows in grouped(self.headlines, "round", "task", "setting"):
            first = rows[0]
            yield sheet(
                f"{first['task']} · {first['setting']} · round {first['round']}",
                rows,
                Column(contestant_label, "contestant"),
                Column("exposure.cutoff", "cutoff"),
                *(Column(f"exposure.items.{status}", head) for head, status in _STATUSES.items()),
                Column("exposure.seen", f"{first['metric']} seen"),
                Column("exposure.clean", "clean"),
                Column("exposure.gap", "gap", ci="exposure.ci"),
            )
        yield (
            "items that were there before the cutoff (seen), near it (possibly), after it "
            "(clean);\n"
            "gap: seen - clean [95% interval]. Where older papers are easier for all, contestants "
            "without training (cutoff never) have a gap too."
        )


def contamination_report(
    logs: Path | str, cutoffs: Cutoffs, **reading: Unpack[Reading]
) -> Contamination:
    """Rows of a board whose contestants are models, with their gaps in every metric.

    Raises:
        InputError: No logs there.
        VivaError: As `leaderboard` says.
        NothingToAuditError: No contestant is a model.
    """
    board = leaderboard(logs, cutoffs=cutoffs, **reading)
    rows = [row for row in board.rows if row["exposure"] is not None]
    if not rows:
        raise NothingToAuditError(f"{logs} holds no log of a model.")
    notes = {
        f"Nothing is known of the training data of {row['model']}: add it with --cutoffs FILE."
        for row in rows
        if cutoffs.of(row["model"]) is None
    }
    return Contamination(tuple(rows), tuple(sorted({*board.notes, *notes})))
