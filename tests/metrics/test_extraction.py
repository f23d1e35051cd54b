"""Methods of an answer against those of a report, by hand."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.errors import InputError
from vivavoce.metrics import FaultyAnswer, Values
from vivavoce.metrics.extraction import (
    ExtractedMethod,
    match_methods,
    score_extraction,
    word_similarity,
)

LEVEL = ExtractedMethod("Turnover level", "mean turnover of a month", "m = q / n", ("q_{i,t}", "n"))
SWING = ExtractedMethod(
    "Monthly turnover deviation (MTD)",
    "deviation of turnover",
    r"D = \sqrt{v}",
    ("v",),
    aliases=("turnover swings",),
)
OPEN = ExtractedMethod("Abnormal turnover", "turnover beyond what is normal", None)
GOLD = [LEVEL, SWING, OPEN]


def as_found(method: ExtractedMethod) -> ExtractedMethod:
    formula = method.formula or "a = q - m"
    return ExtractedMethod(
        method.name, method.description, formula, method.symbols, (), method.formula is None
    )


PERFECT = [as_found(method) for method in GOLD]


def test_the_gold_itself_is_perfect() -> None:
    score = score_extraction(GOLD, PERFECT)
    assert set(score.values()) == {1.0}


def test_nothing_found_scores_nothing() -> None:
    assert set(score_extraction(GOLD, []).values()) == {0.0}


def test_entities_are_names_variables_and_formulas() -> None:
    found = [
        # name, formula, q; n is missing and x is not the report's
        ExtractedMethod("the turnover levels", "mean turnover", r"\frac{q}{n}", ("q", "x")),
        # no method of the report, with one variable and a formula
        ExtractedMethod("Market breadth", "", "b = u - d", ("u",)),
    ]
    score = score_extraction(GOLD, found)
    # methods: 1 of 2 in the gold and 2 found; variables: 1 of 3 and 3; formulas: 1 of 2 and 2
    assert score["method_f1"] == 2 * 1 / (2 + 2)
    assert score["variable_f1"] == 2 * 1 / (3 + 3)
    assert score["entity_f1"] == 2 * (1 + 1 + 1) / ((2 + 3 + 2) + (2 + 3 + 2))
    # mean, turnover of mean, turnover, month: 2 / sqrt(2 * 3)
    assert score["word_similarity"] == pytest.approx(2 / 6**0.5)
    assert score["inferred"] == 0.0


def test_an_open_method_may_be_left_out_or_named_at_no_cost() -> None:
    full = PERFECT[:2]
    named = ExtractedMethod("abnormal turnover", "something", None, ("a", "b"))
    for found in (full, [*full, named]):
        score = score_extraction(GOLD, found)
        assert (score["entity_f1"], score["method_f1"], score["variable_f1"]) == (1.0, 1.0, 1.0)
        assert score["inferred"] == 0.0


def test_an_inferred_formula_has_to_say_so() -> None:
    honest = ExtractedMethod("Abnormal turnover", "", "a = q - m", ("q",), is_inferred=True)
    score = score_extraction(GOLD, [*PERFECT[:2], honest])
    assert (score["inferred"], score["entity_f1"]) == (1.0, 1.0)
    with pytest.raises(FaultyAnswer, match="unmarked") as caught:
        score_extraction(GOLD, [*PERFECT[:2], replace(honest, is_inferred=False)])
    assert caught.value.values is not None
    assert (caught.value.values["inferred"], caught.value.values["entity_f1"]) == (0.0, 1.0)


def test_where_nothing_is_open_nothing_can_be_inferred() -> None:
    assert score_extraction([LEVEL], [])["inferred"] is None


def test_a_method_found_twice_counts_once() -> None:
    score = score_extraction([LEVEL], [as_found(LEVEL), as_found(LEVEL)])
    # methods 1 of 1 and 2; variables 2 of 2 and 4; formulas 1 of 1 and 2
    assert score["entity_f1"] == 2 * 4 / (4 + 8)


def test_a_gold_without_formulas_is_refused() -> None:
    with pytest.raises(InputError, match="nothing to find"):
        score_extraction([OPEN], [])


@pytest.mark.parametrize(
    ("name", "is_found"),
    [
        ("monthly TURNOVER-deviation", True),
        ("MTD", True),
        ("turnover swings", True),
        ("Deviation in turnover, monthly (MTD)", True),
        ("monthly turnover standard deviation", True),  # 2 * 3 / (3 + 4) of the words
        ("turnover deviation", False),  # 2 * 2 / (2 + 3) = 0.8 is not more than 0.8
        ("yearly turnover deviation", False),
        ("D", False),
        ("...", False),
    ],
)
def test_names_are_matched_as_a_reader_would(name: str, is_found: bool) -> None:
    assert bool(match_methods([SWING], [ExtractedMethod(name)])) is is_found


def test_names_with_other_numbers_are_other_methods() -> None:
    gold = ExtractedMethod("20-day volatility of closing prices", "", "x", ("x",))
    assert not match_methods([gold], [ExtractedMethod("60-day volatility of closing prices")])
    assert match_methods([gold], [ExtractedMethod("day volatility of closing prices")])


def test_the_whole_matching_is_the_best_one() -> None:
    gold = [
        ExtractedMethod("v w x y z", "", "x", ("x",)),
        ExtractedMethod("v w x y u", "", "x", ("x",)),
    ]
    # The first agrees with both, by 2 * 5 / 11; the second by 1 with one and not with the other.
    found = [ExtractedMethod("v w x y z u"), ExtractedMethod("v w x y z")]
    names = {g.name: f.name for g, f in match_methods(gold, found)}
    assert names == {"v w x y z": "v w x y z", "v w x y u": "v w x y z u"}


@pytest.mark.parametrize(
    ("one", "other", "cosine"),
    [
        ("mean of the close", "Mean close", 1.0),
        ("a b", "c d", 0.0),
        ("", "x", 0.0),
        ("the", "the", 0.0),
        ("close close mean", "close", 2 / 5**0.5),  # 2 * 1 / sqrt((4 + 1) * 1)
    ],
)
def test_words_are_alike_by_the_cosine_of_their_counts(one: str, other: str, cosine: float) -> None:
    assert word_similarity(one, other) == pytest.approx(cosine)


WORDS = st.sampled_from(["Turnover level", "MTD", "abnormal turnover", "other", "other one"])
FOUND = st.builds(
    ExtractedMethod,
    name=WORDS,
    description=st.sampled_from(["", "mean turnover of a month", "deviation"]),
    formula=st.sampled_from([None, "m = q/n", "D = 1", "a = q - m"]),
    symbols=st.lists(st.sampled_from(["q", "n", "v", "x_t"]), unique=True).map(tuple),
    is_inferred=st.booleans(),
)


def values_of(gold: list[ExtractedMethod], found: list[ExtractedMethod]) -> Values:
    try:
        return score_extraction(gold, found)
    except FaultyAnswer as error:
        return error.values or {}


@given(st.lists(FOUND, max_size=6), st.randoms())
def test_order_does_not_matter_and_values_stay_in_range(
    found: list[ExtractedMethod], random
) -> None:
    score = values_of(GOLD, found)
    for value in score.values():
        assert value is not None
        assert 0 <= value <= 1
    shuffled, gold = list(found), list(GOLD)
    random.shuffle(shuffled)
    random.shuffle(gold)
    assert values_of(gold, shuffled) == score


@pytest.mark.timeout(60)
def test_a_hundred_long_names_are_worth_nothing() -> None:
    found = [ExtractedMethod("a " * 99 + str(i), symbols=("_" * 200,) * 60) for i in range(100)]
    assert set(score_extraction(GOLD, found).values()) == {0.0}
