"""A round brought up to date: a new round, linked to the old one, which stays as it is."""

import json
import shutil
from collections.abc import Callable
from datetime import date
from functools import partial
from pathlib import Path

import pytest
from tests.rounds.titles_family import Titles, build, corpus_of, follow, ids, spec_of

from vivavoce.corpus import Corpus, ingest, load_corpus
from vivavoce.errors import EmptyRoundError, InputError, VivaError
from vivavoce.rounds import Round, load_round, verify_round
from vivavoce.rounds.anchors import anchors_of, came_late, items_of
from vivavoce.rounds.updating import AUTHORS, PAPERS, update_round
from vivavoce.store import hash_tree, write_jsonl, write_sealed
from vivavoce.tasks import build_round, builders

JANUARY, FEBRUARY, MARCH = date(2024, 1, 1), date(2024, 2, 1), date(2024, 3, 1)
OLD = {
    "a1": ("2023-02-01", ["Ada"]),
    "a2": ("2023-11-01", ["Ada", "Bo"]),
    "c1": ("2023-03-01", ["Cy"]),
}
"""Known at the end of 2023."""
OF_JANUARY = {
    "a3": ("2024-01-02", ["Ada", "Di"]),
    "d1": ("2024-01-03", ["Di"]),
    "d2": ("2024-01-04", ["Di"]),
    "e1": ("2024-01-05", ["Ed"]),
}
OF_FEBRUARY = {
    "d3": ("2024-02-02", ["Di", "Ed"]),
    "e2": ("2024-02-03", ["Ed"]),
    "f1": ("2024-02-04", ["Flo"]),
}
SELECTING = {"quota": 2, "keep_days": 330, "inactive_days": 300}


