"""Tables of results and of words in many printed styles, with what is true of their cells."""

import html
from dataclasses import dataclass, field
from random import Random
from typing import Literal

TableKind = Literal["results", "words"]


@dataclass
class Cell:
    """A cell of a made table."""

    text: str
    rows: int = 1
    columns: int = 1
    is_bold: bool = False


@dataclass
class MadeTable:
    """A table: rows of cells, where None is a place that another cell covers."""

    caption: str
    cells: list[list[Cell | None]]
    heads: int = 1
    """Rows of the head."""
    breaks: list[int] = field(default_factory=list)
    """Rows of the body before which a group begins."""

    def truth(self) -> dict[str, object]:
        """Texts, spans and bold cells as a reader should give them."""
        spans, bold = [], []
        for r, row in enumerate(self.cells):
            for c, cell in enumerate(row):
                if cell is None:
                    continue
                if cell.rows > 1 or cell.columns > 1:
                    spans.append([r, c, cell.rows, cell.columns])
                if cell.is_bold:
                    bold.append([r, c])
        texts = [[cell.text if cell else "" for cell in row] for row in self.cells]
        return {"caption": self.caption, "cells": texts, "spans": spans, "bold": bold}


_DATA = "Arbor Brook Cedar Delta Ember Fjord Grove Heath Inlet Juniper Knoll Larch".split()
_METRICS = "F1 Acc. P R BLEU EM MRR PPL".split()
_STEMS = "Tree Path Wave Node Link Gate Span Ring Mesh Core".split()
_TAILS = "Net Parser LM Former Flow Rank Mix Tagger".split()
_WORDS = (
    "reads the parts of each sentence before it joins them and keeps what it saw in a store that "
    "later steps search by key while earlier steps only write to it with small changes over time"
).split()


def make_table(number: int, kind: TableKind = "results") -> MadeTable:
    """A table by its number; the same number gives the same table."""
    drawn = Random(f"table/{kind}/{number}")
    caption = f"Figures {_code(number)} of the {drawn.choice(_DATA)} study"
    return _words(drawn, caption) if kind == "words" else _results(drawn, caption)


def _code(number: int) -> str:
    """Letters that name a number: a caption is known by them."""
    return "".join(chr(ord("A") + int(digit)) for digit in f"{number:03d}") + "X"


def _results(drawn: Random, caption: str) -> MadeTable:
    groups = drawn.randint(1, 3)
    width = drawn.choice([1, 2, 2, 3]) if groups > 1 else drawn.randint(2, 5)
    is_grouped = drawn.random() < 0.35
    first = 2 if is_grouped else 1
    data = drawn.sample(_DATA, groups)
    metrics = drawn.sample(_METRICS, width)
    heads: list[list[Cell | None]] = []
    lead = ["Family", "Method"][2 - first :]
    if groups > 1 and width > 1:
        top: list[Cell | None] = [Cell(name, rows=1) for name in lead]
        for name in data:
            top += [Cell(name, columns=width), *[None] * (width - 1)]
        bottom: list[Cell | None] = [Cell("") for _ in lead]
        for _ in data:
            bottom += [Cell(name) for name in metrics]
        heads = [top, bottom]
    else:
        names = data if width == 1 else metrics
        heads = [[*map(Cell, lead), *map(Cell, names)]]
    values = groups * width
    body, breaks = _body(drawn, values, first)
    return MadeTable(caption, [*heads, *body], len(heads), [len(heads) + one for one in breaks])


def _body(drawn: Random, values: int, first: int) -> tuple[list[list[Cell | None]], list[int]]:
    count = drawn.randint(4, 9)
    scores = [[round(drawn.uniform(31, 98), 1) for _ in range(values)] for _ in range(count)]
    best = [max(row[c] for row in scores) for c in range(values)]
    has_spread = drawn.random() < 0.2
    body: list[list[Cell | None]] = []
    breaks: list[int] = []
    left = 0
    for number, row in enumerate(scores):
        line: list[Cell | None] = []
        if first > 1:
            if not left:
                left = min(drawn.randint(2, 3), count - number)
                if count - number - left == 1:
                    left += 1
                line.append(Cell(drawn.choice(["Graph", "Neural", "Rules", "Mixed"]), rows=left))
                if number:
                    breaks.append(number)
            else:
                line.append(None)
            left -= 1
        line.append(Cell(_method(drawn)))
        for c, value in enumerate(row):
            text = "–" if drawn.random() < 0.06 else f"{value:.1f}"
            spread = f" ± {drawn.randint(1, 9) / 10}" if has_spread and text != "–" else ""
            line.append(Cell(text + spread, is_bold=value == best[c] and text != "–"))
        body.append(line)
    return body, breaks


def _method(drawn: Random) -> str:
    name = drawn.choice(_STEMS) + drawn.choice(_TAILS)
    more = ["", "", " large", " (ours)", " + tags", "-v2", f" et al. ({drawn.randint(2012, 2023)})"]
    return name + drawn.choice(more)


