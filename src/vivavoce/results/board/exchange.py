"""Export of results in the formats of other boards: Every Eval Ever, Hugging Face eval results.

Every Eval Ever (schema 0.3.0) has one JSON record per model, in `data/BENCHMARK/MAKER/MODEL/`.
Hugging Face reads `.eval_results/NAME.yaml` in a model's repository.
"""

import hashlib
import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any
from uuid import UUID

from vivavoce.errors import InputError, MissingExtra
from vivavoce.metrics import Metric, metrics_of
from vivavoce.results.board.groups import Board
from vivavoce.results.logs.records import NO_MODEL
from vivavoce.store import Row, hash_of

EEE_SCHEMA = "0.3.0"
_LIBRARY = "viva-voce"
_MAX_NAME = 100
"""Maximum number of characters in one part of a path."""
_DECODING = {"temperature": float, "top_p": float, "top_k": float, "max_tokens": int}
"""Settings that have a field of their own in a record, with their types."""


def date_of(board: Board) -> str:
    """Day of a board's newest log, as YYYY-MM-DD."""
    if not board.heads:
        raise InputError("The board has no logs to take a date from. Give one: --date YYYY-MM-DD.")
    return max(head.created for head in board.heads)[:10]


def every_eval_ever(board: Board, date: str, organization: str) -> Iterator[tuple[str, bytes]]:
    """Make one record per model and round of a board.

    Args:
        board: Rows without a value are left out, since a record cannot express them.
        date: Day of the results, YYYY-MM-DD.
        organization: Publisher of the results.

    Returns:
        Paths inside the folder `data`, and the content of each file.
    """
    stamp = str(int(datetime.fromisoformat(date).replace(tzinfo=UTC).timestamp()))
    rounds = {str(entry["id"]): entry for entry in board.rounds}
    groups: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in board.rows:
        if row["value"] is not None:
            groups[row["round"], model_id(row)].append(row)
    for (name, model), rows in sorted(groups.items()):
        benchmark = _folder(f"{_LIBRARY}-{name}")
        record = {
            "schema_version": EEE_SCHEMA,
            "evaluation_id": f"{benchmark}/{model}/{stamp}",
            "retrieved_timestamp": stamp,
            "source_metadata": {
                "source_name": f"Viva Voce, round {name}",
                "source_type": "evaluation_run",
                "source_organization_name": organization,
                "evaluator_relationship": "third_party",
                "additional_details": _texts(rounds.get(name, {})),
            },
            "eval_library": {
                "name": _LIBRARY,
                "version": version("vivavoce"),
                "additional_details": {"inspect_ai": version("inspect_ai")},
            },
            "model_info": _model(model, rows[0]),
            "evaluation_results": [_result(row) for row in rows],
        }
        content = (
            json.dumps(record, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
        ).encode()
        # The format wants a UUID; making it from a hash of the content keeps it reproducible.
        unique = UUID(bytes=hashlib.sha256(content).digest()[:16], version=4)
        yield f"{benchmark}/{model}/{unique}.json", content


def model_id(row: Row) -> str:
    """A row's model as MAKER/NAME, safe for paths.

    For methods without a model, the maker is this library.
    """
    if row["model"] in ("", NO_MODEL):
        return f"{_LIBRARY}/{_folder(row['method'])}"
    maker, slash, name = row["model"].partition("/")
    return f"{_folder(maker)}/{_folder(name)}" if slash else f"unknown/{_folder(maker)}"


def _folder(name: str) -> str:
    """Make a name safe for use in a path; a changed name ends with a hash of the original."""
    safe = re.sub(r"[^A-Za-z0-9._-]+|^\.+", "_", name)[:_MAX_NAME].strip("_")
    return safe if safe == name else f"{safe}-{hash_of(name)[:8]}".lstrip("-")


def _model(name: str, row: Row) -> Row:
    is_own = name.startswith(f"{_LIBRARY}/")
    details = {"deployment_type": "self_deployed" if is_own else "unknown"}
    return {
        "name": str(row["method"] if is_own else row["model"]),
        "id": name,
        "developer": name.partition("/")[0],
        "additional_details": {**details, "model_availability": "unknown"},
    }


def _result(row: Row) -> Row:
    known = metrics_of(row["family"]).get(row["metric"])
    named = ("round", "task", "task_version", "setting", "method", "model", "decoding", "judge")
    key = [row[name] for name in (*named, "prompt_hash", "metric")]
    pairs = dict(
        part.split("=", 1) for part in str(row["decoding"] or "").split() if part.count("=") == 1
    )
    return {
        "evaluation_result_id": hash_of(key)[:32],
        "evaluation_name": f"{row['task']} ({row['setting']})",
        "source_data": {
            "source_type": "other",
            "dataset_name": f"Viva Voce round {row['round']}",
            "additional_details": _texts(
                {name: row[name] for name in ("round", "task", "setting", "family")}
                | {"version": row["task_version"]}
            ),
        },
        "metric_config": _metric(row, known),
        "score_details": {
            "score": row["value"],
            "details": _texts({name: row[name] for name in _DETAILS}),
            "uncertainty": {
                **({"confidence_interval": _interval(row["ci"])} if row["ci"] else {}),
                "num_samples": row["n"],
            },
        },
        "generation_config": {
            "generation_args": {
                name: kind(pairs[name]) for name, kind in _DECODING.items() if name in pairs
            },
            "additional_details": _texts(
                {name: row[name] for name in ("method", "prompt_hash", "decoding")}
            ),
        },
    }


_DETAILS = (
    "n clusters missing undefined valid value_valid rank rank_interval tied_with undecided_with "
    "more_papers_needed detectable headline partial judge calibrated contamination fit agent trust "
    "tokens cost seconds"
).split()
"""Columns that a record holds as text, besides the value."""


def _metric(row: Row, known: Metric | None) -> Row:
    fields: Row = {
        "metric_id": f"{_LIBRARY}.{row['family']}.{row['metric']}" if known else row["metric"],
        "metric_name": row["metric"],
        "lower_is_better": known is not None and not known.higher_is_better,
    }
    if known is not None:
        high = "Infinity" if known.high is None else known.high
        low = known.low if known.low > -float("inf") else "-Infinity"
        fields |= {"evaluation_description": known.summary, "score_type": "continuous"}
        fields |= {"min_score": low, "max_score": high}
    return fields


def _interval(bounds: Sequence[float]) -> Row:
    low, high = bounds
    method = "percentile bootstrap over clusters"
    return {"lower": low, "upper": high, "confidence_level": 0.95, "method": method}


def _texts(values: Mapping[str, Any]) -> dict[str, str]:
    """Details as text, the only type that a record allows; unknown values are left out."""
    return {
        name: value if isinstance(value, str) else json.dumps(value, sort_keys=True)
        for name, value in values.items()
        if value is not None
    }


def eval_results(board: Board, date: str, dataset: str) -> Iterator[tuple[str, bytes]]:
    """Make files for model repositories on the hub, with the headline values.

    Args:
        board: Rows without a trained model are left out, since these have no repository.
        date: Day of the results, YYYY-MM-DD.
        dataset: Repository of the round on the hub, such as `lab/viva-2026-11`.

    Returns:
        Paths such as `MAKER/MODEL/.eval_results/NAME.yaml`, and the content of each file.
    """
    import yaml

    try:
        from huggingface_hub import EvalResultEntry, eval_result_entries_to_yaml
    except ImportError as error:
        raise MissingExtra("huggingface-hub", "hub", "Exporting for model repositories") from error

    groups: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in board.rows:
        # Extractive and rule-based models have the cutoff `never`.
        is_trained = (row["exposure"] or {}).get("cutoff") != "never"
        is_model = row["model"] not in ("", NO_MODEL)
        if row["headline"] and row["value"] is not None and is_trained and is_model:
            name = f"{row['round']}-{row['setting']}-{row['method']}"
            groups[model_id(row), name].append(row)
    for (model, name), rows in sorted(groups.items()):
        entries = [
            EvalResultEntry(
                dataset_id=dataset,
                task_id=row["task"].rpartition("/")[2],
                value=row["value"],
                date=date,
                source_url=f"https://huggingface.co/datasets/{dataset}",
                source_name="Viva Voce",
                notes=_notes(row),
            )
            for row in rows
        ]
        text = yaml.safe_dump(eval_result_entries_to_yaml(entries), sort_keys=False, width=100)
        yield f"{model}/.eval_results/{_folder(name)}.yaml", text.encode()


def _notes(row: Row) -> str:
    """Facts of a row for which the format has no field."""
    parts = [row["metric"], *(f"{name} {row[name]}" for name in ("n", "setting", "method"))]
    if row["ci"]:
        parts.append(f"95% interval {row['ci'][0]:.4f} to {row['ci'][1]:.4f}")
    if row["rank_interval"]:
        parts.append(f"ranks {row['rank_interval'][0]} to {row['rank_interval'][1]}")
    return "; ".join([*parts, *([f"judge {row['judge']}"] if row["judge"] else [])])
