from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import networkx as nx
import pytest

from vivavoce.errors import InputError
from vivavoce.records import SECTION_ROLES, Document
from vivavoce.sources import Piece, ReadOptions, get_source
from vivavoce.sources.sample import MAX_PAPERS, read_papers
from vivavoce.text.normalise import normalise_title

CORPUS = read_papers(60)


def body_of(document: Document) -> str:
    return "\n\n".join(section.text for section in document.sections)


def flatten(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))


def number_of(document: Document) -> int:
    return int(document.key.removeprefix("sample-"))


def test_neither_title_nor_abstract_stands_in_the_body() -> None:
    for document in CORPUS:
        body = flatten(body_of(document))
        assert document.title is not None
        assert flatten(document.title) not in body
        sentences = re.split(r"(?<=[.?])\s", document.abstract or "")
        assert not [sentence for sentence in sentences if sentence and flatten(sentence) in body]


def test_the_abstract_speaks_of_what_the_body_says() -> None:
    for document in CORPUS:
        if document.abstract is not None:
            body = set(flatten(body_of(document)).split())
            words = flatten(document.abstract).split()
            assert sum(word in body for word in words) / len(words) > 0.6


def test_lengths_stay_within_their_bounds() -> None:
    for document in CORPUS:
        assert document.title is not None
        assert 6 <= len(document.title.split()) <= 12
        assert 1_000 <= len(body_of(document).split()) <= 1_800
        if document.abstract is not None:
            assert 120 <= len(document.abstract.split()) <= 200


def test_titles_are_distinct_even_in_the_largest_corpus() -> None:
    documents = read_papers(MAX_PAPERS)
    assert len({normalise_title(document.title or "") for document in documents}) == MAX_PAPERS
    assert documents[:60] == CORPUS


def test_no_two_papers_share_most_of_their_sentences() -> None:
    sentences = [
        set(re.split(r"(?<=[.?])\s", body_of(document).replace("\n\n", " "))) for document in CORPUS
    ]
    shares = [
        len(one & other) / min(len(one), len(other))
        for index, one in enumerate(sentences)
        for other in sentences[:index]
    ]
    assert max(shares) < 0.35


def test_every_slot_of_a_template_is_filled_with_plain_text() -> None:
    for document in CORPUS:
        text = f"{document.title}\n{document.abstract or ''}\n{body_of(document)}"
        assert not re.search(r"[{}]|\ba [aeio]\w|  |\.\.|\bNone\b(?! of)", text)


def test_references_resolve_to_earlier_papers_or_stay_outside() -> None:
    numbers = {normalise_title(paper.title or ""): number_of(paper) for paper in CORPUS}
    inside = outside = altered = 0
    for document in CORPUS:
        for reference in document.references:
            assert reference.title is not None
            cited = numbers.get(normalise_title(reference.title))
            if cited is None:
                assert re.fullmatch(r"External work \d\d", reference.title)
                outside += 1
            else:
                assert cited < number_of(document)
                inside += 1
                altered += reference.title != CORPUS[cited - 1].title
    assert inside > 1.5 * outside
    assert 0 < altered < inside / 2


def test_related_work_cites_five_to_twelve_references_of_the_list() -> None:
    without = []
    for document in CORPUS:
        related = [section for section in document.sections if section.role == "related_work"]
        if not related:
            without.append(number_of(document))
            continue
        cited = re.findall(r"\((Author \d{3}[^()]*?, \d{4})\)", related[0].text)
        assert 5 <= len(cited) <= 12
        assert 2 <= len(related[0].text.split("\n\n")) <= 4
        for label in cited:
            first, year = label[:10], int(label[-4:])
            assert any(
                (reference.first_author, reference.year) == (first, year)
                for reference in document.references
            )
    assert without == [4, 14, 24, 34, 44, 54]


