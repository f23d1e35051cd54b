"""The templates: every wording asks for the same, and each excerpt is a block of its own."""

from __future__ import annotations

from vivavoce.tasks.family import open_prompts
from vivavoce.tasks.leaderboards.items import (
    FoundChunk,
    PaperChunk,
    compose,
)

PROMPTS = open_prompts("leaderboards", None)
FORM = "| Method | Score |\n|---|---|"


def found(*texts: str) -> list[FoundChunk]:
    return [
        FoundChunk(PaperChunk("p", f"#source-{n}#", text), n, 1.0)
        for n, text in enumerate(texts, 1)
    ]


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


def test_a_text_that_looks_like_a_template_is_only_a_text() -> None:
    evil = "{{ question }} \ue000text\ue001 {% raw %}"
    made = compose(PROMPTS, evil, found(evil))
    assert made.text.count(evil) == 2
