"""Work of a period: preparing its round, then running its contestants.

Papers are listed, texts fetched, networks built, and the round is frozen. Then the cells run: each
is a folder of logs for one round, contestant and setting. A cell runs in `work/`. Once complete and
verified it moves to `logs/` in one step, so `logs/` has only complete cells. A failed cell stays in
`work/`, and the next run continues it.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path

from vivavoce.corpus import ingest, load_corpus
from vivavoce.corpus.ingestion.downloads import finish_reading
from vivavoce.corpus.ingestion.fetching import AGAIN, Service, fetch_texts, list_papers
from vivavoce.corpus.ingestion.lookup import fetch_cited
from vivavoce.corpus.reading import empty_corpus, list_batches
from vivavoce.errors import EmptyRoundError, InputError, NoItemsError, VivaError
from vivavoce.live import Period
from vivavoce.live.config import LiveConfig, SourceOptions
from vivavoce.live.ledger import (
    CELL,
    CITED,
    LEAKAGE,
    LISTING,
    NETWORKS,
    PAID,
    ROUND,
    TEXTS,
    Cell,
    State,
    identity,
)
from vivavoce.models import start_model
from vivavoce.networks import build_networks
from vivavoce.records import Paper
from vivavoce.requests.run import ModelUse, Patience, RunSpec
from vivavoce.results.audits.leakage import audit_leakage
from vivavoce.results.integrity.verification import verify_logs
from vivavoce.rounds import Round, build_round, load_round
from vivavoce.rounds.anchors import came_late
from vivavoce.rounds.updating import update_round
from vivavoce.running import run
from vivavoce.running.logs import Progress, is_finished, is_log, read_ledger
from vivavoce.running.meter import spent_below
from vivavoce.store import Row, hash_file
from vivavoce.tasks import CONTESTANTS, builders, list_families


class Preparation:
    """Steps of a period that come before any request to a model; each can be repeated."""

    def __init__(self, state: State, period: Period, service: Service) -> None:
        self._state = state
        self._config: LiveConfig = state.config
        self._period = period
        self._service = service
        self._corpus = self._config.folder / "corpus"
        self._rounds = self._config.folder / "rounds"

    def run(self, tell: Callable[[str], None]) -> None:
        """Do the steps that are missing from the ledger."""
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
        """Ingest a source's records for the period; return the numbers of records and requests."""
        if source.path is not None:
            path = self._config.below(source.path)
            return ingest(source.reader or source.kind, path, self._corpus).read, 0
        days = self._period.start, self._period.end
        if source.query is not None:
            return list_papers(self._corpus, "arxiv", source.query, *days, self._service)
        return list_papers(self._corpus, "oai", source.set or "", *days, self._service)

    def _fetch_texts(self) -> Row:
        if not self._config.texts.fetch or not self._papers():
            return {"requests": 0}
        client, addresses = self._service.client, self._service.addresses
        before = client.requests
        came = fetch_texts(self._corpus, client, again=AGAIN, addresses=addresses)
        if came.stopped:
            raise VivaError(
                f"The fetch of texts stopped before its end, so no round was made. {came.stopped} "
                "What came is kept: run the same command again later."
            )
        failed = len(came.failed) + len(came.unread)
        return {"requests": client.requests - before, "failed": failed, "again": came.again}

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
        return {"papers": len(opened.papers)}

    def _build_round(self) -> Row:
        """Build the round; without papers or items, the next round also covers this period."""
        papers = self._papers()
        facts: Row = {"papers": len(papers)}
        is_possible = bool(papers) or not self._config.is_of_papers
        made = self._make(self._state.parent(self._period)) if is_possible else None
        if made is None:
            return {"round": None, "items": 0, "late": 0, **facts}
        tasks = made.manifest["counts"].values()
        items = sum(task["items"] for family in tasks for task in family.values())
        late = len(came_late(made)[1])
        return {"round": made.id, "items": items, "sha256": made.sha256, "late": late, **facts}

    def _make(self, parent: str | None) -> Round | None:
        spec = self._config.spec(Period(self._config.schedule.start, self._period.end))
        has_papers = bool(list_batches(self._corpus))
        corpus = load_corpus(self._corpus) if has_papers else empty_corpus()
        out = self._rounds
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

    def _look_for_leaks(self) -> Row:
        made = self._state.prepared(self._period, ROUND)
        if not made or not made["round"]:
            return {}
        audit = audit_leakage(self._rounds / made["round"], resamples=0)
        text = f"{audit.breaches} leaks in {audit.round}: viva audit leakage names them"
        notices = [{"kind": "leakage", "text": text}] if audit.breaches else []
        return {"breaches": audit.breaches, "notices": notices}

    def _papers(self) -> tuple[Paper, ...]:
        """The papers of the corpus, which may be empty."""
        finish_reading(self._corpus)  # if reading texts was interrupted
        return load_corpus(self._corpus).papers if list_batches(self._corpus) else ()


