"""Networks beside a corpus: the same bytes, noticed when stale, and measured."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

from vivavoce.columns import hash_table
from vivavoce.corpus import Corpus, ingest, load_corpus
from vivavoce.errors import DamagedError, InputError, StaleError
from vivavoce.networks import (
    build_networks,
    by_domain,
    citation,
    domain_of,
    load_network,
    network_stats,
)
from vivavoce.store import hash_tree

NAMES = ("coauthor", "citation", "comparison")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus of sample papers without networks."""
    corpus = tmp_path_factory.mktemp("sample") / "c"
    ingest("sample", Path("30"), corpus)
    return corpus


@pytest.fixture
def sample(folder: Path, tmp_path: Path) -> Corpus:
    shutil.copytree(folder, tmp_path / "c")
    return load_corpus(tmp_path / "c")


def test_the_same_corpus_gives_the_same_bytes(sample: Corpus, tmp_path: Path) -> None:
    shutil.copytree(sample.folder, tmp_path / "again")

    first = build_networks(sample)
    second = build_networks(load_corpus(tmp_path / "again"))

    assert first == second
    assert first["corpus"] == sample.fingerprint
    built = hash_tree(sample.folder / "networks")
    assert built == hash_tree(tmp_path / "again" / "networks")
    assert {f"{name}/{part}.parquet" for name in NAMES for part in ("nodes", "edges")} < set(built)


