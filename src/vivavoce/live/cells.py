"""Contestants asked: one folder of logs a round, contestant and setting, on the board when whole.

A cell is run in `work/` and moved to `logs/` in one step once it is complete and verified, so what
lies in `logs/` is whole at any moment. A cell that failed stays in `work/` and is taken up again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from vivavoce.errors import InputError, NoItemsError, VivaError
from vivavoce.live.calendar import Period
from vivavoce.live.config import ContestantOptions, LiveConfig
from vivavoce.live.ledger import CELL, PAID, Cell, State, identity
from vivavoce.results.integrity.verification import verify_logs
from vivavoce.rounds import Round, load_round
from vivavoce.running import CONTESTANTS, RunSpec, run, start_models
from vivavoce.running.ledger import is_finished, read_ledger
from vivavoce.running.logs import Progress
from vivavoce.running.requests import spent_below
from vivavoce.store import Row
from vivavoce.tasks import list_families
from vivavoce.tasks.subsets import Subset


class Cells:
    """Runs the cells of a period, one after the other, within the budget."""

    def __init__(self, state: State, period: Period, progress: Progress | None) -> None:
        self._state = state
        self._config: LiveConfig = state.config
        self._period = period
        self._progress = progress
        self._folder = self._config.folder

    def run(self, cell: Cell) -> None:
        """Ask a contestant, verify the answers, and put the logs where boards find them.

        Raises:
            VivaError: An answer is lacking, the budget does not reach, or a log is not verified.
        """
        final, work = self._folder / "logs" / cell.path, self._folder / "work" / cell.path
        empty = "" if final.exists() else self._ask(cell, work)
        if empty:
            self._note(cell, {"logs": [], "empty": empty, "head": "", "cost": 0.0, "trust": {}})
            return
        held = final if final.exists() else work
        facts = self._verified(cell, held)
        final.parent.mkdir(parents=True, exist_ok=True)
        if held is work:
            work.rename(final)
        self._note(cell, facts)

    def _note(self, cell: Cell, facts: Row) -> None:
        told = {**cell.facts, "as": identity(cell.contestant), **facts}
        self._state.ledger.note(CELL, self._period, **told)

    def _ask(self, cell: Cell, work: Path) -> str:
        """Run the tasks of a cell; the reason where it has none."""
        opened = load_round(self._folder / "rounds" / cell.round_id)
        budget = self._budget(cell, work)
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
        """Run some tasks to their end; False where they have no item."""
        try:
            report = run(spec, self._progress)
        except NoItemsError:
            return False
        except InputError as error:
            raise VivaError(f"{cell.contestant.name}: {error}") from error
        if report.failed:
            raise VivaError("; ".join(report.failed))
        return True

    def _budget(self, cell: Cell, work: Path) -> float | None:
        """Dollars that all logs of a cell may cost; None where nothing limits them."""
        asked, ledger = self._config.budget, self._state.ledger
        limits = [(asked.period, ledger.spent(self._period.name)), (asked.total, ledger.spent())]
        left = [limit - spent for limit, spent in limits if limit is not None]
        if not left or cell.contestant.model is None:
            return None
        # What a run that was killed paid is in no line of the ledger yet.
        unnoted = spent_below(self._folder / "work") - ledger.paid()
        if (rest := min(left) - unnoted) <= 0:
            raise VivaError("the budget is used up. Raise [budget], or wait for the next period.")
        return rest + spent_below(work)

    def _specs(
        self, cell: Cell, opened: Round, work: Path, budget: float | None
    ) -> Iterator[RunSpec]:
        """A run for each set of tasks that have the same methods and take a judge or not."""
        one, asked = cell.contestant, self._config.run
        for (methods, is_judged), tasks in _groups(self._config, cell, opened).items():
            judge = self._config.judge if is_judged else None
            models = [one.model] if one.model else []
            names = [*models, *([judge.model] if judge else [])]
            yield RunSpec(
                tasks=tasks,
                round=opened.folder,
                logs=work,
                models=models,
                methods=methods,
                judge=judge.model if judge else None,
                setting=cell.setting,
                context=one.context,
                solver_args=one.method_args,
                subset=Subset(asked.subset) if asked.subset else None,
                epochs=asked.epochs,
                max_tokens=one.max_tokens,
                generate=one.decoding,
                model_args=one.model_args,
                max_connections=one.max_connections,
                max_retries=asked.max_retries,
                attempt_timeout=asked.attempt_timeout,
                retry_on_error=asked.retry_on_error,
                time_limit=asked.time_limit,
                budget=budget,
                prices={n: self._config.prices[n] for n in names if n in self._config.prices},
                display="none",
            )

    def _verified(self, cell: Cell, folder: Path) -> Row:
        """Facts of a cell's logs, each made again from its replies.

        Raises:
            VivaError: A log is refused or cannot be verified.
        """
        ledger = read_ledger(folder)
        rounds = [self._folder / "rounds" / cell.round_id]
        found = verify_logs(folder, rounds, heads=[ledger.head])
        # Logs of tries that were cut short stay beside the whole ones; boards pass them over.
        whole = {line["log"] for line in ledger.logs() if is_finished(line)}
        problems = [*found.ledger.problems, *(line for log in found.logs for line in log.refused)]
        problems += [line for log in found.logs if log.name in whole for line in log.unverified]
        if problems:
            raise VivaError(f"not verified: {'; '.join(problems[:3])}")
        paths = [folder / name for name in sorted(whole)]
        return {
            "logs": sorted(path.name for path in paths),
            "head": ledger.head,
            "trust": {(cell.path / name).as_posix(): trust for name, trust in found.trust.items()},
            "items": sum(log.samples for log in found.logs if log.name in whole),
            "cost": spent_below(folder) - self._state.ledger.paid(cell),
            "served": sorted({name for path in paths if (name := _served(path))}),
        }


def _groups(
    config: LiveConfig, cell: Cell, opened: Round
) -> dict[tuple[tuple[str, ...], bool], list[str]]:
    """Tasks of a cell by the methods that they have and whether a judge is asked."""
    from vivavoce.tasks.lookup import takes_judge

    cards = list_families()
    found: dict[tuple[tuple[str, ...], bool], list[str]] = defaultdict(list)
    for family, task in opened.tasks():
        card = cards[family].tasks[task]
        if config.run.tasks and task not in {name.rpartition("/")[2] for name in config.run.tasks}:
            continue
        methods = _methods(cell.contestant, card.methods)
        if methods and cell.setting in card.settings and opened.items(family, task):
            found[methods, bool(config.judge) and takes_judge(task)].append(task)
    return found


def _methods(one: ContestantOptions, offered: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name for name in one.methods if name in (*offered, *CONTESTANTS))


def check_models(config: LiveConfig) -> None:
    """Raise `InputError` for a model whose provider nobody knows, before anything is paid."""
    started = [(one.model, one.model_args) for one in config.contestant]
    for model, args in [*started, *([(config.judge.model, {})] if config.judge else [])]:
        try:
            start_models([model] if model else [], args)
        except InputError:
            raise
        except VivaError:
            continue  # a key that is missing stops this contestant's cells and no others


def _header(path: Path) -> Any:
    from inspect_ai.log import read_eval_log

    try:
        return read_eval_log(str(path), header_only=True)
    except Exception:  # a kill cut it off: a damaged archive fails in many ways, inside Inspect
        return None


def _served(path: Path) -> str:
    """The model that the provider says it answered with; empty where nobody was asked."""
    from inspect_ai.log import read_eval_log_samples

    header = _header(path)
    if header is None or header.eval.model == "none/none":
        return ""
    samples = read_eval_log_samples(str(path), all_samples_required=False)
    return next((sample.output.model for sample in samples if sample.output.model), "")
