"""The notebooks of examples/ run as they stand, offline, and show what they hold."""

from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient
from tests.conftest import ROOT

pytestmark = pytest.mark.slow

NOTEBOOKS = sorted((ROOT / "examples" / "notebooks").glob("*.ipynb"))
_WIDGET = "application/vnd.jupyter.widget-view+json"


def shown(notebook: Any) -> list[list[str]]:
    """The text of each cell's outputs; a progress widget is none."""
    return [
        [
            (each.get("text") or each["data"]["text/plain"]).strip()
            for each in cell.outputs
            if _WIDGET not in each.get("data", {})
        ]
        for cell in notebook.cells
        if cell.cell_type == "code"
    ]


def test_there_is_a_notebook() -> None:
    assert NOTEBOOKS


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_shows_what_it_holds(path: Path, tmp_path: Path) -> None:
    stored = nbformat.read(path, as_version=4)
    nbformat.validate(stored)
    run = nbformat.read(path, as_version=4)
    for cell in run.cells:
        cell.outputs = []
    where = {"metadata": {"path": str(tmp_path)}}
    NotebookClient(run, timeout=500, kernel_name="python3", resources=where).execute()
    assert shown(run) == shown(stored)
    assert sum(map(len, shown(stored))) >= 4
    (made,) = tmp_path.iterdir()
    assert made.name.startswith("example-")
