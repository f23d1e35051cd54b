"""Code in answers, and a hook that sees what Python does with it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.faults.test_worthless_answers import GOLD

pytestmark = pytest.mark.slow

MARK = "canary_of_an_answer"
WATCHED = """
import sys

MARK, seen = sys.argv[1], []

def constants(code):
    for value in code.co_consts:
        yield from constants(value) if hasattr(value, "co_consts") else [str(value)]
    yield from (*code.co_names, code.co_filename)

def watch(event, args):
    if event == "open" and isinstance(args[0], str) and any(c in str(args[1]) for c in "wax+"):
        if args[0] != "/dev/null":
            seen.append(f"{event} {args[0]}")
    elif event == "exec" and any(MARK in text for text in constants(args[0])):
        seen.append(event)
    elif event in {"compile", "import"} and MARK in str(args[0]):
        seen.append(f"{event} {args[0]!r}"[:100])
    elif event.startswith(("subprocess.", "os.system", "os.exec", "os.posix_spawn", "os.fork",
                           "os.rename", "os.symlink", "pickle.", "socket.connect")):
        seen.append(f"{event} {args!r}"[:100])

def report():
    print("SEEN", seen, file=sys.stderr)
"""
SCORE = """
sys.addaudithook(watch)
from vivavoce.cli import app
try:
    app(sys.argv[2:])
finally:
    report()
"""
CODE = f"""import os, vivavoce.metrics.rouge as {MARK}
{MARK}.rouge_l = lambda *_: 1.0
open('conftest.py', 'w').write('{MARK}')
open('sitecustomize.py', 'w').write('{MARK}')
os.system('touch {MARK}')
"""
ANSWERS = [
    CODE,
    f"```python\n{CODE}```",
    f"__import__('os').system('touch {MARK}')",
    f"{{{{ ''.__class__.__mro__[1].__subclasses__() }}}}{{% include '{MARK}' %}}",
    f"!!python/object/apply:os.system ['touch {MARK}']",
    f"$(touch {MARK}) `touch {MARK}` ; touch {MARK}",
    f'{{"__class__": "os.system", "py/reduce": ["touch {MARK}"]}}',
    f"| Method | Score |\n|-|-|\n| __import__('{MARK}') | {CODE.splitlines()[0]} |",
]


def watched(folder: Path, code: str, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-B", "-c", WATCHED + code, MARK, *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("family", sorted(GOLD))
def test_scoring_runs_imports_and_writes_nothing_of_an_answer(tmp_path: Path, family: str) -> None:
    rows = [{"id": number, **GOLD[family][0]} for number in range(len(ANSWERS))]
    answers = [{"id": number, "text": text} for number, text in enumerate(ANSWERS)]
    for name, lines in (("gold", rows), ("answers", answers)):
        text = "".join(json.dumps(line) + "\n" for line in lines)
        (tmp_path / f"{name}.jsonl").write_text(text, "utf-8")
    files = ("--gold", "gold.jsonl", "--predictions", "answers.jsonl", "--resamples", "0")
    done = watched(tmp_path, SCORE, "score", family, *files, "--json")
    assert done.returncode == 0, done.stderr
    assert done.stderr.splitlines()[-1] == "SEEN []"
    assert json.loads(done.stdout)["n"] == len(ANSWERS)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["answers.jsonl", "gold.jsonl"]
