"""Batches of requests: a run that is killed while they are in flight finds them again."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from tests.servers.commands import only_json, small_round, viva_here
from tests.servers.golden import Golden
from tests.servers.scripted import ScriptedServer

pytestmark = pytest.mark.slow

ITEMS, LOOKS = 12, 30


class BatchServer(ScriptedServer):
    """Answers files and batches as OpenAI's API does; batches end when they are let go."""

    def __init__(self, golden: Golden) -> None:
        super().__init__(golden)
        self.files: dict[str, list[dict[str, Any]]] = {}
        self.batches: dict[str, str] = {}
        """The file of each batch."""
        self.released = False
        self.lost: set[str] = set()
        handler = type("Handler", (_BatchHandler,), {"owner": self})
        self._http.server_close()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), handler)

    @property
    def environment(self) -> dict[str, str]:
        """This process's environment, with the server in it as OpenAI's."""
        return {
            **super().environment,
            "OPENAI_BASE_URL": self.url,
            "OPENAI_API_KEY": "not-a-secret",
        }

    def requests(self) -> int:
        """Requests in all batches."""
        return sum(len(self.files[file]) for file in self.batches.values())

    def results(self, batch: str) -> str:
        """The answers to a batch, a line each."""
        lines = []
        for line in self.files[self.batches[batch]]:
            body = json.loads(self.reply_to(line["body"]).body)
            response = {"status_code": 200, "body": body}
            lines.append({"custom_id": line["custom_id"], "response": response, "error": None})
        return "\n".join(map(json.dumps, lines))


class _BatchHandler(BaseHTTPRequestHandler):
    owner: BatchServer
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        content = self.rfile.read(int(self.headers["Content-Length"]))
        if self.path.endswith("/files"):
            found = re.findall(rb'^\{"custom_id".*\}$', content, re.MULTILINE)
            name = f"file-{len(self.owner.files)}"
            self.owner.files[name] = [json.loads(line) for line in found]
            about = {"object": "file", "bytes": 1, "created_at": 0, "filename": "a.jsonl"}
            self._send({"id": name, **about, "purpose": "batch", "status": "processed"})
        else:
            name = f"batch-{len(self.owner.batches)}"
            self.owner.batches[name] = json.loads(content)["input_file_id"]
            self._send(self._batch(name))

    def do_GET(self) -> None:
        name = self.path.split("/")[-1]
        if self.path.endswith("/content"):
            self._send(self.owner.results(self.path.split("/")[-2].removeprefix("of-")))
        elif name in self.owner.lost:
            self._send({"error": {"message": "No such batch.", "type": "invalid"}}, 404)
        else:
            self._send(self._batch(name))
            self.owner.count_answer()

    def _batch(self, name: str) -> dict[str, Any]:
        is_done = self.owner.released
        return {
            "id": name,
            "object": "batch",
            "endpoint": "/v1/chat/completions",
            "completion_window": "24h",
            "created_at": 0,
            "input_file_id": self.owner.batches[name],
            "status": "completed" if is_done else "in_progress",
            "output_file_id": f"of-{name}" if is_done else None,
        }

    def _send(self, value: Any, status: int = 200) -> None:
        body = (value if isinstance(value, str) else json.dumps(value)).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        pass


@contextmanager
def batch_server(golden: Golden) -> Iterator[BatchServer]:
    server = BatchServer(golden)
    thread = threading.Thread(target=server.serve, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.stop()
        thread.join()


@pytest.mark.parametrize("is_lost", [False, True], ids=["in flight", "lost"])
def test_batches_in_flight_are_found_again(
    kill_after: Callable[..., None], tmp_path: Path, is_lost: bool
) -> None:
    opened = small_round(tmp_path, papers=ITEMS)
    logs = tmp_path / "logs"
    model = ("--model", "openai/gpt-4o-mini", "-M", "responses_api=false")
    command = ("run", "title", "--round", opened.folder, "--logs", logs, *model)
    options = ("--batch", "--batch-tick", "0.05", "--epochs", "2", "--json")
    with batch_server(Golden(opened, ("title",))) as server:
        # After so many looks at batches all requests are in one.
        kill_after(server, LOOKS, [*command, *options])
        assert server.asks == []
        assert server.requests() == 2 * ITEMS
        server.lost = set(server.batches) if is_lost else set()
        server.released = True
        done = only_json(viva_here(*command, *options, env=server.environment).stdout)
        assert done["failed"] == []
        assert server.failures == []
        # Only what the provider lost is sent again, and each answer is asked for once.
        assert server.requests() == (4 if is_lost else 2) * ITEMS
        assert len(server.asks) == 2 * ITEMS
        assert not (logs / "batches.jsonl").exists()
        before = len(server.batches)
        viva_here(*command, *options, env=server.environment)
        assert len(server.batches) == before
    rows = only_json(viva_here("board", "show", logs, "--json").stdout)["rows"]
    assert {row["value"] for row in rows if row["headline"]} == {1.0}
