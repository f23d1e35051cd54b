"""The iterative method: digests, rounds of batches, and a check of every cell."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from tests.servers.scripted import FAULTS, Ask, Reply, answer, slot
from tests.tasks.tables.methods.method_runs import (
    DEMAND,
    Work,
    calm_record,
    cookery,
    demanded,
    facts_of,
    gold_of,
    needs,
    papers_in,
    parser,
    pool_of,
    record_of,
    room_of,
    sample,
    table_of,
)

from vivavoce.tasks.prompting.windows import EstimatedCounter
from vivavoce.tasks.tables.iterative import iterative, passages

WINDOW = 8192


def kind_of(ask: Ask) -> str:
    """Which of the three calls it is, by the slots that it holds."""
    if "<digests-" in ask.prompt:
        return "batch"
    return "check" if "<row-" in ask.prompt else "digest"


def rows_in(ask: Ask) -> dict[str, list[str]]:
    """The rows of the table that is shown."""
    _, _, *lines = slot(ask.prompt, "table").splitlines()
    cells = [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in lines]
    return {first: rest for first, *rest in cells}


def digest(ask: Ask) -> Reply:
    [(_, text)] = papers_in(demanded(ask)).items()
    facts = facts_of(text)
    said = "It is trained on the {Treebank} treebank with an F1 of {F1}."
    told = said.format(**facts) if facts else "It is about cookery."
    return answer(json.dumps({"digest": told}))


def change(ask: Ask) -> Reply:
    """Include who has facts, exclude the rest; say nothing of rows that are there already."""
    shown, rows = papers_in(slot(demanded(ask), "digests")), rows_in(ask)
    found = {name: facts_of(text) for name, text in shown.items()}
    new = {name: facts for name, facts in found.items() if facts and name not in rows}
    out = [name for name, facts in found.items() if not facts]
    return answer(json.dumps({"rows": new, "exclude": out} if new else {}))


def check(ask: Ask) -> Reply:
    """A value is supported when it stands in the paper."""
    row = json.loads(slot(demanded(ask), "row"))
    [(_, text)] = papers_in(ask.prompt).items()
    return answer(json.dumps({"unsupported": [c for c, value in row.items() if value not in text]}))


def reader(ask: Ask) -> Reply:
    return {"digest": digest, "batch": change, "check": check}[kind_of(ask)](ask)


def batches_of(asks: list[Ask]) -> list[tuple[str, ...]]:
    shown = (papers_in(slot(ask.prompt, "digests")) for ask in asks if kind_of(ask) == "batch")
    return [tuple(papers) for papers in shown]


def test_a_table_grows_batch_by_batch(work: Work) -> None:
    pool = pool_of(6, filler=20)
    server, log = work(reader, iterative(), sample(pool))
    found = table_of(log)
    assert found["papers"] == ["P1", "P2", "P4", "P5"]
    assert found["columns"] == ["Treebank", "F1"]
    assert found["rows"] == gold_of(6)
    # 6 digests; a round of 4 and 2 papers, and one more that changes nothing; 4 rows to check
    assert Counter(map(kind_of, server.asks)) == {"digest": 6, "batch": 4, "check": 4}
    assert record_of(log) == calm_record(14, digests=6, rounds=2, checked=8, unsupported=0)


def test_every_slot_arrives_and_what_stays_the_same_comes_first(work: Work) -> None:
    pool = pool_of(6, filler=20)
    server, _ = work(reader, iterative(), sample(pool))
    asks = {
        kind: [a for a in server.asks if kind_of(a) == kind] for kind in map(kind_of, server.asks)
    }
    digested = {
        name: text for ask in asks["digest"] for name, text in papers_in(ask.prompt).items()
    }
    for paper in pool:
        told = digested[paper["label"]]
        assert all(paper[part] in told for part in ("title", "abstract", "text"))
    for ask in asks["batch"]:
        shown = papers_in(slot(ask.prompt, "digests"))
        assert all("Title: " in text and "\nDigest: It is" in text for text in shown.values())
        assert pool[0]["text"] not in ask.prompt
    assert rows_in(asks["batch"][0]) == {}
    assert set(rows_in(asks["batch"][-1])) == {"P1", "P2", "P4", "P5"}
    for ask in asks["check"]:
        [(name, text)] = papers_in(ask.prompt).items()
        assert json.loads(slot(ask.prompt, "row")) == gold_of(6)[name]
        assert gold_of(6)[name]["F1"] in text
    for kind, changing in (("digest", "<paper-"), ("batch", "<table-"), ("check", "<paper-")):
        openings = {ask.prompt.split(changing)[0] for ask in asks[kind]}
        assert len(openings) == 1
        assert DEMAND in openings.pop()


def test_batches_are_drawn_anew_each_round_and_follow_the_seed(work: Work) -> None:
    given = sample(pool_of(7))

    def drawn(**arguments: Any) -> list[tuple[str, ...]]:
        server, _ = work(reader, iterative(**arguments), given)
        return batches_of(server.asks)

    first = drawn(batch=3, rounds=3)
    # The second round changes nothing, and is the last.
    assert [len(one) for one in first] == [3, 3, 1] * 2
    rounds = [[name for one in first[n : n + 3] for name in one] for n in (0, 3)]
    assert all(sorted(one) == [f"P{n}" for n in range(1, 8)] for one in rounds)
    assert len({tuple(one) for one in rounds}) == 2
    assert drawn(batch=3, rounds=3) == first
    other = drawn(batch=6, rounds=1, seed=1)
    assert [len(one) for one in other] == [6, 1]
    assert [name for one in other for name in one] != rounds[0]


def test_long_papers_need_no_more_than_a_window_of_8k(work: Work) -> None:
    def small(ask: Ask) -> Reply:
        assert needs(ask) <= WINDOW, kind_of(ask)
        return reader(ask)

    pool = pool_of(6, filler=700)  # about 9,500 tokens each
    given = sample(pool, max_tokens=20_000)
    server, log = work(small, iterative(context=WINDOW), given)
    assert table_of(log)["rows"] == gold_of(6)
    assert all(room_of(ask) == WINDOW // 3 for ask in server.asks)
    record = record_of(log)
    assert (record["malformed"], record["skipped"], record["overflows"]) == (0, 0, 0)
    assert record["cut"] == 0  # passages were chosen that fit


def test_the_published_sizes_take_no_more_than_the_published_tokens(work: Work) -> None:
    """Nine papers of 10,000 to 40,000 tokens, four of them right; a model that never settles."""
    spent = []

    def chatty(ask: Ask) -> Reply:
        told = json.loads(json.loads(reader(ask).body)["choices"][0]["message"]["content"])
        if kind_of(ask) == "digest":
            told["digest"] += " One more word of it." * 40
        if kind_of(ask) == "batch":
            fruits = [name for name, text in papers_in(ask.prompt).items() if facts_of(text)]
            cells = {f"Column {n}": f"some five words on it {ask.number}" for n in range(4)}
            told = {"rows": dict.fromkeys(fruits, cells)}
        reply = json.dumps(told)
        spent.append((len(ask.prompt) + len(reply)) / 3)  # as the texts' tokens are estimated
        return answer(reply)

    pool = [
        (parser if number <= 4 else cookery)(number, filler=1000 * (1 + number % 4))
        for number in range(1, 10)
    ]
    _, log = work(chatty, iterative(), sample(pool))
    assert record_of(log)["rounds"] == 5
    assert record_of(log)["calls"] == 9 + 5 * 3 + 4
    assert 90_000 < sum(spent) < 118_000


def test_a_wide_table_of_long_cells_fits_as_well(work: Work) -> None:
    def wordy(ask: Ask) -> Reply:
        """Fills as many columns as it may, with cells that are as long as they may be."""
        assert needs(ask) <= WINDOW, kind_of(ask)
        if kind_of(ask) != "batch":
            return answer('{"unsupported": []}') if kind_of(ask) == "check" else digest(ask)
        shown, rows = papers_in(slot(ask.prompt, "digests")), rows_in(ask)
        cells = {f"Property number {number}": f"{number} long words " * 30 for number in range(50)}
        new = {name: cells for name in shown if name not in rows}
        return answer(json.dumps({"rows": new}))

    server, log = work(wordy, iterative(context=WINDOW, rounds=2), sample(pool_of(8, filler=9)))
    found = table_of(log)
    assert len(found["papers"]) == 8
    assert len(found["columns"]) == 40
    assert all(
        len(row) == 40 and len(row["Property number 3"]) > 290 for row in found["rows"].values()
    )
    last = server.asks[0]
    for ask in server.asks:
        last = ask if kind_of(ask) == "batch" else last
    assert set(rows_in(last)) <= set(papers_in(slot(last.prompt, "digests")))
    assert "Property number 39" in last.prompt
    assert record_of(log)["malformed"] == 0
    assert any("40 columns already" in fault for fault in record_of(log)["faults"])


def test_a_tiny_window_takes_a_batch_in_parts(work: Work) -> None:
    window = 2000

    def tiny(ask: Ask) -> Reply:
        assert needs(ask) <= window, kind_of(ask)
        if kind_of(ask) == "digest":
            told = json.loads(digest(ask).body)["choices"][0]["message"]["content"]
            return answer(told.replace('."', ". And much more is said." + " More." * 100 + '"'))
        return reader(ask)

    server, log = work(tiny, iterative(context=window, batch=8), sample(pool_of(8)))
    assert table_of(log)["rows"] == gold_of(8)
    assert max(len(one) for one in batches_of(server.asks)) < 8
    assert Counter(n for one in batches_of(server.asks) for n in one)["P1"] == 2


def test_a_provider_that_finds_a_prompt_too_long_gets_a_shorter_one(work: Work) -> None:
    def small(ask: Ask) -> Reply:
        return reader(ask) if needs(ask) <= WINDOW else FAULTS["overflow"]

    _, log = work(small, iterative(), sample(pool_of(4, filler=1000)))
    assert table_of(log)["rows"] == gold_of(4)
    assert record_of(log)["overflows"] > 0
    assert record_of(log)["skipped"] == 0


def test_values_that_the_paper_does_not_support_become_na(work: Work) -> None:
    def dreamer(ask: Ask) -> Reply:
        if kind_of(ask) != "batch":
            return reader(ask)
        told = json.loads(json.loads(change(ask).body)["choices"][0]["message"]["content"])
        for row in told.get("rows", {}).values():
            row |= {"Year": "1066", "Speed": "9 trees a minute"}
        return answer(json.dumps(told))

    pool = pool_of(5, filler=2000)
    pool[1]["text"] += " It reads 9 trees a minute."
    server, log = work(dreamer, iterative(), sample(pool))
    gold = gold_of(5)
    gold["P2"]["Speed"] = "9 trees a minute"  # from the far end of a long text
    assert table_of(log)["rows"] == gold
    # four rows with four values each; three lack the speed, and all lack the year
    record = record_of(log)
    assert (record["checked"], record["unsupported"]) == (4 * 4, 4 + 3)
    checks = [ask for ask in server.asks if kind_of(ask) == "check"]
    assert all(len(ask.prompt) < 12_000 < len(pool[0]["text"]) for ask in checks)


def test_papers_without_a_text_are_not_digested(work: Work) -> None:
    known = {**parser(1), "abstract": parser(1)["text"], "text": None}
    title = {**cookery(2), "abstract": None, "text": ""}
    server, log = work(reader, iterative(), sample([known, title]))
    assert {kind_of(ask) for ask in server.asks} == {"batch", "check"}
    assert "nothing more is known" in server.asks[0].prompt
    assert table_of(log)["rows"] == gold_of(1)
    assert record_of(log)["digests"] == 0


@pytest.mark.parametrize("bad", ["digest", "batch", "check"])
def test_a_step_that_stays_of_no_use_is_left_out(work: Work, bad: str) -> None:
    def play(ask: Ask) -> Reply:
        return FAULTS["symbols"] if kind_of(ask) == bad else reader(ask)

    pool = pool_of(4)
    for paper in pool:
        paper["abstract"] = paper["text"]
    _, log = work(play, iterative(rounds=2), sample(pool))
    # without digests the abstracts stand for them, and without checks the values stay
    assert table_of(log)["rows"] == ({} if bad == "batch" else gold_of(4))
    # twice each: 4 digests; 2 batches, 1 in each round; 3 rows
    skipped = {"digest": 4, "batch": 2, "check": 3}[bad]
    assert (record_of(log)["malformed"], record_of(log)["skipped"]) == (2 * skipped, skipped)


@pytest.mark.parametrize(
    "reply",
    [
        answer('{"include": ["P99"], "drop": ["X"], "rows": {"Q": {"": null}}, "digest": "x"}'),
        answer("[" * 50_000),
        answer('{"add": ["' + "x" * 150_000 + '"], "digest": "' + "y" * 40_000 + '"}'),
        answer('{"digest": "\\ud800", "rows": {"P1": {"A\\ud800": "\\udfff"}}}'),
        answer('{"digest": "{{ demand }} {% raw %}", "rows": {"P1": {"{{ x }}": "{% if %}"}}}'),
        FAULTS["overflow"],
    ],
    ids=["unknown", "deep", "long", "surrogate", "template", "overflow"],
)
def test_garbage_ends_in_a_table_all_the_same(work: Work, reply: Reply) -> None:
    _, log = work(lambda _: reply, iterative(rounds=1), sample(pool_of(2)))
    assert set(table_of(log)["papers"]) <= {"P1"}
    assert record_of(log)["calls"] <= 2 * 5 + 5 + 5


def test_reasoning_is_asked_for_and_passed_over(work: Work) -> None:
    def thinker(ask: Ask) -> Reply:
        assert "First think" in ask.prompt
        told = json.loads(reader(ask).body)["choices"][0]["message"]["content"]
        return answer(f'At first I meant {{"add": ["Mood"], "digest": "?"}}; but no.\n\n{told}')

    _, log = work(thinker, iterative(cot=True, rounds=1), sample(pool_of(4)))
    assert table_of(log)["columns"] == ["Treebank", "F1"]
    assert table_of(log)["rows"] == gold_of(4)


def test_a_template_that_cannot_be_used_is_reported_before_a_call(
    work: Work, tmp_path: Path
) -> None:
    folder = tmp_path / "prompts"
    folder.mkdir()
    given = sample(pool_of(3))
    assert given.metadata is not None
    for path in Path(given.metadata["prompts"]).iterdir():
        (folder / path.name).write_text(path.read_text("utf-8"), "utf-8")
    (folder / "iterative.check.md.j2").write_text("{{ demand }} {{ paper }}", "utf-8")
    given.metadata["prompts"] = str(folder)
    server, log = work(reader, iterative(), given)
    assert log.status == "error"
    assert "{{ row }} exactly once" in str(log.error)
    assert server.asks == []


def test_passages_are_those_that_the_values_find_in_the_order_of_the_text() -> None:
    counter = EstimatedCounter()
    filler = "Nothing of note is said in this sentence, which is long enough. " * 60
    text = f"We name the zebra here. {filler}\n\nThe yak has 7 toes.\n\n{filler}"
    found = passages(text, ["Toes of yak 7", "Animal zebra"], 3, 600, counter)
    assert found.index("zebra") < found.index("yak has 7 toes")
    assert counter.count(found) <= 600
    assert passages(text, ["walrus"], 3, 600, counter).startswith("We name the zebra")
    assert passages(text, ["yak"], 3, 10, counter) == text[:30]
    assert passages(text, ["yak"], 3, 0, counter) == ""
