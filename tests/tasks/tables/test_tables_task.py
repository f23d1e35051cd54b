"""The task end to end against a server: what reached it, what was scored, and by whom."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.log import read_eval_log, write_eval_log
from inspect_ai.solver import Solver
from tests.servers.scripted import Ask, Reply, Script, answer, by_model, scripted, slot
from tests.tasks.samples import fault_of, values_of
from tests.tasks.tables.roles.readers import always_yes, careful, shown_questions
from tests.tasks.tables.table_rounds import ITEM, TRANSLATING
from tests.tasks.tables.table_runs import DEMAND, Finished, an_honest_table, samples_of, table_of

import vivavoce._registry  # noqa: F401  (registers the providers)
from vivavoce.errors import InputError
from vivavoce.results.audits.preferences import question_rows
from vivavoce.results.board.building import leaderboard
from vivavoce.results.integrity.verification import verify_logs
from vivavoce.rounds import Round
from vivavoce.tasks import list_families
from vivavoce.tasks.methods.agent import agent
from vivavoce.tasks.tables.solvers import bm25_phrases, iterative, one_step, per_paper, two_stage

CARD = list_families()["tables"].tasks["table"]


@pytest.fixture(scope="module")
def finished(opened: Round, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Finished]:
    folder = tmp_path_factory.mktemp("table")
    scripts: dict[str, Script] = {}
    script = by_model(scripts, an_honest_table)
    with pytest.MonkeyPatch.context() as patch, scripted(script) as server:
        server.serve_here(patch)
        yield Finished(opened, server, folder, scripts)


def test_every_text_reached_the_server_and_its_answer_is_scored(finished: Finished) -> None:
    log = finished.log(finished.task(), "tables-whole")
    found = samples_of(log)
    parsing, translating = values_of(found[ITEM]), values_of(found[f"{TRANSLATING}/table/0"])
    assert {parsing[name] for name in CARD.metrics} == {1.0}
    # Of two columns the texts tell one: half of the cells, and what is given is right.
    assert (translating["paper_f1"], translating["unary_r"], translating["unary_p"]) == (1, 0.5, 1)
    assert len(finished.server.prompts("tables-whole")) == 2
    ask = next(ask for ask in finished.server.asks if ask.model == "tables-whole")
    assert (ask.body["temperature"], ask.body["top_p"]) == (0.5, 1.0)
    assert ask.body["max_tokens"] == CARD.decoding["max_tokens"]
    for sample in found.values():
        for prompt in finished.server.prompts("tables-whole"):
            assert str(sample.target) not in prompt


def test_rules_without_a_model_make_a_table_of_the_pool(finished: Finished) -> None:
    samples = samples_of(finished.log(finished.task(), None, bm25_phrases()))
    for sample in samples.values():
        labels = {one["label"] for one in sample.metadata["pool"]}
        assert set(json.loads(sample.output.completion)["papers"]) <= labels
        assert values_of(sample)["success"] == 1.0


@pytest.mark.parametrize(
    ("solver", "says", "fault"),
    [
        (per_paper, "", "empty"),
        (two_stage, "I'm sorry, but I can't help with that.", "refusal"),
        (iterative, "{}", "malformed"),
        (one_step, "I'm sorry, but I can't help with that.", "refusal"),
    ],
)
def test_a_method_of_many_requests_that_gets_no_answer_has_none(
    finished: Finished, solver: Callable[..., Solver], says: str, fault: str
) -> None:
    model = f"tables-silent-{solver.__name__}-{fault}"
    finished.scripts[model] = lambda ask: answer(says)
    for sample in samples_of(finished.log(finished.task(), model, solver())).values():
        found = values_of(sample)
        assert {found[name] for name in ("valid", "success", "avg")} == {0.0}
        assert fault_of(sample) == fault
    if solver is not two_stage:  # which reads no text of a paper before it has columns
        assert any("banana treebank" in prompt for prompt in finished.server.prompts(model))


def test_an_agent_gets_the_question_and_the_library_of_the_pool(finished: Finished) -> None:
    finished.scripts["tables-agent"] = lambda ask: answer('{"papers": [], "rows": []}')
    finished.log(finished.task(), "tables-agent", agent())
    for sent in finished.server.prompts("tables-agent"):
        assert "treebank" not in sent
        assert re.search("library of [89] papers", sent)
        assert '{"papers": ["P1"]' in sent
        assert "P8 [arxiv:190" in sent


def test_a_model_may_answer_questions_about_both_tables(finished: Finished) -> None:
    finished.scripts["tables-reader"] = careful
    roles = {"answerer": "openai-api/scripted/tables-reader"}
    log = finished.log(finished.task(answerer=roles["answerer"], question_seed=3), "tables-read")
    found = samples_of(log)
    assert {values_of(found[ITEM])[name] for name in CARD.metrics} == {1.0}
    assert values_of(found[ITEM])["yes_bias"] == 0.0
    [score] = (found[ITEM].scores or {}).values()
    assert (score.metadata or {})["use"]["answerer"] == roles["answerer"]
    metadata = log.eval.metadata or {}
    assert metadata["judge"].startswith(
        "openai-api/scripted/tables-reader pairs=10 seed=3 runs=2 template="
    )
    assert "unary_f1" in metadata["judged"]
    assert "paper_f1" not in metadata["judged"]
    assert metadata["diagnostics"] == [*CARD.diagnostics, "yes_bias", "no_bias"]


def test_people_are_asked_in_the_words_of_the_synthesizer(finished: Finished) -> None:
    def wording(ask: Ask) -> Reply:
        texts = [text.replace("?", " at all?") for text in shown_questions(ask)]
        return answer(json.dumps(dict(enumerate(texts, start=1))))

    finished.scripts |= {"tables-asked": careful, "tables-wording": wording}
    roles = {name: f"openai-api/scripted/tables-{name}" for name in ("asked", "wording")}
    made = finished.task(answerer=roles["asked"], synthesizer=roles["wording"])
    log = finished.log(made, "tables-worded")
    found = samples_of(log)[ITEM]
    assert {values_of(found)[name] for name in CARD.metrics} == {1.0}
    assert f" worded={roles['wording']} pairs=10 " in (log.eval.metadata or {})["judge"]
    rows = question_rows(finished.folder / "logs-tables-worded", "qa")
    assert rows
    assert all(row["content"]["question"].endswith(" at all?") for row in rows)


def test_boards_keep_evaluators_apart_and_rank_no_reader_who_says_yes(finished: Finished) -> None:
    finished.scripts["tables-yes"] = always_yes
    logs = finished.folder / "board"
    for arguments in ({}, {"answerer": "openai-api/scripted/tables-yes"}, {"pairs": 5}):
        finished.run(logs, "copycat", **arguments)
    rows = {
        (row["judge"] or "").partition(" template")[0]: row
        for row in leaderboard(logs, resamples=0).rows
        if row["metric"] == "schema_p"
    }
    asked = "openai-api/scripted/tables-yes pairs=10 seed=0 runs=2"
    assert rows.keys() == {"", asked, "matcher pairs=5 seed=0"}
    assert (rows[""]["value"], rows[asked]["value"], rows[asked]["rank"]) == (0.0, None, None)
    assert rows[asked]["set_aside"] == (
        "its answerer says yes to 100% of control questions with the answer no, and no to 0% of "
        "those with the answer yes"
    )
    assert rows[asked]["method"] == "copycat"
    assert (rows[asked]["tokens"], rows[""]["judge_tokens"]) == (0, 0)
    assert rows[asked]["judge_tokens"] > 0


_RENAMED = {"Treebank": "Annotated corpus of trees", "F1": "F1", "Source": "Tongue translated from"}


def _in_other_words(ask: Ask) -> Reply:
    """An honest table whose columns have names that no form or list connects with the gold's."""
    return table_of(ask, _RENAMED)


