"""Pure text functions shared by several packages; here, readers of word lists and patterns.

Modules keep these as TOML files in their folders.
"""

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any


def read_data(module: str, name: str) -> dict[str, Any]:
    """Read a TOML file in the folder of a module."""
    return tomllib.loads(Path(module).with_name(name).read_text("utf-8"))


@cache
def read_patterns(module: str, name: str) -> dict[str, re.Pattern[str]]:
    """Compile a TOML file's patterns: a string is verbose, a list of strings is joined as is."""
    return {
        key: re.compile(given, re.VERBOSE) if isinstance(given, str) else re.compile("".join(given))
        for key, given in read_data(module, name).items()
    }
