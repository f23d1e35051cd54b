"""Every method on tables of real surveys and of real lists of results, by a reader without a model.

The reader is a server. It answers from the prompt alone, fails where a slot did not arrive, and
never meets the gold: it chooses papers that share a word with the demand, and says of each what a
few patterns find in what it was shown.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import eval
from inspect_ai.log import EvalLog
from inspect_ai.solver import Solver
from tests.servers.scripted import KEY, Ask, Reply, answer, scripted, slot
from tests.tasks.tables.methods.method_runs import needs, record_of, sample, table_of
from tests.tasks.tables.methods.method_runs import work as work_one

import vivavoce._registry  # noqa: F401  (registers the providers)
from vivavoce.corpus import ingest, load_corpus
from vivavoce.rounds import Round, parse_spec
from vivavoce.rounds.build import build_round
from vivavoce.tasks.library import open_papers
from vivavoce.tasks.methods.direct import null, oracle
from vivavoce.tasks.tables import build as family
from vivavoce.tasks.tables.items.composing import full_text
from vivavoce.tasks.tables.solvers import (
    bm25_phrases,
    iterative,
    one_step,
    per_paper,
    two_stage,
)
from vivavoce.tasks.tables.task import table

WINDOW = 8192
MODELS: dict[str, Callable[..., Solver]] = {
    "one_step": one_step,
    "per_paper": per_paper,
    "two_stage": two_stage,
    "iterative": iterative,
}
_WORD = re.compile(r"[^\W_]{4,}")
_ASKING = frozenset(
    "apart build chart choose compare decide differ each earlier efforts far follow from gaps give "
    "have helps into just let like lines literature mean need newcomer order overview papers part "
    "please prepare project publications reading relevant research review see share shows side "
    "spot still table tell that them they things trends understand want weighed what where which "
    "with work would".split()
)
FACTS = {
    "Name": re.compile(r"Title: ([\w -]{2,40}):"),
    "Data": re.compile(r"([A-Z][\w-]{2,20}(?: [A-Z][\w-]{2,20})?) (?:dataset|corpus|benchmark)"),
    "Score": re.compile(r"(?:accuracy|F1|BLEU|perplexity) of (\d{1,3}\.\d{1,2})"),
}


def round_of(corpus: Path, name: str, **options: Any) -> Round:
    values = {
        "id": name,
        "window": {"start": "1990-01-01", "end": "2030-01-01"},
        "families": ["tables"],
        "seed": 0,
    }
    spec = parse_spec({"round": values, "tables": options}, {"tables": family.OPTIONS})
    families: dict[str, Any] = {"tables": family}
    return build_round(load_corpus(corpus), spec, families, corpus.parent / "rounds")


def words_of(text: str) -> set[str]:
    return set(map(str.casefold, _WORD.findall(text))) - _ASKING


def facts_of(text: str) -> dict[str, str]:
    found = {name: pattern.search(text) for name, pattern in FACTS.items()}
    return {name: match[1] for name, match in found.items() if match}


@dataclass
class Reader:
    """Answers what a method asks, and counts what it was asked."""

    shown: Mapping[str, set[int]]
    """How many papers stand in the pools, by demand."""
    texts: Mapping[str, str]
    """How the text of each paper begins that has one, by its title."""
    window: int | None = None
    """Tokens that a prompt and its answer may take."""

    def __post_init__(self) -> None:
        self.kinds: Counter[str] = Counter()
        self.full_texts = 0

    def __call__(self, ask: Ask) -> Reply:
        prompt = ask.prompt
        assert "{{" not in prompt
        assert "None" not in re.findall(r"(?:Title|Abstract|Digest): (.*)", prompt)
        demand = slot(prompt, "demand")
        assert demand in self.shown, f"not a demand of the round: {demand[:80]}"
        papers = self._papers(prompt)
        kind = self._kind(prompt)
        self.kinds[kind] += 1
        if kind in ("one_step", "outline"):
            assert len(papers) in self.shown[demand], "papers of the pool are missing"
        if kind in ("per_paper", "row", "digest", "check"):
            assert len(papers) == 1
        if kind in ("one_step", "per_paper", "row", "digest"):
            self._check_texts(papers)
        if self.window is not None:
            assert needs(ask) <= self.window, f"{kind} does not fit"
        value = getattr(self, f"_{kind}")(demand, papers, prompt)
        return answer(json.dumps(value))

    def _papers(self, prompt: str) -> dict[str, str]:
        found = re.findall(r'<paper-\w+ label="(P\d+)">\n(.*?)\n</paper-', prompt, re.DOTALL)
        assert len(dict(found)) == len(found) > 0
        assert all(re.match(r"Title: \S", text) for _, text in found), "a title did not arrive"
        return dict(found)

    def _kind(self, prompt: str) -> str:
        tags = set(
            re.findall(r"^<(papers|columns|digests|table|row)-\w{12}>$", prompt, re.MULTILINE)
        )
        if "papers" in tags:
            return "one_step" if '"rows": [' in prompt else "outline"
        if "digests" in tags:
            assert "table" in tags
            return "batch"
        if "columns" in tags:
            return "row"
        if "row" in tags:
            return "check"
        return "digest" if '{"digest"' in prompt else "per_paper"

    def _check_texts(self, papers: Mapping[str, str]) -> None:
        """Where a paper has a text, some of it stands in the prompt."""
        for text in papers.values():
            title = text.split("\n")[0].removeprefix("Title: ")
            if stretch := self.texts.get(title):
                assert "\nText:\n" in text, f"no text of {title}"
                self.full_texts += stretch in text

    def _belongs(self, demand: str, text: str) -> bool:
        return bool(words_of(demand) & words_of(text.split("\nText:")[0]))

    def _one_step(self, demand: str, papers: Mapping[str, str], prompt: str) -> Any:
        rows = {label: facts_of(t) for label, t in papers.items() if self._belongs(demand, t)}
        return {
            "papers": list(rows),
            "columns": list(FACTS),
            "rows": [{"paper": label, "cells": cells} for label, cells in rows.items()],
        }

    def _per_paper(self, demand: str, papers: Mapping[str, str], prompt: str) -> Any:
        (text,) = papers.values()
        if not self._belongs(demand, text):
            return {"include": False}
        return {"include": True, "cells": facts_of(text)}

    def _outline(self, demand: str, papers: Mapping[str, str], prompt: str) -> Any:
        assert "\nText:\n" not in prompt
        chosen = [label for label, text in papers.items() if self._belongs(demand, text)]
        return {"papers": chosen, "columns": list(FACTS)}

    def _row(self, demand: str, papers: Mapping[str, str], prompt: str) -> Any:
        listed = slot(prompt, "columns").splitlines()
        assert listed == [f"- {name}" for name in FACTS]
        (text,) = papers.values()
        return {"cells": facts_of(text)}

    def _digest(self, demand: str, papers: Mapping[str, str], prompt: str) -> Any:
        (text,) = papers.values()
        facts = facts_of(text)
        told = [f"The {name} corpus is used." for column, name in facts.items() if column == "Data"]
        told += [f"It has an F1 of {facts['Score']}."] if "Score" in facts else []
        return {"digest": " ".join([f"On {text.split(chr(10))[0]}.", *told])}

    def _batch(self, demand: str, papers: Mapping[str, str], prompt: str) -> Any:
        assert slot(prompt, "table").startswith("| Paper")
        assert len(papers) <= 4
        assert all("\nDigest: " in text for text in papers.values())
        chosen = [label for label, text in papers.items() if self._belongs(demand, text)]
        return {
            "exclude": [label for label in papers if label not in chosen],
            "rows": {label: facts_of(papers[label]) for label in chosen},
        }

    def _check(self, demand: str, papers: Mapping[str, str], prompt: str) -> Any:
        (text,) = papers.values()
        row = json.loads(slot(prompt, "row"))
        return {"unsupported": [name for name, value in row.items() if value not in text]}


def reader_of(made: Round, window: int | None = None) -> Reader:
    papers = open_papers(str(made.folder), "tables", "papers.parquet")
    shown: dict[str, set[int]] = {}
    for row in made.items("tables", "table"):
        shown.setdefault(row["demand"], set()).add(len(row["pool"]))
    texts = {
        " ".join(one.title[:300].split()): text.strip()[:80]
        for one in papers.values()
        if (text := full_text(one)).strip()
    }
    return Reader(shown, texts, window)


def work(
    folder: Path, made: Round, solver: Solver, model: str | None, reader: Reader | None, **more: Any
) -> EvalLog:
    """A run over the tables of a round; every prompt was as the reader wants it."""
    with pytest.MonkeyPatch.context() as patch, scripted(reader or refuse) as server:
        patch.setenv("SCRIPTED_BASE_URL", server.url)
        patch.setenv("SCRIPTED_API_KEY", KEY)
        [log] = eval(
            table(str(made.folder)),
            model=f"openai-api/scripted/{model}" if model else "none",
            solver=solver,
            log_dir=str(folder / "logs"),
            display="none",
            **more,
        )
    assert log.status == "success", log.error
    assert server.failures == []
    for ask in server.asks:
        for found in log.samples or []:
            assert str(found.target) not in ask.prompt
    return log


def refuse(ask: Ask) -> Reply:
    raise AssertionError("a model was asked")


def values_of(log: EvalLog) -> list[dict[str, Any]]:
    assert log.samples is not None
    found = []
    for one in log.samples:
        assert one.scores is not None
        [score] = one.scores.values()
        assert isinstance(score.value, dict)
        found.append(score.value)
    return found


@pytest.fixture(scope="module")
def surveys(data_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Round:
    """The tables of surveys, whose works are known by their titles."""
    folder = tmp_path_factory.mktemp("surveys")
    ingest("survey", data_dir / "tables" / "human_surveys", folder / "corpus")
    return round_of(folder / "corpus", "surveys", undated=True)


@pytest.fixture(scope="module")
def results(
    data_dir: Path,
    read_tei: Callable[[Path], Path],
    tmp_path_factory: pytest.TempPathFactory,
) -> Round:
    """Lists of results on papers in full text."""
    corpus = read_tei(tmp_path_factory.mktemp("results") / "corpus")
    ingest("tdms", data_dir / "leaderboards" / "tdms_results.jsonl", corpus)
    return round_of(corpus, "results")


def test_every_real_table_that_passes_the_filters_is_an_item(
    surveys: Round, results: Round
) -> None:
    cited, scored = (made.items("tables", "table") for made in (surveys, results))
    assert {row["kind"] for row in cited} == {"cited"}
    assert {row["kind"] for row in scored} == {"results"}
    assert len(cited) >= 25
    assert len(scored) >= 11
    assert all(len(row["gold_papers"]) >= 3 for row in scored)
    assert {evidence for row in scored for evidence in row["evidence"]} == {"fulltext"}


def test_the_gold_is_the_maximum_and_nothing_the_minimum(surveys: Round, tmp_path: Path) -> None:
    for solver, value in ((oracle(), 1.0), (null(), 0.0)):
        found = values_of(work(tmp_path, surveys, solver, None, None, limit=2))
        assert {one["avg"] for one in found} == {value}


def test_one_prompt_holds_the_whole_pool(surveys: Round, tmp_path: Path) -> None:
    reader = reader_of(surveys)
    found = values_of(work(tmp_path, surveys, one_step(), "real-one", reader, limit=8))
    assert reader.kinds == {"one_step": 8}
    assert all(one["success"] == 1.0 for one in found)
    assert sum(one["paper_f1"] for one in found) / len(found) > 0.4


@pytest.mark.parametrize("method", ["per_paper", "two_stage", "iterative"])
def test_methods_of_several_prompts_make_a_table_of_titles(
    surveys: Round, tmp_path: Path, method: str
) -> None:
    reader = reader_of(surveys)
    log = work(tmp_path, surveys, MODELS[method](), f"real-titles-{method}", reader, limit=2)
    assert all(one["success"] == 1.0 and one["paper_f1"] > 0 for one in values_of(log))
    for one in log.samples or []:
        record = one.metadata["table_run"]
        assert (record["malformed"], record["skipped"], record["faults"]) == (0, 0, [])
        pool = len(one.metadata["pool"])
        least = {"per_paper": pool, "two_stage": 2, "iterative": -(-pool // 4)}[method]
        assert record["calls"] >= least


@pytest.mark.parametrize("method", sorted(MODELS))
def test_methods_make_a_table_of_full_texts(results: Round, tmp_path: Path, method: str) -> None:
    reader = reader_of(results)
    log = work(tmp_path, results, MODELS[method](), f"real-texts-{method}", reader, limit=1)
    assert all(one["success"] == 1.0 for one in values_of(log))
    assert reader.full_texts > 0
    assert all(one.metadata["table_run"]["skipped"] == 0 for one in log.samples or [])


def test_32_real_papers_make_a_table_with_a_window_of_8k(
    results: Round, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    papers = list(open_papers(str(results.folder), "tables", "papers.parquet").values())[:32]
    demand = "Give me an overview of language models that helps to decide which to build upon."
    pool = [
        {"label": f"P{n}", "title": one.title, "abstract": one.abstract, "text": full_text(one)}
        for n, one in enumerate(papers, 1)
    ]
    assert len(pool) == 32
    assert sum(len(one["text"] or "") for one in pool) > 32 * 3 * WINDOW
    reader = Reader({demand: {32}}, {}, WINDOW)
    given = sample(pool, demand=demand)
    server, log = work_one(
        tmp_path, monkeypatch, reader, iterative(context=WINDOW), given, "real-small"
    )
    made = table_of(log)
    assert len(made["papers"]) > 1
    assert "Data" in made["columns"]
    record = record_of(log)
    assert (record["malformed"], record["skipped"], record["overflows"]) == (0, 0, 0)
    assert reader.kinds["digest"] == 32
    assert len(server.asks) == record["calls"]


def test_the_baseline_beats_chance(surveys: Round, results: Round, tmp_path: Path) -> None:
    """A draw of as many papers as the baseline takes has the precision of the whole pool."""
    for made in (surveys, results):
        log = work(tmp_path, made, bm25_phrases(), None, None, limit=5)
        found = values_of(log)
        assert log.samples is not None
        assert all(one["success"] == 1.0 for one in found)
        gold = [len(json.loads(str(one.target))["papers"]) for one in log.samples]
        pool = [len(one.metadata["pool"]) for one in log.samples]
        chance = sum(g / p for g, p in zip(gold, pool, strict=True)) / len(found)
        assert sum(one["paper_p"] for one in found) / len(found) > chance + 0.05
