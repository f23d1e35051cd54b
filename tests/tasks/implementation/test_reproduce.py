"""Reports reproduced through `viva run`: every stage of an answer is scored on its own."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.servers.scripted import Ask, Reply, answer, slot
from tests.tasks.implementation.item_rounds import contest, contest_of_model, round_of

from vivavoce.errors import InputError
from vivavoce.rounds import Round
from vivavoce.tasks.implementation.build import reproduce_items
from vivavoce.tasks.implementation.items.formula import list_formulas
from vivavoce.tasks.implementation.items.market import generate
from vivavoce.tasks.implementation.items.report import STATISTICS, list_reports

REPORTS = ["growth_at_a_price", "restless_months"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"formula": "Vol21"}, "'Vol21', which is not a formula"),
        (
            {"columns": ("daily_pv.$close", "daily_pv.close")},
            "'daily_pv.close', which is not a column",
        ),
    ],
)
def test_a_claim_about_what_there_is_not_is_refused(change: dict[str, Any], said: str) -> None:
    report = list_reports()["restless_months"]
    assert report.claim is not None
    wrong = replace(report, claim=replace(report.claim, **change))
    market = generate(1)
    with pytest.raises(InputError, match=f"restless_months .* {re.escape(said)}"):
        reproduce_items([wrong], list_formulas(), market)


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Round:
    return round_of(tmp_path_factory.mktemp("reports"), reports=REPORTS)


def scored(opened: Round, logs: Path, **options: Any) -> dict[str, dict[str, Any]]:
    """Rows by report, of one method and model."""
    return {row["item"]: row for row in contest("reproduce", opened, logs, **options)}


SAID = {
    "method": {
        "name": "one-month volatility",
        "description": "How much the returns of the last month vary.",
        "formula": r"\sigma = std(r)",
        "variables": {"r": "return"},
    },
    "columns": ["daily_pv.$close"],
}
RETURNS = """
import json
import numpy as np
import pandas as pd

close = pd.read_parquet("daily_pv.parquet").pivot(
    index="datetime", columns="instrument", values="$close"
)
pieces, befores = [], []
for name in close.columns:
    own = close[name].dropna()
    value = own.pct_change().rolling(20).std()
    pieces.append(pd.DataFrame({"datetime": own.index, "instrument": name, "value": value.values}))
    befores.append(np.column_stack([value.values[1:], value.values[:-1]]))
