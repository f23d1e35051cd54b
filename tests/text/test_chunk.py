"""Chunks: what they hold, where they end and how they overlap."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vivavoce.errors import InputError
from vivavoce.text.chunk import Chunk, Counter, split_text


class Pieces:
    """A token is up to four characters of one word; like a real one, it depends on its start."""

    def count(self, text: str) -> int:
        return sum(-(-len(word) // 4) for word in text.split())

    def end_of(self, text: str, tokens: int) -> int:
        left = tokens
        end = 0
        for word in text.split():
            end = text.index(word, end)
            if -(-len(word) // 4) > left:
                return end + 4 * left if left else end
            left -= -(-len(word) // 4)
            end += len(word)
        return len(text)


class Fussy:
    """A token is a word, and two more end a text that does not end with a full stop."""

    def count(self, text: str) -> int:
        return len(text.split()) + 2 * (text != "" and not text.endswith("."))

    def end_of(self, text: str, tokens: int) -> int:
        parts = text.split(maxsplit=tokens)
        return len(text) - len(parts[tokens]) if len(parts) > tokens else len(text)


def texts(chunks: list[Chunk]) -> list[str]:
    return [chunk.text for chunk in chunks]


@pytest.mark.parametrize(
    ("text", "first"),
    [
        # A paragraph break is taken before a later line break or end of a sentence.
        ("One two.\n\nThree.\nFour. Five six seven", "One two."),
        ("One two.\nThree. Four five six seven eight", "One two."),
        ("One two. Three four five six seven eight", "One two."),
        # An abbreviation ends no sentence: the chunk ends at the last space within reach.
        ("One et al. 2020 three four five six seven", "One et al. 2020"),
        ("One two three four five six seven eight", "One two three four"),
        ("Onetwothreefourfivesixseveneight", "Onetwothreefourfives"),
        ("一二三四五六七。九十一二三四五六七八九十一二", "一二三四五六七。"),
    ],
)
def test_a_chunk_ends_at_the_best_break_within_reach(text: str, first: str) -> None:
    assert split_text(text, size=20, overlap=0)[0].text == first


def test_tokens_are_counted_by_the_counter_given() -> None:
    text = "abcdefgh ij klmnopqrst uv"
    # Tokens: abcd efgh | ij | klmn opqr st | uv
    without = split_text(text, size=3, overlap=0, counter=Pieces())
    assert texts(without) == ["abcdefgh ij", "klmnopqrst", "uv"]
    # A long word is cut rather than left out of a chunk that shares a word with the last one.
    shared = split_text(text, size=3, overlap=1, counter=Pieces())
    assert texts(shared) == ["abcdefgh ij", "ij klmnopqr", "opqrst uv"]


@pytest.mark.parametrize(("size", "overlap"), [(0, 0), (10, 6), (10, -1)])
def test_sizes_that_cannot_be_are_refused(size: int, overlap: int) -> None:
    with pytest.raises(InputError, match="cannot overlap"):
        split_text("text", size, overlap)


@settings(deadline=None)
@given(
    text=st.text(alphabet=st.sampled_from("ab cé.?\n\t\u3000。)"), max_size=300),
    size=st.integers(1, 40),
    data=st.data(),
    counter=st.sampled_from([None, Pieces(), Fussy()]),
)
def test_chunks_cover_a_text_in_order(
    text: str, size: int, data: st.DataObject, counter: Counter | None
) -> None:
    overlap = data.draw(st.integers(0, size // 2))
    chunks = split_text(text, size, overlap, counter)
    length = len if counter is None else counter.count
    for chunk in chunks:
        assert chunk.text == text[chunk.start : chunk.end]
        assert chunk.text == chunk.text.strip() != ""
        assert length(chunk.text) <= size or len(chunk.text) == 1
    for one, after in pairwise(chunks):
        assert one.start < after.start
        assert one.end < after.end
        assert length(text[after.start : one.end]) <= overlap
    covered = {place for chunk in chunks for place in range(chunk.start, chunk.end)}
    assert all(text[place].isspace() for place in range(len(text)) if place not in covered)


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "unit",
    ["a", "。", "a\n", ". ", "\n \n", " " * 5_000 + "a", "\n\n" + "a" * 600, "\u0301"],
    ids=["letter", "stop", "lines", "stops", "blank", "gaps", "paragraphs", "marks"],
)
def test_time_grows_with_the_length_only(unit: str) -> None:
    text = unit * (1_000_000 // len(unit))
    chunks = split_text(text)
    assert all(len(chunk.text) <= 512 for chunk in chunks)
    assert len(chunks) <= 5 * len(text) / 448 + 1
