"""Items drawn by a seed, and texts read out of logs: bounded, and in the right place."""

import zipfile
from pathlib import Path

import pytest
from inspect_ai.log import read_eval_log, write_eval_log
from inspect_ai.model import ChatMessageSystem, ChatMessageUser
from tests.results.answered_logs import answered, read
from tests.results.audits.made_logs import judge_note, write_log
from tests.results.integrity.forgeries import add_raised_archive

from vivavoce.errors import InputError
from vivavoce.results.logs import sample_texts
from vivavoce.results.logs.sample_texts import choose_item_texts
from vivavoce.results.logs.selection import select_logs

ITEMS = [f"item-{number}" for number in range(9)]


def test_every_contestants_answer_stands_beside_input_and_gold(tmp_path: Path) -> None:
    for model in ("lab/one", "lab/two"):
        path = write_log(tmp_path, {"a": 0.25}, model=model)
        answered(path, f"{model} answers", explanation="counted words")
    (item,) = read(tmp_path)
    assert item.place == ("made", "title", "1-A", "base")
    assert item.metrics == ("rougeL", "rouge1")
    first, second = (answer.texts for answer in item.read())
    assert (first.input, first.gold, first.output) == ("asked a", "gold of a", "lab/one answers")
    assert (second.output, second.explanation) == ("lab/two answers", "counted words")
    assert [answer.source.key.model for answer in item.read()] == ["lab/one", "lab/two"]
    assert [score.values["rougeL"] for (score,) in item.scores()] == [0.25, 0.25]


def test_a_seed_draws_the_same_items_in_every_setting(tmp_path: Path) -> None:
    for setting in ("base", "random"):
        write_log(tmp_path, dict.fromkeys(ITEMS, 0.5), setting=setting)
    drawn = [(item.place[3], item.id) for item in read(tmp_path)]
    base = [item for setting, item in drawn if setting == "base"]
    assert len(base) == 3
    assert base == [item for setting, item in drawn if setting == "random"]
    assert base == sorted(base)


def test_another_log_does_not_change_the_draw_and_another_seed_does(tmp_path: Path) -> None:
    write_log(tmp_path, dict.fromkeys(ITEMS, 0.5))
    before = [item.id for item in read(tmp_path)]
    write_log(tmp_path, dict.fromkeys(ITEMS, 0.1), model="lab/two")
    assert [item.id for item in read(tmp_path)] == before
    assert [item.id for item in read(tmp_path, seed=1)] != before
    assert len(read(tmp_path, count=100)) == len(ITEMS)
    assert read(tmp_path, count=0) == []


def test_the_key_changes_with_a_log_and_with_nothing_else(tmp_path: Path) -> None:
    path = write_log(tmp_path, {"a": 0.5})
    (before,) = read(tmp_path)
    assert read(tmp_path)[0].key == before.key
    answered(path, "something else")
    assert read(tmp_path)[0].key != before.key


def test_the_first_attempt_stands_for_all_and_the_mean_is_that_of_all(tmp_path: Path) -> None:
    write_log(tmp_path, {"a": [0.25, 0.75, 0.5]})
    (item,) = read(tmp_path)
    (answer,) = item.read()
    assert (answer.score.values["rougeL"], answer.source.epochs) == (0.25, 3)
    assert [score.epoch for score in answer.scores] == [1, 2, 3]
    assert item.means() == (0.5,)  # (0.25 + 0.75 + 0.5) / 3


def test_a_log_that_is_gone_is_named(tmp_path: Path) -> None:
    path = write_log(tmp_path, {"a": 0.5})
    logs, _ = select_logs(tmp_path)
    path.unlink()
    with pytest.raises(InputError, match="is no longer in the folder"):
        choose_item_texts(logs, count=1)


def test_messages_are_put_together_and_a_judge_is_kept(tmp_path: Path) -> None:
    note = judge_note("jury/x", "first", "second")
    path = write_log(tmp_path, {"a": 0.5}, judge="jury/x", notes={"a": note})
    log = read_eval_log(str(path))
    for sample in log.samples or []:
        sample.input = [ChatMessageSystem(content="Be brief."), ChatMessageUser(content="Go.")]
    write_eval_log(log, str(path))
    (text,) = (answer.texts for answer in read(tmp_path)[0].read())
    assert text.input == "Be brief.\n\nGo."
    assert text.judgement["model"] == "jury/x"


@pytest.mark.parametrize(("length", "more"), [(10, ""), (11, "\n… (+1 characters)")])
def test_a_long_text_is_cut_and_says_by_how_much(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, length: int, more: str
) -> None:
    monkeypatch.setattr(sample_texts, "MAX_LENGTH", 10)
    answered(write_log(tmp_path, {"a": 0.5}), "x" * length)
    (text,) = (answer.texts for answer in read(tmp_path)[0].read())
    assert text.output == "x" * 10 + more


