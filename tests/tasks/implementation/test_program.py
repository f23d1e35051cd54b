"""Programs in answers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.tasks.implementation.program import find_program


@pytest.mark.parametrize(
    ("answer", "program"),
    [
        ("Here it is:\n```python\nx = 1\n```\nDone.", "x = 1\n"),
        # the last block marked as Python is the answer, whatever follows it
        ("```python\na = 1\n```\nBetter:\n```python\nb = 2\n```\n```text\nout\n```", "b = 2\n"),
        ("```\nx = 1\n```", "x = 1\n"),
        ("```py title=a.py\nx = 1\n", "x = 1\n"),  # cut off before the closing fence
        ("import os\nprint(1)\n", "import os\nprint(1)\n"),
        ("We study a problem and report what we find.", None),
        ("", None),
    ],
)
def test_the_program_of_an_answer(answer: str, program: str | None) -> None:
    assert find_program(answer) == program


@given(st.text(alphabet="`python \n#x=1", max_size=300))
def test_any_text_has_a_program_or_none(answer: str) -> None:
    found = find_program(answer)
    assert found is None or found in answer


def test_many_fences_take_no_long_time() -> None:
    assert find_program("```python\nx = 1\n```\n" * 5_000 + "```") is not None
