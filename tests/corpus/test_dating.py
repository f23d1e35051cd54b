"""The order of the sources of a date."""

from __future__ import annotations

import pytest

from vivavoce.corpus.fields import date_paper


@pytest.mark.parametrize(
    ("published", "arxiv_id", "acl_id", "expected"),
    [
        ("2014-10-20", "1410.5401", "P18-1001", ("2014-10-20", "day", "metadata")),
        ("2014-10", "1412.6575", None, ("2014-10", "month", "metadata")),
        ("2014", None, None, ("2014", "year", "metadata")),
        (None, "1410.5401", "P18-1001", ("2014-10", "month", "arxiv_id")),
        (None, "hep-th/9901001", None, ("1999-01", "month", "arxiv_id")),
        (None, None, "P18-1001", ("2018", "year", "anthology_id")),
        (None, None, "2020.acl-main.207", ("2020", "year", "anthology_id")),
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
