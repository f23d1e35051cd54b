"""Writing items as samples: every input is in the prompt, the gold nowhere but in the target."""

from pathlib import Path
from typing import Any

import pytest
from inspect_ai.dataset import Sample
from tests.servers.scripted import slot
from tests.tasks.samples import samples_of
from tests.tasks.writing.hand_round import WORKS, hand_round, item, paper, work

from vivavoce.errors import InputError, NoItemsError
from vivavoce.rounds import Round
from vivavoce.tasks.lookup import create_task
from vivavoce.tasks.writing.inputs import TASKS, settings_of

PAIRS = [(task, setting) for task in TASKS for setting in settings_of(task)]
DEMOS = {"random": ["elm", "fir"], "coauthor": ["oak", "fir"], "mixed": ["elm", "fir", "oak"]}
"""Of both kinds `fir` is one: mixed shows it once, among the random ones."""
OWN = {
    "title": {"abstract", "introduction", "related_work", "method", "conclusion"},
    "abstract": {"introduction", "related_work", "method"},
    "introduction": {"abstract", "related_work", "method", "conclusion"},
    "related_work": {"abstract", "introduction", "method", "conclusion"},
}
"""What `base` shows of the paper besides its title."""


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Round:
    return hand_round(tmp_path_factory.mktemp("dataset"))


def samples(opened: Round, task: str, setting: str = "base", **given: Any) -> list[Sample]:
    return samples_of(task, opened, setting=setting, **given)


def label(opened: Round, task: str, **given: Any) -> str:
    """The setting's name on a board."""
    made = create_task(task, {"round": str(opened.folder), **given})
    return str((made.metadata or {})["setting"])


def only(
    opened: Round, task: str, setting: str = "base", **changes: Any
) -> tuple[str, dict[str, Any]]:
    """The one sample's prompt and metadata."""
    [sample] = samples(opened, task, setting, **changes)
    assert isinstance(sample.input, str)
    return sample.input, sample.metadata or {}


def parts_shown(text: str, name: str) -> set[str]:
    """Parts of a paper whose text is in a prompt."""
    roles = ("abstract", "introduction", "related_work", "method", "conclusion")
    return {role for role in roles if f"{name}-{role}-0" in text}


def test_an_item_becomes_a_sample(opened: Round) -> None:
    [sample] = samples(opened, "abstract")
    target = paper("pear")
    assert (sample.id, sample.target) == ("pear", target.abstract)
    assert isinstance(sample.input, str)
    assert slot(sample.input, "title") == "The pear title"
    assert "around 200 words" in sample.input
    metadata = dict(sample.metadata or {})
    spans = metadata.pop("spans")
    found = {name: sample.input[start:end] for name, (start, end) in spans.items()}
    assert found == {"title": "The pear title", "content": slot(sample.input, "paper")}
    [[label, start, end]] = metadata.pop("pool")
    assert (label, sample.input[start:end]) == ("this paper", found["content"])
    assert Path(metadata.pop("prompts")).name == "prompts"
    assert metadata == {
        "title": "The pear title",
        "cluster": "pear",
        "published": "2024-01-01",
        "split": "test",
        "task": "abstract",
        "setting": "base",
        "blocks": [],
        "words": 200,
        "max_tokens": 1024,
    }


@pytest.mark.parametrize(("task", "setting"), PAIRS)
def test_a_setting_shows_what_it_says_and_no_gold(opened: Round, task: str, setting: str) -> None:
    [sample] = samples(opened, task, setting)
    assert isinstance(sample.input, str)
    text = sample.input
    assert sample.target not in text
    everything = {"abstract", "introduction", "related_work", "method", "conclusion"}
    expected = OWN[task]
    if setting == "title_only":
        expected = set()
    elif setting == "open":
        expected = {"abstract"}
    elif setting == "leave_one_out":
        expected = everything - {task}
    assert parts_shown(text, "pear") == expected
    assert ("The pear title" in text) == (task != "title")
    demos = DEMOS.get(setting, [])
    assert {name for name in ("elm", "fir", "oak") if parts_shown(text, name)} == set(demos)
    places = [text.index(f"{name}-method-0") for name in demos]
    assert places == sorted(places)
    # An example shows what the target's input is made of, and its own gold as the answer.
    for number, name in enumerate(demos, 1):
        block = text[text.index(f'<example number="{number}">') :]
        block = block[: block.index("</example>")]
        answer = slot(block, "example_answer")
        other = paper(name)
        gold = {"title": other.title, "abstract": other.abstract}.get(task)
        gold = gold or next(s.text for s in other.sections if s.role == task)
        assert answer == gold
        shown = parts_shown(block.replace(answer, ""), name)
        assert shown == OWN[task]


def test_a_demonstration_is_shown_once_and_in_the_order_of_the_round(opened: Round) -> None:
    for demos, names in ((1, ["elm", "oak"]), (2, ["elm", "fir", "oak"])):
        text, metadata = only(opened, "title", "mixed", demos=demos)
        assert [n for n in ("elm", "fir", "oak") if f"{n}-method-0" in text] == names
        assert len(metadata["blocks"]) == len(names)
    text, metadata = only(opened, "title", "coauthor", demos=1)
    assert "oak-method-0" in text
    assert "fir-method-0" not in text
    assert len(metadata["blocks"]) == 1


