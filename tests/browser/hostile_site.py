"""A site out of real logs in which every name, question and answer means harm."""

from pathlib import Path

from inspect_ai.log import read_eval_log, write_eval_log
from inspect_ai.model import ModelOutput
from tests.results.audits.made_logs import write_log
from typer.testing import CliRunner

from vivavoce.cli import app

SCRIPT = "x</script><script>window.__xss=1</script><img src=x onerror='window.__xss=2;alert(1)'>"
LINK = "javascript:window.__xss=3"
FORMULA = "=cmd|'/c calc'!A0"
TEMPLATE = "{{ 7 * 7 }}{% for x in y %}"
MODELS = {
    "maker/steady": 0.44,
    "maker/brisk": 0.41,
    SCRIPT: 0.3,
    LINK: 0.2,
    FORMULA: 0.15,
    TEMPLATE: 0.1,
}
ITEMS = 12
ANSWER = (
    f'{SCRIPT}\n[click]({LINK})\n<a href="{LINK}">here</a>\n<!-- \n]]> \u202eback\x00\n{FORMULA}'
)


def write_logs(folder: Path) -> None:
    """Two rounds, two tasks, six contestants each."""
    for month, round_id in enumerate(("2026-01", "2026-02")):
        for task in ("title", "abstract"):
            for place, (model, level) in enumerate(MODELS.items()):
                values = {
                    f"item-{i}": min(level + 0.01 * ((i * 7 + place + month) % 5), 1.0)
                    for i in range(ITEMS)
                }
                path = write_log(
                    folder, values, model=model, task=task, round_id=round_id, judge="lab/judge"
                )
                _fill(path)


def write_hostile_site(folder: Path) -> Path:
    """The folder of the site."""
    logs, site = folder / "logs", folder / "site"
    write_logs(logs)
    words = ["board", "build", str(logs), "--out", str(site), "--samples", "2"]
    built = CliRunner().invoke(app, [*words, "--resamples", "200"])
    assert built.exit_code == 0, built.output
    return site


def _fill(path: Path) -> None:
    log = read_eval_log(str(path))
    for sample in log.samples or []:
        sample.input = f"What is {sample.id}? {SCRIPT}"
        sample.target = f"gold {SCRIPT}"
        sample.output = ModelOutput.from_content(log.eval.model, ANSWER)
        for score in (sample.scores or {}).values():
            score.explanation = SCRIPT
    write_eval_log(log, str(path))
