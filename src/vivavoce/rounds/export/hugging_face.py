"""A round as a Hugging Face dataset: a configuration for each table, Parquet by split, a card.

`datasets.load_dataset(FOLDER, "title")` opens it, with or without a network.
Beside the card are `croissant.json`, metadata in Croissant 1.0, and the `eval.yaml` of a benchmark.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vivavoce.rounds.build import render
from vivavoce.rounds.family import SPLIT_NAMES, split_name
from vivavoce.rounds.licences import Contents, TableFile, copy_file
from vivavoce.rounds.reading import Round
from vivavoce.store import Row, canonical_json, hash_file, write_chunks, write_parquet, write_text
from vivavoce.text.data import read_data

if TYPE_CHECKING:
    import pyarrow as pa

    from vivavoce.corpus import Corpus


_SIZES = (
    (1_000, "n<1K"),
    (10_000, "1K<n<10K"),
    (100_000, "10K<n<100K"),
    (1_000_000, "100K<n<1M"),
    (10_000_000, "1M<n<10M"),
)


def write(contents: Contents, out: Path, papers: Mapping[str, str], corpus: Corpus | None) -> None:
    """Write the tables that have rows, the files beside them, and the card."""
    opened = contents.round
    written = (_write_table(contents, table, out) for table in contents.tables())
    configs = [found for found in written if found]
    contents.write_others(out / "round")
    write_text(out / "README.md", _card(contents, configs, papers))
    write_text(out / "eval.yaml", eval_yaml(opened, configs))
    write_text(out / "croissant.json", croissant(opened, out, configs, papers))


def _write_table(contents: Contents, table: TableFile, out: Path) -> Row | None:
    """A configuration: its name, its files, how many rows each split has; None without rows."""
    content = contents.read(table.path)
    files, counts = [], {}
    for split, rows in _by_split(content, table).items():
        path = f"data/{table.name}/{split}.parquet"
        write_parquet(out / path, rows, content.schema)
        files.append({"split": split, "path": path})
        counts[split] = len(rows)
    if not files:
        return None
    return {"name": table.name, "files": files, "rows": counts, "is_items": table.is_items}


def _by_split(content: pa.Table, table: TableFile) -> dict[str, list[Row]]:
    rows: list[Row] = content.to_pylist()
    found: dict[str, list[Row]] = {}
    for row in rows:
        given = row.get("split") if table.is_items else None
        found.setdefault(split_name(given), []).append(row)
    return {name: found[name] for name in SPLIT_NAMES if name in found}


def _card(contents: Contents, configs: list[Row], papers: Mapping[str, str]) -> str:
    import yaml

    opened = contents.round

    # The card one level lower, to stand inside another page.
    lines = opened.card.splitlines()
    card = "\n".join(f"#{line}" if line.startswith("#") else line for line in lines)
    header = yaml.safe_dump(_header(opened, configs), sort_keys=False, allow_unicode=True)
    return render(
        "hugging_face.md",
        header=header,
        round=opened,
        window=opened.manifest["window"],
        families=opened.manifest["families"],
        configs=configs,
        texts=contents.describe(),
        card=card.strip(),
        papers=papers,
        canary=canary(opened),
    )


def _header(opened: Round, configs: list[Row]) -> dict[str, Any]:
    rows = sum(n for config in configs for n in config["rows"].values())
    size = next((name for limit, name in _SIZES if rows < limit), "10M<n<100M")
    return {
        "pretty_name": f"Viva Voce, round {opened.id}",
        "license": "other",
        "license_name": "as-the-papers",
        "license_link": "README.md#licences",
        "language": ["en"],
        "tags": ["benchmark", "scientific papers", *opened.manifest["families"]],
        "size_categories": [size],
        "configs": [
            {
                "config_name": config["name"],
                **({"default": True} if place == 0 else {}),
                "data_files": config["files"],
            }
            for place, config in enumerate(configs)
        ],
    }


def write_json_lines(
    contents: Contents, out: Path, papers: Mapping[str, str], corpus: Corpus | None
) -> None:
    """Write every table as JSON Lines and every other file as it is."""
    for table in contents.tables():
        content = contents.read(table.path)
        lines = _lines(content)
        if lines is not None:
            write_chunks(out / table.path.replace(".parquet", ".jsonl"), lines)
        elif contents.describe() is None:
            copy_file(contents.round, table.path, out / table.path)
        else:
            write_parquet(out / table.path, content.to_pylist(), content.schema)
    contents.write_others(out)


def _lines(table: pa.Table) -> list[bytes] | None:
    """A table's rows; None where JSON has no word for a value, such as a moment or infinity."""
    try:
        return [f"{canonical_json(row)}\n".encode() for row in table.to_pylist()]
    except (TypeError, ValueError):
        return None


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
