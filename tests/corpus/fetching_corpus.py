"""Corpora of metadata alone, and the server that has the texts."""

from collections.abc import Sequence
from datetime import date
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from tests.servers.arxiv_replay import Ask, FakeClock, Fault, ReplayServer, Script
from tests.servers.catalogue_arxiv import Entry, feed
from tests.servers.texts_replay import Library, eprint, latexml_page, pdf
from tests.support.tei import tei_text

from vivavoce.corpus import ingest
from vivavoce.sources import list_sources
from vivavoce.sources.catalogues.arxiv.texts import HOSTS
from vivavoce.sources.http.client import Allowed, Client, Limits
from vivavoce.store import Row, read_jsonl

READS_HTML = "html" in list_sources()


def feed_of(names: Sequence[str], title: str = "") -> bytes:
    """An answer of arXiv's query API, with papers of these ids and versions."""
    day = date(2020, 1, 31)
    entries = [
        Entry(name, day, (), title=title or f"The title of {name}", version="") for name in names
    ]
    return feed(entries)


def knowing(*known: str) -> Script:
    """The query API of an archive that has papers of these ids, in their first version."""

    def answer(ask: Ask) -> Fault:
        asked = parse_qs(urlsplit(ask.target).query)["id_list"][0].split(",")
        return Fault(feed_of([f"{name}v1" for name in asked if name in known]))

    return answer


def ids_asked(server: ReplayServer) -> list[list[str]]:
    """The ids of each request."""
    queries = [parse_qs(urlsplit(ask.target).query) for ask in server.asks]
    return [query["id_list"][0].split(",") for query in queries]


def citing(folder: Path, *names: str, own: str = "1901.00001") -> Path:
    """A corpus of one paper that cites these arXiv ids."""
    works = [f"The work {name}" for name in names]
    numbers = (f'<idno type="arXiv">arXiv:{name}</idno>' for name in names)
    text = tei_text("One that cites", cited=works, ids=dict(zip(works, numbers, strict=True)))
    folder.mkdir(exist_ok=True)
    (folder / f"{own}.tei.xml").write_text(text, "utf-8")
    ingest("tei", folder / f"{own}.tei.xml", folder / "corpus")
    return folder / "corpus"


def corpus_of(folder: Path, *names: str) -> Path:
    """A corpus of papers known by title and abstract alone."""
    (folder / "page.atom.xml").write_bytes(feed_of(names))
    ingest("arxiv", folder / "page.atom.xml", folder / "corpus")
    return folder / "corpus"


def client_of(server: ReplayServer, clock: FakeClock, *, tries: int = 2) -> Client:
    allowed = Allowed(HOSTS, loopback=server.origin)
    return Client(allowed, clock.turns(), limits=Limits(tries=tries))


def three_papers(folder: Path) -> Library:
    """A page, sources and a PDF: 2001.00001v1, 2001.00002v2 and 2001.00003v1."""
    library = Library()
    library.add("/html/2001.00001v1", latexml_page("2001.00001v1"))
    library.add("/e-print/2001.00002v2", eprint())
    library.add("/pdf/2001.00003v1", pdf(folder))
    return library


def rows_of(corpus: Path, name: str = "texts.jsonl") -> list[Row]:
    return [row for _, row in read_jsonl(corpus / "downloads" / name)]
