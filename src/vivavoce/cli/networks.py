"""Verbs that build the networks and the full-text index of a corpus, and read them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from vivavoce.cli.corpus import CORPUS_OPTION
from vivavoce.cli.corpus import app as corpus_app
from vivavoce.cli.output import (
    JSON_OPTION,
    print_counts,
    print_json,
    print_table,
    progress,
    refuse_unread,
    say,
)
from vivavoce.reports import Column, sheet

if TYPE_CHECKING:
    from vivavoce.corpus import Corpus
    from vivavoce.networks.stats import Measure

RESULT_OPTION = typer.Option(
    False, "--result-like", help="Compare only where a table looks like results."
)
PROSE_OPTION = typer.Option(
    False, "--prose", help="Add comparisons stated in sentences (after build --prose)."
)

app = typer.Typer(no_args_is_help=True, help="Build the networks of a corpus and measure them.")


class By(StrEnum):
    """Groups that `viva network stats` breaks its numbers down by, and ranks of nodes."""

    network = "network"
    category = "category"
    domain = "domain"
    month = "month"
    degree = "degree"
    pagerank = "pagerank"
    in_degree = "in_degree"


class Name(StrEnum):
    """The networks."""

    coauthor = "coauthor"
    citation = "citation"
    comparison = "comparison"


class Keep(StrEnum):
    """Parts of a walk that may be kept."""

    seeds = "seeds"
    largest = "largest"


@app.command(epilog="Example: viva network build --corpus corpus")
def build(
    corpus: Path = CORPUS_OPTION,
    prose: bool = typer.Option(
        False, "--prose", help="Also read comparing sentences into the comparison network."
    ),
    only: list[Name] = typer.Option(
        [], "--only", help="Build this network and leave the others as they are; repeatable."
    ),
    fresh: bool = typer.Option(
        False, "--fresh", help="Rebuild instead of updating existing networks."
    ),
    as_json: bool = JSON_OPTION,
) -> None:
    """Build the co-author, citation and comparison networks of a corpus, or update them."""
    import pyarrow as pa

    from vivavoce.corpus.reading import load_corpus
    from vivavoce.networks.stored import build_networks
    from vivavoce.networks.tables import FOLDER

    # Arrow's own pool is slow to get its first pages, and a build ends before that pays.
    pa.set_memory_pool(pa.system_memory_pool())
    names = [name.value for name in only]
    with progress("Building networks") as update:
        manifest = build_networks(
            load_corpus(corpus), prose=prose, only=names, fresh=fresh, progress=update
        )
    sizes = {
        name: {part: files["rows"] for part, files in entry["files"].items()}
        for name, entry in manifest["networks"].items()
        if not names or name in names
    }
    if as_json:
        print_json({"networks": sizes, "path": str(corpus / FOLDER)})
        return
    for name, size in sizes.items():
        say(f"  {name}: {size['nodes']:,} nodes, {size['edges']:,} edges")
    say(str(corpus / FOLDER))


_OF_RANKS = ("network", "top", "external")


@app.command(
    epilog="Example: viva network stats --corpus corpus --by domain; the works that stand out: "
    "viva network stats --corpus corpus --by pagerank --top 20"
)
def stats(
    context: typer.Context,
    corpus: Path = CORPUS_OPTION,
    by: By | None = typer.Option(
        None, "--by", help="Break the numbers down, or rank papers or authors."
    ),
    network: Name = typer.Option(Name.citation, "--network", help="Ranks: the network."),
    top: int = typer.Option(20, "--top", min=1, help="Ranks: number of works to show."),
    external: bool = typer.Option(True, help="Ranks: works outside the corpus too."),
    result_like: bool = RESULT_OPTION,
    prose: bool = PROSE_OPTION,
    as_json: bool = JSON_OPTION,
) -> None:
    """Measure the networks: authors, papers, edges, components; or rank their nodes."""
    from vivavoce.corpus import load_corpus

    options = {"result_like": result_like, "prose": prose}
    if by is By.pagerank or by is By.in_degree:
        measure: Measure = "pagerank" if by is By.pagerank else "in_degree"
        _print_ranks(load_corpus(corpus), network, measure, top, external, options, as_json)
        return
    read = {str(parameter.name) for parameter in context.command.params} - {*_OF_RANKS}
    refuse_unread(context, read, f"--by {by}" if by else "it without --by pagerank")
    found = _measure(load_corpus(corpus), by, options)
    if as_json:
        print_json(found)
    elif by in {By.category, By.domain}:
        _print_groups(found, str(by))
    else:
        say(str(corpus))
        print_counts(found)


def _print_ranks(
    corpus: Corpus,
    network: Name,
    by: Measure,
    top: int,
    external: bool,
    options: dict[str, bool],
    as_json: bool,
) -> None:
    """Print the papers or authors that stand out, by PageRank or in-degree."""
    from vivavoce.networks import load_network, rank_nodes

    rows = rank_nodes(
        load_network(corpus, network.value, external=external, **options), top=top, by=by
    )
    if as_json:
        print_json({"network": network.value, "by": by, "rows": rows})
        return
    print_table(
        sheet(
            "",
            rows,
            *("rank", Column("pagerank", form=".4g"), Column("in_degree", "in"), "key"),
            Column(lambda row: (row.get("title") or row.get("name") or "")[:60], "title or name"),
        )
    )


@app.command(
    epilog="Example: viva network walk --corpus corpus --seed 'Author 001' --out authors.jsonl"
)
def walk(
    corpus: Path = CORPUS_OPTION,
    seed: list[str] = typer.Option(..., "--seed", help="An author's id or name; repeatable."),
    out: Path = typer.Option(..., "--out", help="A .jsonl file, one author a line."),
    nodes: int = typer.Option(1_000, "--nodes", min=1, help="Stop at so many authors."),
    neighbours: int = typer.Option(20, "--neighbours", min=1, help="Go on to so many of each."),
    component: Keep = typer.Option(Keep.seeds, "--component", help="Which component to keep."),
    as_json: bool = JSON_OPTION,
) -> None:
    """Walk from seed authors to co-authors, each with their first-author papers."""
    from vivavoce.corpus import load_corpus
    from vivavoce.networks import walk_coauthors
    from vivavoce.store import write_jsonl

    found = walk_coauthors(
        load_corpus(corpus),
        seed,
        nodes=nodes,
        neighbours=neighbours,
        component=component.value,
    )
    write_jsonl(out, [asdict(author) for author in found.authors])
    counts = {
        "authors": len(found.authors),
        "edges": len(found.edges),
        "without_papers": len(found.without_papers),
        "outside": found.outside,
    }
    if as_json:
        print_json({**counts, "out": str(out)})
    else:
        say(
            f"{out}: {counts['authors']:,} authors, {counts['edges']:,} edges; "
            f"{counts['without_papers']:,} met who never are first author"
        )


def _measure(corpus: Corpus, by: By | None, options: dict[str, bool]) -> Any:
    from vivavoce import networks

    if by is By.month:
        return networks.by_month(corpus)
    measures: dict[By | None, Callable[..., Any]] = {
        By.network: networks.whole_networks,
        By.category: networks.by_category,
        By.domain: networks.by_domain,
        By.degree: networks.degree_counts,
        None: networks.network_stats,
    }
    return measures[by](corpus, **options)


def _print_groups(rows: list[dict[str, Any]], label: str) -> None:
    networks = ("citation", "comparison")
    counts = ("within", "to_others", "from_others", "external")
    print_table(
        sheet(
            "",
            [{**row, **row[name], "network": name} for row in rows for name in networks],
            Column(lambda row: row[label] or "none", label),
            *("papers", Column("references_mean", "references", form=".1f"), "network"),
            *(Column(name, name.replace("_", " ")) for name in counts),
            *(Column(f"{name}_mean", name, form=".2f") for name in ("in", "out")),
        )
    )


class Text(StrEnum):
    """Texts of a paper that are indexed."""

    abstracts = "abstracts"
    full = "full"


TEXT_OPTION = typer.Option(
    Text.abstracts, "--text", help="Titles and abstracts, or the full texts as well."
)


@corpus_app.command(epilog="Example: viva corpus index --corpus corpus --text full")
def index(
    corpus: Path = CORPUS_OPTION,
    text: Text = TEXT_OPTION,
    fresh: bool = typer.Option(False, "--fresh", help="Drop the index and rebuild it."),
    as_json: bool = JSON_OPTION,
) -> None:
    """Build the index of a corpus, or bring it up to date: only what changed is touched."""
    from vivavoce.corpus import fulltext as fulltext
    from vivavoce.corpus import load_corpus

    opened = load_corpus(corpus)
    with progress(f"Indexing {text}") as update:
        report = fulltext.build_index(opened, text=text.value, fresh=fresh, progress=update)
    path = fulltext.index_folder(opened, text.value)
    if as_json:
        print_json({**asdict(report), "path": str(path)})
        return
    say(
        f"  {report.papers:,} papers: {report.added:,} added, {report.changed:,} changed, "
        f"{report.removed:,} removed"
    )
    say(str(path))


@corpus_app.command(epilog="Example: viva corpus search 'graph neural network' --corpus corpus")
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
    from vivavoce.corpus.fulltext import open_index
    from vivavoce.corpus.reading import read_titles
    from vivavoce.text.dates import period
    from vivavoce.text.terms import query_terms

    query = " ".join(words)
    as_of = period(before)[0] if before is not None else None
    opened = load_corpus(corpus)
    indexed = open_index(opened, text=text.value)
    found = indexed.all_terms(query, as_of=as_of, drop_stop_words=drop_stop_words)
    rows = read_titles(opened, found[:limit])
    terms = query_terms(query, drop_stop_words=drop_stop_words)
    if as_json:
        print_json({"terms": terms, "before": before, "count": len(found), "papers": rows})
        return
    for row in rows:
        say(f"  {row['paper_id']}  {row['published'] or 'undated'}  {row['title'] or ''}")
    if len(found) > len(rows):
        say(f"  and {len(found) - len(rows):,} more (--limit shows more)")
    said = f"{len(found):,} of {len(indexed):,} papers contain {', '.join(terms) or 'no term'}"
    say(f"{corpus}: {said}")
