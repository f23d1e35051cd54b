"""Agreement of annotators, final labels, and how far a model agrees with people.

Agreement is that of the first pair alone: the second pair meets only what the first was split on.

Source: arXiv2Table, section 4.2, appendix C (94% pairwise, Fleiss' kappa 0.73 there) and table 4:
share of yes by the model and by people, and how far they agree.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import NamedTuple

import numpy as np

from vivavoce.errors import InputError
from vivavoce.statistics.agreement import (
    ac1_of_counts,
    alpha_of_counts,
    fleiss_of_counts,
    pairwise_of_counts,
)
from vivavoce.statistics.estimates import (
    Draws,
    Estimate,
    agreement_estimates,
    estimate_from_sums,
)
from vivavoce.store import read_jsonl
from vivavoce.web.annotation.kinds import GROUP, SUGGESTION, Kind
from vivavoce.web.annotation.records import (
    DecisionRecord,
    grouped,
    last_ones,
)
from vivavoce.web.annotation.tables import Item

WHOLE = "whole label"
"""The name under which all fields of a kind are compared at once."""
NO_DRAWS = Draws(resamples=0)


_NO_PAIRS = "no unit has two labels"
_ONE_LABEL = "only one label was ever used"


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
    """Agreement of the first pairs in one field."""

    field: str
    pairwise: Coefficient
    fleiss: Coefficient
    alpha: Coefficient
    ac1: Coefficient


class Pair(NamedTuple):
    """The two first decisions on an item."""

    first: DecisionRecord
    second: DecisionRecord

    def labels(self, fields: Sequence[str]) -> tuple[Hashable, Hashable]:
        """Labels of both in some fields."""
        first, second = (tuple(one.label[name] for name in fields) for one in self)
        return first, second

    @property
    def agrees(self) -> bool:
        """True if both labels are equal in every field."""
        return self.first.label == self.second.label

    @property
    def day(self) -> str:
        """The UTC day of the later decision."""
        return max(record.day for record in self)


@dataclass(frozen=True, slots=True)
class ValueShare:
    """Share of the final labels that have a value."""

    group: str | None
    """None: all items."""
    field: str
    value: str
    share: Coefficient


@dataclass(frozen=True, slots=True)
class ModelAgreement:
    """A model and people in one field."""

    group: str | None
    """None: all items."""
    field: str
    agreement: Estimate
    kappa: Estimate
    """Cohen's; without a value where both only ever used one label."""
    alpha: Estimate
    people: Mapping[str, Coefficient]
    """Share of each value among the final labels of the compared items."""
    model: Mapping[str, Coefficient]
    """Share of each value among the model's labels of the same items."""


def first_pairs(records: Sequence[DecisionRecord]) -> list[Pair]:
    """The items that both first annotators have decided, in the order given."""
    found = grouped(last_ones(records, "first"), "item")
    return [Pair(*both) for both in found.values() if len(both) == 2]


def kind_agreement(kind: Kind, pairs: Sequence[Pair], draws: Draws) -> list[FieldAgreement]:
    """Agreement in each field of a kind; where there are several, the whole label as well, last."""
    clusters = [pair.first.cluster for pair in pairs]
    fields = {field.name: [field] for field in kind.fields}
    if len(fields) > 1:
        fields[WHOLE] = list(kind.fields)
    return [
        field_agreement(
            name,
            [pair.labels([one.name for one in chosen]) for pair in pairs],
            clusters,
            possible=prod(len(one.options) for one in chosen),
            draws=draws,
        )
        for name, chosen in fields.items()
    ]


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
    found = agreement_estimates(
        pairs,
        clusters,
        draws,
        {
            "pairwise": pairwise_of_counts,
            "fleiss": fleiss_of_counts,
            "alpha": alpha_of_counts,
            # Labels nobody chose count for AC1 as well.
            "ac1": lambda counts: ac1_of_counts(counts, possible),
        },
    )
    why_not = {"alpha": "the labels do not vary"} if pairs else dict.fromkeys(found, _NO_PAIRS)
    return FieldAgreement(
        field,
        **{
            name: Coefficient(
                one.value,
                why_not.get(name, _ONE_LABEL) if one.value is None else None,
                one.interval,
                len(pairs),
            )
            for name, one in found.items()
        },
    )


