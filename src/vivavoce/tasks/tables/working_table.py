"""A literature table under construction, with changes of papers, columns and cells.

Sizes are limited, so a model cannot make a table grow without end. Rows have the order of the pool,
and columns the order in which they were added.
"""

from collections.abc import Collection, Mapping, Sequence

from vivavoce.metrics.tables.cell_matching import cell_key, folded
from vivavoce.metrics.tables.literature_tables import LiteratureTable, TableRow
from vivavoce.text.cell_text import collapse_spaces

MAX_COLUMNS = 40
MAX_NAME, MAX_VALUE = 120, 300
"""Maximum characters of a column's name and of a cell; longer ones are cut."""
ABSENT = "N/A"
_MORE = "…"


class TableFault(Exception):
    """A change is impossible; the message has the reason."""


class WorkingTable:
    """Selected papers, columns, and a value or N/A for each paper and column.

    Methods raise `TableFault` for unknown papers or columns, empty names, and too many columns.

    Args:
        labels: Labels of the pool's papers.
        exact_names: True to compare names of columns exactly; otherwise case, spaces and markup are
            ignored.
    """

    def __init__(self, labels: Sequence[str], *, exact_names: bool = False) -> None:
        self.labels = tuple(labels)
        self._exact = exact_names
        self._found = {label.casefold(): label for label in reversed(self.labels)}
        self._columns: list[str] = []
        self._rows: dict[str, dict[str, str]] = {}

    @property
    def papers(self) -> tuple[str, ...]:
        """The selected papers, in the order of the pool."""
        return tuple(label for label in self.labels if label in self._rows)

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns, in the order of addition."""
        return tuple(self._columns)

    def cell(self, paper: str, column: str) -> str | None:
        """A value; None for N/A and for unknown papers and columns."""
        return self._rows.get(paper, {}).get(column)

    def cells(self, paper: str) -> dict[str, str]:
        """Values of a row by column, without N/A."""
        row = self._rows.get(paper, {})
        return {column: row[column] for column in self._columns if column in row}

    def find_paper(self, name: str) -> str:
        """Find the label of a name: `P3`, `p3`, `[P3]`, `P3: its title`, or `3`."""
        short = name[:MAX_NAME].strip().strip("[](){}<>\"'.: ")
        first, _, _ = short.partition(" ")
        for candidate in (short, f"P{short}", first.rstrip(":,.-–—)]")):
            if (label := self._found.get(candidate.casefold())) is not None:
                return label
        raise TableFault(f"There is no paper {_quoted(name)} in the pool.")

    def find_column(self, name: str) -> str | None:
        """Find a column by name; None if there is none."""
        clean = _clean(name, MAX_NAME)
        if clean in self._columns or self._exact:
            return clean if clean in self._columns else None
        key = _key(clean)
        return next((column for column in self._columns if _key(column) == key), None)

    def include(self, paper: str) -> bool:
        """Select a paper; return whether that changes anything."""
        label = self.find_paper(paper)
        if label in self._rows:
            return False
        self._rows[label] = {}
        return True

    def exclude(self, paper: str) -> bool:
        """Remove a paper and its row; return whether that changes anything."""
        return self._rows.pop(self.find_paper(paper), None) is not None

    def add_column(self, name: str) -> bool:
        """Add a column at the end; return whether the name is new."""
        clean = _clean(name, MAX_NAME)
        if not clean:
            raise TableFault("A column needs a name.")
        if self.find_column(clean) is not None:
            return False
        if len(self._columns) >= MAX_COLUMNS:
            raise TableFault(f"There are {MAX_COLUMNS} columns already; drop one first.")
        self._columns.append(clean)
        return True

    def rename_column(self, old: str, new: str) -> bool:
        """Rename a column; if another one has the new name, merge them.

        In a merge, values of the existing column take precedence.
        """
        source, clean = self._known_column(old), _clean(new, MAX_NAME)
        if not clean:
            raise TableFault(f"Column {_quoted(old)} needs a name.")
        target = self.find_column(clean)
        if target is None or target == source:
            if clean == source:
                return False
            self._columns[self._columns.index(source)] = clean
            target = clean
        else:
            self._columns.remove(source)
        for row in self._rows.values():
            if (value := row.pop(source, None)) is not None:
                row.setdefault(target, value)
        return True

    def drop_column(self, name: str) -> bool:
        """Remove a column and its cells."""
        column = self._known_column(name)
        self._columns.remove(column)
        for row in self._rows.values():
            row.pop(column, None)
        return True

    def set_cell(self, paper: str, column: str, value: str | None) -> bool:
        """Write a cell of a selected paper; None and empty values mean N/A.

        The displayed short form of a long value does not change it.
        """
        label, name = self.find_paper(paper), self._known_column(column)
        if label not in self._rows:
            raise TableFault(f"Paper {label} is not in the table; include it first.")
        row, clean = self._rows[label], _clean(value or "", MAX_VALUE)
        before = row.get(name)
        if before is not None and clean.endswith(_MORE) and before.startswith(clean[:-1]):
            return False
        if cell_key(clean):
            row[name] = clean
        else:
            row.pop(name, None)
        return row.get(name) != before

    def set_row(self, paper: str, cells: Mapping[str, str | None]) -> bool:
        """Select a paper and write cells; new columns are added."""
        changed = self.include(paper)
        for column, value in cells.items():
            changed |= self.add_column(column)
            changed |= self.set_cell(paper, column, value)
        return changed

    def as_table(self) -> LiteratureTable:
        """The table for scoring."""
        rows = (
            TableRow(label, tuple(self.cell(label, column) for column in self._columns))
            for label in self.papers
        )
        return LiteratureTable(self.papers, self.columns, tuple(rows))

    def markdown(self, papers: Collection[str] | None = None, longest: int = MAX_VALUE) -> str:
        """The table for a model as Markdown, with all rows or those of given papers.

        Cells longer than `longest` end in `…`.
        """
        shown = [label for label in self.papers if papers is None or label in papers]
        lines = [["Paper", *self._columns], ["---"] * (len(self._columns) + 1)]
        for label in shown:
            values = (self.cell(label, column) for column in self._columns)
            lines.append(
                [label, *(ABSENT if one is None else _short(one, longest) for one in values)]
            )
        escaped = ([cell.replace("|", "\\|") for cell in line] for line in lines)
        return "\n".join(f"| {' | '.join(line)} |" for line in escaped)

    def _known_column(self, name: str) -> str:
        column = self.find_column(name)
        if column is None:
            raise TableFault(f"There is no column {_quoted(name)} in the table.")
        return column


def _key(name: str) -> str:
    return folded(name) or name


def _clean(text: str, longest: int) -> str:
    """One line with limited length and without characters that logs cannot store."""
    line = collapse_spaces(text[: longest * 4]).encode("utf-8", "replace").decode("utf-8")
    return line[:longest].strip()


def _short(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[: max(0, longest - 1)]}{_MORE}"


def _quoted(name: str) -> str:
    return f'"{_short(_clean(name, MAX_NAME), 60)}"'