def _matcher(ask: Ask) -> Reply:
    """A reader who knows the synonyms above, and sees pairs and the demand alone."""
    assert DEMAND.search(slot(ask.prompt, "topic")) or "transl" in slot(ask.prompt, "topic")
    lines = slot(ask.prompt, "pairs").splitlines()
    said = []
    for number, line in enumerate(lines, start=1):
        assert line.startswith(f"{number}. columns: «"), line
        pair = re.findall("«([^»]*)»", line)
        said.append(any({*pair} == {*names} for names in _RENAMED.items()))
    return answer("\n".join(f"{n}. {'yes' if yes else 'no'}" for n, yes in enumerate(said, 1)))


def test_a_model_may_decide_which_headers_mean_the_same(finished: Finished) -> None:
    finished.scripts |= {"tables-renamed": _in_other_words, "tables-matcher": _matcher}
    logs = finished.folder / "matched"
    for arguments in ({}, {"matcher": "openai-api/scripted/tables-matcher"}):
        finished.run(logs, "one_step", "tables-renamed", **arguments)
    rows = {
        ((row["judge"] or "").partition(" template")[0], row["metric"]): row
        for row in leaderboard(logs, resamples=0).rows
    }
    by_model = "matcher pairs=None seed=0 matcher=openai-api/scripted/tables-matcher"
    assert {judge for judge, _ in rows} == {"", by_model}
    # Its switches are off: an exam finds the contestant by the plain name.
    assert {row["method"] for row in rows.values()} == {"one_step"}
    # Of Treebank and F1 the latter keeps its name; of Source and Depth nobody answers the latter.
    assert rows["", "schema_r"]["value"] == (1 / 2 + 0 / 2) / 2
    assert rows[by_model, "schema_r"]["value"] == (2 / 2 + 1 / 2) / 2
    assert rows[by_model, "unary_r"]["value"] > rows["", "unary_r"]["value"]
    assert rows[by_model, "unary_r"]["judge_tokens"] > 0


