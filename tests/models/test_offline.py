"""Extractive and replayed answers, and the centrality of sentences."""

import asyncio
import gzip
import json
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from inspect_ai import Task, eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    ModelOutput,
    get_model,
)
from inspect_ai.solver import Generate, Solver, TaskState, solver

import vivavoce.models.offline  # noqa: F401  (registers the provider)
from vivavoce.errors import InputError
from vivavoce.models.offline import MAX_SENTENCES, TITLE_WORDS, central_sentences, score_sentences

PAPER = (
    "1 Introduction\n\n"
    "Orchards need water every week. Apples and pears share one orchard.\n\n"
    "2 Method\n\n"
    "Apples and pears need water in every orchard. Something else entirely is said here."
)


def ask(model: str, text: str, **ours: Any) -> ModelOutput:
    message = ChatMessageUser(content=text, metadata={"vivavoce": ours} if ours else None)
    return asyncio.run(get_model(model).generate([message]))


def test_lead_answers_with_the_first_sentences_that_fit() -> None:
    # 5 + 6 words make 11; the third sentence has 8 more.
    answer = ask("extractive/lead", PAPER, words=TITLE_WORDS + 1)
    assert answer.completion.startswith("Orchards need water every week. Apples and pears share")
    long_paper = "One two three. " * 20
    assert ask("extractive/lead", long_paper, words=31).completion == ("One two three. " * 10)[:-1]


def test_headings_are_passed_over() -> None:
    answer = ask("extractive/lead", PAPER).completion
    assert "Introduction" not in answer
    assert "Method" not in answer
    assert ask("extractive/lead", "1 Introduction").completion == "1 Introduction"


def test_a_short_answer_is_one_sentence_without_its_final_mark() -> None:
    lead = ask("extractive/lead", PAPER, words=TITLE_WORDS).completion
    assert lead == "Orchards need water every week"
    assert ask("extractive/lead", PAPER, words=3).completion == "Orchards need water"
    central = ask("extractive/centrality", PAPER, words=TITLE_WORDS).completion
    assert central == "Apples and pears need water in every orchard"


def test_centrality_answers_with_central_sentences_in_the_order_of_the_text() -> None:
    answer = ask("extractive/centrality", PAPER, words=TITLE_WORDS + 1).completion
    # The sentence of 8 words is the centre; both others that share words with it also fit.
    assert (
        answer
        == (
            "Orchards need water every week. Apples and pears share one orchard. "
            "Apples and pears need water in every orchard."
        )[: len(answer)]
    )
    assert "Something else" not in answer


@pytest.mark.parametrize("model", ["extractive/lead", "extractive/centrality"])
def test_only_the_paper_inside_the_message_is_read(model: str) -> None:
    prompt = f"Please write a title. Be brief.\n\n{PAPER}\n\nThe title is wanted now."
    start = prompt.index(PAPER)
    span = [start, start + len(PAPER)]
    inside = ask(model, prompt, source=span, words=10)
    assert inside.completion == ask(model, PAPER, words=10).completion


def test_a_paper_may_stand_in_several_places_of_the_message() -> None:
    prompt = "<excerpt>\nOrchards need water.\n</excerpt>\n\n<excerpt>\nPears do too.\n</excerpt>"
    places = [prompt.index("Orchards"), prompt.index("Pears")]
    spans = [[place, prompt.index("\n", place)] for place in places]
    assert ask("extractive/lead", prompt, source=spans).completion == (
        "Orchards need water. Pears do too."
    )
    assert ask("extractive/lead", prompt, source=spans[1:]).completion == "Pears do too."


def test_one_sentence_longer_than_the_limit_is_cut() -> None:
    assert ask("extractive/lead", "word " * 500).completion == ("word " * 200).strip()


def test_the_last_message_of_the_user_counts() -> None:
    messages: list[ChatMessage] = [
        ChatMessageSystem(content="You write titles."),
        ChatMessageUser(content="Older words stand here."),
        ChatMessageAssistant(content="Yes."),
        ChatMessageUser(content="Newer words stand here."),
        ChatMessageAssistant(content="Go on."),
    ]
    output = asyncio.run(get_model("extractive/lead").generate(messages))
    assert output.completion == "Newer words stand here."


