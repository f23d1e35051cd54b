"""A round over real papers: what a stranger would look for in its items."""

import re
import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from vivavoce.corpus import ingest
from vivavoce.rounds import Round
from vivavoce.tasks import build_round
from vivavoce.tasks.writing.demonstrations import Kinship
from vivavoce.tasks.writing.inputs import (
    DEMONSTRATED,
    SECTION_TASKS,
    SETTINGS,
    TASKS,
    PaperText,
    gold,
    gold_paragraphs,
    is_long,
    paper_from_row,
    shown_demos,
    slots,
)
from vivavoce.text.dates import earlier
from vivavoce.text.normalise import normalise_title

pytestmark = pytest.mark.data

EVERY = 5
"""One TEI file in so many: a round of all takes too long for a test."""


@pytest.fixture(scope="module")
def real(data_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Round:
    folder = tmp_path_factory.mktemp("real")
    (folder / "tei").mkdir()
    files = sorted((data_dir / "tei").glob("*.tei.xml"))
    for path in files[::EVERY]:
        shutil.copy(path, folder / "tei")
    ingest("tei", folder / "tei", folder / "corpus")
    ingest("metadata", data_dir / "tei" / "index.jsonl", folder / "corpus")
    ingest("unarxive", data_dir / "fulltext", folder / "corpus")
    window = {"start": "2007-01-01", "end": "2026-01-01"}
    head = {"id": "real", "window": window, "families": ["writing"]}
    spec = {"round": head, "writing": {"settings": list(SETTINGS)}}
    return build_round(folder / "corpus", spec, folder / "rounds")


@pytest.fixture(scope="module")
def papers(real: Round) -> dict[str, PaperText]:
    table = pq.read_table(pa.BufferReader(real.read_file("writing", "papers.parquet")))
    return {row["paper_id"]: paper_from_row(row) for row in table.to_pylist()}


@pytest.mark.parametrize("task", SECTION_TASKS)
def test_no_gold_stands_in_an_input(real: Round, papers: dict[str, PaperText], task: str) -> None:
    for row in real.items("writing", task):
        paper = papers[row["paper_id"]]
        assert row["reference"] == gold(task, paper.title, paper.abstract, paper.sections)
        own = [normalise_title(text) for text in gold_paragraphs(task, paper.sections)]
        own = [text for text in own if is_long(text)]
        assert own
        for setting in row["settings"]:
            shown = normalise_title("\n".join(slots(task, setting, paper).values()))
            assert not [text for text in own if text in shown], (row["id"], setting)


@pytest.mark.parametrize("task", SECTION_TASKS)
def test_a_gold_section_is_text_without_the_headings_of_other_sections(
    real: Round, papers: dict[str, PaperText], task: str
) -> None:
    for row in real.items("writing", task):
        words = row["reference"].split()
        assert 40 <= len(words) < 3_500
        assert sum(len(word) == 1 for word in words) < 0.3 * len(words)
        tops = [s.number for s in papers[row["paper_id"]].sections if s.role == task and s.number]
        for number in re.findall(r"^(\d+)(?:\.\d+)+ [A-Z]", row["reference"], re.M):
            assert number in {top.split(".")[0] for top in tops}, row["id"]


@pytest.mark.parametrize("task", TASKS)
def test_demonstrations_are_earlier_works_by_others_with_the_same_gold(
    real: Round, papers: dict[str, PaperText], task: str
) -> None:
    for row in real.items("writing", task):
        target = papers[row["paper_id"]]
        for setting in set(row["settings"]) & set(DEMONSTRATED):
            assert shown_demos(row, setting)
        for name in shown_demos(row, "mixed"):
            demonstration = papers[name]
            assert earlier(demonstration.published, target.published)
            assert Kinship().between(target, demonstration) is None
            assert gold(task, demonstration.title, demonstration.abstract, demonstration.sections)