@pytest.mark.parametrize("role", ["matcher", "answerer"])
def test_a_log_is_verified_by_its_replies_and_asks_nobody(
    finished: Finished, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, role: str
) -> None:
    """Also where a log hides who played a role, and the key that would pay for it is at hand."""
    finished.scripts |= {
        "tables-renamed": _in_other_words,
        "tables-verified": {"matcher": _matcher, "answerer": careful}[role],
    }
    verified = {role: "openai-api/scripted/tables-verified"}
    finished.run(tmp_path / "logs", "one_step", "tables-renamed", **verified)
    asked = len(finished.server.asks)
    with monkeypatch.context() as patch:
        patch.delenv("SCRIPTED_API_KEY")
        [check] = verify_logs(tmp_path / "logs").logs
    assert (check.status, check.refused) == ("recomputed", [])
    [path] = (tmp_path / "logs").glob("*.eval")
    log = read_eval_log(str(path))
    log.eval.model_roles = {}
    write_eval_log(log, str(path))
    [check] = verify_logs(tmp_path / "logs").logs
    assert check.status != "recomputed"
    assert len(finished.server.asks) == asked


def test_pairs_that_no_reply_decides_count_as_different(finished: Finished) -> None:
    def mute(_: Ask) -> Reply:
        return answer("1. perhaps")

    finished.scripts |= {"tables-renamed": _in_other_words, "tables-mute": mute}
    made = finished.task(matcher="openai-api/scripted/tables-mute")
    log = finished.log(made, "tables-renamed")
    for sample in samples_of(log).values():
        [score] = (sample.scores or {}).values()
        pairs = (score.metadata or {})["matching"]["pairs"]
        assert pairs
        assert all(answer is None for *_, answer in pairs)
        assert values_of(sample)["schema_r"] < 1.0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"setting": "random"}, "There are: base, abstracts, titles"),
        ({"pairs": -1}, "pairs=-1"),
        ({"question_seed": "x"}, "question_seed='x'"),
        ({"answerer": ""}, "names of models"),
        ({"synthesizer": "role"}, "needs an answerer"),
        ({"matcher": "a/model", "answerer": "role"}, "matcher excludes answerer"),
        ({"answerer": "role"}, "--model-role answerer=MODEL"),
        ({"matcher": "role"}, "--model-role matcher=MODEL"),
        ({"answerer": "nosuch/model"}, "The model nosuch/model cannot be used"),
        ({"matcher": "no-provider"}, "The model no-provider cannot be used"),
    ],
)
def test_arguments_that_make_no_sense_are_reported(
    finished: Finished, arguments: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        finished.task(**arguments)
