"""You keep a benchmark: a new round each month, sealed until its successor is out.

The old round stays as it is; some items stay in both, so that a contestant that changed can be told
from items that got harder. Dates are arguments: run this next year, and it gives the same rounds.

    python examples/monthly_rounds.py [FOLDER]
"""

import sys
from datetime import date
from pathlib import Path

from vivavoce import build_round, load_corpus
from vivavoce.corpus import ingest
from vivavoce.rounds import verify_round
from vivavoce.rounds.reading import check_reveal, write_commitment
from vivavoce.rounds.updating import update_round
from vivavoce.tasks import builders

SPEC = {
    "round": {
        "id": "live",
        "window": {"start": "2023-07-01", "end": "2024-08-01"},
        "families": ["writing"],
        "sealed": True,
        "seed": 1_730_419_200,
    },
    "writing": {"settings": ["base"]},
    "update": {"anchors": 5},
}
MONTHS = (date(2024, 9, 1), date(2024, 10, 1))


def main(out: Path) -> None:
    """Build a round, then bring it up to date twice."""
    # In earnest, papers come in each month: viva fetch, or another ingest into this folder.
    ingest("sample", Path("60"), out / "corpus")
    corpus, rounds = load_corpus(out / "corpus"), out / "rounds"
    opened = build_round(corpus, SPEC, rounds)
    write_commitment(opened, rounds)
    print(f"{opened.id}: {len(opened.items('writing', 'title'))} titles, sealed")

    for until in MONTHS:
        update = update_round(corpus, opened, builders(), rounds, until)
        new = update.round
        write_commitment(new, rounds)
        anchors = new.update["anchors"]["writing/title"]
        titles = len(new.items("writing", "title"))
        print(f"{new.id}: {titles - len(anchors)} new titles, {len(anchors)} anchors in both")
        # The old round is shown now; whoever kept its commitment can see that nothing was changed.
        promise = rounds / f"{opened.id}.sealed.json"
        broken = check_reveal(promise, update.revealed) if update.revealed else ["not revealed"]
        print(f"  {opened.id} is revealed and {'broke' if broken else 'kept'} its promise")
        print(f"  {new.id} is {'sound' if not verify_round(new.folder) else 'damaged'}")
        opened = new


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "example-rounds"))