@pytest.mark.parametrize("setting", ["base", "random", "leave_one_out"])
def test_tracks_list_the_same_works_with_or_without_others(opened: Round, setting: str) -> None:
    text, metadata = only(opened, "related_work", setting)
    assert metadata["works"] == ["Work called w1", "Work called w3", "Work called w5"]
    assert metadata["cited"] == [1, 2, 3]
    assert slot(text, "works") == "\n\n".join(
        f"[{place}] Work called w{n}\n{work(n)['abstract']}"
        for place, n in ((1, 1), (2, 3), (3, 5))
    )
    text, metadata = only(opened, "related_work", setting, track="padded")
    assert metadata["works"] == [f"Work called w{n}" for n in range(1, WORKS + 1)]
    assert metadata["cited"] == [1, 3, 5]
    # Nothing in the prompt tells the ones from the others.
    listed = slot(text, "works")
    assert "cited" not in listed
    assert "padding" not in text
    labels = [label for label, _, _ in metadata["pool"] if label.startswith("work")]
    assert labels == [f"work {n}" for n in range(1, WORKS + 1)]


def test_a_work_without_an_abstract_is_listed_by_its_title(tmp_path: Path) -> None:
    works = [work(1) | {"abstract": None}, work(3)]
    rows = {"related_work": [item("related_work", paper("pear"), works=works)]}
    text, _ = only(hand_round(tmp_path, items=rows), "related_work")
    assert slot(text, "works").startswith("[1] Work called w1\n\n[2] Work called w3\nw3-abstract-0")


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"setting": "base"}, "base"),
        ({"setting": "base", "track": "padded"}, "base+padded"),
        ({"setting": "random", "demos": 2}, "random"),
        ({"setting": "mixed", "demos": 1}, "mixed@1"),
        ({"setting": "coauthor", "track": "padded", "demos": 1}, "coauthor+padded@1"),
        ({"setting": "leave_one_out", "track": "padded"}, "leave_one_out+padded"),
        ({"track": "open"}, "open"),
        ({"setting": "open", "split": "test"}, "open+test"),
    ],
)
def test_a_setting_is_named_by_all_that_changes_what_is_seen(
    opened: Round, given: dict[str, Any], expected: str
) -> None:
    assert label(opened, "related_work", **given) == expected


def test_a_split_holds_its_items_alone_and_stands_in_the_name(tmp_path: Path) -> None:
    papers = [paper(name) for name in ("pear", "plum", "elm", "fir", "oak")]
    splits = {"pear": "train", "plum": "val", "elm": "test"}
    rows = [item("title", papers[n], split=split) for n, split in enumerate(splits.values())]
    opened = hand_round(tmp_path, papers, {"title": rows})
    for split, name in (("train", "pear"), ("validation", "plum"), ("test", "elm")):
        given = {"setting": "mixed", "demos": 1, "split": split}
        assert label(opened, "title", **given) == f"mixed+{split}@1"
        [sample] = samples(opened, "title", **given)
        assert sample.id == name
    with pytest.raises(InputError, match="There are: train, validation, test"):
        samples(opened, "title", split="dev")
    with pytest.raises(NoItemsError, match="no train item of title with the setting base"):
        samples(hand_round(tmp_path / "other"), "title", split="train")


def test_a_round_with_another_number_of_demonstrations_shows_all_of_them(tmp_path: Path) -> None:
    target = paper("pear")
    rows = {"title": [item("title", target, demos_random=["elm", "fir", "oak"])]}
    opened = hand_round(tmp_path, items=rows, demos=3)
    assert label(opened, "title", setting="random") == "random@3"
    text, _ = only(opened, "title", "random")
    assert text.count("<example number") == 3
    assert label(opened, "title", setting="random", demos=2) == "random"


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"demos": 3}, "from 1 to the 2"),
        ({"demos": 0}, "from 1 to the 2"),
        ({"demos": "2"}, "from 1 to the 2"),
        ({"setting": "base", "demos": 1}, "base shows no demonstrations"),
        ({"track": "all"}, "cited, padded, open"),
        ({"track": "open", "setting": "mixed"}, "the track open has one setting"),
        ({"track": "padded", "setting": "open"}, "the track open has one setting"),
    ],
)
def test_odd_arguments_are_refused(opened: Round, changes: dict[str, Any], complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        samples(opened, "related_work", **{"setting": "random", **changes})


def test_items_outside_a_setting_are_not_in_its_dataset(tmp_path: Path) -> None:
    papers = [paper(name) for name in ("pear", "plum", "elm", "fir", "oak")]
    rows = [
        item("title", papers[0], settings=["base", "leave_one_out"]),
        item("title", papers[1], settings=["base", "random"]),
    ]
    opened = hand_round(tmp_path, papers, {"title": rows})
    found = {
        s: [x.id for x in samples(opened, "title", s)] for s in ("base", "random", "leave_one_out")
    }
    assert found == {"base": ["pear", "plum"], "random": ["plum"], "leave_one_out": ["pear"]}
    with pytest.raises(InputError, match="no items of title with the setting mixed: it was built"):
        samples(opened, "title", "mixed")
