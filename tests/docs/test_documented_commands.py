"""Every command that a page names exists, with the options that it is shown with.

That those of the blocks run is tested beside this one.
"""

import re
import shlex
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import typer.main

from vivavoce.cli import app

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(
    path
    for path in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md"))
    if "decisions" not in path.parts
)
_FENCE = re.compile(r"^```[^\n]*\n(.*?)^```", re.M | re.S)
_NAMED = re.compile(r"`(viva [^`\n]+)`")
_END = {"|", ">", ">>", "&&", "||", ";", "&", "2>", "<"}


def commands_of(page: Path) -> Iterator[list[str]]:
    """The words of each `viva ...` of a page, without comments and pipes."""
    text = page.read_text("utf-8")
    named = _NAMED.findall(_FENCE.sub("", text))
    for block in (*_FENCE.findall(text), "\n".join(named)):
        for line in re.sub(r"\\\n\s*", " ", block).splitlines():
            bare = line.strip().removeprefix("$ ")
            bare = re.sub(r"^([A-Z_]+=\S+ )+", "", bare)
            if not re.match(r"viva [a-z-]", bare) or " · " in bare or "|" in bare.split("#")[0]:
                continue
            words = shlex.split(bare, comments=True)
            stop = next((i for i, word in enumerate(words) if word in _END), len(words))
            yield words[1:stop]


@cache
def verbs() -> Any:
    """The whole of `viva`."""
    return typer.main.get_command(app)


def problem_of(words: list[str]) -> str | None:
    """Why a command line is none; None where it is one."""
    command = verbs()
    while hasattr(command, "commands"):
        if not words or words[0].startswith("-"):
            break
        if words[0] not in command.commands and words[0].endswith(".toml"):
            words = [command.default_verb, *words]
        if words[0] not in command.commands:
            return f"no command {words[0]!r}"
        command, words = command.commands[words[0]], words[1:]
    known = {name for param in command.params for name in (*param.opts, *param.secondary_opts)}
    known.add("--help")
    for word in words:
        name = word.partition("=")[0]
        if re.match(r"--?[A-Za-z]", word) and name not in known:
            return f"no option {name}"
    return None


def test_every_command_of_the_pages_exists():
    found = [(page.name, words) for page in PAGES for words in commands_of(page)]
    assert len(found) > 200
    assert [(page, words, why) for page, words in found if (why := problem_of(words))] == []
