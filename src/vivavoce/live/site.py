"""Site and status of a live board.

Besides the pages of the board, the site holds seals and the status. It is a plain folder: to
publish it, copy it.
"""

import shutil
from datetime import date
from pathlib import Path

from vivavoce.errors import VivaError
from vivavoce.live import Period
from vivavoce.live.ledger import CELL, DONE, PARTIAL, PENDING, ROUND, SITE, TEXTS, State
from vivavoce.publication import OWN, make_site
from vivavoce.reports import Column, sheet
from vivavoce.requests import SiteOptions
from vivavoce.rounds import load_round
from vivavoce.rounds.export import export_round
from vivavoce.rounds.reading import write_reveal
from vivavoce.running.logs import is_log
from vivavoce.store import Row, hash_file, write_bytes, write_json, write_text
from vivavoce.tasks import list_families
from vivavoce.text.printing import counted, visible
from vivavoce.web.board.page import Block, Link, Words, environment, markup, words_page


def build_site(state: State, period: Period) -> None:
    """Check that no log changed since it was verified, write the site, and record it."""
    folder, table = state.config.folder, state.config.site
    logs = folder / "logs"
    noted = {
        Path(row["round"], row["contestant"], row["setting"], name): sha256
        for row in state.done_cells
        for name, sha256 in row["logs"].items()
    }
    present = {p.relative_to(logs): hash_file(p) for p in sorted(logs.rglob("*")) if is_log(p)}
    for path in sorted({*noted, *present}):
        if noted.get(path) != present.get(path):
            what = "is gone" if path not in present else "is not the log that was verified"
            raise VivaError(
                f"The site was not built: {logs / path} {what}. Put the logs back as they were; "
                "the ledger names every one."
            )
    schedule = state.config.schedule
    options = SiteOptions(
        **table.shared(SiteOptions)
        | {"status": f"{OWN}/status.html", "next_round": schedule.next_due(period).isoformat()}
    )
    trust = {log: t for row in state.done_cells for log, t in row["trust"].items()}
    make_site(
        *(folder / "logs", folder / "site", options),
        cutoffs=state.config.cutoffs,
        trust=trust,
        cache=folder / "cache",
    )
    _write_beside(state, folder / "site" / OWN)
    state.ledger.note(SITE, period, key=state.site_key)


def _write_beside(state: State, out: Path) -> None:
    """Write the published parts of rounds, and the models' cutoffs."""
    rounds = state.config.folder / "rounds"
    out.mkdir(parents=True, exist_ok=True)
    names = list(state.rounds().values())
    if state.config.is_sealed:
        names.pop()  # the last round's items are revealed one period later
        for before in names:
            write_reveal(load_round(rounds / before), rounds)
        for path in sorted(rounds.glob("*.sealed.json")) + sorted(rounds.glob("*.revealed.json")):
            shutil.copyfile(path, out / path.name)
    shutil.rmtree(out / "rounds", ignore_errors=True)
    if (shown := state.config.site.rounds) != "none":
        papers = {name: card.paper for name, card in list_families().items()}
        form, is_open = "ids" if shown == "ids" else "hf", shown == "open"
        for name in names:
            opened, place = load_round(rounds / name), out / "rounds" / name
            place.parent.mkdir(exist_ok=True)
            export_round(opened, place, form, papers, open_only=is_open)
    if stated := state.config.cutoffs.files[0]:
        cutoffs = environment().get_template("cutoffs.toml.j2").render(entries=stated)
        write_text(out / "cutoffs.toml", cutoffs)


def write_status(state: State, until: date) -> None:
    """Write the status as of a day next to the pages, even if no page is new.

    Nothing is written if there are no pages, or if the day is before the newest period.
    """
    out = state.config.folder / "site" / OWN
    if out.is_dir() and until.isoformat() >= state.newest:
        status = status_of(state, until)
        write_json(out / "status.json", status)
        notices = [
            *(f"{r['period']}, {r['step']} failed: {r['reason']}" for r in status["failures"]),
            *(f"{r['period']}, {r['kind']}: {r['text']}" for r in status["notices"]),
        ]
        periods = sheet(
            "",
            reversed(status["periods"]),
            *(Column("end", "Until"), Column("state", "State")),
            Column(lambda row: row["round"] or "none", "Round"),
            Column("items", "Items of all tasks"),
            *(Column(name, name.title()) for name in ("answers", "papers", "late")),
            Column("texts_again", "Texts asked again"),
            Column(lambda row: ", ".join(row["contestants"]) or "none", "Contestants"),
            Column("spent", "Dollars", form=".2f"),
        )
        words = Words(
            title=f"Status of {status['id']}",
            lead=markup(
                'As of {}, {}. The same as data: <a href="status.json" download>status.json</a>.',
                *(status["until"], _due(status)),
            ),
            blocks=[Block("Periods", sheets=[periods])],
        )
        if notices:
            block = Block("Notices", items=[visible(text, 400) for text in notices])
            words = words._replace(blocks=[block, *words.blocks])
        nav = (Link("Board", "index.html"),)
        page = words_page(f"{OWN}/status.html", status, lambda: words, nav=nav)
        write_bytes(out / "status.html", page.make())


def status_of(state: State, until: date) -> Row:
    """Status of a board as of a day."""
    schedule = state.config.schedule
    due = schedule.due(until)
    budget = state.config.budget
    return {
        "id": state.config.live.id,
        "until": until.isoformat(),
        "next": schedule.next_due(due[-1] if due else None).isoformat(),
        "periods": [_period(state, period) for period in due],
        "contestants": [
            {"name": one.name, "model": one.model, "methods": list(one.methods)}
            for one in state.config.contestant
        ],
        "spent": {"total": state.ledger.spent(), "budget": budget.total, "period": budget.period},
        "failures": state.ledger.failures,
        "notices": state.notices,
    }


def _period(state: State, period: Period) -> Row:
    lacks = state.lacking(period)
    made = state.prepared(period, ROUND) or {}
    texts = state.prepared(period, TEXTS) or {}
    names = ("contestant", "setting", "items", "cost", "empty")
    cells = [*state.ledger.find(CELL, round=made["round"])] if made.get("round") else []
    return {
        "end": period.name,
        "state": (PENDING if state.preparation(period) else PARTIAL) if lacks else DONE,
        "round": made.get("round"),
        "items": made.get("items"),
        "papers": made.get("papers"),
        "late": made.get("late"),
        "texts_failed": texts.get("failed"),
        "texts_again": texts.get("again"),
        "spent": state.ledger.spent(period.name),
        "answers": sum(row.get("items", 0) for row in cells),
        "contestants": list(dict.fromkeys(row["contestant"] for row in cells)),
        "cells": [{name: row.get(name) for name in names} for row in cells],
        "lacks": lacks,
    }


def status_lines(status: Row) -> list[str]:
    """The status as lines of text."""
    text = environment().get_template("status.txt.j2").render(status=status, due=_due(status))
    return [line for line in text.splitlines() if line]


def _due(status: Row) -> str:
    """Words on the periods that are due, and on the one after them."""
    if due := sum(row["state"] != DONE for row in status["periods"]):
        return f"{counted(due, 'period is', 'periods are')} due; the next on {status['next']}"
    return f"the next period is due on {status['next']}"
