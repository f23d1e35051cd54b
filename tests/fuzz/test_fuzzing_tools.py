"""The tools of fuzzing: what counts as a finding, how inputs are changed, what a run prints."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from tests.fuzz.judging import CPU_SECONDS, MEMORY, Judgement, judge, judge_alone
from tests.fuzz.mutators import mutate_json, mutate_xml
from tests.fuzz.seeds import LARGEST_SEED, write_seeds
from tests.fuzz.targets import TARGETS, Target, one_of

from vivavoce.errors import InputError

ROOT = Path(__file__).resolve().parents[2]


def refuse(content: bytes) -> None:
    raise InputError("not a paper")


def fail(content: bytes) -> None:
    int(content)


def promise(content: bytes) -> None:
    assert not content, "content"


def test_an_error_for_users_is_no_finding_and_any_other_is() -> None:
    assert judge(Target("refusing", refuse), b"x").finding == ""
    found = judge(Target("failing", fail), b"x")
    assert found.error.startswith("ValueError: ")
    assert found.finding.startswith("ValueError at ")
    assert judge(Target("failing", fail), b"7").finding == ""
    assert judge(Target("promising", promise), b"x").error.startswith("AssertionError: content")


def test_much_time_and_much_memory_are_findings() -> None:
    assert Judgement(CPU_SECONDS + 0.1, 0).finding == "slow"
    assert Judgement(0.0, MEMORY + 1).finding == "large"
    assert Judgement(CPU_SECONDS, MEMORY).finding == ""
    found = judge(
        Target("large", lambda content: bytearray(len(content) << 20).clear()), b"x" * 700
    )
    assert found.grown > 300 << 20


@pytest.mark.slow
def test_an_input_is_judged_in_a_process_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "input"
    path.write_bytes(b"\x00| Method | F1 |\n|-|-|\n| BERT | 9 |")
    found = judge_alone("tables", path)
    assert (found.finding, found.error) == ("", "")
    assert 0 <= found.seconds < CPU_SECONDS


def test_the_first_byte_chooses_the_reader() -> None:
    seen: list[tuple[str, bytes]] = []
    run = one_of([lambda rest: seen.append(("a", rest)), lambda rest: seen.append(("b", rest))])
    for content in (b"\x00one", b"\x03two", b""):
        run(content)
    assert seen == [("a", b"one"), ("b", b"two")]


@given(st.integers(0, 2**32))
def test_changed_json_is_json_and_changed_xml_is_xml(seed: int) -> None:
    changed = mutate_json(b'{"a": [1, {"b": "c"}], "d": null}', random.Random(seed))
    assert changed is None or json.loads(changed) is not ...
    content = mutate_xml(b"<a x='1'>t<b>u</b>v<c y='2'><d/></c></a>", random.Random(seed))
    assert content is not None
    etree.fromstring(content)


def test_what_is_no_tree_is_not_changed_as_one() -> None:
    assert mutate_json(b"{", random.Random(0)) is None
    assert mutate_xml(b"no markup", random.Random(0)) is None


@pytest.mark.parametrize("name", TARGETS)
def test_every_target_has_small_seeds_without_real_papers(name: str, tmp_path: Path) -> None:
    assert write_seeds(name, tmp_path, tmp_path / "nowhere") > 0
    assert all(path.stat().st_size <= LARGEST_SEED for path in tmp_path.iterdir())


@pytest.mark.slow
def test_a_short_run_prints_its_figures(tmp_path: Path) -> None:
    pytest.importorskip("atheris", reason="make fuzz installs it")
    command = [
        sys.executable,
        "-m",
        "tests.fuzz",
        "jats",
        "--seconds",
        "12",
        "--keep",
        str(tmp_path),
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    head, row = done.stdout.splitlines()[-2:]
    figures = dict(zip(head.split(), row.split(), strict=False))
    assert figures["target"] == "jats"
    assert int(figures["executions"].replace(",", "")) > 0


def test_an_unknown_target_is_named() -> None:
    command = [sys.executable, "-m", "tests.fuzz", "docx"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "docx" in done.stderr
