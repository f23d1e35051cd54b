"""One number over the parts of a paper, by hand."""

from pathlib import Path

import pytest
from tests.results.audits.made_logs import write_log
from tests.statistics.one_metric import interval

from vivavoce.errors import VivaError
from vivavoce.results.audits.contrasts import overall_scores


def test_a_paper_counts_with_the_mean_over_its_tasks(tmp_path: Path) -> None:
    write_log(tmp_path, {"a": 0.2, "b": 0.4}, task="title")
    write_log(tmp_path, {"a": 0.6, "b": 0.6, "c": 0.9}, task="abstract")
    [row] = overall_scores(tmp_path).rows
    # a: (0.2 + 0.6) / 2, b: (0.4 + 0.6) / 2; c has no title to write.
    assert row["value"] == pytest.approx((0.4 + 0.5 + 0.9) / 3)
    assert (row["n"], row["in_all_tasks"], row["tasks"]) == (3, 2, ["abstract", "title"])
    assert row["ci"] == pytest.approx(list(interval([0.4, 0.5, 0.9], ["a", "b", "c"]) or ()))


def test_who_lacks_a_task_is_named_and_not_compared(tmp_path: Path) -> None:
    for model in ("lab/one", "lab/two"):
        write_log(tmp_path, {"a": 0.2}, task="title", model=model)
    write_log(tmp_path, {"a": 0.6}, task="abstract", model="lab/two")
    found = overall_scores(tmp_path)
    assert [row["contestant"] for row in found.rows] == ["lab/two"]
    assert found.notes == ("lab/one did not run abstract in the setting base; left out.",)


def test_settings_are_not_mixed(tmp_path: Path) -> None:
    write_log(tmp_path, {"a": 0.2}, task="title")
    write_log(tmp_path, {"a": 0.6}, task="abstract", setting="random")
    with pytest.raises(VivaError, match="no contestant that ran two tasks"):
        overall_scores(tmp_path)