@pytest.fixture(scope="module")
def before(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return corpus_of(tmp_path_factory.mktemp("before"), OLD)


@pytest.fixture(scope="module")
def now(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """The same corpus two months later."""
    return corpus_of(tmp_path_factory.mktemp("now"), OLD | OF_JANUARY | OF_FEBRUARY)


@pytest.fixture
def parent(before: Corpus, tmp_path: Path) -> Round:
    return build(before, spec_of(JANUARY), tmp_path / "rounds")


@pytest.fixture
def fresh(before: Corpus, tmp_path: Path) -> Round:
    """The first of a line of rounds that each ask about new papers alone."""
    return build(before, spec_of(JANUARY, items="fresh"), tmp_path / "rounds")


@pytest.fixture
def growing(before: Corpus, tmp_path: Path) -> Callable[..., Corpus]:
    """Adds papers to a copy of the corpus that the first round was made of."""
    shutil.copytree(before.folder, tmp_path / "growing" / "corpus")
    return partial(corpus_of, tmp_path / "growing")


@pytest.fixture(scope="module")
def under_rules(tmp_path_factory: pytest.TempPathFactory) -> list[Round]:
    return live_through(tmp_path_factory.mktemp("rules"), SELECTING)


def live_through(folder: Path, update: dict[str, int]) -> list[Round]:
    """A round and two updates, each made when the papers of its month had come."""
    rounds = [build(corpus_of(folder, OLD), spec_of(JANUARY, **update), folder / "rounds")]
    for papers, until in ((OF_JANUARY, FEBRUARY), (OF_FEBRUARY, MARCH)):
        rounds.append(follow(rounds[-1], corpus_of(folder, papers), until).round)
    return rounds


def test_without_quota_and_pruning_the_items_are_those_of_a_rebuild(
    parent: Round, now: Corpus, tmp_path: Path
) -> None:
    done = follow(parent, now, MARCH).round
    anew = build(now, spec_of(MARCH), tmp_path / "anew")
    assert ids(done) == sorted([*OLD, *OF_JANUARY, *OF_FEBRUARY])
    assert items_of(done.manifest) == items_of(anew.manifest)
    assert hash_tree(done.folder / "titles") == hash_tree(anew.folder / "titles")
    assert done.leakage == anew.leakage


def test_so_it_is_with_the_writing_tasks(sample: Corpus, grown: Corpus, tmp_path: Path) -> None:
    def spec(end: str) -> dict[str, object]:
        window = {"start": "2024-03-01", "end": end}
        asked = {"id": "live", "window": window, "families": ["writing"]}
        return {"round": asked, "update": {"items": "cumulative"}}

    first = build_round(sample, spec("2024-04-15"), tmp_path / "rounds")
    until = date(2024, 7, 1)
    done = update_round(grown, first, builders(), tmp_path / "rounds", until)
    anew = build_round(grown, spec("2024-07-01"), tmp_path / "anew")
    assert done.is_new
    assert items_of(done.round.manifest) == items_of(anew.manifest)


def test_the_new_round_follows_from_the_old_one_which_stays_as_it_is(
    parent: Round, now: Corpus
) -> None:
    files = hash_tree(parent.folder)
    done = follow(parent, now, MARCH)
    assert (done.is_new, done.round.id) == (True, "live-2024-03-01")
    assert hash_tree(parent.folder) == files
    assert done.round.manifest["parent"] == {"id": "live", "manifest": parent.sha256}
    assert done.round.spec["round"]["parent"] == "live"
    assert done.round.manifest["window"] == {"start": "2023-01-01", "end": "2024-03-01"}
    assert "Follows round live" in done.round.card
    assert verify_round(done.round.folder) == []
    assert parent.update == {}
    did = load_round(done.round.folder).update
    assert (did["since"], did["until"], did["parent"]) == ("2024-01-01", "2024-03-01", "live")
    assert (did["by_known_authors"], did["by_new_authors"], did["new_papers"]) == (1, 6, 7)


def test_nothing_new_changes_nothing(parent: Round, before: Corpus, now: Corpus) -> None:
    last = follow(parent, now, MARCH).round
    files = hash_tree(parent.folder.parent)
    for found in (
        follow(parent, now, MARCH),  # the same again
        follow(last, now, MARCH),  # the same date
        follow(last, now, date(2024, 6, 1)),  # no paper since
    ):
        assert (found.is_new, found.round.folder) == (False, last.folder)
    assert follow(parent, before, JANUARY).round is parent
    assert hash_tree(parent.folder.parent) == files


def test_a_paper_that_was_not_there_in_time_makes_a_new_round_of_the_same_window(
    parent: Round, tmp_path: Path
) -> None:
    completed = corpus_of(tmp_path / "more", OLD | {"b1": ("2023-05-05", ["Bo"])})
    done = follow(parent, completed, JANUARY)
    assert (done.round.id, ids(done.round)) == ("live-2024-01-01", sorted([*OLD, "b1"]))
    assert done.round.update["late"] == 0  # a corpus without rules holds whatever was out in time
    more = corpus_of(tmp_path / "more", {"b2": ("2023-06-06", ["Bo"])})
    assert follow(parent, more, JANUARY).round.id == "live-2024-01-01.2"


def test_an_update_does_not_go_back_in_time(parent: Round, now: Corpus) -> None:
    with pytest.raises(InputError, match="Round live ends at 2024-01-01"):
        follow(parent, now, date(2023, 12, 31))


def test_an_id_can_be_chosen_but_not_that_of_the_parent(parent: Round, now: Corpus) -> None:
    assert follow(parent, now, MARCH, name="spring").round.id == "spring"
    with pytest.raises(InputError, match="would have the id of its parent, live"):
        follow(parent, now, MARCH, name="live")
    with pytest.raises(InputError, match=r"\[round\] id"):
        follow(parent, now, MARCH, name="../up")


def test_a_published_update_is_not_changed(parent: Round, now: Corpus) -> None:
    follow(parent, now, FEBRUARY, name="next")
    with pytest.raises(VivaError, match="is a published round and would change"):
        follow(parent, now, MARCH, name="next")


def test_under_rules_a_round_is_made_of_what_its_network_holds(under_rules: list[Round]) -> None:
    _, first, second = under_rules
    # January: a3 is by Ada, who is known. Of Di, whom Ada wrote with, one more paper fills the
    # quota: the newest. Cy's last paper was out on 1 March 2023, 337 days before February 2024:
    # too long for Cy (300) and for the paper (330); a1 is as old.
    assert ids(first) == ["a2", "a3", "d2"]
    # February: d3 by Di, who is known now, and d1, which is late. Ed leads e2 and wrote with Di;
    # e1 comes with it. Flo wrote with nobody. a2 was out 121 days before.
    assert ids(second) == ["a2", "a3", "d1", "d2", "d3", "e1", "e2"]
    assert {row["paper_id"]: row["came_in"] for row in second.rows(PAPERS)} == {
        "a2": "live",
        "a3": first.id,
        "d2": first.id,
        **dict.fromkeys(["d1", "d3", "e1", "e2"], second.id),
    }
    assert [row["key"] for row in second.rows(AUTHORS)] == ["id:ada", "id:di", "id:ed"]
    left = {row["paper_id"]: row["reason"] for row in second.leakage["excluded"]}
    assert left["f1"] == "author_not_reached"
    assert left["a1"] == left["c1"] == "stale_paper"


def test_an_update_that_would_have_no_item_says_why(before: Corpus, tmp_path: Path) -> None:
    parent = build(before, spec_of(JANUARY, keep_days=1, inactive_days=1), tmp_path / "rounds")
    with pytest.raises(EmptyRoundError, match="for these reasons: stale_paper 3"):
        follow(parent, before, MARCH)


def test_papers_that_come_later_do_not_matter_to_earlier_updates(
    under_rules: list[Round], now: Corpus, tmp_path: Path
) -> None:
    rounds = [build(now, spec_of(JANUARY, **SELECTING), tmp_path / "rounds")]
    for until in (FEBRUARY, MARCH):
        rounds.append(follow(rounds[-1], now, until).round)
    for one, other in zip(under_rules, rounds, strict=True):
        assert items_of(one.manifest) == items_of(other.manifest)
        assert one.rows(PAPERS) == other.rows(PAPERS)


def test_another_parent_in_the_same_place_is_noticed(
    parent: Round, now: Corpus, tmp_path: Path
) -> None:
    done = follow(parent, now, MARCH).round
    write_sealed(parent.folder / "manifest.json", {**parent.manifest, "seed": 7})
    (problem,) = verify_round(done.folder)
    assert "is not the round that" in problem
    parent.folder.rename(tmp_path / "elsewhere")
    assert verify_round(done.folder) == []


def test_a_sealed_round_is_revealed_by_the_one_that_follows(
    before: Corpus, now: Corpus, tmp_path: Path
) -> None:
    out = tmp_path / "rounds"
    parent = build(before, spec_of(JANUARY, sealed=True), out)
    assert (out / "live.sealed.json").exists()
    done = follow(parent, now, MARCH)
    assert done.revealed == out / "live.revealed.json"
    assert json.loads(done.revealed.read_text("utf-8"))["items"] == {"titles/first": sorted(OLD)}
    assert (out / "live-2024-03-01.sealed.json").exists()
    assert not (out / "live-2024-03-01.revealed.json").exists()
    assert verify_round(parent.folder) == verify_round(done.round.folder) == []


def test_an_author_whose_id_went_is_no_node_any_more(
    under_rules: list[Round], tmp_path: Path
) -> None:
    _, first, _ = under_rules
    again = {name: (day, [f"{who[0]} X", *who[1:]]) for name, (day, who) in OLD.items()}
    other = corpus_of(tmp_path / "other", again | OF_JANUARY | OF_FEBRUARY)
    found = follow(first, load_corpus(other.folder), MARCH, name="next").round
    assert found.update["authors_before"] == 2  # Ada of a3 and Di are there as before


def test_a_fresh_update_asks_only_about_what_came_out_since_the_parent_ended(
    fresh: Round, now: Corpus
) -> None:
    first = follow(fresh, now, FEBRUARY).round
    second = follow(first, now, MARCH).round
    assert (ids(first), ids(second)) == (sorted(OF_JANUARY), sorted(OF_FEBRUARY))
    assert second.manifest["window"] == {"start": "2024-02-01", "end": "2024-03-01"}
    # Older papers still serve as examples.
    [row] = [row for row in first.items("titles", "first") if row["id"] == "a3"]
    assert row["demos"] == ["c1"]


def test_a_fresh_update_of_nothing_new_writes_nothing(before: Corpus, tmp_path: Path) -> None:
    fresh = build(before, spec_of(JANUARY, items="fresh", anchors=1), tmp_path / "rounds")
    for until in (JANUARY, MARCH):
        assert follow(fresh, before, until).round is fresh
    assert [path.name for path in (tmp_path / "rounds").iterdir() if path.is_dir()] == ["live"]


def test_what_came_late_is_asked_in_the_next_fresh_round_and_never_again(
    fresh: Round, growing: Callable[..., Corpus]
) -> None:
    published = hash_tree(fresh.folder)
    late = {"b1": ("2023-05-05", ["Bo"]), "z1": ("2022-12-31", ["Zoe"])}
    corpus = growing(late | OF_JANUARY)
    assert follow(fresh, corpus, JANUARY).round is fresh  # no day has passed: it waits
    first = follow(fresh, corpus, FEBRUARY).round
    # b1 was not there when the first round was built; z1 is older than the line.
    assert ids(first) == sorted([*OF_JANUARY, "b1"])
    days, asked = came_late(first)
    assert (days.start, days.end, asked) == (date(2023, 1, 1), FEBRUARY, {"b1"})
    assert "late: 1 papers of 2023-01-01 up to, not including, 2024-01-01" in first.card

    more = growing(OF_FEBRUARY | {"b2": ("2024-01-20", ["Bo"])})
    second = follow(first, more, MARCH).round
    assert ids(second) == sorted([*OF_FEBRUARY, "b2"])
    assert came_late(second)[1] == {"b2"}
    third = follow(second, more, date(2024, 4, 1))
    assert third.round is second
    assert hash_tree(fresh.folder) == published
    assert verify_round(first.folder) == verify_round(second.folder) == []


@pytest.mark.parametrize("day", [None, "2024-06-01"])
def test_a_paper_that_gets_its_date_late_is_asked_in_the_next_fresh_round(
    tmp_path: Path, day: str | None
) -> None:
    undated = corpus_of(tmp_path / "c", OLD | {"b1": (day, ["Bo"])})
    fresh = build(undated, spec_of(JANUARY, items="fresh"), tmp_path / "rounds")
    assert ids(fresh) == sorted(OLD)
    dated = corpus_of(tmp_path / "c", {"b1": ("2023-05-05", ["Bo"])} | OF_JANUARY)
    first = follow(fresh, dated, FEBRUARY).round
    assert ids(first) == sorted([*OF_JANUARY, "b1"])


def test_a_family_that_follows_no_authors_asks_about_no_late_paper(
    fresh: Round, growing: Callable[..., Corpus], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Titles, "FOLLOWS_AUTHORS", False)
    corpus = growing({"b1": ("2023-05-05", ["Bo"])} | OF_JANUARY)
    assert ids(follow(fresh, corpus, FEBRUARY).round) == sorted(OF_JANUARY)


def test_a_late_copy_of_a_paper_that_was_asked_is_not_asked(
    fresh: Round, growing: Callable[..., Corpus], tmp_path: Path
) -> None:
    corpus = growing(OF_JANUARY).folder
    row = {"id": "a0", "title": "On the Matter of A1!", "published": "2023-01-15"}
    write_jsonl(tmp_path / "copy.jsonl", [row | {"abstract": "Other words."}])
    ingest("metadata", tmp_path / "copy.jsonl", corpus)
    assert ids(follow(fresh, load_corpus(corpus), FEBRUARY).round) == sorted(OF_JANUARY)


def test_a_paper_that_was_asked_and_lost_its_text_is_not_asked_when_it_is_back(
    fresh: Round, now: Corpus, tmp_path: Path
) -> None:
    """The papers that the line asked stand in each round, not only in the one that asked them."""
    rest = corpus_of(tmp_path / "rest", {n: OLD[n] for n in ("a1", "c1")} | OF_JANUARY)
    first = follow(fresh, rest, FEBRUARY).round
    assert ids(follow(first, now, MARCH).round) == sorted(OF_FEBRUARY)


def test_anchors_stand_in_a_fresh_round_although_they_are_older(
    before: Corpus, now: Corpus, tmp_path: Path
) -> None:
    fresh = build(before, spec_of(JANUARY, items="fresh", anchors=2), tmp_path / "rounds")
    first = follow(fresh, now, FEBRUARY).round
    kept = anchors_of(first)["titles/first"]
    assert len(kept) == 2
    assert ids(first) == sorted([*kept, *OF_JANUARY])
    assert anchors_of(follow(first, now, MARCH).round)["titles/first"] == kept


def test_a_moving_window_keeps_its_length(before: Corpus, now: Corpus, tmp_path: Path) -> None:
    moving = build(before, spec_of(JANUARY, items="window"), tmp_path / "rounds")
    done = follow(moving, now, MARCH).round
    # 365 days, counted back from 1 March 2024.
    assert done.manifest["window"] == {"start": "2023-03-02", "end": "2024-03-01"}
    assert ids(done) == sorted({*OLD, *OF_JANUARY, *OF_FEBRUARY} - {"a1", "c1"})
