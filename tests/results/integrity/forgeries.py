"""The matrix of forgeries: what is forged, in which log, with what ledger beside it."""

import io
import json
import shutil
import zipfile
from pathlib import Path

from inspect_ai.log import read_eval_log_sample_summaries
from tests.results.integrity import forged_logs as logs
from tests.results.integrity import forged_notes as notes
from tests.results.integrity.forging import CAUGHT, RECOMPUTED, Forgery, nothing, rewrite_ledger

from vivavoce.results.logs.added import NewMetric, write_added
from vivavoce.running.ledger import LEDGER


def old_ledger(folder: Path) -> None:
    """The ledger stays as the run wrote it."""


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


def add_raised_archive(path: Path) -> None:
    """Raise summaries in a second archive behind the first, to which the log's end leads.

    Readers that look for the table of contents before the end find the second, readers that go
    where the end leads find the first.
    """
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    found = json.loads(parts["summaries.json"])
    for summary in found:
        for score in summary["scores"].values():
            score["value"][next(iter(score["value"]))] = 0.98765
    raised = json.dumps(found).encode()
    length = max(len(raised), len(parts["summaries.json"]))
    true = _archive({**parts, "summaries.json": parts["summaries.json"].ljust(length)})
    forged = _archive({**parts, "summaries.json": raised.ljust(length)})
    end = true.rindex(b"PK\x05\x06")
    path.write_bytes(true[:end] + forged)


def _archive(parts: dict[str, bytes]) -> bytes:
    """An archive whose places depend on the lengths of parts alone."""
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_STORED) as archive:
        for name, content in parts.items():
            archive.writestr(zipfile.ZipInfo(name), content)
    return written.getvalue()


def added_metric(folder: Path) -> None:
    """A metric that is best everywhere, as if it had been added after the runs."""
    samples = {
        str(summary.uuid): "best"
        for path in folder.glob("*.eval")
        for summary in read_eval_log_sample_summaries(str(path))
    }
    texts = {"best": (1.0,)}
    added = NewMetric("bertscore model=m layer=1", ("bertscore",), texts=texts, samples=samples)
    write_added(folder / "metrics" / "bertscore.jsonl", added)


def set_aside(folder: Path) -> None:
    """A finished log is called damaged, as runs call what they cannot read."""
    path = max(folder.glob("*.eval"))
    path.rename(path.with_name(f"{path.name}.damaged"))


