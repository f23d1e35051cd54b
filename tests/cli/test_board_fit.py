"""`viva board` says how much of what a setting adds was shown, and ranks nobody by nothing."""

import json
from pathlib import Path
from typing import Any

import pyarrow.csv
import pytest
from tests.servers.commands import viva_here
from tests.servers.scripted import scripted
from tests.tasks.writing.hand_round import hand_round, paper

pytestmark = pytest.mark.slow

REASON = "no part that the setting adds fits into the model's window"
WINDOWS = {"wide": 100_000, "middle": 4_300, "narrow": 1_200}


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Titles with two co-authors' papers as examples, by three windows; and with none."""
    folder = tmp_path_factory.mktemp("fit")
    opened = hand_round(folder, [paper(name, 40) for name in ("pear", "elm", "fir", "oak")])
    with scripted() as server:
        for window, setting in [*((size, "random") for size in WINDOWS.values()), (1_200, "base")]:
            viva_here(
                *("run", "title", "--round", opened.folder, "--logs", folder / "logs"),
                *("--setting", setting, "--context", str(window)),
                *("--model", "openai-api/scripted/opening"),
                env=server.environment,
            )
    return folder / "logs"


def rows_of(logs: Path) -> dict[tuple[str, int], dict[str, Any]]:
    """Rows of the headline metric, by setting and window."""
    rows = json.loads(viva_here("board", "show", logs, "--json").stdout)["rows"]
    return {
        (row["setting"], int(row["decoding"].partition("context=")[2].split()[0])): row
        for row in rows
        if row["metric"] == "rougeL"
    }


def test_a_row_says_what_was_left_of_the_demonstrations(logs: Path) -> None:
    rows = rows_of(logs)
    assert rows["random", WINDOWS["wide"]]["fit"] == {"whole": 1, "cut": 0, "dropped": 0}
    middle = rows["random", WINDOWS["middle"]]["fit"]
    assert middle == {"whole": 0.5, "cut": 0.5, "dropped": 0}
    assert rows["random", WINDOWS["narrow"]]["fit"] == {"whole": 0, "cut": 0, "dropped": 1}
    assert rows["base", WINDOWS["narrow"]]["fit"] is None


def test_a_row_that_shows_nothing_of_its_setting_has_no_value_and_no_rank(logs: Path) -> None:
    rows = rows_of(logs)
    narrow = rows["random", WINDOWS["narrow"]]
    assert (narrow["set_aside"], narrow["value"], narrow["rank"]) == (REASON, None, None)
    for key in [
        ("random", WINDOWS["wide"]),
        ("random", WINDOWS["middle"]),
        ("base", WINDOWS["narrow"]),
    ]:
        assert rows[key]["set_aside"] is None
        assert rows[key]["value"] > 0
        assert rows[key]["rank"] == 1
    said = viva_here("board", "show", logs, "--wide").stdout
    assert f"{REASON}; not ranked." in said
    assert "undefined" not in said
    heads = [line for line in said.splitlines() if line.lstrip().startswith("rank")]
    assert [line.endswith("shown whole") for line in heads] == ["random" in t for t in titles(said)]
    assert "50%, cut 50%" in said
    assert "0%, left out 100%" in said


def titles(said: str) -> list[str]:
    """The titles of what the terminal prints."""
    return [line for line in said.splitlines() if " · round " in line]


def test_the_site_prints_a_dash_with_the_reason(logs: Path, tmp_path: Path) -> None:
    viva_here("board", "build", logs, "--out", tmp_path / "site", "--samples", "0")
    [page] = (tmp_path / "site" / "boards").glob("*/*random*.html")
    text = page.read_text("utf-8").replace("&#39;", "'")
    assert f"not ranked: {REASON}" in text
    assert "Shown whole" in text
    assert "50%, cut 50%" in text
    table = pyarrow.csv.read_csv(tmp_path / "site" / "board.csv").to_pylist()
    shares = {(row["whole"], row["cut"], row["dropped"]) for row in table}
    assert shares == {(1, 0, 0), (0.5, 0.5, 0), (0, 0, 1), (None, None, None)}
    assert {row["set_aside"] for row in table if row["dropped"] == 1} == {REASON}
