"""Layers of a network implemented from a paper: same shapes (tsc), same values (tvc).

With x the mean absolute difference between the outputs of the gold layer and the produced one,

    S = 2 / (1 + e^x)          in (0, 1], 1 for equality
    S = 1 / (1 + e^x)          `legacy`, the printed equation, at most 1/2

x is taken over the dimensions for tsc, and over the elements in row-major order for tvc; the
shorter side is padded with zeros. Layers are paired by key; S = 0 for a layer that one side misses.
Over the n layers in the order of their keys, i = 1 ... n,

    tsc, tvc = sum of S_i gamma^i / sum of gamma^i

so that with gamma > 1 deeper layers weigh more. NaN equals NaN and an infinity equals the same
infinity; compared with anything else, they give S = 0. Undefined when the gold side has no layer.

`score_tracks` ignores differences due to rounding. `match` is then the share of layers that are
equal in every value, and `output` the share of tracks whose last layer is equal. A layer in half
precision is rounded to 11 bits. With m the median of |gold| over the layer, a value is right when
it is nearer to the gold than 4 * 2^-11 * (|gold| + m).

Source: RD2Bench, section 2.3, equations 1 and 2; a perfect layer gives 1/2 in equation 1 while
the paper's tables print 1.00, hence the factor 2.
"""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from vivavoce.errors import InputError

DEFAULT_GAMMA = 1.1
RELATIVE, ABSOLUTE = 1e-4, 1e-5
"""A value is right when it is nearer to the gold than ABSOLUTE + RELATIVE * |gold|: layers are in
single precision, and an equally valid order of operations changes the last digits."""
_HALF = 4 * 2.0**-11
Layers = Mapping[str, npt.NDArray[Any]]


def score_architecture(
    gold: Layers, produced: Layers, *, gamma: float = DEFAULT_GAMMA, legacy: bool = False
) -> tuple[dict[str, float | None], dict[str, dict[str, float]]]:
    """Compare the outputs of layers: tsc and tvc of the network, and of each layer by key.

    None when the gold side is empty; `InputError` for a gamma that is not a positive number.
    """
    if not (math.isfinite(gamma) and gamma > 0):
        raise InputError(f"gamma must be a positive number, not {gamma}.")
    perfect = 0.5 if legacy else 1.0
    layers = {}
    for key in sorted({*gold, *produced}):
        layers[key] = {"tsc": 0.0, "tvc": 0.0}
        if key in gold and key in produced:
            one, other = gold[key], produced[key]
            shapes = (np.array(each.shape, dtype=np.float64) for each in (one, other))
            layers[key] = {
                "tsc": consistency(_mean_difference(*shapes), perfect),
                "tvc": consistency(_mean_difference(one.ravel(), other.ravel()), perfect),
            }
    if not gold:
        return {"tsc": None, "tvc": None}, layers
    # gamma^i divided by the largest of these powers, so that none overflows.
    powers = np.arange(1, len(layers) + 1, dtype=np.float64) * math.log(gamma)
    weights = list(np.exp(powers - powers.max()).tolist())
    return {
        name: _weigh(weights, [layer[name] for layer in layers.values()]) for name in ("tsc", "tvc")
    }, layers


def score_tracks(
    gold: Layers,
    produced: Layers,
    unseen_gold: Layers,
    unseen: Layers,
    *,
    gamma: float = DEFAULT_GAMMA,
) -> dict[str, float]:
    """Compute tvc and tsc per track, `match` and `output` over both; gold is never empty."""
    values: dict[str, float] = {}
    right = count = outputs = 0
    for suffix, truth, given in (("", gold, produced), ("_unseen", unseen_gold, unseen)):
        settled = _settle(truth, given)
        score, _ = score_architecture(truth, settled, gamma=gamma)
        values |= {f"{name}{suffix}": value or 0.0 for name, value in score.items()}
        right += sum(_is_equal(truth[key], settled[key]) for key in truth if key in settled)
        count += len({*truth, *settled})
        last = max(truth)
        outputs += last in settled and _is_equal(truth[last], settled[last])
    return {**values, "match": right / count, "output": outputs / 2}


def _settle(gold: Layers, produced: Layers) -> dict[str, npt.NDArray[Any]]:
    """Replace the produced values by the gold values wherever only rounding differs."""
    settled = dict(produced)
    for key in (key for key in gold if key in produced):
        truth, given = _floats(gold[key]), _floats(produced[key])
        if truth.shape == given.shape:
            relative, absolute = RELATIVE, ABSOLUTE
            if produced[key].dtype == np.float16:
                relative, absolute = _HALF, _HALF * float(np.median(np.abs(truth))) + ABSOLUTE
            with np.errstate(over="ignore"):
                near = np.isclose(given, truth, rtol=relative, atol=absolute, equal_nan=True)
            settled[key] = np.where(near, truth, given)
    return settled


def _is_equal(gold: npt.NDArray[Any], produced: npt.NDArray[Any]) -> bool:
    return np.array_equal(_floats(gold), _floats(produced), equal_nan=True)


def consistency(mean_difference: float, perfect: float = 1.0) -> float:
    """S for a mean absolute difference, where equality gives `perfect`."""
    if mean_difference > 700:  # e^x would overflow, and S is 0 to a hundred digits
        return 0.0
    return perfect * 2.0 / (1.0 + math.exp(mean_difference))


def _mean_difference(one: npt.NDArray[Any], other: npt.NDArray[Any]) -> float:
    """Mean absolute difference, with the shorter side padded with zeros; 0 for empty sides."""
    count = max(one.size, other.size)
    if count == 0:
        return 0.0
    common = min(one.size, other.size)
    rest = one[common:] if one.size > common else other[common:]
    first, second = _floats(one[:common]), _floats(other[:common])
    with np.errstate(invalid="ignore", over="ignore"):
        differences = np.abs(first - second)
        same = (first == second) | (np.isnan(first) & np.isnan(second))
        total = differences[~same].sum() + np.abs(_floats(rest)).sum()
        mean = float(total / count)
    return math.inf if math.isnan(mean) else mean


def _floats(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    return values.astype(np.complex128 if np.iscomplexobj(values) else np.float64)


def _weigh(weights: list[float], scores: list[float]) -> float:
    weighed = [weight * score for weight, score in zip(weights, scores, strict=True)]
    return math.fsum(weighed) / math.fsum(weights)