FORGERIES = (
    Forgery("title", logs.other_hash),
    Forgery("title", logs.no_hash),
    *(Forgery(of, logs.gold_is_the_answer) for of in ("title", "leaderboard", "table", "formula")),
    Forgery("title", logs.other_name),
    Forgery("title", logs.shipped_round),
    *(
        Forgery("title", edit)
        for edit in (logs.other_window, logs.other_prompts, logs.other_headline)
    ),
    Forgery("title", logs.other_version),
    Forgery("title", logs.other_task),
    Forgery("title", logs.unknown_task),
    Forgery("judged", logs.no_judged_metrics),
    Forgery("title", logs.other_setting),
    *(Forgery(of, logs.drop_the_worst) for of in ("title", "ranking", "table")),
    *(Forgery(of, logs.drop_and_claim_fewer) for of in ("title", "leaderboard")),
    Forgery("title", logs.drop_more_than_half),
    *(Forgery(of, logs.swap_ids) for of in ("title", "leaderboard", "ranking")),
    Forgery("title", logs.best_under_every_id),
    Forgery("judged", logs.fewer_attempts),
    Forgery("judged", logs.an_attempt_too_many),
    Forgery("title", logs.lucky_subset),
    Forgery("title", logs.invented_cutoff),
    Forgery("title", logs.claimed_limit),
    *(Forgery(of, logs.easier_gold) for of in ("title", "ranking", "formula")),
    Forgery("title", logs.gold_in_the_question),
    *(Forgery(of, logs.gold_in_the_prompt) for of in ("title", "leaderboard")),
    *(Forgery("title", edit) for edit in (logs.later_date, logs.other_cluster)),
    *(Forgery(of, logs.gold_for_an_answer) for of in ("title", "rag", "ranking")),
    *(Forgery(of, logs.gold_for_every_answer) for of in ("leaderboard", "table", "formula")),
    Forgery("title", logs.gold_without_transcript),
    *(Forgery(of, logs.gold_after_a_limit) for of in ("title", "leaderboard")),
    *(Forgery(of, logs.gold_after_a_set_limit) for of in ("title", "ranking")),
    *(Forgery(of, logs.gold_after_its_time) for of in ("title", "rag", "table")),
    *(Forgery(of, logs.searched_the_web) for of in ("title", "leaderboard", "agent")),
    Forgery("title", logs.searched_by_a_setting),
    *(Forgery(of, logs.gold_said_and_scored, RECOMPUTED) for of in ("title", "formula")),
    Forgery("title", logs.other_reply_order),
    *(
        Forgery(of, logs.raised_score)
        for of in ("title", "leaderboard", "table", "ranking", "formula", "agent", "rag")
    ),
    Forgery("title", nothing, CAUGHT, summaries_only),
    *(Forgery(of, logs.infinite_score) for of in ("title", "leaderboard", "table")),
    *(Forgery("title", edit) for edit in (logs.forgiven_fault, logs.other_counts)),
    Forgery("judged", logs.verdict_turned),
    Forgery("judged", logs.judge_bought, RECOMPUTED),
    *(Forgery("judged", edit) for edit in (logs.other_judge, logs.no_judge)),
    *(Forgery(of, logs.other_model) for of in ("title", "agent")),
    Forgery("title", logs.other_model_all_over, RECOMPUTED),
    Forgery("oracle", logs.oracle_as_a_model),
    Forgery("title", logs.other_method),
    Forgery("title", logs.unknown_method),
    Forgery("title", logs.other_temperature),
    Forgery("title", logs.fewer_tokens),
    Forgery("title", logs.quicker, RECOMPUTED),
    *(Forgery(of, notes.negative_tokens) for of in ("title", "agent")),
    Forgery("title", notes.negative_seconds),
    Forgery("judged", notes.used_by_roles_alone),
    Forgery("title", logs.ended_well),
    Forgery("title", nothing, CAUGHT, twice),
    Forgery("title", nothing, CAUGHT, damaged),
    Forgery("title", logs.raised_score, CAUGHT, old_ledger),
    Forgery("title", nothing, RECOMPUTED, cut_ledger),
    *(Forgery("title", edit) for edit in (logs.hidden_setting, logs.claimed_setting)),
    Forgery("judged", logs.other_judge_settings),
    Forgery("agent", logs.other_tool_result),
    *(Forgery(of, notes.other_category) for of in ("title", "table")),
    *(Forgery(of, notes.other_difficulty) for of in ("title", "formula")),
    *(Forgery(of, notes.other_fit) for of in ("title", "rag")),
    *(Forgery(of, notes.other_reading) for of in ("title", "judged")),
    Forgery("judged", notes.other_verdicts_noted),
    Forgery("judged", notes.best_attempt_counts),
    *(Forgery(of, notes.later_run, RECOMPUTED) for of in ("title", "agent")),
    *(Forgery(of, logs.gold_said_and_scored, RECOMPUTED) for of in ("leaderboard", "ranking")),
    Forgery("ranking", logs.best_under_every_id),
    Forgery("judged", logs.swap_ids),
    *(Forgery(of, logs.drop_more_than_half) for of in ("leaderboard", "table", "rag")),
    *(Forgery(of, logs.gold_without_transcript) for of in ("ranking", "table", "agent")),
    *(Forgery(of, logs.other_model) for of in ("judged", "formula", "table")),
    Forgery("title", notes.invented_stop),
    Forgery("decide", logs.raised_score),
    Forgery("decide", notes.invented_decision),
    Forgery("decide", notes.stopped_at_a_lucky_look),
    Forgery("title", nothing, RECOMPUTED, added_metric),
    Forgery("title", nothing, CAUGHT, set_aside),
)
