"""Tables of what was measured and of what follows from it."""

from collections.abc import Iterator, Sequence
from typing import Any

from benchmarks.scale.fit import (
    GB,
    Line,
    Machine,
    StageLines,
    breaking_points,
    extrapolate,
    fit,
)
from benchmarks.scale.stages import STAGES

Run = dict[str, Any]
Cells = list[str]

TARGETS = (2_000_000, 2_700_000, 250_000_000)
"""The design size, all of arXiv, and all works that are known of."""
FIT_FROM = 50_000
"""Smaller sets have so few shards that the driver makes them: no line leads on from there."""
_CURVED = 1.15
"""An exponent above this is told: the line then says too little."""


def markdown(measured: dict[str, Any], on: Machine, fit_from: int = FIT_FROM) -> str:
    """Tables of what was measured; lines need two sizes of `fit_from` papers or more.

    Args:
        measured: The machine and its runs.
        on: The machine to extrapolate to.
        fit_from: The smallest size that lines are fitted to.
    """
    runs = measured["runs"]
    machine = measured["machine"]
    parts = [
        f"Measured on {machine['cores']} cores with {machine['memory_gb']:.0f} GB "
        f"({machine['system']}, Python {machine['python']}), engine `{_engines(runs)}`.",
        _table(
            ["papers", "stage", "CPU s", "wall s", "peak GB", "read GB", "written GB", "kept GB"],
            [_measured_cells(run) for run in runs],
        ),
    ]
    series = [run for run in sized(runs) if run["papers"] >= fit_from]
    if share := _update_share(runs):
        parts.append(share)
    if len({run["papers"] for run in series}) < 2:
        return "\n\n".join(parts) + "\n"
    lines = stage_lines(series, machine["cores"])
    line_table = _table(
        [
            "stage",
            "CPU ms a paper",
            "of these in one process",
            "start, CPU s",
            "off by",
            "grows as",
            "memory kB a paper",
            "memory at 0, GB",
            "off by",
            "of a worker, GB",
            "disk kB a paper",
        ],
        [_line_cells(line) for line in lines],
    )
    parts += [
        line_table,
        _table(
            [
                "papers",
                "CPU hours, spread",
                "CPU hours, one process",
                "machines",
                "hours",
                "largest memory, GB",
                "in",
                "disk, GB",
                "shuffle, GB",
                "read, GB",
            ],
            list(_need_cells(series, lines, on)),
        ),
        _table(
            ["stage", f"papers at which it fills {on.memory_gb:.0f} GB"],
            [[name, f"{papers / 1e6:,.1f} M"] for name, papers in breaking_points(lines, on)],
        ),
    ]
    return "\n\n".join(parts) + "\n"


def sized(runs: Sequence[Run]) -> list[Run]:
    """The runs that lines are fitted to: without bodies, of one engine, from scratch."""
    engines = [run["engine"] for run in runs if not run["bodies"]]
    engine = engines[0] if engines else ""
    return [run for run in runs if not run["bodies"] and run["engine"] == engine]


def stage_lines(runs: Sequence[Run], cores: int) -> list[StageLines]:
    """A line a stage and quantity, for the stages that were run at two sizes or more.

    Args:
        runs: What was measured.
        cores: Of the machine it was measured on, which is how many workers there were.
    """
    found = []
    for stage in STAGES.values():
        own = [run for run in runs if run["stage"] == stage.name]
        if stage.is_input or stage.is_update or len({run["papers"] for run in own}) < 2:
            continue
        papers = [run["papers"] for run in own]
        moved = [max(run["written_bytes"] - run["kept_bytes"], 0) for run in own]
        found.append(
            StageLines(
                name=stage.name,
                cpu_seconds=fit(papers, [run["cpu_seconds"] for run in own]),
                driver_seconds=fit(papers, [run["driver_seconds"] for run in own]),
                driver_bytes=fit(papers, [run["driver_peak_bytes"] for run in own]),
                worker_bytes=max(_worker_bytes(run, cores) for run in own),
                kept_bytes=fit(papers, [run["kept_bytes"] for run in own]),
                moved_bytes=fit(papers, moved),
                read_bytes=fit(papers, [run["read_bytes"] for run in own]),
            )
        )
    return found


def _worker_bytes(run: Run, cores: int) -> float:
    return max(float(run["peak_bytes"] - run["driver_peak_bytes"]), 0.0) / cores


