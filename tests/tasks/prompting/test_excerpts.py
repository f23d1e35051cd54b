"""Excerpts of a prompt's texts: cut by tokens, found by the query, laid out in their order."""

import re

from vivavoce.tasks.family import open_prompts
from vivavoce.tasks.methods.rag import SPARSE, Excerpt, cut_pool, find_excerpts, lay_out
from vivavoce.tasks.prompting.windows import EstimatedCounter

TOPICS = ("graph", "neural", "network", "text", "paper", "table", "title", "query")
PASSAGES = [f"The {topic} of one is the {topic} of all {topic} readers." for topic in TOPICS]


class WordCounter:
    """A token is a word and the white space before it."""

    def count(self, text: str) -> int:
        return len(text.split())

    def end_of(self, text: str, tokens: int) -> int:
        ends = [match.end() for match in re.finditer(r"\S+", text)]
        return len(text) if tokens >= len(ends) else ends[tokens - 1] if tokens else 0


def as_excerpts(passages: list[str]) -> list[Excerpt]:
    """Passages as excerpts of one text, in their order."""
    found, start = [], 0
    for passage in passages:
        found.append(Excerpt("this paper", start, start + len(passage), passage))
        start += len(passage) + 1
    return found


def test_a_query_without_a_word_of_the_texts_finds_their_openings() -> None:
    searchable = SPARSE["bm25"](PASSAGES)
    found = find_excerpts(searchable, as_excerpts(PASSAGES), "Zwölf Boxkämpfer", 3)
    assert [one.text for one in found] == PASSAGES[:3]
    assert [(one.rank, one.score) for one in found] == [(1, None), (2, None), (3, None)]


def test_excerpts_are_cut_by_tokens_and_never_over_two_texts() -> None:
    own, other = "a " * 100, "b " * 30
    text = f"<{own}> and <{other}>"
    pool = [("this paper", (1, 1 + len(own))), ("work 1", (len(own) + 8, len(text) - 1))]
    excerpts = cut_pool(text, pool, 40, 10, WordCounter())
    # 100 words in steps of 30 at most: from 0, 30 and 60, and the last few once more.
    sizes = [len(one.text.split()) for one in excerpts]
    assert [one.source for one in excerpts] == ["this paper"] * 4 + ["work 1"]
    assert (max(sizes), sizes[-1]) == (39, 30)
    assert sum(sizes[:4]) == 100 + 3 * 10  # three neighbours share ten words
    for one in excerpts:
        assert text[one.start : one.end] == one.text
    by_estimate = cut_pool(text, pool, 40, 10, EstimatedCounter())
    assert all(EstimatedCounter().count(one.text) <= 40 for one in by_estimate)
    assert len(by_estimate) > 2


def test_excerpts_stand_in_order_under_their_sources_and_the_worst_may_go_first() -> None:
    found = [
        Excerpt("another paper (example 1)", 0, 3, "one", 3, 0.1),
        Excerpt("this paper", 10, 13, "two", 1, 0.9),
        Excerpt("work 3", 20, 25, "three", 2, 0.5),
    ]
    laid = lay_out(open_prompts("writing", None), found)
    assert laid.text == (
        '<excerpt from="another paper (example 1)">\none\n</excerpt>\n\n'
        '<excerpt from="this paper">\ntwo\n</excerpt>\n\n'
        '<excerpt from="work 3">\nthree\n</excerpt>'
    )
    texts = {one.slot: one.text for one in found}
    assert {slot: laid.text[start:end] for slot, (start, end) in laid.spans.items()} == texts
    worst, second = (laid.text[start:end] for start, end in laid.blocks)
    assert worst == '<excerpt from="another paper (example 1)">\none\n</excerpt>\n\n'
    assert second == '<excerpt from="work 3">\nthree\n</excerpt>'
