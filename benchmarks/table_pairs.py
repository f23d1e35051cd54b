"""Agreement of the matcher of tables with labels, by set, half and kind of the labelled pairs.

    python benchmarks/table_pairs.py show develop
    python benchmarks/table_pairs.py ask held openai/gpt-4o-mini
    python benchmarks/table_pairs.py fit

`ask` puts the pairs to a model, as `-T matcher=MODEL` does. The half
`develop` is for work on the matcher; `held` is for the figure in docs/families/tables.md.
`fit` writes the weights of likeness.toml from the half `develop`, and prints agreement by cross
validation over tables. Beside the labelled pairs it learns from pairs of different columns and
cells of one table, which are never the same: without them it would take a fifth of them for one.
"""

import asyncio
import json
import random
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
from inspect_ai.model import Model, get_model
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import cohen_kappa_score
from sklearn.model_selection import GroupKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import vivavoce._registry  # noqa: F401  (registers the providers of models)
import vivavoce.tasks.tables as family
from vivavoce.metrics.tables import wording
from vivavoce.metrics.tables.cell_matching import cell_key
from vivavoce.metrics.tables.meaning import Meaning, Pair, by_forms
from vivavoce.metrics.tables.table_schema import match_columns
from vivavoce.tasks.prompting import load_prompts
from vivavoce.tasks.tables import yes_or_no

PAIRS = Path(__file__).with_name("table_pairs.jsonl")
PROMPTS = load_prompts(Path(family.__file__).with_name("prompts"))
FORMS, LEXICAL = "forms", "lexical"
STRENGTH, WEIGHT_OF_OTHERS, OTHERS, FOLDS = 0.05, 0.3, 3, 8


def show(half: str, rule: str = FORMS) -> None:
    """Print agreement, kappa and both kinds of mistakes."""
    _print(
        (row, _lexical(row) if rule == LEXICAL else _said(row, Meaning())) for row in _rows(half)
    )


def ask(half: str, name: str) -> None:
    """Print the same for a model, which sees the pairs of one table together."""
    tables: dict[tuple[str, str], list[dict]] = defaultdict(list)
    for row in _rows(half):
        tables[row["set"], row["context"]["table"]].append(row)

    async def answers() -> list[tuple[dict, bool]]:
        async with get_model(name, config=yes_or_no.MATCHING, memoize=False) as model:
            return [
                each
                for (_, topic), rows in tables.items()
                for each in await _by(model, topic, rows)
            ]

    _print(asyncio.run(answers()))


async def _by(model: Model, topic: str, rows: list[dict]) -> list[tuple[dict, bool]]:
    put: set[Pair] = set()
    for row in rows:
        _said(row, Meaning(lambda pair: bool(put.add(pair))))
    said = await yes_or_no.ask_matcher(PROMPTS, topic, sorted(put, key=str), model)
    return [(row, _said(row, Meaning(lambda pair: bool(said[pair])))) for row in rows]


def _print(decided: Iterable[tuple[dict, bool]]) -> None:
    found: dict[tuple[str, str], list[tuple[bool, bool]]] = defaultdict(list)
    for row, said in decided:
        for key in ((row["set"], row["kind"]), (row["set"], "all"), ("all", "all")):
            found[key].append((row["same"], said))
    for (which, kind), pairs in sorted(found.items()):
        labels, rules = zip(*pairs, strict=True)
        agreed = sum(one == other for one, other in pairs) / len(pairs)
        same = [said for label, said in pairs if label]
        other = [said for label, said in pairs if not label]
        print(
            f"{which:3} {kind:7} {len(pairs):4}  agreement {agreed:.3f}  kappa "
            f"{cohen_kappa_score(labels, rules):.2f}  same pairs found {sum(same)}/{len(same)}  "
            f"different pairs kept apart {len(other) - sum(other)}/{len(other)}"
        )


def fit() -> None:
    """Write the weights, and print what tables that were left out say of them."""
    rows = list(_rows("develop"))
    unrelated = list(_unrelated(rows))
    pairs, others = [*map(_traits, rows)], [*map(_traits, unrelated)]
    _check(rows, pairs, others)
    weights = _fitted([each for each in (*pairs, *others) if each[1] is None])
    lines = ["# Weights of traits of a pair, fitted by benchmarks/table_pairs.py.", ""]
    lines += [f"{key} = {value:.4f}" for key, value in weights.items()]
    path = Path(wording.__file__).with_name("likeness.toml")
    path.write_text("\n".join(lines) + "\n", "utf-8")


