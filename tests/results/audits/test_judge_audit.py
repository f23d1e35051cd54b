"""A judge audited: counts by hand, planted biases found again, judges and people compared."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import krippendorff
import numpy as np
import pytest
from tests.results.audits.made_logs import LOST, TIED, WON, judge_note, write_log

from vivavoce.errors import InputError, NothingToAuditError
from vivavoce.results.audits.judge import JudgeAudit, audit_judge
from vivavoce.statistics.estimates import pairwise_agreement

Places = tuple[str | None, str | None]


def alpha_of(units: list[list[str]]) -> float:
    """Krippendorff's nominal alpha."""
    kinds = sorted({label for unit in units for label in unit})
    numbers = [[float(kinds.index(label)) for label in unit] for unit in units]
    found: float = krippendorff.alpha(
        reliability_data=np.array(numbers).T, level_of_measurement="nominal"
    )
    return found


def write(
    folder: Path,
    places: Mapping[str, Places],
    *,
    judge: str = "lab/judge",
    words: Mapping[str, tuple[int, int]] | None = None,
    answers: Mapping[str, str] | None = None,
    **options: Any,
) -> None:
    """A log whose answers were judged: the places that won, answer first, then reference first."""
    notes = {
        item: judge_note(
            judge,
            *won,
            words=(words or {}).get(item, (100, 100)),
            answer=(answers or {}).get(item, "same"),
        )
        for item, won in places.items()
    }
    write_log(folder, dict.fromkeys(places, 0.5), judge=judge, notes=notes, **options)


def measure(audit: JudgeAudit, name: str, **wanted: str) -> dict[str, Any]:
    wanted = {"criterion": "overall", "measure": name, **wanted}
    [row] = [row for row in audit.measures if all(row[k] == v for k, v in wanted.items())]
    return row


def test_verdicts_are_counted_in_both_orders(tmp_path: Path) -> None:
    half: Places = ("first", None)
    write(tmp_path, {"a": WON, "b": LOST, "c": TIED, "d": TIED, "e": half})
    audit = audit_judge(tmp_path)
    # a: first, second; b: second, first; c and d: first, first. e lacks one and is left out.
    first = measure(audit, "first_share")
    assert (first["value"], first["n"], first["unbiased"]) == (6 / 8, 8, 0.5)
    flips = measure(audit, "flip_rate")
    assert (flips["value"], flips["n"]) == (2 / 4, 4)
    assert flips["ci"][0] <= 0.5 <= flips["ci"][1]
    wins = measure(audit, "win_rate")
    assert (wins["value"], wins["n"]) == (0.5, 4)  # (1 + 0 + 1/2 + 1/2) / 4
    assert (measure(audit, "unjudged")["value"], measure(audit, "unjudged")["n"]) == (1 / 5, 5)
    assert first["judge_model"] == "lab/judge"


def test_a_judge_that_always_says_first_flips_always(tmp_path: Path) -> None:
    write(tmp_path, dict.fromkeys("abcd", TIED))
    audit = audit_judge(tmp_path)
    assert measure(audit, "flip_rate")["value"] == 1.0
    assert measure(audit, "win_rate")["value"] == 0.5
    assert (measure(audit, "first_share")["value"], measure(audit, "first_share")["ci"]) == (
        1.0,
        [1.0, 1.0],
    )


def test_the_slope_by_hand(tmp_path: Path) -> None:
    places = {"a": WON, "b": LOST, "c": LOST, "d": TIED}
    words = {"a": (200, 100), "b": (200, 100), "c": (50, 100), "d": (100, 100)}
    write(tmp_path, places, words=words)
    audit = audit_judge(tmp_path)
    # log2 ratios 1, 1, -1, 0 (mean 1/4); points 1, 0, 0, 1/2 (mean 3/8).
    # sum xy - n mx my = 1 - 4 * 1/4 * 3/8 = 5/8; sum xx - n mx² = 3 - 1/4 = 11/4.
    slope = measure(audit, "length_slope")
    assert (slope["value"], slope["n"]) == (pytest.approx((5 / 8) / (11 / 4)), 4)


def test_an_answer_whose_words_no_judge_counted_has_no_say_in_the_slope(tmp_path: Path) -> None:
    notes = {item: judge_note("lab/judge", *WON) for item in "abcd"}
    del notes["c"]["words"]["answer"], notes["d"]["words"]["reference"]
    write_log(tmp_path, dict.fromkeys("abcd", 0.5), judge="lab/judge", notes=notes)
    assert measure(audit_judge(tmp_path), "length_slope")["n"] == 2


