"""Which papers become writing items, and what the items hold."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from vivavoce.corpus import ingest, load_corpus
from vivavoce.rounds import parse_spec
from vivavoce.rounds.family import FamilyItems
from vivavoce.tasks.writing.build import OPTIONS, build

TEI = """<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><fileDesc><titleStmt>
<title level="a" type="main">{title}</title></titleStmt></fileDesc><profileDesc>
<abstract><p>{abstract}</p></abstract></profileDesc></teiHeader><text><body>{body}</body></text>
</TEI>"""
PLAIN = {"Introduction": "opening " * 200, "Method": "middle " * 200, "Conclusion": "ending " * 9}
ABSTRACT = "summary " * 50


class Papers:
    """Papers written one by one, then built into the items of a round."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.rows: list[dict[str, str]] = []

    def add(
        self,
        name: str,
        published: str | None,
        *,
        title: str = "",
        abstract: str = ABSTRACT,
        sections: dict[str, str] = PLAIN,
    ) -> None:
        body = "".join(f"<div><head>{h}</head><p>{t}</p></div>" for h, t in sections.items())
        title = title or f"The matter of {name}"
        path = self.folder / "tei" / f"{name}.tei.xml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(TEI.format(title=title, abstract=abstract, body=body))
        row = {"file": path.name, "id": name}
        self.rows.append({**row, "published": published} if published else row)

    def build(
        self, start: str = "2024-01-01", end: str = "2025-01-01", **options: Any
    ) -> FamilyItems:
        (self.folder / "m.jsonl").write_text("\n".join(map(json.dumps, self.rows)))
        ingest("tei", self.folder / "tei", self.folder / "c")
        ingest("metadata", self.folder / "m.jsonl", self.folder / "c")
        window = {"start": start, "end": end}
        values = {"id": "r", "window": window, "families": ["writing"]}
        spec = parse_spec({"round": values, "writing": options}, {"writing": OPTIONS})
        return build(load_corpus(self.folder / "c"), spec, spec.families["writing"])


@pytest.fixture
def papers(tmp_path: Path) -> Papers:
    return Papers(tmp_path)


def reasons(items: FamilyItems, task: str = "title") -> dict[str, str]:
    return {e.paper_id: e.reason for e in items.excluded if e.task == task}


def test_a_title_is_written_from_the_abstract_and_the_main_body(papers: Papers) -> None:
    papers.add("p", "2024-05-06")
    (row,) = papers.build().tasks["title"]
    assert (row["id"], row["cluster"], row["published"]) == ("p", "p", "2024-05-06")
    assert (row["title"], row["reference"]) == (None, "The matter of p")
    assert row["abstract"] == ABSTRACT.strip()
    opening, middle, ending = (PLAIN[head].strip() for head in PLAIN)
    blocks = ["Introduction", opening, "Method", middle, "Conclusion", ending]
    assert row["content"].split("\n\n") == blocks


def test_an_abstract_is_written_from_the_title_and_the_body_without_its_conclusion(
    papers: Papers,
) -> None:
    papers.add("p", "2024-05-06")
    (row,) = papers.build().tasks["abstract"]
    assert (row["title"], row["abstract"]) == ("The matter of p", None)
    assert row["reference"] == ABSTRACT.strip()
    assert "middle" in row["content"]
    assert "ending" not in row["content"]
    assert "Conclusion" not in row["content"]


def test_what_is_not_main_body_is_in_no_input(papers: Papers) -> None:
    beside = {"Abstract": "alpha", "Acknowledgements": "beta", "References": "gamma"}
    papers.add("p", "2024-05-06", sections={**PLAIN, **beside, "Appendix A": "delta"})
    items = papers.build()
    for task in ("title", "abstract"):
        (row,) = items.tasks[task]
        for word in ("alpha", "beta", "gamma", "delta"):
            assert word not in row["content"]


@pytest.mark.parametrize(
    ("published", "is_inside"),
    [
        ("2024-02-01", True),  # the first day
        ("2024-01-31", False),
        ("2024-12-31", True),  # the last day
        ("2025-01-01", False),  # the end is exclusive
        ("2024-02", True),
        ("2024-12", True),
        ("2024-01", False),
        ("2025-01", False),
        ("2024", False),  # January of 2024 is not in the window
        ("2024-02-29", True),
    ],
)
def test_a_paper_is_in_the_window_when_every_day_it_may_be_of_is(
    papers: Papers, published: str, is_inside: bool
) -> None:
    papers.add("p", published)
    items = papers.build("2024-02-01", "2025-01-01")
    assert len(items.tasks["title"]) == is_inside
    assert reasons(items) == ({} if is_inside else {"p": "outside_window"})


def test_a_year_is_inside_a_window_that_holds_the_whole_of_it(papers: Papers) -> None:
    papers.add("p", "2024")
    assert len(papers.build("2024-01-01", "2025-01-01").tasks["title"]) == 1


