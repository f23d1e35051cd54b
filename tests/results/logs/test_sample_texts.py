"""Items drawn by a seed, and where the answers to them are."""

from pathlib import Path

import pytest
from tests.results.answered_logs import answered, read
from tests.results.audits.made_logs import write_log

from vivavoce.errors import InputError
from vivavoce.results.logs.sample_texts import choose_item_texts
from vivavoce.results.logs.selection import select_logs

ITEMS = [f"item-{number}" for number in range(9)]


def test_every_contestants_answer_stands_beside_input_and_gold(tmp_path: Path) -> None:
    for model in ("lab/one", "lab/two"):
        path = write_log(tmp_path, {"a": 0.25}, model=model)
        answered(path, output=f"{model} answers", explanation="counted words")
    (item,) = read(tmp_path)
    assert item.place == ("made", "title", "1-A", "base")
    assert item.metrics == ("rougeL", "rouge1")
    first, second = (answer.texts for answer in item.read())
    assert (first.input, first.gold, first.output) == ("asked a", "gold of a", "lab/one answers")
    assert (second.output, second.explanation) == ("lab/two answers", "counted words")
    assert [answer.source.key.model for answer in item.read()] == ["lab/one", "lab/two"]
    assert [score.values["rougeL"] for (score,) in item.scores()] == [0.25, 0.25]


def test_a_seed_draws_the_same_items_in_every_setting(tmp_path: Path) -> None:
    for setting in ("base", "random"):
        write_log(tmp_path, dict.fromkeys(ITEMS, 0.5), setting=setting)
    drawn = [(item.place[3], item.id) for item in read(tmp_path)]
    base = [item for setting, item in drawn if setting == "base"]
    assert len(base) == 3
    assert base == [item for setting, item in drawn if setting == "random"]
    assert base == sorted(base)


def test_another_log_does_not_change_the_draw_and_another_seed_does(tmp_path: Path) -> None:
    write_log(tmp_path, dict.fromkeys(ITEMS, 0.5))
    before = [item.id for item in read(tmp_path)]
    write_log(tmp_path, dict.fromkeys(ITEMS, 0.1), model="lab/two")
    assert [item.id for item in read(tmp_path)] == before
    assert [item.id for item in read(tmp_path, seed=1)] != before
    assert len(read(tmp_path, count=100)) == len(ITEMS)
    assert read(tmp_path, count=0) == []


def test_the_key_changes_with_a_log_and_with_nothing_else(tmp_path: Path) -> None:
    path = write_log(tmp_path, {"a": 0.5})
    (before,) = read(tmp_path)
    assert read(tmp_path)[0].key == before.key
    answered(path, output="something else")
    assert read(tmp_path)[0].key != before.key


def test_the_first_attempt_stands_for_all_and_the_mean_is_that_of_all(tmp_path: Path) -> None:
    write_log(tmp_path, {"a": [0.25, 0.75, 0.5]})
    (item,) = read(tmp_path)
    (answer,) = item.read()
    assert (answer.score.values["rougeL"], answer.source.epochs) == (0.25, 3)
    assert [score.epoch for score in answer.scores] == [1, 2, 3]
    assert item.means() == (0.5,)  # (0.25 + 0.75 + 0.5) / 3


def test_a_log_that_is_gone_is_named(tmp_path: Path) -> None:
    path = write_log(tmp_path, {"a": 0.5})
    logs, _ = select_logs(tmp_path)
    path.unlink()
    with pytest.raises(InputError, match="is no longer in the folder"):
        choose_item_texts(logs, count=1)