class Cells:
    """Runs the cells of a period, one by one, within the budget."""

    def __init__(self, state: State, period: Period, progress: Progress | None) -> None:
        self._state = state
        self._config: LiveConfig = state.config
        self._period = period
        self._progress = progress
        self._folder = self._config.folder

    def run(self, cell: Cell) -> None:
        """Run a cell's contestant, verify its answers, and move its logs to the board's folder."""
        final, work = self._folder / "logs" / cell.path, self._folder / "work" / cell.path
        empty = "" if final.exists() else self._ask(cell, work)
        if empty:
            self._note(cell, {"logs": {}, "empty": empty, "cost": 0.0, "trust": {}})
            return
        folder = final if final.exists() else work
        ledger = read_ledger(folder)
        rounds = [self._folder / "rounds" / cell.round_id]
        check = verify_logs(folder, rounds)
        # Logs of interrupted attempts stay with the complete ones; boards skip them.
        whole = {line["log"] for line in ledger.logs() if is_finished(line)}
        problems = [*check.ledger.problems, *(line for log in check.logs for line in log.refused)]
        problems += [line for log in check.logs if log.name in whole for line in log.unknown]
        if problems:
            raise VivaError(f"not recomputed: {'; '.join(problems[:3])}")
        facts = {
            "logs": {p.name: hash_file(p) for p in sorted(folder.iterdir()) if is_log(p)},
            "trust": {(cell.path / name).as_posix(): trust for name, trust in check.trust.items()},
            "items": sum(log.samples for log in check.logs if log.name in whole),
            "cost": spent_below(folder) - self._state.ledger.paid(cell),
        }
        final.parent.mkdir(parents=True, exist_ok=True)
        if folder is work:
            work.rename(final)
        self._note(cell, facts)

    def _note(self, cell: Cell, facts: Row) -> None:
        entry = {**cell.facts, "as": identity(cell.contestant), **facts}
        self._state.ledger.note(CELL, self._period, **entry)

    def _ask(self, cell: Cell, work: Path) -> str:
        """Run the tasks of a cell; return the reason if it has none, else an empty string."""
        opened = load_round(self._folder / "rounds" / cell.round_id)
        asked, ledger = self._config.budget, self._state.ledger
        limits = [(asked.period, ledger.spent(self._period.name)), (asked.total, ledger.spent())]
        left = [limit - spent for limit, spent in limits if limit is not None]
        if not left or cell.contestant.model is None:
            budget = None
        else:
            # Payments of a killed run are not in the ledger yet.
            unnoted = spent_below(self._folder / "work") - ledger.paid()
            if (rest := min(left) - unnoted) <= 0:
                raise VivaError(
                    "the budget is used up. Raise [budget], or wait for the next period."
                )
            budget = rest + spent_below(work)
        try:
            done = [self._run(cell, spec) for spec in self._specs(cell, opened, work, budget)]
        except VivaError:
            if paid := spent_below(work) - self._state.ledger.paid(cell):
                self._state.ledger.note(PAID, self._period, **cell.facts, cost=paid)
            raise
        if any(done):
            return ""
        return f"{opened.id} has no item in {cell.setting} for {cell.contestant.name}"

    def _run(self, cell: Cell, spec: RunSpec) -> bool:
        """Run some tasks to completion; return False if they have no items."""
        try:
            report = run(spec, self._progress)
        except NoItemsError:
            return False
        except InputError as error:
            raise VivaError(f"{cell.contestant.name}: {error}") from error
        if report.failed:
            raise VivaError("; ".join(report.failed))
        return True

    def _specs(
        self, cell: Cell, opened: Round, work: Path, budget: float | None
    ) -> Iterator[RunSpec]:
        """Yield one run for each group of tasks that share their methods and use of a judge."""
        one, asked, prices = cell.contestant, self._config.run, self._config.prices
        from vivavoce.tasks.lookup import takes_judge

        # Tasks of the cell, grouped by supported methods and by use of a judge.
        cards = list_families()
        groups: dict[tuple[tuple[str, ...], tuple[str, ...]], list[str]] = defaultdict(list)
        wanted = {name.rpartition("/")[2] for name in asked.tasks}
        for family, task in opened.tasks():
            card = cards[family].tasks[task]
            offered = (*card.methods, *CONTESTANTS)
            methods = tuple(name for name in cell.contestant.methods if name in offered)
            is_wanted = not wanted or task in wanted
            if (
                is_wanted
                and methods
                and cell.setting in card.settings
                and opened.items(family, task)
            ):
                judge = self._config.judge if takes_judge(task) else None
                groups[methods, (judge.model,) if judge else ()].append(task)
        for (methods, judges), tasks in groups.items():
            models = [one.model] if one.model else []
            yield RunSpec(
                tasks=tasks,
                round=opened.folder,
                logs=work,
                models=models,
                methods=methods,
                judge=judges,
                settings=(cell.setting,),
                alias=one.name,
                budget=budget,
                prices={n: price for n, price in prices.items() if n in (*models, *judges)},
                **asked.shared(Patience),
                **one.shared(ModelUse),
            )


def check_models(config: LiveConfig) -> None:
    """Raise `InputError` for a model with an unknown provider, before any cost."""
    started = [(one.model, one.model_args) for one in config.contestant]
    for model, args in [*started, *([(config.judge.model, {})] if config.judge else [])]:
        try:
            if model:
                start_model(model, args)
        except InputError:
            raise
        except VivaError:
            continue  # a missing key stops only this contestant's cells
