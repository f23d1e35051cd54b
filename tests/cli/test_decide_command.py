"""`viva run --decide`: a run ends when its question is answered, and asks no more than it takes."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.log import read_eval_log
from tests.servers.commands import only_json, small_round, viva_here
from tests.servers.golden import Golden
from tests.servers.scripted import Ask, Reply, ScriptedServer, answer, error, scripted, slot

from vivavoce.metrics.judged_text import ASPECTS
from vivavoce.rounds import Round
from vivavoce.store import hash_of

ITEMS, LOOKS = 38, 3
SEEN = [12, 25, 38]
"""Items before each look: 38 clusters of one paper, a third of them further each time."""


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Round:
    return small_round(tmp_path_factory.mktemp("until"), papers=40)


@pytest.fixture(scope="module")
def golden(opened: Round) -> Golden:
    return Golden(opened, ("title", "abstract"))


def contestants(golden: Golden) -> Any:
    """`best` is always right, `half` on half of the papers, and the others are never."""

    def reply(ask: Ask) -> Reply:
        is_even = int(hash_of(ask.prompt), 16) % 2 == 0
        is_right = ask.model == "best" or (ask.model == "half" and is_even)
        return golden(ask) if is_right else answer("zzz qqq xxx")

    return reply


def run(
    server: ScriptedServer, opened: Round, logs: Path, models: str, *options: str, expect: int = 0
) -> Any:
    named = [("--model", f"openai-api/scripted/{name}") for name in models.split()]
    command = ("run", "title", "--round", opened.folder, "--logs", logs, "--looks", str(LOOKS))
    flat = [word for pair in named for word in pair]
    done = viva_here(*command, *flat, *options, "--json", env=server.environment, expect=expect)
    assert server.failures == []
    return only_json(done.stdout) if expect == 0 else done


def asked(server: ScriptedServer) -> dict[str, int]:
    return dict(sorted(Counter(ask.model for ask in server.asks).items()))


def board(logs: Path) -> dict[str, dict[str, Any]]:
    """Rows of the headline metric by model."""
    rows = only_json(viva_here("board", "show", logs, "--json").stdout)["rows"]
    return {row["model"].rpartition("/")[2]: row for row in rows if row["headline"]}


@pytest.mark.slow
def test_the_best_is_known_and_asking_ends(opened: Round, golden: Golden, tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    with scripted(contestants(golden)) as server:
        report = run(server, opened, logs, "best bad worse", "--decide", "top=1")
        [ended] = report["stopped"]
        assert (ended["decided"], ended["of"], ended["looks"]) == (True, ITEMS, LOOKS)
        assert ended["look"] < LOOKS
        assert ended["items"] == SEEN[ended["look"] - 1]
        counts = asked(server)
        assert counts["best"] == ended["items"]
        assert all(count in SEEN for count in counts.values())
        assert sum(counts.values()) == ended["answers"] < ended["of_answers"] == 3 * ITEMS
        # The same command again asks nobody, and says the same of the same logs.
        again = run(server, opened, logs, "best bad worse", "--decide", "top=1")
        assert again == report
        assert asked(server) == counts
    rows = board(logs)
    assert rows["best"]["rank"] == 1
    assert rows["best"]["rank_interval"] == [1, 1]
    # Which of the others is better was not asked.
    assert rows["bad"]["rank_interval"] == rows["worse"]["rank_interval"] == [2, 3]
    assert rows["bad"]["rank"] == rows["worse"]["rank"] == 2
    for name, row in rows.items():
        assert (row["n"], row["partial"]) == (counts[name], False)
        assert row["stopped"]["items"] == counts[name]
        assert row["setting"] == "base"
    said = "decided at look 1 of 3" if ended["look"] == 1 else f"decided at look {ended['look']}"
    assert rows["best"]["stopped"]["reason"].startswith(said)
    assert rows["best"]["stopped"]["reason"].endswith(": among the 1 best")
    for path in report["logs"]:
        header = read_eval_log(path, header_only=True)
        assert header.metadata["stopped"]["reason"].startswith("decided at look")
    shown = viva_here("board", "show", logs).stdout
    assert f"after {counts['best']} of {ITEMS} items" in shown
    assert "recomputed" in viva_here("board", "verify", logs, "--round", opened.folder).stdout
    # A page and a comparison claim no more than was decided.
    viva_here("board", "build", logs, "--out", tmp_path / "site", "--samples", "0")
    pages = "".join(page.read_text() for page in (tmp_path / "site").rglob("*.html"))
    assert "not among the 1 best" in pages
    for a, b, better in (("best", "bad", "a"), ("worse", "best", "b"), ("bad", "worse", None)):
        names = (f"openai-api/scripted/{a}", f"openai-api/scripted/{b}")
        done = viva_here("board", "compare", *names, "--logs", logs, "--json")
        metrics = only_json(done.stdout)["duels"][0]["metrics"]
        assert {row["metric"]: row["better"] for row in metrics}["rougeL"] == better


def test_all_pairs_with_attempts_and_oracle(opened: Round, golden: Golden, tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    options = ("--decide", "all", "--epochs", "2", "--method", "direct", "--method", "oracle")
    with scripted(contestants(golden)) as server:
        report = run(server, opened, logs, "best bad", *options)
        [ended] = report["stopped"]
        assert ended["decided"]
        assert asked(server) == {"bad": 2 * ended["items"], "best": 2 * ended["items"]}
    rows = board(logs)
    assert [rows[name]["rank_interval"] for name in ("best", "bad")] == [[1, 1], [2, 2]]
    assert rows["none"]["rank"] is None  # the oracle
    assert rows["none"]["n"] == ended["items"]


@pytest.mark.slow
def test_contestants_that_are_alike_are_asked_to_the_end_or_differ_by_too_little(
    opened: Round, golden: Golden, tmp_path: Path
) -> None:
    with scripted(contestants(golden)) as server:
        [ended] = run(server, opened, tmp_path / "a", "bad worse", "--decide", "all")["stopped"]
        assert ended["reason"] == f"not decided in {LOOKS} looks"
        assert asked(server) == {"bad": ITEMS, "worse": ITEMS}
    rows = board(tmp_path / "a")
    assert rows["bad"]["rank_interval"] == rows["worse"]["rank_interval"] == [1, 2]
    assert rows["bad"]["undecided_with"] == ["openai-api/scripted/worse"]
    with scripted(contestants(golden)) as server:
        near = ("--decide", "all", "--indifference", "0.9")
        [ended] = run(server, opened, tmp_path / "b", "best half", *near)["stopped"]
        assert ended["decided"]


@pytest.mark.slow
def test_an_answer_that_is_lacking_decides_nothing_until_it_is_there(
    opened: Round, golden: Golden, tmp_path: Path
) -> None:
    logs, right = tmp_path / "logs", contestants(golden)
    broken: list[str] = []

    def failing(ask: Ask) -> Reply:
        if not broken and ask.model == "bad":
            broken.append(ask.prompt)
        is_broken = ask.model == "bad" and ask.prompt == broken[0]
        return error(400, "no such parameter", "unknown_parameter") if is_broken else right(ask)

    with scripted(failing) as server:
        done = run(server, opened, logs, "best bad", "--decide", "all", expect=1)
        report = only_json(done.stdout)
        assert len(report["failed"]) == 1
        assert report["stopped"] == []
        answered = {(ask.model, ask.prompt) for ask in server.asks if ask.prompt != broken[0]}
        assert "not complete" in viva_here("board", "show", logs, expect=1).stderr
        server.script, before = right, len(server.asks)
        [ended] = run(server, opened, logs, "best bad", "--decide", "all")["stopped"]
        assert ended["decided"]
        later = [(ask.model, ask.prompt) for ask in server.asks[before:]]
        assert ("bad", broken[0]) in later
        assert not answered & set(later)


def test_more_winners_than_contestants_are_refused(opened: Round, tmp_path: Path) -> None:
    models = ("--model", "extractive/lead", "--model", "extractive/centrality")
    where = ("--round", opened.folder, "--logs", tmp_path / "logs")
    done = viva_here("run", "title", *where, *models, "--decide", "top=2", expect=2)
    assert "needs more contestants than title has: 2" in " ".join(done.stderr.split())
    assert not [*tmp_path.rglob("*.eval"), *tmp_path.rglob("runs.jsonl")]


PRICED = (
    *("--judge", "openai-api/scripted/judge", "--no-cache", "--epochs", "2"),
    *("-T", "questions=compare"),
    *("--max-connections", "3", "--max-tokens", "64", "--retry-on-error", "0", "--subset", "24"),
    *(
        word
        for name in ("best", "bad", "judge")
        for word in ("--price", f"openai-api/scripted/{name}=2,1")
    ),
)
"""Options of a judged run whose every request has its price."""


def judged(golden: Golden) -> Any:
    """The contestants, and a judge that prefers the text of more letters."""
    others = contestants(golden)

    def reply(ask: Ask) -> Reply:
        if ask.model != "judge":
            return others(ask)
        first, second = (slot(ask.prompt, f"answer-{place}") for place in (1, 2))
        better = 1 if len(first) >= len(second) else 2
        verdict = {"reason": "It says more.", "winner": better}
        return answer(json.dumps(dict.fromkeys(ASPECTS, verdict)))

    return reply


@pytest.mark.slow
def test_a_judged_run_stops_at_its_budget_and_goes_on_to_the_same_decision(
    opened: Round, golden: Golden, tmp_path: Path
) -> None:
    question = ("best bad", "--decide", "top=1", *PRICED)
    with scripted(judged(golden)) as server:
        calm = run(server, opened, tmp_path / "calm", *question)
        [ended] = calm["stopped"]
        assert (ended["decided"], ended["look"] < LOOKS) == (True, True)
        needed = asked(server)
        # Two answers an item; two verdicts an answer, but none where it is the reference itself.
        assert needed["judge"] == 2 * needed["bad"]
        assert needed["best"] == 2 * ended["items"]
        server.asks.clear()
        cost = calm["spent"]["usd"]
        limit = ("--budget", str(cost / 2))
        held = run(server, opened, tmp_path / "held", *question, *limit, expect=1)
        report = only_json(held.stdout)
        assert report["stopped"] == []
        assert any("is used up" in line for line in report["failed"])
        assert 0 < report["spent"]["usd"] <= cost / 2
        lacking = viva_here("board", "show", tmp_path / "held", expect=1)
        assert "not complete" in lacking.stderr
        limit = ("--budget", str(100 * cost))  # a request must fit at its dearest
        done = run(server, opened, tmp_path / "held", *question, *limit)
        assert done["stopped"] == calm["stopped"]
        assert done["spent"]["usd"] == pytest.approx(cost)
        assert asked(server) == needed
        assert run(server, opened, tmp_path / "held", *question, *limit) == done
        assert asked(server) == needed
    boards = [
        only_json(viva_here("board", "show", tmp_path / name, "--json").stdout)["rows"]
        for name in ("calm", "held")
    ]
    kept = ("metric", "model", "value", "ci", "n", "rank", "rank_interval", "stopped")
    rows_shown = [[{name: row[name] for name in kept} for row in rows] for rows in boards]
    assert rows_shown[0] == rows_shown[1]
    metrics = {row["metric"] for row in boards[0]}
    assert {"rougeL", "judge_win"} <= metrics
    for row in boards[0]:
        # The run asked about the first metric: nobody is ranked by the judge's.
        place = [1, 1] if row["model"].endswith("best") else [2, 2]
        assert row["rank_interval"] == (place if row["headline"] else None), row["metric"]
    verified = viva_here("board", "verify", tmp_path / "calm", "--round", opened.folder)
    assert "recomputed" in verified.stdout
