"""`viva audit` and the comparisons of `viva board`: tables, one JSON document, exit codes."""

from pathlib import Path

import pytest
from tests.results.audits.made_logs import WON, judge_note, write_log
from tests.results.audits.made_rounds import item, paper, words, write_round
from tests.servers.commands import only_json, viva, viva_here

SHOW = ("board", "show", "--by")


def test_a_label_with_an_unknown_id_is_named_with_its_line(tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    write_log(logs, {"a": 0.2}, judge="lab/judge", notes={"a": judge_note("lab/judge", *WON)})
    path = tmp_path / "labels.jsonl"
    path.write_text('{"id": "zzz", "a": "lab/one", "b": "reference", "verdict": "a"}\n')
    done = viva("audit", "judge", logs, "--human", path, "--json")
    assert (done.exit_code, done.stdout) == (2, "")
    assert f"{path}:1 has the id 'zzz'" in done.stderr


@pytest.mark.parametrize("verb", [("audit", "judge"), (*SHOW, "setting"), (*SHOW, "sweep")])
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
    done = viva_here("audit", "leakage", sound)
    assert "0 breaches, 0 other findings" in done.stdout
    demo = paper("later", published="2024-09-09", method=words("m"))
    late = {"abstract": [item(one, one.abstract, settings=("random",), random=["later"])]}
    leaky = write_round(tmp_path / "leaky", [one, demo], late)
    done = viva_here("audit", "leakage", leaky, expect=1)
    assert "Breach: demonstration_not_earlier: abstract: one and later" in done.stdout
    found = viva_here("audit", "leakage", leaky, "--json", expect=1)
    assert only_json(found.stdout)["breaches"] == 1
