"""Distractors of which as much is known as of the works of the table."""

from __future__ import annotations

from vivavoce.tasks.tables.items.distractors import Candidate, rank_distractors
from vivavoce.tasks.tables.items.pool_vectors import open_encoder
from vivavoce.tasks.tables.items.table_items import TOP, GoldRow, GoldTable, Work

SUBJECTS = "apples bananas cherries damsons elderberries figs grapes hazelnuts".split()


def _work(place: int) -> Work:
    """Works on the growing of something; of every other one the text is known."""
    title = f"Growing {SUBJECTS[place]} for {SUBJECTS[-place]} in sandy soil"
    return Work(f"w{place}", title, None, "2019", has_text=place % 2 == 0)


WORKS = {f"w{place}": _work(place) for place in range(8)}
TABLE = GoldTable(
    "t",
    None,
    "results",
    "Growing.",
    ("A",),
    (GoldRow(0, "w0", "", ("1",)), GoldRow(1, "w2", "", ("2",))),
    "2020",
)


def ranked(enough: int | None, top: int = TOP) -> tuple[Candidate, ...]:
    found = rank_distractors(
        [TABLE],
        {"t": "Work on growing in sandy soil."},
        WORKS,
        sorted(WORKS),
        open_encoder(),
        top=top,
        enough=None if enough is None else lambda table: enough,
    )
    return found["t"]


def names(found: tuple[Candidate, ...]) -> set[str]:
    return {one.paper for one in found}


def test_works_of_which_less_is_known_are_no_candidates_while_there_are_others() -> None:
    assert names(ranked(None)) == {"w1", "w3", "w4", "w5", "w6", "w7"}
    assert names(ranked(2)) == names(ranked(0)) == {"w4", "w6"}


def test_they_are_taken_where_the_others_are_too_few() -> None:
    found = ranked(4)
    assert len(found) == 4
    assert names(found) > {"w4", "w6"}
    scores = [one.score for one in found]
    assert scores == sorted(scores, reverse=True)
    # The best of them by the same scores.
    others = [one for one in ranked(None) if one.paper not in ("w4", "w6")]
    assert names(found) - {"w4", "w6"} == names(tuple(others[:2]))


def test_no_more_are_taken_than_are_kept() -> None:
    assert len(ranked(9, top=3)) == 3
    assert len(ranked(9)) == 6
