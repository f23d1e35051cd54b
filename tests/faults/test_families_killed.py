"""Methods of many requests, killed in the middle while requests fail: each sample ends once."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from tests.faults.storms import complete_logs, hasty_client, shared_round, values_of
from tests.servers.commands import viva_here
from tests.servers.golden import Golden
from tests.servers.scripted import scripted
from tests.servers.weather import PASSING, Weather

from vivavoce.errors import VivaError
from vivavoce.results.board.building import leaderboard
from vivavoce.rounds import Round

pytestmark = pytest.mark.slow

QUICK = {name: PASSING[name] for name in ("429", "500", "dropped", "malformed", "cut", "html")}
"""Faults that a client notices at once."""


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Round:
    families = ["leaderboards", "tables"]
    return shared_round(tmp_path_factory, "killed", families, tables={"min_papers": 9})


@pytest.mark.parametrize(
    ("task", "methods", "answers", "metric"),
    [
        ("leaderboard", ["direct", "agent"], (10,), "f1"),
        ("table", ["per_paper", "iterative"], (40,), "avg"),
    ],
)
def test_a_family_killed_in_a_storm_goes_on_where_it_was(
    opened: Round,
    tmp_path: Path,
    kill_after: Callable[..., None],
    task: str,
    methods: Sequence[str],
    answers: Sequence[int],
    metric: str,
) -> None:
    weather = Weather(Golden(opened, [task]), QUICK)
    logs = tmp_path / "logs"
    command: list[str | Path] = ["run", task, "--round", opened.folder, "--logs", logs]
    command += [word for method in methods for word in ("--method", method)]
    command += ["--subset", "2", "--epochs", "2", "--model", f"openai-api/scripted/killed-{task}"]
    with scripted(weather) as server:
        for count in answers:
            kill_after(server, count, command)
            with pytest.raises(VivaError):
                leaderboard(logs)  # nobody takes it for complete
        with hasty_client():
            viva_here(*command, env=server.environment)
        assert server.failures == []
    assert weather.met.total() - weather.met[""] > 0
    found = list(complete_logs(logs))
    assert len(found) == len(methods)
    for log in found:
        samples = log.samples or []
        pairs = [(sample.id, sample.epoch) for sample in samples]
        assert len(pairs) == len(set(pairs)) == 2 * 2
        assert [values_of(sample, [metric])[metric] for sample in samples] == [1.0] * 4
    rows = [row for row in leaderboard(logs, resamples=0).rows if row["metric"] == metric]
    assert [(row["n"], row["value"], row["partial"]) for row in rows] == [(2, 1.0, False)] * 2
