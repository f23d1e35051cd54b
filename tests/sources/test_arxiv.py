"""Feeds of arXiv's query API: read from files, and fetched from a server that replays them."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from tests.servers.arxiv_replay import (
    FakeClock,
    Fault,
    Key,
    ReplayServer,
    only,
    recordings,
    replaying,
)

from vivavoce.corpus import ingest, load_corpus
from vivavoce.errors import InputError
from vivavoce.records import Author, Document
from vivavoce.records import Fault as Unread
from vivavoce.sources import Piece, ReadOptions, get_source
from vivavoce.sources.catalogues.arxiv import read_feed
from vivavoce.sources.catalogues.arxiv.search import by_ids, find_page, save_search
from vivavoce.sources.http.client import Allowed, BadReplyError, Client, Limits

FEED = """<?xml version='1.0' encoding='UTF-8'?>
<feed xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/"
      xmlns:arxiv="http://arxiv.org/schemas/atom" xmlns="http://www.w3.org/2005/Atom">
  <opensearch:itemsPerPage>{per_page}</opensearch:itemsPerPage>
  <opensearch:totalResults>{total}</opensearch:totalResults>
  <opensearch:startIndex>{start}</opensearch:startIndex>
  {entries}
</feed>"""
ENTRY = """<entry>
  <id>http://arxiv.org/abs/{arxiv_id}</id><title>{title}</title>
  <published>2020-01-31T23:30:00-01:00</published><updated>2021-05-05T00:00:00Z</updated>
  <summary>An
    abstract.</summary>
  <author><name>Ada First</name></author><author><name> Bo  Second </name></author>
  <category term="cs.LG"/><category term="cs.CL"/><arxiv:primary_category term="cs.CL"/>
  <arxiv:doi>10.1000/XYZ</arxiv:doi><arxiv:journal_ref>A Journal 3 (2021)</arxiv:journal_ref>
