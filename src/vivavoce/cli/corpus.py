"""Verbs that fill and read a corpus, and build and measure its networks."""

from __future__ import annotations

import gc
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from operator import itemgetter
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from vivavoce.cli.bind import verb
from vivavoce.cli.output import Answer, count_lines, progress, say
from vivavoce.reports import Column, sheet
from vivavoce.requests import Arg, Opt, check_local
from vivavoce.requests.run import split_pair
from vivavoce.text.printing import counted

if TYPE_CHECKING:
    from vivavoce.records import Fault


def _at_place(context: typer.Context, value: str | None) -> Path | None:
    """Folder of a corpus; for an address, a local copy that is published as the command ends."""
    if value is None:
        return None
    if "://" not in value or context.resilient_parsing:
        return check_local(Path(value))
    from vivavoce.corpus.places import bring, publish

    copy = bring(value)

    def end() -> None:
        if sent := publish(copy):
            say(f"{value}: {counted(sent, 'file')} published", quiet=True)

    context.call_on_close(end)
    return copy


AT_PLACE: dict[str, Any] = {"metavar": "PATH", "parser": str, "callback": _at_place}
"""Settings of options that take a corpus, either a folder or an address."""
CorpusFolder = Annotated[
    Path,
    typer.Option(
        help="The corpus: a folder, or an address such as s3://bucket/corpus.", **AT_PLACE
    ),
]
SHOWN_FAULTS = 10

app = typer.Typer(no_args_is_help=True, help="Look at a corpus, check it, export its tables.")


def _parse_renames(pairs: list[str]) -> dict[str, str]:
    return dict(split_pair(pair, "THEIRS=OURS") for pair in pairs)


def ingest(
    kind: Annotated[str, Arg("A kind; see viva list sources.", metavar="KIND")],
    where: Annotated[Path, Arg("A file, or a folder of such files.", metavar="WHERE")],
    corpus: CorpusFolder,
    rename: Annotated[
        Mapping[str, str], Opt("Rename a column: THEIRS=OURS.", "--map", read=_parse_renames)
    ] = MappingProxyType({}),
    strict: Annotated[bool, Opt("Exit with 1 if anything failed.")] = False,
    fresh: Annotated[bool, Opt("Drop an unfinished ingest of this kind.")] = False,
    enrich: Annotated[
        Literal["none", "arxiv", "crossref"],
        Opt("For pdf: ask this service for titles, authors and dates."),
    ] = "none",
    base: Annotated[str | None, Opt("A loopback server.", hidden=True)] = None,
    engine: Annotated[str, Opt("native (this machine) or ray.")] = "native",
    address: Annotated[
        str | None,
        Opt(
            "The Ray cluster (default: a local one). Its machines must see the corpus under the "
            "same path or address.",
            metavar="HOST:PORT",
        ),
    ] = None,
) -> Answer:
    """Read papers into a corpus; broken files are reported and skipped."""
    from vivavoce.corpus import ingest as ingest_files
    from vivavoce.corpus.build.engine import Engine
    from vivavoce.sources import ReadOptions

    gc.set_threshold(100_000)  # records form no cycles, and a search among millions is slow
    if enrich != "none" and kind != "pdf":
        raise typer.BadParameter("only the kind pdf can be enriched", param_hint="--enrich")
    options = ReadOptions(dict(rename))
    where_to = Engine(engine, address)
    with progress(f"Reading {kind}") as update:
        report = ingest_files(
            kind, where, corpus, options=options, fresh=fresh, engine=where_to, progress=update
        )
    enriched = None
    if enrich != "none":
        from vivavoce.corpus.ingestion import lookup
        from vivavoce.sources.http import polite_client

        client = polite_client(lookup.HOSTS, base)
        with progress(f"Asking {enrich}") as update:
            enriched = lookup.enrich(corpus, client, enrich, base=base, progress=update)
        report = replace(report, dated=enriched.dated, undated=enriched.papers - enriched.dated)
    lines: list[str] = []
    if report.ignored_columns:
        lines.append(f"Columns ignored: {', '.join(report.ignored_columns)}")
    lines += fault_lines(report.failed)
    if report.doubtful:
        lines.append(
            f"{report.read - len(report.doubtful):,} read without doubts, {len(report.doubtful):,} "
            "with doubtful parts, which are never gold:"
        )
        lines += fault_lines(report.doubtful)
    lines.append(
        f"The corpus now has {counted(report.papers, 'paper')}: {report.dated:,} dated, "
        f"{report.undated:,} undated; {report.completed:,} are known from {kind} and "
        "another source."
    )
    if report.moved:
        lines.append(f"{counted(report.moved, 'paper')} moved to another first public date.")
    if enriched is not None:
        lines.append(f"{enrich} has {enriched.found:,} of the {enriched.asked:,} papers asked for.")
    if kind == "pdf" and report.undated:
        again = f"viva ingest pdf {shlex.quote(str(where))} --corpus {corpus}"
        lines.append(
            f"Undated papers are never targets. To look up dates: {again} --enrich arxiv (or "
            "crossref). To supply them, in rows with the columns file and published: viva ingest "
            f"metadata ROWS --corpus {corpus}"
        )
    if report.results:
        lines.append(
            f"{report.results:,} results come from {kind}; {report.results_of_papers:,} belong to "
            "papers of the corpus."
        )
    lines.append(f"{corpus}: {report.read:,} read from {kind}, {len(report.failed):,} failed")
    enrichment = {}
    if enriched:
        counts = {**asdict(enriched), "service": enrich, "index": str(enriched.index)}
        enrichment = {"enriched": counts}
    return Answer(
        {**asdict(report), "corpus": str(corpus), **enrichment},
        lines,
        exit_code=int(not report.read or (strict and bool(report.failed))),
        stopped=enriched.stopped if enriched else None,
    )


