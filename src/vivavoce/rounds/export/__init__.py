"""Exports of rounds: a Hugging Face dataset, or ids from which the round can be rebuilt.

An export is written completely or not at all, and never overwrites a folder. The dataset has a
configuration for each table, a Parquet file per split, a card, and the `eval.yaml` of a benchmark.
`datasets.load_dataset(FOLDER, "title")` opens it, online or offline.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vivavoce.errors import InputError, VivaError
from vivavoce.rounds.build import render
from vivavoce.rounds.export.ids import is_ids_export, rebuild_round
from vivavoce.rounds.export.ids import write as write_ids
from vivavoce.rounds.family import SPLIT_NAMES, split_name
from vivavoce.rounds.licences import TEXTS, Contents, TableFile
from vivavoce.rounds.reading import REVEALED, Round, check_files
from vivavoce.store import Row, hash_tree, write_parquet, write_text

if TYPE_CHECKING:
    from vivavoce.corpus import Corpus


_SIZES = ("n<1K", "1K<n<10K", "10K<n<100K", "100K<n<1M", "1M<n<10M", "10M<n<100M", "100M<n<1B")
"""Hugging Face's size categories: up to three digits, then one category per further digit."""


def write_hugging_face(
    contents: Contents, out: Path, papers: Mapping[str, str], corpus: Corpus | None
) -> None:
    """Write the tables with rows, all other files, and the card."""
    opened = contents.round
    written = (_write_table(contents, table, out) for table in contents.tables())
    configs = [config for config in written if config]
    contents.write_others(out / "round")
    write_text(out / "README.md", _card(contents, configs, papers))
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
    write_text(out / "eval.yaml", yaml.safe_dump(about, sort_keys=False, allow_unicode=True))


def _write_table(contents: Contents, table: TableFile, out: Path) -> Row | None:
    """Write a table's files; return its name, files and rows per split, or None without rows."""
    content = contents.read(table.path)
    files, counts = [], {}
    splits: dict[str, list[Row]] = {}
    for row in content.to_pylist():
        given = row.get("split") if table.is_items else None
        splits.setdefault(split_name(given), []).append(row)
    for split in (name for name in SPLIT_NAMES if name in splits):
        rows = splits[split]
        path = f"data/{table.name}/{split}.parquet"
        write_parquet(out / path, rows, content.schema)
        files.append({"split": split, "path": path})
        counts[split] = len(rows)
    if not files:
        return None
    return {"name": table.name, "files": files, "rows": counts, "is_items": table.is_items}


def _card(contents: Contents, configs: list[Row], papers: Mapping[str, str]) -> str:
    import yaml

    opened = contents.round

    # Headings move one level down, because the card becomes part of another page.
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
    size = _SIZES[min(max(len(str(rows)) - 3, 0), len(_SIZES) - 1)]
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


def canary(opened: Round) -> str:
    """A string that identifies a round's items in training data; it is the same in every export."""
    digest = opened.sha256
    parts = (digest[:8], digest[8:12], digest[12:16], digest[16:20], digest[20:32])
    return f"VIVA VOCE BENCHMARK DATA. KEEP OUT OF TRAINING DATA. canary {'-'.join(parts)}"


__all__ = ["FORMATS", "TEXTS", "export_round", "is_ids_export", "rebuild_round"]


_Write = Callable[[Contents, Path, Mapping[str, str], "Corpus | None"], None]
FORMATS: Mapping[str, _Write] = {
    "hf": write_hugging_face,
    "ids": write_ids,
}
"""The writer for each format, by name."""


def export_round(
    opened: Round,
    out: Path,
    form: str,
    papers: Mapping[str, str],
    corpus: Corpus | None = None,
    *,
    open_only: bool = False,
) -> Path:
    """Export a round into a new folder; return the folder.

    The same round gives the same bytes; an existing export in `out` must equal the new one.

    `form` is one of `FORMATS`, and `papers` names the paper to cite for each family. With the
    corpus of the round, an export of ids lists its papers. With `open_only`, only texts of papers
    whose licence permits redistribution are written.

    Raises:
        InputError: The format is unknown, the round was built from another corpus, or the round
            lacks the licences of its papers.
        VivaError: The round is damaged or still sealed, or the folder has other content.
    """
    if form not in FORMATS:
        raise InputError(f"There is no format {form!r}. There are: {', '.join(FORMATS)}.")
    if problems := check_files(opened.folder):
        raise VivaError(f"Round {opened.id} cannot be exported: {problems[0]}.")
    if corpus is not None and corpus.fingerprint != opened.manifest["corpus"]:
        raise InputError(
            f"{corpus.folder} is not the corpus that round {opened.id} was built from, or has "
            "changed since."
        )
    reveal = opened.folder.absolute().parent / f"{opened.id}.{REVEALED}"
    if opened.spec["round"].get("sealed") and not reveal.exists():
        raise VivaError(
            f"Round {opened.id} is sealed: its items are shown one round later. "
            f"viva round seal {opened.folder} --reveal writes {reveal.name} beside it; export it "
            "then."
        )
    if open_only and form == "ids":
        raise InputError("An export of ids has no texts: leave out --texts or choose hf.")
    contents = Contents(opened, open_only=open_only)
    draft = out.absolute().parent / f".{out.name}.draft"
    shutil.rmtree(draft, ignore_errors=True)
    try:
        FORMATS[form](contents, draft, papers, corpus)
        if out.is_dir() and not any(out.iterdir()):
            out.rmdir()
        if not out.exists():
            draft.rename(out)
        elif not out.is_dir() or hash_tree(out) != hash_tree(draft):
            raise VivaError(f"{out} has other content. Name a new folder with --out.")
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return out
