"""The context fitter: only the tail of the slots that may be cut goes, and it is written down."""

from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.tasks.samples import train_tokenizer

from vivavoce.errors import InputError
from vivavoce.tasks.prompting import Rendered
from vivavoce.tasks.prompting.fitting import Cut, Fitting, fit
from vivavoce.tasks.prompting.windows import EstimatedCounter, FileCounter, TokenCounter

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
    assert fitted == Fitting(whole, 11, 31, 20, True, ())


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
        "dropped": 0,
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


def test_slots_of_a_group_are_cut_in_proportion() -> None:
    # 300 and 900 characters are 100 and 300 tokens; 14 bytes, 5 tokens, are around them.
    whole = prompt("a " * 150, "b " * 450)
    assert ESTIMATE.count(whole.text) == 405  # (14 + 1200) / 3, rounded up
    fitted = fit(whole, [("content", "other")], ESTIMATE, window=205, reserved=0)
    # 200 tokens too many: 400 become 200, so 100 become 50 and 300 become 150.
    assert [cut.kept_tokens for cut in fitted.cuts] == [50, 150]
    assert (len(slot(fitted.prompt, "content")), len(slot(fitted.prompt, "other"))) == (149, 449)
    assert fitted.tokens <= 205


def test_a_short_slot_of_a_group_keeps_a_share_beside_a_long_one() -> None:
    whole = prompt("paper " * 100, "work " * 10_000)
    fitted = fit(whole, [("content", "other")], ESTIMATE, window=1_000, reserved=200)
    for name, longest in (("content", 600), ("other", 50_000)):
        share = len(slot(fitted.prompt, name)) / longest
        assert 0.03 < share < 0.05  # 800 tokens of 16,872


def with_examples(papers: list[str], content: str) -> Rendered:
    """SEE 1 <paper> = A1, 2 <paper> = A2 END. READ <content> NOW; each example is a block."""
    text, spans, ends = "SEE", {}, []
    for number, paper in enumerate(papers, 1):
        text += f" {number} "
        spans[f"example_{number}"] = (len(text), len(text) + len(paper))
        text += f"{paper} = A{number}"
        ends.append(len(text))
    text += " END. "
    whole = (0, len(text))
    text += "READ "
    spans["content"] = (len(text), len(text) + len(content))
    later = list(pairwise(ends))
    firsts = [text.index(f" {number} ") for number in range(1, len(papers) + 1)]
    parts = {f"example {n}": place for n, place in enumerate(zip(firsts, ends, strict=True), 1)}
    return Rendered(f"{text}{content} NOW", spans, (*reversed(later), whole), parts)


@pytest.mark.parametrize(
    ("window", "text", "dropped"),
    [
        # 58 characters need 20 tokens of three; below, 55, 50, 42, 39, 20, 17 and 9 characters.
        (20, "SEE 1 aa aa = A1 2 bb bb bb = A2 END. READ cc cc cc cc NOW", 0),
        # Only the last example's paper is shortened, by words, down to nothing.
        (19, "SEE 1 aa aa = A1 2 bb bb = A2 END. READ cc cc cc cc NOW", 0),
        (17, "SEE 1 aa aa = A1 2  = A2 END. READ cc cc cc cc NOW", 0),
        # Then it goes as a whole, with its answer.
        (16, "SEE 1 aa aa = A1 END. READ cc cc cc cc NOW", 1),
        (14, "SEE 1 aa aa = A1 END. READ cc cc cc cc NOW", 1),
        (13, "SEE 1 aa = A1 END. READ cc cc cc cc NOW", 1),
        # With the first example goes every word that speaks of examples.
        (12, "READ cc cc cc cc NOW", 2),
        (7, "READ cc cc cc cc NOW", 2),
        # Only then is the paper itself cut.
        (6, "READ cc cc cc NOW", 2),
        (3, "READ  NOW", 2),
    ],
)
def test_examples_go_before_the_paper_and_with_all_that_speaks_of_them(
    window: int, text: str, dropped: int
) -> None:
    whole = with_examples(["aa aa", "bb bb bb"], "cc cc cc cc")
    fitted = fit(whole, ["content"], ESTIMATE, window=window, reserved=0)
    assert (fitted.prompt.text, fitted.dropped) == (text, dropped)
    assert slot(fitted.prompt, "content") == text[text.index("READ ") + 5 : -4]
    assert set(fitted.prompt.spans) == {
        "content",
        *(f"example_{number}" for number in (1, 2)[: 2 - dropped]),
    }
    left = {"2": "whole"} if window == 20 else {"2": "dropped" if dropped else "cut"}
    left["1"] = "dropped" if dropped == 2 else "cut" if window == 13 else "whole"
    assert fitted.record()["shown"] == {
        kind: [f"example {number}" for number in ("1", "2") if left[number] == kind]
        for kind in ("whole", "cut", "dropped")
    }
    lost = {cut.slot: cut.cut_characters for cut in fitted.cuts}
    if dropped:
        assert lost["example_2"] == len("bb bb bb")
    assert fitted.record()["dropped"] == dropped