def test_a_build_cut_short_goes_on_and_ends_the_same(
    sample: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(sample.folder, tmp_path / "whole")
    build_networks(load_corpus(tmp_path / "whole"))

    def fail(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(citation, "citation_tables", fail)
        with pytest.raises(KeyboardInterrupt):
            build_networks(sample)
    with pytest.raises(StaleError, match="viva network build --corpus"):
        load_network(sample, "citation")
    coauthor = sample.folder / "networks" / "coauthor" / "nodes.parquet"
    before = coauthor.stat().st_mtime_ns

    build_networks(sample)

    assert coauthor.stat().st_mtime_ns == before
    assert hash_tree(sample.folder / "networks") == hash_tree(tmp_path / "whole" / "networks")


def test_one_network_may_be_built_alone(sample: Corpus) -> None:
    assert sorted(build_networks(sample, only=["coauthor"])["networks"]) == ["coauthor"]
    with pytest.raises(StaleError, match=r"citation network .* Run: viva network build"):
        load_network(sample, "citation")
    assert sorted(build_networks(sample, only=["citation"])["networks"]) == ["citation", "coauthor"]
    with pytest.raises(InputError, match="'friends'"):
        build_networks(sample, only=["friends"])


def test_networks_of_a_corpus_that_changed_are_stale(sample: Corpus) -> None:
    build_networks(sample)
    ingest("sample", Path("31"), sample.folder, fresh=True)
    grown = load_corpus(sample.folder)

    for name in NAMES:
        with pytest.raises(StaleError, match=r"changed\. Run: viva network build --corpus"):
            load_network(grown, name)
    build_networks(grown)
    assert load_network(grown, "citation").nodes["is_external"].to_pylist().count(False) == 31


@pytest.mark.parametrize("part", ["nodes", "edges"])
def test_a_damaged_file_is_named_with_the_remedy(sample: Corpus, part: str) -> None:
    build_networks(sample)
    path = sample.folder / "networks" / "citation" / f"{part}.parquet"
    path.write_bytes(path.read_bytes()[:-1])

    with pytest.raises(DamagedError, match=rf"{part}\.parquet .*Run: viva network build"):
        load_network(sample, "citation")
    build_networks(sample)
    assert load_network(sample, "citation").graph.n


def test_an_altered_manifest_is_noticed(sample: Corpus) -> None:
    build_networks(sample)
    path = sample.folder / "networks" / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest["networks"]["citation"]["inputs"] = "0"
    path.write_text(json.dumps(manifest))

    with pytest.raises(DamagedError, match="viva network build"):
        load_network(sample, "citation")


def test_a_damaged_table_of_the_corpus_is_not_built_from(sample: Corpus) -> None:
    path = sample.folder / "tables" / sample.files("authorships")[0]
    path.write_bytes(path.read_bytes() + b"0")

    with pytest.raises(DamagedError, match="authorships"):
        build_networks(sample)


def test_the_hash_of_columns_tells_contents_apart() -> None:
    def table(texts: list[str | None], numbers: list[int | None]) -> pa.Table:
        return pa.table(
            {"t": pa.array(texts, pa.large_string()), "n": pa.array(numbers, pa.int32())}
        )

    tables = [
        table(["ab", "c"], [1, 2]),
        table(["a", "bc"], [1, 2]),
        table(["ab", None], [1, 2]),
        table(["ab", ""], [1, 2]),
        table(["ab", "c"], [1, None]),
        table(["ab", "c"], [1, 0]),
    ]
    assert len({hash_table(each) for each in tables}) == len(tables)
    pieces = pa.concat_tables([table(["ab"], [1]), table(["c"], [2])])
    assert hash_table(pieces) == hash_table(tables[0])
    longer = table(["x", "ab", "c", "y"], [0, 1, 2, 3])
    assert hash_table(longer.slice(1, 2)) == hash_table(tables[0])


Write = Callable[..., Corpus]
OUT = {"title": "Out", "year": 2001}


@pytest.fixture
def corpus(write_citations: Write) -> Corpus:
    """Two papers on language, one on vision, one on stars and one without category."""
    described = {
        "l1": (["cs.CL", "cs.LG"], "2020-01-15"),
        "l2": (["cs.CL"], "2020-03"),
        "v": (["cs.CV"], "2020-03-31"),
        "s": (["astro-ph.SR"], "2019"),
        "x": ([], None),
    }
    built = write_citations(
        {"l1": ["l2", "v", "s", OUT], "l2": ["l1", OUT], "v": ["l1"], "s": [], "x": [OUT]},
        papers=[
            {"paper_id": paper, "categories": categories, "first_public": published}
            for paper, (categories, published) in described.items()
        ],
        tables=[{"paper_id": "l1", "ordinal": 0, "cited": [1, 3]}],
        authorships=[
            {"paper_id": "l1", "ordinal": 0, "name": "A"},
            {"paper_id": "l1", "ordinal": 1, "name": "B"},
            {"paper_id": "l2", "ordinal": 0, "name": "B. Bee"},
        ],
    )
    build_networks(built)
    return built


def test_by_domain(corpus: Corpus) -> None:
    rows = {row["domain"]: row for row in by_domain(corpus)}

    assert list(rows) == ["computer science", "physics", None]
    computing = rows["computer science"]
    # Lists of 4, 2 and 1 entries. Within: l1 -> l2, l1 -> v, l2 -> l1, v -> l1; to others: l1 -> s.
    # In-degrees 2, 1 and 1; out-degrees 4, 2 and 1.
    assert (computing["papers"], computing["with_references"]) == (3, 3)
    assert computing["references_mean"] == pytest.approx(7 / 3)
    assert computing["citation"] == {
        "within": 4,
        "to_others": 1,
        "from_others": 0,
        "external": 2,
        "in_mean": pytest.approx(4 / 3),
        "out_mean": pytest.approx(7 / 3),
    }
    assert computing["comparison"]["within"] == 1
    assert rows["physics"]["citation"]["from_others"] == 1
    assert rows["physics"]["references_mean"] is None
    assert rows[None]["citation"]["external"] == 1


@pytest.mark.parametrize(
    ("category", "domain"),
    [
        ("cs.CL", "computer science"),
        ("cond-mat.mes-hall", "physics"),
        ("alg-geom", "mathematics"),
        ("math-ph", "physics"),
        ("Linguistics", "Linguistics"),
    ],
)
def test_domains(category: str, domain: str) -> None:
    assert domain_of(category) == domain


def test_stats_before_a_build_name_the_command(write_corpus: Write) -> None:
    corpus = write_corpus(papers=[{"paper_id": "p"}])
    for measure in (network_stats, by_domain):
        with pytest.raises(StaleError, match="viva network build --corpus"):
            measure(corpus)
