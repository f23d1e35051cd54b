"""What a program does to a package is gone when the next interpreter decodes what it left."""

from __future__ import annotations

import asyncio
import importlib.util

import pytest

from vivavoce.sandbox.command import BwrapConfig, python_command
from vivavoce.sandbox.process import open_sandbox

pytestmark = [
    pytest.mark.slow,
    pytest.mark.sandbox,
]

TRAPS = """
import os
for folder in (".", "/tmp", "/work/.local/lib/python3.11/site-packages", "/work/site-packages"):
    os.makedirs(folder, exist_ok=True)
    for name in ("sitecustomize", "usercustomize", "conftest", "numpy", "pandas", "pyarrow",
                 "torch", "json", "datetime", "encodings"):
        open(f"{folder}/{name}.py", "w").write("print('TRAPPED')\\nraise SystemExit(0)\\n")
    open(f"{folder}/trap.pth", "w").write("import sys; print('TRAPPED')\\n")
"""

PATCHES = {
    "numpy": (
        "import numpy\nnumpy.isnan = numpy.abs = lambda *_: 0\n",
        "import numpy; print(numpy.abs(-2), numpy.isnan(numpy.nan))",
        "2 True",
    ),
    "pandas": (
        "import pandas, pandas.core.series\n"
        "pandas.Series.mean = pandas.core.series.Series.sum = lambda *_: 9\n"
        "pandas.read_parquet = pandas.DataFrame.to_parquet = None\n",
        "import pandas; print(pandas.Series([1.0, 3.0]).mean(), pandas.read_parquet is None)",
        "2.0 False",
    ),
    "pyarrow": (
        "import pyarrow, pyarrow.parquet\n"
        "pyarrow.parquet.ParquetFile = pyarrow.parquet.read_table = lambda *_: 1 / 0\n",
        "import pyarrow as a, pyarrow.parquet as p\n"
        "p.write_table(a.table({'x': [7]}), '/tmp/t')\n"
        "print(p.ParquetFile('/tmp/t').read()['x'].to_pylist())",
        "[7]",
    ),
    "torch": (
        "import torch\ntorch.equal = torch.allclose = lambda *_, **__: True\n"
        "torch.Tensor.__eq__ = lambda *_: True\n",
        "import torch; print(torch.equal(torch.zeros(1), torch.ones(1)))",
        "False",
    ),
}


@pytest.mark.parametrize("package", PATCHES)
def test_a_patched_package_is_whole_again_in_a_fresh_interpreter(package: str) -> None:
    if importlib.util.find_spec(package) is None:
        pytest.skip(f"{package} is not installed")
    config = BwrapConfig(packages=(package,))
    python = python_command(config)
    patch, question, expected = PATCHES[package]

    async def use() -> str:
        async with open_sandbox(config) as box:
            await box.write("patch.py", (patch + TRAPS).encode())
            patched = await box.run([*python, "patch.py"])
            assert patched.returncode == 0, patched.stderr
            asked = await box.run([*python, "-c", question])
            assert asked.returncode == 0, asked.stderr
            return asked.stdout.strip()

    assert asyncio.run(use()) == expected
