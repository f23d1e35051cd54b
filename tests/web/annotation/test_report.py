"""What a campaign came to: figures by hand, and the files of its export."""

import json
from pathlib import Path

import numpy as np
import pytest
from lxml import etree
from statsmodels.stats.inter_rater import fleiss_kappa
from tests.servers.annotation import EXCLUDE, INCLUDE, Made, content_of, make

from vivavoce.results.audits.human import read_labels
from vivavoce.statistics.estimates import Draws
from vivavoce.store import Row, read_json, read_jsonl
from vivavoce.web.annotation.campaigns import export_campaign
from vivavoce.web.annotation.kinds import KINDS
from vivavoce.web.annotation.report import WHOLE, measure

NO_DRAWS = Draws(resamples=0)


def report(made: Made, draws: Draws = NO_DRAWS) -> Row:
    return measure(made.campaign().kind, list(made.items().values()), draws)


def export(made: Made, folder: Path) -> Path:
    export_campaign(made.campaign(), list(made.items().values()), folder)
    return folder


@pytest.fixture(scope="module")
def ten(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """Ten items: 7 include, 1 exclude, 2 split, of which a third label ends one each way."""
    made = make(tmp_path_factory.mktemp("ten"), 10)
    made.work("ann", {"*": INCLUDE, "i0": EXCLUDE})
    made.work("ben", {"*": INCLUDE, "i0": EXCLUDE, "i1": EXCLUDE, "i2": EXCLUDE})
    made.work("cem", {"i1": EXCLUDE, "i2": INCLUDE})
    return made


def test_agreement_is_that_of_the_first_two_labels_alone(ten: Made) -> None:
    """8 of 10 agree; of 20 labels 16 are include: e = 0.8² + 0.2² = 0.68, (0.8 - 0.68) / 0.32.

    AC1: e = 2 · 0.8 · 0.2 = 0.32, (0.8 - 0.32) / 0.68.
    """
    (field,) = report(ten, Draws(300))["fields"]
    assert (field["field"], field["pairwise"]["value"], field["pairwise"]["n"]) == (
        "decision",
        0.8,
        10,
    )
    included = np.array([0] + [1, 1] + [2] * 7)
    kappa = fleiss_kappa(np.column_stack([included, 2 - included]))
    assert field["fleiss"]["value"] == pytest.approx(kappa) == pytest.approx(0.12 / 0.32)
    assert field["ac1"]["value"] == pytest.approx(0.48 / 0.68)
    low, high = field["pairwise"]["ci"]
    assert low <= 0.8 <= high


def test_items_people_and_shares_are_counted(ten: Made) -> None:
    found = report(ten)
    assert found["items"] == {"done": 10, "open": 0, "split": 0}
    assert found["people"] == {"A1": 10, "A2": 10, "A3": 2}
    shares = {row["value"]: (row["share"]["value"], row["share"]["n"]) for row in found["shares"]}
    assert shares == {"include": (0.8, 10), "exclude": (0.2, 10)}
    assert found["model"] == []


def test_nothing_labelled_is_undefined_and_no_error(tmp_path: Path) -> None:
    found = report(make(tmp_path, 2), Draws(100))
    assert found["items"] == {"done": 0, "open": 2, "split": 0}
    values = [found["fields"][0][name] for name in ("pairwise", "fleiss", "alpha", "ac1")]
    assert values == [{"value": None, "ci": None, "n": 0}] * 4


def test_a_kind_of_several_fields_has_the_whole_label_and_groups(tmp_path: Path) -> None:
    """Grounded agrees in both items, right in one: the whole label in one."""
    rows = [
        {"id": f"i{number}", "content": content_of("qa", number) | {"group": group}}
        for number, group in enumerate("xy")
    ]
    made = make(tmp_path, rows, kind="qa")
    yes = {"grounded": "yes", "right": "yes"}
    made.work("ann", {"*": yes})
    made.work("ben", {"i0": yes, "i1": {"grounded": "yes", "right": "no"}})
    found = report(made)
    values = {row["field"]: row["pairwise"]["value"] for row in found["fields"]}
    assert values == {"grounded": 1.0, "right": 0.5, WHOLE: 0.5}
    groups = {(r["group"], r["field"], r["value"]): r["share"]["value"] for r in found["shares"]}
    assert groups[None, "right", "yes"] == groups["x", "right", "yes"] == 1.0
    assert ("y", "right", "yes") not in groups  # y is open


def test_a_model_is_compared_with_final_labels(tmp_path: Path) -> None:
    """Finals: i0, i1 exclude, 7 include. The model: include but for i0.

    It agrees on 8 of 9. Cohen's kappa by hand: people 2 exclude of 9, the model 1 of 9;
    e = (2·1 + 7·8) / 81 = 58/81; (8/9 - 58/81) / (1 - 58/81) = (14/81) / (23/81) = 14/23.
    """
    rows = [
        {"id": f"i{n}", "content": content_of("distractors", n) | {"suggestion": label}}
        for n, label in enumerate([EXCLUDE, *[INCLUDE] * 8])
    ]
    made = make(tmp_path, rows)
    for name in ("ann", "ben"):
        made.work(name, {"*": INCLUDE, "i0": EXCLUDE, "i1": EXCLUDE})
    (row,) = report(made)["model"]
    assert (row["agreement"]["value"], row["agreement"]["n"]) == (8 / 9, 9)
    assert row["kappa"]["value"] == pytest.approx(14 / 23)
    shares = (row["people"]["exclude"]["value"], row["model"]["exclude"]["value"])
    assert shares == (2 / 9, 1 / 9)


# Export


def test_an_export_is_the_same_bytes_each_time_and_names_nobody(ten: Made, tmp_path: Path) -> None:
    names = ["annotations.jsonl", "guidelines.md", "items.jsonl"]
    names += ["label_studio.json", "label_studio.xml", "labels.jsonl"]
    first, second = export(ten, tmp_path / "one"), export(ten, tmp_path / "two")
    assert sorted(path.name for path in first.glob("[!.]*")) == names
    for name in names:
        content = (first / name).read_bytes()
        assert content == (second / name).read_bytes()
        for person, link in ten.links.items():
            assert f'"{person}"'.encode() not in content
            assert link.split("-", 1)[1].encode() not in content
    rows = [row for _, row in read_jsonl(first / "annotations.jsonl")]
    assert len(rows) == 22
    assert (rows[0]["item"], rows[0]["person"], rows[0]["value"]) == ("i0", "A1", EXCLUDE)


def test_labels_of_distractors_name_the_paper(tmp_path: Path) -> None:
    rows = [
        {"id": f"i{n}", "content": content_of("distractors", n) | {"table": "t", "paper": f"p{n}"}}
        for n in range(3)
    ]
    made = make(tmp_path, rows)
    made.work("ann", {"*": EXCLUDE})
    made.work("ben", {"*": EXCLUDE, "i2": INCLUDE})
    folder = export(made, tmp_path / "out")
    labels = {row["paper"]: row["decision"] for _, row in read_jsonl(folder / "labels.jsonl")}
    assert labels == {"p0": "exclude", "p1": "exclude"}  # i2 is open


def test_a_demand_is_accepted_when_all_speaks_for_it(tmp_path: Path) -> None:
    made = make(tmp_path, 2, kind="demands")
    good = dict.fromkeys([field.name for field in KINDS["demands"].fields], "yes")
    good["offensive"] = "no"
    for name in ("ann", "ben"):
        made.work(name, {"i0": good, "i1": {**good, "non_leaking": "no"}})
    folder = export(made, tmp_path / "out")
    accepted = {row["id"]: row["accepted"] for _, row in read_jsonl(folder / "labels.jsonl")}
    assert accepted == {"i0": True, "i1": False}


def test_the_first_two_verdicts_go_to_the_audit_of_judges(tmp_path: Path) -> None:
    content = content_of("preference", 0) | {
        "names": {"a": "lab/one", "b": "reference"},
        "source": {"id": "s1", "task": "title", "setting": "base", "draw": "1 of 2"},
    }
    made = make(tmp_path, [{"id": "i0", "content": content}], kind="preference")
    for name in ("ann", "ben", "cem"):
        made.take(name)
        left = "a" if made.task(name, 1).content["a"] == "Left 0" else "b"
        made.label(name, 1, {"verdict": left if name == "ann" else "tie"})
    labels = read_labels(export(made, tmp_path / "out") / "labels.jsonl")
    assert [(label.id, label.sides, label.winner) for label in labels] == [
        ("s1", ("lab/one", "reference"), winner) for winner in ("first", "tie")
    ]
    assert (labels[0].task, labels[0].setting, labels[0].draw) == ("title", "base", "1 of 2")


def test_tasks_of_label_studio_hold_items_and_labels_as_choices(ten: Made, tmp_path: Path) -> None:
    tasks = read_json(export(ten, tmp_path) / "label_studio.json")
    assert [len(task["annotations"]) for task in tasks[:4]] == [2, 3, 3, 2]
    first = tasks[0]
    assert first["data"]["id"] == "i0"
    assert "Candidate number 0" in first["data"]["text"]
    (result,) = first["annotations"][0]["result"]
    assert result["value"] == {"choices": ["exclude"]}
    assert result["meta"] == {"text": ["A1"]}
    # Label Studio refuses an author who is none of its own users.
    assert "completed_by" not in json.dumps(tasks)


@pytest.mark.parametrize("kind", KINDS)
def test_the_labelling_interface_is_xml_with_every_choice(tmp_path: Path, kind: str) -> None:
    folder = export(make(tmp_path, 1, kind=kind), tmp_path / "out")
    root = etree.parse(folder / "label_studio.xml").getroot()
    found = {c.get("name"): tuple(o.get("value") for o in c) for c in root.iter("Choices")}
    assert found == {field.name: field.values for field in KINDS[kind].fields}
