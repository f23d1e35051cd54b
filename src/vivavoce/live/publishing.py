"""State of a live board, its site, and the site brought to where people read it.

Beside the pages of the board the site has seals and status. It goes to a folder, a branch,
another machine or the hub. Every target is brought up to date from the site alone, so any of these
can be repeated.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Collection, Mapping, Sequence
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory

from vivavoce.errors import InputError, MissingExtra, VivaError
from vivavoce.live.calendar import Period
from vivavoce.live.config import LiveConfig, PublishOptions
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
from vivavoce.publication import OWN, SiteInputs, SiteOptions, make_site
from vivavoce.rounds import load_round
from vivavoce.rounds.export import export_round
from vivavoce.rounds.reading import write_reveal
from vivavoce.running.logs import is_log
from vivavoce.store import Row, hash_file, write_bytes, write_json, write_text
from vivavoce.tasks import list_families
from vivavoce.web.board.page import STATE, Link, environment, read_state


def publish(config: LiveConfig, target: PublishOptions, day: str) -> None:
    """Bring the site of a day to a target.

    Raises:
        VivaError: It could not be brought there; a later try goes on.
    """
    site = (config.folder / "site").absolute()
    if target.kind == "folder":
        _to_folder(site, config.below(target.path or Path()))
    elif target.kind == "git":
        _to_branch(site, config.below(target.path or Path()), target, day)
    elif target.kind == "rsync":
        _call(["rsync", "-a", "--delete-after", "--", f"{site}/", str(target.to)])
    else:
        _to_hub(site, target, day)


def _to_folder(site: Path, out: Path) -> None:
    """Copy what is other, and remove what an earlier site had there and this one has not."""
    earlier = set(read_state(out)) | _beside(out)
    if out.exists() and any(out.iterdir()) and not (out / STATE).is_file():
        raise InputError(f"{out} holds something that is no site. Name another folder.")
    now = {path.relative_to(site).as_posix() for path in site.rglob("*") if path.is_file()}
    # The record goes last: a copy that was cut short is known to be one.
    for name in sorted(now, key=lambda name: (name == STATE, name)):
        place = out / name
        if not place.is_file() or hash_file(place) != hash_file(site / name):
            write_bytes(place, (site / name).read_bytes(), fsync=False)
    for name in sorted(earlier - now):
        (out / name).unlink(missing_ok=True)


def _beside(out: Path) -> set[str]:
    return {path.relative_to(out).as_posix() for path in (out / OWN).rglob("*") if path.is_file()}


def _to_branch(site: Path, repository: Path, target: PublishOptions, day: str) -> None:
    """Commit the site to a branch, which holds nothing else, and push it."""
    branch, remote = target.branch, target.remote
    ref = f"refs/heads/{branch}"
    if remote and _git(repository, "ls-remote", "--heads", remote, ref):
        _git(repository, "fetch", "--quiet", remote, f"+{ref}:{ref}")
    with TemporaryDirectory() as passing:
        own = {"GIT_INDEX_FILE": str(Path(passing, "index"))}
        words = ("--work-tree", str(site), "add", "--all", "--force", ".")
        _git(repository, *words, variables=own, cwd=site)
        tree = _git(repository, "write-tree", variables=own)
    parent = _git(repository, "for-each-ref", "--format=%(objectname)", ref)
    if not parent or _git(repository, "rev-parse", f"{parent}^{{tree}}") != tree:
        moment = f"{day}T00:00:00+00:00"
        dates = {"GIT_AUTHOR_DATE": moment, "GIT_COMMITTER_DATE": moment}
        parents = ["-p", parent] if parent else []
        message = ("-m", f"Board of {day}")
        commit = _git(repository, "commit-tree", tree, *parents, *message, variables=dates)
        _git(repository, "update-ref", ref, commit)
    if remote:
        _git(repository, "push", "--quiet", remote, f"{ref}:{ref}")


def _git(
    repository: Path,
    *words: str,
    variables: Mapping[str, str] | None = None,
    cwd: Path | None = None,
) -> str:
    folder = repository / ".git" if (repository / ".git").exists() else repository
    return _call(["git", "--git-dir", str(folder.absolute()), *words], variables, cwd)


def _call(
    command: Sequence[str], variables: Mapping[str, str] | None = None, cwd: Path | None = None
) -> str:
    if shutil.which(command[0]) is None:
        raise VivaError(f"{command[0]} is not installed. Install it, or publish another way.")
    environment = {**os.environ, "GIT_TERMINAL_PROMPT": "0", **(variables or {})}
    done = subprocess.run(
        command, env=environment, cwd=cwd, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise VivaError(f"{command[0]} ended with {done.returncode}: {done.stderr.strip()[-500:]}")
    return done.stdout.strip()


def _to_hub(site: Path, target: PublishOptions, day: str) -> None:
    """Upload the site by the hub's own client, which finds its key where it always does."""
    try:
        from huggingface_hub import HfApi
        from huggingface_hub.errors import HfHubHTTPError, LocalTokenNotFoundError
    except ImportError as error:
        raise MissingExtra("huggingface_hub", "hub", "Publishing to the hub") from error
    import httpx

    kind = "static" if target.type == "space" else None
    api, repo = HfApi(), str(target.repo)
    try:
        api.create_repo(repo, repo_type=target.type, exist_ok=True, space_sdk=kind)
        api.upload_folder(
            folder_path=site,
            repo_id=repo,
            repo_type=target.type,
            commit_message=f"Board of {day}",
            delete_patterns="*",
        )
    except (HfHubHTTPError, LocalTokenNotFoundError, httpx.HTTPError, OSError) as error:
        raise VivaError(f"The hub did not take {repo}: {error}") from error


def build_site(state: State, period: Period) -> None:
    """Check that all logs are those that were verified, write the site, and note it.

    Raises:
        VivaError: A log is not as it was verified; nothing is written then.
    """
    folder, table = state.config.folder, state.config.site
    _refuse_changed(state, folder / "logs")
    options = SiteOptions(
        resamples=table.resamples,
        samples=table.samples,
    )
    trust = {log: t for row in state.done_cells for log, t in row["trust"].items()}
    inputs = SiteInputs(cutoffs=state.config.cutoffs, trust=trust)
    make_site(folder / "logs", folder / "site", options, inputs, cache=folder / "cache")
    _write_beside(state, period, folder / "site" / OWN)
    state.ledger.note(SITE, period, key=state.site_key)


def _refuse_changed(state: State, logs: Path) -> None:
    noted = {
        Path(row["round"], row["contestant"], row["setting"], name): sha256
        for row in state.done_cells
        for name, sha256 in row["logs"].items()
    }
    found = {p.relative_to(logs): hash_file(p) for p in sorted(logs.rglob("*")) if is_log(p)}
    for path in sorted({*noted, *found}):
        if noted.get(path) != found.get(path):
            what = "is gone" if path not in found else "is not the log that was verified"
            raise VivaError(
                f"The site was not built: {logs / path} {what}. Put the logs back as they were; "
                "the ledger names every one."
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
    if stated := state.config.cutoffs.files[0]:
        cutoffs = environment().get_template("cutoffs.toml.j2").render(entries=stated)
        write_text(out / "cutoffs.toml", cutoffs)
    status = status_of(state, period.end, is_page=True)
    write_json(out / "status.json", status)
    write_text(out / "status.html", status_page(status))


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
