"""Logs verified: each held against what the receiver's round says that it must be.

It proves that answers and scores follow from the replies in the log. It cannot prove who wrote
these replies: nobody can.

It compares from the outside in. The log's bytes are compared with the ledger of its run. Its header
and its samples are compared with the task on the round, and its summaries, which boards read, with
its samples. Every answer, score and metric is compared with the ones that the method and the
scorers make again from the models' replies. Parts that cannot be compared are not verified, and the
reason is given.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from inspect_ai.log import (
    EvalLog,
    read_eval_log,
    read_eval_log_sample_summaries,
    read_eval_log_samples,
)

from vivavoce.errors import VivaError
from vivavoce.reports import Report, Sheet
from vivavoce.results.integrity.comparing import (
    compare_metrics,
    compare_remade,
    compare_summary,
    compare_task,
    compare_transcript,
    missing,
)
from vivavoce.results.integrity.rescoring import (
    NO_MODEL,
    Address,
    Recording,
    make_again,
    open_whole,
    reopen,
)
from vivavoce.results.logs.ledger import LedgerCheck, check_ledgers
from vivavoce.results.logs.reading import find_logs
from vivavoce.results.logs.records import NOT_RECOMPUTED, RECOMPUTED, where
from vivavoce.rounds import Round, load_round
from vivavoce.running.logs import COMPARISON, settled
from vivavoce.running.stopping import wrong_stops
from vivavoce.store import Row, hash_of
from vivavoce.tasks.scoring.marks import our_scores

Progress = Callable[[int, int], None]
Compared = dict[str, dict[int, tuple[EvalLog, Path, "LogCheck"]]]
"""Logs of runs that stopped at an answer, by comparison and contestant."""

_Parts = dict[str, list[tuple["LogCheck", dict[Address, str]]]]
"""Logs of one run, which is interrupted and goes on, with a hash of each answer."""

VERIFIED, REFUSED, UNVERIFIED = "verified", "refused", "unverified"
_MAX_PROBLEMS = 20
"""Of a log, that are listed."""


@dataclass(slots=True)
class LogCheck:
    """Findings on one log."""

    name: str
    samples: int = 0
    round: Row = field(default_factory=dict)
    """The round it was held against: `id`, `sha256`, `folder`, and whether the receiver `named` it.
    """
    refused: list[str] = field(default_factory=list)
    """What cannot be, each with the sample it is in where it is in one."""
    unverified: list[str] = field(default_factory=list)
    """Reasons why it cannot be told what it is worth; empty when it can."""
    lacking: str = ""
    """Answers that it does not have, in words."""
    continued_by: str = ""
    """The verified log of the same run that has all answers, those of this one among them."""

    @property
    def status(self) -> str:
        """`verified`, `refused` or `unverified`."""
        if self.refused:
            return REFUSED
        return UNVERIFIED if self.unverified else VERIFIED

    @property
    def trust(self) -> Row:
        """Trust of its rows on a board: `trust`, the `reason`, and whether it makes rows at all."""
        reasons = [*self.refused, *self.unverified]
        return {
            "trust": NOT_RECOMPUTED if reasons else RECOMPUTED,
            "reason": reasons[0] if reasons else None,
            "refused": bool(self.refused),
        }

    def as_dict(self) -> Row:
        """As plain JSON values."""
        return {
            "log": self.name,
            "status": self.status,
            "samples": self.samples,
            "round": self.round or None,
            "refused": self.refused,
            "unverified": self.unverified,
            "continued_by": self.continued_by or None,
        }


@dataclass(frozen=True, slots=True)
class Verification(Report):
    """Findings on a folder of logs."""

    logs: tuple[LogCheck, ...]
    ledger: LedgerCheck
    secrets: tuple[str, ...] = ()
    """Findings that look like keys, where the folder was searched for them."""

    @property
    def trust(self) -> dict[str, Row]:
        """By a log's path below the folder, what a board may say of its rows."""
        return {log.name: log.trust for log in self.logs}

    @property
    def is_sound(self) -> bool:
        """True if every log is verified, the ledger holds and no key was found."""
        is_held = not self.ledger.problems and not self.secrets
        return is_held and all(log.status == VERIFIED for log in self.logs)

    def as_dict(self) -> Row:
        """As plain JSON values."""
        return {
            "verified": self.is_sound,
            "logs": [log.as_dict() for log in self.logs],
            "ledger": self.ledger.as_dict(),
            "secrets": list(self.secrets),
        }

    def parts(self) -> Iterator[Sheet | str]:
        """Each log with its problems, what the ledger says, and the verdict."""
        for log in self.logs:
            rest = f"; {log.continued_by} went on" if log.continued_by else ""
            yield f"{log.status}  {log.name} ({log.samples} samples{rest})"
            yield from (f"  {line}" for line in (*log.refused, *log.unverified))
        ledger = self.ledger
        yield from (f"refused  {problem}" for problem in (*ledger.problems, *self.secrets))
        if not ledger.starts:
            yield "There is no ledger (runs.jsonl): nothing tells what else was run."
        elif ledger.unrecorded:
            yield f"{len(ledger.unrecorded)} logs are in no ledger."
        if ledger.removed:
            yield f"{len(ledger.removed)} logs of runs are gone."
        unnamed = {str(log.round["folder"]) for log in self.logs if log.round.get("named") is False}
        for folder in sorted(unnamed):
            yield (
                f"Held against the round that the logs lead to, {folder}: name yours with --round."
            )
        if self.is_sound:
            yield (
                "Every score follows from the replies in the logs. Nobody can prove who wrote "
                "these."
            )
        else:
            yield "Not verified."


