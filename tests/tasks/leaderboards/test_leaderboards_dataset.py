"""Samples of a hand-built round: what they show, and what a run's arguments change."""

from pathlib import Path
from typing import Any

import pytest
from inspect_ai.dataset import Sample
from tests.tasks.leaderboards.board_corpora import parsing
from tests.tasks.samples import samples_of

from vivavoce.errors import InputError
from vivavoce.rounds import Round
from vivavoce.tasks.family import open_prompts
from vivavoce.tasks.leaderboards.family import LeaderboardArguments
from vivavoce.tasks.leaderboards.items import PaperChunk, compose


def only(opened: Round, **arguments: Any) -> Sample:
    [sample] = samples_of("leaderboard", opened, **arguments)
    return sample


def papers(sample: Sample) -> set[str]:
    assert sample.metadata is not None
    return {one["paper_id"][-1] for one in sample.metadata["retrieved"]}


def test_a_sample_shows_the_best_excerpts_and_asks_for_its_board(opened: Round) -> None:
    sample = only(opened)
    assert sample.id == "parsing/treebank/f1"
    assert isinstance(sample.input, str)
    assert "results on Treebank for Parsing: the F1 of" in sample.input
    assert sample.input.index("F1 on Treebank") < sample.input.index("</excerpts>")
    assert sample.target == (
        "| Method | Score |\n|---|---|\n| Cedar | 93 |\n| Birch | 92.25 |\n| Alder | 91.5 |"
    )
    metadata = sample.metadata or {}
    assert len(metadata["retrieved"]) == len(metadata["blocks"]) == 10
    assert papers(sample) <= {"1", "2", "3"}  # not the one on soup
    start, end = metadata["spans"]["question"]
    assert metadata["question"].startswith(sample.input[start:end])


def test_nothing_that_came_late_is_shown(opened: Round) -> None:
    for setting in ("base", "corpus"):
        for split in ("test", "dev"):
            sample = only(opened, setting=setting, split=split, chunks=1000)
            assert "Willow" not in f"{sample.input}{sample.target}{sample.metadata}"


def test_blocks_are_the_excerpts_worst_first(opened: Round) -> None:
    sample = only(opened)
    metadata = sample.metadata or {}
    shown = [str(sample.input)[start:end].strip() for start, end in metadata["blocks"]]
    assert all(one.startswith("<excerpt ") and one.endswith("</excerpt>") for one in shown)
    for text, found in zip(reversed(shown), metadata["retrieved"], strict=True):
        assert text.startswith(f'<excerpt from="{found["source"]}">')
    assert [found["rank"] for found in metadata["retrieved"]] == list(range(1, 11))


def test_the_ceiling_is_that_of_what_is_shown(opened: Round) -> None:
    metadata = only(opened).metadata or {}
    assert metadata["ceilings"][0] == [0.0, None]
    assert metadata["ceilings"][-1] == [1.0, 1.0]
    # The oldest paper's tables know its own method alone.
    assert len(metadata["ceilings"]) == 11
    shares = [mr for mr, _ in metadata["ceilings"]]
    assert shares == sorted(shares)


def test_chunks_of_all_papers_or_of_the_boards_alone(opened: Round) -> None:
    assert papers(only(opened, chunks=1000)) == {"1", "2", "3"}
    assert papers(only(opened, chunks=1000, setting="corpus")) == {"1", "2", "3", "4"}
    library = (only(opened).metadata or {})["library"]
    names = ["2401.00001", "2402.00002", "2403.00003"]
    assert library["papers"] == [f"arxiv:{name}" for name in names]
    assert library["cutoff"] == "2025-01-01"
    whole = (only(opened, setting="corpus").metadata or {})["library"]
    assert whole["papers"] is None


def test_development_boards_are_samples_of_their_own(opened: Round) -> None:
    sample = only(opened, split="dev")
    assert sample.id == "parsing/webbank/f1"
    assert "| Alder | 81.5 |" in str(sample.target)
    assert (sample.metadata or {})["split"] == "dev"


def test_fewer_and_smaller_chunks_show_less(opened: Round) -> None:
    assert len((only(opened, chunks=3).metadata or {})["retrieved"]) == 3
    whole, small = only(opened, chunks=1000), only(opened, chunks=1000, chunk_size=32)
    assert len((small.metadata or {})["retrieved"]) > len((whole.metadata or {})["retrieved"])


def test_a_board_is_named_by_what_was_shown() -> None:
    assert LeaderboardArguments().label == "base"
    assert LeaderboardArguments("corpus", "dev").label == "corpus+dev"
    assert LeaderboardArguments(chunks=20).label == "base@20"
    assert LeaderboardArguments(chunk_size=256).label == "base@10x256"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"split": "train"}, "no split 'train'"),
        ({"chunks": 0}, "chunks=0"),
        ({"chunk_size": 1}, "chunk_size=1"),
    ],
)
def test_nonsense_is_refused(opened: Round, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        only(opened, **arguments)


def test_a_round_without_the_setting_says_how_to_get_it(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"built without it \(\[leaderboards\]"):
        only(parsing(tmp_path).round(), setting="corpus")


def test_a_round_of_other_boards_alone_says_what_was_left_out(tmp_path: Path) -> None:
    made = parsing(tmp_path)
    made.results = [row for row in made.results if row["dataset"] == "Treebank"]
    with pytest.raises(InputError, match=r"setting base\+dev\..*left out"):
        only(made.round(), split="dev")


PROMPTS = open_prompts("leaderboards", None)
FORM = "| Method | Score |\n|---|---|"


def found(*texts: str) -> list[PaperChunk]:
    return [PaperChunk("p", f"#source-{n}#", text) for n, text in enumerate(texts, 1)]


def test_the_prompt_holds_question_excerpts_and_the_form_of_the_answer() -> None:
    text = compose(PROMPTS, "#asked#", found("#one#", "#two#")).text
    assert "<question>\n#asked#\n</question>" in text
    first, second = (
        '<excerpt from="#source-{}#">\n#{}#\n</excerpt>'.format(*pair)
        for pair in ((1, "one"), (2, "two"))
    )
    assert f"<excerpts>\n{first}\n\n{second}\n</excerpts>" in text
    assert text.endswith(FORM)


def test_taking_out_blocks_leaves_the_prompt_of_fewer_excerpts() -> None:
    texts = ("#one#", "#two#", "#three#")
    made = compose(PROMPTS, "#asked#", found(*texts))
    text = made.text
    for left, (start, end) in zip((2, 1, 0), made.blocks, strict=True):
        text = text[:start] + text[end:]
        assert text == compose(PROMPTS, "#asked#", found(*texts[:left])).text
