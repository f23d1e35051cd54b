"""Campaigns for programs, over HTTP: items in, exports out, and how far a campaign is.

The commands' own functions do the work. Every request carries the token that the server was started
with, as `Authorization: Bearer TOKEN`; answers and errors are JSON, an export is a ZIP file.
"""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from starlette.responses import JSONResponse, Response

from vivavoce.errors import InputError
from vivavoce.store import read_sealed
from vivavoce.web.annotation.campaigns import find_campaign
from vivavoce.web.annotation.exporting import export_campaign
from vivavoce.web.annotation.importing import Sources, Wanted, take_in
from vivavoce.web.annotation.monitoring import overview, people_rows
from vivavoce.web.annotation.pages import CampaignName
from vivavoce.web.annotation.requests import Refused, Site, same, site_of

MAX_UPLOAD = 1 << 25
"""Bytes of a file of items."""

router = APIRouter(prefix="/api/campaigns/{campaign}")


def _allowed(request: Request) -> Site:
    site = site_of(request)
    if not site.api_token:
        raise Refused(404, "There is no such page", "Start the server with --api-token-file.")
    if not same(request.headers.get("authorization", ""), f"Bearer {site.api_token}"):
        raise Refused(401, "The token is wrong", "Send Authorization: Bearer TOKEN.")
    return site


Allowed = Annotated[Site, Depends(_allowed)]


async def _upload(request: Request, site: Allowed) -> bytes:
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_UPLOAD:
            raise Refused(413, "Too much", f"Send at most {MAX_UPLOAD >> 20} MB at once.")
    return bytes(body)


@router.get("")
def progress(site: Allowed, campaign: CampaignName) -> Response:
    """Items by what became of them, and the people as `viva annotate people list --json`."""
    with site.database.reading() as session:
        found = find_campaign(session, campaign)
        watched = overview(session, found)
        return JSONResponse(
            {
                "campaign": found.name,
                "kind": found.kind,
                "paused": found.paused_at is not None,
                "items": dict(watched.report.outcomes),
                "people": people_rows(watched),
            }
        )


@router.post("/items")
def import_items(
    site: Allowed,
    campaign: CampaignName,
    body: Annotated[bytes, Depends(_upload)],
    kind: str | None = None,
) -> Response:
    """Add items of JSON Lines, as `viva annotate import FILE`; a new campaign needs its kind."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "items.jsonl"
        file.write_bytes(body)
        wanted = Wanted(campaign, kind)
        try:
            return JSONResponse(take_in(site.database, Sources(file), wanted, site.clock()))
        except InputError as error:
            raise InputError(str(error).replace(f"{folder}/", "")) from error


@router.get("/export")
def export(site: Allowed, campaign: CampaignName) -> Response:
    """The files of `viva annotate export`, people under pseudonyms."""
    made = io.BytesIO()
    with TemporaryDirectory() as folder, zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as packed:
        with site.database.reading() as session:
            sealed = export_campaign(session, find_campaign(session, campaign), Path(folder))
        for name in (sealed.name, *sorted(read_sealed(sealed)["files"])):
            # Without a date: the same campaign gives the same bytes.
            packed.writestr(zipfile.ZipInfo(name), (Path(folder) / name).read_bytes())
    return Response(made.getvalue(), media_type="application/zip")