Traits = tuple[dict[str, float], bool | None, bool, float]
"""Traits of a pair, what forms decide, its label, and the weight of the pair."""


def _traits(row: dict) -> Traits:
    header = None if row["kind"] == "header" else row["context"]["header"]
    one, other = wording.compared(row["a"], row["b"])
    found = by_forms(one, other, header)
    weight = WEIGHT_OF_OTHERS if row["set"] == "other" else 1.0
    return wording.traits_of(one, other, header), found, row["same"], weight


def _unrelated(rows: list[dict]) -> Iterator[dict]:
    """Pairs of two columns, or of cells of one kind under two headers, of one table."""
    draw = random.Random(0)
    tables: dict[tuple[str, str, str], list[dict]] = defaultdict(list)
    for row in rows:
        tables[row["set"], row["group"], row["kind"]].append(row)
    for table in tables.values():
        for row in table:
            for drawn in draw.sample(table, min(OTHERS, len(table))):
                b = drawn[draw.choice("ab")]
                is_cell = row["kind"] != "header"
                if is_cell and drawn["context"]["header"] == row["context"]["header"]:
                    continue
                if drawn is not row and b.casefold() not in (
                    row["a"].casefold(),
                    row["b"].casefold(),
                ):
                    yield row | {"b": b, "same": False, "set": "other"}


def _fitted(pairs: list[Traits]) -> dict[str, float]:
    names = list(pairs[0][0])
    values = np.array([list(traits.values()) for traits, *_ in pairs])
    model = make_pipeline(StandardScaler(), LogisticRegression(C=STRENGTH, max_iter=3000))
    labels = [same for _, _, same, _ in pairs]
    model.fit(values, labels, logisticregression__sample_weight=[one[3] for one in pairs])
    scale, line = model[0], model[1]
    weights = line.coef_[0] / scale.scale_
    bias = float(line.intercept_[0] - weights @ scale.mean_)
    return {"bias": bias} | dict(zip(names, map(float, weights), strict=True))


def _says(weights: dict[str, float], pair: Traits) -> bool:
    traits, found, *_ = pair
    total = weights["bias"] + sum(weights[name] * value for name, value in traits.items())
    return total >= 0 if found is None else found


def _check(rows: list[dict], pairs: list[Traits], others: list[Traits]) -> None:
    groups = [f"{row['set']} {row['group']}" for row in rows]
    told: dict[str, list[tuple[bool, bool]]] = defaultdict(list)
    for train, test in GroupKFold(FOLDS, shuffle=True, random_state=1).split(pairs, groups=groups):
        known = [pairs[place] for place in train] + others
        weights = _fitted([pair for pair in known if pair[1] is None])
        for place in test:
            told[rows[place]["set"]].append((pairs[place][2], _says(weights, pairs[place])))
    for which, both in sorted(told.items()):
        agreed = np.mean([label == said for label, said in both])
        kappa = cohen_kappa_score(*zip(*both, strict=True))
        print(f"set {which}: {agreed:.3f}, kappa {kappa:.2f}")
    weights = _fitted([pair for pair in (*pairs, *others) if pair[1] is None])
    wrong = np.mean([_says(weights, pair) for pair in others])
    print(f"of {len(others)} unrelated pairs {wrong:.3f} taken for the same")


def _rows(half: str) -> Iterator[dict]:
    for row in map(json.loads, PAIRS.read_text("utf-8").splitlines()):
        if row["half"] == half:
            yield row


def _said(row: dict, meaning: Meaning) -> bool:
    if row["kind"] == "header":
        return meaning.same(row["a"], row["b"])
    return meaning.same(row["a"], row["b"], row["context"]["header"])


def _lexical(row: dict) -> bool:
    if row["kind"] == "header":
        return bool(match_columns((row["a"],), (row["b"],)))
    return cell_key(row["a"]) == cell_key(row["b"])


if __name__ == "__main__":
    {"show": show, "ask": ask, "fit": fit}[sys.argv[1]](*sys.argv[2:])
