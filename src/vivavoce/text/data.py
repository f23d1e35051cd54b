"""Word lists and wordings that modules keep as TOML files in their folder."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any


def read_data(module: str, name: str) -> dict[str, Any]:
    """Content of a TOML file in the module's folder."""
    return tomllib.loads(Path(module).with_name(name).read_text("utf-8"))


@cache
def read_patterns(module: str, name: str) -> dict[str, re.Pattern[str]]:
    """Compiled patterns of a TOML file: a string is verbose, a list of strings is joined as is."""
    return {
        key: re.compile(given, re.VERBOSE) if isinstance(given, str) else re.compile("".join(given))
        for key, given in read_data(module, name).items()
    }
