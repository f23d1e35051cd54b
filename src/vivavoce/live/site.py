"""The site of a live board: the pages of the board, and beside them seals, heads and status."""

from __future__ import annotations

import shutil
from pathlib import Path

from vivavoce.errors import VivaError
from vivavoce.live.calendar import Period
from vivavoce.live.ledger import SITE, State
from vivavoce.live.status import status_of, status_page
from vivavoce.publication import OWN, SiteInputs, SiteOptions, make_site
from vivavoce.results.logs.ledger import check_ledgers
from vivavoce.rounds import load_round
from vivavoce.rounds.export import export_round
from vivavoce.rounds.sealing import write_reveal
from vivavoce.store import write_json, write_text
from vivavoce.tasks import list_families
from vivavoce.web.board.page import environment


def build_site(state: State, period: Period) -> None:
    """Check the ledgers of all logs, write the site, and note it.

    Raises:
        VivaError: A log is not as its run left it; nothing is written then.
    """
    folder, table = state.config.folder, state.config.site
    _refuse_changed(state, folder / "logs")
    options = SiteOptions(
        resamples=table.resamples, samples=table.samples, charts=table.charts, date=period.name
    )
    trust = {log: t for row in state.done_cells for log, t in row["trust"].items()}
    inputs = SiteInputs(cutoffs=state.config.cutoffs, trust=trust)
    make_site(folder / "logs", folder / "site", options, inputs, cache=folder / "cache")
    _write_beside(state, period, folder / "site" / OWN)
    state.ledger.note(SITE, period, key=state.site_key)


def _refuse_changed(state: State, logs: Path) -> None:
    heads = [row["head"] for row in state.done_cells]
    found = check_ledgers(logs, heads)
    problems = [*found.problems, *(f"{row['log']} is gone" for row in found.removed)]
    problems += [f"{path} is in no ledger" for path in found.unrecorded]
    problems += [f"{path}: {what}" for path, lines in found.changed.items() for what in lines]
    if problems:
        raise VivaError(
            f"The site was not built: {problems[0]} Put the file back as it was; the ledger names "
            "every log."
        )


def _write_beside(state: State, period: Period, out: Path) -> None:
    """Write what is published of rounds, and what the pages do not tell."""
    rounds = state.config.folder / "rounds"
    out.mkdir(parents=True, exist_ok=True)
    names = list(state.rounds().values())
    if state.config.is_sealed:
        names.pop()  # its items are shown one period later
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
    write_text(out / "heads.txt", "".join(f"{row['head']}\n" for row in state.done_cells))
    if stated := state.config.cutoffs.files[0]:
        cutoffs = environment().get_template("cutoffs.toml.j2").render(entries=stated)
        write_text(out / "cutoffs.toml", cutoffs)
    status = status_of(state, period.end, is_page=True)
    write_json(out / "status.json", status)
    write_text(out / "status.html", status_page(status))
