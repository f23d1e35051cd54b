"""Verbs that fill and read a corpus."""

from __future__ import annotations

import gc
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from operator import itemgetter
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from vivavoce.cli.bind import Json, verb
from vivavoce.cli.output import (
    answer,
    end_if_stopped,
    print_counts,
    print_json,
    print_table,
    progress,
    say,
)
from vivavoce.errors import InputError
from vivavoce.reports import Column, sheet
from vivavoce.requests import Arg, Opt, check_local

if TYPE_CHECKING:
    from vivavoce.corpus import Corpus
    from vivavoce.corpus.ingestion.lookup import EnrichReport
    from vivavoce.records import Fault


def _at_place(context: typer.Context, value: str | None) -> Path | None:
    """The folder of a corpus; of one at an address its copy, published when the command ends."""
    if value is None:
        return None
    if "://" not in value or context.resilient_parsing:
        return check_local(Path(value))
    from vivavoce.corpus.places import bring, publish

    copy = bring(value)

    def end() -> None:
        if sent := publish(copy):
            say(f"{value}: {sent:,} files published", quiet=True)

    context.call_on_close(end)
    return copy


AT_PLACE: dict[str, Any] = {"metavar": "PATH", "parser": str, "callback": _at_place}
"""Settings of the options that take the corpus, a folder or an address."""
CorpusFolder = Annotated[
    Path,
    typer.Option(
        help="The corpus: a folder, or an address such as s3://bucket/corpus.", **AT_PLACE
    ),
]
SHOWN_FAULTS = 10
SHOWN_TUPLES = 30

app = typer.Typer(no_args_is_help=True, help="Look at a corpus, check it, export its tables.")


def _parse_renames(pairs: list[str]) -> dict[str, str]:
    renames = {}
    for pair in pairs:
        theirs, separator, ours = pair.partition("=")
        if not (theirs and separator and ours):
            raise InputError(f"{pair!r} is not of the form THEIRS=OURS")
        renames[theirs] = ours
    return renames


