"""Model cutoffs: which entry a name finds, and what a date says about an item."""

from collections.abc import Mapping
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from inspect_ai import Task
from inspect_ai.dataset import MemoryDataset, Sample

from vivavoce.errors import InputError
from vivavoce.models.cutoffs import (
    VARIABLE,
    Cutoff,
    clean_items,
    load_cutoffs,
    status_of,
    take_clean,
)

OCTOBER = Cutoff("lab/one", "2023-10")
ITEMS: list[dict[str, Any]] = [
    {"id": "old", "published": "2023-01-05"},
    {"id": "near", "published": "2023-11-15"},
    {"id": "new", "published": "2024-03-01"},
    {"id": "undated", "published": None},
]
DAYS = st.dates(date(1990, 1, 1), date(2040, 1, 1)).map(lambda day: day.isoformat())


@pytest.mark.parametrize(
    ("published", "status"),
    [
        ("2023-09-30", "seen"),  # over before October begins
        ("2023-09", "seen"),
        ("2023-10-01", "possibly_seen"),  # in the month that the maker states
        ("2023-10", "possibly_seen"),
        ("2023", "possibly_seen"),  # the year holds days before and after
        ("2023-11-30", "possibly_seen"),  # the 30 days after October: 1 to 30 November
        ("2023-12-01", "clean"),
        ("2024", "clean"),
        ("", "unknown"),
        (None, "unknown"),
    ],
)
def test_an_item_against_a_cutoff_of_october_2023(published: str | None, status: str) -> None:
    assert status_of(published, OCTOBER) == status


def test_the_margin_is_counted_in_days() -> None:
    day = Cutoff("lab/one", "2024-06-01")
    assert status_of("2024-06-02", day, margin_days=0) == "clean"
    assert status_of("2024-06-01", day, margin_days=0) == "possibly_seen"
    assert status_of("2024-06-11", day, margin_days=10) == "possibly_seen"
    assert status_of("2024-06-12", day, margin_days=10) == "clean"


def test_without_a_cutoff_nothing_is_known_and_without_training_all_is_clean() -> None:
    assert status_of("2024-06-02", None) == "unknown"
    assert status_of("2024-06-02", Cutoff("rules", "never")) == "clean"
    assert status_of(None, Cutoff("rules", "never")) == "clean"


@settings(deadline=None)
@given(cutoff=DAYS, published=DAYS, other=DAYS, margin=st.integers(0, 400))
def test_later_items_are_cleaner(cutoff: str, published: str, other: str, margin: int) -> None:
    first, second = sorted((published, other))
    grades = {"seen": 0, "possibly_seen": 1, "clean": 2}
    entry = Cutoff("m", cutoff)
    assert grades[status_of(first, entry, margin)] <= grades[status_of(second, entry, margin)]
    is_clean = date.fromisoformat(second) > date.fromisoformat(cutoff) + timedelta(days=margin)
    assert (status_of(second, entry, margin) == "clean") == is_clean


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("openai/gpt-4o-mini-2024-07-18", "gpt-4o-mini"),
        ("bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-sonnet-4-5"),
        ("together/meta-llama/Meta-Llama-3.1-8B-Instruct-Turbo", "llama-3.1"),
        ("google/gemini-2.5-flash-lite-preview-09-2025", "gemini-2.5-flash-lite"),
        ("extractive/lead", "extractive/*"),
        ("ollama/llama3.1:8b", "llama-3.1"),
        ("openai/ft:gpt-4o-mini-2024-07-18:acme:papers:9abc", "gpt-4o-mini"),
        ("ollama/llama3:70b-instruct-q4_0", "llama-3-70b"),
        ("bedrock/openai.gpt-oss-120b-1:0", "gpt-oss"),
        ("hf/neuralmagic/Meta-Llama-3.1-8B-Instruct-quantized.w4a16", "llama-3.1"),
        ("llama-cpp-python/Meta-Llama-3.1-8B-Instruct-Q4_K_M.gguf", "llama-3.1"),
    ],
)
def test_a_release_is_found_under_the_name_of_its_model(model: str, name: str) -> None:
    found = load_cutoffs().of(model)
    assert found is not None
    assert found.name == name


@pytest.mark.parametrize(
    "model",
    [
        "openai/gpt-4.5-preview",
        "groq/deepseek-r1-distill-llama-70b",
        "lab/my-gpt-4o",
        "openai/ft:secret:acme::1",
        "hf/NousResearch/Hermes-3-Llama-3.1-8B",
        "x" * 10_000,
    ],
)
def test_another_model_is_not_taken_for_one_of_a_similar_name(model: str) -> None:
    assert load_cutoffs().of(model) is None


def test_data_of_tuning_count_where_they_are_later_than_those_of_pretraining() -> None:
    """Meta's card: pretrained until September 2022, tuned on data until July 2023."""
    found = load_cutoffs().of("together/meta-llama/Llama-2-70b-chat-hf")
    assert found is not None
    assert found.date == "2023-07"


