"""Texts asked for one by one: what counts as one, and what an answer says of the paper."""

import gzip
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.servers.arxiv_replay import FakeClock, Fault, ReplayServer, replaying
from tests.servers.texts_replay import (
    ABSTRACT_PAGE,
    NO_FILE,
    NO_HTML,
    WITHDRAWN,
    Library,
    eprint,
    latexml_page,
    tar,
    tex,
    wrapper_page,
)

from vivavoce.errors import InputError
from vivavoce.sources.catalogues.arxiv.texts import (
    ALL_KINDS,
    HOSTS,
    Addresses,
    Missing,
    Text,
    ValidText,
    WantedText,
    fetch_text,
    texts_wanted,
    validate_eprint,
    validate_html,
    validate_pdf,
)
from vivavoce.sources.http import INTERVALS, Turns
from vivavoce.sources.http.client import Allowed, Client, Limits


@pytest.fixture
def library() -> Library:
    return Library()


@pytest.fixture
def server(clock: FakeClock, library: Library) -> Iterator[ReplayServer]:
    with replaying({}, clock) as running:
        running.script = library
        yield running


@pytest.fixture
def client(server: ReplayServer, clock: FakeClock) -> Client:
    allowed = Allowed(HOSTS, loopback=server.origin)
    return Client(allowed, clock.turns(), limits=Limits(tries=2, largest=1 << 20))


def want(server: ReplayServer, kind: str, name: str = "2001.00001v1") -> WantedText:
    acl = name if kind == "acl" else None
    arxiv = None if acl else name
    (wanted,) = texts_wanted(
        arxiv, None, acl, ("pdf" if acl else kind,), Addresses.at(server.origin)
    )
    return wanted


def test_every_address_is_https_at_an_allowed_host() -> None:
    for wanted in texts_wanted("2001.00001", None, "2020.acl-main.207", ALL_KINDS):
        assert Allowed(HOSTS).host_of(wanted.url, wanted.url, None) in HOSTS


def test_the_hosts_of_arxiv_are_one_budget_and_the_anthology_has_its_own(
    clock: FakeClock, tmp_path: Path
) -> None:
    turns = Turns(INTERVALS, folder=tmp_path, clock=clock.time, sleep=clock.sleep)
    came = []
    wanted = texts_wanted("2001.00001", None, "P18-1001", ALL_KINDS)
    for one in wanted:
        with turns.turn(Allowed(HOSTS).host_of(one.url, one.url, None), clock.now + 60):
            came.append((one.kind, clock.now))
    assert came == [
        ("html", 1000.0),
        ("ar5iv", 1003.0),
        ("eprint", 1006.0),
        ("pdf", 1009.0),
        ("acl", 1009.0),
    ]


@pytest.mark.parametrize(
    ("body", "suffix"),
    [
        (eprint(), ".tar.gz"),
        (gzip.compress(tex()), ".gz"),
        (tar(("main.tex", tex())), ".tar"),
        (tex(), ".tex"),
        (b"PK\x03\x04 and so on", ".zip"),
    ],
    ids=["tar.gz", "one file in gzip", "tar", "one file", "zip"],
)
def test_an_eprint_is_told_by_its_bytes(body: bytes, suffix: str) -> None:
    assert validate_eprint(body) == ValidText("latex", suffix)


def test_an_eprint_may_be_a_pdf() -> None:
    assert validate_eprint(b"%PDF-1.5\n...") == ValidText("pdf", ".pdf")


@pytest.mark.parametrize(
    ("judge", "body", "outcome"),
    [
        (validate_html, NO_HTML, "missing"),
        (validate_html, ABSTRACT_PAGE, "missing"),
        (validate_html, WITHDRAWN, "withdrawn"),
        (validate_html, wrapper_page("2001.00001v1"), "unusable"),  # it only includes a PDF
        (validate_eprint, gzip.compress(b"%auto-ignore\nWithdrawn by the author."), "withdrawn"),
        (validate_eprint, gzip.compress(b"%!PS-Adobe-2.0\n"), "unusable"),
        (validate_eprint, NO_FILE, "missing"),
        (validate_eprint, WITHDRAWN, "withdrawn"),
    ],
)
def test_what_is_no_text_and_will_not_become_one(
    judge: Callable[[bytes], ValidText | Missing], body: bytes, outcome: str
) -> None:
    judged = judge(body)
    assert isinstance(judged, Missing)
    assert judged.outcome == outcome


