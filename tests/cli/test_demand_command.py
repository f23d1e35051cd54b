"""`viva round demands`, from a spec to a file that `viva round build` reads, and the statistics."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.servers.commands import only_json, viva_here
from tests.servers.scripted import Ask, Reply, ScriptedServer, answer, by_model, scripted

from vivavoce.corpus import ingest
from vivavoce.rounds import load_round

WRITER, CHECKER = "openai-api/scripted/demand-writer", "openai-api/scripted/demand-checker"
ASKED = "I want an overview of earlier systems that helps to choose one of them."
SPEC = """[round]
id = "asked"
families = ["tables"]
window = {{start = 2020-01-01, end = 2027-01-01}}
[tables]
undated = true
{0}"""


def accepting(ask: Ask) -> Reply:
    return answer(json.dumps({"decision": "ACCEPT", "reason": "It is sound.", "demand": ""}))


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedServer]:
    with scripted() as running:
        running.serve_here(monkeypatch)
        running.script = by_model(
            {"demand-writer": lambda _: answer(ASKED), "demand-checker": accepting}
        )
        yield running


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tables") / "corpus"
    ingest("sample", Path("14"), folder)
    return folder


def spec(folder: Path, more: str = "") -> Path:
    path = folder / "spec.toml"
    path.write_text(SPEC.format(more), "utf-8")
    return path


def test_demands_are_written_and_a_round_asks_with_them(
    server: ScriptedServer, corpus: Path, tmp_path: Path
) -> None:
    out = tmp_path / "demands.jsonl"
    names = ("--model", WRITER, "--checker", CHECKER, "--out", out)
    done = viva_here("round", "demands", "--corpus", corpus, "--spec", spec(tmp_path), *names)
    tables = len(out.read_text("utf-8").splitlines())
    assert tables >= 2
    *_, counts, path = done.stdout.splitlines()
    assert counts == f"{tables} of {tables} demands written ({tables} at wording 1)"
    assert path == str(out)
    asked = len(server.asks)
    assert asked == 2 * tables
    again = viva_here(
        "round", "demands", "--corpus", corpus, "--spec", spec(tmp_path), *names, "--json"
    )
    assert len(server.asks) == asked
    assert only_json(again.stdout) == {
        "path": str(out),
        "tables": tables,
        "given": 0,
        "written": tables,
        "attempts": {"1": tables},
        "discarded": [],
    }
    by_model = spec(tmp_path, f'demands = "model"\ndemands_file = "{out}"\n')
    viva_here("round", "build", by_model, "--corpus", corpus, "--out", tmp_path)
    opened = load_round(tmp_path / "asked")
    items = opened.items("tables", "table")
    assert {(row["demand"], row["demand_source"]) for row in items} == {(ASKED, "model")}
    stats = only_json(viva_here("round", "stats", opened.folder, "--json").stdout)
    found = stats["literature_tables"]
    assert (found["tables"], found["demands"]) == (len(items), {"model": len(items)})


def test_tables_lacking_one_are_named(server: ScriptedServer, corpus: Path, tmp_path: Path) -> None:
    server.script = lambda _: answer("I'm sorry, but I can't help with that.")
    out = tmp_path / "demands.jsonl"
    wanted = ("--corpus", corpus, "--spec", spec(tmp_path), "--model", WRITER, "--out", out)
    done = viva_here("round", "demands", *wanted, expect=1)
    assert "without a demand: " in done.stdout
    assert "The answer held no demand." in done.stdout
    assert "0 of " in done.stdout
    found = only_json(viva_here("round", "demands", *wanted, "--json", expect=1).stdout)
    assert found["written"] == 0
    assert len(found["discarded"]) == found["tables"]


def test_a_spec_without_tables_is_reported(corpus: Path, tmp_path: Path) -> None:
    path = tmp_path / "spec.toml"
    path.write_text(SPEC.format("min_papers = 500\n"), "utf-8")
    wanted = ("--corpus", corpus, "--spec", path, "--model", WRITER, "--out", tmp_path / "d.jsonl")
    done = viva_here("round", "demands", *wanted, expect=1)
    assert "has no table" in done.stderr
    assert "few_papers" in done.stderr
    assert not (tmp_path / "d.jsonl").exists()


def test_the_tables_of_a_round_are_measured(corpus: Path, tmp_path: Path) -> None:
    viva_here("round", "build", spec(tmp_path), "--corpus", corpus, "--out", tmp_path)
    done = viva_here("round", "stats", tmp_path / "asked")
    shown = (
        "a table has  min  max  mean  total",
        "Tables by their number of papers",
        "Demands: template ",
        "Distractors: other_tables, tfidf, out of ",
    )
    assert [text for text in shown if text not in done.stdout] == []