def test_a_contestant_that_writes_more_and_better_is_no_bias(tmp_path: Path) -> None:
    """Between contestants length and wins go together; within each, length does not matter."""
    for model, won, base in (("lab/long", WON, 400), ("lab/short", LOST, 100)):
        words = {item: (base * (1 + n % 2), 100) for n, item in enumerate("abcd")}
        write(tmp_path, dict.fromkeys("abcd", won), words=words, model=model)
    assert measure(audit_judge(tmp_path), "length_slope")["value"] == pytest.approx(0.0)


def test_a_planted_length_bias_is_found_within_its_interval(tmp_path: Path) -> None:
    draw = np.random.default_rng(11)
    places: dict[str, Places] = {}
    words = {}
    for item in range(300):
        ratio = draw.uniform(-2, 2)
        chance = 0.5 + 0.2 * ratio  # 0.2 points for each doubling
        places[f"{item:03d}"] = WON if draw.random() < chance else LOST
        words[f"{item:03d}"] = (round(1000 * 2**ratio), 1000)
    write(tmp_path, places, words=words)
    low, high = measure(audit_judge(tmp_path, resamples=500), "length_slope")["ci"]
    assert low <= 0.2 <= high
    assert low > 0.1


def test_criteria_have_rows_of_their_own(tmp_path: Path) -> None:
    notes = {item: judge_note("lab/judge", *WON, novelty="second", style="first") for item in "ab"}
    write_log(tmp_path, {"a": 0.1, "b": 0.2}, judge="lab/judge", notes=notes)
    audit = audit_judge(tmp_path)
    names = list(dict.fromkeys(row["criterion"] for row in audit.measures))
    assert names == ["overall", "novelty", "style"]
    assert measure(audit, "first_share", criterion="novelty")["value"] == 0.0
    assert measure(audit, "flip_rate", criterion="style")["value"] == 1.0


def test_a_note_too_long_for_the_summaries_is_read_whole(tmp_path: Path) -> None:
    note = judge_note("lab/judge", *WON, **{f"criterion_{n:03d}": "first" for n in range(60)})
    assert len(json.dumps(note)) > 1_024
    write_log(tmp_path, {"a": 0.1}, judge="lab/judge", notes={"a": note})
    assert measure(audit_judge(tmp_path), "flip_rate")["n"] == 1


LABELS = {WON: 1, TIED: 0, LOST: -1}
FIRST_JUDGE = {"a": WON, "b": WON, "c": LOST, "d": TIED, "e": LOST, "f": WON}
SECOND_JUDGE = {"a": WON, "b": LOST, "c": LOST, "d": TIED, "e": TIED, "f": WON}


def test_two_judges_of_the_same_answers(tmp_path: Path) -> None:
    write(tmp_path, FIRST_JUDGE, judge="lab/judge-1")
    write(tmp_path, SECOND_JUDGE, judge="lab/judge-2")
    [row] = audit_judge(tmp_path).agreement
    assert (row["criterion"], row["n"], len(row["judges"])) == ("overall", 6, 2)
    units = [[LABELS[FIRST_JUDGE[i]], LABELS[SECOND_JUDGE[i]]] for i in FIRST_JUDGE]
    assert row["agreement"]["value"] == pytest.approx(pairwise_agreement(units))
    assert row["alpha"]["value"] == pytest.approx(alpha_of(units))
    # Agreement 4/6; chance (3 * 2 + 1 * 2 + 2 * 2) / 36 = 1/3; (2/3 - 1/3) / (2/3).
    assert row["kappa"]["value"] == pytest.approx(0.5)
    for name in ("agreement", "kappa", "alpha"):
        low, high = row[name]["ci"]
        assert low <= row[name]["value"] <= high


def test_answers_that_are_not_the_same_text_are_not_compared(tmp_path: Path) -> None:
    write(tmp_path, FIRST_JUDGE, judge="lab/judge-1", answers={"b": "one"})
    write(tmp_path, SECOND_JUDGE, judge="lab/judge-2", answers={"b": "another"})
    audit = audit_judge(tmp_path)
    assert audit.agreement[0]["n"] == 5
    assert any("judged 1 answers with different texts" in note for note in audit.notes)


def human(folder: Path, *rows: Mapping[str, Any]) -> Path:
    path = folder / "labels.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    return path


def label(item: str, verdict: str, a: str = "lab/one", b: str = "reference") -> dict[str, Any]:
    return {"id": item, "a": a, "b": b, "verdict": verdict}


