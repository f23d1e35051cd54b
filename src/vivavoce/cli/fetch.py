"""Verbs that fetch from the outside, politely.

Most save files that are then ingested; `texts` and `cited` complete the papers of a corpus.
"""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import typer

from vivavoce.cli.corpus import CORPUS_OPTION, list_faults
from vivavoce.cli.output import JSON_OPTION, end_if_stopped, print_json, progress, say

if TYPE_CHECKING:
    from vivavoce.sources.http.client import Client


OUT_OPTION = typer.Option(..., "--out", help="The folder to save into.")
_LOOPBACK = "http://127.0.0.1:"
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
    base: str = typer.Option("https://oaipmh.arxiv.org/oai", "--base", hidden=True),
    as_json: bool = JSON_OPTION,
) -> None:
    """Save the listing of a repository; again without --from, it fetches what changed since."""
    from vivavoce.sources.catalogues.oai.harvest import HOSTS, harvest

    with progress("Records") as update:
        report = harvest(
            _client(base, HOSTS),
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


@app.command(epilog='Example: viva fetch arxiv "cat:cs.CL AND ti:survey" --limit 200 --out feeds')
def arxiv(
    query: str = typer.Argument(
        metavar="QUERY", help="In arXiv's own language, such as au:name or cat:cs.CL."
    ),
    out: Path = OUT_OPTION,
    limit: int = typer.Option(100, "--limit", min=1, max=30_000, help="The most papers to save."),
    base: str = typer.Option("https://export.arxiv.org/api/query", "--base", hidden=True),
    as_json: bool = JSON_OPTION,
) -> None:
    """Save the papers that a query finds on arXiv."""
    from vivavoce.sources.catalogues.arxiv.search import HOSTS, save_search

    saved = save_search(_client(base, HOSTS), query, out, limit=limit, api=base)
    if as_json:
        print_json({**asdict(saved), "folder": str(out), "next": _ingest("arxiv", out)})
        return
    say(f"{out}: {saved.papers:,} of the {saved.total:,} papers found, files: {len(saved.files)}")
    if saved.files:
        say(f"Next: {_ingest('arxiv', out)}")


def _client(base: str, hosts: frozenset[str]) -> Client:
    """A client for the usual hosts and for that of an address somebody chose.

    It shares its turns with every other such command on this machine.
    """
    from vivavoce.sources.http.client import Allowed, Client
    from vivavoce.sources.http.throttle import SHARED, Throttle, slots_folder

    try:
        parts = urlsplit(base)
    except ValueError as error:
        raise typer.BadParameter(f"{base!r} is no address: {error}", param_hint="--base") from error
    loopback = f"{parts.scheme}://{parts.netloc}" if base.startswith(_LOOPBACK) else None
    chosen = {parts.hostname} if parts.hostname and loopback is None else set()
    throttle = SHARED if loopback else Throttle(shared=slots_folder())
    return Client(Allowed(hosts | chosen, loopback=loopback), throttle=throttle)


def _ingest(kind: str, folder: Path) -> str:
    import shlex

    return f"viva ingest {kind} {shlex.quote(str(folder))} --corpus corpus"


BASE_OPTION = typer.Option(None, "--base", hidden=True, help="A loopback server, for tests.")


@app.command(epilog="Example: viva fetch texts --corpus corpus")
def texts(
    corpus: Path = CORPUS_OPTION,
    kinds: str = typer.Option(
        "html,eprint,pdf", "--kinds", help="What to ask for, in order: html, ar5iv, eprint, pdf."
    ),
    limit: int | None = typer.Option(None, "--limit", min=0, help="The most papers to ask for."),
    base: str | None = BASE_OPTION,
    as_json: bool = JSON_OPTION,
) -> None:
    """Fetch a text for each paper that has an arXiv or Anthology id and none; resumes."""
    from vivavoce.corpus.ingestion.downloads import polite_client
    from vivavoce.corpus.ingestion.fetching import fetch_texts
    from vivavoce.sources.catalogues.arxiv.texts import HOSTS, Addresses

    chosen = [kind.strip() for kind in kinds.split(",") if kind.strip()]
    with progress("Fetching texts") as update:
        report = fetch_texts(
            corpus,
            polite_client(HOSTS, base),
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


@app.command(epilog="Example: viva fetch cited --corpus corpus")
def cited(
    corpus: Path = CORPUS_OPTION,
    limit: int | None = typer.Option(None, "--limit", min=0, help="The most works to ask for."),
    base: str | None = BASE_OPTION,
    as_json: bool = JSON_OPTION,
) -> None:
    """Fetch titles and abstracts of cited works that have an arXiv id; resumes."""
    from vivavoce.corpus.ingestion.cited import fetch_cited
    from vivavoce.corpus.ingestion.downloads import polite_client
    from vivavoce.sources.catalogues.arxiv.search import API, HOSTS

    api = f"{base.rstrip('/')}/api/query" if base else API
    with progress("Fetching cited works") as update:
        report = fetch_cited(
            corpus, polite_client(HOSTS, base), limit=limit, api=api, progress=update
        )
    if as_json:
        print_json({**asdict(report), "index": str(report.index), "corpus": str(corpus)})
    else:
        list_faults(report.faults)
        say(
            f"{report.found:,} of {report.cited:,} cited works came; arXiv does not know "
            f"{len(report.unknown):,}, {report.left:,} were not asked for. The corpus now has "
            f"{report.papers:,} papers."
        )
        say(str(report.index))
    end_if_stopped(report.stopped)
