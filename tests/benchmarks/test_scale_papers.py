"""The synthetic papers of benchmarks/scale: the same every time, and like a reader expects."""

from __future__ import annotations

import json
from pathlib import Path
from statistics import mean

import numpy as np
import pytest
from benchmarks.scale.draws import VOCABULARY, Draws, name_of, skewed, word_ranks, words
from benchmarks.scale.papers import Maker, Plan, write_papers

from vivavoce.sources import ReadOptions, get_source

PLAN = Plan(2_000, texts=20)


def printed(record: dict) -> list[str]:
    return [entry["bib_entry_raw"] for entry in record["bib_entries"].values()]


def test_the_same_plan_writes_the_same_bytes(tmp_path: Path):
    for folder in ("one", "other"):
        write_papers(PLAN, tmp_path / folder, 1_950, 2_000)
    names = sorted(path.name for path in (tmp_path / "one").iterdir())
    assert names == ["papers-00000.jsonl", "plan.json"]
    for name in names:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "other" / name).read_bytes()


def test_a_paper_does_not_depend_on_where_the_writing_starts():
    from_start = list(Maker(PLAN).records(1_400, 2_100))
    from_middle = list(Maker(PLAN).records(1_950, 2_050))
    assert from_start[550:650] == from_middle


def test_another_seed_gives_other_papers():
    (one,) = Maker(PLAN).records(7, 8)
    (other,) = Maker(Plan(2_000, texts=20, seed=1)).records(7, 8)
    assert one["metadata"]["title"] != other["metadata"]["title"]
    assert set(printed(one)).isdisjoint(printed(other))


def test_a_reference_is_about_120_characters_long():
    lengths = [len(entry) for r in Maker(PLAN).records(1_000, 1_300) for entry in printed(r)]
    assert 29 <= len(lengths) / 300 <= 30
    assert 112 <= mean(lengths) <= 128
    assert min(lengths) > 50
    assert max(lengths) < 250


def test_a_third_of_the_references_mean_papers_of_the_set_that_came_earlier():
    papers = np.arange(1_000, 2_000)
    cited = Maker(PLAN).cited(papers)
    inside = [
        (paper, work)
        for paper, row in zip(papers, cited, strict=True)
        for work in row
        if work < PLAN.papers
    ]
    assert 0.31 <= len(inside) / sum(map(len, cited)) <= 0.36
    # A paper may cite one of its own days: a hundredth of 2,000 papers is 20.
    assert max(work - paper for paper, work in inside) <= 20
    assert all(paper != work for paper, work in inside)


def test_works_outside_are_shared_as_in_a_real_citation_network():
    cited = [work for row in Maker(PLAN).cited(np.arange(2_000)) for work in row]
    outside = {work for work in cited if work >= PLAN.papers}
    # LEGOBench has 1.9 M papers and 18 M nodes: 8.5 works outside for each paper.
    assert 7.5 <= len(outside) / 2_000 <= 9.5


def test_what_a_reference_list_prints_is_the_title_first_author_and_year_of_the_paper():
    maker = Maker(PLAN)
    (paper,) = maker.records(123, 124)
    (entry,) = maker.entries(np.array([123]))
    about = paper["metadata"]
    surname, forename, _ = about["authors_parsed"][0]
    assert about["title"] in entry
    assert entry.index(surname) < entry.index(about["title"])
    assert forename[0] in entry
    assert f"20{about['id'][:2]}" in entry


def test_ids_are_distinct_and_start_with_the_month_of_the_paper():
    maker = Maker(PLAN)
    ids = [maker.paper_id(paper) for paper in range(2_100)]
    assert len(set(ids)) == 2_100
    assert ids[0] == "0801.00001"
    # 204 months: paper 1,999 falls into the last, 16 years and 11 months after the first.
    assert ids[1_999].startswith("2412.")
    assert ids == sorted(ids)


def test_every_paper_is_read_without_a_fault(tmp_path: Path):
    write_papers(PLAN, tmp_path, 1_900, 2_000)
    source = get_source("unarxive")
    (path,) = tmp_path.glob("*.jsonl")
    assert source.matches(path)
    papers = [p for piece in source.pieces(path) for p in source.read(piece, ReadOptions())]
    assert len(papers) == 100
    one = papers[0]
    assert one.arxiv_id == Maker(PLAN).paper_id(1_900)
    assert one.published is not None
    assert one.published.startswith("2024")
    assert len(one.references) >= 28
    assert all(reference.year for reference in one.references)
    assert 800 <= len(one.abstract or "") <= 1_300
    assert [bool(paper.sections) for paper in papers] == [False] * 80 + [True] * 20
    assert [bool(paper.tables) for paper in papers[:5]] == [True, False, False, False, False]


def test_bodies_have_eight_sections_and_the_size_that_was_asked_for():
    (paper,) = Maker(Plan(10, texts=10, body_bytes=20_000)).records(4, 5)
    texts = [paragraph["text"] for paragraph in paper["body_text"]]
    assert len({paragraph["section"] for paragraph in paper["body_text"]}) == 8
    assert 18_000 <= sum(map(len, texts)) <= 22_000
    assert len(set(texts)) == len(texts)


def test_what_stands_there_of_the_same_plan_is_kept_and_of_another_written_anew(tmp_path: Path):
    written = write_papers(PLAN, tmp_path, 0, 10)
    (path,) = tmp_path.glob("*.jsonl")
    path.write_text("changed", "utf-8")
    assert write_papers(PLAN, tmp_path, 0, 10) == written
    assert path.read_text("utf-8") == "changed"
    write_papers(Plan(2_000, texts=20, seed=5), tmp_path, 0, 10)
    assert len(json.loads(path.read_text("utf-8").splitlines()[0])["bib_entries"]) >= 28


def test_no_word_and_no_name_stands_for_two():
    assert len(set(words())) == VOCABULARY
    authors = [*range(0, 300_000, 7), *range(10_000_000, 10_001_000)]
    assert len({name_of(author) for author in authors}) == len(authors)


def test_draws_are_even_and_skews_are_zipfs():
    shares = Draws(0, "title").shares(np.arange(20_000), 5).ravel()
    counts = np.histogram(shares, bins=10, range=(0, 1))[0]
    # 100,000 draws: 10,000 a bin, give or take five times sqrt(10,000 * 0.9) = 95.
    assert np.abs(counts - 10_000).max() < 475
    # skewed(x, n, 2) is below n/4 when x is below 1/2.
    assert (skewed(shares, 1_000, 2.0) < 250).mean() == pytest.approx(0.5, abs=0.01)
    # Zipf with the exponent 1: the first word has ln 2 / ln 60,001 of all.
    assert (word_ranks(shares) == 0).mean() == pytest.approx(0.063, abs=0.005)
