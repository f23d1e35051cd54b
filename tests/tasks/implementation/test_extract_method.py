"""Methods of reports through `viva run`: a scripted model that has only its prompt to go by."""

import json
import math
from pathlib import Path
from typing import Any

import pytest
from tests.servers.scripted import Ask, Reply, answer, slot
from tests.tasks.implementation.item_rounds import contest, round_of

from vivavoce.errors import InputError
from vivavoce.metrics.extraction import ExtractedMethod
from vivavoce.results.board.building import leaderboard
from vivavoce.rounds import Round
from vivavoce.tasks.implementation.items.report import (
    headings_as_methods,
    list_reports,
    parse_methods,
)
from vivavoce.text.json_answer import find_json

REPORTS = ["growth_at_a_price", "range_and_reward", "restless_months"]
"""The last one names a method without a formula."""
OPEN = "restless_months"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("reports")


@pytest.fixture(scope="module")
def opened(folder: Path) -> Round:
    return round_of(folder, formulas=["PEG"], reports=REPORTS)


def scores(opened: Round, logs: Path, **options: Any) -> dict[tuple[str, str], dict[str, Any]]:
    """Rows by method and report, of a model where there is a script."""
    rows = contest("extract_method", opened, logs, **options)
    return {(row["method"], row["item"]): row for row in rows}


def test_contestants_without_a_model_bound_the_metrics(opened: Round, tmp_path: Path) -> None:
    methods = ["oracle", "null", "headings", "empty"]
    found = scores(opened, tmp_path / "logs", methods=methods)
    for name in REPORTS:
        oracle, null = found["oracle", name], found["null", name]
        assert oracle["entity_f1"] == oracle["word_similarity"] == 1.0
        assert (null["entity_f1"], null["word_similarity"], null["fault"]) == (
            0.0,
            0.0,
            "malformed",
        )
        for method, inferred in (("oracle", 1.0), ("null", 0.0), ("headings", 0.0), ("empty", 0.0)):
            value = found[method, name]["inferred"]
            assert value == inferred if name == OPEN else math.isnan(value)
    # Its headings name the methods; of their variables, the text's are found and others too.
    assert found["headings", "growth_at_a_price"]["method_f1"] == 1.0
    assert 0.5 < found["headings", "growth_at_a_price"]["entity_f1"] < 1.0
    # Here they do not.
    assert found["headings", "range_and_reward"]["entity_f1"] == 0.0


@pytest.mark.parametrize("setting", ["base", "pdf"])
def test_a_model_reads_the_report_and_nothing_else(
    opened: Round, tmp_path: Path, setting: str
) -> None:
    by_title = {list_reports()[name].title: list_reports()[name] for name in REPORTS}

    def script(ask: Ask) -> Reply:
        text, report = slot(ask.prompt, "report"), by_title[slot(ask.prompt, "title").strip()]
        assert text.split()[-8:] == report.text.split()[-8:]
        assert ("$$" in text) is (setting == "base")
        for method in report.methods:
            assert method.description not in ask.prompt
        return answer(headings_as_methods(text))

    logs = tmp_path / "logs"
    found = scores(opened, logs, script=script, settings=[setting])
    alone = scores(opened, tmp_path / "alone", methods=["headings"], settings=[setting])
    for name in REPORTS:
        direct, headings = found["direct", name], alone["headings", name]
        assert {**direct, "inferred": 0, "method": ""} == {**headings, "inferred": 0, "method": ""}
    assert {row["setting"] for row in leaderboard(logs, resamples=0).rows} == {setting}


def test_answers_with_a_fault_are_counted_by_its_name(opened: Round, tmp_path: Path) -> None:
    # What only the report of restless months names, with a formula that it does not have.
    unmarked = {"methods": [{"name": "Decaying volatility", "formula": "v", "inferred": False}]}
    answers = {
        "Paying for growth, one day at a time": "[" * 50_000,
        "Does a wide daily range promise a reward?": '{"method": "the only one"}',
        "Restless months stay restless": json.dumps(unmarked),
    }
    scores(opened, tmp_path, script=lambda ask: answer(answers[slot(ask.prompt, "title").strip()]))
    row = next(r for r in leaderboard(tmp_path, resamples=0).rows)
    assert row["faults"] == {"malformed": 2, "unmarked": 1}


def test_a_long_report_is_cut_and_the_question_is_not(opened: Round, tmp_path: Path) -> None:
    def script(ask: Ask) -> Reply:
        assert "doubled inside JSON" in ask.prompt
        report = list_reports()[REPORTS[0]].text
        assert 0 < len(slot(ask.prompt, "report")) < len(report)
        return answer('{"methods": []}')

    found = scores(opened, tmp_path, script=script, context=2_000, max_tokens=500, limit=1)
    assert found["direct", REPORTS[0]]["fault"] is None
    assert found["direct", REPORTS[0]]["entity_f1"] == 0.0


def test_a_round_holds_the_reports_its_spec_names(folder: Path, opened: Round) -> None:
    counts = opened.manifest["counts"]["implementation"]
    assert counts["extract_method"]["items"] == 3
    without = round_of(folder, "without", formulas=["PEG"])
    assert "extract_method" not in without.manifest["counts"]["implementation"]
    with pytest.raises(InputError, match="there is no 'nothing'"):
        round_of(folder, "unknown", reports=["nothing"])


def test_an_answer_is_read_with_tolerance() -> None:
    given = {
        "methods": [
            {
                "name": " A ",
                "description": None,
                "formula": "",
                "variables": ["x", {"symbol": "y"}],
            },
            {"name": "B", "formula": r"\[ b \]", "variables": {r"\(z\)": ""}, "inferred": True},
            {"name": ""},
            "not a method",
        ]
    }
    a = ExtractedMethod("A", symbols=("x", "y"))
    b = ExtractedMethod("B", formula="b", symbols=("z",), is_inferred=True)
    assert parse_methods(given) == parse_methods(given["methods"]) == [a, b]
    assert parse_methods({"methods": []}) == []


@pytest.mark.parametrize(
    "value", [None, "text", {}, {"methods": None}, [{"name": 1}], [{"name": "a"}] * 101]
)
def test_what_is_no_list_of_methods_is_none(value: Any) -> None:
    assert parse_methods(value) is None


def test_latex_that_was_not_escaped_for_json_is_understood() -> None:
    raw = r'{"methods": [{"name": "A", "formula": "\frac{\beta}{\sigma} \rho \tau \nu",'
    raw += r' "variables": {"\beta_t": "slope"}}]}'
    (method,) = parse_methods(find_json(raw)) or []
    assert method.formula == r"\frac{\beta}{\sigma} \rho \tau \nu"
    assert method.symbols == (r"\beta_t",)


def test_headings_become_methods_with_their_first_formula() -> None:
    text = "## Data\n\nD.\n\n### One\n\nFirst $a_t$ with $x = 1$.\n\n$$y = a$$\n\nLater.\n"
    text += "\n### Two\n\nNo formula, $b$.\n\n## End\n\nE.\n"
    assert parse_methods(find_json(headings_as_methods(text))) == [
        ExtractedMethod("One", "First $a_t$ with $x = 1$.", "y = a", ("a_t",)),
        ExtractedMethod("Two", "No formula, $b$."),
    ]
    assert parse_methods(find_json(headings_as_methods("no heading"))) == []
