"""Metrics of answers to questions in a user's table: exact matches, numbers, lists and texts.

Two texts match when they are equal but for case, spaces, markup, quotation marks, the kind of dash
and a final stop. A list is a JSON list, else lines, else parts between semicolons, else parts
between commas. If some lines have numbers or bullets, only these are the items.
"""

from vivavoce.metrics import harmonic_mean, metric
from vivavoce.metrics.answer_lists import is_item, item_of
from vivavoce.metrics.rouge import rouge
from vivavoce.metrics.tables.cell_matching import read_number
from vivavoce.store import Row
from vivavoce.text.answers import without_wrapper
from vivavoce.text.cell_text import plain_words
from vivavoce.text.json_answer import find_json
from vivavoce.text.normalise import PLAIN_MARKS, normalise

MAX_CHARACTERS = 20_000
"""Maximum characters of an answer: longer texts match nothing, longer lists are cut; gold fits."""
TOLERANCE = 1e-6
"""Relative error that a number may have: enough only for the rounding of floats."""
_SOURCE = "this project, docs/how-to/own-task.md"


def match_key(text: str) -> str:
    """Key that matching texts share; never empty for a visible text."""
    words = plain_words(text).translate(PLAIN_MARKS)
    key = " ".join(normalise("NFKC", words).casefold().split()).rstrip(".").strip("' ")
    return key or text.strip()


def list_items(text: str) -> set[str]:
    """The keys of a list's items."""
    text = without_wrapper(text[:MAX_CHARACTERS])
    parts = find_json(text, lambda value: isinstance(value, list)) if text[:1] == "[" else None
    if parts is None:
        lines = [line for line in text.splitlines() if line.strip()]
        mark = next((mark for mark in ";," if mark in text), "\n")
        listed = [line for line in lines if is_item(line)] or lines
        parts = listed if len(lines) > 1 else text.split(mark)
    keys = (match_key(item_of(str(part))) for part in parts)
    return {key for key in keys if key}


def _share(among: str, wanted: str) -> float:
    items = list_items(among)
    return len(items & list_items(wanted)) / len(items) if items else 0.0


@metric("own", _SOURCE)
def exact_match(answer: str, row: Row) -> float:
    """Answers equal to the gold but for case, spaces, markup and a final stop."""
    is_short = len(answer) <= MAX_CHARACTERS
    return float(is_short and match_key(without_wrapper(answer)) == match_key(row["target"]))


@metric("own", _SOURCE)
def number_match(answer: str, row: Row) -> float | None:
    """Answers whose one number is the gold's, within the tolerance.

    Undefined where the gold is not a number.
    """
    gold, number = read_number(row["target"]), read_number(without_wrapper(answer))
    if gold is None:
        return None
    tolerance = row.get("tolerance", TOLERANCE)
    return float(number is not None and abs(number - gold) <= tolerance * abs(gold))


@metric("own", _SOURCE)
def list_precision(answer: str, row: Row) -> float:
    """Items of an answer that the gold has."""
    return _share(answer, row["target"])


@metric("own", _SOURCE)
def list_recall(answer: str, row: Row) -> float:
    """Items of the gold that an answer has."""
    return _share(row["target"], answer)


@metric("own", _SOURCE)
def list_f1(answer: str, row: Row) -> float | None:
    """Harmonic mean of list_precision and list_recall."""
    return harmonic_mean(_share(answer, row["target"]), _share(row["target"], answer))


@metric("own", "Lin 2004, ROUGE")
def rougeL(answer: str, row: Row) -> float:
    """F1 of the longest common subsequence of words."""
    return rouge(without_wrapper(answer), row["target"])["rougeL"]
