"""Verbs that fetch from the internet, politely.

Most save files to ingest later; `texts` and `cited` complete the papers of a corpus.
"""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import date
from pathlib import Path
from typing import Annotated

import typer

from vivavoce.cli.bind import verb
from vivavoce.cli.corpus import CorpusFolder, fault_lines
from vivavoce.cli.output import Answer, progress
from vivavoce.requests import Arg, Connection, Opt, given_names
from vivavoce.text.printing import counted

Out = Annotated[Path, Opt("The folder to save into.")]

app = typer.Typer(
    no_args_is_help=True, help="Fetch listings and texts, one request every 3 s to arXiv."
)


@verb(app, "fetch oai --set cs --from 2024-06-01 --out listings")
def oai(
    out: Out,
    connection: Connection,
    part: Annotated[str | None, Opt("A part of arXiv: cs or math:math:NA.", "--set")] = None,
    start: Annotated[
        date | None,
        Opt(
            "Records changed on this day or later (default: since the newest in the folder).",
            "--from",
        ),
    ] = None,
    until: Annotated[date | None, Opt("Records changed on this day or earlier.")] = None,
    fresh: Annotated[bool, Opt("Drop an unfinished harvest.")] = False,
) -> Answer:
    """Save arXiv's listing (OAI-PMH); repeat it without --from to fetch the changes."""
    from vivavoce.corpus.ingestion.fetching import open_service
    from vivavoce.sources.catalogues.oai.harvest import harvest

    service = open_service(connection.base, connection.contact)
    with progress("Records") as update:
        report = harvest(
            *(service.client, out),
            base=service.repository,
            set=part,
            start=start,
            until=until,
            fresh=fresh,
            progress=update,
        )
    following, restarts = _ingest("oai", out), report.restarts
    lines = {
        "An unfinished harvest was finished.": report.resumed,
        f"The repository lost its place; the harvest was restarted {restarts} times": restarts,
        f"{report.deleted:,} of the records are deletions.": report.deleted,
        f"{out}: {counted(report.records, 'record')}, files: {len(report.files):,}": True,
        f"Next: {following}": report.files,
    }
    document = {**asdict(report), "folder": str(out), "next": following}
    return Answer(document, [line for line, is_shown in lines.items() if is_shown])


@verb(app, 'fetch arxiv "cat:cs.CL" --since 2024-06-01 --until 2024-07-01 --max 200 --out feeds')
def arxiv(
    query: Annotated[str, Arg("A query in arXiv's syntax: au:name, cat:cs.CL.", metavar="QUERY")],
    out: Out,
    connection: Connection,
    since: Annotated[date | None, Opt("Papers submitted on this day or later.")] = None,
    until: Annotated[date | None, Opt("Papers submitted before this day.")] = None,
    max: Annotated[int, Opt("Maximum number of papers to save, oldest first.", min=1)] = 100,
) -> Answer:
    """Save the papers that a query finds on arXiv; the same command resumes after a kill."""
    from vivavoce.corpus.ingestion.fetching import open_service
    from vivavoce.sources.catalogues.arxiv.search import dated, save_search

    asked, service = dated(query, since, until), open_service(connection.base, connection.contact)
    saved = save_search(service.client, asked, out, limit=max, api=service.api)
    following = _ingest("arxiv", out)
    document = {**asdict(saved), "query": asked, "folder": str(out), "next": following}
    files = len(saved.files)
    lines = [f"{out}: {saved.papers:,} of the {saved.total:,} papers found, files: {files}"]
    return Answer(document, [*lines, f"Next: {following}"][: 1 + bool(files)])


@verb(app, "fetch coauthors --seed 'Ada First' --seed 'Bo Second' --quota 500 --out walk")
def coauthors(
    seed: Annotated[Sequence[str], Opt("An author, spelled as on arXiv; repeatable.")],
    quota: Annotated[int, Opt("Stop at this number of authors with papers.", min=1)],
    out: Out,
    connection: Connection,
    neighbours: Annotated[int, Opt("Co-authors to follow from each author.", min=1)] = 20,
    fresh: Annotated[bool, Opt("Discard saved answers.")] = False,
) -> Answer:
    """Walk from authors to their co-authors on arXiv and save their first-author papers.

    The same command resumes after a kill or with a larger quota, and asks nothing twice.
    """
    from vivavoce.corpus.ingestion.fetching import open_service
    from vivavoce.networks.walk import fetch_walk

    service = open_service(connection.base, connection.contact)
    with progress("Authors") as update:
        walked = fetch_walk(
            *(service.client, out, seed, quota),
            neighbours=neighbours,
            fresh=fresh,
            api=service.api,
            progress=update,
        )
    following = _ingest("coauthors", out)
    lines = [
        f"{walked.requests:,} requests, {walked.answers:,} answers kept.",
        *(
            f"{name}: {part['first_authors']:,} first authors, {part['papers']:,} papers, "
            f"{part['edges']:,} edges, {part['components']:,} components"
            for name, part in (("Walk", walked.before), ("Largest component", walked.after))
        ),
        f"{len(walked.without_papers):,} more requested authors have no first-author paper.",
        *([f"Not all results were read: {', '.join(walked.cut)}"] if walked.cut else []),
    ]
    document = {**asdict(walked), "folder": str(out), "next": following}
    return Answer(document, [*lines, str(out), f"Next: {following}"])


