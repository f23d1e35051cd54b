"""Formulas in MathML, and raised and lowered text, in one line."""

import pytest
from lxml import etree

from vivavoce.sources.formulas import print_mathml, print_script

_X_PLUS_1 = "<mi>x</mi><mo>+</mo><mn>1</mn>"
_HALF = "<mfrac><mn>1</mn><mn>2</mn></mfrac>"


@pytest.mark.parametrize(
    ("formula", "printed"),
    [
        ("<msup><mn>10</mn><mrow><mo>-</mo><mn>6</mn></mrow></msup>", "10^-6"),
        (f"<msup><mi>e</mi><mrow>{_X_PLUS_1}</mrow></msup><mi>y</mi>", "e^(x+1) y"),
        (f"<msup><mrow><mo>(</mo>{_X_PLUS_1}<mo>)</mo></mrow><mn>2</mn></msup>", "(x+1)^2"),
        ("<msub><mn>101</mn><mn>2</mn></msub>", "101_2"),
        ("<msubsup><mi>a</mi><mi>i</mi><mn>2</mn></msubsup>", "a_i^2"),
        (f"<mn>1</mn>{_HALF}", "1 1/2"),
        (f"<mn>1</mn><mo>&#x2064;</mo>{_HALF}", "1 1/2"),
        (f"<mfrac><mrow>{_X_PLUS_1}</mrow><mn>2</mn></mfrac>", "(x+1)/2"),
        (f"<msqrt>{_X_PLUS_1}</msqrt>", "√(x+1)"),
        ("<mroot><mn>8</mn><mn>3</mn></mroot>", "∛8"),
        ("<munderover><mo>∑</mo><mi>i</mi><mi>n</mi></munderover><mi>x</mi>", "∑_i^n x"),
        ("<munder><mi>lim</mi><mi>n</mi></munder><mi>x</mi>", "lim_n x"),
        ("<mover><mi>x</mi><mo>¯</mo></mover>", "x̄"),
        ("<mmultiscripts><mi>C</mi><mprescripts/><none/><mn>14</mn></mmultiscripts>", "^14 C"),
        ("<mfenced><mi>a</mi><mi>b</mi></mfenced>", "(a,b)"),
        ("<mi>sin</mi><mi>x</mi><mo>&#x2062;</mo><mi>y</mi>", "sin xy"),
        ("<semantics><mi>x</mi><annotation>X</annotation></semantics>", "x"),
    ],
)
def test_a_formula_keeps_its_parts_apart(formula: str, printed: str) -> None:
    assert print_mathml(etree.fromstring(f"<math>{formula}</math>")) == printed


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("10<sup>6</sup>", "^6"),
        ("10<b><sup>−6</sup></b>", "^−6"),
        ("2<sup>n+1</sup>", "^(n+1)"),
        ("SO<sub>4</sub><sup>2-</sup>", "^2-"),
        ("101<sub>2</sub>", "_2"),
        ("H<sub>2</sub>", None),
        ("2<sup>nd</sup>", None),
    ],
)
def test_text_that_would_run_into_a_number_has_a_sign(text: str, printed: str | None) -> None:
    *_, script = etree.fromstring(f"<p>{text}</p>").iter("sup", "sub")
    assert print_script(script, "^" if script.tag == "sup" else "_") == printed
