"""The papers a round is made of where it is not the whole corpus: those its network holds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date
from functools import cached_property
from typing import TYPE_CHECKING

from vivavoce.corpus import Corpus
from vivavoce.networks.growth import History, Members, members_until
from vivavoce.records import Paper
from vivavoce.rounds.reading import Round
from vivavoce.store import Row

if TYPE_CHECKING:
    import pyarrow as pa

PAPERS, AUTHORS = "network/papers.parquet", "network/authors.parquet"
"""Files of a round that hold its network: papers, each with the round it came in, and nodes."""


class SelectedCorpus(Corpus):
    """A corpus of which only some papers are seen.

    Networks and the full-text index stay those of the whole corpus. A result of a work that is no
    paper of the corpus is seen; one of a paper that was left out is not.
    """

    def __init__(self, corpus: Corpus, papers: frozenset[str]) -> None:
        super().__init__(corpus.folder, corpus.manifest)
        self._whole = corpus
        self._selected = papers

    def rows(self, table: str) -> Iterator[Row]:
        """The rows of a table that are of a paper seen, or of none."""
        for row in super().rows(table):
            paper_id = row.get("paper_id")
            if paper_id is None or paper_id in self._selected:
                yield row

    @cached_property
    def papers(self) -> tuple[Paper, ...]:
        """The papers seen, sorted by id."""
        return tuple(paper for paper in self._whole.papers if paper.paper_id in self._selected)


def read_members(history: History, opened: Round) -> tuple[Members, Mapping[str, str]]:
    """The network that a round was made of, and the round each paper came in.

    A round that was built, or updated without quota and pruning, holds every paper that was out
    before its window's end.
    """
    came = {row["paper_id"]: row["came_in"] for row in opened.rows(PAPERS)}
    if not came:
        found = members_until(history, date.fromisoformat(opened.manifest["window"]["end"]))
        return found, dict.fromkeys(found.papers, opened.id)
    authors = frozenset(str(row["key"]) for row in opened.rows(AUTHORS))
    return Members(frozenset(came), authors), came


def member_files(
    members: Members, came_in: Mapping[str, str], how: Mapping[str, str], round_id: str
) -> dict[str, tuple[list[Row], pa.Schema]]:
    """The rows and columns of the files that hold a round's network.

    Args:
        members: The network.
        came_in: The round each paper of the network before came in.
        how: How the papers of this round came.
        round_id: This round.
    """
    import pyarrow as pa

    papers = [
        {"paper_id": name, "came_in": came_in.get(name, round_id), "how": how.get(name)}
        for name in sorted(members.papers)
    ]
    text = pa.string()
    return {
        PAPERS: (papers, pa.schema([("paper_id", text), ("came_in", text), ("how", text)])),
        AUTHORS: ([{"key": key} for key in sorted(members.authors)], pa.schema([("key", text)])),
    }
