"""Verbs that fetch from the outside, politely.

Most save files that are then ingested; `texts` and `cited` complete the papers of a corpus.
"""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from pathlib import Path

import typer

from vivavoce.cli.corpus import CORPUS_OPTION, list_faults
from vivavoce.cli.output import JSON_OPTION, end_if_stopped, print_json, progress, say

OUT_OPTION = typer.Option(..., "--out", help="The folder to save into.")
CONTACT_OPTION = typer.Option(
    None,
    "--contact",
    envvar="VIVAVOCE_CONTACT",
    help="A mail address or page that servers can write to; it goes into the User-Agent.",
)
_DAY = ["%Y-%m-%d"]

app = typer.Typer(
    no_args_is_help=True, help="Fetch listings and texts, one request every 3 s to arXiv."
)


@app.command(epilog="Example: viva fetch oai --set cs --from 2024-06-01 --out listings")
def oai(
    out: Path = OUT_OPTION,
    part: str | None = typer.Option(
        None, "--set", help="A part of the repository, such as cs or math:math:NA."
    ),
    start: datetime | None = typer.Option(
        None,
        "--from",
        formats=_DAY,
        help="Records changed on this day or later; else go on from the newest in the folder.",
    ),
    until: datetime | None = typer.Option(
        None, "--until", formats=_DAY, help="Records changed on this day or earlier."
    ),
    metadata_format: str = typer.Option(
        "arXivRaw", "--format", help="arXivRaw (has all versions), arXiv or oai_dc."
    ),
    fresh: bool = typer.Option(False, "--fresh", help="Drop an unfinished harvest."),
    contact: str | None = CONTACT_OPTION,
    base: str = typer.Option("https://oaipmh.arxiv.org/oai", "--base", hidden=True),
    as_json: bool = JSON_OPTION,
) -> None:
    """Save the listing of a repository; again without --from, it fetches what changed since."""
    from vivavoce.sources.catalogues.oai.harvest import HOSTS, harvest
    from vivavoce.sources.http import polite_client

    with progress("Records") as update:
        report = harvest(
            polite_client(HOSTS, base, contact, tries=5),
            out,
            base=base,
            metadata_prefix=metadata_format,
            set=part,
            start=start.date() if start else None,
            until=until.date() if until else None,
            fresh=fresh,
            progress=update,
        )
    if as_json:
        print_json({**asdict(report), "folder": str(out), "next": _ingest("oai", out)})
        return
    if report.resumed:
        say("An unfinished harvest was finished.")
    if report.restarts:
        say(f"The repository lost its place and was asked anew: {report.restarts} times")
    if report.deleted:
        say(f"{report.deleted:,} of the records are deleted ones.")
    say(f"{out}: {report.records:,} records, files: {len(report.files):,}")
    if report.files:
        say(f"Next: {_ingest('oai', out)}")


@app.command(
    epilog='Example: viva fetch arxiv "cat:cs.CL" --since 2024-06-01 --until 2024-07-01 --max 200 '
    "--out feeds"
)
def arxiv(
    query: str = typer.Argument(
        metavar="QUERY", help="In arXiv's own language, such as au:name or cat:cs.CL."
    ),
    out: Path = OUT_OPTION,
    since: datetime | None = typer.Option(
        None, "--since", formats=_DAY, help="Papers submitted on this day or later."
    ),
    until: datetime | None = typer.Option(
        None, "--until", formats=_DAY, help="Papers submitted before this day."
    ),
    limit: int = typer.Option(
        100, "--max", "--limit", min=1, help="The most papers to save: those submitted first."
    ),
    contact: str | None = CONTACT_OPTION,
    base: str = typer.Option("https://export.arxiv.org/api/query", "--base", hidden=True),
    as_json: bool = JSON_OPTION,
) -> None:
    """Save the papers that a query finds on arXiv; the same command goes on after a kill."""
    from vivavoce.sources.catalogues.arxiv.search import HOSTS, dated, save_search
    from vivavoce.sources.http import polite_client

    asked = dated(query, since.date() if since else None, until.date() if until else None)
    saved = save_search(
        polite_client(HOSTS, base, contact, tries=5), asked, out, limit=limit, api=base
    )
    if as_json:
        report = {**asdict(saved), "query": asked, "folder": str(out)}
        print_json({**report, "next": _ingest("arxiv", out)})
        return
    say(f"{out}: {saved.papers:,} of the {saved.total:,} papers found, files: {len(saved.files)}")
    if saved.files:
        say(f"Next: {_ingest('arxiv', out)}")


