"""A server of OpenAI's files and batches on the loopback interface; it counts what it is sent."""

import json
import re
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from typing import Any

from tests.servers.golden import Golden
from tests.servers.scripted import QuietServer, ScriptedServer


class BatchServer(ScriptedServer):
    """Answers files and batches as OpenAI's API does, and counts each response as an answer.

    A batch is done after so many looks at it, or when all are let go.
    """

    def __init__(self, golden: Golden, looks: int | None = None) -> None:
        super().__init__(golden)
        self.files: dict[str, list[dict[str, Any]]] = {}
        self.batches: dict[str, str] = {}
        """The file of each batch."""
        self.looks: Counter[str] = Counter()
        self.looks_needed = looks
        self.released = False
        self.lost: set[str] = set()
        self.may_confirm = threading.Event()
        """While it is not set, batches are accepted, and nobody is told so."""
        self.may_confirm.set()
        handler = type("Handler", (_BatchHandler,), {"owner": self})
        self._http.server_close()
        self._http = QuietServer(("127.0.0.1", 0), handler)

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
            return
        name = f"batch-{len(self.owner.batches)}"
        self.owner.batches[name] = json.loads(content)["input_file_id"]
        if not self.owner.may_confirm.is_set():
            self.owner.count_answer()
            self.owner.may_confirm.wait()
        self._send(self._batch(name))

    def do_GET(self) -> None:
        name = self.path.split("/")[-1]
        if self.path.endswith("/content"):
            self._send(self.owner.results(self.path.split("/")[-2].removeprefix("of-")))
        elif name in self.owner.lost:
            self._send({"error": {"message": "No such batch.", "type": "invalid"}}, 404)
        else:
            self.owner.looks[name] += 1
            self._send(self._batch(name))

    def _batch(self, name: str) -> dict[str, Any]:
        needed = self.owner.looks_needed
        is_looked_at = needed is not None and self.owner.looks[name] >= needed
        is_done = self.owner.released or is_looked_at
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
        self.owner.wait_to_send()
        try:
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
        except (BrokenPipeError, ConnectionResetError):
            self.owner.take_back()  # the client was killed
            return
        self.owner.count_answer()

    def log_message(self, format: str, *args: Any) -> None:
        pass


@contextmanager
def batch_server(golden: Golden, looks: int | None = None) -> Iterator[BatchServer]:
    """A server for the length of a block."""
    server = BatchServer(golden, looks)
    thread = threading.Thread(target=server.serve, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.may_confirm.set()
        server.stop()
        thread.join()
