"""Verbs that build and search the full-text index of a corpus."""

from __future__ import annotations

from dataclasses import asdict
from enum import StrEnum
from pathlib import Path

import typer

from vivavoce.cli.corpus import CORPUS_OPTION
from vivavoce.cli.output import JSON_OPTION, print_json, progress, say

app = typer.Typer(no_args_is_help=True, help="Index the texts of a corpus and search them.")


class Text(StrEnum):
    """What of a paper is indexed."""

    abstracts = "abstracts"
    full = "full"


TEXT_OPTION = typer.Option(
    Text.abstracts, "--text", help="Titles and abstracts, or the full texts as well."
)


@app.command(epilog="Example: viva index build --corpus corpus --text full")
def build(
    corpus: Path = CORPUS_OPTION,
    text: Text = TEXT_OPTION,
    fresh: bool = typer.Option(False, "--fresh", help="Drop the index and build it anew."),
    as_json: bool = JSON_OPTION,
) -> None:
    """Build the index of a corpus, or bring it up to date: only what changed is touched."""
    from vivavoce.corpus import load_corpus
    from vivavoce.corpus.fulltext.index import build_index, index_folder

    opened = load_corpus(corpus)
    with progress(f"Indexing {text}") as update:
        report = build_index(opened, text=text.value, fresh=fresh, progress=update)
    path = index_folder(opened, text.value)
    if as_json:
        print_json({**asdict(report), "path": str(path)})
        return
    say(
        f"  {report.papers:,} papers: {report.added:,} added, {report.changed:,} changed, "
        f"{report.removed:,} removed"
    )
    say(str(path))


@app.command(epilog="Example: viva index search 'graph neural network' --corpus corpus")
def search(
    words: list[str] = typer.Argument(
        metavar="WORDS", help="A paper is found when it contains each of them."
    ),
    corpus: Path = CORPUS_OPTION,
    text: Text = TEXT_OPTION,
    before: str | None = typer.Option(
        None, "--before", metavar="DATE", help="Only papers dated before this day, month or year."
    ),
    drop_stop_words: bool = typer.Option(
        False, "--drop-stop-words", help="Do not ask for words such as the, of and for."
    ),
    limit: int = typer.Option(20, "--limit", min=1, help="How many to show."),
    as_json: bool = JSON_OPTION,
) -> None:
    """Find the papers that contain every word, sorted by id."""
    from vivavoce.corpus import load_corpus
    from vivavoce.corpus.fulltext.index import open_index, read_titles
    from vivavoce.text.dates import period
    from vivavoce.text.terms import query_terms

    query = " ".join(words)
    as_of = period(before)[0] if before is not None else None
    opened = load_corpus(corpus)
    index = open_index(opened, text=text.value)
    found = index.all_terms(query, as_of=as_of, drop_stop_words=drop_stop_words)
    rows = read_titles(opened, found[:limit])
    terms = query_terms(query, drop_stop_words=drop_stop_words)
    if as_json:
        print_json({"terms": terms, "before": before, "count": len(found), "papers": rows})
        return
    for row in rows:
        say(f"  {row['paper_id']}  {row['published'] or 'undated'}  {row['title'] or ''}")
    if len(found) > len(rows):
        say(f"  and {len(found) - len(rows):,} more (--limit shows more)")
    say(
        f"{corpus}: {len(found):,} of {len(index):,} papers contain {', '.join(terms) or 'no term'}"
    )