class Rounds:
    """Rounds that a receiver names or, where none is named, those that the logs lead to."""

    def __init__(self, named: Sequence[Path], untrusted: Path) -> None:
        """Open the named ones.

        With a named one no other counts, and none that came with the logs, in `untrusted`.

        Raises:
            InputError: One cannot be opened.
        """
        opened = [load_round(folder) for folder in named]
        self._named = {found.sha256: found for found in opened}
        self._untrusted = untrusted.resolve()

    def find(self, header: EvalLog, check: LogCheck) -> Round | None:
        """The round of a log; None, with the reason in its check, where there is none."""
        told = header.eval.metadata or {}
        sha256, name = str(told.get("round_sha256")), str(told.get("round"))
        found = self._named.get(sha256)
        if found is None and any(each.id == name for each in self._named.values()):
            check.refused.append(
                f"its round {name} ({sha256[:12]}) is not the one named: that has another hash."
            )
            return None
        found = found or (None if self._named else self._where_it_was(header))
        if found is None or found.sha256 != sha256:
            check.unverified.append(
                f"its round {name} ({sha256[:12]}) is not here: name its folder with --round."
            )
            return None
        folder, is_named = str(found.folder), bool(self._named)
        check.round = {"id": found.id, "sha256": sha256, "folder": folder, "named": is_named}
        return found

    def _where_it_was(self, header: EvalLog) -> Round | None:
        """The round where the log says that it was, unless it came with the log."""
        folder = Path(str(header.eval.task_args.get("round") or "-")).resolve()
        if folder.is_relative_to(self._untrusted):
            return None
        try:
            return load_round(folder)
        except VivaError:
            return None


def verify_logs(
    folder: Path,
    rounds: Sequence[Path] = (),
    progress: Progress | None = None,
    *,
    untrusted: Path | None = None,
) -> Verification:
    """Verify every log of our tasks below a folder.

    Without `rounds` those count that lie where the logs say they were, unless it is in `untrusted`,
    the folder that was handed in.

    Raises:
        InputError: No logs there, or a round cannot be opened.
    """
    found = find_logs(folder)
    opened = Rounds(rounds, untrusted or folder)
    ledger = check_ledgers(folder)
    checks = []
    compared: Compared = defaultdict(dict)
    parts: _Parts = defaultdict(list)
    for place, name in enumerate(found):
        if progress:
            progress(place, len(found))
        path = Path(name)
        check = LogCheck(path.relative_to(folder.absolute()).as_posix())
        held = _check_log(path, opened, check, parts)
        if held and check.status == VERIFIED and not check.lacking and settled(held[0]):
            about = (held[0].eval.metadata or {})[COMPARISON]
            compared[about["comparison"]][about["contestant"]] = (*held, check)
        _check_record(str(folder / check.name), ledger, check)
        checks.append(check)
    for members in compared.values():
        _check_stops(members)
    for of_run in parts.values():
        _join_parts(of_run)
    return Verification(tuple(checks), ledger)


def _check_record(path: str, ledger: LedgerCheck, check: LogCheck) -> None:
    """Hold a log against the ledger that lies beside it."""
    check.refused += ledger.changed.get(path, ())
    if path in ledger.unrecorded:
        check.unverified.append("no ledger (runs.jsonl) has it: no run of this folder wrote it.")
    if len(check.refused) > _MAX_PROBLEMS:
        rest = len(check.refused) - _MAX_PROBLEMS
        check.refused[_MAX_PROBLEMS:] = [f"and {rest} more."]


