"""Formulas through `viva run`: programs of a scripted model, run in the sandbox and scored."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from tests.servers.scripted import Ask, Reply, answer, slot
from tests.tasks.implementation.item_rounds import contest, round_of

from vivavoce.errors import InputError
from vivavoce.metrics import FaultyAnswer
from vivavoce.metrics.factor import FactorFrame, frame_from_columns
from vivavoce.results.board.building import leaderboard
from vivavoce.rounds import Round
from vivavoce.store import write_jsonl
from vivavoce.tasks.implementation import scorer
from vivavoce.tasks.implementation.build import cluster_of
from vivavoce.tasks.implementation.items.formula import list_formulas
from vivavoce.tasks.implementation.program import Outcome
from vivavoce.tasks.lookup import create_task

pytestmark = pytest.mark.sandbox

FORMULAS = ["PB_ROE", "alpha053", "alpha053_5", "mid_price"]


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Round:
    return round_of(tmp_path_factory.mktemp("formulas"), formulas=FORMULAS)


def scores(opened: Round, logs: Path, **options: Any) -> dict[str, dict[str, dict[str, Any]]]:
    """Rows by method and item, of a model where there is a script."""
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for row in contest("formula", opened, logs, **options):
        found.setdefault(row["method"], {})[row["item"]] = row
    return found


def test_variants_of_a_formula_are_one_cluster(opened: Round) -> None:
    rows = opened.items("implementation", "formula")
    assert {row["id"]: row["cluster"] for row in rows}["alpha053_5"] == "alpha053"
    assert cluster_of("One_Month_Volatility") == "One_Month_Volatility"


READ = 'import pandas as pd\nd = pd.read_parquet("daily_pv.parquet")\n'
PROGRAMS = {
    "error": "import pandas as pd\npd.DataFrame()['no such column']\n",
    "no_file": "print('all is well')\n",
    "unreadable": 'open("result.parquet", "w").write("no table")\n',
    "wrong_shape": READ
    + 'd[["datetime","instrument","$close"]][:5].to_parquet("result.parquet")\n',
    "timeout": "while True: pass\n",
}


@pytest.mark.slow
def test_each_way_to_fail_is_counted_by_its_name(opened: Round, tmp_path: Path) -> None:
    def script(ask: Ask) -> Reply:
        assert "```python" in ask.prompt
        for tag in ("name", "description", "formula", "variables", "data"):
            assert slot(ask.prompt, tag).strip()
        place = 2 * FORMULAS.index(slot(ask.prompt, "name")) + ask.turn - 1
        return answer(f"Here:\n```python\n{list(PROGRAMS.values())[place % 5]}```")

    scores(opened, tmp_path, script=script, task_args={"timeout": 6}, epochs=2)
    (row,) = (r for r in leaderboard(tmp_path, resamples=0).rows if r["metric"] == "acc")
    names = list(PROGRAMS)  # 8 answers: the first three programs come twice
    assert row["faults"] == {name: 2 if name in names[:3] else 1 for name in names}
    assert row["valid"] == 0.0
    assert row["value"] < 0.01  # five rows of the wrong column, and nothing else


def test_a_right_program_in_an_answer_is_right(opened: Round, tmp_path: Path) -> None:
    def script(ask: Ask) -> Reply:
        formula = list_formulas()[slot(ask.prompt, "name")]
        assert "in no order" in slot(ask.prompt, "data")
        return answer(f"```python\n{formula.program}```")

    found = scores(opened, tmp_path, script=script, settings=["full"])["direct"]
    assert {name: row["acc"] for name, row in found.items()} == dict.fromkeys(FORMULAS, 1.0)
    rows = leaderboard(tmp_path, resamples=0).rows
    assert {row["setting"] for row in rows} == {"full"}


AGAIN = 'out = pd.read_parquet("result.parquet").reset_index()\n'
LEAVE = 'out.to_parquet("result.parquet")\n'
OTHER_TYPES = {
    "PB_ROE": "class Missing(Exception):\n    def report(self):\n        pass\n",
    "alpha053": 'out["datetime"] = out["datetime"].dt.tz_localize("UTC")\n',
    "alpha053_5": 'out["datetime"] = out["datetime"].dt.strftime("%Y%m%d").astype(int)\n',
    "mid_price": 'out["instrument"] = out["instrument"].astype("category")\n'
    'out["datetime"] = out["datetime"].dt.tz_localize("+08:00")\n',
}


@pytest.mark.slow
def test_right_values_are_right_in_other_types_and_beside_an_empty_function(
    opened: Round, tmp_path: Path
) -> None:
    rows = []
    for name, change in OTHER_TYPES.items():
        code = f"{list_formulas()[name].program}{AGAIN}{change}{LEAVE}"
        rows.append({"id": name, "text": f"```python\n{code}```"})
    write_jsonl(tmp_path / "answers.jsonl", rows)
    model = f"replay/{tmp_path}/answers.jsonl"
    found = scores(opened, tmp_path / "logs", models=[model])["direct"]
    assert {name: (row["acc"], row["fault"]) for name, row in found.items()} == dict.fromkeys(
        FORMULAS, (1.0, None)
    )


RANKS = """import pandas as pd
d = pd.read_parquet("daily_f.parquet").set_index(["datetime", "instrument"])
b, r, pe, t = d["B/P"], d["ROE"], d["PE"], d["turnover"]
days = d.groupby(level="datetime")
"""
SAVED = '\nx.rename("value").to_frame().to_parquet("result.parquet")\n'
# Precision and recall; F1 is 2 p r / (p + r).
USES = {
    "in an expression": ("x = d.eval('2 * `B/P` - ROE')", 1.0, 1.0),
    "one of two": ("x = days['B/P'].rank()", 1.0, 1 / 2),
    "one too many, by place": ("x = b - r + d.iloc[:, 1].fillna(0)", 2 / 3, 1.0),
    "chance": ("import random\nx = b - r * random.random()", 0.0, 0.0),
    "right": ("x = d.assign(b=days['B/P'].rank()).eval('b') - days['ROE'].rank()", 1.0, 1.0),
}


def run_here(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have programs run in this process: each is run again and again, and all of them are ours."""

    async def run_program(program: str, files: Mapping[str, bytes], timeout: int) -> Outcome:
        for name, content in files.items():
            (folder / name).write_bytes(content)
        exec(compile(program, "program.py", "exec"), {})
        return Outcome(None, "")

    async def read_factor(name: str, *, max_rows: int, timeout: int) -> FactorFrame:
        table = pq.read_table(folder / name)
        return frame_from_columns({one: table[one].to_numpy() for one in table.column_names})

    monkeypatch.chdir(folder)
    monkeypatch.setattr(scorer, "run_program", run_program)
    monkeypatch.setattr(scorer, "read_factor", read_factor)


@pytest.mark.slow
def test_columns_count_if_the_result_needs_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = round_of(tmp_path, formulas=["PB_ROE"])
    run_here(tmp_path, monkeypatch)
    [item] = opened.items("implementation", "formula")
    row = {**item, "run": {"round": str(opened.folder), "timeout": 60}}
    for way, (code, precision, recall) in USES.items():
        found = asyncio.run(scorer.score_formula(f"```python\n{RANKS}{code}{SAVED}```", row, {}))
        reached = (found["data_precision"], found["data_recall"])
        assert reached == pytest.approx((precision, recall)), way
        both = precision + recall
        assert found["data"] == pytest.approx(2 * precision * recall / both if both else 0.0), way
        assert (found["skill"] == 1) is (way == "right")
    with pytest.raises(FaultyAnswer, match="malformed"):
        asyncio.run(scorer.score_formula("-", row, {}))


@pytest.mark.parametrize("timeout", ["long", 0, -3, True, 2.5])
def test_a_time_limit_is_a_number_of_seconds(opened: Round, timeout: Any) -> None:
    with pytest.raises(InputError, match="timeout"):
        create_task("formula", {"round": str(opened.folder), "timeout": timeout})
