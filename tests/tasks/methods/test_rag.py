"""The method of retrieval inside Inspect: what is sent is what the sample's own query finds."""

import shutil
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task, eval
from inspect_ai.dataset import MemoryDataset
from inspect_ai.log import EvalLog, EvalSample
from tests.tasks.samples import only, samples_of
from tests.tasks.writing.hand_round import hand_round, item, paper

import vivavoce.models.offline  # noqa: F401  (registers the provider)
from vivavoce.retrieval.sparse import Bm25Retriever, TfidfRetriever
from vivavoce.rounds import Round
from vivavoce.tasks.family import open_prompts
from vivavoce.tasks.methods.rag import cut_pool, rag
from vivavoce.tasks.prompting.windows import EstimatedCounter

SMALL = {"size": 60, "overlap": 8}


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Round:
    return hand_round(tmp_path_factory.mktemp("rag"))


def evaluate(
    opened: Round,
    folder: Path,
    task: str = "abstract",
    setting: str = "base",
    prompts: Path | None = None,
    **arguments: Any,
) -> EvalLog:
    """Run a task with the method on the round."""
    given = {"setting": setting, "prompts": prompts and str(prompts)}
    samples = samples_of(task, opened, max_tokens=100, **given)
    for sample in samples:
        sample.metadata = {**(sample.metadata or {}), "words": 30}
    made = Task(dataset=MemoryDataset(samples), solver=rag(**{**SMALL, **arguments}))
    [log] = eval(made, model="extractive/lead", display="none", log_dir=str(folder))
    return log


def spot(sample: EvalSample) -> list[tuple[int, int]]:
    return [(hit["start"], hit["end"]) for hit in sample.metadata["retrieved"]]


@pytest.mark.parametrize(
    ("task", "name", "kind", "slots"),
    [
        ("title", "bm25", Bm25Retriever, ("abstract",)),
        ("abstract", "tfidf", TfidfRetriever, ("title",)),
        ("related_work", "bm25", Bm25Retriever, ("title", "abstract")),
    ],
)
def test_what_is_sent_is_what_the_retriever_finds_for_the_query(
    opened: Round, tmp_path: Path, task: str, name: str, kind: type, slots: tuple[str, ...]
) -> None:
    sample = only(evaluate(opened, tmp_path, task, "random", retriever=name, chunks=5))
    assert isinstance(sample.input, str)
    pool = [(label, (start, end)) for label, start, end in sample.metadata["pool"]]
    excerpts = cut_pool(sample.input, pool, 60, 8, EstimatedCounter())
    short = {slot: getattr(paper("pear"), slot) for slot in slots}
    query = open_prompts("writing", None).render(f"rag.query.{task}", short, {}).text
    hits = kind([one.text for one in excerpts]).search(query, 5)
    expected = {(excerpts[hit.index].start, excerpts[hit.index].end) for hit in hits}
    assert set(spot(sample)) == expected
    assert spot(sample) == sorted(expected)
    ranks = {spot(sample)[n]: hit["rank"] for n, hit in enumerate(sample.metadata["retrieved"])}
    for rank, hit in enumerate(hits, 1):
        assert ranks[excerpts[hit.index].start, excerpts[hit.index].end] == rank
    assert sample.metadata["retrieval"]["pool"] == len(excerpts) > 5

    sent = sample.messages[0].text
    places = []
    for found in sample.metadata["retrieved"]:
        text = sample.input[found["start"] : found["end"]]
        assert EstimatedCounter().count(text) <= 60
        headed = f'<excerpt from="{found["source"]}">\n{text}\n</excerpt>'
        assert sent.count(headed) == 1
        places.append(sent.index(headed))
    assert places == sorted(places)
    assert sent.count("<excerpt from=") == 5
    for text in short.values():
        assert text in sent


