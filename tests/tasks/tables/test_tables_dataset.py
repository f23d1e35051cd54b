"""Samples of a hand-built round: what they show in each setting, and what they keep back."""

import json
from typing import Any

import pytest
from inspect_ai.dataset import Sample
from tests.tasks.samples import samples_of
from tests.tasks.tables.table_rounds import (
    ITEM,
    PARSERS,
    PARSING,
    round_of,
    score_of,
)

from vivavoce.errors import InputError
from vivavoce.readers import LibraryPaper, LibrarySection, LibraryTable
from vivavoce.rounds import Round
from vivavoce.tasks.tables.item import PoolText, full_text, read_pool


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Round:
    return round_of(tmp_path_factory.mktemp("dataset"))


def sample_of(opened: Round, setting: str = "base") -> Sample:
    found = samples_of("table", opened, setting=setting)
    return next(sample for sample in found if sample.id == ITEM)


def metadata_of(sample: Sample) -> dict[str, Any]:
    assert sample.metadata is not None
    return sample.metadata


def test_the_pool_stands_under_labels_and_the_gold_is_written_in_them(opened: Round) -> None:
    sample = sample_of(opened)
    pool = metadata_of(sample)["pool"]
    assert [one["label"] for one in pool] == [f"P{n}" for n in range(1, 10)]
    ids = {one["label"]: one["paper_id"] for one in pool}
    gold = json.loads(str(sample.target))
    assert [ids[label] for label in gold["papers"]] == list(PARSERS)
    assert gold["columns"] == ["Treebank", "F1"]
    assert gold["rows"][3]["cells"] == {"Treebank": "damson", "F1": score_of(3)}


def test_the_question_lists_the_pool_and_gives_no_value_away(opened: Round) -> None:
    sample = sample_of(opened)
    metadata = metadata_of(sample)
    assert sample.input == metadata["question"]
    start, end = metadata["spans"]["demand"]
    assert str(sample.input)[start:end] == metadata["demand"]
    start, end = metadata["spans"]["papers"]
    listed = str(sample.input)[start:end].splitlines()
    pool = metadata["pool"]
    assert listed == [f"{one['label']} [{one['paper_id']}] {one['title']}" for one in pool]
    for secret in ("Treebank", "apple", score_of(0), PARSING, "Work on parsing"):
        assert secret not in str(sample.input)
    # What a log says of a sample, beside its target, gives as little away.
    assert score_of(0) not in json.dumps(metadata)


def test_texts_are_read_from_the_round_and_not_kept_in_the_sample(opened: Round) -> None:
    metadata = metadata_of(sample_of(opened))
    assert all("text" not in one for one in metadata["pool"])
    ids = [one["paper_id"] for one in metadata["pool"]]
    texts = dict(zip(ids, (one.text for one in read_pool(metadata)), strict=True))
    assert texts[PARSERS[1]] == (
        "Introduction\n\nWe train on the banana treebank. The parser has an F1 of 82.5."
    )


@pytest.mark.parametrize(
    ("setting", "abstracts", "texts"),
    [("base", True, True), ("abstracts", True, False), ("titles", False, False)],
)
def test_a_setting_shows_its_own(opened: Round, setting: str, abstracts: bool, texts: bool) -> None:
    metadata = metadata_of(sample_of(opened, setting))
    pool = read_pool(metadata)
    assert all(bool(one.abstract) == abstracts for one in pool)
    assert all(bool(one.text) == texts for one in pool)
    # Methods with tools find no more than the others are shown.
    assert bool(metadata["library"]["papers"]) == texts
    assert metadata["library"]["hidden_papers"] == [PARSING]


def test_texts_that_a_pool_has_already_are_taken() -> None:
    pool = [{"label": "P1", "title": "T", "abstract": None, "text": "Given."}]
    assert read_pool({"pool": pool}) == [PoolText("P1", "T", "", "Given.")]


def test_a_text_is_sections_then_tables() -> None:
    paper = LibraryPaper(
        "a",
        "A",
        None,
        "Not repeated.",
        (LibrarySection("1 Start", "It begins."), LibrarySection(None, " ")),
        (LibraryTable("Table 1: Sizes.", (("Name", "Size"), ("Ash", "3"))),),
    )
    assert full_text(paper) == "1 Start\n\nIt begins.\n\nTable 1: Sizes.\nName | Size\nAsh | 3"
    assert full_text(LibraryPaper("a", "A", None, None, (), ())) == ""


def test_a_round_without_the_setting_says_so(opened: Round) -> None:
    with pytest.raises(InputError, match="no setting 'other'"):
        sample_of(opened, "other")
