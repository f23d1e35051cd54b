from __future__ import annotations

import asyncio
from typing import Any

import pytest
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    ModelOutput,
    get_model,
)

import vivavoce.models.offline  # noqa: F401  (registers the provider)
from vivavoce.errors import InputError
from vivavoce.models.offline import TITLE_WORDS

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
    "ours",
    [
        {"source": [0, 99]},
        {"source": "all"},
        {"source": [[0, 4], [0, 99]]},
        {"words": 0},
    ],
)
def test_metadata_that_makes_no_sense_is_refused(ours: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="metadata"):
        ask("extractive/lead", "Short text.", **ours)
