"""Search for leaks in the files of a round.

- overlap: the share of the gold's 13-word n-grams that occur in the input of a setting (the paper's
  own text, its demonstrations and listed works together); 4-word n-grams for titles, which are
  shorter. Also gold that is verbatim in the input;
- retold gold: the share of the gold's 3-word n-grams close together in one of these texts, even if
  words were changed or reordered;
- dates: targets inside the window, splits in chronological order, demonstrations published before
  their target;
- demonstrations that are the target or another version of it, or that share its title or half the
  13-word n-grams of its abstract or of a gold section;
- items that are near copies of each other;
- exclusions, by task, setting and reason.

A finding that breaks a rule of the round is a breach; the reader has to judge the others.
"""

import statistics
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import numpy as np

from vivavoce.errors import VivaError
from vivavoce.records import Window
from vivavoce.reports import Column, Report, Sheet, sheet
from vivavoce.results.audits.relations import (
    LENGTH,
    Flags,
    Runs,
    compare_dates,
    copies,
    finding,
    found_in,
    related_demonstrations,
    runs_of,
    share_of,
)
from vivavoce.rounds import Round, load_round
from vivavoce.rounds.anchors import anchors_of, came_late
from vivavoce.rounds.family import gold_is_inside
from vivavoce.running.logs import Progress
from vivavoce.statistics.estimates import Draws, mean_estimate
from vivavoce.store import Row, read_json
from vivavoce.tasks.writing.inputs import (
    TASKS,
    PaperText,
    demonstration_texts,
    paper_from_row,
    settings_of,
    shown_demos,
    slots,
)
from vivavoce.text.shingles import RETOLD, RETOLD_BESIDE, retold_share, shingles_of

FAMILY = "writing"
PAPERS = "papers.parquet"

_TITLE_RUN = 4


@dataclass(frozen=True, slots=True)
class LeakageAudit(Report):
    """The report of `viva audit leakage`."""

    round: str
    cells: tuple[Row, ...]
    """One row per task and setting: shares of the gold in the inputs."""
    dates: tuple[Row, ...]
    """One row per task: dates compared, and breaches."""
    findings: tuple[Row, ...]
    """One row per finding."""
    left_out: tuple[Row, ...]
    """One row per family, task, setting and reason."""
    notes: tuple[str, ...]

    @property
    def breaches(self) -> int:
        """Number of findings that break a rule of the round."""
        return sum(bool(row["breach"]) for row in self.findings)

    def as_dict(self) -> Row:
        """The tables as plain JSON values."""
        return {"round": self.round, "breaches": self.breaches} | Report.as_dict(self)

    def parts(self) -> Iterator[Sheet | str]:
        """Sheets on shares, dates and exclusions, then one line per finding."""
        yield sheet(
            f"Round {self.round}: share of the gold's word n-grams in the input",
            self.cells,
            *("task", "setting", "items"),
            Column("run_words", "words"),
            *("overlap", Column("overlap.n", "n"), "median", "p95", "max"),
            Column("above_limit", "> limit"),
            "verbatim",
        )
        yield sheet(
            "Dates",
            self.dates,
            *("task", "items", "earliest", "latest"),
            Column("outside_window", "outside"),
            "demonstrations",
            Column("not_earlier", "not earlier"),
            Column("split_order", "split order"),
        )
        columns = ("family", "task", "setting", "reason", "papers")
        yield sheet("Left out", self.left_out, *columns)
        for row in self.findings:
            other = f" and {row['other']}" if row["other"] else ""
            place = f"{row['task']} · {row['setting']}" if row["setting"] else row["task"]
            kind = "Breach" if row["breach"] else "Note"
            yield f"{kind}: {row['check']}: {place}: {row['id']}{other} {row['detail']}".rstrip()
        yield f"{self.breaches} breaches, {len(self.findings) - self.breaches} other findings"


def audit_leakage(
    folder: Path | str,
    *,
    resamples: int = 10_000,
    seed: int = 0,
    progress: Progress | None = None,
) -> LeakageAudit:
    """Look for leaks in a round."""
    opened = load_round(folder)
    draws = Draws(resamples, seed)
    notes = []
    tasks = [task for task in TASKS if (FAMILY, task) in opened.tasks()]
    if not tasks:
        notes.append(f"Round {opened.id} has no writing task, so only exclusions are shown.")
    items = {task: opened.items(FAMILY, task) for task in tasks}
    papers = _papers(opened) if tasks else {}
    span = opened.manifest["window"]
    window = Window(date.fromisoformat(span["start"]), date.fromisoformat(span["end"]))
    spec = read_json(opened.folder / "spec.json")
    most = float(spec.get(FAMILY, {}).get("max_overlap", 0.20))
    total, done = sum(map(len, items.values())), 0
    cells: list[Row] = []
    dates: list[Row] = []
    findings: list[Row] = []
    for task in tasks:
        length = _TITLE_RUN if task == "title" else LENGTH
        golds = {row["id"]: runs_of(row["reference"], length) for row in items[task]}
        measured: dict[str, list[Row]] = defaultdict(list)
        for row in items[task]:
            for setting, measure in _overlaps(task, row, golds[row["id"]], papers, length):
                measured[setting].append(measure)
            done += 1
            if progress:
                progress(done, total)
        limit = None if task == "title" else most
        for setting in settings_of(task):
            cell = _cell(task, setting, measured[setting], limit, draws)
            cells.append({**cell, "run_words": length})
            findings += _leaking(task, setting, measured[setting], limit)
        kept = set(anchors_of(opened).get(f"{FAMILY}/{task}", ()))
        compared, date_findings = compare_dates(
            task, items[task], papers, window, kept, came_late(opened)
        )
        dates.append(compared)
        findings += date_findings
        findings += related_demonstrations(task, items[task], papers)
        findings += copies(task, items[task], papers)
    return LeakageAudit(
        round=opened.id,
        cells=tuple(cells),
        dates=tuple(dates),
        findings=tuple(findings),
        left_out=tuple(_left_out(opened)),
        notes=tuple(notes),
    )


