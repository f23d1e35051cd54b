"""How far annotators agree, how long they take, and what became of the items.

Agreement is that of the first pair alone: the second pair meets only what the first was split on.
Seconds are of first revisions, by the server's clock.

Source: arXiv2Table, section 4.2 and appendix C (94% pairwise, Fleiss' kappa 0.73 there).
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import timedelta
from math import prod

import numpy as np

from vivavoce.statistics.agreement import (
    Agreement,
    Floats,
    ac1_of_counts,
    alpha_of_counts,
    fleiss_kappa,
    fleiss_of_counts,
    gwet_ac1,
    krippendorff_alpha,
    pair_cells,
    pairwise_agreement,
    pairwise_of_counts,
)
from vivavoce.statistics.estimates import Draws, FromSums, estimate_from_sums
from vivavoce.store import Row
from vivavoce.web.annotation.kinds import Kind
from vivavoce.web.annotation.records import (
    IDLE,
    DecisionRecord,
    ItemRecord,
    by_item,
    last_ones,
)

WHOLE = "whole label"
"""The name under which all fields of a kind are compared at once."""
NO_DRAWS = Draws(resamples=0)


@dataclass(frozen=True, slots=True)
class Coefficient:
    """A number between -1 and 1, or why there is none."""

    value: float | None
    undefined: str | None
    interval: tuple[float, float] | None
    """95%, by the cluster bootstrap."""
    n: int
    """Pairs of labels behind it."""


@dataclass(frozen=True, slots=True)
class FieldAgreement:
    """How far the first pairs agree in one field."""

    field: str
    pairwise: Coefficient
    fleiss: Coefficient
    alpha: Coefficient
    ac1: Coefficient


@dataclass(frozen=True, slots=True)
class Seconds:
    """Time for a decision."""

    median: float | None
    low: float | None
    """First quartile."""
    high: float | None
    """Third quartile."""
    n: int


@dataclass(frozen=True, slots=True)
class Pair:
    """The two first decisions on an item."""

    item: str
    cluster: str
    records: tuple[DecisionRecord, DecisionRecord]

    @property
    def agrees(self) -> bool:
        """Whether both labels are equal in every field."""
        return self.records[0].label == self.records[1].label

    @property
    def day(self) -> str:
        """The UTC day of the later decision."""
        return max(record.decided_at for record in self.records).date().isoformat()


@dataclass(frozen=True, slots=True)
class PersonFigures:
    """One annotator."""

    person: str
    decided: int
    """Items of the main part, in either pair."""
    flags: int
    seconds: Seconds
    with_partner: Coefficient
    """Share of the person's first pairs that agree in every field."""
    with_final: Coefficient
    """Share of the person's labels that became final, of those whose items are done."""
    controls: tuple[int, int]
    """Right, and decided, of the main items whose answer is known."""


@dataclass(frozen=True, slots=True)
class DayFigures:
    """One UTC day."""

    day: str
    pairs: int
    """First pairs that were completed on it."""
    pairwise: Coefficient
    seconds: Seconds
    """Of the decisions of the day."""


@dataclass(frozen=True, slots=True)
class ValueShare:
    """How often a value is the final one."""

    group: str | None
    """None: all items."""
    field: str
    value: str
    share: Coefficient


@dataclass(frozen=True, slots=True)
class Report:
    """Everything that is measured on a campaign."""

    fields: tuple[FieldAgreement, ...]
    """One a field; where there are several, the whole label as well, last."""
    seconds: Seconds
    outcomes: Mapping[str, int]
    """Items of the main part by what ended them (`pair`, `second`, `consensus`) or their state."""
    shares: tuple[ValueShare, ...]
    people: tuple[PersonFigures, ...]
    days: tuple[DayFigures, ...]
    idle: float
    """Seconds that a gap counts at most."""

    def as_dict(self) -> Row:
        """As plain values."""
        return asdict(self)


def measure(
    kind: Kind,
    items: Sequence[ItemRecord],
    decisions: Sequence[DecisionRecord],
    *,
    idle: timedelta = IDLE,
    draws: Draws = NO_DRAWS,
) -> Report:
    """Measure a campaign on its records.

    Args:
        kind: Of the campaign.
        items: `records.read_items`.
        decisions: `records.read_decisions`.
        idle: What a gap between two signs of life counts at most.
        draws: Of the bootstrap; without any, numbers have no intervals.
    """
    main = [record for record in decisions if record.part == "main"]
    pairs = first_pairs(main)
    return Report(
        fields=tuple(_fields(kind, pairs, draws)),
        seconds=seconds_of(main, idle),
        outcomes=_outcomes(items, main),
        shares=tuple(_shares(kind, items, draws)),
        people=tuple(people_figures(items, main, idle)),
        days=tuple(_days(main, pairs, idle)),
        idle=idle.total_seconds(),
    )


def first_pairs(records: Sequence[DecisionRecord]) -> list[Pair]:
    """The items that both first annotators have decided, in the order given."""
    found = by_item(last_ones(records, "first"))
    return [
        Pair(item, pair[0].cluster, (pair[0], pair[1]))
        for item, pair in found.items()
        if len(pair) == 2
    ]


def seconds_of(records: Sequence[DecisionRecord], idle: timedelta = IDLE) -> Seconds:
    """Median and quartiles over decisions as first sent, of both pairs."""
    values = [
        record.seconds(idle)
        for record in records
        if record.revision == 1 and record.stage in ("first", "second")
    ]
    if not values:
        return Seconds(None, None, None, 0)
    low, median, high = (float(value) for value in np.quantile(values, (0.25, 0.5, 0.75)))
    return Seconds(median, low, high, len(values))


