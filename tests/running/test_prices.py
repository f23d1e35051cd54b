"""Prices: read from words, counted for boards, and what holds a sample to a sum."""

from pathlib import Path

import pytest
from tests.servers.commands import small_round, viva_here
from tests.servers.scripted import TOKENS, opening, scripted

from vivavoce.errors import InputError
from vivavoce.requests.run import Price, given_prices, parse_price
from vivavoce.results.board.building import leaderboard
from vivavoce.rounds import Round

ITEMS = 4


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Round:
    return small_round(tmp_path_factory.mktemp("prices"), papers=ITEMS)


def test_a_price_has_two_numbers_or_four() -> None:
    assert parse_price("1,2,3,4") == Price(
        input=1, output=2, input_cache_write=3, input_cache_read=4
    )
    # Without a price of its own a cached token costs what it may cost at most: 1.25 × 10, and 10.
    assert parse_price("10,20") == Price(10, 20, input_cache_write=12.5, input_cache_read=10)


@pytest.mark.parametrize("text", ["", "1", "1,2,3", "1;2", "a,b", "-1,2", "nan,1", "1,inf"])
def test_what_is_no_price_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="IN,OUT"):
        parse_price(text)


def test_prices_are_given_by_model() -> None:
    found = given_prices(["openai/a=1,2", "openai-api/b=c=3,4"])
    assert found == {"openai/a": "1,2", "openai-api/b=c": "3,4"}
    with pytest.raises(InputError, match="MODEL=IN,OUT"):
        given_prices(["1,2"])
    with pytest.raises(InputError, match="two prices"):
        given_prices(["m=1,2", "m=1,2"])


def run(opened: Round, logs: Path, name: str, *options: str, expect: int = 0) -> str:
    """Run the titles with a model of this name, and what was said."""
    model = f"openai-api/scripted/{name}"
    command = ["run", "title", "--round", opened.folder, "--logs", logs, "--model", model]
    with scripted(opening) as server:
        done = viva_here(*command, *options, env=server.environment, expect=expect)
        assert len(server.asks) == (0 if expect else ITEMS)
    return done.stderr


def test_a_board_shows_what_a_row_cost(small: Round, tmp_path: Path) -> None:
    run(small, tmp_path, "dear", "--price", "openai-api/scripted/dear=10,20")
    row = leaderboard(tmp_path, resamples=0).rows[0]
    assert row["tokens"] == ITEMS * TOKENS
    # 4 requests of 100 tokens at 10 dollars a million, and 7 at 20.
    assert row["cost"] == pytest.approx(4 * (100 * 10 + 7 * 20) / 1e6)


def test_a_sample_that_cost_its_limit_is_ended(small: Round, tmp_path: Path) -> None:
    price = ("--price", "openai-api/scripted/dearer=10,20")
    run(small, tmp_path, "dearer", *price, "--cost-limit", "0.0001")
    row = leaderboard(tmp_path, resamples=0).rows[0]
    assert (row["n"], row["valid"], row["faults"]) == (ITEMS, 0.0, {"empty": ITEMS})


def test_a_limit_without_a_price_is_refused_at_once(small: Round, tmp_path: Path) -> None:
    said = run(small, tmp_path, "unknown", "--cost-limit", "1", expect=2)
    assert "--price openai-api/scripted/unknown=IN,OUT" in said


def test_a_price_of_a_model_that_takes_no_part_is_refused(small: Round, tmp_path: Path) -> None:
    said = run(small, tmp_path, "other", "--price", "openai/gpt=1,2", expect=2)
    assert "openai/gpt has a price but does not take part" in said
