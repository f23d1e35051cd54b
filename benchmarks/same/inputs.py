"""Files that the commands are given: specs, gold, answers and people's labels."""

import json
from pathlib import Path
from typing import Any

WINDOW = "window = { start = 2023-07-01, end = 2025-01-01 }"
IMPLEMENTATION = """
[implementation]
formulas = ["PEG", "alpha053", "mid_price"]
architectures = ["PMLP"]
reports = ["growth_at_a_price"]
"""
ALL = '["implementation", "leaderboards", "ranking", "tables", "writing"]'
SPECS = {
    "whole": f'[round]\nid = "whole"\n{WINDOW}\nfamilies = {ALL}\n{IMPLEMENTATION}',
    "other": """[round]
id = "other"
window = { start = 2024-01-01, end = 2024-12-01 }
seed = 7
families = ["leaderboards", "ranking", "tables", "writing"]

[leaderboards]
min_entries = 2
min_papers = 2
pool = "corpus"
entries = "corpus"

[ranking]
min_papers = 2
candidates = 10

[tables]
undated = true
distractors = 3

[writing]
settings = ["base", "mixed"]
demos = 1
author_sampling = "inverse_activity"
""",
}
BAD_SPEC = f'[round]\nid = "bad"\n{WINDOW}\nfamilies = ["writing"]\n\n[writing]\nsetings = []\n'
LIVE_SPEC = """[round]
id = "live"
window = { start = 2024-01-01, end = 2024-04-15 }
families = ["writing"]
sealed = true

[writing]
settings = ["base"]

[update]
quota = 3
keep_days = 150
anchors = 1
"""
REAL_SPEC = """[round]
id = "real"
window = { start = 2012-01-01, end = 2020-01-01 }
families = ["leaderboards", "ranking", "tables", "writing"]
"""
CUTOFFS = (
    '[[model]]\nname = "extractive/lead"\ncutoff = "2024-03"\nsource = "https://example.org"\n'
)
SUBMISSION = """[submission]
team = "A lab"
contact = "lab@example.org"
date = 2024-11-02
private_runs = 0
"""


def lines(*rows: dict[str, Any]) -> str:
    """Write rows as JSON Lines."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


ANSWERS = lines(
    *(
        {"id": f"sample-{number:04d}", "text": f"Dependable {word}: Évidence in Practice"}
        for number, word in enumerate(["Meetings", "Search", "", "Parsing"] * 15, start=1)
    ),
    {"id": "sample-0030", "epoch": 1, "text": None},
)
TITLES = ["Deep Nets for Reading", "Sparse Attention in Practice", "A Survey of Parsers"]
TABLE = {
    "columns": ["size", "year", "F1"],
    "rows": [
        {"paper": "p1", "cells": {"size": "10", "year": "2020", "F1": "81.5"}},
        {"paper": "p2", "cells": {"size": "20M", "year": "2021", "F1": "-"}},
    ],
}
OTHER_TABLE = {
    "columns": ["Size (tokens)", "published", "accuracy"],
    "rows": [
        {"paper": "p2", "cells": {"Size (tokens)": "20 M", "published": "2021", "accuracy": "7"}},
        {"paper": "p3", "cells": {"Size (tokens)": "5", "published": "2019"}},
    ],
}
ENTRIES = [
    {"method": "TreeNet", "score": 91.2},
    {"method": "ChartNet", "score": 89.0},
    {"method": "Rules", "score": 71.5},
]
GOLD = {
    "writing": lines(
        {"id": "a", "reference": "Sparse attention for long clinical notes", "cluster": "x"},
        {"id": "b", "reference": "A survey of tide gauges, and what they measured"},
        {"id": "c", "reference": "Learning to bake bread from videos", "cluster": "x"},
    ),
    "ranking": lines(
        {"id": 1, "gold": TITLES}, {"id": 2, "gold": TITLES[:2]}, {"id": "2", "gold": TITLES}
    ),
    "leaderboards": lines({"id": "p", "entries": ENTRIES}, {"id": "q", "entries": ENTRIES[1:]}),
    "tables": lines(
        {
            "id": 1,
            "papers": ["p1", "p2"],
            "titles": {"p1": TITLES[0], "p2": TITLES[1]},
            "table": TABLE,
        },
        {"id": 2, "papers": ["p2", "p3"], "table": OTHER_TABLE},
    ),
}
PREDICTIONS = {
    "writing": lines(
        {"id": "a", "text": "Sparse attention for notes"}, {"id": "b", "text": "Tides"}
    ),
    "ranking": lines(
        {"id": 1, "text": f"Here:\n1. {TITLES[0]}\n2. {TITLES[2]}\n3. {TITLES[1]}"},
        {"id": 2, "text": None},
        {"id": "2", "text": f"['{TITLES[2]}', '{TITLES[0]}']"},
    ),
    "leaderboards": lines(
        {
            "id": "p",
            "text": "| Method | F1 |\n|---|---|\n| treenet (ours) | 91.2 |\n| Rules | 7 |",
        },
        {"id": "q", "entries": ENTRIES},
    ),
    "tables": lines(
        {"id": 1, "papers": ["p2", "p3"], "table": OTHER_TABLE},
        {"id": 2, "text": "| Paper | size |\n|---|---|\n| p2 | 20 |\n| p9 | 1 |"},
    ),
}


def write_arrays(work: Path) -> None:
    """Write gold and answers of the families whose answers are arrays."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq
    from safetensors.numpy import save_file

    days = [f"2024-01-{day:02d}" for day in range(1, 11) for _ in range(4)]
    index = {"datetime": days, "instrument": ["a", "b", "c", "d"] * 10}
    values = np.sin(np.arange(40.0))
    noisy = np.where(np.arange(40) % 7 == 3, np.nan, values * 1.01 + 0.02)
    layers = {f"layer_{i:02d}": np.cos(np.arange(20, dtype="f4").reshape(4, 5) * i) for i in (1, 2)}
    answers = {name: array + np.float32(0.001) for name, array in layers.items()}
    for folder, column, arrays in (("gold", values, layers), ("answers", noisy, answers)):
        pq.write_table(pa.table({**index, "value": column}), work / folder / "factor.parquet")
        save_file(arrays, work / folder / "architecture.safetensors")


_DEMAND = "Which methods plan the path of a vehicle, and on what were they tested?"
_PAPERS = ["Learning to steer in crowds", "A survey of robot arms", "Maps of cities", "Trades"]
CAMPAIGNS = {
    "distractors": lines(
        *(
            {
                "id": f"p-{number}",
                "cluster": f"c-{number % 2}",
                "content": {
                    "demand": _DEMAND,
                    "references": [{"title": "Paths by sampling"}],
                    "candidate": {"title": title},
                },
            }
            for number, title in enumerate(_PAPERS)
        )
    ),
    "preference": lines(
        *(
            {
                "id": f"t-{number}",
                "content": {"prompt": "Write a title.", "a": title, "b": "Titles"},
            }
            for number, title in enumerate(_PAPERS)
        )
    ),
}
