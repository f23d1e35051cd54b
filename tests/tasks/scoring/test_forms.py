"""Every form of an answer that the manual lists scores as the plain one; cut ones are marked."""

import json
from html import escape
from pathlib import Path
from textwrap import indent
from typing import Any

import pytest
from tests.servers.commands import only_json, small_round, viva_here
from tests.servers.scripted import Ask, Reply, answer, scripted

from vivavoce.metrics.extraction import ExtractedMethod
from vivavoce.running import RunSpec, run
from vivavoce.tasks.implementation.items.report import parse_methods
from vivavoce.tasks.implementation.program import find_program
from vivavoce.text.final_answer import final_answer
from vivavoce.text.json_answer import find_json

PAGE = Path(__file__).parents[3] / "docs" / "scoring.md"
TITLES = ["Boxes", "Tides", "Rain"]
ENTRIES = [{"method": "RiverNet", "score": 71.5}, {"method": "RainMap", "score": 69.0}]
ROWS = {"p1": ("GRU", "squared"), "p2": ("forest", "Gini")}
TEXT = "Tides move sand. We measure how much of it returns within a year, and what stays away."
GOLD: dict[str, dict[str, Any]] = {
    "writing": {"reference": TEXT},
    "ranking": {"gold": TITLES},
    "leaderboards": {"entries": ENTRIES},
    "tables": {
        "papers": list(ROWS),
        "titles": {"p1": "Otters", "p2": "Seals"},
        "table": {
            "columns": ["Model", "Loss"],
            "rows": [
                {"paper": paper, "cells": {"Model": model, "Loss": loss}}
                for paper, (model, loss) in ROWS.items()
            ],
        },
    },
}
BEST = {
    "writing": ["rougeL"],
    "ranking": ["ktau"],
    "leaderboards": ["f1", "sp_matched"],
    "tables": ["avg"],
}
FORMS = {
    "writing": {
        "text alone": TEXT,
        "behind its name": f"Abstract: {TEXT}",
        "under a heading": f"## Abstract\n\n{TEXT}",
        "under a numbered heading": f"## 2. Abstract\n\n{TEXT}",
        "under an underlined heading": f"Abstract\n========\n\n{TEXT}",
        "announced": f"Here is the abstract:\n\n{TEXT}",
        "with the speaker's name": f"Assistant: {TEXT}",
        "fence": f"```text\n{TEXT}\n```",
        "tags": f"<abstract>{TEXT}</abstract>",
        "a tag that is not closed": f"<abstract>\n{TEXT}",
        "HTML": f"<section><h2>Abstract</h2><p>{TEXT}</p></section>",
        "LaTeX environment": f"\\begin{{abstract}}\n{TEXT}\n\\end{{abstract}}",
        "LaTeX command": f"\\abstract{{{TEXT}}}",
        "LaTeX section": f"\\section{{Abstract}}\n\\label{{sec:abstract}}\n\n{TEXT}",
        "JSON object": json.dumps({"abstract": TEXT}),
        "JSON in JSON": json.dumps({"result": {"paper": {"abstract": TEXT}}}),
    },
    "ranking": {
        "numbers": "1. Boxes\n2. Tides\n3. Rain",
        "numbers in brackets": "(1) Boxes\n(2) Tides\n(3) Rain",
        "full-width numbers": "１．Boxes\n２．Tides\n３．Rain",
        "ordinals": "1.º Boxes\n2.º Tides\n3.º Rain",
        "bullets": "- Boxes\n- Tides\n- Rain",
        "letters": "a) Boxes\nb) Tides\nc) Rain",
        "Roman numerals": "i. Boxes\nii. Tides\niii. Rain",
        "circled digits": "① Boxes\n② Tides\n③ Rain",
        "words": "First: Boxes\nSecond: Tides\nThird: Rain",
        "words in a line": "First, Boxes. Second, Tides. Third, Rain.",
        "numbers in a line": "My ranking: 1. Boxes 2. Tides 3. Rain",
        "backwards": "3. Rain\n2. Tides\n1. Boxes",
        "no marker": "Boxes\nTides\nRain",
        "one line": "Boxes > Tides > Rain",
        "boxed": r"\boxed{Boxes > Tides > Rain}",
        "JSON list": '["Boxes", "Tides", "Rain"]',
        "JSON object": '{"ranking": ["Boxes", "Tides", "Rain"]}',
        "JSON records": '[{"rank": 1, "title": "Boxes"}, {"rank": 2, "title": "Tides"}, '
        '{"rank": 3, "title": "Rain"}]',
        "JSON records, by rank": '[{"rank": 3, "title": "Rain"}, {"rank": 1, "title": "Boxes"}, '
        '{"rank": 2, "title": "Tides"}]',
        "JSON Lines": '{"rank": 1, "title": "Boxes"}\n{"rank": 2, "title": "Tides"}\n'
        '{"rank": 3, "title": "Rain"}',
        "JSON, ranks by title": '{"Rain": 3, "Boxes": 1, "Tides": 2}',
        "Markdown": "| Title | Rank |\n|---|---|\n| Rain | 3 |\n| Boxes | 1 |\n| Tides | 2 |",
        "CSV": "rank,title\n1,Boxes\n2,Tides\n3,Rain",
        "TSV": "rank\ttitle\n1\tBoxes\n2\tTides\n3\tRain",
        "HTML": "<ol><li>Boxes</li><li>Tides</li><li>Rain</li></ol>",
        "LaTeX list": "\\begin{enumerate}\n\\item Boxes\n\\item Tides\n\\item Rain\n"
        "\\end{enumerate}",
        "LaTeX table": "\\begin{tabular}{ll}\n1 & Boxes \\\\\n2 & Tides \\\\\n3 & Rain \\\\\n"
        "\\end{tabular}",
    },
    "leaderboards": {
        "Markdown": "| Method | Score |\n|---|---|\n| RiverNet | 71.5 |\n| RainMap | 69.0 |",
        "Markdown, numbered": "| # | Method | Score |\n|---|---|---|\n| 1 | RiverNet | 71.5 |\n"
        "| 2 | RainMap | 69.0 |",
        "Markdown, transposed": "| Method | RiverNet | RainMap |\n|---|---|---|\n"
        "| Score | 71.5 | 69.0 |",
        "lines": "1. **RiverNet**: 71.5\n2. **RainMap**: 69.0",
        "one line": "RiverNet (71.5), RainMap (69.0)",
        "CSV": "Method,Score\nRiverNet,71.5\nRainMap,69.0",
        "TSV": "Method\tScore\nRiverNet\t71.5\nRainMap\t69.0",
        "HTML": "<table><tr><th>Method</th><th>Score</th></tr><tr><td>RiverNet</td><td>71.5</td>"
        "</tr><tr><td>RainMap</td><td>69.0</td></tr></table>",
        "LaTeX": "\\begin{tabular}{lr}\nMethod & Score \\\\\nRiverNet & 71.5 \\\\\n"
        "RainMap & 69.0 \\\\\n\\end{tabular}",
        "LaTeX under a title": "\\begin{tabular}{lr}\n\\multicolumn{2}{c}{Rivers} \\\\\n"
        "Method & Score \\\\\nRiverNet & 71.5 \\\\\nRainMap & 69.0 \\\\\n\\end{tabular}",
        "JSON object": json.dumps({"entries": ENTRIES}),
        "JSON records": json.dumps(ENTRIES),
        "JSON Lines": "\n".join(map(json.dumps, ENTRIES)),
        "JSON, scores by method": '{"RiverNet": 71.5, "RainMap": 69.0}',
        "JSON pairs": '[["RiverNet", 71.5], ["RainMap", 69.0]]',
        "JSON by column": '{"method": ["RiverNet", "RainMap"], "score": [71.5, 69.0]}',
        "JSON rows": '{"columns": ["Method", "Score"], "rows": [["RiverNet", 71.5], '
        '["RainMap", 69.0]]}',
        "JSON, split": '{"columns": ["Score"], "index": ["RiverNet", "RainMap"], "data": [[71.5], '
        "[69.0]]}",
    },
    "tables": {
        "Markdown": "| Paper | Model | Loss |\n|---|---|---|\n| Otters | GRU | squared |\n"
        "| Seals | forest | Gini |",
        "Markdown, numbered": "| # | Paper | Model | Loss |\n|---|---|---|---|\n"
        "| 1 | Otters | GRU | squared |\n| 2 | Seals | forest | Gini |",
        "Markdown, transposed": "| | Otters | Seals |\n|---|---|---|\n| Model | GRU | forest |\n"
        "| Loss | squared | Gini |",
        "CSV": "Paper,Model,Loss\nOtters,GRU,squared\nSeals,forest,Gini",
        "TSV": "Paper\tModel\tLoss\nOtters\tGRU\tsquared\nSeals\tforest\tGini",
        "HTML": "<table><tr><th>Paper</th><th>Model</th><th>Loss</th></tr><tr><td>Otters</td>"
        "<td>GRU</td><td>squared</td></tr><tr><td>Seals</td><td>forest</td><td>Gini</td></tr>"
        "</table>",
        "LaTeX": "\\begin{tabular}{lll}\nPaper & Model & Loss \\\\\nOtters & GRU & squared \\\\\n"
        "Seals & forest & Gini \\\\\n\\end{tabular}",
        "HTML under a title": "<table><tr><td></td><th colspan=2>Traits</th></tr><tr><th>Paper</th>"
        "<th>Model</th><th>Loss</th></tr><tr><td>Otters</td><td>GRU</td><td>squared</td></tr><tr>"
        "<td>Seals</td><td>forest</td><td>Gini</td></tr></table>",
        "JSON object": json.dumps(GOLD["tables"]["table"]),
        "JSON records": '[{"Paper": "Otters", "Model": "GRU", "Loss": "squared"}, '
        '{"Paper": "Seals", "Model": "forest", "Loss": "Gini"}]',
        "JSON Lines": '{"Paper": "Otters", "Model": "GRU", "Loss": "squared"}\n'
        '{"Paper": "Seals", "Model": "forest", "Loss": "Gini"}',
        "JSON by paper": '{"Otters": {"Model": "GRU", "Loss": "squared"}, "Seals": '
        '{"Model": "forest", "Loss": "Gini"}}',
        "JSON by column": '{"Paper": ["Otters", "Seals"], "Model": ["GRU", "forest"], '
        '"Loss": ["squared", "Gini"]}',
        "JSON by column and paper": '{"Model": {"Otters": "GRU", "Seals": "forest"}, "Loss": '
        '{"Otters": "squared", "Seals": "Gini"}}',
        "JSON, split": '{"columns": ["Model", "Loss"], "index": ["Otters", "Seals"], "data": '
        '[["GRU", "squared"], ["forest", "Gini"]]}',
    },
}

