"""Which papers become writing items, in which settings, and what the items hold."""

import io
from collections import Counter
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.tasks.writing.corpora import Papers, items_of, usual, words

from vivavoce.rounds.family import EVERY_TASK, FamilyItems
from vivavoce.tasks.writing.inputs import paper_from_row
from vivavoce.text.dates import earlier

LIKE_BASE = {"base", "random", "coauthor", "mixed"}


@pytest.fixture
def papers(tmp_path: Path) -> Papers:
    return Papers(tmp_path)


def reasons(items: FamilyItems, task: str = "title") -> dict[str, str]:
    """Papers that are in no setting of a task, and why."""
    return {
        e.paper_id: e.reason
        for e in items.excluded
        if e.task in (EVERY_TASK, task) and not e.setting
    }


def out_of(items: FamilyItems, task: str, paper_id: str) -> dict[str, str]:
    """Settings that a paper is left out of for what its input holds."""
    found = [e for e in items.excluded if (e.task, e.paper_id) == (task, paper_id) and e.setting]
    return {e.setting: e.reason for e in found if e.reason != "no_demonstration"}


def test_every_paper_shown_is_in_one_file(papers: Papers) -> None:
    papers.add("old", "2023-05-06")
    papers.add("older", "2022")
    papers.add("new", "2024-05-06")
    items = papers.build(demos=1)
    rows = pq.read_table(io.BytesIO(items.files["papers.parquet"])).to_pylist()
    demos = {name for row in items.tasks["title"] for name in row["demos_random"]}
    assert len(demos) == 1
    assert {row["paper_id"] for row in rows} >= {"new", *demos}
    (new,) = [paper_from_row(row) for row in rows if row["paper_id"] == "new"]
    assert (new.title, new.published) == ("The matter of new", "2024-05-06")
    assert [s.role for s in new.sections] == [
        "introduction", "related_work", "method", "conclusion",
    ]  # fmt: skip


def test_an_item_holds_its_gold(papers: Papers) -> None:
    papers.add("p", "2024-05-06")
    items = papers.build()
    gold = {task: rows[0]["reference"] for task, rows in items.tasks.items()}
    assert gold == {
        "title": "The matter of p",
        "abstract": words("psummary", 50),
        "introduction": words("popening", 120),
        "related_work": words("pearlier", 100),
    }
    (row,) = items.tasks["title"]
    assert (row["id"], row["cluster"], row["published"]) == ("p", "p", "2024-05-06")
    assert row["category"] == "cs.CL"
    assert row["settings"] == ["base", "leave_one_out"]


def test_settings_are_an_option(papers: Papers) -> None:
    papers.add("p", "2024-05-06")
    items = papers.build(settings=["leave_one_out", "base"])
    assert all(row["settings"] == ["base", "leave_one_out"] for row in items.tasks["abstract"])


def test_without_demonstrations_there_are_no_settings_that_show_them(papers: Papers) -> None:
    papers.add("old", "2023-05-06")
    papers.add("p", "2024-05-06")
    items = papers.build(demos=0)
    (row,) = items.tasks["abstract"]
    assert row["settings"] == ["base", "title_only", "leave_one_out"]
    assert (row["demos_random"], row["demos_coauthor"]) == ([], [])


def test_a_paper_is_in_the_window_when_every_day_it_may_be_of_is(papers: Papers) -> None:
    inside = {"first": "2024-02-01", "last": "2024-12-31", "february": "2024-02"}
    # The end is exclusive, and January of 2024 is not in the window.
    outside = {"before": "2024-01-31", "end": "2025-01-01", "january": "2024-01", "year": "2024"}
    for name, published in (inside | outside).items():
        papers.add(name, published)
    items = papers.build("2024-02-01", "2025-01-01")
    assert {row["id"] for row in items.tasks["title"]} == set(inside)
    assert reasons(items) == dict.fromkeys(outside, "outside_window")


def test_undated_and_gated_papers_are_left_out_with_the_reason(papers: Papers) -> None:
    papers.add("fit", "2024-05-06")
    papers.add("undated", None)
    papers.add("brief", "2024-05-06", sections={"Introduction": "opening"})
    papers.add("bare", "2024-05-06", abstract=" ")
    papers.add("early", "1999")
    items = papers.build()
    assert [row["id"] for row in items.tasks["title"]] == ["fit"]
    assert reasons(items) == reasons(items, "abstract") == {
        "undated": "undated",
        "brief": "short_text",
        "bare": "no_abstract",
        "early": "outside_window",
    }  # fmt: skip