def test_a_sample_that_is_too_large_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sample_texts, "LARGEST", 3_000_000)
    answered(write_log(tmp_path, {"a": 0.5}), "x" * 4_000_000)
    (text,) = (answer.texts for answer in read(tmp_path)[0].read())
    assert text.output == ""
    assert text.problem == "This sample has 8 MB and is not shown. Open the log itself."


def test_a_log_that_lies_about_a_samples_size_shows_no_text(tmp_path: Path) -> None:
    """The archive claims 100 bytes for what unpacks to many times that."""
    path = write_log(tmp_path, {"a": 0.5})
    answered(path, "x" * 3_000_000)
    (item,) = read(tmp_path)
    data = bytearray(path.read_bytes())
    with zipfile.ZipFile(path) as archive:
        entry = archive.getinfo("samples/a_epoch_1.json")
    name = entry.filename.encode()
    place = data.rindex(name) - 46  # its line in the archive's directory
    assert data[place : place + 4] == b"PK\x01\x02"
    assert int.from_bytes(data[place + 24 : place + 28], "little") == entry.file_size
    data[place + 24 : place + 28] = (100).to_bytes(4, "little")
    path.write_bytes(data)
    (text,) = (answer.texts for answer in item.read())
    assert text.problem.startswith("The log cannot be read here")


def test_a_log_with_two_tables_of_contents_shows_no_text(tmp_path: Path) -> None:
    """The sizes of the one say nothing about what a reader of the other unpacks."""
    path = write_log(tmp_path, {"a": 0.5})
    answered(path)
    (item,) = read(tmp_path)
    add_raised_archive(path)
    (text,) = (answer.texts for answer in item.read())
    assert text.problem.startswith("The log cannot be read here (BadZipFile)")


@pytest.mark.parametrize("harm", ["cut", "gone"])
def test_a_log_that_is_damaged_meanwhile_costs_its_own_texts_alone(
    tmp_path: Path, harm: str
) -> None:
    first = write_log(tmp_path, {"a": 0.5}, model="lab/one")
    answered(write_log(tmp_path, {"a": 0.5}, model="lab/two"))
    (item,) = read(tmp_path)
    if harm == "cut":
        first.write_bytes(first.read_bytes()[:200])
    else:
        first.unlink()
    broken, whole = (answer.texts for answer in item.read())
    assert broken.problem.startswith("The log cannot be read here")
    assert (whole.problem, whole.output) == ("", "said")


def test_who_did_not_answer_an_item_is_reported(tmp_path: Path) -> None:
    write_log(tmp_path, {"a": 0.5, "b": 0.5}, model="lab/one")
    path = write_log(tmp_path, {"a": 0.5, "b": 0.5}, model="lab/two")
    log = read_eval_log(str(path))
    log.samples, log.status = (log.samples or [])[:1], "cancelled"
    write_eval_log(log, str(path))
    logs, _ = select_logs(tmp_path, partial=True)
    remarks = {
        (item.id, answer.source.key.model): answer.texts.problem
        for item in choose_item_texts(logs, count=2)
        for answer in item.read()
    }
    assert remarks.pop(("b", "lab/two")) == "There is no answer to this item."
    assert set(remarks.values()) == {""}


def test_a_log_in_json_is_read_too(tmp_path: Path) -> None:
    path = write_log(tmp_path / "eval", {"a": 0.5})
    answered(path)
    folder = tmp_path / "json"
    folder.mkdir()
    write_eval_log(read_eval_log(str(path)), str(folder / f"{path.stem}.json"))
    (text,) = (answer.texts for answer in read(folder)[0].read())
    assert (text.problem, text.output) == ("", "said")


def test_an_attempt_that_is_gone_costs_itself_alone(tmp_path: Path) -> None:
    path = write_log(tmp_path / "made", {"a": [0.25, 0.75, 0.5]})
    log = read_eval_log(str(path))
    (tmp_path / "logs").mkdir()
    written = tmp_path / "logs" / path.name
    write_eval_log(log, str(written))
    (item,) = read(tmp_path / "logs")
    log.samples = [sample for sample in log.samples or [] if sample.epoch != 2]
    write_eval_log(log, str(written))
    (answer,) = item.read()
    assert [score.epoch for score in answer.scores] == [1, 3]
    assert answer.mean("rougeL") == 0.375  # (0.25 + 0.5) / 2


def test_hostile_ids_stay_text(tmp_path: Path) -> None:
    names = ["../../../etc/passwd", "<script>alert(1)</script>", "a\u202eb", "nul\x00"]
    write_log(tmp_path, dict.fromkeys(names, 0.5))
    found = {item.id: item.read()[0].texts for item in read(tmp_path, count=9)}
    assert sorted(found) == sorted(names)
    gold = {name: text.gold for name, text in found.items() if not text.problem}
    assert gold == dict.fromkeys(names[:3], "the gold text")
