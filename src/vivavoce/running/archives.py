"""Headers and summaries of logs, read out of their archives without Inspect.

To import Inspect takes a second. Read are finished logs as the installed Inspect writes them, and
of these the parts that boards are made of. Everything else is left to Inspect, which knows older
forms and says why a damaged file cannot be read.
"""

from __future__ import annotations

import sys
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal, TypeAlias
from zipfile import BadZipFile, ZipFile

from pydantic import BaseModel, Field

if sys.version_info < (3, 14):
    import zipfile_zstd  # type: ignore[import-untyped]  # noqa: F401  # zipfile learns it

_Scalar: TypeAlias = str | int | float | bool
_HEADER, _SUMMARIES = "header.json", "summaries.json"
_MAX_BYTES = 1 << 28
"""Of a part, unpacked; zipfile stops at the size that the archive states."""


class Decoding(BaseModel):
    """Settings of a model; where one without a plain value is given, Inspect has to read it."""

    temperature: float | None = None
    top_p: float | None = None
    top_k: int | None = None
    max_tokens: int | None = None
    seed: int | None = None
    frequency_penalty: float | None = None
    presence_penalty: float | None = None
    reasoning_effort: None = None
    reasoning_tokens: int | None = None
    system_message: str | None = None
    stop_seqs: list[str] | None = None
    best_of: int | None = None
    num_choices: int | None = None
    reasoning_mode: None = None
    effort: None = None
    verbosity: None = None
    logit_bias: None = None
    response_schema: None = None
    extra_body: None = None


class Role(BaseModel):
    """A model of a role."""

    model: str
    config: Decoding = Field(default_factory=Decoding)
    args: dict[str, Any] = Field(default_factory=dict)


class Items(BaseModel):
    """The samples of a task."""

    samples: int | None = None


class Options(BaseModel):
    """Options of a run."""

    epochs: int | None = None


class Evaluation(BaseModel):
    """The task, the contestant and their settings."""

    created: str = Field(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$")
    task_version: int | str
    task_args: dict[str, Any]
    dataset: Items
    model: str
    model_args: dict[str, Any] = Field(default_factory=dict)
    model_roles: dict[str, Role | list[Role]] | None = None
    config: Options
    packages: dict[str, str]
    metadata: dict[str, Any] | None = None


class Step(BaseModel):
    """A solver and its settings."""

    solver: str
    params: dict[str, Any] | None = None


class Plan(BaseModel):
    """The solvers of a task."""

    steps: list[Step]
    config: Decoding


class Header(BaseModel):
    """Facts of a run; a log that was edited later is left to Inspect."""

    version: Literal[2]
    status: Literal["started", "success", "cancelled", "error"]
    eval: Evaluation
    plan: Plan
    log_updates: None = None
    config_updates: None = None

    @property
    def metadata(self) -> dict[str, Any]:
        """Facts that the task states."""
        return self.eval.metadata or {}


class Usage(BaseModel):
    """Tokens and dollars."""

    total_tokens: int = 0
    total_cost: float | None = None


class Marked(BaseModel):
    """A score."""

    value: str | int | float | bool | list[_Scalar] | dict[str, _Scalar | None]
    metadata: dict[str, Any] | None = None

    def as_dict(self) -> dict[str, str | int | float | bool | None]:
        """Values by metric.

        Raises:
            ValueError: The score is no dictionary.
        """
        if not isinstance(self.value, dict):
            raise ValueError("This score is no dictionary")
        return self.value


class Summary(BaseModel):
    """An answer's scores, and what it cost."""

    id: int | str
    epoch: int
    uuid: str | None = None
    metadata: dict[str, Any] = Field(default_factory=dict)
    scores: dict[str, Marked] | None = None
    model_usage: dict[str, Usage] = Field(default_factory=dict)
    role_usage: dict[str, Usage] = Field(default_factory=dict)
    working_time: float | None = None
    error: str | None = None


class _Summaries(BaseModel):
    rows: list[Summary]


def read_archive(path: Path) -> tuple[Header, list[Summary]] | None:
    """Header and summaries of a log; None where Inspect has to read it."""
    try:
        with ZipFile(path) as archive:
            names = archive.namelist()
            sizes = [archive.getinfo(name).file_size for name in (_HEADER, _SUMMARIES)]
            if len(names) != len(set(names)) or max(sizes) > _MAX_BYTES:
                return None
            header = Header.model_validate_json(archive.read(_HEADER))
            rows = b'{"rows":' + archive.read(_SUMMARIES) + b"}"
            summaries = _Summaries.model_validate_json(rows).rows
    except (OSError, BadZipFile, KeyError, NotImplementedError, RuntimeError, ValueError):
        return None
    is_once = len({(str(one.id), one.epoch) for one in summaries}) == len(summaries)
    is_known = header.eval.packages.get("inspect_ai") == _inspect_version()
    return (header, summaries) if is_once and is_known else None


@cache
def _inspect_version() -> str:
    return version("inspect_ai")
