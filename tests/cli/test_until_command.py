"""`viva run --until`: a run ends when its question is answered, and asks no more than it takes."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.log import read_eval_log
from tests.servers.commands import only_json, small_round, viva_here
from tests.servers.golden import Golden
from tests.servers.scripted import Ask, Reply, ScriptedServer, answer, error, scripted

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
def test_the_best_is_known_and_nobody_is_asked_any_more(
    opened: Round, golden: Golden, tmp_path: Path
) -> None:
    logs = tmp_path / "logs"
    with scripted(contestants(golden)) as server:
        report = run(server, opened, logs, "best bad worse", "--until", "top=1")
        [ended] = report["stopped"]
        assert (ended["decided"], ended["of"], ended["looks"]) == (True, ITEMS, LOOKS)
        assert ended["look"] < LOOKS
        assert ended["items"] == SEEN[ended["look"] - 1]
        counts = asked(server)
        assert counts["best"] == ended["items"]
        assert all(count in SEEN for count in counts.values())
        assert sum(counts.values()) == ended["answers"] < ended["of_answers"] == 3 * ITEMS
        # The same command again asks nobody, and says the same of the same logs.
        again = run(server, opened, logs, "best bad worse", "--until", "top=1")
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
        assert row["setting"] == f"base (until top=1, looks {LOOKS})"
    said = "decided at look 1 of 3" if ended["look"] == 1 else f"decided at look {ended['look']}"
    assert rows["best"]["stopped"]["reason"].startswith(said)
    assert rows["best"]["stopped"]["reason"].endswith(": among the 1 best")
    for path in report["logs"]:
        header = read_eval_log(path, header_only=True)
        assert header.metadata["stopped"]["reason"].startswith("decided at look")
    shown = viva_here("board", "show", logs).stdout
    assert f"after {counts['best']} of {ITEMS} items" in shown
    assert "verified" in viva_here("board", "verify", logs, "--round", opened.folder).stdout


@pytest.mark.slow
def test_a_page_and_a_comparison_claim_no_more_than_was_decided(
    opened: Round, golden: Golden, tmp_path: Path
) -> None:
    logs = tmp_path / "logs"
    with scripted(contestants(golden)) as server:
        run(server, opened, logs, "best bad worse", "--until", "top=1")
    viva_here("board", "build", logs, "--out", tmp_path / "site", "--samples", "0")
    pages = "".join(page.read_text() for page in (tmp_path / "site").rglob("*.html"))
    assert "not among the 1 best" in pages

    def better(a: str, b: str) -> Any:
        names = (f"openai-api/scripted/{a}", f"openai-api/scripted/{b}")
        done = viva_here("board", "compare", *names, "--logs", logs, "--json")
        rows = only_json(done.stdout)["duels"][0]["metrics"]
        return next(row["better"] for row in rows if row["metric"] == "rougeL")

    assert better("best", "bad") == "a"
    assert better("worse", "best") == "b"
    assert better("bad", "worse") is None


def test_all_pairs_with_attempts_and_an_oracle(
    opened: Round, golden: Golden, tmp_path: Path
) -> None:
    logs = tmp_path / "logs"
    options = ("--until", "all", "--epochs", "2", "--method", "direct", "--method", "oracle")
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
        [ended] = run(server, opened, tmp_path / "a", "bad worse", "--until", "all")["stopped"]
        assert ended["reason"] == f"not decided in {LOOKS} looks"
        assert asked(server) == {"bad": ITEMS, "worse": ITEMS}
    rows = board(tmp_path / "a")
    assert rows["bad"]["rank_interval"] == rows["worse"]["rank_interval"] == [1, 2]
    assert rows["bad"]["tied_with"] == ["openai-api/scripted/worse"]
    with scripted(contestants(golden)) as server:
        near = ("--until", "all", "--indifference", "0.9")
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
        done = run(server, opened, logs, "best bad", "--until", "all", expect=1)
        report = only_json(done.stdout)
        assert len(report["failed"]) == 1
        assert report["stopped"] == []
        answered = {(ask.model, ask.prompt) for ask in server.asks if ask.prompt != broken[0]}
        assert "not complete" in viva_here("board", "show", logs, expect=1).stderr
        server.script, before = right, len(server.asks)
        [ended] = run(server, opened, logs, "best bad", "--until", "all")["stopped"]
        assert ended["decided"]
        later = [(ask.model, ask.prompt) for ask in server.asks[before:]]
        assert ("bad", broken[0]) in later
        assert not answered & set(later)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--until", "top=2"), "no question of 2 contestants"),
        (("--until", "top=0"), "must be at least 1"),
        (("--until", "best"), "Write top=K"),
        (("--until", "all", "--alpha", "1"), "between 0 and 1"),
        (("--until", "all", "--indifference", "nan"), "indifference"),
        ((), "they belong to --until"),
    ],
)
def test_what_is_no_question_is_refused_before_anything_is_asked(
    opened: Round, golden: Golden, tmp_path: Path, options: tuple[str, ...], says: str
) -> None:
    with scripted(contestants(golden)) as server:
        done = run(server, opened, tmp_path / "logs", "best bad", *options, expect=2)
        assert says in " ".join(done.stderr.split())
        assert server.asks == []
