"""Gold and prediction files paired by id."""

import gzip
import json
from pathlib import Path

import pytest

from vivavoce.errors import InputError
from vivavoce.results.scoring import score
from vivavoce.tasks.scoring.files import read_pairs


def write(path, *rows, end="\n"):
    path.write_text("\n".join(json.dumps(row) for row in rows) + end, "utf-8")
    return path


def test_pairs_come_in_the_order_of_the_gold_file_and_a_lacking_answer_is_counted(tmp_path):
    gold = write(tmp_path / "g.jsonl", {"id": "b"}, {"id": "a"}, {"id": "c"}, end="")
    answers = write(tmp_path / "p.jsonl", {"id": "a", "text": "x"}, {"id": "b", "text": "y"})
    pairs = read_pairs(gold, answers)
    assert [pair.gold.row["id"] for pair in pairs] == ["b", "a", "c"]
    assert [pair.prediction.row["text"] if pair.prediction else None for pair in pairs] == [
        "y",
        "x",
        None,
    ]


def test_one_and_the_text_one_are_two_ids(tmp_path):
    gold = write(tmp_path / "g.jsonl", {"id": 1}, {"id": "1"})
    answers = write(tmp_path / "p.jsonl", {"id": "1", "text": "text one"})
    first, second = read_pairs(gold, answers)
    assert first.prediction is None
    assert second.prediction is not None
    assert first.cluster != second.cluster


def test_gzip_is_told_from_the_content_not_from_the_name(tmp_path):
    gold = write(tmp_path / "g.jsonl", {"id": 1})
    squeezed = tmp_path / "answers.txt"
    squeezed.write_bytes(gzip.compress(b'{"id": 1, "text": "a"}'))
    [pair] = read_pairs(gold, squeezed)
    assert pair.text() == "a"


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("Es tut mir leid, ich kann nicht helfen: Roads of Salt.", "refusal"),
        ("**Title:** N/A", "placeholder"),
        ("Abstract: TBD", "placeholder"),
        ("I'm sorry, but I can't write that.", "refusal"),
        ("<think>It may be Roads of Salt", "unclosed"),
        ("<html><body>502 Bad Gateway: Roads of Salt</body></html>", "provider_error"),
    ],
)
def test_what_is_no_answer_is_counted_and_worth_nothing_as_in_a_run(text, fault):
    found = score("writing", [{"id": 1, "reference": "Roads of Salt"}], [{"id": 1, "text": text}])
    assert found["faults"] == {fault: 1}
    assert found["metrics"]["rougeL"]["value"] == 0


def test_items_of_one_table_share_its_cluster(tmp_path):
    gold = write(tmp_path / "g.jsonl", {"id": 1, "cluster": "t1"}, {"id": 2, "cluster": "t1"})
    pairs = read_pairs(gold, write(tmp_path / "p.jsonl", {"id": 1}))
    assert pairs[0].cluster == pairs[1].cluster


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ('{"id": 1}\n{"id": 1}', ":2: id 1 is already in"),
        ('{"id": 9}', ":1: id 9 is not in"),
        ('{"id": 1}\n{"text": "x"}', ":2: id must be a string or an integer, but it is missing"),
        ('{"id": true}', ":1: id must be a string or an integer, but it is bool"),
        ('{"id": 1.0}', ":1: id must be a string or an integer, but it is float"),
        ('{"id": 1', ":1 is not readable JSON"),
        ('{"id": 1, "text": NaN}', ":1 is not readable JSON"),
        ("[1]", ":1 is not a JSON object"),
        ("[" * 100_000, ":1 is not readable JSON"),
    ],
)
def test_a_bad_line_is_named(tmp_path, content, says):
    gold = write(tmp_path / "g.jsonl", {"id": 1})
    answers = tmp_path / "p.jsonl"
    answers.write_text(content, "utf-8")
    with pytest.raises(InputError, match=r"p\.jsonl") as caught:
        read_pairs(gold, answers)
    assert says in str(caught.value)


def test_a_gold_file_without_rows_is_refused(tmp_path):
    empty = tmp_path / "g.jsonl"
    empty.write_text("\n\n", "utf-8")
    with pytest.raises(InputError, match="has no rows"):
        read_pairs(empty, empty)


def test_rows_are_scored_as_files_are(tmp_path: Path) -> None:
    gold = [{"id": 1, "gold": ["A tree", "B river"]}, {"id": 2, "gold": ["C stone", "D cloud"]}]
    answers = [{"id": 2, "text": "D cloud\nC stone"}, {"id": 1, "text": "A tree\nB river"}]
    files = []
    for name, rows in (("gold", gold), ("answers", answers)):
        files.append(tmp_path / f"{name}.jsonl")
        files[-1].write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert score("ranking", gold, answers) == score("ranking", *files)
    assert score("ranking", gold, answers)["metrics"]["cp"]["value"] == 0.5
    with pytest.raises(InputError, match=r"predictions\[0\]: id 3 is not in gold"):
        score("ranking", gold, [{"id": 3, "text": ""}])
    with pytest.raises(InputError, match="factor needs two files, not rows"):
        score("factor", gold, answers)
