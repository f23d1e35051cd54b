"""The numbers as files: CSV that spreadsheets may open, JSON, Parquet and LaTeX."""

import csv
import io
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.web.board.board_rows import HOSTILE, make_board, make_row

from vivavoce.store import table_of_parquet
from vivavoce.text.printing import visible
from vivavoce.web.board import downloads
from vivavoce.web.board.downloads import csv_of, json_of, table_of
from vivavoce.web.board.model import Site, site_of


def scored(model: str, value: float, rank: int, **changes: Any) -> dict:
    """A row as newer boards have it: 100 answers of 10,000 tokens for a cent each."""
    more: dict[str, Any] = {"family": "writing", "answers": 100, "tokens": 1_000_000, "cost": 1.0}
    return make_row(model, value, rank, **{**more, **changes})


def exposed(seen: float, clean: float) -> dict[str, Any]:
    return {
        "cutoff": "2025-06",
        "seen": seen,
        "clean": clean,
        "gap": seen - clean,
        "ci": [seen - clean - 0.05, seen - clean + 0.05],
        "n_seen": 40,
        "n_clean": 60,
    }


def site_with(*rows: dict, **more: Any) -> Site:
    ids = list(dict.fromkeys(row["round"] for row in rows))
    rounds = [
        {"id": name, "window": ["2025-01-01", f"{name}-01"], "manifest": "ab" * 32, "counts": {}}
        for name in ids
    ]
    return site_of(make_board(*rows, rounds=rounds, **more))


def made(site: Site) -> dict[str, bytes]:
    return {page.path: page.make() for page in downloads.files(site)}


def rows_of(content: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(content.decode("utf-8"))))


def test_csv_parquet_and_json_hold_the_same_rows() -> None:
    rows = [
        scored("a/one", 0.6, 1, undecided_with=["b/two"], rank_interval=[1, 2]),
        scored("b/two", 0.5, 2, exposure=exposed(0.6, 0.4), ci=None),
        scored("c/none", None, None),
    ]
    found = made(site_with(*rows))
    assert list(found) == [path for _, path in downloads.LINKS]
    sheet = rows_of(found["board.csv"])
    table = table_of_parquet(found["board.parquet"]).to_pylist()
    assert json.loads(found["board.json"])["rows"] == rows
    assert [row["model"] for row in sheet] == [row["model"] for row in table]
    assert [float(row["value"]) if row["value"] else None for row in sheet] == [0.6, 0.5, None]
    assert [row["value"] for row in table] == [0.6, 0.5, None]
    assert (sheet[0]["rank_low"], table[0]["rank_high"]) == ("1", 2)
    assert (sheet[1]["ci_low"], table[1]["ci_high"]) == ("", None)
    assert (sheet[1]["cutoff"], table[1]["gap"]) == ("2025-06", pytest.approx(0.2))
    assert json.loads(sheet[0]["undecided_with"]) == ["b/two"]
    assert table[0]["decoding"] == rows[0]["decoding"]


FORMULAS = ["=1+1", "+1", "-1", "@SUM(A1)", "＝1", "  =1", "\t=1", "\r=1", "=cmd|' /C calc'!A0"]


@pytest.mark.parametrize("formula", FORMULAS)
def test_no_cell_of_the_csv_is_a_formula(formula: str) -> None:
    row = scored(formula, 0.6, 1, metric=formula, judge=formula, setting=formula)
    (found,) = rows_of(csv_of(table_of([row])))
    for name in ("model", "metric", "judge", "setting"):
        assert found[name].startswith("'"), name


@settings(deadline=None)
@given(st.text(max_size=60))
def test_any_name_is_one_cell_of_csv_and_parquet(name: str) -> None:
    rows = [scored(name, 0.6, 1), scored("b/two", 0.5, 2)]
    one, two = rows_of(csv_of(table_of(rows)))
    assert one["model"].lstrip("'") == visible(name, limit=None).lstrip("'")
    assert two["model"] == "b/two"
    assert table_of(rows).column("model").to_pylist()[1] == "b/two"


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_stay_inside_their_files(name: str) -> None:
    row = scored(name, 0.6, 1, round=name, task=name, setting=name, metric=name)
    found = made(site_with(row))
    assert all(".." not in path and not path.startswith("/") for path in found)
    assert json.loads(found["board.json"].decode("ascii"))["rows"] == [row]


def test_json_has_a_row_a_line_and_no_hidden_character() -> None:
    text = json_of([scored("rtl \u202e", 0.6, 1)] * 2, {"notes": ["é"]}).decode("ascii")
    assert text.isascii()
    assert len(text.splitlines()) == 4
    assert json_of([], {}).decode("ascii") == '{"schema_version": 1, "rows": [\n\n]}\n'


def test_a_latex_table_in_the_style_of_booktabs() -> None:
    rows = [
        scored("a/one_7b", 0.6, 1),
        scored("b/two", 0.5, 2, ci=None),
        scored("c/none", None, None),
        scored("none", 1.0, None, method="oracle"),
    ]
    (board,) = site_with(*rows).boards
    lines = downloads.latex_table(board).splitlines()
    assert r"\toprule" in lines
    assert r"1 & a/one\_7b & $0.600$ {\scriptsize $[0.580, 0.620]$} & 120 \\" in lines
    assert r"2 & b/two & $0.500$ & 120 \\" in lines
    assert r" & c/none & -- & 120 \\" in lines
    # The ceiling stands below all others.
    assert [line for line in lines if " & " in line][-2].startswith(" & oracle")


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        (r"\input{/etc/passwd}", r"\textbackslash{}input\{/etc/passwd\}"),
        ("50% & $x_1^2$ #3 ~", r"50\% \& \$x\_1\textasciicircum{}2\$ \#3 \textasciitilde{}"),
        ("a--b---c", "a-{}-b-{}-{}-c"),
        ("[x]", "{[}x]"),
        ("*x", "{*}x"),
        ("<a>|", r"\textless{}a\textgreater{}\textbar{}"),
        ("line\nbreak %", r"line break \%"),
    ],
)
def test_latex_prints_names_and_never_runs_them(text: str, printed: str) -> None:
    assert downloads.escaped(text) == printed


@settings(deadline=None)
@given(st.text(alphabet=r"\{}$&#%_^~ab", max_size=40))
def test_no_special_character_reaches_latex_bare(text: str) -> None:
    left = downloads.escaped(text)
    for printed in (r"\textbackslash{}", r"\textasciicircum{}", r"\textasciitilde{}"):
        left = left.replace(printed, "")
    for char in r"{}$&#%_":
        left = left.replace(f"\\{char}", "")
    assert not set(left) & set(r"\{}$&#%_^~")