def share_estimate(hits: Sequence[bool], clusters: Sequence[str], draws: Draws) -> Coefficient:
    """The share of some cases, with its interval."""
    if not hits:
        return Coefficient(None, "there are no cases", None, 0)
    table = np.array([[float(hit), 1.0] for hit in hits])
    found = estimate_from_sums(table, clusters, lambda sums: sums[:, 0] / sums[:, 1], draws)
    return Coefficient(sum(hits) / len(hits), None, found.interval, len(hits))


def final_shares(kind: Kind, items: Sequence[Item], draws: Draws) -> list[ValueShare]:
    """Share of each value among the final labels, of all items and then of each group."""
    done = [item for item in items if item.part == "main" and item.final is not None]
    return [
        ValueShare(group, field.name, value, share)
        for group, chosen in _by_group(done)
        for field in kind.fields
        for value, share in _shares(
            field.values,
            [(item.final or {})[field.name] for item in chosen],
            [item.cluster for item in chosen],
            draws,
        ).items()
    ]


def read_model_labels(path: Path, kind: Kind) -> dict[str, dict[str, str]]:
    """Labels {id, label} by id; a label may lack fields, and be the value where there is one field.

    Raises:
        InputError: Names the line that is no label, or whose id was there before.
    """
    found: dict[str, dict[str, str]] = {}
    for number, row in read_jsonl(path):
        where = f"{path}:{number}"
        key = row.get("id")
        if not isinstance(key, str):
            raise InputError(f"{where} needs the id of an item.")
        if key in found:
            raise InputError(f"{where}: the id {key!r} was given before.")
        if not row.get("label"):
            raise InputError(f"{where} needs a label: an object with fields of {kind.name}.")
        try:
            found[key] = kind.check_label(row["label"], is_whole=False)
        except InputError as error:
            raise InputError(f"{where}: {error}") from error
    if not found:
        raise InputError(f"{path} holds no label.")
    return found


def suggested_labels(kind: Kind, items: Sequence[Item]) -> dict[str, dict[str, str]]:
    """Labels of a model that came with the items."""
    return {
        item.key: kind.check_label(item.content[SUGGESTION], is_whole=False)
        for item in items
        if SUGGESTION in item.content
    }


def compare_with_model(
    kind: Kind,
    items: Sequence[Item],
    labels: Mapping[str, Mapping[str, str]],
    draws: Draws,
) -> list[ModelAgreement]:
    """One row a field, over all items and then over each group.

    Only items of the main part count that have a final label and one of the model.

    Raises:
        InputError: A label is for an item that the campaign does not have.
    """
    unknown = sorted(labels.keys() - {item.key for item in items})
    if unknown:
        raise InputError(f"The model has a label for {unknown[0]!r}, which is no item.")
    both = [item for item in items if item.part == "main" and item.final and item.key in labels]
    found = []
    for group, chosen in _by_group(both):
        for field in kind.fields:
            of_field = [item for item in chosen if field.name in labels[item.key]]
            clusters = [item.cluster for item in of_field]
            people = [(item.final or {})[field.name] for item in of_field]
            model = [labels[item.key][field.name] for item in of_field]
            pairs = list(zip(people, model, strict=True))
            found.append(
                ModelAgreement(
                    group=group,
                    field=field.name,
                    **agreement_estimates(pairs, clusters, draws),
                    people=_shares(field.values, people, clusters, draws),
                    model=_shares(field.values, model, clusters, draws),
                )
            )
    return found


def _by_group(items: Sequence[Item]) -> Iterator[tuple[str | None, list[Item]]]:
    """All items under None, then those of each group."""
    yield None, list(items)
    for group in sorted({str(item.content[GROUP]) for item in items if GROUP in item.content}):
        yield group, [item for item in items if item.content.get(GROUP) == group]


def _shares(
    values: Sequence[str], labels: Sequence[str], clusters: Sequence[str], draws: Draws
) -> dict[str, Coefficient]:
    return {
        value: share_estimate([label == value for label in labels], clusters, draws)
        for value in values
    }