@verb(app, "corpus stats --of dates --corpus corpus")
def stats(
    corpus: CorpusFolder,
    of: Annotated[Literal["dates", "boards"] | None, Opt("Only this part, in more detail.")] = None,
) -> Answer:
    """Count the contents of a corpus, or measure a part of it.

    Dates: sources of the first public dates, and contradictions. Boards: counts of
    leaderboards, datasets, metrics.
    """
    from vivavoce.corpus import corpus_stats, load_corpus
    from vivavoce.corpus.boards import count_boards
    from vivavoce.corpus.stats import date_report

    opened = load_corpus(corpus)
    if of == "boards":
        counts = count_boards(opened.rows("results"))
    else:
        counts = date_report(opened) if of else corpus_stats(opened)
    if of != "dates":
        return Answer(counts, [str(corpus), *count_lines(counts)])
    names = ("paper_id", "first_public", "first_public_from", "date", "evidence", "verdict")
    below = ["  ".join(str(row[name]) for name in names) for row in counts["contradictions"]]
    changed = f"{counts['changed']:,} papers were public before their published date"
    below.append(f"{changed}; {len(counts['contradictions']):,} statements contradict others.")
    columns = (Column(itemgetter(0), "first public from"), Column(itemgetter(1), "papers"))
    return Answer(counts, [sheet("", counts["sources"].items(), *columns, below=below)])


@verb(app, "corpus verify --corpus corpus")
def verify(corpus: CorpusFolder) -> Answer:
    """Check every file of a corpus against its recorded hash."""
    from vivavoce.corpus import verify_corpus

    return report_problems(verify_corpus(corpus), corpus)


@verb(app, "corpus export papers --corpus corpus --out papers.jsonl")
def export(
    corpus: CorpusFolder,
    table: Annotated[
        str, Arg("papers, authorships, sections, references, tables, ...", metavar="TABLE")
    ],
    out: Annotated[Path, Opt("A .jsonl or .parquet file.")],
) -> Answer:
    """Write a table to a file."""
    from vivavoce.corpus import export_table, load_corpus

    rows = export_table(load_corpus(corpus), table, out)
    document = {"table": table, "rows": rows, "out": str(out)}
    return Answer(document, [f"{out}: {counted(rows, 'row')}"])


def fault_lines(faults: Sequence[Fault]) -> Iterator[str]:
    """Lines with the first few faults, and the number of further ones."""
    yield from (f"  {fault.where}: {fault.reason}" for fault in faults[:SHOWN_FAULTS])
    if len(faults) > SHOWN_FAULTS:
        yield f"  and {len(faults) - SHOWN_FAULTS:,} more (--json lists all)"


def report_problems(problems: list[str], where: Path) -> Answer:
    """Answer with the problems that a check found, or with a line that there are none."""
    document = {"sound": not problems, "problems": problems}
    return Answer(document, problems or [f"{where} is sound"], exit_code=int(bool(problems)))


network_app = typer.Typer(
    no_args_is_help=True, help="Build the networks of a corpus and measure them."
)


@verb(network_app, "network build --corpus corpus")
def build(
    corpus: CorpusFolder,
    only: Annotated[
        Sequence[Literal["coauthor", "citation", "comparison"]],
        Opt("Build only this network; repeatable."),
    ] = (),
    fresh: Annotated[bool, Opt("Rebuild instead of updating existing networks.")] = False,
) -> Answer:
    """Build the co-author, citation and comparison networks of a corpus, or update them."""
    import pyarrow as pa

    from vivavoce.corpus.reading import load_corpus
    from vivavoce.networks.stored import build_networks
    from vivavoce.networks.tables import FOLDER

    # Arrow's own pool is slow to allocate its first pages; a build is too short to benefit from it.
    pa.set_memory_pool(pa.system_memory_pool())
    names = list(only)
    with progress("Building networks") as update:
        manifest = build_networks(load_corpus(corpus), only=names, fresh=fresh, progress=update)
    sizes = {
        name: {part: files["rows"] for part, files in entry["files"].items()}
        for name, entry in manifest["networks"].items()
        if not names or name in names
    }
    path = str(corpus / FOLDER)
    lines = [f"  {name}: {n['nodes']:,} nodes, {n['edges']:,} edges" for name, n in sizes.items()]
    return Answer({"networks": sizes, "path": path}, [*lines, path])


@verb(network_app, "network stats --corpus corpus --by domain", "stats")
def network_stats(
    corpus: CorpusFolder,
    by: Annotated[Literal["domain"] | None, Opt("Break the numbers down by arXiv domain.")] = None,
) -> Answer:
    """Measure the networks: authors, papers, edges, components."""
    from vivavoce import networks
    from vivavoce.corpus import load_corpus

    opened = load_corpus(corpus)
    if not by:
        counts = networks.network_stats(opened)
        return Answer(counts, [str(corpus), *count_lines(counts)])
    domains = networks.by_domain(opened)
    edges = ("within", "to_others", "from_others", "external")
    table = sheet(
        "",
        [
            {**row, **row[name], "network": name}
            for row in domains
            for name in ("citation", "comparison")
        ],
        Column(lambda row: row["domain"] or "none", "domain"),
        *("papers", Column("references_mean", "references", form=".1f"), "network"),
        *(Column(name, name.replace("_", " ")) for name in edges),
        *(Column(f"{name}_mean", name, form=".2f") for name in ("in", "out")),
    )
    return Answer(domains, [table])