def test_a_copy_is_left_out_even_when_the_original_lies_before_the_window(papers: Papers) -> None:
    papers.add("copy", "2024-07", title="Of deep graphs")
    papers.add("original", "2020-06", title="Of deep graphs")
    assert reasons(papers.build()) == {"copy": "duplicate_title", "original": "outside_window"}


def test_an_item_whose_input_holds_its_gold_is_left_out(papers: Papers) -> None:
    loud = usual("loud") | {"Method": words("m", 200) + " THE MATTER, of Loud."}
    papers.add("loud", "2024-07", sections=loud)
    papers.add("echo", "2024-07", abstract=words("e", 50) + " on the matter of echo")
    abstract = words("copied", 50)
    papers.add(
        "copy", "2024-07", abstract=abstract, sections=usual("copy") | {"Results": abstract.upper()}
    )
    items = papers.build()
    assert {row["id"] for row in items.tasks["title"]} == {"copy"}
    assert reasons(items) == {"loud": "gold_in_input", "echo": "gold_in_input"}
    assert out_of(items, "abstract", "copy") == dict.fromkeys(
        LIKE_BASE | {"leave_one_out"}, "gold_in_input"
    )
    details = {e.paper_id: e.detail for e in items.excluded if e.reason == "gold_in_input"}
    assert details["loud"] == details["copy"] == "is verbatim in: content"
    assert details["echo"] == "is verbatim in: abstract"


def test_what_leaks_in_one_input_leaves_the_other_settings(papers: Papers) -> None:
    papers.add(
        "p", "2024-07", sections=usual("p") | {"Appendix A": f"We repeat {words('psummary', 50)}"}
    )
    items = papers.build()
    # The appendix is shown in leave_one_out alone.
    assert out_of(items, "abstract", "p") == {"leave_one_out": "gold_in_input"}
    assert items_of(items, "abstract", "base") == ["p"]
    assert items_of(items, "abstract", "leave_one_out") == []


def test_a_paper_without_the_section_is_no_item_of_that_task(papers: Papers) -> None:
    sections = usual("p")
    papers.add("p", "2024-07", sections={h: t for h, t in sections.items() if h == "Method"}
               | {"Results": words("r", 300)})  # fmt: skip
    papers.add(
        "brief",
        "2024-07",
        sections=usual("brief") | {"Introduction": words("b", 39), "Results": words("r", 300)},
    )
    papers.add("whole", "2024-07")
    items = papers.build()
    assert reasons(items, "introduction") == {
        "p": "no_introduction", "brief": "short_introduction",
    }  # fmt: skip
    assert reasons(items, "related_work") == {"p": "no_related_work"}
    assert len(items.tasks["title"]) == 3


def test_a_section_of_single_letters_is_no_gold(papers: Papers) -> None:
    # What a PDF hides behind a formula, spelt out by its parse: 60 of 180 words.
    opening = f"{words('o', 120)} {' '.join('latexitsha1_base64' * 3)} {'x y ' * 3}"
    papers.add("p", "2024-07", sections=usual("p") | {"Introduction": opening})
    # Formulas within bounds: 40 of 160 words have one character.
    papers.add("q", "2024-07", sections=usual("q") | {"Introduction": words("o", 120) + " x" * 40})
    items = papers.build()
    assert reasons(items, "introduction") == {"p": "garbled_introduction"}
    (details,) = [e.detail for e in items.excluded if e.reason == "garbled_introduction"]
    assert details == "33% of its words have one character"


def test_related_work_is_written_about_works_with_a_title(papers: Papers) -> None:
    papers.add("p", "2024-07", references=[])
    papers.add("q", "2024-07")
    items = papers.build()
    assert reasons(items, "related_work") == {"p": "no_cited_works"}
    assert [row["id"] for row in items.tasks["introduction"]] == ["p", "q"]


def test_a_paper_without_main_body_has_nothing_to_write_from(papers: Papers) -> None:
    papers.add("p", "2024-07", sections={"Conclusion": words("ending", 400)})
    items = papers.build()
    assert len(items.tasks["title"]) == 1
    assert out_of(items, "abstract", "p") == dict.fromkeys(LIKE_BASE, "empty_input")
    # Every other section, the conclusion among them, and the title alone remain.
    assert items.tasks["abstract"][0]["settings"] == ["title_only", "leave_one_out"]


