"""Papers with tables and results written one by one, and a round of their boards."""

import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any

from vivavoce.corpus import Corpus, ingest, load_corpus
from vivavoce.rounds import Round, parse_spec
from vivavoce.rounds.build import build_round
from vivavoce.tasks.leaderboards import build as family
from vivavoce.tasks.leaderboards.build import OPTIONS

TEI = """<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><fileDesc><titleStmt>
<title level="a" type="main">{title}</title></titleStmt></fileDesc><profileDesc>
<abstract><p>{abstract}</p></abstract></profileDesc></teiHeader><text><body>{body}{tables}</body>
</text></TEI>"""
TABLE = (
    '<figure type="table"><head>Table {number}</head><figDesc>{caption}</figDesc>'
    "<table>{rows}</table></figure>"
)

Cells = Sequence[Sequence[str]]


class Boards:
    """A corpus in the making."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.papers: list[dict[str, Any]] = []
        self.results: list[dict[str, Any]] = []

    def paper(
        self,
        name: str,
        published: str | None = "2024-03-01",
        *,
        title: str = "",
        tables: Mapping[str, Cells] | None = None,
        has_text: bool = True,
        text: str = "We say what we did.",
        abstract: str | None = None,
    ) -> str:
        """Add a paper, with tables by caption; gives the address that results name it by."""
        month = (published or "2024-03")[2:7].replace("-", "")
        arxiv_id = f"{month}.{len(self.papers) + 1:05d}"
        title = title or f"The matter of {name}"
        address = f"https://arxiv.org/abs/{arxiv_id}"
        row = {"id": f"arxiv:{arxiv_id}", "arxiv_id": arxiv_id, "title": title}
        if published is None or len(published) == 4:  # an identifier of arXiv's tells a month
            arxiv_id = name
            address = f"https://papers.example/{name}"
            row = {"id": name, "source_url": address, "title": title}
        if has_text:
            path = self.folder / "tei" / f"{arxiv_id}.tei.xml"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(
                TEI.format(
                    title=escape(title),
                    abstract=f"We study {name} with care and report on it.",
                    body=f"<div><head>Results</head><p>{escape(text)}</p></div>",
                    tables="".join(
                        TABLE.format(number=n, caption=escape(caption), rows=_rows(cells))
                        for n, (caption, cells) in enumerate((tables or {}).items(), 1)
                    ),
                )
            )
            row["file"] = path.name
        known = {"published": published, "abstract": abstract}
        self.papers.append(row | {name: value for name, value in known.items() if value})
        return address

    def result(
        self,
        method: str,
        score: str,
        paper: str | None = None,
        *,
        task: str = "Parsing",
        dataset: str = "Treebank",
        metric: str = "F1",
        date: str | None = None,
    ) -> None:
        """Add a score."""
        self.results.append(
            {
                "source": "pwc",
                "task": task,
                "dataset": dataset,
                "metric": metric,
                "method": method,
                "score": score,
                "paper_title": None,
                "paper_url": paper,
                "paper_date": date,
            }
        )

    @cached_property
    def corpus(self) -> Corpus:
        """The corpus of all that was added before it was asked for."""
        target = self.folder / "corpus"
        if (self.folder / "tei").is_dir():
            ingest("tei", self.folder / "tei", target)
        for name, kind, rows in (
            ("papers.jsonl", "metadata", self.papers),
            ("pwc_rows.jsonl", "pwc", self.results),
        ):
            path = self.folder / name
            path.write_text("".join(json.dumps(row) + "\n" for row in rows))
            ingest(kind, path, target)
        return load_corpus(target)

    def round(
        self, start: str = "2024-01-01", end: str = "2025-01-01", name: str = "hand", **options: Any
    ) -> Round:
        """The round of a window."""
        values = {"id": name, "window": {"start": start, "end": end}, "families": ["leaderboards"]}
        spec = parse_spec({"round": values, "leaderboards": options}, {"leaderboards": OPTIONS})
        return build_round(self.corpus, spec, {"leaderboards": family}, self.folder / "rounds")


def _rows(cells: Cells) -> str:
    rows = ("".join(f"<cell>{escape(cell)}</cell>" for cell in row) for row in cells)
    return "".join(f"<row>{row}</row>" for row in rows)


TEST, DEV = "Treebank", "Webbank"
"""Data sets whose boards of parsing by F1 are test boards, or development ones."""


def parsing(folder: Path) -> Boards:
    """Four papers on parsing; three have tables on `TEST`, on `DEV` and on their parts."""
    made = Boards(folder)
    scores = {"Alder": ("91.5", "81.5"), "Birch": ("92.25", "82.25"), "Cedar": ("93", "83")}
    for place, (name, (test, dev)) in enumerate(scores.items()):
        earlier = list(scores.items())[: place + 1]
        address = made.paper(
            name,
            f"2024-0{place + 1}-15",
            title=f"{name}: a parser",
            tables={
                f"F1 on {TEST}": [["Model", "F1"], *([n, pair[0]] for n, pair in earlier)],
                f"F1 on {DEV}": [["Model", "F1"], *([n, pair[1]] for n, pair in earlier)],
                "Without its parts": [["Part", "F1"], [f"{name} without leaves", "70.5"]],
            },
            text=f"{name} parses sentences. " + "It does so again and again. " * 30,
        )
        made.result(name, test, address, dataset=TEST)
        made.result(name, dev, address, dataset=DEV)
    other = made.paper("soup", title="On soup", text="Soup is boiled, and Treebank F1 is not.")
    assert other
    return made
