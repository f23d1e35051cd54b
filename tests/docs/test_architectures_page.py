"""The architectures on the page on implementation: the example becomes an item of a round."""

import importlib.util
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load
from tests.docs.own_items import values_of_reference
from tests.servers.commands import viva_here
from tests.servers.scripted import Ask, Reply, answer, scripted
from tests.tasks.implementation.item_rounds import round_of

from vivavoce.metrics.architecture import score_tracks
from vivavoce.results.board.building import leaderboard
from vivavoce.tasks.implementation.items import architectures
from vivavoce.tasks.implementation.items.architecture import build_case, list_architectures

TOP = Path(__file__).resolve().parents[2]
PAGE = TOP / "docs" / "families" / "implementation.md"
EXAMPLES = TOP / "examples" / "items" / "architectures"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        importlib.util.find_spec("torch_geometric") is None,
        reason="torch-geometric is not installed: pip install 'vivavoce[neural]'",
    ),
]


@pytest.fixture
def example(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The example's files beside the shipped ones; the name of its architecture."""
    monkeypatch.setattr(architectures, "__path__", [*architectures.__path__, str(EXAMPLES)])
    list_architectures.cache_clear()
    yield "NeighbourSum"
    list_architectures.cache_clear()


COMMAND = "viva run architecture --round ROUND --model M --logs LOGS"


def as_the_page_has_it(ask: Ask) -> Reply:
    """The program of the example, as a model would give it."""
    item = tomllib.loads((EXAMPLES / "neighbour_sum.toml").read_text("utf-8"))
    return answer(f"```python\n{item['reference']}```")


@pytest.mark.sandbox
def test_the_example_is_an_item_that_its_reference_solves(example: str, tmp_path: Path) -> None:
    opened = round_of(tmp_path, "own", architectures=[example])
    assert values_of_reference("architecture", opened, tmp_path / "logs") == dict.fromkeys(
        ("tvc", "match", "output", "tsc", "tvc_unseen", "tsc_unseen", "exe"), 1.0
    )
    assert f"\n{COMMAND}\n" in PAGE.read_text("utf-8")
    model, logs = "openai-api/scripted/architect", tmp_path / "asked"
    told = {"ROUND": opened.folder, "M": model, "LOGS": logs}
    with scripted(as_the_page_has_it) as server:
        viva_here(*(told.get(word, word) for word in COMMAND.split()[1:]), env=server.environment)
    rows = leaderboard(logs, resamples=0).rows
    assert {row["value"] for row in rows} == {1.0}


def test_the_table_states_what_zeros_get_on_every_item() -> None:
    row = re.compile(
        r"^\| `(\w+)` \| (\w+) \| (\w+) \| [^|]+ \| (\d+) \| ([\d.]+) \| ([\d.]+) \|$", re.M
    )
    stated = {found[0]: tuple(found[1:]) for found in row.findall(PAGE.read_text("utf-8"))}
    measured, mean = {}, []
    for name, item in list_architectures().items():
        case = build_case(item, 0)
        gold, unseen = load(case["gold"]), load(case["unseen_gold"])
        zeros, unseen_zeros = (
            {key: np.zeros_like(layer) for key, layer in layers.items()}
            for layers in (gold, unseen)
        )
        values = score_tracks(gold, zeros, unseen, unseen_zeros)
        assert values["match"] == 0.0
        numbers = (f"{values['tvc']:.3f}", f"{values['tvc_unseen']:.3f}")
        measured[name] = (item.difficulty, item.category, str(len(item.layers)), *numbers)
        mean.append(values["tvc"])
    assert stated == measured
    assert f"reach {sum(mean) / len(mean):.2f} on average" in " ".join(PAGE.read_text().split())
