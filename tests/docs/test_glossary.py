"""Every label that boards, tables of the terminal and settings show is in the glossary."""

import ast
import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

import vivavoce
from vivavoce.cli import app
from vivavoce.metrics import list_metrics
from vivavoce.results.board.columns import page_columns, terminal_columns
from vivavoce.tasks import list_families
from vivavoce.web import glossary, meaning
from vivavoce.web.board.overview import HEADS

SOURCES = Path(vivavoce.__file__).parent
TERMINAL = [
    *(SOURCES / "cli").glob("*.py"),
    *(SOURCES / "results").rglob("*.py"),
    SOURCES / "demonstration.py",
    SOURCES / "web" / "annotation" / "report.py",
]
"""Modules whose tables the terminal prints."""
PAGES = (SOURCES / "web" / "board").rglob("*.py")


def plain(nodes: Iterable[ast.expr]) -> Iterator[str]:
    """Texts among the columns of a table, those of a tuple that is taken apart too."""
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
        elif isinstance(node, ast.Starred | ast.Tuple | ast.List):
            inner = node.value if isinstance(node, ast.Starred) else node
            yield from plain(inner.elts if isinstance(inner, ast.Tuple | ast.List) else ())


def heads_of(path: Path) -> Iterator[str]:
    """Heads of the tables that a module declares, as far as they are written out."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id == "Column" and node.args:
                yield from plain(node.args[1:2] or node.args[:1])
            elif node.func.id == "sheet":
                yield from plain(node.args[2:])
            elif node.func.id == "Sheet" and len(node.args) > 1:
                yield from plain([node.args[1]])
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Tuple):
            is_declared = ast.unparse(node.targets[0]) in ("heads", "columns")
            yield from plain([node.value]) if is_declared else ()
        elif (
            isinstance(node, ast.Return)
            and isinstance(node.value, ast.Tuple)
            and path == SOURCES / "cli" / "__init__.py"
        ):
            yield from plain(each for each in node.value.elts[:1] if isinstance(each, ast.List))


def test_every_head_of_a_table_of_the_terminal_is_defined() -> None:
    shown = {head for path in TERMINAL for head in heads_of(path)}
    shown |= {head for head, _ in terminal_columns(costs=True)}
    assert len(shown) > 100
    assert shown - glossary()["terminal"].keys() == set()


def test_every_label_of_a_page_is_defined() -> None:
    shown = {column.label for column in page_columns()} | {head.label for head in HEADS}
    shown |= {head for path in PAGES for head in heads_of(path)}
    for path in (SOURCES / "web" / "templates").glob("*.html.j2"):
        template = path.read_text("utf-8")
        shown |= set(re.findall(r"<th[^>]*>([^<{]+)</th>", template))
        shown |= set(re.findall(r'sort_button\("([^"]+)"', template))
    assert len(shown) > 30
    assert shown - glossary()["board"].keys() == set()


def test_every_setting_and_every_metric_is_defined() -> None:
    tasks = [task for card in list_families().values() for task in card.tasks.values()]
    settings = {setting for task in tasks for setting in task.settings}
    assert settings == glossary()["settings"].keys()
    assert all(metric.summary for metric in list_metrics())


@pytest.mark.parametrize(
    ("setting", "same"), [("mixed@1", "mixed"), ("base+dev", "base"), ("none@3", "none")]
)
def test_a_setting_with_an_argument_means_what_the_plain_one_does(setting: str, same: str) -> None:
    assert meaning(setting, "settings") == glossary()["settings"][same] != ""
    assert meaning("unheard-of", "settings") == ""


def test_the_command_prints_the_glossary_of_its_tables() -> None:
    said = json.loads(CliRunner().invoke(app, ["list", "labels", "--json"]).stdout)
    assert {row["label"]: row["meaning"] for row in said} == glossary()["terminal"]