pairs = np.vstack(befores)
pairs = pairs[~np.isnan(pairs).any(axis=1)]
pd.concat(pieces).to_parquet("result.parquet")
"""
"""A solution of our own of the volatility report, written from its text."""
CLAIM = 'json.dump({"value": float(np.corrcoef(pairs.T)[0, 1])}, open("claim.json", "w"))\n'


def written(said: Any, program: str | None) -> str:
    blocks = [] if said is None else [f"```json\n{json.dumps(said)}\n```"]
    if program is not None:
        blocks.append(f"```python\n{program}\n```")
    return "Here is what I found.\n\n" + "\n\n".join(blocks)


def for_volatility(text: str) -> Any:
    """Give this answer where the report is the one on volatility, else nothing useful."""

    def script(ask: Ask) -> Reply:
        report = slot(ask.prompt, "report")
        assert "$close" in slot(ask.prompt, "data")
        return answer(text if "One-month volatility" in report else "I did not find any claim.")

    return script


@pytest.mark.slow
@pytest.mark.sandbox
def test_the_reference_passes_every_stage_and_the_naive_program_misses_the_claim(
    opened: Round, tmp_path: Path
) -> None:
    oracle = scored(opened, tmp_path / "oracle", methods=["oracle"])
    naive = scored(opened, tmp_path / "naive", methods=["naive"])

    for scores in oracle.values():
        assert scores["fault"] is None
        assert {value for value in scores.values() if isinstance(value, float)} == {1.0}
    assert naive["restless_months"]["claim"] == 0
    assert naive["restless_months"]["acc"] < 1
    assert naive["restless_months"]["form"] == 1
    # It takes no lag: there is nothing to forget.
    assert naive["growth_at_a_price"]["claim"] == 1


WRONG = [
    # Not wrong: JSON in a block without a mark is told from the program.
    (
        "unmarked",
        written(SAID, RETURNS + CLAIM).replace("```json", "```"),
        None,
        {"method_f1": 1, "data": 1, "exe": 1, "form": 1, "acc": 1, "claim": 1},
    ),
    ("reader", written(SAID, None), "no_program", {"method_f1": 1, "data": 1, "exe": 0}),
    ("coder", written(None, RETURNS + CLAIM), None, {"method_f1": 0, "data": 0, "claim": 1}),
    (
        "plain",
        f"```\n{RETURNS}{CLAIM}\n```\n\n```json\n{json.dumps(SAID)}\n```",
        None,
        {"method_f1": 1, "data": 1, "claim": 1},
    ),
    ("crash", written(SAID, "raise SystemExit(3)"), "error", {"method_f1": 1, "exe": 0}),
    ("quiet", written(SAID, "import json"), "no_file", {"method_f1": 1, "exe": 0}),
    ("numberless", written(SAID, RETURNS), "no_number", {"acc": 1, "form": 1, "claim": 0}),
    (
        "guesser",
        written(SAID, RETURNS + 'open("claim.json", "w").write(\'{"value": 0.97}\')'),
        None,
        {"acc": 1, "claim": 0},
    ),
    (
        "endless",
        written(SAID, RETURNS + 'open("claim.json", "w").write("[" * 4000)'),
        "no_number",
        {"acc": 1, "claim": 0},
    ),
    (
        "piper",
        written(SAID, RETURNS + 'import os; os.mkfifo("claim.json")'),
        "no_number",
        {"acc": 1, "claim": 0},
    ),
    (
        "chooser",
        written({**SAID, "columns": ["daily_pv.$volume", 7]}, RETURNS + CLAIM),
        None,
        {"data": 0, "method_f1": 1, "claim": 1},
    ),
    (
        "odd",
        written({"method": ["x"], "columns": "all"}, RETURNS + CLAIM),
        None,
        {"data": 0, "method_f1": 0, "claim": 1},
    ),
]


@pytest.fixture(scope="module")
def wrong(opened: Round, tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """What the answers of `WRONG` reach on the report they answer; attempts of one model."""
    logs = tmp_path_factory.mktemp("wrong")
    names = {text: name for name, text, _, _ in WRONG}
    assert len(names) == len(WRONG)
    texts = list(names)

    def script(ask: Ask) -> Reply:
        return for_volatility(texts[ask.turn - 1])(ask)

    options = {"task_args": {"timeout": 30}, "epochs": len(WRONG)}
    rows = contest_of_model("reproduce", opened, logs, script, **options)
    return {names[row["answer"]]: row for row in rows if row["item"] == "restless_months"}


@pytest.mark.slow
@pytest.mark.sandbox
@pytest.mark.parametrize(
    ("model", "fault", "values"),
    [(model, fault, values) for model, _, fault, values in WRONG],
    ids=[case[0] for case in WRONG],
)
def test_each_stage_is_scored_on_its_own(
    wrong: dict[str, dict[str, Any]], model: str, fault: str | None, values: dict[str, float]
) -> None:
    assert {name: wrong[model][name] for name in values} == values
    assert wrong[model]["fault"] == fault


def market() -> dict[str, pd.DataFrame]:
    """Two stocks on four days; no other table is looked at."""
    days = pd.to_datetime(["2024-01-01", "2024-01-02", "2024-01-03", "2024-01-04"])
    close = {"A": [10.0, 11.0, 11.0, 22.0], "B": [10.0, 20.0, 10.0, 10.0]}
    rows = [(day, name, close[name][i]) for i, day in enumerate(days) for name in close]
    return {"daily_pv": pd.DataFrame(rows, columns=["datetime", "instrument", "$close"])}


def series(a: list[float], b: list[float]) -> pd.Series:
    daily = market()["daily_pv"]
    keys = pd.MultiIndex.from_frame(daily[["datetime", "instrument"]])
    values = [value for pair in zip(a, b, strict=True) for value in pair]
    return pd.Series(values, index=keys, name="value")


def test_an_information_coefficient_by_hand() -> None:
    # Returns to the next day: A 0.1, 0, 1; B 1, -0.5, 0; the last day has none.
    # Of two stocks the correlation is 1 or -1: day 1 B > A in both, 1; day 2 A > B in the
    # return and B > A in the value, -1; day 3 the values are equal and the day is left out.
    values = series([1, 1, 5, 1], [2, 2, 5, 9])

    found = STATISTICS["information_coefficient"](values, market()["daily_pv"])

    assert found == pytest.approx((1 - 1) / 2)


def test_mean_and_share_leave_out_what_is_undefined() -> None:
    values = series([1.0, -1.0, np.nan, 2.0], [0.0, np.nan, np.nan, 3.0])

    assert STATISTICS["mean"](values, market()["daily_pv"]) == pytest.approx(5 / 5)
    assert STATISTICS["share_positive"](values, market()["daily_pv"]) == pytest.approx(3 / 5)


def test_persistence_pairs_a_stock_with_itself_only() -> None:
    # pairs (now, before): A (2, 1), (3, 2), (4, 3); B (10, 20), (5, 10), none with NaN
    values = series([1, 2, 3, 4], [20, 10, 5, np.nan])
    now, before = [2, 3, 4, 10, 5], [1, 2, 3, 20, 10]

    found = STATISTICS["persistence"](values, market()["daily_pv"])

    assert found == pytest.approx(np.corrcoef(now, before)[0, 1])
