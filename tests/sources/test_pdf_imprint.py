"""Dates, identifiers and venues as first pages print them."""

from __future__ import annotations

import pytest

from vivavoce.sources.fulltext.pdf.front import Imprint, read_imprint


@pytest.mark.parametrize(
    ("front", "margins", "date"),
    [
        (["Dated: 3 June 2020"], [], "2020-06-03"),
        (["April 20, 2025"], [], "2025-04-20"),
        (["October 2018"], [], "2018-10"),
        (
            [],
            ["Received 1 May 2019; accepted 2 July 2019; published online 9 August 2019"],
            "2019-08-09",
        ),
        ([], ["Received 1 May 2019; accepted 2 July 2019"], "2019-07-02"),
        ([], ["Received 1 May 2019"], None),
        (["Draft version November 24, 2026"], [], None),
        ([], ["Preprint submitted to Elsevier November 24, 2026"], None),
        ([], ["© 2017 Association for Computing Machinery"], "2017"),
        ([], ["Proceedings of the 12th Workshop on Quiet Models, Lisbon, 2016"], "2016"),
        (["3 June 2020"], ["Accepted 1 January 2021"], "2020-06-03"),
        (["99 June 2020"], [], "2020-06"),
        (["no date here"], ["page 7"], None),
    ],
)
def test_the_most_credible_date_counts(
    front: list[str], margins: list[str], date: str | None
) -> None:
    assert read_imprint(front, margins).date == date


def test_identifiers_and_venue_are_read_from_the_margins() -> None:
    margins = [
        "Proceedings of the 58th Annual Meeting of the Quiet Association, pages 1–9",
        "https://doi.org/10.5555/1234567",
        "arXiv:2001.01234v2",
    ]
    found = read_imprint([], margins)
    assert found == Imprint(
        date=None,
        doi="10.5555/1234567",
        arxiv_id="2001.01234",
        venue="Proceedings of the 58th Annual Meeting of the Quiet Association, pages 1–9",
    )
