"""The table `results`: what the shards of papers hold of it, and the results of works outside.

Results of a work that is no paper of the corpus have no `paper_id`; they stay known by the
work's address.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from vivavoce.corpus.build.identity import Identity
from vivavoce.corpus.build.partitioning import read_rows
from vivavoce.corpus.build.parts import RESULTS
from vivavoce.corpus.dating import date_entry
from vivavoce.corpus.judging import judge_results
from vivavoce.corpus.schema import JUDGED, KEYS, TABLES, sort_rows
from vivavoce.store import Row

_SCHEMA = TABLES["results"]
_DATED_BY = ("paper_url", "method", "date")
_JUDGED_BY = ("task", "dataset", "metric", "score", "date", "listed_in", "position")


def collect_results(
    folder: Path, markers: dict[str, Row], found: Identity
) -> tuple[pa.Table, Counter[str]]:
    """All results in order and judged, and how many works outside the corpus have, by source."""
    files = [f"{RESULTS}/{name}.parquet" for name in markers]
    tables = [
        pq.read_table(folder / file)
        for file, marker in zip(files, markers.values(), strict=True)
        if file in marker["files"]
    ]
    counts: Counter[str] = Counter()
    for kind, table in _of_outside(found):
        tables.append(table)
        counts[kind] += table.num_rows
    results = sort_rows(pa.concat_tables([_SCHEMA.empty_table(), *tables]), KEYS["results"])
    return _judge(results), counts


def _judge(results: pa.Table) -> pa.Table:
    """Replace the columns that the results of a board are told together."""
    rows = results.select([*_JUDGED_BY, "higher_is_better"]).to_pylist()
    judgements = judge_results(rows)
    for name in ("higher_is_better", *(field.name for field in JUDGED)):
        column = [getattr(judgement, name) for judgement in judgements]
        field = _SCHEMA.field(name)
        results = results.set_column(
            _SCHEMA.get_field_index(name), field, pa.array(column, field.type)
        )
    return results


def _of_outside(found: Identity) -> list[tuple[str, pa.Table]]:
    """The results of documents that are of no paper, with the source of each table."""
    numbers, rows = (found.outside[name].to_numpy() for name in ("file", "row"))
    tables = []
    for number in np.unique(numbers).tolist():
        file = found.files[number]
        wanted = np.sort(rows[numbers == number]).astype(np.int64)
        for batch in read_rows(file.path, wanted, ["results"]):
            if batch.num_columns:
                tables.append((file.batch.kind, _without_paper(batch.column(0))))
    return tables


def _without_paper(results: pa.ListArray) -> pa.Table:
    """The results of some documents as rows without a paper."""
    flat = results.flatten()
    held = {field.name: flat.field(number) for number, field in enumerate(flat.type)}
    if "date" in held:
        told = zip(*(held[name].to_pylist() for name in _DATED_BY), strict=True)
        held["date"] = pa.array([date_entry(*one) for one in told], pa.string())
    absent = pa.nulls(len(flat))
    return pa.table([held.get(name, absent) for name in _SCHEMA.names], _SCHEMA.names).cast(_SCHEMA)
