"""The reports: what their heads say stands in their text, and their PDFs say the same."""

import re
from collections import Counter

import pytest

from vivavoce.metrics.formulas import linear_form, same_formula
from vivavoce.tasks.implementation.build import pdf_text
from vivavoce.tasks.implementation.items.formula import DICTIONARY, list_formulas
from vivavoce.tasks.implementation.items.report import Report, list_reports

REPORTS = list(list_reports().values())
EACH = pytest.mark.parametrize("report", REPORTS, ids=lambda report: report.name)
_FORMULA = re.compile(r"\$\$.+?\$\$|\$[^$]*\$", re.DOTALL)


def plain(text: str) -> str:
    return " ".join(text.split()).casefold()


def words(text: str) -> list[str]:
    return re.findall(r"[^\W\d_]+", text.casefold())


@EACH
def test_every_method_and_formula_of_the_head_stands_in_the_text(report: Report) -> None:
    text, shown = plain(report.text), re.findall(r"\$\$(.+?)\$\$", report.text, re.DOTALL)
    for method in report.methods:
        assert method.name.casefold() in text, method.name
        if method.formula is None:
            assert method.possible
            assert not method.variables
            continue
        assert any(same_formula(method.formula, formula) for formula in shown), method.name
        for symbol in method.variables:
            assert symbol in report.text, (method.name, symbol)


@EACH
def test_a_formula_is_told_from_those_of_the_other_methods(report: Report) -> None:
    formulas = [method.formula for method in report.methods if method.formula]
    for place, formula in enumerate(formulas):
        assert same_formula(formula, linear_form(formula))
        assert not any(same_formula(formula, other) for other in formulas[place + 1 :])


@EACH
def test_the_descriptions_of_the_head_are_not_in_the_text(report: Report) -> None:
    running = words(report.text)
    there = {tuple(running[i : i + 8]) for i in range(len(running) - 7)}
    for method in report.methods:
        said = words(method.description)
        assert len(said) >= 8
        assert not there & {tuple(said[i : i + 8]) for i in range(len(said) - 7)}, method.name


@EACH
def test_the_claim_is_about_a_method_and_data_there_are(report: Report) -> None:
    claim = report.claim
    assert claim
    formula = list_formulas()[claim.formula]
    tables = set()
    for column in claim.columns:
        table, _, name = column.partition(".")
        assert name in DICTIONARY[table]["columns"]
        tables.add(table)
    assert tables == set(formula.tables)
    assert report.category == formula.category
    assert report.difficulty == formula.difficulty
    if claim.statistic == "information_coefficient":
        assert "daily_pv.$close" in claim.columns


@EACH
def test_the_pdf_says_what_the_text_says(report: Report) -> None:
    assert report.pdf_path
    assert report.pdf_path.stat().st_size < 100_000
    text = pdf_text(report.pdf_path)
    found = Counter(words(text))
    for method in report.methods:
        assert method.name.casefold() in plain(text), method.name
    for paragraph in re.split(r"\n\s*\n", report.text):
        asked = Counter(words(_FORMULA.sub(" ", paragraph)))
        assert (asked & found).total() >= 0.95 * asked.total(), paragraph
    # Formulas are lines of text there; a line break may stand inside one.
    squeezed = "".join(text.split())
    for method in report.methods:
        if method.formula:
            assert "".join(linear_form(method.formula).split()) in squeezed, method.name
    assert "$" not in text
