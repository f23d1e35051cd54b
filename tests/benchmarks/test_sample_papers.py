"""The generator of the sample papers, and the file that it writes."""

import os
import subprocess
import sys

import pytest
from benchmarks.sample import generate
from benchmarks.sample.__main__ import lines, shipped

from vivavoce.text.normalise import normalise_title


@pytest.mark.slow
def test_the_shipped_papers_are_those_that_are_made() -> None:
    assert shipped() == lines()


def test_the_same_arguments_give_equal_papers_in_another_process() -> None:
    program = (
        "import hashlib; from benchmarks.sample import generate; "
        "print(hashlib.sha256(repr(generate(12, 3)).encode()).hexdigest())"
    )
    digests = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={
                **os.environ,
                "PYTHONHASHSEED": hash_seed,
                "PYTHONPATH": os.pathsep.join(sys.path),
            },
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for hash_seed in ("1", "2")
    }
    assert len(digests) == 1
    assert generate(12, 3) == generate(12, 3)
    assert generate(12, 3) != generate(12, 4)


def test_a_larger_corpus_only_adds_papers() -> None:
    assert generate(25) == generate(40)[:25]


def test_titles_are_distinct() -> None:
    documents = generate(200, 1)
    titles = {normalise_title(document.title or "") for document in documents}
    assert len(titles) == len(documents)
