"""Ends of an exam: No to the plan, a question answered early, dates without papers."""

import os
import pty
import subprocess
from collections import Counter
from pathlib import Path

import pytest
from tests.examining.papers import quality, save_pages
from tests.servers.commands import VIVA, only_json, viva_here
from tests.servers.scripted import scripted

TWO = ("--model", "openai-api/scripted/fine", "--model", "openai-api/scripted/weak")


@pytest.mark.slow
def test_no_to_the_plan_is_no_error_and_asks_nobody(tmp_path: Path) -> None:
    papers = save_pages(tmp_path / "papers", 8)
    command = ("exam", papers, "--tasks", "abstract", "--out", tmp_path / "out", *TWO)
    terminal, keyboard = pty.openpty()
    with scripted(quality) as server:
        process = subprocess.Popen(
            [str(VIVA), *map(str, command)],
            env=server.environment,
            stdin=keyboard,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        os.write(terminal, b"n\n")
        output, errors = process.communicate(timeout=120)
        assert (process.returncode, server.asks) == (0, []), errors
    os.close(terminal)
    os.close(keyboard)
    assert output.strip() == "No model was asked."
    assert "abstract: 8 items" in errors
    assert "Error" not in errors


@pytest.mark.slow
def test_a_model_is_asked_until_it_is_better_than_the_best_baseline(tmp_path: Path) -> None:
    papers = save_pages(tmp_path / "papers", 40)
    models = [
        word for name in ("strong", "weak") for word in ("--model", f"openai-api/scripted/{name}")
    ]
    command = ("exam", papers, "--tasks", "abstract", "--yes", "--out", tmp_path / "out", *models)
    with scripted(quality) as server:
        done = viva_here(*command, "--json", env=server.environment)
        asked = Counter(ask.model for ask in server.asks)
    # Thirteen papers show which model is better, and too little against the baseline.
    [verdict] = only_json(done.stdout)["verdicts"]
    assert (verdict["better"], verdict["papers"]) == ("openai-api/scripted/strong", 13)
    assert asked == {"strong": 39, "weak": 13}
    # The best baseline takes part too, and is no request.
    assert "Asking about abstract: decided after 91 of 117" in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("option", "message"),
    [
        (
            ("--since", "2023-02-01"),
            "is from 2023-02-01 or later: all are from before 2023-01-02. Name an earlier --since.",
        ),
        (
            ("--until", "2023-01-01"),
            "is from before 2023-01-01: all are from 2023-01-01 or later. Name a later --until.",
        ),
    ],
)
def test_dates_that_leave_no_paper_are_blamed(
    tmp_path: Path, option: tuple[str, str], message: str
) -> None:
    papers = save_pages(tmp_path / "papers", 1)
    done = viva_here("exam", papers, *option, "--out", tmp_path / "out", expect=2)
    assert done.stderr.endswith(f"Error: No paper in {papers} {message}\n")


@pytest.mark.slow
def test_a_paper_left_out_has_its_reason_in_words_and_what_to_do(tmp_path: Path) -> None:
    papers = save_pages(tmp_path / "papers", 4)
    days = ("--since", "2023-03-01", "--out", tmp_path / "out")
    shown = viva_here("exam", papers, "--tasks", "related_work", *days).stdout
    # The first is of January, and the last has no such section.
    assert (
        "  2301.00000v1.html: outside window: 2023-01-01; name an earlier --since or a later "
        "--until\n  2310.00003v1.html: no related work: no section of the paper is one\n"
    ) in shown
