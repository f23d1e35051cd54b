"""A network grows as the published update describes, over a corpus instead of a search service."""

from collections.abc import Callable, Mapping, Sequence
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from vivavoce.corpus import Corpus
from vivavoce.networks.growth import Growth, History, Members, Rules, grow, members_until

WriteAuthors = Callable[..., Corpus]

SINCE, UNTIL = date(2024, 1, 1), date(2024, 2, 1)
WRITTEN = {
    # Known at the last update.
    "old-1": ("2023-06-01", ["Ada", "Bo"]),
    "old-2": ("2023-06-02", ["Bo"]),
    # New in January.
    "new-1": ("2024-01-02", ["Ada", "Cy"]),
    "new-2": ("2024-01-03", ["Cy", "Di"]),
    "new-3": ("2024-01-04", ["Ed", "Ada"]),
    "new-4": ("2024-01-05", ["Di", "Xu"]),
    "new-5": ("2024-01-06", ["Zoe"]),
    "new-6": ("2024-01-07", ["Bo", "Flo"]),
    "new-7": ("2024-01-08", ["Flo"]),
    # Not out yet.
    "next-1": ("2024-02-01", ["Ada"]),
    "dateless": (None, ["Ada"]),
}
"""New papers of each, at any place: Ada 2, Bo 1, Cy 2, Di 2, Ed 1, Flo 2, Xu 1, Zoe 1."""


@pytest.fixture
def corpus(write_authors: WriteAuthors) -> Corpus:
    return write(write_authors, WRITTEN)


def write(write_authors: WriteAuthors, written: Mapping[str, Any], **folder: Path) -> Corpus:
    papers = [{"paper_id": name, "first_public": day} for name, (day, _) in written.items()]
    authors = {name: who for name, (_, who) in written.items()}
    return write_authors(authors, papers=papers, **folder)


def update(corpus: Corpus, **rules: int) -> Growth:
    history = History(corpus)
    return grow(history, members_until(history, SINCE), SINCE, UNTIL, Rules(**rules))


def new_in(found: Growth) -> list[str]:
    return sorted(found.came)


def test_a_round_knows_what_was_out_before_its_end_and_who_led_it(corpus: Corpus) -> None:
    assert members_until(History(corpus), SINCE) == Members(
        frozenset({"old-1", "old-2"}), frozenset({"name:ada", "name:bo"})
    )


@pytest.mark.parametrize(
    ("quota", "came", "considered"),
    [
        (0, [], 0),
        (2, [], 0),  # the two papers of known authors suffice
        # Cy, Ed and Flo wrote with known authors. Ada, with two new papers, led to Cy and Ed, and
        # Bo, with one, to Flo; Cy has more new papers than Ed.
        (3, ["new-2"], 1),
        (4, ["new-2", "new-3"], 2),
        (5, ["new-2", "new-3", "new-7"], 3),
        # One step further: Cy led to Di, who led to Xu; Xu leads nothing and is no node.
        (6, ["new-2", "new-3", "new-4", "new-7"], 4),
        (99, ["new-2", "new-3", "new-4", "new-7"], 5),
    ],
)
def test_the_walk_goes_on_from_the_most_active_until_the_quota(
    corpus: Corpus, quota: int, came: list[str], considered: int
) -> None:
    found = update(corpus, quota=quota)
    assert new_in(found) == sorted(["new-1", "new-6", *came])
    assert found.counts["authors_considered"] == considered
    assert found.counts["by_known_authors"] + found.counts["by_new_authors"] == len(found.came)


def test_stale_papers_and_inactive_authors_leave(write_authors: WriteAuthors) -> None:
    written = {
        "2022": ("2022", ["Ada"]),
        "ada": ("2023-12-01", ["Ada"]),
        "bo": ("2023-06-01", ["Bo"]),
        "cy": ("2023-06-01", ["Cy"]),
        "with-cy": ("2023-12-20", ["Ada", "Cy"]),
    }
    corpus = write(write_authors, written)
    found = update(corpus, keep_days=396, inactive_days=90)
    # 396 days before 1 Feb 2024 is 1 Jan 2023: all of 2022 is over by then.
    assert found.left["2022"][0] == "stale_paper"
    # Bo's last paper was out 245 days before; Cy's lead paper too, but Cy is still active.
    assert found.left["bo"] == ("inactive_author", "name:bo")
    assert found.members == Members(
        frozenset({"ada", "cy", "with-cy"}), frozenset({"name:ada", "name:cy"})
    )
    assert (found.counts["stale_papers"], found.counts["inactive_authors"]) == (1, 1)
    kept = update(corpus, keep_days=397)
    assert "2022" in kept.members.papers


