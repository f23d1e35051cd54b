"""Rounds exported: to Hugging Face's own reader, and to ids and back."""

import importlib.util
import json
import os
import subprocess
import sys
from datetime import date
from pathlib import Path
from uuid import UUID

import pyarrow.parquet as pq
import pytest
import yaml
from tests.rounds.titles_family import BUILDERS, build, corpus_of, follow, spec_of

from vivavoce.corpus import Corpus, ingest, load_corpus
from vivavoce.errors import DamagedError, InputError, StaleError, VivaError
from vivavoce.rounds import Round, load_round
from vivavoce.rounds.export import export_round, is_ids_export, rebuild_round
from vivavoce.rounds.reading import write_reveal
from vivavoce.store import hash_tree, read_jsonl, write_jsonl, write_sealed
from vivavoce.tasks import build_round

WINDOW = {"start": "2023-07-01", "end": "2025-01-01"}
FROM = {"writing": "A paper on writing (2025)", "leaderboards": "A paper on boards (2024)"}
TITLES = {"titles": "A paper on titles (2023)"}
PAPERS = {f"a{n:02}": ("2023-02-01", ["Ada"]) for n in range(16)}
JANUARY, FEBRUARY = date(2024, 1, 1), date(2024, 2, 1)
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
    """A round of two families of the house."""
    spec = {
        "round": {"id": "given", "window": WINDOW, "families": ["leaderboards", "writing"]},
        "writing": {"splits": [0.5, 0.25, 0.25]},
    }
    return build_round(sample, spec, tmp_path_factory.mktemp("given"))


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """Sixteen papers."""
    return corpus_of(tmp_path_factory.mktemp("titles"), PAPERS)


