"""What a demand gives away of a table: names of columns and values in any of their forms."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.tasks.tables.demand_leaks import LeakIndex, is_telling, topic_stems
from vivavoce.tasks.tables.item import GoldRow, GoldTable

TITLES = (
    "Neural summarization of dialogues",
    "Summarizing dialogue with graphs",
    "A corpus of spoken meetings",
)


def index_of(
    *columns: str, cells: tuple[str, ...] = (), titles: tuple[str, ...] = TITLES
) -> LeakIndex:
    return LeakIndex(table_of(columns, (GoldRow(0, "a", "", cells),)), titles)


def table_of(columns: Sequence[str], rows: tuple[GoldRow, ...] = ()) -> GoldTable:
    return GoldTable("t", "s", "cited", "", tuple(columns), rows, None)


def kinds(index: LeakIndex, demand: str) -> set[str]:
    return {leak.kind for leak in index.leaks(demand)}


def test_a_leak_says_what_leaked_and_where_it_is_from() -> None:
    row = GoldRow(1, "a", "PEGASUS [3]", ("2,000 USD", None))
    table = table_of(("Training cost", "Venue"), (row,))
    demand = "I want to know what Pegasus costs: 2000 or less?"
    assert [
        (leak.kind, leak.words, leak.source) for leak in LeakIndex(table, ()).leaks(demand)
    ] == [
        ("column_word", "costs", "Training cost"),
        ("value", "Pegasus", "PEGASUS [3]"),
        ("number", "2000", "2,000 USD"),
    ]
    assert LeakIndex(table, ()).leaks("I want to see what was tried.") == ()


@pytest.mark.parametrize(
    ("column", "said"),
    [
        ("Dataset", "which datasets there are"),
        ("Evaluation", "how they evaluate"),
        ("Annotators", "who annotated it"),
        ("Analyses", "what was analyzed"),
        ("Optimisation", "how to optimize"),
        ("Behaviour", "behavioral differences"),
        ("Memory › Operation", "how they operate"),
        ("Learning_rate", "rates"),
        ("$\\textbf{Backbones}$", "the backbone"),
        ("Robustness ↑", "robust ones"),
    ],
)
def test_a_column_is_found_in_other_inflections_and_spellings(column: str, said: str) -> None:
    found = index_of(column).leaks(f"I need a table that shows {said}.")
    assert {leak.source for leak in found} == {column}


@pytest.mark.parametrize(
    ("column", "said", "kind"),
    [
        ("Corpus", "data", "synonym"),
        ("Publication year", "years", "synonym"),
        ("Year", "publication years", "column"),
        ("Limitations", "weaknesses", "synonym"),
        ("Size of the model", "the model and its size", "column"),
    ],
)
def test_a_column_is_found_in_other_words(column: str, said: str, kind: str) -> None:
    assert kinds(index_of(column), f"Show {said}.") == {kind}


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ("88.5%", "88.5 or more"),
        ("88.5%", "a share of 0.885"),
        ("2,000", "2000"),
        ("340M", "340 million"),
        ("5 min", "300 seconds"),
        ("3", "all three"),
        ("two-stage", "in 2 steps"),
        ("2019", "since 2019"),
    ],
)
def test_a_number_is_found_in_other_forms(cell: str, said: str) -> None:
    found = index_of("Remark", cells=(cell,)).leaks(f"I need a table of {said}.")
    assert [(leak.kind, leak.source) for leak in found] == [("number", cell)]


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ("ImageNet, COCO", "coco"),
        ("transformer (encoder)", "Transformers"),
        ("contrastive loss; hinge loss", "contrastive losses"),
        ("ResNet-50", "resnet50"),
        ("the authors fine-tune GPT-4 on their own notes with great care", "gpt-4"),
    ],
)
def test_a_value_is_found_as_an_item_of_a_list_and_as_a_name(cell: str, said: str) -> None:
    found = index_of("Remark", cells=(cell,)).leaks(f"I need a table about {said}.")
    assert "value" in {leak.kind for leak in found}
    assert {leak.source for leak in found} == {cell}


def test_words_of_long_cells_marks_and_stop_words_are_no_values() -> None:
    long = "the authors propose a new way of reading notes that were taken by hand"
    index = index_of("Remark", cells=(long, "✓", "no", "n/a", "-", "the", "A"))
    assert index.leaks("I propose to read a new paper, and no other, by hand.") == ()


def test_the_topic_is_no_leak_unless_it_is_a_whole_column_name() -> None:
    # Two of three titles are about summaries and dialogues, one has the word corpus.
    assert topic_stems(TITLES) == {"summaris", "dialogu"}
    said = "I need a table on summarizing dialogues."
    assert index_of("Dialogue length", "Kind of summary", cells=("dialogue",)).leaks(said) == ()
    assert kinds(index_of("Dialogues"), said) == {"column"}
    assert kinds(index_of("Summary of dialogue"), said) == {"column"}
    assert kinds(index_of("Corpus name"), "corpora and a corpus") == {"column_word"}


def test_one_title_makes_no_topic() -> None:
    assert topic_stems(["Neural summarization"]) == frozenset()
    assert topic_stems(["Neural summarization", "", " "]) == frozenset()
    assert topic_stems(["Neural summarization", "Neural parsing"]) == {"neural"}


LETTERS = "abcdefghijklmnopqrstuvwxyzäéñöü"
WORDS = st.text(LETTERS, min_size=2, max_size=12).filter(is_telling)


@given(st.lists(WORDS, min_size=1, max_size=4), st.lists(WORDS), st.lists(WORDS))
def test_a_column_name_within_a_demand_leaks_in_any_order_of_its_words(
    column: list[str], before: list[str], after: list[str]
) -> None:
    index = LeakIndex(table_of([" ".join(column)]), ())
    for name in (column, column[::-1], [word.upper() for word in column]):
        assert "column" in kinds(index, " ".join([*before, *name, *after]))


@given(st.integers(1, 10**9), st.sampled_from(["{}", "{:,}", "about {} in all", "{}.0"]))
def test_a_whole_number_leaks_with_and_without_thousands(number: int, form: str) -> None:
    index = index_of("Remark", cells=(str(number),))
    assert kinds(index, f"I want {form.format(number)} of them.") == {"number"}
    assert kinds(index, f"I want {number + 1} of them.") == set()


def test_hostile_texts_take_little_time() -> None:
    long = "a" * 100_000
    cells = tuple(f"{long} {n} 1,{'1' * 5_000}.{'-a' * 2_000}" for n in range(30))
    index = index_of(*(f"{long}{n}" for n in range(30)), cells=cells)
    assert isinstance(index.leaks(f"{long} {'1,' * 50_000}"), tuple)