@st.composite
def libraries(draw: st.DrawFn) -> dict[str, tuple[str | None, list[str]]]:
    """Papers of a few months by a few authors; some dates are of months, some are unknown."""
    written: dict[str, tuple[str | None, list[str]]] = {}
    for number in range(draw(st.integers(1, 14))):
        day = date(2023, 10, 1) + timedelta(days=draw(st.integers(0, 200)))
        text = draw(st.sampled_from([day.isoformat(), day.isoformat()[:7], None]))
        who = draw(st.lists(st.sampled_from("ABCDEFGH"), max_size=3, unique=True))
        written[f"p{number:02d}"] = (text, who)
    return written


RULES = st.builds(
    Rules,
    quota=st.one_of(st.none(), st.integers(0, 6)),
    keep_days=st.one_of(st.none(), st.integers(20, 150)),
    inactive_days=st.one_of(st.none(), st.integers(20, 150)),
)


def last_day(published: str) -> date:
    """The day after the last one a date can mean."""
    if len(published) == 10:
        return date.fromisoformat(published) + timedelta(days=1)
    year, month = int(published[:4]), int(published[5:7])
    return date(year + month // 12, month % 12 + 1, 1)


def plainly(
    written: Mapping[str, tuple[str | None, Sequence[str]]],
    before: tuple[set[str], set[str]],
    since: date,
    until: date,
    rules: Rules,
) -> tuple[set[str], set[str]]:
    """The same update by sets and loops: (papers, names of authors)."""
    papers, nodes = set(before[0]), set(before[1])
    end = {name: last_day(day) for name, (day, _) in written.items() if day}
    known = {name for name in end if end[name] <= until}
    fresh = {name for name in known if end[name] > since}

    def over(day: date, days: int | None) -> bool:
        return days is not None and day <= until - timedelta(days=days)

    stale = {name for name in end if over(end[name], rules.keep_days)}
    lead = {name: who[0] for name, (_, who) in written.items() if who}
    active = {
        a: sum(a in who for name, (_, who) in written.items() if name in fresh) for a in "ABCDEFGH"
    }
    come = (known - papers) - stale
    if rules.quota is None:
        papers |= come
        nodes |= {lead[name] for name in come if name in lead}
    else:
        of_leads = {name for name in come if lead.get(name) in nodes}
        papers |= of_leads
        missing = rules.quota - len(of_leads & fresh)
        level: dict[str, int] = {}
        for name in fresh:
            who = written[name][1]
            most = max((active[a] for a in who if a in nodes), default=0)
            for a in who:
                if a not in nodes and most:
                    level[a] = max(level.get(a, 0), most)
        seen = set(nodes)
        while level and missing > 0:
            following: dict[str, int] = {}
            for a in sorted(level, key=lambda x: (-level[x], -active[x], x)):
                if missing <= 0:
                    break
                seen.add(a)
                led = sorted(n for n in known - papers - stale if lead.get(n) == a)
                led.sort(key=lambda n: end[n], reverse=True)
                if not led:
                    continue
                nodes.add(a)
                new = [n for n in led if n in fresh][:missing]
                missing -= len(new)
                papers |= {*new, *(n for n in led if n not in fresh)}
                for name in fresh:
                    if a in written[name][1]:
                        for b in written[name][1]:
                            following[b] = max(following.get(b, 0), active[a])
            level = {b: n for b, n in following.items() if b not in seen}
    newest = {
        a: max((end[n] for n in known if a in written[n][1]), default=date.min) for a in nodes
    }
    inactive = {a for a in nodes if over(newest[a], rules.inactive_days)}
    papers = {n for n in papers if n not in stale and lead.get(n) not in inactive}
    return papers, nodes - inactive


@settings(
    deadline=None,
    max_examples=30,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(written=libraries(), rules=RULES)
def test_any_sequence_of_updates_is_what_sets_and_loops_give(
    write_authors: WriteAuthors,
    tmp_path_factory: pytest.TempPathFactory,
    written: dict[str, Any],
    rules: Rules,
) -> None:
    history = History(write(write_authors, written, folder=tmp_path_factory.mktemp("c")))
    found = members_until(history, date(2023, 12, 1))
    plain = set(found.papers), {key.removeprefix("name:").upper() for key in found.authors}
    for since, until in (
        (date(2023, 12, 1), date(2024, 1, 1)),
        (date(2024, 1, 1), date(2024, 2, 15)),
        (date(2024, 2, 15), date(2024, 5, 1)),
    ):
        found = grow(history, found, since, until, rules).members
        plain = plainly(written, plain, since, until, rules)
        names = {key.removeprefix("name:").upper() for key in found.authors}
        assert (set(found.papers), names) == plain
        if not rules.selects:
            assert found.papers == members_until(history, until).papers
