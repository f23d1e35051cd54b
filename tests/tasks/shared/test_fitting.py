"""The context fitter: only the tail of the slots that may be cut goes, and it is written down."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

from vivavoce.errors import InputError
from vivavoce.tasks.shared.fitting import Cut, Fitted, fit
from vivavoce.tasks.shared.prompts import Rendered
from vivavoce.tasks.shared.windows import EstimatedCounter, FileCounter, TokenCounter

ESTIMATE = EstimatedCounter()


def prompt(content: str, other: str = "A Title") -> Rendered:
    """READ <content> AND <other> NOW."""
    head, middle, tail = "READ ", " AND ", " NOW"
    start, second = len(head), len(head) + len(content) + len(middle)
    return Rendered(
        head + content + middle + other + tail,
        {"content": (start, start + len(content)), "other": (second, second + len(other))},
    )


def slot(rendered: Rendered, name: str) -> str:
    start, end = rendered.spans[name]
    return rendered.text[start:end]


def test_a_prompt_that_fits_is_left_alone() -> None:
    whole = prompt("some words")
    # READ some words AND A Title NOW: 31 bytes, 11 tokens
    fitted = fit(whole, ["content"], ESTIMATE, window=31, reserved=20)
    assert fitted == Fitted(whole, 11, 31, 20, True, ())


def test_an_unknown_window_cuts_nothing() -> None:
    whole = prompt("word " * 10_000)
    fitted = fit(whole, ["content"], ESTIMATE, window=None, reserved=100)
    assert fitted.prompt == whole
    assert (fitted.window, fitted.cuts) == (None, ())


def test_the_tail_goes_at_the_border_of_a_word() -> None:
    whole = prompt("alpha beta gamma delta epsilon")
    # 51 bytes are 17 tokens. Budget 15: 2 tokens = 6 bytes too many, of the slot's 10 tokens 8
    # stay, 24 bytes: "alpha beta gamma delta e", back to the last space: 22 characters.
    fitted = fit(whole, ["content"], ESTIMATE, window=20, reserved=5)
    assert fitted.prompt.text == "READ alpha beta gamma delta AND A Title NOW"
    assert slot(fitted.prompt, "content") == "alpha beta gamma delta"
    assert slot(fitted.prompt, "other") == "A Title"
    # kept: 22 bytes, 8 tokens; cut: " epsilon", 8 characters
    assert fitted.cuts == (Cut("content", kept_tokens=8, cut_tokens=2, cut_characters=8),)
    assert fitted.record() == {
        "tokens": 15,  # 43 bytes
        "window": 20,
        "reserved": 5,
        "estimated": True,
        "cuts": [{"slot": "content", "kept_tokens": 8, "cut_tokens": 2, "cut_characters": 8}],
    }


def test_text_without_spaces_loses_only_what_must_go() -> None:
    # A heading, then 1,000 characters of three bytes each, one token a character.
    whole = prompt("引言\n" + "引" * 1_000)
    fitted = fit(whole, ["content"], ESTIMATE, window=600, reserved=100)
    assert 490 <= fitted.tokens <= 500


def test_slots_are_cut_in_the_order_given() -> None:
    whole = prompt("one two three", "four five six seven eight nine ten")
    fitted = fit(whole, ["content", "other"], ESTIMATE, window=12, reserved=0)
    assert slot(fitted.prompt, "content") == ""
    assert "four five six seven eight nine ten".startswith(slot(fitted.prompt, "other"))
    assert [cut.slot for cut in fitted.cuts] == ["content", "other"]
    assert fitted.cuts[0].cut_characters == len("one two three")


@pytest.mark.parametrize("window", [1, 8, 20])
def test_a_window_too_small_for_what_is_never_cut_is_an_error(window: int) -> None:
    # "READ  AND A Title NOW" is 21 bytes: 7 tokens. 15 are kept for the answer.
    whole = prompt("some words")
    with pytest.raises(InputError, match=rf"window of {window} tokens with 15 .* 7 tokens"):
        fit(whole, ["content"], ESTIMATE, window=window, reserved=15)


def test_the_smallest_window_leaves_the_slot_empty() -> None:
    fitted = fit(prompt("some words"), ["content"], ESTIMATE, window=22, reserved=15)
    assert fitted.prompt.text == "READ  AND A Title NOW"


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory: pytest.TempPathFactory) -> FileCounter:
    """A tokenizer whose merges cross the borders of slots and words."""
    words = "the reader of a paper reads the words of the paper again. " * 20
    trained = Tokenizer(models.BPE())
    trained.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    trained.train_from_iterator(
        [words],
        trainers.BpeTrainer(
            vocab_size=330,
            max_token_length=9,
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
        ),
    )
    path = tmp_path_factory.mktemp("tokenizer") / "tokenizer.json"
    trained.save(str(path))
    return FileCounter(path)


def check(whole: Rendered, counter: TokenCounter, window: int, reserved: int) -> Fitted | None:
    """Fit a prompt and check all that must hold of any fitted prompt."""
    try:
        fitted = fit(whole, ["content"], counter, window=window, reserved=reserved)
    except InputError:
        emptied = prompt("", slot(whole, "other"))
        assert counter.count(emptied.text) > window - reserved
        return None
    assert fitted.tokens == counter.count(fitted.prompt.text) <= window - reserved
    kept = slot(fitted.prompt, "content")
    assert slot(whole, "content").startswith(kept)
    assert fitted.prompt == prompt(kept, slot(whole, "other"))
    lost = len(slot(whole, "content")) - len(kept)
    assert sum(cut.cut_characters for cut in fitted.cuts) == lost
    assert len(fitted.cuts) == (lost > 0)
    for cut in fitted.cuts:
        assert cut.kept_tokens == counter.count(kept)
        assert cut.kept_tokens + cut.cut_tokens == counter.count(slot(whole, "content"))
    return fitted


texts = st.text(st.sampled_from("the reads of paper.\n 读😀é"), max_size=120) | st.text(max_size=60)


@given(texts, texts, st.integers(1, 120), st.integers(0, 40))
def test_a_fitted_prompt_lacks_nothing_but_the_tail(
    content: str, other: str, window: int, reserved: int
) -> None:
    check(prompt(content, other), ESTIMATE, window, reserved)


@given(content=texts, other=texts, window=st.integers(1, 120), reserved=st.integers(0, 40))
def test_the_same_holds_for_a_models_own_tokenizer(
    tokenizer: FileCounter, content: str, other: str, window: int, reserved: int
) -> None:
    check(prompt(content, other), tokenizer, window, reserved)


def test_a_long_paper_fills_its_window(tokenizer: FileCounter) -> None:
    whole = prompt("the reader of a paper reads the words of the paper again. " * 2_000)
    fitted = check(whole, tokenizer, window=5_000, reserved=500)
    assert fitted is not None
    assert not fitted.estimated
    assert 4_490 <= fitted.tokens <= 4_500  # at most one word short
