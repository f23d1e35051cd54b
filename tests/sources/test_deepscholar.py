"""DeepScholar-Bench: its two files become a round of the open track."""

import csv
from pathlib import Path
from typing import Any

from tests.servers.commands import only_json, viva_here
from tests.tasks.writing.corpora import words

from vivavoce.tasks.lookup import create_task

PAPER = {
    "arxiv_id": "2506.00001v1",
    "arxiv_link": "http://arxiv.org/abs/2506.00001v1",
    "publication_date": "2025-06-02 09:00:00+00:00",
    "title": "Reading Papers\n  With Otters",
    "abstract": "We let otters read. " + words("summary", 60),
    "raw_latex_related_works": "",
    "clean_latex_related_works": r"\paragraph{Otters} They read~\cite{weir,lim}, \emph{slowly} "
    r"\citep[see][]{nobody}. " + words("earlier", 50) + r" So do beavers \citet{ott}.",
    "pdf_related_works": "",
}
CITED = (
    ("weir", "How Otters Sleep", "http://arxiv.org/abs/1905.00001v2", "Otters sleep.", "2020.0"),
    ("lim", "What Otters Do at Noon", "", "Otters rest at noon.", "2021.0"),
    ("ott", "Beavers and Their Dams", "", "", ""),
    ("again", "how otters SLEEP", "http://arxiv.org/abs/1905.00001", "Otters sleep.", "2020.0"),
    ("none", "", "", "", ""),
)
COLUMNS = (
    "citation_shorthand",
    "cited_paper_title",
    "cited_paper_arxiv_link",
    "cited_paper_abstract",
    "bib_paper_year",
)
SPEC = """
[round]
id = "deepscholar"
window = { start = "2025-01-01", end = "2026-01-01" }
families = ["writing"]

[writing]
settings = ["title_only", "open"]
"""


def write(path: Path, rows: list[dict[str, Any]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def files(folder: Path, *papers: dict[str, Any]) -> Path:
    folder.mkdir(parents=True)
    write(folder / "related_works_combined.csv", [PAPER, *papers])
    # The two files may name other versions of a paper.
    parents = ["2506.00001v1", "2506.00001", "2506.00001v2", "2506.00001v1", "2506.00001v1"]
    write(
        folder / "citations.csv",
        [
            {"parent_paper_arxiv_id": parent, **dict(zip(COLUMNS, row, strict=True))}
            for parent, row in zip(parents, CITED, strict=True)
        ],
    )
    return folder


def test_the_files_become_a_round_of_the_open_track(tmp_path: Path) -> None:
    corpus = tmp_path / "c"
    viva_here("ingest", "deepscholar", files(tmp_path / "in"), "--corpus", corpus)
    (tmp_path / "spec.toml").write_text(SPEC)
    made = ("--corpus", corpus, "--out", tmp_path)
    viva_here("round", "build", tmp_path / "spec.toml", *made)
    where = {"round": str(tmp_path / "deepscholar"), "track": "open"}
    [sample] = create_task("related_work", where).dataset
    assert sample.id == "arxiv:2506.00001"
    assert "Reading Papers With Otters" in str(sample.input)
    # The number of a citation is its reference's; a key that is in no row is not printed.
    assert "They read [1, 2], slowly" in str(sample.target)
    assert "So do beavers [3]." in str(sample.target)
    assert "\\" not in str(sample.target)
    metadata = sample.metadata or {}
    assert sorted(metadata["works"]) == sorted(row[1] for row in CITED[:3])
    # Two of the works are papers with an abstract: one by its preprint, one by its title.
    assert {name for name in metadata["work_ids"] if name} == {
        "arxiv:1905.00001",
        "deepscholar:title:what otters do at noon",
    }
    assert len(metadata["cited"]) == 2


def test_a_row_that_is_no_paper_is_a_fault_and_the_others_go_in(tmp_path: Path) -> None:
    no_id, no_text = {**PAPER, "arxiv_id": "otters"}, {**PAPER, "arxiv_id": "2506.00002"}
    no_text["clean_latex_related_works"] = " "
    folder = files(tmp_path / "in", no_id, no_text)
    done = viva_here("ingest", "deepscholar", folder, "--corpus", tmp_path / "c", "--json")
    report = only_json(done.stdout)
    assert report["papers"] == 3
    assert [(one["where"].partition(":")[0], one["reason"]) for one in report["failed"]] == [
        ("related_works_combined.csv", "the row has no arXiv id in the column arxiv_id"),
        (
            "related_works_combined.csv",
            "the row has no text in the column clean_latex_related_works",
        ),
    ]


def test_papers_without_the_file_of_citations_are_not_read(tmp_path: Path) -> None:
    folder = files(tmp_path / "in")
    (folder / "citations.csv").unlink()
    done = viva_here("ingest", "deepscholar", folder, "--corpus", tmp_path / "c", expect=1)
    assert "citations.csv cannot be read: No such file" in done.stdout
