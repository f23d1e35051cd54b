"""What a configuration may say: everything else is exit 2 before anything is asked or written."""

from datetime import date
from pathlib import Path

import pytest
from tests.live.world import BASE, LEAD, contestant
from tests.servers.commands import viva_here

from vivavoce.errors import InputError
from vivavoce.live import Period, Schedule
from vivavoce.live.config import ContestantOptions, read_config

ONE = contestant("one")


def days(*spans: tuple[str, str]) -> list[Period]:
    return [Period(date.fromisoformat(a), date.fromisoformat(b)) for a, b in spans]


@pytest.mark.parametrize(
    ("every", "until", "expected"),
    [
        ("month", "2024-03-31", [("2024-01-01", "2024-02-01"), ("2024-02-01", "2024-03-01")]),
        ("quarter", "2024-06-30", [("2024-01-01", "2024-04-01")]),
        ("week", "2024-01-15", [("2024-01-01", "2024-01-08"), ("2024-01-08", "2024-01-15")]),
        ("day", "2024-01-02", [("2024-01-01", "2024-01-02")]),
        ("month", "2024-01-31", []),
    ],
)
def test_periods_that_are_due(every: str, until: str, expected: list[tuple[str, str]]) -> None:
    schedule = Schedule(start=date(2024, 1, 1), every=every)  # type: ignore[arg-type]
    assert schedule.due(date.fromisoformat(until)) == days(*expected)


def test_a_period_is_due_some_days_after_its_end_and_may_begin_anywhere() -> None:
    schedule = Schedule(start=date(2023, 6, 5), first=date(2023, 12, 1), wait_days=3)
    assert schedule.due(date(2023, 12, 3)) == []
    december = [("2023-06-05", "2023-12-01"), ("2023-12-01", "2024-01-01")]
    assert schedule.due(date(2024, 1, 4)) == days(*december)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("[schedule]", "[shedule]", "[shedule] is unknown. Did you mean schedule?"),
        (
            'id = "live"',
            'id = "live"\nfoldr = "x"',
            "[live] foldr is unknown. Did you mean folder?",
        ),
        ('id = "live"', 'id = "Live!"', "[live] id: it must match"),
        ('name = "one"', 'nam = "one"', "[[contestant]] 1 nam is unknown. Did you mean name?"),
        ('name = "one"', 'name = "one"\nmethods = ["dirct"]', "Did you mean direct?"),
        ('name = "one"', 'name = "one"\nmethods = ["lead"]', "lead takes no model"),
        ('name = "one"', 'name = "one"\nprice = "cheap"', "'cheap' is not a price"),
        ('name = "one"', 'name = "one"\ncutoff = "soon"', "the cutoff 'soon' is not a date"),
        ('name = "one"', 'name = "lead"', "the name is used twice"),
        (
            'tasks = ["title"]',
            'tasks = ["titel"]',
            "[run] titel is not a task of writing. Did you mean title?",
        ),
        ('tasks = ["title"]', 'tasks = ["table"]', "[run] table is not a task of writing"),
        ('tasks = ["title"]', 'settings = ["bse"]', "no task has a setting 'bse'. Did you mean"),
        (
            "sealed = true",
            "sealed = true\nseeed = 2",
            "[round] seeed is unknown. Did you mean seed?",
        ),
        ("sealed = true", 'id = "x"', "[round] id is set by [live] and [schedule]"),
        ('["writing"]', '["writting"]', "there is no family 'writting'"),
        ('settings = ["base"]', "demo = 2", "[writing] demo is unknown"),
        ('query = "cat:cs.CL"', 'set = "cs"', "a source of kind arxiv takes query"),
        ("start = 2023-01-01", "start = 2023-01-31", "on a day from 1 to 28"),
        ("start = 2023-01-01", "start = 2023-01-01\nfirst = 2022-01-01", "is not after"),
        ("resamples = 200", "samples = 5", "would show the items of sealed rounds"),
        ("[[source]]", "[source]", "write [[source]] with two brackets"),
        ("[live]", "[live", "is not readable TOML"),
        ("[schedule]\nstart = 2023-01-01", "", "lacks the table [schedule]"),
        ("[run]", "[budget]\nperiod = 1.0\n[run]", "a budget needs every price"),
    ],
    ids=lambda value: None,
)
def test_a_wrong_configuration_is_refused_before_anything(
    tmp_path: Path, old: str, new: str, said: str
) -> None:
    text = f"{BASE}{ONE}{LEAD}"
    assert old in text
    config = tmp_path / "board.toml"
    config.write_text(text.replace(old, new, 1))
    with pytest.raises(InputError) as refused:
        read_config(config)
    assert said in str(refused.value)
    assert "Value error" not in str(refused.value)
    assert str(config) in str(refused.value)


@pytest.mark.parametrize(("table", "option"), [("[live]", "folder"), ("[site]", "cutoffs")])
def test_an_address_in_place_of_a_path_is_refused(tmp_path: Path, table: str, option: str) -> None:
    config = tmp_path / "board.toml"
    config.write_text(f"{BASE}{ONE}".replace(table, f'{table}\n{option} = "s3://bucket/folder"'))
    with pytest.raises(InputError, match="is an address"):
        read_config(config)


def test_a_baseline_needs_no_price_for_a_budget(tmp_path: Path) -> None:
    copied = '[[contestant]]\nname = "copied"\nmodel = "extractive/lead"\n'
    config = tmp_path / "board.toml"
    config.write_text(f"{BASE}{copied}{LEAD}".replace("[run]", "[budget]\nperiod = 0.005\n[run]"))
    assert read_config(config).prices == {"extractive/lead": "0,0"}


@pytest.mark.parametrize(
    ("month", "expected"),
    [(2, False), (3, True), (6, True), (7, False)],  # the day on which it retires still counts
)
def test_a_contestant_is_asked_from_its_first_round_until_it_retires(
    month: int, expected: bool
) -> None:
    asked = ContestantOptions(name="one", joins=date(2024, 3, 1), retires=date(2024, 6, 1))
    assert asked.takes_part(date(2024, month, 1)) is expected


def test_a_dry_run_says_what_is_due_and_writes_nothing(tmp_path: Path) -> None:
    config = tmp_path / "board.toml"
    config.write_text(f"{BASE}{ONE}")
    done = viva_here("live", config, "--until", "2023-03-05", "--dry-run")
    first, second, last = done.stdout.splitlines()
    assert first.startswith("2023-02-01: listing, texts, cited, networks, round")
    assert second.startswith("2023-03-01: listing")
    assert last == "Nothing was done."
    early = viva_here("live", config, "--until", "2023-01-31", "--dry-run")
    assert early.stdout == "Nothing is due.\n"
    status = viva_here("live", "status", config, "--until", "2023-03-05")
    assert status.stdout.splitlines() == [
        "live, 2023-03-05: 2 periods are due; the next on 2023-04-01",
        "  2023-02-01  pending no round",
        "    to do: listing, texts, cited, networks, round, leakage, contestants, audit, site",
        "  2023-03-01  pending no round",
        "    to do: listing, texts, cited, networks, round, leakage, contestants, audit, site",
        "Spent: 0.00 dollars",
    ]
    assert list(tmp_path.iterdir()) == [config]


@pytest.mark.parametrize("word", [".", "statu", "no-board.toml"])
def test_a_word_that_is_neither_a_verb_nor_a_file_is_refused(word: str) -> None:
    why = f"{word!r} is neither a verb (status, init) nor a file"
    refused = viva_here("live", word, expect=2)
    assert ("viva live init writes one" if word.endswith(".toml") else why) in refused.stderr
