"""viva corpus stats --of boards: what the leaderboards of a corpus hold."""

import json
from collections.abc import Callable
from pathlib import Path

from typer.testing import Result

Viva = Callable[..., Result]


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


def test_an_ingest_of_a_list_tells_how_many_results_are_of_papers(
    viva: Viva, rows: Path, tmp_path: Path
) -> None:
    rows.write_text(json.dumps({"arxiv_id": "2001.00001", "title": "Of graphs"}), encoding="utf-8")
    score = {"task": "T", "dataset": "D", "metric": "F1", "score": 1}
    urls = ("https://arxiv.org/abs/2001.00001", "https://example.org/other")
    path = tmp_path / "pwc.jsonl"
    lines = [json.dumps(score | {"method": url, "paper_url": url}) for url in urls]
    path.write_text("\n".join(lines))
    corpus = tmp_path / "c"
    viva("ingest", "metadata", rows, "--corpus", corpus)
    printed = viva("ingest", "pwc", path, "--corpus", corpus).stdout.splitlines()
    assert printed[-3].startswith("The corpus now has 1 papers")
    assert printed[-2] == "2 results come from pwc; 1 belong to papers of the corpus."
    report = json.loads(viva("ingest", "pwc", path, "--corpus", corpus, "--json").stdout)
    assert (report["results"], report["results_of_papers"]) == (2, 1)
