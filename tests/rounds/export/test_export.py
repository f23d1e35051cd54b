"""Rounds exported: to Hugging Face's own reader, and to ids and back."""

import importlib.util
import json
import os
import subprocess
import sys
from datetime import date
from pathlib import Path
from typing import Any
from uuid import UUID

import pyarrow.parquet as pq
import pytest
import yaml
from tests.rounds.titles_family import BUILDERS, build, corpus_of, spec_of

from vivavoce.corpus import Corpus, ingest, load_corpus
from vivavoce.errors import DamagedError, InputError, StaleError, VivaError
from vivavoce.rounds import Round, load_round
from vivavoce.rounds.export import export_round, is_ids_export, rebuild_round
from vivavoce.rounds.reading import write_reveal
from vivavoce.rounds.updating import update_round
from vivavoce.store import hash_tree, read_jsonl, write_sealed
from vivavoce.tasks import build_round, builders

WINDOW = {"start": "2023-07-01", "end": "2025-01-01"}
FROM = {"writing": "A paper on writing (2025)", "leaderboards": "A paper on boards (2024)"}
READ_ALL = """
import json, sys
import datasets
found = {}
for name in datasets.get_dataset_config_names(sys.argv[1]):
    splits = datasets.load_dataset(sys.argv[1], name)
    found[name] = {split: rows.to_list() for split, rows in splits.items()}
first = datasets.load_dataset(sys.argv[1])
found[""] = {split: [] for split in first}
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def opened(sample: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Round:
    spec = {
        "round": {"id": "given", "window": WINDOW, "families": ["leaderboards", "writing"]},
        "writing": {"splits": [0.5, 0.25, 0.25]},
    }
    return build_round(sample, spec, tmp_path_factory.mktemp("given"))


def items_of(opened: Round) -> dict[str, int]:
    return {task: len(opened.items(family, task)) for family, task in opened.tasks()}


@pytest.mark.slow
def test_hugging_face_reads_every_table_without_a_network(opened: Round, tmp_path: Path) -> None:
    if importlib.util.find_spec("datasets") is None:
        pytest.skip("datasets is not installed: pip install datasets")
    folder = export_round(opened, tmp_path / "hf", "hf", FROM)
    offline = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "HF_HOME": str(tmp_path / "home")}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", READ_ALL, str(folder)],
        env={**os.environ, **offline},
        capture_output=True,
        text=True,
        timeout=150,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    found = json.loads(done.stdout)
    counts = {name: sum(map(len, splits.values())) for name, splits in found.items()}
    assert {name: counts[name] for name in items_of(opened)} == items_of(opened)
    [of_title] = [found["title"]]
    assert of_title.keys() == {"train", "validation", "test"}
    rows = sorted((row for part in of_title.values() for row in part), key=lambda r: r["id"])
    assert rows == opened.items("writing", "title")
    assert {row["split"] for row in of_title["validation"]} == {"val"}
    papers = found["writing_papers"]["test"]
    assert papers == pq.read_table(opened.folder / "writing" / "papers.parquet").to_pylist()
    assert found[""].keys() == {"test"}  # the first configuration is the default


def test_the_card_names_configurations_licences_and_what_to_cite(
    opened: Round, tmp_path: Path
) -> None:
    folder = export_round(opened, tmp_path / "hf", "hf", FROM)
    _, header, text = (folder / "README.md").read_text().split("---\n", 2)
    header_fields = yaml.safe_load(header)
    assert header_fields["license"] == "other"
    first, *others = header_fields["configs"]
    assert first["default"]
    assert not any("default" in config for config in others)
    for config in header_fields["configs"]:
        for file in config["data_files"]:
            rows = pq.read_table(folder / file["path"])
            assert len(rows) > 0
    names = [config["config_name"] for config in header_fields["configs"]]
    assert names[: len(items_of(opened))] == list(items_of(opened))
    assert "## Licences" in text.replace("### ", "## ")
    assert f"@misc{{vivavoce-{opened.id}" in text
    assert "- writing: A paper on writing (2025)" in text
    assert opened.sha256 in text


@pytest.mark.parametrize(("papers", "size"), [(4, "n<1K"), (499, "n<1K"), (500, "1K<n<10K")])
def test_the_card_says_how_many_rows_there_are(tmp_path: Path, papers: int, size: str) -> None:
    corpus = corpus_of(tmp_path, {f"a{n:03}": ("2023-02-01", ["Ada"]) for n in range(papers)})
    small = build(corpus, spec_of(date(2024, 1, 1)), tmp_path / "rounds")
    folder = export_round(small, tmp_path / "hf", "hf", {"titles": "A paper on titles (2023)"})
    # Each paper is an item, and a row of the file of papers beside the items.
    header = yaml.safe_load((folder / "README.md").read_text().split("---\n")[1])
    assert header["size_categories"] == [size]


@pytest.mark.parametrize("form", ["hf", "ids"])
def test_the_same_round_gives_the_same_bytes_and_nothing_is_written_over(
    opened: Round, sample: Corpus, tmp_path: Path, form: str
) -> None:
    first = export_round(opened, tmp_path / "one", form, FROM, sample)
    second = export_round(opened, tmp_path / "two", form, FROM, sample)
    assert hash_tree(first) == hash_tree(second)
    export_round(opened, first, form, FROM, sample)
    (second / "mine.txt").write_text("keep")
    with pytest.raises(VivaError, match="has other content"):
        export_round(opened, second, form, FROM, sample)
    assert (second / "mine.txt").read_text() == "keep"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one", "two"]


def test_an_unknown_format_another_corpus_and_a_damaged_round(
    opened: Round, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match="There are: hf, ids"):
        export_round(opened, tmp_path / "x", "csv", FROM)
    ingest("sample", Path("12"), tmp_path / "other")
    with pytest.raises(InputError, match="is not the corpus that round given was built from"):
        export_round(opened, tmp_path / "x", "ids", FROM, load_corpus(tmp_path / "other"))
    copy = tmp_path / "given"
    copy.mkdir()
    (copy / "manifest.json").write_bytes((opened.folder / "manifest.json").read_bytes())
    with pytest.raises(VivaError, match="cannot be exported"):
        export_round(load_round(copy), tmp_path / "x", "hf", FROM)


def test_a_sealed_round_is_exported_once_it_is_revealed(sample: Corpus, tmp_path: Path) -> None:
    spec = {"round": {"id": "shut", "window": WINDOW, "families": ["writing"], "sealed": True}}
    shut = build_round(sample, spec, tmp_path / "rounds")
    with pytest.raises(VivaError, match="is sealed"):
        export_round(shut, tmp_path / "ids", "ids", FROM)
    write_reveal(shut, tmp_path / "rounds")
    export_round(shut, tmp_path / "ids", "ids", FROM)
    again = build_round(sample, tmp_path / "ids", tmp_path / "again")
    assert (tmp_path / "again" / "shut.sealed.json").exists()
    assert again.sha256 == shut.sha256


@pytest.fixture
def ids(opened: Round, sample: Corpus, tmp_path: Path) -> Path:
    return export_round(opened, tmp_path / "ids", "ids", FROM, sample)


def test_ids_hold_no_text_of_a_paper(ids: Path, sample: Corpus) -> None:
    held = "".join(path.read_text() for path in sorted(ids.iterdir())).casefold()
    texts = [section.text for _, sections in sample.sections() for section in sections]
    texts += [text for paper in sample.papers for text in (paper.title, paper.abstract) if text]
    assert len(texts) > 100
    for text in texts:
        words = text.casefold().split()
        assert " ".join(words[:6]) not in held or len(words) < 4, text


def test_ids_and_texts_give_the_round_to_the_byte(
    ids: Path, opened: Round, sample: Corpus, tmp_path: Path
) -> None:
    assert is_ids_export(ids)
    assert not is_ids_export(opened.folder)
    built = build_round(sample, ids, tmp_path / "rounds")
    assert built.folder == tmp_path / "rounds" / "given"
    assert hash_tree(built.folder) == hash_tree(opened.folder)
    assert build_round(sample, ids, tmp_path / "rounds").sha256 == opened.sha256
    left = sorted(path.name for path in (tmp_path / "rounds").iterdir())
    assert left == [".lock", "given"]


@pytest.mark.parametrize(("papers", "more"), [(30, ""), (28, " and 2 more")])
def test_papers_that_lack_are_named(
    ids: Path, sample: Corpus, tmp_path: Path, papers: int, more: str
) -> None:
    ingest("sample", Path(str(papers)), tmp_path / "smaller")
    other = load_corpus(tmp_path / "smaller")
    gone = sorted({p.paper_id for p in sample.papers} - {p.paper_id for p in other.papers})
    with pytest.raises(VivaError, match="differs from its export") as error:
        build_round(other, ids, tmp_path / "rounds")
    named = f"{40 - papers} papers are missing: {', '.join(gone[:10])}{more}\n"
    assert named in str(error.value)
    assert "It was built by" not in str(error.value)  # this version did
    listed = json.loads((tmp_path / "rounds" / "given.differences.json").read_text())
    assert listed["lacking"] == gone
    assert not (tmp_path / "rounds" / "given").exists()


def test_without_a_list_of_papers_those_of_items_are_named(tmp_path: Path) -> None:
    papers = {f"a{n}": (f"2023-0{n}-01", ["Ada"]) for n in range(1, 4)}
    made = build(corpus_of(tmp_path, papers), spec_of(date(2024, 1, 1)), tmp_path / "rounds")
    folder = export_round(made, tmp_path / "ids", "ids", FROM)
    other = corpus_of(tmp_path / "other", {name: papers[name] for name in ("a1", "a3")})
    with pytest.raises(VivaError, match="1 papers are missing: a2\n"):
        rebuild_round(folder, other, BUILDERS, tmp_path / "again")


def test_a_paper_with_another_text_is_named_with_the_files_it_changes(
    ids: Path, opened: Round, sample: Corpus, tmp_path: Path
) -> None:
    chosen = opened.items("writing", "title")[0]["paper_id"]
    folder = tmp_path / "changed"
    ingest("sample", Path("40"), folder)
    row = tmp_path / "row.jsonl"
    row.write_text(json.dumps({"id": chosen, "title": "Quite another title"}) + "\n")
    ingest("metadata", row, folder)
    with pytest.raises(VivaError, match="1 papers have another text") as error:
        build_round(folder, ids, tmp_path / "rounds")
    listed = json.loads((tmp_path / "rounds" / "given.differences.json").read_text())
    assert (listed["differing"], listed["lacking"], listed["surplus"]) == ([chosen], [], [])
    assert "writing/title.parquet" in listed["files"]
    assert chosen in str(error.value)


def test_an_export_that_was_changed_is_refused(ids: Path, sample: Corpus, tmp_path: Path) -> None:
    (ids / "rows.jsonl").write_text("")
    with pytest.raises(DamagedError, match=r"rows\.jsonl is missing or differs"):
        build_round(sample, ids, tmp_path / "rounds")
    write_sealed(ids / "export.json", {"format": 9})
    with pytest.raises(InputError, match="is not an export of ids"):
        build_round(sample, ids, tmp_path / "rounds")


def test_another_round_of_the_name_is_not_written_over(
    ids: Path, sample: Corpus, tmp_path: Path
) -> None:
    spec: dict[str, Any] = {"round": {"id": "given", "window": WINDOW, "families": ["writing"]}}
    other = build_round(sample, spec, tmp_path / "rounds")
    with pytest.raises(VivaError, match="is another round of that name"):
        build_round(sample, ids, tmp_path / "rounds")
    assert load_round(tmp_path / "rounds" / "given").sha256 == other.sha256


def test_a_round_that_follows_from_another_one_is_rebuilt_after_it(
    sample: Corpus, tmp_path: Path
) -> None:
    window = {"start": "2023-07-01", "end": "2024-04-01"}
    opening = {"id": "base", "window": window, "families": ["writing"]}
    spec = {"round": opening, "update": {"anchors": 2}}
    first = build_round(sample, spec, tmp_path / "rounds")
    done = update_round(sample, first, builders(), tmp_path / "rounds", date(2025, 1, 1))
    assert done.is_new
    for made in (first, done.round):
        folder = export_round(made, tmp_path / made.id, "ids", FROM, sample)
        files = {row["file"] for _, row in read_jsonl(folder / "rows.jsonl")}
        assert {path.rpartition("/")[0] for path in files} == {"writing"}
    with pytest.raises(StaleError, match="follows from base"):
        build_round(sample, tmp_path / done.round.id, tmp_path / "again")
    build_round(sample, tmp_path / "base", tmp_path / "again")
    again = build_round(sample, tmp_path / done.round.id, tmp_path / "again")
    assert hash_tree(again.folder) == hash_tree(done.round.folder)


def test_a_benchmark_on_the_hub_has_a_task_for_each_table_of_items(
    opened: Round, tmp_path: Path
) -> None:
    folder = export_round(opened, tmp_path / "hf", "hf", FROM)
    found = yaml.safe_load((folder / "eval.yaml").read_text("utf-8"))
    assert [task["id"] for task in found["tasks"]] == list(items_of(opened))
    assert {task["split"] for task in found["tasks"]} == {"test"}
    # The first half of the manifest's hash, cut as identifiers are.
    identifier = UUID(opened.sha256[:32])
    assert f"canary {identifier}`" in (folder / "README.md").read_text("utf-8")
