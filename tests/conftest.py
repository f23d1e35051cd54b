"""Fixtures every test may use."""

from __future__ import annotations

import functools
import gc
import importlib.metadata
import os
import resource
import shutil
import ssl
import sys
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, is_hypothesis_test, settings

from vivavoce.corpus import ingest
from vivavoce.sandbox.guarantees import why_unusable

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, LocatorAssertions

    Expect = Callable[[Locator], LocatorAssertions]

Report = TypeVar("Report", pytest.TestReport, pytest.CollectReport)

ROOT = Path(__file__).resolve().parent.parent
NO_PAPERS = "no real papers"
"""Stands in the reason of the only skip that `--no-skips` allows."""
FRESH_EXAMPLES = 300
OPEN_FILES = 8192
CHROMIUM_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def pytest_configure(config: pytest.Config) -> None:
    """What is compiled of the package and of the tests is kept for the next command or run.

    Until all tests are collected nothing is thrown away, so nobody looks for garbage.

    Where this package is installed from its folder, Inspect lists the files of all packages for
    each task: three quarters of a small run. So the list is made once.

    How fast Hypothesis draws tells of the machine and of who else works on it, not of the code.
    It draws the same examples for everybody, so that a change is judged by the change; with
    `--fresh`, as `make fuzz` runs it, it draws new and more ones.
    """
    _allow_open_files()
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    sys.dont_write_bytecode = False
    gc.disable()
    importlib.metadata.packages_distributions = functools.cache(
        importlib.metadata.packages_distributions
    )
    is_fresh = config.getoption("--fresh")
    settings.register_profile(
        "shared machine",
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow],
        derandomize=not is_fresh,
        database=None,
        max_examples=FRESH_EXAMPLES if is_fresh else 50,
        print_blob=is_fresh,
    )
    settings.load_profile("shared machine")


def _allow_open_files() -> None:
    """Let a process have many files open: clients of a test's models keep theirs to the end."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = OPEN_FILES if most == resource.RLIM_INFINITY else min(OPEN_FILES, most)
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))


def pytest_report_header(config: pytest.Config) -> str:
    """Say which program the tests that were asked for lack, and how to get it.

    Raises:
        UsageError: There is one, and no test may be skipped.
    """
    if not config.getoption("markexpr").startswith("slow") or shutil.which("chromium") is not None:
        return ""
    lack = "Chromium is missing, so pages are not tested in a browser: apt-get install -y chromium"
    if config.getoption("no_skips"):
        raise pytest.UsageError(lack)
    return lack


@pytest.fixture(scope="session", autouse=True)
def _no_waiting_for_the_disk() -> Iterator[None]:
    """What survives a power cut no test can see; what survives a kill, commands of their own do."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda _: None)
        yield


@pytest.fixture(autouse=True)
def _cache_of_replies(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Replies that a test keeps serve that test alone, in commands of its own too."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(
            "INSPECT_CACHE_DIR", str(tmp_path_factory.getbasetemp() / f"replies-{uuid4()}")
        )
        yield


@pytest.fixture(scope="session", autouse=True)
def _no_drawing_for_nobody() -> Iterator[None]:
    """Inspect lays out its tables of results on a quiet terminal too: a third of a small run."""
    from rich.live import Live

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Live, "refresh", lambda _: None)
        yield


@pytest.fixture(scope="session", autouse=True)
def _no_database_for_nobody() -> Iterator[None]:
    """Inspect keeps events in a database for whoever watches a run: a third of a small run.

    Only where a collected test loads Inspect, which takes seconds; commands of their own keep it.
    """
    if "inspect_ai" not in sys.modules:
        yield
        return
    from inspect_ai._eval.task.log import TaskLogger

    start = TaskLogger.init

    async def start_unwatched(logger: TaskLogger) -> None:
        await start(logger)
        await logger._release_buffer_db(keep=False)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TaskLogger, "init", start_unwatched)
        yield