def test_the_oldest_papers_train_and_the_newest_test(papers: Papers) -> None:
    # 10 papers cut at round(0.1 * 10) = 1 and round(0.3 * 10) = 3; the ids run against the dates
    for number in range(10):
        papers.add(f"p{9 - number}", f"2024-0{number}" if number else "2024-01-15")
    items = papers.build(splits=[0.1, 0.2, 0.7]).tasks["title"]
    split = {row["id"]: row["split"] for row in items}
    # 2024-01-15 (p9), 2024-01 (p8) and so on: January as a whole ends after its 15th, so
    # that p9 is older than p8.
    assert [name for name in split if split[name] == "train"] == ["p9"]
    assert [name for name in split if split[name] == "val"] == ["p7", "p8"]
    assert set(split.values()) == {"train", "val", "test"}


@pytest.mark.parametrize(("shares", "counts"), [
    ([0.72, 0.19, 0.09], {"train": 2, "val": 1}),  # round(2.16) = 2, round(2.73) = 3
    ([0.0, 0.0, 1.0], {"test": 3}),
    ([1.0, 0.0, 0.0], {"train": 3}),
])  # fmt: skip
def test_a_split_may_be_empty(papers: Papers, shares: list[float], counts: dict[str, int]) -> None:
    for name in ("p", "q", "r"):
        papers.add(name, "2024-03")
    items = papers.build(splits=shares).tasks["title"]
    assert Counter(row["split"] for row in items) == counts


def test_an_item_that_holds_over_a_fifth_of_its_gold_verbatim_is_left_out(papers: Papers) -> None:
    # 52 - 12 = 40 runs of 13 words; eight of them are just the 20% that are allowed.
    for name, shown in (("eight", 20), ("nine", 21)):
        gold = [f"{name}{number}" for number in range(52)]
        sections = usual(name) | {"Results": " ".join(gold[:shown])}
        papers.add(name, "2024-03-01", abstract=" ".join(gold), sections=sections)
    items = papers.build()
    assert items_of(items, "abstract", "base") == ["eight"]
    overlaps = {row["id"]: row["overlap"] for row in items.tasks["abstract"]}
    assert overlaps == {"eight": 8 / 40, "nine": 9 / 40}
    assert out_of(items, "abstract", "nine")["base"] == "overlap"
    assert "22%" in next(e.detail for e in items.excluded if e.reason == "overlap")


def test_a_paper_of_an_active_author_is_drawn_less_often(papers: Papers) -> None:
    for number in range(12):
        papers.add(f"p{number:02d}", "2024-03", authors=["Ada Weir"], author_ids=["w"])
    papers.add("single", "2024-03", authors=["Bo Lim"], author_ids=["l"])
    papers.add("nobody", "2024-03")
    items = papers.build(author_sampling="inverse_activity", settings=["base"])
    kept = items_of(items, "abstract", "base")
    assert {"single", "nobody"} <= set(kept)
    left_out = [e for e in items.excluded if e.task in (EVERY_TASK, "abstract")]
    assert len(left_out) + len(kept) == 14
    assert {(e.reason, e.detail) for e in left_out} == {
        ("author_sampling", "kept with probability 1/12")
    }


@settings(
    max_examples=3, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_the_order_of_ingest_changes_nothing_and_demonstrations_are_earlier(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    months = data.draw(st.lists(st.integers(1, 24), min_size=2, max_size=6))
    dates = [f"{2023 + (m - 1) // 12}-{(m - 1) % 12 + 1:02d}" for m in months]
    teams = [data.draw(st.sampled_from(["ab", "a", "bc"])) for _ in months]
    order = data.draw(st.permutations(range(len(months))))
    found = []
    for places in (range(len(months)), order):
        papers = Papers(tmp_path_factory.mktemp("p"))
        for place in places:
            papers.add(f"p{place}", dates[place], authors=list(teams[place]),
                       author_ids=list(teams[place]))  # fmt: skip
        found.append(papers.build())
    assert found[0].tasks == found[1].tasks
    assert found[0].files == found[1].files
    assert found[0].excluded == found[1].excluded
    for rows in found[0].tasks.values():
        for row in rows:
            for demo in row["demos_random"] + row["demos_coauthor"]:
                assert earlier(dates[int(demo[1:])], row["published"])


def test_another_seed_gives_other_demonstrations_and_the_same_the_bytes(papers: Papers) -> None:
    for number in range(8):
        papers.add(f"old{number}", "2023-01-01")
    papers.add("p", "2024-05-06")
    first, again, other = (papers.build(seed=seed) for seed in (1, 1, 2))
    assert first.files == again.files
    assert first.tasks == again.tasks
    chosen = [i.tasks["abstract"][0]["demos_random"] for i in (first, other)]
    assert chosen[0] != chosen[1]
    assert all(len(demos) == 2 for demos in chosen)
