"""The types of the library, as pyright shows them to a user; `make check` asks mypy the same.

A line that is wrong has a comment that mypy is to ignore, and mypy finds comments without need.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
SCRIPT, WRONG = HERE / "user_script.py", HERE / "wrong_use.py"


@pytest.mark.slow
def test_a_right_script_has_no_error_and_a_wrong_one_has_each(tmp_path: Path) -> None:
    config = tmp_path / "pyrightconfig.json"
    settings = {
        "typeCheckingMode": "standard",
        "include": [str(SCRIPT), str(WRONG)],
        "reportMissingImports": False,
        "enableTypeIgnoreComments": False,
    }
    config.write_text(json.dumps(settings))
    # basedpyright brings its own node, and is pyright in standard mode.
    command = [sys.executable, "-m", "basedpyright", "--outputjson", "--project", str(config)]
    command += ["--pythonpath", sys.executable]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    report = json.loads(done.stdout)
    assert report["summary"]["filesAnalyzed"] == 2, done.stdout + done.stderr
    errors = [one for one in report["generalDiagnostics"] if one["severity"] == "error"]
    lines = enumerate(WRONG.read_text("utf-8").splitlines())
    wrong = {(str(WRONG), number) for number, line in lines if "# type: ignore[" in line}
    assert len(wrong) == 9
    assert {(one["file"], one["range"]["start"]["line"]) for one in errors} == wrong