@pytest.fixture(scope="session", autouse=True)
def _no_tracebacks_in_colours() -> Iterator[None]:
    """Inspect keeps the traceback of each fault in colours too: a third of a run that fails."""
    if "inspect_ai" not in sys.modules:
        yield
        return
    from inspect_ai._util.rich import truncate_traceback

    def format_plainly(*error: Any) -> tuple[str, str]:
        text, _ = truncate_traceback(*error)
        return text, text

    with pytest.MonkeyPatch.context() as patch:
        for module in ("log._log", "model._model"):
            patch.setattr(f"inspect_ai.{module}.format_traceback", format_plainly)
        yield


@pytest.fixture(scope="session", autouse=True)
def _no_verbs_put_together_again() -> Iterator[None]:
    """A process of a command puts all verbs together once; a test calls hundreds of commands."""
    import typer.main
    import typer.testing

    verbs_of = functools.cache(typer.main.get_command)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(typer.main, "get_command", verbs_of)
        patch.setattr(typer.testing, "_get_command", verbs_of)
        yield


@pytest.fixture(scope="session", autouse=True)
def _no_certificates_read_again() -> Iterator[None]:
    """Each client of a model reads those of all authorities, though servers here speak no TLS."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ssl, "create_default_context", functools.cache(ssl.create_default_context))
        yield


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option of the gate; where CI=true is set it holds without being asked for."""
    parser.addoption(
        "--no-skips",
        action="store_true",
        default=os.environ.get("CI") == "true",
        help="a skipped test fails, except for want of real papers",
    )
    parser.addoption(
        "--fresh",
        action="store_true",
        help="run property tests alone, on examples that nobody has seen",
    )


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Put into the slow tier, beside what is marked `slow`, all that needs papers or Chromium."""
    if config.getoption("--fresh"):
        items[:] = [one for one in items if is_hypothesis_test(getattr(one, "obj", None))]
    for item in items:
        marked = any(item.get_closest_marker(name) for name in ("data", "browser"))
        if marked or not {"data_dir", "browser"}.isdisjoint(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.slow)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip what runs programs in a sandbox where none starts."""
    if item.get_closest_marker("sandbox") and (reason := why_no_sandbox()):
        pytest.skip(reason)


@functools.cache
def why_no_sandbox() -> str | None:
    """The reason why no sandbox starts on this machine; None where one does."""
    return why_unusable()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Fail a test that was skipped where nothing may be."""
    return without_skips((yield), item.config)


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Fail a module that was skipped where nothing may be."""
    return without_skips((yield), collector.config)


def without_skips(report: Report, config: pytest.Config) -> Report:
    """The report of a skip as that of a failure, unless real papers are missing."""
    if report.skipped and config.getoption("no_skips") and not hasattr(report, "wasxfail"):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        if NO_PAPERS not in reason:
            report.outcome = "failed"
            report.longrepr = f"No test may be skipped here. {reason}"
    return report


def pytest_collection_finish() -> None:
    """What is loaded by now stays to the end: to look again and again for garbage in it is slow."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 10, 10)
    gc.enable()


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Bytes are named after their argument: a gzip made in a test holds the time it was made."""
    return argname if isinstance(val, bytes) else None


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The folder of real papers: VIVAVOCE_DATA, else shared/data beside the repository."""
    folder = Path(os.environ.get("VIVAVOCE_DATA") or ROOT.parent / "shared" / "data")
    if not folder.is_dir():
        pytest.skip(f"{NO_PAPERS} at {folder}: point VIVAVOCE_DATA at a folder that has them")
    return folder


@pytest.fixture(scope="session")
def read_tei(data_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[Path], Path]:
    """Makes a corpus of the real TEI files at a place; they are read but once."""
    first = tmp_path_factory.mktemp("tei") / "corpus"

    def copy_to(corpus: Path) -> Path:
        if not first.exists():
            ingest("tei", data_dir / "tei", first)
        shutil.copytree(first, corpus)
        return corpus

    return copy_to


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A headless Chromium.

    Its driver keeps an event loop running in this process until it is closed, and no evaluation
    can run beside that: so it is closed with its module.
    """
    program = shutil.which("chromium")
    if program is None:
        pytest.skip("Chromium is missing: apt-get install -y chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=program, args=CHROMIUM_FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture
def expect() -> Expect:
    """Assertions about an element that wait until the page has got there."""
    from playwright.sync_api import expect

    return expect
