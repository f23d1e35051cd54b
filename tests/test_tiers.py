"""The tiers of tests: what puts a test into the slow one, and which skips a gate lets pass."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.conftest import NO_PAPERS, ROOT, pytest_collection_modifyitems, without_skips


@pytest.mark.parametrize(
    ("reason", "no_skips", "outcome"),
    [
        ("needs bubblewrap", True, "failed"),
        ("needs bubblewrap", False, "skipped"),
        (f"{NO_PAPERS} at /nowhere", True, "skipped"),
    ],
)
def test_a_gate_lets_no_skip_pass_but_for_want_of_papers(
    reason: str, no_skips: bool, outcome: str
) -> None:
    config: Any = SimpleNamespace(getoption=lambda _: no_skips)
    skip = ("test_x.py", 1, f"Skipped: {reason}")
    test = pytest.TestReport("x", ("test_x.py", 1, "x"), {}, "skipped", skip, "call")
    module = pytest.CollectReport("x", "skipped", skip, [])
    for report in (test, module):
        found = without_skips(report, config)
        assert found.outcome == outcome
        assert reason in str(found.longrepr)


@pytest.mark.parametrize(
    ("marks", "fixtures", "is_slow"),
    [
        ([], [], False),
        (["data"], [], True),
        (["browser"], [], True),
        ([], ["data_dir"], True),
        ([], ["browser"], True),
        ([], ["tmp_path"], False),
    ],
)
def test_what_needs_papers_or_a_browser_is_slow(
    marks: list[str], fixtures: list[str], is_slow: bool
) -> None:
    added: list[str] = []
    item: Any = SimpleNamespace(
        fixturenames=fixtures,
        get_closest_marker=lambda name: name in marks or None,
        add_marker=lambda mark: added.append(mark.name),
    )
    pytest_collection_modifyitems([item])
    assert added == ["slow"] * is_slow


def test_the_two_tiers_are_all_tests_and_the_gate_runs_both() -> None:
    makefile, gate = (Path(ROOT / name).read_text("utf-8") for name in ("Makefile", ".ci/run"))
    assert set(re.findall(r"\$\(PYTEST\) -m ('[^']+'|\w+)", makefile)) == {"'not slow'", "slow"}
    assert re.findall(r"^make (test.*)", gate, re.M) == ["test GATE=1", "test-slow"]
