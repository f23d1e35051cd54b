"""Scripted models that answer questions out of the table that they are shown."""

import csv
import io
import re

from tests.servers.scripted import Ask, Reply, answer, slot


def shown_questions(ask: Ask) -> list[str]:
    lines = slot(ask.prompt, "questions").splitlines()
    assert [line.split(". ", 1)[0] for line in lines] == [str(n + 1) for n in range(len(lines))]
    return [line.split(". ", 1)[1] for line in lines]


def always_yes(ask: Ask) -> Reply:
    return answer("\n".join(f"{n}. yes" for n, _ in enumerate(shown_questions(ask), start=1)))


def is_said(grid: dict[tuple[str, str], str], columns: list[str], question: str) -> bool:
    """What a careful reader finds in a table of one row a paper."""
    quoted = re.findall(r'"([^"]*)"', question)
    if "have a column for" in question:
        return quoted[0] in columns
    if question.startswith("In "):
        name, one, first, other, second = quoted
        return grid.get((first, name)) == one and grid.get((second, name)) == other
    value, name, paper = quoted
    return grid.get((paper, name)) == value


def careful(ask: Ask) -> Reply:
    lines = list(csv.reader(io.StringIO(slot(ask.prompt, "table"))))
    assert len({len(line) for line in lines}) == 1, "not a rectangle"
    header = lines[0]
    grid = {
        (row[0], name): cell for row in lines[1:] for name, cell in zip(header, row, strict=True)
    }
    said = [is_said(grid, header[1:], question) for question in shown_questions(ask)]
    return answer("\n".join(f"{n}. {'Yes' if yes else 'No'}." for n, yes in enumerate(said, 1)))
