"""Papers shown as examples, rejected by name, and left out as near copies."""

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.tasks.writing.corpora import Papers, usual, words

from vivavoce.metrics.rouge import words_of
from vivavoce.records import Section
from vivavoce.rounds.family import FamilyItems
from vivavoce.tasks.writing.demonstrations import (
    Authors,
    Kinship,
    draw_targets,
    hash_runs,
    most_active,
    read_authors,
    shared_runs,
    unit,
)
from vivavoce.tasks.writing.inputs import PaperText
from vivavoce.text.shingles import mix


@pytest.fixture
def papers(tmp_path: Path) -> Papers:
    return Papers(tmp_path)


def demos(items: FamilyItems, kind: str, task: str = "abstract", name: str = "p") -> list[str]:
    (row,) = [row for row in items.tasks[task] if row["id"] == name]
    return list(row[f"demos_{kind}"])


def rejected(items: FamilyItems, setting: str, task: str = "abstract") -> tuple[str, str]:
    """(candidate, reason) of the one paper that lacks a demonstration."""
    (detail,) = [
        e.detail
        for e in items.excluded
        if (e.task, e.setting, e.reason) == (task, setting, "no_demonstration")
    ]
    candidate, _, reason = detail.partition(": ")
    return candidate, reason.partition(",")[0]


def by(*names: str) -> dict[str, Any]:
    return {"authors": list(names), "author_ids": [name.lower() for name in names]}


def test_random_ones_are_of_the_primary_category(papers: Papers) -> None:
    papers.add("p", "2024-05", categories=["cs.CL", "cs.LG"])
    papers.add("same", "2023-05", categories=["cs.CL"])
    papers.add("second", "2023-05", categories=["cs.LG", "cs.CL"])
    items = papers.build(demos=5)
    assert demos(items, "random") == ["same"]


@pytest.mark.parametrize(
    ("published", "is_earlier"),
    [
        ("2024-04-30", True),
        ("2024-05-01", False),  # the target may be of that very day
        ("2024-04", True),
        ("2024-05", False),
        ("2023", True),
        ("2024", False),
        ("2024-06-01", False),
    ],
)
def test_a_demonstration_comes_before_it(papers: Papers, published: str, is_earlier: bool) -> None:
    papers.add("p", "2024-05", **by("Weir"))
    papers.add("other", published, **by("Weir", "Lim"))
    items = papers.build("2024-05-01", "2024-06-01")
    for kind in ("random", "coauthor"):
        assert demos(items, kind) == (["other"] if is_earlier else [])


def test_coauthors_lead_the_papers_shown(papers: Papers) -> None:
    papers.add("p", "2024-05", categories=["cs.CL"], **by("Weir", "Lim"))
    elsewhere = {"categories": ["cs.LG"]}
    papers.add("first", "2023-01", **elsewhere, **by("Lim", "Dorn"))
    papers.add("last", "2023-01", **elsewhere, **by("Dorn", "Lim"))
    papers.add("group", "2023-01", **elsewhere, **by("Lim", "Weir"))
    items = papers.build(demos=5)
    assert demos(items, "coauthor") == ["first"]


def test_a_group_shows_none_of_its_own_papers(papers: Papers) -> None:
    papers.add("p", "2024-05", **by("Weir", "Lim"))
    papers.add("other", "2023-05", **by("Lim", "Weir"))
    assert rejected(papers.build(), "coauthor") == ("other", "same_group")


@pytest.mark.parametrize("authors", [by("Dorn", "Lim"), by("Dorn")])
def test_who_leads_no_paper_connects_nothing(papers: Papers, authors: dict[str, Any]) -> None:
    papers.add("p", "2024-05", **by("Weir", "Lim"))
    papers.add("other", "2023-05", **authors)
    assert demos(papers.build(), "coauthor") == []


def test_without_certain_authors_or_category_nobody_is_connected(papers: Papers) -> None:
    papers.add("p", "2024-05", categories=[], authors=["J. Lim"])
    papers.add("other", "2023-05", categories=["cs.LG"], authors=["J. Lim", "Cy Dorn"])
    items = papers.build()
    assert demos(items, "coauthor") == demos(items, "random") == []


def test_anthology_papers_without_category_are_of_its_field(papers: Papers) -> None:
    papers.add("p", "2024-05", categories=["cs.CL"])
    address = "https://aclanthology.org/2020.acl-main.1"
    papers.add("2020.acl-main.1", "2020-07", categories=[], source_url=address)
    items = papers.build()
    (demo,) = demos(items, "random")
    assert "2020.acl-main.1" in demo


def test_a_demonstration_has_the_gold_of_the_task(papers: Papers) -> None:
    papers.add("p", "2024-05")
    sections = {k: v for k, v in usual("bare").items() if k != "Related Work"}
    papers.add("bare", "2023-05", sections=sections | {"Results": words("result", 200)})
    items = papers.build()
    assert demos(items, "random", "introduction") == ["bare"]
    assert demos(items, "random", "related_work") == []


