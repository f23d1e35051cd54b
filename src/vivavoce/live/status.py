"""The state of a live board for people and programs: periods, cells, money, notices."""

from __future__ import annotations

from collections.abc import Collection
from datetime import date

from vivavoce.live.calendar import Period
from vivavoce.live.ledger import (
    CELL,
    DONE,
    PARTIAL,
    PENDING,
    PUBLISH,
    ROUND,
    SITE,
    TEXTS,
    State,
)
from vivavoce.store import Row
from vivavoce.web.board.page import Link, environment

_BESIDE = (SITE, PUBLISH)


def status_of(state: State, until: date, *, is_page: bool = False) -> Row:
    """The status of a board on a day; on a page of the site nothing is said of site and targets."""
    schedule = state.config.schedule
    due = schedule.due(until)
    coming = next(period for period in schedule.periods() if schedule.due_on(period) > until)
    budget = state.config.budget
    return {
        "id": state.config.live.id,
        "until": until.isoformat(),
        "next": schedule.due_on(coming).isoformat(),
        "periods": [_period(state, period, _BESIDE if is_page else ()) for period in due],
        "contestants": [
            {"name": one.name, "model": one.model, "methods": list(one.methods)}
            for one in state.config.contestant
        ],
        "spent": {"total": state.ledger.spent(), "budget": budget.total, "period": budget.period},
        "failures": state.ledger.failures,
        "notices": state.notices,
    }


def _period(state: State, period: Period, untold: Collection[str]) -> Row:
    lacks = [what for what in state.lacking(period) if what.split()[0] not in untold]
    made = state.prepared(period, ROUND) or {}
    texts = state.prepared(period, TEXTS) or {}
    cells = list(_cells(state, made.get("round")))
    return {
        "end": period.name,
        "state": (PENDING if state.preparation(period) else PARTIAL) if lacks else DONE,
        "round": made.get("round"),
        "items": made.get("items"),
        "papers": made.get("papers"),
        "late": made.get("late"),
        "corrected": made.get("corrected"),
        "texts_failed": texts.get("failed"),
        "spent": state.ledger.spent(period.name),
        "cells": cells,
        "lacks": lacks,
    }


def _cells(state: State, round_id: str | None) -> list[Row]:
    names = ("contestant", "setting", "items", "cost", "empty")
    found = state.ledger.find(CELL, round=round_id) if round_id else ()
    return [{name: row.get(name) for name in names} for row in found]


def status_lines(status: Row) -> list[str]:
    """The status as lines for people."""
    text = environment().get_template("status.txt.j2").render(status=status)
    return [line for line in text.splitlines() if line]


def status_page(status: Row) -> str:
    """The status as a page of the site."""
    page = environment().get_template("status.html.j2")
    nav = (Link("Board", "index.html"),)
    return page.render(status=status, root="../", here="", nav=nav)
