"""The types of the library, as mypy and pyright show them to a user."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

HERE = Path(__file__).parent
SCRIPT, WRONG = HERE / "user_script.py", HERE / "wrong_use.py"


def mypy(file: Path, folder: Path) -> set[int]:
    """Numbers of the lines with an error."""
    config = folder / "mypy.ini"
    config.write_text("[mypy]\nstrict = true\n[mypy-pyarrow.*]\nignore_missing_imports = true\n")
    command = [sys.executable, "-m", "mypy", "--config-file", str(config), "--no-pretty"]
    command += ["--cache-dir", str(folder / "cache"), "--no-error-summary", str(file)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    found = [line.partition(": error: ") for line in done.stdout.splitlines()]
    return {int(where.split(":")[1]) for where, said, _ in found if said}


def pyright(file: Path, folder: Path) -> set[int]:
    """The same by basedpyright, which brings its own node and is pyright in standard mode."""
    config = folder / "pyrightconfig.json"
    settings = {
        "typeCheckingMode": "standard",
        "include": [str(file)],
        "reportMissingImports": False,
    }
    config.write_text(json.dumps(settings))
    command = [sys.executable, "-m", "basedpyright", "--outputjson", "--project", str(config)]
    command += ["--pythonpath", sys.executable]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    told = json.loads(done.stdout)
    assert told["summary"]["filesAnalyzed"] == 1, done.stdout + done.stderr
    errors = [one for one in told["generalDiagnostics"] if one["severity"] == "error"]
    return {one["range"]["start"]["line"] + 1 for one in errors}


@pytest.mark.parametrize("checker", [mypy, pyright])
def test_a_right_script_has_no_error_and_a_wrong_one_has_each(checker, tmp_path: Path) -> None:
    lines = enumerate(WRONG.read_text("utf-8").splitlines(), 1)
    wrong = {number for number, line in lines if line.endswith("# wrong")}
    assert len(wrong) == 9
    assert checker(SCRIPT, tmp_path) == set()
    assert checker(WRONG, tmp_path) == wrong
