"""The method of one paper at a time: rows that know nothing of each other."""

from __future__ import annotations

import json

from tests.servers.scripted import FAULTS, Ask, Reply, answer
from tests.tasks.tables.methods.method_runs import (
    Work,
    demanded,
    facts_of,
    gold_of,
    needs,
    papers_in,
    pool_of,
    record_of,
    sample,
    table_of,
)

from vivavoce.tasks.tables.solvers import per_paper

WINDOW = 8192


def reader(ask: Ask) -> Reply:
    """The paper's facts, when it has any."""
    [(_, text)] = papers_in(demanded(ask)).items()
    facts = facts_of(text)
    return answer(json.dumps({"include": bool(facts), "cells": facts}))


def test_each_paper_is_asked_about_alone(work: Work) -> None:
    pool = pool_of(7, filler=20)
    server, log = work(reader, per_paper(), sample(pool))
    found = table_of(log)
    assert found["papers"] == ["P1", "P2", "P4", "P5", "P7"]
    assert found["columns"] == ["Treebank", "F1"]
    assert found["rows"] == gold_of(7)
    asked = {name: text for ask in server.asks for name, text in papers_in(ask.prompt).items()}
    assert set(asked) == {paper["label"] for paper in pool}
    for paper in pool:
        for part in ("title", "abstract", "text"):
            assert paper[part] in asked[paper["label"]]
    # instructions and demand, which do not change, are the same up to the paper
    assert len({ask.prompt.split("<paper-")[0] for ask in server.asks}) == 1
    assert record_of(log) == {
        "calls": 7,
        "malformed": 0,
        "skipped": 0,
        "digests": 0,
        "tokens": 7 * 107,
        "cut": 0,
        "overflows": 0,
        "faults": [],
    }


def test_columns_are_one_only_when_their_names_are_equal(work: Work) -> None:
    def loud(ask: Ask) -> Reply:
        [(name, text)] = papers_in(ask.prompt).items()
        cells = facts_of(text)
        if name == "P2":
            cells = {column.upper(): value for column, value in cells.items()}
        return answer(json.dumps({"include": bool(cells), "cells": cells}))

    _, log = work(loud, per_paper(), sample(pool_of(4)))
    found = table_of(log)
    assert found["columns"] == ["Treebank", "F1", "TREEBANK"]
    # F1 has no small letter: it is the same column
    assert found["rows"]["P2"] == {"TREEBANK": "cherry", "F1": "62.5"}
    assert found["rows"]["P1"] == {"Treebank": "banana", "F1": "61.5"}


def test_a_paper_without_facts_may_belong_all_the_same(work: Work) -> None:
    given = sample(pool_of(3))
    yes = answer('{"include": true}')
    _, log = work(lambda _: yes, per_paper(), given)
    assert table_of(log) == {
        "papers": ["P1", "P2", "P3"],
        "columns": [],
        "rows": {"P1": {}, "P2": {}, "P3": {}},
    }


def test_32_long_papers_fit_a_window_of_8k_one_by_one(work: Work) -> None:
    def small(ask: Ask) -> Reply:
        assert needs(ask) <= WINDOW
        return reader(ask)

    given = sample(pool_of(32, filler=1000))
    method = per_paper(context=WINDOW)
    _, log = work(small, method, given)
    assert table_of(log)["rows"] == gold_of(32)
    assert record_of(log)["cut"] == 32


def test_garbage_leaves_its_paper_out(work: Work) -> None:
    garbage = [FAULTS["symbols"], FAULTS["refusal"], answer('{"include": [1]}'), answer("[[[[")]

    def play(ask: Ask) -> Reply:
        [(name, _)] = papers_in(ask.prompt).items()
        number = int(name[1:])
        return garbage[number % 4] if number <= 4 else reader(ask)

    given = sample(pool_of(7))
    _, log = work(play, per_paper(), given)
    assert set(table_of(log)["rows"]) == {"P5", "P7"}
    record = record_of(log)
    assert (record["calls"], record["malformed"], record["skipped"]) == (4 * 2 + 3, 8, 4)
