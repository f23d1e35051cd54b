"""What the table of lengths counts of a setting."""

from __future__ import annotations

import pytest
from tests.tasks.writing.corpora import Papers, words

from vivavoce.rounds import Shown
from vivavoce.tasks import build_round
from vivavoce.tasks.writing.composing import describe_lengths, shown
from vivavoce.text.tokens import WordCounter


@pytest.fixture(scope="module")
def cells(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], Shown]:
    """The cells of a round with one target `p` and the demonstrations `mate` and `other`."""
    folder = tmp_path_factory.mktemp("lengths")
    papers = Papers(folder)
    for name, published, ids in (
        ("p", "2024-05", ["w", "l"]), ("mate", "2023-05", ["l"]), ("other", "2023-06", ["d"]),
    ):  # fmt: skip
        category = ["cs.LG"] if name == "mate" else ["cs.CL"]
        papers.add(name, published, authors=ids, author_ids=ids, categories=category)
    papers.corpus()
    window = {"start": "2024-01-01", "end": "2025-01-01"}
    spec = {"round": {"id": "r", "window": window, "families": ["writing"]}}
    opened = build_round(folder / "c", spec, folder / "rounds")
    lengths = describe_lengths(opened, WordCounter())
    assert lengths["is_estimate"]
    assert [row["items"] for row in lengths["settings"]] == [1] * 28
    return {(item.task, item.setting): item for item in shown(opened)}


def test_a_title_is_alone_where_nothing_else_is_shown(
    cells: dict[tuple[str, str], Shown],
) -> None:
    item = cells["abstract", "title_only"]
    assert item.inputs == ("The matter of p",)
    assert item.output == words("psummary", 50)
    assert (item.split, item.published) == ("train", "2024-05")


def test_demonstrations_count_with_their_answers(cells: dict[tuple[str, str], Shown]) -> None:
    base = cells["abstract", "base"].inputs
    random, coauthor, mixed = (cells["abstract", s].inputs for s in ("random", "coauthor", "mixed"))
    assert random[: len(base)] == coauthor[: len(base)] == mixed[: len(base)] == base
    assert random[len(base)] == "The matter of other"
    assert random[-1] == words("othersummary", 50)
    assert coauthor[-1] == words("matesummary", 50)
    assert mixed == random + coauthor[len(base) :]


def test_works_count_by_track(cells: dict[tuple[str, str], Shown]) -> None:
    base, padded = (cells["related_work", s].inputs for s in ("base", "base+padded"))
    assert "Some cited work" in base
    assert "The matter of other" not in base
    # The cited work has no abstract, so the works beside it show none either.
    assert set(padded) - set(base) == {"The matter of mate", "The matter of other"}
    assert cells["related_work", "title_only"].inputs == ("The matter of p",)
