"""Leaks planted in rounds made by hand, each found by name; a clean round has none."""

from pathlib import Path
from typing import Any

import pytest
from tests.results.audits.made_rounds import item, paper, words, write_round

from vivavoce.errors import VivaError
from vivavoce.results.audits.leakage import LeakageAudit, audit_leakage

OLD = paper("old", published="2022-06")
ONE = paper("one")
TWO = paper("two", published="2024-05-01")


def find(audit: LeakageAudit, check: str) -> list[dict[str, Any]]:
    return [row for row in audit.findings if row["check"] == check]


def cell(audit: LeakageAudit, task: str, setting: str) -> dict[str, Any]:
    [row] = [r for r in audit.cells if (r["task"], r["setting"]) == (task, setting)]
    return row


def abstracts(*targets: Any, **options: Any) -> dict[str, list[dict[str, Any]]]:
    return {"abstract": [item(target, target.abstract, **options) for target in targets]}


def test_a_clean_round_has_no_finding(tmp_path: Path) -> None:
    rows = abstracts(ONE, TWO, settings=("base", "random", "title_only"), random=["old"])
    audit = audit_leakage(write_round(tmp_path / "made", [OLD, ONE, TWO], rows))
    assert (audit.findings, audit.breaches) == ((), 0)
    assert [row["setting"] for row in audit.cells] == [
        *("base", "random", "coauthor", "mixed", "title_only", "leave_one_out")
    ]
    base = cell(audit, "abstract", "base")
    assert (base["items"], base["overlap"], base["max"]) == (
        2,
        {"value": 0.0, "ci": [0.0, 0.0], "n": 2},
        0.0,
    )
    assert cell(audit, "abstract", "mixed")["items"] == 0
    assert cell(audit, "abstract", "mixed")["overlap"] == {"value": None, "ci": None, "n": 0}
    [dates] = audit.dates
    assert (dates["items"], dates["demonstrations"], dates["not_earlier"]) == (2, 2, 0)
    assert (dates["earliest"], dates["latest"]) == ("2024-03-05", "2024-05-01")


def test_gold_in_the_own_text_is_a_breach(tmp_path: Path) -> None:
    abstract = words("g", 25)  # 13 runs
    part = " ".join(abstract.split()[:18])  # 6 of them
    target = paper("leaky", abstract=abstract, method=f"{words('m')} {part} {words('n')}")
    audit = audit_leakage(write_round(tmp_path / "made", [target, ONE], abstracts(target, ONE)))
    [found] = find(audit, "overlap")
    assert (found["id"], found["setting"], found["breach"]) == ("leaky", "base", True)
    assert "46% of the gold's 13-word n-grams" in found["detail"]
    base = cell(audit, "abstract", "base")
    assert base["max"] == pytest.approx(6 / 13)
    assert base["overlap"]["value"] == pytest.approx(3 / 13)
    assert (base["some"], base["above_limit"], base["verbatim"], base["limit"]) == (1, 1, 0, 0.2)
    assert (base["median"], base["p95"]) == (pytest.approx(3 / 13), pytest.approx(0.95 * 6 / 13))


def test_gold_standing_verbatim_in_the_input_is_a_breach(tmp_path: Path) -> None:
    target = paper("leaky", title="Deep nets", method=f"We call it deep NETS. {words('m')}")
    rows = {"title": [item(target, target.title), item(ONE, ONE.title)]}
    audit = audit_leakage(write_round(tmp_path / "made", [target, ONE], rows))
    [found] = find(audit, "gold_in_input")
    assert (found["id"], found["breach"]) == ("leaky", True)
    base = cell(audit, "title", "base")
    # "The title of one" has one run of 4 words, "Deep nets" none.
    assert (base["verbatim"], base["short"], base["overlap"]["n"]) == (1, 1, 1)
    assert (base["run_words"], base["limit"], base["above_limit"]) == (4, None, None)


@pytest.mark.parametrize(
    ("edited", "is_leak"),
    [
        ([w if n % 8 else "other" for n, w in enumerate(words("one", 80).split())], True),
        ([*words("one", 80).split()[40:], *words("one", 80).split()[:40]], True),
        ([f"{w[:2]}- {w[2:]}" for w in words("one", 80).split()], True),
        (words("one", 20).split(), False),  # 18 of 78 runs
    ],
)
def test_gold_retold_in_other_words_is_a_breach(
    tmp_path: Path, edited: list[str], is_leak: bool
) -> None:
    method = f"{words('before', 100)} {' '.join(edited)} {words('after', 100)}"
    leaky = paper("leaky", abstract=words("one", 80), method=method)
    rows = abstracts(leaky, TWO)
    found = find(audit_leakage(write_round(tmp_path / "made", [leaky, TWO], rows)), "gold_retold")
    assert [(row["id"], row["breach"]) for row in found] == [("leaky", True)] * is_leak


