"""Gains of added context, by hand, on the items that both settings have."""

from pathlib import Path
from typing import Any

import pytest
from tests.results.audits.made_logs import write_log
from tests.statistics.one_metric import interval

from vivavoce.errors import VivaError
from vivavoce.results.audits.contrasts import base_of, context_gains


def headline(rows: tuple[dict[str, Any], ...]) -> list[dict[str, Any]]:
    return [row for row in rows if row["headline"]]


def test_a_gain_is_the_mean_difference_on_shared_items(tmp_path: Path) -> None:
    write_log(tmp_path, {"a": 0.2, "b": 0.4, "c": 0.6, "only-base": 1.0})
    write_log(tmp_path, {"a": 0.3, "b": 0.4, "c": 0.9}, setting="random")
    [row] = headline(context_gains(tmp_path).rows)
    # (0.1 + 0 + 0.3) / 3; the item without demonstrations has no say.
    assert row["gain"] == pytest.approx(0.4 / 3)
    assert (row["value_base"], row["value"]) == (pytest.approx(0.4), pytest.approx(1.6 / 3))
    assert (row["n"], row["n_base"], row["n_setting"]) == (3, 4, 3)
    differences = [0.3 - 0.2, 0.0, 0.9 - 0.6]
    assert row["ci"] == pytest.approx(list(interval(differences, ["a", "b", "c"]) or ()))
    assert (row["setting"], row["base"], row["undecided"]) == ("random", "base", True)


def test_items_of_one_cluster_are_drawn_together(tmp_path: Path) -> None:
    clusters = {"a": "x", "b": "x", "c": "y", "d": "z"}
    base = dict.fromkeys(clusters, 0.5)
    write_log(tmp_path, base, clusters=clusters)
    gained = {"a": 0.9, "b": 0.8, "c": 0.4, "d": 0.6}
    write_log(tmp_path, gained, setting="mixed", clusters=clusters)
    [row] = headline(context_gains(tmp_path, resamples=400, seed=3).rows)
    differences = [value - 0.5 for value in gained.values()]
    expected = interval(differences, list(clusters.values()), resamples=400, seed=3)
    assert row["ci"] == pytest.approx(list(expected or ()))


def test_every_setting_is_compared_with_the_base_of_its_track(tmp_path: Path) -> None:
    for setting, value in (
        ("base", 0.1),
        ("base+padded", 0.3),
        ("random+padded@1", 0.5),
        ("title_only", 0.0),
    ):
        write_log(tmp_path, {"a": value, "b": value}, setting=setting, task="related_work")
    rows = headline(context_gains(tmp_path).rows)
    assert [(row["setting"], row["base"], round(row["gain"], 6)) for row in rows] == [
        ("base+padded", "base", 0.2),
        ("random+padded@1", "base+padded", 0.2),
        ("title_only", "base", -0.1),
    ]
    assert base_of("mixed@3") == "base"


def test_gains_are_those_of_a_split_where_one_is_asked_for(tmp_path: Path) -> None:
    splits = {"a": "train", "b": "val", "c": "test", "d": "test"}
    write_log(tmp_path, dict.fromkeys(splits, 0.1), splits=splits)
    gained = {"a": 0.9, "b": 0.7, "c": 0.2, "d": 0.4}
    write_log(tmp_path, gained, setting="random@1", splits=splits)
    for split, gain, n in (("test", 0.2, 2), ("validation", 0.6, 1)):
        [row] = headline(context_gains(tmp_path, split=split).rows)
        assert (row["gain"], row["n"]) == (pytest.approx(gain), n)
        assert (row["setting"], row["base"]) == (f"random+{split}@1", f"base+{split}")
    assert base_of("base+padded+test") == "base+test"
    assert base_of("corpus+dev") == "base+dev"


def test_contestants_are_not_mixed(tmp_path: Path) -> None:
    write_log(tmp_path, {"a": 0.1, "b": 0.1}, model="lab/one")
    write_log(tmp_path, {"a": 0.2, "b": 0.2}, model="lab/one", setting="random")
    write_log(tmp_path, {"a": 0.9, "b": 0.9}, model="lab/two", setting="random")
    table = context_gains(tmp_path)
    assert [row["contestant"] for row in headline(table.rows)] == ["lab/one"]
    assert ["lab/two has no log of title in the setting base" in note for note in table.notes] == [
        True
    ]


def test_failures_stay_in_and_undefined_values_do_not(tmp_path: Path) -> None:
    write_log(tmp_path, {"a": 0.2, "b": None, "c": 0.4})
    write_log(tmp_path, {"a": 0.0, "b": 0.5, "c": 0.4}, setting="random")
    [row] = headline(context_gains(tmp_path).rows)
    assert (row["gain"], row["n"]) == (pytest.approx(-0.1), 2)


def test_attempts_at_an_item_count_with_their_mean(tmp_path: Path) -> None:
    write_log(tmp_path, {"a": [0.0, 0.4], "b": [0.2, 0.2]})
    write_log(tmp_path, {"a": [0.4, 0.4], "b": [0.2, 0.4]}, setting="random")
    [row] = headline(context_gains(tmp_path).rows)
    assert row["gain"] == pytest.approx((0.2 + 0.1) / 2)
    assert row["n"] == 2


def test_what_cannot_be_compared_is_reported(tmp_path: Path) -> None:
    write_log(tmp_path / "logs", {"a": 0.2})
    with pytest.raises(VivaError, match="in the setting base and in another"):
        context_gains(tmp_path / "logs")
