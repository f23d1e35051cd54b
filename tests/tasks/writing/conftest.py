"""A round of the sample whose answers are judged, for the tests of judged writing."""

from collections.abc import Iterator

import pytest
from tests.servers.commands import viva_here
from tests.servers.scripted import scripted
from tests.tasks.writing.gold_contestants import MODEL, ROUND, Bench
from tests.tasks.writing.judges import judge

from vivavoce.rounds import load_round


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    folder = tmp_path_factory.mktemp("judged")
    (folder / "round.toml").write_text(ROUND)
    viva_here("ingest", "sample", "60", "--corpus", folder / "corpus")
    viva_here(
        "round", "build", folder / "round.toml", "--corpus", folder / "corpus", "--out", folder
    )
    with scripted(judge) as server:
        viva_here("round", "nuggets", folder / "late", "--model", MODEL, env=server.environment)
        opened = load_round(folder / "late")
        answers = folder / "answers"
        answers.mkdir()
        yield Bench(server, opened, folder / "late.nuggets.jsonl", answers)
