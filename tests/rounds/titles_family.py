"""A family made in no time: the titles of papers, each with an earlier paper as example."""

from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from vivavoce.corpus import Corpus, ingest, load_corpus
from vivavoce.rounds import (
    Exclusion,
    FamilyItems,
    Options,
    Round,
    RoundSpec,
    build_round,
    parse_spec,
)
from vivavoce.rounds.updating import Update, update_round
from vivavoce.store import Row, write_jsonl
from vivavoce.text.dates import earlier

_TEXT = pa.string()
ITEM = pa.schema(
    [(name, _TEXT) for name in ("id", "paper_id", "cluster", "published", "split", "reference")]
    + [("demos", pa.list_(_TEXT))]
)
PAPER = pa.schema([("paper_id", _TEXT), ("abstract", _TEXT)])


class TitlesOptions(Options):
    """The `[titles]` table."""

    test: int = 1
    """The newest so many items are the test split."""


class Titles:
    """The builder; its items name papers whose abstracts stand in a file beside them."""

    FAMILY = "titles"
    FOLLOWS_AUTHORS = True
    OPTIONS: type[Options] = TitlesOptions

    def build(self, corpus: Corpus, spec: RoundSpec, options: Any) -> FamilyItems:
        targets = [paper for paper in corpus.papers if spec.takes(paper)]
        rows: list[Row] = []
        for paper in targets:
            before = [
                other.paper_id
                for other in corpus.papers
                if other.first_public and earlier(other.first_public, paper.first_public or "")
            ]
            rows.append(
                {
                    "id": paper.paper_id,
                    "paper_id": paper.paper_id,
                    "cluster": paper.paper_id,
                    "published": paper.first_public,
                    "split": "train",
                    "reference": paper.title,
                    "demos": before[-1:],
                }
            )
        for row in sorted(rows, key=lambda row: str(row["published"]))[-options.test :]:
            row["split"] = "test"
        shown = {name for row in rows for name in (row["paper_id"], *row["demos"])}
        library = [
            {"paper_id": p.paper_id, "abstract": p.abstract}
            for p in corpus.papers
            if p.paper_id in shown
        ]
        sink = pa.BufferOutputStream()
        pq.write_table(pa.Table.from_pylist(library, schema=PAPER), sink, compression="zstd")
        left = {p.paper_id: p.first_public for p in corpus.papers if p not in targets}
        reasons = {name: "outside_window" if day else "undated" for name, day in left.items()}
        return FamilyItems(
            {"first": rows},
            {"first": ITEM},
            [Exclusion("first", name, reasons[name], left[name]) for name in sorted(left)],
            {"papers.parquet": bytes(sink.getvalue().to_pybytes())},
        )


BUILDERS = {"titles": Titles()}


def corpus_of(folder: Path, written: Mapping[str, tuple[str | None, Sequence[str]]]) -> Corpus:
    """A corpus of papers, each with its date and its authors; more may be added later."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = [
        {
            "id": name,
            "title": f"On the matter of {name}",
            "abstract": f"What {name} says.",
            "published": day,
            "authors": list(who),
            "author_ids": [author.lower() for author in who],
        }
        for name, (day, who) in written.items()
    ]
    file = folder / f"{len(list(folder.glob('*.jsonl')))}.jsonl"
    write_jsonl(file, rows)
    ingest("metadata", file, folder / "corpus")
    return load_corpus(folder / "corpus")


def spec_of(
    end: date, *, sealed: int = False, items: str = "cumulative", **update: int
) -> dict[str, Any]:
    """A spec of the family from 2023 to some day, with an `[update]` table."""
    window = {"start": "2023-01-01", "end": end.isoformat()}
    opening = {"id": "live", "window": window, "families": ["titles"], "sealed": bool(sealed)}
    return {"round": opening, "update": {**update, "items": items}}


def build(corpus: Corpus, spec: Mapping[str, Any], out: Path) -> Round:
    """A round of the family."""
    return build_round(corpus, parse_spec(spec, {"titles": TitlesOptions}), BUILDERS, out)


def follow(opened: Round, corpus: Corpus, until: date, *, name: str | None = None) -> Update:
    """The update of such a round, beside it."""
    return update_round(corpus, opened, BUILDERS, opened.folder.parent, until, name=name)


def ids(opened: Round) -> list[str]:
    """The items of a round."""
    return [str(row["id"]) for row in opened.items("titles", "first")]