def test_gold_inside_a_demonstration_or_a_listed_work_is_reported(tmp_path: Path) -> None:
    gold = ONE.sections[0].text
    demo = paper("demo", published="2023-01-01", method=gold)
    works = [{"work_id": None, "title": "w", "abstract": gold, "role": "cited"}]
    rows = {
        "introduction": [item(ONE, gold, settings=("base", "random"), random=["demo"])],
        "related_work": [
            item(TWO, words("related"), works=works),
            item(ONE, gold, settings=("base", "title_only"), works=works),
        ],
    }
    audit = audit_leakage(write_round(tmp_path / "made", [demo, ONE, TWO], rows))
    assert cell(audit, "introduction", "base")["max"] == 0.0
    assert cell(audit, "introduction", "random")["max"] == 1.0
    by_setting = {(row["task"], row["setting"]): row for row in find(audit, "overlap")}
    assert not by_setting["introduction", "random"]["breach"]
    assert "100% of" in by_setting["introduction", "random"]["detail"]
    assert "0% in the paper's own text" in by_setting["introduction", "random"]["detail"]
    assert cell(audit, "related_work", "base")["above_limit"] == 1
    assert cell(audit, "related_work", "title_only")["max"] == 0.0


@pytest.mark.parametrize(
    ("shown", "is_late"),
    [("2024-03-05", True), ("2024-03", True), ("2024", True), ("2024-03-04", False)],
)
def test_a_demonstration_must_be_over_before_the_target_begins(
    tmp_path: Path, shown: str, is_late: bool
) -> None:
    demo = paper("demo", published=shown)
    rows = abstracts(ONE, settings=("base", "coauthor"), coauthor=["demo"])
    audit = audit_leakage(write_round(tmp_path / "made", [demo, ONE], rows))
    found = find(audit, "demonstration_not_earlier")
    assert [(row["id"], row["other"], row["breach"]) for row in found] == (
        [("one", "demo", True)] if is_late else []
    )
    assert audit.dates[0]["not_earlier"] == int(is_late)


def test_targets_outside_the_window_and_dates_that_differ_are_found(tmp_path: Path) -> None:
    year = paper("year", published="2024")
    rows = abstracts(ONE, OLD, year)
    rows["abstract"].append(item(TWO, TWO.abstract, published="2024-06-01"))
    window = ("2024-01-01", "2024-12-31")
    folder = write_round(tmp_path / "made", [OLD, ONE, TWO, year], rows, window=window)
    audit = audit_leakage(folder)
    assert [row["id"] for row in find(audit, "outside_window")] == ["old", "year"]
    assert [row["id"] for row in find(audit, "other_date")] == ["two"]
    assert audit.dates[0]["outside_window"] == 2


def test_splits_follow_time(tmp_path: Path) -> None:
    rows = abstracts(ONE, split="test")
    rows["abstract"] += abstracts(TWO, split="train")["abstract"]
    audit = audit_leakage(write_round(tmp_path / "made", [ONE, TWO], rows))
    [found] = find(audit, "split_order")
    assert (found["id"], found["other"], found["breach"]) == ("one", "two", True)


def test_the_target_a_near_copy_and_a_later_version_are_found_by_name(tmp_path: Path) -> None:
    past = "2023-01-01"
    version = paper("version", published=past, title="The Title of ONE!")
    copied = paper("copied", published=past, abstract=f"{ONE.abstract} and a few words more")
    retold = paper("retold", published=past, introduction=ONE.sections[0].text)
    demos = ["one", "version", "copied", "retold", "old"]
    gold = ONE.sections[0].text
    rows = {"introduction": [item(ONE, gold, settings=("random",), random=demos)]}
    audit = audit_leakage(write_round(tmp_path / "made", [OLD, ONE, version, copied, retold], rows))
    checks = {row["other"]: row["check"] for row in audit.findings if row["check"] != "overlap"}
    del checks["one"]  # found as itself, and as not earlier than itself
    assert [row["other"] for row in find(audit, "itself")] == ["one"]
    assert checks == {
        **{"version": "same_title", "copied": "near_copy", "retold": "near_copy"},
        None: "gold_retold",  # in the demonstrations
    }
    details = {row["other"]: row["detail"] for row in find(audit, "near_copy")}
    assert "abstract" in details["copied"]
    assert "introduction" in details["retold"]


def test_items_that_copy_each_other_are_reported(tmp_path: Path) -> None:
    twin = paper("twin", abstract=ONE.abstract)
    namesake = paper("namesake", title="THE title of two")
    rows = abstracts(ONE, TWO, twin, namesake)
    audit = audit_leakage(write_round(tmp_path / "made", [ONE, TWO, twin, namesake], rows))
    [copies] = find(audit, "items_near_copies")
    assert (copies["id"], copies["other"], copies["breach"]) == ("one", "twin", True)
    [titles] = find(audit, "items_same_title")
    assert (titles["id"], titles["other"], titles["breach"]) == ("namesake", "two", True)


def test_what_was_left_out_is_counted_by_reason(tmp_path: Path) -> None:
    of_task = {"family": "writing", "task": "abstract"}
    excluded = [
        {**of_task, "paper_id": "x", "reason": "overlap"},
        {**of_task, "paper_id": "y", "reason": "overlap"},
        {**of_task, "paper_id": "z", "reason": "no_demonstration", "setting": "random"},
    ]
    audit = audit_leakage(write_round(tmp_path / "made", [ONE], abstracts(ONE), excluded=excluded))
    assert [(row["setting"], row["reason"], row["papers"]) for row in audit.left_out] == [
        ("", "overlap", 2),
        ("random", "no_demonstration", 1),
    ]


def test_a_round_without_the_texts_of_its_papers_is_reported(tmp_path: Path) -> None:
    folder = write_round(tmp_path / "made", [ONE], abstracts(ONE), with_papers=False)
    with pytest.raises(VivaError, match=r"no writing/papers.parquet.*viva round build"):
        audit_leakage(folder)
