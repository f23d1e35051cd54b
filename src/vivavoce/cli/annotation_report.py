"""How agreement is printed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vivavoce.cli.comparisons import estimate
from vivavoce.cli.output import print_table, say

if TYPE_CHECKING:
    from vivavoce.web.annotation.agreement import Coefficient, Report, Seconds
    from vivavoce.web.annotation.model_labels import ModelAgreement


def print_report(report: Report) -> None:
    """Print agreement, outcomes, people, days and final labels."""
    print_table(
        ["field", "pairs", "pairwise", "Fleiss' kappa", "Krippendorff's alpha", "Gwet's AC1"],
        [
            [row.field, str(row.pairwise.n)]
            + [_coefficient(each) for each in (row.pairwise, row.fleiss, row.alpha, row.ac1)]
            for row in report.fields
        ],
        title="Agreement of the first pairs",
    )
    say("")
    outcomes = ", ".join(f"{name} {number:,}" for name, number in report.outcomes.items())
    say(f"Items: {outcomes}")
    say(f"Seconds for a decision: {_seconds(report.seconds)}")
    say("")
    print_table(
        ["person", "decided", "seconds", "as partner", "as final", "controls", "flags"],
        [
            [
                row.person,
                str(row.decided),
                _seconds(row.seconds),
                _coefficient(row.with_partner),
                _coefficient(row.with_final),
                f"{row.controls[0]}/{row.controls[1]}",
                str(row.flags),
            ]
            for row in report.people
        ],
        title="People",
    )
    say("")
    print_table(
        ["day", "pairs", "pairwise", "seconds"],
        [
            [row.day, str(row.pairs), _coefficient(row.pairwise), _seconds(row.seconds)]
            for row in report.days
        ],
        title="Days (UTC)",
    )
    say("")
    print_table(
        ["group", "field", "value", "share", "n"],
        [
            [row.group or "all", row.field, row.value, _coefficient(row.share), str(row.share.n)]
            for row in report.shares
        ],
        title="Final labels",
    )
    say("value [95% interval]; seconds: median (quartiles).")


def print_model(rows: list[ModelAgreement]) -> None:
    """Print a model beside people; nothing where there is no model."""
    if not rows:
        return
    say("")
    print_table(
        ["group", "field", "n", "agreement", "kappa", "value", "people", "model"],
        [
            [
                row.group or "all",
                row.field,
                str(row.agreement.n),
                estimate(row.agreement.fields()),
                estimate(row.kappa.fields()),
                value,
                _coefficient(row.people[value]),
                _coefficient(row.model[value]),
            ]
            for row in rows
            for value in row.people
        ],
        title="The model and people",
    )


def _coefficient(found: Coefficient) -> str:
    if found.value is None:
        return "undefined" if found.n else "–"
    if found.interval is None:
        return f"{found.value:.3f}"
    return f"{found.value:.3f} [{found.interval[0]:.3f}, {found.interval[1]:.3f}]"


def _seconds(found: Seconds) -> str:
    if found.median is None:
        return "–"
    return f"{found.median:.0f} ({found.low:.0f}–{found.high:.0f})"