def ingest(
    kind: Annotated[str, Arg("A kind of viva list sources.", metavar="KIND", complete="sources")],
    where: Annotated[Path, Arg("A file, or a folder of such files.", metavar="WHERE")],
    corpus: CorpusFolder,
    rename: Annotated[
        Mapping[str, str], Opt("Rename a column: THEIRS=OURS.", "--map", read=_parse_renames)
    ] = MappingProxyType({}),
    strict: Annotated[bool, Opt("End with 1 when anything failed.")] = False,
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
            "The Ray cluster, whose machines see the corpus under the same path or at its "
            "address; a local one without.",
            metavar="HOST:PORT",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Read papers into a corpus; a broken file is reported and the rest goes in."""
    from vivavoce.corpus import ingest as ingest_files
    from vivavoce.corpus.build.engine import Engine
    from vivavoce.sources import ReadOptions

    gc.set_threshold(100_000)  # records make no cycles; looking for them among millions is slow
    if enrich != "none" and kind != "pdf":
        raise typer.BadParameter("only papers of the kind pdf lack metadata", param_hint="--enrich")
    options = ReadOptions(dict(rename))
    where_to = Engine(engine, address)
    with progress(f"Reading {kind}") as update:
        report = ingest_files(
            kind, where, corpus, options=options, fresh=fresh, engine=where_to, progress=update
        )
    enriched = None if enrich == "none" else _enrich(corpus, enrich, base)
    if enriched:
        report = replace(report, dated=enriched.dated, undated=enriched.papers - enriched.dated)
    lines: list[str] = []
    if report.ignored_columns:
        lines.append(f"Columns ignored: {', '.join(report.ignored_columns)}")
    lines += fault_lines(report.failed)
    if report.doubtful:
        lines.append(
            f"{report.read - len(report.doubtful):,} read well, "
            f"{len(report.doubtful):,} in doubt, whole or in a part, which is no gold:"
        )
        lines += fault_lines(report.doubtful)
    lines.append(
        f"The corpus now has {report.papers:,} papers: {report.dated:,} dated, "
        f"{report.undated:,} undated; {report.completed:,} are known from {kind} and "
        "another source."
    )
    if enriched is not None:
        lines.append(f"{enrich} knows {enriched.found:,} of {enriched.asked:,} papers asked for.")
    if kind == "pdf" and report.undated:
        again = f"viva ingest pdf {shlex.quote(str(where))} --corpus {corpus}"
        lines.append(
            f"Undated papers are never targets: {again} --enrich arxiv (or crossref) asks "
            f"for dates; viva ingest metadata ROWS --corpus {corpus} gives them, by rows with "
            "the columns file and published."
        )
    if report.results:
        lines.append(
            f"{report.results:,} results are from {kind}, {report.results_of_papers:,} of them "
            "of papers of the corpus."
        )
    lines.append(f"{corpus}: {report.read:,} read from {kind}, {len(report.failed):,} failed")
    told = {"enriched": asdict(enriched)} if enriched else {}
    answer({**asdict(report), "corpus": str(corpus), **told}, lines, as_json=as_json)
    end_if_stopped(enriched.stopped if enriched else None)
    if not report.read or (strict and report.failed):
        raise typer.Exit(1)


def _enrich(corpus: Path, service: str, base: str | None) -> EnrichReport:
    from vivavoce.corpus.ingestion.lookup import HOSTS, enrich
    from vivavoce.sources.http import polite_client

    client = polite_client(HOSTS, base)
    with progress(f"Asking {service}") as update:
        return enrich(corpus, client, service, base=base, progress=update)


@verb(app, "corpus stats --of dates --corpus corpus")
def stats(
    corpus: CorpusFolder,
    of: Annotated[
        Literal["dates", "merges", "boards", "tuples", "resolution"] | None,
        Opt("This part alone, in more detail."),
    ] = None,
    paper: Annotated[str | None, Opt("tuples: of this paper alone.")] = None,
    as_json: Json = False,
) -> None:
    """Count what a corpus holds, or measure a part of it.

    Dates: where first public dates come from, and what contradicts them. Merges: documents that
    became one paper, and by what. Boards: leaderboards. Tuples: results in tables, each with its
    cell. Resolution: how well references are resolved while their ids are hidden.
    """
    from vivavoce.corpus import corpus_stats, load_corpus, measure_resolution, summarise_merges
    from vivavoce.corpus import stats as parts
    from vivavoce.corpus.boards import board_statistics

    if paper is not None and of != "tuples":
        raise typer.BadParameter("it belongs to --of tuples", param_hint="--paper")
    opened = load_corpus(corpus)
    makers: dict[str | None, Callable[[], dict[str, Any]]] = {
        None: lambda: corpus_stats(opened),
        "boards": lambda: board_statistics(opened),
        "dates": lambda: parts.date_report(opened),
        "merges": lambda: summarise_merges(opened),
        "tuples": lambda: _tuples(opened, paper),
        "resolution": lambda: measure_resolution(opened).as_row() | {"corpus": str(corpus)},
    }
    found = makers[of]()
    if as_json:
        print_json(found)
    else:
        _STATS.get(of, _print_counts)(found, corpus)


def _print_counts(found: dict[str, Any], corpus: Path) -> None:
    say(str(corpus))
    print_counts(found)


def _print_dates(found: dict[str, Any], corpus: Path) -> None:
    columns = (Column(itemgetter(0), "first public from"), Column(itemgetter(1), "papers"))
    print_table(sheet("", found["sources"].items(), *columns))
    names = ("paper_id", "first_public", "first_public_from", "date", "evidence", "verdict")
    for row in found["contradictions"]:
        say("  ".join(str(row[name]) for name in names))
    said = f"{found['changed']:,} papers were public before their published date"
    say(f"{said}; {len(found['contradictions']):,} statements contradict others.")


@verb(app, "corpus verify --corpus corpus")
def verify(corpus: CorpusFolder, as_json: Json = False) -> None:
    """Check every file of a corpus against its recorded hash."""
    from vivavoce.corpus import verify_corpus

    report_problems(verify_corpus(corpus), corpus, as_json)


@verb(app, "corpus export papers --corpus corpus --out papers.jsonl")
def export(
    corpus: CorpusFolder,
    out: Annotated[Path, Opt("A .jsonl or .parquet file; a folder for --as digestables.")],
    table: Annotated[
        str | None, Arg("papers, authorships, sections, references, tables, ...", metavar="[TABLE]")
    ] = None,
    kind: Annotated[
        str | None,
        Opt(
            "In place of TABLE: the records as they were read from digestables, academiceval, "
            "s2orc or unarxive.",
            "--as",
            metavar="KIND",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Write a table, or the records of one upstream data set, to a file."""
    from vivavoce.corpus import export_table, load_corpus

    if (table is None) == (kind is None):
        raise typer.BadParameter("name a TABLE or give --as KIND, one of the two")
    opened = load_corpus(corpus)
    if kind is not None:
        _export_upstream(opened, kind, out, as_json)
        return
    rows = export_table(opened, str(table), out)
    document = {"table": table, "rows": rows, "out": str(out)}
    answer(document, [f"{out}: {rows:,} rows"], as_json=as_json)


def _export_upstream(corpus: Corpus, kind: str, out: Path, as_json: bool) -> None:
    from vivavoce.corpus.ingestion.upstream import export_as, not_exported

    records = export_as(corpus, kind, out)
    left = not_exported(corpus, kind)
    faults = [asdict(fault) for fault in left]
    said = f"{out}: {records:,} records; {len(left):,} could not be read and are not exported"
    document = {"as": kind, "records": records, "not_exported": faults, "out": str(out)}
    answer(document, [*fault_lines(left), said], as_json=as_json)


def _print_merges(found: dict[str, Any], corpus: Path) -> None:
    examples = found.pop("examples")
    _print_counts(found, corpus)
    for joined_by, rows in examples.items():
        say(f"{joined_by}, for example:")
        for row in rows:
            say(f"  {row['paper_id'] or 'no paper'}: {row['kind']} {row['key']}: {row['detail']}")
    say(f"All of them: viva corpus export merges --corpus {corpus} --out merges.jsonl")


def _tuples(corpus: Corpus, paper: str | None) -> dict[str, Any]:
    from vivavoce.corpus.stats import result_tuples

    rows = list(result_tuples(corpus, paper))
    papers = {row["paper_id"] for row in rows}
    return {"tuples": len(rows), "papers": len(papers), "rows": rows}


def _print_tuples(found: dict[str, Any], corpus: Path) -> None:
    cell = Column("{paper_id} {table}:{row}:{column}".format_map, "paper, table:row:column")
    names = ("task", "dataset", "metric", "method")
    rows = found["rows"][:SHOWN_TUPLES]
    print_table(sheet("", rows, cell, *names, Column("score_text", "score")))
    said = f"{found['tuples']:,} results in tables of {found['papers']:,} papers"
    say(f"{said}; all of them: viva corpus export tuples --corpus {corpus} --out tuples.jsonl")


def _print_resolution(found: dict[str, Any], corpus: Path) -> None:
    say(
        f"{corpus}: {found['references']:,} references, {found['with_id']:,} with an id, "
        f"{found['inside']:,} of works inside the corpus"
    )
    say(f"precision {_share(found['precision'])}; {found['undecided']:,} undecided")
    say(f"recall    {_share(found['recall'])}")
    for resolver, tally in found["by_resolver"].items():
        say(f"  {resolver}: {_share(tally['precision'])}, {tally['undecided']:,} undecided")
    for name in ("wrong", "missed"):
        for example in found[name][:SHOWN_FAULTS]:
            where = example["title"] or example["raw"]
            say(f"  {name}: {where!r} means {example['meant']}, came out as {example['found']}")


_STATS: Mapping[str | None, Callable[[dict[str, Any], Path], None]] = {
    "dates": _print_dates,
    "merges": _print_merges,
    "tuples": _print_tuples,
    "resolution": _print_resolution,
}


def _share(share: dict[str, Any]) -> str:
    if share["value"] is None:
        return "not measured: no case"
    low, high = share["ci"]
    return f"{share['value']:.3f} [{low:.3f}, {high:.3f}] ({share['count']:,} of {share['n']:,})"


def fault_lines(faults: Sequence[Fault]) -> Iterator[str]:
    """The first few faults, and how many more there are."""
    yield from (f"  {fault.where}: {fault.reason}" for fault in faults[:SHOWN_FAULTS])
    if len(faults) > SHOWN_FAULTS:
        yield f"  and {len(faults) - SHOWN_FAULTS:,} more (--json lists all)"


def report_problems(problems: list[str], where: Path, as_json: bool) -> None:
    """Print what a check found; end with 1 when that is anything."""
    document = {"sound": not problems, "problems": problems}
    answer(document, problems or [f"{where} is sound"], as_json=as_json)
    if problems:
        raise typer.Exit(1)
