"""DIGESTables schema recall, counted by hand."""

import numpy as np

from vivavoce.metrics.tables.table_schema import exact, jaccard, schema_recall

GOLD = ["Dataset size", "Task", "Evaluation metrics"]


def test_exact_names_count_but_for_case() -> None:
    assert schema_recall(GOLD, [" task ", "Dataset sizes"], exact) == 1 / 3


def test_jaccard_compares_stems_without_stop_words() -> None:
    # {dataset, size} both; {task} against {task, type} 1/2; {evalu, metric} against {metric} 1/2
    produced = ["the size of datasets", "Task type", "Metrics"]
    assert jaccard(["Dataset size"], ["the size of datasets"]).tolist() == [[1.0]]
    assert schema_recall(GOLD, produced, jaccard) == 1 / 3
    assert schema_recall(GOLD, produced, jaccard, threshold=0.5) == 1.0


def test_names_of_stop_words_only_are_compared_exactly() -> None:
    assert jaccard(["Who", "Who", "!?"], ["who", "what", "!?"]).tolist() == [
        [1.0, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [0.0, 0.0, 1.0],
    ]


def test_one_produced_column_may_serve_several_gold_ones() -> None:
    assert schema_recall(["Task", "task"], ["Task"], exact) == 1.0


def test_values_can_be_compared_with_the_name() -> None:
    gold, produced = ["Task: QA, MT"], ["Problem: QA, MT, NER"]
    # {task, qa, mt} against {problem, qa, mt, ner}: 2 of 5 stems
    assert schema_recall(gold, produced, jaccard, threshold=0.4) == 1.0
    assert schema_recall(gold, produced, jaccard, threshold=0.41) == 0.0


def test_any_similarity_of_texts_will_do() -> None:
    def same_length(gold: list[str], produced: list[str]) -> np.ndarray:
        return np.array([[len(one) == len(other) for other in produced] for one in gold], float)

    assert schema_recall(GOLD, ["Work"], same_length) == 1 / 3
