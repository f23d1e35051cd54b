"""Every key of a configuration that no other test of these boards sets does what it says."""

import json
import re
from collections import Counter
from pathlib import Path

import pytest
from inspect_ai.log import read_eval_log
from tests.docs.obliging import obliging
from tests.live.world import BASE, LEAD, board, contestant
from tests.servers.arxiv_replay import Ask as ArxivAsk
from tests.servers.arxiv_replay import Fault
from tests.servers.bill import Bill, by_letters
from tests.servers.catalogue_arxiv import feed
from tests.servers.living_arxiv import FIRST_DAY
from tests.servers.oai_replay import Repository
from tests.servers.scripted import Ask, Reply, answer, opening, scripted

from vivavoce.corpus import load_corpus
from vivavoce.store import hash_tree, read_json

pytestmark = pytest.mark.slow

FEBRUARY, MARCH = "2023-02-01", "2023-03-01"
TEI = """<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><fileDesc><titleStmt>
<title level="a" type="main">A Paper of a File</title></titleStmt></fileDesc></teiHeader><text>
<body><div><head>Introduction</head><p>It says little.</p></div></body></text></TEI>"""
LIST = b'<ul class="ltx_biblist">'
CITED = b'<li class="ltx_bibitem"><span class="ltx_bibblock">A work. arXiv:1901.00001</span></li>'


def judging(ask: Ask) -> Reply:
    """Answer with the opening of the paper or few words, or with a verdict for the first of two."""
    if ask.model == "reader":
        return answer("It says what its title says.")
    return obliging(ask) if ask.model == "judge" else opening(ask)


def test_what_is_asked_and_how_patiently(tmp_path: Path) -> None:
    with board(tmp_path / "board", script=judging) as one, scripted(opening) as other:
        one.models.script = bill = Bill(judging, by_letters)
        run = 'tasks = ["abstract"]\nsubset = 2\nepochs = 2\nattempt_timeout = 33\ntime_limit = 77'
        text = BASE.replace('tasks = ["title"]', run).replace("retry_on_error = 0", "")
        head = 'id = "live"\nfolder = "state"\ncontact = "k@example.org"'
        text = text.replace('id = "live"', head)
        price = 'price = "2,10"'
        parts = [
            contestant("terse", price, "max_tokens = 50", "decoding = { temperature = 0.5 }"),
            contestant("narrow", price, "context = 2000", "max_connections = 1"),
            contestant("reader", price, 'methods = ["rag"]', "method_args = { chunks = 1 }"),
            contestant("moved", price, f'model_args = {{ base_url = "{other.url}" }}'),
            f'[judge]\nmodel = "openai-api/scripted/judge"\n{price}',
            "[budget]\ntotal = 5.0\nnotice = 0.0001",
        ]
        one.config.write_text("\n".join([text, *parts]))
        said = one.live(FEBRUARY).stdout
        assert "dollars of the whole budget are spent" in said

        assert (one.folder / "state" / "ledger.jsonl").exists()
        assert {path.name for path in one.folder.iterdir()} == {"board.toml", "state"}
        assert all("k@example.org" in ask.agent for ask in one.arxiv.asks)
        asked = Counter(ask.model for ask in one.models.asks)
        # Two items twice; each of the sixteen answers is judged in both orders, equal ones once.
        assert {name: asked[name] for name in ("terse", "narrow", "reader", "moved")} == {
            "terse": 4, "narrow": 4, "reader": 4, "moved": 0,
        }  # fmt: skip
        assert len(other.asks) == 4
        assert 0 < asked["judge"] <= 2 * 16
        [terse] = {json.dumps([a.body["max_tokens"], a.body["temperature"]])
                   for a in one.models.asks if a.model == "terse"}  # fmt: skip
        assert json.loads(terse) == [50, 0.5]
        longest = {name: max(map(len, one.models.prompts(name))) for name in ("terse", "narrow")}
        assert longest["narrow"] < longest["terse"] / 2
        assert max(map(len, one.models.prompts("reader"))) < longest["terse"] / 2

        state = one.folder / "state"
        logs = {path.parts[-3]: read_eval_log(str(path), header_only=True)
                for path in sorted((state / "logs").rglob("*.eval"))}  # fmt: skip
        logged = logs["narrow"].model_dump_json()
        for words in ('"time_limit":77', '"attempt_timeout":33', '"max_connections":1,'):
            assert words in logged
        metrics = {row["metric"] for row in read_json(state / "site" / "board.json")["rows"]}
        assert "judge_win" in metrics
        spent = one.status(FEBRUARY)["spent"]["total"]
        assert spent == pytest.approx(sum(bill.usd.values()) + _of_other(other.asks), rel=1e-6)