@pytest.mark.parametrize(
    ("abstract", "reason", "shown_for_title"),
    [
        # Too little of it for one work.
        (words("summary", 40) + " " + words("else", 20), "near_copy", []),
        # Every fourth word is another one; it gives away no title.
        (
            " ".join(f"summary{n}" if n % 4 else f"other{n}" for n in range(60)),
            "gold_retold",
            ["older"],
        ),
    ],
)
def test_a_paper_that_gives_the_gold_away_is_rejected_by_name(
    papers: Papers, abstract: str, reason: str, shown_for_title: list[str]
) -> None:
    papers.add("p", "2024-05", abstract=words("summary", 60), **by("Weir"))
    other = {"title": "Quite another", **by("Weir", "Lim")}
    papers.add("older", "2023-05", abstract=abstract, **other)
    items = papers.build()
    for kind in ("random", "coauthor"):
        assert demos(items, kind) == []
        assert rejected(items, kind) == ("older", reason)
        assert demos(items, kind, "title") == shown_for_title


def test_a_work_that_came_out_earlier_under_another_id_is_no_target(papers: Papers) -> None:
    papers.add("p", "2024-05", abstract=words("summary", 60), **by("Weir"))
    papers.add("copy", "2023-05", abstract=words("summary", 55), **by("Weir", "Lim"))
    papers.add("q", "2024-06", abstract=words("other", 60), **by("Weir"))
    papers.add("again", "2024-07", abstract=words("other", 58), **by("Weir"))
    items = papers.build()
    assert {row["id"] for row in items.tasks["abstract"]} == {"q"}
    reasons = {e.paper_id: (e.reason, e.detail) for e in items.excluded if not e.setting}
    assert reasons["p"] == ("outside_window", "2023-05")
    assert reasons["again"] == ("near_copy", "the same work as q")


def test_of_two_copies_of_an_earlier_paper_one_is_shown(papers: Papers) -> None:
    papers.add("p", "2024-05")
    papers.add("old", "2022-05", title="Of deep graphs")
    papers.add("again", "2023-05", title="Of deep graphs")
    assert demos(papers.build(demos=5), "random") == ["old"]


def test_a_paper_that_comes_to_the_corpus_changes_little(papers: Papers) -> None:
    papers.add("p", "2024-05")
    for number in range(9):
        papers.add(f"old{number}", "2023-05")
    before = demos(papers.build(demos=4), "random")
    papers.add("new", "2023-06")
    after = demos(papers.build(demos=4), "random")
    # Without it the order of the others is as it was.
    assert [name for name in after if name != "new"] == before[: 4 - after.count("new")]


def test_mixed_needs_two_different_papers(papers: Papers) -> None:
    papers.add("p", "2024-05", **by("Weir"))
    papers.add("old", "2023-05", **by("Weir", "Lim"))
    items = papers.build()
    assert demos(items, "random") == demos(items, "coauthor") == ["old"]
    assert "mixed" not in items.tasks["abstract"][0]["settings"]
    papers.add("older", "2022-05", **by("Dorn"))
    assert "mixed" in papers.build().tasks["abstract"][0]["settings"]


def test_papers_left_without_demonstrations_are_in_the_leakage_report(papers: Papers) -> None:
    papers.add("p", "2024-05")
    papers.add("other", "2024-06", **by("Weir"))
    items = papers.build()
    found = {
        (e.paper_id, e.setting): e.detail
        for e in items.excluded
        if e.task == "abstract" and e.reason == "no_demonstration"
    }
    assert found["p", "random"] == "no paper of the kind"
    assert ("other", "random") not in found
    assert found["other", "coauthor"] == "no paper of the kind"


def authors(**of_paper: tuple[int, ...]) -> Authors:
    first = {name: found[0] for name, found in of_paper.items() if found}
    return Authors(of_paper, first, frozenset())


def test_the_most_active_author_of_a_paper_decides() -> None:
    known = authors(a=(1, 2), b=(1,), c=(3,), d=())
    assert most_active(["a", "b", "c", "d"], known) == {"a": 2, "b": 2, "c": 1, "d": 1}
    # Only the papers that could be targets count.
    assert most_active(["a", "c"], known) == {"a": 1, "c": 1}


def test_each_author_is_expected_in_one_target() -> None:
    known = authors(**{f"p{n}": (n % 5,) for n in range(500)})
    drops = [draw_targets(sorted(known.of_paper), known, seed) for seed in range(200)]
    kept = [500 - len(dropped) for dropped in drops]
    # 500 papers kept with probability 1/100: mean 5, standard error sqrt(5 / 200) = 0.16
    assert sum(kept) / 200 == pytest.approx(5, abs=0.6)
    assert set(drops[0].values()) == {100}


def test_the_draw_of_a_paper_depends_on_seed_and_id_alone() -> None:
    few = authors(a=(1,), b=(1,), c=(2,))
    more = authors(a=(1,), b=(1,), c=(2,), x=(3,), y=(4,))
    for seed in range(20):
        before = draw_targets(["a", "b", "c"], few, seed)
        after = draw_targets(["a", "b", "c", "x", "y"], more, seed)
        assert before == after
    assert unit(0, "a") == unit(0, "a") != unit(1, "a")
    spread = Counter(int(unit(0, str(n)) * 4) for n in range(4_000))
    assert all(900 < spread[quarter] < 1_100 for quarter in range(4))


