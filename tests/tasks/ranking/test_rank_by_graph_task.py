"""`rank_by_graph` inside Inspect: what each method answers, and how answers are scored."""

import math
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import eval, task_with
from inspect_ai.log import EvalLog
from inspect_ai.scorer import Score
from inspect_ai.solver import Solver
from tests.tasks.samples import score_of, values_of

from vivavoce.corpus import ingest, load_corpus
from vivavoce.networks import build_networks
from vivavoce.rounds import Round, load_round
from vivavoce.tasks import build_round, list_families
from vivavoce.tasks.engine import make_scorer
from vivavoce.tasks.lookup import find_task_maker
from vivavoce.tasks.ranking import solvers
from vivavoce.tasks.ranking.graph_ranking import PaperGraph, RankOptions, rank_papers

GRAPH = "rank_by_graph"
rank_by_graph, rank_by_prompt = find_task_maker(GRAPH), find_task_maker("rank_by_prompt")
CARD = list_families()["ranking"].tasks[GRAPH]


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Round]:
    """A round of the sample corpus; logs go beside it."""
    folder = tmp_path_factory.mktemp("sample")
    ingest("sample", Path("60"), folder / "c")
    build_networks(load_corpus(folder / "c"))
    window = {"start": "2023-07-01", "end": "2025-01-01"}
    spec = {"round": {"id": "r", "window": window, "families": ["ranking"], "seed": 3}}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("INSPECT_LOG_DIR", str(folder / "logs"))
        yield load_round(build_round(folder / "c", spec, folder).folder)


def run(
    opened: Round, methods: Mapping[str, Solver], task: Any = rank_by_graph, **arguments: Any
) -> dict[str, EvalLog]:
    """The log of each method."""
    made = [
        task_with(task(str(opened.folder), **arguments), solver=method)
        for method in methods.values()
    ]
    found = eval(made, model="none/none", display="none", log_dir=os.environ["INSPECT_LOG_DIR"])
    assert [log.status for log in found] == ["success"] * len(made)
    return dict(zip(methods, found, strict=True))


def answers(log: EvalLog) -> dict[str, list[str]]:
    return {str(s.id): s.output.completion.splitlines() for s in log.samples or []}


def graph_of(opened: Round) -> PaperGraph:
    content = (opened.read_file("ranking", f"{name}.parquet") for name in ("papers", "edges"))
    return PaperGraph(*content)


def said(text: str, gold: str) -> Score:
    return score_of(make_scorer("ranking", "paper_order")(), text, gold)


def test_a_sample_asks_in_words_and_its_target_is_the_gold_order(opened: Round) -> None:
    made = rank_by_graph(str(opened.folder))
    assert len(made.dataset) >= 4
    rows = {row["id"]: row for row in opened.items("ranking", GRAPH)}
    for sample in made.dataset:
        row = rows[str(sample.id)]
        assert sample.target == "\n".join(row["papers"])
        asked = (str(sample.input), (sample.metadata or {})["question"])
        assert all(row[name] in text for name in ("task", "dataset", "metric") for text in asked)
        # A prompt lists what a search found; the question names no paper at all.
        assert not any(title in asked[1] for title in row["titles"])
        missed = set(row["papers"]) - set((sample.metadata or {})["candidates"])
        assert not any(paper in asked[0] for paper in missed)


def test_every_method_ranks_the_candidates_and_nothing_else(opened: Round) -> None:
    without = [name for name in CARD.methods if name in list_families()["ranking"].without_model]
    offered = {name: getattr(solvers, name)() for name in without}
    logs = run(opened, offered)
    graph = graph_of(opened)
    for row in opened.items("ranking", GRAPH):
        wanted = sorted(graph.ids[place] for place in row["candidates_abstracts"])
        for name, log in logs.items():
            assert sorted(answers(log)[row["id"]]) == wanted, name
    for name in ("pagerank", "recency", "in_degree", "bm25"):
        row = opened.items("ranking", GRAPH)[0]
        assert answers(logs[name])[row["id"]] == rank_papers(graph, row, ranker=name)


def test_options_of_pagerank_reach_it(opened: Round) -> None:
    changed = {"direction": "citing", "damping": 0.5, "weights": False}
    [log] = run(opened, {"pagerank": solvers.pagerank(**changed)}, setting="comparison").values()  # type: ignore[arg-type]
    graph = graph_of(opened)
    options = RankOptions(**changed)  # type: ignore[arg-type]
    for row in opened.items("ranking", GRAPH):
        expected = rank_papers(graph, row, setting="comparison", options=options)
        assert answers(log)[row["id"]] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("specter:/weights/specter", ("specter", "/weights/specter")),
        ("/weights/other:2", ("/weights/other:2", None)),
        ("specter:", ("specter:", None)),
    ],
)
def test_an_encoder_may_name_a_folder(text: str, expected: tuple[str, str | None]) -> None:
    assert solvers.encoder_of(text) == expected


def test_baselines_rank_listed_titles_too(opened: Round) -> None:
    names = ("recency", "pagerank", "in_degree", "bm25")
    methods = {name: getattr(solvers, name)() for name in names}
    logs = run(opened, {**methods, "in_order": solvers.in_order()}, rank_by_prompt)
    for sample in logs["in_order"].samples or []:
        assert answers(logs["in_order"])[sample.id] == sample.metadata["titles"]
    graph = graph_of(opened)
    for row in opened.items("ranking", "rank_by_prompt"):
        given = {name: answers(log)[row["id"]] for name, log in logs.items()}
        assert all(sorted(titles) == sorted(row["titles"]) for titles in given.values())
        dates = dict(zip(row["titles"], row["dates"], strict=True))
        newest = [dates[title] for title in given["recency"]]
        assert newest == sorted(newest, reverse=True)
        degrees = dict(zip(graph.titles, graph.in_degrees("citation"), strict=True))
        cited = [degrees[title] for title in given["in_degree"]]
        assert cited == sorted(cited, reverse=True)


def test_an_answer_is_scored_by_the_papers_it_finds() -> None:
    # c, a of a, b, c: one of 3 pairs, turned round.
    found = values_of(said("x\nc\na", "a\nb\nc"))
    assert (found["ktau_all"], found["ktau"]) == (-1 / 3, -1.0)
    assert (found["candidate_recall"], found["valid"]) == (2 / 3, 1.0)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("x\ny", None),
        ("", "empty"),
        ("I would say that paper a is the best.", "malformed"),
        ("{}", "malformed"),
        ("--- 12.5 ---", "malformed"),
        ("<papers>\nfirst this one\nthen that one\n</papers>", "malformed"),
    ],
)
def test_finding_nothing_is_worth_nothing_and_prose_is_no_list(text: str, fault: str) -> None:
    score = said(text, "a\nb\nc")
    found = values_of(score)
    assert (score.metadata or {})["fault"] == fault
    assert (found["ktau_all"], found["candidate_recall"]) == (0.0, 0.0)
    assert math.isnan(found["ktau"])
    assert found["valid"] == float(fault is None)
