"""Verification of logs: the task's own pipeline runs again on the recorded replies.

The round is the receiver's copy. A log counts as recomputed if the task makes the same questions,
gold, prompts, answers and scores from these replies; otherwise a reason is given. Nobody can prove
who wrote the replies. The log's bytes are also compared with the ledger of its run. Its summaries,
which boards read, are compared with its samples.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from inspect_ai._util._async import run_coroutine
from inspect_ai.log import (
    EvalLog,
    EvalSample,
    read_eval_log,
    read_eval_log_sample_async,
    read_eval_log_sample_summaries_async,
)

from vivavoce.errors import VivaError
from vivavoce.reports import Report, Sheet
from vivavoce.results.integrity.log_check import (
    LogCheck,
    Rounds,
    compare_summary,
    compare_usage,
    differences,
    means_of,
    missing,
    run_of,
    sample_of,
)
from vivavoce.results.integrity.rescoring import Address, Recording, make_again, open_whole
from vivavoce.results.logs.ledger import LedgerCheck, check_ledgers
from vivavoce.results.logs.reading import check_size, find_logs
from vivavoce.results.logs.records import RECOMPUTED, where
from vivavoce.running.logs import COMPARISON, Progress, settled
from vivavoce.running.resolving import NO_MODEL
from vivavoce.running.stopping import ask_again, wrong_stops
from vivavoce.store import Row, hash_of
from vivavoce.tasks.scoring import our_scores
from vivavoce.text.printing import counted

Compared = dict[str, dict[int, tuple[EvalLog, Path, "LogCheck"]]]
"""Logs of runs that stopped at a decision, by comparison and contestant."""

_MAX_PROBLEMS = 20
"""Maximum number of problems to list for a log."""
_Parts = dict[str, list[tuple["LogCheck", dict[Address, str]]]]
"""For each contestant, whose run may have failed and been continued: logs, with answers' hashes."""


@dataclass(frozen=True, slots=True)
class Verification(Report):
    """Findings on a folder of logs."""

    logs: tuple[LogCheck, ...]
    ledger: LedgerCheck
    secrets: tuple[str, ...] = ()
    """Sentences on possible keys, if the folder was searched for them."""

    @property
    def trust(self) -> dict[str, Row]:
        """Trust of each log's rows on a board, by the log's path below the folder."""
        return {log.name: log.trust for log in self.logs}

    @property
    def is_sound(self) -> bool:
        """True if all logs are recomputed, the ledgers have no problems and no key was found."""
        is_intact = not self.ledger.problems and not self.secrets
        return is_intact and all(log.status == RECOMPUTED for log in self.logs)

    def as_dict(self) -> Row:
        """The findings as plain JSON values."""
        return {
            "recomputed": self.is_sound,
            "logs": [log.as_dict() for log in self.logs],
            "ledger": self.ledger.as_dict(),
            "secrets": list(self.secrets),
        }

    def parts(self) -> Iterator[Sheet | str]:
        """Lines on each log with its problems, then on the ledger, and the verdict."""
        for log in self.logs:
            rest = f"; continued by {log.continued_by}" if log.continued_by else ""
            status = log.status.replace("_", " ")
            yield f"{status}  {log.name} ({counted(log.samples, 'sample')}{rest})"
            yield from (f"  {line}" for line in (*log.refused, *log.unknown))
        ledger = self.ledger
        yield from (f"refused  {problem}" for problem in (*ledger.problems, *self.secrets))
        if not ledger.starts:
            yield "There is no ledger (runs.jsonl), so other runs cannot be ruled out."
        elif ledger.unrecorded:
            yield f"{counted(len(ledger.unrecorded), 'log is', 'logs are')} in no ledger."
        if ledger.removed:
            yield f"{counted(len(ledger.removed), 'log of a run is', 'logs of runs are')} missing."
        unnamed = {str(log.round["folder"]) for log in self.logs if log.round.get("named") is False}
        for folder in sorted(unnamed):
            yield (
                f"Checked against the round that the logs name, {folder}. To use your own, add "
                "--round."
            )
        if self.is_sound:
            yield (
                "Every score follows from the replies in the logs. Nobody can prove who wrote the "
                "replies. Tokens, cost and time are as stated by the runner."
            )
        else:
            yield "Not every log is recomputed."


