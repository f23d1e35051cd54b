"""Where a campaign's items may come from, and a campaign made of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass
from datetime import datetime
from pathlib import Path

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from vivavoce.errors import InputError
from vivavoce.store import Row
from vivavoce.web.annotation.campaigns import (
    PASS_MARK,
    Added,
    NewItem,
    add_items,
    find_campaign,
    list_campaigns,
    make_campaign,
)
from vivavoce.web.annotation.importing import check_rows, read_new_items
from vivavoce.web.annotation.kinds import Kind, find_kind
from vivavoce.web.annotation.label_studio import read_studio
from vivavoce.web.annotation.process import hold_campaign
from vivavoce.web.annotation.restoring import restore_campaign, restore_studio
from vivavoce.web.annotation.round_items import round_rows
from vivavoce.web.annotation.storage import Assignment, Campaign, Database, Decision, Item

LONGEST_GUIDELINES = 1_000_000


@dataclass(frozen=True, slots=True)
class Sources:
    """Where items are; one of them is given."""

    file: Path | None = None
    round: Path | None = None
    logs: Path | None = None
    export: Path | None = None
    studio: Path | None = None

    def check(self) -> None:
        """Raise `InputError` unless there is exactly one."""
        if sum(source is not None for source in astuple(self)) != 1:
            raise InputError(
                "Give one source of items: a file, --from-round, --from-logs, --from-export or "
                "--from-label-studio."
            )


@dataclass(frozen=True, slots=True)
class Wanted:
    """The campaign that the items are for; all but its name matters for a new one only."""

    name: str
    kind: str | None = None
    guidelines: Path | None = None
    pass_mark: float = PASS_MARK
    seed: int = 0
    adjudication: str = "adjudicators"


def take_in(
    database: Database,
    sources: Sources,
    wanted: Wanted,
    now: datetime,
    *,
    log_rows: Sequence[tuple[Row, str]] = (),
) -> Row:
    """Add items to a campaign, or make it of them: all of them, or none.

    Args:
        database: Where to.
        sources: Where from.
        wanted: The campaign.
        now: The moment.
        log_rows: Rows out of logs, with where each is from: `results.preferences` reads them.

    Returns:
        How many items were `added` and `known` before, how many `decisions` came with them, and
        how many annotations were `unused`.

    Raises:
        InputError: Whatever is wrong with the source, by its line; the kind is another than the
            campaign's, or there is no kind for a new one.
    """
    sources.check()
    if sources.export is not None:
        return _restore(database, sources.export, wanted.name)
    with database.reading() as session:
        there = [one.kind for one in list_campaigns(session) if one.name == wanted.name]
    kind = _kind(wanted, there, "preference" if sources.logs else None)
    studio = read_studio(sources.studio, kind) if sources.studio else None
    items = studio.items if studio else _items(sources, kind, log_rows)
    guidelines = _guidelines(wanted.guidelines)
    with database.writing() as session:
        if there:
            campaign = find_campaign(session, wanted.name)
            hold_campaign(session, campaign.id)
        else:
            campaign = make_campaign(
                session,
                wanted.name,
                kind.name,
                now,
                guidelines=guidelines,
                pass_mark=wanted.pass_mark,
                seed=wanted.seed,
                adjudication=wanted.adjudication,
            )
        if studio is not None and studio.decisions and _count_decisions(session, campaign):
            raise InputError(
                f"The campaign {wanted.name} has decisions already. Take those of Label Studio "
                "into a campaign of their own."
            )
        added = add_items(session, campaign, items)
        if studio is not None:
            restore_studio(session, campaign, studio, now)
    return _row(added, len(studio.decisions) if studio else 0, studio.unused if studio else 0)


def _restore(database: Database, folder: Path, name: str) -> Row:
    with database.writing() as session:
        campaign = restore_campaign(session, folder, name)
        count = session.scalar(select(func.count()).where(Item.campaign_id == campaign.id))
        return _row(Added(count or 0, 0), _count_decisions(session, campaign), 0)


def _items(sources: Sources, kind: Kind, log_rows: Sequence[tuple[Row, str]]) -> Sequence[NewItem]:
    if sources.file is not None:
        return read_new_items(sources.file, kind)
    if sources.round is not None:
        return check_rows(kind, round_rows(sources.round, kind.name))
    return check_rows(kind, log_rows)


def _kind(wanted: Wanted, there: Sequence[str], implied: str | None) -> Kind:
    asked = wanted.kind or (there[0] if there else implied)
    if asked is None:
        raise InputError(f"There is no campaign {wanted.name} yet: give its --kind.")
    if there and asked != there[0]:
        raise InputError(f"The campaign {wanted.name} is of the kind {there[0]}, not {asked}.")
    if implied and asked != implied:
        raise InputError(f"Answers out of logs are for the kind {implied}, not {asked}.")
    return find_kind(asked)


def _guidelines(path: Path | None) -> str | None:
    if path is None:
        return None
    try:
        text = path.read_text("utf-8")
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8 text.") from error
    if not text.strip() or len(text) > LONGEST_GUIDELINES:
        raise InputError(f"{path} must hold 1 to {LONGEST_GUIDELINES:,} characters.")
    return text


def _count_decisions(session: Session, campaign: Campaign) -> int:
    count = session.scalar(
        select(func.count())
        .select_from(Decision)
        .join(Assignment)
        .join(Item)
        .where(Item.campaign_id == campaign.id)
    )
    return count or 0


def _row(added: Added, decisions: int, unused: int) -> Row:
    return {
        "added": added.added,
        "known": added.known,
        "decisions": decisions,
        "unused": unused,
    }