PROGRAM = 'rows = read("rows.csv")\nwrite([row for row in rows if row["tide"] > 2])'
METHOD = {"name": "Tide index", "formula": "T", "variables": {"T": "tide"}}
INNER = {"formula": "T", "variables": {"T": "tide"}}
PROGRAMS = {
    "program alone": PROGRAM,
    "announced": f"Here is the program:\n\n{PROGRAM}",
    "fence": f"```python\n{PROGRAM}\n```",
    "fence in a list": "1. The program:\n\n   ```python\n" + indent(PROGRAM, "   ") + "\n   ```",
    "fence that is not closed": f"```python\n{PROGRAM}",
    "the last of two": f"```python\nrows = []\n```\nBetter:\n```python\n{PROGRAM}\n```",
    "beside a command": f"```python\n{PROGRAM}\n```\n```bash\npython program.py\n```",
    "tags": f"<code>{PROGRAM}</code>",
    "HTML": f'<pre><code class="python">{escape(PROGRAM)}</code></pre>',
    "LaTeX": f"\\begin{{lstlisting}}[language=Python]\n{PROGRAM}\n\\end{{lstlisting}}",
    "JSON object": json.dumps({"program": PROGRAM}),
}
METHODS = {
    "JSON object": json.dumps({"methods": [METHOD]}),
    "JSON list": json.dumps([METHOD]),
    "JSON, any key": json.dumps({"results": [METHOD]}),
    "one method": json.dumps(METHOD),
    "JSON by name": json.dumps({"Tide index": INNER}),
    "JSON by name, below a key": json.dumps({"methods": {"Tide index": INNER}}),
    "keys in capitals": json.dumps([{key.title(): value for key, value in METHOD.items()}]),
    "a list of symbols": json.dumps([{**METHOD, "variables": ["T"]}]),
    "records of symbols": json.dumps([{**METHOD, "variables": [{"symbol": "T"}]}]),
    "a formula set off": json.dumps([{**METHOD, "formula": "$T$"}]),
    "a comma too many": f"[{json.dumps(METHOD)},]",
}


