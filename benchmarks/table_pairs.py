"""Agreement of the matcher of tables with people, by half and kind of the labelled pairs.

    python benchmarks/table_pairs.py develop
    python benchmarks/table_pairs.py held minilm

The half `develop` is for work on the matcher; `held` is for the figure in docs/families/tables.md.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from pathlib import Path

from sklearn.metrics import cohen_kappa_score

from vivavoce.metrics.tables.cell_matching import cell_key
from vivavoce.metrics.tables.meaning import Meaning
from vivavoce.metrics.tables.table_schema import match_columns
from vivavoce.tasks.tables.scorer import FORMS, open_meaning

PAIRS = Path(__file__).with_name("table_pairs.jsonl")
LEXICAL = "lexical"


def main(half: str, rule: str = FORMS) -> None:
    """Print agreement, kappa and both kinds of mistakes."""
    embed = None if rule == LEXICAL else open_meaning(rule).embed
    found: dict[str, list[tuple[bool, bool]]] = defaultdict(list)
    for row in map(json.loads, PAIRS.read_text("utf-8").splitlines()):
        if row["half"] == half:
            said = _lexical(row) if rule == LEXICAL else _said(row, Meaning(embed, _given(row)))
            for kind in (row["kind"], "all"):
                found[kind].append((row["same"], said))
    for kind, pairs in found.items():
        people, rules = zip(*pairs, strict=True)
        agreed = sum(one == other for one, other in pairs) / len(pairs)
        same = [said for label, said in pairs if label]
        other = [said for label, said in pairs if not label]
        print(
            f"{kind:7} {len(pairs):4}  agreement {agreed:.3f}  kappa "
            f"{cohen_kappa_score(people, rules):.2f}  same pairs found {sum(same)}/{len(same)}  "
            f"different pairs kept apart {len(other) - sum(other)}/{len(other)}"
        )


def _given(row: dict) -> dict[str, str]:
    return row["context"].get("abbreviations", {})


def _said(row: dict, meaning: Meaning) -> bool:
    if row["kind"] == "header":
        return meaning.same_headers(row["a"], row["b"])
    return meaning.same_cells(row["a"], row["b"], row["context"]["header"])


def _lexical(row: dict) -> bool:
    if row["kind"] == "header":
        return bool(match_columns((row["a"],), (row["b"],)))
    return cell_key(row["a"]) == cell_key(row["b"])


if __name__ == "__main__":
    main(*sys.argv[1:])
