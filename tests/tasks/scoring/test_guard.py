"""The guard: what is not an answer is counted and never scored; what is one is never mistaken."""

import asyncio
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inspect_ai.model import ChatMessageUser, ModelName, ModelOutput, StopReason
from inspect_ai.solver import TaskState

from vivavoce.metrics import FaultyAnswer
from vivavoce.tasks.scoring import VALID
from vivavoce.tasks.scoring.guard import FAULTS, find_fault, guarded

FAULTY = {
    "refusal": [
        "I'm sorry, but I can't help with that.",
        "I’m sorry, but I can’t assist with that request.",
        "I cannot assist with this request.",
        "I'm unable to provide a title for this paper.",
        "Sorry, I cannot write an abstract for this text.",
        "I apologize, but I cannot fulfill this request.",
        "Unfortunately, I am not able to complete that task.",
        "As an AI language model, I do not have access to the paper.",
        "I must decline to write this abstract.",
        "I must respectfully decline.",
        "I won't be able to help with this, as it may infringe a copyright.",
        "I don't have access to the full text of the paper.",
        "I'm sorry, but the text you provided is incomplete.",
        "I cannot comply.",
        "“I can't generate the abstract of this paper.”",
        "We're sorry, but we cannot assist with that request.",
        "I'm not able to generate a title for that content because it may be harmful.",
        "Es tut mir leid, aber ich kann dabei nicht helfen.",
        "Je suis désolé, mais je ne peux pas rédiger ce résumé.",
        "Lo siento, no puedo ayudar con eso.",
        "Desculpe, não posso escrever isso.",
        "Mi dispiace, non posso aiutarti.",
        "Het spijt me, maar dat kan ik niet doen.",
        "К сожалению, я не могу написать аннотацию.",
        "抱歉，我无法完成这个请求。",
        "申し訳ありませんが、お手伝いできません。",
        "죄송하지만 도와드릴 수 없습니다.",
        "The sections of the paper seem to be missing. Please provide them, and I will begin.",
        "Only headings came with your message. Could you re-upload the file?",
    ],
    "placeholder": [
        "N/A",
        "n/a.",
        "None",
        "[Title]",
        "**Abstract**\n\n[Insert it here]",
        "...",
        "TBD",
    ],
    "provider_error": [
        "Error code: 503 - upstream connect error",
        '{"error": {"message": "overloaded"}}',
        '\n {\n  "error" : "overloaded"}',
        "<!DOCTYPE html><html><body>502</body></html>",
        "429 Too Many Requests",
        "HTTP 502 Bad Gateway",
        "502 Bad Gateway\n<hr>nginx",
        "Internal Server Error",
        "Rate limit exceeded.",
        "This model's maximum context length is 4096 tokens.",
        "upstream connect error or disconnect/reset before headers",
    ],
}
GENUINE = [
    "I Know What You Asked: Prompt Leakage in Retrieval Systems",
    "I Can't Believe There Are No Labels: Training Rankers From Clicks",
    "I'm Sorry, I Can't Do That: Teaching Robots to Refuse",
    "I, Reviewer: A Study of Machine-Written Reports",
    "I cannot settle the question with the data at hand, but I give three tests that would.",
    "Sorry, I Can't Hear You: Speech Recognition Under Noise",
    "Sorry Is Not Enough: Apologies in Dialogue Data",
    "Cannot See the Forest for the Trees: Global Coherence in Summaries",
    "Unable to Parse: Why Readers Fail on Tables",
    "Unfortunately, common benchmarks cannot tell memorised answers from reasoned ones.",
    "Unfortunately, we cannot provide labels for all documents, so we learn from a few.",
    "We cannot assist readers who search for a paper by its result. We build an index that can.",
    "We decline to rank systems whose intervals overlap, and show how many ranks remain.",
    "We apologise to no one: politeness markers in reviews do not predict their scores.",
    "Error: A Taxonomy of What Goes Wrong in Reading Comprehension",
    "Error Code Prediction for Industrial Logs",
    "404 Not Found: The Decay of Links in Scholarly Articles",
    "Too Many Requests: Rate Limits as a Cost Model for Crawlers",
    "Rate Exceeded Expectations: A Faster Decoder",
    "As an AI language model, ChatGPT has been compared with search engines.",
    "As an AI assistant for reviewers, our system highlights unsupported claims.",
    "Refuse to Answer: Calibrated Abstention",
    "This Model's Limits: A Case Study",
    "HTML or Markdown? Input Formats for Reading Papers",
    "I",
    "無監督的引文推薦",
    "Please Share Your Data: Requests and Replies Among Ecologists",
    "Most venues say: please include a README. We count how many papers have one.",
    "I can't access the paper, but judging by its outline, here is a title:\n\nNets That Read",
    "Nets That Read\n\nPlease share the whole text if you want another one.",
]


