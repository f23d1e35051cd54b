"""A plain run of titles, to be changed."""

import dataclasses
from pathlib import Path
from typing import Any

from vivavoce.rounds import Round
from vivavoce.running import RunSpec


def spec(opened: Round, logs: Path, **changes: Any) -> RunSpec:
    plain = RunSpec(
        tasks=["title"], round=opened.folder, logs=logs, models=["extractive/lead"], display="none"
    )
    return dataclasses.replace(plain, **changes)
