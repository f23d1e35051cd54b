"""Verbs that fetch from the internet, politely.

Most save files to ingest later; `texts` and `cited` complete the papers of a corpus.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from datetime import date
from pathlib import Path
from typing import Annotated

import typer

from vivavoce.cli.bind import Json, verb
from vivavoce.cli.corpus import CorpusFolder, fault_lines
from vivavoce.cli.output import answer, end_if_stopped, print_json, print_parts, progress, say
from vivavoce.requests import Arg, Connection, Opt, given_names

Out = Annotated[Path, Opt("The folder to save into.")]

app = typer.Typer(
    no_args_is_help=True, help="Fetch listings and texts, one request every 3 s to arXiv."
)


@verb(app, "fetch oai --set cs --from 2024-06-01 --out listings")
def oai(
    out: Out,
    connection: Connection,
    part: Annotated[str | None, Opt("A part, such as cs or math:math:NA.", "--set")] = None,
    start: Annotated[
        date | None,
        Opt(
            "Records changed on this day or later (default: since the newest in the folder).",
            "--from",
        ),
    ] = None,
    until: Annotated[date | None, Opt("Records changed on this day or earlier.")] = None,
    fresh: Annotated[bool, Opt("Drop an unfinished harvest.")] = False,
    as_json: Json = False,
) -> None:
    """Save the listing of a repository; repeated without --from, it fetches the changes."""
    from vivavoce.sources.catalogues.oai.harvest import BASE, HOSTS, harvest
    from vivavoce.sources.http import polite_client

    with progress("Records") as update:
        report = harvest(
            polite_client(HOSTS, connection.base, connection.contact, tries=5),
            out,
            base=connection.base or BASE,
            set=part,
            start=start,
            until=until,
            fresh=fresh,
            progress=update,
        )
    if as_json:
        print_json({**asdict(report), "folder": str(out), "next": _ingest("oai", out)})
        return
    if report.resumed:
        say("An unfinished harvest was finished.")
    if report.restarts:
        say(f"The repository lost its place; the harvest was restarted {report.restarts} times")
    if report.deleted:
        say(f"{report.deleted:,} of the records are deletions.")
    say(f"{out}: {report.records:,} records, files: {len(report.files):,}")
    if report.files:
        say(f"Next: {_ingest('oai', out)}")


@verb(app, 'fetch arxiv "cat:cs.CL" --since 2024-06-01 --until 2024-07-01 --max 200 --out feeds')
def arxiv(
    query: Annotated[str, Arg("A query in arXiv's syntax: au:name, cat:cs.CL.", metavar="QUERY")],
    out: Out,
    connection: Connection,
    since: Annotated[date | None, Opt("Papers submitted on this day or later.")] = None,
    until: Annotated[date | None, Opt("Papers submitted before this day.")] = None,
    max: Annotated[int, Opt("Maximum number of papers to save, oldest first.", min=1)] = 100,
    as_json: Json = False,
) -> None:
    """Save the papers that a query finds on arXiv; the same command resumes after a kill."""
    from vivavoce.sources.catalogues.arxiv.search import API, HOSTS, dated, save_search
    from vivavoce.sources.http import polite_client

    asked = dated(query, since, until)
    saved = save_search(
        polite_client(HOSTS, connection.base, connection.contact, tries=5),
        asked,
        out,
        limit=max,
        api=connection.base or API,
    )
    following = _ingest("arxiv", out)
    document = {**asdict(saved), "query": asked, "folder": str(out), "next": following}
    files = len(saved.files)
    lines = [f"{out}: {saved.papers:,} of the {saved.total:,} papers found, files: {files}"]
    answer(document, [*lines, f"Next: {following}"][: 1 + bool(files)], as_json=as_json)


@verb(app, "fetch coauthors --seed 'Ada First' --seed 'Bo Second' --quota 500 --out walk")
def coauthors(
    seed: Annotated[Sequence[str], Opt("An author, spelled as on arXiv; repeatable.")],
    quota: Annotated[int, Opt("Stop at this number of authors with papers.", min=1)],
    out: Out,
    connection: Connection,
    neighbours: Annotated[int, Opt("Co-authors to follow from each author.", min=1)] = 20,
    fresh: Annotated[bool, Opt("Discard saved answers.")] = False,
    as_json: Json = False,
) -> None:
    """Walk from authors to their co-authors on arXiv and save their first-author papers.

    The same command resumes after a kill or with a larger quota, and asks nothing twice.
    """
    from vivavoce.networks.walk import fetch_walk
    from vivavoce.sources.catalogues.arxiv.search import API, HOSTS
    from vivavoce.sources.http import polite_client

    client = polite_client(HOSTS, connection.base, connection.contact, tries=5)
    with progress("Authors") as update:
        walked = fetch_walk(
            client,
            out,
            seed,
            quota,
            neighbours=neighbours,
            fresh=fresh,
            api=connection.base or API,
            progress=update,
        )
    if as_json:
        report = {**asdict(walked), "folder": str(out)}
        print_json({**report, "next": _ingest("coauthors", out)})
        return
    say(f"{walked.requests:,} requests, {walked.answers:,} answers kept.")
    for name, part in (("Walk", walked.before), ("Largest component", walked.after)):
        say(
            f"{name}: {part['first_authors']:,} first authors, {part['papers']:,} papers, "
            f"{part['edges']:,} edges, {part['components']:,} components"
        )
    say(f"{len(walked.without_papers):,} more requested authors have no first-author paper.")
    if walked.cut:
        say(f"Not all results were read: {', '.join(walked.cut)}")
    say(str(out))
    say(f"Next: {_ingest('coauthors', out)}")


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
    as_json: Json = False,
) -> None:
    """Fetch texts of papers that have an arXiv or Anthology id and no text; resumes."""
    from vivavoce.corpus.ingestion.fetching import fetch_texts
    from vivavoce.sources.catalogues.arxiv.texts import HOSTS, Addresses
    from vivavoce.sources.http import polite_client

    with progress("Fetching texts") as update:
        report = fetch_texts(
            corpus,
            polite_client(HOSTS, connection.base, connection.contact),
            kinds=kinds,
            limit=max,
            addresses=Addresses.at(connection.base) if connection.base else None,
            progress=update,
        )
    if as_json:
        print_json({**asdict(report), "index": str(report.index), "corpus": str(corpus)})
    else:
        print_parts(fault_lines([*report.unread, *report.failed]))
        files = ", ".join(f"{count:,} {kind}" for kind, count in report.files.items()) or "none"
        say(f"Files fetched: {files} ({report.size:,} bytes)")
        say(
            f"{report.texts:,} of {report.lacking:,} papers without a text have one now. "
            f"{report.without:,} have none to fetch, {report.waiting:,} wait for a source that "
            f"reads their file, {len(report.failed):,} failed, {report.left:,} were not asked for."
        )
        say(str(report.index))
    end_if_stopped(report.stopped)


@verb(app, "fetch cited --corpus corpus --named --tables")
def cited(
    corpus: CorpusFolder,
    connection: Connection,
    named: Annotated[bool, Opt("Also works without an arXiv id, by DOI and title.")] = False,
    tables: Annotated[bool, Opt("Only works that tables cite.")] = False,
    max: Annotated[int | None, Opt("Maximum number of works to ask for.", min=0)] = None,
    as_json: Json = False,
) -> None:
    """Fetch titles and abstracts of cited works; resumes."""
    from vivavoce.corpus.ingestion.cited import fetch_cited, fetch_named
    from vivavoce.corpus.ingestion.lookup import HOSTS
    from vivavoce.sources.catalogues.arxiv.search import API
    from vivavoce.sources.http import polite_client

    client = polite_client(HOSTS, connection.base, connection.contact)
    api = f"{base.rstrip('/')}/api/query" if (base := connection.base) else API
    with progress("Fetching cited works") as update:
        report = fetch_cited(corpus, client, limit=max, api=api, tables=tables, progress=update)
    more = None
    if named and not report.stopped:
        rest = None if max is None else max - report.asked
        with progress("Fetching works by DOI and title") as update:
            more = fetch_named(
                corpus, client, limit=rest, base=base, tables=tables, progress=update
            )
    if as_json:
        value = {**asdict(report), "index": str(report.index), "corpus": str(corpus)}
        print_json(value | {"named": {**asdict(more), "index": str(more.index)} if more else None})
    else:
        print_parts(fault_lines([*report.faults, *(more.faults if more else ())]))
        say(
            f"{report.found:,} of {report.cited:,} cited works fetched; arXiv does not have "
            f"{len(report.unknown):,}, {report.left:,} were not asked for. The corpus now has "
            f"{report.papers:,} papers."
        )
        say(str(report.index))
        if more:
            say(
                f"{more.found:,} of {more.cited:,} works without an arXiv id fetched; arXiv and "
                f"Crossref do not have {len(more.unknown):,}, {more.left:,} were not asked for. "
                f"The corpus now has {more.papers:,} papers."
            )
            say(str(more.index))
    end_if_stopped(more.stopped if more else report.stopped)
