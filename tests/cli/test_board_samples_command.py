"""`viva board build --samples`: pages of items, where they are linked, and none when not asked."""

from pathlib import Path

import pytest
from lxml import html
from tests.results.audits.made_logs import write_log
from tests.servers.commands import only_json, viva_here


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    folder = tmp_path / "logs"
    for model, value in (("lab/one", 0.2), ("lab/two", 0.6)):
        write_log(folder, dict.fromkeys("abcdef", value), model=model)
    return folder


def test_without_samples_no_text_is_written(logs: Path, tmp_path: Path) -> None:
    out = tmp_path / "site"
    done = viva_here(
        *("board", "build", logs, "--out", out, "--samples", "0", "--resamples", "20", "--json")
    )
    assert only_json(done.stdout)["page"] == str(out / "index.html")
    assert not (out / "samples").exists()
    assert "the gold text" not in (out / "index.html").read_text()


def test_my_own_answers_stand_beside_published_ones(logs: Path, tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    write_log(mine, dict.fromkeys("abcdef", 0.4), model="home/mine")
    out = tmp_path / "site"
    viva_here(
        *("board", "build", logs, "--with", mine, "--out", out, "--samples", "6"),
        *("--resamples", "20"),
    )
    (path,) = out.glob("samples/*/*/a-*.html")
    names = html.fromstring(path.read_bytes()).xpath("//article//h3//bdi/text()")
    assert sorted(names) == ["home/mine", "lab/one", "lab/two"]
