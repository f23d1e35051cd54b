"""Works outside the corpus, told apart by hashes and described shard by shard."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.networks.citing_corpora import citation_tables_of

from vivavoce.corpus import Corpus

Write = Callable[..., Corpus]
PAPERS = [f"p{number}" for number in range(9)]
entries = st.fixed_dictionaries(
    {
        "title": st.sampled_from([None, "Nets", "NETS", "On nets"]),
        "year": st.sampled_from([None, 2000, 2001]),
        "doi": st.sampled_from([None, None, "10.1/a"]),
        "arxiv_id": st.sampled_from([None, None, "1706.03762"]),
        "raw": st.sampled_from(["", "Smith, 2000", "SMITH 2000", "Jones"]),
    }
)


def rows_of(cited: dict[str, list[dict[str, Any]]]) -> list[dict[str, Any]]:
    return [
        {"paper_id": paper, "ordinal": place, **entry}
        for paper, listed in sorted(cited.items())
        for place, entry in enumerate(listed)
    ]


def test_a_work_is_described_by_whoever_tells_first(write_corpus: Write) -> None:
    # Title and year are first told in different shards, neither in that of the first entry.
    doi: dict[str, Any] = {"doi": "10.1/x", "raw": ""}
    cited = {paper: [doi] for paper in PAPERS}
    cited["p4"] = [{**doi, "year": 1999}]
    cited["p7"] = [{**doi, "title": "Told late", "year": 2001}]
    corpus = write_corpus(in_shards=True, references=rows_of(cited))
    assert len(corpus.files("references")) > 2

    nodes, edges = citation_tables_of(corpus)

    assert nodes.to_pylist()[9:] == [
        {"node": 9, "key": "doi:10.1/x", "title": "Told late", "year": 1999, "is_external": True}
    ]
    assert edges["target"].to_pylist() == [9] * 9


@given(cited=st.dictionaries(st.sampled_from(PAPERS), st.lists(entries, max_size=5)))
@settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_where_shards_begin_makes_no_difference(
    write_corpus: Write, cited: dict[str, list[dict[str, Any]]]
) -> None:
    rows = rows_of(cited)
    whole = citation_tables_of(write_corpus(references=rows))
    in_shards = citation_tables_of(write_corpus(in_shards=True, references=rows))

    assert [table.to_pylist() for table in in_shards] == [table.to_pylist() for table in whole]
