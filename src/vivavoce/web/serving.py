"""An app on an address of this machine, until the process is told to stop."""

from __future__ import annotations

import socket
from collections.abc import Callable
from contextlib import closing

import uvicorn
from starlette.types import ASGIApp

from vivavoce.errors import InputError

_WAITING = 128


def serve_app(app: ASGIApp, host: str, port: int, announce: Callable[[str], None]) -> None:
    """Serve an app; `announce` is told the address once it listens, port 0 takes a free one.

    Raises:
        InputError: The address cannot be listened on.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listening = socket.create_server((host, port), family=family, backlog=_WAITING)
    except OSError as error:
        raise InputError(
            f"{host}:{port} cannot be listened on: {error.strerror}. Choose another --port."
        ) from error
    with closing(listening):
        shown = f"[{host}]" if ":" in host else host
        announce(f"http://{shown}:{listening.getsockname()[1]}/")
        config = uvicorn.Config(
            app,
            log_level="warning",
            # What a proxy says of the client is not believed: logins are counted by address.
            proxy_headers=False,
            server_header=False,
        )
        uvicorn.Server(config).run(sockets=[listening])
