"""The pool of a table, the file that keeps the candidates for it, and labels by people."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from vivavoce.errors import InputError
from vivavoce.retrieval.papers import PaperEncoder
from vivavoce.store import hash_of, write_jsonl
from vivavoce.tasks.tables.items.distractors import (
    Candidate,
    find_universe,
    rank_distractors,
)
from vivavoce.tasks.tables.items.item import GoldRow, GoldTable, Work
from vivavoce.tasks.tables.items.pool import (
    CandidatesFile,
    EncoderKey,
    Ranked,
    Universe,
    candidates_as_bytes,
    count_distractors,
    hash_works,
    make_pool,
    read_acceptance,
    read_candidates,
    read_paper_labels,
    without_included,
)

WORKS = {
    f"p{n:02}": Work(f"p{n:02}", title, None, None, False)
    for n, title in enumerate(
        "Rivers of Asia|Mountain lakes|Deep parsing|Speech tags|Chess engines|Protein folds"
        "|Old maps|Fast sorting|Query plans|Colour models|Bird songs|Sea ice|Solar cells"
        "|Road signs|Tax law|Glass beads".split("|")
    )
}
BEST = [Candidate(f"p{n:02}", 1.5 - n / 10) for n in range(3, 13)]


def table(table_id: str, *papers: str, source: str = "survey") -> GoldTable:
    rows = tuple(GoldRow(n, paper, "", ("x", "y")) for n, paper in enumerate(papers))
    return GoldTable(table_id, source, "cited", "", ("a", "b"), rows, None)


@pytest.mark.parametrize(
    ("papers", "most", "expected"),
    # m * 59/41, at least 4, then what is allowed at most.
    [(1, 10, 4), (3, 10, 4), (4, 10, 6), (7, 10, 10), (32, 10, 10), (7, 5, 5), (2, 0, 0)],
)
def test_the_number_of_distractors_follows_that_of_the_works(
    papers: int, most: int, expected: int
) -> None:
    one = table("t", *(f"p{n:02}" for n in range(papers)))
    assert count_distractors(one, most) == expected
    best = [Candidate(f"q{n}", 1.0) for n in range(12)]
    ids = (*one.papers, *(candidate.paper for candidate in best))
    works = {paper: Work(paper, "T", None, None, False) for paper in ids}
    pool = make_pool(one, best, works, seed=0, most=most)
    assert (pool.distractors, pool.missing) == (expected, 0)


def test_a_pool_holds_the_works_of_the_table_and_distractors_in_a_shuffled_order() -> None:
    one = table("t", "p00", "p01", "p00")
    pool = make_pool(one, BEST, WORKS, seed=0)
    ids = [work.paper_id for work in pool.papers]
    assert (len(ids), len(set(ids)), pool.distractors, pool.missing) == (6, 6, 4, 0)
    assert not pool.given_labels
    assert {"p00", "p01"} < set(ids)
    # The rows of the table in another order give the same pool, other seeds and tables other ones.
    assert make_pool(table("t", "p01", "p00"), BEST, WORKS, seed=0) == pool
    pools = [make_pool(one, BEST, WORKS, seed=seed).papers for seed in range(90)]
    other = [make_pool(table("u", "p00", "p01"), BEST, WORKS, seed=n).papers for n in range(90)]
    assert pools != other
    # Each candidate is drawn now and then.
    assert {paper.paper_id for papers in pools for paper in papers} == {
        *("p00", "p01"),
        *(one.paper for one in BEST),
    }
    # A third of a pool of 2 and 4 is gold; 90 places have 30 on average, with deviation 4.5.
    assert 15 < sum(papers[0].paper_id in ("p00", "p01") for papers in pools) < 45


def test_missing_candidates_are_counted_and_given_labels_win() -> None:
    one = table("t", "p00", "p01")
    pool = make_pool(one, BEST[:1], WORKS, seed=0)
    assert (pool.distractors, pool.missing) == (1, 3)
    pool = make_pool(one, BEST, WORKS, seed=0, given=["p15", "p14", "p01", "p15"])
    assert sorted(work.paper_id for work in pool.papers) == ["p00", "p01", "p14", "p15"]
    assert (pool.distractors, pool.missing, pool.given_labels) == (2, 0, True)


TABLES = [table("t", "p00", "p01"), table("u", "p02", source="other")]
RELATED = {"t": {"survey", "p00", "p01"}, "u": {"other", "p02"}}
DEMANDS = {"t": "Compare waters", "u": "Compare parsers of lakes"}


@pytest.fixture(scope="module")
def made() -> CandidatesFile:
    universe = find_universe("corpus", TABLES, WORKS)
    encoder = PaperEncoder()
    found = rank_distractors(TABLES, DEMANDS, WORKS, universe, encoder, RELATED)
    return CandidatesFile(
        format=1,
        encoder=EncoderKey(encoder.name, encoder.fingerprint()),
        pool_rule="corpus",
        universe=Universe(len(universe), hash_works(universe, WORKS)),
        tables=tuple(Ranked(name, hash_of(DEMANDS[name]), found[name]) for name in ("t", "u")),
    )


def test_a_candidates_file_is_read_as_it_was_written(made: CandidatesFile, tmp_path: Path) -> None:
    path = tmp_path / "candidates.json"
    path.write_bytes(candidates_as_bytes(made))
    found = read_candidates(path, TABLES[::-1], WORKS, RELATED)
    assert found == made
    assert candidates_as_bytes(found) == path.read_bytes()
    # "Compare parsers of lakes" and p01, "Mountain lakes", share one word of two rare ones.
    assert found.candidates["u"][0].paper == "p01"
    # Tables that are not asked for may be in the file, and demands may be others by now.
    assert set(read_candidates(path, TABLES[:1], WORKS, RELATED).candidates) == {"t"}
    assert found.other_demands(DEMANDS) == []
    assert found.other_demands({**DEMANDS, "t": "Another"}) == ["t"]


def test_the_hash_of_works_depends_on_what_is_compared_alone() -> None:
    known = hash_works(["p00", "p01"], WORKS)
    assert hash_works(["p01", "p00"], WORKS) == known
    longer = {**WORKS, "p00": Work("p00", WORKS["p00"].title, "Abstract", None, False)}
    assert hash_works(["p00", "p01"], longer) != known


Change = Callable[[dict[str, Any]], object]


def best(value: dict[str, Any], rank: int = 0) -> dict[str, Any]:
    candidates: list[dict[str, Any]] = value["tables"][0]["candidates"]
    return candidates[rank]


FAULTS: list[tuple[Change, str]] = [
    (lambda v: v.update(format=2), "format: Input should be 1; got 2"),
    (lambda v: v.pop("encoder"), "encoder: Field required"),
    (lambda v: v["encoder"].update(name=" "), r"encoder\.name: String should match"),
    (lambda v: v["encoder"].update(sha256="A" * 64), r"encoder\.sha256"),
    (lambda v: v["universe"].update(works=True), r"universe\.works"),
    (lambda v: v.update(pool_rule="all"), "pool_rule: Input should be 'other_tables' or 'corpus'"),
    (lambda v: v.update(tables={}), "tables: Input should be a valid tuple"),
    (lambda v: v["tables"].append(v["tables"][0]), "a table is listed twice"),
    (lambda v: v["tables"].pop(), "has no candidates for u. Build the round once without"),
    (lambda v: v["tables"][0].pop("demand_sha256"), "demand_sha256: Field required"),
    (lambda v: v["tables"][0]["candidates"].extend([best(v)] * 40), "should have at most 40"),
    (lambda v: best(v).update(paper="p99"), r"candidates\[0\] of t, p99, is no known work"),
    (lambda v: best(v).update(paper=["p02"]), r"candidates\.0\.paper: "),
    (lambda v: best(v).update(paper="p01"), "p01, is a work of the table"),
    (lambda v: best(v, 1).update(paper=best(v)["paper"]), "a candidate of t is listed twice"),
    (lambda v: best(v).update(score=True), r"candidates\.0\.score: Input should be a valid number"),
    (lambda v: best(v).update(score=10**400), r"candidates\.0\.score: "),
    (lambda v: best(v).update(score=float("nan")), r"candidates\.0\.score: "),
    (lambda v: best(v, 1).update(score=1.999), "not in order of score"),
]


@pytest.mark.parametrize(("change", "message"), FAULTS)
def test_a_faulty_candidates_file_is_refused_with_the_place(
    change: Change, message: str, made: CandidatesFile, tmp_path: Path
) -> None:
    path = tmp_path / "candidates.json"
    value = json.loads(candidates_as_bytes(made))
    change(value)
    path.write_text(json.dumps(value))
    with pytest.raises(InputError, match=message) as caught:
        read_candidates(path, TABLES, WORKS, RELATED)
    assert str(path) in str(caught.value)


def test_a_work_of_the_same_source_paper_is_refused_also_in_a_file(
    made: CandidatesFile, tmp_path: Path
) -> None:
    path = tmp_path / "candidates.json"
    path.write_bytes(candidates_as_bytes(made))
    planted = made.candidates["t"][0].paper
    related = RELATED | {"t": {planted}}
    with pytest.raises(InputError, match=f"{planted}, is a work of the table, or from the same"):
        read_candidates(path, TABLES, WORKS, related)


def test_what_is_no_json_or_not_there_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "candidates.json"
    with pytest.raises(InputError, match="does not exist"):
        read_candidates(path, [], WORKS, RELATED)
    for content in ("[" * 100_000, "{", "[]", '"text"'):
        path.write_text(content)
        with pytest.raises(InputError, match=r"not readable JSON|no candidates file"):
            read_candidates(path, [], WORKS, RELATED)
    with path.open("wb") as stream:
        stream.truncate((1 << 28) + 1)
    with pytest.raises(InputError, match="larger than 256 MB"):
        read_candidates(path, [], WORKS, RELATED)


def test_a_paper_that_people_include_is_no_distractor(tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    said = (("t1", "p1", "include"), ("t1", "p2", "exclude"), ("t2", "p3", "include"))
    write_jsonl(path, [{"table": t, "paper": p, "decision": d} for t, p, d in said])
    labels = read_paper_labels(path)
    candidates = [Candidate("p1", 0.9), Candidate("p2", 0.8), Candidate("p3", 0.7)]
    assert without_included(table("t1"), candidates, labels) == tuple(candidates[1:])
    assert without_included(table("t9"), candidates, labels) == tuple(candidates)


def test_demands_are_accepted_or_not(tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    write_jsonl(path, [{"id": "t1", "accepted": True, "more": 1}, {"id": "t2", "accepted": False}])
    assert read_acceptance(path) == {"t1": True, "t2": False}


LABEL = {"table": "t", "paper": "p", "decision": "include"}
ACCEPTED = {"id": "t", "accepted": True}


@pytest.mark.parametrize(
    ("read", "first", "row", "message"),
    [
        (read_paper_labels, LABEL, {**LABEL, "decision": "maybe"}, "should be 'include' or 'excl"),
        (read_paper_labels, LABEL, {**LABEL, "table": 5}, "table: Input should be a valid string"),
        (
            read_paper_labels,
            LABEL,
            {**LABEL, "decision": "exclude"},
            "contradicts an earlier",
        ),
        (read_acceptance, ACCEPTED, {"id": "t", "accepted": "yes"}, "valid boolean; got 'yes'"),
        (read_acceptance, ACCEPTED, {"accepted": True}, "id: Field required"),
        (read_acceptance, ACCEPTED, {"id": "t", "accepted": False}, "contradicts an earlier"),
    ],
)
def test_a_bad_label_is_named_by_its_line(
    tmp_path: Path, read: Callable[[Path], object], first: Any, row: Any, message: str
) -> None:
    path = tmp_path / "l.jsonl"
    write_jsonl(path, [first, row])
    with pytest.raises(InputError) as refused:
        read(path)
    assert f"{path}:2" in str(refused.value)
    assert message in str(refused.value)
    write_jsonl(path, [])
    with pytest.raises(InputError, match="no label"):
        read(path)
