"""viva corpus stats, verify and export."""

import json
from collections.abc import Callable
from pathlib import Path

from typer.testing import Result

Viva = Callable[..., Result]


def test_stats_are_counts_for_people_or_one_json_document(viva: Viva, sample: Path) -> None:
    printed = viva("corpus", "stats", "--corpus", sample)
    assert printed.exit_code == 0
    assert "    papers: 24" in printed.stdout.splitlines()
    stats = json.loads(viva("corpus", "stats", "--corpus", sample, "--json").stdout)
    assert stats["tables"]["papers"] == 24
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
    assert viva("ingest", "sample", "24", "--corpus", sample).exit_code == 0
    assert viva("corpus", "verify", "--corpus", sample).exit_code == 0


def test_an_export_prints_where_it_wrote(viva: Viva, sample: Path, tmp_path: Path) -> None:
    out = tmp_path / "new" / "papers.jsonl"
    command = ("corpus", "export", "papers", "--corpus", sample, "--out", out)
    assert viva(*command).stdout == f"{out}: 24 rows\n"
    assert json.loads(viva(*command, "--json").stdout) == {
        "table": "papers",
        "rows": 24,
        "out": str(out),
    }
    assert len(out.read_text().splitlines()) == 24


# Boards


def test_boards_of_the_sample_are_counted(viva: Viva, sample: Path) -> None:
    found = json.loads(
        viva("corpus", "stats", "--of", "boards", "--corpus", sample, "--json").stdout
    )
    stats = json.loads(viva("corpus", "stats", "--corpus", sample, "--json").stdout)
    # The sample's results are all of its own papers: one board a topic.
    assert found["all"] == found["mapped"]
    assert found["all"]["results"] == stats["tables"]["results"] > 0
    assert found["all"]["boards"] == found["all"]["datasets"] > 1
    assert sum(found["all"]["tasks_by_area"].values()) >= found["all"]["tasks"]
    printed = viva("corpus", "stats", "--of", "boards", "--corpus", sample)
    assert printed.exit_code == 0
    assert f"    boards: {found['all']['boards']}" in printed.stdout.splitlines()


def test_an_ingest_counts_the_results_of_papers(viva: Viva, tmp_path: Path) -> None:
    rows = tmp_path / "rows.jsonl"
    rows.write_text(json.dumps({"arxiv_id": "2001.00001", "title": "Of graphs"}), encoding="utf-8")
    score = {"task": "T", "dataset": "D", "metric": "F1", "score": 1}
    urls = ("https://arxiv.org/abs/2001.00001", "https://example.org/other")
    path = tmp_path / "pwc.jsonl"
    lines = [json.dumps(score | {"method": url, "paper_url": url}) for url in urls]
    path.write_text("\n".join(lines))
    corpus = tmp_path / "c"
    viva("ingest", "metadata", rows, "--corpus", corpus)
    printed = viva("ingest", "pwc", path, "--corpus", corpus).stdout.splitlines()
    assert "2 results come from pwc; 1 belong to papers of the corpus." in printed
    report = json.loads(viva("ingest", "pwc", path, "--corpus", corpus, "--json").stdout)
    assert (report["results"], report["results_of_papers"]) == (2, 1)
