"""Verbs that fetch what the papers of a corpus lack."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from vivavoce.cli.corpus import CORPUS_OPTION, SHOWN_FAULTS
from vivavoce.cli.output import JSON_OPTION, print_json, progress, say

if TYPE_CHECKING:
    from vivavoce.records import Fault
    from vivavoce.sources.http.client import Client

BASE_OPTION = typer.Option(None, "--base", hidden=True, help="A loopback server, for tests.")


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
    from vivavoce.corpus.ingestion.fetching import fetch_texts
    from vivavoce.sources.catalogues.arxiv.texts import Addresses

    chosen = [kind.strip() for kind in kinds.split(",") if kind.strip()]
    with progress("Fetching texts") as update:
        report = fetch_texts(
            corpus,
            _client(base),
            kinds=chosen,
            limit=limit,
            addresses=Addresses.at(base) if base else None,
            progress=update,
        )
    if as_json:
        print_json({**asdict(report), "index": str(report.index), "corpus": str(corpus)})
    else:
        _list_faults([*report.unread, *report.failed])
        files = ", ".join(f"{count:,} {kind}" for kind, count in report.files.items()) or "none"
        say(f"Files fetched: {files} ({report.size:,} bytes)")
        say(
            f"{report.texts:,} of {report.lacking:,} papers without a text have one now; of "
            f"{report.without:,} there is none, {report.waiting:,} wait for a source that reads "
            f"their file, {len(report.failed):,} failed, {report.left:,} were not asked for."
        )
        say(str(report.index))
    _end(report.stopped)


def cited(
    corpus: Path = CORPUS_OPTION,
    limit: int | None = typer.Option(None, "--limit", min=0, help="The most works to ask for."),
    base: str | None = BASE_OPTION,
    as_json: bool = JSON_OPTION,
) -> None:
    """Fetch titles and abstracts of cited works that have an arXiv id; resumes."""
    from vivavoce.corpus.ingestion.cited import fetch_cited
    from vivavoce.sources.catalogues.arxiv.search import API

    api = f"{base.rstrip('/')}/api/query" if base else API
    with progress("Fetching cited works") as update:
        report = fetch_cited(corpus, _client(base), limit=limit, api=api, progress=update)
    if as_json:
        print_json({**asdict(report), "index": str(report.index), "corpus": str(corpus)})
    else:
        _list_faults(report.faults)
        say(
            f"{report.found:,} of {report.cited:,} cited works came; arXiv does not know "
            f"{len(report.unknown):,}, {report.left:,} were not asked for. The corpus now has "
            f"{report.papers:,} papers."
        )
        say(str(report.index))
    _end(report.stopped)


def _client(base: str | None) -> Client:
    """One that shares its turns with every other such command on this machine."""
    from vivavoce.sources.catalogues.arxiv.texts import HOSTS
    from vivavoce.sources.http.client import Allowed, Client, Limits
    from vivavoce.sources.http.throttle import Throttle, slots_folder

    limits = Limits(tries=3)
    if base:
        quick = Throttle({"127.0.0.1": 0.0})
        return Client(Allowed(HOSTS, loopback=base), limits=limits, throttle=quick)
    return Client(Allowed(HOSTS), limits=limits, throttle=Throttle(shared=slots_folder()))


def _list_faults(faults: Sequence[Fault]) -> None:
    for fault in faults[:SHOWN_FAULTS]:
        say(f"  {fault.where}: {fault.reason}")
    if len(faults) > SHOWN_FAULTS:
        say(f"  and {len(faults) - SHOWN_FAULTS:,} more (--json lists all)")


def _end(stopped: str | None) -> None:
    """End with 1 when a server put an end to the work."""
    if stopped is not None:
        say(f"Stopped before the end. {stopped}", quiet=True)
        say("What came is kept. Run the same command again later.", quiet=True)
        raise typer.Exit(1)