def verify_logs(
    folder: Path,
    rounds: Sequence[Path] = (),
    progress: Progress | None = None,
    *,
    untrusted: Path | None = None,
) -> Verification:
    """Verify all logs of our tasks below a folder.

    Without `rounds`, rounds are opened where the logs say, unless that is inside `untrusted`, the
    submitted folder (by default `folder`).
    """
    paths = find_logs(folder)
    opened = Rounds(rounds, untrusted or folder)
    ledger = check_ledgers(folder)
    checks = []
    compared: Compared = defaultdict(dict)
    parts: _Parts = defaultdict(list)
    for place, name in enumerate(paths):
        if progress:
            progress(place, len(paths))
        path = Path(name)
        check = LogCheck(path.relative_to(folder.absolute()).as_posix(), name)
        logs = _check_log(path, opened, check, parts)
        if logs and check.status == RECOMPUTED and not check.lacking and settled(logs[0]):
            about = (logs[0].eval.metadata or {})[COMPARISON]
            compared[about["comparison"]][about["contestant"]] = (*logs, check)
        _check_record(str(folder / check.name), ledger, check)
        checks.append(check)
    for members in compared.values():
        _check_stops(members)
    for of_run in parts.values():
        # Another log may have all answers of an incomplete one; otherwise answers are missing.
        whole = [part for part in of_run if not part[0].lacking and part[0].status == RECOMPUTED]
        for check, answers in of_run:
            if not check.lacking:
                continue
            names = [other.name for other, of_other in whole if answers.items() <= of_other.items()]
            if names:
                check.continued_by = names[0]
            else:
                check.unknown.append(check.lacking)
    return Verification(tuple(checks), ledger)


def _check_record(path: str, ledger: LedgerCheck, check: LogCheck) -> None:
    """Check a log against the ledger beside it."""
    check.refused += ledger.changed.get(path, ())
    if path in ledger.unrecorded:
        check.unknown.append("it is in no ledger (runs.jsonl), so no run of this folder wrote it.")
    if len(check.refused) > _MAX_PROBLEMS:
        rest = len(check.refused) - _MAX_PROBLEMS
        check.refused[_MAX_PROBLEMS:] = [f"and {rest} more."]


def _check_stops(members: Mapping[int, tuple[EvalLog, Path, LogCheck]]) -> None:
    """Check that a run with --decide stopped where its answers say."""
    header, folder, _ = members[min(members)]
    logs = {n: log for n, (log, _, _) in members.items()}
    try:
        for contestant, what in wrong_stops(logs, open_whole(header, folder)).items():
            members[contestant][2].refused.append(what)
    except (VivaError, LookupError, TypeError, ValueError) as error:
        for _, _, check in members.values():
            check.unknown.append(f"its stop cannot be checked: {error}.")


def _check_log(
    path: Path, rounds: Rounds, check: LogCheck, parts: _Parts
) -> tuple[EvalLog, Path] | None:
    """Check one log against its round; return the header and the round's folder, if found."""
    try:
        check_size(path)
        header = read_eval_log(str(path), header_only=True)
        if "round_sha256" not in (header.eval.metadata or {}):
            check.unknown.append("it names no round, so it is not a log of one of our tasks.")
            return None
        if brought := list(rounds.brought(header)):
            check.unknown.append(f"it names files that came with it: {', '.join(brought)}.")
            return None
        recording = Recording()
        run_coroutine(_read(path, header, check, recording))
    except Exception as error:  # a damaged archive fails in many ways, inside Inspect
        check.refused.append(f"cannot be read ({type(error).__name__}: {error})")
        return None
    check.samples = len(recording.answers)
    if (opened := rounds.find(header, check)) is None:
        return None
    try:
        _make_again(header, recording, opened.folder, check)
        answers = {
            address: hash_of(one.output.completion) for address, one in recording.answers.items()
        }
        facts, steps = header.eval.metadata or {}, [step.model_dump() for step in header.plan.steps]
        of_run = [facts.get("task"), facts.get("setting"), header.eval.model, steps]
        parts[f"{path.parent}/{hash_of(of_run)}"].append((check, answers))
    except Exception as error:  # a log whose task or scorer fails is not verified
        cause = str(error) if isinstance(error, VivaError) else f"{type(error).__name__}: {error}"
        check.unknown.append(cause)
    return header, opened.folder


