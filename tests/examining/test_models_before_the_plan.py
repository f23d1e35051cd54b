"""Models are asked a word before the plan, and cost what their provider's list says."""

from pathlib import Path

import pytest
from tests.examining.papers import quality, save_pages
from tests.servers.commands import only_json, viva_here
from tests.servers.scripted import KEY, answer, error, scripted

from vivavoce.requests.run import (
    VARIABLE,
    RunSpec,
    given_prices,
    list_prices,
    parse_price,
    sources_of,
)

FINE = "openai-api/scripted/fine"


@pytest.fixture(scope="module")
def papers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_pages(tmp_path_factory.mktemp("papers"), 8)


def plan_line(papers: Path, out: Path, model: str, env: dict[str, str], *more: str) -> str:
    command = ("exam", papers, "--tasks", "title", "--model", model, "--out", out, "--yes", *more)
    return viva_here(*command, env=env, expect=1).stderr.strip().splitlines()[-1]


def test_a_server_of_chat_completions_alone_is_named_otherwise(
    papers: Path, tmp_path: Path
) -> None:
    with scripted(quality) as server:
        own = {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": KEY}
        line = plan_line(papers, tmp_path / "out", "openai/fine", {**server.environment, **own})
        assert "HTTP 404, openai/fine; nothing more was sent" in line
        assert f"openai-api/local/fine, with LOCAL_BASE_URL={server.url}" in line
        local = {"LOCAL_BASE_URL": server.url, "LOCAL_API_KEY": KEY}
        server.probe = lambda ask: error(401, "No such key.")
        line = plan_line(
            papers, tmp_path / "out", "openai-api/local/fine", {**server.environment, **local}
        )
        assert line.startswith("Error: No such key (HTTP 401, openai-api/local/fine")
        assert server.probed == ["fine"]
        assert not server.asks
    assert not (tmp_path / "out" / "corpus").exists()


@pytest.mark.slow
def test_each_model_is_asked_a_word_once(papers: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    command = ("exam", papers, "--tasks", "title", "--model", FINE, "--out", out, "--yes")
    with scripted(lambda ask: error(400, "Not today.")) as server:
        viva_here(*command, env=server.environment, expect=1)
        server.script = lambda ask: answer("A Title")
        viva_here(*command, env=server.environment)
        assert server.probed == ["fine"]


def test_list_prices_stand_in_for_prices_that_nobody_gave(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    models = ("openai/gpt-4o-mini", "anthropic/claude-haiku-4-5", "openai-api/here/one")
    spec = RunSpec(round=Path("r"), logs=Path("l"), models=models)
    assert spec.prices.keys() == set(models[:2])
    assert parse_price(spec.prices[models[0]]).output == 0.6
    assert [source.split("/")[2] for source in sources_of(spec.prices)] == [
        "developers.openai.com",
        "platform.claude.com",
    ]
    own = tmp_path / "own.toml"
    own.write_text('[prices]\n"openai-api/here/one" = "0,0"\n"openai/gpt-4o-mini" = "9,9"\n')
    monkeypatch.setenv(VARIABLE, str(own))
    given = given_prices(["openai/gpt-4o-mini=1,2"])
    spec = RunSpec(round=Path("r"), logs=Path("l"), models=models, prices=given)
    assert spec.prices[models[0]] == "1,2"
    assert spec.prices[models[2]] == "0,0"
    assert str(own) in sources_of(spec.prices)


def test_every_list_price_is_one_and_says_where_and_when() -> None:
    for model, listed in list_prices().items():
        price = parse_price(listed.text)
        assert 0 < price.input_cache_read <= price.input < price.output, model
        assert listed.source.startswith("https://")
        assert ", 202" in listed.source


@pytest.mark.parametrize("text", ["", "prices = 1", '[prices]\n"a/b" = "dear"', "[[list]]"])
def test_a_file_of_prices_that_is_none_is_refused(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, papers: Path
) -> None:
    own = tmp_path / "own.toml"
    own.write_text(text)
    monkeypatch.setenv(VARIABLE, str(own))
    done = viva_here("exam", papers, "--model", FINE, "--out", tmp_path / "out", expect=2)
    assert "IN,OUT" in done.stderr


@pytest.mark.slow
def test_a_plan_says_whose_prices_it_counts_with(papers: Path, tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    own.write_text(f'[prices]\n"{FINE}" = "1,4"\n')
    command = ("exam", papers, "--tasks", "title", "--model", FINE, "--out", tmp_path / "out")
    with scripted(lambda ask: answer("A Title")) as server:
        env = {**server.environment, VARIABLE: str(own)}
        plan = viva_here(*command, env=env, expect=2).stderr
        assert f"List prices ({own}); --price MODEL=IN,OUT overrides them." in plan
        found = only_json(viva_here(*command, "--yes", "--budget", "1", "--json", env=env).stdout)
    [row] = [row for row in found["table"] if row["role"] == "model"]
    # Each reply says that it took 100 tokens and gave 7.
    assert row["price_per_answer"] == pytest.approx((100 * 1 + 7 * 4) / 1e6)
