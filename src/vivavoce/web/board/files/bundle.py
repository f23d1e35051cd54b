"""Where the transcripts are: the viewer that `inspect view bundle` made of the logs."""

from __future__ import annotations

import os
import re
from pathlib import Path
from urllib.parse import quote, urlsplit

from vivavoce.errors import InputError
from vivavoce.store import parse_object

_CONTEXT = re.compile(
    r'<script id="log_dir_context" type="application/json">([^<]{0,4000})</script>'
)
_LARGEST = 1_000_000
_ADDRESS = re.compile(r"[!#-;=?-\]_a-z~]{1,2000}")


def find_bundle(where: str, site: Path) -> str:
    """The address of a viewer as the pages of a site link to it, ending in `/`.

    Args:
        where: An address with http or https, or the folder that holds the viewer.
        site: The folder of the site; the link to a folder leads there from it.

    Raises:
        InputError: It is neither.
    """
    if urlsplit(where).scheme in ("http", "https"):
        return _checked_address(where)
    folder = Path(where)
    index = folder / "index.html"
    found = None
    if index.is_file() and index.stat().st_size <= _LARGEST:
        found = _CONTEXT.search(index.read_text("utf-8", errors="replace"))
    if found is None or parse_object(found[1].encode(), str(index)).get("log_dir") != "logs":
        raise InputError(
            f"{where} is neither an http address nor a folder with a viewer of logs. Make one "
            f"with: inspect view bundle --log-dir LOGS --output-dir {where}"
        )
    way = os.path.relpath(folder.resolve(), site.resolve()).replace(os.sep, "/")
    return "" if way == "." else quote(way) + "/"


def _checked_address(where: str) -> str:
    parts = urlsplit(where)
    if not parts.hostname or parts.query or parts.fragment or not _ADDRESS.fullmatch(where):
        raise InputError(
            f"{where} is not the address of a folder on a server, such as https://example.org/logs/"
        )
    return where.removesuffix("index.html").rstrip("/") + "/"


def transcript(bundle: str, log: str, item: str, epoch: int) -> str:
    """The address of a sample in a viewer.

    Args:
        bundle: What `find_bundle` gave.
        log: The log below its folder, with `/` between the parts.
        item: The sample's id.
        epoch: The attempt.
    """
    # As Inspect's own links: the parts of the log's path are quoted, and so is every / of the id.
    sample = quote(item, safe="", errors="replace")
    return f"{bundle}index.html#/logs/{quote(log)}/samples/sample/{sample}/{epoch}/"
