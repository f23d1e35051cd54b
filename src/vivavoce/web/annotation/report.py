"""Report of a campaign: agreement of people, final labels, and comparison with a model.

Agreement uses only the first two labels, since a third exists only for items on which these
differ.

Source: arXiv2Table, section 4.2, appendix C (94% pairwise, Fleiss' kappa 0.73 there) and table 4:
share of yes by the model and by people, and their agreement.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from math import prod
from pathlib import Path
from typing import Any

from vivavoce.reports import Column, Sheet, counted_names, sheet
from vivavoce.statistics.estimates import (
    Draws,
    Estimate,
    ac1_of_counts,
    agreement_estimates,
    alpha_of_counts,
    fleiss_of_counts,
    mean_estimate,
    pairwise_of_counts,
)
from vivavoce.store import Row
from vivavoce.web.annotation.kinds import GROUP, SUGGESTION, Field, Item, Kind, Value

WHOLE = "whole label"
"""Name of the row that compares all fields at once."""


def parts_of(report: Row) -> Iterator[Sheet | str]:
    """Lay out the report: agreement, items, people, final labels, then model and people."""
    group = Column(lambda row: row["group"] or "all", "group")
    yield sheet(
        "Agreement of the first two labels",
        report["fields"],
        *("field", Column("pairwise.n", "items")),
        *(
            Column(partial(_coefficient, name), head)
            for name, head in (
                ("pairwise", "pairwise"),
                ("fleiss", "Fleiss' kappa"),
                ("alpha", "Krippendorff's alpha"),
                ("ac1", "Gwet's AC1"),
            )
        ),
    )
    for name in ("items", "people"):
        yield f"{name.capitalize()}: {counted_names(report[name])}"
    yield ""
    yield sheet(
        "Final labels",
        report["shares"],
        *(group, "field", "value", Column(partial(_coefficient, "share"), "share")),
        Column("share.n", "n"),
        below=["value [95% interval]"],
    )
    yield sheet(
        "The model and people",
        [{**row, "of": value} for row in report["model"] for value in row["people"]],
        *(group, "field", Column("agreement.n", "n")),
        *(Column(partial(_coefficient, name), name) for name in ("agreement", "kappa")),
        Column("of", "value"),
        Column(lambda row: _coefficient(row["of"], row["people"]), "people"),
        Column(lambda row: _coefficient(row["of"], row["model"]), "model"),
    )


def write_page(report: Row, campaign: str, out: Path) -> Path:
    """Write a campaign's report as a page into a folder and return its path."""
    from vivavoce.web.board.page import Block, Words, static_files, words_page, write_pages

    def words() -> Words:
        parts = list(parts_of(report))
        sheets = [part for part in parts if isinstance(part, Sheet) and part.rows]
        return Words(
            title=f"Agreement: {campaign}",
            lead=". ".join(part for part in parts if isinstance(part, str) and part) + ".",
            blocks=[Block("Figures", sheets=sheets)],
        )

    page = words_page("index.html", {"report": report, "campaign": campaign}, words)
    write_pages([page, *static_files()], out)
    return out / page.path


def _coefficient(name: str, row: Row) -> Any:
    """The estimate of this name, or `undefined` if it has cases but no value."""
    estimate = row[name]
    return "undefined" if estimate["value"] is None and estimate["n"] else estimate


def measure(kind: Kind, items: Sequence[Item], draws: Draws) -> Row:
    """Measure a campaign; the model's labels are the suggestions of its items.

    Returns:
        `items`: their number by state: `done`, `open` if they need a label, `split` if three labels
        have no majority. `people`: number of labels by pseudonym. `fields`: agreement in each field
        and, if there are several, in the whole label. `shares`: share of each value among the final
        labels. `model`: the model's agreement with these in each field. Both cover all items and
        each group. An undefined number is None.
    """
    final = {item.key: item.final for item in items}
    done = [item for item in items if final[item.key]]
    people = {key: value for key, value in final.items() if value}
    model = {item.key: item.content[SUGGESTION] for item in items if SUGGESTION in item.content}
    both = [item for item in done if item.key in model]
    is_open = sum(item.is_open for item in items)
    counts = Counter(label.person for item in items for label in item.labels)
    return {
        "items": {"done": len(done), "open": is_open, "split": len(items) - is_open - len(done)},
        "people": dict(sorted(counts.items(), key=lambda row: (len(row[0]), row[0]))),
        "fields": list(_field_agreements(kind, items, draws)),
        "shares": [
            {"group": group, "field": field.name, "value": value, "share": share}
            for group, chosen in _by_group(done)
            for field in kind.fields
            for value, share in _shares(field, chosen, people, draws).items()
        ],
        "model": [
            _compared(group, field, chosen, people, model, draws)
            for group, chosen in (_by_group(both) if model else ())
            for field in kind.fields
        ],
    }


def _field_agreements(kind: Kind, items: Sequence[Item], draws: Draws) -> Iterator[Row]:
    pairs = [(item.cluster, item.pair) for item in items if item.pair is not None]
    fields = {field.name: [field] for field in kind.fields}
    if len(fields) > 1:
        fields[WHOLE] = list(kind.fields)
    for name, chosen in fields.items():
        names = [field.name for field in chosen]
        labels = [
            (tuple(first.value[one] for one in names), tuple(second.value[one] for one in names))
            for _, (first, second) in pairs
        ]
        # AC1 also takes possible labels into account that nobody chose.
        ac1 = partial(ac1_of_counts, possible=prod(len(field.options) for field in chosen))
        estimates = agreement_estimates(
            labels,
            [cluster for cluster, _ in pairs],
            draws,
            {
                "pairwise": pairwise_of_counts,
                "fleiss": fleiss_of_counts,
                "alpha": alpha_of_counts,
                "ac1": ac1,
            },
        )
        yield {"field": name, **_plain(estimates)}


def _compared(
    group: str | None,
    field: Field,
    items: Sequence[Item],
    people: Mapping[str, Value],
    model: Mapping[str, Value],
    draws: Draws,
) -> Row:
    """Compare a model with people in one field, on items for which the model gave a value."""
    compared_items = [item for item in items if field.name in model[item.key]]
    pairs = [(people[item.key][field.name], model[item.key][field.name]) for item in compared_items]
    estimates = agreement_estimates(pairs, [item.cluster for item in compared_items], draws)
    return {
        "group": group,
        "field": field.name,
        **_plain(estimates),
        "people": _shares(field, compared_items, people, draws),
        "model": _shares(field, compared_items, model, draws),
    }


def _by_group(items: Sequence[Item]) -> Iterator[tuple[str | None, list[Item]]]:
    """Yield all items under None, then the items of each group."""
    yield None, list(items)
    for group in sorted({str(item.content[GROUP]) for item in items if GROUP in item.content}):
        yield group, [item for item in items if item.content.get(GROUP) == group]


def _shares(field: Field, items: Sequence[Item], labels: Mapping[str, Value], draws: Draws) -> Row:
    """Share of each value among the items' labels."""
    clusters = [item.cluster for item in items]
    given = [labels[item.key][field.name] for item in items]
    return _plain(
        {
            value: mean_estimate([one == value for one in given], clusters, draws)
            for value in field.values
        }
    )


def _plain(estimates: Mapping[str, Estimate]) -> Row:
    return {name: estimate.fields() for name, estimate in estimates.items()}
