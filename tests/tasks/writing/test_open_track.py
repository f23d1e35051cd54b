"""The open track of related work: contestants search the papers published before the target."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.servers.commands import only_json, viva_here
from tests.servers.scripted import Ask, Reply, ScriptedServer, answer, scripted
from tests.tasks.methods.agent_runs import calls, results, turns
from tests.tasks.writing.corpora import Papers, words

from vivavoce.errors import NoItemsError
from vivavoce.rounds import load_round
from vivavoce.tasks.lookup import create_task
from vivavoce.tasks.writing.citations import read_citations

EARLY, SECOND = "Reading Papers With Nets", "Trees, Graphs; And Papers"
OTHER = "Another Early Work on Papers"
OUTSIDE = "A Work That Nobody Has"
SPEC = """
[round]
id = "open"
window = { start = "2024-01-01", end = "2025-01-01" }
families = ["writing"]

[writing]
settings = ["base", "open"]
"""

COPIES = ("--model", "none", "--method", "lead", "--method", "abstract_copy")


def build_open_round(folder: Path, spec: str = SPEC) -> Path:
    """Build a round of one target, with papers before and after it."""
    papers = Papers(folder)
    cited = [(title, "Weir", 2001) for title in (EARLY, SECOND, OUTSIDE)]
    papers.add("pear", "2024-05-10", title="Pears of the Paper Tree", references=cited)
    for name, published, references in (
        ("first", "2023-02-01", [EARLY, SECOND]),
        ("second", "2023-03-01", [EARLY, OTHER]),
        ("third", "2023-04-01", [EARLY, OTHER]),
        ("after", "2025-12-01", [EARLY, SECOND, OTHER]),
    ):
        entries = [(title, "Weir", 2001) for title in references]
        papers.add(name, published, title=f"The {name} paper on citing", references=entries)
    for name, published, title in (
        ("early", "2020-01-15", EARLY),
        ("2nd", "2021", SECOND),
        ("other", "2022-07", OTHER),
        ("same-day", "2024-05-10", "SECRET nets of the same day"),
        ("same-year", "2024", "SECRET nets of the same year"),
        ("later", "2024-06-01", "SECRET nets that came later"),
        ("undated", None, "SECRET nets without a date"),
    ):
        papers.note(
            name,
            title=title,
            abstract=f"Nets read papers in {name}. " + words(f"{name}note", 30),
            **({"published": published} if published else {}),
        )
    papers.corpus()
    (folder / "spec.toml").write_text(spec)
    corpus, out = folder / "c", folder / "rounds"
    viva_here("round", "build", folder / "spec.toml", "--corpus", corpus, "--out", out)
    return out / "open"


@dataclass(frozen=True)
class Finished:
    """Runs of an agent, of retrieval and of a plain model."""

    server: ScriptedServer
    rows: dict[str, dict[str, Any]]
    """Metric values and `setting` by method."""


def contestant(ask: Ask) -> Reply:
    """Cite each id in the prompt; as an agent, first try to reach the target and later papers."""
    if not ask.body.get("tools"):
        ids = re.findall(r'from="work (\S+)"', ask.prompt)
        return answer(f"Nets read papers [{'; '.join(ids)}]." if ids else f"See [{EARLY}], [3].")
    if turns(ask) == 0:
        queries = ("Pears of the Paper Tree", "SECRET nets later", "nets read papers", SECOND)
        return calls(*(("search", {"query": query}) for query in queries))
    if turns(ask) == 1:
        names = ("pear", "later", "same-day", "same-year", "undated", "early")
        return calls(*(("read", {"paper_id": name}) for name in names))
    ids = sorted(set(re.findall(r"paper_id: (\S+)", "\n".join(results(ask)))))
    return answer(f"Nets read papers [{', '.join(ids)}], as [an invented title] says.")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_open_round(tmp_path_factory.mktemp("open"))


@pytest.fixture(scope="module")
def finished(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Finished]:
    logs = tmp_path_factory.mktemp("logs")
    with scripted(contestant) as server:
        for method in ("agent", "rag", "direct"):
            viva_here(
                *("run", "related_work", "--round", folder, "--logs", logs, "-T", "track=open"),
                *("--method", method, "--model", "openai-api/scripted/open-track"),
                env=server.environment,
            )
        shown = only_json(viva_here("board", "show", logs, "--all", "--json").stdout)["rows"]
        rows: dict[str, dict[str, Any]] = {}
        for row in shown:
            values = rows.setdefault(row["method"].partition("(")[0], {"setting": row["setting"]})
            values[row["metric"]] = row["value"]
        yield Finished(server, rows)


def test_the_target_and_later_papers_do_not_reach_a_contestant(finished: Finished) -> None:
    assert finished.server.failures == []
    sent = json.dumps([ask.body for ask in finished.server.asks])
    assert "SECRET nets of" not in sent
    assert "SECRET nets that" not in sent
    assert "pearearlier0" not in sent  # the gold
    assert "pearmiddle0" not in sent  # the paper's own text
    assert "There is no paper 'pear'" in sent
    for name in ("later", "same-day", "same-year", "undated"):
        assert f"There is no paper '{name}'" in sent
        assert f"paper_id: {name}" not in sent
    assert "There is no paper 'early'" not in sent


def test_metrics_counted_by_hand(finished: Finished) -> None:
    assert {row["setting"] for row in finished.rows.values()} == {"open"}
    agent, rag, direct = (finished.rows[name] for name in ("agent", "rag", "direct"))
    # The library has early, 2nd, other, first, second and third, cited 3, 1, 2, 0, 0 and 0 times
    # before 2024-05-10. The gold cites the first two, and a work outside the library.
    assert rag["reference_recall"] == 1.0
    assert rag["reference_precision"] == 2 / 6
    assert rag["importance"] == 0.5 / 2
    # The agent finds the same papers, and cites an invented title too.
    assert agent["reference_recall"] == 1.0
    assert agent["reference_precision"] == 2 / 7
    # It cites `early` by title, and a number without meaning.
    assert direct["reference_recall"] == 0.5
    assert direct["reference_precision"] == 0.5
    assert direct["importance"] == 1.5 / 2
    assert rag["rougeL"] is not None


def metadata(folder: Path) -> dict[str, Any]:
    [sample] = create_task("related_work", {"round": str(folder), "track": "open"}).dataset
    return dict(sample.metadata or {})


@pytest.mark.parametrize(
    ("text", "numbers", "added"),
    [
        ("Nets [early].", "Nets [{e}].", []),
        (f"Nets [{EARLY.lower()}] and [{SECOND}].", "Nets [{e}] and [{s}].", []),
        (f"Nets [{OUTSIDE}].", "Nets [{o}].", []),
        ("Nets [early, other; 2nd].", "Nets [{e}, 4, {s}].", [OTHER]),
        ("Nets [early; early].", "Nets [{e}].", []),
        # Numbers, invented works and later papers are not in the library.
        ("Nets [1], [early].", "Nets [4], [{e}].", []),
        ("Nets [other], [1].", "Nets [4], [5].", [OTHER]),
        ("Nets [an invented work], [later, early].", "Nets [4], [5, {e}].", []),
        ("Nets [SECRET nets that came later].", "Nets [4].", []),
        ("Pears [Pears of the Paper Tree].", "Pears [4].", []),
        ("Nets [sic] read [...] on.", "Nets [sic] read [...] on.", []),
    ],
)
def test_citations_become_numbers(folder: Path, text: str, numbers: str, added: list[str]) -> None:
    found = read_citations(text, metadata(folder))
    places = {title: place for place, title in enumerate(found["works"], 1)}
    shown = numbers.format(e=places[EARLY], s=places[SECOND], o=places[OUTSIDE])
    assert found["read_as"] == shown
    assert {places[EARLY], places[SECOND], places[OUTSIDE]} == {1, 2, 3}
    assert found["works"][3:] == added
    assert len(found["citations"]) == len(found["works"])


def test_a_round_may_choose_its_headline_metric(tmp_path: Path) -> None:
    folder = build_open_round(tmp_path, SPEC + 'headline = "reference_recall"\n')
    logs = tmp_path / "logs"
    viva_here("run", "related_work", "abstract", "--round", folder, "--logs", logs, *COPIES)
    board = only_json(viva_here("board", "show", logs, "--all", "--json").stdout)
    assert board["headlines"] == {"related_work": "reference_recall", "abstract": "rougeL"}
    rows = board["rows"]
    ranked = {row["metric"] for row in rows if row["task"] == "related_work" and row["rank"]}
    assert ranked == {"reference_recall", "rougeL", "rouge1", "rouge2"}


def test_an_unknown_headline_metric_is_refused(folder: Path, tmp_path: Path) -> None:
    path, corpus = tmp_path / "spec.toml", folder.parent.parent / "c"
    path.write_text(SPEC + 'headline = "rouge"\n')
    done = viva_here("round", "build", path, "--corpus", corpus, "--out", tmp_path, expect=2)
    assert "'rouge'" in done.stderr
    assert "rougeL" in done.stderr


def test_a_round_without_the_track_has_no_items_for_it(tmp_path: Path) -> None:
    folder = build_open_round(tmp_path, SPEC.replace(', "open"]', "]"))
    assert "writing/library.parquet" not in load_round(folder).manifest["files"]
    with pytest.raises(NoItemsError, match="built without it"):
        create_task("related_work", {"round": str(folder), "track": "open"})


def test_an_agent_is_not_started_without_a_library(folder: Path, tmp_path: Path) -> None:
    with scripted() as server:
        done = viva_here(
            *("run", "related_work", "--round", folder, "--logs", tmp_path),
            *("--method", "agent", "--model", "openai-api/scripted/open-track"),
            env=server.environment,
            expect=2,
        )
    assert "needs papers to search" in done.stderr
    assert server.asks == []


def test_claims_are_judged_by_the_abstracts_of_their_works(folder: Path, tmp_path: Path) -> None:
    """Abstracts name their papers, and the scripted judge decides by these names."""

    def judge(ask: Ask) -> Reply:
        works = dict(re.findall(r"^\[(\d+)\] .*\nNets read papers in (\w+)", ask.prompt, re.M))
        listed = re.search(r"<sentences-(\w+)>\n(.*?)\n</sentences", ask.prompt, re.DOTALL)
        labels: dict[str, object] = {}
        for line in listed[2].splitlines() if listed else ():
            number, _, sentence = line.partition(". ")
            support = [int(work) for work, name in works.items() if f"in {name}" in sentence]
            labels[number] = {"label": "supported" if support else "absent", "works": support}
        return answer(json.dumps(labels or {"1": 2, "2": 1}))

    text = (
        "Nets read papers in early [early]. Nets read papers in other [2nd]. So say [owls fly by]."
    )
    path = tmp_path / "answers.jsonl"
    path.write_text(json.dumps({"id": "pear", "text": text}))
    with scripted(judge) as server:
        viva_here(
            *("run", "related_work", "--round", folder, "--logs", tmp_path / "logs"),
            *("-T", "track=open", "-T", "questions=claims+relevance", "--model", f"replay/{path}"),
            *("--judge", "openai-api/scripted/judge"),
            env=server.environment,
        )
    shown = only_json(viva_here("board", "show", tmp_path / "logs", "--all", "--json").stdout)
    values = {row["metric"]: row["value"] for row in shown["rows"]}
    # Only the first of three claims is supported by its work; the third cites an invented work.
    for metric in ("support", "claim_coverage", "citation_precision"):
        assert values[metric] == pytest.approx(1 / 3), metric
    assert (values["contradicted"], values["relevance"]) == (0.0, (2 + 1) / 6)
