"""Readers of hostile input, by name: a function of bytes that raises when something is wrong."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tests.fuzz.documents import read_pdf, read_set_pages, through_source
from tests.fuzz.json_paths import JSON_PATHS
from tests.fuzz.tables import TABLE_PATHS

from vivavoce.errors import VivaError

Run = Callable[[bytes], None]


@dataclass(frozen=True)
class Target:
    """One path."""

    name: str
    run: Run
    has_choice: bool = False
    """Whether the first byte of an input chooses among several readers."""


def one_of(runs: Sequence[Run]) -> Run:
    """Runs the function that the first byte of the input chooses on the rest of it."""

    def run(content: bytes) -> None:
        if content:
            runs[content[0] % len(runs)](content[1:])

    return run


def read(target: Target, content: bytes) -> None:
    """Run a target; errors that are meant for users are no findings."""
    try:
        target.run(content)
    except VivaError:
        return


TARGETS = {
    target.name: target
    for target in (
        Target("pdf", read_pdf),
        Target("pages", read_set_pages),
        Target("tei", through_source("tei", "paper.tei.xml")),
        Target("tables", one_of(TABLE_PATHS), has_choice=True),
        Target("json", one_of(JSON_PATHS), has_choice=True),
        Target("html", through_source("html", "1501.00002.html")),
        Target("latex", through_source("latex", "1501.00002.tex")),
        Target("jats", through_source("jats", "paper.nxml")),
    )
}