@pytest.mark.parametrize("task", ["title", "abstract", "related_work"])
def test_the_answer_is_in_no_text_of_the_excerpts(opened: Round, tmp_path: Path, task: str) -> None:
    sample = only(evaluate(opened, tmp_path, task, "mixed", chunks=1000))
    sent = sample.messages[0].text
    gold = set(sample.target.split()) - {"The", "title", "water."}
    assert gold
    assert not gold - {"pear"} & set(sent.split())
    labels = {hit["source"] for hit in sample.metadata["retrieved"]}
    part = {"related_work": "related-work section"}.get(task, task)
    expected = {"this paper"}
    for number in (1, 2, 3):
        other = f"another paper (example {number})"
        expected |= {other, f"the {part} of {other}"}
    if task == "related_work":
        expected |= {"work 1", "work 2", "work 3"}
    assert labels == expected
    # An example's answer is never shown without its label.
    for hit in sample.metadata["retrieved"]:
        if hit["source"].startswith("the "):
            text = sample.input[hit["start"] : hit["end"]]
            assert f'<excerpt from="{hit["source"]}">\n{text}\n' in sent


def test_another_query_sends_other_excerpts(opened: Round, tmp_path: Path) -> None:
    best = []
    for words in ("pear-method-3", "pear-conclusion-50"):
        folder = tmp_path / words
        shutil.copytree(open_prompts("writing", None).folder, folder)
        (folder / "rag.query.abstract.md.j2").write_text(f"Look for {words}. {{{{ title }}}}")
        sample = only(evaluate(opened, tmp_path, prompts=folder, chunks=2))
        [hit] = [hit for hit in sample.metadata["retrieved"] if hit["rank"] == 1]
        best.append(str(sample.input)[hit["start"] : hit["end"]])
    # The base input of an abstract lacks the conclusion: only the first can be found.
    assert "pear-method-3" in best[0]
    assert best[0] != best[1]


def test_the_worst_excerpts_go_when_the_window_is_narrow(opened: Round, tmp_path: Path) -> None:
    whole = only(evaluate(opened, tmp_path / "1", chunks=8))
    assert whole.metadata["fit"]["dropped"] == 0
    assert all(hit["shown"] for hit in whole.metadata["retrieved"])
    window = whole.metadata["fit"]["tokens"]  # of which 100 are kept for the answer
    narrow = only(evaluate(opened, tmp_path / "2", chunks=8, context=window))
    fit = narrow.metadata["fit"]
    assert fit["tokens"] <= window - 100
    assert fit["dropped"] >= 1
    shown = {hit["rank"]: hit["shown"] for hit in narrow.metadata["retrieved"]}
    left = 8 - fit["dropped"]
    assert shown == {rank: rank <= left for rank in range(1, 9)}
    assert narrow.messages[0].text.count("<excerpt from=") == left
    # What a reader of the message is told of it are the excerpts alone.
    text = narrow.messages[0].text
    spans = narrow.messages[0].metadata["vivavoce"]["source"]  # type: ignore[index]
    assert len(spans) == left
    assert all("excerpt" not in text[start:end] for start, end in spans)


def test_the_best_excerpt_is_cut_before_nothing_is_sent(opened: Round, tmp_path: Path) -> None:
    alone = only(evaluate(opened, tmp_path / "1", chunks=1)).metadata["fit"]["tokens"]
    # 3 tokens too few for the best excerpt alone, and 100 for the answer.
    sample = only(evaluate(opened, tmp_path / "2", chunks=3, context=alone - 3 + 100))
    assert sample.metadata["fit"]["dropped"] == 2
    assert sample.metadata["fit"]["tokens"] <= alone - 3
    assert [cut["slot"] for cut in sample.metadata["fit"]["cuts"]][-1] == "excerpt_1"
    assert '<excerpt from="this paper">' in sample.messages[0].text
    assert "</excerpt>" in sample.messages[0].text


def test_a_setting_without_texts_is_refused(opened: Round, tmp_path: Path) -> None:
    log = evaluate(opened, tmp_path, setting="title_only")
    assert log.status == "error"
    assert log.error is not None
    assert "no text to take excerpts from" in log.error.message


def test_a_paper_of_few_words_has_fewer_excerpts_than_asked_for(tmp_path: Path) -> None:
    short = paper("kiwi", words=3)
    rows = {"abstract": [item("abstract", short, demos_random=[], demos_coauthor=[])]}
    sample = only(evaluate(hand_round(tmp_path, [short], rows), tmp_path / "logs"))
    assert 1 <= len(sample.metadata["retrieved"]) < 12