def test_a_judge_is_compared_with_people(tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    write(logs, {"a": WON, "b": LOST, "c": TIED, "d": WON})
    labels = human(
        tmp_path,
        label("a", "a"),
        label("b", "a", a="reference", b="lab/one"),  # the same side, named the other way round
        label("c", "tie"),
        label("d", "b"),
    )
    [row] = audit_judge(logs, human=labels).human
    assert (row["labels"], row["n"], row["indirect"]) == (4, 4, 0)
    assert row["agreement"]["value"] == pytest.approx(3 / 4)
    # People: one, reference, tie, reference. Judge: one, reference, tie, one. Chance
    # (1 * 2 + 2 * 1 + 1 * 1) / 16 = 5/16; (12/16 - 5/16) / (11/16).
    assert row["kappa"]["value"] == pytest.approx(7 / 11)
    assert (row["decided"]["value"], row["decided"]["n"]) == (pytest.approx(2 / 3), 3)
    assert row["agreement"]["ci"][0] <= 0.75 <= row["agreement"]["ci"][1]


def test_two_contestants_are_compared_by_how_each_does_against_the_reference(
    tmp_path: Path,
) -> None:
    logs = tmp_path / "logs"
    write(logs, {"a": WON, "b": LOST, "c": WON}, model="lab/one")
    write(logs, {"a": TIED, "b": LOST, "c": LOST}, model="lab/two")
    labels = human(
        tmp_path,
        label("a", "a", b="lab/two"),
        label("b", "tie", b="lab/two"),
        label("c", "a", a="lab/two", b="lab/one"),
    )
    [row] = audit_judge(logs, human=labels).human
    assert (row["n"], row["indirect"]) == (3, 3)
    assert row["agreement"]["value"] == pytest.approx(2 / 3)


def test_people_who_label_the_same_pair_are_compared_with_each_other(tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    write(logs, {"a": WON, "b": LOST})
    labels = human(tmp_path, label("a", "a"), label("a", "tie"), label("b", "b"), label("b", "b"))
    [row] = audit_judge(logs, human=labels).human
    assert row["people"] == {"value": 0.5, "n": 2}
    assert (row["n"], row["agreement"]["value"]) == (4, pytest.approx(3 / 4))


def test_a_person_who_labels_a_pair_again_is_no_second_person(tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    write(logs, {"a": WON, "b": LOST})
    first, again = ({**label("a", verdict), "person": "Ada"} for verdict in ("b", "a"))
    other = {**label("a", "b"), "person": "Bo"}
    audit = audit_judge(logs, human=human(tmp_path, first, again, label("b", "b"), other))
    [row] = audit.human
    assert row["people"] == {"value": 0.0, "n": 1}
    assert (row["n"], row["agreement"]["value"]) == (3, pytest.approx(2 / 3))
    assert "1 label left out: the same person labelled the pair again later." in audit.notes


@pytest.mark.parametrize(
    ("row", "complaint"),
    [
        (label("zzz", "a"), r"labels.jsonl:2 has the id 'zzz', which no judge judged"),
        (label("a", "a", a="lab/none"), r"labels.jsonl:2 names 'lab/none'.*lab/one, reference"),
        (
            label("a", "first"),
            r"labels.jsonl:2: verdict: Input should be 'a', 'b' or 'tie'; got 'first'",
        ),
        (label("a", "a", a="reference"), r"labels.jsonl:2 compares 'reference' with itself"),
        ({**label("a", "a"), "task": "poem"}, r"labels.jsonl:2 names 'lab/one'"),
    ],
)
def test_a_label_that_fits_nothing_is_named_by_its_line(
    tmp_path: Path, row: Mapping[str, Any], complaint: str
) -> None:
    logs = tmp_path / "logs"
    write(logs, {"a": WON, "b": LOST})
    with pytest.raises(InputError, match=complaint):
        audit_judge(logs, human=human(tmp_path, label("a", "a"), row))


def test_a_label_of_an_item_of_two_tasks_has_to_say_which(tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    write(logs, {"a": WON}, task="title")
    write(logs, {"a": LOST}, task="abstract")
    with pytest.raises(InputError, match=r"labels.jsonl:1 may mean several rows"):
        audit_judge(logs, human=human(tmp_path, label("a", "a")))
    chosen = human(tmp_path, {**label("a", "b"), "task": "abstract"})
    [row] = audit_judge(logs, human=chosen).human
    assert (row["n"], row["agreement"]["value"]) == (1, 1.0)


def test_logs_without_a_judge_are_reported(tmp_path: Path) -> None:
    write_log(tmp_path, {"a": 0.2})
    with pytest.raises(NothingToAuditError, match=r"no verdicts of a judge.*--judge"):
        audit_judge(tmp_path)
