"""Forged logs: every way we know to make a board say what no model did.

A forger has the code. So after each change he works out again whatever he can reach: scores,
means, summaries, the hashes of the ledger. `FORGERIES` names the forgeries, what they are made of
and what stops them; `forge` makes one on a copy of honest logs.
"""

from __future__ import annotations

import copy
import json
import shutil
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from inspect_ai.event import ModelEvent
from inspect_ai.log import EvalLog, EvalSample, read_eval_log, write_eval_log
from inspect_ai.model import ChatMessageUser, ModelOutput

from vivavoce.results.integrity.rescoring import Recording, make_again, reopen
from vivavoce.running.ledger import LEDGER, new_logs, read_ledger
from vivavoce.store import canonical_json, hash_of, read_jsonl
from vivavoce.tasks.scoring.guard import our_scores

CAUGHT, MARKED = "caught", "self-reported"
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
        assert self.log.samples is not None
        return self.log.samples

    @property
    def told(self) -> dict[str, Any]:
        """What the log says of its task."""
        assert self.log.eval.metadata is not None
        return self.log.eval.metadata

    @property
    def worst(self) -> EvalSample:
        """The sample with the lowest first metric."""
        return min(self.samples, key=lambda one: value_of(one, self.told["metrics"][0]))

    @property
    def best(self) -> EvalSample:
        return max(self.samples, key=lambda one: value_of(one, self.told["metrics"][0]))

    def sums(self) -> None:
        """Work out the means in the header from the scores of the samples."""
        results = self.log.results
        assert results is not None
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
        made = make_again(reopen(self.log, folder or self.round), self.log, recording)
        remade = {(one.id, one.epoch): one for one in made.samples or []}
        for sample in self.samples:
            sample.scores = remade[sample.id, sample.epoch].scores
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


# --- what the log says of the round --------------------------------------------------------------


def other_hash(forged: Forged) -> None:
    forged.told["round_sha256"] = "0" * 64


def no_hash(forged: Forged) -> None:
    del forged.told["round_sha256"]


def gold_is_the_answer(forged: Forged) -> None:
    """The forgery that led the board: no round, so that the gold is what was answered."""
    forged.told["round_sha256"] = "f" * 64
    for sample in forged.samples:
        sample.target = sample.output.completion
        set_score(sample, **dict.fromkeys(forged.told["metrics"], 1.0))
    forged.sums()


def other_name(forged: Forged) -> None:
    forged.told["round"] = "another"
    forged.told["round_sha256"] = "1" * 64


def shipped_round(forged: Forged) -> None:
    """The forger's own round comes with the logs, which lead to it."""
    forged.log.eval.task_args["round"] = str(forged.easy)
    forged.told["round_sha256"] = hash_of_manifest(forged.easy)
    forged.told["round"] = json.loads((forged.easy / "manifest.json").read_text())["id"]
    forged.sums()


def other_window(forged: Forged) -> None:
    forged.told["window"] = ["2030-01-01", "2031-01-01"]


def other_version(forged: Forged) -> None:
    forged.log.eval.task_version = "99-A"


def other_prompts(forged: Forged) -> None:
    forged.told["prompt_hash"] = "a" * 64


def other_headline(forged: Forged) -> None:
    forged.told["metrics"] = [*forged.told["diagnostics"][:1], *forged.told["metrics"]]


def no_judged_metrics(forged: Forged) -> None:
    forged.told["judged"] = []


def other_task(forged: Forged) -> None:
    forged.told["task"] = "abstract" if forged.told["task"] != "abstract" else "title"


def unknown_task(forged: Forged) -> None:
    forged.told["task"] = "easier"


def other_setting(forged: Forged) -> None:
    forged.told["setting"] = "title_only"


# --- which samples it has ------------------------------------------------------------------------


def drop_the_worst(forged: Forged) -> None:
    forged.samples.remove(forged.worst)
    forged.sums()


def drop_and_claim_fewer(forged: Forged) -> None:
    drop_the_worst(forged)
    forged.log.eval.dataset.samples = len(forged.samples)
    forged.log.eval.dataset.sample_ids = [sample.id for sample in forged.samples]