def test_an_empty_paper_gives_an_empty_answer() -> None:
    for model in ("extractive/lead", "extractive/centrality"):
        assert ask(model, "", words=5).completion == ""
        assert ask(model, " \n\n ").completion == ""


def test_an_unknown_name_is_refused_with_the_names_there_are() -> None:
    with pytest.raises(InputError, match="extractive/lead, extractive/centrality"):
        get_model("extractive/middle")


@pytest.mark.parametrize(
    "ours", [{"source": [0, 99]}, {"source": "all"}, {"source": [[0, 4], [0, 99]]}, {"words": 0}]
)
def test_metadata_that_makes_no_sense_is_refused(ours: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="metadata"):
        ask("extractive/lead", "Short text.", **ours)


def write(path: Path, *rows: dict[str, Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    return path


def replayed(path: Path | str, sample_id: object, epoch: object = 1) -> ModelOutput:
    ours = {"sample_id": sample_id, "epoch": epoch}
    message = ChatMessageUser(content="Three words here", metadata={"vivavoce": ours})
    return asyncio.run(get_model(f"replay/{path}").generate([message]))


def test_a_row_is_found_by_id_and_epoch(tmp_path: Path) -> None:
    path = write(
        tmp_path / "answers.jsonl",
        {"id": "a", "text": "for every epoch"},
        {"id": "a", "epoch": 2, "text": "for the second"},
        {"id": "b", "epoch": 1, "text": "only once"},
    )
    assert [replayed(path, "a", epoch).completion for epoch in (1, 2, 3)] == [
        "for every epoch",
        "for the second",
        "for every epoch",
    ]
    assert replayed(path, "b", 1).completion == "only once"
    assert replayed(path, "b", 2).metadata == {"missing": True}


def test_a_number_and_its_digits_are_two_ids(tmp_path: Path) -> None:
    path = write(tmp_path / "ids.jsonl", {"id": 1, "text": "int"}, {"id": "1", "text": "string"})
    assert replayed(path, 1).completion == "int"
    assert replayed(path, "1").completion == "string"


def test_an_answer_that_is_null_is_empty_and_one_without_a_row_is_missing(tmp_path: Path) -> None:
    path = write(tmp_path / "null.jsonl", {"id": "a", "text": None})
    silent, missing = replayed(path, "a"), replayed(path, "b")
    assert (silent.completion, silent.metadata) == ("", None)
    assert (missing.completion, missing.metadata) == ("", {"missing": True})


def test_gzip_is_told_by_content(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_bytes(gzip.compress(b'{"id": "a", "text": "packed"}\n'))
    assert replayed(path, "a").completion == "packed"


@pytest.mark.parametrize(
    ("lines", "line", "reason"),
    [
        (['{"id": "a", "text": "x"}', "", '{"id": "a", "text": "y"}'], 3, "repeats the id 'a'"),
        (['{"id": 1, "epoch": 2, "text": "x"}'] * 2, 2, r"\(epoch 2\) of .*bad.jsonl:1"),
        (['{"id": "a", "text": "x"}', "{"], 2, "not readable JSON"),
        (['{"text": "x"}'], 1, "id"),
        (['{"id": true, "text": "x"}'], 1, "id"),
        (['{"id": "a"}'], 1, "text"),
        (['{"id": "a", "epoch": 0, "text": "x"}'], 1, "epoch: .* got 0"),
    ],
)
def test_a_bad_row_is_refused(tmp_path: Path, lines: list[str], line: int, reason: str) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text("\n".join(lines))
    with pytest.raises(InputError, match=f"bad.jsonl:{line}.*{reason}"):
        get_model(f"replay/{path}")


def test_a_message_that_names_no_sample_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "foreign.jsonl", {"id": "a", "text": "x"})
    with pytest.raises(InputError, match="cannot identify the sample"):
        asyncio.run(get_model(f"replay/{path}").generate("A prompt of another solver."))


@solver
def addressed() -> Solver:
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        ours = {"sample_id": state.sample_id, "epoch": state.epoch}
        state.messages = [ChatMessageUser(content=state.input_text, metadata={"vivavoce": ours})]
        return await generate(state)

    return solve


def test_an_evaluation_serves_each_sample_and_epoch_and_logs_the_file_name(tmp_path: Path) -> None:
    path = write(
        tmp_path / "run.jsonl",
        {"id": 1, "text": "first"},
        {"id": "b", "epoch": 1, "text": "second"},
        {"id": "b", "epoch": 2, "text": "second again"},
    )
    dataset = MemoryDataset([Sample(input="a b", id=1), Sample(input="c", id="b")])
    (log,) = eval(
        Task(dataset=dataset, solver=addressed(), epochs=2),
        model=f"replay/{path}",
        log_dir=str(tmp_path / "logs"),
        display="none",
    )
    assert log.status == "success"
    assert log.eval.model == f"replay/{path}"
    assert log.stats.model_usage[f"replay/{path}"].input_tokens == 6
    answers = {(s.id, s.epoch): s.output.completion for s in log.samples or []}
    assert answers == {
        (1, 1): "first",
        (1, 2): "first",
        ("b", 1): "second",
        ("b", 2): "second again",
    }


STAR = [
    "apples pears and plums grow",
    "apples are red",
    "pears were green",
    "plums taste sweet",
    "completely unrelated words",
]


def similarity_graph(sentences: list[str]) -> nx.Graph:
    """Cosine of TF-IDF vectors written out word by word."""
    bags = [sentence.casefold().split() for sentence in sentences]
    words = sorted({word for bag in bags for word in bag})
    n = len(bags)
    idf = [np.log((1 + n) / (1 + sum(word in bag for bag in bags))) + 1 for word in words]
    vectors = [
        np.array([bag.count(word) * weight for word, weight in zip(words, idf, strict=True)])
        for bag in bags
    ]
    graph = nx.Graph()
    graph.add_nodes_from(range(n))
    for i in range(n):
        for j in range(i):
            cosine = vectors[i] @ vectors[j]
            cosine /= np.linalg.norm(vectors[i]) * np.linalg.norm(vectors[j])
            if cosine > 0:
                graph.add_edge(i, j, weight=cosine)
    return graph


@given(st.lists(st.text(alphabet="abcd ", min_size=1).filter(str.strip), min_size=2, max_size=12))
def test_scores_equal_pagerank_on_any_text(sentences: list[str]) -> None:
    oracle = nx.pagerank(similarity_graph(sentences), alpha=0.85, tol=1e-14, max_iter=2000)
    expected = [oracle[i] for i in range(len(sentences))]
    assert score_sentences(sentences) == pytest.approx(expected, abs=1e-7)


def test_sentences_come_in_the_order_of_the_text_and_fit_the_limit() -> None:
    # The hub has 5 words; of the 6 left, two sentences of 3 words fit.
    assert central_sentences(STAR, 11) == [0, 1, 2]
    assert central_sentences(STAR, 100) == [0, 1, 2, 3, 4]


def test_the_best_sentence_is_taken_even_when_it_is_too_long() -> None:
    assert central_sentences(STAR, 1) == [0]


def test_ties_go_to_the_earlier_sentence() -> None:
    assert central_sentences(["same words", "same words", "same words"], 4) == [0, 1]
    assert central_sentences(["one", "two", "three"], 2) == [0, 1]


def test_nothing_is_taken_from_nothing_or_for_nothing() -> None:
    assert central_sentences([], 10) == []
    assert central_sentences(STAR, 0) == []


def test_sentences_without_words_are_borne() -> None:
    assert central_sentences(["...", "—", "!"], 2) == [0, 1]


@pytest.mark.timeout(60)
def test_only_the_first_thousand_sentences_are_considered() -> None:
    sentences = [f"word{i} common" for i in range(MAX_SENTENCES)] + ["common common"] * 9_000
    chosen = central_sentences(sentences, 10)
    assert len(chosen) == 5
    assert max(chosen) < MAX_SENTENCES
