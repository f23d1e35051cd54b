"""You have answers in a file, made anywhere, and want to know how good they are.

No round, no model and no Inspect is needed: `score` reads a file of gold and one of answers and
gives every metric with a 95% interval.

    python examples/score_answers.py [FOLDER]
"""

import sys
from pathlib import Path

from vivavoce import score
from vivavoce.results.scoring import ScoreOptions
from vivavoce.store import write_jsonl

TITLES = [
    {"id": "a", "reference": "Sparse attention for long clinical notes"},
    {"id": "b", "reference": "A survey of tide gauges"},
    {"id": "c", "reference": "Learning to bake bread from videos"},
]
TITLE_ANSWERS = [
    {"id": "a", "text": "Sparse attention for clinical notes"},
    {"id": "b", "text": "Tide gauges: a survey"},
    # Nothing came back for c: an answer that is missing counts 0, and is counted as missing.
]
BOARDS = [
    {
        "id": "parsing",
        "entries": [
            {"method": "TreeNet", "score": 91.2},
            {"method": "ChartNet", "score": 89.0},
            {"method": "Rules", "score": 71.5},
        ],
    },
]
BOARD_ANSWERS = [
    {
        "id": "parsing",
        "text": "Here:\n\n| Method | F1 |\n|---|---|\n| treenet (ours) | 91.2 |\n| Rules | 70 |",
    }
]


def show(family: str, folder: Path, options: ScoreOptions | None = None) -> None:
    """Score the two files of a family and print what came out."""
    found = score(
        family, folder / f"{family}.gold.jsonl", folder / f"{family}.jsonl", options=options
    )
    print(f"{family}: {found['n']} items, {found['missing']} without an answer")
    for name, metric in found["metrics"].items():
        value = "undefined" if metric["value"] is None else f"{metric['value']:.3f}"
        # One item, or items of one paper, cannot tell how far another one would lie.
        ends = "no interval" if metric["ci"] is None else "[{:.3f}, {:.3f}]".format(*metric["ci"])
        print(f"  {name:<12} {value}  {ends}")


def main(out: Path) -> None:
    """Score made-up titles and a made-up leaderboard."""
    write_jsonl(out / "writing.gold.jsonl", TITLES)
    write_jsonl(out / "writing.jsonl", TITLE_ANSWERS)
    show("writing", out, ScoreOptions(stem=True))

    # An answer may be the text as a model wrote it: the table is found and read.
    write_jsonl(out / "leaderboards.gold.jsonl", BOARDS)
    write_jsonl(out / "leaderboards.jsonl", BOARD_ANSWERS)
    show("leaderboards", out)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "example-scores"))
