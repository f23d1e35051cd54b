"""The method of one step, with all papers in one prompt, and the one by rule."""

import json
import random
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.servers.evaluations import one
from tests.servers.scripted import FAULTS, Ask, Reply, answer, slot
from tests.tasks.tables.methods.method_runs import (
    Work,
    calm_record,
    demanded,
    facts_of,
    gold_of,
    needs,
    papers_in,
    pool_of,
    record_of,
    room_of,
    sample,
    table_of,
)

from vivavoce.metrics.tables.literature_tables import LiteratureTable, TableRow
from vivavoce.tasks.tables.item import PoolText
from vivavoce.tasks.tables.solvers import MAX_COLUMNS, make_table, one_step

WINDOW = 8192


def reader(ask: Ask) -> Reply:
    """Every paper with facts in its text is a row."""
    shown = papers_in(slot(demanded(ask), "papers"))
    rows = [{"paper": name, "cells": facts_of(text)} for name, text in shown.items()]
    kept = [row for row in rows if row["cells"]]
    return answer(json.dumps({"papers": [r["paper"] for r in kept], "columns": [], "rows": kept}))


def small(ask: Ask) -> Reply:
    """A model whose window is small."""
    return reader(ask) if needs(ask) <= WINDOW else FAULTS["overflow"]


def test_a_model_sees_every_paper_in_full(work: Work) -> None:
    pool = pool_of(6, filler=50)
    server, log = work(reader, one_step(), sample(pool))
    assert table_of(log)["rows"] == gold_of(6)
    (ask,) = server.asks
    for paper in pool:
        for part in ("title", "abstract", "text"):
            assert paper[part] in ask.prompt
        assert not re.search(rf"{paper['paper_id']}\b", ask.prompt)
    # what is the same for all samples comes first
    places = [ask.prompt.index(mark) for mark in ('{"papers"', "<demand-", "<papers-")]
    assert places == sorted(places)
    assert record_of(log) == calm_record(1)


def test_too_many_papers_are_an_overflow(work: Work) -> None:
    given = sample(pool_of(32, filler=300))
    server, log = work(small, one_step(), given)
    assert one(log).output.stop_reason == "model_length"
    assert len(server.asks) == 1  # the same prompt would be as long again
    assert (record_of(log)["overflows"], record_of(log)["malformed"]) == (1, 0)


def test_texts_are_cut_in_proportion_when_asked_for(work: Work) -> None:
    pool = pool_of(8, filler=300)
    pool[0]["text"] *= 2
    server, log = work(small, one_step(fit=True, context=WINDOW), sample(pool))
    assert table_of(log)["rows"] == gold_of(8)
    (ask,) = server.asks
    assert needs(ask) <= WINDOW
    assert room_of(ask) == 1000
    shown = papers_in(slot(ask.prompt, "papers"))
    shares = [len(shown[paper["label"]].split("Text:\n")[1]) / len(paper["text"]) for paper in pool]
    assert max(shares) - min(shares) < 0.01
    assert all(paper["abstract"] in shown[paper["label"]] for paper in pool)
    assert record_of(log)["cut"] == 1


def test_without_a_known_window_nothing_is_cut(work: Work) -> None:
    pool = pool_of(8, filler=300)
    method = one_step(fit=True)
    server, _ = work(reader, method, sample(pool))
    assert all(paper["text"] in server.asks[0].prompt for paper in pool)


def test_what_is_no_table_is_asked_for_once_again(work: Work) -> None:
    def hasty(ask: Ask) -> Reply:
        if "could not be used" not in ask.prompt:
            return answer("Parsers, I think.")
        assert "neither a JSON object with rows nor a table" in ask.prompt
        return reader(ask)

    given = sample(pool_of(4))
    server, log = work(hasty, one_step(), given)
    assert table_of(log)["rows"] == gold_of(4)
    assert (record_of(log)["malformed"], record_of(log)["skipped"]) == (1, 0)
    # all that was sent before is sent again as it was, so that a provider's cache serves it
    assert server.asks[1].prompt.startswith(server.asks[0].prompt)


@pytest.mark.parametrize("fault", ["refusal", "null"])
def test_what_never_is_a_table_stays_what_it_is(work: Work, fault: str) -> None:
    given = sample(pool_of(3))
    server, log = work(lambda _: FAULTS[fault], one_step(), given)
    said = json.loads(FAULTS[fault].body)["choices"][0]["message"]["content"]
    assert one(log).output.completion == (said or "")
    assert len(server.asks) == 2
    assert (record_of(log)["malformed"], record_of(log)["skipped"]) == (2, 1)


POOL = [
    PoolText("P1", "Parsing English treebanks", "A parser.", "Trained on German, too."),
    PoolText("P2", "Jam in winter", "We boil sugar.", "The pot is stirred."),
    PoolText("P3", "Parsing Dutch treebanks", "A fast parser.", "No other language."),
    PoolText("P4", "Parsing Danish treebanks", "A parser.", ""),
    PoolText("P5", "Sugar in jam", "We boil jam.", "The pot is stirred."),
]
DEMAND = "Parsing of treebanks: which language, and how fast is a parser?"


def test_columns_are_words_that_some_have_and_cells_the_phrases_around_them() -> None:
    table = make_table(DEMAND, POOL)
    assert table.papers == ("P1", "P3", "P4")
    assert table.columns == ("Language", "Fast")
    assert table.rows == (
        TableRow("P1", (None, None)),
        TableRow("P3", ("No other language", "A fast parser")),
        TableRow("P4", (None, None)),
    )


def test_a_demand_that_shares_no_word_has_no_column() -> None:
    assert make_table("zymurgy", POOL).columns == ()
    assert make_table(DEMAND, []) == LiteratureTable((), (), ())


def test_the_order_of_the_pool_changes_no_row() -> None:
    first = make_table(DEMAND, POOL)
    for seed in range(4):
        shuffled = POOL[:]
        random.Random(seed).shuffle(shuffled)
        other = make_table(DEMAND, shuffled)
        assert (other.columns, set(other.rows)) == (first.columns, set(first.rows))


@pytest.mark.timeout(60)
def test_noise_without_end_makes_a_table_without_columns() -> None:
    noise = ("a" * 500_000, "a " * 250_000, "fast" * 100_000, "-" * 500_000)
    pool = [PoolText(f"P{n}", "T", "", text) for n, text in enumerate(noise)]
    assert make_table(DEMAND, pool).columns == ()


@settings(deadline=None, max_examples=50)
@given(st.text(max_size=80), st.lists(st.tuples(*[st.text(max_size=60)] * 3), max_size=6))
def test_any_pool_gives_a_table(demand: str, parts: list[tuple[str, str, str]]) -> None:
    pool = [PoolText(f"P{number}", *texts) for number, texts in enumerate(parts)]
    table = make_table(demand, pool)
    assert set(table.papers) <= {paper.label for paper in pool}
    assert bool(table.papers) == bool(pool)
    assert len(table.columns) <= MAX_COLUMNS
    assert all(len(row.cells) == len(table.columns) for row in table.rows)