@pytest.mark.parametrize("form", PROGRAMS)
def test_a_program_is_found_in_each_form(form: str) -> None:
    assert (find_program(final_answer(PROGRAMS[form]).text) or "").strip() == PROGRAM


@pytest.mark.parametrize("form", METHODS)
def test_methods_are_found_in_each_form(form: str) -> None:
    answer = final_answer(f"Let me read it.</think>{METHODS[form]}").text
    expected = [ExtractedMethod("Tide index", formula="T", symbols=("T",))]
    assert parse_methods(find_json(answer, mend=True)) == expected


@pytest.mark.parametrize(
    ("family", "form"), [(family, form) for family in FORMS for form in FORMS[family]]
)
def test_a_form_scores_as_the_plain_one(family: str, form: str, tmp_path: Path) -> None:
    gold, answers = tmp_path / "gold.jsonl", tmp_path / "answers.jsonl"
    gold.write_text(json.dumps({"id": 1, **GOLD[family]}), "utf-8")
    answers.write_text(json.dumps({"id": 1, "text": FORMS[family][form]}), "utf-8")
    files = ("--gold", gold, "--predictions", answers)
    done = viva_here("score", family, *files, "--resamples", "0", "--json")
    metrics = only_json(done.stdout)["metrics"]
    assert {name: metrics[name]["value"] for name in BEST[family]} == dict.fromkeys(BEST[family], 1)


