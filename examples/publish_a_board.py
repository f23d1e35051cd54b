"""You publish a board, and want that nobody has to believe you.

Every score is worked out again from the logs before the pages are written; whoever has the round
and the logs can do the same.

    python examples/publish_a_board.py [FOLDER]
"""

import sys
from pathlib import Path

from vivavoce import build_round, leaderboard, run
from vivavoce.corpus import ingest
from vivavoce.results.integrity.verification import verify_logs
from vivavoce.running import RunSpec
from vivavoce.web.board.site import write_site

SPEC = {
    "round": {
        "id": "spring-2024",
        "window": {"start": "2024-03-01", "end": "2024-07-01"},
        "families": ["writing"],
    },
    "writing": {"settings": ["base"]},
}


def main(out: Path) -> None:
    """Run baselines, verify their logs, write the site."""
    ingest("sample", Path("60"), out / "corpus")
    opened = build_round(out / "corpus", SPEC, out / "rounds")
    report = run(
        RunSpec(
            tasks=["title"],
            round=opened.folder,
            logs=out / "logs",
            models=["extractive/lead", "extractive/centrality"],
            methods=["direct", "null", "oracle"],
            display="none",
        )
    )
    print(f"{len(report.logs)} logs, {len(report.failed)} of them not complete")

    check = verify_logs(out / "logs", [opened.folder])
    for log in check.logs:
        for problem in log.refused:
            print(f"  refused: {problem}")
    if not check.is_sound:
        raise SystemExit("These logs are not published.")
    print(f"{sum(log.samples for log in check.logs)} answers scored again: all as logged")

    board = leaderboard(out / "logs", trust=check.trust)
    for row in board.rows:
        if row["metric"] == board.headlines["title"] and row["rank"] is not None:
            name = row["method"] if row["model"] == "none" else row["model"]
            rivals = ", ".join(row["undecided_with"] or [])
            undecided = f", undecided with {rivals}" if rivals else ""
            print(f"  {row['rank']}. {name} {row['value']:.3f}{undecided}")

    page = write_site(board, out / "site")
    print(f"open {page.relative_to(out)}; {page.with_name('board.json').name} has every number")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "example-board"))
