"""Metrics of a family's card, and metrics that fail."""

import pytest

from vivavoce.errors import PluginError
from vivavoce.metrics import FaultyAnswer, Metric, Values
from vivavoce.store import Row
from vivavoce.tasks import find_family
from vivavoce.tasks.family import completed, metrics_of_task


def made(answer: str, row: Row) -> Values:
    return {}


def failing(answer: str, row: Row) -> float:
    return float(len(row["gold"]))


def faulty(answer: str, row: Row) -> float:
    raise FaultyAnswer("malformed")


def measured_by(compute: object) -> dict[str, Metric]:
    return {"share": Metric("share", "", "writing", 0, 1, "", compute=compute)}  # type: ignore[arg-type]


def test_a_metric_that_fails_is_named_with_the_item_and_what_its_row_has() -> None:
    message = r"The metric share failed on the item p1: KeyError: 'gold'. Its row has: id, target"
    with pytest.raises(PluginError, match=message):
        completed({}, measured_by(failing), "An answer.", {"id": "p1", "target": "A gold."}, made)


def test_a_metric_may_call_an_answer_faulty() -> None:
    with pytest.raises(FaultyAnswer):
        completed({}, measured_by(faulty), "An answer.", {"id": "p1", "target": "A gold."}, made)


def test_values_that_are_there_are_not_computed_again() -> None:
    assert completed({"share": 0.5}, measured_by(failing), "", {}, made) == {"share": 0.5}


def test_a_card_that_names_an_unknown_metric_gets_the_nearest_one() -> None:
    card = find_family("writing").card.tasks["title"]
    misspelt = card.model_copy(update={"diagnostics": ["length_ration"]})
    message = r"card\.yaml names a metric 'length_ration'.*Did you mean length_ratio\?"
    with pytest.raises(PluginError, match=message):
        metrics_of_task("writing", misspelt)


@pytest.mark.parametrize("value", [1.5, -0.1, float("nan"), "yes", [1.0]])
def test_a_value_that_is_none_of_its_metric_blames_the_function_that_gave_it(value: object) -> None:
    def share(answer: str, row: Row) -> object:
        return value

    place = rf"test_family\.py:{share.__code__.co_firstlineno}: share gave .* as share"
    with pytest.raises(PluginError, match=place):
        completed({}, measured_by(share), "", {}, made)
    with pytest.raises(PluginError, match=r"made gave .* as share"):
        completed({"share": value}, measured_by(share), "", {}, made)  # type: ignore[dict-item]


def test_values_that_are_no_mapping_blame_the_function_that_gave_them() -> None:
    with pytest.raises(PluginError, match=r"made returned float, not Mapping\."):
        completed(0.5, {}, "", {}, made)  # type: ignore[arg-type]