def test_names_that_may_be_two_people_connect_nobody(tmp_path: Path) -> None:
    papers = Papers(tmp_path)
    papers.add("p", "2024-01", authors=["Ada Weir", "J. Lim"], author_ids=["w", None])
    papers.add("q", "2024-02", authors=["J. Lim", "Bo Dorn"])
    papers.add("r", "2024-03", authors=["Bo Dorn"], author_ids=["d"])
    found = read_authors(papers.corpus(), {"p", "q"})
    assert set(found.of_paper) == {"p", "q"}
    # Ada has an id; of J. Lim only an initial is known; Bo Dorn is met with and without an id.
    assert len(found.certain("p")) == 1
    assert found.certain("q") == frozenset()
    assert found.first["p"] in found.certain("p")
    assert set(found.of_paper["p"]) & set(found.of_paper["q"])


def paper(name: str, *, title: str = "", abstract: str = "", opening: str = "") -> PaperText:
    introduction = Section(0, 1, "Introduction", "introduction", opening or words(f"{name}o", 60))
    return PaperText(
        name, "2024", title or f"On {name}", abstract or words(f"{name}a", 60), (introduction,)
    )


@pytest.mark.parametrize(
    ("candidate", "reason"),
    [
        (paper("p"), "itself"),
        (paper("q", title="ON P!"), "same_title"),
        # 60 words have 48 runs of 13; 36 shared words have 24 of them: just the half.
        (paper("q", abstract=words("pa", 36) + " and other words"), "near_copy"),
        (paper("q", opening=words("po", 60).upper()), "near_copy"),
        (paper("q"), None),
    ],
)
def test_kin_by_name(candidate: PaperText, reason: str | None) -> None:
    found = Kinship().between(paper("p"), candidate)
    assert (found and found[0]) == reason


def test_half_of_the_runs_of_the_shorter_text_make_a_near_copy() -> None:
    target = paper("p", abstract=words("a", 60))
    # The longer text has 100 - 12 = 88 runs; 35 shared words are 23 of the shorter one's 48.
    below = paper("q", abstract=words("a", 35) + " " + words("b", 65))
    above = paper("r", abstract=words("a", 36) + " " + words("b", 64))
    assert Kinship().between(target, below) is None
    assert Kinship().between(target, above) == (
        "near_copy",
        "50% of the 13-word runs of the abstract are shared",
    )


def test_versions_of_one_arxiv_id_are_related_whatever_they_say() -> None:
    first, second = paper("arxiv:2401.00001v1"), paper("arxiv:2401.00001v2")
    assert Kinship().between(first, second) == ("another_version", "both are arXiv 2401.00001")
    assert Kinship().between(first, paper("arxiv:2401.00002v2")) is None


def test_all_pairs_are_found_from_titles_ids_and_runs() -> None:
    papers = [
        paper("p"), paper("q", abstract=words("pa", 60)), paper("r", title="On q"), paper("s"),
        paper("2401.00001"), paper("2401.00001v3"),
    ]  # fmt: skip
    found = Kinship().find_all(papers)
    assert {pair: relation[0] for pair, relation in found.items() if pair[0] < pair[1]} == {
        ("p", "q"): "near_copy",
        ("q", "r"): "same_title",
        ("2401.00001", "2401.00001v3"): "another_version",
    }
    assert all((second, first) in found for first, second in found)


def test_a_phrase_of_the_trade_points_to_nobody() -> None:
    phrase = words("usual", 13)
    papers = [paper(f"p{n}", abstract=f"{words(f'p{n}x', 60)} {phrase}") for n in range(40)]
    assert Kinship().find_all(papers) == {}


LETTERS = st.lists(st.sampled_from("ab"), max_size=40).map(" ".join)


@given(LETTERS, LETTERS)
def test_shared_runs_are_those_of_the_words_themselves(first: str, second: str) -> None:
    def runs(text: str) -> set[tuple[str, ...]]:
        found = words_of(text)
        return {tuple(found[n : n + 13]) for n in range(len(found) - 12)}

    one, other = runs(first), runs(second)
    fewer = min(len(one), len(other))
    expected = len(one & other) / fewer if fewer else 0.0
    assert shared_runs(hash_runs(first), hash_runs(second)) == expected


def test_runs_of_a_long_copy_are_found_in_a_sample() -> None:
    long = words("long", 900)
    papers = [paper("p", opening=long), paper("q", opening=long + " " + words("more", 300))]
    assert Kinship().find_all(papers)["p", "q"][0] == "near_copy"


def test_mixing_keeps_numbers_apart() -> None:
    numbers = np.arange(10_000, dtype=np.uint64)
    assert len(np.unique(mix(numbers))) == len(numbers)
    # SplitMix64 started at 0: its first output mixes the golden gamma itself.
    assert int(mix(np.array([0x9E3779B97F4A7C15], np.uint64))[0]) == 0xE220A8397B1DCDAF
