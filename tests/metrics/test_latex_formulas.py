"""Formulas as lines of text, and when two of them are the same."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vivavoce.metrics.formulas import linear_form, same_formula, symbol_stem


@pytest.mark.parametrize(
    ("latex", "line"),
    [
        (r"\frac{PE_{i,t}}{100 \, g_{i,t}}", "(PE_{i,t} / (100 g_{i,t}))"),
        (r"\left(r - \overline{r}_{i}\right)^2", "(r - bar(r)_i)^2"),
        (r"\sigma_{i,t} \leq \beta", "σ_{i,t} <= β"),
        (r"\mathrm{rank}_t(B) \cdot 2", "rank_t(B) * 2"),
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
        (r"\bar{q}_{t}", r"\overline{q}_t"),
        (r"y = ((a \mid b))", r"a \mid b"),
    ],
)
def test_what_reads_the_same_is_the_same(one: str, other: str) -> None:
    assert same_formula(one, other)
    assert same_formula(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("(a+b)/c", "a+b/c"),
        (r"\frac{1}{n}", r"\frac{1}{n-1}"),
        (r"\sum_{j=0}^{n-1} x", r"\sum_{j=0}^{n} x"),
        ("a = b, c = d", "a = b"),
        (r"(a + b) \mid (c + d)", r"a + b) \mid (c + d"),
    ],
)
def test_a_difference_a_program_would_feel_is_one(one: str, other: str) -> None:
    assert not same_formula(one, other)


@pytest.mark.parametrize(
    ("symbol", "stem"),
    [
        ("C_{i,t}", "C"),
        ("$C_{i, t-1}$", "C"),
        (r"\overline{q}_{i,t}", "bar(q)"),
        ("q̄_t", "bar(q)"),
        ("v^b_{i,m}", "v^b"),
        (r"\mathrm{PE}_{i,t}", "PE"),
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


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "text",
    [
        *("{" * 100_000, "\\frac" * 20_000, "(" * 100_000, "_" * 100_000, "a_{" * 50_000, "=" * 9),
        *("9^{9^{9^{9}}}", "|" * 3_000, "a^" * 3_000, "\\sum" * 900, "(a)" * 1_500, "-" * 4_000),
        *("a = b, b = a", "a = b^b, " * 500, "a_{1} = a_{2}^{a_{2}}, a_{2} = a_{1}^{a_{1}}"),
    ],
)
def test_hostile_formulas_take_no_time(text: str) -> None:
    same_formula(text, text + "x")
    symbol_stem(text)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (r"\frac{a}{b} + c", "c + a/b"),
        (r"\frac{C_t - L_t - (H_t - C_t)}{C_t - L_t}", r"\frac{2 C_t - L_t - H_t}{C_t - L_t}"),
        (r"\ln \frac{x_t}{y_t}", r"\ln(x_t) - \ln y_t"),
        (r"\sqrt{x_t^2}", r"(x^2_t)^{1/2}"),
        (r"-\mathrm{rank}(a_t + b_t)", r"-\operatorname{rank}( b_t + a_t )"),
        (r"x_t \mathbf{1}\{x_t < 0\}", r"\mathbf{1}\{0 > x_t\} \cdot x_t"),
        (r"\sum_{j=0}^{n-1} (a_{t-j} + b)", r"\sum_{j = 0}^{n - 1} (b + a_{t - j})"),
        (r"P\,E_{i, t}", r"PE_{i,t}"),
    ],
)
def test_formulas_that_give_the_same_numbers_are_the_same(one: str, other: str) -> None:
    assert same_formula(one, other)
    assert same_formula(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("PE", "EP"),
        (r"\ln a", r"\log_2 a"),
        ("a_t", "a_{t-1}"),
        (r"\mathrm{rank}(a)", r"\mathrm{tsrank}(a)"),
        (r"\bar{a}", "a"),
        (r"\frac{x}{y}, x = a", r"\frac{x}{y}, x = b"),
        (r"\sqrt{(a - b)^2}", "a - b + 2 (b - a)"),
    ],
)
def test_formulas_that_give_other_numbers_are_not_the_same(one: str, other: str) -> None:
    assert not same_formula(one, other)


NUMBERS = st.sampled_from(["a_t", "b_t", r"\ln c", "2", r"\bar{x}_{i,t}", r"\mathrm{rank}(a_t)"])
TERMS = st.recursive(
    NUMBERS,
    lambda inner: st.one_of(
        st.tuples(inner, NUMBERS).map(lambda pair: rf"\frac{{{pair[0]}}}{{{pair[1]}}}"),
        st.tuples(inner, inner).map(lambda pair: f"({pair[0]} - {pair[1]})"),
        st.tuples(inner, inner).map(lambda pair: rf"({pair[0]}) \cdot ({pair[1]})"),
    ),
    max_leaves=6,
)


@settings(max_examples=60, deadline=None)
@given(TERMS, TERMS, TERMS)
def test_laws_of_arithmetic_keep_a_formula(a: str, b: str, c: str) -> None:
    assert same_formula(f"({a}) + ({b})", f"({b}) + ({a})")
    assert same_formula(rf"({a}) \cdot (({b}) + ({c}))", f"({a})({b}) + ({a})({c})")
    assert same_formula(f"{a}", f" ({a}) ")
    assert not same_formula(f"{a}", f"({a}) + 1")
