"""You lead people who check items, and want to know how far they agree.

Two who do not know of each other judge every item, two others judge what the first two were split
on. Here a script judges; your people open `viva annotate serve --db FOLDER/example.db` instead.
Needs `pip install 'vivavoce[web]'`.

    python examples/annotation_campaign.py [FOLDER]
"""

from __future__ import annotations

import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

from vivavoce.statistics.estimates import Draws
from vivavoce.web.annotation.campaigns import NewItem, add_items, find_campaign, make_campaign
from vivavoce.web.annotation.decisions import confirm_guidelines, next_assignment, submit
from vivavoce.web.annotation.exporting import export_campaign
from vivavoce.web.annotation.kinds import find_kind
from vivavoce.web.annotation.monitoring import measure
from vivavoce.web.annotation.people import (
    add_person,
    enrol,
    find_enrolment,
    find_person,
    make_password,
)
from vivavoce.web.annotation.records import read_decisions, read_items
from vivavoce.web.annotation.storage import Database, open_database

NAME, KIND = "plans", "distractors"
DEMAND = "Which methods plan the path of a vehicle, and on what were they tested?"
TITLES = {
    "Paths among people": "include",
    "A survey of robot arms": "exclude",
    "Steering with maps of the night": "include",
    "Maps of the sea floor": "exclude",
    "Parking in narrow streets": "include",
    "Grippers made of rubber": "exclude",
}
PEOPLE = {"ann": "annotator", "ben": "annotator", "cat": "adjudicator", "dan": "adjudicator"}
BEN_ERRS_ON = "Maps of the sea floor"


def prepare(database: Database, now: datetime) -> None:
    """Make the campaign, its items and its people, who have read the guidelines."""
    items = [
        NewItem(
            key=f"p-{number}",
            content={
                "demand": DEMAND,
                "references": [{"title": "Paths by sampling"}],
                "candidate": {"title": title},
            },
            # Items of one table stand or fall together when intervals are drawn.
            cluster=f"table-{number // 2}",
        )
        for number, title in enumerate(TITLES)
    ]
    with database.writing() as session:
        campaign = make_campaign(session, NAME, KIND, now)
        add_items(session, campaign, items)
        for name, role in PEOPLE.items():
            person = add_person(session, name, make_password())
            confirm_guidelines(session, enrol(session, campaign, person, role, now), now)


def judge_next(database: Database, name: str, now: datetime) -> bool:
    """Let somebody judge the item that they are handed; False when there is none."""
    with database.writing() as session:
        person = find_person(session, name)
        enrolment = person and find_enrolment(session, find_campaign(session, NAME), person)
        if not person or not enrolment:
            raise SystemExit(f"{name} has no part in {NAME}.")
        assignment = next_assignment(session, enrolment, now)
        if assignment is None:
            return False
        title = assignment.item.content["candidate"]["title"]
        errs = name == "ben" and title == BEN_ERRS_ON
        label = {"decision": "include" if errs else TITLES[title]}
        submit(session, assignment.id, person, label, 1, now + timedelta(seconds=40))
        return True


def main(out: Path) -> None:
    """Run a small campaign from the first item to the export."""
    file = out / "example.db"
    file.unlink(missing_ok=True)
    out.mkdir(parents=True, exist_ok=True)
    now = datetime(2026, 3, 2, 9, tzinfo=UTC)
    database = open_database(str(file), create=True)
    prepare(database, now)
    for name in PEOPLE:
        done = 0
        while judge_next(database, name, now):
            now += timedelta(minutes=1)
            done += 1
        print(f"{name} judged {done}")

    with database.reading() as session:
        campaign = find_campaign(session, NAME)
        items, decisions = read_items(session, campaign), read_decisions(session, campaign)
        report = measure(find_kind(KIND), items, decisions, draws=Draws(resamples=2_000))
        export_campaign(session, campaign, out / "export")
    database.close()
    (field,) = report.fields
    for label, found in (("pairwise", field.pairwise), ("Fleiss' kappa", field.fleiss)):
        low, high = found.interval or (float("nan"), float("nan"))
        print(f"{label} {found.value:.2f} [{low:.2f}, {high:.2f}] on {found.n} items")
    settled = [f"{count} by {how}" for how, count in report.outcomes.items() if count]
    print(f"settled: {', '.join(settled)}; median {report.seconds.median:.0f} s a decision")
    print(f"labels: {len((out / 'export' / 'labels.jsonl').read_text().splitlines())}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "example-campaign"))