async def _read(path: Path, header: EvalLog, check: LogCheck, recording: Recording) -> None:
    """Read the samples into a recording, and check their summaries and usage."""
    read = await read_eval_log_sample_summaries_async(path)
    summaries = {(one.id, one.epoch): one for one in read}
    silent, names = 0, header.eval.dataset.sample_ids
    if names is None:
        raise VivaError("its header lists no samples")
    for name, epoch in product(names, range(1, (header.eval.config.epochs or 1) + 1)):
        try:
            sample = await read_eval_log_sample_async(path, name, epoch, resolve_attachments=True)
        except IndexError:  # the run did not reach it
            continue
        place = where(sample.id, sample.epoch)
        summary = summaries.pop((sample.id, sample.epoch), None)
        if summary is None:
            check.refused.append(f"{place} appears twice, or is in no summary.")
            continue
        problems = [*compare_summary(sample, summary), *compare_usage(sample)]
        check.refused += [f"{place}: {what}" for what in problems]
        if sample.error is None and our_scores(sample.scores):
            recording.add(sample)
        silent += not sample.events
    check.refused += [f"{where(*left)} has a summary but no sample." for left in summaries]
    if silent and header.eval.model != NO_MODEL:
        check.unknown.append(f"{counted(silent, 'sample has', 'samples have')} no transcript.")


def _make_again(header: EvalLog, recording: Recording, folder: Path, check: LogCheck) -> None:
    """Run a log's task again, on a round and the log's replies, and compare the results."""
    task = ask_again(open_whole(header, folder), header)
    if str(task.version) != str(header.eval.task_version):
        check.unknown.append(
            f"its task has version {header.eval.task_version}, but version {task.version} here: "
            "verify it with the vivavoce that made it."
        )
        return
    if header.eval.dataset.samples != len(task.dataset):
        check.refused.append(
            f"it claims {counted(header.eval.dataset.samples or 0, 'sample')}, the task has "
            f"{len(task.dataset)}."
        )
    asked, about = [str(sample.id) for sample in task.dataset], header.eval.metadata or {}
    check.lacking = missing(asked, header, set(recording.answers)) or ""
    if COMPARISON in about and settled(header) is None and not check.lacking:
        check.lacking = "its run did not finish."
    if settled(header) and COMPARISON not in about:
        check.refused.append("it says that asking stopped early, but all items were asked.")
    if not recording.answers:
        return
    made = make_again(task, header, recording)
    check.refused += [f"it says {what}" for what in differences(run_of(header), run_of(made))]
    again = {(str(sample.id), sample.epoch): sample for sample in made.samples or []}
    for address, answer in sorted(recording.answers.items()):
        _compare_answer(address, answer, again.get(address), folder, header, check)
    if header.status == "success" and not check.unknown:
        check.refused += [
            f"its results say {what}" for what in differences(means_of(header), means_of(made))
        ]


def _compare_answer(
    address: Address,
    answer: EvalSample,
    again: EvalSample | None,
    folder: Path,
    header: EvalLog,
    check: LogCheck,
) -> None:
    """Compare a sample of a log with the recomputed sample."""
    place, limit = where(*address), answer.limit
    if again is None:
        check.refused.append(f"{place} is not an item of the round.")
    elif limit and getattr(header.eval.config, f"{limit.type}_limit", None) is None:
        check.refused.append(f"{place}: a {limit.type} limit ended it, but its run set none.")
    elif not our_scores(again.scores):
        cause = again.error.message if again.error else "no score"
        check.unknown.append(f"{place} cannot be recomputed: {cause}.")
    else:
        # The round's folder as stated in a log counts as the receiver's own folder.
        named = str(header.eval.task_args.get("round"))
        stated = sample_of(answer, {named: str(folder.resolve())})
        check.refused += [f"{place}: {what}" for what in differences(stated, sample_of(again))]
