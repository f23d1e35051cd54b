"""Tables come back out of every notation a model may answer in."""

import csv
import html
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.text import table_lines
from vivavoce.text.cell_text import collapse_spaces, latex_words, plain_words
from vivavoce.text.table_parsing import parse_tables

LATEX_ESCAPES = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        **{mark: f"\\{mark}" for mark in "&%$#_{}"},
    }
)
PIPE_ESCAPES = str.maketrans(
    {
        "&": "&amp;",
        "<": "&lt;",
        "─": "&#9472;",
        "━": "&#9473;",
        "═": "&#9552;",
        **{mark: f"\\{mark}" for mark in "\\|-=:"},
    }
)


def write_pipe(rows):
    lines = ["| " + " | ".join(cell.translate(PIPE_ESCAPES) for cell in row) + " |" for row in rows]
    lines.insert(1, "|" + "---|" * len(rows[0]))
    return "\n".join(lines)


def write_html(rows):
    cells = [[f"<td>{html.escape(cell, quote=False)}</td>" for cell in row] for row in rows]
    return "<table>" + "".join(f"<tr>{''.join(row)}</tr>\n" for row in cells) + "</table>"


def write_latex(rows):
    lines = [" & ".join(cell.translate(LATEX_ESCAPES) or "{}" for cell in row) for row in rows]
    body = " \\\\\n".join(lines)
    return f"\\begin{{tabular}}{{{'l' * len(rows[0])}}}\n\\hline\n{body} \\\\\n\\end{{tabular}}"


