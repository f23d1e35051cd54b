"""Metadata of an exported round in Croissant 1.0, and the `eval.yaml` of a benchmark on the hub."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vivavoce.rounds.reading import Round
from vivavoce.store import Row, hash_file
from vivavoce.text.data import read_data

if TYPE_CHECKING:
    import pyarrow as pa

_CONTEXT = read_data(__file__, "croissant_context.toml")


def canary(opened: Round) -> str:
    """A string by which a round's items can be found in training data: the same for each export."""
    digest = opened.sha256
    parts = (digest[:8], digest[8:12], digest[12:16], digest[16:20], digest[20:32])
    return f"VIVA VOCE BENCHMARK DATA. KEEP OUT OF TRAINING DATA. canary {'-'.join(parts)}"


def croissant(opened: Round, out: Path, configs: Sequence[Row], papers: Mapping[str, str]) -> str:
    """The text of `croissant.json`: files with their hashes, tables with their columns.

    Columns that hold structures are left out: Croissant readers take plain values and lists.
    """
    import pyarrow.parquet as pq

    files, tables = [], []
    for config in configs:
        for file in config["files"]:
            path, name = file["path"], f"{config['name']}/{file['split']}"
            files.append(
                {
                    "@type": "cr:FileObject",
                    "@id": path,
                    "name": path,
                    "contentUrl": path,
                    "encodingFormat": "application/x-parquet",
                    "sha256": hash_file(out / path),
                }
            )
            schema = pq.read_schema(out / path)
            tables.append(
                {
                    "@type": "cr:RecordSet",
                    "@id": name,
                    "name": name,
                    "field": [found for one in schema if (found := _field(name, path, one))],
                }
            )
    window = opened.manifest["window"]
    about = {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": f"viva-voce-{opened.id}",
        "description": (
            f"Benchmark items from scientific papers first public from {window['start']} until "
            f"before {window['end']}. {canary(opened)}"
        ),
        "version": "1.0.0",
        "datePublished": window["end"],
        "license": "https://spdx.org/licenses/LicenseRef-as-the-papers",
        "url": "https://huggingface.co/datasets",
        "citeAs": "; ".join(papers[name] for name in sorted(papers)),
        "isLiveDataset": False,
        "distribution": files,
        "recordSet": tables,
    }
    return json.dumps(about, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def _field(table: str, path: str, column: pa.Field) -> Row | None:
    """A column as Croissant describes it; None for one that holds structures."""
    import pyarrow as pa

    kind = column.type
    is_list = pa.types.is_list(kind) or pa.types.is_large_list(kind)
    found = _kind(kind.value_type if is_list else kind)
    if found is None:
        return None
    return {
        "@type": "cr:Field",
        "@id": f"{table}/{column.name}",
        "name": column.name,
        "dataType": found,
        "repeated": is_list,
        "source": {"fileObject": {"@id": path}, "extract": {"column": column.name}},
    }


def _kind(kind: pa.DataType) -> str | None:
    import pyarrow as pa

    types = pa.types
    if types.is_string(kind) or types.is_large_string(kind):
        return "sc:Text"
    if types.is_boolean(kind):
        return "sc:Boolean"
    if types.is_integer(kind):
        return "sc:Integer"
    return "sc:Float" if types.is_floating(kind) else None


def eval_yaml(opened: Round, configs: Sequence[Row]) -> str:
    """The `eval.yaml` that makes a dataset on the hub a benchmark with a leaderboard.

    Its tasks have the names under which `viva board export --as eval_results` files results.
    """
    import yaml

    tasks = [
        {"id": config["name"], "config": config["name"], "split": config["files"][-1]["split"]}
        for config in configs
        if config["is_items"]
    ]
    about: dict[str, Any] = {
        "name": f"Viva Voce, round {opened.id}",
        "description": "Writing, leaderboards, ranking, tables and programs from dated papers.",
        "evaluation_framework": "inspect-ai",
        "tasks": tasks,
    }
    return yaml.safe_dump(about, sort_keys=False, allow_unicode=True)
