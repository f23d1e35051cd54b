"""Every command and every line of Python that a page shows is run, or stands in a table with why.

Blocks that say what they print are played where they stand, see the tests beside this one. The
others speak of papers, rounds and models of the reader's; here they get some, and must end well.
"""

import re
import shutil
import subprocess
from importlib.util import find_spec
from pathlib import Path

import pytest
from tests.docs.commands import ROOT, Example, read_examples, read_named
from tests.docs.values import BEFORE, BEFORE_LINE, NEEDS, NOT_RUN, PYTHON, VALUES
from tests.docs.world import World

TABLES = ("docs/how-to/papers.md", "docs/reproductions.md")
"""Pages whose tables list commands."""
FILES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


def examples_of(path: Path) -> list[Example]:
    """The examples of a page."""
    is_table = path.relative_to(ROOT).as_posix() in TABLES
    return read_examples(path) + ([read_named(path)] if is_table else [])


PAGES = {
    path.relative_to(ROOT).as_posix(): examples for path in FILES if (examples := examples_of(path))
}
LINES = {line for page in PAGES.values() for part in page for line in part.lines}


def filled(page: str, text: str) -> str:
    """The text of an example with values for what the page leaves open."""
    values = {**VALUES[""], **VALUES.get(page, {})}
    names = "|".join(re.escape(name) for name in sorted(values, key=len, reverse=True))
    return re.sub(rf"(?<![\w/-])(?:{names})(?![\w/-])", lambda found: values[found[0]], text)


def script_of(page: str, example: Example) -> str:
    """What bash runs of an example."""
    if example.is_python:
        return f"python - <<'END'\n{PYTHON.get(page, '')}{filled(page, example.text)}END\n"
    done = [line for line in example.lines if line not in NOT_RUN]
    return "\n".join(BEFORE_LINE.get(line, "") + "\n" + filled(page, line) for line in done)


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES)
def test_the_examples_of_a_page_run(page: str, world: World, tmp_path: Path) -> None:
    scripts = [script_of(page, example) for example in PAGES[page]]
    if not any(script.strip() for script in scripts):
        return
    for name in NEEDS.get(page, ()):
        if find_spec(name) is None and shutil.which(name) is None:
            pytest.skip(f"needs {name}")
    folder = tmp_path / "here"
    world.copy_to(folder)
    for script in [BEFORE.get(page, ""), *scripts]:
        world.run(script, folder)


def test_what_is_not_run_stands_on_a_page() -> None:
    assert set(NOT_RUN) - LINES == set()
    assert set(BEFORE_LINE) - LINES == set()
    assert set(BEFORE) | set(NEEDS) | set(PYTHON) | set(VALUES) - {""} <= set(PAGES)


def test_every_block_says_what_it_is_written_in() -> None:
    """A block without a language would be run by no test."""
    for path in FILES:
        opened = re.findall(r"^```(.*)\n(?:.*\n)*?```$", path.read_text("utf-8"), re.M)
        assert "" not in opened, path


def test_make_knows_what_the_pages_have_it_make() -> None:
    for line in sorted(line for line in LINES if line.startswith("make ")):
        done = subprocess.run(
            [*line.split(), "--dry-run"], cwd=ROOT, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