def _papers(opened: Round) -> dict[str, PaperText]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    if f"{FAMILY}/{PAPERS}" not in opened.manifest["files"]:
        raise VivaError(
            f"Round {opened.id} has no {FAMILY}/{PAPERS}: it was built by an older version. Build "
            "it again with viva round build."
        )
    table = pq.read_table(pa.BufferReader(opened.read_file(FAMILY, PAPERS)))
    return {row["paper_id"]: paper_from_row(row) for row in table.to_pylist()}


def _overlaps(
    task: str, row: Row, runs: Runs, papers: Mapping[str, PaperText], length: int
) -> Iterator[tuple[str, Row]]:
    """Shares of the gold in an item's own text and in its whole input, by setting."""
    paper = papers[row["paper_id"]]
    own: dict[tuple[str, ...], tuple[Flags, bool, float | None]] = {}
    gold = shingles_of(row["reference"]) if task != "title" else shingles_of("")
    beside_work = [
        retold_share(gold, shingles_of(w["abstract"] or "")) for w in row.get("works") or ()
    ]
    works = [
        found_in(runs, runs_of(work["abstract"] or "", length)) for work in row.get("works") or ()
    ]
    shown: dict[str, tuple[Flags, float | None]] = {}
    for setting in row["settings"]:
        texts = tuple(slots(task, setting, paper).values())
        if texts not in own:
            flags = found_in(runs, runs_of("\n\n".join(texts), length))
            retold = retold_share(gold, shingles_of("\n\n".join(texts)))
            own[texts] = flags, gold_is_inside(row["reference"], texts), retold
        demos = shown_demos(row, setting)
        for paper_id in demos:
            if paper_id not in shown:
                text = "\n\n".join(demonstration_texts(task, papers[paper_id]))
                retold = retold_share(gold, shingles_of(text))
                shown[paper_id] = found_in(runs, runs_of(text, length)), retold
        beside = [shown[paper_id][0] for paper_id in demos]
        beside += works if setting != "title_only" else []
        own_runs, is_verbatim, retold_own = own[texts]
        shares = [shown[paper_id][1] for paper_id in demos]
        shares += beside_work if setting != "title_only" else []
        yield (
            setting,
            {
                "id": row["id"],
                "cluster": row["cluster"],
                "own": share_of(own_runs),
                "whole": share_of(own_runs, *beside),
                "verbatim": is_verbatim,
                "retold_beside": max((share or 0.0 for share in shares), default=0.0),
                "retold_own": retold_own or 0.0,
            },
        )


def _cell(
    task: str, setting: str, measured: Sequence[Row], limit: float | None, draws: Draws
) -> Row:
    known = [row for row in measured if row["whole"] is not None]
    shares = [row["whole"] for row in known]
    mean = mean_estimate(shares, [row["cluster"] for row in known], draws)
    return {
        "task": task,
        "setting": setting,
        "items": len(measured),
        "overlap": mean.fields(),
        "median": statistics.median(shares) if shares else None,
        "p95": float(np.quantile(shares, 0.95)) if shares else None,
        "max": max(shares, default=None),
        "some": sum(share > 0 for share in shares),
        "above_limit": None if limit is None else sum(share > limit for share in shares),
        "limit": limit,
        "short": len(measured) - len(known),
        "verbatim": sum(row["verbatim"] for row in measured),
        "retold": sum(_is_retold(row, limit) for row in measured),
    }


def _is_retold(row: Row, limit: float | None) -> bool:
    """Check whether an item's input retells its gold, by the rule for building rounds."""
    is_own = row["retold_own"] >= max(RETOLD, limit or 0.0)
    return bool(is_own or row["retold_beside"] >= RETOLD_BESIDE)


def _leaking(
    task: str, setting: str, measured: Sequence[Row], limit: float | None
) -> Iterator[Row]:
    for row in measured:
        if row["verbatim"]:
            yield finding("gold_in_input", task, row["id"], setting=setting)
        if _is_retold(row, limit):
            yield finding(
                "gold_retold",
                task,
                row["id"],
                setting=setting,
                detail=f"{row['retold_own']:.0%} of the gold's 3-word n-grams are close together "
                f"in the paper's own text, {row['retold_beside']:.0%} in another text of the input",
            )
        if limit is not None and row["whole"] is not None and row["whole"] > limit:
            yield finding(
                "overlap",
                task,
                row["id"],
                setting=setting,
                detail=f"{row['whole']:.0%} of the gold's 13-word n-grams are in the input, "
                f"{row['own']:.0%} in the paper's own text",
                breach=row["own"] > limit,
            )


def _left_out(opened: Round) -> list[Row]:
    counts = Counter(
        (row["family"], row["task"], row.get("setting") or "", row["reason"])
        for row in opened.leakage["excluded"]
    )
    return [
        {"family": family, "task": task, "setting": setting, "reason": reason, "papers": number}
        for (family, task, setting, reason), number in sorted(counts.items())
    ]
