"""Every item of the implementation family, attempt after attempt, with a model over HTTP.

The model is a server on the loopback interface that answers from the request alone: programs that
do ordinary work (read the tables, group, write a result), not the right ones. Prints the wall time
of each task and what importing pandas and torch costs in the sandbox, which no program avoids.

    python -m benchmarks.bench_attempts [--attempts 20] [--formulas 38] [--out FOLDER]

It ends with exit code 1 when a sample has no score or the whole takes over 30 minutes.
"""

import argparse
import asyncio
import json
import os
import re
import sys
import tempfile
import time
from pathlib import Path

from tests.servers.scripted import KEY, Ask, Reply, answer, scripted, slot

from vivavoce.corpus import ingest
from vivavoce.rounds import Round
from vivavoce.running import RunSpec, run
from vivavoce.sandbox.command import BwrapConfig, python_command
from vivavoce.sandbox.process import open_sandbox
from vivavoce.tasks import build_round
from vivavoce.tasks.implementation.items.formula import list_formulas

MINUTES = 30
TASKS = ("formula", "architecture", "extract_method", "reproduce")
IMPORTS = {"pandas": ("numpy", "pandas", "pyarrow"), "torch": ("numpy", "torch", "safetensors")}

FACTOR = """
import pandas as pd

frame = pd.read_parquet("{table}.parquet")
frame["datetime"] = frame["datetime"].dt.normalize()
column = [name for name in frame.columns if name not in ("datetime", "instrument", "industry")][0]
frame = frame.sort_values(["instrument", "datetime"])
frame["value"] = frame.groupby("instrument")[column].pct_change()
frame.groupby(["datetime", "instrument"])["value"].std().reset_index().to_parquet("result.parquet")
"""
MODULE = """
import torch


class Model(torch.nn.Module):
    def __init__(self, **arguments):
        super().__init__()
        for key, shape in {parameters}.items():
            *path, last = key.split(".")
            home = self
            for name in path:
                if not hasattr(home, name):
                    home.add_module(name, torch.nn.Module())
                home = getattr(home, name)
            if "running" in last or "num_batches" in last:
                home.register_buffer(last, torch.zeros(shape))
            else:
                home.register_parameter(last, torch.nn.Parameter(torch.zeros(shape)))

    def forward(self, *inputs):
        return [inputs[0].float() for _ in range({layers})]
"""


def script(ask: Ask) -> Reply:
    """An answer of the form that the prompt asks for."""
    if "<layers>" in ask.prompt:
        found = re.findall(r"^- ([\w.]+): \(([\d, ]*)\)", slot(ask.prompt, "parameters"), re.M)
        shapes = {key: [int(n) for n in shape.split(",") if n.strip()] for key, shape in found}
        layers = len(slot(ask.prompt, "layers").splitlines())
        program = MODULE.replace("{parameters}", repr(shapes)).replace("{layers}", str(layers))
        return answer(f"```python\n{program}\n```")
    if "<data>" not in ask.prompt:
        heads = re.findall(r"^#+ (.+)$", ask.prompt, re.M)
        methods = [{"name": head, "description": head, "variables": {}} for head in heads]
        return answer(f"```json\n{json.dumps({'methods': methods})}\n```")
    table = re.findall(r"`(\w+)\.parquet`", slot(ask.prompt, "data"))[0]
    program = FACTOR.replace("{table}", table)
    if "<report>" not in ask.prompt:
        return answer(f"```python\n{program}\n```")
    said = json.dumps({"method": {"name": "unknown"}, "columns": [f"{table}.value"]})
    claim = 'open("claim.json", "w").write(\'{"value": 0.5}\')'
    return answer(f"```json\n{said}\n```\n\n```python\n{program}{claim}\n```")


def build(folder: Path, formulas: int) -> Round:
    """A round with all reports and architectures, and the first so many formulas."""
    ingest("sample", Path("4"), folder / "corpus")
    spec = {
        "round": {
            "id": "attempts",
            "window": {"start": "2023-07-01", "end": "2025-01-01"},
            "families": ["implementation"],
        },
        "implementation": {"formulas": list(list_formulas())[:formulas]},
    }
    return build_round(folder / "corpus", spec, folder)


async def import_seconds(module: str, packages: tuple[str, ...]) -> float:
    """CPU seconds that a program spends importing a module in the sandbox."""
    code = f"import time; t = time.process_time(); import {module}; print(time.process_time() - t)"
    async with open_sandbox(BwrapConfig(packages=packages)) as box:
        done = [await box.run([*python_command(), "-c", code], timeout=120) for _ in range(3)]
    return sorted(float(one.stdout) for one in done)[1]


def main() -> int:
    """Run every task and print a line for each."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--attempts", type=int, default=20)
    parser.add_argument("--formulas", type=int, default=len(list_formulas()))
    parser.add_argument("--out", type=Path, default=None)
    options = parser.parse_args()
    for module, packages in IMPORTS.items():
        print(f"import {module}: {asyncio.run(import_seconds(module, packages)):.2f} s CPU")
    folder = options.out or Path(tempfile.mkdtemp())
    opened = build(folder, options.formulas)
    whole, failed = 0.0, []
    with scripted(script) as server:
        os.environ |= {"SCRIPTED_BASE_URL": server.url, "SCRIPTED_API_KEY": KEY}
        for task in TASKS:
            start = time.perf_counter()
            report = run(
                RunSpec(
                    tasks=[task],
                    round=opened.folder,
                    logs=folder / "logs",
                    models=[f"openai-api/scripted/{task}"],
                    epochs=options.attempts,
                    display="none",
                )
            )
            seconds = time.perf_counter() - start
            whole, failed = whole + seconds, [*failed, *report.failed]
            items = len(opened.items("implementation", task))
            answers = items * options.attempts
            print(f"{task}: {items} items, {answers} answers, {seconds:.0f} s wall", flush=True)
    print(f"all: {whole / 60:.1f} min; logs in {folder / 'logs'}")
    for line in failed:
        print(line)
    return 1 if failed or whole > 60 * MINUTES else 0


if __name__ == "__main__":
    sys.exit(main())