def test_damaged_gzip_is_refused() -> None:
    with pytest.raises(InputError, match="damaged"):
        validate_eprint(b"\x1f\x8b" + b"\xff" * 100)


@given(st.binary(max_size=3000))
def test_any_bytes_are_judged_or_refused(body: bytes) -> None:
    for judge in (validate_html, validate_eprint, validate_pdf):
        for start in (b"", b"<html>", b"\x1f\x8b\x08", b"PK"):
            with suppress(InputError):
                assert isinstance(judge(start + body), ValidText | Missing)


@pytest.mark.timeout(60)
def test_hostile_pages_are_judged_in_linear_time() -> None:
    hostile = b'ltx_document id="license-tr' * 200_000 + b'id="license-tr"' + b" " * 1_000_000
    assert isinstance(validate_html(hostile + b"ltx_para" * 10), ValidText)


@pytest.mark.parametrize(
    ("name", "given", "version"),
    [
        ("2001.00001", "arXiv-2001.00001v2.tar.gz", "v2"),
        ("hep-th/9901001", "arXiv-hep-th9901001v3.gz", "v3"),
        ("2001.00001", "arXiv-2001.00009v2.tar.gz", None),
        ("2001.00001", "source.tar.gz", None),
        ("2001.00001v1", "arXiv-2001.00001v2.tar.gz", "v1"),
    ],
)
def test_the_version_of_sources_is_in_the_name_of_the_file(
    client: Client,
    server: ReplayServer,
    library: Library,
    name: str,
    given: str,
    version: str | None,
) -> None:
    library.add(f"/e-print/{name}", eprint(), Content_Disposition=f'attachment; filename="{given}"')
    text = fetch_text(client, want(server, "eprint", name))
    assert isinstance(text, Text)
    assert text.version == version


@pytest.mark.parametrize("other", ["2001.00002v1", "2001.00001v2"])
def test_the_page_of_another_paper_or_version_is_not_taken(
    client: Client, server: ReplayServer, library: Library, other: str
) -> None:
    library.add("/html/2001.00001v1", latexml_page(other))
    found = fetch_text(client, want(server, "html"))
    assert found == Missing("unusable", f"the server sent {other}", 200)


@pytest.mark.parametrize(
    ("answer", "outcome", "asks"),
    [
        (Fault(b"no such page", 404), "missing", 1),
        (Fault(b"", 410), "missing", 1),
        (Fault(NO_HTML), "missing", 1),
        (Fault(b"<p>paper withdrawn</p>", 404), "withdrawn", 1),
        (Fault(WITHDRAWN, 403), "withdrawn", 1),
        (Fault(b"denied", 403), "refused", 1),
        (Fault(b"", 302, {"Location": "https://example.org/login"}), "refused", 1),
        (Fault(bytes(2 << 20)), "too_large", 1),
        (Fault(b"busy", 503), "failed", 2),
        (Fault(NO_FILE, 500), "missing", 2),
        (Fault(b"Rate exceeded."), "failed", 2),
        (Fault(b"half", announced=100), "failed", 2),
        (Fault(b"slow down", 429, {"Retry-After": "5"}), "failed", 2),
    ],
)
def test_why_there_is_no_text(
    client: Client, server: ReplayServer, library: Library, answer: Fault, outcome: str, asks: int
) -> None:
    library.answers["/html/2001.00001v1"] = answer
    found = fetch_text(client, want(server, "html"))
    assert isinstance(found, Missing)
    assert (found.outcome, len(server.asks)) == (outcome, asks)
    assert found.reason