LISTED = {**FORMS, "programs": PROGRAMS, "methods of a report": METHODS}


@pytest.mark.parametrize("family", LISTED)
def test_the_manual_lists_the_forms(family: str) -> None:
    assert f"| {family} | {'; '.join(LISTED[family])} |" in PAGE.read_text("utf-8")


THOUGHT = "Perhaps the seals belong here."


def reply(ask: Ask) -> Reply:
    """Two models: one ends at its limit at every other item, one says what it thinks."""
    if ask.model == "thinking":
        return answer(f"<think>{THOUGHT}</think>A Title of Otters")
    return answer("A Title That Stops", finish="length" if ask.number % 2 else "stop")


def test_boards_and_pages_say_what_was_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = small_round(tmp_path, papers=4)
    with scripted(reply) as server:
        server.serve_here(monkeypatch)
        for name in ("short", "thinking"):
            spec = RunSpec(
                tasks=["title"],
                round=opened.folder,
                logs=tmp_path / "logs",
                models=[f"openai-api/scripted/{name}"],
                display="none",
            )
            assert run(spec).failed == ()
    shown = only_json(viva_here("board", "show", tmp_path / "logs", "--json").stdout)
    shares = {row["model"].rpartition("/")[2]: row["truncated"] for row in shown["rows"]}
    assert shares == {"short": 0.5, "thinking": None}
    viva_here("board", "build", tmp_path / "logs", "--out", tmp_path / "site", "--seed", "0")
    pages = [page.read_text("utf-8") for page in (tmp_path / "site").rglob("*.html")]
    assert any("It was cut off at its token limit." in page for page in pages)
    assert any("Removed before scoring" in page and THOUGHT in page for page in pages)
