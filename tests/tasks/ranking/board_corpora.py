"""Papers without texts, boards of them typed by hand, and rounds to rank them in."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.tasks.leaderboards.board_corpora import Boards

from vivavoce.networks import build_networks
from vivavoce.rounds import Round, load_round
from vivavoce.tasks import build_round

WINDOW = {"start": "2020-01-01", "end": "2022-01-01"}


class Papers(Boards):
    """A corpus in the making: papers by name, and the boards that they are on."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._addresses: dict[str, str] = {}
        self._undated: set[str] = set()

    def add(self, name: str, title: str, published: str | None = "2021-03-01") -> None:
        """Add a paper."""
        if published is None:
            self._undated.add(name)
        self._addresses[name] = self.paper(
            name, published, title=title, has_text=False, abstract=f"On {title}."
        )

    def name_of(self, paper_id: str) -> str:
        """The name of a paper of the corpus."""
        names = {address.rpartition("/")[2]: name for name, address in self._addresses.items()}
        return names[paper_id.removeprefix("arxiv:")]

    def board(
        self, task: str, dataset: str, metric: str, scores: Sequence[tuple[str, float | str]]
    ) -> None:
        """Add a board: names of papers, or of works outside the corpus, with their scores."""
        for place, (name, score) in enumerate(scores):
            address = self._addresses.get(name, f"https://example.org/{name}")
            date = None if name in self._undated else "2020-05-05"
            where = {"task": task, "dataset": dataset, "metric": metric}
            self.result(f"{name} net {place}", str(score), address, date=date, **where)

    def ranking_round(self, window: Mapping[str, str] = WINDOW, **options: Any) -> Round:
        """A round of the corpus with its networks."""
        spec = {
            "round": {"id": "r", "window": dict(window), "families": ["ranking"]},
            "ranking": options,
        }
        build_networks(self.corpus)
        return load_round(build_round(self.corpus.folder, spec, self.folder / "rounds").folder)


TITLES = {
    "ash": "Trees of Ash, Elm, and Oak for Text",
    "bay": "Sparse Attention",
    "cob": "Sparse Attention with Memory",
    "dew": "Parsing <i>Quickly</i>",
}


def four_papers(folder: Path) -> Papers:
    """Four papers: a title with commas, one inside another, one with markup in it."""
    papers = Papers(folder)
    for name, title in TITLES.items():
        papers.add(name, title)
    return papers
