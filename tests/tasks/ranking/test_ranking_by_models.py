"""Rankings by models, agents and solvers of other packages, through the commands a user runs."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from tests.servers.commands import only_json, viva_here
from tests.servers.scripted import Ask, Reply, ScriptedServer, answer, scripted, slot
from tests.tasks.methods.agent_runs import calls, results
from tests.tasks.ranking.board_corpora import WINDOW, Papers

from vivavoce.rounds import Round

pytestmark = pytest.mark.slow

TITLES = {
    "ash": ("Parsing the Bank by UAS with Ash", "2020-02-01"),
    "bay": ("Bay, Parsing of the Bank under UAS", "2021-05-01"),
    "cob": ("Cob for UAS and Parsing on a Bank", "2020-09-01"),
}
OTHER = "A UAS of Parsing Robots at the Bank"
"""A paper with all of the board's words that is not on the board."""
LINE = re.compile(r"^[0-9]+\. (?P<id>\S+) \| (?P<title>.+) \| (?P<date>[0-9-]+) \| cited by", re.M)
AGENT = """
async def rank(question, tools):
    found = tools["search"]("parsing bank UAS")
    if "paper ids" in question:
        import re
        return "\\n".join(re.findall(r"paper_id: (\\S+)", found))
    titles = question.partition("<papers>")[2].partition("</papers>")[0].strip().splitlines()
    return "\\n".join(reversed(sorted(titles)))
"""


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


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Round:
    papers = Papers(tmp_path_factory.mktemp("round"))
    for name, (title, date) in TITLES.items():
        papers.add(name, title, date)
    papers.add("other", OTHER, "2021-09-01")
    papers.add("later", "UAS Parsing of the Bank, SECRET", "2023-01-01")
    papers.board("Parsing", "Bank", "UAS", [("bay", 90), ("cob", 80), ("ash", 70)])
    return papers.round(WINDOW)


@pytest.fixture(scope="module")
def server() -> Iterator[ScriptedServer]:
    with scripted(play) as running:
        yield running


@pytest.fixture(scope="module")
def rows(
    opened: Round, server: ScriptedServer, tmp_path_factory: pytest.TempPathFactory
) -> dict[tuple[str, str], dict[str, Any]]:
    """Values of a board by task and method, then by metric."""
    folder = tmp_path_factory.mktemp("runs")
    (folder / "mine.py").write_text(AGENT, "utf-8")
    logs = folder / "logs"
    viva_here(
        *("run", "rank_by_prompt", "rank_by_graph", "--round", opened.folder, "--logs", logs),
        *("--model", "openai-api/scripted/ranker", "--method", "direct", "--method", "agent"),
        *("--agent", f"{folder}/mine.py@rank"),
        env=server.environment,
    )
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for row in only_json(viva_here("board", "show", logs, "--json").stdout)["rows"]:
        key = (row["task"], row["method"].partition("(")[0])
        found.setdefault(key, {})[row["metric"]] = row["value"]
        assert (row["n"], row["valid"]) == (1, 1.0), key
    return found


def test_a_model_ranks_the_candidates_that_it_is_shown(
    rows: dict[tuple[str, str], dict[str, Any]], server: ScriptedServer
) -> None:
    # Newest first is the gold order bay, cob, ash, with `other` before them.
    found = rows["rank_by_graph", "direct"]
    assert (found["ktau_all"], found["candidate_recall"], found["bem"]) == (1.0, 1.0, 1.0)
    # By the alphabet it is bay, cob, ash, of titles `Bay`, `Cob`, `Parsing`.
    assert rows["rank_by_prompt", "direct"]["cp"] == 1.0
    prompts = server.prompts("ranker")
    [shown] = [prompt for prompt in prompts if LINE.search(prompt)]
    assert {one["title"] for one in LINE.finditer(shown)} == {t for t, _ in TITLES.values()} | {
        OTHER
    }
    assert not any("SECRET" in prompt for prompt in prompts)


def test_agents_find_and_rank_papers_of_the_round(
    rows: dict[tuple[str, str], dict[str, Any]], server: ScriptedServer
) -> None:
    for method in ("agent", "custom_agent"):
        assert rows["rank_by_graph", method]["candidate_recall"] == 1.0
    # `Parsing`, `Cob`, `Bay` is the gold order turned round.
    assert rows["rank_by_prompt", "custom_agent"]["ktau"] == -1.0
    assert rows["rank_by_prompt", "agent"]["cis"] == 1.0
    assert not any("SECRET" in str(ask.body) for ask in server.asks)
