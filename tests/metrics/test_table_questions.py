"""Questions about tables, and the scores of the reader that needs no model."""

import random

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.metrics.test_literature_tables import EMPTY, table

from vivavoce.errors import InputError
from vivavoce.metrics.tables.literature_tables import LiteratureTable, TableRow, score_table
from vivavoce.metrics.tables.question_wording import QUESTION_ASPECTS
from vivavoce.metrics.tables.table_questions import QuestionSet, Side, TablePair, tally

SIDES: tuple[tuple[Side, Side], ...] = (("gold", "system"), ("system", "gold"))
GOLD = table("Task | Params", "a | QA | 340M", "b | MT | 60M", "c | QA | N/A")
OTHER = table("Tasks | Venue", "a | QA | ACL", "b | QA | ACL", "d | MT | ICML")


def ask_both(pair: TablePair, pairs: int | None = None, seed: int = 0) -> dict[Side, QuestionSet]:
    return {side: pair.ask(side, pairs=pairs, seed=seed) for side, _ in SIDES}


def read_both(pair: TablePair, pairs: int | None = None, seed: int = 0) -> dict[str, float | None]:
    """Tally the answers of the reader that needs no model."""
    asked = ask_both(pair, pairs, seed)
    answers = {
        side: {q.key: pair.read(q, side, on=other) for q in asked[side].shuffled(seed)}
        for side, other in SIDES
    }
    return tally(pair, asked, answers)


def texts(questions: QuestionSet) -> list[str]:
    return [question.text for question in questions.questions]


def test_all_columns_values_and_pairs_of_a_table_are_asked_about() -> None:
    pair = TablePair(GOLD, OTHER, {"a": "Reading Nets", "b": "Translating Nets"})
    assert texts(pair.ask("gold", pairs=None)) == [
        'Does the table have a column for "Params"?',
        'Does the table have a column for "Task"?',
        'Does the table give "340M" as the value of "Params" for "Reading Nets"?',
        'Does the table give "60M" as the value of "Params" for "Translating Nets"?',
        'Does the table give "QA" as the value of "Task" for "Reading Nets"?',
        'Does the table give "MT" as the value of "Task" for "Translating Nets"?',
        'Does the table give "QA" as the value of "Task" for "c"?',
        'In "Params", does the table give "340M" for "Reading Nets" and "60M" for '
        '"Translating Nets", so that the first is the greater?',
        'In "Task", does the table give "QA" for "Reading Nets" and "MT" for '
        '"Translating Nets", so that the two differ?',
        'In "Task", does the table give "QA" for "Reading Nets" and "QA" for "c", '
        "so that the two are the same?",
        'In "Task", does the table give "MT" for "Translating Nets" and "QA" for "c", '
        "so that the two differ?",
    ]


def test_a_question_about_one_of_several_rows_names_another_cell() -> None:
    gold = table("Set | F1", "a | dev | 80", "a | test | 70")
    asked = texts(TablePair(gold, EMPTY).ask("gold", pairs=0))
    assert 'Does the table give "80" as the value of "F1" for "a" (where "Set" is "dev")?' in asked
    assert len(set(asked)) == len(asked) == 2 + 4


def test_answers_counted_by_hand() -> None:
    found = read_both(TablePair(GOLD, OTHER))
    expected = {
        "paper_r": 2 / 3,
        "paper_p": 2 / 3,
        "schema_r": 1 / 2,  # Task
        "schema_p": 1 / 2,
        "unary_r": 1 / 5,  # QA of a
        "unary_p": 1 / 6,
        # Of 4 (Params 1, Task 3) and 6; both values of a pair must be in the other table.
        "pairwise_r": 0.0,
        "pairwise_p": 0.0,
        "yes_bias": 0.0,
        "no_bias": 0.0,
    }
    assert {name: found[name] for name in expected} == expected


def test_each_question_has_a_probe_that_neither_table_affirms() -> None:
    pair = TablePair(GOLD, OTHER)
    asked = pair.ask("gold", pairs=None)
    for aspect in QUESTION_ASPECTS:
        sizes = [sum(q.aspect == aspect for q in part) for part in (asked.questions, asked.probes)]
        assert sizes[0] == sizes[1] > 0
    assert not any(
        pair.read(probe, "gold", on=side) for probe in asked.probes for side in ("gold", "system")
    )
    probes = {probe.text for probe in asked.probes}
    # Another value of the column, and the values of a pair exchanged.
    assert 'Does the table give "60M" as the value of "Params" for "a"?' in probes
    exchanged = '"60M" for "a" and "340M" for "b", so that the first is the smaller?'
    assert f'In "Params", does the table give {exchanged}' in probes
    # The system's table has a column Venue.
    assert 'Does the table have a column for "Venue"?' not in probes


