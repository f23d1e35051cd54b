"""Another time, another zone, a day that is not in every year.

The commands run in processes whose clock is moved, and which stand in other time zones.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from vivavoce.corpus import ingest
from vivavoce.store import hash_tree
from vivavoce.tasks import build_round

pytestmark = pytest.mark.slow

MOVED = """
import datetime, sys, time
import pandas, pyarrow.parquet  # compiled against the true class, which they must have seen
by, real = float(sys.argv[1]), time.time

class Moved(datetime.datetime):
    @classmethod
    def now(cls, tz=None):
        return cls.fromtimestamp(real() + by, tz)

time.time = lambda: real() + by
time.time_ns = lambda: int((real() + by) * 1e9)
datetime.datetime = Moved
from vivavoce.cli import app
app(sys.argv[2:])
"""
DAY = 86_400
PLACES = {
    "two days ahead on the first island of the day": (2 * DAY, "Pacific/Kiritimati"),
    "before any paper was written on the last": (-40 * 365 * DAY, "Etc/GMT+12"),
}
SPEC = """
[round]
id = "leap"
families = ["writing"]
window = {start = 2024-02-01, end = 2024-02-29}
"""
DAYS = ("2024-02-27", "2024-02-28", "2024-02-29", "2024-03-01", "2023-02-29")
WORDS = "Some words on what comes once in four years, and on what is done about it. " * 20
PAPER = """<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><fileDesc><titleStmt>
<title level="a" type="main">The matter of day {day}</title></titleStmt></fileDesc>
<profileDesc><abstract><p>{words}</p></abstract></profileDesc></teiHeader>
<text><body><div><head>Introduction</head><p>{words}</p></div><div><head>Method</head><p>{words}</p>
</div></body></text></TEI>"""


def viva_at(place: tuple[float, str], *words: object) -> None:
    by, zone = place
    command = [sys.executable, "-c", MOVED, str(by), *map(str, words)]
    environment = {**os.environ, "TZ": zone}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def spec(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("spec") / "spec.toml"
    path.write_text(
        SPEC.replace("2024-02-29", "2025-01-01").replace("2024-02-01", "2023-07-01"), "utf-8"
    )
    return path


@pytest.fixture(scope="module")
def expected(spec: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("expected")
    ingest("sample", Path("30"), folder / "c")
    build_round(folder / "c", spec, folder / "rounds")
    return hash_tree(folder)


@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES)
def test_neither_clock_nor_time_zone_is_in_a_corpus_or_a_round(
    expected: dict[str, str], spec: Path, tmp_path: Path, place: tuple[float, str]
) -> None:
    viva_at(place, "ingest", "sample", "30", "--corpus", tmp_path / "c")
    viva_at(place, "round", "build", spec, "--corpus", tmp_path / "c", "--out", tmp_path / "rounds")
    assert hash_tree(tmp_path) == expected


def test_a_leap_day_is_a_day_like_others(tmp_path: Path) -> None:
    folder, listed = tmp_path / "tei", tmp_path / "m.jsonl"
    folder.mkdir()
    rows = []
    for day in DAYS:
        (folder / f"{day}.tei.xml").write_text(PAPER.format(day=day, words=WORDS), "utf-8")
        rows.append({"id": day, "title": f"The matter of day {day}", "published": day})
    listed.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    ingest("tei", folder, tmp_path / "c")
    ingest("metadata", listed, tmp_path / "c")
    (tmp_path / "spec.toml").write_text(SPEC, "utf-8")
    built = build_round(tmp_path / "c", tmp_path / "spec.toml", tmp_path / "rounds")
    # The end of a window is the first day after it; no calendar has 29 February 2023.
    found = {row["published"] for row in built.items("writing", "title")}
    assert found == {"2024-02-27", "2024-02-28"}
    longer = tmp_path / "longer.toml"
    longer.write_text(SPEC.replace("2024-02-29", "2024-03-01").replace("leap", "longer"), "utf-8")
    built = build_round(tmp_path / "c", longer, tmp_path / "rounds")
    assert {row["published"] for row in built.items("writing", "title")} == {*DAYS[:3]}
