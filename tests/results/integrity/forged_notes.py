"""Ways to edit what a log notes beside its scores: for boards, and of where its run stopped."""

from dataclasses import fields
from typing import Any

from inspect_ai.log import MetadataEdit, ProvenanceData, edit_eval_log
from tests.results.integrity.forging import Forged, replies, value_of

from vivavoce.statistics.sequential import StoppingRule
from vivavoce.tasks.scoring import our_scores

# --- what boards read beside the scores ----------------------------------------------------------


def other_category(forged: Forged) -> None:
    """The items that went well, as a category of their own."""
    for sample in forged.samples:
        is_good = value_of(sample, forged.told["metrics"][0]) > 0.5
        sample.metadata["category"] = "hard" if is_good else "other"


def other_difficulty(forged: Forged) -> None:
    for sample in forged.samples:
        sample.metadata["difficulty"] = "of another level"


def other_fit(forged: Forged) -> None:
    """Nothing of the context was cut, the log says."""
    for sample in forged.samples:
        [score] = our_scores(sample.scores)
        score.metadata = {**(score.metadata or {}), "fit": {"whole": 9, "cut": 0, "dropped": 0}}


def other_reading(forged: Forged) -> None:
    """Change the text read as the answer, on which metrics that are added later rest."""
    for sample in forged.samples:
        [score] = our_scores(sample.scores)
        score.metadata = {**(score.metadata or {}), "read_as": str(sample.target)}


def other_verdicts_noted(forged: Forged) -> None:
    """The scores stay; the verdicts that people's labels are held against are turned."""
    for sample in forged.samples:
        [score] = our_scores(sample.scores)
        for order in (score.metadata or {}).get("judge", {}).get("orders", ()):
            order["verdicts"] = dict.fromkeys(order["verdicts"], 2)


def best_attempt_counts(forged: Forged) -> None:
    """Take the best of several attempts for the score in the header."""
    forged.log.eval.config.epochs_reducer = ["max"]
    forged.scores()


def later_run(forged: Forged) -> None:
    """It is the newest of its row, and so the one that boards show."""
    forged.log.eval.created = "2031-01-01T00:00:00+00:00"


# --- what it used -------------------------------------------------------------------------------


def _use(forged: Forged, **values: float) -> None:
    for sample in forged.samples:
        for usage in (*sample.model_usage.values(), *sample.role_usage.values()):
            for name, value in values.items():
                setattr(usage, name, value)


def negative_tokens(forged: Forged) -> None:
    _use(forged, input_tokens=-999_488, output_tokens=0, total_tokens=-999_488)
    for sample in forged.samples:
        for event in replies(sample):
            event.output.usage = None


def negative_seconds(forged: Forged) -> None:
    for sample in forged.samples:
        sample.total_time = sample.working_time = -1.0


def used_by_roles_alone(forged: Forged) -> None:
    """More is said of the judge than of all models together, which leaves less than nothing."""
    for sample in forged.samples:
        for usage in sample.role_usage.values():
            usage.total_tokens *= 100


# --- where it stopped ----------------------------------------------------------------------------


def _write_stop(forged: Forged, record: dict[str, Any]) -> None:
    """Write where a run stopped as Inspect writes what is edited in a log."""
    edit = MetadataEdit(metadata_set={"stopped": record})
    forged.log = edit_eval_log(forged.log, [edit], ProvenanceData(author="viva run"))


def invented_stop(forged: Forged) -> None:
    """A run of a whole task says that a comparison was decided in its favour."""
    record = {
        **{"comparison": "0" * 12, "question": "top=1", "reason": "decided: among the best"},
        **{"contestant": 0, "look": 1, "looks": 3, "items": 6, "of": 6},
        **{"decided": True, "beats": [[0, 1]], "ties": []},
    }
    _write_stop(forged, record)


def invented_decision(forged: Forged) -> None:
    """A comparison that was not decided, decided in favour of this one."""
    record = dict(forged.log.metadata["stopped"])
    record |= {"decided": not record["decided"], "reason": "decided at look 1 of 3"}
    record["beats"] = [] if record["beats"] else [[record["contestant"], 1 - record["contestant"]]]
    _write_stop(forged, record)


def stopped_at_a_lucky_look(forged: Forged) -> None:
    """Only what was answered before the first look is kept, as if that had been the last."""
    record, told = dict(forged.log.metadata["stopped"]), forged.told["decide"]
    until = StoppingRule(**{each.name: told[each.name] for each in fields(StoppingRule)})
    clusters = {str(one.id): str(one.metadata["cluster"]) for one in forged.samples}
    kept = until.items_at(1, clusters)
    forged.log.samples = [one for one in forged.samples if str(one.id) in kept]
    record |= {"look": 1, "items": len(kept), "reason": f"decided at look 1 of {record['looks']}"}
    forged.log.eval.dataset.samples = len(kept)
    forged.sums()
    _write_stop(forged, record)