def test_results_agree_with_the_cells_of_the_tables() -> None:
    scores = {result.method: result.score_text for paper in CORPUS for result in paper.results}
    for document in CORPUS:
        (result,) = document.results
        comparison, ablation = document.tables[:2]
        assert comparison.cells[0][1] == f"{result.dataset}, {result.metric}"
        assert comparison.cells[-1] == (f"{result.method} (ours)", result.score_text)
        assert ("complete", result.score_text) in ablation.cells
        assert float(result.score_text) == result.score
        rivals = comparison.cells[1:-1]
        assert len(rivals) == len(comparison.cited) >= 2
        for (system, score), ordinal in zip(rivals, comparison.cited, strict=True):
            name, label = re.fullmatch(r"(.+?) \((.+)\)", system).groups()  # type: ignore[union-attr]
            assert label.startswith(document.references[ordinal].first_author or "?")
            assert label.endswith(str(document.references[ordinal].year))
            assert name.startswith("Baseline ") or scores[name] == score


def test_text_and_table_tell_the_same_outcome() -> None:
    for document in CORPUS:
        (result,) = document.results
        results = next(s for s in document.sections if s.role == "results").text
        others = [float(row[1]) for row in document.tables[0].cells[1:-1]]
        best = max(others) if result.higher_is_better else min(others)
        gap = f"{abs(best - float(result.score_text)):.1f}"
        assert result.score_text in results
        assert f"{best:.1f}" in results or f"{gap} points" in results


def test_each_of_eight_leaderboards_has_at_least_four_papers() -> None:
    boards = Counter(
        (result.dataset, result.task, result.metric)
        for document in CORPUS
        for result in document.results
    )
    assert len(boards) == 8
    assert min(boards.values()) >= 4


def test_dates_increase_through_2023_and_2024() -> None:
    dates = [document.published for document in CORPUS if document.published is not None]
    assert dates == sorted(dates)
    assert dates[0] < "2023-01-13"
    assert "2024-12-01" < dates[-1] < "2025"


def test_a_few_papers_lack_something_for_the_gates() -> None:
    assert [number_of(d) for d in CORPUS if d.abstract is None] == [17]
    assert [number_of(d) for d in CORPUS if d.published is None] == [23]
    roles = [{section.role for section in document.sections} for document in CORPUS]
    assert 0 < sum("appendix" in found for found in roles) < 60
    assert 0 < sum("acknowledgements" in found for found in roles) < 60


def test_sections_are_numbered_in_order() -> None:
    for document in CORPUS:
        sections = document.sections
        assert [section.ordinal for section in sections] == list(range(len(sections)))
        assert all(section.role in SECTION_ROLES for section in sections)
        numbers = [s.number for s in sections if s.level == 1 and s.number and s.number != "A"]
        assert numbers == [str(number) for number in range(1, len(numbers) + 1)]
        method = [section.number for section in sections if section.role == "method"]
        assert method[1:] == [f"{method[0]}.1", f"{method[0]}.2"]


def test_authors_form_one_large_component_and_some_islands() -> None:
    graph = nx.Graph()
    for document in CORPUS:
        names = [author.name for author in document.authors]
        assert all(re.fullmatch(r"Author \d{3}", name) for name in names)
        graph.add_nodes_from(names)
        graph.add_edges_from((names[0], name) for name in names[1:])
    sizes = sorted(map(len, nx.connected_components(graph)), reverse=True)
    assert sizes[0] >= 25
    assert 1 in sizes
    papers = Counter(author.name for document in CORPUS for author in document.authors)
    assert max(papers.values()) >= 3 * sorted(papers.values())[len(papers) // 2] / 2


def test_ingest_reads_where_as_a_number_of_papers() -> None:
    source = get_source("sample")
    (piece,) = source.pieces(Path("7"))
    assert list(source.read(piece, ReadOptions())) == list(CORPUS[:7])
    assert list(source.read(Piece(Path("7"), 5, 7), ReadOptions())) == list(CORPUS[5:7])
    assert not source.reads_files


@pytest.mark.parametrize("where", ["sixty", "0", "401", "papers/60.json"])
def test_anything_but_a_number_in_range_is_refused(where: str) -> None:
    with pytest.raises(InputError, match="viva ingest sample 60"):
        list(get_source("sample").pieces(Path(where)))
