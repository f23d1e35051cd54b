"""The tasks of own questions: one for each metric, and what it takes for an answer."""

from __future__ import annotations

from vivavoce.metrics.tables.cell_matching import read_number
from vivavoce.store import Row
from vivavoce.tasks.family import Arguments, FamilyTask, Item, View
from vivavoce.tasks.scoring.marks import FaultyAnswer, Values
from vivavoce.text.answers import without_wrapper

_FACTS = ("category", "tolerance")


class OwnQuestion(FamilyTask[Arguments]):
    """Questions of a table, whose metrics are functions of the answer and the gold."""

    def sample(self, row: Row, view: View[Arguments]) -> Item:
        """A question as it is shown."""
        prompt = view.prompts.render(view.task, {"content": row["input"]}, {})
        return Item(row["id"], prompt, row["gold"], {name: row[name] for name in _FACTS})

    def measure(self, answer: str, row: Row) -> Values:
        """Nothing beside the metrics; signs alone are malformed where the gold has words."""
        if any(map(str.isalnum, row["target"])) and not any(map(str.isalnum, answer)):
            raise FaultyAnswer("malformed")
        return {}


class NumberQuestion(OwnQuestion):
    """Questions for a number."""

    def measure(self, answer: str, row: Row) -> Values:
        """Nothing beside the metrics; an answer without a number, or with several, is malformed."""
        if read_number(without_wrapper(answer)) is None:
            raise FaultyAnswer("malformed")
        return {}


_QUESTION = OwnQuestion()
TASKS = {
    "own_match": _QUESTION,
    "own_number": NumberQuestion(),
    "own_list": _QUESTION,
    "own_text": _QUESTION,
}