def people_figures(
    items: Sequence[ItemRecord], main: Sequence[DecisionRecord], idle: timedelta = IDLE
) -> list[PersonFigures]:
    """One row for everybody who has decided an item of the main part, by pseudonym."""
    known = {item.key: item for item in items}
    pairs = first_pairs(main)
    judged = last_ones(main, "first", "second")
    found = []
    for person in sorted({record.person for record in judged}):
        mine = [record for record in judged if record.person == person]
        partners = [
            pair.agrees for pair in pairs if person in (record.person for record in pair.records)
        ]
        finals = [
            record.label == known[record.item].final
            for record in mine
            if known[record.item].final is not None
        ]
        controls = [
            record.label == known[record.item].answer
            for record in mine
            if known[record.item].answer is not None
        ]
        found.append(
            PersonFigures(
                person=person,
                decided=len(mine),
                flags=sum(record.flag for record in mine),
                seconds=seconds_of([r for r in main if r.person == person], idle),
                with_partner=_share(partners),
                with_final=_share(finals),
                controls=(sum(controls), len(controls)),
            )
        )
    return found


def field_agreement(
    field: str,
    pairs: Sequence[tuple[Hashable, Hashable]],
    clusters: Sequence[str],
    *,
    possible: int,
    draws: Draws,
) -> FieldAgreement:
    """Agreement in one field.

    Args:
        field: Its name.
        pairs: The two labels of each item.
        clusters: What the bootstrap draws together, for each item.
        possible: How many labels there are to choose from.
        draws: How it draws; without any there are no intervals.
    """
    labels = sorted({label for pair in pairs for label in pair}, key=repr)
    size = len(labels)
    cells = pair_cells(pairs, labels)

    def coefficient(found: Agreement, of_counts: FromSums) -> Coefficient:
        def from_sums(sums: Floats) -> Floats:
            return of_counts(sums.reshape(-1, size, size))

        interval = None
        if found.value is not None:
            interval = estimate_from_sums(cells, clusters, from_sums, draws).interval
        return Coefficient(found.value, found.undefined, interval, found.units)

    # Labels nobody chose count for AC1 as well.
    unused = [("unused", number) for number in range(possible - size)]
    return FieldAgreement(
        field=field,
        pairwise=coefficient(pairwise_agreement(pairs), pairwise_of_counts),
        fleiss=coefficient(fleiss_kappa(pairs), fleiss_of_counts),
        alpha=coefficient(krippendorff_alpha(pairs), alpha_of_counts),
        ac1=coefficient(
            gwet_ac1(pairs, [*labels, *unused]), lambda counts: ac1_of_counts(counts, possible)
        ),
    )


def share_estimate(hits: Sequence[bool], clusters: Sequence[str], draws: Draws) -> Coefficient:
    """The share of some cases, with its interval."""
    if not hits:
        return Coefficient(None, "there are no cases", None, 0)
    table = np.array([[float(hit), 1.0] for hit in hits])
    found = estimate_from_sums(table, clusters, lambda sums: sums[:, 0] / sums[:, 1], draws)
    return Coefficient(sum(hits) / len(hits), None, found.interval, len(hits))


def _fields(kind: Kind, pairs: Sequence[Pair], draws: Draws) -> list[FieldAgreement]:
    clusters = [pair.cluster for pair in pairs]
    names = [field.name for field in kind.fields]
    found = []
    for field in kind.fields:
        labels = [_labels(pair, (field.name,)) for pair in pairs]
        possible = len(field.options)
        found.append(field_agreement(field.name, labels, clusters, possible=possible, draws=draws))
    if len(names) > 1:
        labels = [_labels(pair, names) for pair in pairs]
        possible = prod(len(field.options) for field in kind.fields)
        found.append(field_agreement(WHOLE, labels, clusters, possible=possible, draws=draws))
    return found


def _labels(pair: Pair, names: Sequence[str]) -> tuple[Hashable, Hashable]:
    first, second = (tuple(record.label[name] for name in names) for record in pair.records)
    return first, second


def _outcomes(items: Sequence[ItemRecord], main: Sequence[DecisionRecord]) -> dict[str, int]:
    last_stage = {record.item: record.stage for record in main}
    ends = {"first": "pair", "second": "second", "consensus": "consensus"}
    found = dict.fromkeys((*ends.values(), "open", "conflict", "discussion"), 0)
    for item in items:
        if item.part == "main":
            found[ends[last_stage[item.key]] if item.state == "done" else item.state] += 1
    return found


def _shares(kind: Kind, items: Sequence[ItemRecord], draws: Draws) -> list[ValueShare]:
    done = [item for item in items if item.part == "main" and item.final is not None]
    groups = sorted({str(item.content["group"]) for item in done if "group" in item.content})
    found = []
    for group in (None, *groups):
        chosen = [item for item in done if group in (None, item.content.get("group"))]
        clusters = [item.cluster for item in chosen]
        for field in kind.fields:
            for value in field.values:
                hits = [(item.final or {}).get(field.name) == value for item in chosen]
                share = share_estimate(hits, clusters, draws)
                found.append(ValueShare(group, field.name, value, share))
    return found


def _days(
    main: Sequence[DecisionRecord], pairs: Sequence[Pair], idle: timedelta
) -> list[DayFigures]:
    judged = [record for record in main if record.stage in ("first", "second")]
    days = sorted({record.decided_at.date().isoformat() for record in judged})
    found = []
    for day in days:
        of_day = [pair.agrees for pair in pairs if pair.day == day]
        records = [record for record in judged if record.decided_at.date().isoformat() == day]
        found.append(DayFigures(day, len(of_day), _share(of_day), seconds_of(records, idle)))
    return found


def _share(hits: Sequence[bool]) -> Coefficient:
    return share_estimate(hits, [""] * len(hits), NO_DRAWS)
