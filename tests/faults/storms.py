"""Runs of a model that knows every answer, in clear weather and in bad, and what their logs say."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.log import EvalLog, EvalSample, list_eval_logs, read_eval_log
from tenacity import wait_exponential_jitter
from tests.servers.commands import viva_here
from tests.servers.golden import Golden
from tests.servers.scripted import OVERFLOW_TEXT, ScriptedServer, scripted
from tests.servers.weather import LASTING, PASSING, PATIENCE, Weather
from tests.support.once import make_once

from vivavoce.corpus import ingest, load_corpus
from vivavoce.networks import build_networks
from vivavoce.results.board.building import leaderboard
from vivavoce.rounds import Round, load_round
from vivavoce.tasks import build_round

WINDOW = {"start": "2023-07-01", "end": "2025-01-01"}
PROVIDER_WORDS = (OVERFLOW_TEXT, "Error code: 503", "overloaded", "Slow down.", "Bad gateway")
"""What the server says when it does not answer."""

KINDS = ("calm", "storm", "lasting")
"""The weathers, by the first part of a model's name."""
Key = tuple[str, str, str]
"""A task, the method without its arguments, and the weather."""


def sample_round(folder: Path, families: Sequence[str], **options: Any) -> Round:
    """A round of some families over the sample corpus."""
    ingest("sample", Path("60"), folder / "corpus")
    build_networks(load_corpus(folder / "corpus"))
    spec = {"round": {"id": "storms", "window": WINDOW, "families": list(families)}, **options}
    return build_round(folder / "corpus", spec, folder)


def shared_round(
    factory: pytest.TempPathFactory, name: str, families: Sequence[str], **options: Any
) -> Round:
    """The same round, made once for all processes."""
    made = make_once(factory, name, lambda folder: sample_round(folder, families, **options))
    return load_round(made / "storms")


@dataclass
class Survey:
    """The logs that runs in all weathers left, and the faults that were met in the storm."""

    round: Round
    logs: Path
    met: Counter[str]
    """Requests by the fault they met; the empty name for none."""

    @classmethod
    def read(cls, folder: Path) -> Survey:
        """The storm that `Storm.keep` left in a folder."""
        met = Counter(json.loads((folder / "met.json").read_text("utf-8")))
        return cls(load_round(folder / "storms"), folder / "logs", met)

    @property
    def share_met(self) -> float:
        """The share of all requests that met a fault."""
        return 1 - self.met[""] / max(1, self.met.total())

    @cached_property
    def rows(self) -> dict[Key, dict[str, dict[str, Any]]]:
        """The rows of a board, then by metric."""
        found: dict[Key, dict[str, dict[str, Any]]] = {}
        for row in leaderboard(self.logs, resamples=0).rows:
            key = (row["task"], *_method_and_weather(row["method"], row["model"]))
            found.setdefault(key, {})[row["metric"]] = row
        return found

    @cached_property
    def samples(self) -> dict[Key, list[EvalSample]]:
        """The samples of each complete log."""
        found: dict[Key, list[EvalSample]] = {}
        for log in complete_logs(self.logs):
            method = log.plan.steps[0].solver.removeprefix("vivavoce/")
            task = str((log.eval.metadata or {})["task"])
            key = (task, *_method_and_weather(method, log.eval.model))
            assert key not in found, f"two complete logs of {key}"
            found[key] = log.samples or []
        return found


@dataclass
class Storm:
    """A server with a model in clear weather, one in bad, and one that often has no answer."""

    round: Round
    logs: Path
    server: ScriptedServer
    storm: Weather
    name: str

    def run(
        self,
        tasks: Sequence[str],
        methods: Sequence[str],
        *options: str,
        kinds: Sequence[str] = KINDS,
        suffix: str = "",
    ) -> None:
        """`viva run` in some weathers, which has to end well."""
        models = [f"openai-api/scripted/{kind}-{self.name}{suffix}" for kind in kinds]
        with hasty_client():
            viva_here(
                *("run", *tasks, "--round", self.round.folder, "--logs", self.logs),
                *("--attempt-timeout", str(PATIENCE), *options),
                *(part for method in methods for part in ("--method", method)),
                *(part for model in models for part in ("--model", model)),
                env=self.server.environment,
            )

    def keep(self) -> None:
        """Keep what was met beside the logs."""
        (self.logs.parent / "met.json").write_text(json.dumps(self.storm.met), "utf-8")


def complete_logs(folder: Path) -> Iterator[EvalLog]:
    """The logs of a folder in which nothing is missing."""
    for info in list_eval_logs(str(folder)):
        log = read_eval_log(info)
        if log.status == "success":
            yield log


def _method_and_weather(method: str, model: str) -> tuple[str, str]:
    return method.partition("(")[0], model.rpartition("/")[2].partition("-")[0]


@contextmanager
def hasty_client() -> Iterator[None]:
    """Before Inspect asks again it waits a tenth as long as it would: 0.3 s at first, then more."""

    def tenth(initial: float, max: float, jitter: float) -> wait_exponential_jitter:
        return wait_exponential_jitter(initial / 10, max, jitter=jitter / 10)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("inspect_ai.model._retry.wait_exponential_jitter", tenth)
        yield


@contextmanager
def bad_weather(opened: Round, logs: Path, tasks: Sequence[str], name: str) -> Iterator[Storm]:
    """A server that knows the answers of some tasks; `name` is its models' own."""
    golden = Golden(opened, tasks)
    storm = Weather(golden, PASSING)
    lasting = Weather(golden, LASTING, most=None)
    weathers: Mapping[str, Any] = {"storm": storm, "lasting": lasting}
    with scripted(lambda ask: weathers.get(ask.model.partition("-")[0], golden)(ask)) as server:
        yield Storm(opened, logs, server, storm, name)
        assert server.failures == []


def fault_of(sample: EvalSample) -> str | None:
    """Why a sample's answer is none, as its score says."""
    [score] = (sample.scores or {}).values()
    fault = (score.metadata or {})["fault"]
    assert isinstance(fault, str | None)
    return fault


def values_of(sample: EvalSample, metrics: Sequence[str]) -> dict[str, Any]:
    """Some metrics of a sample."""
    [score] = (sample.scores or {}).values()
    assert isinstance(score.value, dict)
    return {name: score.value[name] for name in metrics}


def answer_of(sample: EvalSample) -> str:
    """What was scored."""
    [score] = (sample.scores or {}).values()
    return score.answer or ""
