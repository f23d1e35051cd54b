"""Requests of an update, counted by hand and by the formula of the published procedure."""

from __future__ import annotations

from tests.servers.arxiv_replay import FakeClock, Fault, only, replaying

from vivavoce.rounds.arrivals import open_service, published_update


def test_the_published_update_asks_for_everyone_and_for_every_paper_again() -> None:
    # A graph of 3 authors with 10 papers. Two new papers are found, by 4 and by 2 people, the
    # known author among them: 3 + 1 = 4 co-authors.
    found = published_update(authors=3, papers=10, new=2, coauthors=4)
    assert found["authors"] + found["coauthors"] == 3 + 4
    assert found["total"] == 3 + 4 + 2 * (10 + 2) == 31
    assert found == {
        "authors": 3,
        "coauthors": 4,
        "ids": 12,
        "files": 12,
        "total": 31,
        "hours": 0.03,  # 31 requests, one every 3 s: 93 s
    }


def test_five_thousand_authors_alone_take_four_hours() -> None:
    assert published_update(5_000, 0, 0, 0)["hours"] == 4.17  # 15,000 s


def test_every_request_is_counted_also_one_that_has_to_be_made_again() -> None:
    with replaying({}, FakeClock()) as server:
        service = open_service(server.origin)
        service.client._limits = type(service.client._limits)(pause=0.0)
        broken = only([2], Fault(b"", 503))
        server.script = lambda ask: broken(ask) or Fault(b"fine")
        service.client.get(f"{server.origin}/one")
        service.client.get(f"{server.origin}/two")
        assert service.client.requests == len(server.asks) == 3
