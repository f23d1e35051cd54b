"""viva corpus stats, verify and export."""

from __future__ import annotations

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


RECORD = {"paper_id": "p1", "title": "A paper", "pdf_parse": {}, "year": None}


@pytest.fixture
def records(viva: Viva, tmp_path: Path) -> Path:
    """A corpus of one record of S2ORC, read beside one that holds a key twice."""
    lines = [json.dumps(RECORD), '{"paper_id": "p2", "paper_id": "p3", "pdf_parse": {}}']
    (tmp_path / "x.jsonl").write_text("\n".join(lines))
    corpus = tmp_path / "records"
    assert viva("ingest", "s2orc", tmp_path / "x.jsonl", "--corpus", corpus).exit_code == 0
    return corpus


def test_records_are_exported_as_they_were_read(viva: Viva, records: Path, tmp_path: Path) -> None:
    out = tmp_path / "new" / "s2orc.jsonl"
    command = ("corpus", "export", "--as", "s2orc", "--corpus", records, "--out", out)
    printed = viva(*command)
    assert (printed.exit_code, printed.stderr) == (0, "")
    assert "x.jsonl:2: the line is not readable JSON" in printed.stdout
    last = printed.stdout.splitlines()[-1]
    assert last == f"{out}: 1 records; 1 could not be read and are not exported"
    assert [json.loads(line) for line in out.read_text().splitlines()] == [RECORD]
    report = json.loads(viva(*command, "--json").stdout)
    (fault,) = report.pop("not_exported")
    assert fault["where"] == "x.jsonl:2"
    assert report == {"as": "s2orc", "records": 1, "out": str(out)}


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["--out", "x.jsonl"], 2, "--as KIND"),
        (["papers", "--as", "s2orc", "--out", "x.jsonl"], 2, "--as KIND"),
        (["--as", "tei", "--out", "x.jsonl"], 2, "academiceval, digestables, s2orc, unarxive"),
        (["--as", "s2orc", "--out", "x.json"], 2, ".jsonl"),
        (["--as", "digestables", "--out", "x.jsonl"], 2, "folder"),
        (["--as", "unarxive", "--out", "x.jsonl"], 1, "viva ingest unarxive WHERE"),
    ],
)
def test_an_export_takes_a_table_or_a_kind(
    viva: Viva,
    records: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: list[str],
    code: int,
    said: str,
) -> None:
    monkeypatch.chdir(records.parent)
    result = viva("corpus", "export", "--corpus", records, *words)
    assert (result.exit_code, result.stdout) == (code, "")
    assert said in " ".join(result.stderr.split())
    assert not (records.parent / "x.json").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["stats", "--corpus", "missing"], "viva ingest KIND WHERE --corpus missing"),
        (["verify", "--corpus", "."], "is not a corpus"),
        (["export", "papers", "--corpus", "sample", "--out", "x.csv"], ".jsonl or .parquet"),
        (["export", "poems", "--corpus", "sample", "--out", "x.jsonl"], "'poems'"),
        (["export", "papers", "--corpus", "sample"], "--out"),
        (["stats"], "--corpus"),
    ],
)
def test_wrong_use_is_2(
    viva: Viva, sample: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], said: str
) -> None:
    monkeypatch.chdir(sample.parent)
    result = viva("corpus", *words)
    assert (result.exit_code, result.stdout) == (2, "")
    assert said in result.stderr
