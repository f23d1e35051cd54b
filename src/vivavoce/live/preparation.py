"""A period up to its round: papers listed, texts fetched, networks built, the round frozen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from fnmatch import fnmatch
from typing import Any

from vivavoce.corpus import Corpus, ingest, load_corpus
from vivavoce.corpus.batches import list_batches
from vivavoce.corpus.fulltext.index import build_index
from vivavoce.corpus.ingestion.cited import fetch_cited
from vivavoce.corpus.ingestion.downloads import finish_reading
from vivavoce.errors import EmptyRoundError, VivaError
from vivavoce.live.calendar import Period
from vivavoce.live.config import LiveConfig, SourceOptions
from vivavoce.live.ledger import CITED, LEAKAGE, LISTING, NETWORKS, ROUND, TEXTS, State
from vivavoce.networks import build_networks
from vivavoce.records import Paper
from vivavoce.results.audits.leakage import audit_leakage
from vivavoce.rounds import Round, build_round, load_round
from vivavoce.rounds.arrivals import Service, bring_papers
from vivavoce.rounds.updating import SelectedCorpus, update_round
from vivavoce.sources.catalogues.arxiv.search import API
from vivavoce.store import Row, hash_of, read_json, write_json
from vivavoce.tasks import builders

SEEN = "seen.json"
"""The papers of the last round's corpus: who was there with which metadata, and with a text."""


class Preparation:
    """Steps of one period before any model is asked; each can be repeated."""

    def __init__(self, state: State, period: Period, service: Service) -> None:
        self._state = state
        self._config: LiveConfig = state.config
        self._period = period
        self._service = service
        self._corpus = self._config.folder / "corpus"
        self._rounds = self._config.folder / "rounds"

    def run(self, tell: Callable[[str], None]) -> None:
        """Do every step that the ledger lacks.

        Raises:
            VivaError: A step failed; those before it are done.
        """
        steps: dict[str, Callable[[], Row]] = {
            LISTING: self._list,
            TEXTS: self._fetch_texts,
            CITED: self._fetch_cited,
            NETWORKS: self._build_networks,
            ROUND: self._build_round,
            LEAKAGE: self._look_for_leaks,
        }
        for step, work in steps.items():
            if self._state.prepared(self._period, step) is None:
                tell(f"{self._period.name}: {step}")
                self._state.ledger.note(step, self._period, **work())

    def _list(self) -> Row:
        came = [self._bring(source) for source in self._config.sources]
        return {"listed": sum(n for n, _ in came), "requests": sum(asked for _, asked in came)}

    def _bring(self, source: SourceOptions) -> tuple[int, int]:
        """Bring in what a source has of the period; records that came, and requests."""
        path = self._config.below(source.path) if source.path else None
        if source.kind == "files" and path is not None:
            return ingest(str(source.reader), path, self._corpus).read, 0
        came = bring_papers(
            self._corpus,
            self._period.start,
            self._period.end,
            oai=source.set,
            arxiv=source.query,
            metadata=path,
            service=self._service,
        )
        return came.listed, came.listing

    def _fetch_texts(self) -> Row:
        if not self._config.texts.fetch or not self._papers():
            return {"requests": 0}
        days = self._period.start, self._period.end
        came = bring_papers(self._corpus, *days, texts=True, service=self._service)
        return {"requests": came.texts, "failed": len(came.failed)}

    def _fetch_cited(self) -> Row:
        if not self._config.texts.cited or not self._papers():
            return {"requests": 0}
        before = self._service.client.requests
        base = self._service.base
        api = f"{base}/api/query" if base else API
        came = fetch_cited(self._corpus, self._service.client, api=api)
        if came.stopped:
            raise VivaError(came.stopped)
        return {"requests": self._service.client.requests - before, "found": came.found}

    def _build_networks(self) -> Row:
        if not self._papers():
            return {"papers": 0}
        opened = load_corpus(self._corpus)
        build_networks(opened)
        if self._config.texts.index != "none":
            build_index(opened, text=self._config.texts.index)
        return {"papers": len(opened.papers)}

    def _build_round(self) -> Row:
        """Freeze the round; without a paper or an item the next period's begins where this did."""
        name = self._state.parent(self._period)
        papers = self._papers()
        seen = _seen_of(papers)
        counts = self._arrivals(papers, seen)
        made = self._make(name) if papers else None
        told = {"period": self._period.name, "papers": seen, **counts}
        write_json(self._config.folder / SEEN, told)
        facts: Row = {"papers": len(papers), **counts}
        if made is None:
            return {"round": None, "items": 0, **facts}
        tasks = made.manifest["counts"].values()
        items = sum(task["items"] for family in tasks for task in family.values())
        return {"round": made.id, "items": items, "sha256": made.sha256, **facts}

    def _make(self, parent: str | None) -> Round | None:
        spec = self._config.spec(Period(self._config.schedule.start, self._period.end))
        corpus, out = self._selected(), self._rounds
        try:
            if parent is None:
                return build_round(corpus, spec, builders(), out)
            opened = load_round(out / parent)
            made = update_round(
                corpus, opened, builders(), out, self._period.end, name=spec.round.id
            )
        except EmptyRoundError:
            return None
        return made.round if made.round.id != parent else None

    def _selected(self) -> Corpus:
        """The corpus, or its papers of the licences that the configuration allows."""
        opened, allowed = load_corpus(self._corpus), self._config.texts.licences
        if not allowed:
            return opened
        fitting = (
            paper.paper_id
            for paper in opened.papers
            if any(fnmatch(paper.licence or "", pattern) for pattern in allowed)
        )
        return SelectedCorpus(opened, frozenset(fitting))

    def _arrivals(self, papers: tuple[Paper, ...], now: dict[str, Any]) -> Row:
        """Counts of what came late or was corrected since the round before."""
        path = self._config.folder / SEEN
        if not path.exists():
            return {"late": 0, "corrected": 0}
        told = read_json(path)
        if told["period"] == self._period.name:  # a kill came between this file and the ledger
            return {"late": told["late"], "corrected": told["corrected"]}
        was = told["papers"]
        start = self._period.start.isoformat()
        late = [
            p for p in papers
            if (p.first_public or start) < start
            and now[p.paper_id][1] and not was.get(p.paper_id, [None, False])[1]
        ]  # fmt: skip
        other = [name for name, (digest, _) in now.items() if was.get(name, [digest])[0] != digest]
        return {"late": len(late), "corrected": len(other)}

    def _look_for_leaks(self) -> Row:
        made = self._state.prepared(self._period, ROUND)
        if not made or not made["round"] or not self._config.audits.leakage:
            return {}
        found = audit_leakage(self._rounds / made["round"], resamples=0)
        text = f"{found.breaches} leaks in {found.round}: viva audit leakage names them"
        notices = [{"kind": "leakage", "text": text}] if found.breaches else []
        return {"breaches": found.breaches, "notices": notices}

    def _papers(self) -> tuple[Paper, ...]:
        """The papers of the corpus; none where nothing has come yet."""
        finish_reading(self._corpus)  # of texts, where a kill cut it short
        return load_corpus(self._corpus).papers if list_batches(self._corpus) else ()


def _seen_of(papers: tuple[Paper, ...]) -> dict[str, Any]:
    """By paper a hash of its metadata, and True if it has a text."""
    told = ("title", "abstract", "published", "categories", "doi", "venue", "licence")
    return {
        paper.paper_id: [
            hash_of({name: asdict(paper)[name] for name in told})[:16],
            "no_text" not in paper.gates,
        ]
        for paper in papers
    }
