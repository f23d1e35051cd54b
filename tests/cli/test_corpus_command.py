"""viva corpus stats, verify and export."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

Viva = Callable[..., Result]


def test_stats_are_counts_for_people_or_one_json_document(viva: Viva, sample: Path) -> None:
    printed = viva("corpus", "stats", "--corpus", sample)
    assert printed.exit_code == 0
    assert "    papers: 40" in printed.stdout.splitlines()
    stats = json.loads(viva("corpus", "stats", "--corpus", sample, "--json").stdout)
    assert stats["tables"]["papers"] == 40
    assert stats["gates"]["undated"] == 1


def test_a_sound_corpus_is_0_and_a_damaged_one_1_naming_the_file(viva: Viva, sample: Path) -> None:
    sound = viva("corpus", "verify", "--corpus", sample)
    assert (sound.exit_code, sound.stdout) == (0, f"{sample} is sound\n")
    path = sample / "tables" / "papers" / "000000000000.parquet"
    path.write_bytes(path.read_bytes()[:500])
    damaged = viva("corpus", "verify", "--corpus", sample)
    assert damaged.exit_code == 1
    assert str(path) in damaged.stdout
    report = viva("corpus", "verify", "--corpus", sample, "--json")
    assert report.exit_code == 1
    assert json.loads(report.stdout)["sound"] is False
    read = viva("corpus", "stats", "--corpus", sample)
    assert read.exit_code == 1
    assert str(path) in read.stderr
    assert viva("ingest", "sample", "40", "--corpus", sample).exit_code == 0
    assert viva("corpus", "verify", "--corpus", sample).exit_code == 0


def test_an_export_prints_where_it_wrote(viva: Viva, sample: Path, tmp_path: Path) -> None:
    out = tmp_path / "new" / "papers.jsonl"
    command = ("corpus", "export", "papers", "--corpus", sample, "--out", out)
    assert viva(*command).stdout == f"{out}: 40 rows\n"
    assert json.loads(viva(*command, "--json").stdout) == {
        "table": "papers",
        "rows": 40,
        "out": str(out),
    }
    assert len(out.read_text().splitlines()) == 40


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["stats", "--corpus", "missing"], "viva ingest KIND WHERE --corpus missing"),
        (["verify", "--corpus", "."], "is not a corpus"),
        (["export", "papers", "--corpus", "sample", "--out", "x.csv"], ".jsonl or .parquet"),
        (["export", "poems", "--corpus", "sample", "--out", "x.jsonl"], "'poems'"),
    ],
)
def test_wrong_use_is_2(
    viva: Viva, sample: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], said: str
) -> None:
    monkeypatch.chdir(sample.parent)
    result = viva("corpus", *words)
    assert (result.exit_code, result.stdout) == (2, "")
    assert said in result.stderr
