"""Formulas as lines of text, and when two of them are the same."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.text.latex_formulas import linear_form, same_formula, symbol_stem


@pytest.mark.parametrize(
    ("latex", "line"),
    [
        (r"\frac{PE_{i,t}}{100 \, g_{i,t}}", "(PE_{i,t} / (100 g_{i,t}))"),
        (r"\sqrt{\frac{1}{n-1}}", "sqrt((1 / (n-1)))"),
        (r"\left(r - \overline{r}_{i}\right)^2", "(r - bar(r)_i)^2"),
        (r"\sigma_{i,t} \leq \beta", "σ_{i,t} <= β"),
        (r"\mathrm{rank}_t(B) \cdot 2", "rank_t(B) * 2"),
        (r"\ln \frac{a}{b}", "ln (a / b)"),
        (r"\mathbf{1}\{x < 0\}", "1{x < 0}"),
        (r"\frac12 x^10", "(1 / 2) x^10"),
    ],
)
def test_a_formula_becomes_one_line(latex: str, line: str) -> None:
    assert linear_form(latex) == line


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (r"\frac{a}{b}", "a/b"),
        (r"x_{i,t} = \frac{ a }{ b }", r"$\dfrac{a}{b}$"),
        (r"\left(a+b\right) c", r"(a + b) \cdot c"),
        (r"y = a + b, \quad a = 2c, \quad n = 20", r"a = 2 c; y = a+b"),
        (r"\mathrm{PEG} = \frac{P}{100 \, g}", r"P / (100 \times g)"),
        (r"\bar{q}_{t}", r"\overline{q}_t"),
    ],
)
def test_what_reads_the_same_is_the_same(one: str, other: str) -> None:
    assert same_formula(one, other)
    assert same_formula(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("(a+b)/c", "a+b/c"),
        ("a - b", "b - a"),
        (r"\frac{1}{n}", r"\frac{1}{n-1}"),
        (r"\sum_{j=0}^{n-1} x", r"\sum_{j=0}^{n} x"),
        ("x < 0", "x > 0"),
        ("a = b, c = d", "a = b"),
    ],
)
def test_a_difference_a_program_would_feel_is_one(one: str, other: str) -> None:
    assert not same_formula(one, other)


@pytest.mark.parametrize(
    ("symbol", "stem"),
    [
        ("C_{i,t}", "C"),
        ("$C_{i, t-1}$", "C"),
        ("C", "C"),
        (r"\overline{q}_{i,t}", "bar(q)"),
        (r"\bar q_t", "bar(q)"),
        ("q̄_t", "bar(q)"),
        (r"\sigma_t", "σ"),
        ("v^b_{i,m}", "v^b"),
        (r"\mathrm{PE}_{i,t}", "PE"),
        ("q_i,t", "q"),
    ],
)
def test_a_symbol_is_known_without_its_indices(symbol: str, stem: str) -> None:
    assert symbol_stem(symbol) == stem


@given(st.text(alphabet="ab\\{}_^()=,;/ \n$12", max_size=80))
def test_any_text_is_the_same_as_itself_and_as_its_line(text: str) -> None:
    assert same_formula(text, text)
    symbol_stem(text)
    line = linear_form(text)
    assert line == " ".join(line.split())


@pytest.mark.parametrize(
    "text",
    ["{" * 100_000, "\\frac" * 20_000, "(" * 100_000, "_" * 100_000, "a_{" * 50_000, "=" * 9],
)
def test_hostile_formulas_take_no_time(text: str) -> None:
    started = time.process_time()
    same_formula(text, text + "x")
    symbol_stem(text)
    assert time.process_time() - started < 2