def test_parts_of_a_slot_are_lost_from_its_end() -> None:
    # READ ab cd ef NOW: 17 bytes; without " ef" and " cd ef" 14 and 11
    parts = {"work 1": (5, 7), "work 2": (8, 10), "work 3": (11, 13)}
    whole = Rendered("READ ab cd ef NOW", {"works": (5, 13)}, (), parts)
    for window, left in [(6, "www"), (5, "wwd"), (4, "wdd")]:
        fitted = fit(whole, ["works"], ESTIMATE, window=window, reserved=0)
        assert fitted.shown == {
            kind: [part for part, letter in zip(parts, left, strict=True) if letter == short]
            for short, kind in (("w", "whole"), ("c", "cut"), ("d", "dropped"))
        }
        assert list(fitted.prompt.spans) == ["works"]
    long = Rendered("READ " + "a" * 90, {"works": (5, 95)}, (), {"work 1": (5, 95)})
    assert fit(long, ["works"], ESTIMATE, window=20, reserved=0).shown["cut"] == ["work 1"]


def test_a_block_of_nothing_but_instructions_goes_when_it_must() -> None:
    whole = Rendered("NOTE: be brief. READ abc NOW", {"content": (21, 24)}, ((0, 16),))
    fitted = fit(whole, [], ESTIMATE, window=4, reserved=0)
    assert (fitted.prompt.text, fitted.dropped, fitted.cuts) == ("READ abc NOW", 1, ())
    assert fitted.prompt.spans == {"content": (5, 8)}


@given(
    st.lists(st.text("ab c", max_size=30), min_size=1, max_size=4),
    st.text("xy z", max_size=60),
    st.integers(1, 60),
)
@example(["", "aaaaaa", "aaaaaaaaaaaaaaaa"], "xxxx", 17)  # the last is cut short, and then goes
def test_examples_stay_whole_in_their_order(papers: list[str], content: str, window: int) -> None:
    whole = with_examples(papers, content)
    try:
        fitted = fit(whole, ["content"], ESTIMATE, window=window, reserved=0)
    except InputError:
        assert ESTIMATE.count("READ  NOW") > window
        return
    assert fitted.tokens == ESTIMATE.count(fitted.prompt.text) <= window
    left = len(papers) - fitted.dropped
    kept = [slot(fitted.prompt, f"example_{number}") for number in range(1, left + 1)]
    assert fitted.prompt.text == (
        with_examples(kept, slot(fitted.prompt, "content")).text
        if kept
        else f"READ {slot(fitted.prompt, 'content')} NOW"
    )
    assert kept[:-1] == papers[: left - 1] if kept else True
    # The paper is cut only when no example is left.
    assert not kept or slot(fitted.prompt, "content") == content


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory: pytest.TempPathFactory) -> FileCounter:
    """A tokenizer whose merges cross the borders of slots and words."""
    words = "the reader of a paper reads the words of the paper again. " * 20
    path = tmp_path_factory.mktemp("tokenizer") / "tokenizer.json"
    train_tokenizer(path, words, crosses_words=True)
    return FileCounter(path)


def check(whole: Rendered, counter: TokenCounter, window: int, reserved: int) -> Fitting | None:
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