def drop_more_than_half(forged: Forged) -> None:
    """23 of 43 and the like: the better part is kept, the means are theirs."""
    metric = forged.told["metrics"][0]
    kept = sorted(forged.samples, key=lambda one: -value_of(one, metric))
    forged.log.samples = kept[: max(1, len(kept) * 20 // 43)]
    forged.sums()


def swap_ids(forged: Forged) -> None:
    first, second = forged.worst, forged.best
    first.id, second.id = second.id, first.id


def best_under_every_id(forged: Forged) -> None:
    best = forged.best.model_copy(deep=True)
    for sample in forged.samples:
        sample.output, sample.scores = best.output, copy.deepcopy(best.scores)
        sample.events = copy.deepcopy(best.events)
    forged.sums()


def fewer_attempts(forged: Forged) -> None:
    """Of several attempts only the first is shown, as if one had been asked for."""
    forged.log.samples = [sample for sample in forged.samples if sample.epoch == 1]
    forged.log.eval.config.epochs = 1
    forged.log.eval.config.epochs_reducer = None
    forged.sums()


def an_attempt_too_many(forged: Forged) -> None:
    extra = forged.best.model_copy(deep=True)
    extra.epoch = 7
    forged.samples.append(extra)


def lucky_subset(forged: Forged) -> None:
    drop_the_worst(forged)
    size = len(forged.samples)
    forged.log.eval.dataset.samples = size
    forged.told["setting"] = f"base ({size} of 43)"
    told = {"size": size, "of": 43, "seed": 0, "stratified": False, "items": "0" * 64}
    forged.told["subset"] = told


def invented_cutoff(forged: Forged) -> None:
    """Items before a cutoff are left out that the forger states so as to lose the worst."""
    dates = sorted(str(sample.metadata.get("published")) for sample in forged.samples)
    clean = {"cutoffs": {forged.log.eval.model: dates[0]}, "margin_days": 0, "of": len(dates)}
    forged.told["clean"] = clean
    kept = [one for one in forged.samples if str(one.metadata.get("published")) > dates[0]]
    forged.log.samples = kept
    forged.told["setting"] = f"base (clean, {len(kept)} of {len(dates)})"
    forged.log.eval.dataset.samples = len(kept)
    forged.sums()


def claimed_limit(forged: Forged) -> None:
    drop_the_worst(forged)
    forged.log.eval.config.limit = len(forged.samples)


# --- what was asked ------------------------------------------------------------------------------


def easier_gold(forged: Forged) -> None:
    forged.worst.target = forged.worst.output.completion
    set_score(forged.worst, **dict.fromkeys(forged.told["metrics"], 1.0))
    forged.sums()


def gold_in_the_question(forged: Forged) -> None:
    forged.worst.input = f"{forged.worst.input}\nThe answer: {forged.worst.target}"


def gold_in_the_prompt(forged: Forged) -> None:
    """The transcript shows another request, which holds the answer; the reply is honest to it."""
    sample = forged.worst
    event = replies(sample)[-1]
    event.input = [*event.input, ChatMessageUser(content=f"The answer: {sample.target}")]


def later_date(forged: Forged) -> None:
    for sample in forged.samples:
        sample.metadata["published"] = "2030-01-01"


def other_cluster(forged: Forged) -> None:
    """Smaller intervals: every item a cluster of its own."""
    for place, sample in enumerate(forged.samples):
        sample.metadata["cluster"] = f"c{place}"


# --- what was answered ---------------------------------------------------------------------------


def gold_for_an_answer(forged: Forged) -> None:
    say(forged.worst, str(forged.worst.target))


def gold_for_every_answer(forged: Forged) -> None:
    for sample in forged.samples:
        say(sample, str(sample.target))
        set_score(sample, **dict.fromkeys(forged.told["metrics"], 1.0))
    forged.sums()


def gold_without_transcript(forged: Forged) -> None:
    gold_for_every_answer(forged)
    for sample in forged.samples:
        sample.events = []


def gold_said_and_scored(forged: Forged) -> None:
    """Made up whole: replies, answers, scores and means fit together."""
    for sample in forged.samples:
        say_all_over(forged, sample, str(sample.target))
    forged.scores()


def gold_after_a_limit(forged: Forged) -> None:
    """A limit is claimed to have ended each sample: then no method makes its answer again."""
    from inspect_ai.log import EvalSampleLimit

    for sample in forged.samples:
        say(sample, str(sample.target))
        sample.limit = EvalSampleLimit(type="token", limit=100)
        set_score(sample, **dict.fromkeys(forged.told["metrics"], 1.0))
    forged.sums()


def other_reply_order(forged: Forged) -> None:
    """The replies of two samples change places, in the transcripts too."""
    first, second = forged.worst, forged.best
    first.output, second.output = second.output, first.output
    one, two = replies(first)[-1], replies(second)[-1]
    one.output, two.output = two.output, one.output


# --- what it is worth ----------------------------------------------------------------------------


def raised_score(forged: Forged) -> None:
    set_score(forged.worst, **{forged.told["metrics"][0]: 0.97})
    forged.sums()


def raised_mean(forged: Forged) -> None:
    assert forged.log.results is not None
    for metric in forged.log.results.scores[0].metrics.values():
        metric.value = 0.97


def forgiven_fault(forged: Forged) -> None:
    [score] = our_scores(forged.worst.scores)
    score.metadata = {**(score.metadata or {}), "fault": "refusal"}


def other_counts(forged: Forged) -> None:
    [score] = our_scores(forged.best.scores)
    score.metadata = {**(score.metadata or {}), "counts": {"made": [1, 1]}}


def verdict_turned(forged: Forged) -> None:
    for sample in forged.samples:
        set_score(sample, judge_win=1.0)
    forged.sums()


def judge_bought(forged: Forged) -> None:
    """The judge's replies themselves are turned to the contestant, and all is scored anew."""
    verdict = json.dumps({name: {"reason": "so", "winner": 2} for name in CRITERIA})
    for sample in forged.samples:
        for place, event in enumerate(replies(sample, "judge")):
            if place % 2:
                event.output.choices[0].message.content = verdict
    forged.scores()


def other_judge(forged: Forged) -> None:
    assert forged.log.eval.model_roles is not None
    role: Any = forged.log.eval.model_roles["judge"]
    role.model = "openai/gpt-5"


def no_judge(forged: Forged) -> None:
    forged.log.eval.model_roles = {}


# --- who answered, how, at what cost -------------------------------------------------------------


def other_model(forged: Forged) -> None:
    forged.log.eval.model = "openai/gpt-5"


def other_model_all_over(forged: Forged) -> None:
    was, name = forged.log.eval.model, "openai/gpt-5"
    text = forged.log.model_dump_json().replace(json.dumps(was)[1:-1], name)
    forged.log = EvalLog.model_validate_json(text)


def oracle_as_a_model(forged: Forged) -> None:
    """The log of the ceiling, under a model's name."""
    forged.log.eval.model = "openai/gpt-5"
    forged.log.plan.steps[0].solver = "vivavoce/direct"


def other_method(forged: Forged) -> None:
    forged.log.plan.steps[0].solver = "vivavoce/null"


def unknown_method(forged: Forged) -> None:
    forged.log.plan.steps[0].solver = "lab/secret"


def other_temperature(forged: Forged) -> None:
    forged.log.plan.config.temperature = 0.9


def fewer_tokens(forged: Forged) -> None:
    for sample in forged.samples:
        for usage in sample.model_usage.values():
            usage.input_tokens = usage.output_tokens = usage.total_tokens = 1


def quicker(forged: Forged) -> None:
    for sample in forged.samples:
        sample.total_time = sample.working_time = 0.001


def ended_well(forged: Forged) -> None:
    forged.samples.pop()
    forged.log.status = "success"


# --- the folder ----------------------------------------------------------------------------------


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
    lines: list[dict[str, Any]] = []
    for entry in (*starts, *new_logs(folder, read_ledger(folder))):
        body = {key: value for key, value in entry.items() if key not in ("n", "before", "hash")}
        body |= {"n": len(lines) + 1, "before": lines[-1]["hash"] if lines else "0" * 64}
        lines.append({**body, "hash": hash_of(body)})
    path.write_text("".join(canonical_json(line) + "\n" for line in lines))


def no_ledger(folder: Path) -> None:
    (folder / LEDGER).unlink()


def old_ledger(folder: Path) -> None:
    """The ledger stays as the run wrote it."""


def in_no_ledger(folder: Path) -> None:
    """The ledger of another folder."""
    path = folder / LEDGER
    start = path.read_text().splitlines(keepends=True)[0]
    path.write_text(start)


def changed_line(folder: Path) -> None:
    """The line of the log gets its new hash, and none of the chain is worked out again."""
    rewrite_ledger(folder)
    path = folder / LEDGER
    path.write_text(path.read_text().replace('"answers":', '"answers":1', 1))


def cut_ledger(folder: Path) -> None:
    """The last run goes from the ledger together with its log."""
    path = folder / LEDGER
    kept = path.read_text().splitlines(keepends=True)
    cut = json.loads(kept[-1])["log"]
    path.write_text("".join(kept[:-1]))
    (folder / cut).unlink()


def twice(folder: Path) -> None:
    """The same log again under another name, outside of the ledger."""
    [path, *_] = sorted(folder.glob("*.eval"))
    shutil.copy(path, folder / f"2030-01-01T00-00-00-00-00_{path.name[26:]}")


def damaged(folder: Path) -> None:
    [path, *_] = sorted(folder.glob("*.eval"))
    path.write_bytes(path.read_bytes()[:-200])
    rewrite_ledger(folder)


def summaries_only(folder: Path) -> None:
    """Only the summaries, which boards read, are raised."""
    [path, *_] = sorted(folder.glob("*.eval"))
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    found = json.loads(parts["summaries.json"])
    for summary in found:
        for score in summary["scores"].values():
            first = next(iter(score["value"]))
            score["value"][first] = 0.98765
    parts["summaries.json"] = json.dumps(found).encode()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    rewrite_ledger(folder)


CRITERIA = ("novelty", "feasibility", "consistency", "factuality", "style", "overall")


@dataclass(frozen=True)
class Forgery:
    """One way to forge."""

    of: str
    """Which of the honest logs it is made of."""
    edit: Edit
    caught: str = CAUGHT
    """`self-reported` where only that mark says that nobody but the runner vouches for it."""
    ledger: Callable[[Path], None] = rewrite_ledger

    @property
    def name(self) -> str:
        """A name for the table."""
        ledger = "" if self.ledger is rewrite_ledger else f", {self.ledger.__name__}"
        return f"{self.of}: {self.edit.__name__}{ledger}".replace("nothing, ", "").replace("_", " ")


FORGERIES = (
    Forgery("title", other_hash),
    Forgery("title", no_hash),
    *(Forgery(of, gold_is_the_answer) for of in ("title", "leaderboard", "table", "formula")),
    Forgery("title", other_name),
    Forgery("title", shipped_round),
    *(Forgery("title", edit) for edit in (other_window, other_prompts, other_headline)),
    Forgery("title", other_version),
    Forgery("title", other_task),
    Forgery("title", unknown_task),
    Forgery("judged", no_judged_metrics),
    Forgery("title", other_setting),
    *(Forgery(of, drop_the_worst) for of in ("title", "ranking", "table")),
    *(Forgery(of, drop_and_claim_fewer) for of in ("title", "leaderboard")),
    Forgery("title", drop_more_than_half),
    *(Forgery(of, swap_ids) for of in ("title", "leaderboard", "ranking")),
    Forgery("title", best_under_every_id),
    Forgery("judged", fewer_attempts),
    Forgery("judged", an_attempt_too_many),
    Forgery("title", lucky_subset),
    Forgery("title", invented_cutoff),
    Forgery("title", claimed_limit),
    *(Forgery(of, easier_gold) for of in ("title", "ranking", "formula")),
    Forgery("title", gold_in_the_question),
    *(Forgery(of, gold_in_the_prompt) for of in ("title", "leaderboard")),
    *(Forgery("title", edit) for edit in (later_date, other_cluster)),
    *(Forgery(of, gold_for_an_answer) for of in ("title", "rag", "ranking")),
    *(Forgery(of, gold_for_every_answer) for of in ("leaderboard", "table", "formula")),
    Forgery("title", gold_without_transcript),
    Forgery("leaderboard", gold_after_a_limit),
    *(Forgery(of, gold_said_and_scored, MARKED) for of in ("title", "formula")),
    Forgery("title", other_reply_order),
    *(
        Forgery(of, raised_score)
        for of in ("title", "leaderboard", "table", "ranking", "formula", "agent", "rag")
    ),
    Forgery("title", nothing, CAUGHT, summaries_only),
    *(Forgery(of, raised_mean) for of in ("title", "formula")),
    *(Forgery("title", edit) for edit in (forgiven_fault, other_counts)),
    Forgery("judged", verdict_turned),
    Forgery("judged", judge_bought, MARKED),
    *(Forgery("judged", edit) for edit in (other_judge, no_judge)),
    *(Forgery(of, other_model) for of in ("title", "agent")),
    Forgery("title", other_model_all_over, MARKED),
    Forgery("oracle", oracle_as_a_model),
    Forgery("title", other_method),
    Forgery("title", unknown_method),
    Forgery("title", other_temperature),
    Forgery("title", fewer_tokens),
    Forgery("title", quicker, MARKED),
    Forgery("title", ended_well),
    Forgery("title", nothing, CAUGHT, no_ledger),
    Forgery("title", nothing, CAUGHT, in_no_ledger),
    Forgery("title", nothing, CAUGHT, twice),
    Forgery("title", nothing, CAUGHT, changed_line),
    Forgery("title", nothing, CAUGHT, damaged),
    Forgery("title", raised_score, CAUGHT, old_ledger),
    Forgery("title", nothing, MARKED, cut_ledger),
)


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
