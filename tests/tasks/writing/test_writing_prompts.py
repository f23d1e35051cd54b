"""The templates: a prompt holds every text, and none speaks of what is not there."""

import pytest
from tests.tasks.writing.corpora import Papers, words

from vivavoce.rounds import Shown
from vivavoce.tasks import build_round, list_families
from vivavoce.tasks.family import open_prompts
from vivavoce.tasks.writing.inputs import TASKS, compose, describe_lengths, shown
from vivavoce.text.tokens import WordCounter

PROMPTS = open_prompts("writing", None)
SLOTS = {
    "title": ("content", "abstract"),
    "abstract": ("title", "content"),
    "introduction": ("title", "abstract", "content"),
    "related_work": ("title", "abstract", "content"),
}
WORDS = {task: card.answer_words for task, card in list_families()["writing"].tasks.items()}


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
def test_a_prompt_holds_every_text(task: str) -> None:
    text = render(task)
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
    asks_for = {"abstract": "abstract"}.get(task, "")
    for word in ("<paper>", "<abstract>", "<works>", "main text", "other sections", "remaining"):
        assert word not in text
    if not asks_for:
        assert "abstract" not in text.lower()
    for word in ("[2]", "numbered", "list of works", "works above", "given works"):
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


@pytest.fixture(scope="module")
def cells(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], Shown]:
    """The cells of a round with one target `p` and the demonstrations `mate` and `other`."""
    folder = tmp_path_factory.mktemp("lengths")
    papers = Papers(folder)
    for name, published, ids in (
        ("p", "2024-05", ["w", "l"]), ("mate", "2023-05", ["l"]), ("other", "2023-06", ["d"]),
    ):  # fmt: skip
        category = ["cs.LG"] if name == "mate" else ["cs.CL"]
        papers.add(name, published, authors=ids, author_ids=ids, categories=category)
    papers.corpus()
    window = {"start": "2024-01-01", "end": "2025-01-01"}
    spec = {"round": {"id": "r", "window": window, "families": ["writing"]}}
    opened = build_round(folder / "c", spec, folder / "rounds")
    lengths = describe_lengths(opened, WordCounter())
    assert lengths["is_estimate"]
    assert [row["items"] for row in lengths["settings"]] == [1] * 28
    return {(item.task, item.setting): item for item in shown(opened)}


def test_a_title_is_alone_where_nothing_else_is_shown(cells: dict[tuple[str, str], Shown]) -> None:
    item = cells["abstract", "title_only"]
    assert item.inputs == ("The matter of p",)
    assert item.output == words("psummary", 50)
    assert (item.split, item.published) == ("train", "2024-05")


def test_demonstrations_count_with_their_answers(cells: dict[tuple[str, str], Shown]) -> None:
    base = cells["abstract", "base"].inputs
    random, coauthor, mixed = (cells["abstract", s].inputs for s in ("random", "coauthor", "mixed"))
    assert random[: len(base)] == coauthor[: len(base)] == mixed[: len(base)] == base
    assert random[len(base)] == "The matter of other"
    assert random[-1] == words("othersummary", 50)
    assert coauthor[-1] == words("matesummary", 50)
    assert mixed == random + coauthor[len(base) :]


def test_works_count_by_track(cells: dict[tuple[str, str], Shown]) -> None:
    base, padded = (cells["related_work", s].inputs for s in ("base", "base+padded"))
    assert "Some cited work" in base
    assert "The matter of other" not in base
    # The cited work has no abstract, so the works beside it show none either.
    assert set(padded) - set(base) == {"The matter of mate", "The matter of other"}
    assert cells["related_work", "title_only"].inputs == ("The matter of p",)
