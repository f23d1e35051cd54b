"""What the agent does with its tools, and what they never show."""

import json
from pathlib import Path

import pytest
from inspect_ai import Task, eval
from inspect_ai.dataset import MemoryDataset
from inspect_ai.scorer import includes
from tests.servers.evaluations import one
from tests.servers.scripted import Reply, answer
from tests.tasks.methods.agent_runs import (
    QUESTION,
    Call,
    Work,
    calls,
    reader,
    results,
    sample,
    script,
)

from vivavoce.tasks.library.desk import MAX_QUERY
from vivavoce.tasks.methods.agent import agent


def test_it_searches_reads_and_answers(work: Work) -> None:
    server, log = work(reader)
    found = one(log)
    assert found.output.completion == "melon-one | 91.5"
    (score,) = (found.scores or {}).values()
    assert score.value == "C"
    note = found.metadata["agent"]
    assert len(note.pop("prompts")) == 12
    assert note == {
        "steps": 4,
        "searches": 1,
        "reads": 2,
        "refused": 0,
        "dropped": 0,
        "papers_read": ["melon"],
        "left_out": 0,
        "tokens": 4 * 107,
        "stopped": "answered",
    }
    first = server.asks[0].body
    assert {one["function"]["name"] for one in first["tools"]} == {"search", "read"}
    assert first["max_tokens"] == 300
    assert "a library of 2 papers that had appeared before 2023-01-01" in server.asks[0].prompt
    assert QUESTION in server.asks[0].prompt
    assert "Many excerpts" not in server.asks[0].prompt
    outline = results(server.asks[2])[1]
    assert outline.startswith("The melon title (2020-01-15)\noutline, page 1 of 1.\n\nWe parse the")
    assert "section 1: Method [" in outline


def test_a_sample_without_a_question_of_its_own_asks_its_input(work: Work, folder: Path) -> None:
    plain = sample(folder)
    assert plain.metadata is not None
    del plain.metadata["question"]
    server, log = work(lambda ask: answer("melon-one"), [plain])
    assert "Many excerpts that an agent does not see." in server.asks[0].prompt
    assert one(log).metadata["agent"]["steps"] == 1


def test_hidden_papers_are_not_shown_but_the_rest_is(work: Work, folder: Path) -> None:
    play = script(
        calls(
            ("search", {"query": "Scores melon-one lemon-one F1"}),
            ("read", {"paper_id": "melon"}),
            ("read", {"paper_id": "melon", "part": "table 3"}),
            ("read", {"paper_id": "melon", "part": "table 2"}),
            ("read", {"paper_id": "lemon"}),
            ("read", {"paper_id": "melon", "part": "section 1"}),
        ),
        answer("done"),
    )
    papers = ["lemon", "melon", "later"]
    server, _ = work(play, [sample(folder, papers=papers, hidden_papers=["lemon"])])
    found, outline, table, other, lemon, section = results(server.asks[1])
    assert "a library of 1 paper that" in server.asks[0].prompt
    assert "melon-one" in found
    assert "lemon" not in found
    assert "table 2: Sizes of melon [2 rows]" in outline
    assert "has no part 'table 3'" in table
    assert "train | 1200" in other
    assert "There is no paper 'lemon'" in lemon
    assert "The melon method reads trees." in section


DEEP = "[" * 500 + "]" * 500
HOSTILE: list[tuple[Call, str]] = [
    (("search", {"query": ""}), "1 to 1000 characters"),
    (("search", {"query": "melon " * MAX_QUERY}), "this one has 6000"),
    (("search", {}), "'query' is a required property"),
    (("search", '{"query": "mel'), "Error parsing"),
    (("search", f'{{"query": {DEEP}}}'), "Error"),
    (("search", '{"query": "\\ud800 \\u0000"}'), "Nothing in the library"),
    (("read", {"paper_id": "melon", "page": -3}), "A page is a number from 1 on."),
    (("read", {"paper_id": "melon", "page": 2}), "has no page 2, only 1 to 1"),
    (("read", {"paper_id": "melon", "page": 10**60}), "A page is a number from 1 on."),
    (("read", {"paper_id": "melon", "part": "table -1"}), "has no part 'table -1'. It has:"),
    (("read", {"paper_id": "melon", "part": "x" * 9000}), "has no part"),
    (("read", {"paper_id": "../../etc/passwd"}), "There is no paper '../../etc/passwd'"),
    (("delete", {"paper_id": "melon"}), "Tool delete not found"),
]


def test_calls_that_make_no_sense_are_answered_in_words(work: Work) -> None:
    play = script(*(calls(call) for call, _ in HOSTILE), answer("melon-one"))
    server, log = work(play, arguments={"steps": 30})
    told = results(server.asks[-1])
    for (call, expected), text in zip(HOSTILE, told, strict=True):
        assert expected in text, call
        assert len(text) < 1_000
    found = one(log)
    assert found.output.completion == "melon-one"
    note = found.metadata["agent"]
    # The query without a word of the library is a search that finds nothing.
    assert (note["searches"], note["refused"]) == (1, len(HOSTILE) - 1)


def test_own_templates_are_used_and_told_apart(work: Work, folder: Path) -> None:
    _, log = work(reader)
    own = folder.parent / "own"
    own.mkdir(exist_ok=True)
    (own / "agent.md.j2").write_text("Look it up.\n\nThe question:\n{{ question }}", "utf-8")
    item = sample(folder)
    assert item.metadata is not None
    item.metadata["prompts"] = str(own)
    server, other = work(reader, [item])
    assert server.asks[0].prompt == f"Look it up.\n\nThe question:\n{QUESTION}"
    assert one(log).metadata["agent"]["prompts"] != one(other).metadata["agent"]["prompts"]
    (own / "agent.answer.md.j2").write_text("{{ nothing }}", "utf-8")
    server, broken = work(reader, [item])
    assert server.asks == []
    assert broken.error is not None
    assert "agent.answer.md.j2 is not a usable prompt template" in broken.error.message


@pytest.mark.parametrize("model", ["extractive/lead", "refusing"])
def test_a_model_without_tools_is_told_so(work: Work, folder: Path, model: str) -> None:
    refusal = Reply(
        json.dumps({"error": {"message": "this model does not support tools"}}).encode(), 400
    )
    if model == "refusing":
        _, log = work(lambda ask: refusal)
    else:
        task = Task(dataset=MemoryDataset([sample(folder)]), solver=agent(), scorer=includes())
        [log] = eval(task, model=model, display="none", log_dir=str(folder.parent / "logs"))
    assert log.error is not None
    assert "Use a method without them." in log.error.message


def test_a_sample_without_a_library_is_told_so(work: Work, folder: Path) -> None:
    item = sample(folder)
    assert item.metadata is not None
    del item.metadata["library"]
    _, log = work(reader, [item])
    assert log.error is not None
    assert "Sample one has no library. Use another method." in log.error.message
