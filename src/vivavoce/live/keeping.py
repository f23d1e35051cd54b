"""Updating a live board to a given day: the state machine behind `viva live`.

Each due period goes through the same steps, oldest period first. A step that fails stops only its
period's preparation or its own cell; the next run repeats the missing steps.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from statistics import fmean

from vivavoce.corpus.ingestion.fetching import Service, open_service
from vivavoce.errors import LockedError, NothingToAuditError, VivaError
from vivavoce.live import Period
from vivavoce.live.config import LiveConfig
from vivavoce.live.ledger import AUDIT, SITE, State
from vivavoce.live.site import build_site, write_status
from vivavoce.live.work import Cells, Preparation, check_models
from vivavoce.results.audits.contrasts import drift_of_anchors
from vivavoce.results.audits.judgements import OVERALL, read_judgements
from vivavoce.results.logs.selection import open_logs
from vivavoce.rounds import load_round
from vivavoce.rounds.anchors import anchors_of
from vivavoce.running.logs import Progress
from vivavoce.statistics.estimates import paired_row
from vivavoce.store import Row, lock

Tell = Callable[[str], None]


@dataclass(slots=True)
class Update:
    """Outcome of `viva live`."""

    did: list[str] = field(default_factory=list)
    """Steps begun, in order; empty if there was nothing to do."""
    failures: list[Row] = field(default_factory=list)
    notices: list[Row] = field(default_factory=list)
    """Warnings for the newest due period."""


def work_due(state: State, until: date) -> list[tuple[Period, list[str]]]:
    """Due periods with missing steps, oldest first, each with those steps."""
    due = state.config.schedule.due(until)
    return [(period, lacks) for period in due if (lacks := state.lacking(period))]


def bring_up_to_date(
    config: LiveConfig,
    until: date,
    *,
    base: str | None = None,
    tell: Tell = lambda line: None,
    progress: Progress | None = None,
) -> Update:
    """Do all work that is due by a day and not done yet.

    `base` is a loopback server that replaces arXiv's.
    """
    state = State(config)
    if not work_due(state, until):
        write_status(state, until)
        return Update(notices=_standing(state, until))
    with lock(config.folder):
        check_models(config)
        keeper = _Keeper(State(config), open_service(base, config.live.contact), tell, progress)
        keeper.run(until)
        state = State(config)
        write_status(state, until)
        keeper.update.notices = _standing(state, until)
        return keeper.update


def _standing(state: State, until: date) -> list[Row]:
    """Warnings for the newest due period, including its budget."""
    due = state.config.schedule.due(until)
    if not due:
        return []
    name, budget, ledger = due[-1].name, state.config.budget, state.ledger
    sums = {
        f"the budget of {name}": (budget.period, ledger.spent(name)),
        "the whole budget": (budget.total, ledger.spent()),
    }
    spent = [
        {
            "period": name,
            "kind": "budget",
            "text": f"{paid:.2f} of the {limit:.12g} dollars of {what} are spent",
        }
        for what, (limit, paid) in sums.items()
        if limit is not None and paid >= budget.notice * limit
    ]
    return [*(row for row in state.notices if row["period"] == name), *spent]


class _Keeper:
    """One run over all due work."""

    def __init__(self, state: State, service: Service, tell: Tell, progress: Progress | None):
        self._state = state
        self._service = service
        self._tell = tell
        self._progress = progress
        self._failed: set[str] = set()
        self.update = Update()

    def run(self, until: date) -> None:
        self._state.ledger.write_failures([])
        for period in self._state.config.schedule.due(until):
            if not self._state.lacking(period):
                continue
            with self._step(period, "preparation"):
                Preparation(self._state, period, self._service).run(self._say)
            is_prepared = not self._state.preparation(period)
            cells = Cells(self._state, period, self._progress)
            for cell in self._state.pending_cells(period):
                if str(cell) not in self._failed:
                    with self._step(period, str(cell)):
                        self._say(f"{period.name}: {cell}")
                        cells.run(cell)
            if period.name >= self._state.newest:
                self._audit_and_show(period)
            if not is_prepared:
                return  # the next round needs this one as its parent

    def _audit_and_show(self, period: Period) -> None:
        state = self._state
        for name in state.audits_due():
            with self._step(period, f"audits of {name}"):
                self._say(f"{period.name}: audits of {name}")
                rounds = list(state.rounds().values())
                place = rounds.index(name)
                before = rounds[place - 1] if place else None
                folder = state.config.folder
                notices = list(_drift(folder / "logs", folder / "rounds" / name)) if before else []
                if before and state.config.judge:
                    notices += _flips(folder / "logs", before, name)
                key = state.cells_key(name, before)
                state.ledger.note(AUDIT, period, round=name, key=key, notices=notices)
        if state.is_site_due:
            with self._step(period, SITE):
                self._say(f"{period.name}: {SITE}")
                build_site(state, period)

    def _say(self, line: str) -> None:
        self.update.did.append(line)
        self._tell(line)

    @contextmanager
    def _step(self, period: Period, step: str) -> Iterator[None]:
        """Record the failure of a step, so that other steps continue."""
        try:
            yield
        except LockedError:
            raise
        except (VivaError, OSError) as error:
            self._failed.add(step)
            row = {"period": period.name, "step": step, "reason": str(error)}
            self.update.failures.append(row)
            self._tell(f"{period.name}: {step} failed: {error}")
            self._state.ledger.write_failures(self.update.failures)


def _drift(logs: Path, folder: Path) -> Iterator[Row]:
    """Yield notices for contestants whose score on the anchors moved significantly."""
    opened = load_round(folder)
    if not any(anchors_of(opened).values()):
        return
    try:
        drift = drift_of_anchors(logs, opened)
    except NothingToAuditError:  # every contestant is new
        return
    for row in drift.rows:
        if row["headline"] and row["undecided"] is False:
            low, high = row["drift_ci"]
            text = (
                f"{row['contestant']} moved by {row['drift']:+.3f} [{low:.3f}, {high:.3f}] in "
                f"{row['metric']} on the {row['anchors']} anchors of {row['task']}"
            )
            yield {"kind": "drift", "text": f"{text}, {folder.name}"}


def _flips(logs: Path, before: str, now: str) -> Iterator[Row]:
    """Yield notices for judges whose verdicts depend on the answers' order more than before.

    Only verdicts on the same contestants and on items of both rounds are compared.
    """
    opened_logs, _, draws = open_logs(logs)
    flips: dict[tuple[str, str], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    clusters: dict[str, str] = {}
    compared, _ = read_judgements([log for log in opened_logs if log.key.round in (before, now)])
    for verdict in compared:
        if places := verdict.places(OVERALL):
            asked = verdict.asked
            answer = " ".join((asked.task, asked.setting, verdict.contestant, verdict.id))
            flips[verdict.judge, asked.round][answer].append(float(places[0] == places[1]))
            clusters[answer] = verdict.cluster
    for judge in sorted({judge for judge, _ in flips}):
        was, is_now = (
            {answer: fmean(shares) for answer, shares in flips[judge, name].items()}
            for name in (before, now)
        )
        row = paired_row(was, is_now, clusters, draws, span=1.0)
        if row["undecided"] is False and row["difference"] > 0:
            text = (
                f"{judge} changes {row['b']:.0%} of its verdicts with the order in {now}, "
                f"{row['a']:.0%} on the same contestants and items in {before}"
            )
            yield {"kind": "judge", "text": text}