@pytest.fixture(scope="module")
def small(corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Round:
    """A round of their titles, in no time."""
    return build(corpus, spec_of(JANUARY), tmp_path_factory.mktemp("rounds"))


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
    _, header, text = (folder / "README.md").read_text("utf-8").split("---\n", 2)
    header_fields = yaml.safe_load(header)
    assert header_fields["license"] == "other"
    first, *others = header_fields["configs"]
    assert first["default"]
    assert not any("default" in config for config in others)
    for config in header_fields["configs"]:
        for file in config["data_files"]:
            assert len(pq.read_table(folder / file["path"])) > 0
    names = [config["config_name"] for config in header_fields["configs"]]
    assert names[: len(items_of(opened))] == list(items_of(opened))
    assert "## Licences" in text.replace("### ", "## ")
    assert f"@misc{{vivavoce-{opened.id}" in text
    assert "- writing: A paper on writing (2025)" in text
    assert opened.sha256 in text
    # A benchmark on the hub has a task for each table of items.
    benchmark = yaml.safe_load((folder / "eval.yaml").read_text("utf-8"))
    assert [task["id"] for task in benchmark["tasks"]] == list(items_of(opened))
    assert {task["split"] for task in benchmark["tasks"]} == {"test"}
    # The first half of the manifest's hash, cut as identifiers are.
    assert f"canary {UUID(opened.sha256[:32])}`" in text


@pytest.mark.parametrize(("papers", "size"), [(50, "n<1K"), (500, "1K<n<10K")])
def test_the_card_says_how_many_rows_there_are(tmp_path: Path, papers: int, size: str) -> None:
    many = corpus_of(tmp_path, {f"a{n:03}": ("2023-02-01", ["Ada"]) for n in range(papers)})
    made = build(many, spec_of(JANUARY), tmp_path / "rounds")
    folder = export_round(made, tmp_path / "hf", "hf", TITLES)
    # Each paper is an item, and a row of the file of papers beside the items.
    header = yaml.safe_load((folder / "README.md").read_text("utf-8").split("---\n")[1])
    assert header["size_categories"] == [size]


@pytest.mark.parametrize("form", ["hf", "ids"])
def test_the_same_round_gives_the_same_bytes_and_nothing_is_written_over(
    small: Round, corpus: Corpus, tmp_path: Path, form: str
) -> None:
    first = export_round(small, tmp_path / "one", form, TITLES, corpus)
    second = export_round(small, tmp_path / "two", form, TITLES, corpus)
    assert hash_tree(first) == hash_tree(second)
    export_round(small, first, form, TITLES, corpus)
    (second / "mine.txt").write_text("keep")
    with pytest.raises(VivaError, match="has other content"):
        export_round(small, second, form, TITLES, corpus)
    assert (second / "mine.txt").read_text() == "keep"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one", "two"]


def test_an_unknown_format_another_corpus_and_a_damaged_round(
    small: Round, sample: Corpus, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match="There are: hf, ids"):
        export_round(small, tmp_path / "x", "csv", TITLES)
    with pytest.raises(InputError, match="is not the corpus that round live was built from"):
        export_round(small, tmp_path / "x", "ids", TITLES, sample)
    copy = tmp_path / "live"
    copy.mkdir()
    (copy / "manifest.json").write_bytes((small.folder / "manifest.json").read_bytes())
    with pytest.raises(VivaError, match="cannot be exported"):
        export_round(load_round(copy), tmp_path / "x", "hf", TITLES)


def test_a_sealed_round_is_exported_once_it_is_revealed(corpus: Corpus, tmp_path: Path) -> None:
    shut = build(corpus, spec_of(JANUARY, sealed=True), tmp_path / "rounds")
    with pytest.raises(VivaError, match="is sealed"):
        export_round(shut, tmp_path / "ids", "ids", TITLES)
    write_reveal(shut, tmp_path / "rounds")
    export_round(shut, tmp_path / "ids", "ids", TITLES)
    again = rebuild_round(tmp_path / "ids", corpus, BUILDERS, tmp_path / "again")
    assert (tmp_path / "again" / "live.sealed.json").exists()
    assert again.sha256 == shut.sha256


def test_ids_without_a_text_and_the_papers_give_the_round_to_the_byte(
    opened: Round, sample: Corpus, tmp_path: Path
) -> None:
    ids = export_round(opened, tmp_path / "ids", "ids", FROM, sample)
    assert is_ids_export(ids)
    assert not is_ids_export(opened.folder)
    shown = "".join(path.read_text("utf-8") for path in sorted(ids.iterdir())).casefold()
    texts = [section.text for _, sections in sample.sections() for section in sections]
    texts += [text for paper in sample.papers for text in (paper.title, paper.abstract) if text]
    assert len(texts) > 100
    for text in texts:
        words = text.casefold().split()
        assert " ".join(words[:6]) not in shown or len(words) < 4, text
    built = build_round(sample, ids, tmp_path / "rounds")
    assert built.folder == tmp_path / "rounds" / "given"
    assert hash_tree(built.folder) == hash_tree(opened.folder)
    assert sorted(path.name for path in (tmp_path / "rounds").iterdir()) == [".lock", "given"]


@pytest.fixture
def ids(small: Round, corpus: Corpus, tmp_path: Path) -> Path:
    return export_round(small, tmp_path / "ids", "ids", TITLES, corpus)


@pytest.mark.parametrize(("papers", "more"), [(6, ""), (4, " and 2 more")])
def test_papers_that_lack_are_named(ids: Path, tmp_path: Path, papers: int, more: str) -> None:
    other = corpus_of(tmp_path / "smaller", {name: PAPERS[name] for name in list(PAPERS)[:papers]})
    gone = sorted(PAPERS)[papers:]
    with pytest.raises(VivaError, match="differs from its export") as error:
        rebuild_round(ids, other, BUILDERS, tmp_path / "again")
    named = f"{16 - papers} papers are missing: {', '.join(gone[:10])}{more}\n"
    assert named in str(error.value)
    assert "It was built by" not in str(error.value)  # this version did
    listed = json.loads((tmp_path / "again" / "live.differences.json").read_text())
    assert listed["lacking"] == gone
    assert not (tmp_path / "again" / "live").exists()


def test_without_a_list_of_papers_those_of_items_are_named(small: Round, tmp_path: Path) -> None:
    folder = export_round(small, tmp_path / "ids", "ids", TITLES)
    other = corpus_of(tmp_path / "other", {n: day for n, day in PAPERS.items() if n != "a02"})
    with pytest.raises(VivaError, match="1 papers are missing: a02\n"):
        rebuild_round(folder, other, BUILDERS, tmp_path / "again")


def test_a_paper_with_another_text_is_named_with_the_files_it_changes(
    ids: Path, tmp_path: Path
) -> None:
    folder = corpus_of(tmp_path / "changed", PAPERS).folder
    write_jsonl(tmp_path / "row.jsonl", [{"id": "a03", "title": "Quite another title"}])
    ingest("metadata", tmp_path / "row.jsonl", folder)
    with pytest.raises(VivaError, match=r"1 papers have another text.* a03"):
        rebuild_round(ids, load_corpus(folder), BUILDERS, tmp_path / "again")
    listed = json.loads((tmp_path / "again" / "live.differences.json").read_text())
    assert (listed["differing"], listed["lacking"], listed["surplus"]) == (["a03"], [], [])
    assert "titles/first.parquet" in listed["files"]


def test_an_export_that_was_changed_is_refused(ids: Path, corpus: Corpus, tmp_path: Path) -> None:
    (ids / "rows.jsonl").write_text("")
    with pytest.raises(DamagedError, match=r"rows\.jsonl is missing or differs"):
        rebuild_round(ids, corpus, BUILDERS, tmp_path / "again")
    write_sealed(ids / "export.json", {"format": 9})
    with pytest.raises(InputError, match="is not an export of ids"):
        rebuild_round(ids, corpus, BUILDERS, tmp_path / "again")


def test_another_round_of_the_name_is_not_written_over(
    ids: Path, corpus: Corpus, tmp_path: Path
) -> None:
    other = build(corpus, spec_of(FEBRUARY), tmp_path / "again")
    with pytest.raises(VivaError, match="is another round of that name"):
        rebuild_round(ids, corpus, BUILDERS, tmp_path / "again")
    assert load_round(other.folder).sha256 == other.sha256


def test_a_round_that_follows_from_another_one_is_rebuilt_after_it(tmp_path: Path) -> None:
    new = {"b1": ("2024-01-02", ["Ada"])}
    corpus = corpus_of(tmp_path, PAPERS | new)
    first = build(corpus, spec_of(JANUARY, keep_days=31, anchors=2), tmp_path / "rounds")
    done = follow(first, corpus, FEBRUARY)
    assert done.is_new
    for made in (first, done.round):
        folder = export_round(made, tmp_path / made.id, "ids", TITLES, corpus)
        files = {row["file"] for _, row in read_jsonl(folder / "rows.jsonl")}
        assert {path.rpartition("/")[0] for path in files} == {"titles"}
    again = tmp_path / "again"
    with pytest.raises(StaleError, match="follows from live"):
        rebuild_round(tmp_path / done.round.id, corpus, BUILDERS, again)
    rebuild_round(tmp_path / "live", corpus, BUILDERS, again)
    rebuilt = rebuild_round(tmp_path / done.round.id, corpus, BUILDERS, again)
    assert hash_tree(rebuilt.folder) == hash_tree(done.round.folder)
