"""Updating of a round: a new round with the old one as its parent.

Without quota and pruning, the new round has the same items as a round built from the same spec with
the new window. By default, the new window begins where the parent's window ends. With a quota or
pruning, the new round uses only papers in its network. The network is part of the round, so the
same sequence of updates gives the same rounds anywhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa

from vivavoce.columns import texts
from vivavoce.corpus import Corpus
from vivavoce.errors import InputError
from vivavoce.networks.growth import History, Members, Rules, grow, members_until
from vivavoce.records import Paper
from vivavoce.rounds.anchors import Anchors, LatePapers, Lineage
from vivavoce.rounds.build import build_round
from vivavoce.rounds.family import Builder
from vivavoce.rounds.reading import MANIFEST, Round, load_round, write_reveal
from vivavoce.rounds.spec import RoundSpec, parse_spec
from vivavoce.store import Row

PAPERS, AUTHORS = "network/papers.parquet", "network/authors.parquet"
"""Files of a round's network: papers, each with the round and the way in which it came; authors."""


class SelectedCorpus(Corpus):
    """A corpus restricted to some papers.

    Its networks are those of the whole corpus. Results of works outside the corpus are kept;
    results of papers left out are not.
    """

    def __init__(self, corpus: Corpus, papers: frozenset[str]) -> None:
        super().__init__(corpus.folder, corpus.manifest)
        self._whole = corpus
        self._selected = papers

    def rows(self, table: str) -> Iterator[Row]:
        """Rows of a table that belong to a selected paper or to no paper."""
        for row in super().rows(table):
            paper_id = row.get("paper_id")
            if paper_id is None or paper_id in self._selected:
                yield row

    @cached_property
    def papers(self) -> tuple[Paper, ...]:
        """The selected papers, sorted by id."""
        return tuple(paper for paper in self._whole.papers if paper.paper_id in self._selected)


_DATED = re.compile(r"-[0-9]{4}-[0-9]{2}-[0-9]{2}(\.[0-9]+)?$")


@dataclass(frozen=True, slots=True)
class Update:
    """Outcome of an update."""

    round: Round
    """The new round, or an existing round if there was nothing new."""
    is_new: bool
    """True if a round was written."""
    report: Row
    """Counts of the update's changes; empty if no update was needed."""
    revealed: Path | None
    """File that reveals the parent, if it was sealed."""


def update_round(
    corpus: Corpus,
    parent: Round,
    builders: Mapping[str, Builder],
    out: Path,
    until: date,
    *,
    name: str | None = None,
) -> Update:
    """Update a round to a later date; the result is a new round, and the parent stays unchanged.

    The new round's window ends before `until`. Its id is `name`, by default the parent's id with
    the new date. `out` is the folder that holds rounds.

    Raises:
        InputError: The date is before the parent's end, or the id is the parent's.
        LockedError: Another process builds into `out`.
        VivaError: Another round already has the id.
    """
    since = parent.window.end
    if until < since:
        raise InputError(
            f"Round {parent.id} ends at {since}: update it to a later date than {until}."
        )
    is_fresh = parent.spec.get("update", {}).get("items", "fresh") == "fresh"
    if until == since and (is_fresh or corpus.fingerprint == parent.manifest["corpus"]):
        return Update(parent, False, {}, None)
    line = _DATED.sub("", parent.id) if "parent" in parent.manifest else parent.id
    chosen, earlier = _free_id(out, name or f"{line}-{until}", parent, until)
    spec = _spec_of(parent, builders, until, chosen)
    lineage = _lineage(corpus, parent, spec, since, earlier)
    built = build_round(corpus, spec, builders, out, lineage=lineage)
    if built is parent:
        return Update(parent, False, lineage.report, None)
    is_sealed = parent.spec["round"]["sealed"]
    revealed = write_reveal(parent, out) if is_sealed else None
    return Update(built, built is not earlier, lineage.report, revealed)


def _free_id(out: Path, name: str, parent: Round, until: date) -> tuple[str, Round | None]:
    """Choose an id for the update; return it with the latest earlier update to the same day.

    If late texts change the items, `NAME.2` is written, and published rounds stay unchanged.
    """
    earlier = None
    chosen, number = name, 1
    rounds = [load_round(path.parent) for path in sorted(out.glob(f"*/{MANIFEST}"))]
    children = {one.id: one for one in rounds if one.manifest.get("parent") == parent.link}
    while (out / chosen / MANIFEST).exists():
        child = children.get(chosen)
        if child is None or child.window.end != until:
            break  # `build_round` will refuse to change it
        earlier = child
        number += 1
        chosen = f"{name}.{number}"
    return chosen, earlier


def _spec_of(parent: Round, builders: Mapping[str, Builder], until: date, chosen: str) -> RoundSpec:
    values: dict[str, Any] = dict(parent.spec)
    first, end = parent.window.start, parent.window.end
    starts = {"fresh": end, "window": until - (end - first), "cumulative": first}
    start = starts.get(values.get("update", {}).get("items", "fresh"), first)
    window = {"start": start.isoformat(), "end": until.isoformat()}
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


def _lineage(
    corpus: Corpus, parent: Round, spec: RoundSpec, since: date, earlier: Round | None
) -> Lineage:
    """Link of the new round to its parent, with the part of the corpus that the round uses."""
    asked = spec.update
    rules = Rules(asked.quota, asked.keep_days, asked.inactive_days)
    history = History(corpus)
    # A round built directly, or updated without quota and pruning, has every paper published
    # before the end of its window.
    came = {row["paper_id"]: row["came_in"] for row in parent.rows(PAPERS)}
    if not came:
        members = members_until(history, parent.window.end)
        before, came_in = members, dict.fromkeys(members.papers, parent.id)
    else:
        authors = frozenset(str(row["key"]) for row in parent.rows(AUTHORS))
        before, came_in = Members(frozenset(came), authors), came
    grown = grow(history, before, since, spec.window.end, rules)
    seen, state = corpus, dict[str, tuple[list[Row], pa.Schema]]()
    if rules.selects:
        seen = SelectedCorpus(corpus, grown.members.papers)
        own = spec.round.id
        papers: list[Row] = [
            {"paper_id": name, "came_in": came_in.get(name, own), "how": grown.came.get(name)}
            for name in sorted(grown.members.papers)
        ]
        keys = [{"key": key} for key in sorted(grown.members.authors)]
        state = {
            PAPERS: (papers, pa.schema(texts("paper_id", "came_in", "how"))),
            AUTHORS: (keys, pa.schema(texts("key"))),
        }
    return Lineage(
        parent=parent,
        corpus=seen,
        left=grown.left if rules.selects else {},
        anchors=Anchors(parent, asked.anchors, spec.round.seed),
        late=LatePapers(parent, seen, is_fresh=asked.items == "fresh"),
        state=state,
        report={
            "parent": parent.id,
            "since": since.isoformat(),
            "until": spec.window.end.isoformat(),
            "new_papers": grown.counts["by_known_authors"] + grown.counts["by_new_authors"],
            **grown.counts,
        },
        earlier=earlier,
    )
