"""Rankings by models and agents, through the commands a user runs."""

import re
from pathlib import Path
from typing import Any

import pytest
from tests.servers.commands import viva_here
from tests.servers.scripted import Ask, Reply, answer, scripted, slot
from tests.tasks.methods.agent_runs import calls, results
from tests.tasks.ranking.board_corpora import Papers

from vivavoce.results.board.building import leaderboard

pytestmark = pytest.mark.slow

TITLES = {
    "ash": ("Parsing the Bank by UAS with Ash", "2020-02-01"),
    "bay": ("Bay, Parsing of the Bank under UAS", "2021-05-01"),
    "cob": ("Cob for UAS and Parsing on a Bank", "2020-09-01"),
}
OTHER = "A UAS of Parsing Robots at the Bank"
"""A paper with all of the board's words that is not on the board."""
LINE = re.compile(r"^[0-9]+\. (?P<id>\S+) \| (?P<title>.+) \| (?P<date>[0-9-]+) \| cited by", re.M)


def play(ask: Ask) -> Reply:
    """Newest candidates first; titles in the order of the alphabet; an agent's hits as found."""
    if ask.body.get("tools") and ask.body.get("tool_choice") != "none":
        found = results(ask)
        if not found:
            return calls(("search", {"query": "parsing bank UAS"}))
        ids = re.findall(r"paper_id: (\S+)", found[0])
        titles = re.findall(r"^(.+) \([0-9-]+\), ", found[0], re.MULTILINE)
        asks_for_ids = "paper ids" in ask.body["messages"][0]["content"]
        return answer("\n".join(dict.fromkeys(ids if asks_for_ids else titles)))
    listed = sorted(LINE.finditer(ask.prompt), key=lambda one: one["date"], reverse=True)
    if listed:
        return answer("\n".join(f"{n}. `{one['id']}`" for n, one in enumerate(listed, 1)))
    return answer("\n".join(sorted(slot(ask.prompt, "papers").splitlines())))


def test_models_and_agents_rank_what_they_find_in_the_round(tmp_path: Path) -> None:
    papers = Papers(tmp_path)
    for name, (title, date) in TITLES.items():
        papers.add(name, title, date)
    papers.add("other", OTHER, "2021-09-01")
    papers.add("later", "UAS Parsing of the Bank, SECRET", "2023-01-01")
    papers.board("Parsing", "Bank", "UAS", [("bay", 90), ("cob", 80), ("ash", 70)])
    opened, logs = papers.ranking_round(), tmp_path / "logs"
    with scripted(play) as server:
        viva_here(
            *("run", "rank_by_prompt", "rank_by_graph", "--round", opened.folder, "--logs", logs),
            *("--model", "openai-api/scripted/ranker", "--method", "direct", "--method", "agent"),
            env=server.environment,
        )
    values: dict[tuple[str, str], dict[str, Any]] = {}
    for row in leaderboard(logs, resamples=0).rows:
        method = row["method"].partition("(")[0]
        values.setdefault((row["task"], method), {})[row["metric"]] = row["value"]
        assert (row["n"], row["valid"]) == (1, 1.0)
    # Newest first is the gold order bay, cob, ash, with `other` before them.
    found = values["rank_by_graph", "direct"]
    assert (found["ktau_all"], found["candidate_recall"], found["bem"]) == (1.0, 1.0, 1.0)
    # By the alphabet it is bay, cob, ash, of titles `Bay`, `Cob`, `Parsing`.
    assert values["rank_by_prompt", "direct"]["cp"] == 1.0
    assert values["rank_by_graph", "agent"]["candidate_recall"] == 1.0
    assert values["rank_by_prompt", "agent"]["cis"] == 1.0
    [shown] = [prompt for prompt in server.prompts("ranker") if LINE.search(prompt)]
    titles = {title for title, _ in TITLES.values()}
    assert {one["title"] for one in LINE.finditer(shown)} == {*titles, OTHER}
    assert not any("SECRET" in str(ask.body) for ask in server.asks)