def _words(drawn: Random, caption: str) -> MadeTable:
    names = ["System", "What it does", "Data", "Year"]
    rows: list[list[Cell | None]] = [[Cell(name) for name in names]]
    for _ in range(drawn.randint(3, 6)):
        start = drawn.randrange(len(_WORDS) - 14)
        about = " ".join(_WORDS[start : start + drawn.randint(5, 13)])
        data = ", ".join(drawn.sample(_DATA, drawn.randint(1, 2)))
        cells = (_method(drawn), about.capitalize(), data, str(drawn.randint(2005, 2023)))
        rows.append([Cell(text) for text in cells])
    return MadeTable(caption, rows)


def as_latex(table: MadeTable, style: dict[str, object]) -> str:
    """The tabular of a table in a style."""
    width = len(table.cells[0])
    rules = str(style.get("rules", "booktabs"))
    columns = _columns(table, style, width)
    top, mid, bottom = {
        "booktabs": ("\\toprule", "\\midrule", "\\bottomrule"),
        "hline": ("\\hline", "\\hline", "\\hline"),
        "grid": ("\\hline", "\\hline", "\\hline"),
        "none": ("", "", ""),
        "rows": ("\\hline", "\\hline", "\\hline"),
    }[rules]
    lines = [top]
    for number, row in enumerate(table.cells):
        if number in table.breaks and rules != "none":
            lines.append(mid if rules != "rows" else "")
        if style.get("zebra") and number >= table.heads and number % 2:
            lines.append("\\rowcolor[gray]{.88}")
        lines.append(" & ".join(_latex_cells(row, rules)) + r" \\")
        if number + 1 == table.heads:
            lines.append(mid)
        elif number + 1 < table.heads and rules == "booktabs":
            lines += [
                f"\\cmidrule(lr){{{c + 1}-{c + cell.columns}}}"
                for c, cell in enumerate(row)
                if cell is not None and cell.columns > 1
            ]
        elif rules in {"grid", "rows"} and number + 1 < len(table.cells):
            lines.append(_between(table, number))
    lines.append(bottom)
    return f"\\begin{{tabular}}{{{columns}}}\n" + "\n".join(lines) + "\n\\end{tabular}"


def _between(table: MadeTable, number: int) -> str:
    """The rule under a row, where no cell spans it."""
    free = [c for c, cell in enumerate(table.cells[number + 1]) if cell is not None]
    if number + 1 < table.heads or len(free) == len(table.cells[0]):
        return "\\hline"
    return f"\\cline{{{free[0] + 1}-{len(table.cells[0])}}}"


def _columns(table: MadeTable, style: dict[str, object], width: int) -> str:
    if width == 4 and table.cells[0][1] is not None and table.cells[0][1].text == "What it does":
        kinds = ["l", f"p{{{style.get('wrap', '4cm')}}}", "p{2cm}", "r"]
    else:
        kinds = ["l"] * (width - sum(bool(c) for c in _numeric(table)))
        kinds += [str(style.get("align", "c"))] * (width - len(kinds))
    return f"|{'|'.join(kinds)}|" if style.get("rules") == "grid" else "".join(kinds)


def _numeric(table: MadeTable) -> list[bool]:
    last = table.cells[-1]
    return [cell is not None and cell.text[:1] in "0123456789–" for cell in last]


def _latex_cells(row: list[Cell | None], rules: str) -> list[str]:
    made = []
    place = 0
    while place < len(row):
        cell = row[place]
        if cell is None:
            made.append("")
            place += 1
            continue
        text = _escape(cell.text)
        text = f"\\textbf{{{text}}}" if cell.is_bold else text
        if cell.rows > 1:
            text = f"\\multirow{{{cell.rows}}}{{*}}{{{text}}}"
        if cell.columns > 1:
            kind = "c|" if rules == "grid" else "c"
            text = f"\\multicolumn{{{cell.columns}}}{{{kind}}}{{{text}}}"
        made.append(text)
        place += cell.columns
    return made


def _escape(text: str) -> str:
    return text.replace("±", "$\\pm$").replace("–", "--").replace("%", "\\%").replace("&", "\\&")


def as_html(table: MadeTable) -> str:
    """The table as HTML."""
    lines = []
    for number, row in enumerate(table.cells):
        name = "th" if number < table.heads else "td"
        cells = "".join(_html_cell(cell, name) for cell in row if cell is not None)
        lines.append(f"<tr>{cells}</tr>")
    return f"<table>{''.join(lines)}</table>"


def _html_cell(cell: Cell, name: str) -> str:
    text = html.escape(cell.text)
    text = f"<b>{text}</b>" if cell.is_bold else text
    return f'<{name} rowspan="{cell.rows}" colspan="{cell.columns}">{text}</{name}>'