def test_undated_and_gated_papers_are_left_out_with_the_reason(papers: Papers) -> None:
    papers.add("fit", "2024-05-06")
    papers.add("undated", None)
    papers.add("brief", "2024-05-06", sections={"Introduction": "opening"})
    papers.add("bare", "2024-05-06", abstract="")
    papers.add("early", "1999")
    items = papers.build()
    assert [row["id"] for row in items.tasks["title"]] == ["fit"]
    assert reasons(items) == reasons(items, "abstract") == {
        "undated": "undated",
        "brief": "short_text",
        "bare": "no_abstract",
        "early": "outside_window",
    }  # fmt: skip


def test_of_two_papers_with_one_title_the_earlier_is_kept(papers: Papers) -> None:
    papers.add("second", "2024-07", title="Of deep Graphs")
    papers.add("first", "2024-06", title="OF DEEP-GRAPHS")
    items = papers.build()
    assert [row["id"] for row in items.tasks["title"]] == ["first"]
    (left_out,) = [e for e in items.excluded if e.task == "title"]
    assert (left_out.reason, left_out.detail) == ("duplicate_title", "same title as first")


def test_a_copy_is_left_out_even_when_the_original_lies_before_the_window(papers: Papers) -> None:
    papers.add("copy", "2024-07", title="Of deep graphs")
    papers.add("original", "2020-06", title="Of deep graphs")
    assert reasons(papers.build()) == {"copy": "duplicate_title", "original": "outside_window"}


def test_an_item_whose_input_holds_its_gold_is_left_out_of_that_task_only(papers: Papers) -> None:
    text = {"Introduction": "opening " * 200 + "THE MATTER, of Loud.", "Method": "middle " * 200}
    papers.add("loud", "2024-07", sections=text)
    papers.add("echo", "2024-07", abstract=ABSTRACT + " on the matter of echo")
    papers.add("copy", "2024-07", sections={**PLAIN, "Results": ABSTRACT.upper()})
    items = papers.build()
    assert {row["id"] for row in items.tasks["title"]} == {"copy"}
    assert reasons(items) == {"loud": "gold_in_input", "echo": "gold_in_input"}
    assert reasons(items, "abstract") == {"copy": "gold_in_input"}
    details = {e.paper_id: e.detail for e in items.excluded}
    assert details["loud"] == details["copy"] == "stands verbatim in: content"
    assert details["echo"] == "stands verbatim in: abstract"


def test_a_paper_without_main_body_has_nothing_to_write_from(papers: Papers) -> None:
    papers.add("p", "2024-07", sections={"Conclusion": "ending " * 400})
    items = papers.build()
    assert len(items.tasks["title"]) == 1
    assert reasons(items, "abstract") == {"p": "empty_input"}


def test_the_oldest_papers_train_and_the_newest_test(papers: Papers) -> None:
    # 10 papers cut at round(0.1 * 10) = 1 and round(0.3 * 10) = 3; the ids run against the dates
    for number in range(10):
        papers.add(f"p{9 - number}", f"2024-0{number}" if number else "2024-01-15")
    items = papers.build(splits=[0.1, 0.2, 0.7]).tasks["title"]
    split = {row["id"]: row["split"] for row in items}
    # January as a whole begins before its 15th: p8 is older than p9.
    assert [name for name in split if split[name] == "train"] == ["p8"]
    assert [name for name in split if split[name] == "val"] == ["p7", "p9"]
    assert set(split.values()) == {"train", "val", "test"}


@pytest.mark.parametrize(("shares", "counts"), [
    ([0.72, 0.19, 0.09], {"train": 2, "val": 1}),  # round(2.16) = 2, round(2.73) = 3
    ([0.0, 0.0, 1.0], {"test": 3}),
    ([1.0, 0.0, 0.0], {"train": 3}),
])  # fmt: skip
def test_few_papers_may_leave_a_split_empty(
    papers: Papers, shares: list[float], counts: dict[str, int]
) -> None:
    for name in ("p", "q", "r"):
        papers.add(name, "2024-03")
    items = papers.build(splits=shares).tasks["title"]
    assert Counter(row["split"] for row in items) == counts


def test_an_item_that_holds_over_a_fifth_of_its_gold_word_for_word_is_left_out(
    papers: Papers,
) -> None:
    gold = [f"word{number}" for number in range(52)]  # 52 - 12 = 40 runs of 13 words
    abstract = " ".join(gold)
    eight_runs = " ".join(gold[:20])  # 20 - 12 = 8 of 40: just the 20% that are allowed
    nine_runs = " ".join(gold[:21])
    papers.add("eight", "2024-03-01", abstract=abstract, sections={**PLAIN, "More": eight_runs})
    papers.add("nine", "2024-03-01", abstract=abstract, sections={**PLAIN, "More": nine_runs})
    items = papers.build()
    assert [row["id"] for row in items.tasks["abstract"]] == ["eight"]
    assert [(e.paper_id, e.reason) for e in items.excluded] == [("nine", "overlap")]
    assert "22%" in items.excluded[0].detail


def test_the_allowed_overlap_is_an_option(papers: Papers) -> None:
    abstract = " ".join(f"word{number}" for number in range(52))
    papers.add("most", "2024-03-01", abstract=abstract, sections={**PLAIN, "M": abstract[:-7]})
    assert papers.build(max_overlap=1.0).tasks["abstract"]
