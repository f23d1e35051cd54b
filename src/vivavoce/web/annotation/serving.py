"""Runs the annotation app on an address of this machine."""

from __future__ import annotations

import socket
from collections.abc import Callable, Sequence
from contextlib import closing
from datetime import datetime

import uvicorn

from vivavoce.errors import InputError
from vivavoce.web.annotation.app import LOCAL_HOSTS, make_app
from vivavoce.web.annotation.storage import Database

_WAITING = 128


def serve(
    database: Database,
    clock: Callable[[], datetime],
    *,
    host: str = "127.0.0.1",
    port: int = 8000,
    secure_cookies: bool = False,
    allowed_hosts: Sequence[str] = (),
    announce: Callable[[str], None] = print,
) -> None:
    """Serve until the process is told to stop.

    Args:
        database: An open one.
        clock: Gives the moment, with its zone.
        host: The address to listen on.
        port: The port; 0 takes a free one.
        secure_cookies: Whether browsers reach the app by https, as behind a proxy.
        allowed_hosts: Names under which browsers reach it, beside those of this machine.
        announce: Is told the address once it listens.

    Raises:
        InputError: The address cannot be listened on.
    """
    app = make_app(
        database,
        clock,
        secure_cookies=secure_cookies,
        hosts=tuple(dict.fromkeys((*LOCAL_HOSTS, host, *allowed_hosts))),
    )
    with closing(_listen(host, port)) as listening:
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


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    found = socket.socket(family, socket.SOCK_STREAM)
    try:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind((host, port))
        found.listen(_WAITING)
    except OSError as error:
        found.close()
        raise InputError(
            f"{host}:{port} cannot be listened on: {error.strerror}. Choose another --port."
        ) from error
    return found
