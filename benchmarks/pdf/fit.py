"""Fit the weights of the evidence for headings on the style matrix; judge them on styles left out.

    python -m benchmarks.pdf.fit FOLDER [--write]

For each PDF every hypothesis of the top-level headings is scored against the truth. The weights
maximise the probability of the best hypotheses among those of a paper, pulled towards the weights
that are shipped. Every style is judged by weights fitted on the other styles. `--write` stores the
weights fitted on all styles in evidence.toml.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.pdf.score import compact
from scipy.optimize import minimize

from vivavoce.sources.fulltext.pdf import document, evidence

_PULL = 0.05
"""Weight of the squared distance from the shipped weights."""
Case = tuple[np.ndarray, np.ndarray]
"""Features and F1 of the hypotheses of a paper."""


def cases_of(folder: Path) -> dict[str, list[Case]]:
    """The hypotheses of every paper, by style."""
    cases: dict[str, list[Case]] = defaultdict(list)
    for line in (folder / "truth.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        seen: list[tuple[evidence.Evidence, list[evidence.Hypothesis]]] = []
        original = evidence.Evidence.best

        def spy(self: evidence.Evidence) -> evidence.Hypothesis:
            seen.append((self, [self.judge(one) for one in self.hypotheses()]))  # noqa: B023
            return original(self)  # noqa: B023

        evidence.Evidence.best = spy  # type: ignore[method-assign]
        try:
            document.read_file(folder / row["file"])
        finally:
            evidence.Evidence.best = original  # type: ignore[method-assign]
        found, judged = seen[0]
        if judged:
            features = np.array([[one.features[name] for name in names()] for one in judged])
            cases[row["style"]].append((features, np.array([_f1(found, o, row) for o in judged])))
    return cases


def names() -> list[str]:
    """The kinds of evidence in a fixed order."""
    return list(evidence._weights())


def _f1(found: evidence.Evidence, one: evidence.Hypothesis, row: dict[str, Any]) -> float:
    texts = [
        number.text if number is not None else found.candidates[place].text
        for place, number in one.members.items()
        if place < found.end
    ]
    ours = {compact(text) for text in texts}
    wanted = {compact(heading) for level, heading in row["headings"] if level == 1}
    return 2 * len(ours & wanted) / max(len(ours) + len(wanted), 1)


def fit(cases: list[Case], start: np.ndarray) -> np.ndarray:
    """Weights under which the best hypotheses of each paper are the most probable."""

    def loss(weights: np.ndarray) -> float:
        total = 0.0
        for features, quality in cases:
            scores = features @ weights
            target = quality >= quality.max() - 0.01
            total += np.logaddexp.reduce(scores) - np.logaddexp.reduce(scores[target])
        return total / len(cases) + _PULL * float(((weights - start) ** 2).sum()) / len(start)

    return np.asarray(minimize(loss, start, method="L-BFGS-B").x)


def chosen(cases: list[Case], weights: np.ndarray) -> float:
    """The mean F1 of the hypotheses that weights choose."""
    return float(np.mean([quality[np.argmax(f @ weights)] for f, quality in cases]))


def main() -> int:
    """Print the table of left-out styles."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    cases = cases_of(options.folder)
    shipped = np.array([evidence._weights()[name] for name in names()])
    left_out, as_shipped = [], []
    for style, own in sorted(cases.items()):
        others = [case for name, rest in cases.items() if name != style for case in rest]
        left_out.append(chosen(own, fit(others, shipped)))
        as_shipped.append(chosen(own, shipped))
        best = float(np.mean([quality.max() for _, quality in own]))
        print(
            f"{style:24} left out {left_out[-1]:.3f}  shipped {as_shipped[-1]:.3f}  best {best:.3f}"
        )
    print(f"{'mean':24} left out {np.mean(left_out):.3f}  shipped {np.mean(as_shipped):.3f}")
    if options.write:
        weights = fit([case for own in cases.values() for case in own], shipped)
        path = Path(evidence.__file__).with_suffix(".toml")
        head = "".join(line for line in path.open(encoding="utf-8") if line.startswith("#"))
        lines = (f"{name} = {weight:.2f}\n" for name, weight in zip(names(), weights, strict=True))
        path.write_text(head + "".join(lines), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
