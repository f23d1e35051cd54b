"""The site brought to a folder, a branch, another machine and the hub."""

from __future__ import annotations

import base64
import json
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest
from tests.live.world import LEAD, Board, board, contestant
from tests.servers.commands import viva_here
from tests.servers.scripted import answer, opening

from vivavoce.rounds import load_round
from vivavoce.store import hash_tree, read_json

pytestmark = pytest.mark.slow

FEBRUARY, MARCH = "2023-02-01", "2023-03-01"


@pytest.fixture
def one(tmp_path: Path) -> Iterator[Board]:
    with board(tmp_path / "board") as made:
        yield made


def git(folder: Path, *words: str) -> str:
    done = subprocess.run(["git", *words], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_a_folder_holds_the_site_and_what_others_put_there(one: Board, tmp_path: Path) -> None:
    public = tmp_path / "public"
    one.write(LEAD, f'[[publish]]\nkind = "folder"\npath = "{public}"')
    one.live(FEBRUARY)
    assert hash_tree(public) == hash_tree(one.folder / "site")
    (public / "CNAME").write_text("board.example.org\n")
    gone = next(public.glob("boards/*/*.html"))
    gone.unlink()
    one.live(MARCH)
    there = hash_tree(public)
    assert there.pop("CNAME")
    assert there == hash_tree(one.folder / "site")
    assert (public / "live" / "live-2023-02-01.revealed.json").exists()
    assert not (public / "live" / "live-2023-03-01.revealed.json").exists()
    assert (public / "live" / "live-2023-03-01.sealed.json").exists()


def test_a_folder_of_something_else_is_left_alone_and_the_next_run_mends_it(
    one: Board, tmp_path: Path
) -> None:
    public = tmp_path / "public"
    public.mkdir()
    (public / "thesis.tex").write_text("mine")
    one.write(LEAD, f'[[publish]]\nkind = "folder"\npath = "{public}"')
    failed = one.live(FEBRUARY, expect=1)
    assert "holds something that is no site" in failed.stdout
    assert [path.name for path in public.iterdir()] == ["thesis.tex"]
    (public / "thesis.tex").unlink()
    asked = one.requests
    one.live(FEBRUARY)
    assert one.requests == asked
    assert hash_tree(public) == hash_tree(one.folder / "site")


def test_a_branch_has_one_commit_for_each_site_and_is_pushed(one: Board, tmp_path: Path) -> None:
    remote, repository = tmp_path / "remote.git", tmp_path / "repository"
    git(tmp_path, "init", "--quiet", "--bare", str(remote))
    git(tmp_path, "init", "--quiet", str(repository))
    git(repository, "remote", "add", "origin", str(remote))
    for name, value in (("user.name", "A Keeper"), ("user.email", "keeper@example.org")):
        git(repository, "config", name, value)
    target = f'[[publish]]\nkind = "git"\npath = "{repository}"\nremote = "origin"'
    one.write(LEAD, target)
    for until in (FEBRUARY, MARCH):
        one.live(until)
    told = git(remote, "log", "--format=%s %aI", "gh-pages").splitlines()
    assert told == [
        "Board of 2023-03-01 2023-03-01T00:00:00+00:00",
        "Board of 2023-02-01 2023-02-01T00:00:00+00:00",
    ]
    files = set(git(remote, "ls-tree", "-r", "--name-only", "gh-pages").splitlines())
    assert files == set(hash_tree(one.folder / "site"))
    assert git(repository, "status", "--porcelain") == ""


def test_a_program_that_is_missing_or_fails_is_named(
    one: Board, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs = tmp_path / "programs"
    programs.mkdir()
    monkeypatch.setenv("PATH", str(programs))
    one.write(LEAD, '[[publish]]\nkind = "rsync"\nto = "keeper@example.org:board"')
    one.models.environment["PATH"] = str(programs)
    assert "rsync is not installed" in one.live(FEBRUARY, expect=1).stdout
    program = programs / "rsync"
    program.write_text(f'#!/bin/sh\necho "$@" > {tmp_path}/words\nexit 12\n')
    program.chmod(0o755)
    assert "rsync ended with 12" in one.live(FEBRUARY, expect=1).stdout
    words = (tmp_path / "words").read_text().split()
    assert words == [
        "-a", "--delete-after", "--", f"{one.folder}/site/", "keeper@example.org:board",
    ]  # fmt: skip
    program.write_text("#!/bin/sh\n")
    one.live(FEBRUARY)


class Hub(BaseHTTPRequestHandler):
    """As much of the hub as an upload asks: it keeps what was committed."""

    protocol_version = "HTTP/1.1"
    calls: ClassVar[list[str]] = []
    commits: ClassVar[list[dict[str, bytes]]] = []

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        path = self.path.partition("?")[0]
        self.calls.append(path)
        if path.endswith("/preupload/main"):
            files = json.loads(body)["files"]
            modes = [{"path": f["path"], "uploadMode": "regular"} for f in files]
            self._send({"files": [{**mode, "shouldIgnore": False} for mode in modes]})
        elif "/commit/" in path:
            lines = [json.loads(line) for line in body.splitlines()]
            files = [line["value"] for line in lines if line["key"] == "file"]
            self.commits.append({f["path"]: base64.b64decode(f["content"]) for f in files})
            address = f"http://{self.headers['Host']}/spaces/keeper/board"
            self._send({"commitUrl": f"{address}/commit/{'1' * 40}", "commitOid": "1" * 40})
        else:
            address = f"http://{self.headers['Host']}/spaces/keeper/board"
            self._send({"url": address, "warnings": [], "errors": []})

    def do_GET(self) -> None:
        self._send([] if "/tree/" in self.path else {"id": "keeper/board", "siblings": []})

    def _send(self, value: Any) -> None:
        content = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:
        pass


def test_the_hub_gets_every_file_by_its_own_client(
    one: Board, monkeypatch: pytest.MonkeyPatch
) -> None:
    import huggingface_hub.constants
    from huggingface_hub import hf_api

    server = ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    address = f"http://127.0.0.1:{server.server_address[1]}"
    for module in (huggingface_hub.constants, hf_api.constants):
        monkeypatch.setattr(module, "ENDPOINT", address)
    monkeypatch.setenv("HF_TOKEN", "hf_none")
    try:
        one.write(LEAD, '[[publish]]\nkind = "hub"\nrepo = "keeper/board"')
        one.live(FEBRUARY)
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
    site = one.folder / "site"
    sent = {name: content for commit in Hub.commits for name, content in commit.items()}
    assert sent == {name: (site / name).read_bytes() for name in hash_tree(site)}
    assert Hub.calls[0] == "/api/repos/create"


def test_the_site_can_be_verified_by_others(one: Board) -> None:
    one.write(LEAD, contestant("one", 'cutoff = "2023-01"'), contestant("two"))
    one.models.script = lambda ask: answer("A Title") if ask.model == "two" else opening(ask)
    for until in (FEBRUARY, MARCH):
        one.live(until)
    site = one.folder / "site"
    rounds = sorted((one.folder / "rounds").glob("live-*-01"))
    words = [word for folder in rounds for word in ("--round", folder)]
    words += ["--cutoffs", site / "live" / "cutoffs.toml"]
    done = viva_here("board", "verify", site, "--logs", one.folder / "logs", *words)
    assert "Every file is what the logs give." in done.stdout
    assert {row["trust"] for row in read_json(site / "board.json")["rows"]} == {"recomputed"}
    # No page names an item of the round that is sealed.
    before, newest = (
        {row["id"] for row in load_round(folder).items("writing", "title")} for folder in rounds
    )
    assert newest - before
    told = "".join(page.read_text() for page in site.rglob("*.html"))
    assert [item for item in newest - before if item in told] == []
    (site / "index.html").write_text("another")
    refused = viva_here("board", "verify", site, "--logs", one.folder / "logs", *words, expect=1)
    assert "index.html is not what the logs give." in refused.stdout
