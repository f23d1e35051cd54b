"""The templates: a prompt states the limits, and none speaks of what is not there."""

from __future__ import annotations

import pytest

from vivavoce.tasks import list_families
from vivavoce.tasks.family import open_prompts
from vivavoce.tasks.writing.composing import compose
from vivavoce.tasks.writing.inputs import TASKS

PROMPTS = open_prompts("writing", None)
SLOTS = {
    "title": ("content", "abstract"),
    "abstract": ("title", "content"),
    "introduction": ("title", "abstract", "content"),
    "related_work": ("title", "abstract", "content"),
}
WORDS = {task: card.answer_words for task, card in list_families()["writing"].tasks.items()}
LIMITS = {
    "title": ["about 10 words"],
    "abstract": ["around 200 words"],
    "introduction": [
        "about 1,000 to 1,500 words",
        "about three short paragraphs",
        "about 50 words",
    ],
    "related_work": ["500 to 1,000 words"],
}


def texts(task: str) -> dict[str, str]:
    """A text for each slot that no template holds by itself."""
    return {slot: f"#{slot}#" for slot in SLOTS[task]}


def render(task: str, **changes: object) -> str:
    given: dict[str, object] = {"slots": texts(task), **changes}
    if task == "related_work" and "works" not in changes:
        given["works"] = [{"title": "#work#", "abstract": "#work-abstract#"}]
    values = {"words": WORDS[task]}
    return compose(PROMPTS, task, values=values, **given)[0].text  # type: ignore[arg-type]


@pytest.mark.parametrize("task", TASKS)
def test_a_prompt_states_the_limits_and_holds_every_text(task: str) -> None:
    text = render(task)
    for limit in LIMITS[task]:
        assert limit in text
    for slot in texts(task).values():
        assert text.count(slot) == 1
    assert text.count("\n<paper>\n#content#\n</paper>\n") == 1
    if task == "related_work":
        assert "<works>\n[1] #work#\n#work-abstract#\n</works>" in text
        assert "[2]" in text  # how to cite


@pytest.mark.parametrize("task", [task for task in TASKS if task != "title"])
def test_with_the_title_alone_nothing_else_is_spoken_of(task: str) -> None:
    text = render(task, slots={"title": "#title#"}, works=[])
    assert text.count("<title>\n#title#\n</title>") == 1
    for limit in LIMITS[task]:
        assert limit in text
    asks_for = {"abstract": "abstract"}.get(task, "")
    for word in ("<paper>", "<abstract>", "<works>", "main text", "other sections", "remaining"):
        assert word not in text
    if not asks_for:
        assert "abstract" not in text.lower()
    for word in ("[2]", "numbered", "list of works", "works above", "given works"):
        assert word not in text


def test_without_works_none_are_spoken_of() -> None:
    text = render("related_work", works=[])
    for word in ("<works>", "[2]", "numbered", "number"):
        assert word not in text


@pytest.mark.parametrize("task", TASKS)
def test_examples_come_before_the_paper_each_with_its_answer_in_a_block(task: str) -> None:
    examples = [
        ({slot: f"#{slot}-{n}#" for slot in SLOTS[task]}, f"#answer-{n}#") for n in (1, 2, 3)
    ]
    slots = texts(task)
    works = [{"title": "#work#", "abstract": None}] if task == "related_work" else []
    values = {"words": WORDS[task]}
    prompt, _ = compose(PROMPTS, task, slots, examples=examples, works=works, values=values)
    text = prompt.text
    third, second, whole = (text[start:end] for start, end in prompt.blocks)
    for number, block in ((3, third), (2, second)):
        assert block.startswith(f'\n\n<example number="{number}">')
        assert block.endswith("</example>")
        for slot in SLOTS[task]:
            assert f"#{slot}-{number}#" in block
        assert f"<example_answer>\n#answer-{number}#\n</example_answer>" in block
        assert block.count("#answer") == 1
    assert text.startswith(whole)
    assert "#answer-1#" in whole
    # Without the block, it is word for word the prompt that never had an example.
    assert text.removeprefix(whole) == render(task, works=works)
    for number in (1, 2, 3):
        start, end = prompt.spans[f"example_{number}"]
        assert text[start:end] == f"#content-{number}#"
    order = [text.index(f"#answer-{number}#") for number in (1, 2, 3)]
    assert order == sorted(order)
    assert order[-1] < text.index("#content#")


def test_the_parts_that_excerpts_may_be_of_are_named() -> None:
    examples = [(dict.fromkeys(SLOTS["related_work"], "#other#"), "#answer#")]
    works = [{"title": "W", "abstract": "A"}, {"title": "V", "abstract": None}]
    prompt, pool = compose(
        PROMPTS,
        "related_work",
        texts("related_work"),
        examples=examples,
        works=works,
        values={"words": 750},
    )
    named = [(label, prompt.text[slice(*span)]) for label, span in pool]
    assert named == [
        ("another paper (example 1)", "#other#"),
        ("the related-work section of another paper (example 1)", "#answer#"),
        ("work 1", "[1] W\nA"),
        ("work 2", "[2] V"),
        ("this paper", "#content#"),
    ]