def _of_other(asks: list[Ask]) -> float:
    """Dollars of replies that claim 100 tokens taken and 7 given."""
    return len(asks) * (100 * 2 + 7 * 10) / 1e6


def test_where_papers_come_from_and_which_are_asked_about(tmp_path: Path) -> None:
    with board(tmp_path / "board") as one:
        citing = one.archive.archive[0].name
        repository = Repository({"2301.90001": "2023-01-05", "2303.90001": "2023-03-05"})

        def script(ask: ArxivAsk) -> Fault:
            if ask.target.startswith("/oai"):
                return repository.answer(ask)
            if "id_list=1901" in ask.target:
                first = [each.entry for each in one.archive.archive if each.day == FIRST_DAY]
                return Fault(feed(first))
            reply = one.archive(ask)
            if "/html/" not in ask.target:
                return reply
            body = reply.body
            if citing in ask.target:
                body = body.replace(LIST, LIST + CITED)
            return Fault(body, headers=reply.headers)

        one.arxiv.script = script
        (one.folder / "more.jsonl").write_text('{"id": "m1", "title": "Of a table"}\n')
        (one.folder / "one.tei.xml").write_text(TEI)
        more = """
[[source]]
kind = "oai"
set = "cs"
[[source]]
kind = "metadata"
path = "more.jsonl"
[[source]]
kind = "files"
reader = "tei"
path = "one.tei.xml"
[texts]
cited = true
"""
        one.write(LEAD, more)
        one.live(FEBRUARY)
        corpus = load_corpus(one.folder / "corpus")
        titles = {paper.title for paper in corpus.papers}
        assert {"Paper 2301.90001", "Of a table", "A Paper of a File"} <= titles
        assert "Paper 2303.90001" not in titles
        assert sum("id_list=1901.00001" in ask.target for ask in one.arxiv.asks) == 1


def test_a_site_shows_rounds_samples_and_what_a_margin_makes_of_cutoffs(tmp_path: Path) -> None:
    with board(tmp_path / "board") as one:
        text = BASE.replace("sealed = true", "")
        more = 'resamples = 200\nsamples = 2\nmargin = 0\nrounds = "open"'
        text = text.replace("resamples = 200", more)
        mine = contestant("one", 'cutoff = "2022-12-31"')
        one.config.write_text("\n".join([text, mine]))
        one.live(FEBRUARY)
        [statuses] = {json.dumps(row["exposure"], sort_keys=True) for row in one.rows()
                      if row["headline"]}  # fmt: skip
        shown = one.folder / "site" / "live" / "rounds" / "live-2023-02-01"
        assert (shown / "README.md").exists()
        pages = [name for name in hash_tree(one.folder / "site") if name.startswith("samples/live")]
        assert sum(re.search("/arxiv-.*html$", name) is not None for name in pages) == 2

        one.config.write_text("\n".join([text.replace("margin = 0", "margin = 60"), mine]))
        one.live(FEBRUARY)
        [other] = {json.dumps(row["exposure"], sort_keys=True) for row in one.rows()
                   if row["headline"]}  # fmt: skip
        assert other != statuses


def test_rounds_go_out_with_the_site_once_they_are_revealed(tmp_path: Path) -> None:
    with board(tmp_path / "board") as one:
        text = BASE.replace("resamples = 200", 'resamples = 200\nrounds = "ids"')
        one.config.write_text("\n".join([text, LEAD]))
        one.live(FEBRUARY)
        site = one.folder / "site"
        assert not any("rounds/" in name for name in hash_tree(site))
        one.live(MARCH)
        there = {name for name in hash_tree(site) if name.startswith("live/rounds/")}
        assert "live/rounds/live-2023-02-01/export.json" in there
        assert not any("live-2023-03-01" in name for name in there)
