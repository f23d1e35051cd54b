"""A round of boards that several modules read."""

import pytest
from tests.tasks.leaderboards.board_corpora import TEST, parsing

from vivavoce.rounds import Round


@pytest.fixture(scope="session")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Round:
    """The boards of parsing, of which one has a score from after the window."""
    made = parsing(tmp_path_factory.mktemp("boards"))
    late = made.paper("Willow", "2025-06-01", tables={"F1 on Treebank": [["Willow", "99.9"]]})
    made.result("Willow", "99.9", late, dataset=TEST)
    return made.round(pool="corpus")
