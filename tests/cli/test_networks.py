"""viva network build and stats."""

import json
from pathlib import Path

import pytest
from tests.servers.commands import viva_here

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
def built(sample: Path) -> Path:
    viva_here("network", "build", "--corpus", sample)
    return sample


def test_build_prints_where_it_wrote(sample: Path) -> None:
    done = viva_here("network", "build", "--corpus", sample)
    assert done.stdout.splitlines()[-1] == str(sample / "networks")
    report = json.loads(viva_here("network", "build", "--corpus", sample, "--json").stdout)
    assert report["path"] == str(sample / "networks")
    assert report["networks"]["citation"]["nodes"] > 24


def test_stats_are_as_promised(built: Path) -> None:
    stats = json.loads(viva_here("network", "stats", "--corpus", built, "--json").stdout)
    assert {name: list(counts) for name, counts in stats.items()} == STATS
    assert all(isinstance(n, int) for counts in stats.values() for n in counts.values())
    assert stats["citation"]["papers"] == 24
    printed = viva_here("network", "stats", "--corpus", built)
    assert f"    external: {stats['citation']['external']}" in printed.stdout.splitlines()


def test_stats_break_down(built: Path) -> None:
    printed = viva_here("network", "stats", "--corpus", built, "--by", "domain")
    assert printed.stdout
    assert json.loads(
        viva_here("network", "stats", "--corpus", built, "--by", "domain", "--json").stdout
    )


@pytest.mark.parametrize("by", [(), ("--by", "domain")])
def test_the_command_to_build_is_named(sample: Path, by: tuple[str, ...]) -> None:
    done = viva_here("network", "stats", "--corpus", sample, *by, expect=1)
    assert f"viva network build --corpus {sample}" in done.stderr
