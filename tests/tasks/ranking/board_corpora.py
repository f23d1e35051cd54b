"""Corpora of a few papers with results typed by hand, and rounds of them."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from vivavoce.corpus import Corpus, ingest, load_corpus
from vivavoce.networks import build_networks
from vivavoce.rounds import Round, load_round
from vivavoce.tasks import build_round

WINDOW = {"start": "2020-01-01", "end": "2022-01-01"}


class Papers:
    """A corpus in the making: papers by name, and the boards that they are on."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._papers: list[dict[str, Any]] = []
        self._links: dict[str, str] = {}
        self._titles: dict[str, str] = {}
        self._undated: set[str] = set()
        self._boards: list[dict[str, Any]] = []

    def add(self, name: str, title: str, published: str | None = "2021-03-01") -> None:
        """Add a paper; one with a date has an arXiv id, one without is known by its title."""
        row: dict[str, Any] = {"id": name, "title": title, "abstract": f"On {title}."}
        if published:
            number = f"{published[2:4]}{published[5:7] or '01'}.{len(self._papers) + 1:05d}"
            row |= {"arxiv_id": number, "published": published}
            self._links[name] = f"https://arxiv.org/abs/{number}"
        else:
            self._undated.add(name)
        self._titles[name] = title
        self._papers.append(row)

    def name_of(self, paper_id: str) -> str:
        """The name of a paper of the corpus."""
        links = {link.rpartition("/")[2]: name for name, link in self._links.items()}
        return links.get(paper_id.removeprefix("arxiv:"), paper_id)

    def board(
        self, task: str, dataset: str, metric: str, scores: Sequence[tuple[str, float | str]]
    ) -> None:
        """Add a board: names of papers, or of works outside the corpus, with their scores."""
        rows = [
            {
                "model_name": f"{name} net {place}",
                "paper_title": self._titles.get(name, name),
                "paper_url": self._links.get(name, f"https://example.org/{name}"),
                **({} if name in self._undated else {"paper_date": "2020-05-05"}),
                "metrics": {metric: str(score)},
            }
            for place, (name, score) in enumerate(scores)
        ]
        sota = {"metrics": [metric], "rows": rows}
        self._boards.append({"task": task, "datasets": [{"dataset": dataset, "sota": sota}]})

    def corpus(self) -> Corpus:
        """The corpus, without networks."""
        lines = "\n".join(map(json.dumps, self._papers))
        (self.folder / "papers.jsonl").write_text(lines)
        (self.folder / "evaluation-tables.json").write_text(json.dumps(self._boards))
        ingest("metadata", self.folder / "papers.jsonl", self.folder / "c")
        ingest("pwc", self.folder / "evaluation-tables.json", self.folder / "c")
        return load_corpus(self.folder / "c")

    def round(self, window: Mapping[str, str] = WINDOW, **options: Any) -> Round:
        """A round of the corpus with its networks, its seed 0 unless another is given."""
        seed = options.pop("seed", 0)
        values = {"id": "r", "window": dict(window), "families": ["ranking"], "seed": seed}
        spec = {"round": values, "ranking": options}
        corpus = self.corpus()
        build_networks(corpus)
        return load_round(build_round(corpus.folder, spec, self.folder / "rounds").folder)


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
