"""How the papers of a round stand to each other: dates, demonstrations, near copies.

Everything is compared anew, from the items and the papers of the round.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Any

from vivavoce.records import Window
from vivavoce.results.audits.overlap import Runs, alike, runs_of, share_found
from vivavoce.store import Row
from vivavoce.tasks.writing.items.inputs import PaperText, gold
from vivavoce.text.dates import earlier, inside, period
from vivavoce.text.normalise import normalise_title

NEAR = 0.5
"""Share of 13-word runs from which on two texts are near copies."""
_SPLITS = ("train", "val", "test")
_DEMOS = {
    "random": ("demos_random",),
    "coauthor": ("demos_coauthor",),
    "mixed": ("demos_random", "demos_coauthor"),
}
_ALL = "mixed"


def demonstrations(row: Row, setting: str) -> list[str]:
    """Papers shown in a setting, each once, in their order."""
    return list(dict.fromkeys(i for name in _DEMOS.get(setting, ()) for i in row[name] or ()))


def finding(check: str, task: str, item: str, *, breach: bool, **more: Any) -> Row:
    """One row of the findings; `breach` when it breaks a rule of the round."""
    return {
        "check": check,
        "task": task,
        "setting": more.get("setting"),
        "id": item,
        "other": more.get("other"),
        "detail": more.get("detail", ""),
        "breach": breach,
    }


def compare_dates(
    task: str, rows: Sequence[Row], papers: Mapping[str, PaperText], window: Window
) -> tuple[Row, list[Row]]:
    """Compare every date of a task: what was compared, and the findings."""
    found: list[Row] = []
    pairs = 0
    for row in rows:
        published = papers[row["paper_id"]].published
        if published != row["published"]:
            detail = f"the item says {row['published']}, its paper {published}"
            found.append(finding("other_date", task, row["id"], detail=detail, breach=True))
        if not inside(published, window):
            found.append(finding("outside_window", task, row["id"], detail=published, breach=True))
        for paper_id in demonstrations(row, _ALL):
            pairs += 1
            shown = papers[paper_id].published
            if not earlier(shown, published):
                found.append(
                    finding(
                        "demonstration_not_earlier",
                        task,
                        row["id"],
                        other=paper_id,
                        detail=f"{shown} is not over before {published} begins",
                        breach=True,
                    )
                )
    found += _split_order(task, rows)
    counts = Counter(each["check"] for each in found)
    row_of_task = {
        "task": task,
        "items": len(rows),
        "demonstrations": pairs,
        "outside_window": counts["outside_window"],
        "other_date": counts["other_date"],
        "not_earlier": counts["demonstration_not_earlier"],
        "split_order": counts["split_order"],
        "earliest": min((row["published"] for row in rows), default=None),
        "latest": max((row["published"] for row in rows), default=None),
    }
    return row_of_task, found


def _split_order(task: str, rows: Sequence[Row]) -> Iterator[Row]:
    """Items that begin before an item of an earlier split does."""
    latest: tuple[date, str] | None = None
    for split in _SPLITS:
        members = [
            (period(row["published"])[0], row["id"]) for row in rows if row["split"] == split
        ]
        for begins, item in sorted(members):
            if latest and begins < latest[0]:
                detail = f"a {split} item that begins before {latest[1]} of an earlier split"
                yield finding(
                    "split_order", task, item, other=latest[1], detail=detail, breach=True
                )
        latest = max([*members, *([latest] if latest else [])], default=None)


def kin(
    task: str, rows: Sequence[Row], papers: Mapping[str, PaperText], golds: Mapping[str, Runs]
) -> Iterator[Row]:
    """Demonstrations that are the target, or nearly."""
    for row in rows:
        target = papers[row["paper_id"]]
        abstract = runs_of(target.abstract)
        for paper_id in demonstrations(row, _ALL):
            found = _kinship(task, target, abstract, golds[row["id"]], papers[paper_id])
            if found:
                check, detail = found
                yield finding(check, task, row["id"], other=paper_id, detail=detail, breach=True)


def _kinship(
    task: str, target: PaperText, abstract: Runs, gold_runs: Runs, other: PaperText
) -> tuple[str, str] | None:
    if other.paper_id == target.paper_id:
        return "target_in_demonstrations", "the target shows itself"
    if normalise_title(other.title) == normalise_title(target.title):
        return "same_title", other.title
    texts = [("abstract", abstract, runs_of(other.abstract))]
    if task not in ("title", "abstract"):
        its_gold = gold(task, other.title, other.abstract, other.sections)
        texts.append(("gold", gold_runs, runs_of(its_gold or "")))
    for name, ours, theirs in texts:
        share = max(share_found(ours, theirs) or 0.0, share_found(theirs, ours) or 0.0)
        if share >= NEAR:
            return "near_copy", f"{share:.0%} of the 13-word runs of the {name} are the same"
    return None


def copies(
    task: str, rows: Sequence[Row], papers: Mapping[str, PaperText], golds: Mapping[str, Runs]
) -> Iterator[Row]:
    """Items of one task that are near copies of each other."""
    titles: dict[str, list[str]] = defaultdict(list)
    for row in rows:
        titles[normalise_title(papers[row["paper_id"]].title)].append(row["id"])
    for title in sorted(titles):
        first, *others = sorted(titles[title])
        for other in others:
            yield finding("items_same_title", task, first, other=other, detail=title, breach=True)
    texts = {"abstract": {row["id"]: runs_of(papers[row["paper_id"]].abstract) for row in rows}}
    if task not in ("title", "abstract"):
        texts["gold"] = dict(golds)
    for name, runs in texts.items():
        for first, second, share in alike(runs, NEAR):
            detail = f"{share:.0%} of the 13-word runs of the {name} are the same"
            yield finding(
                "items_near_copies", task, first, other=second, detail=detail, breach=False
            )
