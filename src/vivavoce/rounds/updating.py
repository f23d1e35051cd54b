"""A round brought up to date: a new round that follows from it, and the old one as it was.

Without quota and pruning the new round has the items of a round built from the same spec with the
later end. With them it is made of what its network holds; the network is part of the round, so the
same sequence of updates gives the same rounds anywhere.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from vivavoce.corpus import Corpus
from vivavoce.errors import InputError
from vivavoce.networks.growth import Growth, History, Rules, grow
from vivavoce.rounds.anchors import Anchors
from vivavoce.rounds.arrivals import published_update
from vivavoce.rounds.build import build_round
from vivavoce.rounds.family import Builder
from vivavoce.rounds.lineage import Lineage
from vivavoce.rounds.reading import Round
from vivavoce.rounds.sealing import write_reveal
from vivavoce.rounds.selection import SelectedCorpus, member_files, read_members
from vivavoce.rounds.spec import RoundSpec, parse_spec
from vivavoce.store import Row

_DATED = re.compile(r"-[0-9]{4}-[0-9]{2}-[0-9]{2}$")


@dataclass(frozen=True, slots=True)
class Update:
    """What an update gave."""

    round: Round
    """The new round, or the old one where there was nothing new."""
    is_new: bool
    """Whether a round was written."""
    report: Row
    """What was done, in numbers; empty where nothing was looked at."""
    revealed: Path | None
    """What reveals the parent, where that was sealed."""


def update_round(
    corpus: Corpus,
    parent: Round,
    builders: Mapping[str, Builder],
    out: Path,
    until: date,
    *,
    name: str | None = None,
) -> Update:
    """Make the round that follows from another one at a later date.

    Args:
        corpus: The papers, old and new.
        parent: Stays as it is.
        builders: Each family's builder, by name.
        out: The folder that holds rounds.
        until: The end of the new round's window, exclusive.
        name: The new round's id; by default the parent's, with the date in place of its own.

    Raises:
        InputError: The date lies before the parent's end, or the id is the parent's.
        LockedError: Another process builds into `out`.
        VivaError: The round is there with other content.
    """
    since = _end_of(parent)
    if until < since:
        raise InputError(
            f"Round {parent.id} ends before {since}: an update until {until} would go back in time."
        )
    if until == since and corpus.fingerprint == parent.manifest["corpus"]:
        return Update(parent, False, {}, None)
    spec = _spec_of(parent, builders, until, name)
    lineage = _lineage(corpus, parent, spec, since)
    was_there = (out / spec.round.id).exists()
    built = build_round(corpus, spec, builders, out, lineage=lineage)
    if built is parent:
        return Update(parent, False, lineage.report, None)
    is_sealed = parent.spec["round"]["sealed"]
    revealed = write_reveal(parent, out) if is_sealed else None
    return Update(built, not was_there, lineage.report, revealed)


def next_id(parent: Round, until: date) -> str:
    """The id of the round that follows: that of the first one of all, and the date."""
    base = parent.id
    if "parent" in parent.manifest:
        base = _DATED.sub("", base)
    return f"{base}-{until}"


def _spec_of(
    parent: Round, builders: Mapping[str, Builder], until: date, name: str | None
) -> RoundSpec:
    """The parent's spec with a later end."""
    values: dict[str, Any] = dict(parent.spec)
    window = {**values["round"]["window"], "end": until.isoformat()}
    chosen = name or next_id(parent, until)
    if chosen == parent.id:
        raise InputError(
            f"The new round would have the id of its parent, {chosen}. Choose another with --id."
        )
    values["round"] = {
        **values["round"],
        "id": chosen,
        "window": window,
        "parent": parent.id,
    }
    options = {family: builder.OPTIONS for family, builder in builders.items()}
    return parse_spec(values, options, where=f"the spec of the update of {parent.id}")


def _lineage(corpus: Corpus, parent: Round, spec: RoundSpec, since: date) -> Lineage:
    """What the new round has from the old one, and what of the corpus goes into it."""
    asked = spec.update
    rules = Rules(asked.quota, asked.keep_days, asked.inactive_days)
    history = History(corpus)
    before, came_in = read_members(history, parent)
    grown = grow(history, before, since, spec.window.end, rules)
    if rules.selects:
        seen: Corpus = SelectedCorpus(corpus, grown.members.papers)
        state = member_files(grown.members, came_in, grown.came, spec.round.id)
    else:
        seen, state = corpus, {}
    return Lineage(
        parent=parent,
        corpus=seen,
        left=grown.left if rules.selects else {},
        anchors=Anchors(parent, asked.anchors, spec.round.seed),
        state=state,
        report=_report(grown, parent, since, spec.window.end),
    )


def _report(grown: Growth, parent: Round, since: date, until: date) -> Row:
    did = dict(grown.counts)
    coauthors = did.pop("coauthors_listed")
    new = did["by_known_authors"] + did["by_new_authors"]
    published = published_update(did["authors_before"], did["papers_before"], new, coauthors)
    return {
        "parent": parent.id,
        "since": since.isoformat(),
        "until": until.isoformat(),
        "new_papers": new,
        **did,
        "published_requests": published.as_dict(),
    }


def _end_of(opened: Round) -> date:
    return date.fromisoformat(opened.manifest["window"]["end"])