def write_csv(rows):
    stream = io.StringIO()
    csv.writer(stream, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows(rows)
    return f"```csv\n{stream.getvalue()}```"


WRITERS = {"pipe": write_pipe, "html": write_html, "latex": write_latex, "csv": write_csv}
cells = st.one_of(
    st.text(max_size=12), st.text(alphabet="|&\\-:$%{}<>\"',;`~ \n#_^", max_size=6)
).map(collapse_spaces)
tables = st.integers(1, 4).flatmap(
    lambda width: st.lists(st.lists(cells, min_size=width, max_size=width), min_size=1, max_size=5)
)


def rows_of(table):
    return [list(table.header), *map(list, table.rows)]


@pytest.mark.parametrize("kind", WRITERS)
@given(rows=tables)
def test_any_table_survives_being_written_and_read(kind, rows):
    (table,) = parse_tables(WRITERS[kind](rows)).tables
    assert rows_of(table) == rows


@given(rows=tables, more=tables)
def test_several_tables_between_prose_are_all_found(rows, more):
    text = f"Here they are:\n\n{write_pipe(rows)}\n\nAnd the rest.\n{write_html(more)}\nDone."
    assert [rows_of(table) for table in parse_tables(text).tables] == [rows, more]


@given(st.text(alphabet=st.sampled_from("|-+:<>tabler/dh\\{}&%$\n ,;`~\"'begin"), max_size=300))
def test_no_text_makes_the_parser_fail(text):
    for table in parse_tables(text).tables:
        assert all(len(row) == len(table.header) for row in table.rows)


@pytest.mark.parametrize(
    "text",
    [
        "Method | Score\n--- | ---\nBERT | 88.5\nXLNet | 90.1",
        "| Method | Score |\n| BERT | 88.5 |\n| XLNet | 90.1 |",
        "```markdown\n| Method | Score |\n|:--|--:|\n| BERT | 88.5 |\n\n| XLNet | 90.1 |\n```",
        "> | Method | Score |\n> |---|---|\n> | BERT | 88.5 |\n> | XLNet | 90.1 |",
        "+--------+-------+\n| Method | Score |\n+========+=======+\n| BERT   | 88.5  |\n"
        "+--------+-------+\n| XLNet  | 90.1  |\n+--------+-------+",
        "┌────────┬───────┐\n│ Method │ Score │\n├────────┼───────┤\n│ BERT   │ 88.5  │\n"
        "│ XLNet  │ 90.1  │\n└────────┴───────┘",
        "Sure, here is the table:\nMethod,Score\nBERT,88.5\nXLNet,90.1\n\nHope this helps, friend.",
        "```\nMethod\tScore\nBERT\t88.5\nXLNet\t90.1\n```",
        "<TABLE border=1><THEAD><TR><TH>Method<TH>Score</THEAD>"
        "<TR><TD>BERT<TD>88.5<TR><TD><b>XLNet</b><TD>90.1</TABLE>",
        "\\begin{table}\\centering\\begin{tabular}{l|c}\n\\toprule\nMethod & Score \\\\ \\midrule\n"
        "BERT & 88.5 \\\\ % the first\n\\rowcolor{gray!10} \\textbf{XLNet} & 90.1\\\\\n"
        "\\bottomrule\\end{tabular}\\end{table}",
        "\\begin{tabularx}{\\textwidth}{l@{}X}Method&Score\\\\[2pt]BERT&88.5\\\\"
        "XLNet&90.1\\end{tabularx}",
    ],
)
def test_one_table_in_many_dresses(text):
    (table,) = parse_tables(text).tables
    assert rows_of(table) == [["Method", "Score"], ["BERT", "88.5"], ["XLNet", "90.1"]]


def test_an_equation_in_an_array_is_not_a_table() -> None:
    assert parse_tables("$$\\begin{array}{r} a & b \\\\ c & d \\end{array}$$").tables == ()
    ruled = "$$\\begin{array}{|l|l|} \\hline A & B \\\\ \\hline 1 & 2 \\\\ \\hline \\end{array}$$"
    assert [rows_of(table) for table in parse_tables(ruled).tables] == [[["A", "B"], ["1", "2"]]]


def test_spanning_cells_are_repeated():
    text = (
        "<table><tr><td rowspan=2>Data<td colspan=2>Scores</tr><tr><td>F1<td>EM</tr>"
        "<tr><td>SQuAD<td>90<td>85</tr></table>"
        "\\begin{tabular}{lcc}\\multicolumn{2}{c}{Scores} & \\multirow{2}{*}{Data} \\\\ "
        "F1 & EM & \\\\ \\end{tabular}"
    )
    html_table, latex_table = parse_tables(text).tables
    assert rows_of(html_table) == [
        ["Data", "Scores", "Scores"],
        ["Data", "F1", "EM"],
        ["SQuAD", "90", "85"],
    ]
    assert rows_of(latex_table) == [["Scores", "Scores", "Data"], ["F1", "EM", ""]]


def test_a_repeated_header_starts_a_table_and_a_rule_between_rows_does_not():
    once = "| A | B |\n|---|---|\n| 1 | 2 |\n|---|---|\n| 3 | 4 |\n"
    tables = parse_tables(once + once).tables
    assert [rows_of(table) for table in tables] == [[["A", "B"], ["1", "2"], ["3", "4"]]] * 2


@pytest.mark.parametrize(
    "text",
    ["", "   \n", "I cannot find any result.", "We estimate P(a|b) here.\nIt is small, I think.",
     "First, we read it.\nThen, we wrote it.\nLast, we slept.", '{"a": ' * 100_000, "x" * 100_000],
)  # fmt: skip
def test_prose_is_not_a_table(text):
    answer = parse_tables(text)
    assert (answer.tables, answer.truncated) == ((), False)


HOSTILE = {
    "pipe rows": "| a | b |\n" * 1_000_000,
    "csv rows": "a,b\n" * 1_000_000,
    "html rows": "<table>" + "<tr><td>a<td>b" * 1_000_000,
    "latex rows": "\\begin{tabular}{ll}" + "a & b \\\\\n" * 1_000_000,
    "empty tables": "<table></table>" * 300_000,
    "nested tables": "<table><tr><td>" * 300_000,
    "open braces": "\\begin{tabular}{l}" + "{" * 4_000_000,
    "open tags": "<table><tr><td>" + "<a " * 1_000_000,
    "one line of pipes": "|" * 4_000_000,
    "a wide html row": "<table><tr>" + "<td>" * 1_000_000,
    "a wide span": "<table>" + "<tr><td colspan=99999 rowspan=99999>a" * 100_000,
    "a long field": '```csv\n"' + "a" * 4_000_000,
    "backslashes": "|" + "\\" * 4_000_000,
    "entities": "<table><tr><td>" + "&#" + "9" * 3_900_000 + ";",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_answer_stays_within_the_budget(name):
    answer = parse_tables(HOSTILE[name])
    assert sum(len(table.rows) for table in answer.tables) <= table_lines.MAX_ROWS
    assert len(answer.tables) <= table_lines.MAX_TABLES
    size = sum(len(table.header) * (1 + len(table.rows)) for table in answer.tables)
    assert size <= table_lines.MAX_CELLS


@pytest.mark.parametrize(
    "name", ["pipe rows", "csv rows", "html rows", "latex rows", "a long field"]
)
def test_what_was_not_read_is_flagged(name):
    assert parse_tables(HOSTILE[name]).truncated


def test_latex_words_are_what_is_printed():
    cell = (
        r"\textbf{88.5} $\pm$ 0.2\% \cite[p.~3]{devlin2019} \textcolor{red}{\emph{new}}~\ding{51}"
    )
    assert latex_words(cell) == "88.5 ± 0.2% new ✓"


@pytest.mark.parametrize(
    ("source", "printed"),
    [
        (r"$O(n \log n)$", "O(n log n)"),
        (r"$\frac{1}{2}$ and $\frac34$", "1/2 and 3/4"),
        (r"$\dfrac{\frac{a}{b}}{c}$", "a/b/c"),
        (r"$\Delta\mathrm{SR}$", "ΔSR"),
        (r"$\left(\sqrt{n}\right)$", "(√n)"),
        (r"\(B\) \& \(\log n\) \log", "B & log n"),
        (r"{\it x} \ac{CNN} \unknown", "x CNN"),
        (r"\frac {1} {2}", "1/ 2"),
        (r"\frac{1", "1"),
        (r"\ding{55} \ding{72} \ding{172} \ding{9}", "✗ ★ ①"),
    ],
)
def test_formulas_of_a_cell_print_fractions_functions_and_signs(source, printed):
    assert latex_words(source) == printed


def test_fractions_without_end_are_read_once():
    assert latex_words("\\frac{" * 50_000) == ""


def test_plain_words_drop_the_emphasis_of_every_notation():
    assert plain_words("**[BERT](https://a.b/c)**[^1] <sup>2</sup> `x` _ok_ $\\alpha$") == (
        "BERT 2 x _ok_ α"
    )
