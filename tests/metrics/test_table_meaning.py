"""Headers and cells that mean the same: by forms, and in whole tables."""

import json
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.metrics import list_metrics
from vivavoce.metrics.tables.literature_tables import LiteratureTable, TableRow, score_table
from vivavoce.metrics.tables.meaning import Meaning, align_by_meaning, match_headers

FORMS = Meaning()
PAIRS = Path(__file__).parents[2] / "benchmarks" / "table_pairs.jsonl"
SAME_CELLS = [
    ("2.77~3.74×", "2.77–3.74x", "Speedup"),
    ("1B-78B", "1B to 78B", "Parameters"),
    ("O(n^2 d)", "O(n²d)", "Complexity"),
    ("1.28M", "1,281,167", "# images"),
    ("48 hours", "2 days", "Training time"),
    ("1.5 km", "1500 m", "Range"),
    ("5 min", "300 s", "Training time"),
    ("0.912", "91.2%", "Accuracy"),
    ("91.2 ± 0.3", "91.2", "Accuracy"),
    ("ROUGE; BLEU", "BLEU and ROUGE", "Metrics"),
    ("graph neural networks [12]", "GNN", "Architecture"),
    ("DTI prediction", "drug-target interaction prediction", "Task"),
    ("classifying images", "image classification", "Task"),
    ("45.2 ± 10.1 years", "45.2 (SD 10.1)", "Age"),
    ("L1 + adversarial", "adversarial loss, ℓ1 loss", "Losses"),
    ("arch. search", "architecture search", "Topic"),
    ("Part of Speech Tagging, parsing", "parsing; PoST", "Tasks"),
    ("LSTM with attention and GRU", "GRU; an LSTM with attention", "Layers"),
]
OTHER_CELLS = [
    (">10k", "10k", "# samples"),
    ("1B-78B", "78B", "Parameters"),
    ("14 GB", "14 Gb", "Size"),
    ("-1.5 °C", "+1.5 °C", "Bias"),
    ("0.73 (0.53-1.00)", "0.73 (0.62-0.87)", "HR (95% CI)"),
    ("O(n)", "O(n^2)", "Complexity"),
    ("2019", "2019-05", "Date"),
    ("supervised", "unsupervised", "Supervision"),
    ("BLEU, ROUGE", "BLEU", "Metrics"),
    ("CIFAR-10", "CIFAR-100", "Dataset"),
    ("✗", "n/a", "Code"),
    ("DTI prediction", "drug-drug interaction prediction", "Task"),
    ("01/2015–12/2019", "Jan 2015 - Dec 2020", "Study period"),
    ("7/ 13/ 33", "7B, 13B and 34B", "Size (B)"),
    ("160 mAh/g", "160 mAh", "Capacity"),
    ("voice was preferred over touch", "touch was preferred over voice", "Findings"),
]


@pytest.mark.parametrize(("one", "other", "header"), SAME_CELLS)
def test_cells_that_state_the_same(one: str, other: str, header: str) -> None:
    assert FORMS.same(one, other, header)
    assert FORMS.same(other, one, header)


@pytest.mark.parametrize(("one", "other", "header"), OTHER_CELLS)
def test_cells_that_differ(one: str, other: str, header: str) -> None:
    assert not FORMS.same(one, other, header)
    assert not FORMS.same(other, one, header)


def test_headers_by_synonym_unit_and_short_form() -> None:
    assert FORMS.same("Arch.", "Architecture")
    assert FORMS.same("Publication year", "Year")
    assert FORMS.same("#Parameters (B)", "Params")
    assert FORMS.same("Num. of layers", "Layers")
    assert FORMS.same("Size (#questions)", "Number of questions")
    assert not FORMS.same("Training data", "Test data")
    assert not FORMS.same("Precision", "Recall")


def test_a_table_in_other_words_scores_what_it_says() -> None:
    gold = LiteratureTable(
        ("p1", "p2"),
        ("Architecture", "Params"),
        (
            TableRow("p1", ("convolutional neural network", "340M")),
            TableRow("p2", ("LSTM", "1.5B")),
        ),
    )
    system = LiteratureTable(
        ("p1", "p2"),
        ("# parameters", "Arch."),
        (TableRow("p1", ("340,000,000", "CNN")), TableRow("p2", ("7B", "LSTM"))),
    )
    aligned = align_by_meaning(gold, system, FORMS)
    assert aligned.columns == ("Params", "Architecture")
    lexical, found = (score_table(gold, each).values() for each in (system, aligned))
    assert (lexical["unary_f1"], found["unary_f1"]) == (pytest.approx(0.5), pytest.approx(0.75))
    assert found["schema_f1"] == 1.0


CELL = st.text("ab1 2,./-%()OMkx✓", max_size=12)


@given(st.lists(st.tuples(CELL, CELL), max_size=4), st.lists(st.tuples(CELL, CELL), max_size=4))
def test_meaning_never_scores_below_the_lexical_rule(
    here: list[tuple[str, str]], there: list[tuple[str, str]]
) -> None:
    gold, system = (
        LiteratureTable(
            tuple(f"p{n}" for n in range(len(rows))),
            ("Method", "Size"),
            tuple(TableRow(f"p{n}", row) for n, row in enumerate(rows)),
        )
        for rows in (here, there)
    )
    lexical = score_table(gold, system).ratios["unary_r"]
    found = score_table(gold, align_by_meaning(gold, system, FORMS)).ratios["unary_r"]
    assert found.hits >= lexical.hits


def test_headers_are_paired_one_to_one() -> None:
    assert match_headers(("Year", "Task"), ("Publication year", "Year"), FORMS) == {0: 1}


@pytest.mark.parametrize(("half", "least"), [("develop", 0.72), ("held", 0.64)])
def test_forms_agree_with_the_labels_of_pairs(half: str, least: float) -> None:
    agreed = _agreement(half)
    assert len(agreed) > 1300
    assert sum(agreed) / len(agreed) >= least


def test_columns_of_one_table_are_seldom_taken_for_one() -> None:
    tables: dict[str, list[str]] = {}
    for row in map(json.loads, PAIRS.read_text("utf-8").splitlines()):
        if row["kind"] == "header" and row["half"] == "develop" and row["set"] != "1":
            tables.setdefault(row["group"], []).append(row["a"])
    pairs = [pair for names in tables.values() for pair in combinations(names, 2)]
    assert len(pairs) > 100
    assert sum(FORMS.same(*pair) for pair in pairs) <= 0.02 * len(pairs)


def test_the_card_of_the_metric_says_how_far_forms_agree_with_labels() -> None:
    agreed = _agreement("held")
    avg = next(one for one in list_metrics() if (one.name, one.family) == ("avg", "tables"))
    assert f"forms agree with labels on {sum(agreed) / len(agreed):.2f} " in avg.summary


def _agreement(half: str) -> list[bool]:
    """For each labelled pair of a half: True if forms say what its label says."""
    lines = PAIRS.read_text("utf-8").splitlines()
    agreed = []
    for row in (row for row in map(json.loads, lines) if row["half"] == half):
        if row["kind"] == "header":
            found = FORMS.same(row["a"], row["b"])
        else:
            found = FORMS.same(row["a"], row["b"], row["context"]["header"])
        agreed.append(found == row["same"])
    return agreed
