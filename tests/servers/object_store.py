"""A server on this machine that speaks as S3 does, and an empty bucket in it: fixtures."""

import logging
from collections.abc import Iterator
from typing import Any

import pytest


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """The address of the server."""
    from moto.server import ThreadedMotoServer

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    running = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    running.start()
    host, port = running.get_host_and_port()
    yield f"http://{host}:{port}"
    running.stop()


def settings_for(server: str) -> dict[str, str]:
    """What a client of the server finds in its environment."""
    return {
        "AWS_ENDPOINT_URL": server,
        "AWS_ACCESS_KEY_ID": "nobody",
        "AWS_SECRET_ACCESS_KEY": "nothing",
        "AWS_DEFAULT_REGION": "us-east-1",
    }


@pytest.fixture
def bucket(server: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The client of an empty bucket called `papers`."""
    for name, value in settings_for(server).items():
        monkeypatch.setenv(name, value)
    import boto3

    client = boto3.client("s3")
    client.create_bucket(Bucket="papers")
    yield client
    for key in keys_in(client):
        client.delete_object(Bucket="papers", Key=key)
    client.delete_bucket(Bucket="papers")
    client.close()


def keys_in(client: Any) -> list[str]:
    pages = client.get_paginator("list_objects_v2").paginate(Bucket="papers")
    return [entry["Key"] for page in pages for entry in page.get("Contents", ())]


def states_in(client: Any) -> list[str]:
    return [key.rpartition("/")[2] for key in keys_in(client) if "/states/" in key]
