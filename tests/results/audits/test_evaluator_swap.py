"""The same tables scored by the matcher and by scripted models: what drifts, and what holds."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.results.audits.made_table_logs import table, write_table_log
from tests.servers.scripted import (
    Ask,
    Reply,
    Script,
    ScriptedServer,
    answer,
    by_model,
    error,
    scripted,
)
from tests.tasks.tables.roles.readers import always_yes, careful, shown_questions

from vivavoce.errors import InputError, VivaError
from vivavoce.results.audits.evaluators import audit_evaluators, read_evaluator
from vivavoce.statistics.estimates import Draws
from vivavoce.tasks.tables.yes_or_no import QASetup

GOLDS = {
    "t1": table("Task|Year", "P1|QA|2019", "P2|MT|2017"),
    "t2": table("Task|Size|Year", "P1|QA|340M|2019", "P3|Parsing|60M|2018"),
    "t3": table("Data|Code", "P2|News|yes", "P3|Trees|no"),
}
ANSWERS = {
    "good": {**GOLDS, "t3": table("Data|Code", "P2|News|yes", "P3|Forests|no")},
    "fair": {
        "t1": table("Task|Venue", "P1|QA|ACL", "P2|MT|ACL"),
        "t2": table("Task|Size", "P1|QA|340M", "P3|Parsing|1M"),
        "t3": table("Data", "P2|News", "P1|Speech"),
    },
    "poor": {
        "t1": table("Venue", "P3|ACL"),
        "t2": table("Year|Venue", "P1|1999|ACL", "P3|2018|ACL"),
        "t3": table("Code", "P2|no", "P3|no"),
    },
}
ALL_PAIRS = QASetup(pairs=None, runs=1)
FEW = Draws(resamples=200)


@pytest.fixture(scope="module")
def server() -> Iterator[ScriptedServer]:
    with scripted() as running, pytest.MonkeyPatch.context() as patch:
        for name, value in running.environment.items():
            if name.startswith("SCRIPTED_"):
                patch.setenv(name, value)
        yield running


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    for name, answers in ANSWERS.items():
        write_table_log(tmp_path / "logs", GOLDS, answers, model=f"lab/{name}")
    return tmp_path / "logs"


def use_scripts(server: ScriptedServer, **scripts: Script) -> list[str]:
    """Let models answer by scripts; their names."""
    server.asks.clear()
    server.script = by_model({name.replace("_", "-"): script for name, script in scripts.items()})
    return [f"openai-api/scripted/{name.replace('_', '-')}" for name in scripts]


def test_a_careful_reader_changes_nothing(server: ScriptedServer, logs: Path) -> None:
    names = use_scripts(server, swap_careful=careful)
    found = audit_evaluators(logs, names, use=ALL_PAIRS, draws=FEW)
    assert server.failures == []
    assert found.contestants == tuple(f"lab/{name} + one_step" for name in ("fair", "good", "poor"))
    assert found.base == "matcher"
    for row in found.drift:
        assert (row["evaluator"], row["items"], row["contestants"]) == (names[0], 3, 3)
        assert row["max"] == pytest.approx(0.0)
    for row in found.ranks:
        assert row["spearman"] == row["kendall"] == pytest.approx(1.0)
    matcher, reader = found.evaluators
    assert (matcher["value"], matcher["n"]) == (None, 0)
    assert (reader["value"], reader["n"], reader["answers"]) == (0.0, 9, 9)
    assert found.notes == ()


def test_who_always_says_yes_lifts_everybody_to_one(server: ScriptedServer, logs: Path) -> None:
    names = use_scripts(server, swap_careful=careful, swap_yes=always_yes)
    found = audit_evaluators(logs, names, base=names[0], use=ALL_PAIRS, draws=FEW)
    drift = {(row["evaluator"], row["aspect"]): row for row in found.drift}
    # The schema of `poor`: 0 of 2 and 0 of 1; 1 of 3 and 1 of 2; 1 of 2 and 1 of 1.
    recall, precision = (0 + 1 / 3 + 1 / 2) / 3, (0 + 1 / 2 + 1) / 3
    f1 = 2 * recall * precision / (recall + precision)
    worst = drift[names[1], "schema"]
    assert worst["max"] == pytest.approx(1 - f1)
    assert worst["max_of"] == "lab/poor + one_step"
    assert drift["matcher", "schema"]["max"] == pytest.approx(0.0)
    # All contestants are alike to who says yes to everything: no ranking.
    ranks = {(row["evaluator"], row["aspect"]): row for row in found.ranks}
    assert ranks[names[1], "schema"]["kendall"] is None
    assert {row["evaluator"]: row["value"] for row in found.evaluators}[names[1]] == 1.0


def test_an_audit_that_is_run_again_asks_for_what_is_new_alone(
    server: ScriptedServer, logs: Path
) -> None:
    def moody(ask: Ask) -> Reply:
        return error(400, "Enough for today.") if "Forests" in ask.prompt else careful(ask)

    names = use_scripts(server, swap_moody=moody)
    with pytest.raises(VivaError, match=r"swap-moody failed: .*Run the same command again"):
        audit_evaluators(logs, names, use=ALL_PAIRS, draws=FEW)
    use_scripts(server, swap_moody=careful)
    first = audit_evaluators(logs, names, use=ALL_PAIRS, draws=FEW)
    # The sixth of nine answers names forests; the first eight are asked about at once.
    assert 0 < len(server.asks) < 9
    server.asks.clear()
    assert audit_evaluators(logs, names, use=ALL_PAIRS, draws=FEW) == first
    assert server.asks == []


def test_a_synthesizer_words_what_an_answerer_reads(server: ScriptedServer, logs: Path) -> None:
    def wording(ask):
        texts = shown_questions(ask)
        return answer(json.dumps({str(n): text for n, text in enumerate(texts, start=1)}))

    writer, reader = use_scripts(server, swap_writer=wording, swap_reader=careful)
    found = audit_evaluators(logs, [f"{writer}, {reader}"], use=ALL_PAIRS, draws=FEW)
    assert {row["evaluator"] for row in found.drift} == {f"{writer} > {reader}"}
    assert {ask.model for ask in server.asks} == {"swap-writer", "swap-reader"}
    assert all(row["max"] == pytest.approx(0.0) for row in found.drift)


def test_a_faulty_answer_is_worth_0_and_shown_to_nobody(
    server: ScriptedServer, tmp_path: Path
) -> None:
    folder = tmp_path / "logs"
    write_table_log(folder, GOLDS, GOLDS, model="lab/good")
    texts = {**GOLDS, "t2": "I'm sorry, but I can't help with that.", "t3": "No table today."}
    write_table_log(folder, GOLDS, texts, model="lab/lazy", faults={"t2": "refusal"})
    names = use_scripts(server, swap_yes=always_yes)
    found = audit_evaluators(folder, names, use=ALL_PAIRS, draws=FEW)
    # Two of three answers are none: recall and precision 1/3 with the one, and with the other.
    assert {row["max"] for row in found.drift} == {0.0}
    assert "2 answers score 0 with every evaluator: malformed 1, refusal 1." in found.notes
    assert not any("sorry" in ask.prompt or "today" in ask.prompt for ask in server.asks)


def test_several_answers_to_an_item_are_averaged(server: ScriptedServer, tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    twice = {item: [gold, table("None", "P1|x")] for item, gold in GOLDS.items()}
    write_table_log(folder, GOLDS, twice, model="lab/moody")
    names = use_scripts(server, swap_yes=always_yes)
    found = audit_evaluators(folder, names, use=ALL_PAIRS, draws=FEW)
    schema = found.drift[0]
    # Precision and recall 1 and 0 by the matcher, so 1/2; 1 by who says yes.
    assert (schema["aspect"], schema["max"], schema["mean"]) == ("schema", 0.5, 0.5)


def test_bounds_are_left_out_and_a_family_of_its_own_is_named(
    server: ScriptedServer, tmp_path: Path
) -> None:
    folder = tmp_path / "logs"
    write_table_log(folder, GOLDS, ANSWERS["fair"], model="lab/gpt-4o")
    write_table_log(folder, GOLDS, GOLDS, model="none/none", method="oracle")
    write_table_log(folder, GOLDS, ANSWERS["poor"], model="none/none", method="bm25_phrases")
    names = use_scripts(server, gpt_4o_mini=careful)
    found = audit_evaluators(folder, names, use=ALL_PAIRS, draws=FEW)
    assert found.contestants == ("bm25_phrases", "lab/gpt-4o + one_step")
    assert found.items == 3
    assert found.notes == (f"{names[0]} scores answers of its own family: lab/gpt-4o.",)


def test_one_setting_is_compared_at_a_time(server: ScriptedServer, tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    for setting in ("base", "titles"):
        write_table_log(folder, GOLDS, ANSWERS["fair"], setting=setting)
    names = use_scripts(server, swap_yes=always_yes)
    with pytest.raises(InputError, match=r"--setting: made · table · 1-A · base; made"):
        audit_evaluators(folder, names)
    with pytest.raises(InputError, match="round and setting"):
        audit_evaluators(folder, names, setting="abstracts")
    assert audit_evaluators(folder, names, setting="titles", use=ALL_PAIRS, draws=FEW).items == 3


def test_what_cannot_be_compared_is_reported(logs: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="--evaluator provider/model"):
        audit_evaluators(logs, ["matcher"])
    with pytest.raises(InputError, match="is not among the evaluators"):
        audit_evaluators(logs, ["a/b"], base="a/c")
    for wrong in ("gpt", "a/b,c/d,e/f", "matcher,a/b", "a/b,", ""):
        with pytest.raises(InputError, match="is not an evaluator"):
            read_evaluator(wrong)
    write_table_log(tmp_path / "bounds", GOLDS, GOLDS, model="none/none", method="oracle")
    with pytest.raises(VivaError, match="viva run table"):
        audit_evaluators(tmp_path / "bounds", ["a/b"])
    write_table_log(tmp_path / "half", GOLDS, {"t1": GOLDS["t1"]}, done=False)
    with pytest.raises(VivaError, match="not complete"):
        audit_evaluators(tmp_path / "half", ["a/b"])
