"""The codebook of an export: what was asked, of whom, how, and what every column means."""

from __future__ import annotations

from vivavoce.web.annotation.kinds import Kind
from vivavoce.web.annotation.storage import Campaign

_COLUMNS = {
    "item": "id of the item",
    "part": "`qualification` (known answers, for training and admission) or `main`",
    "cluster": "what belongs together, such as the table; intervals draw whole clusters",
    "person": "pseudonym",
    "stage": (
        "`qualification`; `first` or `second` pair; `consensus` of a lead. The people of a pair do "
        "not see each other's labels, and the second pair knows nothing of the first"
    ),
    "revision": "from 1; a correction is one more row, nothing is overwritten",
    "last": "whether the row is what stands of the person's decision",
    "note": "what the person wrote beside it, word for word",
    "flag": "set by the person: in doubt, or the item is faulty",
    "sides_swapped": "whether the person saw texts A and B the other way round; labels are "
    "turned back",
    "seen_at": "when the page was shown or a draft saved (`decisions.jsonl` only), UTC, by the "
    "server's clock",
    "decided_at": "when the label was sent, UTC, by the server's clock",
    "seconds": "from the first of `seen_at` to `decided_at`, gaps counted as 15 minutes at most",
}
_FILES = {
    "items.jsonl": "the items as imported, with `state` (`open`, `conflict`, `discussion`, "
    "`done`) and `final` label; `viva annotate import` reads it",
    "decisions.jsonl": "every decision, one revision a line; `label` holds the fields below",
    "decisions.csv": "the same, one column a field; text that a spreadsheet would run as a "
    "formula starts with an apostrophe",
    "labels.jsonl": "what the items came to, in the form that rounds and audits read",
    "label_studio.json": "the items and decisions as tasks of Label Studio",
    "label_studio.xml": "a labelling interface of Label Studio for them",
    "export.json": "the campaign, the people by pseudonym, and the sha256 of every file",
}


def codebook(campaign: Campaign, kind: Kind, *, names: bool) -> str:
    """The codebook as Markdown."""
    lines = [f"# Codebook of {campaign.name}", "", f"{kind.title}: {kind.task}", ""]
    lines += ["## Fields of a label", ""]
    for field in kind.fields:
        values = ", ".join(f"`{option.value}` ({option.text})" for option in field.options)
        lines.append(f"- `{field.name}`: {field.question} {values}.")
    lines += ["", "## Process", "", _process(campaign), ""]
    lines += ["## Files", "", *(f"- `{name}`: {text}." for name, text in _FILES.items()), ""]
    lines += ["## Columns", "", *(f"- `{name}`: {text}." for name, text in _COLUMNS.items())]
    if names:
        lines.append("- `name`: who it is. **This export names people: do not publish it.**")
    else:
        lines += ["", "People stand under pseudonyms. Notes are word for word: read them before "
                  "you publish them."]  # fmt: skip
    lines += ["", "## Guidelines that people confirmed to have read", ""]
    lines += [f"> {line}".rstrip() for line in campaign.guidelines.splitlines()]
    return "\n".join(lines) + "\n"


def _process(campaign: Campaign) -> str:
    second = (
        "two people in the role of adjudicators"
        if campaign.adjudication == "adjudicators"
        else "two others of those who are qualified"
    )
    return (
        f"Admission by {campaign.pass_mark:.0%} of the qualification items. Each item of the main "
        "part is judged by two people on their own. Where they agree in every field, their label "
        f"is final; else {second} judge it blind; where these are split too, a lead who sees all "
        "four labels decides. Nobody judges an item in two stages. Everybody has an order of "
        f"their own (seed {campaign.seed})."
    )