def _check_stops(members: Mapping[int, tuple[EvalLog, Path, LogCheck]]) -> None:
    """Hold the ends of a run that stopped when its question was answered against its answers."""
    header, folder, _ = members[min(members)]
    logs = {n: log for n, (log, _, _) in members.items()}
    try:
        for contestant, what in wrong_stops(logs, open_whole(header, folder)).items():
            members[contestant][2].refused.append(what)
    except (VivaError, LookupError, TypeError, ValueError) as error:
        for _, _, check in members.values():
            check.unverified.append(f"where it stopped cannot be told: {error}.")


def _join_parts(of_run: Sequence[tuple[LogCheck, Mapping[Address, str]]]) -> None:
    """Find the log that went on from each that was interrupted; others lack their answers."""
    whole = [part for part in of_run if not part[0].lacking and part[0].status == VERIFIED]
    for check, answers in of_run:
        if not check.lacking:
            continue
        found = [other.name for other, of_other in whole if answers.items() <= of_other.items()]
        if found:
            check.continued_by = found[0]
        else:
            check.unverified.append(check.lacking)


def _check_log(
    path: Path, rounds: Rounds, check: LogCheck, parts: _Parts
) -> tuple[EvalLog, Path] | None:
    """Hold one log against its round; its header and the round's folder where there is one."""
    try:
        header = read_eval_log(str(path), header_only=True)
        if "round_sha256" not in (header.eval.metadata or {}):
            check.unverified.append("it names no round: it is no log of one of our tasks.")
            return None
        recording = _read(path, header, check)
    except Exception as error:  # a damaged archive fails in many ways, inside Inspect
        check.refused.append(f"cannot be read ({type(error).__name__}: {error})")
        return None
    check.samples = len(recording.answers)
    if (found := rounds.find(header, check)) is None:
        return None
    try:
        _make_again(header, recording, found.folder, check)
        answers = {at: hash_of(one.output.completion) for at, one in recording.answers.items()}
        parts[f"{path.parent}/{header.eval.task_id}"].append((check, answers))
    except Exception as error:  # whatever stops a task or a scorer, the log is not verified
        cause = str(error) if isinstance(error, VivaError) else f"{type(error).__name__}: {error}"
        check.unverified.append(cause)
    return header, found.folder


def _read(path: Path, header: EvalLog, check: LogCheck) -> Recording:
    """Take in the samples, and hold the summaries and the transcripts against them."""
    recording = Recording()
    summaries = {(s.id, s.epoch): s for s in read_eval_log_sample_summaries(str(path))}
    silent = 0
    for sample in read_eval_log_samples(
        str(path), all_samples_required=False, resolve_attachments=True
    ):
        place = where(sample.id, sample.epoch)
        summary = summaries.pop((sample.id, sample.epoch), None)
        if summary is None:
            check.refused.append(f"{place} stands twice, or is in no summary.")
            continue
        problems = [*compare_summary(sample, summary), *compare_transcript(sample, header)]
        check.refused += [f"{place}: {what}" for what in problems]
        if sample.error is None and our_scores(sample.scores):
            recording.add(sample)
        silent += not sample.events
    check.refused += [f"{where(*left)} has a summary and no sample." for left in summaries]
    if silent and header.eval.model != NO_MODEL:
        check.unverified.append(f"{silent} samples have no transcript.")
    return recording


def _make_again(header: EvalLog, recording: Recording, folder: Path, check: LogCheck) -> None:
    """Hold a log against its task on a round, and make it again there."""
    task = reopen(header, folder)
    if str(task.version) != str(header.eval.task_version):
        check.unverified.append(
            f"it is of version {header.eval.task_version} of its task, which is {task.version} "
            "here: verify it with the vivavoce it was made with."
        )
        return
    check.refused += compare_task(task, header, recording, folder)
    check.lacking = missing(task, header, recording) or ""
    if not recording.answers:
        return
    made = make_again(task, header, recording)
    again = {(str(sample.id), sample.epoch): sample for sample in made.samples or []}
    for address, answer in sorted(recording.answers.items()):
        found = again.get(address)
        if found is None:
            continue  # told already: it is no item of the round
        compare_remade(where(*address), answer, found, check.refused, check.unverified)
    if header.status == "success" and len(again) == len(recording.answers):
        check.refused += compare_metrics(header, made)
