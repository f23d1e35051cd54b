"""viva network build and stats."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from vivavoce.cli.corpus import network_app as app
from vivavoce.errors import StaleError

Network = Callable[..., Result]

STATS = {
    "coauthor": [
        "authors",
        "edges",
        "components",
        "largest_component",
        "pruned_authors",
        "pruned_edges",
    ],
    "citation": ["papers", "edges", "components", "strong_components", "external"],
    "comparison": ["papers", "edges", "components", "strong_components"],
}
"""CONTRACTS: what `viva network stats --json` prints."""


@pytest.fixture
def network() -> Network:
    """Run a `viva network` command line."""

    def run(*words: object) -> Result:
        return CliRunner().invoke(app, [str(word) for word in words])

    return run


@pytest.fixture
def built(network: Network, sample: Path) -> Path:
    assert network("build", "--corpus", sample).exit_code == 0
    return sample


def test_build_prints_where_it_wrote(network: Network, sample: Path) -> None:
    done = network("build", "--corpus", sample)

    assert done.exit_code == 0
    assert done.stdout.splitlines()[-1] == str(sample / "networks")
    report = json.loads(network("build", "--corpus", sample, "--json").stdout)
    assert report["path"] == str(sample / "networks")
    assert report["networks"]["citation"]["nodes"] > 24


def test_stats_are_as_promised(network: Network, built: Path) -> None:
    stats = json.loads(network("stats", "--corpus", built, "--json").stdout)

    assert {name: list(counts) for name, counts in stats.items()} == STATS
    assert all(isinstance(n, int) for counts in stats.values() for n in counts.values())
    assert stats["citation"]["papers"] == 24
    printed = network("stats", "--corpus", built)
    assert f"    external: {stats['citation']['external']}" in printed.stdout.splitlines()


def test_stats_break_down(network: Network, built: Path) -> None:
    printed = network("stats", "--corpus", built, "--by", "domain")
    assert (printed.exit_code, bool(printed.stdout)) == (0, True)
    assert json.loads(network("stats", "--corpus", built, "--by", "domain", "--json").stdout)


@pytest.mark.parametrize("by", [(), ("--by", "domain")])
def test_the_command_to_build_is_named(network: Network, sample: Path, by: tuple[str, ...]) -> None:
    error = network("stats", "--corpus", sample, *by).exception

    assert isinstance(error, StaleError)
    assert error.exit_code == 1
    assert f"viva network build --corpus {sample}" in str(error)
