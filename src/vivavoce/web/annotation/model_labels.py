"""What a model says of the same items, held against the final labels of people.

Source: arXiv2Table, table 4: share of yes by the model and by people, and how far they agree.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from vivavoce.errors import InputError
from vivavoce.statistics.estimates import Draws, Estimate, agreement_estimates
from vivavoce.store import Row, read_jsonl
from vivavoce.web.annotation.agreement import Coefficient, share_estimate
from vivavoce.web.annotation.kinds import Kind
from vivavoce.web.annotation.records import ItemRecord


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

    def row(self) -> Row:
        """As plain values."""
        return asdict(self)


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
        found[key] = _label(row.get("label"), kind, where)
    if not found:
        raise InputError(f"{path} holds no label.")
    return found


def compare_with_model(
    kind: Kind,
    items: Sequence[ItemRecord],
    labels: Mapping[str, Mapping[str, str]],
    draws: Draws,
) -> list[ModelAgreement]:
    """One row a field, over all items and then over each group.

    Only items of the main part count that have a final label and one of the model.

    Raises:
        InputError: A label is for an item that the campaign lacks.
    """
    unknown = sorted(labels.keys() - {item.key for item in items})
    if unknown:
        raise InputError(f"The model has a label for {unknown[0]!r}, which is no item.")
    both = [item for item in items if item.part == "main" and item.final and item.key in labels]
    groups = sorted({str(item.content["group"]) for item in both if "group" in item.content})
    found = []
    for group in (None, *groups):
        chosen = [item for item in both if group in (None, item.content.get("group"))]
        for field in kind.fields:
            of_field = [item for item in chosen if field.name in labels[item.key]]
            clusters = [item.cluster for item in of_field]
            people = [(item.final or {})[field.name] for item in of_field]
            model = [labels[item.key][field.name] for item in of_field]
            pairs = list(zip(people, model, strict=True))
            estimates = agreement_estimates(pairs, clusters, draws)
            found.append(
                ModelAgreement(
                    group=group,
                    field=field.name,
                    agreement=estimates["agreement"],
                    kappa=estimates["kappa"],
                    alpha=estimates["alpha"],
                    people=_shares(field.values, people, clusters, draws),
                    model=_shares(field.values, model, clusters, draws),
                )
            )
    return found


def _label(value: object, kind: Kind, where: str) -> dict[str, str]:
    if isinstance(value, str) and len(kind.fields) == 1:
        value = {kind.fields[0].name: value}
    if not isinstance(value, dict) or not value:
        raise InputError(f"{where} needs a label: an object with fields of {kind.name}.")
    fields = {field.name: field for field in kind.fields}
    for name, chosen in value.items():
        if name not in fields:
            raise InputError(f"{where}: {name!r} is no field. There are: {', '.join(fields)}.")
        if chosen not in fields[name].values:
            choices = ", ".join(fields[name].values)
            raise InputError(f"{where}: {name!r} is {chosen!r}. Choose: {choices}.")
    return dict(value)


def _shares(
    values: Sequence[str], labels: Sequence[str], clusters: Sequence[str], draws: Draws
) -> dict[str, Coefficient]:
    return {
        value: share_estimate([label == value for label in labels], clusters, draws)
        for value in values
    }
