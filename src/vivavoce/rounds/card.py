"""A round's card: what it is, for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from vivavoce.corpus import Corpus
from vivavoce.rounds.spec import RoundSpec
from vivavoce.store import Row


def render_card(corpus: Corpus, spec: RoundSpec, counts: Mapping[str, Row]) -> str:
    """The card as Markdown: window, items, what was left out, licences."""
    window = spec.window
    lines = [
        f"# Round {spec.round.id}",
        "",
        f"Targets first appeared from {window.start} up to, not including, {window.end} (UTC). "
        f"Seed {spec.round.seed}. Corpus of {len(corpus.papers):,} papers, "
        f"fingerprint `{corpus.fingerprint[:16]}`.",
        "",
        "## Items",
        "",
        "| family | task | items | papers, tables or boards they come from |",
        "|---|---|---:|---:|",
    ]
    tasks = [(f, t, row) for f, by_task in counts.items() for t, row in by_task.items()]
    lines += [f"| {f} | {t} | {row['items']:,} | {row['clusters']:,} |" for f, t, row in tasks]
    if any("settings" in row for _, _, row in tasks):
        lines += ["", "## Settings", "", "| task | setting | items |", "|---|---|---:|"]
        lines += [
            f"| {task} | {setting} | {n:,} |"
            for _, task, row in tasks
            for setting, n in row.get("settings", {}).items()
        ]
    lines += ["", "## Left out", "", "| task | reason | papers or boards |", "|---|---|---:|"]
    for _, task, row in tasks:
        for where, reasons in ((task, row["excluded"]), *_by_setting(task, row)):
            lines += [f"| {where} | {reason} | {n:,} |" for reason, n in reasons.items()]
    lines += ["", "`leakage.json` names each of them.", "", "## Licences", ""]
    licences = Counter(paper.licence or "not stated" for paper in corpus.papers)
    lines += [f"- {licence}: {n:,} papers" for licence, n in sorted(licences.items())]
    lines += [
        "",
        "The licence of a text stays with its paper: check it before passing the round on.",
        "",
    ]
    return "\n".join(lines)


def _by_setting(task: str, row: Row) -> list[tuple[str, dict[str, int]]]:
    """(task and setting, papers left out of that setting alone by reason)."""
    return [(f"{task}, {name}", found) for name, found in row.get("excluded_from", {}).items()]
