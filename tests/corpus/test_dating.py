"""The sources of a date, and which of them counts."""

import json
import random
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.servers.commands import only_json, viva_here

from vivavoce.corpus.dating import Statement, date_entry, date_of_doi, date_paper, judge
from vivavoce.text.dates import period


@pytest.mark.parametrize(
    ("published", "arxiv_id", "acl_id", "expected"),
    [
        ("2014-10-20", "1410.5401", "P18-1001", ("2014-10-20", "day", "metadata")),
        ("2014", None, None, ("2014", "year", "metadata")),
        (None, "1410.5401", "P18-1001", ("2014-10", "month", "arxiv_id")),
        (None, None, "P18-1001", ("2018", "year", "anthology_id")),
        (None, None, None, (None, None, None)),
    ],
)
def test_metadata_goes_before_the_arxiv_id_and_that_before_the_anthology_id(
    published: str | None,
    arxiv_id: str | None,
    acl_id: str | None,
    expected: tuple[str | None, str | None, str | None],
) -> None:
    assert date_paper(published, arxiv_id, acl_id) == expected


def test_the_date_of_a_list_of_results_is_the_last_resort() -> None:
    assert date_paper(None, None, None, "2019-03") == ("2019-03", "month", "results_list")
    assert date_paper(None, None, "P18-1001", "2019-03").published == "2018"
    assert date_paper("2017", None, None, "2019-03").published == "2017"


def said(date: str, evidence: str, kind: str = "metadata") -> Statement:
    precision = {4: "year", 7: "month", 10: "day"}[len(date)]
    return Statement(date, precision, evidence, kind, "k")


@pytest.mark.parametrize(
    ("statements", "expected"),
    [
        # A preprint of March 2016, printed in August.
        ([("2016-03", "arxiv_id"), ("2016-08", "metadata"), ("2016", "venue")], "2016-03"),
        # The first version's day is more exact than its id; a conference's is not.
        ([("2016-03", "arxiv_id"), ("2016-03-04", "version")], "2016-03-04"),
        ([("2016-03", "arxiv_id"), ("2016-03-04", "venue")], "2016-03"),
        # Submitted in November, held, announced in December.
        ([("2022-12", "arxiv_id"), ("2022-11-13", "version")], "2022-12"),
        # The fifth version's stamp says nothing of the first.
        ([("2017-06", "arxiv_id"), ("2017-12-06", "stamp v5")], "2017-06"),
        ([("2017-08", "arxiv_id"), ("2017-08-19", "stamp")], "2017-08-19"),
        # Uploaded to arXiv two years after it was printed.
        ([("2014-07", "metadata"), ("2016-07", "arxiv_id")], "2014-07"),
        # The first second of Unix time is not a date of a paper of 2019.
        ([("1970-01-01", "metadata"), ("2019-07", "arxiv_id")], "2019-07"),
        # An old paper that was put on arXiv: its Anthology id is no slip.
        ([("1990", "venue"), ("2019-07", "arxiv_id")], "1990"),
        ([("2020-03-15", "doi"), ("2021", "metadata")], "2020-03-15"),
    ],
)
def test_the_earliest_credible_day_counts(statements: list[tuple[str, str]], expected: str) -> None:
    used, _ = judge(said(*one) for one in statements)
    assert used.date == expected


def test_every_statement_is_kept_with_a_verdict() -> None:
    _, kept = judge(
        [said("2014-07", "metadata"), said("2014", "venue"), said("2016-07", "arxiv_id")]
    )
    assert [(s.date, s.verdict) for s in kept] == [
        ("2014-07", "used"),
        ("2014", "agrees"),
        ("2016-07", "id_after_date"),
    ]


def test_a_list_of_results_dates_only_what_nothing_else_dates() -> None:
    listed = said("2015-01-02", "metadata", "pwc")
    used, _ = judge([listed, said("2016-03", "arxiv_id", "tei")], {"pwc"})
    assert used.evidence == "arxiv_id"
    alone, _ = judge([listed], {"pwc"})
    assert alone.date == "2015-01-02"
    assert judge([]) == (None, ())


@pytest.mark.parametrize(
    ("doi", "expected"),
    [
        ("10.48550/arxiv.1706.03762", ("2017-06", "arxiv_id")),
        ("10.18653/v1/p18-1001", ("2018", "venue")),
        ("10.1101/2020.03.15.992792", ("2020-03-15", "doi")),
        ("10.1109/cvpr.2016.90", ("2016", "doi")),
        ("10.1145/3292500.3330701", None),
        ("10.1101/2020.13.45.1", None),
    ],
)
def test_some_dois_hold_a_date(doi: str, expected: tuple[str, str] | None) -> None:
    assert date_of_doi(doi) == expected


DAYS = st.dates(date(1995, 1, 1), date(2030, 12, 31))


@given(DAYS, st.lists(DAYS, max_size=4), st.randoms())
def test_the_date_is_never_after_the_month_of_the_arxiv_id(
    posted: date, printed: list[date], order: random.Random
) -> None:
    statements = [said(f"{posted:%Y-%m}", "arxiv_id")]
    statements += [said(day.isoformat(), "metadata") for day in printed]
    used, kept = judge(statements)
    assert period(used.date)[1] <= period(f"{posted:%Y-%m}")[1]
    order.shuffle(statements)
    assert judge(statements) == (used, kept)


def test_the_command_shows_sources_and_contradictions(
    tmp_path: Path, write_rows: Callable[..., Path]
) -> None:
    rows = [
        {"id": "a", "title": "Posted early", "arxiv_id": "1603.01354", "published": "2016-08"},
        {"id": "b", "title": "Posted late", "arxiv_id": "1607.00001", "published": "2014-07"},
    ]
    corpus = tmp_path / "corpus"
    viva_here("ingest", "metadata", write_rows("m.jsonl", rows), "--corpus", corpus)
    shown = viva_here("corpus", "stats", "--of", "dates", "--corpus", corpus, "--json")
    report = only_json(shown.stdout)
    assert report["sources"] == {"arxiv_id": 1, "metadata": 1}
    assert report["changed"] == 1
    [row] = report["contradictions"]
    assert (row["paper_id"], row["date"], row["verdict"], row["first_public"]) == (
        "arxiv:1607.00001", "2016-07", "id_after_date", "2014-07",
    )  # fmt: skip
    out = tmp_path / "papers.jsonl"
    viva_here("corpus", "export", "papers", "--corpus", corpus, "--out", out)
    first = json.loads(out.read_text().splitlines()[0])
    assert (first["published"], first["first_public"], first["first_public_precision"]) == (
        "2016-08", "2016-03", "month",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("address", "method", "listed", "expected"),
    [
        # The month of an arXiv id goes before the day of a list, which is often a conference's.
        ("https://arxiv.org/abs/1901.01234", "Elm", "2018-06-01", "2019-01"),
        ("https://example.org/elm", "Elm (Ash, 2017)", "2018-06-01", "2018-06-01"),
        ("https://doi.org/10.1101/2020.03.04.123456", "Elm", None, "2020-03-04"),
        ("https://aclanthology.org/P18-1234/", "Elm", None, "2018"),
        ("https://example.org/elm", "Elm (Ash et al., 2017a)", None, "2017"),
        ("https://example.org/elm", "Elm 2017", None, None),
        (None, "Elm", "soon", None),
    ],
)
def test_an_entry_of_a_list_is_dated_by_its_address_or_what_is_printed(
    address: str | None, method: str, listed: str | None, expected: str | None
) -> None:
    assert date_entry(address, method, listed) == expected