def output(text: str, stop: StopReason = "stop") -> ModelOutput:
    return ModelOutput.from_content("scripted/model", text, stop_reason=stop)


@pytest.mark.parametrize(
    ("fault", "text"), [(fault, text) for fault, texts in FAULTY.items() for text in texts]
)
def test_a_text_that_is_no_answer_is_named(fault: str, text: str) -> None:
    assert find_fault(output(text)) == fault


def test_reasoning_that_never_ends_is_no_answer() -> None:
    assert (
        find_fault(output("<think>The title could be: Nets That Read", "max_tokens")) == "unclosed"
    )
    assert find_fault(output("<think>Hm.</think>")) == "empty"
    assert find_fault(output("<think>I cannot write an abstract.</think>Nets That Read")) is None


@pytest.mark.parametrize("text", GENUINE)
def test_answers_that_resemble_a_refusal_or_an_error_are_answers(text: str) -> None:
    assert find_fault(output(text)) is None
    assert find_fault(output(f"  “{text}”\n")) is None


@pytest.mark.parametrize("text", ["", " \n\t", "\u200b", "\ufeff\u2060\u00a0\x00"])
def test_an_answer_that_nobody_can_see_is_empty(text: str) -> None:
    assert find_fault(output(text)) == "empty"
    assert find_fault(output(f"{text}A title{text}")) is None


def test_a_long_text_is_no_refusal_however_it_opens() -> None:
    opening = "I cannot provide a summary of this field in a sentence. "
    assert find_fault(output(opening)) == "refusal"
    assert find_fault(output(opening + "It has grown in many directions. " * 20)) is None


@pytest.mark.parametrize(
    ("stop", "text", "fault"),
    [
        ("model_length", "This model's maximum context length is 4096 tokens.", "overflow"),
        ("model_length", "A Perfectly Fine Title", "overflow"),
        ("content_filter", "", "refusal"),
        ("content_filter", "A Perfectly Fine Title", "refusal"),
        ("stop", "", "empty"),
        ("stop", " \n\t\u00a0\u2003", "empty"),
        ("max_tokens", "A Title That Stops in the Middle of", None),
        ("max_tokens", "", "empty"),
        ("unknown", "A Perfectly Fine Title", None),
    ],
)
def test_the_stop_reason_goes_before_text(stop: StopReason, text: str, fault: str | None) -> None:
    assert find_fault(output(text, stop)) == fault


def test_a_missing_row_an_error_and_no_choice_at_all() -> None:
    missing = output("")
    missing.metadata = {"missing": True}
    failed = output("A Perfectly Fine Title")
    failed.error = "the connection was closed"
    assert find_fault(missing) == "missing"
    assert find_fault(failed) == "provider_error"
    assert find_fault(ModelOutput()) == "empty"


def score(
    answer: ModelOutput, values: Mapping[str, float] | Exception
) -> tuple[Mapping[str, float], Mapping[str, object]]:
    async def measure(text: str) -> Mapping[str, float]:
        if isinstance(values, Exception):
            raise values
        return values

    state = TaskState(ModelName("none/none"), 1, 1, "ask", [ChatMessageUser(content="ask")])
    state.output = answer
    given = asyncio.run(guarded(measure, state, {"first": 0.0, "second": 0.0}))
    assert isinstance(given.value, dict)
    return given.value, given.metadata or {}  # type: ignore[return-value]


def test_a_fault_is_worth_zero_in_every_metric_and_named() -> None:
    perfect = {"first": 1.0, "second": 1.0}
    for text, stop, fault in [
        ("Too long.", "model_length", "overflow"),
        ("I cannot help with that.", "stop", "refusal"),
        ("", "stop", "empty"),
    ]:
        values, metadata = score(output(text, stop), perfect)  # type: ignore[arg-type]
        assert values == {"first": 0.0, "second": 0.0, VALID: 0.0}
        assert (metadata["fault"], metadata["stop_reason"]) == (fault, stop)
        assert fault in FAULTS


def test_an_answer_keeps_its_values_and_a_malformed_one_has_none() -> None:
    values, metadata = score(output("A Title"), {"first": 0.25, "second": 0.5})
    assert values == {"first": 0.25, "second": 0.5, VALID: 1.0}
    assert metadata["fault"] is None
    values, metadata = score(output("12.5"), FaultyAnswer("malformed"))
    assert values == {"first": 0.0, "second": 0.0, VALID: 0.0}
    assert metadata["fault"] == "malformed"


def test_a_fault_of_the_metric_itself_is_not_hidden() -> None:
    with pytest.raises(ZeroDivisionError):
        score(output("A Title"), ZeroDivisionError())


@given(st.text() | st.sampled_from([*FAULTY["refusal"], *GENUINE]), st.text())
def test_every_text_is_judged(start: str, end: str) -> None:
    assert find_fault(output(start + end)) in (None, *FAULTS)