def _ingest(kind: str, folder: Path) -> str:
    import shlex

    return f"viva ingest {kind} {shlex.quote(str(folder))} --corpus corpus"


@verb(app, "fetch texts --corpus corpus")
def texts(
    corpus: CorpusFolder,
    connection: Connection,
    kinds: Annotated[
        Sequence[str], Opt("Formats to try in order: html, ar5iv, eprint, pdf.", read=given_names)
    ] = ("html", "eprint", "pdf"),
    max: Annotated[int | None, Opt("Maximum number of papers to ask for.", min=0)] = None,
) -> Answer:
    """Fetch texts of papers that have an arXiv or Anthology id and no text; resumes."""
    from vivavoce.corpus.ingestion.fetching import fetch_texts, open_service

    service = open_service(connection.base, connection.contact, tries=3)
    with progress("Fetching texts") as update:
        report = fetch_texts(
            *(corpus, service.client),
            kinds=kinds,
            limit=max,
            addresses=service.addresses,
            progress=update,
        )
    files = ", ".join(f"{count:,} {kind}" for kind, count in report.files.items()) or "none"
    lines = [
        *fault_lines([*report.unread, *report.failed]),
        f"Files fetched: {files} ({report.size:,} bytes)",
        f"{report.texts:,} of {report.lacking:,} papers without a text have one now. "
        f"{report.without:,} have none to fetch, {report.waiting:,} have a file that no "
        f"source reads yet, {len(report.failed):,} failed, {report.left:,} were not asked for.",
    ]
    document = {**asdict(report), "index": str(report.index), "corpus": str(corpus)}
    return Answer(document, [*lines, str(report.index)], stopped=report.stopped)


@verb(app, "fetch cited --corpus corpus --named --tables")
def cited(
    corpus: CorpusFolder,
    connection: Connection,
    named: Annotated[bool, Opt("Include works without an arXiv id, by DOI and title.")] = False,
    tables: Annotated[bool, Opt("Only works that tables cite.")] = False,
    max: Annotated[int | None, Opt("Maximum number of works to ask for.", min=0)] = None,
) -> Answer:
    """Fetch titles and abstracts of cited works; resumes."""
    from vivavoce.corpus.ingestion.fetching import open_service
    from vivavoce.corpus.ingestion.lookup import LookupReport, fetch_cited, fetch_named

    service = open_service(connection.base, connection.contact, tries=3)
    client = service.client
    with progress("Fetching cited works") as update:
        report = fetch_cited(
            corpus, client, limit=max, api=service.api, tables=tables, progress=update
        )
    more = None
    if named and not report.stopped:
        rest = None if max is None else max - report.asked
        with progress("Fetching works by DOI and title") as update:
            more = fetch_named(
                corpus, client, limit=rest, base=service.base, tables=tables, progress=update
            )

    def counts(of: LookupReport) -> dict[str, object]:
        return {**asdict(of), "cited": of.lacking, "index": str(of.index)}

    document = {**counts(report), "corpus": str(corpus), "named": more and counts(more)}
    lines = [
        *fault_lines([*report.faults, *(more.faults if more else ())]),
        f"{report.found:,} of {report.lacking:,} cited works fetched; arXiv does not have "
        f"{len(report.unknown):,}, {report.left:,} were not asked for. The corpus now has "
        f"{counted(report.papers, 'paper')}.",
        str(report.index),
    ]
    if more:
        lines += [
            f"{more.found:,} of {more.lacking:,} works without an arXiv id fetched; arXiv and "
            f"Crossref do not have {len(more.unknown):,}, {more.left:,} were not asked for. "
            f"The corpus now has {counted(more.papers, 'paper')}.",
            str(more.index),
        ]
    return Answer(document, lines, stopped=more.stopped if more else report.stopped)
