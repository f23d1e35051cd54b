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
        ([], ["Date: March 28, 2015."], "2015-03-28"),
        ([], ["Lisbon, Portugal, 9–14 June 2013. c 2013 Quiet Association"], "2013-06-14"),
        ([], ["Journal of Quiet Models, May 2011"], "2011-05"),
        (
            [],
            ["Date of publication July 1, 2019; date of current version August 2, 2019."],
            "2019-07-01",
        ),
        # Days on which a copy was made, whatever the words: nothing says that they are the paper's.
        ([], ["This copy was fetched by 10.0.0.1 on Tue, 12 Mar 2019 10:10 UTC"], None),
        ([], ["Typeset with a quiet engine on 5 May 2020 at 10:11"], None),
        ([], ["October 17, 2018 9:25 INSTRUCTION FILE paper"], None),
        (["Printed on May 5, 2020"], [], None),
        (["5 May 2020, 10:11"], [], None),
        (["Compiled, May 5, 2020"], [], None),
        ([], ["Digitized by the Quiet Archive, 5 May 2020"], None),
        ([], ["Available to guest since 5 May 2020"], None),
        ([], ["Published by Quiet Press, exported 5 May 2020"], None),
        ([], ["Scanned from Journal of Quiet Models on 5 May 2020"], None),
        ([], ["University of Lisbon, 5 May 2020"], "2020-05-05"),
        ([], ["© 2001 The Authors", "Saved from a library by guest on 5 May 2020"], "2001"),
        ([], ["Copyright 2001 by Quiet Press. Obtained by guest on September 28, 2021"], "2001"),
        ([], ["Journal of Quiet Models, Vol. 12, No. 3 (2001), pp. 1–20", "5 May 2020"], "2001"),
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