@app.command(
    epilog="Example: viva fetch coauthors --seed 'Ada First' --seed 'Bo Second' --quota 500 "
    "--out walk"
)
def coauthors(
    seed: list[str] = typer.Option(..., "--seed", help="An author as arXiv spells; repeatable."),
    quota: int = typer.Option(..., "--quota", min=1, help="Stop at so many authors with papers."),
    out: Path = OUT_OPTION,
    neighbours: int = typer.Option(20, "--neighbours", min=1, help="Go on to so many of each."),
    fresh: bool = typer.Option(False, "--fresh", help="Drop the answers that are there."),
    contact: str | None = CONTACT_OPTION,
    base: str = typer.Option("https://export.arxiv.org/api/query", "--base", hidden=True),
    as_json: bool = JSON_OPTION,
) -> None:
    """Walk from authors to their co-authors on arXiv and save the papers that each leads.

    The same command goes on after a kill, and with a larger quota, and asks for nothing twice.
    """
    from vivavoce.networks.fetched_walk import fetch_walk
    from vivavoce.sources.catalogues.arxiv.search import HOSTS
    from vivavoce.sources.http import polite_client

    client = polite_client(HOSTS, base, contact, tries=5)
    with progress("Authors") as update:
        walked = fetch_walk(
            client,
            out,
            seed,
            quota,
            neighbours=neighbours,
            fresh=fresh,
            api=base,
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
    say(f"{len(walked.without_papers):,} more who were asked for never are first author.")
    if walked.cut:
        say(f"More results than were read: {', '.join(walked.cut)}")
    say(str(out))
    say(f"Next: {_ingest('coauthors', out)}")


def _ingest(kind: str, folder: Path) -> str:
    import shlex

    return f"viva ingest {kind} {shlex.quote(str(folder))} --corpus corpus"


BASE_OPTION = typer.Option(None, "--base", hidden=True, help="A loopback server, for tests.")


@app.command(epilog="Example: viva fetch texts --corpus corpus")
def texts(
    corpus: Path = CORPUS_OPTION,
    kinds: str = typer.Option(
        "html,eprint,pdf", "--kinds", help="Kinds to ask for, in order: html, ar5iv, eprint, pdf."
    ),
    limit: int | None = typer.Option(None, "--limit", min=0, help="The most papers to ask for."),
    contact: str | None = CONTACT_OPTION,
    base: str | None = BASE_OPTION,
    as_json: bool = JSON_OPTION,
) -> None:
    """Fetch a text for each paper that has an arXiv or Anthology id and none; resumes."""
    from vivavoce.corpus.ingestion.fetching import fetch_texts
    from vivavoce.sources.catalogues.arxiv.texts import HOSTS, Addresses
    from vivavoce.sources.http import polite_client

    chosen = [kind.strip() for kind in kinds.split(",") if kind.strip()]
    with progress("Fetching texts") as update:
        report = fetch_texts(
            corpus,
            polite_client(HOSTS, base, contact),
            kinds=chosen,
            limit=limit,
            addresses=Addresses.at(base) if base else None,
            progress=update,
        )
    if as_json:
        print_json({**asdict(report), "index": str(report.index), "corpus": str(corpus)})
    else:
        list_faults([*report.unread, *report.failed])
        files = ", ".join(f"{count:,} {kind}" for kind, count in report.files.items()) or "none"
        say(f"Files fetched: {files} ({report.size:,} bytes)")
        say(
            f"{report.texts:,} of {report.lacking:,} papers without a text have one now; of "
            f"{report.without:,} there is none, {report.waiting:,} wait for a source that reads "
            f"their file, {len(report.failed):,} failed, {report.left:,} were not asked for."
        )
        say(str(report.index))
    end_if_stopped(report.stopped)


@app.command(epilog="Example: viva fetch cited --corpus corpus --named --tables")
def cited(
    corpus: Path = CORPUS_OPTION,
    named: bool = typer.Option(
        False, "--named", help="Also ask for works without an arXiv id, by DOI and title."
    ),
    tables: bool = typer.Option(False, "--tables", help="Only works that tables cite."),
    limit: int | None = typer.Option(None, "--limit", min=0, help="The most works to ask for."),
    contact: str | None = CONTACT_OPTION,
    base: str | None = BASE_OPTION,
    as_json: bool = JSON_OPTION,
) -> None:
    """Fetch titles and abstracts of cited works; resumes."""
    from vivavoce.corpus.ingestion.cited import fetch_cited, fetch_named
    from vivavoce.corpus.ingestion.lookup import HOSTS
    from vivavoce.sources.catalogues.arxiv.search import API
    from vivavoce.sources.http import polite_client

    client = polite_client(HOSTS, base, contact)
    api = f"{base.rstrip('/')}/api/query" if base else API
    with progress("Fetching cited works") as update:
        report = fetch_cited(corpus, client, limit=limit, api=api, tables=tables, progress=update)
    more = None
    if named and not report.stopped:
        rest = None if limit is None else limit - report.asked
        with progress("Fetching works by DOI and title") as update:
            more = fetch_named(
                corpus, client, limit=rest, base=base, tables=tables, progress=update
            )
    if as_json:
        value = {**asdict(report), "index": str(report.index), "corpus": str(corpus)}
        print_json(value | {"named": {**asdict(more), "index": str(more.index)} if more else None})
    else:
        list_faults([*report.faults, *(more.faults if more else ())])
        say(
            f"{report.found:,} of {report.cited:,} cited works came; arXiv does not know "
            f"{len(report.unknown):,}, {report.left:,} were not asked for. The corpus now has "
            f"{report.papers:,} papers."
        )
        say(str(report.index))
        if more:
            say(
                f"{more.found:,} of {more.cited:,} works without an arXiv id came; arXiv and "
                f"Crossref do not know {len(more.unknown):,}, {more.left:,} were not asked for. "
                f"The corpus now has {more.papers:,} papers."
            )
            say(str(more.index))
    end_if_stopped(more.stopped if more else report.stopped)