</entry>"""
ERROR_ENTRY = (
    "<entry><id>https://arxiv.org/api/errors#some_reason</id><title>Error</title>"
    "<summary>some reason</summary></entry>"
)


def feed_of(
    *numbers: int, total: int, start: int = 0, per_page: int = 10, title: str = "A Title"
) -> bytes:
    """A feed whose papers have the ids 2001.00000 + number."""
    entries = "".join(
        ENTRY.format(arxiv_id=f"2001.{number:05d}v2", title=title) for number in numbers
    )
    text = FEED.format(per_page=per_page, total=total, start=start, entries=entries)
    return text.encode()


def read_file(path: Path, content: bytes) -> list[Document | Unread]:
    path.write_bytes(content)
    return list(get_source("arxiv").read(Piece(path), ReadOptions()))


@pytest.fixture
def recorded(data_dir: Path) -> dict[Key, tuple[int, bytes]]:
    return recordings(data_dir / "arxiv_api")


@pytest.fixture
def server(recorded: dict[Key, tuple[int, bytes]], clock: FakeClock) -> Iterator[ReplayServer]:
    with replaying(recorded, clock) as running:
        yield running


@pytest.fixture
def typed(clock: FakeClock) -> Iterator[ReplayServer]:
    """25 papers on three pages of 10, typed by hand."""
    pages = {
        ("typed", "", str(start), "10"): (200, feed_of(*range(start, end), total=25, start=start))
        for start, end in ((0, 10), (10, 20), (20, 25))
    }
    with replaying(pages, clock) as running:
        yield running


def client_of(server: ReplayServer, clock: FakeClock) -> Client:
    return Client(
        Allowed(frozenset(), loopback=server.origin), clock.turns(), limits=Limits(tries=3)
    )


def ids_of(found: Sequence[Document | Unread]) -> list[str | None]:
    assert all(isinstance(item, Document) for item in found)
    return [item.arxiv_id for item in found if isinstance(item, Document)]


def test_what_an_entry_says_of_a_paper() -> None:
    (paper,) = read_feed(feed_of(7, total=1)).entries
    assert paper == Document(
        kind="arxiv",
        key="arxiv:2001.00007",
        arxiv_id="2001.00007",
        version="v2",
        doi="10.1000/xyz",
        source_url="https://arxiv.org/abs/2001.00007v2",
        title="A Title",
        abstract="An abstract.",
        published="2020-02-01",  # half past eleven at night, one hour west of Greenwich
        categories=("cs.CL", "cs.LG"),
        venue="A Journal 3 (2021)",
        authors=(Author("Ada First"), Author("Bo Second")),
    )


def test_a_folder_of_recorded_feeds_goes_into_a_corpus(data_dir: Path, tmp_path: Path) -> None:
    folder = data_dir / "arxiv_api"
    expected: set[str] = set()
    faulty = 0
    for path in sorted(folder.glob("*.atom.xml")):
        text = path.read_text("utf-8")
        addresses = [line for line in text.splitlines() if "<id>http://arxiv.org/abs/" in line]
        found = [line.split("/abs/")[1].split("<")[0].rsplit("v", 1)[0] for line in addresses]
        expected.update(found)
        faulty += not found
    report = ingest("arxiv", folder, tmp_path)
    papers = load_corpus(tmp_path).papers
    assert {paper.arxiv_id for paper in papers} == expected
    assert (report.papers, report.dated, len(report.failed)) == (
        len(expected),
        len(expected),
        faulty,
    )
    assert all(paper.title and paper.abstract for paper in papers)


def test_one_file_may_be_named_and_feeds_of_one_name_lie_in_two_folders(tmp_path: Path) -> None:
    for folder, number in (("a", 1), ("b", 2)):
        (tmp_path / "in" / folder).mkdir(parents=True)
        (tmp_path / "in" / folder / "page.atom.xml").write_bytes(feed_of(number, total=1))
    assert ingest("arxiv", tmp_path / "in", tmp_path / "c1").papers == 2
    one = tmp_path / "in" / "a" / "page.atom.xml"
    assert ingest("arxiv", one, tmp_path / "c2").papers == 1


def test_an_entry_without_id_or_title_is_a_fault_and_the_others_go_in(tmp_path: Path) -> None:
    content = feed_of(1, 2, 3, total=3).replace(b"http://arxiv.org/abs/2001.00002v2", b"nothing")
    content = content.replace(b"A Title", b" ", 1)
    faults = read_file(tmp_path / "page.atom.xml", content)
    assert [type(item) for item in faults] == [Unread, Unread, Document]
    assert [item.where for item in faults if isinstance(item, Unread)] == [
        "page.atom.xml: entry 1",
        "page.atom.xml: entry 2",
    ]


def test_a_saved_page_that_lacks_entries_says_so(tmp_path: Path) -> None:
    *papers, fault = read_file(tmp_path / "p.atom.xml", feed_of(*range(8), total=25))
    assert len(papers) == 8
    assert isinstance(fault, Unread)
    assert fault.reason.startswith("2 of the entries")  # 10 a page, and 8 are there
    assert len(read_file(tmp_path / "q.atom.xml", feed_of(20, 21, total=22, start=20))) == 2


def saved(
    server: ReplayServer, clock: FakeClock, folder: Path, query: str, **options: int
) -> list[str]:
    """Ids of the papers of a search, in the order of its files."""
    found = save_search(client_of(server, clock), query, folder, page=10, api=server.api, **options)
    pages = (read_feed((folder / name).read_bytes()).entries for name in found.files)
    ids = [item.arxiv_id for page in pages for item in page if isinstance(item, Document)]
    assert found.papers == len(set(ids))
    return [str(name) for name in dict.fromkeys(ids)]


def test_recorded_pages_of_ten_are_the_recorded_pages_of_fifteen(
    server: ReplayServer, clock: FakeClock, recorded: dict[Key, tuple[int, bytes]], tmp_path: Path
) -> None:
    ids = saved(server, clock, tmp_path, "testing", limit=30)
    assert len(ids) == 30
    for start in ("0", "5", "9"):
        whole = read_feed(recorded["testing", "", start, "15"][1])
        assert ids_of(whole.entries) == ids[int(start) : int(start) + 15]


def test_one_page_is_asked_for_by_relevance(server: ReplayServer, clock: FakeClock) -> None:
    found = read_feed(find_page(client_of(server, clock), "testing", 10, api=server.api))
    assert (len(found.entries), found.total) == (10, 214881)
    assert "sortBy=relevance&sortOrder=descending" in server.asks[0].target
    with pytest.raises(InputError, match="choose 1 to 2000"):
        find_page(client_of(server, clock), "testing", 2001, api=server.api)


BAD_PAGES = {
    "empty": feed_of(total=214881, start=10),
    "short": feed_of(*range(9), total=214881, start=10),
    "another offset": feed_of(*range(10), total=214881, start=0),
    "rate": b"Rate exceeded.",
    "html": b"<!DOCTYPE html><html><body>Sorry</body></html>",
    "xhtml": b"<?xml version='1.0'?><html xmlns='http://www.w3.org/1999/xhtml'/>",
    "truncated": feed_of(*range(10), total=214881, start=10)[:-300],
    "error entry": FEED.format(per_page=1, total=1, start=0, entries=ERROR_ENTRY).encode(),
    "no total": feed_of(*range(10), total=1).replace(b"totalResults>1<", b"totalResults><"),
    "nothing": b"",
}


@pytest.mark.parametrize("name", BAD_PAGES)
def test_a_bad_page_is_asked_for_again_and_one_that_stays_bad_is_an_error(
    server: ReplayServer, clock: FakeClock, name: str, tmp_path: Path
) -> None:
    server.script = lambda ask: Fault(BAD_PAGES[name]) if ask.start == 10 else None
    with pytest.raises(BadReplyError, match="offset 10") as caught:
        saved(server, clock, tmp_path, "testing", limit=28)
    assert caught.value.offset == 10
    assert server.starts == [0, 10, 10, 10]
    assert len(list(tmp_path.glob("*.atom.xml"))) == 1  # the good first page
    server.script = only([5, 6], Fault(BAD_PAGES[name]))
    assert len(saved(server, clock, tmp_path, "testing", limit=28)) == 28
    assert server.starts[4:] == [10, 10, 10, 20]


def test_unknown_ids_are_left_out(recorded: dict[Key, tuple[int, bytes]], clock: FakeClock) -> None:
    both = "0808.05394,1707.08567"
    answers = {("", both, "0", "2"): recorded["", both, "0", "100"]}
    with replaying(answers, clock) as server:
        client = client_of(server, clock)
        found = read_feed(by_ids(client, ["0808.05394", "arXiv:1707.08567"], api=server.api))
    (paper,) = found.entries
    assert isinstance(paper, Document)
    assert (paper.arxiv_id, paper.version, len(paper.authors)) == ("1707.08567", "v1", 34)
    with pytest.raises(InputError, match="'abc'"):
        by_ids(client, ["abc"])


def test_ids_are_asked_for_with_room_for_all_of_them(clock: FakeClock) -> None:
    names = [f"2001.{number:05d}" for number in range(11)]
    feed = feed_of(*range(11), total=11, per_page=11)
    with replaying({("", ",".join(names), "0", "11"): (200, feed)}, clock) as server:
        found = read_feed(by_ids(client_of(server, clock), names, api=server.api))
    assert ids_of(found.entries) == names


def test_the_recorded_error_that_comes_with_status_400_keeps_its_words(
    server: ReplayServer, clock: FakeClock, recorded: dict[Key, tuple[int, bytes]]
) -> None:
    status, body = recorded["", "abc", "0", "100"]
    assert status == 400
    server.script = only([1], Fault(body, status))
    with pytest.raises(BadReplyError, match="incorrect id format for abc"):
        find_page(client_of(server, clock), "anything", 10, api=server.api)
    assert len(server.asks) == 1


@pytest.mark.parametrize(
    ("title", "encoding", "expected", "replaced"),
    [
        ("Cafe\u0301", "utf-8", "Café", 0),
        ("Café", "utf-8-sig", "Café", 0),
        ("Café é", "latin-1", "Caf\ufffd \ufffd", 2),
        ("A&#0;B&#x1;", "utf-8", "AB\ufffd", 1),
        ("A &#xD800;&#55296; B", "utf-8", "A \ufffd\ufffd B", 2),
        ("A\x08\uffffB", "utf-8", "A\ufffd\ufffdB", 2),
        ("A \u202eB", "utf-8", "A \u202eB", 0),
    ],
)
def test_characters_that_are_no_text_are_replaced_and_counted(
    title: str, encoding: str, expected: str, replaced: int
) -> None:
    feed = read_feed(feed_of(1, total=1, title=title).decode().encode(encoding))
    (paper,) = feed.entries
    assert isinstance(paper, Document)
    assert (paper.title, feed.replaced) == (expected, replaced)
    assert json.loads(json.dumps(paper.title).encode("utf-8")) == paper.title


def test_replacements_are_reported(tmp_path: Path) -> None:
    text = feed_of(1, total=1, title="Café").decode()
    _, fault = read_file(tmp_path / "q.atom.xml", text.encode("latin-1"))
    assert fault == Unread("q.atom.xml", "invalid characters replaced by U+FFFD: 1")
