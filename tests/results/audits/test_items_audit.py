"""Items audited: hard, dead and contradicting ones, out of logs, by the command."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.results.audits.made_logs import write_log
from tests.servers.commands import only_json
from typer.testing import CliRunner

from vivavoce.cli import app
from vivavoce.errors import InputError, VivaError
from vivavoce.reports import Sheet
from vivavoce.results.audits.items import audit_items

MODELS = ("lab/weak", "lab/fair", "lab/good", "lab/best")
VALUES = {
    "easy": (0.7, 0.8, 0.9, 1.0),
    "fair": (0.2, 0.4, 0.6, 0.8),
    "plain": (0.3, 0.5, 0.6, 0.9),
    "hard": (0.0, 0.1, 0.1, 0.3),
    "dead": (0.0, 0.0, 0.0, 0.0),
    "alike": (0.5, 0.5, 0.5, 0.5),
    "turned": (0.9, 0.6, 0.4, 0.1),
    "silent": (None, None, None, None),
}


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    folder = tmp_path / "logs"
    for at, model in enumerate(MODELS):
        write_log(folder, {item: values[at] for item, values in VALUES.items()}, model=model)
    for method in ("oracle", "null", "copycat"):
        write_log(folder, dict.fromkeys(VALUES, 1.0), model="none", method=method)
    return folder


def by_id(rows: Any) -> dict[str, dict[str, Any]]:
    return {row["id"]: row for row in rows}


def test_each_item_has_its_mean_its_correlation_and_a_state(logs: Path) -> None:
    found = audit_items(logs)
    items = by_id(found.items)
    assert {item: row["state"] for item, row in items.items()} == {
        "easy": "",
        "fair": "",
        "plain": "",
        "hard": "",
        "dead": "all fail",
        "alike": "alike",
        "turned": "against the rest",
        "silent": "undefined",
    }
    assert items["easy"]["value"] == pytest.approx(0.85)
    assert items["easy"]["contestants"] == 4  # not the oracle, null and copycat
    # s² = 0.05 / 3, so the error is sqrt(0.05 / 3 / 4); Student's t of 3 degrees is 3.182446.
    reach = 3.182446 * (0.05 / 12) ** 0.5
    assert items["easy"]["ci"] == pytest.approx([0.85 - reach, 0.85 + reach])
    assert items["turned"]["rest"]["value"] < -0.9
    assert items["dead"]["rest"] == {"value": None, "ci": None}
    assert (items["silent"]["value"], items["silent"]["ci"]) == (None, None)
    [group] = found.groups
    assert (group["items"], group["all_fail"], group["alike"], group["against_the_rest"]) == (
        8,
        1,
        1,
        1,
    )
    assert group["contestants"] == sorted(MODELS)
    assert len(group["logs"]) == 4


def test_the_command_names_them(logs: Path) -> None:
    done = CliRunner().invoke(app, ["board", "show", "--by", "item", str(logs)])
    assert done.exit_code == 0, done.output
    for shown in ("all fail", "against the rest", "turned", "dead", "hard"):
        assert shown in done.output
    found = only_json(
        CliRunner().invoke(app, ["board", "show", "--by", "item", str(logs), "--json"]).stdout
    )
    assert [row["id"] for row in found["items"]] == sorted(VALUES)
    assert "Items that say little, 4 of 4" in done.output


def test_each_task_and_setting_lists_its_own_items(logs: Path) -> None:
    for model, value in zip(MODELS, (0.2, 0.4, 0.6, 0.8), strict=True):
        write_log(logs, {"other": value}, model=model, setting="random")
    named: dict[str, set[str]] = {}
    for part in audit_items(logs).parts():
        if isinstance(part, Sheet) and part.heads[0] == "items":
            named[part.title] = of_group = set()
        elif isinstance(part, Sheet):
            of_group |= {row[0] for row in part.rows}
    assert [len(names) for names in named.values()] == [len(VALUES), 1]
    assert list(named.values())[1] == {"other"}


def test_another_metric_is_taken_by_name(logs: Path) -> None:
    assert audit_items(logs, metric="rouge1").groups[0]["metric"] == "rouge1"
    with pytest.raises(InputError, match="no metric 'f2'"):
        audit_items(logs, metric="f2")


def test_one_contestant_says_nothing_of_items(tmp_path: Path) -> None:
    write_log(tmp_path, {"a": 0.5})
    with pytest.raises(VivaError, match="two contestants"):
        audit_items(tmp_path)
