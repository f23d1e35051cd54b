"""Every label that boards, tables of the terminal and settings show is in the glossary."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

import vivavoce
from vivavoce.cli import app
from vivavoce.metrics import list_metrics
from vivavoce.results.board.columns import page_columns, terminal_columns
from vivavoce.tasks import list_families
from vivavoce.web.board.overview import HEADS
from vivavoce.web.rendering import glossary, meaning

SOURCES = Path(vivavoce.__file__).parent
MAKERS = {"texts", "numbers", "inner", "_coefficients", "cells", "interval", "tick"}
HEADED = {"cells", "interval", "tick"}
"""Makers of columns of which the first argument alone is a head."""


def texts_in(node: ast.AST) -> Iterator[str]:
    for each in ast.walk(node):
        if isinstance(each, ast.Constant) and isinstance(each.value, str):
            yield each.value.strip()


def heads_of_call(call: ast.Call) -> Iterator[str]:
    """Heads that a maker of columns or the printer of a table is given as they are."""
    name = call.func.id if isinstance(call.func, ast.Name) else ""
    if name in MAKERS:
        places = call.args[:1] if name in HEADED else call.args
        yield from (text for place in places for text in texts_in(place))
        for keyword in call.keywords:
            if keyword.arg is not None:
                yield keyword.arg
            elif isinstance(keyword.value, ast.Dict):
                yield from (text for key in keyword.value.keys if key for text in texts_in(key))
    elif name in ("print_table", "values_of"):
        yield from texts_in(call.args[0])


def heads_of(path: Path) -> Iterator[str]:
    """Heads of the tables that a module of the command prints."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Call):
            yield from heads_of_call(node)
        elif isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) in (
            "headers",
            "columns",
        ):
            yield from texts_in(node.value)
        elif isinstance(node, ast.Return) and isinstance(node.value, ast.Tuple):
            first = node.value.elts[0]
            yield from texts_in(first) if isinstance(first, ast.List) else ()


NO_HEADS = {"", "=", "id", "only_a", "only_b", "other_split", "rest"}
"""Names of fields beside a head, and signs between two of them."""


def test_every_head_of_a_table_of_the_terminal_is_defined() -> None:
    shown = {head for path in (SOURCES / "cli").glob("*.py") for head in heads_of(path)}
    shown |= {head for head, _ in terminal_columns(costs=True)}
    assert len(shown) > 150
    named = {head for head in shown - NO_HEADS if "{" not in head}
    assert named - glossary()["terminal"].keys() == set()


def test_the_glossary_of_the_terminal_holds_no_word_that_no_table_has() -> None:
    code = "\n".join(path.read_text("utf-8") for path in (SOURCES / "cli").glob("*.py"))
    code += "\n".join(f'"{head}"' for head, _ in terminal_columns(costs=True))
    unused = {
        label
        for label in glossary()["terminal"]
        if f'"{label}"' not in code
        and not re.search(rf"\b{re.escape(label)}=", code)
        and f'"{label} {{' not in code
    }
    assert unused == set()


def test_every_label_of_a_page_is_defined() -> None:
    shown = {column.label for column in page_columns()} | {head.label for head in HEADS}
    for path in (SOURCES / "web" / "templates").glob("*.html.j2"):
        template = path.read_text("utf-8")
        shown |= set(re.findall(r"<th[^>]*>([^<{]+)</th>", template))
        shown |= set(re.findall(r'sort_button\("([^"]+)"', template))
    assert len(shown) > 40
    assert shown - glossary()["board"].keys() == set()


def test_every_setting_and_every_metric_is_defined() -> None:
    tasks = [task for card in list_families().values() for task in card.tasks.values()]
    settings = {setting for task in tasks for setting in task.settings}
    assert settings == glossary()["settings"].keys()
    assert all(metric.summary for metric in list_metrics())


@pytest.mark.parametrize(
    ("setting", "same"),
    [("mixed@1", "mixed"), ("base+dev", "base"), ("base+knowledge@3", "base+knowledge")],
)
def test_a_setting_with_an_argument_has_the_meaning_of_the_plain_one(
    setting: str, same: str
) -> None:
    assert meaning(setting, "settings") == glossary()["settings"][same] != ""
    assert meaning("unheard-of", "settings") == ""


def test_the_command_prints_the_glossary_of_its_tables() -> None:
    said = json.loads(CliRunner().invoke(app, ["list", "labels", "--json"]).stdout)
    assert {row["label"]: row["meaning"] for row in said} == glossary()["terminal"]
