"""viva ingest pdf --enrich, against an arXiv and a Crossref on the loopback interface."""

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from urllib.parse import parse_qs, urlsplit

import pytest
from tests.servers.arxiv_replay import Ask, FakeClock, Fault, ReplayServer, replaying
from tests.sources.pdf_pages import FILLER, TEXT, Paper
from typer.testing import CliRunner, Result

from vivavoce.cli import app
from vivavoce.corpus import load_corpus

pytestmark = pytest.mark.slow  # each test starts a process that reads PDFs

TITLES = ("A Study of Quiet Harbours", "Reading Tides Without a Gauge")
FEED = """<feed xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/"
xmlns="http://www.w3.org/2005/Atom"><opensearch:itemsPerPage>{size}</opensearch:itemsPerPage>
<opensearch:totalResults>{total}</opensearch:totalResults>
<opensearch:startIndex>0</opensearch:startIndex>{entries}</feed>"""
ENTRY = """<entry><id>http://arxiv.org/abs/{0}v2</id><title>{1}</title>
<published>2021-03-04T00:00:00Z</published><summary>Of arXiv.</summary>
<author><name>Ada Lindqvist</name></author></entry>"""


def write_paper(folder: Path, name: str, title: str) -> None:
    folder.mkdir(exist_ok=True)
    paper = Paper(folder / name)
    paper.centred(title)
    paper.centred("Ada Lindqvist", TEXT, 10)
    for heading in ("1 Introduction", "2 Method", "3 Conclusion"):
        paper.heading(heading)
        # Words in another order: papers with the same text would be one work.
        paper.paragraph(" ".join(Random(f"{title}{heading}").sample(FILLER.split(), 50)))
    paper.save()


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    for number, title in enumerate(TITLES):
        write_paper(tmp_path / "papers", f"{number}.pdf", title)
    return tmp_path / "papers"


def answer_arxiv(ask: Ask) -> Fault:
    """Know the first title only, beside another whose title holds it."""
    query = parse_qs(urlsplit(ask.target).query)
    if ids := query.get("id_list"):
        entries = [ENTRY.format(ids[0], TITLES[0])]
    elif "Quiet Harbours" in query["search_query"][0]:
        entries = [ENTRY.format("2103.00001", TITLES[0]), ENTRY.format("2103.00002", "A Reply")]
    else:
        entries = []
    size = query["max_results"][0]
    return Fault(FEED.format(size=size, total=len(entries), entries="".join(entries)).encode())


def answer_crossref(ask: Ask) -> Fault:
    """Know the second title only."""
    query = parse_qs(urlsplit(ask.target).query)
    named = query["query.bibliographic"][0]
    work = {
        "DOI": "10.1000/TIDES",
        "title": [TITLES[1]],
        "author": [{"given": "Ada", "family": "Lindqvist"}],
        "container-title": ["Coasts"],
        "published-online": {"date-parts": [[2020, 5]]},
        "issued": {"date-parts": [[2020, 9, 1]]},
    }
    other = {**work, "DOI": "10.1000/other", "title": ["Another Work"]}
    items = [other, work] if named == TITLES[1] else [other]
    return Fault(json.dumps({"status": "ok", "message": {"items": items}}).encode())


@pytest.fixture
def server() -> Iterator[ReplayServer]:
    with replaying({}, FakeClock()) as found:
        found.script = lambda ask: (
            answer_crossref(ask) if ask.target.startswith("/works") else answer_arxiv(ask)
        )
        yield found


def ingest(papers: Path, corpus: Path, *words: str) -> Result:
    command = ["ingest", "pdf", str(papers), "--corpus", str(corpus), *words]
    return CliRunner().invoke(app, command)


def test_papers_are_completed_by_title_and_asked_for_once(
    papers: Path, server: ReplayServer, tmp_path: Path
) -> None:
    corpus = tmp_path / "corpus"
    plain = ingest(papers, corpus)
    assert plain.exit_code == 0
    assert "--enrich arxiv (or crossref)" in plain.output
    words = ("--enrich", "arxiv", "--base", server.origin, "--json")
    first = json.loads(ingest(papers, corpus, *words).stdout)
    assert (first["dated"], first["undated"], first["papers"]) == (1, 1, 2)
    told = first["enriched"]
    assert (told["lacking"], told["asked"], told["found"], told["stopped"]) == (2, 2, 1, None)
    found = {paper.title: paper for paper in load_corpus(corpus).papers}
    paper = found[TITLES[0]]
    assert (paper.arxiv_id, paper.first_public, paper.source) == (
        *("2103.00001", "2021-03-04"),
        "arxiv+pdf",
    )
    asked = len(server.asks)
    again = json.loads(ingest(papers, corpus, *words).stdout)
    assert (len(server.asks), again["enriched"]["asked"]) == (asked, 0)


def test_crossref_dates_what_it_knows_under_the_same_title(
    papers: Path, server: ReplayServer, tmp_path: Path
) -> None:
    corpus = tmp_path / "corpus"
    result = ingest(papers, corpus, "--enrich", "crossref", "--base", server.origin)
    assert result.exit_code == 0, result.output
    assert "crossref has 1 of the 2 papers asked for." in result.output
    found = {paper.title: paper for paper in load_corpus(corpus).papers}
    paper = found[TITLES[1]]
    assert (paper.doi, paper.first_public, paper.venue) == ("10.1000/tides", "2020-05", "Coasts")
    assert "Ada Lindqvist" in {row["name"] for row in load_corpus(corpus).rows("authorships")}
    assert found[TITLES[0]].first_public is None


def test_a_server_that_fails_stops_the_work_and_what_came_is_kept(
    papers: Path, server: ReplayServer, tmp_path: Path
) -> None:
    server.script = lambda ask: Fault(b"no", status=403)
    result = ingest(papers, tmp_path / "corpus", "--enrich", "crossref", "--base", server.origin)
    assert result.exit_code == 1
    assert "Stopped before the end" in result.output
    assert len(load_corpus(tmp_path / "corpus").papers) == 2
