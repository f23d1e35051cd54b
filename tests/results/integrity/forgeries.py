"""Forgeries of several edits: what is forged, in which log, with what ledger beside it."""

import io
import json
import shutil
import zipfile
from pathlib import Path

from inspect_ai.log import read_eval_log_sample_summaries
from tests.results.integrity import forged_logs as logs
from tests.results.integrity import forged_stops as stops
from tests.results.integrity.forging import CAUGHT, RECOMPUTED, Forgery, nothing, rewrite_ledger

from vivavoce.results.logs.added import NewMetric, write_added
from vivavoce.running.logs import LEDGER


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
    *(Forgery("title", edit) for edit in (logs.gold_is_the_answer, logs.shipped_round)),
    *(Forgery(of, logs.drop_the_worst) for of in ("title", "table")),
    Forgery("leaderboard", logs.drop_and_claim_fewer),
    *(Forgery(of, logs.drop_more_than_half) for of in ("ranking", "rag")),
    *(Forgery(of, logs.swap_ids) for of in ("title", "judged")),
    Forgery("ranking", logs.best_under_every_id),
    *(Forgery("judged", edit) for edit in (logs.fewer_attempts, logs.an_attempt_too_many)),
    *(Forgery("title", edit) for edit in (logs.lucky_subset, logs.invented_cutoff)),
    Forgery("title", logs.claimed_limit),
    *(Forgery(of, logs.easier_gold) for of in ("title", "formula")),
    *(Forgery(of, logs.gold_in_the_prompt) for of in ("title", "leaderboard")),
    *(Forgery(of, logs.gold_for_every_answer) for of in ("leaderboard", "table", "formula")),
    *(Forgery(of, logs.gold_without_transcript) for of in ("title", "agent")),
    *(Forgery(of, logs.gold_said_and_scored, RECOMPUTED) for of in ("title", "formula")),
    *(Forgery(of, logs.gold_after_a_limit) for of in ("title", "ranking")),
    *(Forgery(of, logs.gold_after_its_time) for of in ("rag", "table")),
    *(Forgery(of, logs.searched_the_web) for of in ("title", "agent")),
    *(Forgery("title", edit) for edit in (logs.searched_by_a_setting, logs.hidden_setting)),
    Forgery("title", logs.other_reply_order),
    *(Forgery(of, logs.raised_score) for of in ("agent", "decide")),
    Forgery("title", logs.raised_score, CAUGHT, old_ledger),
    Forgery("judged", logs.verdict_turned),
    Forgery("judged", logs.judge_bought, RECOMPUTED),
    Forgery("judged", logs.no_judge),
    Forgery("title", logs.other_model_all_over, RECOMPUTED),
    Forgery("oracle", logs.oracle_as_a_model),
    Forgery("agent", logs.other_tool_result),
    *(Forgery("title", edit) for edit in (logs.fewer_tokens, logs.negative_tokens)),
    Forgery("judged", logs.used_by_roles_alone),
    Forgery("title", logs.later_run, RECOMPUTED),
    Forgery("title", stops.invented_stop),
    *(Forgery("decide", edit) for edit in (stops.invented_decision, stops.stopped_at_a_lucky_look)),
    *(Forgery("title", nothing, CAUGHT, edit) for edit in (summaries_only, twice, damaged)),
    *(Forgery("title", nothing, RECOMPUTED, edit) for edit in (cut_ledger, added_metric)),
    Forgery("title", nothing, CAUGHT, set_aside),
)
