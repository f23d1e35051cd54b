"""Comparison of a round's papers with each other: dates, demonstrations, near copies.

Everything is compared again, from the items and papers of the round. The code that chooses
demonstrations also compares them. Texts are compared by hashed word n-grams, which makes it fast to
compare one gold text with many inputs, and many texts with each other. Words are split as in
`vivavoce.metrics.rouge`.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from vivavoce.corpus.matching import numbers_of, titles_agree
from vivavoce.metrics.rouge import words_of
from vivavoce.records import Window
from vivavoce.store import Row
from vivavoce.tasks.writing.demonstrations import Kinship
from vivavoce.tasks.writing.inputs import PaperText, shown_demos
from vivavoce.text.dates import earlier, inside, period
from vivavoce.text.normalise import normalise_title
from vivavoce.text.shingles import hash_runs, holders

Runs = npt.NDArray[np.uint64]
Flags = npt.NDArray[np.bool_]

LENGTH = 13
"""Length of n-grams that do not match by chance."""
MAX_HOLDERS = 50
"""An n-gram found in more texts than this counts as a common phrase."""
NEAR = 0.5
"""Minimum share of n-grams that near copies have in common."""
SHINGLE = 3
"""Length of n-grams that survive edits: with every eighth word changed, five of eight remain."""
ONE_WORK = 2 / 3
"""Minimum share of three-word n-grams in common for texts with different titles to be one work."""
_SPLITS = ("train", "val", "test")
_ALL = "mixed"


def finding(check: str, task: str, item: str, *, breach: bool = True, **more: Any) -> Row:
    """Make the row of a finding; `breach` is true if it breaks a rule of the round."""
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
    task: str,
    rows: Sequence[Row],
    papers: Mapping[str, PaperText],
    window: Window,
    anchors: Collection[str] = (),
    late: tuple[Window, Collection[str]] | None = None,
) -> tuple[Row, list[Row]]:
    """Compare all dates of a task; return a row of counts, and findings.

    The window and splits do not apply to anchors; in place of the window, `late` gives the window
    over all earlier rounds and the papers that came too late for these.
    """
    line, older = late or (window, ())
    findings: list[Row] = []
    pairs = 0
    for row in rows:
        published = papers[row["paper_id"]].published
        if published != row["published"]:
            detail = f"the item says {row['published']}, its paper {published}"
            findings.append(finding("other_date", task, row["id"], detail=detail))
        span = line if row["paper_id"] in older else window
        if row["id"] not in anchors and not inside(published, span):
            findings.append(finding("outside_window", task, row["id"], detail=published))
        for paper_id in shown_demos(row, _ALL):
            pairs += 1
            shown = papers[paper_id].published
            if not earlier(shown, published):
                check = "demonstration_not_earlier"
                detail = f"{shown} does not end before {published} begins"
                findings.append(finding(check, task, row["id"], other=paper_id, detail=detail))
    findings += _split_order(task, [row for row in rows if row["id"] not in anchors])
    counts = Counter(each["check"] for each in findings)
    row_of_task = {
        "task": task,
        "items": len(rows),
        "anchors": sum(row["id"] in anchors for row in rows),
        "demonstrations": pairs,
        "outside_window": counts["outside_window"],
        "other_date": counts["other_date"],
        "not_earlier": counts["demonstration_not_earlier"],
        "split_order": counts["split_order"],
        "earliest": min((row["published"] for row in rows), default=None),
        "latest": max((row["published"] for row in rows), default=None),
    }
    return row_of_task, findings


def _split_order(task: str, rows: Sequence[Row]) -> Iterator[Row]:
    """Yield items dated before an item of an earlier split, by each date's last possible day."""
    latest: tuple[date, str] | None = None
    for split in _SPLITS:
        members = [
            (period(row["published"])[1], row["id"]) for row in rows if row["split"] == split
        ]
        for ends, item in sorted(members):
            if latest and ends < latest[0]:
                detail = f"a {split} item that ends before {latest[1]} of an earlier split"
                yield finding("split_order", task, item, other=latest[1], detail=detail)
        latest = max([*members, *([latest] if latest else [])], default=None)


def related_demonstrations(
    task: str, rows: Sequence[Row], papers: Mapping[str, PaperText]
) -> Iterator[Row]:
    """Yield demonstrations that are nearly the target, by the rules for building rounds."""
    kinship = Kinship()
    for row in rows:
        for paper_id in shown_demos(row, _ALL):
            if relation := kinship.between(papers[row["paper_id"]], papers[paper_id]):
                check, detail = relation
                yield finding(check, task, row["id"], other=paper_id, detail=detail)


def copies(task: str, rows: Sequence[Row], papers: Mapping[str, PaperText]) -> Iterator[Row]:
    """Yield items of one task that are near copies of each other, by n-grams that survive edits."""
    titles: dict[str, list[str]] = defaultdict(list)
    for row in rows:
        titles[normalise_title(papers[row["paper_id"]].title)].append(row["id"])
    for title in sorted(titles):
        kept, *others = sorted(titles[title])
        for item in others:
            yield finding("items_same_title", task, kept, other=item, detail=title)
    targets = {row["id"]: papers[row["paper_id"]] for row in rows}
    texts = {"abstract": {name: runs_of(targets[name].abstract, SHINGLE) for name in targets}}
    if task not in ("title", "abstract"):
        texts["gold"] = {row["id"]: runs_of(row["reference"], SHINGLE) for row in rows}
    for name, runs in texts.items():
        for first, second, share in alike(runs, NEAR):
            one, other = targets[first].title, targets[second].title
            if numbers_of(one) != numbers_of(other):
                continue  # another part of a work, or another year's report
            is_one = share >= ONE_WORK or titles_agree(one, other)
            detail = f"{share:.0%} of the {SHINGLE}-word n-grams of the {name} are the same"
            yield finding(
                "items_near_copies", task, first, other=second, detail=detail, breach=is_one
            )


def runs_of(text: str, length: int = LENGTH) -> Runs:
    """Hashes of a text's n-grams, in order; empty if the text has fewer words."""
    return hash_runs(words_of(text), length)


def found_in(gold: Runs, source: Runs) -> Flags:
    """For each of the gold's n-grams, in order, True if the source has it."""
    if not len(gold):
        return np.zeros(0, bool)
    # Sort only the short gold, not the long source.
    known = np.unique(gold)
    places = np.minimum(np.searchsorted(known, source), len(known) - 1)
    flags = np.zeros(len(known), bool)
    flags[places[known[places] == source]] = True
    return flags[np.searchsorted(known, gold)]


def share_of(*flags: Flags) -> float | None:
    """Share of the gold's n-grams that are in any source; None if the gold has none."""
    together = np.logical_or.reduce(flags)
    return float(together.mean()) if together.size else None


def share_found(gold: Runs, source: Runs) -> float | None:
    """Share of the gold's n-grams that are in one source; None if the gold has none."""
    return share_of(found_in(gold, source))


def alike(texts: Mapping[str, Runs], least: float) -> Iterator[tuple[str, str, float]]:
    """Yield sorted pairs of texts in which one has at least `least` of the other's n-grams."""
    names = sorted(name for name, runs in texts.items() if len(runs))
    groups = holders([np.unique(texts[name]) for name in names], MAX_HOLDERS)
    pairs = {pair for group in groups for pair in combinations(group, 2)}
    for a, b in sorted(pairs):
        first, second = texts[names[a]], texts[names[b]]
        share = max(share_found(first, second) or 0.0, share_found(second, first) or 0.0)
        if share >= least:
            yield names[a], names[b], share
