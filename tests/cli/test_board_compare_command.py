"""`viva board compare`: tables for people, one JSON document, pages, and refusals."""

import re
from pathlib import Path

import pytest
from tests.results.audits.made_logs import write_log
from tests.servers.commands import viva_here


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    folder = tmp_path / "logs"
    items = [f"item-{number:02d}" for number in range(12)]
    for task in ("title", "abstract"):
        for model, low in (("lab/one", 0.1), ("lab/two", 0.3)):
            values = {item: low + 0.02 * place for place, item in enumerate(items)}
            write_log(folder, values, model=model, task=task)
    return folder


def test_the_table_names_the_winner_of_every_task(logs: Path) -> None:
    done = viva_here(
        "board", "compare", "lab/one", "lab/two", "--logs", logs, "--items", "2", "--wide"
    )
    lines = done.stdout.splitlines()
    assert [line for line in lines if "· base · round made" in line] == [
        "abstract · base · round made · version 1-A",
        "title · base · round made · version 1-A",
    ]
    # 0.1 against 0.3 on each of twelve items, 2 / 2**12 = 0.0005.
    row = next(line for line in lines if line.startswith("rougeL"))
    ends = r"\[0\.\d{3}, 0\.\d{3}\]"
    assert re.fullmatch(
        rf"rougeL  0.210 {ends}  0.410 {ends}  -0.200 \[-0.200, -0.200\]  b +0 +0 +12 +12 *", row
    )
    assert "lab/two is ahead by 0.200 in rougeL" in done.stdout
    assert done.stdout.count("item-") == 4