def test_a_probe_is_never_affirmed_by_the_other_table() -> None:
    gold = table("Task", "a | QA", "b | MT")
    wrong = table("Task", "a | MT", "b | QA")
    asked = TablePair(gold, wrong).ask("gold", pairs=None)
    # The other table has both exchanged values, so the probes name another column.
    unary = [probe for probe in asked.probes if probe.aspect == "unary"]
    assert len(unary) == 2
    assert all(probe.place is None for probe in unary)


def test_questions_that_are_ambiguous_or_repeated_are_dropped() -> None:
    nameless = LiteratureTable(("a",), ("Task", ""), (TableRow("a", ("QA", "5")),))
    asked = TablePair(nameless, EMPTY).ask("gold")
    assert [question.column for question in asked.questions] == ["Task", "Task"]
    twins = table("Task", "a | QA", "b | QA")
    named = TablePair(twins, EMPTY, {"a": "One Title", "b": "One Title"}).ask("gold")
    assert len(named.questions) == 1 + 1 + 1


def test_a_reader_who_always_says_yes_has_full_recall_and_full_bias() -> None:
    pair = TablePair(GOLD, OTHER)
    asked = ask_both(pair)
    answers = {side: {q.key: True for q in asked[side].shuffled()} for side, _ in SIDES}
    found = tally(pair, asked, answers)
    assert found["yes_bias"] == 1.0
    assert found["no_bias"] == 0.0
    assert found["avg"] == 1.0


def test_a_missing_answer_counts_as_no() -> None:
    pair = TablePair(GOLD, GOLD)
    asked = ask_both(pair)
    [first, *others] = asked["gold"].questions
    found = tally(pair, asked, {"gold": {q.key: True for q in others}, "system": {}})
    assert first.aspect == "schema"
    assert found["schema_r"] == 1 / 2
    assert found["unary_r"] == 1.0
    assert found["unary_p"] == 0.0


def test_a_negative_number_of_pairs_is_reported() -> None:
    with pytest.raises(InputError, match="pairs=-1 is negative"):
        TablePair(GOLD, OTHER).ask("gold", pairs=-1)


NAMES = ("Task", "Params (M)", "Year", "Data set")
VARIANTS = {"Task": "tasks", "Params (M)": "Parameters", "Year": "Venue", "Data set": "dataset"}
cells = st.sampled_from(["QA", "MT", "1", "2", "1M", "1,000k", "N/A", "", "yes", "✓"])


@st.composite
def tables(draw: st.DrawFn) -> LiteratureTable:
    """Small tables whose papers have one row or several, under names that differ."""
    width = draw(st.integers(0, 4))
    columns = [VARIANTS[name] if draw(st.booleans()) else name for name in NAMES[:width]]
    rows = draw(
        st.lists(
            st.tuples(st.sampled_from("abc"), st.lists(cells, min_size=width, max_size=width)),
            max_size=6,
        )
    )
    return LiteratureTable(
        papers=tuple(dict.fromkeys(paper for paper, _ in rows)),
        columns=tuple(columns),
        rows=tuple(TableRow(paper, tuple(values)) for paper, values in rows),
    )


@settings(deadline=None)
@given(tables(), tables(), st.sampled_from([None, 0, 3, 10]), st.integers(0, 3))
def test_the_reader_without_a_model_has_the_scores_of_score_table(
    gold: LiteratureTable, system: LiteratureTable, pairs: int | None, seed: int
) -> None:
    found = read_both(TablePair(gold, system), pairs, seed)
    assert not found.pop("yes_bias")
    assert not found.pop("no_bias")
    assert found == score_table(gold, system, pairs=pairs, seed=seed).values()


@settings(deadline=None)
@given(tables(), tables(), st.integers(0, 3))
def test_the_order_of_rows_does_not_change_the_questions(
    gold: LiteratureTable, system: LiteratureTable, seed: int
) -> None:
    assume(len({row.paper for row in gold.rows}) == len(gold.rows))
    rows = list(gold.rows)
    random.Random(seed).shuffle(rows)
    shuffled = LiteratureTable(gold.papers, gold.columns, tuple(rows))
    asked, asked_again = (
        [q.as_dict() for q in TablePair(each, system).ask("gold", seed=seed).shuffled(seed)]
        for each in (gold, shuffled)
    )
    assert asked == asked_again


def test_pairs_are_drawn_without_replacement_by_seed() -> None:
    many = LiteratureTable(
        tuple(f"p{number}" for number in range(30)),
        ("Size", "Year"),
        tuple(TableRow(f"p{number}", (f"{number}", f"{2000 + number}")) for number in range(30)),
    )
    drawn = []
    for seed in range(20):
        questions = TablePair(many, EMPTY).ask("gold", seed=seed).questions
        pairwise = [question.text for question in questions if question.aspect == "pairwise"]
        assert len(set(pairwise)) == 10
        drawn.append(frozenset(pairwise))
    assert len(set(drawn)) == 20
    # 870 pairs, half of them in each column: the share in 200 draws has a standard error of 0.035.
    share = sum("Size" in text for texts_drawn in drawn for text in texts_drawn) / 200
    assert share == pytest.approx(0.5, abs=0.13)