def run_line(run: Run) -> str:
    """One line of a terminal for one run."""
    names = ["papers", "stage", "CPU s", "wall s", "peak GB", "read GB", "written GB", "kept GB"]
    cells = _measured_cells(run)
    return "  ".join(f"{name} {cell}" for name, cell in zip(names, cells, strict=True))


def _measured_cells(run: Run) -> Cells:
    kind = " with bodies" if run["bodies"] else ""
    return [
        f"{run['papers']:,}{kind}",
        run["stage"],
        f"{run['cpu_seconds']:,.1f}",
        f"{run['wall_seconds']:,.0f}",
        f"{run['peak_bytes'] / GB:.2f}",
        *(f"{run[name] / GB:.2f}" for name in ("read_bytes", "written_bytes", "kept_bytes")),
    ]


def _line_cells(line: StageLines) -> Cells:
    cpu, memory = line.cpu_seconds, line.driver_bytes
    return [
        line.name,
        f"{cpu.slope * 1e3:.3f}",
        f"{min(line.driver_seconds.slope / cpu.slope, 1.0) if cpu.slope > 0 else 1.0:.0%}",
        f"{cpu.intercept:.1f}",
        f"{cpu.residual:.0%}",
        f"n^{cpu.growth:.2f}{' (curved)' if cpu.growth > _CURVED else ''}",
        f"{memory.slope / 1e3:.2f}",
        f"{memory.intercept / GB:.2f}",
        f"{memory.residual:.0%}",
        f"{line.worker_bytes / GB:.2f}",
        f"{line.kept_bytes.slope / 1e3:.2f}",
    ]


def _need_cells(runs: Sequence[Run], lines: Sequence[StageLines], on: Machine) -> Iterator[Cells]:
    inputs = _input_line(runs)
    for papers in TARGETS:
        need = extrapolate(lines, inputs, papers, on)
        yield [
            f"{papers / 1e6:g} M",
            f"{need.spread_hours:,.1f}",
            f"{need.single_hours:,.1f}",
            f"{need.machines:,}",
            f"{need.hours:,.1f}",
            f"{need.memory_gb:,.1f}",
            need.memory_stage,
            f"{need.disk_gb:,.0f}",
            f"{need.shuffle_gb:,.0f}",
            f"{need.read_gb:,.0f}",
        ]


def _input_line(runs: Sequence[Run]) -> Line:
    own = [run for run in runs if run["stage"] == "papers"]
    if len({run["papers"] for run in own}) < 2:
        return Line(0.0, 0.0, 0.0, 0.0)
    return fit([run["papers"] for run in own], [run["made"]["bytes"] for run in own])


def _update_share(runs: Sequence[Run]) -> str:
    """What adding papers took, against making everything anew, stage by stage."""
    updates = sum(stage.is_update for stage in STAGES.values())
    rows = []
    for run in runs:
        if not STAGES[run["stage"]].is_update or run["bodies"]:
            continue
        whole = _find(runs, run["papers"], run["stage"].removeprefix("add-"), run["engine"])
        if whole:
            share = run["cpu_seconds"] / whole["cpu_seconds"]
            rows.append([f"{run['papers']:,}", run["stage"], f"{share:.0%}"])
    for papers in dict.fromkeys(run["papers"] for run in runs if not run["bodies"]):
        added = [r for r in runs if r["papers"] == papers and STAGES[r["stage"]].is_update]
        added = [run for run in added if not run["bodies"]]
        whole_runs = [_find(runs, papers, r["stage"][4:], r["engine"]) for r in added]
        if len(added) == updates and all(whole_runs):
            full = sum(run["cpu_seconds"] for run in whole_runs if run)
            share = sum(run["cpu_seconds"] for run in added) / full
            rows.append([f"{papers:,}", "together", f"{share:.0%}"])
    return _table(["papers", "after 5% more", "CPU, of a full build"], rows) if rows else ""


def _find(runs: Sequence[Run], papers: int, stage: str, engine: str) -> Run | None:
    wanted = (papers, stage, engine, False)
    matching = (
        run for run in runs if (run["papers"], run["stage"], run["engine"], run["bodies"]) == wanted
    )
    return next(matching, None)


def _engines(runs: Sequence[Run]) -> str:
    return "` and `".join(dict.fromkeys(run["engine"] for run in runs))


def _table(headers: Cells, rows: Sequence[Cells]) -> str:
    """A Markdown table; what holds numbers only is aligned to the right."""
    marks = ["---" if place == 0 else "---:" for place in range(len(headers))]
    body = [headers, marks, *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in body)
