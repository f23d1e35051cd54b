"""A period up to its round: papers listed, texts fetched, networks built, the round frozen."""

from __future__ import annotations

from collections.abc import Callable
from fnmatch import fnmatch

from vivavoce.corpus import Corpus, ingest, load_corpus
from vivavoce.corpus.fulltext.index import build_index
from vivavoce.corpus.ingestion.cited import fetch_cited
from vivavoce.corpus.ingestion.downloads import finish_reading
from vivavoce.corpus.reading import list_batches
from vivavoce.errors import EmptyRoundError, VivaError
from vivavoce.live.calendar import Period
from vivavoce.live.config import LiveConfig, SourceOptions
from vivavoce.live.ledger import CITED, LEAKAGE, LISTING, NETWORKS, ROUND, TEXTS, State
from vivavoce.networks import build_networks
from vivavoce.records import Paper
from vivavoce.results.audits.leakage import audit_leakage
from vivavoce.rounds import Round, build_round, load_round
from vivavoce.rounds.anchors import came_late
from vivavoce.rounds.arrivals import Service, bring_papers
from vivavoce.rounds.licences import is_open
from vivavoce.rounds.updating import SelectedCorpus, update_round
from vivavoce.store import Row, hash_of, read_json, write_json
from vivavoce.tasks import builders

SEEN = "seen.json"
"""The metadata of the papers of the last round's corpus, each as a hash."""


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
        """Do every step that is missing from the ledger.

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
        came = [self._bring(source) for source in self._config.source]
        return {"listed": sum(n for n, _ in came), "requests": sum(asked for _, asked in came)}

    def _bring(self, source: SourceOptions) -> tuple[int, int]:
        """Bring in a source's records of the period; records that came, and requests."""
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
        came = fetch_cited(self._corpus, self._service.client, api=self._service.api)
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
        papers = self._papers()
        facts: Row = {"papers": len(papers), "corrected": self._count_corrected(papers)}
        made = self._make(self._state.parent(self._period)) if papers else None
        if made is None:
            return {"round": None, "items": 0, "late": 0, **facts}
        tasks = made.manifest["counts"].values()
        items = sum(task["items"] for family in tasks for task in family.values())
        late = len(came_late(made)[1])
        return {"round": made.id, "items": items, "sha256": made.sha256, "late": late, **facts}

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
            if ("open" in allowed and is_open(paper.licence))
            or any(fnmatch(paper.licence or "", pattern) for pattern in allowed)
        )
        return SelectedCorpus(opened, frozenset(fitting))

    def _count_corrected(self, papers: tuple[Paper, ...]) -> int:
        """Papers whose metadata are other than at the round before."""
        path, period = self._config.folder / SEEN, self._period.name
        told = read_json(path) if path.exists() else {"papers": {}}
        if told.get("period") == period:  # a kill came between this file and the ledger
            return int(told["corrected"])
        names = ("title", "abstract", "published", "categories", "doi", "venue", "licence")
        now = {p.paper_id: hash_of({n: getattr(p, n) for n in names})[:16] for p in papers}
        was: dict[str, str] = told["papers"]
        corrected = sum(was.get(name, digest) != digest for name, digest in now.items())
        write_json(path, {"period": period, "papers": now, "corrected": corrected})
        return corrected

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
