"""A round as a Hugging Face dataset: a configuration for each table, Parquet by split, a card.

`datasets.load_dataset(FOLDER, "title")` opens it, with or without a network.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vivavoce.rounds.export.contents import (
    ABOUT,
    TableFile,
    copy_file,
    demoted,
    files_beside,
    read_table,
    tables_of,
)
from vivavoce.rounds.export.croissant import canary, croissant, eval_yaml
from vivavoce.rounds.reading import Round
from vivavoce.rounds.splits import SPLIT_NAMES, split_name
from vivavoce.rounds.texts import render
from vivavoce.store import Row, canonical_json, write_chunks, write_parquet, write_text

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


def write(opened: Round, out: Path, papers: Mapping[str, str], corpus: Corpus | None) -> None:
    """Write the tables that have rows, the files beside them, and the card."""
    configs = [found for table in tables_of(opened) if (found := _write_table(opened, table, out))]
    for name in (*files_beside(opened), *ABOUT):
        copy_file(opened, name, out / "round" / name)
    write_text(out / "README.md", _card(opened, configs, papers))
    write_text(out / "eval.yaml", eval_yaml(opened, configs))
    write_text(out / "croissant.json", croissant(opened, out, configs, papers))


def _write_table(opened: Round, table: TableFile, out: Path) -> Row | None:
    """A configuration: its name, its files, how many rows each split has; None without rows."""
    content = read_table(opened, table.path)
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


def _card(opened: Round, configs: list[Row], papers: Mapping[str, str]) -> str:
    import yaml

    header = yaml.safe_dump(_header(opened, configs), sort_keys=False, allow_unicode=True)
    return render(
        "hugging_face.md",
        header=header,
        round=opened,
        window=opened.manifest["window"],
        families=opened.manifest["families"],
        configs=configs,
        card=demoted(opened.card).strip(),
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
    opened: Round, out: Path, papers: Mapping[str, str], corpus: Corpus | None
) -> None:
    """Write every table as JSON Lines and every other file as it is."""
    for table in tables_of(opened):
        lines = _lines(opened, table.path)
        if lines is not None:
            write_chunks(out / table.path.replace(".parquet", ".jsonl"), lines)
        else:
            copy_file(opened, table.path, out / table.path)
    for name in (*files_beside(opened), *ABOUT):
        copy_file(opened, name, out / name)


def _lines(opened: Round, path: str) -> list[bytes] | None:
    """A table's rows; None where JSON has no word for a value, such as a moment or infinity."""
    try:
        return [f"{canonical_json(row)}\n".encode() for row in read_table(opened, path).to_pylist()]
    except (TypeError, ValueError):
        return None
