"""Whole commands, from the shell's call to its prompt, beside what does the same without us."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

from benchmarks.peers.comparison import Comparison
from benchmarks.peers.harness import build_sample_round
from benchmarks.peers.rouge import make_pairs

SCORE = """
import json, sys
from rouge_score.rouge_scorer import RougeScorer
scorer = RougeScorer(["rouge1", "rouge2", "rougeL"], use_stemmer=True)
rows = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]
found = [scorer.score(row["reference"], row["text"])["rouge1"].fmeasure for row in rows]
print(json.dumps(sum(found) / len(found)))
"""
RUN = """
import sys
from inspect_ai._util import entrypoints
every = entrypoints.entry_points
entrypoints.entry_points = lambda group: [
    point for point in every(group=group) if point.dist.name != "vivavoce"
]
from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import match
from inspect_ai.solver import generate
task = Task([Sample("Give a title.", target="A title")], solver=generate(), scorer=match())
output = ModelOutput.from_content("mockllm/model", "A title")
output.usage = ModelUsage(input_tokens=3, output_tokens=2, total_tokens=5)
model = get_model("mockllm/model", custom_outputs=[output])
eval(task, model=model, log_dir=sys.argv[1], display="none")
assert not any(name.partition(".")[0] == "vivavoce" for name in sys.modules)
"""
"""Plain Inspect, in a process that does not load this package."""
READ = """
import sys
from inspect_ai.log import list_eval_logs, read_eval_log
print(sum(len(read_eval_log(one).samples) for one in list_eval_logs(sys.argv[1])))
"""


def comparisons(scratch: Path, *, smoke: bool) -> Iterator[Comparison]:
    """Help, scores, a run and a board, each in a process of its own."""
    viva = [str(Path(sys.executable).with_name("viva"))]
    inspect = [str(Path(sys.executable).with_name("inspect"))]
    yield Comparison(
        job="viva --help",
        peer="inspect --help",
        ours=_calling([*viva, "--help"]),
        theirs=_calling([*inspect, "--help"]),
        agree=_both_done,
        target=4.0,
    )
    rows = _rows(scratch / "rows.jsonl", 40 if smoke else 400)
    both = ["--gold", str(rows), "--predictions", str(rows)]
    yield Comparison(
        job=f"viva score, {40 if smoke else 400} texts, stemmed",
        peer="rouge-score alone",
        ours=_calling([*viva, "score", "writing", *both, "--stem", "--json"]),
        theirs=_calling([sys.executable, "-c", SCORE, str(rows)]),
        agree=lambda mine, other: (
            abs(json.loads(mine)["metrics"]["rouge1"]["value"] - float(other)) < 1e-12
        ),
        target=3.0,
        smoke_target=1.5,
    )
    opened = build_sample_round(scratch / "rounds", 40)
    asked = ["run", "title", "--round", str(opened.folder), "--model", "extractive/lead"]
    fresh = iter(range(1_000))
    yield Comparison(
        job="viva run, one sample",
        peer="plain Inspect",
        ours=lambda: _call([*viva, *asked, "--limit", "1", "--logs", f"{scratch}/o{next(fresh)}"]),
        theirs=lambda: _call([sys.executable, "-c", RUN, f"{scratch}/t{next(fresh)}"]),
        agree=_both_done,
        target=0.6,
    )
    logs = str(scratch / "logs")
    methods = [word for name in ("direct", "null", "oracle") for word in ("--method", name)]
    _call([*viva, *asked, *methods, "--logs", logs])
    yield Comparison(
        job="viva board show, 3 logs",
        peer="Inspect reading them",
        ours=_calling([*viva, "board", "show", logs]),
        theirs=_calling([sys.executable, "-c", READ, logs]),
        agree=_both_done,
        target=0.6,
    )


def _rows(path: Path, count: int) -> Path:
    """Texts of many words, since those of one vocabulary would be stemmed once."""
    pairs = [pair for seed in range(count) for pair in make_pairs(1, 150, seed=seed)]
    Random(0).shuffle(pairs)
    rows = ({"id": n, "text": text, "reference": gold} for n, (text, gold) in enumerate(pairs))
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def _calling(command: list[str]) -> Callable[[], str]:
    return lambda: _call(command)


def _call(command: list[str]) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def _both_done(*_: Any) -> bool:
    """Check nothing more: a command that fails raises."""
    return True
