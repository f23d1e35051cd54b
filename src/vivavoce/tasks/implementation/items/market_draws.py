"""Draws of the synthetic market: the four operations, square roots and rounding alone.

IEEE 754 rounds these correctly, so a seed gives the same numbers on every machine.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


def draw_order(rng: np.random.Generator, count: int) -> Integers:
    """A permutation of the numbers below `count` out of uniform draws."""
    return np.argsort(rng.random(count), kind="stable")


def garch(rng: np.random.Generator, steps: int, *shape: int) -> tuple[Floats, Floats]:
    """Shocks with deviation 1 whose volatility lasts, and that volatility; GARCH(1,1).

    Both have the shape (steps, *shape).
    A shock is a draw over the root of a mean of four squares: Student's t with 4 degrees of
    freedom, but for the bounds of `bell`.
    """
    level: Floats = np.ones(shape)
    shocks, levels = np.empty((steps, *shape)), np.empty((steps, *shape))
    for step in range(steps):
        squares = np.full(shape, 0.02)
        for _ in range(4):
            draw = bell(rng, *shape)
            squares += 0.25 * draw * draw
        levels[step] = np.sqrt(level)
        shocks[step] = levels[step] * 0.77 * bell(rng, *shape) / np.sqrt(squares)
        level = 0.05 + 0.22 * np.minimum(shocks[step] * shocks[step], 30.0) + 0.73 * level
    return shocks, levels


def lasting(rng: np.random.Generator, steps: int, *shape: int) -> Floats:
    """Values above 0 with mean 1, of which each keeps nine tenths of the one before."""
    value: Floats = np.ones(shape)
    values = np.empty((steps, *shape))
    for step in range(steps):
        draws = rng.random(shape)
        value = 0.9 * value + 0.3 * draws * draws
        values[step] = value
    return values


def bell(rng: np.random.Generator, *shape: int) -> Floats:
    """Draws of that shape around 0, deviation 1, none beyond 3.5: four uniform ones added."""
    draws = rng.random((4, *shape))
    added: Floats = (draws[0] + draws[1] + draws[2] + draws[3] - 2.0) * 1.75
    return added


def between(rng: np.random.Generator, low: float, high: float, *shape: int) -> Floats:
    """Draws of that shape that are equally likely between two numbers."""
    return low + (high - low) * rng.random(shape)


def rounded(values: Floats, decimals: int) -> Floats:
    """Values to so many decimals, in the same shape."""
    kept: Floats = np.round(values, decimals)
    return kept
