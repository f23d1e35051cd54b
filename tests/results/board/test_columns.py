"""A column of a board is declared once; every file, page, table and the reference follow."""

import io
import json
import re
from pathlib import Path

import pyarrow.csv
import pyarrow.parquet
import pytest
from tests.results.audits.made_logs import write_log
from typer.testing import CliRunner

from vivavoce.cli import app
from vivavoce.results.board import building, columns, groups
from vivavoce.results.board.columns import COLUMNS, BoardColumn
from vivavoce.web.board import downloads

SLOWEST = BoardColumn(
    "slowest",
    "Seconds of the slowest answer.",
    "float",
    label="Slowest",
    unit="s",
    page=8,
    is_optional=True,
    terminal=(6, "slowest"),
    latex="Slowest",
    of_log=lambda log: 2.5 * len(log.samples),
)
"""One more column: this is the whole edit."""


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for module in (columns, building, groups, downloads):
        monkeypatch.setattr(module, "COLUMNS", (*COLUMNS, SLOWEST))
    logs = tmp_path / "logs"
    logs.mkdir()
    write_log(logs, {"a": 0.5, "b": 0.7}, model="lab/one")
    words = ["board", "build", str(logs), "--out", str(tmp_path / "site"), "--resamples", "20"]
    assert CliRunner().invoke(app, [*words, "--samples", "0"]).exit_code == 0
    return tmp_path / "site"


def test_a_column_declared_once_is_everywhere(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = json.loads((site / "board.json").read_text("utf-8"))["rows"]
    assert {row["slowest"] for row in rows} == {5.0}
    table = pyarrow.parquet.read_table(site / "board.parquet")
    assert set(table.column("slowest").to_pylist()) == {5.0}
    read = pyarrow.csv.read_csv(io.BytesIO((site / "board.csv").read_bytes()))
    assert set(read.column("slowest").to_pylist()) == {5.0}
    tex = (site / "board.tex").read_text("utf-8")
    assert re.search(r"^Rank & .*& Slowest\b", tex, re.M)
    assert " & 5.000" in tex
    for page in [*(site / "boards").glob("*/*.html"), *(site / "models").glob("*.html")]:
        text = page.read_text("utf-8")
        assert re.search(r"<th[^>]*>(<button[^>]*>|<bdi>)?Slowest<", text), page
        assert re.search(r"<td[^>]*>5\.00</td>", text), page
    style = (site / "style.css").read_text("utf-8")
    assert '.board td.slowest::before { content: "Slowest"; }' in style
    shown = CliRunner().invoke(app, ["board", "show", str(site.parent / "logs")]).output
    assert re.search(r"^rank .*\bslowest\b", shown, re.M)
    assert re.search(r" 5\.00 *$", shown, re.M)
    pytest.importorskip("sphinx")
    monkeypatch.syspath_prepend(str(Path(__file__).parents[3] / "docs" / "_ext"))
    import reference  # type: ignore[import-not-found]

    monkeypatch.setattr(reference, "COLUMNS", (*COLUMNS, SLOWEST))
    assert (
        "| `slowest` | Seconds of the slowest answer. | s | Slowest |" in reference.columns_page()
    )


def test_every_value_of_a_board_is_declared(tmp_path: Path) -> None:
    write_log(tmp_path, {"a": 0.5, "b": 0.7}, model="lab/one")
    shown = CliRunner().invoke(app, ["board", "show", str(tmp_path), "--json"]).output
    (row, *_) = json.loads(shown)["rows"]
    assert set(row) == {column.name for column in COLUMNS}


def test_costs_are_printed_per_answer() -> None:
    for column in filter(lambda each: each.is_cost, COLUMNS):
        assert columns.shown_value(column, {column.name: 6.0, "answers": 3}) == 2.0
        assert columns.shown_value(column, {column.name: 6.0, "answers": 0}) is None
        assert columns.shown_value(column, {column.name: None, "answers": 3}) is None
