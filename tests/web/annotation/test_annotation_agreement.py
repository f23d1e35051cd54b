"""Agreement, seconds, outcomes and shares, against reference libraries and sums by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from pathlib import Path

import krippendorff
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa
from tests.web.annotation.made_campaigns import EXCLUDE, INCLUDE, START, Made, make, new_items

from vivavoce.errors import InputError
from vivavoce.statistics import agreement as statistics
from vivavoce.statistics.estimates import Draws, estimate_from_sums
from vivavoce.store import write_jsonl
from vivavoce.web.annotation.agreement import (
    NO_DRAWS,
    WHOLE,
    FieldAgreement,
    compare_with_model,
    field_agreement,
    read_model_labels,
)
from vivavoce.web.annotation.campaigns import NewItem, find_campaign
from vivavoce.web.annotation.decisions import save_draft
from vivavoce.web.annotation.kinds import KINDS
from vivavoce.web.annotation.monitoring import Report, measure
from vivavoce.web.annotation.records import DecisionRecord, read_decisions, read_items
from vivavoce.web.annotation.tables import Item, Person

PAIRS = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abc")), min_size=2, max_size=40)


def agreement(
    pairs: Sequence[tuple[str, str]], possible: int = 3, draws: Draws = NO_DRAWS
) -> FieldAgreement:
    clusters = [str(n) for n in range(len(pairs))]
    return field_agreement("f", pairs, clusters, possible=possible, draws=draws)


@given(PAIRS)
@settings(deadline=None)
def test_fleiss_is_that_of_statsmodels(pairs: list[tuple[str, str]]) -> None:
    found = agreement(pairs).fleiss
    if len({label for pair in pairs for label in pair}) == 1:
        assert (found.value, found.undefined) == (None, "only one label was ever used")
        return
    table, _ = aggregate_raters(np.array([["abc".index(label) for label in p] for p in pairs]))
    assert found.value == pytest.approx(fleiss_kappa(table), abs=1e-12)


@given(PAIRS)
@settings(deadline=None)
def test_alpha_is_that_of_krippendorff(pairs: list[tuple[str, str]]) -> None:
    found = agreement(pairs).alpha
    if len({label for pair in pairs for label in pair}) == 1:
        assert found.value is None
        return
    data = np.array([["abc".index(label) for label in pair] for pair in pairs], dtype=float).T
    expected = krippendorff.alpha(reliability_data=data, level_of_measurement="nominal")
    assert found.value == pytest.approx(expected, abs=1e-12)


@given(PAIRS)
@settings(deadline=None)
def test_from_counts_every_coefficient_is_what_it_is_from_labels(
    pairs: list[tuple[str, str]],
) -> None:
    """The intervals rest on the counts of a draw, the values on the labels themselves."""
    cells = np.zeros((len(pairs), 9))
    for row, (first, second) in enumerate(pairs):
        cells[row, "abc".index(first) * 3 + "abc".index(second)] = 1
    clusters = [str(n) for n in range(len(pairs))]
    found = agreement(pairs)
    for name, value in (
        ("pairwise_of_counts", found.pairwise.value),
        ("fleiss_of_counts", found.fleiss.value),
        ("alpha_of_counts", found.alpha.value),
    ):
        counted = getattr(statistics, name)
        again = estimate_from_sums(
            cells, clusters, lambda sums, f=counted: f(sums.reshape(-1, 3, 3)), NO_DRAWS
        )
        assert again.value == (None if value is None else pytest.approx(value, abs=1e-9))
    ac1 = statistics.ac1_of_counts(cells.sum(axis=0).reshape(1, 3, 3), 3)[0]
    assert found.ac1.value == pytest.approx(ac1, abs=1e-9)


def test_ac1_by_hand() -> None:
    """10 pairs, 8 agree: 7 aa, 1 bb, 2 ab. q_a = 16/20 = 0.8, q_b = 0.2.

    e = (0.8·0.2 + 0.2·0.8) / (2 - 1) = 0.32; AC1 = (0.8 - 0.32) / (1 - 0.32) = 0.48 / 0.68.
    """
    pairs = [("a", "a")] * 7 + [("b", "b")] + [("a", "b")] * 2
    assert agreement(pairs, possible=2).ac1.value == pytest.approx(0.48 / 0.68)


def test_all_of_one_class_has_no_kappa_and_the_raw_share(tmp_path: Path) -> None:
    """AC1 is defined there: of two labels that could be chosen, none was by chance."""
    found = agreement([("a", "a")] * 10, possible=2, draws=Draws(200))
    assert (found.pairwise.value, found.pairwise.interval) == (1.0, (1.0, 1.0))
    assert (found.fleiss.value, found.fleiss.undefined) == (None, "only one label was ever used")
    assert (found.alpha.value, found.alpha.undefined) == (None, "the labels do not vary")
    assert found.ac1.value == 1.0


def test_nothing_judged_is_undefined_and_no_error() -> None:
    found = agreement([])
    reasons = {getattr(found, name).undefined for name in ("pairwise", "fleiss", "alpha", "ac1")}
    assert reasons == {"no unit has two labels"}


def test_intervals_draw_whole_clusters() -> None:
    """Two clusters, one all agreement and one all disagreement: a draw is 1, 1/2 or 0."""
    pairs = [("a", "a"), ("b", "b")] * 10 + [("a", "b"), ("b", "a")] * 10
    clusters = ["x"] * 20 + ["y"] * 20
    found = field_agreement("f", pairs, clusters, possible=2, draws=Draws(500))
    assert found.pairwise.value == 0.5
    assert found.pairwise.interval == (0.0, 1.0)


# Campaigns


def report(made: Made, draws: Draws = NO_DRAWS, idle: float = 15) -> Report:
    items, decisions, kind = records(made)
    return measure(KINDS[kind], items, decisions, draws=draws, idle=timedelta(minutes=idle))


def records(made: Made) -> tuple[list[Item], list[DecisionRecord], str]:
    with made.database.reading() as session:
        campaign = find_campaign(session, made.name)
        return read_items(session, campaign), read_decisions(session, campaign), campaign.kind


@pytest.fixture(scope="module")
def ten(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """Ten items: 7 include, 1 exclude, 2 split; the second pair ends one of them, a lead other."""
    made = make(tmp_path_factory.mktemp("ten"), new_items(10))
    made.add("ann", "bob")
    made.add("dan", "eve", role="adjudicator")
    made.add("lea", role="lead")
    made.work("ann", {"*": INCLUDE, "i0": EXCLUDE})
    made.work("bob", {"*": INCLUDE, "i0": EXCLUDE, "i1": EXCLUDE, "i2": EXCLUDE})
    made.work("dan", {"*": EXCLUDE})
    made.work("eve", {"i1": EXCLUDE, "i2": INCLUDE})
    return made


def test_agreement_is_that_of_the_first_pair_alone(ten: Made) -> None:
    """As by hand above: pairwise 0.8; kappa e = 0.8² + 0.2² = 0.68, (0.8 - 0.68) / 0.32."""
    (field,) = report(ten, Draws(300)).fields
    assert (field.pairwise.value, field.pairwise.n) == (0.8, 10)
    assert field.fleiss.value == pytest.approx(0.12 / 0.32)
    assert field.ac1.value == pytest.approx(0.48 / 0.68)
    low, high = field.pairwise.interval or (1, 0)
    assert low <= 0.8 <= high


def test_outcomes_shares_and_people(ten: Made) -> None:
    found = report(ten)
    assert found.outcomes == {
        "pair": 8,
        "second": 1,
        "consensus": 0,
        "open": 0,
        "conflict": 0,
        "discussion": 1,
    }
    shares = {(row.value): (row.share.value, row.share.n) for row in found.shares}
    assert shares == {"include": (7 / 9, 9), "exclude": (2 / 9, 9)}
    with ten.database.reading() as session:
        names = {person.code: person.name for person in session.query(Person)}
    people = {names[row.person]: row for row in found.people}
    assert people["ann"].with_partner.value == 0.8
    assert people["ann"].with_final.value == 8 / 9  # i1 ended as exclude, i2 has not ended
    assert people["bob"].with_final.value == 1.0
    assert people["dan"].with_partner.value is None
    assert (people["dan"].decided, people["dan"].with_final.n) == (2, 1)


def test_days_are_those_on_which_a_pair_was_completed(tmp_path: Path) -> None:
    made = make(tmp_path, new_items(2))
    made.add("ann", "bob")
    made.work("ann", {"*": INCLUDE})
    made.now += timedelta(days=1)
    made.work("bob", {"*": INCLUDE, "i1": EXCLUDE})
    days = [(row.day, row.pairs, row.pairwise.value, row.seconds.n) for row in report(made).days]
    assert days == [("2026-03-02", 0, None, 2), ("2026-03-03", 2, 0.5, 2)]


def test_seconds_are_of_the_servers_clock_and_a_long_gap_counts_as_idle(tmp_path: Path) -> None:
    """Shown 9:00, draft 9:10, decided the next day 9:00: 10 min + 15 min at most = 1500 s."""
    made = make(tmp_path, new_items(1))
    made.add("ann")
    taken = made.take("ann")
    assert taken is not None
    made.now = START + timedelta(minutes=10)
    with made.database.writing() as session:
        ann = session.query(Person).filter_by(name="ann").one()
        save_draft(session, taken, ann, INCLUDE, made.now)
    made.decide(taken, "ann", INCLUDE, seconds=23 * 3600 + 50 * 60)
    assert report(made).seconds.median == 1500
    assert report(made, idle=5).seconds.median == 600  # 5 + 5 minutes
    made.decide(taken, "ann", EXCLUDE, revision=2)
    assert report(made).seconds.n == 1  # a correction is no second decision


def test_quartiles_are_those_of_numpy(tmp_path: Path) -> None:
    """10, 20, 30, 40: quartiles 17.5 and 32.5, median 25."""
    made = make(tmp_path, new_items(4))
    made.add("ann")
    for seconds in (10, 20, 30, 40):
        taken = made.take("ann")
        assert taken is not None
        made.decide(taken, "ann", INCLUDE, seconds=seconds)
    found = report(made).seconds
    assert (found.low, found.median, found.high, found.n) == (17.5, 25.0, 32.5, 4)


def test_a_kind_of_several_fields_has_the_whole_label_as_well(tmp_path: Path) -> None:
    """Grounded agrees in both items, right in one: the whole label in one."""
    content = {"question": "Q", "answer": "yes", "passage": "P"}
    items = [NewItem(key, {**content, "group": key}, key) for key in ("x", "y")]
    made = make(tmp_path, items, kind="qa")
    made.add("ann", "bob")
    yes = {"grounded": "yes", "right": "yes"}
    made.work("ann", {"*": yes})
    made.work("bob", {"x": yes, "y": {"grounded": "yes", "right": "no"}})
    found = report(made)
    values = {row.field: row.pairwise.value for row in found.fields}
    assert values == {"grounded": 1.0, "right": 0.5, WHOLE: 0.5}
    groups = {(row.group, row.field, row.value): row.share.value for row in found.shares}
    assert groups[None, "right", "yes"] == groups["x", "right", "yes"] == 1.0
    assert ("y", "right", "yes") not in groups  # y has not ended


def test_controls_count_for_people_and_not_for_the_qualification(tmp_path: Path) -> None:
    known = NewItem("k", new_items(1)[0].content, "k", part="main", answer=EXCLUDE)
    made = make(tmp_path, [known, *new_items(2)])
    made.add("ann")
    made.work("ann", {"*": INCLUDE})
    (row,) = report(made).people
    assert row.controls == (0, 1)


# A model beside people


def model(rows: Sequence[Mapping[str, object]], path: Path) -> Path:
    write_jsonl(path, rows)
    return path


def test_a_model_is_held_against_final_labels(ten: Made, tmp_path: Path) -> None:
    """Finals: i0, i1 exclude, 7 include, i2 open. The model: include but for i0.

    It agrees on 8 of 9. Cohen's kappa by hand: people 2 exclude of 9, the model 1 of 9;
    e = (2·1 + 7·8) / 81 = 58/81; (8/9 - 58/81) / (1 - 58/81) = (14/81) / (23/81) = 14/23.
    """
    rows = [{"id": f"i{n}", "label": "exclude" if n == 0 else "include"} for n in range(10)]
    labels = read_model_labels(model(rows, tmp_path / "m.jsonl"), KINDS["distractors"])
    items, _, _ = records(ten)
    (row,) = compare_with_model(KINDS["distractors"], items, labels, NO_DRAWS)
    assert (row.agreement.value, row.agreement.n) == (8 / 9, 9)
    assert row.kappa.value == pytest.approx(14 / 23)
    assert (row.people["exclude"].value, row.model["exclude"].value) == (2 / 9, 1 / 9)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{"id": "i0"}], r"m\.jsonl:1 needs a label"),
        ([{"id": "i0", "label": "maybe"}], "'maybe'"),
        ([{"id": "i0", "label": {"x": "include"}}], "no field"),
        ([{"id": 3, "label": "include"}], "needs the id"),
        ([{"id": "i0", "label": "include"}] * 2, r"m\.jsonl:2: .* before"),
        ([], "no label"),
    ],
)
def test_bad_labels_of_a_model_are_named_by_line(
    tmp_path: Path, rows: list[dict[str, object]], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        read_model_labels(model(rows, tmp_path / "m.jsonl"), KINDS["distractors"])


def test_a_label_for_no_item_is_refused(ten: Made) -> None:
    items, _, _ = records(ten)
    with pytest.raises(InputError, match="'zz'"):
        compare_with_model(KINDS["distractors"], items, {"zz": INCLUDE}, NO_DRAWS)
