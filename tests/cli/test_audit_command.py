"""`viva audit` and the comparisons of `viva board`: tables, one JSON document, exit codes."""

from functools import partial
from pathlib import Path

import pytest
from tests.results.audits.made_logs import LOST, TIED, WON, judge_note, write_log
from tests.results.audits.made_rounds import item, paper, words, write_round
from tests.servers.commands import only_json, viva_here

viva = partial(viva_here, expect=None)

JUDGES = {
    "lab/judge-1": {"a": WON, "b": LOST, "c": TIED},
    "hub/Llama-3-70b": {"a": WON, "b": WON, "c": TIED},
}


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Logs with everything that the verbs look for."""
    folder = tmp_path_factory.mktemp("audit") / "logs"
    values = {"a": 0.2, "b": 0.4, "c": 0.6}
    for judge, places in JUDGES.items():
        notes = {i: judge_note(judge, *won, words=(120, 100)) for i, won in places.items()}
        for model in ("lab/llama-3-8b", "lab/qwen2-7b"):
            write_log(folder, values, judge=judge, notes=notes, model=model)
    write_log(folder, values, model="lab/one")
    write_log(folder, {i: v + 0.1 for i, v in values.items()}, model="lab/one", setting="random")
    lower = {i: v - 0.1 for i, v in values.items()}
    write_log(folder, lower, model="lab/one", prompt_hash="prompts-2")
    for retriever in ("bm25", "tfidf"):
        params = {"retriever": retriever, "chunks": 12}
        write_log(folder, values, model="lab/one", method="rag", params=params)
    return folder


SHOW = ("board", "show", "--by")


def test_a_label_with_an_unknown_id_is_named_with_its_line(logs: Path, tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    path.write_text('{"id": "zzz", "a": "lab/one", "b": "reference", "verdict": "a"}\n')
    done = viva("audit", "judge", logs, "--human", path, "--json")
    assert (done.exit_code, done.stdout) == (2, "")
    assert f"{path}:1 has the id 'zzz'" in done.stderr


@pytest.mark.parametrize("verb", [("audit", "judge"), (*SHOW, "setting")])
def test_logs_without_what_is_looked_for_end_with_1_and_say_how_to_make_some(
    tmp_path: Path, verb: tuple[str, str]
) -> None:
    write_log(tmp_path / "logs", {"a": 0.2, "b": 0.4})
    done = viva(*verb, tmp_path / "logs", "--json")
    assert (done.exit_code, done.stdout) == (1, "")
    assert "fault of the program" not in done.stderr


def test_a_sound_round_ends_with_0_and_a_breach_with_1(tmp_path: Path) -> None:
    one = paper("one")
    rows = {"abstract": [item(one, one.abstract, settings=("base", "title_only"))]}
    sound = write_round(tmp_path / "sound", [one], rows)
    done = viva("audit", "leakage", sound)
    assert done.exit_code == 0, done.stderr
    assert "0 breaches, 0 other findings" in done.stdout
    demo = paper("later", published="2024-09-09", method=words("m"))
    late = {"abstract": [item(one, one.abstract, settings=("random",), random=["later"])]}
    leaky = write_round(tmp_path / "leaky", [one, demo], late)
    done = viva("audit", "leakage", leaky)
    assert done.exit_code == 1
    assert "Breach: demonstration_not_earlier: abstract: one and later" in done.stdout
    found = viva("audit", "leakage", leaky, "--json")
    assert found.exit_code == 1
    assert only_json(found.stdout)["breaches"] == 1
