"""Forged logs, which would make a board show what no model did.

A forger has the code. So after each change he works out again whatever he can reach: scores,
means, summaries, the hashes of the ledger. `forgeries` lists what takes several edits that fit
together; `alterations` alters any one value.
"""

import json
import shutil
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from inspect_ai.event import ModelEvent
from inspect_ai.log import EvalLog, EvalSample, read_eval_log, write_eval_log
from inspect_ai.model import ModelOutput

from vivavoce.results.integrity.rescoring import LOGGED, Recording, make_again, open_whole
from vivavoce.results.logs.reading import read_logs
from vivavoce.running.logs import LEDGER, new_logs, read_ledger
from vivavoce.running.stopping import ask_again
from vivavoce.store import canonical_json, read_jsonl
from vivavoce.tasks.scoring import our_scores

CRITERIA = ("novelty", "feasibility", "consistency", "factuality", "style", "overall")
CAUGHT, RECOMPUTED = "caught", "recomputed"
Edit = Callable[["Forged"], None]


@dataclass
class Forged:
    """A log that is being forged."""

    path: Path
    log: EvalLog
    round: Path
    """The receiver's round."""
    easy: Path
    """A round that the forger built: of the same name, with gold of his own."""

    @property
    def samples(self) -> list[EvalSample]:
        return self.log.samples

    @property
    def facts(self) -> dict[str, Any]:
        """What the log says of its task."""
        return self.log.eval.metadata

    @property
    def worst(self) -> EvalSample:
        """The sample with the lowest first metric."""
        return min(self.samples, key=lambda one: value_of(one, self.facts["metrics"][0]))

    @property
    def best(self) -> EvalSample:
        return max(self.samples, key=lambda one: value_of(one, self.facts["metrics"][0]))

    def sums(self) -> None:
        """Work out the means in the header from the scores of the samples."""
        results = self.log.results
        for score in results.scores:
            values = [value_of(sample, score.name) for sample in self.samples]
            if "mean" in score.metrics and values:
                score.metrics["mean"].value = sum(values) / len(values)
            if score.scored_samples is not None:
                score.scored_samples = len(values)
        results.completed_samples = results.total_samples = len(self.samples)

    def scores(self, folder: Path | None = None) -> None:
        """Score what the log now says with our own code, so that all of it fits together."""
        recording = Recording()
        for sample in self.samples:
            recording.add(sample)
        task = ask_again(open_whole(self.log, folder or self.round), self.log)
        made = make_again(task, self.log, recording)
        remade = {(one.id, one.epoch): one for one in made.samples or []}
        for sample in self.samples:
            sample.scores = remade[sample.id, sample.epoch].scores
            for score in (sample.scores or {}).values():
                # Judges are named as the log names them, not as what gives their replies again.
                notes = json.dumps(score.metadata).replace(f"{LOGGED}/", "")
                score.metadata = json.loads(notes)
        self.log.results = made.results


def value_of(sample: EvalSample, metric: str) -> float:
    """One metric of a sample; 0 where it has none."""
    [score] = our_scores(sample.scores)
    found = score.as_dict().get(metric)
    return float(found) if found is not None else 0.0


def set_score(sample: EvalSample, **values: float) -> None:
    [score] = our_scores(sample.scores)
    assert isinstance(score.value, dict)
    score.value = {**score.value, **values}


def replies(sample: EvalSample, role: str | None = None) -> list[ModelEvent]:
    return [e for e in sample.events if isinstance(e, ModelEvent) and e.role == role]


def say(sample: EvalSample, text: str) -> None:
    """Put a text into a sample's answer, and nowhere else."""
    sample.output = ModelOutput.from_content(sample.output.model or "m", text)


def say_all_over(forged: Forged, sample: EvalSample, text: str) -> None:
    """Put a text where the model said its last one, in the transcript and the messages too."""
    event = replies(sample)[-1]
    said = event.output.model_copy(deep=True)
    said.choices[0].message.content = text
    event.output = said
    sample.output = said.model_copy(deep=True)
    sample.messages[-1] = said.choices[0].message


def nothing(forged: Forged) -> None:
    """The log stays as it was."""


def hash_of_manifest(folder: Path) -> str:
    import hashlib

    return hashlib.sha256((folder / "manifest.json").read_bytes()).hexdigest()


def rewrite_ledger(folder: Path) -> None:
    """Write the ledger again as if its runs had left the logs that lie there now."""
    path = folder / LEDGER
    starts = [line for _, line in read_jsonl(path) if line["kind"] == "start"]
    path.unlink()
    lines = (*starts, *new_logs(folder, read_ledger(folder)))
    path.write_text("".join(canonical_json(line) + "\n" for line in lines))


@dataclass(frozen=True)
class Forgery:
    """One way to forge."""

    of: str
    """Which of the honest logs it is made of."""
    edit: Edit
    caught: str = CAUGHT
    """`recomputed` where all fits together: nobody can prove who wrote the replies."""
    ledger: Callable[[Path], None] = rewrite_ledger

    @property
    def name(self) -> str:
        """A name for the table."""
        ledger = "" if self.ledger is rewrite_ledger else f", {self.ledger.__name__}"
        return f"{self.of}: {self.edit.__name__}{ledger}".replace("nothing, ", "").replace("_", " ")


def forge(forgery: Forgery, honest: Path, folder: Path, round: Path, easy: Path) -> None:
    """Make a forgery of honest logs, which lie in a folder of that name, in an empty folder."""
    shutil.copytree(honest / forgery.of, folder, dirs_exist_ok=True)
    if forgery.edit is not nothing:
        [path, *_] = sorted(folder.glob("*.eval"))
        log = read_eval_log(str(path), resolve_attachments=True)
        forged = Forged(path, log, round, easy)
        forgery.edit(forged)
        write_eval_log(forged.log, str(path))
    forgery.ledger(folder)


def shown_by_boards(logs: Path) -> list[str]:
    """All that boards, their pages and audits read of a folder of logs, in one order."""
    found, foreign = read_logs(logs)
    samples = [sorted(log.samples, key=lambda score: (score.id, score.epoch)) for log in found]
    shown = [
        repr(replace(log, name="", path="", samples=ordered))
        for log, ordered in zip(found, samples, strict=True)
    ]
    shown += [log.reason for log in foreign]
    for path in sorted(logs.glob("*.eval")):
        with suppress(Exception):  # of a damaged log there is no text to show
            for sample in read_eval_log(str(path)).samples or []:
                notes = [(one.answer, one.metadata) for one in (sample.scores or {}).values()]
                said = (sample.input, sample.target, sample.output.completion, sample.metadata)
                shown.append(repr((sample.id, sample.epoch, said, notes)))
    return sorted(shown)


def asked_in(logs: Path) -> list[str]:
    """What the transcripts of a folder of logs say was asked, with what settings and tools."""
    return sorted(
        repr((sample.id, sample.epoch, [_asked(event) for event in sample.events]))
        for path in sorted(logs.glob("*.eval"))
        for sample in read_eval_log(str(path)).samples or []
    )


def _asked(event: Any) -> Any:
    if isinstance(event, ModelEvent):
        words = [message.text for message in event.input]
        return event.model, words, event.tools, event.config, event.output.choices
    return (event.event, getattr(event, "result", None))
