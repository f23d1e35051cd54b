"""The steps from files to a round, each run alone: `python -m benchmarks.scale.stages STAGE SET`.

A stage prints one JSON object that says what it made; `benchmarks.scale` measures the process.
"""

import argparse
import gc
import io
import json
import shutil
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from benchmarks.scale.papers import Maker, Plan, write_papers

Counts = dict[str, Any]

KIND = "unarxive"
ADDED_SHARE = 0.05
_END = "2026-01-01"


@dataclass(frozen=True, slots=True)
class PaperSet:
    """A folder with the papers of a plan, the corpus made of them and its rounds."""

    folder: Path
    plan: Plan
    engine: str = "native"

    @property
    def corpus(self) -> Path:
        """The corpus folder."""
        return self.folder / "corpus"

    @property
    def papers(self) -> Path:
        """The files that the corpus is made of."""
        return self.folder / "papers"

    @property
    def added(self) -> Path:
        """The files that are added later."""
        return self.folder / "added"

    @property
    def added_papers(self) -> int:
        """How many papers are added later."""
        return max(round(self.plan.papers * ADDED_SHARE), 1)


@dataclass(frozen=True, slots=True)
class Stage:
    """One step, its own process."""

    name: str
    summary: str
    run: Callable[[PaperSet], Counts]
    clears: str | None = None
    """What of the set it makes anew, a folder."""
    is_update: bool = False
    """Whether it brings up to date what stands there, after papers were added."""
    is_input: bool = False
    """Whether it only makes what the others read."""


def _papers(of: PaperSet) -> Counts:
    plan = of.plan
    size = write_papers(plan, of.papers)
    write_papers(plan, of.added, plan.papers, plan.papers + of.added_papers)
    return {"papers": plan.papers, "bytes": size}


def _ingest(of: PaperSet) -> Counts:
    return _import(of, of.papers)


def _add(of: PaperSet) -> Counts:
    return _import(of, of.added)


def _import(of: PaperSet, where: Path) -> Counts:
    """Parse files into the imports of the corpus: the first half of `viva ingest`."""
    from vivavoce.corpus.ingestion.imports import find_files, import_files
    from vivavoce.corpus.reading import count_documents, read_faults
    from vivavoce.sources import ReadOptions, get_source
    from vivavoce.store import lock

    gc.set_threshold(100_000)  # as the command does
    source = get_source(KIND)
    files = find_files(source, where, of.corpus)
    with lock(of.corpus):
        batch = import_files(of.corpus, source, files, ReadOptions())
    return {"documents": count_documents(batch), "failed": len(read_faults(batch))}


def _tables(of: PaperSet) -> Counts:
    """Make the tables of the corpus out of its imports: the second half of `viva ingest`."""
    from vivavoce.corpus.build.engine import Engine
    from vivavoce.corpus.build.tables import build_tables
    from vivavoce.store import lock

    gc.set_threshold(100_000)  # as the command does
    with lock(of.corpus):
        built = build_tables(of.corpus, Engine(of.engine))
    return {"papers": built.papers, "merged": built.merged}


def _network(of: PaperSet) -> Counts:
    return dict(_viva("network", "build", "--corpus", str(of.corpus))["networks"])


def _stats(of: PaperSet) -> Counts:
    return _viva("network", "stats", "--corpus", str(of.corpus))


def _round(of: PaperSet) -> Counts:
    spec = of.folder / "round.toml"
    spec.write_text(round_spec(of.plan), "utf-8")
    out = of.folder / "rounds"
    found = _viva("round", "build", str(spec), "--corpus", str(of.corpus), "--out", str(out))
    return {task: row["items"] for task, row in found["counts"]["writing"].items()}


def round_spec(plan: Plan) -> str:
    """A round of writing tasks whose targets are the papers that have a body."""
    year, month = Maker(plan).month(max(plan.papers - plan.texts, 0))
    return (
        '[round]\nid = "scale"\nfamilies = ["writing"]\n'
        f'window = {{start = "{year}-{month:02d}-01", end = "{_END}"}}\n'
    )


STAGES = {
    stage.name: stage
    for stage in (
        Stage("papers", "make the papers", _papers, clears="papers", is_input=True),
        Stage("ingest", "parse files into the imports", _ingest, clears="corpus"),
        Stage("tables", "merge, resolve, write", _tables, clears="corpus/tables"),
        Stage("network", "build the networks", _network, clears="corpus/networks"),
        Stage("stats", "PageRank and components", _stats),
        Stage("round", "build a round", _round, clears="rounds"),
        Stage("add-ingest", "parse 5% more papers", _add, is_update=True),
        Stage("add-tables", "bring the tables up to date", _tables, is_update=True),
        Stage("add-network", "bring the networks up to date", _network, is_update=True),
    )
}
"""Every stage by name, in the order they have to run."""


def prepare(of: PaperSet, stage: Stage) -> None:
    """Clear what a stage makes anew, so that nothing is taken from an earlier run."""
    if stage.clears:
        shutil.rmtree(of.folder / stage.clears, ignore_errors=True)
    if stage.name == "add-ingest" and len(list((of.corpus / "imports").glob("[0-9]*"))) > 1:
        raise SystemExit(
            f"{of.corpus} has the added papers already: run its stages from ingest on."
        )


def arguments_of(of: PaperSet, stage: Stage) -> list[str]:
    """The command that runs one stage of a set."""
    plan = json.dumps(asdict(of.plan))
    program = [sys.executable, "-m", "benchmarks.scale.stages", stage.name]
    return [*program, str(of.folder), "--plan", plan, "--engine", of.engine]


def _viva(*arguments: str) -> Any:
    """What a command of `viva` prints with --json."""
    from vivavoce.cli import app

    with redirect_stdout(io.StringIO()) as printed:
        app([*arguments, "--json"], standalone_mode=False)
    return json.loads(printed.getvalue())


def main() -> int:
    """Run one stage and print what it made."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("stage", choices=STAGES)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--plan", type=json.loads, required=True)
    parser.add_argument("--engine", choices=["native", "ray"], default="native")
    arguments = parser.parse_args()
    known = {field.name for field in fields(Plan)}
    plan = Plan(**{name: value for name, value in arguments.plan.items() if name in known})
    of = PaperSet(arguments.folder, plan, arguments.engine)
    print(json.dumps(STAGES[arguments.stage].run(of)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
