"""A round as a Hugging Face dataset: a configuration for each table, Parquet by split, a card.

`datasets.load_dataset(FOLDER, "title")` opens it, with or without a network.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vivavoce.rounds.export.contents import Contents, TableFile, copy_file
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

    header = yaml.safe_dump(_header(opened, configs), sort_keys=False, allow_unicode=True)
    return render(
        "hugging_face.md",
        header=header,
        round=opened,
        window=opened.manifest["window"],
        families=opened.manifest["families"],
        configs=configs,
        texts=contents.describe(),
        card=_demoted(opened.card).strip(),
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


def _demoted(card: str) -> str:
    """A card's Markdown one level lower, to stand inside another page."""
    lines = card.splitlines()
    return "\n".join(f"#{line}" if line.startswith("#") else line for line in lines)


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