@pytest.mark.timeout(60)
def test_a_hostile_name_costs_no_time() -> None:
    assert load_cutoffs().of("lab/gpt-4o" + "-2020-10-10" * 15 + "-!") is None


def test_every_shipped_entry_says_where_it_is_stated() -> None:
    [shipped] = load_cutoffs().files
    assert len(shipped) == len({entry.name for entry in shipped}) > 40
    assert [entry.name for entry in shipped if not entry.source] == []


def test_a_file_comes_before_the_users_own_and_that_before_the_shipped_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = tmp_path / "given.toml"
    given.write_text('[[model]]\nname = "lab/*"\ncutoff = 2024-05-01\nsource = "their page"\n')
    own = tmp_path / "own.toml"
    own.write_text(
        '[[model]]\nname = "gpt-4o"\ncutoff = "2024-01"\n[[model]]\nname = "lab/x"\ncutoff = "2020"'
    )
    monkeypatch.setenv(VARIABLE, str(own))
    cutoffs = load_cutoffs(given)
    found = [cutoffs.of(name) for name in ("lab/x", "openai/gpt-4o", "openai/gpt-4o-mini")]
    assert [entry.date for entry in found if entry] == ["2024-05-01", "2024-01", "2023-10"]
    assert status_of("2024-04", cutoffs.of("lab/x")) == "seen"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("model = 3", "write [[model]]"),
        ("[[model]]\ncutoff = '2024'", "name: Field required"),
        ("[[model]]\nname = 'a'\ncutoff = 'spring'", "cutoff: Value error, write YYYY-MM-DD"),
        ("[[model]]\nname = 'a'\ncutoff = '2024'\nsorce = 'x'", "sorce: Unexpected"),
    ],
)
def test_a_wrong_file_is_refused_by_name(tmp_path: Path, content: str, words: str) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(content)
    with pytest.raises(InputError, match=r"mine\.toml") as error:
        load_cutoffs(path)
    assert words in str(error.value)


def cutoffs_of(tmp_path: Path, dates: Mapping[str, str]) -> Any:
    path = tmp_path / "cutoffs.toml"
    rows = [f'[[model]]\nname = "{name}"\ncutoff = "{day}"\n' for name, day in dates.items()]
    path.write_text("".join(rows))
    return load_cutoffs(path)


def test_clean_items_are_clean_for_every_model(tmp_path: Path) -> None:
    cutoffs = cutoffs_of(tmp_path, {"lab/one": "2023-10", "lab/two": "2024-02", "lab/old": "2021"})

    def ids(*models: str) -> list[Any]:
        return [item["id"] for item in clean_items(ITEMS, models, cutoffs)]

    assert ids("lab/one") == ["new"]
    assert ids("lab/old") == ["old", "near", "new"]
    assert ids("lab/old", "lab/one") == ["new"]
    # 1 March 2024 is within 30 days of the end of February.
    assert ids("lab/one", "lab/two") == []
    assert ids() == ["old", "near", "new", "undated"]


def test_without_a_cutoff_no_item_is_clean_and_the_way_out_is_reported(tmp_path: Path) -> None:
    with pytest.raises(InputError, match='name = "lab/three"'):
        clean_items(ITEMS, ["lab/three"], cutoffs_of(tmp_path, {"lab/one": "2023-10"}))


def a_task() -> Task:
    samples = [
        Sample(id=item["id"], input="?", metadata={"published": item["published"]})
        for item in ITEMS
    ]
    return Task(dataset=MemoryDataset(samples), name="title", metadata={"setting": "base"})


def test_a_clean_task_says_so_in_its_name_and_setting(tmp_path: Path) -> None:
    cutoffs = cutoffs_of(tmp_path, {"lab/one": "2023-10", "lab/rules": "never", "lab/new": "2026"})
    clean = take_clean(a_task(), ["lab/one"], cutoffs)
    assert [sample.id for sample in clean.dataset] == ["new"]
    assert clean.name == "title-clean-1-of-4"
    assert clean.metadata == {
        "setting": "base (clean, 1 of 4)",
        "clean": {"cutoffs": {"lab/one": "2023-10"}, "margin_days": 30, "of": 4},
    }
    whole = a_task()
    assert take_clean(whole, ["lab/rules"], cutoffs) is whole
    with pytest.raises(InputError, match="No item of title is clean for lab/new"):
        take_clean(a_task(), ["lab/new"], cutoffs)


def test_a_table_of_models_holds_more_than_cutoffs(tmp_path: Path) -> None:
    path = tmp_path / "models.toml"
    path.write_text(
        '[[model]]\nname = "lab/one"\ncutoff = "unknown"\nmaker = "Lab"\nopen_weights = false\n'
        'size = "7B"\nreleased = 2025-11-03\n'
    )
    known = load_cutoffs(path)
    found = known.of("lab/one")
    assert found is not None
    assert found.about == {
        "maker": "Lab",
        "open_weights": False,
        "size": "7B",
        "released": "2025-11-03",
    }
    with pytest.raises(InputError, match="The training cutoff of lab/one is unknown"):
        clean_items([{"published": "2026-01-01"}], ["lab/one"], known)
