"""Ways to edit where a run that stops at a decision says that it stopped."""

from dataclasses import fields
from typing import Any

from inspect_ai.log import MetadataEdit, ProvenanceData, edit_eval_log
from tests.results.integrity.forging import Forged

from vivavoce.statistics.sequential import StoppingRule


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
    record, rule = dict(forged.log.metadata["stopped"]), forged.facts["decide"]
    until = StoppingRule(**{each.name: rule[each.name] for each in fields(StoppingRule)})
    clusters = {str(one.id): str(one.metadata["cluster"]) for one in forged.samples}
    kept = until.items_at(1, clusters)
    forged.log.samples = [one for one in forged.samples if str(one.id) in kept]
    record |= {"look": 1, "items": len(kept), "reason": f"decided at look 1 of {record['looks']}"}
    forged.log.eval.dataset.samples = len(kept)
    forged.sums()
    _write_stop(forged, record)
