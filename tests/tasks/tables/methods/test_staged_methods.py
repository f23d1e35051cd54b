"""The methods that ask about each paper: alone, or for a row of columns chosen before."""

import json

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
    sample,
    table_of,
)

from vivavoce.tasks.tables.solvers import per_paper, two_stage

WINDOW = 8192


def tell_facts(ask: Ask) -> Reply:
    """The paper's facts, when it has any."""
    [(_, text)] = papers_in(demanded(ask)).items()
    facts = facts_of(text)
    return answer(json.dumps({"include": bool(facts), "cells": facts}))


def test_each_paper_is_asked_about_alone(work: Work) -> None:
    pool = pool_of(7, filler=20)
    server, log = work(tell_facts, per_paper(), sample(pool))
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
    assert record_of(log) == calm_record(7)


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


def test_long_papers_fit_a_window_of_8k_one_by_one(work: Work) -> None:
    def small(ask: Ask) -> Reply:
        assert needs(ask) <= WINDOW
        return tell_facts(ask)

    _, log = work(small, per_paper(context=WINDOW), sample(pool_of(4, filler=1000)))
    assert table_of(log)["rows"] == gold_of(4)
    assert record_of(log)["cut"] == 4


def test_garbage_leaves_its_paper_out(work: Work) -> None:
    garbage = [FAULTS["symbols"], FAULTS["refusal"], answer('{"include": [1]}'), answer("[[[[")]

    def play(ask: Ask) -> Reply:
        [(name, _)] = papers_in(ask.prompt).items()
        number = int(name[1:])
        return garbage[number % 4] if number <= 4 else tell_facts(ask)

    given = sample(pool_of(7))
    _, log = work(play, per_paper(), given)
    assert set(table_of(log)["rows"]) == {"P5", "P7"}
    record = record_of(log)
    assert (record["calls"], record["malformed"], record["skipped"]) == (4 * 2 + 3, 8, 4)


def reader(ask: Ask) -> Reply:
    """Chooses by abstract, then fills in what the text says."""
    prompt = demanded(ask)
    if "<columns-" not in prompt:
        shown = papers_in(slot(prompt, "papers"))
        chosen = [name for name, text in shown.items() if "parse" in text.lower()]
        return answer(json.dumps({"papers": chosen, "columns": ["Treebank", "F1"]}))
    columns = [line.removeprefix("- ") for line in slot(prompt, "columns").splitlines()]
    [(_, text)] = papers_in(prompt).items()
    facts = facts_of(text)
    return answer(json.dumps({"cells": {column: facts.get(column) for column in columns}}))


def test_columns_come_from_abstracts_and_rows_from_texts(work: Work) -> None:
    pool = pool_of(6, filler=20)
    server, log = work(reader, two_stage(), sample(pool))
    found = table_of(log)
    assert (found["columns"], found["rows"]) == (["Treebank", "F1"], gold_of(6))
    outline, *rows = server.asks
    for paper in pool:
        assert paper["title"] in outline.prompt
        assert paper["abstract"] in outline.prompt
        assert paper["text"] not in outline.prompt
    # only the chosen papers are read, each whole
    read = {name: text for ask in rows for name, text in papers_in(ask.prompt).items()}
    assert set(read) == {"P1", "P2", "P4", "P5"}
    for paper in pool:
        assert paper["text"] in read.get(paper["label"], paper["text"])
    # what does not change from row to row comes before the paper
    assert len({ask.prompt.split("<paper-")[0] for ask in rows}) == 1
    record = record_of(log)
    assert (record["calls"], record["malformed"], record["tokens"]) == (5, 0, 5 * 107)


def test_rows_bring_no_columns(work: Work) -> None:
    def eager(ask: Ask) -> Reply:
        if "<columns-" not in ask.prompt:
            return reader(ask)
        return answer('{"cells": {"f1": "88", "Mood": "good"}}')

    _, log = work(eager, two_stage(), sample(pool_of(3)))
    assert table_of(log)["columns"] == ["Treebank", "F1"]
    assert table_of(log)["rows"] == {"P1": {"F1": "88"}, "P2": {"F1": "88"}}


def test_papers_of_which_a_title_is_known_are_listed_too(work: Work) -> None:
    pool = [{**paper, "abstract": None, "text": None} for paper in pool_of(3)]
    server, log = work(reader, two_stage(), sample(pool))
    assert set(papers_in(slot(server.asks[0].prompt, "papers"))) == {"P1", "P2", "P3"}
    assert table_of(log)["rows"] == {"P1": {}, "P2": {}}


def test_without_an_outline_the_table_is_empty(work: Work) -> None:
    server, log = work(lambda _: FAULTS["cut-off"], two_stage(), sample(pool_of(3)))
    assert table_of(log) == {"papers": [], "columns": [], "rows": {}}
    assert len(server.asks) == 2
    assert record_of(log)["skipped"] == 1


def test_a_row_that_cannot_be_read_stays_empty(work: Work) -> None:
    def play(ask: Ask) -> Reply:
        is_bad = "<columns-" in ask.prompt and "P2" in papers_in(ask.prompt)
        return answer('{"cells": ["x"]}') if is_bad else reader(ask)

    _, log = work(play, two_stage(), sample(pool_of(4)))
    assert table_of(log)["rows"] == {**gold_of(4), "P2": {}}
    assert record_of(log)["malformed"] == 2
