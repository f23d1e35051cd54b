"""The whole pipeline at growing sizes: time, memory and bytes of each stage, and where it leads.

    python -m benchmarks.scale [--papers 50000 200000 800000] [--bodies 20000] [--out FOLDER]
                               [--engine native|ray] [--stage NAME ...]
    python -m benchmarks.scale --engine ray --workers 1 2 [--rounds 3]
    python -m benchmarks.scale --markdown [--measured FILE]

Each stage runs in its own process on synthetic papers; CPU time, highest memory and bytes read and
written are those of the process and its children. `measured.json` in the folder is written after
every stage, so a long run can be continued with --stage. Ends with 1 when a stage took more
memory than --memory-limit.
"""

import argparse
import json
import os
import platform
import signal
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

from benchmarks.scale.fit import GB, Machine
from benchmarks.scale.measure import measure
from benchmarks.scale.papers import Plan
from benchmarks.scale.report import FIT_FROM, markdown, run_line
from benchmarks.scale.stages import STAGES, PaperSet, Stage, arguments_of, prepare
from benchmarks.scale.workers import compare

Measured = dict[str, Any]

PUBLISHED = Path(__file__).with_name("measured.json")
"""A run of all three sizes."""
_SIZES = [50_000, 200_000, 800_000]
_BODY_BYTES = 20_000
_MEMORY_LIMIT_GB = 6.0


def describe_machine() -> dict[str, Any]:
    """What the numbers depend on."""
    pages, page = os.sysconf("SC_PHYS_PAGES"), os.sysconf("SC_PAGE_SIZE")
    return {
        "cores": os.cpu_count(),
        "memory_gb": pages * page / GB,
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "pyarrow": version("pyarrow"),
    }


def paper_sets(arguments: argparse.Namespace) -> list[PaperSet]:
    """The sets to measure: one of each size, and one of papers with bodies."""
    plans = [
        (f"papers-{size}", Plan(size, arguments.references, seed=arguments.seed))
        for size in arguments.papers
    ]
    if arguments.bodies:
        plan = Plan(
            arguments.bodies,
            arguments.references,
            texts=arguments.bodies,
            body_bytes=_BODY_BYTES,
            seed=arguments.seed,
        )
        plans.append((f"bodies-{arguments.bodies}", plan))
    out = arguments.out
    return [PaperSet(out / arguments.engine / name, plan, arguments.engine) for name, plan in plans]


def run_stage(of: PaperSet, stage: Stage) -> dict[str, Any]:
    """Run one stage of a set and tell what it took."""
    prepare(of, stage)
    before = _size(of.folder)
    used = measure(arguments_of(of, stage), of.folder / "logs" / f"{stage.name}.log")
    kept = _size(of.folder) - before
    return {
        "papers": of.plan.papers,
        "references": of.plan.references,
        "bodies": of.plan.texts >= of.plan.papers and of.plan.body_bytes >= _BODY_BYTES,
        "engine": of.engine,
        "stage": stage.name,
        "cpu_seconds": round(used.cpu_seconds, 2),
        "driver_seconds": round(used.driver_seconds, 2),
        "wall_seconds": round(used.wall_seconds, 2),
        "peak_bytes": used.peak_bytes,
        "driver_peak_bytes": used.driver_peak_bytes,
        "read_bytes": used.read_bytes,
        "written_bytes": used.written_bytes,
        "kept_bytes": kept,
        "made": json.loads(used.output),
    }


def record(measured: Measured, run: dict[str, Any], path: Path) -> None:
    """Put a run in place of an earlier one of the same stage, and write all down."""
    same = ("papers", "bodies", "engine", "stage")
    others = [r for r in measured["runs"] if any(r[name] != run[name] for name in same)]
    order = list(STAGES)
    measured["runs"] = sorted(
        [*others, run],
        key=lambda r: (r["engine"], r["bodies"], r["papers"], order.index(r["stage"])),
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(measured, indent=1) + "\n", "utf-8")


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--papers", type=int, nargs="*", default=_SIZES, metavar="N")
    parser.add_argument("--references", type=int, default=30)
    parser.add_argument("--bodies", type=int, default=20_000, help="0 leaves them out")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("scale"))
    parser.add_argument("--engine", choices=["native", "ray"], default="native")
    parser.add_argument("--workers", type=int, nargs="+", help="compare so many, of one core each")
    parser.add_argument("--rounds", type=int, default=3, help="of --workers")
    parser.add_argument("--stage", nargs="+", choices=STAGES, default=list(STAGES))
    parser.add_argument("--memory-limit", type=float, default=_MEMORY_LIMIT_GB, metavar="GB")
    parser.add_argument("--markdown", action="store_true", help="print the tables, run nothing")
    parser.add_argument("--measured", type=Path, default=PUBLISHED, help="for --markdown")
    parser.add_argument("--fit-from", type=int, default=FIT_FROM, metavar="N", help="papers")
    parser.add_argument("--cores", type=int, default=Machine().cores, help="of a machine to come")
    parser.add_argument("--memory", type=float, default=Machine().memory_gb, metavar="GB")
    return parser.parse_args()


def main() -> int:
    """Measure and print, or print what was measured."""
    arguments = _parse()
    measured: Measured
    on = Machine(cores=arguments.cores, memory_gb=arguments.memory)
    if arguments.markdown:
        measured = json.loads(arguments.measured.read_text("utf-8"))
        print(markdown(measured, on, arguments.fit_from), end="")
        return 0
    # So that the stage that runs is ended too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    if arguments.workers:
        sets = paper_sets(arguments)
        return max(compare(of, arguments.workers, arguments.rounds) for of in sets)
    path = arguments.out / "measured.json"
    measured = json.loads(path.read_text("utf-8")) if path.exists() else {"runs": []}
    measured["machine"] = describe_machine()
    held = []
    for of in paper_sets(arguments):
        for stage in STAGES.values():
            if stage.name in arguments.stage:
                run = run_stage(of, stage)
                record(measured, run, path)
                print(run_line(run), flush=True)
                held.append(run["peak_bytes"])
    print(f"\n{markdown(measured, on, arguments.fit_from)}\n{path}")
    return 1 if max(held, default=0) > arguments.memory_limit * GB else 0


if __name__ == "__main__":
    sys.exit(main())
